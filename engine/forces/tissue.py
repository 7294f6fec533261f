"""Muscles and soft tissue: a line that pulls by its length, a soft body that wobbles in its bone."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.collision.quaternions import conjugate, multiply, rotate
from stoss.engine import checks
from stoss.engine.forces.arrays import MUSCLE, WOBBLING, LoadRows
from stoss.engine.forces.constant import ReadyLoad, line_rows, set_end, two_ends
from stoss.engine.forces.ends import place_of
from stoss.engine.forces.springs import distance
from stoss.engine.joints.frames import direction
from stoss.engine.world.load_kind import End, Place
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Muscle", "WobblingMass"]


@closed
@dataclass(frozen=True)
class Muscle(ReadyLoad):
    """A muscle along a line: what it can pull depends on its length, and on how fast it shortens.

    force = activation max_force exp(-((length / optimal_length - 1) / width)^2) g. Where it shortens at u
    times `max_speed` g = (1 - u) / (1 + 4 u) (Hill), where it is lengthened up to 1.5; without `max_speed` 1.
    It never pushes. `load.amount` is its activation. Krieg 1992, section 3.2.4 has a force of the user's at
    this place; for such a law use a function and `context.line_force`.

    Args:
        first, second: origin and insertion: bodies, markers, (body, point), or points of the world.
        max_force: [N] at optimal length, isometric, fully active.
        optimal_length: [m]; None: the length when it is added.
        width: of the range in which it can pull, as a share of the optimal length.
        activation: 0 to 1.
        max_speed: of shortening [m/s], at which it can pull no more; inf: speed does not matter.
    """

    first: Place
    second: Place
    max_force: float = 0.0
    optimal_length: float | None = None
    width: float = 0.5
    activation: float = 1.0
    max_speed: float = np.inf

    _ends: ClassVar = ("first", "second")
    _amount: ClassVar = "activation"

    def __post_init__(self) -> None:
        name = self._name
        if self.optimal_length is not None:
            self._set(optimal_length=checks.positive(f"{name}: optimal_length", self.optimal_length, "m"))
        self._set(
            max_force=checks.number(f"{name}: max_force", self.max_force, "N", least=0.0),
            width=checks.number(f"{name}: width", self.width, above=0.0),
            activation=checks.number(f"{name}: activation", self.activation, least=0.0, most=1.0),
            max_speed=checks.number(f"{name}: max_speed", self.max_speed, "m/s", above=0.0, finite=False),
        )

    def _checked(self, what: str, world: "World") -> "Muscle":
        first, second = two_ends(what, self.first, self.second, world)
        length = distance(first, second, world) if self.optimal_length is None else self.optimal_length
        if length == 0.0:
            raise ValueError(f"{what}: both ends are at one point; give optimal_length")
        return replace(self, first=first, second=second, optimal_length=length)

    def _rows(self, world: "World") -> LoadRows:
        rows = line_rows(MUSCLE, self.first, self.second, world)
        law = self.activation, self.max_force, self.optimal_length, self.width, self.max_speed
        rows.numbers[0, :5] = law
        return rows


@closed
@dataclass(frozen=True)
class WobblingMass(ReadyLoad):
    """Hold a body of soft tissue in its bone by cubic springs, along the bone and across it apart.

    Krieg 1992, section 3.2.1, after Gruber: area (stiffness |d|^(power-1) d + damping |d|^damping_by d') for
    the displacement d of the soft body's centre of mass along the axis of the bone, the same across it, and a
    torque turn_stiffness angle + turn_damping rate. Different here: in space, and the force acts on both
    bodies at the same point, so that angular momentum is kept to rounding (the correction of the thesis is in
    that). A linear coupling is `power=1, damping_by=0`.

    Args:
        soft: the soft body, without shapes that touch the bone.
        bone: where the soft body's centre of mass rests: a body (at its own), a marker, or (body, point).
        axis: of the bone (3,), in its frame.
        stiffness, damping: along the axis, per area: [N/m^power / m^2] and so on.
        stiffness_across, damping_across: the same across it; None: as along.
        area: cross-section [m^2].
        power: of the displacement, 1 or more.
        damping_by: power of the displacement that scales the damping, 0 or more.
        turn_stiffness, turn_damping: [N m/rad] and [N m s/rad].
        neutral: orientation (4,) of the bone's frame in that of the soft body without such a torque; None: as
            it is when the load is added.
    """

    soft: Place
    bone: Place
    axis: Any = (0.0, 0.0, 1.0)
    stiffness: float = 0.0
    damping: float = 0.0
    stiffness_across: float | None = None
    damping_across: float | None = None
    area: float = 1.0
    power: float = 3.0
    damping_by: float = 1.0
    turn_stiffness: float = 0.0
    turn_damping: float = 0.0
    neutral: Any = None

    _ends: ClassVar = ("soft", "bone")

    def __post_init__(self) -> None:
        name = self._name
        if self.stiffness_across is None:
            self._set(stiffness_across=self.stiffness)
        if self.damping_across is None:
            self._set(damping_across=self.damping)
        for field in ("stiffness", "damping", "stiffness_across", "damping_across", "damping_by"):
            self._set(**{field: checks.number(f"{name}: {field}", getattr(self, field), least=0.0)})
        if self.neutral is not None:
            self._set(neutral=checks.unit_quaternion(f"{name}: neutral", self.neutral))
        self._set(
            axis=direction(f"{name}: axis", self.axis),
            area=checks.number(f"{name}: area", self.area, "m^2", above=0.0),
            power=checks.number(f"{name}: power", self.power, least=1.0),
            turn_stiffness=checks.number(
                f"{name}: turn_stiffness", self.turn_stiffness, "N m/rad", least=0.0
            ),
            turn_damping=checks.number(f"{name}: turn_damping", self.turn_damping, "N m s/rad", least=0.0),
        )

    def _checked(self, what: str, world: "World") -> "WobblingMass":
        soft, bone = two_ends(what, self.soft, self.bone, world)
        if soft.body is None:
            raise ValueError(f"{what}: soft = {checks.shown(self.soft)} is in the world; give the soft body")
        neutral = _relative(soft, bone, world) if self.neutral is None else self.neutral
        return replace(self, soft=soft, bone=bone, neutral=neutral)

    def _rows(self, world: "World") -> LoadRows:
        rows = LoadRows(1, WOBBLING)
        set_end(rows, 0, self.soft, world)
        set_end(rows, 1, self.bone, world)
        rows.points[0, :3] = 0.0  # its centre of mass
        across = self.stiffness_across, self.damping_across
        turning = self.turn_stiffness, self.turn_damping
        law = self.area, self.stiffness, self.damping, *across, self.power, self.damping_by, *turning
        rows.numbers[0, :9] = law
        _, _, frame = place_of(self.bone, world)
        rows.numbers[0, 9:12] = rotate(frame, self.axis)
        # the soft body's principal axes, as it was added, in those of the bone
        _, _, mine = place_of(End(self.soft.body, None, self.neutral), world)
        rows.turn[0] = multiply(frame, conjugate(mine))
        return rows


def _relative(soft: End, bone: End, world: "World") -> Any:
    """Return the frame of the bone as the soft body sees it at present."""
    store, out = world._all_bodies, (1.0, 0.0, 0.0, 0.0)
    if bone.body is not None:
        body = store.handles[store.registry.row_of_key(bone.body)]
        w, x, y, z = body.quaternion.tolist()
        out = multiply((w, x, y, z), bone.quaternion)
    assert soft.body is not None
    own = store.handles[store.registry.row_of_key(soft.body)]
    w, x, y, z = own.quaternion.tolist()
    return multiply(conjugate((w, x, y, z)), out)
