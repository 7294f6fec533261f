"""XML of others as a tree of elements, within limits: no entities, no other files, no network.

Entities are what makes small files huge, and what reads files that they name. No format of models needs
them, so a file that declares any is refused before anything is replaced.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from stoss.engine.model.errors import ModelError

__all__ = ["Element", "parse_xml", "read_xml"]

MOST_BYTES = 1 << 26  # of a file: the largest robots have 0.5 MB
DEEPEST = 200  # elements within one another
MOST_ELEMENTS = 1_000_000


class Element:
    """One element.

    Attributes:
        tag: its name.
        attributes: their texts by name.
        children: elements in it, in their order.
        text: what stands in it besides.
        line: where it begins, counted from 1.
        path: the file.
    """

    __slots__ = ("attributes", "children", "line", "path", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, path: Path | None) -> None:
        self.tag, self.attributes, self.line, self.path = tag, attributes, line, path
        self.children: list[Element] = []
        self.text = ""

    def __repr__(self) -> str:
        return f"<Element {self.tag} of line {self.line}>"

    def error(self, message: str) -> ModelError:
        """Return an error that says file and line."""
        where = f"line {self.line}" if self.path is None else f"{self.path}:{self.line}"
        name = self.attributes.get("name")
        what = f"<{self.tag}{'' if name is None else f' {name!r}'}>"
        return ModelError(f"{where}: {what}: {message}")

    # ------------------------------------------------------------- its parts

    def all(self, tag: str) -> list["Element"]:
        """Return the children of a name."""
        return [child for child in self.children if child.tag == tag]

    def find(self, tag: str) -> "Element | None":
        """Return the only child of a name, None where there is none.

        Raises:
            ModelError: there are several.
        """
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"there are {len(found)} <{tag}> in this <{self.tag}>; keep one")
        return found[0] if found else None

    def need(self, tag: str) -> "Element":
        """Return the only child of a name, which must be there."""
        found = self.find(tag)
        if found is None:
            raise self.error(f"<{tag}> is missing")
        return found

    def walk(self) -> Iterator["Element"]:
        """Yield this element and all in it, in their order."""
        yield self
        for child in self.children:
            yield from child.walk()

    # ------------------------------------------------------------- its attributes

    def word(self, name: str, default: str | None = None) -> str:
        """Return an attribute.

        Raises:
            ModelError: it is missing, and there is no default.
        """
        found = self.attributes.get(name, default)
        if found is None:
            raise self.error(f"{name} is missing")
        return found

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Return an attribute of so many numbers.

        Raises:
            ModelError: it is missing without a default, or holds others than `count` finite numbers.
        """
        text = self.attributes.get(name)
        if text is None:
            if default is None:
                raise self.error(f"{name} is missing; give {_counted(count)}")
            return default
        try:
            found = tuple(map(float, text.replace(",", " ").split()))  # some files have commas between them
        except ValueError:
            found = ()
        if len(found) != count or not all(map(math.isfinite, found)):
            raise self.error(f"{name} = {text[:80]!r}; give {_counted(count)}")
        return found

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is one number; see `numbers`."""
        return self.numbers(name, 1, None if default is None else (default,))[0]


def _counted(count: int) -> str:
    return "a finite number" if count == 1 else f"{count} finite numbers"


def read_xml(path: Path) -> Element:
    """Return the root of an XML file.

    Raises:
        ModelError: there is no such file, it is too large, no XML, or declares entities.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise ModelError(f"{path}: {size / 1e6:.0f} MB; a model has at most {MOST_BYTES / 1e6:.0f} MB")
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror or error}") from error
    return parse_xml(data, path)


def parse_xml(data: bytes | str, path: Path | None = None) -> Element:
    """Return the root of a text in XML.

    Args:
        data: the text.
        path: its file, for messages.

    Raises:
        ModelError: it is no XML, is too deep or too large, or declares entities.
    """
    builder = _Builder(path)
    data = data.lstrip()  # XML allows nothing before its declaration, files have blank lines there
    where = "" if path is None else f"{path}: "
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        told = f"line {error.lineno}, column {error.offset + 1}: {expat.ErrorString(error.code)}"
        raise ModelError(f"{where}no XML, {told}") from error
    except (ValueError, LookupError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{where}no XML: {error}") from error
    assert builder.root is not None  # else the parser had said so
    return builder.root


class _Builder:
    """Build elements while the parser runs."""

    def __init__(self, path: Path | None) -> None:
        self.root: Element | None = None
        self._path = path
        self._open: list[Element] = []
        self._count = 0
        parser = self.parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def _doctype(self, *_: object) -> None:
        where = "" if self._path is None else f"{self._path}:"
        raise ModelError(
            f"{where}line {self.parser.CurrentLineNumber}: <!DOCTYPE> may declare entities, which are "
            "refused; take it out"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self._path)
        self._count += 1
        if len(self._open) >= DEEPEST:
            raise element.error(f"more than {DEEPEST} elements within one another")
        if self._count > MOST_ELEMENTS:
            raise element.error(f"more than {MOST_ELEMENTS} elements")
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text
