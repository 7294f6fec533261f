"""Reaction forces and torques of joints, and joints that break or are switched off and on."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Ball, Body, Fixed, Hinge, Joint, Slider, World
from tests.engine.joint_worlds import (
    KINDS,
    ball,
    free_pair,
    inertias,
    pendulum,
    pendulum_inertia,
    rail,
    rotation,
    strict,
    swing_angle,
)
from tests.engine.worlds import G

H = 0.01


def momentum(body: Body) -> np.ndarray:
    """Return momentum and angular momentum about the world's origin (6,)."""
    b, i = body.world._bodies, body.index
    turn = rotation(b.quaternions[i])
    spin = turn @ (b.inertias[i] * (turn.T @ b.angular_velocities[i]))
    p = b.masses[i] * b.velocities[i]
    return np.concatenate([p, np.cross(b.positions[i], p) + spin])


@pytest.mark.parametrize("world_first", [True, False])
@pytest.mark.parametrize("kind", [Ball((0, 0, 1)), Hinge((0, 0, 1), (0, 1, 0)), Fixed((0, 0, 1))])
def test_hanging_mass(kind, world_first):
    """Carry a hanging mass with m g, upwards on the mass, downwards on the world."""
    world = World()
    body = world.add_body(Box((0.4, 0.3, 0.2)), mass=2.5)
    joint = world.add_joint(kind, *((None, body) if world_first else (body, None)))
    sign = 1.0 if world_first else -1.0
    for _ in range(20):
        world.step()
        assert joint.force == pytest.approx((0, 0, sign * 2.5 * G), abs=1e-9)
        assert joint.torque == pytest.approx(np.zeros(3), abs=1e-9)


def test_hinge_in_gravity_from_the_first_step():
    """Know the reaction already in the first step: a rod let go at a right angle is held by m g / 4.

    Without the thickness of the rod; with it m g (1 - m (L/2)^2 / I).
    """
    joint = pendulum(0.5 * np.pi, h=1e-4)
    joint.world.step()
    expected = G * (1.0 - 0.25 / pendulum_inertia())
    assert joint.force[2] == pytest.approx(expected, rel=1e-4)


def swing_force(start: float, h: float) -> tuple[float, float]:
    """Return the largest difference of a pendulum's reaction from Newton's law in the closed form, and m g.

    F = m (a - g), the centre on a circle of radius L/2: parts of a'' and a'^2, from energy and torque at
    the angle of the middle of the step.
    """
    joint = pendulum(start, h=h, settings=strict(most_sub_steps=1))
    inertia, worst = pendulum_inertia(), 0.0
    before = start
    for _ in range(round(1.5 / h)):
        joint.world.step()
        now = swing_angle(joint)
        found = joint.force
        expected = np.zeros(3)
        for angle in (before, now):
            inward = np.array((np.sin(angle), 0, np.cos(angle)))
            ahead = np.array((-np.cos(angle), 0, np.sin(angle)))
            rate2 = 2.0 * G * 0.5 * (np.cos(angle) - np.cos(start)) / inertia
            acceleration = -G * 0.5 * np.sin(angle) / inertia
            expected += 0.5 * (0.5 * (rate2 * inward + acceleration * ahead) + (0, 0, G))
        worst = max(worst, float(np.abs(found - expected).max()))
        before = now
    return worst, G


def test_pendulum_reaction():
    """Pull as Newton's law says all along the swing, with an error that falls with the square of the step."""
    coarse, weight = swing_force(2.0, 0.01)
    fine, _ = swing_force(2.0, 0.005)
    # w^2 h^2 of the weight, w the largest rate of the swing (4.6 rad/s), three times the weight at the bottom
    assert coarse < 3.0 * weight * (4.6 * 0.01) ** 2
    assert 3.5 < coarse / fine < 4.5


def test_pendulum_at_the_bottom():
    """Pull a point mass by m g + m v^2 / L at the bottom, which for a fall from the side is 3 m g."""
    world = World(time_step=0.001)
    bob = world.add_body(ball(), mass=2.0, position=(1, 0, 0))
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, bob)
    # the sphere turns with its rod: v^2 = 2 g m L^3 / (m L^2 + I)
    share = 1.0 / (1.0 + 0.4 * 0.1**2)
    pull = 0.0
    while bob.center_of_mass[0] > 0.0:
        world.step()
        pull = joint.force[2]
    # cos of the angle between bottom and sample is above 1 - (w h)^2, w = 4.4 rad/s
    assert pull == pytest.approx(2.0 * G * (1.0 + 2.0 * share), rel=1e-4)


@pytest.mark.parametrize("solver", ["direct", "auto"])
def test_cantilever(solver):
    """Carry the weight and the moment of all boxes that are fixed to each other and stand out from a wall."""
    count, length = 6, 0.5
    world = World(settings=strict(solver=solver))
    before, joints = None, []
    for k in range(count):
        body = world.add_body(Box((length, 0.2, 0.1)), mass=1.0 + k, position=((k + 0.5) * length, 0, 0))
        joints.append(world.add_joint(Fixed((k * length, 0, 0)), before, body))
        before = body
    world.step(50)
    for k, joint in enumerate(joints):
        masses = 1.0 + np.arange(k, count)
        arms = (np.arange(k, count) - k + 0.5) * length
        assert joint.force == pytest.approx((0, 0, G * masses.sum()), abs=1e-6)
        # up at a negative x would turn about +y; the weight at +x turns about +y, the wall against it
        assert joint.torque == pytest.approx((0, -G * (masses * arms).sum(), 0), abs=1e-6)


@pytest.mark.parametrize("name", [n for n in KINDS if KINDS[n][1] > 0])
def test_action_and_reaction(name):
    """Change the momentum of the second body by the reaction, of the first by its opposite, in every step.

    For the torque half of it acted at either end of the step, about the place of then: the mean place serves
    to (w h)^2 of it.
    """
    joint = free_pair(KINDS[name][0], speed=3.0)
    world = joint.world
    first, second, place = momentum(joint.first), momentum(joint.second), joint.second_point
    largest = 0.0
    for _ in range(100):
        world.step()
        after = momentum(joint.first), momentum(joint.second), joint.second_point
        push = H * joint.force
        assert after[1][:3] - second[:3] == pytest.approx(push, abs=1e-14)
        assert after[0][:3] - first[:3] == pytest.approx(-push, abs=1e-14)
        twist = H * joint.torque + np.cross(0.5 * (place + after[2]), push)
        size = H * np.linalg.norm(joint.torque) + np.linalg.norm(push)
        slack = 0.5 * np.linalg.norm(after[2] - place) * np.linalg.norm(push) + (15 * H) ** 2 * size + 1e-13
        assert after[1][3:] - second[3:] == pytest.approx(twist, abs=slack)
        assert after[0][3:] - first[3:] == pytest.approx(-(after[1][3:] - second[3:]), abs=1e-13)
        first, second, place = after
        largest = max(largest, size)
    assert largest > 1e-4


def four_bar() -> tuple[World, list[Body], list[Joint]]:
    """Return a closed loop of three bars between two bearings on the world, with hinges about y."""
    world = World()
    corners = [np.array(p) for p in ((0.0, 0, 0), (0.3, 0, 0.5), (1.2, 0, 0.9), (1.5, 0, 0))]
    bars = []
    for p, q in zip(corners[:-1], corners[1:], strict=True):
        d = q - p
        angle = np.arctan2(-d[2], d[0])
        bars.append(
            world.add_body(
                Box((float(np.linalg.norm(d)), 0.1, 0.1)),
                mass=1.0 + len(bars),
                position=0.5 * (p + q),
                quaternion=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
            )
        )
    ends = [None, *bars, None]
    hinges = [world.add_joint(Hinge(c, (0, 1, 0)), ends[k], ends[k + 1]) for k, c in enumerate(corners)]
    return world, bars, hinges


def test_reactions_in_a_closed_loop():
    """Move every bar of a closed loop by what its two joints and its weight give it, spare rows or not.

    Four hinges hold 20 rows on 18 freedoms, of which one is left: the shares of three rows are open, the
    motion is not.
    """
    world, bars, hinges = four_bar()
    for _ in range(150):
        before = [momentum(bar) for bar in bars]
        world.step()
        for k, bar in enumerate(bars):
            push = H * (hinges[k].force - hinges[k + 1].force + (0, 0, -bar.mass * G))
            assert (momentum(bar) - before[k])[:3] == pytest.approx(push, abs=1e-12)
    assert max(h.error for h in hinges) < 1e-6


def test_reaction_of_a_loop_at_rest():
    """Share the weight of a beam on two bearings by the law of the lever."""
    world = World()
    beam = world.add_body(Box((2, 0.1, 0.1)), mass=3.0)
    left = world.add_joint(Hinge((-1, 0, 0), (0, 1, 0)), None, beam)
    right = world.add_joint(Hinge((0.5, 0, 0), (0, 1, 0)), None, beam)
    world.step(30)
    assert left.force[2] == pytest.approx(3.0 * G * 0.5 / 1.5, abs=1e-6)
    assert right.force[2] == pytest.approx(3.0 * G * 1.0 / 1.5, abs=1e-6)
    assert left.torque == pytest.approx(np.zeros(3), abs=1e-6)


# ------------------------------------------------------------------ breaking, switching


def test_break_force():
    """Break in the first step in which the mean force exceeds the limit, and fall freely from there on."""
    world = World()
    body = world.add_body(Box((0.4, 0.3, 0.2)), mass=2.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, body)
    joint.break_force = 2.0 * G + 10.1
    broken_at = 0
    for k in range(1, 61):
        body.apply_force((0, 0, -0.25 * k))
        world.step()
        if world.broken_joints:
            assert world.broken_joints == [joint] and broken_at == 0
            broken_at = k
    # 0.25 k > 10.1 for the first time
    assert broken_at == 41
    assert joint.broken and not joint.enabled
    assert world.broken_joints == []
    # 19 more steps under the growing force
    speed = -sum(H * (G + 0.25 * k / 2.0) for k in range(42, 61))
    assert body.velocity == pytest.approx((0, 0, speed), abs=1e-9)
    assert np.linalg.norm(joint.force) == 0.0


def test_break_torque():
    """Break a cantilever at the moment of its weight, not at its force."""
    world = World()
    body = world.add_body(Box((1, 0.2, 0.1)), mass=2.0, position=(0.5, 0, 0))
    joint = world.add_joint(Fixed((0, 0, 0)), None, body)
    joint.break_torque = 1.001 * 2.0 * G * 0.5
    world.step(20)
    assert not joint.broken
    body.apply_torque((0, 0.002 * 2.0 * G * 0.5, 0))
    world.step()
    assert joint.broken and world.broken_joints == [joint]


def test_broken_joint_mends():
    """Hold again after it was enabled, without its break being told twice."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((0.4, 0.3, 0.2)), mass=2.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, body)
    joint.break_force = 5.0
    body.apply_force((6, 0, 0))
    world.step()
    assert joint.broken
    body.velocity = (0, 0, 0)
    joint.enabled = True
    assert not joint.broken
    body.apply_force((4, 0, 0))
    world.step()
    assert not joint.broken and body.velocity == pytest.approx(np.zeros(3), abs=1e-12)


def test_only_the_weakest_link_breaks():
    """Break the one of three links in a row that bears least, the others staying as they are."""
    world = World()
    before, joints = None, []
    for k in range(3):
        body = world.add_body(ball(), mass=1.0, position=(0, 0, -k - 0.5))
        joints.append(world.add_joint(Ball((0, 0, -k)), before, body))
        before = body
    for joint, limit in zip(joints, (3.1, 1.9, 1.1), strict=True):
        joint.break_force = limit * G
    world.step()
    assert world.broken_joints == [joints[1]]
    world.step(10)
    assert [joint.broken for joint in joints] == [False, True, False]
    assert joints[0].force == pytest.approx((0, 0, G), abs=1e-6)
    assert joints[2].force == pytest.approx(np.zeros(3), abs=1e-6)


@pytest.mark.parametrize("how", ["disable", "remove"])
def test_let_go(how):
    """Fly off along the tangent with the velocity of the moment when a turning body is let go."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(
        mass_properties=inertias(1.0, (0.2, 0.2, 0.2)),
        position=(1, 0, 0),
        velocity=(0, 0, -3),
        angular_velocity=(0, 3, 0),
    )
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, body)
    world.step(70)
    place, speed, spin = body.center_of_mass, body.velocity, body.angular_velocity
    # the radius is kept to 1e-6 m
    assert speed == pytest.approx(np.cross(spin, place), abs=3e-6)
    # the rate that the step of order 2 keeps differs by (w h)^2 from 3 rad/s
    assert np.linalg.norm(speed) == pytest.approx(3.0, rel=(3 * H) ** 2)
    if how == "disable":
        joint.enabled = False
    else:
        world.remove_joint(joint)
    world.step(50)
    assert body.velocity == pytest.approx(speed, abs=1e-12)
    assert body.angular_velocity == pytest.approx(spin, abs=1e-12)
    assert body.center_of_mass == pytest.approx(place + 0.5 * speed, abs=1e-12)


def test_enable_again_where_it_fits():
    """Take a body that lies where its joint wants it as if the joint had been there all the time."""
    joint = rail(axis=(0, 0, 1), rate=1.0)
    world = joint.world
    joint.enabled = False
    world.step(50)
    joint.enabled = True
    world.step(50)
    assert joint.value == pytest.approx(1.0, abs=1e-9)
    assert joint.second.velocity == pytest.approx((0, 0, 1), abs=1e-12)


def test_enable_again_far_away():
    """Bring a body back that has drifted away, gently, and hold it then."""
    joint = rail(axis=(0, 0, 1))
    world, body = joint.world, joint.second
    joint.enabled = False
    body.velocity = (0.5, 0, 0)
    world.step(100)
    assert joint.error == pytest.approx(0.5, abs=1e-9)
    joint.enabled = True
    fastest = 0.0
    for _ in range(300):
        before = body.center_of_mass
        world.step()
        fastest = max(fastest, float(np.linalg.norm(body.center_of_mass - before)) / H)
    # by displacement at the recovery speed of 1 m/s
    assert fastest < 1.1
    assert joint.error < 1e-6
    assert np.linalg.norm(body.velocity) < 1e-6


def test_slider_reaction_between_two_bodies():
    """Give both ends of a slider opposite forces, and none along its axis."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.4, 0.3, 0.2)), mass=1.0)
    b = world.add_body(Box((0.4, 0.3, 0.2)), mass=3.0, position=(1, 0, 0), velocity=(0.5, 0, 0))
    joint = world.add_joint(Slider((0.5, 0, 0), (1, 0, 0)), a, b)
    for _ in range(50):
        apart = b.center_of_mass - a.center_of_mass + 0.5 * H * (b.velocity - a.velocity)
        b.apply_force((0, 0, 8.0), b.center_of_mass - 0.25 * apart)
        world.step()
        # pushed at the centre of mass of both (in the middle of the step) they do not turn, and the joint
        # leaves the second body its share of the force
        assert joint.force == pytest.approx((0, 0, 8.0 * 0.75 - 8.0), abs=1e-4)
        assert b.velocity[0] == pytest.approx(0.5, abs=1e-5)
