"""Models out of markers: segments, joints, poses that joints allow (Stelzner 2008, chapter 5)."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.benchmarks.stelzner.recordings import (
    APART,
    AXIS,
    FIRST,
    MARKERS,
    NAMES,
    SECOND,
    missed,
    pair,
    shoulders,
    turned,
)
from stoss.engine.motion_capture.consistency import consistent_poses, joint_errors


@pytest.mark.parametrize("degrees", [10, 90, 160, 179])
def test_segments_are_turned_as_their_markers_are(degrees):
    """Find turns up to half a turn exactly, and with noise as well as at small ones: B-11, row "SVD"."""
    data, turn = turned(degrees)
    segments = st.fit_segments(data, {"bone": NAMES})
    assert missed(segments, "bone", turn)[1] < 1e-10 and segments.residual < 1e-12
    np.testing.assert_allclose(segments.positions[1], [MARKERS.mean(axis=0) @ turn.T + (0.3, -0.2, 1.0)])
    data, turn = turned(degrees, 0.002, 600)
    found = np.sqrt((missed(st.fit_segments(data, {"bone": NAMES}), "bone", turn)[1:] ** 2).mean())
    assert found == pytest.approx(1.5, rel=0.1)


def test_what_is_said_of_noise_is_what_it_does():
    """Tell from the markers alone by how much poses are uncertain, within a tenth of what they are."""
    data, turn = turned(50, 0.002, 2000)
    segments = st.fit_segments(data, {"bone": NAMES})
    place, turns = segments.noise("bone")
    off = segments.rotations("bone")[1:] @ turn.T
    vectors = Rotation.from_matrix(np.swapaxes(turn[None], 1, 2) @ off @ turn).as_rotvec()
    np.testing.assert_allclose(np.diag(np.cov(vectors.T)), np.diag(turns), rtol=0.1)
    spread = segments.positions[1:, 0] - (MARKERS.mean(axis=0) @ turn.T + (0.3, -0.2, 1.0))
    assert place == pytest.approx((spread**2).mean(), rel=0.1)


def test_gaps_leave_poses_out():
    """Have a pose wherever three markers off a line were seen, and none elsewhere."""
    data, turn = turned(40, frames=3)
    seen = data.positions.copy()
    seen[1, 0] = np.nan
    seen[2, :2] = np.nan
    gaps = st.MarkerData(NAMES, data.times, seen)
    segments = st.fit_segments(gaps, {"bone": NAMES})
    np.testing.assert_array_equal(segments.seen("bone"), [True, True, False, True])
    assert np.isnan(segments.quaternions[2]).all() and np.isnan(segments.residuals["a"][1])
    np.testing.assert_allclose(missed(segments, "bone", turn)[1:], 0.0, atol=1e-10)
    np.testing.assert_allclose(segments.marker_data().marker("a")[1], data.marker("a")[1], atol=1e-12)


# ------------------------------------------------------------- joints


@pytest.mark.parametrize("kind", ["fixed", "hinge", "universal", "ball"])
def test_joints_of_exact_poses_are_found_with_their_kind(kind):
    """Find the kind, the common point and the axes to rounding, and that simpler kinds would move markers."""
    segments = pair(kind)
    joint = st.fit_joint(segments, "k", "l")
    assert joint.kind == kind and joint.residual < 1e-10
    simpler = ("fixed", "hinge", "universal", "ball")[: ("fixed", "hinge", "universal", "ball").index(kind)]
    assert all(joint.residuals[name] > 0.01 for name in simpler)
    assert joint.directions == {"fixed": 0, "hinge": 2, "universal": 3, "ball": 3}[kind]
    if kind in ("universal", "ball"):
        np.testing.assert_allclose(joint.place_first, FIRST, atol=1e-10)
        np.testing.assert_allclose(joint.place_second, SECOND, atol=1e-10)
    elif kind == "hinge":  # a point on the axis
        away = joint.place_first - FIRST
        np.testing.assert_allclose(away - (away @ AXIS) * AXIS, 0.0, atol=1e-10)
        np.testing.assert_allclose(joint.axis_first, AXIS, atol=1e-10)
        np.testing.assert_allclose(APART.apply(joint.axis_second), AXIS, atol=1e-10)
    if kind == "universal":
        np.testing.assert_allclose(np.abs(joint.axis_first), (1, 0, 0), atol=1e-10)
        np.testing.assert_allclose(np.abs(APART.apply(joint.axis_second)), (0, 1, 0), atol=1e-10)
        assert abs(joint.cosine) < 1e-10
    assert st.fit_joint(segments, "l", "k").kind == kind


def test_noise_moves_centres_as_least_squares_says():
    """Miss the centre of a ball by what noise makes of the equations, within a tenth, in the mean of runs."""
    place, turn = 0.001, np.radians(0.5)
    off = [
        st.fit_joint(pair("ball", place, turn, k), "k", "l", "ball").place_first - FIRST for k in range(200)
    ]
    exact = pair("ball")
    a, b = exact.rotations("k"), exact.rotations("l")
    matrix = np.concatenate([a, -b], axis=2)
    inverse = np.linalg.inv(np.einsum("fij,fik->jk", matrix, matrix))
    middle = np.zeros((6, 6))
    for k in range(101):
        noise = 2.0 * place**2 * np.eye(3)
        for point in (a[k] @ FIRST, b[k] @ SECOND):
            noise += turn**2 * (point @ point * np.eye(3) - np.outer(point, point))
        middle += matrix[k].T @ noise @ matrix[k]
    wanted = np.sqrt(np.trace((inverse @ middle @ inverse)[:3, :3]))
    found = np.sqrt((np.array(off) ** 2).sum(axis=1).mean())
    assert found == pytest.approx(wanted, rel=0.1)  # of 200 runs: 3 percent
    assert found == pytest.approx(0.95e-3, rel=0.1)


def test_noise_does_not_throw_the_centre_along_the_axis():
    """Keep the centre of a hinge near both segments, where frames do not tell where on the axis it is."""
    for seed in range(5):
        segments = pair("hinge", 0.001, np.radians(0.5), seed)
        for kind in ("ball", "hinge"):
            joint = st.fit_joint(segments, "k", "l", kind)
            assert np.linalg.norm(joint.place_first - FIRST) < 0.1
        assert np.degrees(np.arccos(min(joint.axis_first @ AXIS, 1.0))) < 1.0


# ------------------------------------------------------------- poses that joints allow


def distance(one, other):
    """Return how far segments are apart (f,), a radian counted as a decimetre."""
    total = ((one.positions - other.positions) ** 2).sum(axis=(1, 2))
    for name in one.names:
        between = one.rotations(name) @ np.swapaxes(other.rotations(name), 1, 2)
        total += 0.1**2 * Rotation.from_matrix(between).magnitude() ** 2
    return np.sqrt(total)


def test_joints_are_closed_quadratically():
    """Close joints as in B-05: from centimetres to rounding in four rounds, each the square of the last."""
    measured, joints, truth = shoulders()
    assert np.abs(joint_errors(truth, joints)).max() < 1e-12
    found, errors = consistent_poses(measured, joints, closest=False)
    assert errors[0] > 0.02 and errors[4] < 1e-14
    assert (errors[1:4] < np.maximum(10.0 * errors[:3] ** 2, 1e-14)).all()
    assert np.abs(joint_errors(found, joints)).max() < 1e-12


def test_what_is_found_is_the_closest_and_closer_to_the_truth():
    """Be closer to the measured poses than any poses near by that joints allow; the truth is closer, too."""
    measured, joints, truth = shoulders()
    found, _ = consistent_poses(measured, joints)
    first, _ = consistent_poses(measured, joints, closest=False)
    assert np.abs(joint_errors(found, joints)).max() < 1e-12
    assert (distance(found, truth) < distance(measured, truth)).all()
    least = distance(found, measured)
    assert (least <= distance(first, measured) + 1e-12).all()
    rng = np.random.default_rng(1)
    for _ in range(5):
        near = found.with_poses(
            found.positions + rng.normal(0.0, 1e-3, found.positions.shape), found.quaternions
        )
        other, _ = consistent_poses(near, joints)
        assert (distance(other, measured) >= least - 1e-12).all()


# ------------------------------------------------------------- whole models


def leg(noise=0.0):
    """Return a pelvis with a pack, a leg, and a recording of four markers on each."""
    world, rng = st.World(), np.random.default_rng(1)
    bodies, names = {}, {}
    for name, place in (
        ("pelvis", (0, 0, 1)),
        ("thigh", (0, 0.1, 0.75)),
        ("shank", (0, 0.1, 0.3)),
        ("foot", (0.05, 0.1, 0.05)),
        ("pack", (-0.1, 0, 1.1)),
    ):
        bodies[name] = world.add_body(st.Box((0.1, 0.1, 0.1)), position=place, name=name)
        names[name] = [f"{name} {k}" for k in range(4)]
        for marker in names[name]:
            world.add_marker(marker, bodies[name], position=rng.uniform(-0.09, 0.09, 3))
    for first, second, kind in (
        ("pelvis", "thigh", st.Ball((0, 0.1, 0.95))),
        ("thigh", "shank", st.Hinge((0, 0.1, 0.52), (0.1, 1, 0.05))),
        ("shank", "foot", st.Universal((0, 0.1, 0.08), (0, 1, 0), (1, 0, 0.2))),
        ("pelvis", "pack", st.Fixed((-0.1, 0, 1))),
    ):
        world.add_joint(kind, bodies[first], bodies[second])
    both, times = st.Articulation(world), np.arange(100) / 50.0
    rates = 2 * np.pi * (0.7 + 0.13 * np.arange(len(both)))
    q = both.q + 0.4 * np.sin(times[:, None] * rates + 1.3 * np.arange(len(both)))
    motion = st.Motion(both.coordinates, times, q)
    return st.record_markers(both, motion, noise=noise, seed=2), names


PAIRS = [("pelvis", "thigh"), ("thigh", "shank"), ("shank", "foot"), ("pelvis", "pack")]
KINDS = ["ball", "hinge", "universal", "fixed"]


@pytest.mark.parametrize("noise", [0.0, 0.001])
def test_a_model_is_found_in_a_recording(noise):
    """Find all kinds of joints, and a world that follows the recording as closely as the noise lets it."""
    data, names = leg(noise)
    model = st.identify_model(data, names, PAIRS)
    assert [joint.kind for joint in model.joints] == KINDS
    world = model.build()
    both = st.Articulation(world)
    assert len(both) == 6 + 3 + 1 + 2 and not both.loops
    motion = st.track_markers(both, data)
    left = model.residuals(data)
    if noise == 0.0:
        assert motion.residual < 1e-9 and max(left.values()) < 1e-9
        return
    # each frame has 12 coordinates for the 3 m numbers that are seen
    wanted = noise * np.sqrt(3.0 * (1.0 - 12.0 / 60.0))
    assert motion.residual == pytest.approx(wanted, rel=0.1)
    assert np.sqrt(np.mean(np.square(list(left.values())))) == pytest.approx(wanted, rel=0.1)
    for joint in model.joints:  # what remains is what noise makes
        assert joint.residual == pytest.approx(joint.noise[joint.kind], rel=0.25)


def test_loops_and_given_kinds_are_taken():
    """Close a loop of segments, and take a kind that is said; a joint that is free is none of the world."""
    data, names = leg()
    model = st.identify_model(
        data, names, [*PAIRS[:3], ("pelvis", "pack", "free"), ("pack", "thigh", "ball")]
    )
    assert [joint.kind for joint in model.joints] == [*KINDS[:3], "free", "ball"]
    assert model.joint("thigh", "pack").residual < 1e-10
    world = model.build()
    assert len(world.joints) == 4 and len(st.Articulation(world)) == 12 + 3
    assert max(model.residuals(data).values()) < 1e-9
    with pytest.raises(KeyError, match="no joint between 'foot' and 'pack'"):
        model.joint("foot", "pack")


def test_what_cannot_be_identified_is_told():
    """Name segments with too few markers, such on a line, markers and joints that are there twice or not."""
    data, names = leg()
    with pytest.raises(ValueError, match=r"segments\['a'\] = \['foot 0', 'foot 1'\]: three markers"):
        st.fit_segments(data, {"a": ["foot 0", "foot 1"]})
    with pytest.raises(ValueError, match="marker 'foot 0' is on 'foot' and on 'b'"):
        st.fit_segments(data, {"foot": names["foot"], "b": ["foot 0", "pack 1", "pack 2"]})
    with pytest.raises(KeyError, match="did you mean foot 0"):
        st.fit_segments(data, {"foot": ["foot0", "foot 1", "foot 2"]})
    with pytest.raises(TypeError, match="must be {segment: names of its markers}"):
        st.fit_segments(data, ["foot 0"])
    line = st.MarkerData(("a", "b", "c"), [0.0, 0.1], np.arange(3)[None, :, None] * np.ones((2, 1, 3)))
    with pytest.raises(ValueError, match=r"segments\['s'\]: its markers are never seen three at a time"):
        st.fit_segments(line, {"s": ["a", "b", "c"]})
    with pytest.raises(KeyError, match="segment 'knee' is not there"):
        st.identify_model(data, names, [("thigh", "knee")])
    with pytest.raises(ValueError, match="'shank' and 'thigh' are connected already"):
        st.identify_model(data, names, [("thigh", "shank"), ("shank", "thigh")])
    with pytest.raises(ValueError, match="kind = 'knee'"):
        st.identify_model(data, names, [("thigh", "shank", "knee")])
    with pytest.raises(ValueError, match="between two segments"):
        st.identify_model(data, names, [("thigh", "thigh")])
    with pytest.raises(TypeError, match=r"joints\[0\] = 'thigh'"):
        st.identify_model(data, names, ["thigh"])
    short = data.between(0.0, 0.02)
    with pytest.raises(ValueError, match="known in 2 frames; three are the least"):
        st.identify_model(short, names, PAIRS)
