"""Joints come and go with their bodies, names and snapshots."""

import pickle

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import (
    Ball,
    Hinge,
    World,
)
from tests.engine.joint_worlds import turned_bodies

ROUNDING = 1e-13  # lengths of about 10 m, a few operations: 10 * 2^-52 * 50
POINT, AXIS, OTHER = np.array([0.3, -1.2, 0.7]), np.array([1.0, 2.0, -0.5]), np.array([-0.4, 1.0, 3.0])


def chain(length: int = 5) -> World:
    """Return a chain of bodies "0", "1", ... with hinges "0-1", "1-2", ... that overlap their neighbours."""
    world = World(gravity=(0, 0, 0))
    for k in range(length):
        world.add_body(Box((1.2, 1, 1)), position=(k, 0, 0), name=str(k))
    for k in range(1, length):
        pair = world.body(str(k - 1)), world.body(str(k))
        world.add_joint(Hinge((k - 0.5, 0, 0), (0, 1, 0)), *pair, name=f"{k - 1}-{k}")
    return world


def touching(world: World) -> set[tuple[int, int]]:
    """Return the rows of the bodies that collide."""
    contacts = world.contacts
    return {
        (min(a, b), max(a, b))
        for a, b in zip(contacts.body_a[: contacts.count], contacts.body_b[: contacts.count], strict=True)
    }


def test_bodies_take_their_joints_with_them():
    """Remove the joints of a removed body, and let the others follow their bodies."""
    world = chain()
    kept = world.joint("2-3"), world.joint("3-4")
    motors = [joint.motor(k + 1.0) for k, joint in enumerate(kept)]
    middle, gone = world.joint("2-3").second, world.joint("0-1")
    world.remove_body(world.body("1"))
    assert world.joints == list(kept)
    assert kept[0].first is world.body("2") and kept[0].second is middle and kept[1].index == 1
    assert world._joint_table.arrays.bodies.tolist() == [[1, 2], [2, 3]]
    assert [motor.target_rate for motor in motors] == [1.0, 2.0]
    assert all(joint.error < ROUNDING for joint in kept)
    with pytest.raises(ValueError, match="'0-1'.*removed"):
        _ = gone.value
    with pytest.raises(KeyError, match="0-1"):
        world.joint("0-1")


def test_joints_keep_bodies_from_colliding():
    """Let joined bodies pass through each other while a joint without `collide` is there, and no longer."""
    world = chain(3)
    assert touching(world) == set()
    second = world.add_joint(Ball((0.5, 0, 0)), world.body("1"), world.body("0"))
    third = world.add_joint(Ball((0.5, 0, 0)), world.body("0"), world.body("1"), collide=True)
    world.remove_joint(world.joint("0-1"))
    assert touching(world) == set()
    world.remove_joint(second)
    assert touching(world) == {(0, 1)}
    world.remove_joint(third)
    world.exclude_collision(world.body("2"), world.body("1"))
    world.remove_joint(world.joint("1-2"))
    assert touching(world) == {(0, 1)}


def test_default_names_are_new():
    """Name joints by a number that is not used again, and find them by name."""
    world = turned_bodies()
    a, b = world.body("a"), world.body("b")
    first = world.add_joint(Ball(POINT), a, b)
    world.remove_joint(first)
    second = world.add_joint(Ball(POINT), a, b)
    assert (first.name, second.name) == ("joint 0", "joint 1")
    assert world.joint("joint 1") is second and world.joints == [second]
    assert second.world is world and second.kind == Ball(POINT)


@pytest.mark.parametrize("pickled", [False, True])
def test_snapshots_bring_joints_back(pickled):
    """Restore joints, limits, drives, switches and exclusions, whatever was changed since."""
    world = chain()
    servo = world.joint("1-2").servo(0.5, stiffness=1.0, damping=1.0)
    servo.schedule([0, 1], [2, 3])
    pid, stop = world.joint("3-4").pid(0.1, gain=2.0), world.joint("3-4").limit(-1, 1)
    world.joint("0-1").enabled = False
    snapshot = world.save()
    if pickled:
        snapshot = pickle.loads(pickle.dumps(snapshot))
    before = world._joint_table.copy_arrays()
    late = world.joint("1-2").motor(1.0)
    servo.target = 9.0
    world.remove_joint(world.joint("0-1"))
    world.remove_body(world.body("4"))
    world.add_joint(Ball((0, 0, 0)), None, world.body("0"), name="new")
    assert touching(world) == {(0, 1)}
    world.restore(snapshot)
    for name, old in before.items():
        assert np.array_equal(getattr(world._joint_table.arrays, name), old), name
    assert [joint.name for joint in world.joints] == ["0-1", "1-2", "2-3", "3-4"]
    assert touching(world) == set() and not world.joint("0-1").enabled
    assert world.joint("3-4").second is world.body("4")
    assert [limit.upper for limit in world.joint("3-4").limits] == [1.0]
    assert [drive.target for drive in world.joint("3-4").drives] == [0.1]
    assert world.joint("1-2").drives[0].target == 0.5
    if not pickled:
        assert world.joint("1-2").drives == [servo] and servo.target == 0.5
        with pytest.raises(ValueError, match="Drive.*'1-2'.*removed"):
            _ = late.target_rate
        with pytest.raises(ValueError, match="removed"):
            _ = (pid.target, stop.lower)  # their joint was removed with its body: the old handles are void
    assert world.add_joint(Ball((0, 0, 0)), None, world.body("0")).name == "joint 4"
