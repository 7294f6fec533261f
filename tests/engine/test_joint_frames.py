"""Joints sit on their bodies where they were added: frames, axes, gaps and angles."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import (
    Ball,
    Compose,
    ConstantAngle,
    CustomJoint,
    Cylindrical,
    Distance,
    Fixed,
    FixedOrientation,
    Free,
    Hinge,
    ParallelAxes,
    Planar,
    PointOnEllipsoid,
    PointOnLine,
    PointOnPlane,
    Slider,
    SplineJoint,
    Universal,
    World,
)
from stoss.engine.joints.arrays import LENGTH, SLIDE
from stoss.engine.joints.excerpts import of_joint
from tests.engine.joint_worlds import turned_bodies
from tests.engine.worlds import matrix, product

ROUNDING = 1e-13  # lengths of about 10 m, a few operations: 10 * 2^-52 * 50
POINT, AXIS, OTHER = np.array([0.3, -1.2, 0.7]), np.array([1.0, 2.0, -0.5]), np.array([-0.4, 1.0, 3.0])
UNIT = AXIS / np.linalg.norm(AXIS)

KINDS = [
    Ball(POINT, AXIS),
    PointOnLine(POINT, AXIS),
    PointOnPlane(POINT, AXIS, x_axis=OTHER),
    FixedOrientation(),
    ParallelAxes(AXIS),
    ConstantAngle(AXIS, OTHER),
    Distance(POINT, POINT + OTHER),
    Hinge(POINT, AXIS),
    Cylindrical(POINT, AXIS),
    Slider(POINT, AXIS),
    Universal(POINT, AXIS, OTHER),
    Fixed(),
    Planar(POINT, AXIS),
    Free(POINT, AXIS, POINT + OTHER),
    PointOnEllipsoid(POINT - 2.0 * UNIT, (1.0, 3.0, 2.0), POINT, AXIS),
    SplineJoint(POINT, AXIS, ((-1, 0.1), (0, 0), (1, 0.3)), along_z=((-1, 0.1), (0, 0), (2, 0.3))),
    CustomJoint(POINT, z=("turn_z", ((-1, 0.1), (0, 0), (1, 0.3))), turn_z=None, axis=AXIS),
    Compose(PointOnLine(POINT, AXIS), Hinge(POINT + AXIS, OTHER), Slider(POINT, OTHER)),
]


def name_of(kind) -> str:
    """Return the class of a kind, for the names of tests."""
    return type(kind).__name__


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_joints_are_closed_when_added(kind):
    """Give bodies of any pose frames in which all that is held is at its target, and angles are zero."""
    for seed in range(3):
        world = turned_bodies(seed)
        for first, second in (("a", "b"), (None, "c"), ("b", None)):
            pair = [None if name is None else world.body(name) for name in (first, second)]
            joint = world.add_joint(kind, *pair)
            assert joint.first is pair[0] and joint.second is pair[1]
            assert joint.error < ROUNDING and joint.angle_error < ROUNDING
            for name, (_, measure, _) in kind.coordinates().items():
                # the squares of a small angle are what swing is found from
                allowed = 1e-7 if name == "swing" else ROUNDING
                wanted = 0.0
                if measure == LENGTH:
                    wanted = np.linalg.norm(OTHER)
                if isinstance(kind, Free) and measure == SLIDE:
                    continue
                assert abs(joint.value_of(name) - wanted) < allowed, name
                assert joint.rate_of(name) == 0.0


def test_frames_of_the_bodies_give_the_world_frame():
    """Keep point and axes in the principal axes of either body: R(q) p + x is the world point again."""
    world = turned_bodies(7)
    joint = world.add_joint(PointOnPlane(POINT, AXIS, x_axis=OTHER), world.body("a"), world.body("b"))
    own = of_joint(world._joint_table.arrays, joint.index)
    x = OTHER - (OTHER @ UNIT) * UNIT
    axes = np.array([x / np.linalg.norm(x), np.cross(UNIT, x / np.linalg.norm(x)), UNIT]).T
    for body, point, turn in (("a", own.point_a, own.quaternion_a), ("b", own.point_b, own.quaternion_b)):
        row = world.body(body).index
        q = world.quaternions[row]
        assert np.abs(matrix(q) @ point[0] + world.positions[row] - POINT).max() < ROUNDING
        assert np.abs(matrix(product(q, turn[0])) - axes).max() < ROUNDING
    for place in (joint.first_point, joint.second_point):
        assert np.abs(place - POINT).max() < ROUNDING


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, 0, -3), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0.6, 0.3, -0.2), OTHER]
)
def test_axes_are_orthonormal(axis):
    """Make right-handed frames with z along the axis, x in the half plane of the world's x or y axis."""
    (part,) = Ball((0, 0, 0), axis).parts()
    m = matrix(part.quaternion_a)
    unit = np.array(axis) / np.linalg.norm(axis)
    assert np.abs(m @ m.T - np.eye(3)).max() < ROUNDING and np.linalg.det(m) > 0.0
    assert np.abs(m[:, 2] - unit).max() < ROUNDING
    chosen = 0 if abs(unit[0]) < 0.7 else 1
    assert abs(np.cross(unit, np.eye(3)[chosen]) @ m[:, 0]) < ROUNDING
    assert m[chosen, 0] > 0.0


@pytest.mark.parametrize("second", [OTHER, AXIS, -AXIS, -AXIS + 1e-9 * OTHER])
def test_second_axis_is_the_smallest_turn(second):
    """Turn the second frame from axis to second axis, by the angle between them and no more."""
    (part,) = Hinge(POINT, AXIS, second_point=POINT + 1.0, second_axis=second).parts()
    a, b = matrix(part.quaternion_a), matrix(part.quaternion_b)
    unit = second / np.linalg.norm(second)
    assert np.abs(b[:, 2] - unit).max() < 1e-7  # half of the digits are gone where the axes are opposite
    turn = b @ a.T
    cosine = 0.5 * (np.trace(turn) - 1.0)
    assert abs(cosine - UNIT @ unit) < 1e-7
    assert part.point_b == tuple(POINT + 1.0)


def test_open_joints_measure_their_gap():
    """Report how far a joint is open that has another place on the second body."""
    world = turned_bodies(3)
    gap, tilt = np.array([0.3, 0.0, -0.4]), 0.2
    second_axis = (np.sin(tilt), 0.0, np.cos(tilt))
    kind = Hinge(POINT, (0, 0, 1), POINT + gap, second_axis)
    joint = world.add_joint(kind, world.body("a"), world.body("b"))
    assert abs(joint.error - 0.4) < ROUNDING and abs(joint.angle_error - tilt) < ROUNDING
    assert np.abs(joint.second_point - joint.first_point - gap).max() < ROUNDING
    assert abs(joint.value) < ROUNDING
    rod = world.add_joint(Distance(POINT, POINT + gap, length=0.7), world.body("a"), world.body("b"))
    assert abs(rod.error - 0.2) < ROUNDING and abs(rod.value - 0.5) < ROUNDING


def test_double_rotation_keeps_its_angle():
    """Hold the present angle between the axes, x of the first body and y of the second."""
    (part,) = ConstantAngle(AXIS, OTHER).parts()
    a, b = matrix(part.quaternion_a), matrix(part.quaternion_b)
    second = OTHER / np.linalg.norm(OTHER)
    assert np.abs(a[:, 0] - UNIT).max() < ROUNDING and np.abs(b[:, 1] - second).max() < ROUNDING
    assert np.abs(a[:, 2] - b[:, 2]).max() < ROUNDING
    ((_, _, angle),) = part.holds
    assert abs(angle - np.arccos(UNIT @ second)) < 1e-12


def test_fixed_without_a_point_is_midway():
    """Join two bodies midway between their centres of mass, and one body to the world at its own."""
    world = turned_bodies(2)
    a, b = world.body("a"), world.body("b")
    middle = 0.5 * (a.center_of_mass + b.center_of_mass)
    assert np.abs(world.add_joint(Fixed(), a, b).first_point - middle).max() < ROUNDING
    assert np.abs(world.add_joint(Fixed(), None, b).first_point - b.center_of_mass).max() < ROUNDING


def test_compose_numbers_parts_and_names():
    """Put parts one after the other, and number coordinate names that repeat."""
    kind = Compose(
        PointOnLine(POINT, AXIS), Hinge(POINT, AXIS), Slider(POINT, AXIS), Compose(Hinge(POINT, AXIS))
    )
    assert len(kind.parts()) == 4
    parts = {name: place[0] for name, place in kind.coordinates().items()}
    assert parts == {"displacement": 0, "angle": 1, "displacement 2": 2, "angle 2": 3}
    assert kind == Compose(*kind.kinds) and hash(kind) == hash(Compose(*kind.kinds))


def test_points_of_a_body():
    """Convert between the world and the frame of the shapes, also for a body whose axes differ from it."""
    world = World()
    body = world.add_body(Box((0.1, 1, 2)), position=(1, 2, 3), quaternion=(0.5, 0.5, 0.5, 0.5))
    assert np.abs(body.world_point((1, 0, 0)) - (1, 3, 3)).max() < ROUNDING
    assert np.abs(body.local_point((1, 3, 3)) - (1, 0, 0)).max() < ROUNDING
    assert np.abs(body.local_point(body.world_point(POINT)) - POINT).max() < ROUNDING
