"""Joint kinds whose numbers are those of frames on the bodies, not of the world where the joint is added."""

from dataclasses import dataclass
from typing import Any

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, length, multiply, rotate
from stoss.engine import checks
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.frames import Part
from stoss.engine.joints.kind import Coordinate, Coupled, JointKind
from stoss.names import closed

__all__ = ["Framed"]

UNIT = 1e-15  # quaternions that miss the length one by less are rounded ones, and stay as they are


@closed
@dataclass(frozen=True)
class Framed(JointKind):
    """Join two frames on the bodies as another kind says, with its numbers in these frames.

    Points and directions of the first body are those of its frame, `second_point` and the like those of the
    frame of the second one; the joint is closed where the frames coincide. So a joint can be given without
    knowing where the bodies are, and two bodies may be joined that are apart.

    Args:
        kind: what is held, for instance `Hinge((0, 0, 0), (0, 0, 1))`: about the z axes of the frames.
        first_position, first_quaternion: the frame on the first body, in the frame of its shapes, or in the
            world where there is no body: [m] and (w, x, y, z).
        second_position, second_quaternion: the frame on the second body.
        principal: whether the frames are in the principal axes of the bodies, from their centres of mass, in
            place of the frames of their shapes: to the last bit as joints keep them.
    """

    kind: JointKind
    first_position: Any = ORIGIN
    first_quaternion: Any = UNTURNED
    second_position: Any = ORIGIN
    second_quaternion: Any = UNTURNED
    principal: bool = False

    def __post_init__(self) -> None:
        checks.instance("Framed: kind", self.kind, JointKind, "Hinge((0, 0, 0), (0, 0, 1))")
        if isinstance(self.kind, Framed | Coupling):
            raise TypeError(f"Framed: kind = {self.kind!r} cannot be joined by frames; give another kind")
        checks.flag("Framed: principal", self.principal)
        for end in ("first", "second"):
            place, turn = f"{end}_position", f"{end}_quaternion"
            given = getattr(self, turn)
            unit = checks.unit_quaternion(f"Framed: {turn}", given)
            if isinstance(given, tuple) and abs(length(given) - 1.0) <= UNIT:
                unit = given  # so that what was read from a joint makes the same one again
            self._set(**{place: checks.triple(f"Framed: {place}", getattr(self, place)), turn: unit})

    def parts(self, middle: Vector = ORIGIN) -> tuple[Part, ...]:
        """Return the parts in the coordinates of the frames."""
        return self.kind.parts()

    def coordinates(self) -> dict[str, Coordinate]:
        """Return the coordinates of the kind."""
        return self.kind.coordinates()

    def coupled(self) -> tuple[Coupled, ...]:
        """Return the couplings of the kind."""
        return self.kind.coupled()

    def on_bodies(self, part: Part) -> Part:
        """Return a part in the frames of the shapes of the bodies, or in their principal axes."""
        return Part(
            *_placed(self.first_position, self.first_quaternion, part.point_a, part.quaternion_a),
            *_placed(self.second_position, self.second_quaternion, part.point_b, part.quaternion_b),
            part.holds,
            part.radii,
        )


def _placed(
    position: Vector, quaternion: Quaternion, point: Vector, turn: Quaternion
) -> tuple[Vector, Quaternion]:
    x, y, z = rotate(quaternion, point)
    return (position[0] + x, position[1] + y, position[2] + z), multiply(quaternion, turn)
