"""Time of contact, the accuracy mode: sub-steps end where surfaces meet."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Hinge, Material, Settings, World
from stoss.engine.motion.time_of_impact import MOST_IMPACTS, ImpactSearch

GRAVITY = 9.81
EXACT = Settings(time_of_impact=True)
REAL_TIME = Settings()


def floor_world(restitution, time_step, settings=EXACT, gravity=GRAVITY):
    world = World(gravity=(0.0, 0.0, -gravity), time_step=time_step, settings=settings)
    material = Material(friction=0.0, restitution=restitution)
    world.add_body(HalfSpace(), kind="static", material=material)
    return world, material


def flights(world, ball, bounces, most_steps):
    """Return the heights of the lowest point at the tops of the flights after each of the bounces."""
    tops, before = [], ball.velocity[2]
    for _ in range(most_steps):
        world.step()
        speed = ball.velocity[2]
        if before > 0.0 >= speed:
            tops.append(ball.position[2] - 0.5 + speed**2 / (2 * GRAVITY))
        before = speed
        if len(tops) == bounces:
            return np.array(tops)
    raise AssertionError(f"{len(tops)} flights in {most_steps} steps")


@pytest.mark.parametrize("time_step", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize(("settings", "share"), [(EXACT, 1e-9), (REAL_TIME, 1e-5)])
def test_bounce_returns_square_of_restitution(time_step, settings, share):
    """Return e^2 of the height of the drop for e = 0.5.

    In the accuracy mode to rounding: free flight is exact and the gap at the contact is zero to rounding. In
    the real-time mode an overlap of up to a tenth of the position tolerance is left, 4e-7 of the height.
    """
    world, material = floor_world(0.5, time_step, settings)
    ball = world.add_body(Sphere(0.5), position=(0, 0, 1.5), material=material)
    top = flights(world, ball, 1, round(2 / time_step))[0]
    assert top == pytest.approx(0.25, rel=share)


@pytest.mark.parametrize("time_step", [1 / 60, 1 / 240, 1 / 1000])
def test_twenty_elastic_bounces_keep_the_height(time_step):
    """Keep the height of twenty elastic bounces to rounding, and roll back once for each."""
    world, material = floor_world(1.0, time_step)
    ball = world.add_body(Sphere(0.5), position=(0, 0, 0.6), material=material)
    count = [0, 0]

    def look(world):
        report = world.report
        count[0] += report.times_of_impact
        count[1] += report.roll_backs
        assert report.missed_times_of_impact == 0

    world.after_step.append(look)
    tops = flights(world, ball, 20, round(8 / time_step))
    np.testing.assert_allclose(tops, 0.1, rtol=1e-9)
    assert count[0] == 20 and count[1] <= 20


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def rate(state, inertia):
    """Return the time derivative of (position, velocity, quaternion, body angular velocity) in free fall."""
    v, q, w = state[3:6], state[6:10], state[10:]
    spin = np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))]) / 2
    return np.concatenate([v, [0, 0, -GRAVITY], spin, -np.cross(w, inertia * w) / inertia])


def fly(state, inertia, time, parts):
    """Return the state after a time, by classical Runge-Kutta steps."""
    h = time / parts
    for _ in range(parts):
        a = rate(state, inertia)
        b = rate(state + h / 2 * a, inertia)
        c = rate(state + h / 2 * b, inertia)
        d = rate(state + h * c, inertia)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
        state[6:10] /= np.linalg.norm(state[6:10])
    return state


def bounce_of_a_box(edges, mass, start, restitution, duration):
    """Return (time of impact, end state): the slow and plain way, for one frictionless impact on z = 0.

    Corners that are as low as the lowest one share the impulse evenly, which is right where the pose is
    symmetric.
    """
    edges = np.asarray(edges)
    inertia = mass / 12 * np.array([edges[1] ** 2 + edges[2] ** 2, edges[0] ** 2 + edges[2] ** 2,
                                    edges[0] ** 2 + edges[1] ** 2])  # fmt: skip
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * edges / 2

    def lowest(state):
        return (state[2] + corners @ rotation(state[6:10])[2]).min()

    piece, time, state = 1e-3, 0.0, start
    while lowest(state) > 0:
        before, time = state, time + piece
        state = fly(before, inertia, piece, 4)
    low, high = 0.0, piece
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if lowest(fly(before, inertia, middle, 4)) > 0 else (low, middle)
    state = fly(before, inertia, low, 4)
    time += low - piece
    turn = rotation(state[6:10])
    arms = corners @ turn.T
    arm = arms[arms[:, 2] < arms[:, 2].min() + 1e-6].mean(axis=0)
    world_inverse = turn @ np.diag(1 / inertia) @ turn.T
    n = np.array([0.0, 0.0, 1.0])
    speed = state[5] + np.cross(turn @ state[10:], arm)[2]
    lever = np.cross(arm, n)
    impulse = -(1 + restitution) * speed / (1 / mass + lever @ world_inverse @ lever)
    state = state.copy()
    state[3:6] += impulse / mass * n
    state[10:] = turn.T @ (turn @ state[10:] + world_inverse @ lever * impulse)
    return time, fly(state, inertia, duration - time, 400)


@pytest.mark.parametrize(
    ("quaternion", "spin"),
    [
        ((0.6, -0.5, 0.75, 0.1), (1.0, -1.5, 1.5)),  # a corner
        ((np.cos(0.2), 0.0, np.sin(0.2), 0.0), (0.0, 3.0, 0.0)),  # an edge, turning about it
    ],
)
@pytest.mark.parametrize("time_step", [0.01, 0.0025])
def test_turning_box_bounces_at_the_time_of_contact(quaternion, spin, time_step):
    """Bounce a turning box as a slow reference of tiny steps does: time, pose and velocities.

    The reference is exact to 1e-11; the engine's free rotation to 1e-12, its time of contact to the gap that
    is left there, which regula falsi brings to rounding. In the real-time mode this differs by centimetres.
    """
    edges, mass, restitution = (0.4, 0.3, 0.2), 2.0, 0.5
    q = np.array(quaternion) / np.linalg.norm(quaternion)
    world, material = floor_world(restitution, time_step)
    box = world.add_body(
        Box(edges), position=(0, 0, 0.6), quaternion=q, angular_velocity=spin, mass=mass, material=material
    )
    start = np.concatenate([[0, 0, 0.6, 0, 0, 0], q, rotation(q).T @ np.array(spin)])
    report = world.step()
    while report.times_of_impact == 0:
        report = world.step()
    time, expected = bounce_of_a_box(edges, mass, start, restitution, report.time)
    assert report.times_of_impact == 1
    assert report.time - time_step <= time <= report.time
    np.testing.assert_allclose(box.position, expected[:3], atol=1e-8)
    np.testing.assert_allclose(box.velocity, expected[3:6], atol=1e-8)
    turn = rotation(expected[6:10])
    np.testing.assert_allclose(rotation(box.quaternion), turn, atol=1e-8)
    np.testing.assert_allclose(box.angular_velocity, turn @ expected[10:], atol=1e-7)


@pytest.mark.parametrize("time_step", [0.05, 0.01])
def test_billiard_ball_follows_the_unfolded_line(time_step):
    """Follow the straight line of the unfolded table for ten seconds, whatever the step is.

    A ball of radius 0.1 between four walls, 29 bounces: at each the gap is zero to 1e-15 m.
    """
    world = World(gravity=(0, 0, 0), time_step=time_step, settings=EXACT)
    material = Material(friction=0.0, restitution=1.0)
    for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1)):
        size, place = [4.0, 4.0, 4.0], [0.0, 0.0, 0.0]
        size[axis], place[axis] = 1.0, sign * (1.5 if axis == 0 else 1.2)
        world.add_body(Box(size), kind="static", position=place, material=material)
    start, velocity = np.array([0.13, -0.21, 0.0]), np.array([3.1, 1.7, 0.0])
    ball = world.add_body(Sphere(0.1), position=start, velocity=velocity, material=material)
    bounces = 0
    for _ in range(round(10 / time_step)):
        bounces += world.step().times_of_impact
    half = np.array([0.9, 0.6])
    unfolded = (start + 10 * velocity)[:2] + half
    expected = np.abs((unfolded % (4 * half)) - 2 * half) * -1 + 2 * half - half
    np.testing.assert_allclose(ball.position[:2], expected, atol=1e-9)
    np.testing.assert_allclose(np.abs(ball.velocity), np.abs(velocity), atol=1e-9)
    assert bounces == round(np.floor(unfolded / (2 * half)).clip(0).sum())


def pendulum(time_step, settings, restitution=1.0):
    """Return a world with a rod on a hinge that swings against a wall, and its joint."""
    world = World(time_step=time_step, settings=settings)
    material = Material(friction=0.0, restitution=restitution)
    rod = world.add_body(Box((0.1, 0.1, 1.0)), position=(0, 0, -0.5), mass=1.0, material=material)
    joint = world.add_joint(Hinge(point=(0, 0, 0), axis=(0, 1, 0)), None, rod)
    world.add_body(Box((1, 1, 1)), kind="static", position=(-0.55, 0, -0.9), material=material)
    rod.velocity, rod.angular_velocity = (1.5, 0, 0), (0, -3.0, 0)
    return world, rod, joint


def swing(duration, restitution, spin):
    """Return angle and rate of the pendulum after a time: closed quadrature by tiny steps, mirror at 0."""
    length = (1.0 / 12 * (0.01 + 1.0) + 0.25) / 0.5  # of the mathematical pendulum
    count = 20000
    h, angle, omega = duration / count, 0.0, spin

    def f(x):
        return -GRAVITY / length * np.sin(x)

    def advance(angle, omega, h):
        k1, l1 = omega, f(angle)
        k2, l2 = omega + h / 2 * l1, f(angle + h / 2 * k1)
        k3, l3 = omega + h / 2 * l2, f(angle + h / 2 * k2)
        k4, l4 = omega + h * l3, f(angle + h * k3)
        return angle + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), omega + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

    for _ in range(count):
        new = advance(angle, omega, h)
        if new[0] < 0:
            low, high = 0.0, h
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if advance(angle, omega, middle)[0] > 0 else (low, middle)
            angle, omega = advance(angle, omega, low)
            new = advance(0.0, -restitution * omega, h - low)
        angle, omega = new
    return angle, omega


def test_pendulum_against_a_wall_converges_with_order_two():
    """Converge with order 2 in the step for a jointed body that hits a wall: joints are redone for each try.

    Two elastic impacts in 2.6 s; the step itself is of order 2, and the impact adds nothing of lower order.
    """
    expected, _ = swing(2.6, 1.0, 3.0)
    errors = []
    for steps in (65, 130, 260):
        world, _, _ = pendulum(2.6 / steps, Settings(time_of_impact=True, most_sub_steps=1))
        found = 0
        for _ in range(steps):
            report = world.step()
            found += report.times_of_impact
            assert report.joint_error < 1e-6 and report.missed_times_of_impact == 0
        assert found >= 2
        x, _, z = world.positions[0]
        errors.append(abs(np.arctan2(x, -z) - expected))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert errors[-1] < 2e-3
    assert orders.min() > 1.8, (errors, orders)


def test_composition_falls_back_where_it_touches():
    """Keep the energy of an elastic pendulum of order 4: a step that touches is made anew at order 2."""
    world, _, _ = pendulum(0.01, Settings(time_of_impact=True, order=4))
    before = world.report.energy
    orders = set()
    for _ in range(200):
        orders.add(world.step().order)
    assert orders == {2, 4}
    assert world.report.energy == pytest.approx(before, abs=2e-4)


def test_rest_takes_nothing_back():
    """Leave a resting stack alone: nothing is taken back, and it stays where it is."""
    world, _ = floor_world(0.3, 0.01)
    for level in range(3):
        world.add_body(Box((1, 1, 1)), position=(0.01 * level, 0, 0.5 + level), mass=1.0)
    for _ in range(50):
        assert world.step().roll_backs == 0
    np.testing.assert_allclose(world.positions[1:, 2], [0.5, 1.5, 2.5], atol=1e-9)


def test_far_from_contact_nothing_changes():
    """Give bitwise the same flight with and without the mode, until something is near."""
    hashes = []
    for settings in (EXACT, REAL_TIME):
        world, material = floor_world(0.5, 0.01, settings)
        world.add_body(
            Box((0.3, 0.2, 0.1)), position=(0, 0, 3), angular_velocity=(1, 2, 3), material=material
        )
        world.step(60)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_too_many_impacts_are_reported():
    """Go on, without gaining energy, when a body bounces too often within a step, and say so."""
    world = World(gravity=(0, 0, 0), time_step=0.01, settings=EXACT)
    material = Material(friction=0.0, restitution=1.0)
    for sign in (1, -1):
        world.add_body(Box((1, 1, 1)), kind="static", position=(sign * 0.6005, 0, 0), material=material)
    ball = world.add_body(Sphere(0.1), velocity=(10, 0, 0), material=material)  # 100 impacts in a step
    report = world.step()
    assert report.missed_times_of_impact > 0
    assert report.times_of_impact > 10
    for _ in range(5):
        report = world.step()
        assert abs(ball.velocity[0]) <= 10 + 1e-9
        assert abs(ball.position[0]) < 1e-3


def test_impact_within_a_step_is_an_event():
    """Report a pair that met and parted within one step as begun."""
    world, material = floor_world(1.0, 0.02)
    world.add_body(Sphere(0.5), position=(0, 0, 0.51), velocity=(0, 0, -2), material=material)
    world.step()
    assert world.report.times_of_impact == 1
    assert world.report.touching_count == 0
    assert world.events.begin.tolist() == [[0, 1]]


def test_saved_state_continues_bitwise():
    """Continue from a saved state bitwise as if nothing had happened."""
    hashes = []
    for split in (False, True):
        world, material = floor_world(0.8, 0.01)
        for i in range(3):
            world.add_body(
                Box((0.4, 0.3, 0.2)),
                position=(0.1 * i, 0, 0.4 + 0.5 * i),
                angular_velocity=(1, -2, i),
                material=material,
            )
        world.step(20)
        if split:
            state = world.save()
            world.step(7)
            world.restore(state)
        world.step(40)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("name", ["time_of_impact", "continuous_collision"])
def test_switches_must_be_switches(name):
    """Name a switch that is given a number."""
    with pytest.raises(ValueError, match=f"settings.{name} = 1 must be True or False"):
        Settings(**{name: 1})


def test_a_step_is_split_a_bounded_number_of_times():
    """End a step in which sub-steps are made shorter for impacts that then are none."""
    search, left, made = ImpactSearch(), [1.0], 0
    while left:
        h = left.pop()
        search.begin(h)
        made += 1
        assert made <= 2 * MOST_IMPACTS + 1
        shorter, _ = search.better_length(h, 1e-3 * h if h == search.whole else h, np.inf, False)
        if shorter is None:
            search.end()
        else:
            if h < search.whole:
                left.pop()
            left += [search.whole - shorter, shorter]
    assert search.found == 0 and search.missed == 1
