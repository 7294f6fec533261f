"""Several moments in one picture, as under a stroboscope: bodies where they were, fainter with time."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import number, whole
from stoss.names import closed
from stoss.viewer.drawing.bounds import typical_size
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["Strobe"]

# What has moved less since, in parts of a typical body, or turned less [rad], is not drawn again.
_MOVED, _TURNED = 0.1, 0.15

# Opacity of the moment before the present one, and of the oldest.
_OPACITY = 0.5, 0.15

_LISTS = (
    *("positions", "quaternions", "velocities", "angular_velocities"),
    *("asleep", "islands", "direct", "loads"),
)


@closed
class Strobe:
    """Moments that a picture shows together with the present one.

        strobe = viewer.Strobe(0.1)
        world.after_step.append(strobe.after_step)
        world.step(100)
        viewer.picture(world, strobe=strobe)

    Args:
        every: time between two of them [s].
        most: how many are kept.

    Raises:
        TypeError, ValueError: naming the argument, its value and the cure.
    """

    def __init__(self, every: float, most: int = 30) -> None:
        self._every = number("every", every, "s", above=0.0)
        self._most = whole("most", most, least=1, most=1000)
        self._kept: list[tuple[Description, Frame]] = []

    def after_step(self, world: "World") -> None:
        """Keep the present moment of a world, if one is due; for `World.after_step`.

        Args:
            world: the world.
        """
        if self._is_due(world.time, world.time_step):
            self.add(describe_world(world), frame_of(world))

    def add(self, description: Description, frame: Frame) -> None:
        """Keep a moment, if one is due.

        Args:
            description, frame: the bodies, and where they are.
        """
        if self._kept and frame.time < self._kept[-1][1].time:
            self._kept.clear()
        if self._is_due(frame.time, frame.time_step):
            self._kept.append((description, frame))
            del self._kept[: -self._most]

    @property
    def moments(self) -> list[Frame]:
        """Return the moments that were kept, the oldest first."""
        return [frame for _, frame in self._kept]

    def _is_due(self, time: float, step: float) -> bool:
        if not self._kept or time < self._kept[-1][1].time:
            return True
        # to half a step: moments lie at whole ones
        return time >= self._kept[-1][1].time + self._every - 0.5 * min(step, self._every)

    def exposed(
        self, description: Description, frame: Frame, style: Style
    ) -> tuple[Description, Frame, Style]:
        """Return what a picture of the present moment, with all that were kept, is made of.

        Moments with other bodies are left out, and so is what has not moved since.

        Args:
            description, frame: the bodies, and where they are now.
            style: how they are drawn.
        """
        past = [
            one
            for made, one in self._kept
            if made.names == description.names and one.time < frame.time - 1e-12
        ]
        reach = _MOVED * typical_size(description)
        moving = np.array([kind != "static" for kind in description.kinds], bool)
        moving[list(style.hidden)] = False
        place, turn = frame.positions.copy(), frame.quaternions.copy()
        rows, frames, opacity = [np.arange(len(moving))], [frame], []
        for age, one in enumerate(reversed(past)):
            away = np.linalg.norm(one.positions - place, axis=1) > reach
            cosine = np.abs((one.quaternions * turn).sum(axis=1))  # of half the angle
            shown = np.flatnonzero(moving & (away | (cosine < np.cos(0.5 * _TURNED))))
            place[shown], turn[shown] = one.positions[shown], one.quaternions[shown]
            rows.append(shown)
            frames.append(one)
            share = _OPACITY[0] + (_OPACITY[1] - _OPACITY[0]) * age / max(1, len(past) - 1)
            opacity += [share] * len(shown)
        everything = np.concatenate(rows)
        faded = {len(moving) + number: share for number, share in enumerate(opacity)}
        colours = {
            row: style.colours[body] for row, body in enumerate(everything.tolist()) if body in style.colours
        }
        drawn = replace(style, colours=colours, opacity=style.opacity | faded)
        return _repeated(description, everything), _together(frames, rows), drawn


def _repeated(description: Description, rows: np.ndarray) -> Description:
    """Return a description of bodies and copies of some: rows (k), of which the first are all in order."""
    count, shapes = len(description.names), list(range(len(description.shapes)))
    owners = description.shape_body.tolist()
    carried: dict[int, list[int]] = {}
    for shape, body in enumerate(description.shape_body.tolist()):
        carried.setdefault(body, []).append(shape)
    for number_, row in enumerate(rows.tolist()):
        if number_ >= count:
            shapes += carried.get(row, [])
            owners += [number_] * len(carried.get(row, []))
    colors = description.colors or (None,) * count
    return replace(
        description,
        names=tuple(description.names[row] for row in rows),
        kinds=tuple(description.kinds[row] for row in rows),
        masses=description.masses[rows],
        inertias=description.inertias[rows],
        shapes=tuple(description.shapes[shape] for shape in shapes),
        shape_body=np.array(owners, np.int64),
        shape_position=description.shape_position[shapes],
        shape_quaternion=description.shape_quaternion[shapes],
        colors=tuple(colors[row] for row in rows),
        drawn={
            place: description.drawn[shape]
            for place, shape in enumerate(shapes)
            if shape in description.drawn
        },
    )


def _together(frames: list[Frame], rows: list[np.ndarray]) -> Frame:
    """Return the first frame, with the values of some bodies of others behind those of its own."""
    changes: dict[str, Any] = {}
    for name in _LISTS:
        values = [getattr(one, name) for one in frames]
        known = all(value is not None for value in values)
        changes[name] = (
            np.concatenate([value[chosen] for value, chosen in zip(values, rows, strict=True)])
            if known
            else None
        )
    return replace(frames[0], **changes)
