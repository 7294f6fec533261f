"""A motion to be written: bodies with their shapes and colours, and their poses over time."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.viewer.drawing.style import base_colours
from stoss.viewer.world.frames import Description, describe_trajectory, describe_world

if TYPE_CHECKING:
    from stoss.engine import Body, World
    from stoss.engine.recording import Recording
    from stoss.scenes.running.trajectory import Trajectory

__all__ = ["Collector", "Motion", "motion_of_trajectory"]

# Where a motion comes from a scene that names no direction: azimuth and elevation [degrees].
_VIEW = (-60.0, 20.0)


@dataclass(frozen=True)
class Motion:
    """Bodies and their poses at k instants, as writers take them.

    Attributes:
        description: bodies (n), kinds and shapes. Body frames are centre of mass and principal axes.
        colors: (n, 3) sRGB, 0 to 1.
        times: (k,) [s], rising.
        positions, quaternions: (k, n, 3) [m], (k, n, 4) (w, x, y, z), without jumps of sign.
        first, last: (n,) samples between which, both included, a body is there.
        see_through: rows of bodies that are shown like glass.
        view: azimuth from +x and elevation [degrees] from which it is looked at first.
        title: what it is called.
        channels: what was recorded meanwhile, if anything.
    """

    description: Description
    colors: np.ndarray
    times: np.ndarray
    positions: np.ndarray
    quaternions: np.ndarray
    first: np.ndarray
    last: np.ndarray
    see_through: tuple[int, ...] = ()
    view: tuple[float, float] = _VIEW
    title: str = "stoss"
    channels: "Recording | None" = None

    @property
    def moving(self) -> np.ndarray:
        """Return the rows of bodies whose pose changes."""
        still = (self.positions == self.positions[:1]).all(axis=(0, 2))
        return np.flatnonzero(~(still & (self.quaternions == self.quaternions[:1]).all(axis=(0, 2))))

    def color_of(self, shape: int) -> np.ndarray:
        """Return the colour (3,) of a shape by its row: its own, or that of its body."""
        own = self.description.drawn.get(shape)
        return self.colors[self.description.shape_body[shape]] if own is None else np.array(own)

    def of_scene(self, name: str | None) -> "Motion":
        """Return the same seen as a scene wants it: its direction, its title, and what is like glass."""
        from stoss.scenes import SCENES

        if name not in SCENES:
            return self
        glass = [row for row, own in enumerate(self.description.names) if own in SCENES[name].see_through]
        return replace(self, see_through=tuple(glass), view=SCENES[name].view, title=name)


def _motion(
    description: Description,
    times: np.ndarray,
    positions: np.ndarray,
    quaternions: np.ndarray,
    first: np.ndarray,
    last: np.ndarray,
) -> Motion:
    """Return a motion with colours, and quaternions that do not jump to the other of two signs."""
    same = np.einsum("kni,kni->kn", quaternions[1:], quaternions[:-1]) >= 0.0
    sign = np.ones(quaternions.shape[:2])
    sign[1:] = np.cumprod(np.where(same, 1.0, -1.0), axis=0)
    colors = base_colours(description, True)
    return Motion(description, colors, times, positions, quaternions * sign[..., None], first, last)


def motion_of_trajectory(trajectory: "Trajectory", fps: float | None) -> Motion:
    """Return a motion that was read from a file.

    Args:
        trajectory: what was read.
        fps: most samples per second that are kept, the last one always; None keeps all.
    """
    times = trajectory.times
    end = len(times) - 1
    kept = np.arange(len(times))
    if fps is not None:
        due = times[0] + np.arange(int((times[-1] - times[0]) * fps + 1e-9) + 1) / fps
        kept = np.unique(np.append(np.searchsorted(times, due - 1e-9).clip(max=end), end))
    kept = kept[np.append(True, np.diff(times[kept]) > 0.0)]
    count = len(trajectory.names)
    motion = _motion(
        describe_trajectory(trajectory),
        times[kept],
        trajectory.positions[kept],
        trajectory.quaternions[kept],
        np.zeros(count, np.int64),
        np.full(count, len(kept) - 1),
    )
    scene = trajectory.about.get("scene")
    return motion.of_scene(scene if isinstance(scene, str) else None)


class Collector:
    """Collect the poses of a world that runs; bodies may come and go meanwhile.

    Args:
        world: the world; its present state is the first sample.
        fps: samples per simulated second.
    """

    def __init__(self, world: "World", fps: float) -> None:
        self._begin, self._fps = world.time, fps
        self._times: list[float] = []
        self._samples: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._rows: dict[Body, int] = {}
        self._present: list[Body] = []
        self._order = np.zeros(0, np.int64)
        self._bodies: list[tuple[str, str, Any]] = []
        self._shapes: list[tuple[Any, int, np.ndarray, np.ndarray]] = []
        self._drawn: dict[int, Any] = {}
        self.add(world)

    def after_step(self, world: "World") -> None:
        """Take a sample if one is due; for `World.after_step`."""
        if world.time >= self._begin + len(self._times) / self._fps - 1e-9:
            self.add(world)

    def add(self, world: "World") -> None:
        """Take a sample, unless there is one of this instant."""
        if self._times and world.time <= self._times[-1]:
            return
        bodies = list(world.bodies)
        if bodies != self._present:
            self._meet(world, bodies)
        self._times.append(world.time)
        places, turns = np.array(world.centers_of_mass), np.array(world.principal_quaternions)
        self._samples.append((self._order, places, turns))

    def _meet(self, world: "World", bodies: "list[Body]") -> None:
        """Take down bodies that are new."""
        made = describe_world(world)
        for row, body in enumerate(bodies):
            if body in self._rows:
                continue
            number = self._rows[body] = len(self._bodies)
            self._bodies.append((made.names[row], made.kinds[row], made.colors[row]))
            for k in np.flatnonzero(made.shape_body == row):
                place = made.shape_position[k], made.shape_quaternion[k]
                if k in made.drawn:
                    self._drawn[len(self._shapes)] = made.drawn[int(k)]
                self._shapes.append((made.shapes[k], number, *place))
        self._present, self._order = bodies, np.array([self._rows[body] for body in bodies], np.int64)

    @property
    def motion(self) -> Motion:
        """Return what was collected; a body that is not there stands where it was first, or last."""
        k, n = len(self._times), len(self._bodies)
        positions, quaternions = np.zeros((k, n, 3)), np.zeros((k, n, 4))
        there = np.zeros((k, n), bool)
        for sample, (order, places, turns) in enumerate(self._samples):
            positions[sample, order], quaternions[sample, order], there[sample, order] = places, turns, True
        first, last = there.argmax(axis=0), k - 1 - there[::-1].argmax(axis=0)
        nearest = np.clip(np.arange(k)[:, None], first, last)
        for body in np.flatnonzero(~there.all(axis=0)):
            positions[:, body] = positions[nearest[:, body], body]
            quaternions[:, body] = quaternions[nearest[:, body], body]
        names, kinds, colors = zip(*self._bodies, strict=True) if n else ((), (), ())
        description = Description(
            names=names,
            kinds=kinds,
            masses=np.full(n, np.nan),
            inertias=np.full((n, 3), np.nan),
            shapes=tuple(shape for shape, *_ in self._shapes),
            shape_body=np.array([body for _, body, *_ in self._shapes], np.int64),
            shape_position=np.array([place for *_, place, _ in self._shapes]).reshape(-1, 3),
            shape_quaternion=np.array([turn for *_, turn in self._shapes]).reshape(-1, 4),
            colors=colors,
            drawn=self._drawn,
        )
        return _motion(description, np.array(self._times), positions, quaternions, first, last)
