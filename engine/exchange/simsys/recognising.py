"""What the code of a model of simsys does, as loads and controllers: recognised from what it means.

A torque of a joint that is p times its angle less that at the beginning, and so on, is a controller; a torque
of a body that is so many times its turn is a torsion spring; a force of parameters and the time is a force.
What is none of these is told, with the reason.
"""

from dataclasses import dataclass

from stoss.engine.exchange.simsys.c_code import Code, statements
from stoss.engine.exchange.simsys.description import Description
from stoss.engine.exchange.simsys.factors import Factor, negative, over
from stoss.engine.exchange.simsys.meaning import CONSTANT, Meaning, Sum, Unknown, Value
from stoss.engine.model.errors import ModelError

__all__ = ["BodyTorque", "Force", "JointTorque", "LineForce", "Pid", "Recognised", "Torsion", "recognised"]


@dataclass(frozen=True)
class Force:
    """A force at a lever, numbers from 0 [N]; factors may name the time."""

    name: str
    body: int
    lever: int
    force: tuple[Factor, Factor]


@dataclass(frozen=True)
class LineForce:
    """A force from the end of one lever to that of another: constant + slope * length, positive pulls."""

    name: str
    first: tuple[int, int]
    second: tuple[int, int]
    constant: Factor
    slope: Factor


@dataclass(frozen=True)
class BodyTorque:
    """A torque on a body [N m]; it may name the time."""

    name: str
    body: int
    torque: Factor


@dataclass(frozen=True)
class Torsion:
    """Spring and damper that turn a body back: -stiffness (turn - rest) - damping spin.

    Args:
        rest: turn without torque [rad]; None: that at the beginning.
    """

    name: str
    body: int
    stiffness: Factor
    damping: Factor
    rest: Factor | None


@dataclass(frozen=True)
class JointTorque:
    """A torque in a joint [N m], positive closes it: on the first body, and the opposite on the second."""

    name: str
    joint: int
    torque: Factor


@dataclass(frozen=True)
class Pid:
    """A controller of a joint; gains of rad and s.

    Args:
        target: in the angle that the joint counts [rad]; None: what it is at the beginning.
    """

    name: str
    joint: int
    p: Factor
    i: Factor
    d: Factor
    target: Factor | None


@dataclass
class Recognised:
    """What was recognised, in the order of the blocks, and what was not."""

    joints: list[JointTorque | Pid]
    loads: list[Force | LineForce | BodyTorque | Torsion]
    left_out: list[str]


def recognised(found: Description, known: dict[str, Factor]) -> Recognised:
    """Return what the code of a model does.

    Args:
        found: the model.
        known: values of the user's parameters, by variable.
    """
    return _Recogniser(found, known).run()


class _Recogniser:
    def __init__(self, found: Description, known: dict[str, Factor]) -> None:
        self.found = found
        self.integrals = int(found.keys.number("IntVarZahl", 0.0))
        count, joints = len(found.masses), len(found.joints)
        names: dict[str, Factor] = {
            "PI": "pi",
            "M_PI": "pi",
            "KoeZahl": count,
            "VarZahl": self.integrals,
            "FedZahl": len(found.springs),
            "HebPKoe": max(map(len, found.levers)),
            "gx": found.keys.number("GravitatX", 0.0),
            "gz": found.keys.number("GravitatZ", 0.0),
        }
        names |= {f"m[{number}]": value for number, value in enumerate(found.masses)}
        names |= {f"t[{number}]": value for number, value in enumerate(found.inertias)}
        counts = {"GelWinkel": joints, "GelWinGeschw": joints, "var": self.integrals, "z": count}
        self.meaning = Meaning(names | known, found.functions, counts)
        self.result = Recognised([], [], [])
        self.rates: list[Value] = []

    def run(self) -> Recognised:
        found = self.found
        # code runs in this order; integrals are sensed by it, and what they are is known behind it
        values: dict[str, list[tuple[Code, list[Value]]]]
        values = {"muscles": [], "torques": [], "forces": [], "body torques": []}
        for piece in found.torques:
            values["torques"].append((piece, [self.follow(piece, ())]))
        for piece in found.muscles:
            values["muscles"].append((piece, [self.follow(piece, (), length=True)]))
        for piece in found.forces:
            self.follow(piece, (0,))
            values["forces"].append((piece, [self.meaning.value(piece.name, k) for k in (0, 1)]))
        for piece in found.body_torques:
            values["body torques"].append((piece, [self.follow(piece, ())]))
        if self.integrals and "BerechneVars" in found.functions:
            try:
                self.rates = self.meaning.rates(found.functions["BerechneVars"], self.integrals)
            except ModelError as error:
                self.rates = [Unknown(str(error))] * self.integrals
        readers = {
            "torques": self.torque,
            "muscles": self.muscle,
            "forces": self.force,
            "body torques": self.body_torque,
        }
        for what, pieces in values.items():
            for piece, found_values in pieces:
                why = next((one.why for one in found_values if isinstance(one, Unknown)), None)
                if why is None:
                    why = readers[what](piece, [one for one in found_values if isinstance(one, Sum)])
                if why is not None:
                    self.result.left_out.append(
                        f"{piece.line.path.name}:{piece.line.number}: {piece.name}: {why}"
                    )
        return self.result

    def follow(self, piece: Code, index: tuple[int, ...], length: bool = False) -> Value:
        """Follow a piece of code, and return what it sets its variable to."""
        extra = {"dr": Sum({("length", 0): 1})} if length else None
        try:
            self.meaning.follow(statements(piece.body), extra)
        except ModelError as error:
            return Unknown(str(error))
        return self.meaning.value(piece.name, *index)

    # ------------------------------------------------------------- each kind of code

    def torque(self, piece: Code, values: list[Sum]) -> str | None:
        """Recognise a torque of a joint, or say why not."""
        joint, value = piece.numbers[0] - 1, values[0]
        if value.constant is not None:
            self.result.joints.append(JointTorque(piece.name, joint, value.constant))
            return None
        if value.varies:
            return "a controller whose gains or target change with the time"
        rest = dict(value.terms)
        p = rest.pop(("angle", joint), 0)
        d = rest.pop(("rate", joint), 0)
        start = rest.pop(("start angle", joint), 0)
        constant = rest.pop(CONSTANT, 0)
        integrals = [signal for signal in rest if signal[0] == "integral"]
        i = rest.pop(integrals[0]) if len(integrals) == 1 else 0
        if rest:
            return f"a torque that depends on {_sensed(rest)}"
        if p == 0:
            return "a controller without a proportional part"
        if constant == 0 and start == negative(p):
            target = None
        elif start == 0:
            target = negative(over(constant, p))
        else:
            return "a controller of more than its angle and that at the beginning"
        if integrals and (why := self.integral(integrals[0][1], joint, target)):
            return why
        self.result.joints.append(Pid(piece.name, joint, p, i, d, target))
        return None

    def integral(self, number: int, joint: int, target: Factor | None) -> str | None:
        """Return why an integral is not that of the error of a joint, or None."""
        if number >= len(self.rates):
            return f"var[{number}]: the function BerechneVars, in simuser.hc, is missing"
        rate = self.rates[number]
        if isinstance(rate, Unknown):
            return f"var[{number}]: {rate.why}"
        terms = {signal: factor for signal, factor in rate.terms.items() if factor != 0}
        wanted: dict[tuple[str, int], Factor] = {("angle", joint): 1}
        wanted |= {("start angle", joint): -1} if target is None else {CONSTANT: negative(target)}
        return None if terms == wanted else f"var[{number}] is not the integral of this joint's error"

    def muscle(self, piece: Code, values: list[Sum]) -> str | None:
        """Recognise a force between two levers, or say why not."""
        rest = dict(values[0].terms)
        constant, slope = rest.pop(CONSTANT, 0), rest.pop(("length", 0), 0)
        if rest:
            return f"a muscle that depends on {_sensed(rest)}"
        a, la, b, lb = (number - 1 for number in piece.numbers)
        self.result.loads.append(LineForce(piece.name, (a, la), (b, lb), constant, slope))
        return None

    def force(self, piece: Code, values: list[Sum]) -> str | None:
        """Recognise a force, or say why not."""
        x, z = (value.constant for value in values)
        if x is None or z is None:
            rest = {**values[0].terms, **values[1].terms}
            rest.pop(CONSTANT, None)
            return f"a force that depends on {_sensed(rest)}"
        self.result.loads.append(Force(piece.name, piece.numbers[0] - 1, piece.numbers[1] - 1, (x, z)))
        return None

    def body_torque(self, piece: Code, values: list[Sum]) -> str | None:
        """Recognise a torque on a body, or say why not."""
        body, value = piece.numbers[0] - 1, values[0]
        if value.constant is not None:
            self.result.loads.append(BodyTorque(piece.name, body, value.constant))
            return None
        if value.varies:
            return "a torsion spring that changes with the time"
        rest = dict(value.terms)
        slope, damping = rest.pop(("turn", body), 0), rest.pop(("spin", body), 0)
        start, constant = rest.pop(("start turn", body), 0), rest.pop(CONSTANT, 0)
        if rest:
            return f"a torque that depends on {_sensed(rest)}"
        if slope == 0:
            if constant != 0 or start != 0:
                return "a torque that depends on the rate and on more"
            rest_angle: Factor | None = 0.0
        elif constant == 0 and start == negative(slope):
            rest_angle = None
        elif start == 0:
            rest_angle = negative(over(constant, slope)) if constant != 0 else 0.0
        else:
            return "a torque that depends on the turn at the beginning and on more"
        self.result.loads.append(Torsion(piece.name, body, negative(slope), negative(damping), rest_angle))
        return None


_WORDS = {"angle": "GelWinkel", "rate": "GelWinGeschw", "integral": "var", "start angle": "GelWinkel at 0"}


def _sensed(rest: dict[tuple[str, int], Factor]) -> str:
    return ", ".join(f"{_WORDS.get(what, what)}[{number}]" for what, number in rest)
