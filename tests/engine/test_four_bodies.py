"""Four bodies at once move as each of them does alone."""

import numpy as np
import pytest

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Bools, Floats, Floats2, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.motion.four_bodies import advance_four
from stoss.engine.motion.free_motion import METHODS, advance_bodies, preview_bodies

SYMMETRIC = METHODS["symmetric"]
STATE = ("positions", "quaternions", "velocities", "angular_velocities")


@kernel
def preview(members: Ints, bodies: BodyArrays, gravity: Floats, h: float, s: Floats2, q: Floats2) -> None:
    """Write previewed poses into s and q."""
    preview_bodies(SYMMETRIC, members, bodies, gravity, h, s, q)


@kernel
def find_done(bodies: BodyArrays, gravity: Floats, h: float, s: Floats2, q: Floats2, done: Bools) -> None:
    """Note which fours from the first on are done at once."""
    for k in range(len(done)):
        four = (4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3)
        done[k] = advance_four(bodies, four, gravity, h, False, s, q)


def crowd(count: int = 48) -> BodyArrays:
    """Return dynamic bodies: rods along each axis, discs, balls, and some that are none of these."""
    random = np.random.default_rng(3)
    bodies = BodyArrays.zeros(bodies=count)
    bodies.kinds[:] = DYNAMIC
    bodies.inverse_masses[:] = random.uniform(0.5, 2.0, count)
    bodies.inertias[:] = random.uniform(0.5, 2.0, (count, 1))
    for i in range(36):
        bodies.inertias[i, random.integers(0, 3)] *= random.choice([0.01, 0.9, 1.5])
    bodies.inertias[40:] = random.uniform(2.0, 3.0, (8, 3))
    for name in (*STATE, "forces"):
        getattr(bodies, name)[:] = random.normal(size=getattr(bodies, name).shape)
    bodies.quaternions /= np.linalg.norm(bodies.quaternions, axis=1)[:, None]
    bodies.quaternions[4:8] = [1.0, 0.0, 0.0, 0.0]
    bodies.angular_velocities[9] *= 100.0  # turns too far for short series
    bodies.angular_velocities[13] = 0.0
    bodies.torques[17] = [0.0, 1.0, 0.0]
    return bodies


@pytest.mark.parametrize("h", [0.01, -0.02])
def test_each_moves_as_it_does_alone(h):
    """Move each body bit by bit as it moves alone, whatever is beside it."""
    bodies, gravity = crowd(), np.array([0.3, 0.0, -9.81])
    alone = [BodyArrays(*(field[i : i + 1].copy() for field in bodies)) for i in range(48)]
    positions, quaternions = np.zeros((48, 3)), np.zeros((48, 4))
    preview(np.arange(48)[::-1].copy(), bodies, gravity, h, positions, quaternions)
    advance_bodies(SYMMETRIC, bodies, gravity, h)
    for one in alone:
        advance_bodies(SYMMETRIC, one, gravity, h)
    for name in STATE:
        wanted = np.concatenate([getattr(one, name) for one in alone])
        assert getattr(bodies, name).tobytes() == wanted.tobytes()
    assert positions.tobytes() == bodies.positions.tobytes()
    assert quaternions.tobytes() == bodies.quaternions.tobytes()


def test_rods_discs_and_balls_are_done_at_once():
    """Do all fours but those with a fast body, one at rest, one under a torque, or of three moments."""
    bodies, done = crowd(), np.zeros(12, np.bool_)
    find_done(bodies, np.zeros(3), 0.01, np.zeros((48, 3)), np.zeros((48, 4)), done)
    assert np.flatnonzero(~done).tolist() == [2, 3, 4, 10, 11]
