"""Handle of one load, valid while others come and go."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.world.exclusive import enters_world
from stoss.engine.world.handle import Handle
from stoss.engine.world.load_kind import LoadKind
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore
    from stoss.engine.world.body import Body

__all__ = ["Load"]


@closed
@enters_world("remove", light=("enabled", "amount"))
class Load(Handle):
    """One load of a world: what it does, a switch, and what it gave in the last step.

    Forces and torques are those that acted in the last step; `power` is their mean over it, `energy` what
    they gave since the load was added. Before a step they are zero.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if not self._store.registry.has(self):
            return f"<Load {self._name!r}, removed>"
        state = "" if self.enabled else ", disabled"
        return f"<Load {self._name!r}, {self._store.title(self._key)}{state}>"

    @property
    def _store(self) -> "LoadStore":
        store = self._world._loads
        assert store is not None
        return store

    def _valid(self) -> int:
        """Return its key.

        Raises:
            ValueError: it was removed.
        """
        self._store.registry.row(self)
        return self._key

    @property
    def kind(self) -> Any:
        """What it is: a load such as `Force`, or the function; assign another load of the same class."""
        return self._store.kind_of(self._valid())

    @kind.setter
    def kind(self, value: LoadKind) -> None:
        self._store.change(self._valid(), value)

    @property
    def amount(self) -> Any:
        """Force or torque that a `Force`, `Torque`, `LineForce` or `JointTorque` gives; assign to change it.

        A number or (3,), as the load was added, [N] or [N m], without its `factor`. Made for controllers: it
        is quick.
        """
        return self._store.amount(self._valid())

    @amount.setter
    def amount(self, value: Any) -> None:
        self._store.set_amount(self._valid(), value)

    @property
    def enabled(self) -> bool:
        """Whether it acts; assign to switch it on or off."""
        return self._store.enabled[self._valid()]

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._store.enable(self._valid(), checks.flag(f"load {self._name!r}: enabled", value))

    @property
    def implicit(self) -> bool:
        """Return whether it is solved together with the joints, and so stable at any stiffness."""
        return self._store.is_implicit(self._valid())

    @property
    def parameters(self) -> Mapping[str, float]:
        """Numbers of a function by their names; assign a dict with the same names."""
        return self._store.parameters(self._valid())

    @parameters.setter
    def parameters(self, value: Mapping[str, float]) -> None:
        self._store.set_parameters(self._valid(), value)

    @property
    def scratch(self) -> np.ndarray:
        """Return the numbers (k,) that a function keeps from step to step, a copy."""
        return self._store.scratch(self._valid()).copy()

    # ------------------------------------------------------------- what it did

    @property
    def effort(self) -> Any:
        """Return the number that its law gave in the last step: one, or (k,) of a load of several elements.

        Along a line [N], positive pulls the points together; along a coordinate of a joint [N or N m]; else
        the size of the force or torque. None for a function.
        """
        return self._store.result(self._valid(), "effort")

    @property
    def value(self) -> Any:
        """Return the length, angle or depth [m or rad] that its law is of.

        At the middle of the last step, as the force is; of an implicit load at present.
        """
        return self._store.result(self._valid(), "value")

    @property
    def rate(self) -> Any:
        """Return the rate [m/s or rad/s] of `value`."""
        return self._store.result(self._valid(), "rate")

    @property
    def states(self) -> tuple[str, ...]:
        """Return what each point of a `StickSlipContact` did in the last step: "none", "slip" or "stick".

        Raises:
            ValueError: it is a load of another kind.
        """
        return self._store.states(self._valid())

    @property
    def force(self) -> np.ndarray:
        """Return the force (3,) [N] on its first body; of a function the sum over all bodies."""
        return read_only(self._store.on_first(self._valid())[:3])

    @property
    def torque(self) -> np.ndarray:
        """Return the torque (3,) [N m] on its first body, about the centre of mass."""
        return read_only(self._store.on_first(self._valid())[3:])

    def on(self, body: "Body") -> np.ndarray:
        """Return force and torque about the centre of mass (6,) [N, N m] on a body in the last step.

        Args:
            body: the body.
        """
        row = self._world._body_store.row(body)
        return read_only(self._store.on_body(self._valid(), row))

    @property
    def power(self) -> float:
        """Return the power [W] that it gave to the bodies, mean over the last step."""
        return self._store.power(self._valid())

    @property
    def energy(self) -> float:
        """Return the energy [J] that it gave to the bodies since it was added, or since a snapshot's was."""
        return self._store.energy(self._valid())

    @property
    def potential(self) -> float:
        """Return the energy [J] that it stores at present; 0 for what stores none, and for functions."""
        return self._store.potential(self._valid())

    def remove(self) -> None:
        """Remove it; the handle becomes invalid."""
        self._store.remove(self)
