"""People in levels of detail (Stelzner 2008, chapter 4): what they can do, how they move by two methods."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.stelzner.parts import arm, shank, spine
from stoss.engine.humans import MALE
from stoss.engine.humans.levels import (
    KNEES,
    SPINES,
    add_knee,
    build_robot,
    four_bar_place,
    instant_centre,
    knee_curves,
)
from stoss.engine.humans.levels.bones import Bones
from stoss.engine.humans.levels.shoulders import add_girdle

# Degrees of freedom: legs with the pelvis, spines, and arms.
LEGS, BACK, ARMS, FINGERS = 20, 6, 14, 40


def free(both):
    """Return the degrees of freedom that loops leave."""
    rows = both.loop_jacobian()
    return len(both) - (np.linalg.matrix_rank(rows, tol=1e-8) if len(rows) else 0)


@pytest.mark.parametrize("knee", KNEES)
def test_people_have_the_freedom_that_is_told(knee):
    """Have 20 degrees of freedom of legs, 6 of the spine, 14 of arms, 40 of fingers, and all the mass."""
    for spine_of, shoulder, hands in (("full", "girdle", True), ("three bodies", "ball", False)):
        world = st.World()
        person = st.build_skeleton(world, knee=knee, spine=spine_of, shoulder=shoulder, hands=hands)
        both = st.Articulation(world, person.follow)
        assert free(both) == LEGS + BACK + ARMS + hands * FINGERS
        assert np.abs(both.loop_errors()).max(initial=0.0) < 1e-9
        assert person.mass == pytest.approx(MALE.mass, rel=1e-9)
    assert free(st.Articulation(world, person.follow)) == 40


@pytest.mark.parametrize("knee", KNEES)
def test_kneecaps_follow_the_flexion(knee):
    """Turn by 85 of 130 degrees, on a tendon of one length that turns against the shank alone."""
    world = st.World()
    person = st.build_skeleton(world, knee=knee, spine="rigid", kneecaps=True, limits=False)
    assert person.mass == pytest.approx(MALE.mass, rel=1e-9)
    both = st.Articulation(world)
    assert free(both) == LEGS + ARMS == world.freedom_report().degrees_of_freedom
    rows = [world.body(f"right {name}").index for name in ("thigh", "shank", "patella")]
    q, found = both.q, []
    knee_at = both.index("right knee" if knee == "hinge" else "right knee.angle")
    for flexion in range(0, 131, 5):
        q[knee_at] = np.radians(flexion)
        q, _ = both.assemble(q)
        places, turns = both.poses(q)
        thigh, shank, cap = (np.degrees(2.0 * np.arctan2(turns[row, 2], turns[row, 0])) for row in rows)
        tip = places[rows[2]] + st.rotation.rotate(turns[rows[2]], (0, 0, -0.02))
        tendon = tip - places[rows[1]] - st.rotation.rotate(turns[rows[1]], (0.0401, 0, -0.0324))
        slope = np.degrees(np.arctan2(tendon[0], tendon[2]))
        found.append((shank - thigh, cap - thigh, np.linalg.norm(tendon), slope - shank, slope - cap))
    bent, turned, length, against_shank, against_cap = np.unwrap(np.array(found), period=360.0, axis=0).T
    np.testing.assert_allclose(turned, 85.0 / 130.0 * bent, atol=1e-6)
    assert bent[-1] == pytest.approx(130.0, abs=8.0) and np.ptp(length) < 1e-9
    if knee in ("spline", "four-bar"):
        assert np.ptp(against_shank) == pytest.approx(44.5, abs=0.5) and np.ptp(against_cap) < 0.6


def test_kneecaps_move_the_same_by_both_methods():
    """Agree while both legs swing from straight knees, by a row over three bodies in the engine."""
    missed = []
    for time_step in (2e-3, 1e-3):
        world = st.World(time_step=time_step)
        st.build_skeleton(world, spine="rigid", kneecaps=True, limits=False)
        both = st.Articulation(world)
        q, rates = both.q, np.zeros(len(both))
        rates[both.index("right knee.angle")], rates[both.index("left knee.angle")] = 6.0, 3.0
        both.set_state(*both.assemble(q, rates))
        runs = world.run_both(0.1)
        assert np.degrees(np.ptp(runs.reduced[:, both.index("right knee.angle")])) > 10.0
        missed.append(np.degrees(np.abs(runs.differences)).max())
    assert missed[1] < 1e-2 and missed[0] / missed[1] == pytest.approx(4.0, rel=0.1)


def test_people_stand_in_the_ground_and_are_scaled():
    """Have soles at the ground where they are put, other sizes, and prefixes."""
    world = st.World()
    small = MALE.scaled(stature=1.5)
    person = st.build_skeleton(world, small, position=(1.0, 2.0, 0.5), prefix="Ann ", knee="four-bar")
    assert person.mass == pytest.approx(75.0 * (1.5 / 1.8) ** 3, rel=1e-3)
    lowest = world.closest_point((1.0, 2.0, -1e3))[1].point[2]
    assert lowest == pytest.approx(0.5, abs=1e-6)
    both = st.Articulation(world, person.follow)
    assert free(both) == 40 and "Ann L5.y" in both.coordinates
    assert np.abs(both.loop_errors()).max() < 1e-9


def test_people_fall_and_lie():
    """Drop a person with all details: it lands on the ground and comes to lie, joints closed or named."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    person = st.build_skeleton(world, knee="four-bar", shoulder="girdle", position=(0, 0, 0.05))
    opened = []
    for _ in range(150):
        report = world.step()
        opened.append(report.joint_error)
        assert report.max_overlap < 1e-3
        assert report.joint_error < 1e-5 or report.open_joints
    # what lies jammed on its feet is open by some hundredths of a millimetre, and named
    assert np.median(opened) < 1e-6 and max(opened) < 1e-3 and report.joint_error < 1e-4
    assert person.bodies["head"].position[2] < 0.5


@pytest.mark.parametrize("kind", [kind for kind in SPINES if kind != "rigid"])
def test_spines_bend_as_far_as_they_are_said_to(kind):
    """Turn pelvis to head by 170, 110, 80 and 126 degrees, in all levels (B-14, table 4.1)."""
    world = st.World()
    person = st.build_skeleton(world, spine=kind)
    both = st.Articulation(world, person.follow)
    for word, back, neck, wanted in (
        ("flexion", 85, 85, 170),
        ("flexion", -60, -50, 110),
        ("lateral", 40, 40, 80),
        ("axial", 41, 85, 126),
    ):
        q = np.zeros(len(both))
        for name, limit in ((word, back), (f"neck {word}", neck)):
            coordinate, share = person.leaders[name]
            # of the whole range forward; backward the shares are others
            lead = {-60: -35 / (5 if kind == "full" else 1), -50: -40 / (1 if kind == "three bodies" else 6)}
            if kind == "rigid thorax":
                lead[-60] = -60 / 5
            q[both.index(coordinate)] = np.radians(lead.get(limit, share * limit))
        turn = both.poses(q)[1][world.body("head").index]
        assert np.degrees(2.0 * np.arccos(min(abs(turn[0]), 1.0))) == pytest.approx(wanted, abs=1e-6)


def test_rods_of_knees_are_where_they_are_said_to_be():
    """Agree with the table of B-02: places and instant centres in millimetres."""
    known = {
        0: (-2.6851, -28.7087, 0.350, -11.091),
        50: (-15.9010, -23.2682, -7.128, -10.431),
        90: (-23.6467, -16.1063, -12.066, -6.805),
        130: (-28.7219, -7.4324, -15.873, -2.324),
    }
    for flexion, wanted in known.items():
        at = np.radians(flexion)
        found = 1e3 * np.array([*four_bar_place(at), *instant_centre(at)])
        np.testing.assert_allclose(found, wanted, atol=6e-4)
    forward, up = knee_curves(knots=14)  # every 10 degrees
    at = np.radians(np.linspace(0.0, 130.0, 400))
    start = np.array(four_bar_place(0.0))
    off = [np.array([forward(x), up(x)]) + start - four_bar_place(x) for x in at]
    assert np.linalg.norm(off, axis=1).max() == pytest.approx(0.35e-6, rel=0.05)


@pytest.mark.parametrize("kind", KNEES)
def test_knees_move_the_same_by_both_methods(kind):
    """Agree to a thousandth of a degree at 1 ms, for half a second over eighty degrees."""
    both = shank(kind).run_both(0.5)
    assert np.degrees(np.abs(both.differences)).max() < 1e-3
    assert np.degrees(np.ptp(both.reduced[:, -1])) > 70.0
    assert np.ptp(both.reduced_energy) < 1e-7


def test_knees_of_a_thigh_that_moves_too():
    """Let thigh and shank of each knee swing as a double pendulum."""
    for kind in KNEES:
        world = st.World(time_step=1e-3)
        person = {
            name: world.add_body(
                mass_properties=st.from_values(4.0, (0.1, 0.1, 0.01), (0, 0, -0.2)),
                position=(0, 0, z),
                name=name,
            )
            for name, z in (("thigh", 0.0), ("shank", -0.45))
        }
        world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, person["thigh"], name="hip")
        add_knee(world, kind, person["thigh"], person["shank"], (0, 0, -0.45))
        both = st.Articulation(world)
        rates = np.zeros(len(both))
        rates[0], rates[-1] = -1.0, 3.0
        q, rates = both.assemble(both.q, rates)
        both.set_state(q, rates)
        assert np.degrees(np.abs(world.run_both(0.15).differences)).max() < 1e-3


def test_a_shoulder_loop_moves_the_same_by_both_methods():
    """Agree to a thousandth of a degree at 1 ms, for an arm whose shoulder blade glides on the ribs."""
    both = arm().run_both(0.3)
    assert np.degrees(np.abs(both.differences)).max() < 1e-3
    assert np.degrees(np.ptp(both.reduced, axis=0)).max() > 15.0


def test_springs_in_a_stiff_loop_keep_their_force():
    """Give all of a spring's force also where the solver has to search twice for the impulses of a loop."""
    world = arm(5e-4, gravity=9.81, stiffness=60.0, damping=0.0)
    joint = world.joint("right acromioclavicular")
    spring = joint.drives[0]
    for _ in range(60):
        before = joint.value_of("rotation x")
        world.step()
        mean = 0.5 * (before + joint.value_of("rotation x"))
        assert spring.force == pytest.approx(-60.0 * mean, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "duration"), [("full", 0.03), ("rigid thorax", 0.06), ("three bodies", 0.3)]
)
def test_spines_move_the_same_by_both_methods(kind, duration):
    """Agree to a thousandth of a degree at 1 ms."""
    both = spine(kind).run_both(duration)
    assert np.degrees(np.abs(both.differences)).max() < 1e-3
    assert np.degrees(np.ptp(both.reduced, axis=0)).max() > 0.5


def test_coupled_spines_and_shoulders_move_the_same_by_both_methods():
    """Agree where vertebrae and clavicles follow, by rows in the engine, by fewer coordinates there."""
    for world, duration, count in (
        (spine("full", coupled=True), 0.15, 6),
        (spine("three bodies", coupled=True), 0.3, 6),
        (arm(coupled=True), 0.3, 5),
    ):
        both = world.run_both(duration)
        assert len(both.coordinates) == count and np.degrees(np.ptp(both.reduced, axis=0)).max() > 3.0
        assert np.degrees(np.abs(both.differences)).max() < 1e-3


def test_a_whole_person_floats_the_same_by_both_methods():
    """Agree on all coordinates of a coupled body with loops; engine and equations share its freedom."""
    world = st.World(time_step=1e-3, gravity=(0, 0, 0))
    person = st.build_skeleton(world, knee="four-bar", spine="full", shoulder="girdle", limits=False)
    assert person.follow == {}
    both = st.Articulation(world)
    assert world.freedom_report().degrees_of_freedom == free(both) == 40
    rates = 0.05 * np.random.default_rng(0).normal(size=len(both))
    both.set_state(*both.assemble(both.q, rates))
    runs = world.run_both(0.05)
    assert runs.ended == "" and runs.largest < 1e-6
    loose = st.build_skeleton(st.World(), spine="full", shoulder="girdle", coupled=False)
    assert len(loose.follow) == (69 + 3 - 6) + 6


def test_a_shoulder_blade_glides_as_known():
    """Agree with the table of B-09."""
    world = st.World()
    bones = Bones(world)
    bones.bodies["thorax"] = world.add_body(kind="static", name="thorax")
    add_girdle(bones, "right", -1.0, "thorax", np.zeros(3), np.array((0.0, -0.18725, -0.01)))
    both = st.Articulation(world)
    names = [f"right {name}" for name in ("sternoclavicular.angle_1", "sternoclavicular.angle_2")]
    names += [f"right acromioclavicular.{axis}" for axis in "xyz"]
    at = [both.index(name) for name in names]
    blade = world.body("right scapula").index
    for given, turns, lower in (
        ((0.1, 0, 0), (-1.305307, -0.523361), (-71.763, -95.761, -112.511)),
        ((-0.2, 0, 0), (2.377119, 1.159463), (-90.963, -46.861, -104.915)),
        ((0, -0.3, 0), (2.789061, -6.457447), (-63.747, -104.227, -93.318)),
        ((0.1, -0.2, 0.1), (-5.401206, -18.845146), (-26.316, -137.555, -117.430)),
    ):
        q = np.zeros(len(both))
        for _ in range(12):  # Newton's method for the two turns alone
            q[at[0]], q[at[1]], q[at[4]] = given
            q[at[2:4]] -= np.linalg.solve(both.loop_jacobian(q)[:, at[2:4]], both.loop_errors(q))
        np.testing.assert_allclose(np.degrees(q[at[2:4]]), turns, atol=1e-5)
        places, orientations = both.poses(q)
        turned = st.rotation.rotate(orientations[blade], (-0.08, 0.08, -0.14))
        np.testing.assert_allclose(1e3 * (places[blade] + turned), lower, atol=2e-3)


def test_girdles_follow_their_arms_on_both_sides():
    """Move mirrored, with the loops closed, and raise the clavicles with the arms."""
    world = st.World()
    person = st.build_skeleton(world, shoulder="girdle", spine="rigid")
    both = st.Articulation(world, person.follow)
    q = both.q
    q[both.index("right shoulder.x")], q[both.index("left shoulder.x")] = -1.2, 1.2
    for side in ("right", "left"):
        q[both.index(f"{side} shoulder.y")] = -0.3
    q, _ = both.assemble(q)
    assert np.abs(both.loop_errors(q)).max() < 1e-12
    places = both.poses(q)[0]
    right, left = (places[world.body(f"{side} scapula").index] for side in ("right", "left"))
    np.testing.assert_allclose(right, left * (1, -1, 1), atol=1e-9)
    assert right[2] - both.poses(np.zeros(len(both)))[0][world.body("right scapula").index][2] > 0.02


def test_wrists_turn_about_two_axes_that_do_not_meet():
    """Carry the second axis around the first, as a body without mass between two hinges would."""
    world = st.World()
    st.build_skeleton(world, hands=True, spine="rigid")
    both = st.Articulation(world)
    q = np.zeros(len(both))
    bend, aside = 0.9, -0.3
    q[both.index("right wrist.turn_x")], q[both.index("right wrist.turn_y")] = bend, aside
    places, turns = both.poses(q)
    radius, hand = (world.body(f"right {name}").index for name in ("radius", "hand"))
    wrist = places[radius] - (0, 0, MALE.forearm.length)
    wanted = wrist + 0.01 * np.array([-np.sin(bend), 0.0, -np.cos(bend)])
    np.testing.assert_allclose(places[hand], wanted, atol=1e-8)
    turn = st.rotation.compose(
        st.rotation.from_axis_angle((0, 1, 0), bend), st.rotation.from_axis_angle((1, 0, 0), aside)
    )
    np.testing.assert_allclose(turns[hand], turn, atol=1e-12)


def test_the_robot_has_24_degrees_of_freedom():
    """Have joints of the kinds that the thesis's robot has, and the names of people's bones."""
    world = st.World()
    robot = build_robot(world)
    assert len(st.Articulation(world)) == 24
    assert {type(joint.kind) for joint in world.joints} == {st.Hinge, st.Universal, st.Ball, st.Planar}
    person = st.build_skeleton(st.World(), spine="three bodies")
    assert set(robot.bodies) <= set(person.bodies)


def test_levels_that_are_none_are_refused():
    """Name the argument, the value and what there is."""
    for wrong in (
        {"knee": "ball"},
        {"spine": "long"},
        {"shoulder": "none"},
        {"hands": 5},
        {"limits": "no"},
        {"coupled": 1.0},
        {"kneecaps": 2},
    ):
        name, value = next(iter(wrong.items()))
        with pytest.raises((TypeError, ValueError), match=f"{name} = {value!r}"):
            st.build_skeleton(st.World(), **wrong)
    with pytest.raises(TypeError, match="human"):
        st.build_skeleton(st.World(), "me")
    with pytest.raises(ValueError, match="position"):
        build_robot(st.World(), position=(0, 0, np.nan))
    with pytest.raises(ValueError, match="size"):
        world = st.World()
        add_knee(world, "hinge", None, world.add_body(st.Sphere(0.1)), (0, 0, 0), size=-1.0)
