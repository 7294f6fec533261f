"""Islands fall asleep where they get nowhere, and only there; asleep they are seen as they were."""

import pickle

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World
from tests.engine.worlds import G, run, tower, world_with_floor

ASLEEP = Settings(sleeping=True)
WINDOW = round(ASLEEP.sleep_time / 0.01)  # steps of 10 ms that a body rests before it sleeps
# A body at rest is where it was up to the tolerance of the position rows.
SAME = ASLEEP.position_tolerance


def test_sleeping_is_off_by_default():
    """Let nothing sleep unless asked, and have the same bits as without until something does."""
    world, other = tower(4), tower(4, settings=ASLEEP)
    world.step(WINDOW - 2)
    other.step(WINDOW - 2)
    assert world.state_hash() == other.state_hash()
    world.step(20)
    other.step(20)
    assert not world.asleep.any() and world.report.asleep_count == 0
    assert other.report.asleep_count == 4


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_a_stack_sleeps_as_a_whole_and_stays(solver):
    """Put a stack to sleep after the window, not before, with no bit of its pose changing afterwards."""
    world = tower(5, settings=Settings(sleeping=True, solver=solver, sweeps=200))
    # a body rests from the step on that leaves it near its anchor, its first pose
    counts = run(world, WINDOW + 3, lambda w: w.asleep.sum()).tolist()
    assert set(counts) == {0, 5} and counts.index(5) in (WINDOW, WINDOW + 1)
    poses = world.positions.copy(), world.quaternions.copy()
    world.step(50)
    assert world.report.islands == 0 and world.report.factorisations == 0 and world.report.sweeps == 0
    assert np.array_equal(world.positions, poses[0]) and np.array_equal(world.quaternions, poses[1])
    assert not world.velocities.any() and not world.angular_velocities.any()


def test_contacts_and_events_are_those_of_the_stack_awake():
    """Report contacts, impulses and lasting touches of what sleeps, and no end of touching."""
    world, awake = tower(3, settings=ASLEEP), tower(3)
    for _ in range(WINDOW + 10):
        world.step()
        awake.step()
        assert len(world.events.end) == 0
    assert world.asleep[1:].all()
    ours, theirs = world.contacts, awake.contacts
    assert ours.count == theirs.count == world.report.contact_count
    for name in ("body_a", "body_b", "shape_a", "shape_b", "feature"):
        assert np.array_equal(getattr(ours, name)[: ours.count], getattr(theirs, name)[: theirs.count])
    assert world.report.touching_count == awake.report.touching_count
    assert world.events.persist.tolist() == awake.events.persist.tolist() == [[0, 1], [1, 2], [2, 3]]
    # the floor carries three cubes of 1 kg
    floor_contacts = (ours.body_a[: ours.count] == 0) | (ours.body_b[: ours.count] == 0)
    carried = np.abs(world.contact_impulses[floor_contacts, 2].sum())
    assert carried == pytest.approx(3 * G * 0.01, rel=1e-6)


def test_creep_keeps_awake():
    """Let a box that slides faster than the threshold slide on, and one that is slower fall asleep."""
    threshold = ASLEEP.sleep_distance / ASLEEP.sleep_time
    smooth = Material(friction=0.0)
    world = world_with_floor(smooth, settings=ASLEEP)
    for k, factor in enumerate((1.5, 0.5)):
        world.add_body(
            Box((1, 1, 1)),
            position=(0, 3 * k, 0.5),
            velocity=(factor * threshold, 0, 0),
            material=smooth,
            name=f"{factor}",
        )
    world.step(500)
    # nothing resists: 1.5 threshold times 5 s, up to the tolerance of the rows
    assert world.body("1.5").center_of_mass[0] == pytest.approx(1.5 * threshold * 5.0, abs=SAME)
    assert not world.body("1.5").asleep and world.body("0.5").asleep


def test_a_slow_turn_keeps_awake():
    """Let a box that spins about the vertical without resistance spin on."""
    smooth = Material(friction=0.0)
    world = world_with_floor(smooth, settings=ASLEEP)
    # corners at 0.7 m move by 1.4 thresholds
    rate = 2.0 * ASLEEP.sleep_distance / ASLEEP.sleep_time
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), angular_velocity=(0, 0, rate), material=smooth)
    world.step(300)
    assert not box.asleep
    assert 2.0 * np.arcsin(box.quaternion[3]) == pytest.approx(rate * 3.0, abs=SAME)


def test_a_pendulum_does_not_sleep_at_its_turning_points():
    """Swing with the same bits as without sleeping, though the pendulum starts and turns at velocity zero."""
    ends = []
    for settings in (ASLEEP, Settings()):
        world = World(settings=settings)
        bob = world.add_body(Box((0.1, 0.1, 0.1)), position=(0.2, 0, -2.0), mass=1.0)
        world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, bob)
        world.step(800)  # 2.8 periods
        ends.append(world.state_hash())
        assert not bob.asleep
    assert ends[0] == ends[1]


def test_a_resting_pendulum_sleeps_and_its_joint_carries_on():
    """Report the weight as the force of the joint of a bob that sleeps."""
    world = World(settings=ASLEEP)
    bob = world.add_body(Box((0.1, 0.1, 0.1)), position=(0, 0, -2.0), mass=3.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, bob)
    world.step(WINDOW + 20)
    assert bob.asleep
    assert joint.force == pytest.approx((0, 0, 3 * G), rel=1e-6, abs=1e-6)


def test_a_mechanism_on_the_ground_sleeps():
    """Put three boxes joined by two hinges to sleep together after they fell flat."""
    world = world_with_floor(settings=ASLEEP)
    links = [world.add_body(Box((0.9, 0.3, 0.2)), position=(k, 0, 0.3), mass=2.0) for k in range(3)]
    for k in range(2):
        world.add_joint(Hinge((k + 0.5, 0, 0.3), (0, 1, 0)), links[k], links[k + 1]).damper(0.1)
    world.step(300)
    assert world.asleep[1:].all() and world.report.islands == 0
    assert world.report.joint_error <= SAME


def test_a_box_held_back_on_a_conveyor_stays_awake():
    """Keep awake what stands still on a moving support, and let it sleep when that stops."""
    world = world_with_floor(settings=ASLEEP)
    belt = world.add_body(Box((40, 1, 0.2)), position=(0, 0, 0.1), kind="kinematic", velocity=(1, 0, 0))
    world.add_body(Box((0.1, 1, 1)), position=(0.55, 0, 0.8), kind="static")
    box = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.7), mass=1.0, material=Material(friction=0.2))
    world.step(3 * WINDOW)
    assert not box.asleep and abs(box.position[0]) < 1e-3
    belt.velocity = (0, 0, 0)
    world.step(2 * WINDOW)
    assert box.asleep


def test_free_bodies_sleep_alone():
    """Put a body to sleep that floats at rest without gravity, not one that drifts."""
    world = World(gravity=(0, 0, 0), settings=ASLEEP)
    still = world.add_body(Sphere(0.3), position=(0, 0, 0))
    drifting = world.add_body(Sphere(0.3), position=(3, 0, 0), velocity=(0, 0.01, 0))
    world.step(WINDOW + 10)
    assert still.asleep and not drifting.asleep


def sleepy_scene(settings: Settings = ASLEEP) -> World:
    """Return a tower about to sleep, a hinge at rest, and a ball that falls on the tower after 0.9 s."""
    world = tower(4, settings=settings)
    world.add_body(Sphere(0.4), position=(0.2, 0.1, 4.4 + 0.5 * G * 0.9**2), mass=2.0)
    bob = world.add_body(Box((0.2, 0.2, 0.2)), position=(5, 0, 1), mass=1.0)
    world.add_joint(Hinge((5, 0, 2), (0, 1, 0)), None, bob).motor(0.0, max_force=5.0)
    return world


def state_of(world: World) -> tuple[str, bytes, bytes, bytes, int]:
    """Return what two runs are compared by."""
    c = world.contacts
    gaps = c.gap[: c.count].tobytes()
    return world.state_hash(), world.contact_impulses.tobytes(), gaps, world.asleep.tobytes(), c.count


@pytest.mark.parametrize("at", [30, 49, 51, 70, 89, 92, 120])
def test_restore_continues_bitwise(at):
    """Run on from a saved state with the same bits: before, while and after bodies sleep (R56)."""
    world = sleepy_scene()
    world.step(at)
    kept = pickle.dumps(world.save())
    expected = [state_of(world) for _ in range(60) if world.step()]
    assert len({state[3] for state in expected}) > 1, "nothing fell asleep or woke"
    world.restore(pickle.loads(kept))
    assert [state_of(world) for _ in range(60) if world.step()] == expected
    fresh = World(settings=ASLEEP)
    fresh.restore(pickle.loads(kept))
    assert [state_of(fresh) for _ in range(60) if fresh.step()] == expected


def test_same_bits_in_one_call_or_many():
    """Reach the same state however the steps are split, and whether or not results are read in between."""
    first, second = sleepy_scene(), sleepy_scene()
    first.step(150)
    for _ in range(150):
        second.step()
        _ = second.contacts, second.contact_impulses, second.report
    assert state_of(first) == state_of(second)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (dict(sleeping=1), "sleeping = 1 must be True or False"),
        (dict(sleep_distance=0.0), "sleep_distance = 0.0 .* above zero"),
        (dict(sleep_time=0.0), "sleep_time = 0.0 .* above zero"),
        (dict(sleep_time=-1.0), "sleep_time = -1.0 .* not negative"),
    ],
)
def test_wrong_settings_are_refused(change, words):
    """Refuse thresholds that make no sense, with the cure."""
    with pytest.raises(ValueError, match=words):
        Settings(**change)


def test_thresholds_scale_with_the_world():
    """Scale distance and time of rest with lengths and times."""
    small = Settings().scaled(0.01)
    assert small.sleep_distance == pytest.approx(0.01 * Settings().sleep_distance)
    assert small.sleep_time == pytest.approx(0.1 * Settings().sleep_time)


def test_what_is_wedged_stays_awake_to_be_reported():
    """Keep a box awake that is wedged between two static ones, and let its neighbour sleep."""
    world = world_with_floor(settings=ASLEEP)
    world.add_body(Box((2, 2, 1)), position=(0, 0, 1.4), kind="static")
    wedged = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.45), mass=1.0, name="wedged")
    free = world.add_body(Box((1, 1, 1)), position=(5, 0, 0.5), mass=1.0)
    report = world.step(WINDOW + 20)
    assert free.asleep and not wedged.asleep
    assert any("wedged" in pair for pair in report.jammed)
