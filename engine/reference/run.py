"""What a run of the reference found: motion, coordinates, reactions and energies over time."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.names import hint

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["JointRun", "ReferenceRun"]


@dataclass(frozen=True, eq=False)
class JointRun:
    """A joint over time, t times.

    Attributes:
        values, rates: its coordinates (t,), by their names [m or rad], [m/s or rad/s].
        force: on the second body (t, 3) [N], as `Joint.force`.
        torque: on the second body, about `Joint.second_point` (t, 3) [N m].
        gap: by how much its points miss each other (t,) [m].
        drive: (t,) by the names of coordinates: what springs, servos and controllers of it give [N or N m].
    """

    values: dict[str, np.ndarray]
    rates: dict[str, np.ndarray]
    force: np.ndarray
    torque: np.ndarray
    gap: np.ndarray
    drive: dict[str, np.ndarray]

    @property
    def value(self) -> np.ndarray:
        """Return the only coordinate (t,) [m or rad].

        Raises:
            ValueError: there are several, or none.
        """
        return _only(self.values)

    @property
    def rate(self) -> np.ndarray:
        """Return the rate of the only coordinate (t,) [m/s or rad/s]."""
        return _only(self.rates)


def _only(values: dict[str, np.ndarray]) -> np.ndarray:
    if len(values) != 1:
        raise ValueError(f"the joint has the coordinates {', '.join(values) or 'none'}; take one of `values`")
    return next(iter(values.values()))


@dataclass(frozen=True, eq=False)
class ReferenceRun:
    """What the reference found at t times.

    Attributes:
        status: "finished"; or "diverged", "stop reached", "tolerance", "not finite": why it ended earlier.
        message: the same in words.
        times: (t,) [s].
        names: of the bodies.
        positions: centres of mass (t, n, 3) [m].
        quaternions: principal axes to world (t, n, 4).
        velocities, angular_velocities: (t, n, 3) [m/s], [rad/s].
        joints: by their names.
        kinetic_energy: (t,) [J].
        angular_momentum: about the origin of the world (t, 3) [kg m^2/s].
        integrals: user integrals (t,) or (t, k), by their names.
        evaluations: how often the equations were solved.
    """

    status: str
    message: str
    times: np.ndarray
    names: tuple[str, ...]
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray
    joints: dict[str, JointRun]
    kinetic_energy: np.ndarray
    angular_momentum: np.ndarray
    integrals: dict[str, np.ndarray]
    evaluations: int

    def __repr__(self) -> str:
        return f"<ReferenceRun, {self.status} at {self.times[-1]:.6g} s, {len(self.times)} times>"

    def row(self, name: str) -> int:
        """Return the row of a body in the arrays.

        Args:
            name: of the body.

        Raises:
            KeyError: there is no such body; the nearest name is told.
        """
        if name not in self.names:
            raise KeyError(f"there is no body {name!r}{hint(name, self.names)}; names has them all")
        return self.names.index(name)

    def joint(self, name: str) -> JointRun:
        """Return a joint.

        Args:
            name: of the joint.

        Raises:
            KeyError: there is no such joint; the nearest name is told.
        """
        if name not in self.joints:
            known = ", ".join(self.joints) or "none"
            raise KeyError(f"there is no joint {name!r}{hint(name, self.joints)}; there are {known}")
        return self.joints[name]

    def put_into(self, world: "World", number: int = -1) -> None:
        """Put the bodies of a world where they are at one of the times, to look at it.

        Args:
            world: with the same bodies.
            number: of the time; the last one when left out.
        """
        arrays = world._bodies
        arrays.positions[:] = self.positions[number]
        arrays.quaternions[:] = self.quaternions[number]
        arrays.velocities[:] = self.velocities[number]
        arrays.angular_velocities[:] = self.angular_velocities[number]
        world._changed()
