"""What a walker senses: angles of its legs and trunk, by kernels and by plain products of matrices."""

import numpy as np
import pytest

import stoss as st
from stoss.collision.quaternions import matrix
from stoss.engine.humans import MALE, SOLE
from stoss.engine.humans.leg_state import LegSizes, frames_of, state_of_leg
from stoss.engine.humans.senses import look_at_trunk, read_parts


def random_parts(seed):
    """Return axes and rates of eight parts that are tilted by up to 40 degrees."""
    rng = np.random.default_rng(seed)
    q = np.hstack([np.ones((8, 1)), rng.uniform(-0.35, 0.35, (8, 3))])
    q /= np.linalg.norm(q, axis=1)[:, None]
    return frames_of(q), *(rng.normal(size=(8, 3)) for _ in range(3))


def yxz(m):
    """Return the angles about y, x and z whose turns, one after the other, make a matrix."""
    return np.arctan2(m[0, 2], m[2, 2]), np.arcsin(-m[1, 2]), np.arctan2(m[1, 0], m[1, 1])


@pytest.mark.parametrize("side", [0, 1])
def test_a_leg_is_seen_as_products_of_matrices_have_it(side):
    """Give the angles, rates, places and axes that plain matrices give."""
    for seed in range(5):
        frames, spins, places, speeds = random_parts(seed)
        leg = state_of_leg(
            LegSizes(MALE), side, (frames, spins, places, speeds), np.array([50.0, 0, 0]), (0.1, 0.2)
        )
        pelvis, thigh, shank, foot = frames[0], frames[2 + side], frames[4 + side], frames[6 + side]
        angles = [yxz(a.T @ b)[0] for a, b in ((pelvis, thigh), (thigh, shank), (shank, foot))]
        np.testing.assert_allclose((leg.th3, leg.th2, leg.ph1), 0.1 + np.cumsum(angles), atol=1e-12)
        rates = 0.2 + np.cumsum(
            [
                (spins[2 + side] - spins[0]) @ pelvis[:, 1],
                (spins[4 + side] - spins[2 + side]) @ thigh[:, 1],
            ]
        )
        l2, l3 = MALE.shank.length, MALE.thigh.length
        x = l2 * np.sin(leg.th2) + l3 * np.sin(leg.th3)
        xd = l2 * np.cos(leg.th2) * rates[1] + l3 * np.cos(leg.th3) * rates[0]
        np.testing.assert_allclose((leg.x, leg.xd), (x, xd), atol=1e-12)
        assert leg.length == pytest.approx(np.hypot(leg.x, leg.z))
        hip = places[2 + side] + thigh @ MALE.thigh.proximal
        ankle = places[6 + side] + foot @ MALE.foot.proximal
        np.testing.assert_allclose(leg.hip, hip, atol=1e-12)
        speed = speeds[2 + side] + np.cross(spins[2 + side], hip - places[2 + side])
        np.testing.assert_allclose(leg.hip_speed, speed, atol=1e-12)
        z = (hip - ankle) / np.linalg.norm(hip - ankle)
        y = thigh[:, 1] - z * (z @ thigh[:, 1])
        y /= np.linalg.norm(y)
        frame = np.stack([np.cross(y, z), y, z], axis=1)
        h1, *others = yxz(pelvis.T @ frame)
        np.testing.assert_allclose((leg.h1, leg.h2, leg.h3), (h1, *others), atol=1e-12)
        np.testing.assert_allclose((leg.f2, leg.f3), yxz(frame.T @ foot)[1:], atol=1e-12)
        np.testing.assert_allclose(leg.aa_hip, pelvis @ (np.cos(h1), 0.0, -np.sin(h1)), atol=1e-12)
        np.testing.assert_allclose(leg.ps_hip, z, atol=1e-12)


def test_the_trunk_is_seen_in_the_frame_of_the_walk():
    """Give lean, tilt and turn of the pelvis, and the speed to the left, by plain matrices."""
    frames, spins, _, speeds = random_parts(7)
    masses, turn = np.arange(1.0, 9.0), 0.7
    ego = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
    lean, tilt, yaw, rate, across, upper, twist, own = look_at_trunk(frames, spins, speeds, masses, turn)
    np.testing.assert_allclose((lean, tilt, yaw), yxz(ego.T @ frames[0]), atol=1e-12)
    np.testing.assert_allclose(rate, spins[0] @ ego[:, 1], atol=1e-12)
    np.testing.assert_allclose(across, masses @ speeds @ ego[:, 1] / masses.sum(), atol=1e-12)
    np.testing.assert_allclose(upper, yxz(ego.T @ frames[1])[1], atol=1e-12)
    np.testing.assert_allclose(twist, yxz(frames[0].T @ frames[1])[2], atol=1e-12)
    np.testing.assert_allclose(own, spins[0] @ frames[0][:, 0], atol=1e-12)


def test_bodies_are_read_in_their_reference_frames():
    """Give axes of the frames in which bodies were described, not of their principal ones."""
    world = st.World()
    body = world.add_body(st.Box((1, 2, 3)), quaternion=(0.5, 0.5, 0.5, 0.5), position=(1, 2, 3))
    body.angular_velocity = (1, 2, 3)
    frames, masses = np.empty((1, 3, 3)), np.empty(1)
    spins, places, speeds = (np.empty((1, 3)) for _ in range(3))
    read_parts(world._bodies, np.array([0]), frames, spins, places, speeds, masses)
    np.testing.assert_allclose(frames[0], matrix((0.5, 0.5, 0.5, 0.5)), atol=1e-15)
    np.testing.assert_allclose((*spins[0], *places[0]), (1, 2, 3, 1, 2, 3), atol=1e-14)


def test_a_walk_goes_on_as_other_bodies_go():
    """Walk the same way where a body that was there before the person is taken away."""
    places = []
    for takes in (False, True):
        world = st.World(time_step=0.001)
        world.add_body(st.HalfSpace(), kind="static", material=SOLE)
        far = world.add_body(st.Sphere(0.1), position=(0, 50, 0.1))
        person = st.build_humanoid(world)
        walker = st.VirtualModelWalker(person)
        walker.start()
        world.add_controller(walker)
        world.step(100)
        if takes:
            world.remove_body(far)
        world.step(100)
        places.append(person.bodies["pelvis"].position.copy())
    np.testing.assert_allclose(places[0], places[1], atol=1e-9)
