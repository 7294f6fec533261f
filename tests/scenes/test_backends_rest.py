"""Scenes at rest with both backends of collision detection: the same places, the same small overlaps."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Detector, Ellipsoid, HalfSpace, Sphere
from stoss.engine import Settings, World
from stoss.scenes import SCENES

STANDING = [
    ("stack", {"bodies": 6}),
    ("pyramid", {"base": 5}),
    ("wall", {"rows": 4, "columns": 3}),
    ("arch", {}),
    ("card_house", {"storeys": 2}),
    ("jenga", {"layers": 5, "drawn": 0}),
]


@pytest.mark.parametrize(("name", "parameters"), STANDING)
def test_what_stands_stands_with_both(name, parameters):
    """Stay within a micrometre of the places of the other backend, without an overlap, for half a second."""
    places = []
    for backend in ("native", "fcl"):
        world = SCENES[name].build(**parameters, settings=Settings(collision=backend))
        world.step(50)
        assert world.report.max_overlap < 1e-6
        places.append(world.positions.copy())
    assert np.abs(places[0] - places[1]).max() < 1e-6


def heap(backend: str) -> World:
    """Return one solid of each kind, and some more, dropped between walls."""
    world = World(settings=Settings(collision=backend))
    world.add_body(HalfSpace((0, 0, 1)), kind="static")
    for side in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        world.add_body(HalfSpace(side, -0.7), kind="static")
    corners = np.random.default_rng(3).normal(size=(12, 3))
    solids = [
        *(Box((0.5, 0.4, 0.3)), Sphere(0.2), Capsule(0.15, 0.4), Cylinder(0.2, 0.4), Cone(0.25, 0.5)),
        *(Ellipsoid((0.3, 0.2, 0.15)), ConvexHull(0.3 * corners / np.linalg.norm(corners, axis=1)[:, None])),
    ]
    random = np.random.default_rng(7)
    for k, solid in enumerate(2 * solids):
        turn = random.normal(size=4)
        place = *(0.3 * random.uniform(-1, 1, 2)), 0.4 + 0.45 * k
        world.add_body(solid, position=place, quaternion=turn / np.linalg.norm(turn))
    return world


@pytest.mark.parametrize("backend", ["native", "fcl"])
def test_a_heap_comes_to_rest_with_both(backend):
    """Let a heap of all kinds of solids lie within a fifth of a millimetre of overlap."""
    world = heap(backend)
    world.step(220)
    overlaps = []
    for _ in range(10):
        world.step(5)
        overlaps.append(world.report.max_overlap)
    assert max(overlaps) < 2e-4
    assert (world.positions[5:, 2] > 0.0).all()


def test_backends_see_the_same_heap():
    """Find the same pairs and the same gaps in a heap, from trees that are kept and from ones made anew."""
    world = heap("fcl")
    kept = (
        world.copy()._stepper.system.detector
    )  # the contacts of a world are those that its own one saw last
    for step in range(16):
        world.step(10)
        pairs, kept_gaps = _seen(kept, world, world.positions)
        anew, new_gaps = _seen(_made_anew(kept, "fcl"), world, world.positions)
        native, gaps = _seen(_made_anew(kept, "native"), world, world.positions)
        assert pairs == anew == native and kept_gaps == new_gaps
        assert kept_gaps.keys() == gaps.keys()
        # falling bodies may overlap by more than what decides which face is the nearest
        wrong = [pair for pair, gap in gaps.items() if gap > -1e-3 and abs(gap - kept_gaps[pair]) > 1e-6]
        # where a capsule and a cone just touch, EPA of FCL finds 0.2 m in single poses: it is asked again
        if wrong:
            near = world.positions + 1e-5 * np.random.default_rng(step).normal(size=world.positions.shape)
            fcl, native = (_seen(_made_anew(kept, name), world, near)[1] for name in ("fcl", "native"))
            wrong = [pair for pair in wrong if abs(fcl.get(pair, 0.0) - native.get(pair, 0.0)) > 1e-6]
        assert not wrong, (step, [(p, gaps[p], kept_gaps[p]) for p in wrong])


def _made_anew(kept, backend):
    """Return a detector with the shapes of another."""
    detector, table = Detector(backend), kept.table
    for row, shape in enumerate(table.shapes):
        pose = table.local_position[row].tolist(), table.local_quaternion[row].tolist()
        detector.add_shape(shape, int(table.body[row]), *pose)
    return detector


def _seen(detector, world, positions):
    """Return the pairs of shapes that a detector sees, and the least gap of each [m]."""
    bodies, margin, least = world._bodies, world.settings.contact_margin, {}
    contacts = detector.detect(positions, bodies.quaternions, bodies.kinds == 2, margin)
    for c in range(contacts.count):
        pair = int(contacts.shape_a[c]), int(contacts.shape_b[c])
        least[pair] = min(least.get(pair, np.inf), float(contacts.gap[c]))
    return detector.pairs.tolist(), least
