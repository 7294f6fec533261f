"""Worlds with joints that several tests build, and their measures without the engine's own gradients."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stoss.collision import Box, Sphere
from stoss.engine import (
    Ball,
    Body,
    Compose,
    ConstantAngle,
    CustomJoint,
    Cylindrical,
    Distance,
    Fixed,
    FixedOrientation,
    Free,
    Hinge,
    Joint,
    JointKind,
    MassProperties,
    ParallelAxes,
    Planar,
    PointOnEllipsoid,
    PointOnLine,
    PointOnPlane,
    Settings,
    Slider,
    SplineJoint,
    Universal,
    World,
    from_values,
)
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import HOLD, JointArrays
from stoss.engine.joints.excerpts import of_joint
from stoss.engine.joints.measures import measure_joints
from tests.engine.worlds import G, axis_angle, product, random_quaternion

POINT, AXIS, SECOND = (0.5, 0.1, 0.2), (0.3, 0.2, 1.0), (1.0, 0.1, -0.4)
WAVE = ((-2.0, 0.1), (-1.0, -0.1), (0.0, 0.0), (1.0, 0.2), (2.0, -0.1))  # a curve
BEND = ((-2.0, -0.3, 0.0), (2.0, 0.3, 0.0))  # one that ends level
# on the ellipsoid of the radii below about (0.2, 0.1, 0.1): its z axis is along AXIS
ON_ELLIPSOID = tuple((0.2, 0.1, 0.1) + 0.6 * np.array(AXIS) / np.linalg.norm(AXIS))

# Every kind between two free bodies, the anchor off both centres, the axis along no principal axis, and how
# many degrees of freedom of the second body relative to the first it takes away (Bender 2007, table 3.1).
KINDS: dict[str, tuple[Callable[[], JointKind], int]] = {
    "ball": (lambda: Ball(POINT, AXIS), 3),
    "line": (lambda: PointOnLine(POINT, AXIS), 2),
    "plane": (lambda: PointOnPlane(POINT, AXIS), 1),
    "distance": (lambda: Distance((0.3, 0.1, 0.1), (0.8, -0.1, 0.3)), 1),
    "lock": (lambda: FixedOrientation(), 3),
    "direction": (lambda: ParallelAxes(AXIS), 2),
    "double rotation": (lambda: ConstantAngle(AXIS, SECOND), 1),
    "hinge": (lambda: Hinge(POINT, AXIS), 5),
    "cylindrical": (lambda: Cylindrical(POINT, AXIS), 4),
    "slider": (lambda: Slider(POINT, AXIS), 5),
    "universal": (lambda: Universal(POINT, AXIS, SECOND), 4),
    "fixed": (lambda: Fixed(POINT), 6),
    "fixed, midway": (lambda: Fixed(), 6),
    "planar": (lambda: Planar(POINT, AXIS), 3),
    "free": (lambda: Free(POINT, AXIS), 0),
    "ellipsoid": (lambda: PointOnEllipsoid((0.2, 0.1, 0.1), (0.4, 0.5, 0.6), ON_ELLIPSOID, AXIS), 1),
    "spline": (lambda: SplineJoint(POINT, AXIS, WAVE, ((-1, 0.1), (0, 0), (1, 0.2)), x_axis=SECOND), 5),
    "custom, led": (lambda: CustomJoint(POINT, z=("turn_z", WAVE), turn_x=None, turn_z=None, axis=AXIS), 4),
    "custom": (lambda: CustomJoint(POINT, x=None, turn_x=("x", BEND), turn_y=("x", BEND), axis=AXIS), 5),
    "line and direction": (lambda: Compose(PointOnLine(POINT, AXIS), ParallelAxes(SECOND)), 4),
    "plane and lock": (lambda: Compose(PointOnPlane(POINT, AXIS), FixedOrientation()), 4),
    "two planes": (lambda: Compose(PointOnPlane(POINT, AXIS), PointOnPlane((0.6, 0.2, 0.1), SECOND)), 2),
    "rods": (
        lambda: Compose(Distance((0.3, 0.1, 0.1), (0.8, -0.1, 0.3)), Distance((0.1, 0.3, 0), (1, 0.2, 0.2))),
        2,
    ),
}


def add_free_pair(world: World, make: Callable[[], JointKind], speed: float = 1.0) -> Joint:
    """Add two bodies of different mass and shape, joined, that drift, and turn together and apart.

    The joint may not allow all of that; `settle_velocities` takes away what it does not.

    Args:
        world: receives them.
        make: gives the kind.
        speed: factor of all velocities; 1: about 1 rad/s.
    """
    first = world.add_body(Box((1.0, 0.6, 0.3)), mass=2.0)
    second = world.add_body(
        Box((0.4, 0.8, 0.5)), position=(1.0, 0.1, 0.3), quaternion=axis_angle((1, 2, 3), 0.7), mass=0.7
    )
    joint = world.add_joint(make(), first, second)
    velocity, spin = np.array((0.1, -0.2, 0.3)), np.array((0.5, -0.3, 0.4))
    first.velocity, first.angular_velocity = speed * velocity, speed * spin
    velocity = velocity + np.cross(spin, second.center_of_mass) + (0.05, 0.1, -0.05)
    second.velocity, second.angular_velocity = speed * velocity, speed * np.array((-0.4, 0.9, 0.5))
    return joint


def free_pair(
    make: Callable[[], JointKind], *, h: float = 0.01, speed: float = 1.0, settings: Settings | None = None
) -> Joint:
    """Return the joint of two free bodies whose velocities satisfy it, without gravity."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=settings)
    joint = add_free_pair(world, make, speed)
    settle_velocities(joint)
    return joint


def settle_velocities(joint: Joint) -> None:
    """Project the velocities of both bodies on what the joint allows: v -= M^-1 J^T (J M^-1 J^T)^-1 J v.

    J is found by finite differences, so this is independent of the engine's solvers and gradients.
    """
    world = joint.world
    held = own_arrays(joint).role == HOLD
    if not held.any():
        return
    jacobian = numerical_jacobian(joint)[held]
    b = world._bodies
    inverse_mass = np.zeros((12, 12))
    velocity = np.zeros(12)
    for k, body in enumerate((joint.first, joint.second)):
        if body is None:
            continue
        i, s = body.index, 6 * k
        inverse_mass[s : s + 3, s : s + 3] = np.eye(3) / b.masses[i]
        turn = rotation(b.quaternions[i])
        inverse_mass[s + 3 : s + 6, s + 3 : s + 6] = turn @ np.diag(1.0 / b.inertias[i]) @ turn.T
        velocity[s : s + 3], velocity[s + 3 : s + 6] = b.velocities[i], b.angular_velocities[i]
    response = inverse_mass @ jacobian.T
    velocity -= response @ np.linalg.lstsq(jacobian @ response, jacobian @ velocity, rcond=1e-10)[0]
    for k, body in enumerate((joint.first, joint.second)):
        if body is not None:
            body.velocity, body.angular_velocity = (
                velocity[6 * k : 6 * k + 3],
                velocity[6 * k + 3 : 6 * k + 6],
            )


def rotation(q: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a unit quaternion, column by column from its product."""
    conjugate = q * (1, -1, -1, -1)
    return np.array([product(product(q, (0, *axis)), conjugate)[1:] for axis in np.eye(3)]).T


def own_arrays(joint: Joint) -> JointArrays:
    """Return the arrays of one joint alone."""
    return of_joint(joint.world._joint_table.arrays, joint.index)


def moved(b: BodyArrays, i: int, twist: np.ndarray) -> BodyArrays:
    """Return the arrays of the bodies with the i-th moved by a small translation and turn (6,), world."""
    positions, quaternions = b.positions.copy(), b.quaternions.copy()
    positions[i] += twist[:3]
    angle = float(np.linalg.norm(twist[3:]))
    if angle > 0.0:
        quaternions[i] = product(axis_angle(twist[3:], angle), quaternions[i])
    return b.replace(positions=positions, quaternions=quaternions)


def measures(joints: JointArrays, bodies: BodyArrays) -> np.ndarray:
    """Return the measures (m,) of all rows of `joints` for some poses of the bodies."""
    value, rate = joints.value.copy(), np.zeros(len(joints.value))
    measure_joints(joints, bodies, value, rate)
    return value


def numerical_jacobian(joint: Joint, step: float = 1e-5) -> np.ndarray:
    """Return d(measures)/d(poses) (m, 12) by central differences: moves and turns of first, then second."""
    joints, arrays = own_arrays(joint), joint.world._bodies
    out = np.zeros((len(joints.part), 12))
    for k, body in enumerate((joint.first, joint.second)):
        if body is None:
            continue
        for i in range(6):
            twist = step * np.eye(6)[i]
            ahead, behind = (measures(joints, moved(arrays, body.index, sign * twist)) for sign in (1, -1))
            out[:, 6 * k + i] = (ahead - behind) / (2.0 * step)
    return out


def totals(world: World) -> np.ndarray:
    """Return momentum, angular momentum about the origin and kinetic energy (7,), from the whole arrays."""
    b = world._bodies
    out = np.zeros(7)
    for i in range(len(b.masses)):
        turn = rotation(b.quaternions[i])
        spin = turn @ (b.inertias[i] * (turn.T @ b.angular_velocities[i]))
        p = b.masses[i] * b.velocities[i]
        out[:3] += p
        out[3:6] += np.cross(b.positions[i], p) + spin
        out[6] += 0.5 * (p @ b.velocities[i] + spin @ b.angular_velocities[i])
    return out


def relative_twist(joint: Joint) -> np.ndarray:
    """Return the velocity (6,) at the second body's anchor and of its turning, in the first's frame."""
    a, b = joint.first, joint.second
    assert a is not None and b is not None
    place = joint.second_point
    speed = b.velocity + np.cross(b.angular_velocity, place - b.center_of_mass)
    speed -= a.velocity + np.cross(a.angular_velocity, place - a.center_of_mass)
    turn = rotation(a.quaternion).T
    return np.concatenate([turn @ speed, turn @ (b.angular_velocity - a.angular_velocity)])


# ------------------------------------------------------------------ pendulums, wheels, sliders


def pendulum(
    angle: float,
    *,
    length: float = 1.0,
    mass: float = 1.0,
    h: float = 0.01,
    settings: Settings | None = None,
    kind: str = "hinge",
) -> Joint:
    """Return the joint of a rod that hangs from (0, 0, 0) and is let go `angle` [rad] from hanging.

    The rod is a box of `length` along its z, 0.1 by 0.2 thick; the axis is y, a positive angle lifts it
    towards -x. The coordinate "angle" (of a ball: "rotation y") counts from the start.
    """
    world = World(time_step=h, settings=settings)
    center = -0.5 * length * np.array((np.sin(angle), 0.0, np.cos(angle)))
    rod = world.add_body(
        Box((0.1, 0.2, length)), position=center, quaternion=axis_angle((0, 1, 0), angle), mass=mass
    )
    joined = Hinge((0, 0, 0), (0, 1, 0)) if kind == "hinge" else Ball((0, 0, 0), axis=-center)
    return world.add_joint(joined, None, rod)


def pendulum_inertia(length: float = 1.0, mass: float = 1.0) -> float:
    """Return the moment of inertia [kg m^2] of `pendulum` about its axis."""
    return mass * (length**2 + 0.1**2) / 12.0 + mass * (0.5 * length) ** 2


def swing_angle(joint: Joint) -> float:
    """Return the angle of `pendulum` from hanging [rad], from its centre alone."""
    x, _, z = joint.second.center_of_mass
    return float(np.arctan2(-x, -z))


def wheel(
    inertia: float = 0.5, *, h: float = 0.01, rate: float = 0.0, settings: Settings | None = None
) -> Joint:
    """Return the hinge of a balanced wheel on the world, axis (0, 1, 0) through the origin."""
    world = World(time_step=h, settings=settings)
    body = world.add_body(mass_properties=inertias(1.0, (0.6, inertia, 0.7)))
    body.angular_velocity = (0, rate, 0)
    return world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, body)


def rail(
    *,
    mass: float = 1.0,
    axis: Sequence[float] = (1, 0, 0),
    rate: float = 0.0,
    h: float = 0.01,
    gravity: float = 0.0,
    settings: Settings | None = None,
) -> Joint:
    """Return the slider of a box on the world along `axis` (unit) through the origin."""
    world = World(gravity=(0, 0, -gravity), time_step=h, settings=settings)
    body = world.add_body(Box((0.2, 0.3, 0.4)), mass=mass, velocity=rate * np.asarray(axis, float))
    return world.add_joint(Slider((0, 0, 0), axis), None, body)


def inertias(mass: float, moments: Sequence[float]) -> MassProperties:
    """Return mass properties with the centre of mass at the origin and principal axes along the frame."""
    return from_values(mass, moments)


def chain(
    links: int,
    *,
    h: float = 0.01,
    length: float = 0.5,
    gap: float = 0.0,
    kind: Callable[..., JointKind] = Ball,
    settings: Settings | None = None,
    gravity: float = G,
) -> list[Joint]:
    """Return the joints of a chain that lies along x from the world's (0, 0, 0), the anchors `gap` apart."""
    world = World(gravity=(0, 0, -gravity), time_step=h, settings=settings)
    joints = []
    before: Body | None = None
    end = np.zeros(3)
    for _ in range(links):
        start = end + (gap, 0, 0)
        body = world.add_body(Box((length, 0.1, 0.1)), position=start + (0.5 * length, 0, 0), mass=1.0)
        joints.append(world.add_joint(kind(end, second_point=start), before, body))
        before, end = body, start + (length, 0, 0)
    return joints


def strict(**changes: Any) -> Settings:
    """Return settings whose tolerances are far below what is compared: what is left is the order's error."""
    return replace(Settings(position_tolerance=1e-11, velocity_tolerance=1e-12), **changes)


def ball(radius: float = 0.1) -> Sphere:
    """Return a sphere, for point masses."""
    return Sphere(radius)


def turned_bodies(seed: int = 0) -> World:
    """Return a world with three bodies a, b, c in random poses, with principal axes of their own."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0))
    for name in "abc":
        shape = Box(tuple(rng.uniform(0.2, 1.0, 3)))
        world.add_body(shape, position=rng.normal(size=3), quaternion=random_quaternion(rng), name=name)
    return world
