"""Files of simsys: lines, keys with values, and blocks (Krieg 1992, sections 4.3.1 and 4.3.2).

Strictly, what is wrong is an error. A lenient reader repairs what is known to go wrong where such files were
printed or typed again, and tells each repair.
"""

from dataclasses import dataclass, field
from pathlib import Path

from stoss.engine.model.errors import ModelError
from stoss.names import hint

__all__ = ["Line", "Parameters", "Repairs", "block", "lines", "parameters"]

MOST_BYTES = 16 * 1024 * 1024  # of each file; the largest that the program could read have some kilobytes
_OPENS, _CLOSES, _COMMENT = "@@", "@@@", "#"


@dataclass(frozen=True)
class Line:
    """A line of a file.

    Args:
        path: of the file.
        number: counted from 1.
        text: without the end of the line.
    """

    path: Path
    number: int
    text: str

    def error(self, message: str) -> ModelError:
        """Return an error that says where."""
        return ModelError(f"{self.place}: {message}")

    @property
    def place(self) -> str:
        """Return file and number."""
        return f"{self.path}:{self.number}"


@dataclass
class Repairs:
    """What is done about small faults.

    Args:
        lenient: repair them; otherwise each is an error.
        told: repairs, item by item.
    """

    lenient: bool = False
    told: list[str] = field(default_factory=list)

    def fault(self, line: Line, message: str, repair: str) -> None:
        """Tell of a fault.

        Args:
            line: where it is.
            message: what is wrong.
            repair: what a lenient reader does about it.

        Raises:
            ModelError: this reader is strict.
        """
        if not self.lenient:
            raise line.error(f"{message}; or read it with lenient=True: {repair}")
        self.told.append(f"{line.path.name}:{line.number}: {message}: {repair}")


def lines(path: Path) -> list[Line]:
    """Return the lines of a file, which may be in UTF-8 or in one byte per character.

    Raises:
        ModelError: it is too large, or cannot be read.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(f"{path}: it has more than {MOST_BYTES / 1e6:.4g} MB and is no file of simsys")
        raw = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: it cannot be read: {(error.strerror or str(error)).lower()}") from error
    if b"\0" in raw:
        raise ModelError(f"{path}: it holds a byte 0 and is no text")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return [Line(path, number, one) for number, one in enumerate(text.splitlines(), 1)]


@dataclass
class Parameters:
    """The parameter file: keys, each with its line and the words behind it.

    Args:
        path: of the file.
        rows: by key.
        repairs: what is done about faults.
    """

    path: Path
    rows: dict[str, tuple[Line, list[str]]]
    repairs: Repairs
    asked: set[str] = field(default_factory=set)

    def words(self, key: str) -> tuple[Line, list[str]] | None:
        """Return the line and the words of a key, None if it is not there or has no value."""
        self.asked.add(key)
        found = self.rows.get(key)
        if found is None:
            other = next((one for one in self.rows if one.lower() == key.lower()), None)
            if other is None:
                return None
            self.asked.add(other)
            found = self.rows[other]
            self.repairs.fault(
                found[0], f"the key {other!r} is written {key!r} elsewhere", "it is taken for the same"
            )
        return found if found[1] else None

    def word(self, key: str) -> tuple[Line, str] | None:
        """Return the line and the only word of a key, None if there is none."""
        found = self.words(key)
        if found is None:
            return None
        line, words = found
        if len(words) > 1:
            self.repairs.fault(line, f"{key} has {len(words)} values", "the first one is taken")
        return line, words[0]

    def number(self, key: str, default: float) -> float:
        """Return the number of a key, the default if there is none.

        Raises:
            ModelError: it is no finite number.
        """
        found = self.word(key)
        if found is None:
            return default
        try:
            value = float(found[1])
        except ValueError:
            value = float("nan")
        if not abs(value) < float("inf"):
            raise found[0].error(f"{key} = {found[1]!r} is no finite number; give one such as {default!r}")
        return value

    def unused(self) -> list[str]:
        """Return what nobody asked for, a line each."""
        known = self.asked
        return [
            f"{line.path.name}:{line.number}: the key {key} is used by nothing{hint(key, known)}"
            for key, (line, words) in self.rows.items()
            if key not in known and words
        ]


def parameters(path: Path, repairs: Repairs) -> Parameters:
    """Return the keys of a parameter file.

    Raises:
        ModelError: it cannot be read, or a key is there twice.
    """
    rows: dict[str, tuple[Line, list[str]]] = {}
    for line in lines(path):
        if line.text.startswith(_COMMENT) or not line.text.strip():
            continue
        key, *words = line.text.split()
        if not key.isidentifier():
            raise line.error(f"{key!r} is no key; a line begins with '#', or with a word such as IntDauer")
        if key in rows:
            repairs.fault(line, f"{key} is in line {rows[key][0].number} already", "the last one is taken")
        rows[key] = line, words
    return Parameters(path, rows, repairs)


def block(path: Path, name: str, repairs: Repairs) -> tuple[Line, list[Line]] | None:
    """Return a block of a file, the line that opens it and those in it, comments included; None: it has none.

    Raises:
        ModelError: the file cannot be read, or the block does not end.
    """
    opening, found = f"{_OPENS}{name}@", None
    inside: list[Line] = []
    for line in lines(path):
        if found is None:
            if line.text.rstrip() == opening:
                found = line
            elif line.text.strip().upper().replace(" ", "") == opening:
                repairs.fault(line, f"a block begins with {opening} from column 1", "it is taken for it")
                found = line
        elif line.text.startswith(_CLOSES):
            return found, inside
        elif line.text.startswith(_OPENS):
            repairs.fault(line, f"the block {name} of line {found.number} does not end", "it ends here")
            return found, inside
        else:
            inside.append(line)
    if found is None:
        return None
    repairs.fault(found, f"the block {name} does not end with {_CLOSES}", "it ends with the file")
    return found, inside


def data(inside: list[Line]) -> list[Line]:
    """Return the lines of a block that are no comments and not empty."""
    return [line for line in inside if line.text.strip() and not line.text.startswith(_COMMENT)]


def comments(inside: list[Line]) -> list[Line]:
    """Return the comments of a block, without the sign."""
    return [Line(one.path, one.number, one.text[1:]) for one in inside if one.text.startswith(_COMMENT)]
