"""Copies of worlds: each goes on by itself, with the same bits, whatever is done to it or to the other."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, Body, Fixed, Hinge, Material, Settings, SimulationError, World
from stoss.errors import UsageError

COPIES: dict[str, Callable] = {
    "copy": lambda world: world.copy(),
    "copy.copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda world: pickle.loads(pickle.dumps(world)),
    "twice": lambda world: pickle.loads(pickle.dumps(copy.deepcopy(world))),
}


def scene(**settings) -> World:
    """Return a world with a bit of everything: contacts, joints with drives, bodies asleep, loads, moves."""
    world = World(settings=Settings(sleeping=True, sleep_time=0.1, **settings))
    ice, wood = Material(friction=0.1, name="ice"), Material(friction=0.6, name="wood")
    world.add_body(HalfSpace((0, 0, 1)), kind="static", name="floor", material=wood)
    for k in range(2):
        world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 0.25 + 0.5 * k), name=f"asleep {k}")
    world.step(20)
    last = None
    for k in range(3):
        link = world.add_body(Box((0.4, 0.1, 0.1)), position=(2.2 + 0.4 * k, 0, 1), name=f"link {k}")
        joint = world.add_joint(Hinge((2 + 0.4 * k, 0, 1), (0, 1, 0)), last, link, name=f"hinge {k}")
        last = link
    joint.servo(0.5, stiffness=4.0, damping=0.1)
    world.joint("hinge 1").pid(0.2, gain=0.5)
    world.joint("hinge 1").break_force = 40.0
    for k in range(3):
        world.add_body(Sphere(0.2), position=(-2 + 0.1 * k, 0, 0.3 + 0.5 * k), material=ice, name=f"ball {k}")
    world.add_body(Box((1, 1, 0.1)), position=(-2, 2, 0.05), kind="kinematic", name="plate")
    world.add_body(Box((0.2, 0.2, 0.2)), position=(-2, 2, 0.2), name="parcel")
    world.set_material_pair(ice, wood, friction=0.3)
    world.exclude_collision(world.body("ball 0"), world.body("ball 1"))
    world.step(7)
    world.body("plate").move_to((-2, 2.01, 0.05))
    world.body("parcel").apply_force((1, 0, 0))
    world.forces[world.body("ball 2").index] = (0, 0.1, 0)
    return world


def signature(world: World) -> tuple:
    """Return all that can be read of a world, as bits."""
    c = world.contacts
    arrays = [getattr(c, name)[: c.count] for name in ("body_a", "body_b", "gap", "point_a", "normal")]
    arrays += [world.contact_impulses, world.forces, world.masses, world.asleep, world.gravity]
    arrays += [world.events.begin, world.events.persist, world.events.end]
    joints = [(j.name, j.enabled, j.broken, j.force.tobytes(), len(j.drives)) for j in world.joints]
    bodies = [(b.name, b.kind, b.material, b.index) for b in world.bodies]
    return (
        *(world.step_count, world.time, world.state_hash(), joints, bodies, world.settings),
        *(array.tobytes() for array in arrays),
        *(str(world.ledger), [j.name for j in world.broken_joints], world.report.sub_steps),
    )


def add(world: World) -> None:
    """Add a body."""
    world.add_body(Box((0.3, 0.3, 0.3)), position=(0, 0, 2), name="new")


def remove(world: World) -> None:
    """Remove a body asleep, and one with joints."""
    world.remove_body(world.body("asleep 0"))
    world.remove_body(world.body("link 1"))


def duplicate(world: World) -> None:
    """Duplicate a body."""
    world.duplicate(world.body("ball 1"), position=(3, 3, 1), name="twin")


def join(world: World) -> None:
    """Add a joint, remove another one, and a drive."""
    world.add_joint(Ball((0, 0, 0.5)), world.body("asleep 0"), world.body("asleep 1"))
    world.joint("hinge 2").drives[0].remove()
    world.remove_joint(world.joint("hinge 0"))


def switch(world: World) -> None:
    """Switch joints and drives, and change masses."""
    world.joint("hinge 0").enabled = False
    world.joint("hinge 2").drives[0].target = -0.5
    world.joint("hinge 1").drives[0].gain = 2.0
    world.body("ball 0").mass = 30.0


def restore(world: World) -> None:
    """Go on, then back."""
    state = world.save()
    world.step(5)
    world.add_body(Sphere(0.1), position=(4, 4, 4))
    world.restore(state)


def sleep(world: World) -> None:
    """Put a body to sleep, wake another one."""
    world.body("parcel").sleep()
    world.body("asleep 1").wake()


def settings(world: World) -> None:
    """Change settings, gravity and time step."""
    world.settings = Settings(solver="gauss_seidel")
    world.gravity = (0, 1, -9)
    world.time_step = 0.005


OPERATIONS = [add, remove, duplicate, join, switch, restore, sleep, settings]


@pytest.fixture(scope="module")
def scene_state():
    """Return a snapshot of the scene, which is quicker to restore than to build."""
    return pickle.dumps(scene())


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_goes_on_with_the_same_bits(how, scene_state):
    """Give a copy all that the original has, and the same next 20 steps."""
    world = pickle.loads(scene_state)
    twin = COPIES[how](world)
    assert signature(twin) == signature(world)
    world.step(20)
    twin.step(20)
    assert signature(twin) == signature(world)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
@pytest.mark.parametrize("how", ["copy", "pickle"])
def test_what_is_done_to_a_copy_is_done_to_it_alone(how, operation, scene_state):
    """Do the same to a copy as to the original, with the same bits, and leave the other one alone."""
    world = pickle.loads(scene_state)
    twin = COPIES[how](world)
    twin.step(3)
    operation(twin)
    twin.step(3)
    untouched = pickle.loads(scene_state)
    assert signature(world) == signature(untouched)
    world.step(3)
    operation(world)
    world.step(3)
    assert signature(twin) == signature(world)


def test_a_removed_drive_of_a_copy_does_no_harm():
    """Remove drives of joints in a copy, and step both (a crash of copied tables)."""
    world = World()
    body = world.add_body(Box((1, 1, 1)))
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, body)
    joint.motor(1.0)
    twin, copied, drive = copy.deepcopy((world, joint, joint.drives[0]))
    assert copied is twin.joints[0] and copied.drives[0] is drive
    drive.remove()
    twin.step(10)
    world.step(10)
    assert copied.drives == [] and len(joint.drives) == 1
    assert joint.rate == pytest.approx(1.0)


@pytest.mark.parametrize("via", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_handles_keep_their_relations(via):
    """Let copied handles belong to the copied world, be one object where they were, and take it along."""
    world = scene()
    body, joint, gone = world.body("link 1"), world.joint("hinge 1"), world.add_body(Sphere(0.1))
    world.remove_body(gone)
    twin, twin_body, twin_joint, twin_gone, again = via((world, body, joint, gone, body))
    assert twin_body is again is twin.body("link 1") and twin_body.world is twin is not world
    assert twin_joint is twin.joint("hinge 1") and twin_joint.second is twin_body
    twin_body.velocity = (0, 1, 0)
    assert np.allclose(body.velocity, world.velocities[body.index]) and body.velocity[1] != 1
    with pytest.raises(ValueError, match="not in this world"):
        twin_gone.position  # noqa: B018
    with pytest.raises(ValueError, match="not in this world"):
        world.remove_body(twin_body)
    for lone in (body, joint, joint.drives[0].joint):
        copied = via(lone)
        assert copied.world is not world
        assert copied in (*copied.world.bodies, *copied.world.joints)
        assert copied.world.state_hash() == world.state_hash()
    assert copy.copy(body) is body and copy.copy(joint) is joint


class Push:
    """A callback that holds a handle."""

    def __init__(self, body) -> None:
        self.body = body

    def __call__(self, world: World) -> None:
        """Push the body."""
        self.body.apply_force((10.0, 0, 0))


def push_ball(world: World) -> None:
    """Push the ball of the world that is stepped."""
    world.body("ball").apply_force((10.0, 0, 0))


@pytest.mark.parametrize("how", COPIES)
def test_callbacks_act_on_the_copy(how):
    """Copy callbacks: functions that use the world that they get, objects with the handles they hold."""
    for make in (lambda _: push_ball, Push):
        world = World(gravity=(0, 0, 0))
        ball = world.add_body(Sphere(0.5), name="ball")
        world.before_step.append(make(ball))
        twin = COPIES[how](world)
        twin.step()
        assert ball.velocity[0] == 0.0 and twin.body("ball").velocity[0] > 0.0
        world.step()
        assert twin.state_hash() == world.state_hash()


def test_callbacks_that_would_act_on_the_original_are_refused():
    """Name a function that refers to a handle by a closure, and the cure; without callbacks it is copied."""
    world = World()
    ball = world.add_body(Sphere(0.5), name="ball")
    balls = [ball]
    for callback in (lambda w: ball.wake(), lambda w: balls[0].wake(), lambda w, b=ball: b.wake()):
        world.before_step = [callback]
        for how in (copy.deepcopy, pickle.dumps, World.copy):
            with pytest.raises(ValueError, match=r"before_step: .* refers to .*'ball'.*callbacks=False"):
                how(world)
        assert world.copy(callbacks=False).before_step == []
    world.before_step = [lambda w: w.wake_all()]
    assert copy.deepcopy(world).before_step == world.before_step
    with pytest.raises(pickle.PicklingError, match=r"before_step: .*callbacks=False"):
        pickle.dumps(world)


def test_a_subclass_and_its_attributes_are_copied():
    """Copy what users gave a world besides, and keep its class."""

    class Stage(World):
        target: Body

    stage = Stage()
    stage.target = stage.add_body(Sphere(1.0))
    twin = copy.deepcopy(stage)
    assert type(twin) is Stage and twin.target is twin.bodies[0] and twin.target is not stage.target


def test_a_world_is_independent_of_its_copy_of_a_copy():
    """Step three generations in turn, bitwise as alone."""
    world = scene()
    generations = [world, world.copy(), world.copy().copy()]
    for _ in range(4):
        for one in generations:
            one.step(2)
    assert len({one.state_hash() for one in generations}) == 1


def test_sleep_in_a_restored_world():
    """Put bodies to sleep in a world that was restored before its first step, or to which some were added."""
    for steps in (0, 3):
        world = World(settings=Settings(sleeping=True))
        world.add_body(HalfSpace((0, 0, 1)), kind="static")
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5))
        if steps:
            world.step(steps)
        other = World()
        other.restore(world.save())
        other.add_body(Box((1, 1, 1)), position=(3, 0, 0.5))
        for body in other.bodies[1:]:
            body.sleep()
        other.step()
        assert other.asleep.tolist() == [False, True, True]


def test_rows_of_removed_bodies_are_forgotten():
    """Remove bodies asleep with joints beside others that sleep on: nothing refers to their rows."""
    world = World(settings=Settings(sleeping=True, sleep_time=0.1))
    world.add_body(HalfSpace((0, 0, 1)), kind="static")
    first = world.add_body(Box((1, 1, 1)), position=(5, 0, 0.5))
    lower = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5))
    upper = world.add_body(Box((1, 1, 1)), position=(0, 0, 1.5))
    world.add_joint(Fixed((0, 0, 1)), lower, upper)
    world.step(30)
    assert world.asleep[1:].all()
    world.remove_body(upper)
    assert max(world.events.persist.max(), world.contacts.body_a[: world.contacts.count].max()) < 3
    world.step()
    assert world.asleep.tolist() == [False, True, False]
    world.step(30)
    world.remove_body(first)
    assert world.events.persist.tolist() == [[0, 1]]
    world.step(5)
    assert world.asleep.tolist() == [False, True]


def test_errors_keep_their_attributes():
    """Pickle and copy errors with what they say."""
    error = SimulationError("too fast", 3, "ball", ("ball", "floor"))
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (str(twin), twin.step, twin.body, twin.contact) == ("too fast", 3, "ball", ("ball", "floor"))
    assert str(pickle.loads(pickle.dumps(UsageError("one line")))) == "one line"
