"""What the files of a model of simsys say, as numbers checked against each other, not yet as records."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from stoss.engine.exchange.simsys import rows
from stoss.engine.exchange.simsys.c_code import Code, Function, functions, snippets
from stoss.engine.exchange.simsys.files import (
    Line,
    Parameters,
    Repairs,
    block,
    comments,
    data,
    lines,
    parameters,
)
from stoss.engine.model.errors import ModelError
from stoss.engine.model.folders import Folders

__all__ = ["Description", "JointOf", "describe"]

USER_FILE = "simuser.hc"  # functions of the user, beside the parameter file

Row = TypeVar("Row")


@dataclass(frozen=True)
class JointOf:
    """A joint between bodies, each with the number of its lever there; all count from 0."""

    first: int
    first_lever: int
    second: int
    second_lever: int


@dataclass
class Description:
    """A model as its files have it; numbers of bodies, levers and joints count from 0, but for code.

    Args:
        keys: the parameter file.
        masses, inertias: of the bodies [kg], [kg m^2].
        levers: of each body: those of its joints first.
        joints: in the order of the matrix.
        counted: how joints count their angles, by joint; those that are not there have the sign 1, no stops.
        springs: each with its line.
        places: one for each chain, with its line.
        angles: of the bodies.
        user: parameters of the user, by variable, with their values.
        muscles, torques, forces, body_torques: code.
        functions: of the user.
        repairs: what is done about faults.
    """

    keys: Parameters
    masses: list[float]
    inertias: list[float]
    levers: list[tuple[rows.Lever, ...]]
    joints: list[JointOf]
    counted: dict[int, rows.JointAngle]
    springs: list[tuple[Line, rows.Spring]]
    places: list[tuple[Line, rows.Place]]
    angles: list[tuple[Line, rows.Angle]]
    user: dict[str, float]
    muscles: list[Code]
    torques: list[Code]
    forces: list[Code]
    body_torques: list[Code]
    functions: dict[str, Function]
    repairs: Repairs


def describe(path: Path, folders: Iterable[str | Path], repairs: Repairs) -> Description:
    """Return what a parameter file and the files that it names say.

    Args:
        path: the parameter file.
        folders: from which files may be read besides its own folder.
        repairs: what is done about faults.

    Raises:
        ModelError: a file is not there, or wrong; says where.
    """
    keys = parameters(path, repairs)
    if not any(key.startswith("Eing") for key in keys.rows):
        raise ModelError(
            f"{path}: no key begins with Eing; give the parameter file of simsys, which names the others"
        )
    return _Reader(keys, Folders(path, folders, cure="write where it is"), repairs).description()


class _Reader:
    def __init__(self, keys: Parameters, folders: Folders, repairs: Repairs) -> None:
        self.keys, self.folders, self.repairs = keys, folders, repairs

    def description(self) -> Description:
        joints, extra = self.joints()
        count = len(extra)
        masses = self.column("EingMasTrg", "MASSEN", count, "mass")
        inertias = self.column("EingMasTrg", "TRAEGHEITSMOMENTE", count, "moment of inertia")
        levers = self.levers(joints, extra)
        found = Description(
            self.keys,
            masses,
            inertias,
            levers,
            joints,
            self.counted(len(joints)),
            self.table("EingFedern", "FEDERN", rows.spring),
            self.table("EingAnfWerte", "ANFANGSWERTE", rows.place, needed=True),
            self.table("EingAnfWinkel", "ANFANGSWINKEL", rows.angle, needed=True),
            self.user(),
            self.code("EingMuskeln", "MUSKELN", ",-,", [count, 0, count, 0]),
            self.code("EingMomente", "MOMENTE", "", [len(joints)]),
            self.code("EingKraefte", "KRAEFTE", ":", [count, 0]),
            self.code("EingAussMom", "AUSSMOM", "", [count]),
            self.functions(),
            self.repairs,
        )
        self.check(found)
        return found

    # ------------------------------------------------------------- files and blocks

    def block(self, key: str, name: str, needed: bool) -> tuple[Line, list[Line]] | None:
        """Return a block of the file of a key."""
        named = self.keys.word(key)
        if named is None:
            if needed:
                raise ModelError(f"{self.keys.path}: the key {key} is missing; give the file with @@{name}@")
            return None
        try:
            path = self.folders.find(named[1])
        except ModelError as error:
            raise named[0].error(f"{key}: {error}") from error
        found = block(path, name, self.repairs)
        if found is None and needed:
            raise ModelError(f"{path}: it has no block @@{name}@, which {named[0].place} says it has")
        return found

    def table(
        self, key: str, name: str, read: Callable[[Line, Repairs], Row], needed: bool = False
    ) -> list[tuple[Line, Row]]:
        """Return the rows of a block, each with its line."""
        found = self.block(key, name, needed)
        return [] if found is None else [(line, read(line, self.repairs)) for line in data(found[1])]

    def column(self, key: str, name: str, count: int, what: str) -> list[float]:
        """Return a column of positive numbers, one for each body."""
        found = self.table(key, name, rows.plain_number, needed=True)
        for line, value in found:
            if not value > 0.0:
                raise line.error(f"a {what} is above 0, not {value:g}")
        if len(found) != count:
            raise ModelError(
                f"{self.place(key)}: @@{name}@ has {len(found)} numbers, and there are {count} bodies"
            )
        return [value for _, value in found]

    def place(self, key: str) -> Path:
        named = self.keys.word(key)
        assert named is not None
        return self.folders.find(named[1])

    def code(self, key: str, name: str, separators: str, most: list[int]) -> list[Code]:
        """Return the code of a block; `most` is the largest of each number, 0 for a lever."""
        found = self.block(key, name, needed=False)
        pieces = [] if found is None else snippets(data(found[1]), separators)
        for piece in pieces:
            for number, largest in zip(piece.numbers, most, strict=True):
                if largest and number > largest:
                    raise piece.line.error(
                        f"{piece.name}: there is no number {number}; the last is {largest}"
                    )
        return pieces

    # ------------------------------------------------------------- blocks

    def joints(self) -> tuple[list[JointOf], list[int]]:
        """Return the joints, and how many levers each body has besides those of its joints."""
        matrix = self.table("EingGelenke", "GELENKE", rows.matrix_row, needed=True)
        size = len(matrix)
        for line, row in matrix:
            if len(row) != size:
                raise line.error(f"the matrix of joints has {size} rows, and this one has {len(row)} numbers")
        pairs = [(a, b) for a in range(size) for b in range(a + 1, size) if matrix[a][1][b]]
        for a in range(size):
            for b in range(a):
                line, row = matrix[a]
                if row[b] and (b, a) not in pairs:
                    self.repairs.fault(
                        line,
                        f"bodies {a + 1} and {b + 1} are joined left of the diagonal, and not right of it",
                        "what is right of it holds",
                    )
        used = [a for a in range(size) if matrix[a][1][a] or any(a in pair for pair in pairs)]
        count = max(used, default=-1) + 1
        for a in range(count):
            if a not in used:
                raise matrix[a][0].error(
                    f"body {a + 1} has neither joints nor levers, and later ones have; give it a lever"
                )
        if count == 0:
            raise ModelError(f"{self.place('EingGelenke')}: @@GELENKE@ has no bodies")
        levers = [0] * count
        joints = []
        for a, b in pairs:
            joints.append(JointOf(a, levers[a], b, levers[b]))
            levers[a] += 1
            levers[b] += 1
        return joints, [matrix[a][1][a] for a in range(count)]

    def levers(self, joints: list[JointOf], extra: list[int]) -> list[tuple[rows.Lever, ...]]:
        found = self.block("EingHebel", "HEBEL", needed=True)
        assert found is not None
        opening, inside = found
        told = [(line, rows.levers(line, self.repairs)) for line in data(inside)]
        if len(told) != len(extra) and self.repairs.lenient:
            told += self.commented(inside)
            told.sort(key=lambda one: one[0].number)
        if len(told) != len(extra):
            raise opening.error(f"it has levers of {len(told)} bodies, and the joints speak of {len(extra)}")
        for body, (line, own) in enumerate(told):
            wanted = extra[body] + sum(body in (joint.first, joint.second) for joint in joints)
            if len(own) != wanted:
                raise line.error(
                    f"body {body + 1} has {len(own)} levers here, and by the matrix of joints {wanted}: "
                    f"{wanted - extra[body]} of joints and {extra[body]} more"
                )
        return [own for _, own in told]

    def commented(self, inside: list[Line]) -> list[tuple[Line, tuple[rows.Lever, ...]]]:
        """Return levers from lines that are comments, as they are where the block was printed."""
        found = []
        for line in comments(inside):
            if not line.text.lstrip().startswith("(0"):
                continue
            try:
                own = rows.levers(line, self.repairs)
            except ModelError:
                continue  # an explanation, with names for numbers
            self.repairs.fault(line, "levers stand in a comment", "they are taken for levers")
            found.append((line, own))
        return found

    def counted(self, count: int) -> dict[int, rows.JointAngle]:
        found: dict[int, rows.JointAngle] = {}
        for line, row in self.table("EingGelenke", "WINKEL", rows.joint_angle):
            if row.joint > count:
                raise line.error(f"there is no joint {row.joint}; there are {count}")
            if row.joint - 1 in found:
                raise line.error(f"joint {row.joint} is there twice")
            found[row.joint - 1] = row
        return found

    def user(self) -> dict[str, float]:
        """Return the user's parameters with the values that the parameter file gives them."""
        found: dict[str, float] = {}
        for line, row in self.table("EingParamet", "PARAMETER", rows.user_parameter):
            if row.variable in found:
                raise line.error(f"the variable {row.variable} is there twice")
            found[row.variable] = self.keys.number(row.key, row.default)
        return found

    def functions(self) -> dict[str, Function]:
        path = self.keys.path.parent / USER_FILE
        return functions(lines(path)) if path.is_file() else {}

    # ------------------------------------------------------------- together

    def check(self, found: Description) -> None:
        """Require that bodies and levers are there of which springs, places, angles and code speak."""
        count = len(found.masses)
        if len(found.angles) != count:
            where = self.place("EingAnfWinkel")
            raise ModelError(f"{where}: @@ANFANGSWINKEL@ has {len(found.angles)} rows for {count} bodies")
        for line, spring in found.springs:
            self.lever(line, found, *spring.first)
            self.lever(line, found, *spring.second)
        for line, place in found.places:
            if place.lever:
                self.lever(line, found, place.body, place.lever)
            self.body(line, found, place.body)
            self.body(line, found, place.reference or 1)
        for line, angle in found.angles:
            self.body(line, found, angle.reference or 1)
        for piece in found.forces:
            self.lever(piece.line, found, piece.numbers[0], piece.numbers[1])
        for piece in found.muscles:
            self.lever(piece.line, found, piece.numbers[0], piece.numbers[1])
            self.lever(piece.line, found, piece.numbers[2], piece.numbers[3])

    def body(self, line: Line, found: Description, body: int) -> None:
        if body > len(found.masses):
            raise line.error(f"there is no body {body}; there are {len(found.masses)}")

    def lever(self, line: Line, found: Description, body: int, lever: int) -> None:
        self.body(line, found, body)
        count = len(found.levers[body - 1])
        if lever > count:
            raise line.error(f"body {body} has no lever {lever}; it has {count}")
