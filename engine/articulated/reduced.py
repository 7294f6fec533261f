"""Dynamics in generalised coordinates: a second solver for a world (Stelzner 2008, sections 2.3.1 and 2.3.2).

The equations of the tree, with those of its loops by Lagrange multipliers, integrated with an error bound;
after each step coordinates and rates are projected onto the loops, weighted by mass, so that nothing drifts.
Of the engine it shares the description of joints and what they measure, but no impulse, no solver, no step.
"""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import Quaternion
from stoss.engine import checks
from stoss.engine.articulated.articulation import Articulation
from stoss.engine.articulated.closures import write_closures
from stoss.engine.articulated.structure import Follow, flat
from stoss.engine.articulated.tree_bodies import write_velocities
from stoss.engine.articulated.tree_dynamics import accelerate, add_mass_matrix, add_rotors, inverse_dynamics
from stoss.engine.joints.arrays import JointArrays
from stoss.engine.joints.excerpts import probes_of
from stoss.engine.joints.placement import JointFrames, new_joint_frames
from stoss.engine.reference.actions import Actions
from stoss.engine.reference.bodies import Motion
from stoss.engine.reference.controllers import ServoLaw, servos_of
from stoss.engine.reference.loads import WorldLoads
from stoss.names import closed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoss.engine.world.world import World

__all__ = ["ReducedSolver"]

# Dormand and Prince's pair of order 5 and 4: nodes, weights of the stages, and of the error.
NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
# Part of a step below which the error bound cannot be kept, and most and least change of a step's length.
SMALLEST, GROWTH, SHRINK, SAFETY = 1e-9, 5.0, 0.2, 0.9


@closed
class ReducedSolver:
    """Integrate the motion of a world in generalised coordinates, of a copy of the world.

    Stelzner 2008, section 2.3. Contacts, dry friction, motors and rigid stops are beyond it.

        solver = st.ReducedSolver(world)
        solver.step(0.5)
        print(solver.q, solver.world.body("hand").position)

    Args:
        world: its bodies, joints, springs, servos and loads.
        follow: as for `Articulation`. Motors of coordinates that follow the time are left out: let them turn
            as these do.
        tolerance: error that a step may add, relative and absolute [m, rad, m/s, rad/s].

    Raises:
        TypeError, ValueError: no world; something acts without a smooth law, or loops do not close; names it.
    """

    def __init__(
        self, world: "World", follow: "Mapping[str, Follow] | None" = None, tolerance: float = 1e-10
    ) -> None:
        from stoss.engine.world.world import World

        self._world = own = checks.instance("world", world, World, "the world to run").copy()
        _leave_driven(own, follow or {})
        self._gravity = np.array(own.gravity)
        servos = servos_of(own)
        self._articulation = Articulation(own, follow)
        self._tree_of = tree_of = Articulation(own, follow)  # its three turns begin anew with each step
        self._tolerance = checks.positive("tolerance", tolerance, "m, rad")
        arrays = tree_of._loops.joints
        names = [joint.name for joint in own._joint_store.handles]
        self._actions = Actions(arrays, names, [(_place_of(law), law) for law in servos])
        self._probes, self._frames = self._probes_of(arrays)
        self._loads = WorldLoads(own)
        bodies = own._bodies
        self._constant = np.hstack([bodies.forces, bodies.torques])
        self._constant[~tree_of._moves] = 0.0
        self._charts = _charts(tree_of)
        self._time = own.time
        self._q, self._rates = tree_of.q, np.zeros(len(tree_of))
        self._integrals = self._actions.first.copy()
        self._begin_anew()
        self._q, self._rates = tree_of.assemble(self._q, tree_of._rates_at(self._q))
        self._user = self._loads.first.copy()
        self._length = np.inf
        self._publish()

    # ------------------------------------------------------------- what it has

    @property
    def time(self) -> float:
        """Return the time [s]."""
        return self._time

    @property
    def articulation(self) -> Articulation:
        """Return the coordinates, of a world of its own (`world`)."""
        return self._articulation

    @property
    def q(self) -> np.ndarray:
        """Return the coordinates (n,) now, as `Articulation.q`."""
        return self._articulation.q

    @property
    def rates(self) -> np.ndarray:
        """Return the rates (n,) now, as `Articulation.rates`."""
        return self._articulation.rates

    @property
    def world(self) -> "World":
        """Return a world of its own with the bodies where they are now; changes of it have no effect."""
        return self._world

    @property
    def energy(self) -> float:
        """Return kinetic and potential energy [J] of the bodies, without what springs and loads store."""
        arrays, gravity = self._world._bodies, self._world.gravity
        masses = np.where(self._articulation._moves, arrays.masses, 0.0)
        return float(self._world.report.kinetic_energy - masses @ arrays.positions @ gravity)

    # ------------------------------------------------------------- equations

    def _changes(self, time: float, state: np.ndarray) -> np.ndarray:
        """Return the derivative of coordinates, rates, integrals of servos and of the user."""
        both, n = self._tree_of, len(self._tree_of)
        q, rates = state[:n], state[n : 2 * n]
        integrals, user = state[2 * n : 2 * n + len(self._integrals)], state[2 * n + len(self._integrals) :]
        both._placement.time = time
        tree, still = both._tree, np.zeros(n)
        both._placement.moved(q)
        accelerate(tree, rates, still, self._gravity)
        forces, errors = self._acting(time, rates, integrals)
        loads, user_rates = self._constant, user
        if self._loads._store is not None:
            given, user_rates = self._loads.at(time, self._motion(), user)
            loads = loads + given
        bias = np.zeros(n)
        inverse_dynamics(tree, np.ascontiguousarray(loads), bias)
        mass = np.zeros((n, n))
        add_mass_matrix(tree, mass)
        add_rotors(tree, mass)
        changes = np.linalg.solve(mass, forces - bias) if n else bias
        if len(both._loops.rows):
            jacobian, wanted = both._loops.closures(q)[1], -both._loops.bias(q, rates)
            changes = changes + both._loops.towards(q, jacobian, wanted - jacobian @ changes, mass)
        return np.concatenate([rates, changes, errors, user_rates])

    def _motion(self) -> Motion:
        """Return poses and velocities of the bodies, where the tree is placed and moves."""
        both, bodies = self._tree_of, self._tree_of._placement.bodies
        count = len(both._moves)
        x, q, v, w = (
            np.zeros((count + 1, 3)),
            np.zeros((count + 1, 4)),
            np.zeros((count, 3)),
            np.zeros((count, 3)),
        )
        write_velocities(both._tree, both._moves, v, w)
        x[:-1], q[:-1], q[-1, 0] = bodies.positions, bodies.quaternions, 1.0
        zero = np.zeros((1, 3))
        return Motion(x, q, np.vstack([v, zero]), np.vstack([w, zero]))

    def _acting(self, time: float, rates: np.ndarray, integrals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what springs, dampers and servos give to the coordinates, and rates of their integrals."""
        if not len(self._actions):
            return np.zeros(len(rates)), np.zeros(0)
        values, jacobian = self._measured()
        efforts, errors = self._actions.forces(values, jacobian @ rates, time, integrals)
        return jacobian.T @ efforts, errors

    def _probes_of(self, arrays: JointArrays) -> tuple[JointArrays, JointFrames]:
        """Return rows that measure all that is acted on, and their frames."""
        table = self._world._joint_table
        places = []
        for part, measure, axis in self._actions.places.tolist():
            joint = int(arrays.joint[part])
            places.append((joint, (part - int(arrays.part_start[joint]), measure, axis)))
        probes, known = probes_of(table.arrays, places)
        probes = probes.copy()
        for k, row in enumerate(known):
            probes.value[k] = arrays.value[row] if row >= 0 else 0.0
        frames = new_joint_frames(probes)
        frames.places.turns[:] = True
        return probes, frames

    def _measured(self) -> tuple[np.ndarray, np.ndarray]:
        """Return what is acted on (k,), and how that changes with the coordinates (k, n)."""
        both, count = self._tree_of, len(self._actions)
        values, jacobian = np.zeros(count), np.zeros((count, len(both)))
        rows = np.arange(count)
        write_closures(both._tree, self._probes, self._frames, both._placement.bodies, rows, values, jacobian)
        return values, jacobian

    # ------------------------------------------------------------- steps

    def step(self, h: float) -> None:
        """Go on by h [s], in as many steps as the error bound takes.

        Raises:
            TypeError, ValueError: h is no positive time.
            RuntimeError: the bound cannot be kept.
        """
        h = checks.positive("h", h, "s")
        end, left = self._time + h, h
        length = min(h, self._length)
        while left > 0.0:
            length = min(length, left)
            done, following = self._try(length)
            if done:
                left -= length
                self._time = end if left <= SMALLEST * h else self._time + length
                left = 0.0 if left <= SMALLEST * h else left
            elif following < SMALLEST * h:
                raise RuntimeError(
                    f"the reduced equations cannot be integrated at {self._time:g} s: coordinates may be "
                    "where they are not defined, or forces not finite"
                )
            self._length = max(following, length) if done else following
            length = following
        self._publish()

    def _try(self, h: float) -> tuple[bool, float]:
        """Make a step of length h if its error is within the bound; return whether, and a good length."""
        state = np.concatenate([self._q, self._rates, self._integrals, self._user])
        stages: list[np.ndarray] = []
        new = state
        for node, weights in zip(NODES, STAGES, strict=True):
            new = state + h * sum((w * k for w, k in zip(weights, stages, strict=True)), np.zeros(len(state)))
            stages.append(self._changes(self._time + node * h, new))
        error = h * sum((w * k for w, k in zip(ERROR, stages, strict=True)), np.zeros(len(state)))
        bound = self._tolerance * (1.0 + np.maximum(np.abs(state), np.abs(new)))
        size = float(np.abs(error / bound).max(initial=0.0))
        if not np.isfinite(size):
            return False, SHRINK * h
        following = h * min(GROWTH, max(SHRINK, SAFETY * max(size, 1e-10) ** -0.2))
        if size > 1.0:
            return False, following
        both, n = self._tree_of, len(self._q)
        both._placement.time = self._time + h
        self._q, self._rates = both.assemble(new[:n], new[n : 2 * n])
        self._integrals, self._user = np.split(new[2 * n :], [len(self._integrals)])
        self._begin_anew()
        return True, following

    def _begin_anew(self) -> None:
        """Count turns that joints measure on, and let three turns of ball joints and free bodies begin at 0.

        So they never come near 90 degrees of the second turn, where rates have no inverse.
        """
        both = self._tree_of
        both._placement.moved(self._q)
        if len(self._actions):
            self._probes.value[:] = self._measured()[0]
        tree = both._tree
        for axes in self._charts:
            own = tree.coordinate[axes]
            angles, rates = self._q[own], self._rates[own]
            turns = [_turn(tree.direction[k], angle) for k, angle in zip(axes, angles, strict=True)]
            spin, whole = np.zeros(3), np.eye(3)
            for k, turn, rate in zip(axes, turns, rates, strict=True):
                spin += rate * (whole @ tree.direction[k])
                whole = whole @ turn
            rotation = tree.rotation[axes[0]].reshape(3, 3) @ whole
            tree.rotation[axes[0]] = rotation.ravel()
            self._q[own], self._rates[own] = 0.0, [tree.direction[k] @ whole.T @ spin for k in axes]

    def _publish(self) -> None:
        """Put the bodies of the world where they are."""
        both, world = self._tree_of, self._world
        moved = both._placement.moved(self._q)
        accelerate(both._tree, self._rates, np.zeros(len(both)), np.zeros(3))
        arrays = world._bodies
        arrays.positions[:], arrays.quaternions[:] = moved.positions, moved.quaternions
        write_velocities(both._tree, both._moves, arrays.velocities, arrays.angular_velocities)
        world._changed()
        self._articulation.time = self._time


def _leave_driven(world: "World", follow: "Mapping[str, Follow]") -> None:
    """Remove motors of coordinates that follow the time: what they do is given."""
    from stoss.engine.world.drives import Drive

    for name in (name for name, leader in follow.items() if callable(leader)):
        for joint in world.joints:
            for drive in joint.drives:
                own = joint.name, drive.coordinate.removeprefix("turn_")
                motor = isinstance(drive, Drive) and drive.damping == np.inf == drive.max_force
                if motor and name in (".".join(own), f"{joint.name}.{drive.coordinate}", own[0]):
                    drive.remove()


def _place_of(law: ServoLaw) -> tuple[int, int, int]:
    """Return part, measure and axis of the coordinate of a servo."""
    part, measure, axis = law.joint._coordinates[law.coordinate]
    return int(law.joint._arrays.part_start[law.joint._row]) + part, measure, axis


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Return the matrix of a turn about a unit axis."""
    half = 0.5 * angle
    x, y, z = (np.sin(half) * axis).tolist()
    turn: Quaternion = (float(np.cos(half)), x, y, z)
    return flat(turn).reshape(3, 3)


def _charts(both: Articulation) -> list[np.ndarray]:
    """Return the axes of three turns, one after the other, that nothing else depends on."""
    tree = both._tree
    users = np.bincount(tree.coordinate, minlength=len(both))
    led = {k for k, _, _ in both._structure.curves}
    found = []
    for joint in both._structure.joints:
        turning = [k for k in sorted(joint.axes) if not tree.slides[k]]
        plain = all(
            users[tree.coordinate[k]] == 1 and tree.slope[k] == 1.0 and tree.start[k] == 0.0 and k not in led
            for k in turning
        )
        if len(turning) == 3 and plain:
            found.append(np.array(turning))
    return found
