"""Bodies whose kind is switched while the world runs."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Placed, Sphere, TriangleMesh
from stoss.engine import Ball, Fixed, Hinge, Material, Settings, World

HAMMER = [Placed(Box((1.0, 0.2, 0.2)), (0.4, 0, 0)), Placed(Box((0.3, 0.5, 0.3)), (1.0, 0.1, 0))]
TURN = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)


def stack(settings=None, kinds=("dynamic", "dynamic", "dynamic")):
    """A world with a floor and three boxes on top of each other."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static", name="floor")
    for k, kind in enumerate(kinds):
        world.add_body(Box((1, 1, 1)), position=(0.01 * k, 0, 0.5 + k), kind=kind, name=f"box {k}")
    return world


@pytest.mark.parametrize("kind", ["static", "kinematic"])
@pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])
def test_switched_at_once_is_as_built_that_way(kind, solver):
    """Give the bits of a world whose body was of that kind from the start, both ways round."""
    settings = Settings(solver=solver)
    built = stack(settings, ("dynamic", kind, "dynamic"))
    switched = stack(settings)
    switched.body("box 1").kind = kind
    back = stack(settings, ("dynamic", kind, "dynamic"))
    back.body("box 1").kind = "dynamic"
    plain = stack(settings)
    for world in (built, switched, back, plain):
        world.step(60)
    assert switched.state_hash() == built.state_hash()
    assert back.state_hash() == plain.state_hash() != built.state_hash()
    assert back.body("box 1").mass == plain.body("box 1").mass == 1000.0


def test_static_stops_and_dynamic_has_its_mass_again():
    """Hang in the air without mass, and fall again with the mass that was assigned, from rest."""
    world = World()
    ball = world.add_body(Sphere(0.5), position=(0, 0, 10), mass=2.0)
    ball.mass = 3.0
    inertia = ball.inertia
    world.step(50)
    ball.kind = "static"
    assert (ball.kind, ball.mass) == ("static", 0.0) and not ball.velocity.any()
    place = ball.position
    world.step(50)
    assert (ball.position == place).all()
    with pytest.raises(ValueError, match="static"):
        ball.apply_force((0, 0, 1))
    ball.kind = "dynamic"
    assert ball.mass == 3.0 and (ball.inertia == inertia).all()
    world.step(100)
    assert ball.position[2] == pytest.approx(place[2] - 0.5 * 9.81, abs=1e-9)
    ball.kind = "dynamic"  # no change
    assert ball.velocity[2] == pytest.approx(-9.81, abs=1e-9)


def test_kinematic_goes_on_with_its_velocity():
    """Carry at a constant velocity, and throw when it becomes dynamic, also after `move_to`."""
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.5), velocity=(1, 2, 3), angular_velocity=(0, 0, 2))
    ball.kind = "kinematic"
    world.gravity = (0, 0, -9.81)
    world.step(100)
    assert np.abs(ball.position - [1, 2, 3]).max() < 1e-12
    ball.move_to((1.01, 2, 3))
    world.step()
    ball.move_to((1.02, 2, 3))
    ball.kind = "dynamic"
    world.step(100)
    assert ball.velocity == pytest.approx([1.0, 0, -9.81], abs=1e-9)
    assert np.abs(ball.position - [2.01, 2, 3 - 0.5 * 9.81]).max() < 1e-9


def test_forces_end_where_a_body_no_longer_reacts():
    """Drop lasting and pending forces with the reaction, so that none acts later."""
    world = World(gravity=(0, 0, 0))
    ball = world.add_body(Sphere(0.5), mass=1.0)
    world.forces[0] = (1, 0, 0)
    ball.apply_force((0, 5, 0))
    ball.kind = "kinematic"
    ball.kind = "dynamic"
    world.step(10)
    assert not ball.velocity.any() and ball.kinetic_energy == 0.0


@pytest.mark.parametrize("backend", ["native", "fcl"])
def test_static_compound_becomes_dynamic_where_it_stands(backend):
    """Keep the pose of shapes while the body frame moves to the centre of mass; fall as one built dynamic."""
    settings = Settings(collision=backend)
    world, built = World(settings=settings), World(settings=settings)
    for each, kind in ((world, "static"), (built, "dynamic")):
        each.add_body(HalfSpace(), kind="static", name="floor")
        each.add_body(HAMMER, position=(1, 2, 3), quaternion=TURN, kind=kind, name="hammer")
    hammer, other = world.body("hammer"), built.body("hammer")
    world.step(3)
    world.ray_cast((0, 0, 9), (0, 0, -1))
    before = world.shape_table.position.copy()
    hammer.kind = "dynamic"
    assert hammer.mass == other.mass and (hammer.inertia == other.inertia).all()
    assert np.abs(hammer.position - [1, 2, 3]).max() < 1e-15
    assert np.abs(hammer.quaternion - TURN).max() < 1e-15
    assert np.abs(hammer.center_of_mass - other.center_of_mass).max() < 1e-15
    world.ray_cast((0, 0, 9), (0, 0, -1))
    assert np.abs(world.shape_table.position - before).max() < 1e-14
    for _ in range(150):
        world.step()
        built.step()
        assert np.abs(hammer.position - other.position).max() < 1e-7
    assert hammer.position[2] < 1.0
    # back, and once more: it stands where it lies, with the same mass
    place = hammer.position
    hammer.kind = "kinematic"
    assert (hammer.position == place).all()
    hammer.kind = "dynamic"
    assert hammer.mass == other.mass


def test_joints_stay_where_they_are():
    """Keep anchors and values of joints when a static body with a frame elsewhere becomes dynamic."""
    world = World(gravity=(0, 0, 0))
    base = world.add_body(HAMMER, position=(1, 2, 3), quaternion=TURN, kind="static", name="base")
    arm = world.add_body(Box((0.2, 0.2, 1.0)), position=(1, 2, 3.5), angular_velocity=(0.4, 0, 0))
    hinge = world.add_joint(Hinge((1, 2, 3), (1, 0, 0)), base, arm)
    hinge.limit(-3, 3)
    world.step(20)
    value = hinge.value
    assert value > 0.01
    base.kind = "dynamic"
    assert hinge.error < 1e-9 and hinge.value == pytest.approx(value, abs=1e-12)
    momentum = arm.mass * arm.velocity
    world.step(100)
    assert hinge.error < 1e-6
    assert np.abs(base.mass * base.velocity + arm.mass * arm.velocity - momentum).max() < 1e-9
    assert np.linalg.norm(base.velocity) > 1e-3
    base.kind = "static"
    rate = hinge.rate
    world.step(100)
    assert hinge.error < 1e-6 and not base.velocity.any() and abs(rate) > 0.0


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_joints_that_would_hold_nothing_refuse(kind):
    """Name the joint and the other end, and change nothing."""
    world = World()
    post = world.add_body(Box((1, 1, 1)), kind="static", name="post")
    arm = world.add_body(Box((1, 0.1, 0.1)), position=(1, 0, 0), name="arm")
    hand = world.add_body(Box((1, 0.1, 0.1)), position=(2, 0, 0), name="hand")
    world.add_joint(Ball((0.5, 0, 0)), post, arm, name="shoulder")
    world.add_joint(Ball((1.5, 0, 0)), arm, hand, name="wrist")
    hook = world.add_joint(Fixed(), None, hand, name="hook")
    hook.enabled = False
    world.step(5)
    twin = World()
    twin.restore(world.save())
    with pytest.raises(
        ValueError, match="joint 'shoulder' between body 'arm' and body 'post', which is static"
    ):
        arm.kind = kind
    with pytest.raises(ValueError, match="joint 'hook' between body 'hand' and the world"):
        hand.kind = kind
    for wrong in ("fixed", "", None, 3):
        with pytest.raises(ValueError, match="kind = "):
            arm.kind = wrong
    world.step(20)
    twin.step(20)
    assert arm.kind == "dynamic" and world.state_hash() == twin.state_hash()
    world.remove_joint(world.joint("shoulder"))
    arm.kind = kind
    world.step(20)
    assert not arm.velocity.any() or kind == "kinematic"


def test_shapes_without_mass_refuse():
    """Say which body has no mass when a half-space, a mesh or an empty body is to become dynamic."""
    world = World()
    square = TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    for name, shapes in (("floor", HalfSpace()), ("sheet", square), ("ghost", ())):
        body = world.add_body(shapes, kind="static", name=name)
        with pytest.raises(ValueError, match=f"kind = 'dynamic': body '{name}'"):
            body.kind = "dynamic"
        assert body.kind == "static"
        body.kind = "kinematic"
    world.step(3)


@pytest.mark.parametrize("sleeping", [False, True])
def test_snapshots_hold_kinds(sleeping):
    """Go back over a switch and forward again to the same bits, in this world and in another."""
    world = stack(Settings(sleeping=sleeping, sleep_time=0.1))
    hammer = world.add_body(HAMMER, position=(4, 0, 1), kind="static", name="hammer")
    world.step(30)
    before = world.save()
    middle = world.body("box 1")
    middle.mass = 700.0
    middle.kind, hammer.kind = "static", "dynamic"
    world.step(30)
    after = world.save()
    world.step(30)
    end = world.state_hash()
    world.restore(before)
    assert (middle.kind, hammer.kind) == ("dynamic", "static")
    middle.mass = 700.0
    middle.kind, hammer.kind = "static", "dynamic"
    world.step(60)
    assert world.state_hash() == end
    for other in (world, World(settings=Settings(sleeping=sleeping, sleep_time=0.1))):
        other.restore(after)
        assert other.body("box 1").kind == "static" and other.body("hammer").kind == "dynamic"
        other.step(30)
        assert other.state_hash() == end
        other.body("box 1").kind = "dynamic"
        assert other.body("box 1").mass == 700.0
        other.step(10)


def test_sleepers_wake_and_sleep_again():
    """Wake what is switched and what leans on it, so that nothing hangs in the air, and let it rest anew."""
    world = stack(Settings(sleeping=True, sleep_time=0.1), ("static", "dynamic", "dynamic"))
    world.step(60)
    assert world.body("box 2").asleep
    world.body("box 0").kind = "dynamic"  # in place: all go on standing, and sleep again
    assert not world.body("box 2").asleep
    world.step(60)
    assert world.body("box 0").asleep and abs(world.body("box 2").position[2] - 2.5) < 1e-5
    world.body("box 1").kind = "static"  # the lowest one is asleep under it
    world.step(60)
    assert world.body("box 0").asleep and world.body("box 2").asleep
    world.remove_body(world.body("box 0"))
    world.step(60)
    assert abs(world.body("box 2").position[2] - 2.5) < 1e-5
    world.body("box 1").kind = "kinematic"
    world.step(60)
    assert world.body("box 2").asleep
    world.body("box 1").kind = "dynamic"
    world.step(40)
    assert world.body("box 2").position[2] < 2.0


def test_a_frozen_body_carries_a_stack_and_gives_way_again():
    """Rest on what became static, and fall with it."""
    world = stack()
    world.body("box 0").kind = "static"
    world.step(100)
    assert abs(world.body("box 2").position[2] - 2.5) < 1e-9
    world.remove_body(world.body("floor"))
    world.step(50)
    assert abs(world.body("box 2").position[2] - 2.5) < 1e-9
    world.body("box 0").kind = "dynamic"
    world.step(50)
    assert world.body("box 2").position[2] == pytest.approx(2.5 - 0.5 * 9.81 * 0.25, abs=1e-6)


def test_duplicates_have_the_present_kind():
    """Copy kind, mass and velocity of a body that was switched, with the mass for later."""
    world = World(gravity=(0, 0, 0))
    first = world.add_body(Capsule(0.2, 0.5), mass=2.0, velocity=(1, 0, 0), material=Material(friction=0.3))
    first.mass = 5.0
    first.kind = "kinematic"
    second = world.duplicate(first, position=(0, 5, 0))
    assert (second.kind, second.mass) == ("kinematic", 0.0) and second.velocity[0] == 1.0
    second.kind = "dynamic"
    assert second.mass == 5.0
    second.kind = "static"
    third = world.duplicate(second, position=(0, 9, 0))
    assert third.kind == "static" and not third.velocity.any()
    world.step(3)


def test_energy_is_accounted_for():
    """Count what a switch takes or gives as no gain of the steps: the ledger of each stays closed."""
    world = stack()
    world.step(20)
    for kind in ("static", "kinematic", "dynamic", "static", "dynamic"):
        world.body("box 1").kind = kind
        before = world.report.energy
        report = world.step()
        assert abs(report.energy - before - report.ledger.change) < 1e-6
        assert not report.ladder
