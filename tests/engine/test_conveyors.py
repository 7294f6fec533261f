"""Surfaces that move along their body: conveyors and turntables against closed forms and moving bodies."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cylinder, HalfSpace, Placed, Sphere
from stoss.engine import Hinge, Material, Settings, World
from tests.engine.worlds import G

MU, SPEED = 0.4, 2.0
BOTH = pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
STEPS = pytest.mark.parametrize("h", [0.005, 0.01, 0.033])


def belt(settings=None, h=0.01, velocity=(SPEED, 0, 0), **values):
    """A world with a floor whose surface moves."""
    world = World(settings=settings, time_step=h)
    material = Material(friction=MU, **values)
    floor = world.add_body(HalfSpace(), kind="static", name="belt", material=material)
    floor.surface_velocity = velocity
    return world, floor, material


def check_ledger(world, steps, tolerance):
    """Step, and let the ledger be the change of energy, with no rung of the ladder taken."""
    last = world.report.energy
    for _ in range(steps):
        report = world.step()
        assert report.energy - last == pytest.approx(report.ledger.change, abs=tolerance)
        assert not report.ladder
        last = report.energy


@BOTH
@STEPS
def test_box_is_taken_along_in_the_time_and_way_of_friction(solver, h):
    """Reach the speed of the belt after v / (mu g), having gone v^2 / (2 mu g), and then lie on it."""
    world, _, material = belt(Settings(solver=solver, sweeps=50), h)
    box = world.add_body(Box((1, 0.8, 0.2)), position=(0, 0, 0.1), mass=3.0, material=material)
    time = SPEED / (MU * G)
    while world.time < 0.6 * time - h:
        world.step()
    assert box.velocity[0] == pytest.approx(MU * G * world.time, rel=1e-6)
    assert box.position[0] == pytest.approx(0.5 * MU * G * world.time**2, rel=1e-6)
    check_ledger(world, int(1.0 / h), 1e-9)
    assert box.velocity == pytest.approx([SPEED, 0, 0], abs=1e-6)
    # the last part of a step of sliding is over somewhere within it
    slipped = SPEED * world.time - box.position[0]
    assert slipped == pytest.approx(SPEED**2 / (2 * MU * G), abs=0.5 * MU * G * h * h)
    ledger = world.ledger
    # friction takes as much as the box gets; the belt gives both
    assert ledger.dissipated_friction == pytest.approx(0.5 * 3.0 * SPEED**2, rel=0.05)
    assert ledger.driven_work == pytest.approx(3.0 * SPEED**2, rel=0.05)


@BOTH
def test_stack_on_a_belt_moves_as_one(solver):
    """Carry three boxes without shifting them, once they are up to speed; stop them when the belt stops."""
    world, floor, material = belt(Settings(solver=solver, sweeps=50), velocity=(1.0, 0.5, 0))
    boxes = [
        world.add_body(Box((1, 1, 0.5)), position=(0, 0, 0.25 + 0.5 * k), material=material) for k in range(3)
    ]
    world.step(100)
    places = [box.position for box in boxes]
    for box in boxes:
        assert box.velocity == pytest.approx([1.0, 0.5, 0], abs=1e-6)
    world.step(100)
    for box, place in zip(boxes, places, strict=True):
        assert box.position - place == pytest.approx([1.0, 0.5, 0], abs=1e-6)
    floor.surface_velocity = (0, 0, 0)
    world.step(100)
    for box in boxes:
        assert np.abs(box.velocity).max() < 1e-7
    assert abs(boxes[2].position[0] - boxes[0].position[0]) < 1e-3


@STEPS
def test_ball_on_a_belt_rolls_at_two_sevenths(h):
    """Roll on a belt that is switched on under a ball at rest: the ball ends at 2/7 of its speed."""
    world, _, material = belt(h=h, velocity=(0, 1.4, 0))
    ball = world.add_body(Sphere(0.3), position=(0, 0, 0.3), material=material)
    check_ledger(world, int(1.5 / h), 1e-7)
    assert ball.velocity == pytest.approx([0, 0.4, 0], abs=1e-6)
    # at the point below it moves with the belt: v - (w x r) = belt
    assert ball.angular_velocity == pytest.approx([1.0 / 0.3, 0, 0], abs=1e-5)


@pytest.mark.parametrize("h", [0.002, 0.005, 0.01])
def test_ball_on_a_turntable_at_rest_is_as_on_one_that_turns(h):
    """Follow the path on a kinematic body that truly turns, and the circle of 2/7 of its rate."""
    rate, start = 1.5, np.array([1.0, 0.0, 0.0])
    paths = []
    for truly in (True, False):
        world = World(time_step=h)
        rough = Material(friction=1.0)
        table = world.add_body(
            Cylinder(5.0, 0.2), position=(0, 0, -0.1), kind="kinematic" if truly else "static", material=rough
        )
        if truly:
            table.angular_velocity = (0, 0, rate)
        else:
            table.surface_angular_velocity = (0, 0, rate)
        # started so that it rolls: v - w x (r up) = rate x position
        velocity = np.array([0.0, 0.3, 0.0])
        surface = np.cross([0, 0, rate], start)
        spin = np.cross([0, 0, 1], velocity - surface) / 0.2
        ball = world.add_body(
            Sphere(0.2),
            position=start + [0, 0, 0.2],
            velocity=velocity,
            angular_velocity=spin,
            material=rough,
        )
        path = []
        for _ in range(int(4.0 / h)):
            world.step()
            path.append(ball.position)
        paths.append(np.array(path))
        if not truly:
            assert world.ledger.driven_work != 0.0
    turned, conveyed = paths
    assert np.abs(turned - conveyed).max() < 2e-3 * (h / 0.01) ** 2 + 1e-6
    # dv/dt = 2/7 rate x v: a circle of radius |v| / (2/7 rate) through the start
    times = h * np.arange(1, len(turned) + 1)
    w = 2.0 / 7.0 * rate
    exact = start[:2] + 0.3 / w * np.stack([np.cos(w * times) - 1.0, np.sin(w * times)], axis=1)
    assert np.abs(conveyed[:, :2] - exact).max() < 0.05 * (h / 0.01) ** 2 + 1e-6


def test_boxes_ride_round_on_a_turntable():
    """Carry a box round on the surface of a body at rest, on its circle, turning with it."""
    world = World()
    rough = Material(friction=1.0)
    table = world.add_body(Box((6, 6, 1)), kind="static", position=(1, 2, -0.5), material=rough)
    table.surface_angular_velocity = (0, 0, 1.0)
    omega = np.array([0, 0, 1.0])
    box = world.add_body(
        Box((0.4, 0.3, 0.2)),
        position=(2.5, 2, 0.1),
        velocity=(0, 1.5, 0),
        angular_velocity=omega,
        material=rough,
    )
    for _ in range(628):
        world.step()
        radius = np.hypot(*(box.position[:2] - (1, 2)))
        assert radius == pytest.approx(1.5, abs=1e-4)
    angle = 6.28
    assert box.position[:2] == pytest.approx([1 + 1.5 * np.cos(angle), 2 + 1.5 * np.sin(angle)], abs=2e-3)
    assert box.angular_velocity == pytest.approx(omega, abs=1e-6)


def test_surfaces_turn_with_their_body():
    """Take the velocity in the frame of the body: turned, placed as part of a compound, dynamic or moving."""
    turn = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))  # a quarter about z: x becomes y
    world = World()
    material = Material(friction=MU)
    floor = world.add_body(
        [Placed(Box((20, 20, 1)), (0, 0, -0.5)), Placed(Box((1, 1, 1)), (0, 9, 0.5))],
        quaternion=turn,
        kind="kinematic",
        material=material,
        velocity=(0, 0, 0.5),
    )
    floor.surface_velocity = (1.0, 0, 5.0)  # what points out of the surface counts for nothing
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(0, 0, 0.5), material=material)
    world.step(100)
    assert box.velocity == pytest.approx([0, 1.0, 0.5], abs=1e-6)
    assert floor.surface_velocity.tolist() == [1.0, 0.0, 5.0]


def test_tracks_drive_a_free_body():
    """Let a body with tracks drive over the floor at the speed of its tracks; keep momentum."""
    world = World()
    material = Material(friction=MU)
    world.add_body(HalfSpace(), kind="static", material=material)
    tank = world.add_body(
        [Placed(Box((2, 0.3, 0.4)), (0, side, 0.2)) for side in (-0.6, 0.6)]
        + [Placed(Box((1.6, 0.9, 0.3)), (0.1, 0, 0.5))],
        material=material,
        name="tank",
    )
    tank.surface_velocity = (-1.5, 0, 0)  # the tracks run backwards
    check_ledger(world, 200, 1e-6)
    assert tank.velocity == pytest.approx([1.5, 0, 0], abs=1e-6)
    # two bodies in space: what one gets the other loses
    world = World(gravity=(0, 0, 0))
    plate = world.add_body(Box((4, 4, 0.2)), position=(0, 0, -0.1), mass=2.0, material=material)
    cart = world.add_body(Box((1, 1, 0.4)), position=(0, 0, 0.2), mass=1.0, material=material)
    cart.surface_velocity = (-1.0, 0, 0)
    world.forces[1], world.forces[0] = (0, 0, -20), (0, 0, 20)
    world.step(20)
    assert cart.velocity[0] > 0.5
    assert np.abs(2.0 * plate.velocity + 1.0 * cart.velocity).max() < 1e-12


@BOTH
def test_wheel_on_an_axle_is_turned_by_a_belt(solver):
    """Turn a wheel, pressed on the belt by its weight on a lever, until its rim has the speed of the belt."""
    world, _, material = belt(Settings(solver=solver), velocity=(1.2, 0, 0))
    arm = world.add_body(Box((2.0, 0.1, 0.1)), position=(-1.0, 0, 0.5), mass=1.0, name="arm")
    wheel = world.add_body(
        Cylinder(0.5, 0.2),
        position=(0, 0, 0.5),
        quaternion=(np.sqrt(0.5), np.sqrt(0.5), 0, 0),
        mass=4.0,
        material=material,
    )
    world.add_joint(Hinge((-2, 0, 0.5), (0, 1, 0)), None, arm)
    world.add_joint(Hinge((0, 0, 0.5), (0, 1, 0)), arm, wheel)
    world.exclude_collision(arm, world.body("belt"))
    world.step(200)
    assert wheel.angular_velocity[1] * 0.5 == pytest.approx(-1.2, abs=1e-4)
    assert not world.report.ladder


def test_torsional_and_rolling_friction_see_the_surface():
    """Spin a ball with torsional friction up to the rate of the table, as a table that turns does."""
    rates = []
    for truly in (True, False):
        world = World()
        rough = Material(friction=0.8, torsional_friction=0.02, rolling_friction=0.001)
        table = world.add_body(
            HalfSpace(), kind="kinematic" if truly else "static", material=rough, name="table"
        )
        if truly:
            table.angular_velocity = (0, 0, 2.0)
        else:
            table.surface_angular_velocity = (0, 0, 2.0)
        ball = world.add_body(Sphere(0.3), position=(0, 0, 0.3), material=rough)
        world.step(20)
        rates.append(ball.angular_velocity[2])
        last = world.report.energy
        report = world.step()
        assert report.energy - last == pytest.approx(report.ledger.change, abs=1e-8)
        world.step(200)
        assert ball.angular_velocity == pytest.approx([0, 0, 2.0], abs=1e-6)
    assert rates[0] == pytest.approx(rates[1], rel=1e-9) and 0.1 < rates[0] < 1.9


def test_nothing_sleeps_on_a_running_conveyor():
    """Keep awake what is carried, and what is held back over it; wake it when it starts."""
    world, floor, material = belt(Settings(sleeping=True, sleep_time=0.2), velocity=(0, 0, 0))
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), material=material)
    wall = world.add_body(
        Box((0.2, 4, 4)), position=(1.6, 0, 2), kind="static", material=Material(friction=0)
    )
    world.step(60)
    assert box.asleep
    floor.surface_velocity = (0.5, 0, 0)
    world.step(20)
    assert not box.asleep and box.position[0] > 0.05
    world.step(300)
    assert box.position[0] == pytest.approx(1.0, abs=1e-6)
    assert not box.asleep  # held by the wall, over a belt that runs
    world.remove_body(wall)
    world.step(50)
    assert box.velocity[0] == pytest.approx(0.5, abs=1e-6)
    floor.surface_velocity = (0, 0, 0)
    world.step(80)
    assert box.asleep


def test_impacts_on_a_belt_get_its_friction():
    """Give a ball that drops on the belt what the path of impulses gives: mu times the normal impulse."""
    world, _, _ = belt(Settings(time_of_impact=True))
    bouncy = Material(friction=MU, restitution=0.8)
    ball = world.add_body(Sphere(0.2), position=(0, 0, 1.2), material=bouncy, mass=1.0)
    while ball.velocity[2] <= 0.0:
        world.step()
    speed = np.sqrt(2 * G)
    assert ball.velocity[0] == pytest.approx(min(MU * 1.8 * speed, 2 / 7 * SPEED), rel=1e-6)


def test_state_is_saved_copied_and_read_back():
    """Keep surface velocities in snapshots, duplicates and other kinds; go on to the same bits."""
    world, floor, material = belt()
    floor.surface_angular_velocity = (0, 0, 0.3)
    world.add_body(Capsule(0.2, 0.6), position=(0.5, 0, 0.5), material=material)
    world.step(20)
    saved = world.save()
    world.step(40)
    end = world.state_hash()
    other = World()
    other.restore(saved)
    assert other.body("belt").surface_velocity.tolist() == [SPEED, 0, 0]
    assert other.body("belt").surface_angular_velocity.tolist() == [0, 0, 0.3]
    other.step(40)
    assert other.state_hash() == end
    twin = world.duplicate(floor, position=(0, 0, -5))
    assert twin.surface_velocity.tolist() == [SPEED, 0, 0]
    twin.kind = "kinematic"
    assert twin.surface_angular_velocity.tolist() == [0, 0, 0.3]


def test_no_motion_is_no_change():
    """Give the bits of a world without conveyors where the surface stands still."""
    hashes = set()
    for touched in (False, True):
        world, floor, material = belt(velocity=(0, 0, 0))
        if touched:
            floor.surface_velocity = (1, 2, 3)
            floor.surface_velocity = (0, 0, 0)
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.8), velocity=(1, 0, 0), material=material)
        world.step(60)
        hashes.add(world.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("name", ["surface_velocity", "surface_angular_velocity"])
@pytest.mark.parametrize("wrong", [(1, 2), (0, 0, np.nan), "fast", 3.0, None])
def test_bad_values_are_refused(name, wrong):
    """Name the argument, and change nothing."""
    world, floor, _ = belt()
    before = getattr(floor, name).tolist()
    with pytest.raises((TypeError, ValueError), match=name):
        setattr(floor, name, wrong)
    assert getattr(floor, name).tolist() == before


@pytest.mark.parametrize("h", [0.005, 0.0167])
def test_a_belt_is_as_a_plate_that_travels(h):
    """Give what lands, tumbles and rolls on a belt the path that it has on a plate that moves so."""
    paths = []
    for truly in (False, True):
        world = World(time_step=h)
        material = Material(friction=0.6, restitution=0.3)
        plate = world.add_body(
            Box((40, 40, 0.2)), kind="kinematic" if truly else "static", material=material, name="plate"
        )
        if truly:
            plate.velocity = (0.7, -0.4, 0)
        else:
            plate.surface_velocity = (0.7, -0.4, 0.3)
        for k, shape in enumerate(
            (Box((0.4, 0.2, 0.3)), Cylinder(0.15, 0.3), Capsule(0.1, 0.2), Sphere(0.2))
        ):
            turn = np.array([0.8, 0.3, 0.1 * k, 0.5])
            world.add_body(
                shape,
                position=(1.5 * k, 0, 0.6),
                quaternion=turn / np.linalg.norm(turn),
                angular_velocity=(1, 2, 3),
                material=material,
            )
        world.step(int(1.5 / h))
        paths.append(world.positions[1:])
    assert np.abs(paths[0] - paths[1]).max() < 1e-9


@pytest.mark.parametrize("h", [0.001, 0.002, 0.005, 0.01, 0.02])
@pytest.mark.parametrize(
    "mass, mu, apart, start", [(2.0, 0.3, 0.5, 0.1), (2e4, 0.5, 0.8, -0.2), (0.02, 0.1, 0.3, 0.05)]
)
def test_plank_on_rollers_that_turn_against_each_other(mass, mu, apart, start, h):
    """Swing as a pendulum does: all contacts can only slide, two this way, two that, and no sweep is made.

    By x to one side that side bears more and drags more: w^2 = mu g / (apart - mu t / 2), since friction acts
    half the thickness t below the centre of mass. What turns the plank about the vertical grows threefold in
    a second, so it must be small; where a plank is as wide as its rollers, rounding changes the features of
    its contacts.
    """
    thickness, radius = 0.1, 0.2
    world = World(time_step=h)
    material = Material(friction=mu)
    lying = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)
    for side in (-1, 1):
        roller = world.add_body(
            Cylinder(radius, 0.4),
            position=(side * apart, 0, 0),
            quaternion=lying,
            kind="kinematic",
            material=material,
        )
        roller.angular_velocity = (0, -20.0 * side, 0)
    plank = world.add_body(
        Box((3, 0.4, thickness)),
        position=(start, 0, radius + thickness / 2),
        mass=mass,
        material=material,
    )
    rate = np.sqrt(mu * G / (apart - mu * thickness / 2))
    while world.time < 1.0:
        report = world.step()
        assert report.sweeps == 0 and not report.ladder
        off = plank.position[0] - start * np.cos(rate * world.time)
        assert abs(off) < 0.1 * abs(start) * (rate * h) ** 2
    assert abs(plank.angular_velocity[2]) < 1e-4
    assert plank.position[1:] == pytest.approx([0, radius + thickness / 2], abs=1e-6)
