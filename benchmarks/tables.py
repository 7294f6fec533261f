"""Tables for reading: columns as wide as their widest cell, or in a page; and how busy the machine is."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

__all__ = ["format_cells", "machine_load", "put_into_page"]


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


def put_into_page(path: str, table: str, mark: str = "TABLE") -> None:
    """Put a table in place of the one that stands in a page, between its marks for it.

    Args:
        path: of the page.
        table: lines.
        mark: name of the marks `<!-- TABLE -->` and `<!-- END OF TABLE -->`.
    """
    page = Path(path)
    begin, end = f"<!-- {mark} -->", f"<!-- END OF {mark} -->"
    inside = f"{begin}\n{table}\n{end}"
    text = re.sub(f"{begin}.*{end}", lambda _: inside, page.read_text("utf-8"), flags=re.DOTALL)
    page.write_text(text, "utf-8")


def machine_load() -> str:
    """Return in words how busy the machine is."""
    loads = " ".join(f"{load:.2f}" for load in os.getloadavg())
    return f"load of the machine {loads} on {os.cpu_count()} cores"
