"""Motions on disk hold what the world went through, and shapes come back as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Sphere,
    TriangleMesh,
)
from stoss.scenes import SCENES
from stoss.scenes.running.trajectory import Recorder, load_trajectory, shape_from_record, shape_record

LENGTHS = st.floats(1e-3, 1e3)
TETRAHEDRON = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]


@given(LENGTHS, LENGTHS, LENGTHS)
def test_shapes_come_back_from_their_records(a, b, c):
    """Equal the shape that was recorded, to the bit."""
    for shape in (
        Sphere(a),
        Box((a, b, c)),
        Capsule(a, b),
        Cylinder(a, b),
        Cone(a, b),
        Ellipsoid((a, b, c)),
        HalfSpace((0.0, 0.6, 0.8), a),
    ):
        assert shape_from_record(shape_record(shape)) == shape


def test_polyhedra_come_back_from_their_records():
    """Have the vertices and faces that were recorded."""
    hull = ConvexHull(np.array(TETRAHEDRON))
    again = shape_from_record(shape_record(hull))
    np.testing.assert_array_equal(again.vertices, hull.vertices)
    mesh = TriangleMesh(np.array(TETRAHEDRON), np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    again = shape_from_record(shape_record(mesh))
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.faces, mesh.faces)


def test_file_holds_the_motion(tmp_path):
    """Hold the poses of each kept step to the bit, the names, and all shapes with their bodies."""
    world = SCENES["pile"].build(bodies=10)
    recorder = Recorder(world, every=3, about={"scene": "pile"})
    expected = [world.centers_of_mass.copy()]
    for step in range(1, 10):
        world.step()
        recorder.after_step(world)
        if step % 3 == 0:
            expected.append(world.centers_of_mass.copy())
    path = tmp_path / "pile.npz"
    recorder.write(path)

    motion = load_trajectory(path)
    np.testing.assert_allclose(motion.times, [0.0, 0.03, 0.06, 0.09], atol=1e-15)
    np.testing.assert_array_equal(motion.positions, np.array(expected))
    np.testing.assert_array_equal(motion.quaternions[-1], world.principal_quaternions)
    assert motion.names == [body.name for body in world.bodies]
    assert motion.kinds.count("dynamic") == 10
    assert motion.about["scene"] == "pile" and motion.about["every"] == 3
    assert sorted(record["body"] for record in motion.shapes) == list(range(len(world.bodies)))
    for record in motion.shapes:
        assert motion.names[record["body"]].split()[0] in ("ground", "east", "north", "west", "south") or (
            record["type"].lower() in (motion.names[record["body"]].split()[0], "convexhull")
        )


def test_shapes_are_drawn_where_they_are(tmp_path):
    """Put each shape where the reference frame of its body has it, also off the centre of mass."""
    from scipy.spatial.transform import Rotation

    world = SCENES["pile"].build(bodies=10)
    recorder = Recorder(world)
    recorder.write(tmp_path / "pile.npz")
    motion = load_trajectory(tmp_path / "pile.npz")
    for record in motion.shapes:
        body = record["body"]
        w, x, y, z = motion.quaternions[0, body]
        place = motion.positions[0, body] + Rotation.from_quat([x, y, z, w]).apply(record["position"])
        np.testing.assert_allclose(place, world.bodies[body].position, atol=1e-12)


def test_a_changed_number_of_bodies_is_refused():
    """Raise when bodies come or go while recording."""
    world = SCENES["stack"].build(bodies=2)
    recorder = Recorder(world)
    world.remove_body(world.body("cube 1"))
    world.step()
    with pytest.raises(ValueError, match="2 bodies, the recording began with 3"):
        recorder.after_step(world)


@pytest.mark.parametrize("every", [0, -1, 1.5, True])
def test_bad_interval_is_refused(every):
    """Raise ValueError unless `every` is a whole number of at least 1."""
    with pytest.raises(ValueError, match="every is"):
        Recorder(SCENES["stack"].build(bodies=1), every=every)


def test_other_files_are_refused(tmp_path):
    """Name the file and what is missing when it is no trajectory."""
    path = tmp_path / "other.npz"
    np.savez(path, times=np.zeros(3))
    with pytest.raises(ValueError, match="other.npz: no trajectory of stoss, positions is missing"):
        load_trajectory(path)


def test_limits(tmp_path):
    """Refuse files that need more memory than is allowed, or hold endless texts, before they are read."""
    world = SCENES["stack"].build(bodies=1)
    Recorder(world).write(tmp_path / "motion.npz")
    with pytest.raises(ValueError, match=r"of memory, more than the limit of 1e-06 GB; allow more"):
        load_trajectory(tmp_path / "motion.npz", most_bytes=1000)
    with np.load(tmp_path / "motion.npz") as data:
        arrays = {name: data[name] for name in data.files}
    np.savez_compressed(tmp_path / "text.npz", **arrays | {"names": np.array(["", "x" * 20_000])})
    with pytest.raises(ValueError, match="'names' holds a text of 20000 characters"):
        load_trajectory(tmp_path / "text.npz")
    world.save().write(tmp_path / "world.npz")
    with pytest.raises(ValueError, match=r"world.npz: no trajectory of stoss, it is a snapshot"):
        load_trajectory(tmp_path / "world.npz")


def test_other_endings_are_refused(tmp_path):
    """Refuse a file name that numpy would change silently."""
    recorder = Recorder(SCENES["stack"].build(bodies=1))
    with pytest.raises(ValueError, match=r"ends in \.npz"):
        recorder.write(tmp_path / "motion.dat")


def test_colors_are_kept_and_may_be_missing(tmp_path):
    """Hold the colours of bodies, NaN for none; read files of before without them."""
    world = SCENES["pile"].build(bodies=10)
    world.bodies[3].color = "#ff8800"
    recorder = Recorder(world)
    world.step()
    recorder.after_step(world)
    recorder.write(tmp_path / "motion.npz")
    motion = load_trajectory(tmp_path / "motion.npz")
    assert motion.colors.shape == (len(world.bodies), 3)
    assert motion.colors[3].tolist() == [1.0, 136 / 255, 0.0]
    assert np.isnan(np.delete(motion.colors, 3, axis=0)).all()
    with np.load(tmp_path / "motion.npz") as data:
        np.savez(tmp_path / "old.npz", **{name: data[name] for name in data.files if name != "colors"})
    assert np.isnan(load_trajectory(tmp_path / "old.npz").colors).all()
