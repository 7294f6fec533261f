"""Whether a controlled mechanism is stable about its pose: eigenvalues of its linearised equations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import checks
from stoss.engine.reference.bodies import Motion
from stoss.engine.reference.solver import ReferenceSolver
from stoss.names import takes_names

if TYPE_CHECKING:
    from stoss.engine.model.model import Model
    from stoss.engine.world.world import World

__all__ = ["StabilityReport", "stability"]

_STEP = 1e-6  # by which poses [m, rad], velocities and integrals are changed to find derivatives
_FREE = 1e-9  # share of the largest singular value below which a velocity is one that joints leave


@dataclass(frozen=True, eq=False)
class StabilityReport:
    """A mechanism linearised about a pose, in which it should be at rest.

    Attributes:
        stable: whether all motions die out, or go on as they are, like drifting.
        growth: largest growth rate [1/s], negative where all motions die out.
        eigenvalues: (2 f + c,) of f degrees of freedom and c integrals [1/s], those that grow fastest first.
        joints: names of the joints with a controller or spring on their only coordinate, k of them.
        mobility: (k, k) accelerations of their coordinates by torques in them [rad/s^2 per N m].
        modal_inertias: (k,) inverse eigenvalues of the mobility [kg m^2], the largest first.
        routh: (k,) kp kd / ki of their controllers [kg m^2], infinite where there is no integral: equal
            controllers alone are stable if it is above the largest modal inertia (Routh).
    """

    stable: bool
    growth: float
    eigenvalues: np.ndarray
    joints: tuple[str, ...]
    mobility: np.ndarray
    modal_inertias: np.ndarray
    routh: np.ndarray

    def __str__(self) -> str:
        lines = [f"{'stable' if self.stable else 'unstable'}: motions grow by at most {self.growth:.4g} 1/s"]
        for value in self.eigenvalues[:6]:
            period = f", period {2.0 * np.pi / abs(value.imag):.4g} s" if abs(value.imag) > 1e-6 else ""
            lines.append(f"  {value.real:+.4g} 1/s{period}")
        if len(self.joints):
            inertias = ", ".join(f"{one:.4g}" for one in self.modal_inertias)
            lines.append(f"modal inertias {inertias} kg m^2")
            for joint, number in zip(self.joints, self.routh, strict=True):
                lines.append(f"  {joint}: kp kd / ki = {number:.4g} kg m^2")
        return "\n".join(lines)


@takes_names
def stability(source: "World | Model", *, tolerance: float = 1e-6) -> StabilityReport:
    """Return whether a mechanism with its springs, loads and controllers is stable about its present pose.

    Velocities are taken as zero. Where the pose is no equilibrium, accelerations there are left out.

    Args:
        source: a world, which is not changed, or a model.
        tolerance: growth rate up to which a motion counts as one that goes on as it is [1/s].

    Raises:
        ValueError: something in it has no equations; see `ReferenceSolver`.
    """
    return _Linear(ReferenceSolver(source)).report(checks.positive("tolerance", tolerance, "1/s"))


class _Linear:
    """Derivatives of the equations of a solver at rest, along motions that its joints leave."""

    def __init__(self, solver: ReferenceSolver) -> None:
        self._solver = solver
        self._bodies = solver._bodies
        n = self._bodies.count
        self._state = solver._first_state()
        self._motion = motion = self._bodies.motion(self._state)
        motion.v[:], motion.w[:] = 0.0, 0.0
        jacobian, _ = solver._constraints.at(solver._parts.at(motion))
        inverse, inertia = self._bodies.inverse_mass(motion)
        # motions of what reacts, and in a plane of what leads along it, that no joint holds
        able = np.concatenate([inverse > 0.0, np.einsum("bii->bi", inertia) > 0.0], axis=1)[:n]
        columns = np.flatnonzero(able.ravel())
        held = jacobian[:, :n].reshape(len(jacobian), 6 * n)[:, columns]
        free = _null_space(held)
        self._free = np.zeros((6 * n, free.shape[1]))
        self._free[columns] = free
        along, _ = solver._coords.at(solver._parts.at(motion))
        self._along = along[:, :n].reshape(len(along), 6 * n)

    def report(self, tolerance: float) -> StabilityReport:
        matrix = self._matrix()
        values = np.linalg.eigvals(matrix) if len(matrix) else np.zeros(0, complex)
        values = values[np.argsort(-values.real, kind="stable")]
        growth = float(values.real.max(initial=0.0)) if len(values) else 0.0
        joints, rows = self._driven()
        mobility = self._mobility(rows)
        inertias = 1.0 / np.linalg.eigvalsh(mobility)
        routh = np.array([self._routh(row) for row in rows])
        return StabilityReport(growth <= tolerance, growth, values, joints, mobility, inertias, routh)

    def _matrix(self) -> np.ndarray:
        """Return the derivatives of the rates of displacements, velocities and integrals by all of these."""
        f = self._free.shape[1]
        tail = len(self._state) - self._bodies.size - len(self._solver._integrated)  # integrals
        size = 2 * f + tail
        found = np.zeros((size, size))
        for column in range(size):
            ends = []
            for sign in (1.0, -1.0):
                change = np.zeros(size)
                change[column] = sign * _STEP
                ends.append(self._rates(change, f))
            found[:, column] = (ends[0] - ends[1]) / (2.0 * _STEP)
        return found

    def _rates(self, change: np.ndarray, f: int) -> np.ndarray:
        """Return the rates of displacements, velocities and integrals after a small change of them."""
        n, solver, motion = self._bodies.count, self._solver, self._motion
        moved, rates = self._free @ change[:f], (self._free @ change[f : 2 * f]).reshape(n, 6)
        step = moved.reshape(n, 6)
        turned = _turned(motion, step[:, 3:])
        bodies = self._bodies.state(motion.x[:-1] + step[:, :3], turned, rates[:, :3], rates[:, 3:])
        integrated = solver._integrated
        state, size, k = self._state.copy(), self._bodies.size, len(integrated)
        state[:size] = bodies
        state[size : size + k] += self._along[integrated] @ moved
        state[size + k :] += change[2 * f :]
        found = solver._solve(solver._time, state)
        accelerations = self._free.T @ found.accelerations[:-1].ravel()
        return np.concatenate([change[f : 2 * f], accelerations, found.errors, found.integral_rates])

    def _driven(self) -> tuple[tuple[str, ...], list[int]]:
        """Return joints that are driven along one coordinate: their names, and its rows."""
        solver = self._solver
        rows: list[int] = []
        loads = solver._world._loads
        carried = set() if loads is None else {one.joint for one in loads.rows.places.values() if one.own}
        keys = [record.key for record in solver._world._joint_store.registry.records]
        for row in dict.fromkeys(solver._acting.tolist()):
            joint = int(solver._coords.joint[row])
            if keys[joint] in carried:
                continue  # a spring, which is a joint only for the engine
            if sum(int(solver._coords.joint[other]) == joint for other in solver._acting) == 1:
                rows.append(row)
        rows.sort()
        return tuple(solver._names[int(solver._coords.joint[row])] for row in rows), rows

    def _routh(self, row: int) -> float:
        """Return kp kd / ki of all that drives a coordinate."""
        solver = self._solver
        kp, ki, kd = np.sum(
            [solver._actions.gains(int(k)) for k in np.flatnonzero(solver._acting == row)], axis=0
        ).tolist()
        return kp * kd / ki if ki > 0.0 else float("inf")

    def _mobility(self, rows: list[int]) -> np.ndarray:
        """Return the accelerations of coordinates by unit forces along them."""
        n = self._bodies.count
        inverse, inertia = self._bodies.inverse_mass(self._motion)
        mass = np.zeros((6 * n, 6 * n))
        for body in range(n):
            mass[6 * body : 6 * body + 3, 6 * body : 6 * body + 3] = np.diag(
                np.divide(1.0, inverse[body], out=np.zeros(3), where=inverse[body] > 0.0)
            )
            own = inertia[body]
            mass[6 * body + 3 : 6 * body + 6, 6 * body + 3 : 6 * body + 6] = np.linalg.pinv(own)
        reduced = self._free.T @ mass @ self._free
        along = self._along[rows] @ self._free
        found: np.ndarray = along @ np.linalg.solve(reduced, along.T) if len(rows) else np.zeros((0, 0))
        return found


def _null_space(rows: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis (columns) of what rows send to zero."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, sizes, vectors = np.linalg.svd(rows)
    rank = int((sizes > _FREE * sizes.max(initial=0.0)).sum())
    return vectors[rank:].T


def _turned(motion: Motion, turns: np.ndarray) -> np.ndarray:
    """Return quaternions turned by small rotation vectors (n, 3) of the world."""
    w, v = motion.q[:-1, :1], motion.q[:-1, 1:]
    half = 0.5 * turns
    scalar = w - (half * v).sum(axis=1, keepdims=True)
    vector = v + half * w + np.cross(half, v)
    found = np.concatenate([scalar, vector], axis=1)
    normed: np.ndarray = found / np.linalg.norm(found, axis=1, keepdims=True)
    return normed
