"""The reference: equations of motion with Lagrange multipliers, integrated with an error bound.

Krieg 1992, sections 2.6 and 2.9, in space as in the plane: Newton-Euler equations of all bodies, and the
constraints of the joints differentiated twice,

    M a = F + J^T lambda,    J a = gamma,

solved for the accelerations a and the multipliers lambda, which are the forces of the joints. Joints are held
by their accelerations alone, so they open as the errors of the integrator add up: that is what a tight
tolerance is for. It shares with the engine the description of the world, and no solver, no impulse, no step.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stoss.engine import checks
from stoss.engine.joints.arrays import SLIDE, TWIST
from stoss.engine.reference.actions import Actions
from stoss.engine.reference.bodies import Bodies, Motion, cross
from stoss.engine.reference.controllers import ServoLaw, servos_of
from stoss.engine.reference.loads import WorldLoads
from stoss.engine.reference.rows import Constraints, Coordinates, Frames, Parts, unsupported
from stoss.engine.reference.run import JointRun, ReferenceRun
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.model.model import Model
    from stoss.engine.world.world import World

__all__ = ["METHODS", "ReferenceSolver"]

# DOP853: explicit, order 8. Radau: implicit, for stiff controllers. LSODA: between both. Adams: several steps
# back, of variable order, the kind that simsys had.
METHODS = ("DOP853", "Radau", "LSODA", "Adams")

_REDUNDANT = 1e-10  # share of the largest effective inverse mass below which a constraint says nothing new


class _Solution(NamedTuple):
    """The equations solved at one state; accelerations are (n + 1, 6), efforts and errors of what acts."""

    motion: Motion
    frames: Frames
    jacobian: np.ndarray
    multipliers: np.ndarray
    accelerations: np.ndarray
    rates: np.ndarray
    efforts: np.ndarray
    errors: np.ndarray
    integral_rates: np.ndarray
    values: np.ndarray
    user: np.ndarray


@closed
class ReferenceSolver:
    """Solve the motion of a world by Lagrange multipliers and an adaptive integrator, to compare with.

    It takes bodies, joints, springs, dampers, servos, controllers, soft stops, gravity and loads, in space
    and in planes. Contacts, dry friction and impacts at stops are beyond it: bodies pass through each other,
    a run ends where a rigid stop is reached, and what has no smooth law is refused.

    Args:
        source: a world, which is not changed, or a model.

    Raises:
        ValueError: something in it has no equations here; names it and a cure.
    """

    def __init__(self, source: "World | Model") -> None:
        self._world: World = source.build() if hasattr(source, "build") else source.copy()
        world = self._world
        servos = servos_of(world)
        arrays = world._joint_table.arrays
        self._names = [joint.name for joint in world._joint_store.handles]  # those of loads too
        self._bodies = Bodies(world)
        count = self._bodies.count
        self._parts = Parts(arrays)
        self._constraints = Constraints(arrays, self._names, count)
        self._actions = Actions(arrays, self._names, [(_place_of(law), law) for law in servos])
        self._loads = WorldLoads(world)
        self._labels, rows = self._coordinates(arrays)
        self._coords = Coordinates(world._joint_table.arrays, self._names, count, rows[0])
        motion = self._bodies.motion(self._bodies.first)
        normal = None if world.plane is None else world.plane.normal
        self._integrated = self._coords.begin(self._parts.at(motion), motion, rows[1], normal)
        self._first_values = rows[1][self._integrated]
        acting = [self._places[part, measure, axis] for part, measure, axis in self._actions.places.tolist()]
        self._acting = np.array(acting, np.int64)
        self._stopping = np.array([self._place(arrays, m) for m in self._actions.stops], np.int64)
        self._turning = np.array([self._place(arrays, m) for m in self._actions.rotors], np.int64)
        measured = arrays.measure[self._actions.rotors]
        for m in self._actions.rotors[(measured != SLIDE) & (measured != TWIST)]:
            name = self._names[int(arrays.joint[arrays.part[m]])]
            raise unsupported(name, "rotors on such an angle", "use a hinge or a slider")
        self._ease = 1.0 / arrays.inertia[self._actions.rotors]
        self._force = np.zeros((count + 1, 6))
        b = world._bodies
        dynamic = self._bodies.masses > 0.0
        self._force[:count][dynamic, :3] = (b.forces + b.masses[:, None] * world.gravity)[dynamic]
        self._force[:count][dynamic, 3:] = b.torques[dynamic]
        self._time = world.time
        self._evaluations = 0
        self._choose_rows()

    def _coordinates(self, arrays: Any) -> tuple[list[tuple[int, str]], tuple[np.ndarray, np.ndarray]]:
        """Return joint and name of each coordinate, the rows that measure them, and their values now."""
        labels: list[tuple[int, str]] = []
        places: list[tuple[int, int, int]] = []
        values: list[float] = []
        acted = {
            (int(arrays.part[m]), int(arrays.measure[m]), int(arrays.axis[m]))
            for m in (*self._actions.stops, *self._actions.rotors)
        } | {(part, measure, axis) for part, measure, axis in self._actions.places.tolist()}
        for number, joint in enumerate(self._world._joint_store.handles):
            start = int(arrays.part_start[number])
            known = list(joint._coordinates.items())
            for name, (part, measure, axis) in known:
                place = (start + part, measure, axis)
                if place in acted or len(known) <= 2:
                    labels.append((number, name))
                    places.append(place)
                    values.append(joint.value_of(name))
        self._places = {place: number for number, place in enumerate(places)}
        self._table = np.array(places, np.int64).reshape(-1, 3)
        return labels, (self._table, np.array(values))

    def _place(self, arrays: Any, m: int) -> int:
        return self._places[int(arrays.part[m]), int(arrays.measure[m]), int(arrays.axis[m])]

    def _choose_rows(self) -> None:
        """Leave out constraints that hold nothing, as across a plane; see whether others are redundant."""
        motion = self._bodies.motion(self._bodies.first)
        jacobian, _ = self._constraints.at(self._parts.at(motion))
        inverse, inertia = self._bodies.inverse_mass(motion)
        flat = _weighted(jacobian, inverse, inertia)
        effective = (flat * _flat(jacobian)).sum(axis=1)
        self._used = effective > _REDUNDANT * effective.max(initial=0.0)
        used = _flat(jacobian[self._used])
        self._redundant = bool(len(used)) and int(
            np.linalg.matrix_rank(flat[self._used] @ used.T, tol=_REDUNDANT * effective.max(), hermitian=True)
        ) < len(used)

    # ------------------------------------------------------------- equations

    def _split(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return integrated coordinates, and integrals of controllers and of the user."""
        n, k, a = self._bodies.size, len(self._integrated), len(self._actions)
        return state[n : n + k], state[n + k : n + k + a], state[n + k + a :]

    def _solve(self, time: float, state: np.ndarray) -> _Solution:
        """Solve the equations at one state."""
        self._evaluations += 1
        known, integrals, user = self._split(state)
        motion = self._bodies.motion(state)
        frames = self._parts.at(motion)
        values = self._coords.values(frames, motion)
        values[self._integrated] = known
        jacobian, gamma = self._constraints.at(frames)
        inverse, inertia = self._bodies.inverse_mass(motion)
        force = self._force.copy()
        force[:, 3:] += self._bodies.gyroscopic(motion)
        given, own_rates = self._loads.at(time, motion, user)
        force[:-1] += given
        along, bends = self._coords.at(frames, biases=len(self._turning) > 0)
        velocity = np.concatenate([motion.v, motion.w], axis=1)
        rates = (along * velocity).sum(axis=(1, 2))
        efforts, errors = self._actions.forces(values[self._acting], rates[self._acting], time, integrals)
        for row, effort in zip(self._acting, efforts, strict=True):
            force += effort * along[row]
        free = np.concatenate(
            [force[:, :3] * inverse, np.einsum("bij,bj->bi", inertia, force[:, 3:])], axis=1
        )
        multipliers = np.zeros(len(jacobian))
        if self._used.any() or len(self._turning):
            # a rotor is a row that gives way by the inverse of its inertia
            own = np.concatenate([jacobian[self._used], along[self._turning]])
            weighted = _weighted(own, inverse, inertia)
            flat = _flat(own)
            wanted = np.concatenate([gamma[self._used], -bends[self._turning]])
            matrix, right = weighted @ flat.T, wanted - flat @ free.ravel()
            rotors = np.arange(len(right) - len(self._turning), len(right))
            matrix[rotors, rotors] += self._ease
            if self._redundant:
                found = np.linalg.lstsq(matrix, right, rcond=_REDUNDANT)[0]
            else:
                found = np.linalg.solve(matrix, right)
            multipliers[self._used] = found[: len(right) - len(rotors)]
            free += (found @ weighted).reshape(free.shape)
        return _Solution(
            motion, frames, jacobian, multipliers, free, rates, efforts, errors, own_rates, values, user
        )

    def _derivative(self, time: float, state: np.ndarray) -> np.ndarray:
        found = self._solve(time, state)
        own = self._bodies.rates(found.motion, found.accelerations[:, :3], found.accelerations[:, 3:])
        rates = found.rates[self._integrated]
        return np.concatenate([own, rates, found.errors, found.integral_rates])

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the accelerations (n, 3) [m/s^2] and (n, 3) [rad/s^2] of all bodies as the world stands."""
        found = self._solve(self._time, self._first_state()).accelerations[:-1]
        return found[:, :3].copy(), found[:, 3:].copy()

    def _first_state(self) -> np.ndarray:
        return np.concatenate(
            [self._bodies.first, self._first_values, self._actions.first, self._loads.first]
        )

    # ------------------------------------------------------------- runs

    def run(
        self,
        duration: float,
        *,
        every: float = 0.01,
        method: str = "DOP853",
        rtol: float = 1e-10,
        atol: float = 1e-12,
        max_step: float = np.inf,
        reach: float = np.inf,
    ) -> ReferenceRun:
        """Integrate the motion and return it.

        Args:
            duration: simulated time [s].
            every: time between two results [s]; the last one is at `duration`.
            method: one of `METHODS`.
            rtol, atol: relative and absolute tolerance of the integrator; of m, rad, m/s, rad/s.
            max_step: its longest step [s]: shorter than what loads do in time.
            reach: the run is over, "diverged", when a centre of mass is farther from the origin [m].

        Raises:
            ValueError: an argument is wrong; names it and a cure.
        """
        duration = checks.positive("duration", duration, "s")
        every = min(checks.positive("every", every, "s"), duration)
        method = checks.choice("method", method, METHODS)
        rtol, atol = checks.positive("rtol", rtol, "relative"), checks.positive("atol", atol, "m, rad")
        for name, value, unit in (("max_step", max_step, "s"), ("reach", reach, "m")):
            if value != np.inf:
                checks.positive(name, value, unit)
        start, self._evaluations = self._time, 0
        count = max(int(np.floor(duration / every * (1.0 + 1e-12))), 1)
        times = start + every * np.arange(count + 1)
        if times[-1] < start + duration * (1.0 - 1e-12):
            times = np.append(times, start + duration)
        times[-1] = start + duration
        integrate = self._adams if method == "Adams" else self._scipy
        status, message, found, states = integrate(times, method, rtol, atol, max_step, self._ends(reach))
        return self._results(status, message, found, states)

    def _ends(self, reach: float) -> list[tuple[str, str, Callable[[float, np.ndarray], float]]]:
        """Return what ends a run: status, message and a function that passes zero then."""
        bodies, limit = self._bodies, self._world.settings.speed_limit

        def speed(time: float, state: np.ndarray) -> float:
            return float(limit - bodies.speeds(state).max(initial=0.0))

        def within(time: float, state: np.ndarray) -> float:
            return float(min(reach, 1e300) - bodies.distances(state).max(initial=0.0))

        def stop(time: float, state: np.ndarray) -> float:
            motion = bodies.motion(state)
            values = self._coords.values(self._parts.at(motion), motion)
            values[self._integrated] = self._split(state)[0]
            values, bounds = values[self._stopping], self._actions.bounds
            return float(np.minimum(values - bounds[:, 0], bounds[:, 1] - values).min()) + 1e-9

        found: list[tuple[str, str, Callable[[float, np.ndarray], float]]]
        found = [("diverged", f"a body is faster than settings.speed_limit = {limit:g} m/s", speed)]
        if reach < np.inf:
            found.append(("diverged", f"a body is farther from the origin than reach = {reach:g} m", within))
        if len(self._stopping):
            found.append(
                ("stop reached", "a joint has reached a rigid stop, beyond which is an impact", stop)
            )
        return found

    def _scipy(
        self, times: np.ndarray, method: str, rtol: float, atol: float, max_step: float, ends: list[Any]
    ) -> tuple[str, str, np.ndarray, np.ndarray]:
        from scipy.integrate import solve_ivp

        events = []
        for _, _, function in ends:

            def event(time: float, state: np.ndarray, function: Any = function) -> float:
                return float(function(time, state))

            event.terminal = True  # type: ignore[attr-defined]
            events.append(event)
        with np.errstate(all="ignore"):
            found = solve_ivp(
                self._derivative,
                (times[0], times[-1]),
                self._first_state(),
                method=method,
                t_eval=times,
                rtol=rtol,
                atol=atol,
                max_step=max_step,
                events=events,
            )
        if found.status == 1:
            for (status, message, _), at, state in zip(ends, found.t_events, found.y_events, strict=True):
                if len(at):
                    known = found.t < at[0]
                    told = np.append(found.t[known], at[0]), np.vstack([found.y.T[known], state[:1]])
                    return status, f"{message}, at {at[0]:.6g} s", *told
        if found.status < 0 or not np.isfinite(found.y).all():
            return "tolerance", f"{method} cannot keep the tolerance: {found.message}", found.t, found.y.T
        return "finished", "it has reached the end", found.t, found.y.T

    def _adams(
        self, times: np.ndarray, method: str, rtol: float, atol: float, max_step: float, ends: list[Any]
    ) -> tuple[str, str, np.ndarray, np.ndarray]:
        from scipy.integrate import ode

        solver = ode(self._derivative).set_integrator(
            "vode",
            method="adams",
            rtol=rtol,
            atol=atol,
            max_step=0.0 if max_step == np.inf else max_step,
            nsteps=1_000_000,
        )
        solver.set_initial_value(self._first_state(), times[0])
        states = [self._first_state()]
        for number, time in enumerate(times[1:].tolist(), 1):
            state = solver.integrate(time)
            if not solver.successful() or not np.isfinite(state).all():
                message = f"Adams cannot keep the tolerance behind {times[number - 1]:.6g} s"
                return "tolerance", message, times[:number], np.array(states)
            states.append(state.copy())
            for status, why, function in ends:
                if function(time, state) < 0.0:
                    return status, f"{why}, before {time:.6g} s", times[: number + 1], np.array(states)
        return "finished", "it has reached the end", times, np.array(states)

    # ------------------------------------------------------------- results

    def _results(self, status: str, message: str, times: np.ndarray, states: np.ndarray) -> ReferenceRun:
        n, count, evaluations = self._bodies.count, len(times), self._evaluations
        joints = len(self._names)
        reaction, gaps = np.zeros((count, joints, 6)), np.zeros((count, joints))
        rates, drive = np.zeros((count, len(self._coords))), np.zeros((count, len(self._coords)))
        values, own = np.zeros_like(rates), np.zeros((count, len(self._loads.first)))
        energy, momentum = np.zeros(count), np.zeros((count, 3))
        q = np.zeros((count, n, 4))
        places, speeds, spins = (np.zeros((count, n, 3)) for _ in range(3))
        for number, (time, state) in enumerate(zip(times.tolist(), states, strict=True)):
            found = self._solve(time, state)
            motion = found.motion
            places[number], speeds[number], spins[number] = motion.x[:-1], motion.v[:-1], motion.w[:-1]
            rates[number], values[number], own[number] = found.rates, found.values, found.user
            gaps[number] = self._constraints.gaps(found.frames, joints)
            reaction[number] = self._reactions(found)
            np.add.at(drive[number], self._acting, found.efforts)
            energy[number] = self._bodies.energy(motion)
            momentum[number] = self._bodies.angular_momentum(motion)
            q[number] = motion.q[:-1] / np.linalg.norm(motion.q[:-1], axis=1)[:, None]
        told: dict[str, JointRun] = {}
        for joint, name in enumerate(self._names):
            mine = {label: column for column, (j, label) in enumerate(self._labels) if j == joint}
            acted = {label: column for label, column in mine.items() if column in self._acting}
            told[name] = JointRun(
                {label: values[:, column].copy() for label, column in mine.items()},
                {label: rates[:, column].copy() for label, column in mine.items()},
                reaction[:, joint, :3].copy(),
                reaction[:, joint, 3:].copy(),
                gaps[:, joint].copy(),
                {label: drive[:, column].copy() for label, column in acted.items()},
            )
        self._evaluations = evaluations
        return ReferenceRun(
            status,
            message,
            times.copy(),
            tuple(self._bodies.names),
            places,
            q,
            speeds,
            spins,
            told,
            energy,
            momentum,
            self._loads.shown(own),
            evaluations,
        )

    def _reactions(self, solution: _Solution) -> np.ndarray:
        """Return force and torque (joints, 6) on the second body, about the point of the joint on it."""
        found = np.zeros((len(self._names), 6))
        starts = self._world._joint_table.arrays.part_start
        frames, efforts = solution.frames, solution.efforts
        along, _ = self._coords.at(frames)
        held = zip(self._constraints.joint, solution.jacobian, solution.multipliers, strict=True)
        rows = [(int(joint), row, size) for joint, row, size in held]
        rows += [
            (int(self._coords.joint[k]), along[k], effort)
            for k, effort in zip(self._acting, efforts, strict=True)
        ]
        for joint, row, size in rows:
            part = int(starts[joint])
            body = frames.second[part]
            if body < 0:
                continue
            force, torque = size * row[body, :3], size * row[body, 3:]
            found[joint, :3] += force
            found[joint, 3:] += torque - cross(frames.lever_b[part], force)
        return found


def _place_of(law: ServoLaw) -> tuple[int, int, int]:
    """Return part, measure and axis of the coordinate of a servo."""
    joint = law.joint
    part, measure, axis = joint._coordinates[law.coordinate]
    return int(joint._arrays.part_start[joint._row]) + part, measure, axis


def _weighted(jacobian: np.ndarray, inverse: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Return J M^-1 as (rows, 6 bodies)."""
    turning = np.einsum("mbi,bij->mbj", jacobian[:, :, 3:], inertia)
    both = np.concatenate([jacobian[:, :, :3] * inverse, turning], axis=2)
    return _flat(both)


def _flat(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), rows.shape[1] * rows.shape[2])
