"""Mechanisms out of recordings: rods, condyles and curves of knees (Stelzner 2008, chapter 6)."""

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.engine.humans.levels import knees
from stoss.engine.motion_capture.consistency import consistent_poses, joint_errors

KNEE = np.array((0.0, 0.1, 0.53))
DEPTH = knees.CONDYLE[2] * np.sqrt(1.0 - (knees.HALF / knees.CONDYLE[0]) ** 2)
MIDDLE = -np.array(knees.four_bar_place(0.0))
# ends of rods, centre and gliding points of condyles, of the straight leg [m]
RODS = [
    [KNEE + (x, 0.0, z) for x, z in pair]
    for pair in ((MIDDLE + knees.A, knees.B), (MIDDLE + knees.C, knees.D))
]
CENTRE, POINTS = KNEE + (0.0, 0.0, DEPTH), [KNEE + (x, 0.0, 0.0) for x in (knees.HALF, -knees.HALF)]


@cache
def leg(kind):
    """Return a thigh that moves freely and a shank on a knee, and a motion that bends it up to 126 deg."""
    world, rng = st.World(), np.random.default_rng(1)
    for name, height in (("thigh", 0.75), ("shank", 0.3)):
        body = world.add_body(st.Box((0.1, 0.1, 0.3)), position=(0.0, 0.1, height), name=name)
        for k in range(6):
            world.add_marker(f"{name} {k}", body, position=rng.uniform(-1, 1, 3) * (0.07, 0.07, 0.15))
    knees.add_knee(world, kind, world.body("thigh"), world.body("shank"), KNEE)
    both = st.Articulation(world)
    times, q, found = np.arange(100) / 25.0, both.q, []
    bend = both.index("knee.angle")
    for t in times:
        q = q.copy()
        q[:6] = 0.3 * np.sin(1.3 * t + np.arange(6))
        for _ in range(6 if both.loops else 1):
            q[bend] = 1.1 - 1.1 * np.cos(2.0 * t)
            q = both.assemble(q)[0]
        found.append(q)
    return both, st.Motion(both.coordinates, times, np.array(found))


NAMES = {name: [f"{name} {k}" for k in range(6)] for name in ("thigh", "shank")}


def recorded(kind, noise=0.0, seed=0):
    """Return recording and segments of the leg."""
    both, motion = leg(kind)
    data = st.record_markers(both, motion, noise=noise, seed=seed)
    return data, st.fit_segments(data, NAMES)


def told(kind, name, point, segments):
    """Return where a point of the straight leg is in the frame of reference, as the markers tell (3,)."""
    places, turns = leg(kind)[0].poses()  # the leg stands straight
    row = ("thigh", "shank").index(name)
    own = Rotation.from_quat(np.roll(turns[row], -1)).inv().apply(point - places[row])
    both, motion = leg(kind)
    places, turns = both.poses(motion.q[segments.reference])
    return places[row] + Rotation.from_quat(np.roll(turns[row], -1)).apply(own)


def rods_of(kind, segments, off=0.0):
    """Return ends of the two rods, some way off."""
    ways = off * np.random.default_rng(5).normal(size=(2, 2, 3))
    return [
        [told(kind, name, end, segments) + way for name, end, way in zip(NAMES, pair, two, strict=True)]
        for pair, two in zip(RODS, ways, strict=True)
    ]


def ellipsoid_of(segments, off=0.0, **options):
    """Return the condyles, from a centre and radii some way off."""
    kind = "ellipsoid"
    axes = [
        told(kind, "thigh", way, segments) - told(kind, "thigh", np.zeros(3), segments) for way in np.eye(3)
    ]
    return st.fit_ellipsoid(
        segments,
        "thigh",
        "shank",
        told(kind, "thigh", CENTRE + (off, 0.0, -off), segments),
        np.array(knees.CONDYLE) + (off, 0.0, off),
        [told(kind, "shank", point, segments) for point in POINTS],
        axis=axes[2],
        x_axis=axes[0],
        **options,
    )


def follows(data, mechanism):
    """Return the model with the mechanism, and by how much it misses the recording [m]."""
    model = st.identify_model(data, NAMES, [mechanism])
    return model, st.track_markers(st.Articulation(model.build()), data).residual


def test_rods_are_found_by_the_motion_alone():
    """Find both rods of a knee in exact poses, knowing nothing, and a model that moves as the knee does."""
    data, segments = recorded("four-bar")
    found = st.fit_rods(segments, "thigh", "shank")
    order = np.argsort(-found.lengths)
    np.testing.assert_allclose(found.lengths[order], knees.RODS, atol=1e-9)
    for k, pair in zip(order, RODS, strict=True):
        normal = segments.rotations("thigh")[segments.reference] @ found.plane.axes_first[:, 2]
        for name, own, end in zip(NAMES, (found.ends_first, found.ends_second), pair, strict=True):
            turn, row = segments.rotations(name)[segments.reference], segments.index(name)
            there = segments.positions[segments.reference, row] + turn @ own[k]
            away = there - told("four-bar", name, end, segments)
            np.testing.assert_allclose(away - (away @ normal) * normal, 0.0, atol=1e-8)
    model, missed = follows(data, found)
    assert missed < 1e-9 and max(model.residuals(data).values()) < 1e-9
    assert len(st.Articulation(model.build()).loop_errors()) == 2
    assert "rods of 35.00" in repr(found) or "rods of 28.00" in repr(found)


@pytest.mark.parametrize("off", [0.0, 0.003])
def test_what_is_known_of_ends_helps_against_noise(off):
    """Miss lengths by no more than is said, from ends that are off by some millimetres."""
    _, segments = recorded("four-bar", 1e-4)
    found = st.fit_rods(segments, "thigh", "shank", rods_of("four-bar", segments, off))
    wrong = np.abs(found.lengths - knees.RODS)
    # of 16 recordings: 0.7 to 1.1 root mean square
    assert (wrong < 3.0 * found.length_spread).all() and (found.length_spread < 4e-3).all()
    assert found.residual == pytest.approx(1.2e-4, rel=0.25)  # what the noise of poses makes at the knee
    lengths = st.fit_rods(segments, "thigh", "shank", rods_of("four-bar", segments), within=0.0)
    np.testing.assert_allclose(lengths.lengths, knees.RODS, atol=2e-4)  # a pose of 0.1 mm tells the ends
    assert (lengths.end_spread == 0.0).all() and (lengths.length_spread < 3e-5).all()


@pytest.mark.parametrize(("noise", "bound"), [(0.0, 1e-10), (1e-4, 3e-4), (1e-3, 3e-3)])
def test_condyles_are_found_where_points_are_known(noise, bound):
    """Find centre and radii of the condyles from 4 mm off; the radius across the plane stays as given."""
    data, segments = recorded("ellipsoid", noise)
    found = ellipsoid_of(segments, 0.004)
    np.testing.assert_allclose(found.radii, knees.CONDYLE, atol=bound)
    assert found.radius_spread[1] == 0.0
    model, missed = follows(data, found)
    assert missed == pytest.approx(noise * np.sqrt(3.0 * (1.0 - 7.0 / 36.0)), rel=0.1, abs=1e-9)
    assert "ellipsoid of 2" in repr(model)


@pytest.mark.parametrize("kind", ["four-bar", "spline", "ellipsoid"])
def test_curves_stand_for_whatever_leads_a_knee(kind):
    """Follow a knee of any level to the accuracy of its curves, as a single degree of freedom."""
    data, segments = recorded(kind)
    found = st.fit_curves(segments, "thigh", "shank", knots=14)
    assert found.residual < 1e-6
    model, missed = follows(data, found)
    assert missed < 1e-6 and len(st.Articulation(model.build())) == 7
    noisy, segments = recorded(kind, 1e-3)
    missed = follows(noisy, st.fit_curves(segments, "thigh", "shank"))[1]
    assert missed == pytest.approx(1e-3 * np.sqrt(3.0 * (1.0 - 7.0 / 36.0)), rel=0.1)


def test_a_blade_glides_on_ribs_in_space():
    """Find all of an ellipsoid where the second segment turns in every way on it."""
    rng, frames = np.random.default_rng(2), 60
    radii, centre = np.array((0.10, 0.14, 0.24)), np.array((0.02, -0.03, 0.05))
    ways = Rotation.from_rotvec(rng.uniform(-0.7, 0.7, (frames, 3))).apply((0.6, 0.7, 0.4))
    ways[0] = (0.6, 0.7, 0.4)
    turns = Rotation.from_rotvec(rng.uniform(-0.5, 0.5, (frames, 3)))
    place, point = centre + radii * ways / np.linalg.norm(ways, axis=1)[:, None], np.array((0.02, 0.01, 0.03))
    quaternions = np.zeros((frames, 2, 4))
    quaternions[:, 0, 0] = 1.0
    quaternions[:, 1] = np.roll(turns.as_quat(), 1, axis=1)
    at = np.stack([np.zeros((frames, 3)), place - turns.apply(point)], axis=1)
    segments = st.Segments(("ribs", "blade"), np.arange(frames), at, quaternions)
    found = st.fit_ellipsoid(
        segments, "ribs", "blade", centre + 0.01, radii - 0.01, [place[0]], within=0.02, planar=False
    )
    np.testing.assert_allclose(found.radii, radii, atol=1e-9)
    np.testing.assert_allclose(found.center, centre, atol=1e-9)
    assert found.plane is None and list(found.kinds((np.eye(3), at[0, 0]), (turns[0].as_matrix(), at[0, 1])))


def test_poses_are_brought_onto_mechanisms_quadratically():
    """Close rods, condyles and curves as joints are closed: each round leaves the square of the last."""
    for kind, fit in (
        ("four-bar", lambda s: st.fit_rods(s, "thigh", "shank", rods_of("four-bar", s), within=0.0)),
        ("ellipsoid", ellipsoid_of),
        ("spline", lambda s: st.fit_curves(s, "thigh", "shank")),
    ):
        _, segments = recorded(kind, 1e-3)
        mechanism = fit(segments)
        found, errors = consistent_poses(segments, [mechanism], closest=False)
        assert errors[0] > 1e-3 and errors[-1] < 1e-13
        # bent as rods are, whose half is 14 mm, or less
        assert (errors[1:] < np.maximum(70.0 * errors[:-1] ** 2, 1e-13)).all()
        assert np.abs(joint_errors(found, [mechanism])).max() < 1e-12


def test_what_cannot_be_fitted_is_told():
    """Name what is missing or makes no sense, and what to give."""
    data, segments = recorded("four-bar", 1e-3)
    with pytest.raises(ValueError, match="rods are found within reach = 0.05 m; give more, or ends"):
        st.fit_rods(segments, "thigh", "shank")  # noise hides where ends are
    with pytest.raises(ValueError, match="searched for in a plane alone"):
        st.fit_rods(segments, "thigh", "shank", planar=False)
    with pytest.raises(TypeError, match=r"ends\[0\] = .* must be two points"):
        st.fit_rods(segments, "thigh", "shank", [(0, 0, 0)])
    with pytest.raises(ValueError, match=r"ends\[0\]: both ends are"):
        st.fit_rods(segments, "thigh", "shank", [((0, 0, 0), (0, 0, 0))])
    with pytest.raises(ValueError, match="no rods"):
        st.fit_rods(segments, "thigh", "shank", [])
    with pytest.raises(ValueError, match="within = -1"):
        st.fit_rods(segments, "thigh", "shank", within=-1)
    with pytest.raises(KeyError, match="'knee' is not there"):
        st.fit_curves(segments, "thigh", "knee")
    with pytest.raises(ValueError, match="a mechanism is between two segments"):
        st.fit_curves(segments, "thigh", "thigh")
    with pytest.raises(ValueError, match="angles that were seen leave some out"):
        st.fit_curves(segments, "thigh", "shank", knots=95)
    with pytest.raises(ValueError, match="8 are the least"):
        st.fit_curves(st.fit_segments(data.between(0.0, 0.2), NAMES), "thigh", "shank", knots=3)
    with pytest.raises(ValueError, match="radii"):
        st.fit_ellipsoid(segments, "thigh", "shank", (0, 0, 0), (1, 1, -1), [(0, 0, 1)])
    with pytest.raises(ValueError, match=r"points = \[\]"):
        st.fit_ellipsoid(segments, "thigh", "shank", (0, 0, 0), (1, 1, 1), np.zeros((0, 3)))
    curves = st.fit_curves(segments, "thigh", "shank")
    with pytest.raises(ValueError, match="connected already"):
        st.identify_model(data, NAMES, [curves, ("shank", "thigh")])
