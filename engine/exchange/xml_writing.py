"""XML for other programs: numbers that are read with the same bits, and what was left out as a comment."""

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from stoss.files import write_text

__all__ = ["NOISE", "Node", "child", "numbers", "write_xml"]

Node = ElementTree.Element
NOISE = 4e-15  # of the largest number of a vector


def child(node: Node, tag: str, /, **attributes: str) -> Node:
    """Add an element to another and return it."""
    made = Node(tag, attributes)
    node.append(made)
    return made


def numbers(values: Iterable[float]) -> str:
    """Return numbers as the text of an attribute, without what rounding left of zeros among them."""
    given = [float(value) for value in values]
    least = NOISE * max(map(abs, given), default=0.0)
    return " ".join(_number(value if abs(value) > least else 0.0) for value in given)


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def write_xml(root: Node, path: Path, left_out: Iterable[str]) -> None:
    """Write a document, with what it does not hold at its top.

    Raises:
        FileError: the file cannot be written; an older one is as it was.
    """
    ElementTree.indent(root, "  ")
    lines = [f"    {line.replace('--', '- -')}" for line in left_out]
    told = ["<!-- written by stoss; not in here:", *lines, "-->"] if lines else ["<!-- written by stoss -->"]
    text = ElementTree.tostring(root, encoding="unicode")
    write_text(path, "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *told, text, ""]))
