"""What cannot be followed, reached or read: told by name, or missed by as little as can be."""

import warnings

import numpy as np
import pytest

import stoss as st

TRC = (
    "PathFileType\t4\t(X/Y/Z)\t{name}\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100\t100\t{frames}\t2\t{unit}\t100\t1\t{frames}\n"
    "Frame#\tTime\t{first}\t\t\t{second}\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
)


def trc(tmp_path, rows="", frames=0, unit="mm", first="a", second="b"):
    file = tmp_path / "walk.trc"
    file.write_text(TRC.format(name="walk.trc", frames=frames, unit=unit, first=first, second=second) + rows)
    return file


def test_files_without_frames_are_told(tmp_path):
    """Name the file that has markers, but no frame of them."""
    with pytest.raises(ValueError, match=r"walk\.trc.*(no|without) frames"):
        st.load_markers(trc(tmp_path))
    columns = tmp_path / "walk.csv"
    columns.write_text("Field,Time,W:a:X,W:a:Y,W:a:Z\n")
    with pytest.raises(ValueError, match=r"walk\.csv.*(no|without) frames"):
        st.load_markers(columns)


def test_markers_that_are_never_seen_are_told(tmp_path):
    """Name the file in which no marker was seen; and follow those that were, where others never are."""
    gone = trc(tmp_path, "1\t0.00\t\t\t\t\t\t\n2\t0.01\t\t\t\t\t\t\n", 2)
    with pytest.raises(ValueError, match=r"walk\.trc: .*no marker was seen in any frame"):
        st.load_markers(gone)
    some = st.load_markers(trc(tmp_path, "1\t0.00\t1\t2\t3\t\t\t\n2\t0.01\t1\t2\t3\t\t\t\n", 2))
    assert some.seen.tolist() == [[True, False], [True, False]]


def test_labels_that_are_there_twice_are_told(tmp_path):
    """Name the label, in text and in C3D."""
    twice = trc(tmp_path, "1\t0.00\t1\t2\t3\t4\t5\t6\n", 1, first="LKNE", second="LKNE")
    with pytest.raises(ValueError, match=r"walk\.trc.*'LKNE' is there twice"):
        st.load_markers(twice)
    ezc3d = pytest.importorskip("ezc3d")
    file = ezc3d.c3d()
    file["parameters"]["POINT"]["LABELS"]["value"] = ("LKNE", "LKNE")
    file["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    file["data"]["points"] = np.ones((4, 2, 3))
    file.write(str(tmp_path / "walk.c3d"))
    with pytest.raises(ValueError, match=r"walk\.c3d.*'LKNE' is there twice"):
        st.load_markers(tmp_path / "walk.c3d")


def test_millimetres_that_are_taken_for_metres_are_warned_of(tmp_path):
    """Warn of a file that says metres where its numbers are millimetres, and read it with the right unit."""
    rows = "1\t0.00\t900\t1200\t300\t400\t500\t1600\n"
    file = trc(tmp_path, rows, 1, unit="m")
    with pytest.warns(UserWarning, match="are the numbers millimetres"):
        st.load_markers(file)
    np.testing.assert_allclose(st.load_markers(file, unit="mm").positions[0, 0], (0.9, 1.2, 0.3))


def arm(root=True):
    """Return an arm of two hinges in a plane; without a root it hangs on nothing."""
    world = st.World()
    upper = world.add_body(st.Capsule(0.03, 0.2), position=(0, 0, -0.15), name="upper")
    fore = world.add_body(st.Capsule(0.03, 0.2), position=(0, 0, -0.45), name="fore")
    if root:
        world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, upper, name="shoulder")
    world.add_joint(st.Hinge((0, 0, -0.3), (0, 1, 0)), upper, fore, name="elbow")
    return world, upper, fore


def test_models_without_a_root_move_freely():
    """Give a model that nothing holds six coordinates; without bodies there is nothing that follows."""
    world, upper, fore = arm(root=False)
    both = st.Articulation(world)
    assert len(both) == 7 and both.coordinates[:6] == tuple(
        f"upper.{name}" for name in ("x", "y", "z", "turn_x", "turn_y", "turn_z")
    )
    result = both.solve_ik(st.IKTarget(fore, position=(1, 2, 3), quaternion=(0, 1, 0, 0)))
    assert result.reached
    nothing = st.Articulation(st.World())
    data = st.MarkerData(("a",), [0.0], np.zeros((1, 1, 3)))
    with pytest.raises(ValueError, match="none on a body"):
        st.track_markers(nothing, data)


def test_targets_that_say_the_same_are_reached():
    """Reach a place that is wanted two and three times, under each rule."""
    world, upper, fore = arm()
    both = st.Articulation(world)
    place = (0.25, 0.0, -0.35)
    one = st.IKTarget(fore, position=place, point=(0, 0, -0.15))
    for rule in ("closest", "least step", "few joints", "least squares"):
        result = both.solve_ik([one, one, one], (0.3, 0.5), rule=rule)
        assert result.reached, rule
        np.testing.assert_allclose(result.distances, 0.0, atol=1e-6)


def test_targets_that_contradict_each_other_are_missed_by_as_little_as_can_be():
    """Stand between two places by least squares, nearer to the one of more weight; never say reached."""
    world, upper, fore = arm()
    both = st.Articulation(world)
    tip, middle, apart = (0, 0, -0.15), np.array((0.25, 0.0, -0.35)), np.array((0.05, 0.0, 0.0))
    for weight, share in ((1.0, 0.5), (3.0, 0.25)):
        pair = [
            st.IKTarget(fore, position=middle + apart, point=tip, weight=weight),
            st.IKTarget(fore, position=middle - apart, point=tip),
        ]
        result = both.solve_ik(pair, (0.3, 0.5), rule="least squares")
        assert not result.reached
        np.testing.assert_allclose(result.distances, (0.1 * share, 0.1 * (1 - share)), atol=1e-6)
    for rule in ("closest", "least step", "few joints"):
        result = both.solve_ik(pair, (0.3, 0.5), rule=rule)
        assert not result.reached and np.isfinite(result.q).all(), rule


def test_targets_out_of_reach_are_missed():
    """Stretch towards a place that is too far, by least squares; the result says by how much it is missed."""
    world, upper, fore = arm()
    both = st.Articulation(world)
    far = st.IKTarget(fore, position=(0.9, 0.0, 0.0), point=(0, 0, -0.15))
    result = both.solve_ik(far, (-1.2, -0.3), rule="least squares")
    assert not result.reached and result.distances[0] == pytest.approx(0.3, abs=1e-6)


# ------------------------------------------------------------- lines that are short, weights, single frames


def limb():
    """Return an arm with three markers, and what they are seen at for a fifth of a second."""
    world = st.World()
    upper = world.add_body(st.Capsule(0.05, 0.2), position=(0, 0, -0.15), mass=2.0, name="upper")
    world.add_joint(st.Ball((0, 0, 0)), None, upper, name="shoulder")
    places = np.array([(0.05, 0, 0), (0, 0.05, 0), (0, 0, 0.1)])
    for k, place in enumerate(places):
        world.add_marker(f"m{k}", upper, position=place)
    seen = np.repeat(places[None] + upper.position, 20, axis=0)
    return st.Articulation(world), st.MarkerData(("m0", "m1", "m2"), np.arange(20) / 100, seen)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Field,Time,A:X,A:Y,A:Z\n5\n", r"a\.csv:2: a frame without a time"),
        ("Field\n5\n", r"a\.csv:1: no column of times"),
    ],
)
def test_lines_that_are_short_are_told(tmp_path, text, message):
    """Name the line of a text file that has too few columns."""
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        st.load_markers(path)


def test_numbers_without_an_end_are_not_seen(tmp_path):
    """Take infinite places for gaps, without a word."""
    path = tmp_path / "a.csv"
    path.write_text("Field,Time,A:X,A:Y,A:Z\n5,0,inf,2,3\n6,10,1,2,3\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = st.load_markers(path)
    np.testing.assert_array_equal(data.seen[:, 0], [False, True])


def test_weights_that_leave_all_out_are_told():
    """Refuse to follow nothing."""
    both, data = limb()
    with pytest.raises(ValueError, match="weights leave all markers out"):
        st.track_markers(both, data, weights=dict.fromkeys(data.names, 0.0))


def test_one_frame_has_no_rate():
    """Say what is missing where a rate is needed, and follow a single frame."""
    both, data = limb()
    single = data.between(0.0, 0.0)
    for ask in (lambda: single.rate, lambda: single.smoothed(5.0)):
        with pytest.raises(ValueError, match="one frame has no rate"):
            ask()
    assert len(st.track_markers(both, single)) == 1
    with pytest.raises(ValueError, match="longest = -1"):
        data.filled(-1)


def test_players_of_another_world_are_refused():
    """Refuse a player whose joints are of another world, at once, and nothing has changed."""
    both, data = limb()
    other = limb()[0].world
    player = st.MotionPlayer(both, st.track_markers(both, data))
    with pytest.raises(ValueError, match="is for another world"):
        other.add_controller(player)
    assert not other.controllers and not other.joints[0].drives
    both.world.add_controller(player)


def test_nothing_has_no_centre_of_mass():
    """Say so instead of dividing by zero."""
    with pytest.raises(ValueError, match="no body of the world moves"):
        st.Articulation(st.World()).center_of_mass()


def test_motions_and_loads_that_make_no_sense_are_told():
    """Name the argument and what it is to be, for times, names, loads, turns and joints."""
    both, data = limb()
    times, still = np.arange(20) / 100, np.zeros((20, 3))
    upper = both.world.body("upper")
    with pytest.raises(ValueError, match=r"coordinates\[1\] = 'a' is there twice"):
        st.Motion(("a", "a", "b"), times, still)
    with pytest.raises(ValueError, match="time = nan must be finite"):
        st.Motion(both.coordinates, times, still).at(float("nan"))
    for loads in ({upper: (0, 0, 1)}, {upper: 5.0}, [1]):
        with pytest.raises(TypeError, match=r"loads.* must be .*\(force, torque\)"):
            both.inverse_dynamics(loads=loads)
    with pytest.raises(ValueError, match=r"quaternions\[0, 0\] has length 0"):
        st.Segments(("a",), [0.0], np.zeros((1, 1, 3)), np.zeros((1, 1, 4)))
    with pytest.raises(TypeError, match="joints = None must be a list of pairs"):
        st.identify_model(data, {"upper": data.names}, None)
