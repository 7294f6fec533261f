import builtins
import errno
import os
import sys

import numpy as np
import pytest
import trimesh

from stoss.collision import Box, ConvexHull, TriangleMesh, decompose
from stoss.collision.shapes import decomposition as module


def as_mesh(shape):
    """Return a trimesh as a TriangleMesh."""
    return TriangleMesh(np.array(shape.vertices), np.array(shape.faces))


def l_shape():
    """Return an L of three unit cubes, closed, as a trimesh."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], float)
    low, high = np.c_[outline, np.zeros(6)], np.c_[outline, np.ones(6)]
    top = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [[k, (k + 1) % 6, 6 + (k + 1) % 6] for k in range(6)]
    sides += [[k, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    faces = [[c, b, a] for a, b, c in top] + [[6 + a, 6 + b, 6 + c] for a, b, c in top] + sides
    return trimesh.Trimesh(np.vstack([low, high]), faces)


@pytest.fixture
def stand_in(monkeypatch):
    """Replace the cutting by two halves of the hull, and count the calls."""
    calls = []

    def cut(vertices, faces, threshold, most_parts, seed):
        calls.append((threshold, most_parts, seed))
        corners = np.indices((2, 2, 2)).reshape(3, 8).T.astype(float)
        return [corners, corners + [1.0, 0.0, 0.0]]

    monkeypatch.setattr(module, "_cut", cut)
    return calls


def test_an_l_shape_is_cut_into_parts_that_fill_it():
    """Return convex parts whose volume is that of the mesh."""
    parts = decompose(as_mesh(l_shape()), 0.05)
    assert len(parts) == 2
    # parts are shifted by less than a per cent of the size where CoACD resamples
    assert sum(part.volume for part in parts) == pytest.approx(3.0, rel=0.02)


def test_parts_are_kept_beside_the_file_and_used_again(tmp_path, stand_in):
    """Compute once per mesh and parameters, and again after the file changed."""
    path = tmp_path / "part.stl"
    l_shape().export(path)
    first = decompose(path)
    again = decompose(str(path))
    assert len(stand_in) == 1 and len(list(tmp_path.glob("part.stl.*.npz"))) == 1
    for one, other in zip(first, again, strict=True):
        assert isinstance(one, ConvexHull)
        np.testing.assert_array_equal(one.vertices, other.vertices)
    decompose(path, 0.1)
    decompose(path, most_parts=3)
    decompose(path, seed=1)
    assert stand_in[1:] == [(0.1, -1, 0), (0.05, 3, 0), (0.05, -1, 1)]
    decompose(path, cache=False)
    assert len(stand_in) == 5
    l_shape().apply_scale(2.0).export(path)
    decompose(path)
    assert len(stand_in) == 6


@pytest.mark.parametrize("damage", [b"", b"not a zip", "half", "other"])
def test_a_damaged_store_is_computed_anew(tmp_path, stand_in, damage):
    """Never return parts from a file that is cut off or holds something else, and replace it."""
    path = tmp_path / "part.stl"
    l_shape().export(path)
    decompose(path)
    (store,) = tmp_path.glob("*.npz")
    whole = store.read_bytes()
    if damage == "half":
        store.write_bytes(whole[: len(whole) // 2])
    elif damage == "other":
        np.savez(store, points=np.full((4, 3), np.nan), starts=np.array([0, 4]))
    else:
        store.write_bytes(damage)
    assert len(decompose(path)) == 2
    decompose(path)
    assert len(stand_in) == 2


def test_a_folder_that_cannot_be_written_gives_a_warning(tmp_path, stand_in, monkeypatch):
    """Return the parts all the same, and say why they were not kept."""
    path = tmp_path / "part.stl"
    l_shape().export(path)

    def refuse(*_):
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.warns(UserWarning, match="cache=False"):
        assert len(decompose(path)) == 2
    assert list(tmp_path.iterdir()) == [path]


def test_without_coacd_the_error_names_the_cure(monkeypatch):
    """Name the package to install."""
    real = builtins.__import__

    def absent(name, *arguments):
        if name == "coacd":
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.delitem(sys.modules, "coacd", raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ImportError, match=r"stoss\[decomposition\]"):
        decompose(as_mesh(l_shape()))


def test_bad_input_is_refused(stand_in):
    """Name open meshes, thresholds out of range and wrong types."""
    box = l_shape()
    with pytest.raises(ValueError, match="open: 3 edges"):
        decompose(TriangleMesh(np.array(box.vertices), np.array(box.faces)[1:]))
    turned = np.array(box.faces)
    turned[0] = turned[0, ::-1]
    with pytest.raises(ValueError, match="opposite senses"):
        decompose(TriangleMesh(np.array(box.vertices), turned))
    for threshold in (0.0, 1.5, np.nan):
        with pytest.raises(ValueError, match="threshold is"):
            decompose(as_mesh(box), threshold)
    with pytest.raises(ValueError, match="most_parts is 0"):
        decompose(as_mesh(box), most_parts=0)
    with pytest.raises(ValueError, match="seed is -1"):
        decompose(as_mesh(box), seed=-1)
    with pytest.raises(TypeError, match="mesh is Box"):
        decompose(Box((1, 1, 1)))
