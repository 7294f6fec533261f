"""Rows of simsys' tables, as `(1:4-6:1) = (0.0, 0.0, 1.0, 0.0, 1.0);`, and what they say.

Krieg 1992, sections 4.3.3 and 4.3.9 to 4.3.13. Bodies, levers and joints count from 1; 0 stands for the
centre of mass where a lever is asked for, and for space where a body is.
"""

import re
from dataclasses import dataclass

from stoss.engine.exchange.simsys.files import Line, Repairs

__all__ = [
    "Angle",
    "JointAngle",
    "Lever",
    "Place",
    "Spring",
    "Stop",
    "UserParameter",
    "angle",
    "joint_angle",
    "levers",
    "matrix_row",
    "place",
    "plain_number",
    "spring",
    "user_parameter",
]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>\S))"
)


class Row:
    """What is left of a line, from left to right.

    Args:
        line: the line.
        repairs: what is done about faults.
    """

    def __init__(self, line: Line, repairs: Repairs) -> None:
        self._line, self._text, self._repairs, self._at = line, line.text.rstrip(), repairs, 0

    @property
    def done(self) -> bool:
        """Return whether nothing is left."""
        return not self._text[self._at :].strip()

    def sign(self, sign: str) -> None:
        """Pass by a sign.

        Raises:
            ModelError: something else stands there.
        """
        if not self.has(sign):
            raise self._wrong(repr(sign))

    def has(self, sign: str) -> bool:
        """Pass by a sign if it is there, and return whether it is."""
        rest = self._text[self._at :]
        if not rest.lstrip().startswith(sign):
            return False
        self._at += len(rest) - len(rest.lstrip()) + len(sign)
        return True

    def end(self) -> None:
        """Pass by the ";" at the end of a group."""
        if self.has(";"):
            return
        if not self.done:
            raise self._wrong("';'")
        self._repairs.fault(self._line, "';' is missing at the end", "it is added")

    def close(self) -> None:
        """Require that nothing is left, but for a comment of C.

        Raises:
            ModelError: there is something.
        """
        if not self.done and not self._text[self._at :].lstrip().startswith("/*"):
            raise self._wrong("the end of the line")

    def number(self) -> float:
        """Return the next number."""
        return float(self._next("number", "a number"))

    def whole(self, least: int = 0) -> int:
        """Return the next number, which must be a whole one."""
        before = self._at
        self.has("-") or self.has("+")
        sign = -1 if self._text[before : self._at].strip() == "-" else 1
        match = re.compile(r"\s*(\d+)(?![\d.])").match(self._text, self._at)
        if match is None or sign * int(match[1]) < least:
            self._at = before
            raise self._wrong("a whole number" if least < 0 else f"a whole number from {least} on")
        self._at = match.end()
        return sign * int(match[1])

    def name(self) -> str:
        """Return the next name."""
        return self._next("name", "a name")

    def _next(self, kind: str, what: str) -> str:
        match = _TOKEN.match(self._text, self._at)
        if match is None or match[kind] is None:
            raise self._wrong(what)
        self._at = match.end()
        return match[kind]

    def _wrong(self, wanted: str) -> Exception:
        rest = self._text[self._at :].strip()
        there = f"there is {rest[:30]!r}" if rest else "the line ends"
        return self._line.error(f"column {self._at + 1}: {wanted} is wanted, and {there}")


# ------------------------------------------------------------- what rows say


@dataclass(frozen=True)
class Stop:
    """A soft stop of a joint: [degrees], [degrees], [N m]."""

    angle: float
    width: float
    torque: float


@dataclass(frozen=True)
class JointAngle:
    """How a joint counts its angle, and its stops."""

    joint: int
    sign: int
    lower: Stop | None
    upper: Stop | None


@dataclass(frozen=True)
class Lever:
    """A point of a body [m], from its centre of mass, in its axes."""

    recorded: bool
    position: tuple[float, float]


@dataclass(frozen=True)
class Spring:
    """Between two levers: a (1000 (L - rest))^b + c (1000 L')^d (L - rest), in N, m and s."""

    first: tuple[int, int]  # body and lever
    second: tuple[int, int]
    rest: float
    a: float
    b: float
    c: float
    d: float


@dataclass(frozen=True)
class Place:
    """Where a lever begins: [m] and [m/s], from the centre of mass of a body, or from the origin."""

    body: int
    lever: int
    reference: int
    position: tuple[float, float]
    velocity: tuple[float, float]


@dataclass(frozen=True)
class Angle:
    """How a body is turned at the beginning: [degrees] and [degrees/s], from a body, or in space."""

    reference: int
    angle: float
    rate: float


@dataclass(frozen=True)
class UserParameter:
    """A number that code uses as `variable`, and the parameter file calls `key`."""

    key: str
    variable: str
    default: float


def matrix_row(line: Line, repairs: Repairs) -> tuple[int, ...]:
    """Return a row of the matrix of joints: "1 0 0"."""
    row, found = Row(line, repairs), []
    while not row.done:
        found.append(row.whole())
    return tuple(found)


def joint_angle(line: Line, repairs: Repairs) -> JointAngle:
    """Return a row of angles: "(3:1); (90, 3: 40); (270, 5: 40);", the stops may be left out."""
    row = Row(line, repairs)
    row.sign("(")
    joint = row.whole(1)
    row.sign(":")
    sign = row.whole(-1)
    if sign == 0:
        raise line.error("the sign of an angle is 1 or -1, not 0")
    row.sign(")")
    row.end()
    stops: list[Stop] = []
    while len(stops) < 2 and row.has("("):
        angle = row.number()
        row.sign(",")
        width = row.number()
        row.sign(":")
        stops.append(Stop(angle, width, row.number()))
        row.sign(")")
        row.end()
    row.close()
    if len(stops) == 1:
        raise line.error("a joint has both stops, the lower and the upper one, or none")
    for stop in stops:
        if not (stop.width > 0.0 and stop.torque >= 0.0):
            raise line.error(f"a stop has a width above 0 and a torque of 0 or more, not {stop}")
    if stops and not stops[0].angle < stops[1].angle:
        raise line.error(f"the lower stop, {stops[0].angle:g}, must be below the upper one")
    return JointAngle(joint, sign, *(stops or (None, None)))


def levers(line: Line, repairs: Repairs) -> tuple[Lever, ...]:
    """Return the levers of a body: "(0, 1, 0.0, 0.06); (0, 0, 0.0, 0.0);"."""
    row, found = Row(line, repairs), []
    while not row.done:
        row.sign("(")
        if row.whole() != 0:
            raise line.error("the first number of a lever is reserved and must be 0")
        row.sign(",")
        recorded = row.whole()
        if recorded > 1:
            raise line.error(f"the second number of a lever is 0 or 1, not {recorded}")
        row.sign(",")
        x = row.number()
        row.sign(",")
        found.append(Lever(recorded == 1, (x, row.number())))
        row.sign(")")
        row.end()
    return tuple(found)


def spring(line: Line, repairs: Repairs) -> Spring:
    """Return a spring: "(1:4-6:1) = (0.0, 0.0, 1.0, 0.0, 1.0);"."""
    row = Row(line, repairs)
    row.sign("(")
    first = _end(row)
    row.sign("-")
    second = _end(row)
    row.sign(")")
    row.sign("=")
    row.sign("(")
    numbers = [row.number()]
    for _ in range(4):
        row.sign(",")
        numbers.append(row.number())
    row.sign(")")
    row.end()
    row.close()
    return Spring(first, second, *numbers)


def _end(row: Row) -> tuple[int, int]:
    body = row.whole(1)
    row.sign(":")
    return body, row.whole(1)


def place(line: Line, repairs: Repairs) -> Place:
    """Return where a chain begins: "4-3, 0: (1.0, 0.0); (1.6, 0.0);"."""
    row = Row(line, repairs)
    body = row.whole(1)
    row.sign("-")
    lever = row.whole()
    row.sign(",")
    reference = row.whole()
    row.sign(":")
    x, vx = _pair(row)
    z, vz = _pair(row)
    row.close()
    return Place(body, lever, reference, (x, z), (vx, vz))


def _pair(row: Row) -> tuple[float, float]:
    row.sign("(")
    value = row.number()
    row.sign(",")
    rate = row.number()
    row.sign(")")
    row.end()
    return value, rate


def angle(line: Line, repairs: Repairs) -> Angle:
    """Return how a body is turned: "1: (0.0, 0.0);"; without "1:" it is turned in space."""
    row = Row(line, repairs)
    reference = 0
    if not line.text.lstrip().startswith("("):
        reference = row.whole()
        row.sign(":")
    value, rate = _pair(row)
    row.close()
    return Angle(reference, value, rate)


def user_parameter(line: Line, repairs: Repairs) -> UserParameter:
    """Return a parameter of the user: "BohrKraft:BohrKraft=0.0;"."""
    row = Row(line, repairs)
    key = row.name()
    row.sign(":")
    variable = row.name()
    row.sign("=")
    default = row.number()
    row.end()
    row.close()
    return UserParameter(key, variable, default)


def plain_number(line: Line, repairs: Repairs) -> float:
    """Return the only number of a line: "125.0"."""
    row = Row(line, repairs)
    value = row.number()
    row.close()
    return value
