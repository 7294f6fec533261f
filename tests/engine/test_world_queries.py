"""Queries of worlds: which bodies are asked, and what is refused."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, ConvexHull, HalfSpace, Placed, Sphere
from stoss.engine import Settings, World


@pytest.fixture
def row():
    """Three balls in a row along x, of each kind and group, and a floor."""
    world = World()
    world.add_body(HalfSpace(), kind="static", name="floor", group=8)
    for k, kind in enumerate(("dynamic", "kinematic", "static")):
        world.add_body(Sphere(0.5), position=(2 * k + 2, 0, 1), kind=kind, name=kind, group=1 << k)
    return world


def names(found):
    return [body.name for body, _ in found]


def test_rays_leave_out_bodies_groups_and_kinds(row):
    """Pass through what is left out, alone or together with others, for each way of leaving out."""
    ray = (0, 0, 1), (1, 0, 0)
    first, second = row.body("dynamic"), row.body("kinematic")
    assert row.ray_cast(*ray)[0] is first
    assert row.ray_cast(*ray, without=first)[0] is second
    assert row.ray_cast(*ray, without=[first, second])[0].name == "static"
    assert row.ray_cast(*ray, without={first, second, row.body("static")}) is None
    assert row.ray_cast(*ray, mask=2)[0] is second
    assert row.ray_cast(*ray, mask=6)[0] is second
    assert row.ray_cast(*ray, mask=0) is None
    assert row.ray_cast(*ray, kinds="static")[0].name == "static"
    assert row.ray_cast(*ray, kinds=("kinematic", "static"))[0] is second
    assert row.ray_cast(*ray, kinds="kinematic", without=second) is None
    assert row.ray_cast(*ray, kinds="kinematic", mask=1) is None
    assert row.ray_cast(*ray, 1.5)[1].distance == 1.5 and row.ray_cast(*ray, 1.4) is None


def test_all_hits_of_a_ray(row):
    """Report every body on the ray, nearest first, with the same choice."""
    ray = (0, 0, 1), (1, 0, 0)
    assert names(row.ray_cast_all(*ray)) == ["dynamic", "kinematic", "static"]
    assert [hit.distance for _, hit in row.ray_cast_all(*ray)] == pytest.approx([1.5, 3.5, 5.5], abs=1e-12)
    assert names(row.ray_cast_all(*ray, 4.0)) == ["dynamic", "kinematic"]
    assert names(row.ray_cast_all(*ray, without=row.body("kinematic"))) == ["dynamic", "static"]
    assert names(row.ray_cast_all(*ray, kinds=("dynamic", "static"), mask=4)) == ["static"]
    assert row.ray_cast_all((0, 0, 9), (0, 0, 1)) == []


def test_many_rays_are_those_one_by_one(row):
    """Agree with single rays to the bit, with the same choice; -1, NaN and infinity where nothing is met."""
    rng = np.random.default_rng(0)
    row.add_body(Box((0.3, 3, 0.4)), position=(3, 1, 2), quaternion=(0.5, 0.5, 0.5, 0.5))
    row.add_body(ConvexHull(rng.normal(size=(12, 3))), position=(5, 3, 2))
    origins = rng.normal(size=(300, 3)) + (0, 0, 3)
    directions = rng.normal(size=(300, 3))
    for choice in ({}, {"without": row.body("floor")}, {"kinds": "dynamic"}, {"mask": 12}):
        hits = row.ray_cast_many(origins, directions, 20.0, **choice)
        assert 0 < (hits.bodies >= 0).sum() < 300
        for k in range(300):
            one = row.ray_cast(origins[k], directions[k], 20.0, **choice)
            if one is None:
                assert hits.bodies[k] == hits.shapes[k] == -1 and hits.distances[k] == np.inf
                assert np.isnan(hits.points[k]).all() and np.isnan(hits.normals[k]).all()
                continue
            assert row.bodies[hits.bodies[k]] is one[0] and hits.distances[k] == one[1].distance
            assert (hits.points[k] == one[1].point).all() and (hits.normals[k] == one[1].normal).all()
    fan = row.ray_cast_many((0, 0, 1), directions, np.full(300, 2.0))
    assert len(fan.bodies) == 300 and fan.distances[np.isfinite(fan.distances)].max() <= 2.0
    assert len(row.ray_cast_many(np.zeros((0, 3)), (0, 0, 1)).bodies) == 0
    assert World().ray_cast_many(origins, directions).bodies.tolist() == [-1] * 300


def test_closest_points_overlaps_and_casts_leave_out_too(row):
    """Apply the same choice to the nearest point, to overlaps and to moving shapes."""
    first = row.body("dynamic")
    assert row.closest_point((2, 0, 1.6))[0] is first
    assert row.closest_point((2, 0, 1.6), without=first)[0].name == "kinematic"
    assert row.closest_point((2, 0, 1.6), kinds="static", mask=8)[0].name == "floor"
    assert row.closest_point((2, 0, 1.6), 0.2)[0] is first
    assert row.closest_point((2, 0, 1.6), 0.05) is None
    big = Box((5, 0.2, 2.1)), (4, 0, 1)
    assert [b.name for b in row.overlap(*big)] == ["floor", "dynamic", "kinematic", "static"]
    assert [b.name for b in row.overlap(*big, without=first, kinds=("dynamic", "kinematic"))] == ["kinematic"]
    assert [b.name for b in row.overlap(*big, mask=5)] == ["dynamic", "static"]
    cast = Sphere(0.2), (0, 0, 1), (1, 0, 0, 0), (9, 0, 0)
    assert row.shape_cast(*cast)[0] is first
    assert row.shape_cast(*cast, without=first)[0].name == "kinematic"
    assert row.shape_cast(*cast, kinds="static")[0].name == "static"
    assert row.shape_cast(*cast, mask=8) is None


def test_casts_see_bodies_where_they_are():
    """Follow bodies that move, turn, come and go, compounds too, in a world that was restored and slept."""
    world = World(settings=Settings(sleeping=True, sleep_time=0.1))
    world.add_body(HalfSpace(), kind="static", name="floor")
    body = world.add_body(
        [Placed(Box((0.2, 0.2, 1.0)), (1, 0, 0)), Placed(Box((2.2, 0.2, 0.2)), (0, 0, 0.6))],
        position=(0, 0, 0.5),
        quaternion=(1, 0, 0, 0),
        name="gate",
        kind="kinematic",
    )
    ball = world.add_body(Sphere(0.3), position=(5, 0, 0.3), name="ball")
    world.step(60)
    assert ball.asleep
    found = world.shape_cast(Sphere(0.1), (-3, 0, 0.3), (1, 0, 0, 0), (10, 0, 0))
    assert found[0] is body and found[1].distance == pytest.approx(3.8, abs=1e-12)
    body.quaternion = (0, 0, 0, 1)  # half a turn about z: the post stands at x = -1
    found = world.shape_cast(Sphere(0.1), (-3, 0, 0.3), (1, 0, 0, 0), (10, 0, 0))
    assert found[1].distance == pytest.approx(1.8, abs=1e-12)
    saved = world.save()
    world.remove_body(body)
    found = world.shape_cast(Capsule(0.1, 0.2), (-3, 0, 0.3), (1, 0, 0, 0), (10, 0, 0))
    assert found[0] is ball and found[1].distance == pytest.approx(8 - 0.4, abs=1e-6)
    world.restore(saved)
    assert world.shape_cast(Sphere(0.1), (-3, 0, 0.3), (1, 0, 0, 0), (10, 0, 0))[0].name == "gate"


def test_questions_change_nothing(row):
    """Leave the state, the next step and the contacts as they are without them."""
    twin = World()
    twin.restore(row.save())
    hull = ConvexHull(np.random.default_rng(1).normal(size=(20, 3)))
    for world in (row, twin):
        for _ in range(40):
            if world is row:
                row.ray_cast_all((0, 0, 1), (1, 0, 0))
                row.ray_cast_many(np.zeros((3, 3)), (0, 0, 1))
                row.closest_point((0, 0, 1))
                row.overlap(hull, (2, 0, 1))
                row.shape_cast(hull, (-4, 0, 1), (1, 0, 0, 0), (9, 0, 0))
            world.step()
    assert row.state_hash() == twin.state_hash()


SPHERE = Sphere(0.5)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), without="dynamic"), TypeError, "without = 'dynamic'"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), without=[3]), TypeError, "without = 3"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), without=World().add_body(SPHERE)), ValueError, "body 0"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), mask=1.5), TypeError, "mask = 1.5"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), mask=True), TypeError, "mask = True"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), mask=2**64), ValueError, "mask = 18446744073709551616"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), kinds="moving"), ValueError, "kinds = 'moving'"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), kinds=()), ValueError, r"kinds = \(\)"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), kinds=2), (TypeError, ValueError), "kinds = 2"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), kinds=[2]), (TypeError, ValueError), "kinds = 2"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), "far"), TypeError, "max_distance = 'far'"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), -1), ValueError, "max_distance = -1"),
        (lambda w: w.ray_cast((0, 0, 1), (1, 0, 0), np.nan), ValueError, "max_distance = nan"),
        (lambda w: w.ray_cast((0, 0, 1), (0, 0, 0)), ValueError, "direction"),
        (lambda w: w.ray_cast_all((0, 0), (1, 0, 0)), ValueError, "origin"),
        (lambda w: w.ray_cast_many(np.zeros((3, 3)), np.ones((2, 3))), ValueError, "origins, directions"),
        (lambda w: w.ray_cast_many(np.zeros((3, 3)), np.zeros((3, 3))), ValueError, "direction"),
        (lambda w: w.ray_cast_many(np.zeros((3, 2)), np.ones(3)), ValueError, "origins"),
        (lambda w: w.ray_cast_many("rays", np.ones(3)), TypeError, "origins"),
        (lambda w: w.ray_cast_many(np.zeros(3), np.ones(3), [[1.0]]), ValueError, "max_distances"),
        (lambda w: w.closest_point((0, 0, 1), None), TypeError, "max_distance = None"),
        (lambda w: w.closest_point((0, 0, np.inf)), ValueError, "point"),
        (lambda w: w.overlap(HalfSpace()), TypeError, "convex"),
        (lambda w: w.overlap("box"), TypeError, "shape = 'box'"),
        (lambda w: w.overlap(SPHERE, quaternion=(2, 0, 0, 0)), ValueError, "quaternion"),
        (lambda w: w.shape_cast(SPHERE, (0, 0, 1), (1, 0, 0, 0), (1, 0)), ValueError, "motion"),
        (lambda w: w.shape_cast(SPHERE, (0, 0, 1), (1, 0, 0), (1, 0, 0)), ValueError, "quaternion"),
        (lambda w: w.shape_cast(None, (0, 0, 1), (1, 0, 0, 0), (1, 0, 0)), TypeError, "shape = None"),
    ],
)
def test_bad_questions_are_refused(row, ask, error, words):
    """Raise at once, and name argument and value."""
    with pytest.raises(error, match=words):
        ask(row)
