"""What all records have in common."""

from typing import Any

import msgspec

from stoss.collision.quaternions import Vector

__all__ = ["Floats", "Matrix", "Record"]

Matrix = tuple[Vector, Vector, Vector]  # rows
Floats = tuple[float, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records have in common: they cannot be changed; `replace` makes another one."""

    def replace(self, **changes: Any) -> Any:
        """Return a record like this one, but for some fields.

        Args:
            changes: new values of these, by their names.
        """
        return msgspec.structs.replace(self, **changes)
