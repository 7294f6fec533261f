"""A world as a plain record of numbers: what the generator draws, what is shrunk, built and printed."""

from dataclasses import dataclass

from stoss.collision.quaternions import Quaternion, Vector

__all__ = [
    "CONE",
    "MOST_COST",
    "WORLD",
    "BodyRecord",
    "DriveRecord",
    "JointRecord",
    "StopRecord",
    "WorldRecord",
]

CONE = "cone"  # the coordinate of a stop that is a cone
WORLD = -1  # number of a joint's first body where that is the world
MOST_COST = 20.0  # usual steps: what these worlds ask of the engine, and what they are held to


@dataclass(frozen=True)
class BodyRecord:
    """One body; the first four values say where its surface is.

    Attributes:
        shape: "box", "sphere", "capsule", "cylinder", "ellipsoid" or "half-space".
        size: what the shape takes [m]: edges, radius, radius and length, semi-axes, or nothing.
        position, quaternion: pose [m] and (w, x, y, z).
        velocity, spin: [m/s] and [rad/s].
        kind: "dynamic", "static" or "kinematic".
        mass: [kg], of a dynamic body.
        friction, restitution: of its surface.
        force, torque: that act on it all the time [N] and [N m].
        surface, surface_spin: motion of its surface along it [m/s] and [rad/s].
    """

    shape: str
    size: tuple[float, ...]
    position: Vector
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    velocity: Vector = (0.0, 0.0, 0.0)
    spin: Vector = (0.0, 0.0, 0.0)
    kind: str = "dynamic"
    mass: float = 1.0
    friction: float = 0.5
    restitution: float = 0.0
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    surface: Vector = (0.0, 0.0, 0.0)
    surface_spin: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class StopRecord:
    """A stop on a coordinate of a joint, as `Joint.limit` takes it; without stiffness it is rigid.

    Of the coordinate "cone" lower and upper are the half-axes of an ellipse for `Joint.limit_swing`.
    """

    coordinate: str
    lower: float
    upper: float
    restitution: float = 0.0
    stiffness: float | None = None
    damping: float = 0.0


@dataclass(frozen=True)
class DriveRecord:
    """What drives or resists a coordinate: a method of `Joint` by its name, and its arguments by theirs."""

    method: str  # "motor", "servo", "spring", "damper", "friction" or "pid"
    coordinate: str
    values: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class JointRecord:
    """One joint.

    Attributes:
        kind: name of the class, such as "Hinge".
        first, second: numbers of the bodies; `WORLD` may be the first.
        point: of the joint [m].
        axis: of a joint that has one.
        other: second axis of a universal joint, second point of a rod [m].
        collide: whether the two bodies may touch each other.
        stops, drives: on its coordinates.
    """

    kind: str
    first: int
    second: int
    point: Vector
    axis: Vector = (0.0, 0.0, 1.0)
    other: Vector | None = None
    collide: bool = False
    stops: tuple[StopRecord, ...] = ()
    drives: tuple[DriveRecord, ...] = ()


@dataclass(frozen=True)
class WorldRecord:
    """One world, and for how long it is watched.

    Attributes:
        family: which kind of world it is, see `draw`.
        number: in its series, for finding it again.
        gravity: along -z [m/s^2].
        time_step: [s].
        solver: "auto", "direct" or "gauss_seidel".
        sleeping: whether what rests falls asleep.
        bodies, joints: what there is.
        couplings: numbers of two joints with one coordinate each, and the ratio of the second to the first.
    """

    family: str
    number: int
    gravity: float
    time_step: float
    solver: str
    sleeping: bool
    bodies: tuple[BodyRecord, ...]
    joints: tuple[JointRecord, ...] = ()
    couplings: tuple[tuple[int, int, float], ...] = ()
