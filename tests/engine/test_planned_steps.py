"""Steps of mechanisms that one kernel plans and makes: the same bits as those that Python plans."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Settings, SimulationError, World
from stoss.engine.stages.at_once import FAST, MOVED, NOTHING, SAME_PAIRS, SETTLED, UNEVENTFUL, MadeAhead
from stoss.engine.stages.contact_free import OPEN
from stoss.engine.stages.planned import ENDED, LEFT, PLANNED, Planned
from tests.engine.joint_worlds import chain

STEPS = 48


def whip(settings: Settings | None = None) -> World:
    """Build a chain that falls and whips, with bodies that pass it, and a driven arm between stops."""
    world = World(settings=settings)
    last = None
    for k in range(8):
        place, side = (0.3 * k + 0.15, 0.0, 4.0), 0.5**0.5
        link = world.add_body(
            Capsule(0.02, 0.1), position=place, quaternion=(side, 0.0, side, 0.0), mass=1.0, name=f"link {k}"
        )
        world.add_joint(Ball((0.3 * k, 0.0, 4.0)), last, link, name=f"ball {k}")
        last = link
    arm = world.add_body(Box((0.8, 0.1, 0.1)), position=(0.4, 3.0, 4.0), mass=2.0, name="arm")
    elbow = world.add_joint(Hinge((0.0, 3.0, 4.0), (0.0, 1.0, 0.0)), None, arm, name="elbow")
    elbow.limit(-0.4, 0.7)
    elbow.pid(0.3, gain=60.0, reset_time=0.5, derivative_time=0.1)
    world.add_body(Sphere(0.1), position=(1.0, -3.0, 4.0), velocity=(0.0, 9.0, 0.0), name="ball")
    return world


def floor(settings: Settings | None = None) -> World:
    """Build the same above a floor, on which boxes stand and the end of the chain lands."""
    world = whip(settings)
    world.add_body(HalfSpace((0.0, 0.0, 1.0)), position=(0.0, 0.0, 2.6), kind="static", name="floor")
    for k in range(2):
        world.add_body(Box((0.4, 0.4, 0.3)), position=(2.0, 2.0, 2.75 + 0.3 * k), name=f"box {k}")
    return world


WORLDS = {"whip": whip, "floor": floor}


def snap(world: World) -> None:
    world.joint("ball 4").break_force = 20.0


def shoot(world: World) -> None:
    world.add_body(Sphere(0.03), position=(0.1, -6.0, 3.5), velocity=(0.0, 80.0, 0.0), name="bullet")


def pull(world: World) -> None:
    link = world.body("link 7")
    link.position = link.position + (0.0, 0.05, 0.0)


# What users do between two steps, each of which the next step must see.
CHANGES = {
    "nothing": lambda world: None,
    "damper": lambda world: world.joint("ball 2").damper(0.3, coordinate="swing"),
    "servo": lambda world: world.joint("elbow").servo(0.1, stiffness=50.0, damping=2.0),
    "stop": lambda world: setattr(world.joint("elbow").limits[0], "upper", 0.2),
    "break": snap,
    "removal": lambda world: world.remove_joint(world.joint("ball 3")),
    "disabled": lambda world: setattr(world.joint("ball 5"), "enabled", False),
    "joint": lambda world: world.add_joint(
        Ball(world.body("link 7").position), world.body("link 7"), world.body("arm")
    ),
    "bullet": shoot,
    "spin": lambda world: setattr(world.body("link 7"), "angular_velocity", (0.0, 300.0, 0.0)),
    "pose": lambda world: setattr(world.body("arm"), "position", (0.4, 3.0, 4.1)),
    "open": pull,
    "order": lambda world: setattr(world, "settings", Settings(order=4)),
    "turn": lambda world: setattr(world, "settings", Settings(largest_turn=0.01)),
    "sweeps": lambda world: setattr(world, "settings", Settings(solver="gauss_seidel")),
    "callback": lambda world: world.after_step.append(lambda w: None),
    "snapshot": lambda world: world.restore(world.save()),
}


def run(build: str, change: str, every: int = 1) -> list[tuple[object, ...]]:
    """Return what a world tells after each step, with a change half-way through."""
    world, told = WORLDS[build](), []
    for step in range(0, STEPS, every):
        if step == STEPS // 2:
            CHANGES[change](world)
        report = world.step(every)
        told.append(
            (
                *(world.state_hash(), world.time, str(world.ledger), report.energy, report.order),
                *(report.passes, report.refinements, report.sub_steps, report.factorisations),
                *([joint.name for joint in world.broken_joints], world.joint("elbow").force.tolist()),
                [len(pairs) for pairs in (world.events.begin, world.events.persist, world.events.end)],
            )
        )
    return told


@pytest.mark.parametrize("build", WORLDS)
@pytest.mark.parametrize("change", CHANGES)
def test_planned_steps_are_those_that_python_plans(build, change, monkeypatch):
    """Reach the same bits and reports, whatever is changed between two steps."""
    planned = run(build, change)
    assert run(build, change, every=3) == planned[2::3]
    monkeypatch.setattr(MadeAhead, "prepare", lambda self, before: None)
    assert run(build, change) == planned


def test_plans_come_to_all_their_ends(monkeypatch):
    """Make whole steps of several parts in the kernel, and leave some to Python at each place."""
    ends, ended, handed = set(), set(), set()
    run_kernel = MadeAhead.run
    begun = Planned.begun

    def noted(self, *arguments):
        ends.add(made := run_kernel(self, *arguments))
        return made

    def told(self, step):
        came = self.plan.came.tolist()
        handed.add((came[LEFT] < 0, came[PLANNED] > 1))
        ended.add(came[ENDED])
        return begun(self, step)

    monkeypatch.setattr(MadeAhead, "run", noted)
    monkeypatch.setattr(Planned, "begun", told)
    parts = {
        row[7] for build in WORLDS for change in ("bullet", "spin", "open") for row in run(build, change)
    }
    assert max(parts) > 3
    assert {NOTHING, FAST, SETTLED, SAME_PAIRS, UNEVENTFUL} <= ends and MOVED not in ends
    assert OPEN in ended and {(True, True), (False, True)} <= handed


@pytest.mark.parametrize("count", [1, 5])
def test_free_fall_is_uneventful(count, monkeypatch):
    """Make the steps of bodies that fall apart from each other in one call each, exactly."""
    world = World()
    balls = [world.add_body(Sphere(0.05), position=(k, 0.0, 0.0)) for k in range(count)]
    world.step(3)
    ends = []
    run_kernel = MadeAhead.run

    def noted(self, *arguments):
        ends.append(run_kernel(self, *arguments))
        return ends[-1]

    monkeypatch.setattr(MadeAhead, "run", noted)
    world.step(200)
    assert ends == [UNEVENTFUL] * 200
    fallen = 0.5 * 9.81 * 2.03**2
    assert np.allclose([ball.position[2] for ball in balls], -fallen, rtol=1e-12, atol=0.0)


def test_fast_bodies_stop_at_what_is_in_their_way():
    """Hold a bullet at a thin wall, among bodies that fall so fast that each is looked at."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Box((0.02, 1.0, 1.0)), position=(5.0, 0.0, 0.0), kind="static", name="wall")
    bullet = world.add_body(Sphere(0.02), position=(0.0, 0.0, 0.0), velocity=(70.0, 0.0, 0.0))
    passer = world.add_body(Sphere(0.02), position=(0.0, 3.0, 0.0), velocity=(70.0, 0.0, 0.0))
    world.step(30)
    assert bullet.position[0] < 5.0 and passer.position[0] == pytest.approx(21.0)


def run_away() -> tuple[object, ...]:
    """Return what a world tells after a step in which a link ran away, and where it is ten steps later."""
    world = whip()
    world.step(20)
    told = world.state_hash(), world.time, world.step_count, str(world.ledger), world.report.energy
    world.forces[3] = 1e14, 0.0, 0.0
    with pytest.raises(SimulationError):
        world.step()
    assert (world.state_hash(), world.time, world.step_count, str(world.ledger), world.report.energy) == told
    world.forces[3] = 0.0
    world.step(10)
    return (*told, world.state_hash(), world.joint("elbow").force.tolist())


def test_a_link_that_runs_away_leaves_the_last_good_step(monkeypatch):
    """Be as before the step, controllers and the number of parts too, and go on as where Python plans."""
    planned = run_away()
    monkeypatch.setattr(MadeAhead, "prepare", lambda self, before: None)
    assert run_away() == planned


@pytest.mark.parametrize("links", [20, 50])
def test_impulses_of_a_preview_are_as_exact_as_it_asks_for(links):
    """Solve once for each preview of a chain that falls, twice for its rates; keep joints, rates and energy.

    Errors of the preview that will do are a thousand times what such a solution leaves.
    """
    joints = chain(links, length=0.2)
    world = joints[0].second.world
    work = np.zeros(3)
    for _ in range(60):
        report = world.step()
        work += report.refinements, report.passes, report.sub_steps
        assert report.joint_error < world.settings.position_tolerance
        for joint in joints[1:]:
            first, second = (
                body.velocity + np.cross(body.angular_velocity, point - body.position)
                for body, point in ((joint.first, joint.first_point), (joint.second, joint.second_point))
            )
            turning = np.abs([joint.first.angular_velocity, joint.second.angular_velocity]).max()
            assert np.abs(first - second).max() < 1e-9 + 4.0 * report.joint_error * turning
    assert work[0] <= 1.05 * (work[1] + 2.0 * work[2])
    assert report.energy == pytest.approx(world.ledger.change, abs=1e-9 * links)
