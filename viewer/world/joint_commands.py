"""Commands that give joints motors, servos and stops, set these or take them away, or hold a coordinate."""

from dataclasses import dataclass
from typing import Any, ClassVar

from stoss.engine import Drive
from stoss.engine.world.drives import PidDrive
from stoss.viewer.world.joint_pull import JointPull
from stoss.viewer.world.stage import Command, Stage

__all__ = [
    "AddLimit",
    "AddMotor",
    "AddServo",
    "HoldJoint",
    "RemoveDrive",
    "RemoveLimit",
    "SetBreakLoad",
    "SetDrive",
    "SetLimit",
    "SwitchJoint",
    "drive_quantities",
]


@dataclass(frozen=True)
class AddMotor(Command):
    """Drive a coordinate of a joint at a rate [m/s or rad/s], with at most `max_force` [N or N m]."""

    joint: str
    coordinate: str
    velocity: float
    max_force: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        joint = stage.world.joint(self.joint)
        joint.motor(self.velocity, max_force=self.max_force, coordinate=self.coordinate)


@dataclass(frozen=True)
class AddServo(Command):
    """Drive a coordinate of a joint to a value [m or rad] by a spring and a damper; see `Joint.servo`."""

    joint: str
    coordinate: str
    target: float
    stiffness: float
    damping: float
    max_force: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.joint(self.joint).servo(
            self.target,
            stiffness=self.stiffness,
            damping=self.damping,
            max_force=self.max_force,
            coordinate=self.coordinate,
        )


@dataclass(frozen=True)
class AddLimit(Command):
    """Stop a coordinate of a joint between two bounds [m or rad]."""

    joint: str
    coordinate: str
    lower: float
    upper: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        stage.world.joint(self.joint).limit(self.lower, self.upper, coordinate=self.coordinate)


@dataclass(frozen=True)
class RemoveDrive(Command):
    """Remove a drive of a joint, counted from 0."""

    joint: str
    drive: int

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        if isinstance(stage.pull, JointPull):
            stage.let_go()  # it counts the drives too
        drives = stage.world.joint(self.joint).drives
        drives[_within("drive", self.drive, len(drives))].remove()


@dataclass(frozen=True)
class RemoveLimit(Command):
    """Remove a limit of a joint, counted from 0."""

    joint: str
    limit: int

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        limits = stage.world.joint(self.joint).limits
        limits[_within("limit", self.limit, len(limits))].remove()


@dataclass(frozen=True)
class HoldJoint(Command):
    """Move a coordinate of a joint to a value [m or rad] and hold it there, until `Release`."""

    builds = "never"

    joint: str
    coordinate: str
    value: float

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        pull = stage.pull
        if isinstance(pull, JointPull) and (pull.grip.joint, pull.grip.coordinate) == (
            self.joint,
            self.coordinate,
        ):
            pull.move(self.value)
            return
        stage.let_go()
        stage.pull = JointPull.begin(stage.world, self.joint, self.coordinate, self.value)


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


def _within(name: str, number: int, count: int) -> int:
    if not 0 <= number < count:
        raise ValueError(f"{name} = {number} is not there: the joint has {count}")
    return number
