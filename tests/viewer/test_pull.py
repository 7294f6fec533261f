"""Pulling bodies by a velocity joint: joints stay closed, forces stay bounded, walls hold."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import Ball, World
from stoss.scenes.registry import SCENES
from stoss.viewer.world.pull import MODES, Grip, Pull


def floor_and_box(**box) -> tuple[World, object]:
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    body = world.add_body(Box((0.4, 0.4, 0.4)), position=(0.0, 0.0, 0.2), mass=2.0, name="box", **box)
    return world, body


def run(world: World, pull: Pull, steps: int) -> list:
    reports = []
    for _ in range(steps):
        pull.follow()
        reports.append(world.step())
    return reports


def test_a_crane_hook_pulled_through_an_obstacle_keeps_its_joints_and_comes_to_rest():
    world = SCENES["crane"].build()
    for joint in world.joints:  # the crane itself stands still, its trolley too
        for drive in joint.drives:
            drive.schedule([0.0], [0.0])
    world.add_body(Box((0.6, 6.0, 8.0)), position=(6.0, 0.0, 4.0), kind="static", name="obstacle")
    load = world.body("load")
    pull = Pull.begin(world, Grip("load", goal=tuple(load.position)))
    pull.move((8.5, 0.5, 3.0))
    speeds, energies, given = [], [], []
    for _ in range(1000):
        pull.follow()
        report = world.step()
        assert report.joint_error < 1e-5
        assert report.max_overlap < 1e-3
        given.append(report.ledger.drive_work + report.ledger.load_work)
        speeds.append(np.linalg.norm(load.velocity))
        energies.append(report.energy)
        if len(speeds) == 600:
            assert load.position[0] < 5.7 - 0.4  # before the obstacle, against which it was pulled
            pull.move((4.5, 0.5, 4.0))
    assert max(speeds[-100:]) < 1e-3  # the load is held at rest
    assert energies[-1] < energies[700]  # its slack chain swings on, and gains nothing
    assert energies[-1] < energies[0] + sum(given[1:])
    pull.end()
    for _ in range(300):
        assert world.step().joint_error < 1e-5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("thickness", [0.5, 0.02])
def test_a_body_pulled_into_a_wall_stays_before_it(mode, thickness):
    world, box = floor_and_box()
    world.add_body(
        Box((thickness, 4.0, 4.0)), position=(2.0 + 0.5 * thickness, 0.0, 2.0), kind="static", name="wall"
    )
    pull = Pull.begin(world, Grip("box", mode, goal=(0.2, 0.0, 0.2)))
    pull.move((6.0, 0.0, 0.5))
    for _ in range(300):
        run(world, pull, 1)
        assert box.position[0] < 2.0
        assert np.linalg.norm(box.velocity) < 15.0
    pull.end()
    for _ in range(300):
        report = world.step()
    assert box.position[0] < 2.0
    assert report.kinetic_energy < 1e-9
    assert report.max_overlap < 1e-5


def test_the_pull_gives_no_more_than_its_acceleration():
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.2, 0.2, 0.2)), mass=3.0, name="box")
    pull = Pull.begin(world, Grip("box", acceleration=50.0, goal=(0.0, 0.0, 0.0)))
    pull.move((100.0, 0.0, 0.0))
    for _ in range(20):
        before = body.velocity
        run(world, pull, 1)
        assert np.linalg.norm(body.velocity - before) <= 50.0 * world.time_step * (1.0 + 1e-9)
    assert np.linalg.norm(body.velocity) == pytest.approx(10.0, rel=1e-3)


def test_a_held_body_hangs_where_the_pointer_is():
    world, box = floor_and_box()
    pull = Pull.begin(world, Grip("box", goal=(0.0, 0.0, 0.4)))
    pull.move((1.0, 0.5, 1.5))
    run(world, pull, 1500)  # it swings, and the swing dies away
    assert pull.point == pytest.approx((1.0, 0.5, 1.5), abs=1e-6)
    assert box.position == pytest.approx((1.0, 0.5, 1.3), abs=1e-3)


def test_grab_holds_the_orientation_and_turns_it():
    world, box = floor_and_box()
    pull = Pull.begin(world, Grip("box", "grab", goal=(0.2, 0.0, 0.2)))
    pull.move((0.0, 0.0, 1.0))
    run(world, pull, 300)
    assert box.quaternion == pytest.approx((1.0, 0.0, 0.0, 0.0), abs=1e-6)
    turned = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    pull.move((0.0, 0.0, 1.0), turned)
    run(world, pull, 300)
    assert box.quaternion == pytest.approx(turned, abs=1e-6)


def test_a_slack_rope_does_nothing_and_a_taut_one_lifts():
    world, box = floor_and_box()
    pull = Pull.begin(world, Grip("box", "rope", length=0.5, goal=(0.0, 0.0, 0.4)))
    pull.move((0.0, 0.0, 0.8))
    run(world, pull, 100)
    assert box.position == pytest.approx((0.0, 0.0, 0.2), abs=1e-9)
    pull.move((0.0, 0.0, 2.0))
    run(world, pull, 500)
    assert np.linalg.norm(pull.point - pull.pointer) == pytest.approx(0.5, abs=1e-4)
    assert box.position[2] == pytest.approx(1.3, abs=1e-3)


def test_a_pull_leaves_no_trace():
    world, _ = floor_and_box()
    other = world.add_body(Box((0.2, 0.2, 0.2)), position=(0.0, 0.0, 1.0), name="hung")
    world.add_joint(Ball((0.0, 0.0, 1.1)), None, other, name="ball")
    names = [body.name for body in world.bodies], [joint.name for joint in world.joints]
    pull = Pull.begin(world, Grip("hung", goal=(0.0, 0.0, 1.0)))
    run(world, pull, 3)
    pull.end()
    assert ([body.name for body in world.bodies], [joint.name for joint in world.joints]) == names


@pytest.mark.parametrize(
    "grip, complaint",
    [
        (Grip("ground"), "static: only dynamic bodies"),
        (Grip("box", "magnet"), "mode = 'magnet'"),
        (Grip("box", acceleration=-1.0), "acceleration = -1.0"),
        (Grip("box", goal=(0.0, np.nan, 0.0)), "point"),
    ],
)
def test_bad_grips_are_named_and_change_nothing(grip, complaint):
    world, _ = floor_and_box()
    with pytest.raises((ValueError, KeyError), match=complaint):
        Pull.begin(world, grip)
    assert len(world.bodies) == 2
