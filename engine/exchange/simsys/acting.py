"""Loads and controllers of a model of simsys as records: forces, springs, stops, PID, torsion springs."""

import math
import re
from typing import Any

from stoss.engine.exchange.simsys.beginning import turns
from stoss.engine.exchange.simsys.description import Description
from stoss.engine.exchange.simsys.factors import Factor, negative, over, plus, times
from stoss.engine.exchange.simsys.meaning import TIME
from stoss.engine.exchange.simsys.recognising import (
    BodyTorque,
    Force,
    JointTorque,
    LineForce,
    Pid,
    Torsion,
    recognised,
)
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import Expression, evaluate

__all__ = ["Acting"]


class Acting:
    """What acts in a model.

    Args:
        found: the model.
        names: of its bodies.
        known: what stands for the variables of code in expressions.
        params: of the model.

    Attributes:
        left_out: what was not taken over.
    """

    def __init__(
        self,
        found: Description,
        names: tuple[str, ...],
        known: dict[str, Factor],
        params: list[records.Parameter],
    ) -> None:
        self.found, self.names = found, names
        self._params = {one.name: float(one.value) for one in params}
        self.recognised = recognised(found, known)
        self.left_out = self.recognised.left_out

    def number(self, factor: Factor) -> float:
        """Return a factor as a number of a record, which keeps how it is written."""
        if not isinstance(factor, str):
            return float(factor)
        try:
            return Expression(evaluate(factor, self._params), factor)
        except ModelError as error:
            raise ModelError(f"{self.found.keys.path}: {error}") from error

    def actions(self, joint: int) -> list[records.Action]:
        """Return what acts on a joint."""
        found = []
        for one in self.recognised.joints:
            if not isinstance(one, Pid) or one.joint != joint:
                continue
            gains: dict[str, Any] = {
                "kp": self.number(one.p),
                "ki": self.number(one.i),
                "kd": self.number(one.d),
            }
            target = None if one.target is None else self.number(self._coordinate(joint, one.target))
            found.append(records.Action(type="control", target=target, **gains))
        return found

    def fields(self) -> dict[str, Any]:
        """Return fields of the model."""
        loads: list[records.Load] = []
        for one in (*self.recognised.loads, *self.recognised.joints):
            made = self._over_time(one) if _changes(one) else self._load(one)
            if isinstance(made, str):
                self.left_out.append(f"{one.name}: {made}")
            elif made is not None:
                loads += made if isinstance(made, list) else [made]
        for number, (_, spring) in enumerate(self.found.springs, 1):
            loads.append(
                records.Load(
                    name=f"spring_{number}",
                    type="spring_damper",
                    first=self._lever(spring.first[0] - 1, spring.first[1] - 1),
                    second=self._lever(spring.second[0] - 1, spring.second[1] - 1),
                    rest=spring.rest,
                    stiffness=spring.a,
                    power=spring.b,
                    damping=spring.c,
                    damping_power=spring.d,
                    damping_by="deflection",
                    file_units=True,
                )
            )
        order = int(self.found.keys.number("GelAnschlOrdnung", 0.0))
        for joint in self.found.counted:
            loads += self._stops(joint, order)
        return {"forces": tuple(loads)}

    def _load(self, one: Any) -> records.Load | str | None:
        """Return the record of a load, None if it is none, or why it cannot be one."""
        if isinstance(one, Pid):
            return None
        if isinstance(one, Force):
            force = (*map(self.number, one.force), 0.0)
            return records.Load(name=one.name, type="force", at=self._lever(one.body, one.lever), force=force)
        if isinstance(one, BodyTorque):
            torque = (0.0, 0.0, self.number(one.torque))
            return records.Load(name=one.name, type="torque", body=self.names[one.body], torque=torque)
        if isinstance(one, JointTorque):
            # positive acts on the first body, and its opposite on the second
            moment = (self.number(times(-self._sign(one.joint), one.torque)),)
            joint = f"joint_{one.joint + 1}"
            return records.Load(name=one.name, type="joint_torque", joint=joint, torque=moment)
        if isinstance(one, Torsion):
            degrees = turns(self.found)[0][one.body]
            rest = f"deg({degrees!r})" if one.rest is None else one.rest
            return records.Load(
                name=one.name,
                type="rotational_spring",
                first=self.names[one.body],
                rest=self.number(rest),
                stiffness=self.number(one.stiffness),
                damping=self.number(one.damping),
            )
        assert isinstance(one, LineForce)
        ends: dict[str, Any] = {"first": self._lever(*one.first), "second": self._lever(*one.second)}
        if one.slope == 0:
            return records.Load(name=one.name, type="line_force", force=(self.number(one.constant),), **ends)
        rest, stiffness = self.number(negative(over(one.constant, one.slope))), self.number(one.slope)
        if stiffness < 0.0 or rest < 0.0:
            return f"a muscle of {one.constant} + {one.slope} times its length is no spring"
        return records.Load(name=one.name, type="spring_damper", rest=rest, stiffness=stiffness, **ends)

    def _over_time(self, one: Any) -> list[records.Load] | str:
        """Return the records of what changes with the time, one for each component, or why there are none."""
        base: dict[str, Any]
        factors: tuple[Factor, ...]
        units: tuple[tuple[float, ...], ...] = ((1.0,),)
        if isinstance(one, Force):
            amount, factors, units = "force", one.force, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
            base = {"type": "force", "at": self._lever(one.body, one.lever)}
        elif isinstance(one, BodyTorque):
            amount, factors, units = "torque", (one.torque,), ((0.0, 0.0, 1.0),)
            base = {"type": "torque", "body": self.names[one.body]}
        elif isinstance(one, JointTorque):
            amount, factors = "torque", (times(-self._sign(one.joint), one.torque),)
            base = {"type": "joint_torque", "joint": f"joint_{one.joint + 1}"}
        elif isinstance(one, LineForce) and one.slope == 0:
            amount, factors = "force", (one.constant,)
            base = {
                "type": "line_force",
                "first": self._lever(*one.first),
                "second": self._lever(*one.second),
            }
        else:
            return "it changes with the time, which no spring of models does; add a function, World.add_load"
        acting = [(axis, str(f), unit) for axis, f, unit in zip("xy", factors, units, strict=False) if f != 0]
        found = []
        for axis, factor, unit in acting:
            base |= {"name": one.name if len(acting) == 1 else f"{one.name} {axis}", amount: unit}
            found.append(records.Load(factor=re.sub(rf"\b{TIME}\b", "t", factor), **base))
        return found

    def _lever(self, body: int, lever: int) -> str:
        return f"{self.names[body]}:lever_{lever + 1}"

    # ------------------------------------------------------------- angles of joints

    def _sign(self, joint: int) -> int:
        own = self.found.counted.get(joint)
        return 1 if own is None else own.sign

    def _offset(self, joint: int) -> float:
        """Return the angle [degrees] between the levers of a joint where its bodies are turned alike."""
        own = self.found.joints[joint]
        angles = []
        for body, lever in ((own.first, own.first_lever), (own.second, own.second_lever)):
            x, z = self.found.levers[body][lever].position
            angles.append(math.degrees(math.atan2(z, x)))
        return angles[1] - angles[0]

    def _turned(self, joint: int) -> float:
        """Return by how many degrees simsys counts a joint higher, so that it begins from 0 to 360."""
        own = self.found.joints[joint]
        degrees = turns(self.found)[0]
        value = math.remainder(degrees[own.second] - degrees[own.first], 360.0)
        counted = self._sign(joint) * (value + self._offset(joint))
        return -360.0 * math.floor(counted / 360.0)

    def _coordinate(self, joint: int, angle: Factor) -> Factor:
        """Return the coordinate [rad] of a joint at which simsys counts an angle [rad]."""
        sign, more, offset = self._sign(joint), self._turned(joint), self._offset(joint)
        found = times(sign, plus(angle, negative(math.radians(more))))
        return plus(found, negative(math.radians(offset)))

    def _stops(self, joint: int, order: int) -> list[records.Load]:
        """Return the stops of a joint; where both have the same torque, as one load."""
        own = self.found.counted[joint]
        if own.lower is None or own.upper is None:
            return []
        more, offset = self._turned(joint), self._offset(joint)
        ends = []
        for stop in (own.lower, own.upper):
            ends.append((own.sign * (stop.angle - more) - offset, stop.width, stop.torque))
        low, high = sorted(ends)
        common: dict[str, Any] = {
            "type": "soft_stop",
            "joint": f"joint_{joint + 1}",
            "order": order or 3,
            "exponent": "degrees",
            "enabled": order > 0,
        }
        lower: dict[str, Any] = {"lower": _degrees(low[0]), "width_lower": _degrees(low[1])}
        upper: dict[str, Any] = {"upper": _degrees(high[0]), "width_upper": _degrees(high[1])}
        if low[2] == high[2]:
            name = f"stop_{joint + 1}"
            return [records.Load(name=name, max_torque=low[2], **common, **lower, **upper)]
        return [
            records.Load(name=f"lower_stop_{joint + 1}", max_torque=low[2], **common, **lower),
            records.Load(name=f"upper_stop_{joint + 1}", max_torque=high[2], **common, **upper),
        ]


def _changes(one: Any) -> bool:
    """Return whether something that acts changes with the time."""
    factors = [str(value) for key, value in vars(one).items() if key != "name"]
    return re.search(rf"\b{TIME}\b", " ".join(factors)) is not None


def _degrees(angle: float) -> Expression:
    angle = round(angle, 12)
    return Expression(math.radians(angle), f"deg({angle!r})")
