"""What the first pull, throw or duplicate needs is made ready beforehand, beside a simulation that runs."""

import threading
from contextlib import suppress

from stoss.collision import Box, Cylinder, HalfSpace, Sphere
from stoss.collision.kernels.prepare import watch
from stoss.collision.shapes.faceted import TriangleMesh
from stoss.collision.shapes.shapes import Shape
from stoss.engine import Hinge, Settings, World
from stoss.viewer.world.commands import Command, Duplicate, Grab, HoldJoint, MovePointer, Release, Throw
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.view import Wait

__all__ = ["Rehearsal", "rehearsal_world", "rehearse"]

_AT = (0.0, 0.0, 1.0)  # [m] of the ball
_APART = 10.0  # [m] between the bodies
_STEPS = 8  # after each command: the ball that is thrown is at the block by then
# All that the mouse does, on a small world. The ball is so fast that it is followed along its path.
_PLAY: tuple[Command, ...] = (
    Grab("ball", _AT),
    MovePointer((0.1, 0.0, 1.0)),
    Release(),
    Throw((-_APART, 0.0, 4.0), (0.0, 0.0, -60.0)),
    Duplicate("ball", (0.0, 0.0, 3.0)),
    HoldJoint("hinge", "angle", 0.1),
    Release(),
)


class _Closed(BaseException):
    """Ends the compilation of kernels that nobody waits for any more."""


class Rehearsal:
    """Does in a thread of its own, on a small world, what a user may do, so that it is quick when they do.

    Args:
        settings: of the world that the user sees.
        shapes: its shapes.
    """

    def __init__(self, settings: Settings, shapes: list[Shape]) -> None:
        self._world = rehearsal_world(settings, shapes)
        self._closed = False
        self._wait: Wait | None = None
        self._thread = threading.Thread(target=self._run, name="rehearsal", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End it before the next kernel."""
        self._closed = True

    @property
    def busy(self) -> bool:
        """Return whether it goes on."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> Wait | None:
        """Return what is being made ready, None if nothing."""
        return self._wait

    def _run(self) -> None:
        with suppress(_Closed), watch(self._note):
            self._world.prepare_kernels()
            self._check()
            rehearse(self._world)
        self._wait = None

    def _note(self, done: int, total: int, name: str) -> None:
        if threading.current_thread() is not self._thread:
            return
        self._check()
        text = f"compiling {done + 1} of {total} kernels for pulls and throws"
        self._wait = Wait(text, done / total) if done < total else None

    def _check(self) -> None:
        if self._closed:
            raise _Closed


def rehearsal_world(settings: Settings, shapes: list[Shape]) -> World:
    """Return a small world with a ball, a hinge, a block and a shape of each kind, all apart."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static", name="ground")
    world.add_body(Sphere(0.2), position=_AT, name="ball")
    world.add_body(Box((1.0, 1.0, 1.0)), position=(-_APART, 0.0, 0.5), name="block")
    # what a fast ball meets is found by the kernels for all convex shapes, whatever it is
    world.add_body(Cylinder(0.2, 0.4), position=(-2.0 * _APART, 0.0, 0.2), name="roller")
    arm = world.add_body(Sphere(0.2), position=(_APART, 0.0, 5.0), name="arm")
    world.add_joint(Hinge((_APART, 0.0, 6.0), (0.0, 1.0, 0.0)), None, arm, name="hinge")
    kinds = {type(shape): shape for shape in shapes if not isinstance(shape, TriangleMesh | HalfSpace)}
    for number, shape in enumerate(kinds.values(), 2):
        # a mesh would have to be taken apart anew, and whoever meets one has its kernels
        world.add_body(shape, position=(_APART * number, 0.0, 0.0), kind="static")
    return world


def rehearse(world: World) -> None:
    """Do all that the mouse does in a world of `rehearsal_world`, with steps after each."""
    stage = Stage(world)
    for command in _PLAY:
        stage.carry_out(command)
        for _ in range(_STEPS):
            stage.step()
