"""Exported motions, read back by other programs, hold the poses that the world had."""

import json
import struct
from pathlib import Path

import numpy as np
import pygltflib
import pytest
import trimesh

import stoss as st
from stoss.command_line.main import main
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.exporting.motion import Collector
from stoss.viewer.exporting.sources import motion_of
from stoss.viewer.world.commands import Delete, Throw
from stoss.viewer.world.session import Source
from stoss.viewer.world.stage import Stage

STEP = 0.01


def small_world() -> st.World:
    """Return one body of each kind of mesh above the ground; it falls freely for a tenth of a second."""
    world = st.World(time_step=STEP)
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    ball = world.add_body(st.Sphere(0.2), position=(0, 0, 2), color="orange", name="ball <1>")
    ball.angular_velocity = (1, 2, 3)
    pill = [st.Capsule(0.1, 0.4), st.Placed(st.Box((0.1, 0.2, 0.3)), (0.5, 0, 0))]
    world.add_body(pill, position=(2, 0, 2), name="pill and box").angular_velocity = (0, 5, 0)
    world.add_body(st.ConvexHull(np.eye(4, 3)), position=(0, 2, 2), name="hull")
    return world


def recorded(tmp_path: Path) -> tuple[Path, dict[str, np.ndarray]]:
    """Write a motion of eleven samples to a file; return it, and its poses."""
    world = small_world()
    recorder = Recorder(world)
    for _ in range(10):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "fall.npz")
    motion = load_trajectory(tmp_path / "fall.npz")
    poses = {name: motion.positions[:, row] for row, name in enumerate(motion.names)}
    return tmp_path / "fall.npz", poses | {
        name + " turn": motion.quaternions[:, row] for row, name in enumerate(motion.names)
    }


def accessor(file: pygltflib.GLTF2, number: int) -> np.ndarray:
    """Return the numbers of an accessor."""
    item = file.accessors[number]
    view = file.bufferViews[item.bufferView]
    kind = {5126: np.float32, 5125: np.uint32}[item.componentType]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[item.type]
    blob = file.binary_blob()[view.byteOffset : view.byteOffset + view.byteLength]
    return np.frombuffer(blob, kind).reshape(item.count, width)


def tracks(file: pygltflib.GLTF2) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """Return times and values of all channels by node and path."""
    (animation,) = file.animations
    found = {}
    for channel in animation.channels:
        sampler = animation.samplers[channel.sampler]
        name = file.nodes[channel.target.node].name
        found[name, channel.target.path] = accessor(file, sampler.input), accessor(file, sampler.output)
    return found


def test_gltf_holds_the_motion(tmp_path):
    """Give each sample of each body as an animation, to single precision."""
    path, poses = recorded(tmp_path)
    st.export(path, tmp_path / "fall.glb", fps=1 / STEP)
    file = pygltflib.GLTF2().load(str(tmp_path / "fall.glb"))
    found = tracks(file)
    assert {name for name, _ in found} == {"ball <1>", "pill and box", "hull"}
    for (name, which), (times, values) in found.items():
        np.testing.assert_allclose(times[:, 0], STEP * np.arange(11), atol=1e-7)
        if which == "translation":
            np.testing.assert_allclose(values, poses[name], atol=2e-7)
        else:
            turns = poses[name + " turn"]
            assert np.abs(np.einsum("ki,ki->k", np.roll(values, 1, axis=1), turns)).min() > 1 - 1e-6
            assert (np.einsum("ki,ki->k", values[1:], values[:-1]) > 0).all()  # the short way round
    assert file.accessors[0].min is not None  # which the format asks of positions


def test_gltf_is_seen_as_the_world_is(tmp_path):
    """Show another reader the shapes where they are, with z up turned into y up."""
    world = small_world()
    st.export(world, tmp_path / "now.glb", duration=0)
    scene = trimesh.load(tmp_path / "now.glb")
    found = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        points = trimesh.transform_points(scene.geometry[geometry].vertices, transform)
        parent = scene.graph.transforms.parents[node]
        while parent not in {body.name for body in world.bodies}:
            parent = scene.graph.transforms.parents[parent]
        found.setdefault(parent, []).append(points @ [[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    for name, low, high in (
        ("ball <1>", (-0.2, -0.2, 1.8), (0.2, 0.2, 2.2)),
        ("hull", (0, 2, 2), (1, 3, 3)),
        ("pill and box", (1.9, -0.1, 1.7), (2.55, 0.1, 2.3)),
    ):
        points = np.concatenate(found[name])
        np.testing.assert_allclose(points.min(axis=0), low, atol=1e-3, err_msg=name)
        np.testing.assert_allclose(points.max(axis=0), high, atol=1e-3, err_msg=name)
    # spins are seen: fields of two colours on the ball
    ball = [
        mesh for mesh in pygltflib.GLTF2().load(str(tmp_path / "now.glb")).meshes if len(mesh.primitives) == 2
    ]
    assert len(ball) == 2  # of the ball and of the capsule


def test_gltf_is_a_whole_container(tmp_path):
    """Have a length that the head names, and chunks of multiples of four bytes."""
    st.export(small_world(), tmp_path / "a.glb", duration=0.05)
    content = (tmp_path / "a.glb").read_bytes()
    magic, version, length = struct.unpack_from("<4sII", content)
    assert (magic, version, length) == (b"glTF", 2, len(content))
    size, kind = struct.unpack_from("<I4s", content, 12)
    assert kind == b"JSON" and size % 4 == 0
    document = json.loads(content[20 : 20 + size])
    assert (
        document["buffers"][0]["byteLength"]
        <= len(content) - size - 28
        <= document["buffers"][0]["byteLength"] + 3
    )


def test_rerun_holds_the_motion(tmp_path):
    """Give each sample of each body as a transform on the timeline, and a mesh for each shape."""
    from rerun import chunk

    path, poses = recorded(tmp_path)
    st.export(path, tmp_path / "fall.rrd", fps=1 / STEP)
    found, meshes = {}, 0
    for part in chunk.RrdReader(str(tmp_path / "fall.rrd")).stream():
        batch = part.to_record_batch()
        meshes += "Mesh3D:vertex_positions" in batch.schema.names
        if "time" in batch.schema.names:
            places = [row[0] for row in batch.column("Transform3D:translation").to_pylist()]
            found[part.entity_path] = np.array(places), batch.column("time").cast("int64").to_pylist()
    assert set(found) == {r"/world/ball\ \<1\>", r"/world/pill\ and\ box", "/world/hull"}
    assert meshes == 5
    places, times = found["/world/hull"]
    np.testing.assert_allclose(places, poses["hull"], atol=2e-7)
    np.testing.assert_allclose(1e-9 * np.array(times), STEP * np.arange(11), atol=2e-9)


def test_rerun_holds_channels_too(tmp_path, capsys):
    """Write what is recorded at every step as scalars on the same timeline."""
    from rerun import chunk

    from stoss.command_line.main import main

    world, twin = small_world(), small_world()
    st.export(world, tmp_path / "fall.rrd", duration=0.1, channels=["energy.*", "body.hull.position"])
    with st.Recorder(twin, ["energy.*", "body.hull.position"]) as recorder:
        twin.step(round(0.1 / twin.time_step))
    found = {}
    for part in chunk.RrdReader(str(tmp_path / "fall.rrd")).stream():
        batch = part.to_record_batch()
        for name in batch.schema.names:
            if name.endswith("Scalars:scalars"):
                found[part.entity_path] = np.array([row[0] for row in batch.column(name).to_pylist()])
    assert sorted(found) == [
        *(f"/channels/body.hull.position/{x}\\ \\[m\\]" for x in "xyz"),
        *(f"/channels/energy/{one}\\ \\[J\\]" for one in ("kinetic", "potential", "total")),
    ]
    np.testing.assert_array_equal(
        found["/channels/energy/total\\ \\[J\\]"], recorder.recording["energy.total"]
    )
    words = ["export", "stack", str(tmp_path / "s.rrd"), "--duration", "0.05", "--quiet", "--channels"]
    assert main([*words, "energy.*"]) == 0
    assert main([*words, "energy.totl"]) == 2 and "did you mean energy.total" in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"Rerun \(.rrd\) alone"):
        st.export(small_world(), tmp_path / "a.html", channels=["energy.*"])


def test_without_rerun_the_extra_is_named(tmp_path, monkeypatch):
    """Name what to install before anything is computed."""
    monkeypatch.setitem(__import__("sys").modules, "rerun", None)
    with pytest.raises(ValueError, match=r"pip install 'stoss\[rerun\]'"):
        st.export("stack", tmp_path / "a.rrd")


def test_page_needs_nothing_else(tmp_path):
    """Hold all it needs: no address, no file, no import; names of bodies and titles are no markup."""
    st.export(small_world(), tmp_path / "a.html", duration=0.05, title="</script><b>&")
    text = (tmp_path / "a.html").read_text("utf-8")
    for part in ("http:", "https:", " src=", "import(", "@DATA@", "@HEAD@", "<b>"):
        assert part not in text
    assert "&lt;/script&gt;&lt;b&gt;&amp;" in text and "ball \\u003c1>" in text
    assert text.count("</script>") == 3


def test_bodies_come_and_go(tmp_path):
    """Follow a session in which a ball is thrown and another body removed."""
    source = Source(st.SCENES["stack"], {"bodies": 2}, {}, STEP)
    stage = Stage(source.build())
    for _ in range(5):
        stage.step()
    stage.carry_out(Throw((3.0, 0.0, 1.0), (-5.0, 0.0, 0.0), 0.1, 1000.0))
    for _ in range(5):
        stage.step()
    stage.carry_out(Delete("cube 1"))
    for _ in range(5):
        stage.step()
    source.session(stage).write(tmp_path / "session.json")
    motion = motion_of(tmp_path / "session.json", None, 1 / STEP, None)
    names = motion.description.names
    assert len(motion.times) == 16 and names == ("ground", "cube 0", "cube 1", "ball 1")
    spans = dict(zip(names, zip(motion.first.tolist(), motion.last.tolist(), strict=True), strict=True))
    assert spans == {"ground": (0, 15), "cube 0": (0, 15), "cube 1": (0, 10), "ball 1": (6, 15)}
    ball = motion.positions[:, 3, 0]
    np.testing.assert_allclose(ball[:7], 3.0 - 5.0 * STEP, atol=1e-12)  # where it is first seen
    np.testing.assert_allclose(np.diff(ball[6:]), -5.0 * STEP, atol=1e-12)
    st.export(tmp_path / "session.json", tmp_path / "session.glb", fps=1 / STEP)
    _, shown = tracks(pygltflib.GLTF2().load(str(tmp_path / "session.glb")))["ball 1", "scale"]
    assert shown[:, 0].tolist() == [0.0] * 6 + [1.0] * 10


def test_samples_are_as_many_as_asked_for(tmp_path):
    """Keep the samples that are due, and the last one."""
    path, _ = recorded(tmp_path)
    motion = motion_of(path, None, 30.0, None)
    np.testing.assert_allclose(motion.times, [0.0, 0.04, 0.07, 0.1], atol=1e-12)
    world = small_world()
    collector = Collector(world, 30.0)
    for _ in range(10):
        world.step()
        collector.after_step(world)
    np.testing.assert_allclose(collector.motion.times, [0.0, 0.04, 0.07, 0.1], atol=1e-12)


@pytest.mark.parametrize(
    ("source", "path", "keywords", "message"),
    [
        ("stak", "a.html", {}, "did you mean stack"),
        ("stack", "a.gltf", {}, "does not end in .html or .glb or .rrd"),
        ("none.npz", "a.html", {}, "there is no file none.npz"),
        (3, "a.html", {}, "source = 3 must be a World"),
        ("stack", "a.html", {"duration": -1.0}, "duration"),
        ("stack", "a.html", {"fps": 0.0}, "fps"),
        ("stack", "a.html", {"title": 3}, "title = 3 must be a text"),
        ("stack", "no/a.html", {}, "there is no folder"),
    ],
)
def test_wrong_calls_name_the_cure(tmp_path, monkeypatch, source, path, keywords, message):
    """Say what is wrong before anything is computed."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, OSError), match=message):
        st.export(source, path, **keywords)


def test_command(tmp_path, capsys, monkeypatch):
    """Export a scene with its parameters, and a file."""
    monkeypatch.chdir(tmp_path)
    words = ["export", "stack", "s.html", "--bodies", "2", "--duration", "0.1", "--quiet"]
    assert main(words) == 0 and "cube 1" in Path("s.html").read_text()
    recorded(tmp_path)
    assert main(["export", "fall.npz", "fall.glb"]) == 0
    assert capsys.readouterr().err == "written to fall.glb\n"
    with pytest.raises(ValueError, match="leave it out"):
        st.export("fall.npz", "b.html", duration=1.0)
    assert main(["export", "fall.npz", "b.html", "--duration", "1"]) == 2
    assert "--duration" in capsys.readouterr().err
