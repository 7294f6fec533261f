"""The world and its handles: loads, kinds of bodies, compounds, callbacks, events, queries, removal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoss.collision import Box, Capsule, HalfSpace, Placed, Sphere
from stoss.engine import Material, Settings, World, from_values

from tests.engine.worlds import (
    G,
    axis_angle,
    floor,
    matrix,
    product,
    random_quaternion,
    run,
    tower,
    world_with_floor,
)

VECTORS = st.tuples(*[st.floats(-10.0, 10.0)] * 3)


def loose_body(world: World, seed: int = 3):
    """Add a body with three different moments, anywhere and anyhow."""
    rng = np.random.default_rng(seed)
    return world.add_body(
        Box((0.3, 0.5, 0.9)),
        position=rng.uniform(-1, 1, 3),
        quaternion=random_quaternion(rng),
        velocity=rng.uniform(-1, 1, 3),
        angular_velocity=rng.uniform(-1, 1, 3),
        mass=2.0,
    )


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
    assert np.abs(world.positions[0] - (matrix(other) @ center + [4, 5, 6])).max() < 1e-13


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


# ------------------------------------------------------- callbacks and events


def test_callbacks_run_around_every_step_in_their_order():
    """Call before_step, then step, then after_step, each list in its order, once per step."""
    world = World()
    body = world.add_body(Sphere(1.0))
    log = []
    world.before_step.append(lambda w: log.append(("before", w.step_count)))
    world.before_step.append(lambda w: body.apply_force((0, 0, body.mass * G)))
    world.after_step.append(lambda w: log.append(("after", w.step_count)))
    world.after_step.append(lambda w: log.append(("second", w.step_count)))
    world.step(2)
    assert log == [("before", 0), ("after", 1), ("second", 1), ("before", 1), ("after", 2), ("second", 2)]
    assert np.abs(body.velocity).max() < 1e-14


def test_error_in_a_callback_reaches_the_caller():
    """Pass on what a callback raises."""
    world = World()
    world.before_step.append(lambda w: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        world.step()


def test_contact_events_begin_persist_and_end():
    """Report a pair once as begun, then as going on, once as ended, its bodies in the order of the rows."""
    world = world_with_floor(Material(restitution=0.8))
    world.add_body(Sphere(0.5), position=(0, 0, 0.52), velocity=(0, 0, -2.0), mass=1.0)
    kinds = {"begin": [], "persist": [], "end": []}
    for _ in range(12):
        world.step()
        for kind, steps in kinds.items():
            pairs = getattr(world.events, kind)
            assert pairs.tolist() in ([], [[0, 1]])
            if len(pairs):
                steps.append(world.step_count)
    assert len(kinds["begin"]) == 1 and len(kinds["end"]) == 1
    begin, end = kinds["begin"][0], kinds["end"][0]
    assert begin == 1 and end > begin
    assert kinds["persist"] == list(range(begin + 1, end))


def test_resting_body_persists():
    """Report a resting pair as going on in every step, and several contacts of one pair once."""
    world = tower(2, offset=0.0)
    world.step()
    assert world.events.begin.tolist() == [[0, 1], [1, 2]]
    for _ in range(20):
        world.step()
        assert world.events.persist.tolist() == [[0, 1], [1, 2]]
        assert len(world.events.begin) == len(world.events.end) == 0


def test_contact_impulses_at_rest_carry_the_weight():
    """Sum the impulses of one step to the weight above each level times the step, and no torque."""
    world = tower(5)
    world.step(100)
    contacts, impulses = world.contacts, world.contact_impulses
    a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
    for level in range(5):
        total = impulses[(a == level) & (b == level + 1)].sum(axis=0)
        assert np.abs(total + [0, 0, (5 - level) * G * 0.01]).max() < 1e-9
    points = contacts.point_a[: contacts.count]
    on_top = b == 5
    moment = np.cross(points[on_top] - world.positions[5], -impulses[on_top]).sum(axis=0)
    assert np.abs(moment).max() < 1e-9


def test_contact_impulses_of_an_impact_change_the_momentum():
    """Account for the momentum of a bouncing body by gravity and contact impulses alone, step by step."""
    world = world_with_floor(Material(restitution=0.5, friction=0.4))
    body = world.add_body(
        Box((0.6, 0.4, 0.8)),
        position=(0, 0, 0.9),
        quaternion=axis_angle((1, 2, 0.5), 0.6),
        velocity=(1, 0.3, -1),
        mass=2.0,
        material=Material(friction=0.4),
    )
    before = 2.0 * body.velocity
    hits = 0
    for _ in range(150):
        world.step()
        after = 2.0 * body.velocity
        given_by_contacts = -world.contact_impulses.sum(axis=0)
        assert np.abs(after - before - [0, 0, -2.0 * G * 0.01] - given_by_contacts).max() < 1e-12
        hits += bool(np.abs(given_by_contacts).max() > 0.5)
        before = after
    assert hits >= 2


# -------------------------------------------------------------------- queries


def test_queries_name_the_body():
    """Find bodies by ray, by closest point and by overlap, at their present poses."""
    world = world_with_floor()
    ball = world.add_body(Sphere(0.5), position=(0, 0, 2), name="ball")
    box = world.add_body(Box((1, 1, 1)), position=(3, 0, 0.5), name="box")
    body, hit = world.ray_cast((-5, 0, 2), (2, 0, 0))
    assert body is ball and hit.distance == pytest.approx(4.5, abs=1e-12)
    assert np.abs(hit.point - [-0.5, 0, 2]).max() < 1e-12
    assert np.abs(hit.normal - [-1, 0, 0]).max() < 1e-12
    assert world.ray_cast((-5, 0, 2), (1, 0, 0), max_distance=4.0) is None
    body, found = world.closest_point((3, 0, 1.4))
    assert body is box and found.distance == pytest.approx(0.4, abs=1e-12)
    assert np.abs(found.point - [3, 0, 1]).max() < 1e-12
    assert {b.name for b in world.overlap(Box((1, 1, 1)), position=(3, 0, 0.2))} == {"box", "floor"}
    assert world.overlap(Sphere(0.1), position=(0, 0, 10)) == []
    ball.position = (0, 5, 2)
    assert world.ray_cast((-5, 0, 2), (1, 0, 0)) is None
    world.remove_body(box)
    assert {b.name for b in world.overlap(Box((1, 1, 1)), position=(3, 0, 0.2))} == {"floor"}


# ------------------------------------------------------------ coming and going


def test_handles_stay_valid_when_others_come_and_go():
    """Keep each handle on its body, whatever is added or removed before or behind it."""
    world = world_with_floor()
    bodies = [
        world.add_body(Box((1, 1, 1)), position=(3 * k, 0, 0.5), mass=k + 1.0, name=f"box {k}")
        for k in range(6)
    ]
    world.step(5)
    world.remove_body(bodies[2])
    world.remove_body(world.body("box 0"))
    late = world.add_body(Sphere(0.5), position=(100, 0, 0.5), mass=50.0, name="late")
    world.step(5)
    for k in (1, 3, 4, 5):
        assert bodies[k].mass == k + 1.0 and world.body(f"box {k}") is bodies[k]
        assert np.abs(bodies[k].position - [3 * k, 0, 0.5]).max() < 1e-9
        assert world.bodies[bodies[k].index] is bodies[k]
    assert late.mass == 50.0 and np.abs(late.position - [100, 0, 0.5]).max() < 1e-9
    assert [b.name for b in world.bodies] == ["floor", "box 1", "box 3", "box 4", "box 5", "late"]
    with pytest.raises(ValueError, match="box 2.*not in this world"):
        _ = bodies[2].position
    with pytest.raises(KeyError, match="box 2"):
        world.body("box 2")
    again = world.add_body(Box((1, 1, 1)), position=(6, 0, 0.5), name="box 2")
    assert world.body("box 2") is again


def test_removing_a_bystander_changes_nothing():
    """Move on as before, impulses remembered, when a body far away goes or comes.

    As before means to the tolerance of the velocity rows, 1e-10 m/s.
    """
    ends = []
    for case in ("alone", "removed", "added"):
        world = World()
        bystander = None
        if case == "removed":
            bystander = world.add_body(Box((1, 1, 1)), position=(50, 0, 0.5), mass=1.0)
        floor(world)
        rng = np.random.default_rng(0)
        cubes = [
            world.add_body(Box((1, 1, 1)), position=(*rng.uniform(-1e-3, 1e-3, 2), 0.5 + k), mass=1.0)
            for k in range(5)
        ]
        cubes.append(
            world.add_body(
                Sphere(0.4), position=(0.1, 0.2, 6.5), mass=0.5, material=Material(restitution=0.5)
            )
        )
        for k in range(60):
            if k == 20 and bystander is not None:
                world.remove_body(bystander)
            if k == 20 and case == "added":
                world.add_body(Box((1, 1, 1)), position=(50, 0, 0.5), mass=1.0)
            world.step()
        ends.append(np.array([(*c.position, *c.quaternion, *c.velocity) for c in cubes]))
    assert np.abs(ends[1] - ends[0]).max() < 1e-10
    assert np.abs(ends[2] - ends[0]).max() < 1e-10


def test_impulses_are_remembered_when_a_body_goes():
    """Start the step after a removal from the impulses of the step before: a tower needs no new search."""
    world = World()
    bystander = world.add_body(Box((1, 1, 1)), position=(50, 0, 0.5), mass=1.0)
    floor(world)
    for k in range(5):
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5 + k), mass=1.0)
    world.step(20)
    weights = world.contact_impulses[:, 2].copy()
    mine = world.contacts.body_a[: world.contacts.count] != bystander.index
    world.remove_body(bystander)
    assert world.contacts.count == np.count_nonzero(mine)
    world.step()
    assert np.abs(world.contact_impulses[:, 2] - weights[mine]).max() < 1e-9


def test_removing_the_support_lets_the_rest_fall():
    """Let what lay on a removed body fall freely from the next step on."""
    world = tower(3, offset=0.0)
    world.step(20)
    world.remove_body(world.body("cube 1"))
    world.step(10)
    fall = 0.5 * G * 0.1**2
    assert world.body("cube 2").position[2] == pytest.approx(2.5 - fall, abs=1e-9)
    assert np.abs(world.body("cube 0").position - [0, 0, 0.5]).max() < 1e-9


def test_contacts_and_impulses_have_one_length():
    """Return one impulse per contact, also right after bodies were added, moved or removed."""
    world = tower(4)
    world.step(10)
    assert len(world.contact_impulses) == world.contacts.count
    world.remove_body(world.body("cube 3"))
    impulses = world.contact_impulses
    assert len(impulses) == world.contacts.count
    world.add_body(Box((1, 1, 1)), position=(0, 0, 3.5), mass=1.0)
    impulses = world.contact_impulses
    assert len(impulses) == world.contacts.count


def test_moved_body_is_seen_where_it_is():
    """Find the contacts of a body that was moved by hand before the next step."""
    world = world_with_floor()
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 5.0), mass=1.0)
    world.step()
    body.position, body.velocity = (0, 0, 0.5), (0, 0, 0)
    assert world.contacts.count == 4
    world.step(10)
    assert np.abs(body.position - [0, 0, 0.5]).max() < 1e-9
    world.positions = world.positions + [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    world.velocities[1] = 0.0
    world.step()
    assert body.position[2] == pytest.approx(1.5 - 0.5 * G * 1e-4, abs=1e-9)


# ------------------------------------------------ mass, names, pairs, materials


def test_mass_setter_scales_the_inertia():
    """Answer an impulse with a tenth of the velocity once the mass is tenfold (bullet3#4809)."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((1, 2, 3)), mass=1.0)
    moments = body.inertia
    body.mass = 10.0
    assert body.mass == 10.0 and np.abs(body.inertia - 10.0 * moments).max() < 1e-14 * moments.max() * 10
    body.apply_impulse((1, 0, 0), (0, 1, 0))
    assert np.abs(body.velocity - [0.1, 0, 0]).max() < 1e-15
    assert np.abs(body.angular_velocity - [0, 0, -1 / (10 * moments[2])]).max() < 1e-15


def test_mass_changed_while_resting_is_carried():
    """Carry the new weight from the next step on."""
    world = tower(2, offset=0.0)
    world.step(10)
    world.body("cube 1").mass = 100.0
    world.step(10)
    lowest = world.contacts.body_a[: world.contacts.count] == 0
    assert world.contact_impulses[lowest].sum(axis=0)[2] == pytest.approx(-101 * G * 0.01, rel=1e-9)
    assert np.abs(world.body("cube 1").position - [0, 0, 1.5]).max() < 1e-9


def test_names_are_unique_and_found():
    """Give names, find bodies by them, and suggest near ones."""
    world = World()
    one = world.add_body(Sphere(1.0))
    two = world.add_body(Sphere(1.0), position=(9, 0, 0), name="left wheel")
    assert one.name == "body 0" and world.body("left wheel") is two and "left wheel" in repr(two)
    with pytest.raises(KeyError, match="left wheel"):
        world.body("left whel")


def test_excluded_pairs_pass_through_each_other():
    """Let an excluded pair overlap without contact, and keep the exclusion when other bodies go."""
    world = world_with_floor()
    spare = world.add_body(Sphere(0.5), position=(50, 0, 0.5))
    lower = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
    upper = world.add_body(Box((1, 1, 1)), position=(0, 0, 2.0), mass=1.0)
    world.exclude_collision(upper, lower)
    world.remove_body(spare)
    world.step(120)
    assert upper.position[2] == pytest.approx(0.5, abs=1e-6)
    assert lower.position[2] == pytest.approx(0.5, abs=1e-9)


def test_exclusion_of_a_resting_pair_acts_at_once():
    """Let a resting body fall from the next step on when its pair is excluded."""
    world = tower(2, offset=0.0)
    world.step(10)
    world.exclude_collision(world.body("cube 0"), world.body("cube 1"))
    world.step(10)
    assert world.body("cube 1").position[2] == pytest.approx(1.5 - 0.5 * G * 0.01, abs=1e-9)


@pytest.mark.parametrize(
    ("group", "mask", "other_group", "other_mask", "collide"),
    [
        (1, -1, 1, -1, True),
        (2, 1, 1, 2, True),
        (2, 1, 1, 1, False),
        (2, 4, 1, -1, False),
        (2, -1, 1, 4, False),
    ],
)
def test_groups_and_masks(group, mask, other_group, other_mask, collide):
    """Let two bodies touch if and only if each one's group is in the other's mask."""
    world = World()
    floor(world, group=other_group, mask=other_mask)
    body = world.add_body(Sphere(0.5), position=(0, 0, 0.5), group=group, mask=mask)
    world.step(10)
    assert bool(world.contacts.count) == collide
    assert (abs(body.velocity[2]) < 1e-10) == collide


@pytest.mark.parametrize(
    ("rule", "mu"),
    [("multiply", 0.08), ("add", 0.6), ("minimum", 0.2), ("maximum", 0.4), ("mean", 0.3)]
    + [("geometric_mean", np.sqrt(0.08))],
)
def test_friction_of_a_pair_follows_the_rule(rule, mu):
    """Slow a box down by mu g, mu being combined from both bodies by the rule of the world."""
    world = world_with_floor(Material(friction=0.2), settings=Settings(friction_rule=rule))
    body = world.add_body(
        Box((1, 1, 0.2)), position=(0, 0, 0.1), velocity=(5, 0, 0), material=Material(friction=0.4)
    )
    world.step(20)
    assert body.velocity[0] == pytest.approx(5.0 - mu * G * 0.2, abs=1e-9)


@pytest.mark.parametrize(
    ("rule", "e"), [("multiply", 0.32), ("maximum", 0.8), ("mean", 0.6), ("minimum", 0.4)]
)
def test_restitution_of_a_pair_follows_the_rule(rule, e):
    """Throw a ball back with e times its speed, e being combined by the rule of the world."""
    world = World(gravity=(0, 0, 0), settings=Settings(restitution_rule=rule))
    floor(world, Material(restitution=0.4))
    body = world.add_body(
        Sphere(0.5), position=(0, 0, 0.6), velocity=(0, 0, -2), material=Material(restitution=0.8)
    )
    world.step(20)
    assert body.velocity[2] == pytest.approx(2.0 * e, rel=1e-12)


def test_material_change_acts_at_once():
    """Let a held body slide from the next step on when its friction is taken away, and back."""
    angle = np.radians(20)
    world = World(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    floor(world, Material(friction=1.0))
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), material=Material(friction=1.0))
    world.step(10)
    body.material = Material(friction=0.0)
    world.step(10)
    assert body.velocity[0] == pytest.approx(G * np.sin(angle) * 0.1, abs=1e-9)
    assert body.material == Material(friction=0.0)


# ------------------------------------------------------------ gravity, step, report


def test_gravity_and_time_step_may_change():
    """Use a new gravity and a new step from the next step on, with a resting body in between."""
    world = tower(3)
    world.step(10)
    world.gravity = (0, 0, -2.0 * G)
    world.step(10)
    assert np.abs(world.velocities).max() < 1e-9
    world.time_step = 0.002
    world.step(10)
    lowest = world.contacts.body_a[: world.contacts.count] == 0
    assert world.contact_impulses[lowest].sum(axis=0)[2] == pytest.approx(-3 * 2 * G * 0.002, rel=1e-6)
    world.gravity = (0, 0, 0)
    world.step(100)
    assert np.abs(world.velocities).max() < 1e-9
    assert world.time == pytest.approx(0.2 + 0.02 + 0.2, abs=1e-12)


def test_report_gives_energy_and_momentum():
    """Report what numpy sums from the whole arrays."""
    world = World()
    for seed in range(4):
        body = loose_body(world, seed)
        body.position = body.position + [5.0 * seed, 0, 0]
    report = world.step(3)
    m, v, x = world.masses, world.velocities, world.positions
    turns = [matrix(q) for q in world.quaternions]
    spins = np.array([r.T @ w for r, w in zip(turns, world.angular_velocities, strict=True)])
    kinetic = 0.5 * (m * (v**2).sum(axis=1)).sum() + 0.5 * (world.inertias * spins**2).sum()
    own = [r @ (j * s) for r, j, s in zip(turns, world.inertias, spins, strict=True)]
    assert report.kinetic_energy == pytest.approx(kinetic, rel=1e-13)
    assert report.kinetic_energy == pytest.approx(sum(b.kinetic_energy for b in world.bodies), rel=1e-13)
    assert report.potential_energy == pytest.approx((m * G * x[:, 2]).sum(), rel=1e-13)
    assert report.energy == report.kinetic_energy + report.potential_energy
    assert np.abs(report.momentum - m @ v).max() < 1e-13
    total = np.cross(x, m[:, None] * v).sum(axis=0) + np.sum(own, axis=0)
    assert np.abs(report.angular_momentum - total).max() < 1e-12
    assert (report.step, report.body_count, report.contact_count) == (3, 4, 0)
    assert report.time == pytest.approx(0.03, abs=1e-15)


def test_report_gives_the_deepest_overlap():
    """Report the deepest overlap of two bodies set into each other, before it is removed."""
    world = World(gravity=(0, 0, 0))
    world.add_body(Sphere(0.5))
    world.add_body(Sphere(0.5), position=(0, 0, 0.9))
    assert world.contacts.count == 1
    assert world.report.max_overlap == pytest.approx(0.1, abs=1e-12)
    world.step()
    assert 0.0 < world.report.max_overlap < 0.1


def test_many_shapes_share_a_floor():
    """Let every kind of round and square shape rest where it touches."""
    world = World()
    world.add_body(HalfSpace(offset=-1.0), kind="static", position=(0, 0, 1.0))
    heights = {}
    shapes = [(Sphere(0.3), 0.3), (Capsule(0.2, 1.0), 0.7), (Box((1, 1, 2)), 1.0)]
    for k, (shape, height) in enumerate(shapes):
        heights[world.add_body(shape, position=(3 * k, 0, height))] = height
    world.step(100)
    for body, height in heights.items():
        assert body.position[2] == pytest.approx(height, abs=1e-9)


def test_overlap_names_bodies_not_shapes():
    """Return each body once, whichever of its shapes is overlapped."""
    world = World()
    pair = world.add_body([Placed(Sphere(0.5), (-1, 0, 0)), Placed(Sphere(0.5), (1, 0, 0))], name="pair")
    ball = world.add_body(Sphere(0.5), position=(1.0, 0.9, 0.0), name="ball")
    assert world.overlap(Box((3, 0.2, 0.2)), (0, 0, 0)) == [pair]
    assert world.overlap(Sphere(0.3), (1.0, 0.45, 0.0)) == [pair, ball]
    assert world.overlap(Sphere(0.1), (0, 0, 0)) == []
