"""Shapes of all kinds in one walk: bitwise the contacts of each narrow phase by itself, merged."""

import copy
import pickle

import numpy as np
import pytest

from stoss.collision.detector import Detector
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere

CORNERS = np.array([[x, y, z] for x in (-0.4, 0.5) for y in (-0.5, 0.4) for z in (-0.4, 0.4)])
FLOOR = TriangleMesh(
    np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.3], [-9.0, 9.0, 0.0]]),
    np.array([[0, 1, 2], [0, 2, 3]]),
)
PLAIN: tuple[Shape, ...] = (Sphere(0.5), Box((1.0, 0.8, 0.9)), Capsule(0.3, 0.5))
OTHERS: tuple[Shape, ...] = (
    *(Cylinder(0.5, 0.8), Cone(0.6, 0.9), Ellipsoid((0.6, 0.5, 0.4))),
    ConvexHull(CORNERS),
)
CROWDS: dict[str, tuple[tuple[Shape, ...], tuple[Shape, ...]]] = {
    "all kinds": ((HalfSpace(), FLOOR), PLAIN + OTHERS),
    "no mesh": ((HalfSpace(),), PLAIN + OTHERS),
    "mesh alone": ((FLOOR,), PLAIN),
    **{type(shape).__name__: ((HalfSpace(),), (shape,)) for shape in OTHERS},
}


def crowd(name: str, n: int = 120) -> tuple[Detector, tuple[np.ndarray, ...]]:
    """Return a detector with what stands still and n shapes in a crowd, and poses and who moves."""
    rng = np.random.default_rng(5)
    still, shapes = CROWDS[name]
    detector = Detector()
    for body, shape in enumerate(still):
        detector.add_shape(shape, body)
    for k in range(n):
        detector.add_shape(shapes[rng.integers(len(shapes))], len(still) + k)
    positions = rng.uniform(0.0, 0.9 * n ** (1 / 3), (len(still) + n, 3))
    quaternions = rng.normal(size=(len(still) + n, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    positions[: len(still)], quaternions[: len(still)] = 0.0, (1.0, 0.0, 0.0, 0.0)
    return detector, (positions, quaternions, np.arange(len(still) + n) >= len(still))


def told(contacts) -> list[bytes]:
    """Return the valid entries of all fields."""
    return [field.tobytes() for field in contacts.entries]


@pytest.mark.parametrize("name", CROWDS)
def test_one_walk_finds_what_each_narrow_phase_finds(name):
    """Report the same bits from one call as from one call for each narrow phase, also when room runs out."""
    detector, poses = crowd(name)
    whole = detector.detect(*poses, 0.02).copy()
    assert whole.count > 120
    assert told(detector.collide(detector.pairs.copy(), 0.02)) == told(whole)
    poses[0][3, 2] += 0.01  # the next one has room, and knows the pairs
    assert detector.known_detection(len(poses[0]), 0.02) is not None
    again = detector.detect(*poses, 0.02).copy()
    assert told(detector.collide(detector.pairs.copy(), 0.02)) == told(again) != told(whole)


def test_kinds_may_come_and_go():
    """Find what touches after a cylinder and a mesh join balls, and after they are gone again."""
    detector = Detector()
    detector.add_shape(Sphere(0.5), 0)
    detector.add_shape(Sphere(0.5), 1)
    positions, quaternions = np.zeros((4, 3)), np.tile((1.0, 0.0, 0.0, 0.0), (4, 1))
    positions[:, 2] = 0.5, 1.49, 2.44, 0.01
    movable = np.array([True, True, True, False])

    def touching(bodies: int) -> list[tuple[int, int]]:
        c = detector.detect(positions[:bodies], quaternions[:bodies], movable[:bodies], 0.0)
        return sorted(set(zip(c.body_a[: c.count].tolist(), c.body_b[: c.count].tolist(), strict=True)))

    assert touching(2) == [(0, 1)]
    twin = copy.deepcopy(detector)
    twin.add_shape(Cylinder(0.5, 1.0), 2)
    detector = twin
    assert touching(3) == [(0, 1), (1, 2)]
    twin = pickle.loads(pickle.dumps(detector))
    twin.add_shape(FLOOR, 3)
    detector = twin
    assert touching(4) == [(0, 1), (0, 3), (1, 2)]
    detector.remove_bodies(np.array([2, 3]))
    assert touching(2) == [(0, 1)]
    assert detector.known_detection(2, 0.0) is not None
