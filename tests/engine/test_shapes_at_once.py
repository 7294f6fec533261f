"""Steps of worlds with shapes of all kinds: made by one kernel, with the bits of their stages one by one."""

import numpy as np
import pytest

from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Shape,
    Sphere,
    TriangleMesh,
)
from stoss.engine import Ball, Hinge, World
from stoss.engine.stages.at_once import NOTHING, OTHER_PAIRS, UNEVENTFUL, MadeAhead
from stoss.engine.stages.stepper import Stepper

LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)
CORNERS = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.1, 0.1)])
FLOOR = TriangleMesh(
    np.array([[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [9.0, 9.0, 0.0], [-9.0, 9.0, 0.0]]),
    np.array([[0, 1, 2], [0, 2, 3]]),
)
ALL: tuple[Shape, ...] = (
    *(Cylinder(0.15, 0.3), Cone(0.2, 0.3), Ellipsoid((0.2, 0.15, 0.1)), ConvexHull(CORNERS)),
    *(Box((0.3, 0.3, 0.2)), Sphere(0.15), Capsule(0.1, 0.2)),
)


def one(shape: Shape, height: float, ground: Shape, quaternion=(1.0, 0.0, 0.0, 0.0)) -> World:
    """Build one shape that rolls or slides on the ground."""
    world = World()
    world.add_body(ground, kind="static")
    world.add_body(shape, position=(0.0, 0.0, height), velocity=(0.3, 0.0, 0.0), quaternion=quaternion)
    return world


def heap() -> World:
    """Build all shapes, that fall on each other on triangles beside a half-space, one of them fast."""
    rng = np.random.default_rng(2)
    world = World()
    world.add_body(FLOOR, kind="static")
    world.add_body(HalfSpace((1.0, 0.0, 0.0)), position=(-0.6, 0.0, 0.0), kind="static")
    for k in range(14):
        place = 0.45 * (k % 3) - 0.3, 0.45 * (k // 3 % 3) - 0.4, 0.25 + 0.4 * (k // 9)
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        world.add_body(ALL[k % len(ALL)], position=place, quaternion=quaternion)
    world.add_body(Ellipsoid((0.1, 0.05, 0.05)), position=(3.0, 0.0, 0.3), velocity=(-30.0, 0.0, 1.0))
    return world


def arm() -> World:
    """Build a chain of hulls and cylinders that whips in sub-steps beside a wall of triangles and hits it."""
    world = World()
    world.add_body(FLOOR, kind="static")
    world.add_body(Box((0.1, 2.0, 2.0)), position=(0.5, 0.0, 1.0), kind="static")
    last = None
    for k in range(5):
        shape = Cylinder(0.05, 0.3) if k % 2 else ConvexHull(0.5 * CORNERS)
        start = (-0.4 * k, 0.0, 2.0)
        link = world.add_body(shape, position=(start[0] - 0.2, 0.0, 2.0), velocity=(0.0, 0.0, -9.0 * k))
        world.add_joint(Hinge(start, (0.0, 1.0, 0.0)) if k % 2 == 0 else Ball(start), last, link)
        last = link
    return world


WORLDS = {
    "cylinder that rolls": lambda: one(Cylinder(0.1, 0.2), 0.1, HalfSpace(), LYING),
    "cylinder that stands": lambda: one(Cylinder(0.1, 0.2), 0.1, HalfSpace()),
    "cone": lambda: one(Cone(0.1, 0.2), 0.1, HalfSpace()),
    "ellipsoid": lambda: one(Ellipsoid((0.3, 0.2, 0.1)), 0.1, HalfSpace()),
    "hull": lambda: one(ConvexHull(CORNERS), 0.1, HalfSpace()),
    "hull on a mesh": lambda: one(ConvexHull(CORNERS), 0.1, FLOOR),
    "ball on a mesh": lambda: one(Sphere(0.1), 0.1, FLOOR),
    "heap": heap,
    "arm": arm,
}


def run(name: str) -> list[tuple[object, ...]]:
    """Return what a world tells after each step."""
    world, told = WORLDS[name](), []
    for _ in range(110):
        world.step()
        told.append((world.state_hash(), str(world.ledger), world.contacts.count, world.report.sub_steps))
    return told


@pytest.mark.parametrize("name", WORLDS)
def test_one_call_makes_what_the_stages_make_one_by_one(name, monkeypatch):
    """Reach the same bits by one kernel, by kernels for sub-steps, and by one for each stage."""
    ends = []
    make = Stepper.make_plain

    def noted(self, *arguments):
        ends.append(made := make(self, *arguments))
        return made

    monkeypatch.setattr(Stepper, "make_plain", noted)
    plain = run(name)
    assert sum(made >= OTHER_PAIRS for made in ends) > 30
    assert name in ("heap", "arm") or ends.count(UNEVENTFUL) > 80
    monkeypatch.setattr(Stepper, "make_plain", lambda *arguments: NOTHING)
    assert run(name) == plain
    monkeypatch.setattr(MadeAhead, "prepare", lambda self, before: None)
    assert run(name) == plain
