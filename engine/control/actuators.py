"""Actuators: what gives forces and torques on the coordinates of joints, as commands tell."""

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stoss.engine import checks
from stoss.engine.control.part import Part
from stoss.engine.control.signals import Signal, checked_limit
from stoss.engine.control.state import give_back, state_of
from stoss.engine.forces.constant import JointTorque
from stoss.engine.forces.load import Load
from stoss.engine.world.drives import RowHandle
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_checks import checked_coordinate
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Actuator", "TorqueActuator", "VelocityActuator", "remove_traces"]

AXES = ("joint", "first", "second", "world")

Handle = RowHandle | Load


class Actuator(Part):
    """Something that acts on a joint in each step, as its command tells: what actuators have in common.

    `world.add_actuator(actuator)` adds it. Before each step, when all controllers have been asked, it takes
    its command, lets it be late and lag, adds noise and keeps within its limit, in this order. A joint that
    is disabled or broken feels nothing.

    Args:
        joint: the joint.
        coordinate: name of the coordinate; None: the only one.
        limit: largest force [N] or torque [N m], or the lowest and the highest one.
        delay, lag, noise, seed: of what it is told; see `Signal`.
    """

    noun: ClassVar[str] = "actuator"
    _no_state: ClassVar[frozenset[str]] = Part._no_state | {"_seen", "_acts", "_steady"}

    def __init__(
        self, joint: Joint, coordinate: str | None, limit: Any, delay: Any, lag: Any, noise: Any, seed: Any
    ) -> None:
        self._joint = checks.instance("joint", joint, Joint, "world.joint('elbow')")
        self._coordinate = checked_coordinate(joint, coordinate, drive=True)
        self._signal = Signal(delay, lag, noise, seed, checked_limit("limit", limit))
        self._handle: Handle | None = None
        self._acts_by = ""  # name of its load, or key of its row
        self._seen: Any = None  # versions of joints and loads for which the handle is known to be valid
        self._acts = False  # whether it is switched on, and its joint
        self._steady = False  # whether it goes on as in the last step, since nothing was told or moves
        self._enabled = True
        self._command: Any = 0.0

    @property
    def joint(self) -> Joint:
        """Return the joint."""
        return self._joint

    @property
    def coordinate(self) -> str:
        """Return the name of the coordinate."""
        return self._coordinate

    @property
    def enabled(self) -> bool:
        """Whether it acts; assign to switch it on or off."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._enabled, self._seen = checks.flag("enabled", value), None

    @property
    def command(self) -> Any:
        """What it is told, until it is told something else; assign to change it."""
        return self._command

    @command.setter
    def command(self, value: Any) -> None:
        self._tell(checks.number(f"{type(self).__name__}.command", value))

    def _tell(self, command: Any) -> None:
        self._command, self._steady = command, False

    @property
    def force(self) -> Any:
        """Force [N] or torque [N m] on the second body along the coordinate, mean over the last step."""
        given = self._present()
        if given is None:
            return 0.0
        return given.force if isinstance(given, RowHandle) else given.effort

    def _at(self) -> tuple[Joint, ...]:
        return (self._joint,)

    def _added(self, world: "World") -> None:
        self._signal.start(self._name)

    def _left(self) -> None:
        given = self._present()
        if given is not None:
            given.remove()
        self._forget()

    def _forget(self) -> None:
        """Act by nothing any more: in a world that took a state in which it is not."""
        self._handle = self._seen = None
        self._acts_by = ""

    def _give_back(self, state: Any) -> None:
        super()._give_back(state)
        self._seen = None
        if self._handle is not None and _acts_by(self._handle) != self._acts_by:
            self._handle = None

    def _mark(self) -> Any:
        return vars(self).copy(), None if self._signal.is_plain else state_of(self._signal)

    def _return(self, mark: Any) -> None:
        own, signal = mark
        vars(self).update(own)
        if signal is not None:
            give_back(self._signal, signal, "signal")
        self._seen = None

    def _present(self) -> Handle | None:
        """Return the row, or the load, by which it acts, None if there is none at present."""
        given, joint = self._handle, self._joint
        if not joint.world._all_joints.registry.has(joint):
            return None
        if isinstance(given, RowHandle) and given.joint is joint and given._row() >= 0:
            return given
        store = joint.world._loads
        if isinstance(given, Load) and store is not None and store.registry.has(given):
            return given
        self._handle = self._of_snapshot()
        return self._handle

    def _of_snapshot(self) -> Handle | None:
        """Return the row, or the load, by which it acts in a world that took the state of another one."""
        if self._acts_by.isdigit():
            return next((row for row in self._joint._rows if row._key == int(self._acts_by)), None)
        store = self._joint.world._loads
        found = store is not None and self._acts_by in store.registry
        return store.registry.named(self._acts_by) if store is not None and found else None

    def _new(self) -> Handle:
        """Return a new row, or a new load, by which it acts."""
        raise NotImplementedError

    def _new_load(self, torque: Any, **options: Any) -> Load:
        name = f"{self.noun} {self._name}"
        return self._in_world().add_load(JointTorque(self._joint, torque, **options), name=name)

    def _act(self, time: float, h: float, versions: Any) -> None:
        """Act in the step from `time`, of length h [s].

        Args:
            time, h: of the step.
            versions: of joints and loads, which change when any of them come, go, or are switched.
        """
        if versions == self._seen:
            if self._acts and not self._steady and self._handle is not None:
                self._drive(self._handle, time, h)
            return
        self._seen, self._acts = versions, self._enabled and self._joint.enabled
        given = self._present()
        if not self._acts:
            if given is not None:
                given.enabled = False
            return
        if given is None:
            given = self._handle = self._new()
            self._acts_by = _acts_by(given)
        if not given.enabled:
            given.enabled = True
        self._drive(given, time, h)

    def _drive(self, given: Handle, time: float, h: float) -> None:
        """Give what it is to give in a step."""
        amount = self._signal.command(self._command, time, h)
        self._steady = self._signal.is_plain
        if isinstance(given, RowHandle):
            given._arrays.target_rate[given.index] = amount
        elif isinstance(amount, float):
            given._store.give(given._key, amount)
        else:
            given.amount = amount


@closed
class TorqueActuator(Actuator):
    """Give a force or torque on a coordinate of a joint, or a torque about axes: a motor without control.

    It acts on the second body, and its opposite on the first one, and is constant during a step.

    Args:
        joint: the joint.
        coordinate: name of the coordinate, may be left out where there is one.
        axes: in place of a coordinate, for ball joints: commands are torques (3,) about the axes of the
            "joint" (its frame on the first body), of the "first" or "second" body, or of the "world".
        limit: largest force [N] or torque [N m], or the lowest and the highest one.
        delay: by how much commands come late [s].
        lag: time constant with which it follows them [s].
        noise: standard deviation of what it gives from step to step [N or N m].
        seed: of the noise; by default one of its own.
    """

    def __init__(
        self,
        joint: Joint,
        coordinate: str | None = None,
        *,
        axes: str | None = None,
        limit: Any = np.inf,
        delay: float = 0.0,
        lag: float = 0.0,
        noise: float = 0.0,
        seed: int | None = None,
    ) -> None:
        self._axes = None if axes is None else checks.choice("axes", axes, AXES)
        checks.number("noise", noise, "N or N m", least=0.0)
        if axes is not None:
            checks.instance("joint", joint, Joint, "world.joint('hip')")
            if coordinate is not None:
                raise ValueError(f"axes = {axes!r} and coordinate = {coordinate!r}: give one of them")
            coordinate = joint.coordinates[0] if joint.coordinates else None
        super().__init__(joint, coordinate, limit, delay, lag, noise, seed)
        if axes is not None:
            if -self._signal.limit[0] != self._signal.limit[1]:
                raise ValueError(f"limit = {checks.shown(limit)} of a torque about axes must be one number")
            self._command = np.zeros(3)

    @property
    def command(self) -> Any:
        """Force [N] or torque [N m] that it is to give: a number, or (3,) about axes; assign to change it."""
        return self._command

    @command.setter
    def command(self, value: Any) -> None:
        if self._axes is None:
            self._tell(checks.number("TorqueActuator.command", value, "N or N m"))
        else:
            self._tell(checks.vector("TorqueActuator.command", value))

    @property
    def force(self) -> Any:
        """Force [N] or torque [N m] on the second body in the last step; about axes (3,), world."""
        if self._axes is None:
            return super().force
        given = self._present()
        return np.zeros(3) if given is None else given.torque  # type: ignore[union-attr]

    def _new(self) -> Handle:
        if self._axes is None:
            return self._new_load(0.0, coordinate=self._coordinate)
        return self._new_load((0.0, 0.0, 0.0), frame=self._axes)


@closed
class VelocityActuator(Actuator):
    """Drive a coordinate of a joint at a rate, with no more than a largest force: a row of the solver.

    Args:
        joint: the joint.
        coordinate: name of the coordinate, may be left out where there is one.
        limit: largest force [N] or torque [N m].
        delay: by how much commands come late [s].
        lag: time constant with which the wanted rate follows them [s].
        noise: standard deviation of the wanted rate from step to step [m/s or rad/s].
        seed: of the noise; by default one of its own.
    """

    def __init__(
        self,
        joint: Joint,
        coordinate: str | None = None,
        *,
        limit: float = np.inf,
        delay: float = 0.0,
        lag: float = 0.0,
        noise: float = 0.0,
        seed: int | None = None,
    ) -> None:
        checks.number("noise", noise, "m/s or rad/s", least=0.0)
        super().__init__(joint, coordinate, np.inf, delay, lag, noise, seed)
        self._most = checks.number("limit", limit, "N or N m", least=0.0, finite=False)

    @property
    def command(self) -> Any:
        """Rate at which it is to move [m/s or rad/s]; assign to change it."""
        return self._command

    @command.setter
    def command(self, value: Any) -> None:
        self._tell(checks.number("VelocityActuator.command", value, "m/s or rad/s"))

    def _new(self) -> Handle:
        return self._joint.motor(0.0, max_force=self._most, coordinate=self._coordinate)


def _acts_by(given: Handle) -> str:
    """Return what tells apart the rows and loads by which actuators act."""
    return str(given._key) if isinstance(given, RowHandle) else given.name


def remove_traces(world: "World", state: Any) -> None:
    """Remove the row or the load of an actuator that is not in a world, by its state in a snapshot."""
    acts_by = dict(state[1:]).get("_acts_by", "")
    if world._loads is not None and acts_by in world._loads.registry:
        world.load(acts_by).remove()
    for joint in world.joints if acts_by.isdigit() else ():
        for row in [*joint._rows]:
            if row._key == int(acts_by):
                row.remove()
