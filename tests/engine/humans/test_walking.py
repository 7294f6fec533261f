"""A walk: the torques of virtual forces, and steps that are made."""

from math import cos, sin

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.henze.creep import Creep
from stoss.benchmarks.henze.walks import set_out
from stoss.engine.humans import (
    MALE,
    SOLE,
    GaitRecorder,
    VirtualModelWalker,
    Walk,
    build_humanoid,
    gait_page,
    gait_report,
)
from stoss.engine.humans import (
    person as person_of,
)
from stoss.engine.humans.placement import Placement
from stoss.engine.humans.sagittal import Leg, planted, shared_by_both, stance, swing
from stoss.engine.humans.standing import feet_of

THIGH, SHANK = 0.44455, 0.43510


def legs(seed):
    rng = np.random.default_rng(seed)
    for _ in range(2):
        yield Leg(0.16, *rng.uniform((-1.2,), (-0.8,)), SHANK, THIGH, *rng.uniform((0.1, -0.5), (0.6, -0.1)))


def hip_of(leg, hat, ankle, knee):
    """Return where the hip of a standing leg is, by its joint angles from the ones that it has."""
    th1, th2 = leg.hat + hat, leg.theta_2 + hat - ankle
    th3 = leg.theta_3 + hat - ankle - knee
    return np.array(
        [
            leg.lever * sin(th1) + SHANK * sin(th2) + THIGH * sin(th3),
            leg.lever * cos(th1) + SHANK * cos(th2) + THIGH * cos(th3),
        ]
    )


def jacobian(leg):
    """Return the jacobian by differences: foot, hip forward and up, trunk by foot, ankle, knee, hip."""
    out, h = np.zeros((4, 4)), 1e-6
    for k in range(3):
        step = np.zeros(3)
        step[k] = h
        out[1:3, k] = (hip_of(leg, *step) - hip_of(leg, *-step)) / (2 * h)
    out[0, 0] = 1.0
    out[3] = (1.0, -1.0, -1.0, -1.0)
    return out


@pytest.mark.parametrize("seed", range(5))
def test_a_standing_leg_gives_what_is_wanted(seed):
    """Give the torques of the transposed jacobian, with none between foot and ground."""
    leg = next(legs(seed))
    (ankle, knee, hip), forward = stance(leg, 12.0, 600.0, -30.0)
    torques = jacobian(leg).T @ (12.0, forward, 600.0, -30.0)
    np.testing.assert_allclose(torques, (0.0, ankle, knee, hip), atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_leg_gives_what_is_wanted(seed):
    """Give the vertical force and the moment on the trunk with the ankle that was chosen."""
    leg = next(legs(seed))
    ankle, knee, hip = planted(leg, 25.0, 300.0, -20.0)
    # forces on hip and trunk by the torques: the foot, held flat, takes what is left
    foot, forward, vertical, trunk = np.linalg.solve(jacobian(leg).T, (0.0, ankle, knee, hip))
    np.testing.assert_allclose((ankle, vertical, trunk), (25.0, 300.0, -20.0), atol=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_a_swinging_leg_gives_what_is_wanted(seed):
    """Give the torques of the transposed jacobian of the ankle from the hip."""
    leg = next(legs(seed))
    h, rows = 1e-6, []
    for ankle, knee, hip in np.eye(3):
        places = []
        for t in (-h, h):
            th3 = leg.theta_3 + t * hip
            th2 = leg.theta_2 + t * (hip + knee)
            places.append((-SHANK * sin(th2) - THIGH * sin(th3), -SHANK * cos(th2) - THIGH * cos(th3)))
        rows.append([ankle + knee + hip, *((np.array(places[1]) - places[0]) / (2 * h))])
    np.testing.assert_allclose(swing(leg, 5.0, 40.0, -60.0), np.array(rows) @ (5.0, 40.0, -60.0), atol=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_two_legs_share_what_is_wanted(seed, share):
    """Solve the eight equations of two legs on the ground as a numerical inverse does."""
    front, rear = legs(seed)
    wanted = (4.0, -6.0, 30.0, 700.0, -25.0)
    found = shared_by_both(front, rear, *wanted, share)
    # forces of both legs (4 each), so that no torque is at the soles and their sums are what is wanted
    matrix, right = np.zeros((8, 8)), np.zeros(8)
    for k, leg in enumerate((front, rear)):
        own = slice(4 * k, 4 * k + 4)
        matrix[k, own] = jacobian(leg).T[0]
        matrix[2 + k, 4 * k] = 1.0
        right[2 + k] = wanted[k]
        matrix[4, 4 * k + 1] = matrix[5, 4 * k + 2] = 1.0
        matrix[6 + k, 4 * k + 3] = 1.0
        right[6 + k] = (share if k == 0 else 1.0 - share) * wanted[4]
    right[4:6] = wanted[2:4]
    forces = np.linalg.solve(matrix, right)
    for k, leg in enumerate((front, rear)):
        torques = jacobian(leg).T @ forces[4 * k : 4 * k + 4]
        np.testing.assert_allclose(found[k], torques[1:], rtol=1e-5, atol=1e-3)


def someone(walk=None, **options):
    """Return a world with ground, a person in it, and who walks with them."""
    world = st.World(time_step=0.001)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE, name="ground")
    person = build_humanoid(world)
    walker = VirtualModelWalker(person, walk, **options)
    world.add_controller(walker)
    return world, person, walker


@pytest.fixture(scope="module")
def walked():
    """Walk for 2.6 s at a millisecond a step, recorded: person, recorder, and the report of each step."""
    world, person, walker = someone()
    walker.start(outward=0.25)
    recorder = GaitRecorder(walker)
    return person, recorder, [world.step() for _ in range(2600)]


def test_a_man_walks(walked):
    """Walk upright, with closed joints, as in the thesis."""
    person, recorder, reports = walked
    assert all(rung == "shorter sub-steps" for report in reports for rung, _ in report.ladder)
    assert not recorder.walker.fallen and max(report.joint_error for report in reports) < 1e-6
    report = gait_report(recorder.walker, skip=2)
    assert report.speed == pytest.approx(1.11, abs=0.15)
    assert report.step_length == pytest.approx(0.537, abs=0.05)
    assert 0.75 < report.single_support < 0.92
    assert person.bodies["pelvis"].position[2] > 0.9


def test_no_speed_to_the_side_stays(walked):
    """Walk straight after a start that drifts to the side: the mean speed across fades within a few steps."""
    landings = walked[1].walker.landings
    first, later = (np.subtract(landings[k + 2].pelvis, landings[k].pelvis) for k in (0, 2))
    assert abs(later[1]) < 0.06 * later[0] and abs(later[1]) < 0.5 * abs(first[1])


def test_a_mirrored_start_gives_a_mirrored_walk():
    """Walk from the left leg as from the right one, mirrored, over more than a step."""
    ways = []
    for standing, other in (("right", "left"), ("left", "right")):
        world, person, walker = someone()
        walker.start(standing=standing)
        world.step(450)
        assert walker.steps == 1 and walker.standing == other
        names = [f"{side} {part}" for side in (standing, other) for part in ("thigh", "shank", "foot")]
        ways.append(np.array([person.bodies[name].position for name in ("pelvis", "upper body", *names)]))
    np.testing.assert_allclose(ways[0], ways[1] * (1.0, -1.0, 1.0), atol=1e-9)


def test_a_body_of_the_same_shape_walks_alike():
    """Walk as the picture of another person: lengths by the size, times by its root, whatever the mass."""
    size, ways = 0.81, []
    for human in (MALE, MALE.scaled(stature=size * MALE.stature, mass=41.0)):
        factor = human.leg / MALE.leg
        world = st.World(time_step=0.001 * factor**0.5)
        world.add_body(st.HalfSpace(), kind="static", material=SOLE, name="ground")
        person = build_humanoid(world, human)
        walker = VirtualModelWalker(person)
        walker.start()
        world.add_controller(walker)
        world.step(600)
        assert walker.steps == 1
        ways.append(np.array([body.position for body in person.bodies.values()]) / factor)
    assert ways[0][0, 0] > 0.5
    np.testing.assert_allclose(ways[1], ways[0], atol=2e-3)


def test_a_drift_to_the_side_does_not_turn_the_pelvis():
    """Put a foot aside to the same place of heading and gravity from a pelvis that is turned."""
    placement = Placement()
    for yaw, flexion, speed in ((0.2, -0.4, 0.1), (-0.3, -0.3, -0.2), (0.1, 0.2, 0.0)):
        angle = placement.angle(speed, 0.5, flexion, yaw)
        # of the axis of the leg, up: flexed about y, then aside about x, from a pelvis that is turned about z
        x, y, z = sin(flexion) * cos(angle), -sin(angle), cos(flexion) * cos(angle)
        aside = sin(yaw) * x + cos(yaw) * y
        lean = np.sign(speed) * np.arccos(1.0 - speed**2 / (2.0 * 9.81 * 0.5))
        assert -aside / z == pytest.approx(np.tan(lean), abs=1e-12)


def test_one_who_stands_goes_and_stops():
    """Stand still, go at the planned time, and bring both feet beside each other to stand again."""
    world, man, walker = someone(Walk(speed=0.0))
    walker.stand()
    walker.plan(0.5, Walk.at(0.8))
    world.step(500)
    assert walker.phase == "stand" and np.linalg.norm(man.bodies["pelvis"].velocity) < 0.1
    world.step(1500)
    assert walker.steps > 1 and walker.phase != "stand" and man.bodies["pelvis"].position[0] > 0.4
    walker.walk = Walk(speed=0.0)
    world.step(5000)
    assert walker.phase == "stand" and not walker.fallen
    feet = feet_of(walker._places, walker._masses, walker.heading)
    assert abs(feet[0, 0] - feet[1, 0]) < 0.2 and np.linalg.norm(man.bodies["pelvis"].velocity) < 0.05


def test_copies_and_snapshots_walk_on_alike():
    """Walk to the same bits in the world, in a copy of it, and after a snapshot was restored."""
    world, _, walker = someone()
    walker.start()
    walker.plan(0.2, Walk(heading=0.3))
    world.step(100)
    copy, saved = world.copy(), world.save()
    copy.step(300)
    world.step(300)
    assert walker.heading > 0.0 and walker.steps > 0
    hashes = [copy.state_hash(), world.state_hash()]
    world.restore(saved)
    world.step(300)
    assert {*hashes, world.state_hash()} == set(hashes[:1])


def test_what_is_recorded_is_so(walked):
    """Record energy, momentum and forces as the world has them."""
    person, recorder, reports = walked
    mass, report = person.mass, reports[-1]
    whole = np.array([step.sub_steps == 1 for step in reports])
    energy = recorder["kinetic"] + recorder["potential"]
    assert energy[-1] == pytest.approx(report.kinetic_energy + report.potential_energy, rel=1e-9)
    center, velocity = recorder["center"], recorder["velocity"]
    own = report.angular_momentum - mass * np.cross(center[-1], velocity[-1])
    np.testing.assert_allclose(recorder["angular_momentum"][-1], own, atol=0.01)
    # what the ground pushes changes the momentum, beside the weight; contacts tell of the last sub-step
    pushed = recorder["ground_force"].sum(axis=1) - (0.0, 0.0, 9.81 * mass)
    missed = np.diff(mass * velocity, axis=0) - 1e-3 * pushed[1:]
    assert whole.mean() > 0.93 and np.abs(missed[whole[1:]]).max() < 1e-6
    place = recorder["pressure"]
    assert np.nanmin(place[..., 0]) > -0.01 and np.nanmax(place[..., 0]) < 0.19
    assert np.isnan(place).any() and recorder["touching"].max() == 1.0
    figures = gait_report(recorder, skip=0)
    assert 0.4 < figures.resistance < 0.7 and 0.03 < figures.kinetic_share < 0.1
    assert "| resistance |  | 0." in figures.table() and " W, 0." in str(figures)
    with pytest.raises(KeyError, match="no column 'work'"):
        recorder["work"]


def test_a_page_is_drawn(walked, tmp_path):
    """Draw what was recorded as a page of panels."""
    pytest.importorskip("matplotlib")
    gait_page(walked[1], tmp_path / "page.png", skip=0)
    assert (tmp_path / "page.png").stat().st_size > 50_000


def test_a_closed_recorder_records_no_more():
    """Keep the steps until it was closed, while the world goes on."""
    world, _, walker = someone()
    recorder = GaitRecorder(walker)
    world.step(3)
    recorder.close()
    world.step()
    assert len(recorder) == 3 and recorder["time"].shape == (3,)


def test_it_turns_at_its_rate_when_the_time_comes():
    """Turn the heading by the rate from the time on that was planned, to what was wanted, and no further."""
    world, _, walker = someone(turn_rate=0.2)
    walker.start()
    walker.plan(0.1, Walk(heading=0.03))
    seen = {}
    for k in range(300):
        world.step()
        seen[k + 1] = walker.heading
    assert seen[99] == 0.0 and seen[150] == pytest.approx(0.01, abs=3e-4)
    assert seen[200] == pytest.approx(0.02, abs=3e-4) and seen[300] == 0.03


def test_walks_of_a_speed():
    """Take the set values of the thesis at its speeds, means between them, and none beyond."""
    assert Walk.at(1.33) == Walk(speed=1.09, push_off=0.45, step=0.475)
    between = Walk.at(0.805, heading=0.1)
    assert (between.speed, between.step) == pytest.approx((0.725, 0.4)) and between.heading == 0.1
    with pytest.raises(ValueError, match="speed = 2"):
        Walk.at(2.0)
    small = person_of("female", percentile=5)
    assert Walk.at(1.33 * (small.leg / MALE.leg) ** 0.5, human=small) == Walk.at(1.33)
    with pytest.raises(ValueError, match="speed = 1.3"):
        Walk.at(1.33, human=small)


def test_what_cannot_be_walked_is_told():
    """Name values that make no sense, and a report that has too little to tell."""
    with pytest.raises(ValueError, match="Walk: speed = -1"):
        Walk(speed=-1.0)
    with pytest.raises(TypeError, match="humanoid"):
        VirtualModelWalker(None)
    world = st.World()
    with pytest.raises(ValueError, match="too few"):
        gait_report(VirtualModelWalker(build_humanoid(world)))
    with pytest.raises(ValueError, match="variant = '21dof'"):
        build_humanoid(world, variant="21dof")


def test_the_books_of_a_walk_close(walked):
    """Find in the ledger all that changes the energy, to the rounding of a thousand joules in every step."""
    _, recorder, reports = walked
    energy = np.array([report.energy for report in reports])
    booked = np.array([report.ledger.change for report in reports])
    np.testing.assert_allclose(np.diff(energy), booked[1:], atol=2e-12)
    work = recorder["actuator_work"][-1] - recorder["actuator_work"][0]
    assert abs(energy[-1] - energy[0] - booked[1:].sum()) < 1e-12 * work


def test_actuators_pay_for_losses_and_what_changes(walked):
    """Let joints do hardly any work: they act at the same moments as the torques that they hold against."""
    _, _, reports = walked
    ledgers = [report.ledger for report in reports]
    actuators = sum(one.load_work + one.drive_work for one in ledgers)
    assert abs(sum(one.joint_work for one in ledgers)) < 1e-4 * actuators


@pytest.mark.parametrize(("order", "most"), [(2, 1e-3), (4, 1e-8)])
def test_joints_give_less_to_a_body_in_the_air_at_a_higher_order(order, most):
    """Let joints of a flying body, under torques, do no work: 1e-3 J of 14 at order 2, 1e-8 at order 4."""
    world = st.World(time_step=0.001, settings=st.Settings(order=order))
    person = build_humanoid(world)
    pose = st.Articulation(world)
    q = pose.q
    q[[pose.index(f"{side} knee") for side in ("right", "left")]] = 1.4
    u = np.random.default_rng(2).normal(size=len(q))
    u[[pose.index(f"{side} knee") for side in ("right", "left")]] = 0.5
    pose.set_state(q, u)
    for name, torque in (("pelvis", (5, 10, -3)), ("left shank", (0.3, -1, 0.5))):
        outer = {"pelvis": "right thigh", "left shank": "left foot"}[name]
        world.torques[person.bodies[name].index] = torque
        world.torques[person.bodies[outer].index] = np.negative(torque)
    world.step(200)
    assert abs(world.ledger.joint_work) < most and world.ledger.load_work > 10.0
    assert world.ledger.stop_work == 0.0


@pytest.mark.parametrize("h", [0.001, 0.0005])
def test_a_foot_that_stands_does_not_creep(h):
    """Hold the points of a sole that stick to 1e-6 m beyond rolling, also while the other foot lands.

    The points of a sole are round: their centres go as far as they roll, r times the turn, and no farther.
    """
    party = set_out()
    party.world.time_step = h
    creep = Creep(party)
    for _ in range(round(0.5 / h)):  # a landing at 0.37 s, on the heel, then the balls
        party.world.step()
        creep.take()
    assert creep.stretches > 5 and party.walker.steps == 1
    assert creep.most < 1e-6


def test_the_report_stands_beside_people(walked):
    """Name, for each figure of people, who measured them; figures go with each other."""
    lines = gait_report(walked[1], skip=0).table().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert rows[0][-2:] == ["people", "who"] and all(len(row) == 6 for row in rows)
    people = {row[0]: row[4] for row in rows[2:] if row[4]}
    assert all(row[5] for row in rows[2:] if row[4]) and len(people) == 9
    speed, length, time = (float(people[n].split()[0]) for n in ("speed", "step length", "step time"))
    assert length / time == pytest.approx(speed, rel=0.05)
    assert speed**2 / (9.81 * 0.88) == pytest.approx(float(people["froude"]), rel=0.03)


@pytest.mark.parametrize(
    "options",
    [{}, {"walk": 0.9}, {"human": person_of("male", percentile=95)}, {"friction": 0.8}],
    ids=["standard", "slow", "tall", "smooth"],
)
def test_a_foot_that_lands_is_soon_found_to_stick(options):
    """Set out on two feet: whether one slides takes few factorisations."""
    world = set_out(**options).world
    assert max(world.step().factorisations for _ in range(12)) <= 30
