"""Tests T-05 and T-06 of Krieg 1992: where the example begins, and rows of its files."""

from pathlib import Path
from typing import Any

import numpy as np

from stoss.benchmarks.krieg.chain import chain
from stoss.scenes.cases.registry import Figure, at_most, near

__all__ = ["CHECKS"]

# Table 3.3 [m].
PLACES = {
    "trunk": (0.343604, 0.990711),
    "upper_arm": (0.540381, 1.413934),
    "forearm": (0.858579, 1.378579),
    "hand": (1.0, 1.54),
}
JOINTS = {"shoulder": (0.363604, 1.590711), "elbow": (0.717157, 1.237157), "wrist": (1.0, 1.52)}


def assembly(**_: Any) -> list[Figure]:
    """T-05: bodies and joints begin where the table has them."""
    world = chain(1e-3)
    off = [np.abs(world.body(name).position[:2] - place).max() for name, place in PLACES.items()]
    gaps = [np.abs(world.joint(name).first_point[:2] - place).max() for name, place in JOINTS.items()]
    return [
        at_most("centres of mass off the table", float(max(off)), 1e-6, "m"),
        at_most("joints off the table", float(max(gaps)), 1e-6, "m"),
    ]


def rows(**_: Any) -> list[Figure]:
    """T-06: rows of the files are read to the field."""
    from stoss.engine.exchange.simsys import c_code
    from stoss.engine.exchange.simsys import rows as read
    from stoss.engine.exchange.simsys.files import Line, Repairs

    def line(text: str) -> Line:
        return Line(Path("simsys.dat"), 1, text)

    wanted = (
        (
            read.spring(line("(1:4-6:1) = (0.0, 0.0, 1.0, 0.0, 1.0);"), Repairs()),
            read.Spring((1, 4), (6, 1), 0.0, 0.0, 1.0, 0.0, 1.0),
        ),
        (
            read.place(line("4-3, 0: (1.0, 0.0); (1.6, 0.0);"), Repairs()),
            read.Place(4, 3, 0, (1.0, 1.6), (0.0, 0.0)),
        ),
        (read.angle(line("1: (0.0, 0.0);"), Repairs()), read.Angle(1, 0.0, 0.0)),
        (
            read.user_parameter(line("BohrKraft:BohrKraft=0.0;"), Repairs()),
            read.UserParameter("BohrKraft", "BohrKraft", 0.0),
        ),
        (read.levers(line("(0, 1, 0.0, 0.06);"), Repairs()), (read.Lever(True, (0.0, 0.06)),)),
        (c_code.snippets([line("Handgelenk(3) { }")], "")[0].numbers, (3,)),
        (c_code.snippets([line("BohrHammer(5:2) { }")], ":")[0].numbers, (5, 2)),
    )
    right = sum(found == other for found, other in wanted)
    return [near("rows that are read right, of 7", right, 7.0, 0.0)]


CHECKS = {"T-05": assembly, "T-06": rows}
