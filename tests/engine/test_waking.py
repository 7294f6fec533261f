"""What sleeps wakes when something happens to it, no sooner, no later, and goes on as if it had not slept."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stoss.collision import Box, Placed, Sphere
from stoss.engine import Ball, Fixed, Hinge, Material, Settings, World
from tests.engine.test_sleeping import ASLEEP, SAME, WINDOW
from tests.engine.worlds import G, tower, world_with_floor


def test_a_stack_hit_by_a_ball_does_what_it_does_without_sleep():
    """Wake a stack in the step in which a ball reaches it, with the motion of a stack that never slept."""
    height, worlds = 0.5 * G * 0.8**2, []
    for sleeping in (True, False):
        world = tower(3, settings=Settings(sleeping=sleeping))
        world.add_body(Sphere(0.3), position=(0.1, 0.05, 3.3 + height), mass=1.0, name="ball")
        worlds.append(world)
    ours, theirs = worlds
    woke = 0
    for step in range(1, 130):
        ours.step()
        theirs.step()
        if not woke and step > WINDOW + 2:
            if ours.asleep[1:4].all():
                assert len(ours.events.begin) == 0
            else:
                woke = step
    # it arrives after 0.8 s, the gap of the margin a little earlier
    assert 79 <= woke <= 81
    assert np.abs(ours.positions - theirs.positions).max() < SAME
    assert ours.report.energy == pytest.approx(theirs.report.energy, abs=10 * G * SAME)


def test_dominoes_wake_each_other():
    """Fall one after the other as without sleep, each asleep until it is hit."""
    worlds = []
    for settings in (ASLEEP, Settings()):
        world = world_with_floor(settings=settings)
        for k in range(6):
            world.add_body(Box((0.2, 0.8, 1.0)), position=(0.6 * k, 0, 0.5), mass=1.0)
        world.step(WINDOW + 10)
        world.bodies[1].apply_impulse((1.2, 0, 0), point=(-0.1, 0, 1.0))
        worlds.append(world)
    ours, theirs = worlds
    assert ours.asleep[1:].all()
    hits = np.zeros((2, 7), int)
    for step in range(150):
        ours.step()
        theirs.step()
        hits[0][hits[0] == 0] = (step * ~ours.asleep)[hits[0] == 0]
        for a, b in theirs.events.begin:
            if a > 0 and hits[1][b] == 0:
                hits[1][b] = step
        if step == 70:
            # through three impacts; later ones amplify rounding, as the last digits of a lottery drum
            assert np.abs(ours.positions - theirs.positions).max() < SAME
    # within the margin no later, and at most a step before the faces meet
    assert np.abs(hits[0] - hits[1])[2:].max() <= 1 and hits[0][6] > 0
    assert ours.report.energy == pytest.approx(theirs.report.energy, rel=1e-3)
    assert min(abs(body.quaternion[2]) for body in ours.bodies[1:]) > 0.1, "some did not fall"


def two_stacks() -> World:
    """Return two towers of three cubes that sleep, "a ..." and "b ...", 5 m apart."""
    world = world_with_floor(settings=ASLEEP)
    for tag, x in (("a", 0.0), ("b", 5.0)):
        for k in range(3):
            world.add_body(Box((1, 1, 1)), position=(x, 0, 0.5 + k), mass=1.0, name=f"{tag} {k}")
    world.step(WINDOW + 10)
    assert world.asleep[1:].all()
    return world


def set_whole(world: World, name: str) -> None:
    """Move the third cube by an assignment of all positions."""
    values = getattr(world, name).copy()
    values[3, 2] += 1e-9
    setattr(world, name, values)


CHANGES: dict[str, Callable[[World], Any]] = {
    "position": lambda w: setattr(w.body("a 2"), "position", (0.01, 0, 2.5)),
    "quaternion": lambda w: setattr(w.body("a 0"), "quaternion", (0, 0, 0, 1)),
    "velocity": lambda w: setattr(w.body("a 1"), "velocity", (0, 1e-9, 0)),
    "angular velocity": lambda w: setattr(w.body("a 1"), "angular_velocity", (0, 1e-9, 0)),
    "velocities": lambda w: w.velocities.__setitem__((1, 0), 1e-9),
    "positions": lambda w: set_whole(w, "positions"),
    "force": lambda w: w.forces.__setitem__((2, 0), 1e-3),
    "torque": lambda w: w.torques.__setitem__((2, 2), 1e-3),
    "load": lambda w: w.body("a 0").apply_force((1e-3, 0, 0)),
    "impulse": lambda w: w.body("a 0").apply_impulse((1e-3, 0, 0)),
    "mass": lambda w: setattr(w.body("a 0"), "mass", 2.0),
    "material": lambda w: setattr(w.body("a 2"), "material", Material(friction=0.1)),
    "solver": lambda w: setattr(w.body("a 2"), "solver", "gauss_seidel"),
    "exclusion": lambda w: w.exclude_collision(w.body("a 1"), w.body("a 2")),
    "joint": lambda w: w.add_joint(Fixed(), w.body("a 1"), w.body("a 2")),
    "call": lambda w: w.body("a 1").wake(),
    "removal": lambda w: w.remove_body(w.body("a 1")),
    "new body on top": lambda w: w.add_body(Sphere(0.2), position=(0.1, 0, 3.2), name="new"),
    "static body put beside": lambda w: w.add_body(
        Box((1, 1, 1)), position=(-1, 0, 1.5), kind="static", name="new"
    ),
}


def check_who_wakes(world: World, change: Callable[[World], Any]) -> None:
    """Change a world whose bodies sleep: those called "a ..." wake with the next step, "b ..." sleep on."""
    change(world)
    world.step()
    assert not any(body.asleep for body in world.bodies if body.name.startswith("a "))
    assert all(body.asleep for body in world.bodies if body.name.startswith("b "))


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_wakes_its_island_and_no_other(name):
    """Wake the stack of which something is changed, with the next step, and let the other one sleep."""
    check_who_wakes(two_stacks(), CHANGES[name])


WAKES_ALL: dict[str, Callable[[World], Any]] = {
    "gravity": lambda w: setattr(w, "gravity", (0, 0, -9.0)),
    "call": lambda w: w.wake_all(),
    "pair of materials": lambda w: w.set_material_pair(Material(), Material(), friction=0.1),
    "floor moved": lambda w: setattr(w.body("floor"), "position", (0, 0, -1e-9)),
    "floor material": lambda w: setattr(w.body("floor"), "material", Material(friction=0.0)),
    "floor removed": lambda w: w.remove_body(w.body("floor")),
}


@pytest.mark.parametrize("name", WAKES_ALL)
def test_what_concerns_all_wakes_all(name):
    """Wake both stacks when gravity or the floor change."""
    world = two_stacks()
    WAKES_ALL[name](world)
    world.step()
    assert not world.asleep.any()


SLEEP_ON: dict[str, Callable[[World], Any]] = {
    "nothing": lambda w: None,
    "same velocity": lambda w: setattr(w.body("a 1"), "velocity", (0, 0, 0)),
    "no load": lambda w: w.body("a 1").apply_force((0, 0, 0)),
    "body far away": lambda w: w.add_body(Sphere(0.2), position=(20, 0, 3)),
    "static body far away": lambda w: w.add_body(Sphere(0.2), position=(20, 0, 3), kind="static"),
    "moving body far away": lambda w: w.add_body(
        Sphere(0.2), position=(20, 0, 3), kind="kinematic", velocity=(0, 1, 0)
    ),
    "time step": lambda w: setattr(w, "time_step", 0.005),
    "reading": lambda w: (w.contacts, w.contact_impulses, w.report, w.ray_cast((0, 0, 9), (0, 0, -1))),
}


@pytest.mark.parametrize("name", SLEEP_ON)
def test_what_changes_nothing_wakes_nobody(name):
    """Sleep on through whatever does not concern the stacks."""
    world = two_stacks()
    SLEEP_ON[name](world)
    world.step(5)
    assert world.asleep[1:7].all()


def test_falls_when_the_floor_is_removed():
    """Fall freely from the step on in which the support is gone."""
    world = two_stacks()
    before = world.positions[1:].copy()
    world.remove_body(world.body("floor"))
    world.step(20)
    fallen = before - world.positions
    # exact parabola; the cubes of a stack do not push each other
    assert fallen[:, 2] == pytest.approx(np.full(6, 0.5 * G * 0.2**2), rel=1e-9)


def test_falls_when_the_support_is_pulled_away():
    """Wake the box on a table that starts to move, and let it fall once the table is gone."""
    world = world_with_floor(settings=ASLEEP)
    slippery = Material(friction=0.0)
    table = world.add_body(Box((2, 2, 0.2)), position=(0, 0, 2), kind="kinematic", material=slippery)
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 2.6), mass=1.0, material=slippery)
    world.step(WINDOW + 10)
    assert box.asleep
    table.velocity = (10, 0, 0)
    world.step()
    assert not box.asleep
    world.step(100)
    assert box.position == pytest.approx((0, 0, 0.5), abs=1e-2)


@pytest.mark.parametrize("kind", ["kinematic", "dynamic"])
def test_what_flies_in_wakes(kind):
    """Wake a stack that a moving body reaches, and not before."""
    world = two_stacks()
    world.add_body(Sphere(0.3), position=(-2.0, 0, 1.5), kind=kind, velocity=(10, 0, 1), name="ball")
    # 1.2 m of free way at 10 m/s, less the margin
    world.step(11)
    assert world.asleep[1:7].all()
    world.step(2)
    assert not world.asleep[1:4].any() and world.asleep[4:7].all()


def mechanism() -> tuple[World, Any, Any]:
    """Return a world with two hanging arms that sleep, each with a motor that holds it, and the motors."""
    world = World(settings=ASLEEP)
    motors = []
    for y in (0.0, 3.0):
        arm = world.add_body(Box((1, 0.1, 0.1)), position=(0.5, y, 0), mass=1.0)
        joint = world.add_joint(Hinge((0, y, 0), (0, 1, 0)), None, arm)
        motors.append(joint.motor(0.0, max_force=50.0))
    world.step(WINDOW + 10)
    assert world.asleep.all()
    return world, motors[0], motors[1]


def set_schedule(motor: Any) -> None:
    """Let a motor start to turn after 0.8 s of world time."""
    motor.schedule([0.8, 1.0], [0.0, 1.0])


JOINT_CHANGES: dict[str, Callable[[World, Any], Any]] = {
    "target": lambda w, m: setattr(m, "target_rate", 0.5),
    "strength": lambda w, m: setattr(m, "max_force", 4.0),
    "switch": lambda w, m: setattr(m, "enabled", False),
    "schedule": lambda w, m: set_schedule(m),
}


@pytest.mark.parametrize("name", JOINT_CHANGES)
def test_a_driven_joint_wakes_its_bodies(name):
    """Wake the arm whose motor is changed, when it changes, and no other."""
    world, motor, _ = mechanism()
    JOINT_CHANGES[name](world, motor)
    world.step(15 if name == "schedule" else 1)
    if name == "schedule":
        assert world.asleep.all(), "the set point has not changed yet"
        world.step(10)
    assert world.asleep.tolist() == [False, True]
    world.step(20)
    assert abs(motor.joint.rate) > 0.01


@pytest.mark.parametrize("change", ["disable", "remove", "limit", "break"])
def test_a_change_of_joints_wakes(change):
    """Wake the arm whose joint is switched off, removed, limited or broken."""
    world, motor, _ = mechanism()
    joint, arm = motor.joint, world.bodies[0]
    if change == "disable":
        joint.enabled = False
    elif change == "remove":
        world.remove_joint(joint)
    elif change == "limit":
        joint.limit(-0.1, 0.1)
    else:
        joint.break_force = 1.0
    world.step(2)
    assert not arm.asleep
    if change != "limit":
        start = arm.position[2]
        world.step(30)
        assert arm.position[2] < start - 0.1


def test_a_body_hangs_in_the_air_until_it_is_touched():
    """Put a body to sleep in mid-air by call, and let it fall when something hits it."""
    world = World(settings=ASLEEP)
    world.add_body(Sphere(0.5), position=(0, 0, 5), name="hanging").sleep()
    world.add_body(Sphere(0.5), position=(0, 0, 7), name="falling")
    world.step(40)
    assert world.body("hanging").asleep and world.body("hanging").position[2] == 5.0
    world.step(30)
    assert not world.body("hanging").asleep and world.body("hanging").position[2] < 5.0


def test_sleep_takes_the_island_along():
    """Put all that a body touches to sleep with it, not its support's other burdens."""
    world = world_with_floor(settings=ASLEEP)
    for x in (0.0, 5.0):
        for k in range(2):
            world.add_body(Box((1, 1, 1)), position=(x, 0, 0.5 + k), mass=1.0)
    world.step()
    world.bodies[1].sleep()
    assert world.asleep.tolist() == [False, True, True, False, False]
    world.bodies[2].wake()
    assert not world.asleep.any()


def test_sleep_is_refused_where_it_makes_no_sense():
    """Refuse to put static bodies to sleep, or any body of a world without sleeping."""
    world = world_with_floor(settings=ASLEEP)
    with pytest.raises(ValueError, match="sleep: body 'floor' is static"):
        world.body("floor").sleep()
    ball = World().add_body(Sphere(1.0), name="ball")
    with pytest.raises(ValueError, match=r"sleep: body 'ball' .* Settings\(sleeping=True\)"):
        ball.sleep()
    ball.wake()
    assert not ball.asleep


def test_a_stack_that_slept_stands_the_same():
    """Carry a stack that was woken with the impulses it had, moving no farther than rounding."""
    world = tower(10, settings=ASLEEP)
    world.step(WINDOW + 10)
    assert world.asleep[1:].all()
    before = world.positions.copy()
    world.wake_all()
    report = world.step()
    # impulses of the last step before sleep solve the rows: nothing moves by more than the velocity tolerance
    assert np.abs(world.velocities).max() < 10 * ASLEEP.velocity_tolerance
    assert report.max_overlap < 1e-9
    world.step(20)
    assert np.abs(world.positions - before).max() < 1e-9


def test_bodies_and_shapes_are_renumbered_while_others_sleep():
    """Remove awake and sleeping bodies in front of a sleeping compound, and let it wake as it was."""
    world = world_with_floor(settings=ASLEEP)
    table = [Placed(Box((1, 1, 0.2))), Placed(Box((0.2, 0.2, 0.8)), position=(0, 0, -0.5))]
    for k in range(3):
        world.add_body(Box((1, 1, 1)), position=(2.0 * k, 5, 0.5), name=f"gone {k}")
    world.add_body(table, position=(0, 0, 0.9), name="table")
    world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 1.25), name="cargo")
    world.step(WINDOW + 10)
    assert world.asleep[1:].all()
    world.body("gone 0").wake()
    for k in range(3):
        world.remove_body(world.body(f"gone {k}"))
    world.step()
    assert world.body("table").asleep and world.body("cargo").asleep and world.asleep.sum() == 2
    pairs = {(int(a), int(b)) for a, b in zip(world.contacts.body_a, world.contacts.body_b, strict=True)}
    assert pairs == {(0, 1), (1, 2)} and world.events.persist.tolist() == [[0, 1], [1, 2]]
    before = world.positions.copy()
    world.wake_all()
    world.step(10)
    assert np.abs(world.positions - before).max() < SAME


def test_a_rope_of_sleepers_wakes_to_its_end():
    """Wake a whole chain of joined bodies by its last link."""
    world = World(settings=ASLEEP)
    links = [world.add_body(Box((0.1, 0.1, 0.8)), position=(0, 0, -0.5 - k), mass=1.0) for k in range(4)]
    for k, link in enumerate(links):
        world.add_joint(Ball((0, 0, -k)), links[k - 1] if k else None, link)
    world.step(WINDOW + 10)
    assert world.asleep.all()
    links[-1].velocity = (0.1, 0, 0)
    world.step()
    assert not world.asleep.any() and world.report.joint_error <= SAME
