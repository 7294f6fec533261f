"""The middle of a step, where loads are evaluated, and what is learnt at its end.

Loads are constant in a step. Evaluated at its start they would feed oscillations, by a factor of
1 + (h omega)^2 / 2 per step in the energy. Here they are evaluated at x + h v / 2, and turned likewise: for
forces of positions that is the drift-kick-drift form of the leapfrog, symplectic and of order 2. Velocities
are extrapolated to the middle by the accelerations of the last step, v + h a / 2 (Adams and Bashforth), in
which joints and contacts have their share; of order 2 as well, without a second evaluation. Where an impact
was met there is nothing to extrapolate.
"""

from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2
from stoss.engine.bodies.arrays import DYNAMIC, KINEMATIC, STATIC, BodyArrays
from stoss.engine.forces.arrays import LoadArrays, Motion
from stoss.engine.motion.free_motion import advance_rotation
from stoss.engine.stages.state import System

__all__ = ["learn_motion", "leave_middle", "to_middle", "work_on_bodies", "work_on_rows"]


@kernel
def to_middle(method: int, bodies: BodyArrays, frozen: Bools, keep: bool, h: float, motion: Motion) -> None:
    """Bring all bodies to the middle of a step of length h [s].

    Args:
        method: of the rotation.
        bodies: at its start.
        frozen: (n,) bodies that sleep.
        keep: whether the start is taken down for `leave_middle`.
        h: length [s].
        motion: receives the start; accelerations of the last step.
    """
    half = 0.5 * h
    for i in range(len(bodies.kinds)):
        x, q, v, w = (
            bodies.positions[i],
            bodies.quaternions[i],
            bodies.velocities[i],
            bodies.angular_velocities[i],
        )
        if keep:
            for k in range(3):
                motion.positions[i, k], motion.velocities[i, k] = x[k], v[k]
                motion.angular_velocities[i, k] = w[k]
            for k in range(4):
                motion.quaternions[i, k] = q[k]
        if bodies.kinds[i] == STATIC or frozen[i]:
            continue
        for k in range(3):
            x[k] += half * v[k]
        if bodies.kinds[i] == KINEMATIC:
            turned = _turn(q, w, half)
        else:
            turned, _ = advance_rotation(
                method,
                (q[0], q[1], q[2], q[3]),
                (w[0], w[1], w[2]),
                _moments(bodies, i),
                (0.0, 0.0, 0.0),
                half,
            )
            for k in range(3):
                v[k] += half * motion.accelerations[i, k]
                w[k] += half * motion.accelerations[i, 3 + k]
        q[0], q[1], q[2], q[3] = turned


@inner
def _moments(bodies, i):
    return bodies.inertias[i, 0], bodies.inertias[i, 1], bodies.inertias[i, 2]


@inner
def _turn(q, w, h):
    """Return a quaternion turned by h w: that of a body whose moments are equal."""
    turned, _ = advance_rotation(
        0, (q[0], q[1], q[2], q[3]), (w[0], w[1], w[2]), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), h
    )
    return turned


@kernel
def leave_middle(bodies: BodyArrays, motion: Motion) -> None:
    """Bring all bodies back to where they were before `to_middle`."""
    for i in range(len(bodies.kinds)):
        for k in range(3):
            bodies.positions[i, k], bodies.velocities[i, k] = motion.positions[i, k], motion.velocities[i, k]
            bodies.angular_velocities[i, k] = motion.angular_velocities[i, k]
        for k in range(4):
            bodies.quaternions[i, k] = motion.quaternions[i, k]


@kernel
def learn_motion(s: System, bodies: BodyArrays, all_hit: bool, h: float, motion: Motion) -> None:
    """Write the mean accelerations of a step of length h [s] without impacts, zero where there were any.

    Args:
        s: the system of its end; islands of what was hit are left out.
        bodies: at its end, as many as `motion` has.
        all_hit: whether impacts lay within the step, so that all islands are.
        h: length [s].
        motion: with velocities of its start.
    """
    for i in range(len(bodies.kinds)):
        for k in range(3):
            motion.accelerations[i, k] = (bodies.velocities[i, k] - motion.velocities[i, k]) / h
            motion.accelerations[i, 3 + k] = (
                bodies.angular_velocities[i, k] - motion.angular_velocities[i, k]
            ) / h
    frames = s.frames
    for island in range(len(s.islands.body_start) - 1):
        hit = all_hit
        starts = s.layout.contact_start
        for k in range(starts[island], starts[island + 1]):
            hit = hit or frames.approach[k] > frames.least_bounce[k]
        if hit or _stopped(s, island):
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                i = s.islands.bodies[at]
                for k in range(6):
                    motion.accelerations[i, k] = 0.0


@inner
def _stopped(s, island):
    """Return whether a stop of a joint was hit in an island."""
    frames, joints = s.joint_frames, s.joints
    for j in range(len(joints.enabled)):
        if frames.first_row[j] < 0 or frames.island[j] != island:
            continue
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if frames.approach[m] > frames.least_bounce[m]:
                return True
    return False


@kernel
def work_on_rows(loads: LoadArrays, bodies: BodyArrays, motion: Motion, h: float, work: Floats) -> None:
    """Write the work [J] of each row over a step of length h [s], as the ledger counts it."""
    for r in range(len(loads.code)):
        work[r] = _work(loads.first[r], loads.bodies[r, 0], bodies, motion, h) + _work(
            loads.second[r], loads.bodies[r, 1], bodies, motion, h
        )


@inner
def _work(wrench, i, bodies, motion, h):
    if i < 0 or bodies.kinds[i] != DYNAMIC:
        return 0.0
    out = 0.0
    for k in range(3):
        out += wrench[k] * (bodies.positions[i, k] - motion.positions[i, k])
        mean = 0.5 * (bodies.angular_velocities[i, k] + motion.angular_velocities[i, k])
        out += h * wrench[3 + k] * mean
    return out


@kernel
def work_on_bodies(wrenches: Floats2, bodies: BodyArrays, motion: Motion, h: float) -> float:
    """Return the work [J] of forces and torques (n, 6) over a step of length h [s]."""
    out = 0.0
    for i in range(len(bodies.kinds)):
        out += _work(wrenches[i], i, bodies, motion, h)
    return out
