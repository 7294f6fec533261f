"""What the mouse needs is ready before it is used: pulls, throws and duplicates find their kernels."""

import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.collision.kernels.decorators import KERNELS
from stoss.engine import Settings
from stoss.scenes.registry import SCENES
from stoss.viewer.world import rehearsal as rehearsal_module
from stoss.viewer.world.commands import Duplicate, Grab, MovePointer, Release, Throw
from stoss.viewer.world.rehearsal import Rehearsal, rehearsal_world, rehearse
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.view import Wait
from tests.viewer.falling_box import falling_box, wait_for


@pytest.mark.parametrize("name", ["stack", "pile", "dominoes"])
def test_the_first_pull_throw_and_duplicate_find_all_kernels(name):
    """Rehearse in the small world, then do it in the scene: no kernel is asked for that was not ready."""
    world = SCENES[name].build()
    world.prepare_kernels()
    world.step(2)
    small = rehearsal_world(world.settings, list(world.shape_table.shapes))
    small.prepare_kernels()
    rehearse(small)
    body = next(body for body in world.bodies if body.kind == "dynamic")
    place = tuple(float(x) for x in body.center_of_mass)
    stage = Stage(world)
    features = {kernel.feature for kernel in KERNELS.values() if kernel.is_kept or kernel.is_ready}
    stage.carry_out(Grab(body.name, place))
    stage.carry_out(MovePointer((place[0] + 0.2, *place[1:])))
    stage.step()
    stage.carry_out(Release())
    stage.carry_out(Throw((place[0], place[1], place[2] + 20.0), (0.0, 0.0, -1.0)))
    stage.carry_out(Duplicate(body.name, (0.0, 0.0, 30.0)))
    before = world._steps.kernels._features
    stage.step()
    assert before is not None and before <= (small._steps.kernels._features or set())
    assert (
        (world._steps.kernels._features or set())
        <= (small._steps.kernels._features or set())
        <= features | {"joints"}
    )


PLAYED = """
import sys
from stoss.collision.kernels.decorators import KERNELS
from stoss.collision.kernels.prepare import needed
from stoss.scenes.registry import SCENES
import stoss.scenes
from stoss.viewer.world.commands import Duplicate, Grab, MovePointer, Release, Throw
from stoss.viewer.world.rehearsal import rehearsal_world, rehearse
from stoss.viewer.world.stage import Stage

def ready():
    return {name for name, kernel in KERNELS.items() if kernel.is_ready}

world = SCENES["stack"].build()
world.step(5)
small = rehearsal_world(world.settings, list(world.shape_table.shapes))
small.prepare_kernels()
rehearse(small)
before, stage = ready(), Stage(world)
for command in (
    Grab("cube 5", (0.0, 0.5, 5.5)),
    MovePointer((0.0, 2.0, 5.5)),
    Release(),
    Duplicate("cube 9", (0.0, 0.0, 1.05)),
    Throw((3.0, 0.0, 4.5), (-40.0, 0.0, 0.0)),
    Throw((0.0, 0.0, 25.0), (0.0, 0.0, -60.0)),
):
    stage.carry_out(command)
    for _ in range(15):
        stage.step()
prepared = {kernel.name for kernel in needed(small._steps.kernels._features)}
print(len(before), len(ready()), *sorted(ready() - before - prepared))
"""


def test_nothing_is_compiled_by_pulls_throws_and_duplicates_after_the_rehearsal():
    """Play with the stack in a process of its own: all kernels it needs were prepared, most are loaded."""
    names = [body.name for body in SCENES["stack"].build().bodies]
    assert {"cube 5", "cube 9"} <= set(names)
    done = subprocess.run([sys.executable, "-c", PLAYED], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    before, after, *late = done.stdout.split()
    assert late == [] and int(before) > 0.9 * int(after) > 50


def test_kernels_are_told_of_while_they_are_made_ready_and_closing_ends_it(monkeypatch):
    """Tell "3 of 1000", and go on to no further kernel once it is closed."""
    go_on, told, listeners = threading.Event(), threading.Event(), []

    @contextmanager
    def watch(listener):
        listeners.append(listener)
        yield

    class Slow:
        def prepare_kernels(self) -> None:
            listeners[0](2, 1000, "impact")
            told.set()
            go_on.wait(20.0)
            listeners[0](3, 1000, "impact")
            raise AssertionError("it goes on")

    monkeypatch.setattr(rehearsal_module, "rehearsal_world", lambda settings, shapes: Slow())
    monkeypatch.setattr(rehearsal_module, "watch", watch)
    rehearsal = Rehearsal(Settings(), [])
    rehearsal.start()
    assert told.wait(20.0)
    assert rehearsal.waiting == Wait("compiling 3 of 1000 kernels for pulls and throws", 0.002)
    rehearsal.close()
    go_on.set()
    wait_for(lambda: not rehearsal.busy)
    assert rehearsal.waiting is None


def test_a_simulation_in_a_thread_rehearses_and_ends_it_with_the_window():
    simulation = Simulation(falling_box(), paused=True)
    simulation.start()
    assert simulation.wait(20.0)
    wait_for(lambda: simulation.preparing is None and not simulation._rehearsal.busy)
    simulation.close()
    assert not simulation.busy
