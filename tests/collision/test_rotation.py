"""Quaternions from axes, angles, vectors and matrices are those of scipy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.collision import rotation

EPS = 4e-15


def same(found, expected: Rotation) -> bool:
    """Return whether a quaternion is a rotation, up to its sign and rounding."""
    wanted = expected.as_quat(scalar_first=True)
    return min(np.abs(found - wanted).max(), np.abs(found + wanted).max()) < EPS


def turns(count: int) -> list[Rotation]:
    """Return random rotations, and some that are special."""
    special = [np.eye(3)[k] * angle for k in range(3) for angle in (0.0, np.pi / 2, np.pi, -np.pi, 1e-9)]
    return [*map(Rotation.from_rotvec, special), *Rotation.random(count, rng=np.random.default_rng(0))]


def test_there_and_back():
    """Go to matrices, axes and angles, rotation vectors and Euler angles, and come back."""
    for turn in turns(50):
        q = turn.as_quat(scalar_first=True)
        assert np.abs(rotation.to_matrix(turn) - turn.as_matrix()).max() < EPS
        assert same(rotation.from_matrix(turn.as_matrix()), turn)
        assert same(rotation.from_axis_angle(*rotation.to_axis_angle(q)), turn)
        assert same(rotation.from_rotation_vector(rotation.to_rotation_vector(q)), turn)
        assert same(rotation.from_rotation_vector(turn.as_rotvec()), turn)
        assert same(rotation.inverse(q), turn.inv())
        assert np.abs(rotation.rotate(q, (1, 2, 3)) - turn.apply([1, 2, 3])).max() < 10 * EPS
    assert same(rotation.compose(turns(2)[-1], turns(2)[-2]), turns(2)[-1] * turns(2)[-2])


@pytest.mark.parametrize("axes", ["xyz", "zyx", "XYZ", "ZYX", "zxz", "ZXZ", "YXZ", "xzy", "XYX", "yzy"])
def test_euler_angles_are_those_of_scipy(axes):
    """Read letters as scipy does: small ones are fixed axes, capitals those of the body."""
    rng = np.random.default_rng(1)
    for angles in rng.uniform(-3, 3, (20, 3)):
        expected = Rotation.from_euler(axes, angles)
        assert same(rotation.from_euler(axes, angles), expected)
        assert same(rotation.from_euler(axes, np.degrees(angles), degrees=True), expected)
        back = rotation.to_euler(axes, expected)
        assert np.abs(back - expected.as_euler(axes)).max() < 1e-9
    middle = 0.0 if axes[0] == axes[2] else np.pi / 2
    for first in (0.3, -1.0):
        locked = Rotation.from_euler(axes, (first, middle, 0.2))
        assert (
            np.abs(
                rotation.to_matrix(rotation.from_euler(axes, rotation.to_euler(axes, locked)))
                - locked.as_matrix()
            ).max()
            < 1e-7
        )


def test_one_axis_and_degrees():
    """Turn about one axis, counter-clockwise; degrees only where they are said."""
    half = np.sqrt(0.5)
    for found in (
        rotation.from_axis_angle((0, 0, 5), np.pi / 2),
        rotation.from_axis_angle((0, 0, 1), 90, degrees=True),
        rotation.from_euler("z", [90], degrees=True),
        rotation.from_rotation_vector((0, 0, 90), degrees=True),
        rotation.between((1, 0, 0), (0, 3, 0)),
    ):
        assert np.abs(found - (half, 0, 0, half)).max() < EPS
    assert (
        np.abs(rotation.rotate(rotation.between((1, 2, 3), (-1, -2, -3)), (1, 2, 3)) + (1, 2, 3)).max()
        < 1e-14
    )
    assert rotation.between((1, 0, 0), (2, 0, 0)).tolist() == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: rotation.from_axis_angle((0, 0, 0), 1), r"axis = \(0, 0, 0\)"),
        (lambda: rotation.from_axis_angle("z", 1), "axis = 'z'"),
        (lambda: rotation.from_axis_angle((0, 0, 1), "90"), "angle = '90'"),
        (lambda: rotation.from_axis_angle((0, 0, 1), 90, degrees=1), "degrees = 1"),
        (lambda: rotation.from_euler("abc", (1, 2, 3)), "axes = 'abc'"),
        (lambda: rotation.from_euler("xYz", (1, 2, 3)), "axes = 'xYz'"),
        (lambda: rotation.from_euler("xxy", (1, 2, 3)), "axes = 'xxy'"),
        (lambda: rotation.from_euler("xy", (1, 2, 3)), r"angles = \(1, 2, 3\)"),
        (lambda: rotation.from_euler((1, 2, 3), "xyz"), r"axes = \(1, 2, 3\)"),
        (lambda: rotation.from_matrix(2 * np.eye(3)), "matrix = .* no rotation"),
        (lambda: rotation.from_matrix(np.diag([1.0, 1.0, -1.0])), "matrix = .* left-handed"),
        (lambda: rotation.from_matrix((1, 2, 3)), r"matrix = \(1, 2, 3\)"),
        (lambda: rotation.to_matrix((1, 1, 0, 0)), r"quaternion = \(1, 1, 0, 0\)"),
        (lambda: rotation.compose((1, 0, 0, 0), None), r"quaternions\[1\] = None"),
    ],
)
def test_bad_rotations_are_refused(call, words):
    """Name argument and value."""
    with pytest.raises((TypeError, ValueError), match=words):
        call()


def test_rotations_go_wherever_an_orientation_goes():
    """Take scipy's `Rotation` for bodies, many of them, shapes, moves, questions and masses."""
    turn = Rotation.from_euler("xyz", (0.1, 0.2, 0.3))
    q = turn.as_quat(scalar_first=True)
    world = st.World()
    body = world.add_body(st.Placed(st.Box((1, 2, 3)), quaternion=turn), quaternion=turn)
    assert np.abs(body.quaternion - q).max() < EPS
    body.quaternion = turn.inv()
    assert np.abs(body.quaternion - turn.inv().as_quat(scalar_first=True)).max() < EPS
    world.add_bodies(st.Sphere(1), [(9, 0, 0)] * 2, quaternions=Rotation.concatenate([turn, turn.inv()]))
    world.quaternions = Rotation.concatenate([turn] * 3)
    assert np.abs(world.quaternions - q).max() < EPS
    slide = world.add_body(st.Sphere(1), kind="kinematic", position=(0, 9, 0))
    slide.move_to(quaternion=turn)
    world.step()
    assert np.abs(slide.quaternion - q).max() < 1e-12
    assert world.overlap(st.Box((1, 1, 1)), (0, 9, 0), turn) == [slide]
    world.duplicate(body, position=(0, -9, 0), quaternion=turn)
    found = st.MassProperties(1.0, (0, 0, 0), (1, 1, 1), turn)
    assert np.abs(found.quaternion - q).max() < EPS
