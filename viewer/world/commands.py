"""All commands: what a user may do to the world, to bodies and to joints between two steps.

The window never touches the world: it puts commands into the list of the simulation, which carries them out
before its next step. So a session can be written to a file and be replayed bit for bit.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, get_type_hints

from stoss.declared import check
from stoss.engine import Drive, Fixed, Joint
from stoss.engine.world.drives import PidDrive
from stoss.viewer.world.build_commands import (
    AddBodyOfMesh,
    AddShapeOfMesh,
    AddThing,
    BeginHere,
    Build,
    ChangeThing,
    ChangeWorld,
    Edit,
    MoveJoint,
    RedoEdit,
    RemoveThing,
    RenameThing,
    UndoEdit,
)
from stoss.viewer.world.joint_commands import (
    AddLimit,
    AddMotor,
    AddServo,
    HoldJoint,
    RemoveDrive,
    RemoveLimit,
)
from stoss.viewer.world.pose import PosePull, SetCoordinate
from stoss.viewer.world.pull import POINTER, Grip, Pull
from stoss.viewer.world.stage import Command, Release, Stage

__all__ = [
    "AddBodyOfMesh",
    "AddLimit",
    "AddMotor",
    "AddServo",
    "AddShapeOfMesh",
    "AddThing",
    "BeginHere",
    "Build",
    "ChangeSetting",
    "ChangeThing",
    "ChangeWorld",
    "Command",
    "Delete",
    "Duplicate",
    "Edit",
    "Freeze",
    "Grab",
    "HoldJoint",
    "MoveJoint",
    "MovePointer",
    "PressKey",
    "Push",
    "RedoEdit",
    "Release",
    "RemoveDrive",
    "RemoveLimit",
    "RemoveThing",
    "RenameThing",
    "SetBreakLoad",
    "SetCoordinate",
    "SetDrive",
    "SetGravity",
    "SetLimit",
    "SetMass",
    "SetMaterial",
    "SetTimeStep",
    "SetVelocity",
    "SwitchJoint",
    "Throw",
    "UndoEdit",
    "Unfreeze",
    "WakeAll",
    "command_from_record",
]

Vector = tuple[float, ...]


def command_from_record(record: dict[str, Any]) -> Command:
    """Return the command that a record describes.

    Raises:
        ValueError: an unknown command, or fields that do not fit it.
    """
    fields = dict(record)
    name = fields.pop("command", None)
    kinds = {kind.name: kind for kind in _kinds(Command)}
    if name not in kinds:
        raise ValueError(f"there is no command {name!r}; there are {', '.join(kinds)}")
    kind = kinds[name]
    known = {field.name for field in dataclasses.fields(kind)}
    if set(fields) != known:
        raise ValueError(f"command {name!r} has the fields {sorted(known)}, not {sorted(fields)}")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()}
    for field_name, declared in get_type_hints(kind).items():
        if field_name in known:
            check(f"{field_name} of command {name!r}", values[field_name], declared)
            if declared is Vector and len(values[field_name]) != (4 if field_name == "quaternion" else 3):
                raise ValueError(f"{field_name} of command {name!r} has {len(values[field_name])} numbers")
    return kind(**values)


def _kinds(base: type[Command]) -> Iterator[type[Command]]:
    """Yield all commands that can be given."""
    for kind in base.__subclasses__():
        if kind is not Edit:
            yield kind
        yield from _kinds(kind)


# ------------------------------------------------------------------ the world


@dataclass(frozen=True)
class SetTimeStep(Command):
    """Change the time step [s]."""

    value: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.time_step = self.value


@dataclass(frozen=True)
class PressKey(Command):
    """Press a key that controllers of the world have a use for."""

    key: str

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        for controller in stage.world.controllers.values():
            if self.key in controller.keys:
                controller.press(self.key)


@dataclass(frozen=True)
class SetGravity(Command):
    """Change gravity (3,) [m/s^2]."""

    value: Vector

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.gravity = self.value


@dataclass(frozen=True)
class ChangeSetting(Command):
    """Change one field of the world's `Settings`."""

    setting: str
    value: Any

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.settings = dataclasses.replace(stage.world.settings, **{self.setting: self.value})


@dataclass(frozen=True)
class WakeAll(Command):
    """Wake all bodies."""

    builds = "never"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.wake_all()


# ------------------------------------------------------------------ bodies


@dataclass(frozen=True)
class Push(Command):
    """Give a body an impulse (3,) [N s] at a world point (3,) [m]."""

    builds = "at first"

    body: str
    point: Vector
    impulse: Vector

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.body(self.body).apply_impulse(self.impulse, self.point)


@dataclass(frozen=True)
class Grab(Command):
    """Begin to pull a body at a world point (3,) [m]; see `stoss.viewer.world.pull` for the modes."""

    builds = "never"

    body: str
    point: Vector
    mode: str = "drag"
    acceleration: float = 100.0

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.let_go()
        if self.mode == "pose":
            stage.pull = PosePull.begin(stage.world, self.body, self.point)
            return
        grip = Grip(self.body, self.mode, self.acceleration, goal=self.point)
        stage.pull = Pull.begin(stage.world, grip)


@dataclass(frozen=True)
class MovePointer(Command):
    """Move the pointer that pulls to (3,) [m]; `quaternion` is how far "grab" is to turn the body."""

    builds = "never"

    point: Vector
    quaternion: Vector = (1.0, 0.0, 0.0, 0.0)

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        if isinstance(stage.pull, Pull):
            stage.pull.move(self.point, self.quaternion)
        elif isinstance(stage.pull, PosePull):
            stage.pull.move(self.point)


@dataclass(frozen=True)
class Throw(Command):
    """Throw a ball of a radius [m] and density [kg/m^3] from a place [m] with a velocity [m/s]."""

    builds = "at first"

    position: Vector
    velocity: Vector
    radius: float = 0.2
    density: float = 1000.0

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        from stoss.collision import Sphere

        stage.world.add_body(
            Sphere(self.radius),
            position=self.position,
            velocity=self.velocity,
            density=self.density,
            name=stage.free_name("ball"),
        )


@dataclass(frozen=True)
class Freeze(Command):
    """Hold a body where it is, by a joint to the world."""

    builds = "at first"

    body: str

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        world = stage.world
        body = world.body(self.body)
        if frozen_joint(stage, self.body) is None:
            body.velocity = body.angular_velocity = (0.0, 0.0, 0.0)
            world.add_joint(Fixed(tuple(body.center_of_mass)), None, body, name=f"freeze {self.body}")


@dataclass(frozen=True)
class Unfreeze(Command):
    """Let a frozen body go."""

    builds = "at first"

    body: str

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        joint = frozen_joint(stage, self.body)
        if joint is not None:
            stage.world.remove_joint(joint)


def frozen_joint(stage: Stage, body: str) -> Joint | None:
    """Return the joint that holds a frozen body, None if it is not frozen."""
    wanted = f"freeze {body}"
    return next((joint for joint in stage.world.joints if joint.name == wanted), None)


@dataclass(frozen=True)
class Delete(Command):
    """Remove a body with its joints."""

    body: str

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        if self.body == POINTER:
            raise ValueError(f"body = {POINTER!r} holds what is pulled; let go instead of deleting it")
        body = stage.world.body(self.body)
        if stage.pull is not None and stage.pull.holds(body):
            stage.let_go()
        stage.world.remove_body(body)


@dataclass(frozen=True)
class Duplicate(Command):
    """Add a body like another one, shifted by (3,) [m]."""

    body: str
    shift: Vector

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        body = stage.world.body(self.body)
        place = tuple(float(x + d) for x, d in zip(body.position, self.shift, strict=True))
        stage.world.duplicate(body, position=place, name=stage.free_name(f"{self.body} copy"))


@dataclass(frozen=True)
class SetVelocity(Command):
    """Set velocity [m/s] and angular velocity [rad/s] (3,) of a body."""

    builds = "at first"

    body: str
    velocity: Vector
    angular_velocity: Vector

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        body = stage.world.body(self.body)
        body.velocity, body.angular_velocity = self.velocity, self.angular_velocity


@dataclass(frozen=True)
class SetMass(Command):
    """Set the mass [kg] of a body."""

    body: str
    value: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.body(self.body).mass = self.value


@dataclass(frozen=True)
class SetMaterial(Command):
    """Set one field of a body's `Material`."""

    body: str
    field: str
    value: Any

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        body = stage.world.body(self.body)
        body.material = dataclasses.replace(body.material, **{self.field: self.value})


# ------------------------------------------------------------------ joints


@dataclass(frozen=True)
class SwitchJoint(Command):
    """Switch a joint on or off."""

    joint: str
    enabled: bool

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.joint(self.joint).enabled = self.enabled


@dataclass(frozen=True)
class SetBreakLoad(Command):
    """Set the reaction force [N] and torque [N m] at which a joint breaks."""

    joint: str
    force: float
    torque: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        joint = stage.world.joint(self.joint)
        joint.break_force, joint.break_torque = self.force, self.torque


@dataclass(frozen=True)
class SetDrive(Command):
    """Set a quantity of a joint's drive, counted from 0, such as target, stiffness or max_force."""

    joint: str
    drive: int
    quantity: str
    value: Any

    QUANTITIES: ClassVar[tuple[str, ...]] = (
        *("enabled", "target", "target_rate", "stiffness", "damping", "max_force"),
        *("gain", "reset_time", "derivative_time", "window"),
    )

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        drive = stage.world.joint(self.joint).drives[self.drive]
        if self.quantity not in drive_quantities(drive):
            raise ValueError(
                f"quantity = {self.quantity!r}; a {type(drive).__name__} has "
                f"{', '.join(drive_quantities(drive))}"
            )
        setattr(drive, self.quantity, self.value)


def drive_quantities(drive: Drive | PidDrive) -> tuple[str, ...]:
    """Return the quantities of a drive that can be set."""
    return tuple(name for name in SetDrive.QUANTITIES if hasattr(type(drive), name))


@dataclass(frozen=True)
class SetLimit(Command):
    """Set the bounds [m or rad] of a joint's limit, counted from 0."""

    joint: str
    limit: int
    lower: float
    upper: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.joint(self.joint).limits[self.limit].set(self.lower, self.upper)
