"""Random worlds, and what must hold in every one of them at every step.

`python -m stoss.benchmarks.worlds 10000` draws chains, trees, loops, mechanisms with stops and drives,
ragdolls, piles, bodies on plates that move, and more, at steps of 5 to 33 ms, with each solver, with sleeping
and without; runs each for 10 s under watch; and prints which rules were broken, and small worlds that break
them.
"""

from stoss.benchmarks.worlds.build import build, code
from stoss.benchmarks.worlds.check import Outcome, check, run
from stoss.benchmarks.worlds.draw import draw, draw_from, draw_rubbing
from stoss.benchmarks.worlds.families import FAMILIES
from stoss.benchmarks.worlds.invariants import INVARIANTS, Violation, Watch
from stoss.benchmarks.worlds.records import BodyRecord, DriveRecord, JointRecord, StopRecord, WorldRecord
from stoss.benchmarks.worlds.shrink import shrink

__all__ = [
    "FAMILIES",
    "INVARIANTS",
    "BodyRecord",
    "DriveRecord",
    "JointRecord",
    "Outcome",
    "StopRecord",
    "Violation",
    "Watch",
    "WorldRecord",
    "build",
    "check",
    "code",
    "draw",
    "draw_from",
    "draw_rubbing",
    "run",
    "shrink",
]
