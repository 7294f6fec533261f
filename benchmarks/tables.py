"""Tables for reading: columns as wide as their widest cell; and what else is going on on the machine."""

import os
from collections.abc import Sequence

__all__ = ["format_cells", "machine_load"]


def format_cells(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Return rows of cells in columns, the first row their names.

    Args:
        rows: of the same length; short ones end early.
        left: columns of words, counted from 0, which begin at the left; numbers end at the right.
    """
    count = max(len(row) for row in rows)
    widths = [max((len(row[k]) for row in rows if k < len(row)), default=0) for k in range(count)]
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[k]) if k in left else cell.rjust(widths[k]) for k, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def machine_load() -> str:
    """Return in words how busy the machine is."""
    loads = " ".join(f"{load:.2f}" for load in os.getloadavg())
    return f"load of the machine {loads} on {os.cpu_count()} cores"
