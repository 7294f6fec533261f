"""Adding bodies, one by one and many at once: equal to the bit, all or nothing, without compiled kernels."""

import subprocess
import sys
from itertools import count

import numpy as np
import pytest

from stoss.collision import Box, Capsule, Cone, ConvexHull, HalfSpace, Placed, Sphere, TriangleMesh
from stoss.engine import Material, Settings, World, from_values

POINTS = np.random.default_rng(5).standard_normal((12, 3))
CORNER = [Placed(Box((1, 0.2, 0.2))), Placed(Box((0.2, 0.3, 1)), (0.4, 0.1, 0.4), (0.8, 0, 0.6, 0))]
# One form of body after the other: a centre beside the reference point, turned principal axes, no shape.
FORMS = {
    "box": dict(shapes=Box((0.1, 0.2, 0.3))),
    "sphere": dict(shapes=Sphere(0.2), density=300.0),
    "cone": dict(shapes=Cone(0.3, 0.5), mass=2.0),
    "capsule": dict(shapes=Placed(Capsule(0.1, 0.4), (0.1, 0, 0), (0, 1, 0, 0)), group=2, mask=3),
    "hull": dict(shapes=ConvexHull(POINTS), material=Material(rolling_friction=0.01, name="rubber")),
    "corner": dict(shapes=CORNER),
    "no shape": dict(shapes=(), mass_properties=from_values(2.0, (1.0, 1.5, 2.0), (0.1, 0.2, 0.3))),
    "kinematic": dict(shapes=CORNER, kind="kinematic"),
    "static": dict(shapes=HalfSpace(), kind="static"),
}


def states(n: int, moving: bool = True) -> dict[str, np.ndarray]:
    """Return positions, quaternions and velocities of n bodies."""
    rng = np.random.default_rng(n)
    turns = rng.standard_normal((n, 4))
    return {
        "positions": rng.uniform(-5.0, 5.0, (n, 3)),
        "quaternions": turns / np.linalg.norm(turns, axis=1, keepdims=True),
        "velocities": rng.standard_normal((n, 3)) * moving,
        "angular_velocities": rng.standard_normal((n, 3)) * moving,
    }


def added_singly(world: World, form: dict, state: dict[str, np.ndarray]) -> None:
    for place, turn, speed, spin in zip(*state.values(), strict=True):
        world.add_body(**form, position=place, quaternion=turn, velocity=speed, angular_velocity=spin)


def same_bits(a: World, b: World) -> None:
    """Assert that bodies, shapes and all that is known of them are equal, bit for bit."""
    for name, mine, theirs in zip(a._bodies._fields, a._bodies, b._bodies, strict=True):
        assert mine.tobytes() == theirs.tobytes(), name
    mine, theirs = a.shape_table, b.shape_table
    assert mine.count == theirs.count and mine.shapes == theirs.shapes
    names = "kind size polyhedron body group mask bounding_radius local_position local_quaternion".split()
    for name in names:
        assert getattr(mine, name)[: mine.count].tobytes() == getattr(theirs, name)[: mine.count].tobytes()
    assert [body.name for body in a.bodies] == [body.name for body in b.bodies]
    assert [body.material for body in a.bodies] == [body.material for body in b.bodies]


@pytest.mark.parametrize("form", FORMS)
def test_many_at_once_are_the_same_as_one_by_one(form):
    """Have the bits of single additions, for every kind of form, before and after other bodies."""
    values, state = FORMS[form], states(7, moving=form != "static")
    worlds = World(), World()
    for world in worlds:
        world.add_body(Box((1, 1, 1)), name="first")
    added_singly(worlds[0], values, state)
    handles = worlds[1].add_bodies(**values, **state)
    for world in worlds:
        world.add_body(CORNER, position=(0, 0, 9))
        world.remove_body(world.body("first"))
        world.remove_body(world.body("body 3"))
    same_bits(*worlds)
    assert [body.name for body in handles] == [f"body {k}" for k in range(1, 8)]
    assert [body.index for body in handles if body.name != "body 3"] == list(range(6))
    if form not in ("static", "no shape", "kinematic"):
        assert worlds[0].step(5) and worlds[1].step(5)
        assert worlds[0].state_hash() == worlds[1].state_hash()


def test_one_value_for_all_and_names():
    """Give all bodies one orientation and velocity, and each its name."""
    world = World()
    places = [(0, 0, 1), (0, 0, 3)]
    a, b = world.add_bodies(Sphere(0.1), places, velocities=(1, 0, 0), names=["a", "b"], mass=2)
    assert world.body("b") is b and a.name == "a" and a.mass == b.mass == 2.0
    assert world.velocities.tolist() == [[1, 0, 0]] * 2
    assert world.quaternions.tolist() == [[1, 0, 0, 0]] * 2
    assert b.position.tolist() == [0, 0, 3]
    assert world.add_bodies(Sphere(0.1), np.zeros((0, 3))) == [] and len(world.bodies) == 2
    assert world.add_body(Sphere(0.1)).name == "body 2"


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"positions": (0, 0, 1)}, ValueError, r"positions has shape \(3,\); give .* \(n, 3\)"),
        ({"positions": "here"}, TypeError, "positions must be numbers"),
        ({"positions": [(0, 0, 1), (0, np.nan, 1)]}, ValueError, r"positions\[1\] = .* NaN"),
        ({"velocities": np.zeros((3, 3))}, ValueError, r"velocities has shape \(3, 3\); give .* \(2, 3\)"),
        ({"quaternions": [(1, 0, 0, 0), (2, 0, 0, 0)]}, ValueError, r"quaternions\[1\] = .* length 2"),
        ({"names": ["a", "a"]}, ValueError, "'a' is given twice"),
        ({"names": ["a", "taken"]}, ValueError, "'taken' is taken by another body"),
        ({"names": ["a", 2]}, TypeError, "name = 2 must be a string"),
        ({"names": ["a"]}, ValueError, "1 of them were given; give one for each of 2"),
        ({"kind": "static", "velocities": (0, 0, 1)}, ValueError, "static bodies do not move"),
        ({"kind": "static", "mass": 1.0}, ValueError, "every body is static"),
        ({"material": 0.5}, TypeError, "material = 0.5 must be a Material"),
        ({"mass": -1.0}, ValueError, "mass = -1.0"),
        ({"shapes": "box"}, TypeError, "not a shape"),
        ({"mask": 1.5}, TypeError, "mask = 1.5"),
    ],
)
def test_refused_bodies_change_nothing(change, error, words):
    """Name what is wrong and add no body."""
    world = World()
    world.add_body(Sphere(0.1), name="taken")
    values = {"shapes": Sphere(0.1), "positions": [(0, 0, 1), (0, 0, 2)]} | change
    with pytest.raises(error, match=words):
        world.add_bodies(values.pop("shapes"), values.pop("positions"), **values)
    assert len(world.bodies) == len(world.positions) == world.shape_table.count == 1


def test_refused_shapes_leave_no_trace():
    """Take back a body of which a later shape is refused, so that the world goes on."""
    world = World()
    flat = TriangleMesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    for shapes in ([Box((1, 1, 1)), flat], flat):
        with pytest.raises(ValueError, match="triangles have no area"):
            world.add_body(shapes, kind="static", name="wall")
    assert len(world.positions) == world.shape_table.count == 0
    assert world.add_body(Box((1, 1, 1)), name="wall").index == 0
    world.step()


def test_hulls_are_shared_and_told_apart():
    """Keep one polyhedron for all bodies of a hull, another for a hull of other points, in any world."""
    first, second = ConvexHull(POINTS), ConvexHull(2.0 * POINTS)
    assert first != second and first == first and len({first, second}) == 2
    world = World()
    for hull in (first, second, first):
        world.add_body(hull)
    table = world.shape_table
    assert table.polyhedra.count == 2 and table.polyhedron[:3].tolist() == [0, 1, 0]
    assert np.allclose(world.masses, [first.volume * 1000, second.volume * 1000, first.volume * 1000])


def test_snapshots_of_many():
    """Bring many bodies back after a removal, with their handles, and go on bitwise."""
    world = World(settings=Settings(sleeping=True))
    world.add_body(HalfSpace(), kind="static")
    state = states(6)
    state["positions"][:, 2] += 6.0
    bodies = world.add_bodies(CORNER, **state)
    saved = world.save()
    world.step(40)
    then = world.state_hash()
    world.remove_body(bodies[2])
    world.restore(saved)
    world.step(40)
    assert world.state_hash() == then
    assert bodies[3].index == 4 and world.bodies[3] is not bodies[2]


def test_no_kernel_is_compiled_for_adding():
    """Compile nothing, and load no kernel from the cache, before the first step."""
    code = """
import gc, numpy as np
from numba.core.dispatcher import Dispatcher
import stoss.engine
from stoss.collision import *
from tests.engine.test_add_bodies import FORMS, states
from stoss.engine import World
world = World()
def compiled():
    return sum(len(d.overloads) for d in gc.get_objects() if isinstance(d, Dispatcher))
before = compiled()
for k, (name, form) in enumerate(FORMS.items()):
    world.add_body(**form)
    state = states(4, moving=name != "static")
    state["positions"][:, 0] += 20.0 * k
    world.add_bodies(**form, **state)
box = world.bodies[0]
world.duplicate(box, position=box.position, quaternion=box.quaternion)
box.position, box.mass = (1, 2, 3), 4.0
box.apply_impulse((1, 0, 0), box.world_point((0.1, 0, 0)))
assert box.kinetic_energy > 0.0
world.add_joint(stoss.engine.Ball((0, 0, 1)), box, world.bodies[5])
print(before, compiled())
world.step()
print(compiled())
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after, stepped = map(int, result.stdout.split())
    assert before == after == 0 < stepped


def test_keys_go_on_after_a_batch():
    """Number later bodies after those of a batch, also when bodies are removed in between."""
    world, numbers = World(), count()
    for batch in (3, 1, 2):
        bodies = world.add_bodies(Sphere(0.1), np.zeros((batch, 3)))
        assert [body.name for body in bodies] == [f"body {next(numbers)}" for _ in range(batch)]
        world.remove_body(bodies[0])
