"""Bones as they are put together: bodies that begin at a joint, and the joints by their names."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import Capsule, Placed
from stoss.collision.rotation import between
from stoss.engine.articulated.structure import Follow
from stoss.engine.bodies.mass import MassProperties, from_values
from stoss.engine.humans.anthropometry import Segment
from stoss.engine.humans.humanoid import BODY, GROUND, SOLE
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.curves import Curve

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.joint import Joint
    from stoss.engine.world.world import World

__all__ = ["Bones", "properties_of", "rod"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def rod(mass: float, end: Any, radius: float) -> MassProperties:
    """Return the mass properties of a round rod from the origin to `end` (3,) [m]."""
    along = np.asarray(end, float)
    length = float(np.linalg.norm(along))
    way = along / length
    across = mass * (length**2 / 12.0 + 0.25 * radius**2)
    inertia = across * (np.eye(3) - np.outer(way, way)) + 0.5 * mass * radius**2 * np.outer(way, way)
    return from_values(mass, inertia, 0.5 * along)


def properties_of(segment: Segment) -> MassProperties:
    """Return the mass properties of a segment about its proximal joint."""
    assert segment.proximal is not None
    return from_values(segment.mass, np.diag(segment.inertia), -np.array(segment.proximal))


class Bones:
    """What has been put together so far.

    Args:
        world: where to.
        size: factor of lengths against the man of the thesis.
        prefix: of all names.
        coupled: whether joints follow others in the world too, not in coordinates alone.
    """

    def __init__(self, world: "World", size: float = 1.0, prefix: str = "", coupled: bool = False) -> None:
        self.world, self.size, self.prefix, self.coupled = world, size, prefix, coupled
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.leaders: dict[str, tuple[str, float]] = {}
        self.follow: dict[str, Follow] = {}

    def add(
        self,
        name: str,
        place: Any,
        properties: MassProperties,
        end: Any = None,
        radius: float = 0.02,
        shapes: tuple[Placed, ...] = (),
    ) -> "Body":
        """Add a bone whose frame is at `place` (3,) [m]; it is seen as a rod to `end` (3,) from there."""
        seen = list(shapes)
        if end is not None:
            away = np.asarray(end, float)
            length = float(np.linalg.norm(away))
            seen.append(
                Placed(
                    Capsule(radius, length), tuple((0.5 * away).tolist()), tuple(between(Z, away).tolist())
                )
            )
        body = self.world.add_body(
            seen,
            position=tuple(np.asarray(place, float).tolist()),
            mass_properties=properties,
            material=SOLE,
            name=self.prefix + name,
            group=BODY,
            mask=GROUND,
        )
        self.bodies[name] = body
        return body

    def join(
        self,
        name: str,
        kind: Any,
        first: "str | Body | None",
        second: "str | Body",
        **limits: tuple[float, float],
    ) -> "Joint":
        """Join two bones; limits are those of coordinates by their names, in degrees."""
        ends = [self.bodies[one] if isinstance(one, str) else one for one in (first, second)]
        joint = self.world.add_joint(kind, ends[0], ends[1], name=self.prefix + name)
        self.joints[name] = joint
        self.limit(name, limits)
        return joint

    def lead(self, leads: tuple[str, str], follows: tuple[str, str], law: "float | Curve") -> None:
        """Let a coordinate follow another one: joints and the names of their coordinates, ratio or curve."""
        first, second = (self.joints[name] for name, _ in (leads, follows))
        short = [
            self.prefix + (name if of == "angle" else f"{name}.{of.removeprefix('turn_')}")
            for name, of in (leads, follows)
        ]
        if not self.coupled:
            self.follow[short[1]] = short[0], law
            return
        ratio, curve = (law, None) if isinstance(law, float) else (None, law)
        kind = Coupling(first, second, ratio, None, leads[1], follows[1], curve)
        self.world.add_joint(kind, name=f"{short[1]} follows")

    def limit(self, name: str, limits: Mapping[str, tuple[float, float]]) -> None:
        """Stop coordinates of a joint, in degrees."""
        for coordinate, (lower, upper) in limits.items():
            self.joints[name].limit(np.radians(lower), np.radians(upper), coordinate=coordinate)
