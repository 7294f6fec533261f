"""Removing bodies and joints: gone at once for all who ask, taken out of the arrays together."""

from typing import Any

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Settings, World
from stoss.engine.stages.waking import Waking
from stoss.engine.world import steps as steps_module
from stoss.engine.world.body import Body

FLOOR = HalfSpace((0.0, 0.0, 1.0))


def crowd(*, sleeping: bool = False) -> World:
    """Return boxes and balls on a floor, some of them joined, some of which pass through each other."""
    world = World(settings=Settings(sleeping=sleeping, sleep_time=0.05))
    world.add_body(FLOOR, kind="static")
    for k in range(24):
        shape = Box((0.5, 0.5, 0.5)) if k % 3 else Sphere(0.25)
        world.add_body(shape, position=(0.6 * (k % 6), 0.6 * (k // 12), 0.25 + 0.5 * (k // 6 % 2)))
    bodies = world.bodies
    for k in range(1, 19, 4):
        joint = world.add_joint(Hinge(bodies[k].position, (0, 1, 0)), bodies[k], bodies[k + 1])
        joint.motor(0.5, max_force=3.0)
        joint.motor(0.1, max_force=1.0).schedule([0.0, 1.0], [0.0, float(k)])
    world.exclude_collision(bodies[2], bodies[9])
    world.exclude_collision(bodies[20], bodies[14])
    return world


def look(world: World) -> Any:
    """Return all that is known of bodies and joints by number."""
    rows = [world.positions, world.velocities, world.masses, world.joint_parts.bodies]
    names = [one.name for one in (*world.bodies, *world.joints)]
    return [row.tolist() for row in rows], names, [one.index for one in (*world.bodies, *world.joints)]


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_when_someone_looks_makes_no_difference(seed, sleeping):
    """Reach the same bits whether the arrays are looked at after each change or after all of them."""
    worlds = [crowd(sleeping=sleeping) for _ in range(2)]
    for world in worlds:
        world.step(20)
    for round_ in range(4):
        for world, looks in zip(worlds, (True, False), strict=True):
            random = np.random.default_rng([seed, round_])
            for what in random.integers(0, 6, 8):
                alive = [body for body in world._all_bodies.handles if world._all_bodies.registry.has(body)]
                joints = [one for one in world._all_joints.handles if world._all_joints.registry.has(one)]
                pick = alive[1 + random.integers(len(alive) - 1)]
                if what < 3 and len(alive) > 6:
                    world.remove_body(pick)
                elif what == 3 and joints:
                    world.remove_joint(joints[random.integers(len(joints))])
                elif what == 4:
                    world.add_body(Sphere(0.2), position=(0.1 * random.integers(30), 0, 2.0))
                else:
                    pick.velocity = pick.velocity + (0, 0, 0.1)
                    other = alive[1 + random.integers(len(alive) - 1)]
                    if other is not pick:
                        world.add_joint(Ball(pick.position), other, pick)
                if looks:
                    look(world)
        assert look(worlds[0]) == look(worlds[1])
        for world in worlds:
            world.step(5)
        assert worlds[0].state_hash() == worlds[1].state_hash()
    saved = [world.save() for world in worlds]
    for world, snapshot in zip(worlds, saved, strict=True):
        for body in world.bodies[2:5]:
            world.remove_body(body)
        world.restore(snapshot)
        world.step(5)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_gone_at_once():
    """Let a removed body be gone for all who ask, before anything was taken out of the arrays."""
    world = crowd()
    bodies, joints = world.bodies, world.joints
    world.remove_body(bodies[5])  # with its joint to the next one
    assert world._all_bodies.registry.has_dropped
    for use in (lambda: bodies[5].position, lambda: bodies[5].index, lambda: world.remove_body(bodies[5])):
        with pytest.raises(ValueError, match="'body 5' is not in this world"):
            use()
    with pytest.raises(ValueError, match="joint 1.* is not in this world"):
        joints[1].enabled = False
    with pytest.raises(KeyError, match="body 5"):
        world.body("body 5")
    twin = world.add_body(Sphere(0.1), name="body 5")
    assert world.body("body 5") is twin
    assert joints[2].first is bodies[9] and joints[2].second is bodies[10]
    assert bodies[4].index == 4 and bodies[6].index == 5 and twin.index == 24
    assert world.bodies == [*bodies[:5], *bodies[6:], twin]
    assert world.joints == [joints[0], *joints[2:]]


def test_thousands_go_in_one_pass(monkeypatch):
    """Take all that was removed out of the arrays once, whatever is read of bodies and added meanwhile."""
    passes: list[int] = []
    remove = Waking.remove_bodies

    def counted(self: Waking, rows: np.ndarray) -> None:
        passes.append(len(rows))
        remove(self, rows)

    monkeypatch.setattr(Waking, "remove_bodies", counted)
    world = World()
    bodies = world.add_bodies(Sphere(0.4), np.arange(3000.0).reshape(1000, 3))
    chain = [world.add_joint(Ball((0, 0, 0)), a, b) for a, b in zip(bodies[:50], bodies[1:51], strict=True)]
    for body in bodies[::2]:
        if body.position[0] >= 0.0 and not body.asleep and body.kind == "dynamic" and body.mass > 0.0:
            world.remove_body(body)
    for joint in chain:
        with pytest.raises(ValueError, match="not in this world"):
            world.remove_joint(joint)
    more: list[Body] = [world.duplicate(body) for body in bodies[1:20:2]]
    assert passes == []
    world.step()
    assert passes == [500] and len(world.bodies) == 510 and world.bodies[-1] is more[-1]
    assert [body.index for body in bodies[1::2]] == list(range(500))


def test_memory_is_given_back():
    """Keep no more than a small part of the arrays' memory when all bodies and joints are gone."""
    world = World()
    bodies = world.add_bodies(Box((1, 1, 1)), 3.0 * np.arange(6000.0).reshape(2000, 3))
    for first, second in zip(bodies[::2], bodies[1::2], strict=True):
        joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), first, second)
        joint.servo(0.0, stiffness=1.0, damping=1.0)
    tables = world._all_bodies.table._table, world._all_joints.table._table, world.shape_table._table

    def size() -> int:
        return sum(array.nbytes for table in tables for array in table.storage if array.ndim)

    full = size()
    for body in bodies:
        world.remove_body(body)
    assert world.bodies == [] and world.joints == [] and size() < 0.2 * full
    twin = world.add_body(Box((1, 1, 1)))
    world.step()
    assert twin.index == 0 and twin.velocity[2] < 0.0


def test_working_memory_is_given_back_without_a_trace(monkeypatch):
    """Go on to the same bits whether or not the memory of steps of many bodies is given back."""
    worlds = []
    for few in (10, 10**9):
        monkeypatch.setattr(steps_module, "FEW_BODIES", few)
        world = crowd(sleeping=True)
        extra = world.add_bodies(Sphere(0.2), np.arange(600.0).reshape(200, 3) + (0, 0, 50.0))
        world.step(12)
        stepper = world._steps.stages
        for body in extra:
            world.remove_body(body)
        figures = world.report.sweeps, world.report.stage_times
        assert (world._stepper is stepper) == (few > 10)
        assert figures == (world.report.sweeps, world.report.stage_times)
        world.step(10)
        worlds.append(world)
    assert worlds[0].state_hash() == worlds[1].state_hash()
    assert (worlds[0].contact_impulses == worlds[1].contact_impulses).all()
    assert worlds[0].events.persist.tolist() == worlds[1].events.persist.tolist()
