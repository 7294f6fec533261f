"""All commands: what a user may do to the world, to bodies and to joints between two steps.

The window never touches the world: it puts commands into the list of the simulation, which carries them out
before its next step. So a session can be written to a file and be replayed bit for bit.
"""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_type_hints

from stoss.declared import check
from stoss.viewer.world.body_commands import (
    Delete,
    Duplicate,
    Freeze,
    Grab,
    MovePointer,
    Push,
    SetMass,
    SetMaterial,
    SetVelocity,
    Throw,
    Unfreeze,
)
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
    SetBreakLoad,
    SetDrive,
    SetLimit,
    SwitchJoint,
)
from stoss.viewer.world.pose import SetCoordinate
from stoss.viewer.world.stage import Command, Release, Stage, Vector

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
