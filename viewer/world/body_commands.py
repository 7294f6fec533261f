"""Commands that push, pull, throw, hold, copy and change bodies."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from stoss.engine import Fixed, Joint
from stoss.viewer.world.pose import PosePull
from stoss.viewer.world.pull import POINTER, Grip, Pull
from stoss.viewer.world.stage import Command, Stage, Vector

__all__ = [
    "Delete",
    "Duplicate",
    "Freeze",
    "Grab",
    "MovePointer",
    "Push",
    "SetMass",
    "SetMaterial",
    "SetVelocity",
    "Throw",
    "Unfreeze",
    "frozen_joint",
]


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
