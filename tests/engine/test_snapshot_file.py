"""Snapshots in files: the same bits as the snapshot itself; damage and strange classes are refused."""

import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import stoss as st
from stoss.collision.kernels.structs import Struct
from stoss.engine.joints.arrays import SUM
from stoss.engine.world.plain_values import Classes, Reader, Writer, fields_of
from stoss.engine.world.snapshot import Snapshot
from stoss.engine.world.snapshot_check import NUMBERS, RANGES, STARTS
from stoss.engine.world.snapshot_file import _digest
from tests.engine.test_snapshot import hashes, pile
from tests.engine.worlds import floor

TETRAHEDRON = np.array([[0.4, 0, -0.2], [-0.3, 0.4, -0.2], [-0.3, -0.4, -0.2], [0, 0, 0.5]])


def machine() -> st.World:
    """Return a world with joints, limits, drives, sleepers, loads, pairs of materials, a mesh and more."""
    ice, rubber = (
        st.Material(friction=0.02, name="ice"),
        st.Material(friction=0.9, restitution=0.5, name="rubber"),
    )
    world = st.World(time_step=0.005, settings=st.Settings(sleeping=True, sleep_time=0.1))
    floor(world)
    world.set_material_pair(ice, rubber, friction=0.3, static_friction=0.4, impact_law="poisson")
    hill = st.TriangleMesh([[5, -1, 0.01], [7, -1, 0.01], [6, 1, 0.5]], [[0, 1, 2]], two_sided=True)
    world.add_body(hill, kind="static", name="hill")
    deck = world.add_body(st.Box((1, 1, 0.1)), kind="kinematic", position=(-4, 0, 0.3), name="deck")
    world.add_body(st.Box((0.2, 0.2, 0.2)), position=(-4, 0, 0.46), material=ice, name="cargo")
    world.add_body(st.Sphere(0.2), position=(4, 4, 0.2), name="sleeper", material=rubber)
    world.add_body(st.ConvexHull(TETRAHEDRON), position=(6, 0, 1.0), name="hull", material=rubber)
    parts = [st.Placed(st.Sphere(0.2), (0.3, 0, 0)), st.Placed(st.Capsule(0.1, 0.5))]
    world.add_body(parts, position=(0, 3, 1), name="compound")
    links = [
        world.add_body(st.Box((0.4, 0.1, 0.1)), position=(0.5 * k, 0, 2), name=f"link {k}") for k in range(5)
    ]
    base = world.add_joint(st.Hinge((-0.25, 0, 2), (0, 1, 0)), None, links[0])
    base.limit(-0.5, 0.6, coordinate="angle", restitution=0.3)
    base.servo(0.2, stiffness=50.0, damping=2.0)
    elbow = world.add_joint(st.Ball((0.25, 0, 2)), links[0], links[1])
    elbow.limit(0.0, 0.8, coordinate="swing", stiffness=100.0)
    elbow.break_force = 1e6
    slide = world.add_joint(st.Slider((0.75, 0, 2), (1, 0, 0)), links[1], links[2])
    slide.motor(0.1, max_force=20.0)
    world.add_joint(st.Distance((1.2, 0, 2), (1.3, 0, 2)), links[2], links[3], collide=True)
    world.add_joint(
        st.Compose(st.PointOnLine((1.75, 0, 2), (1, 0, 0)), st.ParallelAxes((0, 1, 0))), links[3], links[4]
    )
    world.exclude_collision(links[0], links[4])
    world.body("link 2").color = "#ff8800"
    axles = []
    for k in range(2):
        wheel = world.add_body(st.Cylinder(0.2, 0.1), position=(k, 6, 1), name=f"wheel {k}")
        axles.append(world.add_joint(st.Hinge((k, 6, 1), (0, 0, 1)), None, wheel))
    world.add_joint(st.Gear(*axles, -2.0))
    axles[0].motor(1.5)
    nut = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0, 8, 1))
    world.add_joint(st.Screw((0, 8, 1), (0, 0, 1), pitch=0.2), None, nut)
    belt = world.add_body(st.Box((1, 1, 0.2)), position=(-4, 4, 0.1), kind="static", name="belt")
    belt.surface_velocity, belt.surface_angular_velocity = (0.3, 0, 0), (0, 0, 0.1)
    world.add_body(st.Box((0.2, 0.2, 0.2)), position=(-4, 4, 0.31), name="parcel")
    world.body("link 3").kind = "kinematic"
    world.step(60)
    world.body("link 3").kind = "dynamic"
    deck.move_to((-4, 0.01, 0.3))
    world.forces[3] = (0.1, 0, 0)
    world.body("cargo").apply_force((0.5, 0, 0))
    world.body("sleeper").sleep()
    return world


def again(state: Snapshot, path) -> st.World:
    """Return a new world, restored from what was written and read."""
    state.write(path)
    world = st.World()
    world.restore(Snapshot.read(path))
    return world


@pytest.mark.parametrize("build", [machine, pile, st.World])
@pytest.mark.parametrize("at", [0, 25])
def test_world_from_a_file_goes_on_to_the_same_bits(tmp_path, build, at):
    """Give the same bits in each of 25 steps, events, names, joints and settings included."""
    world = build()
    if at:
        world.step(at)
    twin = again(world.save(), tmp_path / "world.npz")
    assert twin.settings == world.settings and twin.step_count == world.step_count
    assert [b.name for b in twin.bodies] == [b.name for b in world.bodies]
    assert [b.color for b in twin.bodies] == [b.color for b in world.bodies]
    assert [j.kind for j in twin.joints] == [j.kind for j in world.joints]
    assert hashes(twin, 25) == hashes(world, 25)


@pytest.mark.parametrize("scene", ["ragdoll", "robot_arm", "card_house", "bricard", "washer"])
def test_scenes_go_on_to_the_same_bits(tmp_path, scene):
    """Give the same bits after a scene was written and read while it moves, and write the same again."""
    world = st.SCENES[scene].build()
    world.step(20)
    twin = again(world.save(), tmp_path / "a.npz")
    twin.save().write(tmp_path / "b.npz")
    third = st.World()
    third.restore(Snapshot.read(tmp_path / "b.npz"))
    for one in (world, twin, third):
        one.step(20)
    assert world.state_hash() == twin.state_hash() == third.state_hash()


def test_file_holds_no_objects(tmp_path):
    """Hold plain arrays and JSON with format and version."""
    machine().save().write(tmp_path / "world.npz")
    with np.load(tmp_path / "world.npz", allow_pickle=False) as data:
        header = json.loads(data["header"].tobytes())
        assert header["format"] == "stoss snapshot" and header["version"] == 1
        assert all(data[name].dtype.kind in "biuf" and data[name].ndim == 1 for name in data.files)


@dataclass(frozen=True)
class Pin(st.JointKind):
    """A kind of a user."""

    point: Any

    def parts(self, middle=(0.0, 0.0, 0.0)):
        return st.Ball(self.point).parts(middle)


def test_kinds_of_users_are_named(tmp_path):
    """Refuse a class that is not of stoss, by name, unless it is named when writing and reading."""
    world = st.World()
    world.add_joint(Pin((0, 0, 1)), None, world.add_body(st.Sphere(0.1), position=(0.3, 0, 1)))
    path = tmp_path / "world.npz"
    with pytest.raises(TypeError, match=r"test_snapshot_file\.Pin cannot be written.*classes="):
        world.save().write(path)
    assert not path.exists()
    world.save().write(path, classes=[Pin])
    with pytest.raises(ValueError, match="no class 'Pin' of stoss"):
        Snapshot.read(path)
    twin = st.World()
    twin.restore(Snapshot.read(path, classes=[Pin]))
    assert twin.joints[0].kind == Pin((0, 0, 1)) and hashes(twin, 20) == hashes(world, 20)
    with pytest.raises(TypeError, match="no kind of what Snapshot holds"):
        Snapshot.read(path, classes=[dict])


def resealed(path, change) -> None:
    """Change header and arrays of a file by a function of both, and give it the right digest again."""
    with np.load(path, allow_pickle=False) as data:
        arrays = {name: data[name].copy() for name in data.files}
    header = json.loads(arrays.pop("header").tobytes())
    del arrays["digest"]
    change(header, arrays)
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    arrays = dict(sorted(arrays.items()))
    np.savez(path, header=text, digest=_digest(text, arrays), **arrays)


def named(header, name):
    """Return the fields of the first object of a class."""
    return next(o["fields"] for o in header["objects"] if isinstance(o, dict) and o["class"] == name)


def array_of(header, name, field):
    """Return the record of an array, and where it begins among those of its type."""
    number, begin = named(header, name)[field]["ref"], 0
    record = header["objects"][number]
    for other in header["objects"][:number]:
        if isinstance(other, list) and other[0] == record[0]:
            begin += int(np.prod(other[1]))
    return record, begin


def write_into(name, field, value):
    """Return a change of the first value of an array."""

    def change(header, arrays):
        record, begin = array_of(header, name, field)
        arrays[record[0]][begin] = value

    return change


FORGERIES = {
    "another format": (lambda h, a: h.update(format="stoss motion"), "format 'stoss motion'"),
    "a later version": (lambda h, a: h.update(version=2), "format 2 is newer than 1; update stoss"),
    "no version": (lambda h, a: h.update(version="1"), "no version"),
    "a class of others": (
        lambda h, a: h["objects"][-1].update({"class": "Popen"}),
        "there is no class 'Popen' of stoss",
    ),
    "an unknown field": (
        lambda h, a: named(h, "Settings").update(evil=1),
        "Settings has no field 'evil'",
    ),
    "a missing field": (lambda h, a: named(h, "BodyState").pop("records"), r"BodyState\.records is missing"),
    "a field of another type": (
        lambda h, a: named(h, "BodyRecord").update(name=3),
        r"BodyRecord\.name is 3, which is no str",
    ),
    "a value that the class refuses": (lambda h, a: named(h, "Sphere").update(radius=-1.0), "radius"),
    "a shape that is none": (
        lambda h, a: array_of(h, "BodyArrays", "masses")[0].__setitem__(1, [10**9]),
        "longer",
    ),
    "another shape": (
        lambda h, a: array_of(h, "BodyArrays", "positions")[0].__setitem__(1, [-1, 3]),
        "no shape",
    ),
    "more values": (lambda h, a: a.update(float64=np.append(a["float64"], 1.0)), "belong to nothing"),
    "a reference ahead": (lambda h, a: h.update(root={"ref": 10**6}), "no value"),
    "another object": (lambda h, a: h.update(root={"ref": 0}), "it holds a"),
    "a pose that is none": (
        write_into("BodyArrays", "positions", np.nan),
        "positions of bodies are not finite",
    ),
    "a turn that is none": (write_into("BodyArrays", "quaternions", 7.0), "not of unit length"),
    "a body that is not there": (write_into("JointArrays", "bodies", 10**9), r"JointArrays\.bodies names"),
    "a kind that is none": (write_into("BodyArrays", "kinds", 9), r"BodyArrays\.kinds"),
    "a contact of nobody": (write_into("ContactArrays", "shape_b", 10**12), r"ContactArrays\.shape_b names"),
    "a part of a body that is not there": (write_into("JointArrays", "ends", -2), r"JointArrays\.ends names"),
    "a coupling of nothing": (write_into("JointArrays", "measure", SUM), "couples coordinates"),
    "rows of no joint": (write_into("JointArrays", "row_start", 5), "row_start does not lead"),
    "a hull that is none": (
        lambda h, a: h["objects"][named(h, "ConvexHull")["faces"]["tuple"][0]["ref"]].__setitem__(1, [1, 3]),
        "ConvexHull",
    ),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a file with a world of all kinds of things."""
    path = tmp_path_factory.mktemp("written") / "world.npz"
    machine().save().write(path)
    return path.read_bytes()


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_files_are_refused(tmp_path, written, forgery):
    """Refuse a file whose digest is right and whose content is none of a world, and say what is wrong."""
    path = tmp_path / "world.npz"
    path.write_bytes(written)
    change, told = FORGERIES[forgery]
    resealed(path, change)
    with pytest.raises(ValueError, match=told) as caught:
        Snapshot.read(path)
    assert "world.npz: no snapshot of stoss" in str(caught.value) and "\n" not in str(caught.value)


def test_sound_after_sealing(tmp_path, written):
    """Read a file that was only sealed anew: the tests above fail for what they change."""
    path = tmp_path / "world.npz"
    path.write_bytes(written)
    resealed(path, lambda header, arrays: None)
    Snapshot.read(path)


def test_any_change_is_found(tmp_path, written):
    """Refuse a file in which one value was changed, without its digest."""
    path = tmp_path / "world.npz"
    path.write_bytes(written)
    with np.load(path) as data:
        arrays = {name: data[name].copy() for name in data.files}
    arrays["float64"][7] = np.nextafter(arrays["float64"][7], 9.0)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="its digest is that of other content"):
        Snapshot.read(path)
    with pytest.raises(ValueError, match=r"GB of memory, more than the limit"):
        Snapshot.read(path, most_bytes=1000)


def test_a_refused_write_leaves_the_older_file(tmp_path):
    """Keep an older snapshot when a new one cannot be written."""
    path = tmp_path / "world.npz"
    world = st.World()
    world.save().write(path)
    older = path.read_bytes()
    world.add_joint(Pin((0, 0, 1)), None, world.add_body(st.Sphere(0.1), position=(0.3, 0, 1)))
    with pytest.raises(TypeError):
        world.save().write(path)
    with pytest.raises(ValueError, match=r"must end in .npz"):
        world.save().write(tmp_path / "world.pkl")
    assert path.read_bytes() == older and [*tmp_path.iterdir()] == [path]


def test_every_whole_number_is_known():
    """Say of each array of whole numbers whether it names something: what does is checked."""
    known = {*RANGES, *STARTS, *NUMBERS}
    found = {
        f"{kind.__name__}.{name}"
        for kind in Classes(Snapshot).fields
        if issubclass(kind, Struct)
        for name, field in kind.array_fields().items()
        if field.dtype == np.int64
    }
    assert found == known


def test_derived_fields_are_checked():
    """Let each class that derives fields check them when they come from a file."""
    for kind in Classes(Snapshot).fields:
        if dataclasses.is_dataclass(kind) and any(not field.init for field in dataclasses.fields(kind)):
            assert hasattr(kind, "check_restored"), kind


def test_values_come_back():
    """Write and read values of each type that there is, shared ones as shared."""

    @dataclass
    class Holder:
        values: Any

    array, number = np.arange(6.0).reshape(2, 3), np.float64(0.1)
    values = (
        None,
        True,
        -3,
        0.1,
        -0.0,
        float("inf"),
        "text",
        number,
        np.int64(5),
        np.bool_(True),
        [array, (array,)],
    )
    values = (*values, np.zeros((0, 3)), np.array([True]), np.arange(3, dtype=np.uint8))
    writer = Writer(Classes(Holder))
    root = json.loads(json.dumps(writer.plain(Holder(values)), allow_nan=False))
    arrays = {name: np.concatenate(parts) for name, parts in writer.arrays.items()}
    found = Reader(Classes(Holder), json.loads(json.dumps(writer.objects)), arrays).value(root).values
    assert len(found) == len(values) and fields_of(int) is None
    for new, old in zip(found[:10], values[:10], strict=True):
        assert type(new) is type(old) and str(new) == str(old)
    assert found[10][0] is found[10][1][0] and (found[10][0] == array).all()
    for new, old in zip(found[11:], values[11:], strict=True):
        assert new.dtype == old.dtype and new.shape == old.shape and (new == old).all()
