"""The world: callbacks, events, contacts, queries, removal, gravity, reports."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Placed, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import (
    G,
    axis_angle,
    floor,
    loose_body,
    matrix,
    tower,
    world_with_floor,
)

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


@pytest.mark.parametrize("settings", [{}, {"order": 4}, {"sleeping": True}, {"time_of_impact": True}])
def test_a_world_without_bodies_makes_steps(settings):
    """Step before there is a body, and after the last one is gone; kernels that check bounds see no error."""
    world = World(settings=Settings(**settings))
    world.step(3)
    body = world.add_body(Sphere(0.5), position=(0, 0, 2))
    world.step(3)
    world.remove_body(body)
    report = world.step(3)
    assert world.step_count == 9 and report.energy == 0.0 and report.contact_count == 0


def test_a_report_prints_its_main_figures():
    """Tell step, counts, energy with its unit and what is wrong, in a line that fits a screen."""
    world = World()
    world.add_body(HalfSpace(), kind="static")
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=2.0)
    text = repr(world.step(10))
    assert text.startswith("<StepReport of step 10, 0.1 s: 2 bodies (0 asleep), 0 joints, 4 contacts touch")
    assert "energy 9.81 J" in text and "open_joints" not in text and len(text) < 260


def test_a_warning_names_the_line_of_the_user():
    """Point at the call of `World.step`, not into the engine."""
    world = World(time_step=0.033)
    world.add_body(HalfSpace(), kind="static")
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5))
    with pytest.warns(UserWarning, match="contacts are seen too late") as told:
        world.step()
    assert told[0].filename == __file__
