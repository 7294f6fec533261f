"""A simulation whose world is not there yet: it is built in its own thread, and nothing waits for it."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from imgui_bundle import imgui

from stoss.collision.kernels.decorators import Listener
from stoss.engine import World
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.widgets.theme import set_up_imgui, take_down_imgui
from stoss.viewer.window.gui import Gui
from stoss.viewer.window.hand import Hand
from stoss.viewer.workbench.actions import ACTIONS
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world import simulation as simulation_module
from stoss.viewer.world.commands import Grab, SetMass
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.view import Wait
from tests.viewer.falling_box import falling_box, wait_for


class Builder:
    """Builds a falling box when it is told to, and tells of kernels meanwhile."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.thread = ""
        self.listener: Listener = lambda done, total, name: None
        self.told = (0, 0)

    def __call__(self) -> World:
        self.thread = threading.current_thread().name
        while not self.go_on.wait(0.005):
            self.listener(*self.told, "settle")
        self.listener(96, 96, "")
        return falling_box()

    @contextmanager
    def watch(self, listener: Listener) -> Iterator[None]:
        self.listener = listener
        yield


@pytest.fixture
def builder(monkeypatch):
    made = Builder()
    monkeypatch.setattr(simulation_module, "watch", made.watch)
    yield made
    made.go_on.set()


def test_the_world_is_built_in_the_thread_that_steps_it_and_what_was_asked_meanwhile_is_done_then(builder):
    threads = set()
    simulation = Simulation(builder, paused=True)
    simulation.start()
    try:
        assert not simulation.wait(0.01)
        assert simulation.waiting == Wait("building the scene")
        assert simulation.view.description.names == ()
        simulation.post(SetMass("box", 3.0))
        answer = simulation.ask(lambda: threads.add(threading.current_thread().name))
        simulation.step(2)
        builder.go_on.set()
        assert simulation.wait(20.0)
        wait_for(lambda: simulation.view.frame.step == 2)
        answer.result(20.0)
        assert simulation.waiting is None
        assert simulation.view.description.masses[0] == 3.0
        assert threads == {builder.thread} == {"simulation"}
    finally:
        simulation.close()
    assert not simulation.busy
    assert simulation.log == [(0, SetMass("box", 3.0))]


def test_kernels_that_are_compiled_are_counted(builder):
    simulation = Simulation(builder)
    simulation.start()
    try:
        builder.told = (11, 96)
        wait_for(lambda: simulation.waiting == Wait("compiling 12 of 96 kernels", 11.0 / 96.0))
        builder.listener(50, 96, "a kernel for another thread, this one")
        assert simulation.waiting.text.startswith("compiling 12")
    finally:
        simulation.close()


def test_closing_ends_the_building_before_the_next_kernel(builder):
    simulation = Simulation(builder)
    simulation.start()
    wait_for(lambda: builder.thread)
    builder.told = (11, 96)
    simulation.close()
    wait_for(lambda: not simulation.busy)
    assert not simulation.ready and simulation.error is None
    assert simulation.log == []


def test_closing_does_not_wait_for_what_cannot_be_stopped():
    finish = threading.Event()
    simulation = Simulation(lambda: finish.wait(20.0) and falling_box())
    simulation.start()
    try:
        simulation.close()
        assert simulation.busy
    finally:
        finish.set()
    wait_for(lambda: not simulation.busy)


@pytest.mark.parametrize("changed", [False, True])
def test_a_world_that_was_given_is_left_after_a_whole_step_also_if_kernels_are_compiled_for_it(
    builder, changed
):
    """Take back the step that waits for kernels; make it to its end if a command came before it."""
    inside, finish = threading.Event(), threading.Event()

    def compile_slowly(world: World) -> None:
        inside.set()
        finish.wait(20.0)
        builder.listener(3, 96, "impact_round")

    world = falling_box()
    before = world.state_hash()
    world.after_step.append(compile_slowly)
    simulation = Simulation(world)
    if changed:
        simulation.post(SetMass("box", 3.0))
    simulation.start()
    assert inside.wait(20.0)
    threading.Timer(0.3, finish.set).start()
    simulation.close()
    assert finish.is_set() and not simulation.busy
    assert world.step_count == (1 if changed else 0)
    assert world.body("box").mass == (3.0 if changed else 1.0)
    assert changed or world.state_hash() == before


def test_a_world_that_was_given_is_left_whole_at_any_moment():
    """End after the callbacks of a step, let nothing go on then, and take the pointer of the mouse away."""
    world, calls = falling_box(), []
    world.before_step.append(lambda world: calls.append("before"))

    def after(world: World) -> None:
        time.sleep(0.05)
        calls.append("after")

    world.after_step.append(after)
    simulation = Simulation(world)
    simulation.post(Grab("box", (0.0, 0.0, 5.0)))
    simulation.start()
    wait_for(lambda: world.step_count >= 3 and calls[-1] == "before")
    assert len(world.bodies) == len(falling_box().bodies) + 1
    simulation.close()
    left, hash_then = list(calls), world.state_hash()
    assert not simulation.busy and left[-1] == "after"
    assert left.count("after") == left.count("before") == world.step_count
    assert [body.name for body in world.bodies] == [body.name for body in falling_box().bodies]
    assert list(world.joints) == []
    time.sleep(0.15)
    assert calls == left and world.state_hash() == hash_then
    world.step()
    assert calls[-2:] == ["before", "after"]


def test_a_world_that_cannot_be_built_ends_the_window_and_says_why():
    def build() -> World:
        raise ValueError("links is 0")

    bench = Workbench(Simulation(build))
    assert not bench.simulation.turn()
    bench.refresh()
    assert bench.closing
    assert bench.simulation.waiting is None
    with pytest.raises(ValueError, match="links is 0"):
        raise bench.simulation.error


def test_the_camera_looks_at_the_world_when_it_is_there(builder):
    view = Camera().view() | {"azimuth": 0.5}
    bench = Workbench(Simulation(builder, paused=True), first_view=view)
    bench.refresh()
    assert bench.camera.azimuth != 0.5
    builder.go_on.set()
    bench.simulation.turn()
    bench.refresh()
    assert bench.camera.azimuth == 0.5
    bench.camera.azimuth = 0.75
    bench.refresh()
    assert bench.camera.azimuth == 0.75


def test_every_action_and_panel_works_before_the_world_is_there(builder):
    waiting = Simulation(builder)
    bench = Workbench(waiting)
    set_up_imgui()
    try:
        io = imgui.get_io()
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        io.display_size = imgui.ImVec2(*map(float, bench.size))
        gui = Gui(bench, Hand(bench, lambda x, y: None))
        bench.panels = dict.fromkeys(gui.panel_names, True)
        for action in ACTIONS:
            if action.label not in ("Record a film", "Quit"):
                action.run(bench)
            bench.refresh()
            bench.overlay_geometry()
            imgui.new_frame()
            gui.draw([])
            imgui.render()
    finally:
        take_down_imgui()
        bench.close()  # a new model may have taken over by now, with a thread of its own
    builder.go_on.set()
    waiting.turn()
    assert waiting.ready


def test_bodies_that_are_named_are_like_glass_from_the_first_picture_on():
    """Find them by pattern when the world is there, and tell of a name that nobody has."""
    bench = Workbench(Simulation(falling_box, paused=True), first_glass=("b?x",))
    bench.simulation.turn()
    bench.refresh()
    assert bench.glass == {"box"} and bench.style.see_through == (bench.row("box"),)
    bench = Workbench(Simulation(falling_box, paused=True), first_glass=("bax",))
    bench.simulation.turn()
    bench.refresh()
    assert bench.glass == set() and "there are box" in bench.notices[-1]
