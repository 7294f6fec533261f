"""Bodies that move freely, for tests of their motion, and what is known of it exactly."""

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.motion.free_motion import METHODS, advance_bodies

# Rounding of one step: a few tens of operations on numbers of size 1.
STEP_ROUNDING = 5e-15

RATES = st.floats(-20.0, 20.0)
NUMBERS = st.floats(-10.0, 10.0)
# Second moments of the mass along the axes: any positive numbers give possible moments of inertia.
SPREADS = st.tuples(*[st.floats(0.05, 5.0)] * 3)
UNIT_QUATERNIONS = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)


NAMES = (
    *("positions", "quaternions", "velocities", "angular_velocities"),
    *("inverse_masses", "inertias", "forces", "torques", "kinds"),
)

# Run uncompiled, like `preview_bodies`, which Python can call in no other way: both agree bit by bit.
advance = advance_bodies.function


class Bodies:
    """State and constants of n bodies; principal axes, world angular velocity."""

    def __init__(self, count=1, inertia=(1.0, 1.0, 1.0), spin=(0.0, 0.0, 0.0), quaternion=(1, 0, 0, 0)):
        self.arrays = BodyArrays.zeros(bodies=count)
        self.gravity = np.zeros(3)
        for name in NAMES:
            setattr(self, name, getattr(self.arrays, name))
        self.quaternions[:] = quaternion
        self.angular_velocities[:] = matrix(quaternion) @ np.array(spin, float)
        self.inverse_masses[:] = 1.0
        self.inertias[:] = inertia
        self.kinds[:] = DYNAMIC

    def state(self):
        return [self.positions, self.quaternions, self.velocities, self.angular_velocities]

    def all_arrays(self):
        return [*self.arrays, self.gravity]

    def advance(self, method, time_step):
        advance(method, self.arrays, self.gravity, time_step)

    def run(self, time_step, steps, method="symmetric"):
        """Advance; return quaternions (steps + 1, 4) and world angular velocities of body 0."""
        q, w = np.empty((steps + 1, 4)), np.empty((steps + 1, 3))
        q[0], w[0] = self.quaternions[0], self.angular_velocities[0]
        code = METHODS[method]
        for k in range(1, steps + 1):
            self.advance(code, time_step)
            q[k], w[k] = self.quaternions[0], self.angular_velocities[0]
        return q, w


def matrix(q) -> np.ndarray:
    """Return R(q) for q (..., 4), from R v = v + 2 w (u x v) + 2 u x (u x v)."""
    q = np.asarray(q, float)
    columns = []
    for v in np.eye(3):
        cross = np.cross(q[..., 1:], v)
        columns.append(v + 2.0 * q[..., :1] * cross + 2.0 * np.cross(q[..., 1:], cross))
    return np.stack(columns, axis=-1)


def product(p, q) -> np.ndarray:
    """Return the quaternion product p q."""
    (p0, *u), (q0, *v) = p, q
    u, v = np.array(u), np.array(v)
    return np.concatenate([[p0 * q0 - u @ v], p0 * v + q0 * u + np.cross(u, v)])


def turn(rotation_vector) -> np.ndarray:
    """Return the quaternion of a rotation vector [rad]."""
    angle = np.linalg.norm(rotation_vector)
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(rotation_vector) / angle])


def difference(p, q) -> float:
    """Return the angle between two orientations [rad]; q and -q are the same."""
    p, q = np.asarray(p), np.asarray(q)
    return 2.0 * min(np.linalg.norm(p - q), np.linalg.norm(p + q))


def body_rates(q, w):
    """Return body components of world angular velocities."""
    return np.einsum("nji,nj->ni", matrix(q), w)


def energy(q, w, inertia):
    return 0.5 * np.sum(np.array(inertia) * body_rates(q, w) ** 2, axis=1)


def momentum(q, w, inertia):
    return np.einsum("nij,nj->ni", matrix(q), np.array(inertia) * body_rates(q, w))


def exact(inertia, quaternion, spin, torque, time, at=None):
    """Integrate Euler's equations with DOP853 to 1e-12: quaternion and body rates at the times `at`."""
    inertia, torque = np.array(inertia, float), np.array(torque, float)

    def rate(_, x):
        q, w = x[:4], x[4:]
        local = matrix(q / np.linalg.norm(q)).T @ torque if torque.any() else torque
        a, b, c = inertia
        gyration = np.array([(b - c) * w[1] * w[2], (c - a) * w[2] * w[0], (a - b) * w[0] * w[1]])
        return np.concatenate([0.5 * product(q, [0.0, *w]), (local + gyration) / inertia])

    start = np.concatenate([quaternion, spin])
    times = [time] if at is None else at
    result = solve_ivp(rate, (0.0, time), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times)
    return result.y[:4].T, result.y[4:].T
