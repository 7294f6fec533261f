"""What of a model is looked at in a window."""

from dataclasses import dataclass

__all__ = ["Focus"]


@dataclass(frozen=True)
class Focus:
    """A thing of a section of a model, or a shape of a body.

    Attributes:
        section: "bodies", "joints", "markers" or "forces"; "" for nothing.
        name: of the thing.
        shapes: "shapes" or "display", with a number below; "" for the thing itself.
        number: which of these shapes.
    """

    section: str = ""
    name: str = ""
    shapes: str = ""
    number: int = 0
