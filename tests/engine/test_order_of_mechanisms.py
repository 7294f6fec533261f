"""A mechanism has the order that it can have, whatever else is in the world; smooth drives too."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Hinge, Joint, Settings, World


def mechanism(h: float, order: int, sleeping: bool = False) -> World:
    """Return two rods on hinges, let go horizontally; nothing else."""
    settings = Settings(order=order, largest_turn=100.0, most_sub_steps=1, sleeping=sleeping)
    world = World(time_step=h, settings=settings)
    rods = [world.add_body(Box((1, 0.1, 0.2)), position=(k + 0.5, 0, 0), mass=1.0) for k in range(2)]
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, rods[0])
    world.add_joint(Hinge((1, 0, 0), (0, 1, 0)), rods[0], rods[1])
    return world


def arm(world: World, x: float) -> Joint:
    """Add a rod on a hinge of its own."""
    rod = world.add_body(Box((1, 0.1, 0.1)), position=(x + 0.5, 0, 0), mass=1.0)
    return world.add_joint(Hinge((x, 0, 0), (0, 1, 0)), None, rod)


def box_that_rests(world: World) -> None:
    world.add_body(Box((2, 2, 2)), position=(50, 0, -1), kind="static")
    world.add_body(Box((0.5, 0.5, 0.5)), position=(50, 0, 0.25))


def box_that_falls(world: World) -> None:
    world.add_body(Box((2, 2, 2)), position=(50, 0, -1), kind="static")
    world.add_body(Box((0.5, 0.5, 0.5)), position=(50, 0, 0.8), quaternion=(0.9, 0.1, 0.3, 0.3))


def stop_that_is_hit(world: World) -> None:
    arm(world, 30).limit(-0.5, 0.5, restitution=0.5)


def soft_stop(world: World) -> None:
    arm(world, 30).limit(-0.5, 0.5, stiffness=200.0, damping=2.0)


def weak_motor(world: World) -> None:
    arm(world, 40).motor(1.0, max_force=0.1)


def dry_friction(world: World) -> None:
    arm(world, 40).friction(2.0)


def stiff_damper(world: World) -> None:
    arm(world, 40).damper(500.0)


def controller(world: World) -> None:
    arm(world, 40).pid(1.2, gain=8.0, reset_time=2.0, derivative_time=0.35, window=2.0)


def fast_wheel(world: World) -> None:
    body = world.add_body(Box((1, 0.1, 0.1)), position=(60, 0, 0), mass=1.0, angular_velocity=(0, 500.0, 0))
    wheel = world.add_joint(Hinge((60, 0, 0), (0, 1, 0)), None, body)
    wheel.friction(0.1)


COMPANY = [
    box_that_rests,
    box_that_falls,
    stop_that_is_hit,
    soft_stop,
    weak_motor,
    dry_friction,
    stiff_damper,
    controller,
    fast_wheel,
]


def poses(world: World) -> np.ndarray:
    """Return poses and velocities of the first two bodies."""
    parts = world.positions, world.quaternions, world.velocities, world.angular_velocities
    return np.concatenate([part[:2].ravel() for part in parts])


@pytest.mark.parametrize("company", COMPANY)
@pytest.mark.parametrize("order", [4, 6])
def test_company_changes_nothing_of_a_mechanism(company, order):
    """Move a mechanism as it moves alone, to the accuracy of its solution, with something rough far away."""
    world, alone = mechanism(0.01, order), mechanism(0.01, order)
    company(world)
    for _ in range(100):
        assert world.step().order == order
        alone.step()
    np.testing.assert_allclose(poses(world), poses(alone), atol=1e-9)
    assert world.report.islands >= 2 or company is box_that_falls


def far_limit(world: World) -> None:
    for joint in world.joints:
        joint.limit(-20, 20)


def limit_of_use(world: World) -> None:
    world.joints[1].limit(-0.4, 0.4)


def dampers(world: World) -> None:
    for joint in world.joints:
        joint.damper(0.3)


def servo(world: World) -> None:
    world.joints[0].servo(0.5, stiffness=20.0, damping=0.4)


def motor(world: World) -> None:
    world.joints[1].motor(1.0)


def strong_motor(world: World) -> None:
    world.joints[1].motor(1.0, max_force=1e4)


def strong_servo(world: World) -> None:
    world.joints[0].servo(0.5, stiffness=20.0, damping=0.4, max_force=1e4)


@pytest.mark.parametrize("drive", [far_limit, dampers, servo, motor, strong_motor, strong_servo])
@pytest.mark.parametrize(("order", "steps"), [(4, 50), (6, 80)])
@pytest.mark.parametrize("company", [None, box_that_rests])
def test_smooth_drives_keep_the_order(drive, order, steps, company):
    """Take the order off the error when the step is halved, with drives that are smooth."""

    def state(count: int) -> np.ndarray:
        world = mechanism(0.5 / count, order)
        drive(world)
        if company is not None:
            company(world)
        for _ in range(count):
            assert world.step().order == order
        return poses(world)

    coarse, middle, fine = (state(count) for count in (steps // 2, steps, 2 * steps))
    ratio = np.abs(coarse - middle).max() / np.abs(middle - fine).max()
    assert np.log2(ratio) == pytest.approx(order, abs=0.25)


def test_a_stop_is_of_order_two_while_it_is_touched():
    """Fall back to order 2 where a stop is hit, and only then, and lose no energy but to the stop."""
    world = mechanism(0.01, 4)
    limit_of_use(world)
    orders = [world.step().order for _ in range(150)]
    assert {2, 4} == set(orders)
    assert orders[0] == 4
    ledger = world.ledger
    assert ledger.stop_work < -1e-3
    assert ledger.change == pytest.approx(world.report.energy, abs=1e-3)


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("company", COMPANY)
def test_a_world_of_several_orders_is_saved(company, sleeping):
    """Continue bit for bit from a state that was saved, and split a run as one likes."""
    world = mechanism(0.01, 4, sleeping)
    company(world)
    world.step(40)
    state = world.save()
    world.step(60)
    twin = World()
    twin.restore(state)
    twin.step(25)
    twin.step(35)
    assert twin.state_hash() == world.state_hash()
    world.restore(state)
    world.step(60)
    assert twin.state_hash() == world.state_hash()


def test_a_mechanism_that_meets_something_is_made_together_with_it():
    """Hit a box with a pendulum: the impact is seen, momentum passes on, the energy does not rise."""
    world = mechanism(0.01, 4)
    box_that_rests(world)
    struck = world.add_body(Sphere(0.2), position=(0.0, 0, -2.0), mass=1.0)
    struck.apply_force((0, 0, 9.81))
    world.add_body(Box((4, 4, 1)), position=(0, 0, -2.7), kind="static")
    orders, energy = [], world.report.energy
    for _ in range(120):
        report = world.step()
        orders.append(report.order)
        assert report.energy < energy + 1e-3
    assert {2, 4} <= set(orders)
    assert abs(struck.velocity[0]) > 0.5
    assert world.report.joint_error < 1e-5


def test_bodies_come_and_go_beside_mechanisms():
    """Add and remove bodies, joints and drives between steps of several orders, as in a world of order 2."""
    worlds = [mechanism(0.01, order) for order in (2, 4)]
    for world in worlds:
        box_that_rests(world)
        world.step(5)
        lone = world.add_body(Sphere(0.2), position=(20, 0, 5))
        world.step(5)
        other = arm(world, 30)
        world.step(5)
        world.remove_body(lone)
        other.friction(0.5)
        world.save()
        world.step(5)
        other.enabled = False
        world.step(5)
        world.remove_body(other.second)
        world.add_body(Sphere(0.2), position=(20, 0, 5))
        world.step(5)
        assert len(world.bodies) == 5
    assert worlds[1].report.order == 4
    np.testing.assert_allclose(worlds[0].positions, worlds[1].positions, atol=2e-3)


def test_a_kinematic_base_moves_once():
    """Carry a mechanism by a base that moves as it is told, beside a box that rests."""
    world = World(time_step=0.01, settings=Settings(order=4))
    base = world.add_body(kind="kinematic", velocity=(0.3, 0, 0))
    rod = world.add_body(Box((1, 0.1, 0.1)), position=(0.5, 0, 0), velocity=(0.3, 0, 0), mass=1.0)
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), base, rod)
    box_that_rests(world)
    start = rod.position[2]
    for _ in range(100):
        assert world.step().order == 4
    assert base.position[0] == pytest.approx(0.3, abs=1e-12)
    assert world.report.joint_error < 1e-6
    # in the frame of the base, energy is kept
    speed, spin = rod.velocity - (0.3, 0, 0), rod.angular_velocity[1]
    inertia = (1.0 + 0.01) / 12.0
    energy = 0.5 * speed @ speed + 0.5 * inertia * spin**2 + 9.81 * (rod.position[2] - start)
    assert energy == pytest.approx(0.0, abs=1e-6)
