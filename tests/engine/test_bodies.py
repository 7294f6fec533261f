"""Bodies of a world: loads on them, their kinds, compounds of several shapes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision import Box, Placed, Sphere
from stoss.engine import Material, World, from_values
from tests.engine.worlds import (
    G,
    axis_angle,
    loose_body,
    matrix,
    product,
    random_quaternion,
    run,
    world_with_floor,
)

VECTORS = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


# ---------------------------------------------------------------------- loads


@settings(max_examples=30)
@given(impulse=VECTORS, point=VECTORS)
def test_impulse_at_a_point_changes_momentum_and_angular_momentum(impulse, point):
    """Change momentum by p and angular momentum about the origin by x cross p, to rounding."""
    world = World()
    body = loose_body(world)
    before = world.report
    body.apply_impulse(impulse, point)
    after = world.report
    assert np.abs(after.momentum - before.momentum - impulse).max() < 1e-12
    assert np.abs(after.angular_momentum - before.angular_momentum - np.cross(point, impulse)).max() < 1e-11
    body.apply_impulse(impulse)
    assert np.abs(world.report.momentum - before.momentum - 2.0 * np.array(impulse)).max() < 1e-12


@settings(max_examples=30)
@given(force=VECTORS, point=VECTORS, torque=VECTORS)
def test_force_and_torque_act_for_one_step(force, point, torque):
    """Change momentum by F h and angular momentum by (x cross F + M) h in the next step, and no more."""
    world = World(gravity=(0, 0, 0))
    body = loose_body(world)
    start = body.center_of_mass
    before = world.report
    body.apply_force(force, point)
    body.apply_torque(torque)
    after = world.step()
    h = world.time_step
    assert np.abs(after.momentum - before.momentum - h * np.array(force)).max() < 1e-12
    # about the origin the force keeps its arm to the centre of mass, which moves by at most h (v + a h)
    spin = np.cross(np.subtract(point, start) + 0.5 * (start + body.center_of_mass), force) + torque
    assert np.abs(after.angular_momentum - before.angular_momentum - h * spin).max() < 1e-12
    assert not world.forces.any() and not world.torques.any()
    later = world.step(10)
    assert np.abs(later.momentum - after.momentum).max() < 1e-12
    assert np.abs(later.angular_momentum - after.angular_momentum).max() < 1e-12


def test_lasting_forces_stay_until_changed():
    """Keep what is written into world.forces and world.torques, and add the forces of one step to it."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Sphere(0.5), mass=2.0)
    world.forces[0] = (4.0, 0, 0)
    world.torques[0] = (0, 0, 0.2)
    body.apply_force((0, 2.0, 0))
    world.step(50)
    assert np.abs(body.velocity - [1.0, 0.01, 0]).max() < 1e-13
    assert np.abs(body.angular_velocity - [0, 0, 0.5]).max() < 1e-13
    assert (world.forces[0] == (4, 0, 0)).all()
    world.forces[0] = 0.0
    world.step(50)
    assert np.abs(body.velocity - [1.0, 0.01, 0]).max() < 1e-13


def test_force_carries_the_weight():
    """Hold a body in the air by a force that equals its weight."""
    world = World()
    body = world.add_body(Box((1, 1, 1)), mass=3.0, position=(0, 0, 5))
    world.forces[0] = (0, 0, 3.0 * G)
    world.step(100)
    assert np.abs(body.position - [0, 0, 5]).max() < 1e-12


# ------------------------------------------------------------- kinds of bodies


def test_kinematic_body_moves_exactly():
    """Move a kinematic body at its velocity and turn it at its angular velocity, whatever lies on it."""
    world = World()
    turn = random_quaternion(np.random.default_rng(0))
    slab = world.add_body(
        Box((4, 4, 1)),
        kind="kinematic",
        position=(1, 2, 3),
        quaternion=turn,
        velocity=(1, -2, 0.5),
        angular_velocity=(0, 0, 0.7),
    )
    world.add_body(Box((0.5, 0.5, 0.5)), position=(1, 2, 6), mass=1000.0)
    world.step(200)
    assert np.abs(slab.position - [3, -2, 4]).max() < 1e-12
    assert np.abs(slab.quaternion - product(axis_angle((0, 0, 1), 1.4), turn)).max() < 1e-12
    assert (slab.velocity == (1, -2, 0.5)).all() and slab.mass == 0.0


def test_box_on_a_conveyor_reaches_its_speed_by_the_closed_form():
    """Reach belt speed v after v / (mu g), having moved v^2 / (2 mu g), and keep it."""
    mu, g, speed = 0.5, 10.0, 1.0
    material = Material(friction=mu)
    world = World(gravity=(0, 0, -g))
    world.add_body(
        Box((40, 4, 1)), kind="kinematic", position=(0, 0, -0.5), velocity=(speed, 0, 0), material=material
    )
    box = world.add_body(Box((1, 1, 0.5)), position=(0, 0, 0.25), mass=3.0, material=material)
    seen = run(world, 60, lambda w: (box.position[0], box.velocity[0], box.position[2]))
    t = 0.01 * np.arange(61)
    end = speed / (mu * g)
    distance = np.where(t < end, 0.5 * mu * g * t**2, speed**2 / (2 * mu * g) + speed * (t - end))
    assert np.abs(seen[:, 0] - distance).max() < 1e-9
    assert np.abs(seen[:, 1] - np.minimum(mu * g * t, speed)).max() < 1e-9
    assert np.abs(seen[:, 2] - 0.25).max() < 1e-9


def test_static_bodies_do_not_collide_with_each_other():
    """Report no contact between bodies of which neither reacts."""
    world = world_with_floor()
    world.add_body(Box((1, 1, 1)), kind="static")
    world.add_body(Box((1, 1, 1)), kind="kinematic", velocity=(0, 0, -1))
    world.step(10)
    assert world.contacts.count == 0 and world.report.energy == 0.0


def test_body_without_shape_falls():
    """Let a body without shape fall through everything."""
    world = world_with_floor()
    body = world.add_body(mass_properties=from_values(1.0, (1, 1, 1)), position=(0, 0, 1))
    world.step(100)
    assert body.position[2] == pytest.approx(1.0 - 0.5 * G, abs=1e-12) and world.contacts.count == 0


# ------------------------------------------------------------------ compounds


def hammer(world: World, **options):
    """Add a compound whose frame lies far from its centre of mass and is turned against its main axes."""
    head = Placed(Box((0.4, 0.2, 0.2)), position=(0.3, 0.1, 0.9), quaternion=axis_angle((0, 1, 0), 0.3))
    handle = Placed(Box((0.1, 0.1, 1.0)), position=(0.3, 0.1, 0.3))
    return world.add_body([head, handle], **options)


def test_compound_pose_is_that_of_its_frame():
    """Return the frame's pose as it was given, and set it; the centre of mass lies where the parts say."""
    turn = random_quaternion(np.random.default_rng(1))
    world = World(gravity=(0, 0, 0))
    body = hammer(world, position=(1, 2, 3), quaternion=turn, density=100.0)
    volumes = np.array([0.4 * 0.2 * 0.2, 0.1 * 0.1 * 1.0])
    center = volumes @ np.array([[0.3, 0.1, 0.9], [0.3, 0.1, 0.3]]) / volumes.sum()
    assert body.mass == pytest.approx(100.0 * volumes.sum(), rel=1e-14)
    assert np.abs(body.position - [1, 2, 3]).max() < 1e-14
    assert np.abs(body.quaternion - turn).max() < 1e-14
    assert np.abs(body.center_of_mass - (matrix(turn) @ center + [1, 2, 3])).max() < 1e-14
    other = random_quaternion(np.random.default_rng(2))
    body.position, body.quaternion = (4, 5, 6), other
    assert np.abs(body.position - [4, 5, 6]).max() < 1e-13
    assert min(np.abs(body.quaternion - other).max(), np.abs(body.quaternion + other).max()) < 1e-14
    assert np.abs(world.centers_of_mass[0] - (matrix(other) @ center + [4, 5, 6])).max() < 1e-13
    assert np.abs(world.positions[0] - body.position).max() == 0.0
    assert np.abs(world.quaternions[0] - body.quaternion).max() < 1e-15


def test_all_poses_are_set_as_one_by_one():
    """Move and turn compounds by whole arrays as by their handles, and leave what is not assigned."""
    rng = np.random.default_rng(3)
    together, one_by_one = World(gravity=(0, 0, 0)), World(gravity=(0, 0, 0))
    for world in (together, one_by_one):
        hammer(world, position=(1, 2, 3))
        world.add_body(Box((1, 1, 1)), position=(5, 0, 0))
    places, turns = rng.normal(size=(2, 3)), np.array([random_quaternion(rng) for _ in range(2)])
    together.quaternions = turns
    assert np.abs(together.positions - [[1, 2, 3], [5, 0, 0]]).max() < 1e-14
    together.positions = places
    for body, place, turn in zip(one_by_one.bodies, places, turns, strict=True):
        body.position, body.quaternion = place, turn
    assert np.abs(together.positions - places).max() < 1e-14
    assert np.abs(together.centers_of_mass - one_by_one.centers_of_mass).max() < 1e-14
    assert np.abs(together.principal_quaternions - one_by_one.principal_quaternions).max() < 1e-14


def test_free_compound_turns_about_its_centre_of_mass():
    """Move the centre of mass of a spinning compound in a straight line."""
    world = World(gravity=(0, 0, 0))
    body = hammer(world, velocity=(1, 0, 0), angular_velocity=(3, 2, 1))
    start = body.center_of_mass
    world.step(100)
    assert np.abs(body.center_of_mass - start - [1, 0, 0]).max() < 1e-12
    assert np.abs(body.position - body.center_of_mass).max() > 0.1


def test_compound_rests_like_the_shape_it_makes_up():
    """Let two half cubes glued together rest and slide as the whole cube does."""
    ends = []
    half = Box((1, 1, 0.5))
    for shapes in (
        Box((1, 1, 1)),
        [Placed(half, position=(0, 0, 0.25)), Placed(half, position=(0, 0, -0.25))],
    ):
        world = world_with_floor(Material(friction=0.3))
        body = world.add_body(
            shapes, position=(0, 0, 0.5), velocity=(3, 0, 0), mass=2.0, material=Material(friction=0.3)
        )
        world.step(60)
        ends.append((*body.position, *body.velocity, *body.angular_velocity))
    assert np.abs(np.subtract(*ends)).max() < 1e-9
