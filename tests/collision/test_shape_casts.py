"""Moving shapes against closed forms, linear programs and bisection."""

import numpy as np
import pytest
import trimesh
from scipy.optimize import linprog

from stoss.collision.queries.guests import overlap, shape_cast
from stoss.collision.shapes.faceted import ConvexHull, TriangleMesh
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Sphere

STRAIGHT = (1.0, 0.0, 0.0, 0.0)
CLOUD = np.random.default_rng(3).normal(size=(30, 3)) * 0.4
CURVED = [Sphere(0.4), Capsule(0.3, 0.6), Cylinder(0.4, 0.7), Cone(0.5, 0.9), Ellipsoid((0.6, 0.4, 0.3))]
FLAT = [Box((0.8, 0.6, 0.5)), ConvexHull(CLOUD)]


def table_of(*placed):
    table = ShapeTable()
    for body, (shape, _, _) in enumerate(placed):
        table.add(shape, body)
    places = np.array([position for _, position, _ in placed], float)
    turns = np.array([turn for _, _, turn in placed], float)
    table.update(places, turns, 0.0)
    return table


def turns(rng, count):
    q = rng.normal(size=(count, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def matrix(q):
    return trimesh.transformations.quaternion_matrix(q)[:3, :3]


# ------------------------------------------------------------------ closed forms


def test_sphere_meets_plane_sphere_and_box():
    """Stop a sphere of 0.5 where its centre is 0.5 from the surface, with point and normal there."""
    floor = table_of((HalfSpace(), (0, 0, 0), STRAIGHT))
    hit = shape_cast(floor, Sphere(0.5), (1, 2, 3), STRAIGHT, (3, 0, -6))
    assert hit.fraction == pytest.approx(2.5 / 6, abs=1e-14)
    assert hit.distance == pytest.approx(2.5 / 6 * np.sqrt(45), abs=1e-13)
    assert np.abs(hit.point - [2.25, 2, 0]).max() < 1e-12 and np.abs(hit.normal - [0, 0, 1]).max() == 0.0
    assert abs(hit.gap) < 1e-12
    # centres come as near as the sum of radii: x^2 + 0.6^2 = 1.5^2
    ball = table_of((Sphere(1.0), (0, 0, 0), STRAIGHT))
    hit = shape_cast(ball, Sphere(0.5), (-4, 0.6, 0), STRAIGHT, (8, 0, 0))
    x = -np.sqrt(1.5**2 - 0.6**2)
    assert hit.distance == pytest.approx(4 + x, abs=1e-11)
    assert np.abs(hit.normal - np.array([x, 0.6, 0]) / 1.5).max() < 1e-11
    assert np.abs(hit.point - np.array([x, 0.6, 0]) / 1.5).max() < 1e-11
    # the edge of a box: (x + 0.5)^2 + (z - 0.5)^2 = 0.5^2 at z = 0.8
    box = table_of((Box((1, 1, 1)), (0, 0, 0), STRAIGHT))
    hit = shape_cast(box, Sphere(0.5), (-3, 0.1, 0.8), STRAIGHT, (4, 0, 0))
    assert hit.distance == pytest.approx(3 - 0.5 - 0.4, abs=1e-11)
    assert np.abs(hit.normal - [-0.8, 0, 0.6]).max() < 1e-11
    assert np.abs(hit.point - [-0.5, 0.1, 0.5]).max() < 1e-11


def test_box_meets_box_in_the_middle_of_the_patch():
    """Stop a box at the face of another, and name the middle of where they touch."""
    table = table_of((Box((1, 1, 1)), (0, 0, 0), STRAIGHT))
    hit = shape_cast(table, Box((1, 1, 1)), (0.5, 0.25, 3), STRAIGHT, (0, 0, -5))
    assert hit.fraction == pytest.approx(0.4, abs=1e-13)
    assert np.abs(hit.point - [0.25, 0.125, 0.5]).max() < 1e-6  # faces are widened by SLACK
    assert np.abs(hit.normal - [0, 0, 1]).max() < 1e-12
    # on a corner, down upon the middle of a face: its half diagonal is sqrt(3)/2
    corner = np.array(
        [
            *(np.cross([1, 1, 1], [0, 0, 1]) / np.sqrt(2)),
        ]
    )
    half = 0.5 * np.arccos(1 / np.sqrt(3))
    turn = np.concatenate([[np.cos(half)], np.sin(half) * corner])
    hit = shape_cast(table, Box((1, 1, 1)), (0.1, -0.2, 3), turn, (0, 0, -5))
    assert hit.distance == pytest.approx(2.5 - np.sqrt(3) / 2, abs=1e-12)
    assert np.abs(hit.point - [0.1, -0.2, 0.5]).max() < 1e-12


def test_what_is_first_is_told_and_what_is_left_out_is_not():
    """Choose the nearest of several, by groups and bodies; None where nothing lies on the way."""
    table = ShapeTable()
    for body in range(3):
        table.add(Sphere(0.5), body, group=1 << body)
    table.update(np.array([[6.0, 0, 0], [2.0, 0, 0], [4.0, 0, 0]]), np.tile(STRAIGHT, (3, 1)), 0.0)
    cast = (Box((0.2, 0.2, 0.2)), (0, 0, 0), STRAIGHT, (10, 0, 0))
    assert shape_cast(table, *cast).body == 1
    assert shape_cast(table, *cast, mask=5).body == 2
    assert shape_cast(table, *cast, among=np.array([True, False, False])).body == 0
    assert shape_cast(table, *cast, mask=8) is None
    assert shape_cast(table, *cast[:3], (0, 10, 0)) is None
    assert shape_cast(table, *cast[:3], (1.3, 0, 0)) is None
    assert shape_cast(table, *cast[:3], (1.4 + 1e-9, 0, 0)).body == 1
    assert shape_cast(ShapeTable(), *cast) is None


# ------------------------------------------------------------------ against others


def planes_of(shape, position, q):
    """Return A, b of the points A x <= b of a polyhedron."""
    if isinstance(shape, HalfSpace):
        a = matrix(q) @ np.array(shape.normal)
        return a[None], np.array([shape.offset + a @ position])
    corners = (
        np.array(np.meshgrid(*[(-0.5 * e, 0.5 * e) for e in shape.size])).reshape(3, -1).T
        if isinstance(shape, Box)
        else np.asarray(shape.vertices)
    )
    hull = trimesh.convex.convex_hull(corners @ matrix(q).T + position)
    return hull.face_normals, np.einsum("ij,ij->i", hull.face_normals, hull.triangles[:, 0])


def first_touch(first, second, motion):
    """Return the least share s of the motion at which two polyhedra have a point in common; None for none.

    A linear program in (x, s): A (x - s motion) <= a, B x <= b, 0 <= s <= 1.
    """
    (a, heights), (b, others) = first, second
    rows = np.block([[a, -(a @ motion)[:, None]], [b, np.zeros((len(b), 1))]])
    limits = np.concatenate([heights, others])
    found = linprog([0, 0, 0, 1], rows, limits, bounds=[(None, None)] * 3 + [(0, 1)], method="highs")
    return found.x[3] if found.status == 0 else None


def test_polyhedra_meet_where_a_linear_program_says():
    """Agree with linear programs on boxes, hulls and half-spaces at random poses and motions."""
    rng = np.random.default_rng(1)
    others = [*FLAT, HalfSpace((0.6, 0.0, 0.8), -0.3)]
    hits = 0
    for number in range(150):
        guest, other = FLAT[number % 2], others[number % 3]
        start, motion = 2.0 * rng.normal(size=3), 4.0 * rng.normal(size=3)
        p, q = turns(rng, 2)
        place = 0.3 * rng.normal(size=3)
        touch = first_touch(planes_of(guest, start, p), planes_of(other, place, q), motion)
        hit = shape_cast(table_of((other, place, q)), guest, start, p, motion)
        if touch is None or hit is None:
            assert touch is None and hit is None
            continue
        hits += 1
        assert hit.fraction == pytest.approx(touch, abs=1e-9)
        assert hit.gap < 0.0 if touch < 1e-12 else abs(hit.gap) < 1e-10
    assert 40 < hits < 140


@pytest.mark.parametrize("guest", [*CURVED, *FLAT], ids=lambda shape: type(shape).__name__)
def test_first_touch_is_where_overlap_begins(guest):
    """Agree with bisection of overlap queries for random pairs of all kinds, meshes included."""
    rng = np.random.default_rng(2)
    torus = trimesh.creation.torus(0.8, 0.3, major_sections=12, minor_sections=8)
    others = [*CURVED, *FLAT, HalfSpace(), TriangleMesh(torus.vertices, torus.faces)]
    hits = 0
    for other in others * 3:
        p, q = turns(rng, 2)
        place, start = 0.2 * rng.normal(size=3), rng.normal(size=3)
        start *= 2.5 / np.linalg.norm(start)
        motion = -1.6 * start + 0.6 * rng.normal(size=3)
        table = table_of((other, place, q))

        def overlaps(s, p=p, start=start, motion=motion, table=table):
            return len(overlap(table, guest, start + s * motion, p)) > 0

        hit = shape_cast(table, guest, start, p, motion)
        samples = np.linspace(0.0, 1.0, 101)
        first = next((s for s in samples if overlaps(s)), None)
        if first is None:
            # what is hit between two samples is grazed: it does not go in deep, or at the end
            assert hit is None or overlaps(min(hit.fraction + 1e-3, 1.0)) or hit.fraction > 0.99
            continue
        hits += 1
        if first == 0.0:
            assert hit.fraction == 0.0 and hit.gap < 0.0
            continue
        out, inside = first - 0.01, first
        while inside - out > 1e-11:
            middle = 0.5 * (out + inside)
            out, inside = (out, middle) if overlaps(middle) else (middle, inside)
        # overlaps of less than 3e-5 of curved shapes are not always told from gaps by the narrow phase; one
        # that ends before the sample, grazed, may have been first
        assert hit.fraction <= inside + 3e-5
        assert hit.fraction >= inside - 1e-6 or hit.fraction < first - 0.01
        assert hit.normal @ motion < 0.0 and abs(np.linalg.norm(hit.normal) - 1.0) < 1e-12
        # the point is on both surfaces: a small ball there overlaps what is hit, a smaller one out of it not
        assert len(overlap(table, Sphere(1e-6), hit.point)) == 1
        moved = table_of((guest, start + hit.fraction * motion, p))
        assert len(overlap(moved, Sphere(1e-6), hit.point)) == 1
    assert hits > 10


# ------------------------------------------------------------------ special starts and ways


def test_starts_in_overlap_are_hits_at_once():
    """Report fraction 0, the depth and the shortest way out; of several the deepest."""
    table = table_of((Box((2, 2, 2)), (0, 0, 0), STRAIGHT), (HalfSpace(), (0, 0, 0.95), STRAIGHT))
    hit = shape_cast(table, Sphere(0.5), (0.2, 0.1, 1.4), STRAIGHT, (1, 0, 0))
    assert (hit.fraction, hit.distance, hit.body) == (0.0, 0.0, 0)
    assert hit.gap == pytest.approx(-0.1, abs=1e-12)
    assert np.abs(hit.normal - [0, 0, 1]).max() < 1e-12
    assert np.abs(hit.point - [0.2, 0.1, 1.0]).max() < 1e-9
    # also with no motion, and outwards
    assert shape_cast(table, Sphere(0.5), (0.2, 0.1, 1.4), STRAIGHT, (0, 0, 0)).body == 0
    assert shape_cast(table, Sphere(0.5), (0.2, 0.1, 1.4), STRAIGHT, (0, 0, 5)).fraction == 0.0
    assert shape_cast(table, Sphere(0.5), (0.2, 0.1, 1.6), STRAIGHT, (0, 0, 0)) is None


@pytest.mark.parametrize("guest", [Sphere(0.5), Box((1, 1, 1)), Cylinder(0.5, 1.0), Capsule(0.25, 0.5)])
def test_what_rests_may_slide_and_leave_but_not_go_in(guest):
    """Let a shape that touches the floor slide along it and leave; stop it at once on its way down."""
    tiles = trimesh.creation.box((20, 20, 1)).subdivide().subdivide()
    floors = [
        (HalfSpace(), (0, 0, 0), STRAIGHT),
        (Box((20, 20, 1)), (0, 0, -0.5), STRAIGHT),
        (TriangleMesh(tiles.vertices, tiles.faces), (0, 0, -0.5), STRAIGHT),
    ]
    for floor in floors:
        for height in (0.5, 0.5 - 1e-9, 0.5 + 1e-9):
            table = table_of(floor)
            assert shape_cast(table, guest, (0.3, 0.2, height), STRAIGHT, (5, 1, 0)) is None
            assert shape_cast(table, guest, (0.3, 0.2, height), STRAIGHT, (5, 0, 2)) is None
            assert shape_cast(table, guest, (0.3, 0.2, height), STRAIGHT, (0, 0, 0)) is None
            hit = shape_cast(table, guest, (0.3, 0.2, height), STRAIGHT, (5, 0, -2))
            assert hit.fraction == pytest.approx(0.0, abs=1e-9)


def test_grazing_is_decided_to_rounding():
    """Pass at a nanometre, hit a micrometre deep; a box in a gap of its own width slides through."""
    ball = table_of((Sphere(1.0), (0, 0, 0), STRAIGHT))
    assert shape_cast(ball, Sphere(0.5), (-4, 1.5 + 1e-9, 0), STRAIGHT, (8, 0, 0)) is None
    hit = shape_cast(ball, Sphere(0.5), (-4, 1.5 - 1e-6, 0), STRAIGHT, (8, 0, 0))
    assert hit.fraction == pytest.approx(0.5, abs=1e-3)
    slot = table_of((Box((4, 1, 1)), (0, 1, 0), STRAIGHT), (Box((4, 1, 1)), (0, -1, 0), STRAIGHT))
    assert shape_cast(slot, Box((1, 1, 1)), (-5, 0, 0), STRAIGHT, (10, 0, 0)) is None
    assert shape_cast(slot, Box((1, 1 + 1e-6, 1)), (-5, 0, 0), STRAIGHT, (10, 0, 0)).distance == (
        pytest.approx(2.5, abs=1e-12)
    )


def test_meshes_are_met_from_both_sides():
    """Stop at a single triangle from above and from below, at its face, edges and corners."""
    table = table_of((TriangleMesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), (0, 0, 0), STRAIGHT))
    for side in (1.0, -1.0):
        hit = shape_cast(table, Sphere(0.1), (0.2, 0.2, 2 * side), STRAIGHT, (0, 0, -4 * side))
        assert hit.distance == pytest.approx(1.9, abs=1e-12)
        assert np.abs(hit.normal - [0, 0, side]).max() < 1e-12
        hit = shape_cast(table, Sphere(0.1), (0.5, -0.06, 2 * side), STRAIGHT, (0, 0, -4 * side))
        assert hit.distance == pytest.approx(1.92, abs=1e-9)
        assert np.abs(hit.point - [0.5, 0, 0]).max() < 1e-9
    assert shape_cast(table, Sphere(0.1), (0.5, -0.11, 2), STRAIGHT, (0, 0, -4)) is None
    hit = shape_cast(table, Sphere(0.1), (-1, 0, 0), STRAIGHT, (2, 0, 0))
    assert hit.distance == pytest.approx(0.9, abs=1e-9)


def test_a_hull_that_asks_leaves_nothing_behind():
    """Keep no geometry of a hull that only asked."""
    table = table_of((ConvexHull(CLOUD), (0, 0, 0), STRAIGHT))
    before = table.polyhedra.count, len(table.polyhedra.vertices), table.version
    pyramid = ConvexHull([[0, 0, 0.5], [0.5, 0, 0], [0, 0.5, 0], [-0.5, -0.5, 0]])
    hits = {shape_cast(table, pyramid, (0, 0, 4), STRAIGHT, (0, 0, -8)).distance for _ in range(20)}
    assert len(hits) == 1
    assert overlap(table, pyramid, (0, 0, 0.1)).tolist() == [0]
    assert before == (table.polyhedra.count, len(table.polyhedra.vertices), table.version)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((HalfSpace(), (0, 0, 0), STRAIGHT, (1, 0, 0)), TypeError, "convex"),
        ((0.5, (0, 0, 0), STRAIGHT, (1, 0, 0)), TypeError, "shape"),
        ((Sphere(1.0), (0, 0, np.nan), STRAIGHT, (1, 0, 0)), ValueError, "position"),
        ((Sphere(1.0), (0, 0, 0), (2, 0, 0, 0), (1, 0, 0)), ValueError, "quaternion"),
        ((Sphere(1.0), (0, 0, 0), STRAIGHT, (1, 0, np.inf)), ValueError, "motion"),
        ((Sphere(1.0), (0, 0, 0), STRAIGHT, (1, 0)), ValueError, "motion"),
    ],
)
def test_bad_casts_are_refused(given, error, words):
    """Raise at once and name the argument."""
    with pytest.raises(error, match=words):
        shape_cast(table_of((Sphere(1.0), (0, 0, 0), STRAIGHT)), *given)
