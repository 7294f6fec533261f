"""Determinism with joints: the same bits in one call or many, and after saving and restoring."""

import pickle

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Fixed, Free, Hinge, Settings, Slider, Universal, World
from tests.engine.joint_worlds import KINDS, add_free_pair
from tests.engine.worlds import floor


def machine(settings: Settings | None = None) -> World:
    """Return a world with all that has a state: joints, stops, drives, controllers, schedules, a loop."""
    world = World(settings=settings)
    floor(world)
    before = None
    for k in range(4):
        link = world.add_body(
            Box((0.5, 0.1, 0.1)), mass=1.0, position=(0.5 * k + 0.25, 0, 1.2), name=f"link {k}"
        )
        joint = world.add_joint(Hinge((0.5 * k, 0, 1.2), (0, 1, 0)), before, link, name=f"hinge {k}")
        before = link
    world.joint("hinge 0").motor(1.0, max_force=20.0).schedule([0.0, 0.3, 0.6], [0.0, 2.0, -2.0])
    world.joint("hinge 1").pid(0.4, gain=8.0, reset_time=2.0, derivative_time=0.1, window=0.2, max_force=9.0)
    world.joint("hinge 2").limit(-0.5, 0.5, restitution=0.6)
    world.joint("hinge 2").friction(0.2)
    world.joint("hinge 3").spring(4.0, 0.1)
    weight = world.add_body(Sphere(0.2), mass=2.0, position=(2.2, 0, 1.2), name="weight")
    joint = world.add_joint(Ball((2.0, 0, 1.2)), before, weight, name="ball")
    joint.limit(0.0, 0.8, coordinate="swing", stiffness=100.0, damping=1.0)
    joint.servo(0.3, stiffness=5.0, damping=0.5, max_force=1.0, coordinate="twist")
    cart = world.add_body(Box((0.3, 0.3, 0.2)), mass=1.0, position=(0, 2, 0.5))
    rail = world.add_joint(Slider((0, 2, 0.5), (1, 0, 0)), None, cart, name="rail")
    rail.motor(0.5, max_force=5.0)
    rod = world.add_body(Box((0.1, 0.1, 1.0)), mass=0.5, position=(0, 2, 1.0))
    world.add_joint(Universal((0, 2, 0.5), (1, 0, 0), (0, 1, 0)), cart, rod)
    weak = world.add_joint(
        Fixed((0, 2, 1.5)), rod, world.add_body(Sphere(0.1), mass=1.0, position=(0, 2, 1.6))
    )
    weak.break_torque = 3.0
    world.add_joint(Free((0, 2, 0.5), second_point=(0, 0, 1.2)), cart, world.body("link 0")).spring(
        20.0, rest=1.5, coordinate="distance"
    )
    return world


def record(world: World) -> tuple:
    """Return all that a user can read of the joints, and the hash of the state."""
    joints = [
        (
            joint.broken,
            joint.force.tobytes(),
            joint.torque.tobytes(),
            *(joint.value_of(name) for name in joint.coordinates),
            *(drive.force for drive in joint.drives),
            *(stop.force for stop in joint.limits),
        )
        for joint in world.joints
    ]
    return world.state_hash(), joints, world.time, [j.name for j in world.broken_joints]


ALL_SETTINGS = {
    "default": Settings(),
    "direct": Settings(solver="direct"),
    "gauss_seidel": Settings(solver="gauss_seidel"),
    "order 4": Settings(order=4),
}
each_setting = pytest.mark.parametrize("settings", ALL_SETTINGS.values(), ids=ALL_SETTINGS)


@each_setting
def test_same_bits_however_split(settings):
    """Give the same bits in one call, in many, and twice."""
    results = []
    for parts in ([90], [1] * 90, [13, 30, 47], [90]):
        world = machine(settings)
        for count in parts:
            world.step(count)
        results.append(record(world))
    assert all(result == results[0] for result in results)


@each_setting
@pytest.mark.parametrize("at", [1, 31, 62])
def test_restore_continues_bitwise(settings, at):
    """Go on from a saved state with the same bits as without saving, in this world and in a new one."""
    world = machine(settings)
    world.step(at)
    snapshot = world.save()
    now = record(world)[:1]
    world.step(30)
    expected = record(world)
    world.restore(snapshot)
    assert record(world)[:1] == now
    world.step(30)
    assert record(world) == expected
    other = World(settings=settings)
    other.restore(pickle.loads(pickle.dumps(snapshot)))
    other.step(30)
    assert record(other) == expected


def test_saving_changes_nothing():
    """Go on the same whether a state was saved in between or not, and whether anything was read."""
    plain, saved = machine(), machine()
    for _ in range(60):
        plain.step()
        saved.step()
        saved.save()
        record(saved)
        assert saved.report.joint_count == len(plain.joints)
    assert record(plain) == record(saved)


def test_restore_brings_joints_back():
    """Bring back removed joints, drives and switches, and drop those that were added since."""
    world = machine()
    world.step(20)
    snapshot = world.save()
    world.step(20)
    expected = record(world)
    world.restore(snapshot)
    world.remove_joint(world.joint("ball"))
    world.joint("hinge 0").drives[0].remove()
    world.joint("hinge 1").enabled = False
    world.joint("hinge 3").motor(3.0)
    world.joint("hinge 2").limits[0].restitution = 0.1
    world.step(20)
    assert record(world)[0] != expected[0]
    world.restore(snapshot)
    world.step(20)
    assert record(world) == expected


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_restores(name):
    """Save and restore a joint of every kind in motion."""
    world = World(gravity=(0, 0, 0))
    add_free_pair(world, KINDS[name][0], speed=2.0)
    world.step(10)
    snapshot = world.save()
    world.step(20)
    expected = record(world)
    world.restore(snapshot)
    world.step(20)
    assert record(world) == expected


def test_no_negative_zero_or_nan():
    """Leave only finite numbers in what a user reads."""
    world = machine()
    world.step(90)
    for joint in world.joints:
        assert np.isfinite(joint.force).all() and np.isfinite(joint.torque).all()
        assert np.isfinite([joint.value_of(n) for n in joint.coordinates]).all()
