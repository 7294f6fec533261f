"""Kinematic bodies that are moved in every step accelerate what they carry, at order 2 in the step."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere, rotation
from stoss.engine import Hinge, Material, Settings, SimulationError, World

G = 9.81
SOLVERS = pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])


def box_on_plate(step, solver="auto", mass=1.0, size=0.3, friction=0.5):
    """Return a world, a kinematic plate and a box that rests on it."""
    world = World(time_step=step, settings=Settings(solver=solver))
    rough = Material(friction=friction)
    plate = world.add_body(Box((8 * size, 8 * size, size)), kind="kinematic", material=rough)
    box = world.add_body(Box(3 * (size,)), position=(0, 0, size), mass=mass, material=rough)
    world.step(3)
    return world, plate, box


def ride(step, amplitude, frequency, times, *, steers=False, **options):
    """Return errors of the velocity of a box on a plate that goes up and down, and its greatest gap."""
    world, plate, box = box_on_plate(step, **options)
    lift = box.position[2] - plate.position[2]
    rate, gap, errors = 2 * np.pi * frequency, 0.0, []
    for k in range(1, round(times / step) + 1):
        t = k * step
        if steers:
            plate.velocity = (0, 0, amplitude * (np.cos(rate * (t - step)) - np.cos(rate * t)) / step)
        else:
            plate.move_to((0, 0, amplitude * (1 - np.cos(rate * t))))
        world.step()
        errors.append(box.velocity[2] - amplitude * rate * np.sin(rate * t))
        gap = max(gap, box.position[2] - plate.position[2] - lift)
    return np.array(errors), gap


@SOLVERS
@pytest.mark.parametrize(("size", "mass", "frequency"), [(0.3, 1.0, 2.0), (3.0, 1e4, 0.5), (0.03, 1e-3, 5.0)])
@pytest.mark.parametrize("steers", [False, True])
def test_plate_that_slows_down_keeps_its_load(solver, size, mass, frequency, steers):
    """Let a box stay on a plate that is slowed down by 0.8 g at most, whatever the step."""
    amplitude = 0.8 * G / (2 * np.pi * frequency) ** 2
    step = 0.01 / frequency
    options = {"solver": solver, "size": size, "mass": mass, "steers": steers}
    _, gap = ride(step, amplitude, frequency, 1.5 / frequency, **options)
    assert gap < 1e-3 * amplitude * (2 * np.pi * frequency * step) ** 2 + 1e-6


@pytest.mark.parametrize("steers", [False, True])
def test_carried_velocity_is_of_order_two(steers):
    """Divide the error of the velocity of what is carried by four for half the step."""
    rides = [ride(step, 0.04, 2.0, 1.0, steers=steers) for step in (0.01, 0.005, 0.0025)]
    errors = [np.median(np.abs(one[0])) for one in rides]
    assert errors[0] < 0.01 * 0.04 * 4 * np.pi
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)
    assert errors[1] / errors[2] == pytest.approx(4.0, abs=0.2)


@SOLVERS
@pytest.mark.parametrize("step", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("brake", [0.5, 0.9, 1.5, 3.0])
def test_box_leaves_where_the_plate_is_slowed_by_more_than_gravity(solver, step, brake):
    """Let a box go up with the plate; it leaves where the plate brakes by more than g, with its speed."""
    world, plate, box = box_on_plate(step, solver)
    rise, speed, height = round(0.2 / step), 2.0, 0.0
    for k in range(1, rise + 1):
        height = 0.5 * speed / (rise * step) * (k * step) ** 2
        plate.move_to((0, 0, height))
        world.step()
    assert box.velocity[2] == pytest.approx(speed, rel=1e-6)
    start = box.position[2]
    count = round(0.8 * speed / (brake * G) / step)
    for k in range(1, count + 1):
        t = k * step
        plate.move_to((0, 0, height + speed * t - 0.5 * brake * G * t * t))
        world.step()
    t = count * step
    slowed = min(brake, 1.0) * G
    # where acceleration jumps, one step is of order 1
    kink = 0.5 * (speed / 0.2 + brake * G) * step
    assert box.velocity[2] == pytest.approx(speed - slowed * t, abs=1.1 * kink)
    flight = start + speed * t - 0.5 * slowed * t * t
    assert box.position[2] == pytest.approx(flight, abs=1.1 * kink * t + 1e-6)
    away = box.position[2] - plate.position[2] - 0.3
    assert away > 1e-3 if brake > 1.0 else away < 1.1 * kink * t + 1e-6


@pytest.mark.parametrize("step", [0.002, 0.01, 0.02])
def test_what_sticks_is_not_late(step):
    """Let a box stick to a cart that gets faster: late by half a step it would be 25 times as far behind."""
    world, cart, box = box_on_plate(step)
    for k in range(1, round(1.0 / step) + 1):
        cart.move_to((0.5 * 4.0 * (k * step) ** 2, 0, 0))
        world.step()
    behind = cart.position[0] - box.position[0]
    assert 0.0 <= behind < 4.0 * step * step
    assert box.velocity[0] == pytest.approx(4.0, rel=1e-6)


def test_given_velocities_stay():
    """Keep a velocity that was assigned, step by step, and go on with the last one, and the path they say."""
    world, plate, box = box_on_plate(0.01)
    way = np.zeros(3)
    for k in range(40):
        given = np.array((0.5 * np.sin(0.2 * k), 0, np.sin(0.1 * k)))
        plate.velocity, plate.angular_velocity = given, (0, 0, 0.01 * k)
        world.step()
        way += 0.01 * given
        assert plate.velocity == pytest.approx(given, abs=1e-14)
        assert plate.angular_velocity == pytest.approx((0, 0, 0.01 * k), abs=1e-14)
        assert plate.position == pytest.approx(way, abs=1e-13)
    world.step(3)
    assert plate.velocity == pytest.approx(given, abs=1e-14)
    assert plate.position == pytest.approx(way + 0.03 * given, abs=1e-13)


def test_turned_plate_carries():
    """Let a box stick to a plate that moves in a circle, tilts and turns to and fro, to order 2."""
    slips = []
    for step in (0.02, 0.01, 0.005):
        world, plate, box = box_on_plate(step, friction=0.8)
        place = plate.local_point(box.position)
        for k in range(1, round(2.0 / step) + 1):
            t = k * step
            ease = t * t * (3 - t) / 4
            tilt = rotation.from_axis_angle((np.cos(3 * t), np.sin(3 * t), 0), 0.1 * ease)
            turn = rotation.compose(tilt, rotation.from_axis_angle((0, 0, 1), 0.3 * ease * np.sin(3 * t)))
            plate.move_to((0.1 * ease * np.cos(3 * t), 0.1 * ease * np.sin(3 * t), 0), turn)
            world.step()
            assert abs(plate.quaternion @ turn) == pytest.approx(1.0, abs=1e-12)
        slips.append(np.linalg.norm(plate.local_point(box.position) - place))
    assert slips[0] < 2e-3 and slips[2] < 2e-4


@pytest.mark.parametrize("velocity", [(0, 0, 1.0), (2.0, 0, 0), (0, 0, -3.0)])
def test_jumps_of_the_velocity_throw_nothing(velocity):
    """Give what is carried the velocity of a plate that starts at once, and no more."""
    world, plate, box = box_on_plate(0.01, friction=0.2)
    for k in range(1, 6):
        plate.move_to(np.array(velocity) * 0.01 * k)
        world.step()
        assert plate.velocity == pytest.approx(velocity)
        assert box.velocity @ velocity <= np.dot(velocity, velocity) * (1 + 1e-6)
        assert box.velocity[2] == pytest.approx(max(velocity[2], -G * 0.01 * k), abs=1e-6)
    for _ in range(2):
        world.step()
        assert not plate.velocity.any()


@pytest.mark.parametrize(("step", "error"), [(0.02, 1e-4), (0.01, 1e-5), (0.004, 2e-6)])
def test_shaken_pivot(step, error):
    """Swing a pendulum whose pivot goes up and down as its equation says (late, by ten times that)."""
    length, rate, height = 0.5, 6 * np.pi, 0.05
    world = World(time_step=step)
    pivot = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic")
    place = (length * np.sin(0.3), 0, -length * np.cos(0.3))
    bob = world.add_body(Sphere(0.01), position=place, mass=1.0)
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), pivot, bob)
    share = length / (length**2 + 0.4 * 0.01**2)

    def change(t, y):
        return np.array([y[1], -(G + height * rate**2 * np.cos(rate * t)) * share * np.sin(y[0])])

    y, h = np.array([0.3, 0.0]), 1e-3
    for k in range(2000):
        t = k * h
        a = change(t, y)
        b = change(t + h / 2, y + h / 2 * a)
        c = change(t + h / 2, y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + change(t + h, y + h * c))
    for k in range(1, round(2.0 / step) + 1):
        pivot.move_to((0, 0, height * (1 - np.cos(rate * k * step))))
        world.step()
    assert 0.3 - hinge.value == pytest.approx(y[0], abs=error)


def test_sub_steps_lead_to_the_pose():
    """Bring a body whose axis of turning turns to its pose where a fast pendulum asks for sub-steps."""
    world = World(time_step=0.02)
    pivot = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic")
    bob = world.add_body(Sphere(0.01), position=(0.1, 0, 0), mass=1.0)
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), pivot, bob)
    bob.velocity = (0, 0, 4.0)
    for k in range(1, 51):
        t = k * 0.02
        turns = [((0, 0, 1), 0.2 * np.sin(4 * t) ** 2), ((1, 0, 0), 0.2 * np.sin(3 * t) ** 2)]
        turn = rotation.compose(*(rotation.from_axis_angle(*one) for one in turns))
        pivot.move_to((0.05 * np.sin(9 * t) ** 2, 0, 0.1 * np.sin(6 * t) ** 2), turn)
        report = world.step()
        assert report.sub_steps > 1
        assert pivot.position == pytest.approx(
            (0.05 * np.sin(9 * t) ** 2, 0, 0.1 * np.sin(6 * t) ** 2), abs=1e-12
        )
        assert abs(pivot.quaternion @ turn) == pytest.approx(1.0, abs=1e-12)


def test_half_way_is_saved_and_undone():
    """Go on from a snapshot, a file and a step that failed with the same bits."""

    def move(world, first, last):
        plate = world.bodies[0]
        for k in range(first, last):
            if k % 15 < 8:
                plate.move_to((0.04 * np.sin(0.1 * k) ** 2, 0, 0.1 * np.sin(0.05 * k) ** 2))
            else:
                plate.velocity = (0, 0, 0.1 * np.sin(0.1 * k))
            world.step()
        return world.state_hash()

    world, plate, box = box_on_plate(0.01)
    move(world, 0, 20)
    other, snapshot = world.copy(), world.save()
    expected = move(world, 20, 40)
    assert move(other, 20, 40) == expected
    world.restore(snapshot)
    assert move(world, 20, 40) == expected
    world.restore(snapshot)
    box.velocity = (0, 0, 1e9)
    plate.move_to((1, 0, 0))
    with pytest.raises(SimulationError):
        world.step()
    world.restore(snapshot)
    assert move(world, 20, 40) == expected
