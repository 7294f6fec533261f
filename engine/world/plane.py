"""Worlds in a plane: what bodies may have there, and their motion in two coordinates and an angle.

Three things keep a body in its plane, to the bit. Its body frame has the axes of its reference frame, so that
it only ever turns about the normal of the plane. In rows, which all that holds and touches is made of, it has
no share along the normal and about the other two axes, as if it were infinitely heavy in these directions
(`BodyArrays.plane`). And poses, velocities and loads that users give are refused where they leave the plane.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector
from stoss.engine import checks
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.mass import MassProperties
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.body import Body

__all__ = ["PLANES", "PlanarMotion", "Plane", "usual_gravity"]

PLANES = ("xy", "xz", "yz")
_AXES = "xyz"

# What sines and cosines leave across the plane is taken off; more than this is no rounding.
ROUNDING = 1e-9


def usual_gravity(planar: str | None) -> Vector:
    """Return gravity [m/s^2] along -z, in the plane "xy" along -y."""
    return (0.0, -9.81, 0.0) if planar == "xy" else (0.0, 0.0, -9.81)


class PlanarMotion(NamedTuple):
    """Pose and velocity of a body in the plane.

    Attributes:
        position: of its frame, along both axes of the plane [m].
        angle: by which it is turned, from the first axis of the plane to the second [rad], from -pi to pi.
        velocity: of its centre of mass [m/s].
        angular_velocity: [rad/s].
    """

    position: tuple[float, float]
    angle: float
    velocity: tuple[float, float]
    angular_velocity: float


@closed
class Plane:
    """The plane in which the bodies of a world move; angles turn its first axis into its second.

    Args:
        name: "xy", "xz" or "yz".

    Attributes:
        name: of the plane.
        first, second, normal: numbers of its axes, and of the one across it.
    """

    __slots__ = ("_sign", "first", "name", "normal", "second")

    def __init__(self, name: str) -> None:
        self.name = checks.choice("planar", name, PLANES)
        self.first, self.second = (_AXES.index(axis) for axis in self.name)
        self.normal = 3 - self.first - self.second
        # about the normal, the first axis turns into the second: z is x to y, but y is z to x
        self._sign = -1.0 if self.name == "xz" else 1.0

    def __repr__(self) -> str:
        return f"<Plane {self.name}>"

    # ------------------------------------------------------------- between space and plane

    def coordinates(self, vector: Any) -> tuple[float, float]:
        """Return both coordinates of a point, velocity or force (3,): of a marker, of a joint's reaction."""
        numbers = checks.triple("vector", vector)
        return numbers[self.first], numbers[self.second]

    def turning(self, vector: Any) -> float:
        """Return an angular velocity or torque (3,) as a number, with the sign of angles."""
        return self._sign * checks.triple("vector", vector)[self.normal]

    def vector(self, first: float, second: float) -> Vector:
        """Return a point, velocity or force of the plane in space."""
        numbers = [0.0, 0.0, 0.0]
        numbers[self.first], numbers[self.second] = (
            checks.number("first", first),
            checks.number("second", second),
        )
        return numbers[0], numbers[1], numbers[2]

    def turn_vector(self, turning: float) -> Vector:
        """Return an angular velocity or torque of the plane in space."""
        numbers = [0.0, 0.0, 0.0]
        numbers[self.normal] = self._sign * checks.number("turning", turning)
        return numbers[0], numbers[1], numbers[2]

    def quaternion(self, angle: float) -> Quaternion:
        """Return the orientation of what is turned by an angle [rad] from the first axis to the second."""
        half = 0.5 * checks.number("angle", angle)
        numbers = [float(np.cos(half)), 0.0, 0.0, 0.0]
        numbers[1 + self.normal] = self._sign * float(np.sin(half))
        return numbers[0], numbers[1], numbers[2], numbers[3]

    def angle(self, quaternion: Any) -> float:
        """Return the angle [rad] by which a quaternion turns, from -pi to pi."""
        w, *axis = checks.unit_quaternion("quaternion", quaternion)
        half = float(np.arctan2(self._sign * axis[self.normal], w))
        return float(np.remainder(2.0 * half + np.pi, 2.0 * np.pi) - np.pi)

    def motion(self, body: "Body") -> PlanarMotion:
        """Return pose and velocity of a body in the plane."""
        return PlanarMotion(
            self.coordinates(body.position),
            self.angle(body.quaternion),
            self.coordinates(body.velocity),
            self.turning(body.angular_velocity),
        )

    # ------------------------------------------------------------- what may be in it

    def gravity(self, value: Any) -> np.ndarray:
        """Return gravity (3,), which pulls along the plane."""
        checked = checks.gravity(value)
        return self._flat(
            "gravity", checked, (self.normal,), "give (0, 0, 0) where it pulls across the plane"
        )

    def place(self, name: str, value: Any) -> Any:
        """Return a position, velocity or force (3,), or rows of them, in the plane."""
        cure = f"its {_AXES[self.normal]} is 0 in a world with planar={self.name!r}"
        if name.startswith("position"):
            cure += "; shapes may lie on either side of the plane: Placed(shape, position=...)"
        return self._flat(name, value, (self.normal,), cure)

    def turn(self, name: str, value: Any) -> Any:
        """Return an angular velocity or torque (3,), or rows of them, about the normal of the plane."""
        cure = f"only its {_AXES[self.normal]} may differ from 0 in a world with planar={self.name!r}"
        return self._flat(name, value, (self.first, self.second), cure)

    def orientation(self, name: str, value: Any) -> Any:
        """Return an orientation (4,), or rows of them, about the normal of the plane."""
        cure = (
            f"a body turns about {_AXES[self.normal]} alone in a world with planar={self.name!r}: "
            "world.plane.quaternion(angle); shapes may be turned in any way: Placed(shape, quaternion=...)"
        )
        return self._flat(name, value, (1 + self.first, 1 + self.second), cure)

    def _flat(self, name: str, value: Any, across: tuple[int, ...], cure: str) -> Any:
        """Return numbers with zeros at the places `across`, as what they were given as: a tuple or an array.

        Raises:
            ValueError: there is more than rounding at such a place.
        """
        array = np.array(value, np.float64)
        rows = array.reshape(-1, array.shape[-1])
        off = np.abs(rows[:, across]).max(axis=1, initial=0.0) > ROUNDING
        if off.any():
            row = int(np.flatnonzero(off)[0])
            where = f"{name}[{row}]" if array.ndim > 1 else name
            raise ValueError(f"{where} = {rows[row].tolist()} leaves the plane {self.name}; {cure}")
        rows[:, across] = 0.0
        return tuple(array.tolist()) if isinstance(value, tuple) else array

    def mass_properties(self, what: str, given: MassProperties) -> MassProperties:
        """Return mass properties in the axes of the reference frame, of which the normal is one.

        Products of inertia with the normal are left out: what they do is held by the plane.

        Args:
            what: the body, or the bodies, as messages call them.
            given: of any axes.

        Raises:
            ValueError: the centre of mass is not in the plane.
        """
        center = given.center.copy()
        size = float(np.sqrt(given.inertia.max() / given.mass))
        if abs(center[self.normal]) > ROUNDING * max(size, 1.0):
            raise ValueError(
                f"centre of mass {center.tolist()} of {what} leaves the plane {self.name}: put "
                "shapes on both sides of it, or give mass_properties"
            )
        center[self.normal] = 0.0
        return MassProperties(
            given.mass, center, np.diag(given.tensor).copy(), np.array([1.0, 0.0, 0.0, 0.0])
        )

    def check(self, bodies: BodyArrays) -> None:
        """Refuse velocities and loads that were written into `world.velocities` and the like.

        Raises:
            ValueError: one leaves the plane.
        """
        b = bodies
        for name, of, array in (
            ("velocities", self.place, b.velocities),
            ("forces", self.place, b.forces),
            ("angular_velocities", self.turn, b.angular_velocities),
            ("torques", self.turn, b.torques),
        ):
            across = (self.normal,) if of == self.place else (self.first, self.second)
            if array[:, across].any():
                array[:] = of(f"world.{name}", array)
