"""Motion capture: files, gaps and noise, models that follow markers, motions that are played and analysed."""

import warnings

import numpy as np
import pytest

import stoss as st
from stoss.engine.articulated import Articulation
from stoss.engine.motion_capture import MarkerData, Motion, calibrate_markers, load_markers, track_markers


def arm(markers=4, seed=0, limits=False):
    """Return a torso that nothing holds, an upper arm on a ball, a forearm on a hinge, each with markers."""
    world = st.World()
    torso = world.add_body(st.Box((0.2, 0.3, 0.5)), position=(0, 0, 1.2), mass=30.0, name="torso")
    upper = world.add_body(st.Capsule(0.05, 0.2), position=(0, 0.2, 1.25), mass=2.0, name="upper")
    fore = world.add_body(st.Capsule(0.04, 0.2), position=(0, 0.2, 0.95), mass=1.5, name="fore")
    world.add_joint(st.Ball((0, 0.2, 1.4)), torso, upper, name="shoulder")
    elbow = world.add_joint(st.Hinge((0, 0.2, 1.1), (0, -1, 0)), upper, fore, name="elbow")
    if limits:
        elbow.limit(0.0, 2.5)
    rng = np.random.default_rng(seed)
    for body in (torso, upper, fore):
        for k in range(markers):
            world.add_marker(f"{body.name[0].upper()}{k}", body, position=rng.uniform(-0.1, 0.1, 3))
    return world


def wave(articulation, times, size=0.4):
    """Return a smooth motion (f, n) about where the bodies are."""
    rng = np.random.default_rng(7)
    count = len(articulation)
    amplitude, phase = rng.uniform(0.1, size, count), rng.uniform(0, 2 * np.pi, count)
    turn = 2 * np.pi * 0.8 * times[:, None] + phase
    q = articulation.q + amplitude * (np.sin(turn) - np.sin(phase))
    q[:, -1] = 1.0 + 0.8 * np.sin(turn[:, -1])  # the elbow
    return q


def record(world, q, times):
    """Return what a perfect system sees of the markers while the world moves."""
    both, places = Articulation(world), []
    for at in q:
        both.set_state(at)
        places.append([marker.position for marker in world.markers])
    names = [marker.name.rpartition(":")[2] for marker in world.markers]
    return MarkerData(tuple(names), times, np.array(places))


def recording(noise=0.0, seconds=1.0, **values):
    world = arm(**values)
    both = Articulation(world)
    start = both.q
    times = np.arange(round(100 * seconds)) / 100.0
    q = wave(both, times)
    data = record(world, q, times)
    both.set_state(start)
    if noise:
        rng = np.random.default_rng(3)
        data = MarkerData(data.names, times, data.positions + rng.normal(0, noise, data.positions.shape))
    return world, Articulation(world), data, q


def test_a_perfect_recording_is_followed_exactly():
    """Find the coordinates that a recording was made of, and leave nothing between markers."""
    _, both, data, q = recording()
    motion = track_markers(both, data)
    np.testing.assert_allclose(motion.q, q, atol=1e-8)
    assert motion.residual < 1e-9 and motion.residuals.shape == (100, 12)


def test_noise_leaves_what_theory_says():
    """Have a mean sum of squares of sigma^2 (3 m - n), and errors that grow with the noise (as in B-13)."""
    for noise in (1e-3, 5e-3):
        _, both, data, q = recording(noise, seconds=2.0)
        motion = track_markers(both, data)
        found = float((motion.residuals**2).sum(axis=1).mean())
        wanted = noise**2 * (3 * len(data.names) - len(both))
        assert found == pytest.approx(wanted, rel=0.1)
        assert np.sqrt(((motion.q - q)[:, 3:] ** 2).mean()) < 20.0 * noise  # [rad], of levers of 0.1 m


def test_gaps_do_not_matter_where_enough_is_seen():
    """Follow through frames in which markers are hidden; a whole body that is hidden stays where it was."""
    _, both, data, q = recording()
    positions = data.positions.copy()
    rng = np.random.default_rng(1)
    positions[rng.random(positions.shape[:2]) < 0.2] = np.nan
    found = track_markers(both, MarkerData(data.names, data.times, positions))
    enough = (~np.isnan(positions[:, :, 0])).reshape(len(data), 3, 4).sum(axis=2).min(axis=1) >= 3
    np.testing.assert_allclose(found.q[enough], q[enough], atol=1e-7)
    positions = data.positions.copy()
    positions[40:60, 8:] = np.nan  # the forearm
    found = track_markers(both, MarkerData(data.names, data.times, positions))
    assert np.ptp(found.q[39:60, -1]) < 1e-12
    np.testing.assert_allclose(found.q[60:], q[60:], atol=1e-7)
    positions[40:60] = np.nan
    found = track_markers(both, MarkerData(data.names, data.times, positions))
    assert (found.q[40:60] == found.q[39]).all() and np.isnan(found.residuals[50]).all()


def test_limits_bound_what_is_followed():
    """Keep a joint within its limits, and miss markers for it; without limits follow them."""
    world, both, data, q = recording(limits=True)
    q = q.copy()
    q[:, -1] -= 1.0  # the elbow bends the wrong way
    wrong = record(world, q, data.times)
    both.set_state(q[0])
    bounded, free = track_markers(both, wrong), track_markers(both, wrong, limits=False)
    assert bounded.coordinate("elbow").min() >= -1e-12 and bounded.residual > 0.01
    np.testing.assert_allclose(free.q, q, atol=1e-7)


def test_weights_say_what_matters():
    """Leave a marker out that is wrong, and others are met."""
    _, both, data, q = recording()
    positions = data.positions.copy()
    positions[:, 9] += 0.05
    wrong = MarkerData(data.names, data.times, positions)
    plain, weighed = track_markers(both, wrong), track_markers(both, wrong, weights={"F1": 0.0})
    np.testing.assert_allclose(weighed.q, q, atol=1e-7)
    assert np.abs(plain.q - q).max() > 0.01
    with pytest.raises(ValueError, match="weights\\['F9'\\]"):
        track_markers(both, data, weights={"F9": 1.0})


def test_markers_are_calibrated():
    """Find where markers are on their bodies in a frame in which the pose is known to others."""
    world, both, data, q = recording()
    right = [marker.local_position for marker in world.markers]
    rng = np.random.default_rng(5)
    for marker in world.markers:
        if marker.name.startswith("fore"):
            marker.local_position = marker.local_position + rng.normal(0, 0.02, 3)
    before = track_markers(both, data)
    weights = {name: 1e-9 for name in data.names if name.startswith("F")}
    weights["F0"] = weights["F1"] = 1e-6
    at = calibrate_markers(both, data, 10, q[10], weights=weights)
    assert before.residual > 0.005
    after = track_markers(both, data, at)
    assert after.residual < 1e-3
    np.testing.assert_allclose(at[:-1], q[10, :-1], atol=1e-6)
    torso = [marker.local_position for marker in world.markers if marker.name.startswith("torso")]
    np.testing.assert_allclose(torso, right[:4], atol=1e-6)


@pytest.mark.parametrize("ending", [".trc", ".c3d"])
def test_files_keep_what_was_recorded(tmp_path, ending):
    """Read what was written: names, times, places, gaps; C3D has numbers of four bytes."""
    _, _, data, _ = recording()
    positions = data.positions.copy()
    positions[3:7, 2] = np.nan
    data = MarkerData(data.names, data.times, positions)
    data.save(tmp_path / f"walk{ending}")
    again = load_markers(tmp_path / f"walk{ending}")
    assert again.names == data.names
    np.testing.assert_allclose(again.times - again.times[0], data.times, atol=1e-6)
    np.testing.assert_allclose(again.positions, positions, atol=1e-12 if ending == ".trc" else 1e-6)
    turned = load_markers(tmp_path / f"walk{ending}", up="y")
    np.testing.assert_allclose(
        turned.positions[0, 0], np.array(positions[0, 0])[[0, 2, 1]] * (1, -1, 1), atol=1e-6
    )


def test_columns_of_text_are_read(tmp_path):
    """Read what Vicon writes as text: fields, milliseconds, millimetres (S-046)."""
    file = tmp_path / "walk.csv"
    file.write_text(
        "Field,Time,Walk:LKNE:X,Walk:LKNE:Y,Walk:LKNE:Z,Walk:RKNE:X,Walk:RKNE:Y,Walk:RKNE:Z\n"
        "1,0,100,200,500,100,-200,501\n2,10,110,200,500,,,\n"
    )
    data = load_markers(file)
    assert data.names == ("LKNE", "RKNE") and data.times.tolist() == [0.0, 0.01]
    np.testing.assert_allclose(data.marker("LKNE")[1], (0.11, 0.2, 0.5))
    assert np.isnan(data.marker("RKNE")[1]).all()


def test_gaps_are_filled_and_noise_is_smoothed():
    """Close short gaps by curves, leave long ones, and take noise off without delay."""
    times = np.arange(200) / 100.0
    path = np.stack([np.sin(2 * np.pi * times), np.cos(2 * np.pi * times), 0.5 * times], axis=1)
    positions = np.stack([path, path + 0.3, path - 0.2, path * 0.5], axis=1)
    positions[50:60, 0] = positions[100:150, 1] = positions[:5, 2] = np.nan
    data = MarkerData(("a", "b", "c", "d"), times, positions).filled(0.2)
    # a cubic curve misses (5/384) h^4 of the fourth derivative at most
    bound = 5.0 / 384.0 * 0.11**4 * (2 * np.pi) ** 4
    np.testing.assert_allclose(data.marker("a"), path, atol=bound)
    assert np.isnan(data.marker("b")[100:150]).all() and np.isnan(data.marker("c")[:5]).all()
    rng = np.random.default_rng(2)
    noisy = MarkerData(
        ("a", "b", "c", "d"),
        times,
        np.stack([path, path + 0.1, path - 0.1, path + 0.2], 1) + rng.normal(0, 5e-3, (200, 4, 3)),
    )
    smooth = noisy.smoothed(6.0)
    error = [np.abs((d.marker("a") - path)[20:-20]).mean() for d in (noisy, smooth)]
    assert error[1] < 0.5 * error[0]
    with pytest.raises(ValueError, match="cutoff = 60"):
        noisy.smoothed(60.0)
    half = noisy.resampled(50.0)
    np.testing.assert_allclose(half.positions[:99], noisy.positions[:198:2], atol=1e-12)


def test_labels_are_put_right():
    """Exchange two labels over some frames, and rename others."""
    _, _, data, _ = recording()
    positions = data.positions.copy()
    positions[20:31, [0, 1]] = data.positions[20:31, [1, 0]]
    wrong = MarkerData(data.names, data.times, positions)
    right = wrong.swapped("T0", "T1", 0.2, 0.3)
    np.testing.assert_array_equal(right.positions, data.positions)
    assert data.renamed({"T0": "C7"}).names[0] == "C7"
    with pytest.raises(KeyError, match="'T9' is not in the recording"):
        data.marker("T9")


def test_what_cannot_be_a_recording_is_told(tmp_path):
    """Name files and values that are wrong, and warn of units that were taken for others."""
    _, both, data, _ = recording()
    frames = np.zeros((2, 1, 3))
    with pytest.raises(ValueError, match="without frames"):
        MarkerData(("a",), [], np.zeros((0, 1, 3)))
    with pytest.raises(ValueError, match="without markers"):
        MarkerData((), [0.0], np.zeros((1, 0, 3)))
    with pytest.raises(ValueError, match="'a' is there twice"):
        MarkerData(("a", "a"), [0.0], np.zeros((1, 2, 3)))
    with pytest.raises(ValueError, match="no marker was seen"):
        MarkerData(("a",), [0.0, 0.1], frames * np.nan)
    with pytest.raises(ValueError, match="in their order"):
        MarkerData(("a",), [0.1, 0.0], frames)
    with pytest.warns(UserWarning, match="millimetres\\? Give unit='mm'"):
        MarkerData(data.names, data.times, 1e3 * data.positions)
    with pytest.warns(UserWarning, match="Give unit='m'"):
        MarkerData(data.names, data.times, 1e-3 * data.positions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MarkerData(data.names, data.times, data.positions)
    with pytest.raises(ValueError, match="no marker of the recording"):
        track_markers(both, data.renamed({name: f"x{name}" for name in data.names}))
    with pytest.raises(FileNotFoundError):
        load_markers(tmp_path / "none.c3d")
    with pytest.raises(ValueError, match=r"recordings end in"):
        load_markers(tmp_path / "none.fbx")
    (tmp_path / "broken.trc").write_text("PathFileType\t4\n\n\nFrame#\tTime\ta\n\n1\t0.0\t1\tx\t3\n")
    with pytest.raises(ValueError, match="broken.trc:6: 'x' is no number"):
        load_markers(tmp_path / "broken.trc")
    (tmp_path / "broken.c3d").write_bytes(b"\x00" * 600)
    with pytest.raises(ValueError, match="broken.c3d"):
        load_markers(tmp_path / "broken.c3d")


def test_motions_are_kept_and_played(tmp_path):
    """Save, load, resample, differentiate and show a motion."""
    world, both, data, q = recording()
    motion = track_markers(both, data)
    motion.save(tmp_path / "wave.npz")
    again = Motion.load(tmp_path / "wave.npz")
    assert again.coordinates == motion.coordinates and again.markers == motion.markers
    np.testing.assert_array_equal(again.q, motion.q)
    np.testing.assert_array_equal(again.residuals, motion.residuals)
    motion.show(both, 0.5)
    np.testing.assert_allclose(both.q, motion.at(0.5), atol=1e-12)
    np.testing.assert_allclose(both.rates, motion.rates()[50], atol=1e-8)
    np.testing.assert_allclose(motion.resampled(50.0).q, motion.q[::2], atol=1e-12)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(ValueError, match="no motion in generalised coordinates"):
        Motion.load(tmp_path / "other.npz")


def test_forces_of_a_motion_make_it_again():
    """Get by inverse dynamics the torques with which forward dynamics goes on as the motion does."""
    world, both, data, q = recording()
    motion = Motion(both.coordinates, data.times, q)
    forces, changes = motion.forces(both), motion.changes()
    for k in (20, 50, 80):
        found = both.forward_dynamics(q[k], motion.rates()[k], forces[k])
        np.testing.assert_allclose(found, changes[k], atol=1e-9)
