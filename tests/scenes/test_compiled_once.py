"""After `stoss prepare --all` nothing is compiled any more."""

import subprocess
import sys

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.collision.kernels.prepare import all_kernels, prepare
from stoss.scenes.registry import SCENES

# In a process of its own: what this one compiled in memory would hide what is not on disk.
RUN = """
import sys
from stoss.engine import Settings
from stoss.scenes import SCENES
from stoss.scenes.running.compilation import CompileWatch
from stoss.viewer.world import commands
from stoss.viewer.world.stage import Stage

with CompileWatch() as watch:
    compiled = {}

    def note(name, action):
        before = watch.kernels
        action()
        if watch.kernels > before:
            compiled[name] = watch.kernels - before

    for name in sys.argv[1:]:
        note(name, lambda: SCENES[name].build().step(2))
    for changes in (
        {"solver": "gauss_seidel", "shock_propagation": True},
        {"time_of_impact": True},
        {"sleeping": True, "sleep_time": 0.02},
        {"order": 6},
        {"motion": "taylor"},
        {"collision": "fcl"},
        {"impact_law": "stronge"},
    ):
        for name in ("stack", "cradle", "ragdoll", "pile"):
            parameters = {"bodies": 12} if name == "pile" else {}
            settings = Settings(**changes)
            note(f"{name} {changes}", lambda: SCENES[name].build(settings=settings, **parameters).step(8))
    world = SCENES["crane"].build()
    note("rays", lambda: world.ray_cast((0, 0, 9), (0, 0, -1)))
    note("nearest", lambda: world.closest_point((0, 0, 9)))
    note("freedom", world.freedom_report)
    for joint in world.joints:
        note("joints", lambda: (joint.error, joint.force, [joint.value_of(c) for c in joint.coordinates]))
    stage = Stage(world)
    for command in (
        commands.Push("load", (3.5, 0.0, 3.5), (50.0, 20.0, 0.0)),
        commands.Grab("load", (3.5, 0.0, 3.4)),
        commands.MovePointer((5.0, 1.0, 3.0)),
        commands.Release(),
        commands.Throw((0.0, -4.0, 6.0), (0.0, 8.0, 1.0)),
        commands.Duplicate("load", (0.0, 0.0, 3.0)),
        commands.Freeze("trolley"),
        commands.Unfreeze("trolley"),
        commands.Delete("link 11"),
        commands.WakeAll(),
    ):
        note(type(command).__name__, lambda: (stage.carry_out(command), stage.step()))
print(compiled)
"""


def test_nothing_is_compiled_after_prepare_all() -> None:
    """Find every kernel on disk: in any scene, with any solver, law and backend, in queries and commands."""
    prepare(all_kernels())
    done = subprocess.run([sys.executable, "-c", RUN, *SCENES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "{}"
