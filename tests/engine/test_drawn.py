"""Shapes that are only drawn: what is accepted, that they go where their body goes, and change nothing."""

import hashlib
import json

import numpy as np
import pytest

import stoss as st
from stoss.engine.model import Model


def hammer() -> st.World:
    """Return a world with a body whose centre of mass is not its origin, and a rod drawn on it."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    head = st.Placed(st.Box((0.4, 0.2, 0.2)), position=(0.0, 0.0, 1.0))
    body = world.add_body([head, st.Sphere(0.1)], position=(0.0, 0.0, 2.0), name="hammer")
    body.display = [
        st.Drawn(st.Cylinder(0.03, 3.0), position=(0.0, 0.0, 2.0), color="#ff8800"),
        st.Placed(st.Box((0.1, 0.1, 0.1)), position=(1.0, 0.0, 0.0)),
        st.Sphere(0.2),
    ]
    return world


def test_what_is_drawn_is_given_back():
    """Accept shapes, placed and drawn ones; give back drawn ones, and none by default."""
    world = hammer()
    rod, box, ball = world.body("hammer").display
    assert rod.color == (1.0, 136 / 255, 0.0) and box.color is None and ball.position == (0.0, 0.0, 0.0)
    assert box == st.Drawn(st.Box((0.1, 0.1, 0.1)), (1.0, 0.0, 0.0))
    assert world.body("ground").display == ()
    world.body("hammer").display = st.Sphere(0.5)
    assert world.body("hammer").display == (st.Drawn(st.Sphere(0.5)),)
    world.body("hammer").display = None
    assert world.body("hammer").display == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (3, "display = 3 must be shapes"),
        ("rod", "display = 'rod' must be shapes"),
        ({}, "display = {} must be shapes"),
        ([st.Sphere(1.0), None], "display = None must be shapes"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    """Name value and cure, and leave what was there."""
    world = hammer()
    with pytest.raises(TypeError, match=message):
        world.body("hammer").display = wrong
    assert len(world.body("hammer").display) == 3


def test_a_drawn_shape_says_what_is_wrong():
    """Name the class and the argument."""
    with pytest.raises(TypeError, match="Drawn: shape = 1 must be a shape"):
        st.Drawn(1)
    with pytest.raises(ValueError, match="color = "):
        st.Drawn(st.Sphere(1.0), color="no such colour")


def test_drawing_changes_nothing_else():
    """Weigh, collide and move bit for bit as without what is drawn."""
    plain, drawn = hammer(), hammer()
    plain.body("hammer").display = ()
    for world in (plain, drawn):
        world.step(150)
    assert plain.state_hash() == drawn.state_hash()
    assert plain.body("hammer").mass == drawn.body("hammer").mass
    assert drawn.ray_cast((-5.0, 0.0, 30.0), (1.0, 0.0, 0.0)) is None


def test_what_is_drawn_follows_its_body():
    """Be there in copies, snapshots, duplicates and models; go with a body that is removed."""
    world = hammer()
    wanted = world.body("hammer").display
    saved = world.save()
    assert world.copy().body("hammer").display == wanted
    assert world.duplicate(world.body("hammer"), position=(5, 0, 2)).display == wanted
    assert Model.of(world).build().body("hammer").display == wanted
    world.body("hammer").display = ()
    world.restore(saved)
    assert world.body("hammer").display == wanted
    world.remove_body(world.body("hammer"))
    other = world.add_body(st.Sphere(1.0))
    assert other.display == ()


def test_snapshots_in_files_hold_what_is_drawn(tmp_path):
    """Read from a file what was written into it."""
    world = hammer()
    world.save().write(tmp_path / "a.npz")
    other = st.World()
    other.restore(st.Snapshot.read(tmp_path / "a.npz"))
    assert other.body("hammer").display == world.body("hammer").display
    assert np.isclose(other.body("hammer").display[0].shape.length, 3.0)


def test_snapshots_of_before_there_was_anything_drawn_are_read(tmp_path):
    """Read a file whose bodies say nothing of what is drawn on them."""
    world = hammer()
    path = tmp_path / "a.npz"
    world.save().write(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name not in ("header", "digest")}
        header = json.loads(file["header"].tobytes())
    held = [one for one in header["objects"] if isinstance(one, dict) and "displays" in one.get("fields", ())]
    assert len(held) == 1
    del held[0]["fields"]["displays"]
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    digest = hashlib.sha256(text.tobytes())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {len(array)} ".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    np.savez(path, header=text, digest=np.frombuffer(digest.hexdigest().encode(), np.uint8), **arrays)
    other = st.World()
    other.restore(st.Snapshot.read(path))
    assert other.body("hammer").display == () and other.state_hash() == world.state_hash()
