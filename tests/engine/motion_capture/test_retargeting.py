"""Motions on other models, and libraries of motions."""

import numpy as np
import pytest

import stoss as st


def arm(size=1.0, wrist=True):
    """Return an arm of a shoulder, an elbow and, where it has one, a wrist, with markers."""
    world = st.World()
    parts = [("upper", 0.0, 0.3), ("fore", 0.3, 0.25), ("hand", 0.55, 0.1)]
    last = None
    for name, begin, length in parts if wrist else parts[:2]:
        middle = (0, 0, -size * (begin + 0.5 * length))
        body = world.add_body(st.Capsule(0.03 * size, 0.5 * size * length), position=middle, name=name)
        place = (0, 0, -size * begin)
        kind = st.Ball(place) if last is None else st.Hinge(place, (0, -1, 0))
        world.add_joint(kind, last, body, name={"upper": "shoulder", "fore": "elbow", "hand": "wrist"}[name])
        for k, place in enumerate(((0.03, 0, 0.4), (-0.02, 0.03, -0.2), (0, -0.04, 0.1))):
            world.add_marker(f"{name} {k}", body, position=size * np.array((1, 1, length)) * place)
        last = body
    return st.Articulation(world)


def wave(both, frames=40):
    """Return a smooth motion."""
    times = np.arange(frames) / 50.0
    q = 0.4 * np.sin(3.0 * times[:, None] + np.arange(len(both))) + 0.5
    return st.Motion(both.coordinates, times, q)


def test_a_model_of_the_same_kind_does_the_same():
    """Have a larger arm turn its joints as a smaller one does, by markers that are scaled and by names."""
    small, large = arm(), arm(1.3)
    motion = wave(small)
    by_markers = st.retarget(motion, small, large, scale="size")
    np.testing.assert_allclose(by_markers.q, motion.q, atol=1e-7)
    assert by_markers.residual < 1e-8 and by_markers.about["scale"] == pytest.approx(1.3)
    assert st.retarget(motion, small, large, scale=1.3).residual < 1e-8
    assert st.retarget(motion, small, large).residual > 0.01  # the other is too long for what it is to do
    by_names = st.retarget(motion, small, large, by="coordinates")
    np.testing.assert_array_equal(by_names.q, motion.q)


def test_fewer_coordinates_leave_residuals():
    """Have an arm without a wrist do what it can: its markers are met, those of the hand are not there."""
    full, plain = arm(), arm(wrist=False)
    motion = wave(full)
    found = st.retarget(motion, full, plain)
    assert found.coordinates == plain.coordinates and len(found.markers) == 6
    np.testing.assert_allclose(found.coordinate("elbow"), motion.coordinate("elbow"), atol=1e-7)
    renamed = st.retarget(motion, full, plain, names={"hand 0": "fore 0", "hand 1": "fore 1"})
    assert renamed.markers == ("fore 0", "fore 1") and renamed.residual > 1e-3
    by_names = st.retarget(motion, full, plain, by="coordinates", names={"wrist": "elbow"})
    np.testing.assert_array_equal(by_names.coordinate("elbow"), motion.coordinate("wrist"))
    assert np.ptp(by_names.coordinate("shoulder.x")) == 0.0


def test_limits_of_the_other_hold():
    """Stay within the limits of the other model's joints."""
    full, plain = arm(), arm()
    plain.world.joint("elbow").limit(0.4, 0.5)
    motion = wave(full)
    for by in ("markers", "coordinates"):
        found = st.retarget(motion, full, plain, by=by)
        elbow = found.coordinate("elbow")
        assert elbow.min() >= 0.4 - 1e-12 and elbow.max() <= 0.5 + 1e-12 and np.ptp(elbow) > 0.05
    wanted = np.clip(motion.coordinate("elbow"), 0.4, 0.5)
    np.testing.assert_allclose(elbow, wanted, atol=1e-12)  # by coordinates


def test_recordings_of_models_have_their_noise():
    """Record where markers are, with noise of the size that was asked for, the same for the same seed."""
    both = arm()
    motion = wave(both)
    exact, noisy = st.record_markers(both, motion), st.record_markers(both, motion, noise=1e-3, seed=4)
    both.set_state(motion.q[7])
    for name in exact.names:
        body = {"u": "upper", "f": "fore", "h": "hand"}[name[0]]
        place = both.world.marker(f"{body}:{name}").position
        np.testing.assert_allclose(exact.marker(name)[7], place, atol=1e-12)
    assert np.std(noisy.positions - exact.positions) == pytest.approx(1e-3, rel=0.1)
    again = st.record_markers(both, motion, noise=1e-3, seed=4)
    np.testing.assert_array_equal(again.positions, noisy.positions)
    with pytest.raises(ValueError, match="no marker of the world is on a body"):
        bare = st.World()
        bare.add_body(st.Sphere(0.1))
        loose = st.Articulation(bare)
        st.record_markers(loose, st.Motion(loose.coordinates, [0.0], np.zeros((1, 6))))


def test_what_does_not_fit_is_told():
    """Name what two models do not have in common."""
    one, other = arm(), arm(wrist=False)
    motion = wave(one)
    with pytest.raises(KeyError, match="marker 'hand 9' is not in the recording"):
        st.retarget(motion, one, other, names={"hand 9": "fore 0"})
    with pytest.raises(ValueError, match=r"names\['wrist'\] = 'elbo' is not there; did you mean elbow"):
        st.retarget(motion, one, other, by="coordinates", names={"wrist": "elbo"})
    with pytest.raises(ValueError, match="by = 'angles'"):
        st.retarget(motion, one, other, by="angles")
    with pytest.raises(ValueError, match="scale"):
        st.retarget(motion, one, other, scale="large")
    with pytest.raises(ValueError, match="no coordinate 'wrist'"):
        st.retarget(st.retarget(motion, one, other), one, other)


def test_a_library_keeps_motions_and_what_is_known_of_them(tmp_path):
    """Add, find, replace and remove motions, with recordings and words about them."""
    both = arm()
    motion = wave(both)
    data = st.record_markers(both, motion)
    library = st.MotionLibrary(tmp_path / "motions")
    assert len(library) == 0 and not (tmp_path / "motions").exists()
    library.add("wave 1", motion, data, subject="AB", speed=1.2, left=True)
    library.add("wave 2", motion.resampled(25.0), subject="CD", speed=0.8)
    again = st.MotionLibrary(tmp_path / "motions")
    assert list(again) == ["wave 1", "wave 2"] and "wave 1" in again
    assert again["wave 1"].about == {"subject": "AB", "speed": 1.2, "left": True}
    np.testing.assert_array_equal(again["wave 1"].q, motion.q)
    np.testing.assert_allclose(again.data("wave 1").positions, data.positions, atol=1e-12)
    assert again.data("wave 2") is None
    assert again.find(subject="AB") == ("wave 1",) and again.find(speed=lambda v: v < 1) == ("wave 2",)
    assert again.find() == ("wave 1", "wave 2") and again.find(subject="AB", speed=0.8) == ()
    library.add("wave 1", motion)
    assert library.data("wave 1") is None and library["wave 1"].about == {}
    library.remove("wave 2")
    assert list(library) == ["wave 1"]
    with pytest.raises(KeyError, match="did you mean wave 1"):
        library["wave1"]
    with pytest.raises(ValueError, match="cannot be that of a file"):
        library.add("../wave", motion)
    with pytest.raises(TypeError, match=r"about\['who'\]"):
        library.add("wave 3", motion, who=["a", "b"])
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="this is a file"):
        st.MotionLibrary(tmp_path / "file")


def test_motions_are_cut_and_renamed():
    """Keep the frames between two times, and other names; tell what is not there."""
    both = arm()
    motion = wave(both)
    part = motion.cut(0.2, 0.4)
    np.testing.assert_array_equal(part.q, motion.q[10:21])
    assert motion.renamed({"elbow": "bend"}).coordinate("bend") is not None
    assert motion.told(subject="AB").told(speed=1).about == {"subject": "AB", "speed": 1}
    with pytest.raises(ValueError, match="no frames between 5 and 6 s"):
        motion.cut(5.0, 6.0)
    with pytest.raises(KeyError, match="did you mean elbow"):
        motion.renamed({"elbo": "bend"})


def test_a_person_follows_better_than_a_robot():
    """Bring what a person of 40 coordinates does on a robot of 24: it goes along, but misses markers more.

    So it is in Stelzner 2008, section 3.3, where a person washes dishes. What the person leaves is noise.
    """
    person_world, robot_world = st.World(), st.World()
    person, robot = st.build_skeleton(person_world, knee="hinge", spine="full"), st.build_robot(robot_world)
    arms = [f"{side} {bone}" for side in ("right", "left") for bone in ("upper arm", "radius", "hand")]
    rng, counts = np.random.default_rng(2), {"pelvis": 4, "T1": 4, "head": 4, **dict.fromkeys(arms, 3)}
    for bone, count in counts.items():
        own = person.bodies[bone]
        other = robot.bodies["thorax" if bone == "T1" else bone]
        for k in range(count):
            place = own.position + rng.uniform(-0.06, 0.06, 3)
            name = f"{bone.replace(' ', '_')}_{k}"
            for body in (own, other):  # both stand upright, unturned
                person_or_robot = person_world if body is own else robot_world
                person_or_robot.add_marker(name, body, position=place - body.position)
    both, machine = st.Articulation(person_world, person.follow), st.Articulation(robot_world)
    assert (len(both), len(machine)) == (40, 24)
    times = np.arange(50) / 25.0
    q = np.repeat(both.q[None], len(times), axis=0)
    for name, size, rate in (
        *((f"{side} shoulder.y", -0.5, 2.0) for side in ("right", "left")),
        *((f"{side} elbow", 0.8, 3.0) for side in ("right", "left")),
        *((person.leaders["flexion"][0], 0.03, 1.0), (person.leaders["axial"][0], 0.02, 2.0)),
        *(("pelvis.z", 0.03, 2.0), ("pelvis.turn_x", 0.05, 1.5), ("right forearm", 0.4, 4.0)),
    ):
        q[:, both.index(name)] += size * (1.0 - np.cos(rate * np.pi * times / 2.0)) / 2.0
    motion, noise = st.Motion(both.coordinates, times, q), 1e-3
    data = st.record_markers(both, motion, noise=noise, seed=3)
    by_person = st.track_markers(both, data, q[0])
    by_robot = st.retarget(by_person, both, machine)
    count = len(data.names)
    assert noise * np.sqrt(3 - 40 / count) * 0.9 < by_person.residual < noise * np.sqrt(3.0)
    assert len(by_robot.markers) == count
    assert 5.0 * by_person.residual < by_robot.residual < 0.05
    np.testing.assert_allclose(by_robot.coordinate("right elbow"), q[:, both.index("right elbow")], atol=0.3)
