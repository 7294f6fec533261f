"""What the parts of a step cost: `python -m stoss.benchmarks.studies.readings`.

Kernels are called again and again on the rows of one instant, as they stand in the middle of a run, and timed
by the processor's clock: a sweep, the building of rows, the preview of contacts, a pass of the direct solver.
What a step takes besides the kernels that Python calls is Python's.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stoss.benchmarks.presets import PRESETS, TIME_STEP
from stoss.benchmarks.tables import format_cells, machine_load, put_into_page
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import KERNELS, Kernel, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import ArrayField
from stoss.engine.constraints.rows import Rows
from stoss.engine.contacts.correct import prepare_contacts_correct, preview_velocities
from stoss.engine.contacts.frames import ContactFrames
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.solvers.factors import DirectWorkspace
from stoss.engine.solvers.gauss_seidel import sweep
from stoss.engine.solvers.linear_system import largest_residual
from stoss.engine.stages.build import build
from stoss.engine.stages.state import Options, System
from stoss.engine.world.world import World
from stoss.scenes.registry import find_scene

__all__ = ["READINGS", "Reading", "contact_bytes", "main", "measure", "table"]

# Steps after which each scene is looked at, and those over which Python is timed.
MOMENTS = {"pyramid210": 60, "funnel500": 400}
TIMED_STEPS = 100
SWEEPS = 40
REPEATS = 15  # of which the least counts: others use the machine too
CONTACT_ROWS = 3


class Reading(NamedTuple):
    """One line of the table."""

    what: str
    unit: str
    before: str  # with version 0.1.0, on another day of the same machine


READINGS = {
    "sweep": Reading("sweep over normal and friction", "ns per contact", "27 to 47"),
    "build": Reading("building rows", "ns per row", "31 to 34"),
    "preview": Reading("preview of gaps and slips", "ns per contact", "31 to 42"),
    "residual": Reading("residuals in the direct solver", "ns per contact", "25"),
    "python": Reading("Python in a step", "us", "630, 1230"),
    "bytes": Reading("memory of a contact", "bytes", "2000"),
}


@kernel
def _preview(s: System, o: Options, h: float) -> float:
    """Set the rows of all contacts by the previewed poses, as a later pass of `correct` does."""
    preview_velocities(s.bodies, s.scratch, h)
    worst = 0.0
    for island in range(len(s.has_joints)):
        first, last = s.layout.contact_start[island], s.layout.contact_start[island + 1]
        miss, _, _ = prepare_contacts_correct(
            s.rows,
            s.frames,
            s.contacts,
            s.bodies,
            s.scratch,
            o.rows,
            h,
            first,
            last,
            False,
            False,
            s.work.applied,
        )
        worst = max(worst, miss)
    return worst


@kernel
def _residuals(s: System) -> float:
    """Measure the residuals of all rows."""
    work = s.solver.work
    return largest_residual(s.rows, 0, len(s.rows.bodies), s.scratch.z, work.friction_ratio, work.amount)


def measure(name: str, steps: int | None = None) -> dict[str, float]:
    """Return the readings of a scene, by the keys of `READINGS`.

    Args:
        name: of a preset with contacts.
        steps: after which it is looked at; None: those of `MOMENTS`.
    """
    preset = PRESETS[name]
    world = find_scene(preset.scene).build(settings=None, time_step=TIME_STEP, **preset.parameters)
    world.step(MOMENTS[name] if steps is None else steps)
    python = _python_seconds(world)
    stages = world._stepper
    system, building = stages.system.system, stages.system.building
    options = stages.options(composed=False, step=TIME_STEP)
    contacts, rows = len(system.frames.contact), len(system.rows.bias)
    blocks, level = np.arange(len(system.rows.bodies)), stages.system.solver.arrays.graph.level
    impulse, z = system.rows.impulse.copy(), np.zeros_like(system.scratch.z)

    def swept(count: int) -> float:
        def run() -> None:
            system.rows.impulse[:], z[:] = impulse, 0.0
            sweep(system.rows, blocks, z, count, -1.0, level, -1, False)

        return _least(run)

    out = {"sweep": 1e9 * (swept(SWEEPS + 1) - swept(1)) / (SWEEPS * contacts)}
    system.rows.impulse[:] = impulse
    out["preview"] = 1e9 * _least(lambda: _preview(system, options, TIME_STEP)) / contacts
    if len(system.solver.work.amount) == rows:
        out["residual"] = 1e9 * _least(lambda: _residuals(system)) / contacts
    out["build"] = 1e9 * _least(lambda: build(system, building, TIME_STEP)) / rows
    out["python"], out["bytes"] = 1e6 * python, float(contact_bytes())
    return out


def _least(run: Callable[[], object]) -> float:
    """Return the least processor time of a call [s]."""
    run()
    best = np.inf
    for _ in range(REPEATS):
        before = time.process_time_ns()
        run()
        best = min(best, 1e-9 * (time.process_time_ns() - before))
    return float(best)


class _Timed:
    """Stand in for the code of a kernel and add up the time that it takes."""

    spent = 0

    def __init__(self, run: Callable[..., object]) -> None:
        self.run = run

    def __call__(self, *arguments: object) -> object:
        before = time.thread_time_ns()
        result = self.run(*arguments)
        _Timed.spent += time.thread_time_ns() - before
        return result


def _python_seconds(world: World) -> float:
    """Return the time per step [s] that is not spent in kernels which Python calls: the lowest tenth."""
    ready: list[Kernel] = [one for one in KERNELS.values() if one.is_ready]
    kept = [one._run for one in ready]
    found = []
    try:
        for one, run in zip(ready, kept, strict=True):
            one._run = _Timed(run) if run is not None else None
        for _ in range(TIMED_STEPS):
            _Timed.spent = 0
            before = time.thread_time_ns()
            world.step()
            found.append(time.thread_time_ns() - before - _Timed.spent)
    finally:
        for one, run in zip(ready, kept, strict=True):
            one._run = run
    return 1e-9 * float(np.percentile(found, 10.0))


def contact_bytes() -> int:
    """Return how much memory a contact has: itself, its frame, rows, impulses and part of a direct solver."""
    per_contact = sum(_bytes(struct, "contacts") for struct in (ContactArrays, ContactFrames, ImpulseMemory))
    per_row = _bytes(Rows, "rows") + _bytes(DirectWorkspace, "rows")
    return per_contact + CONTACT_ROWS * per_row + _bytes(Rows, "blocks")


def _bytes(struct: type[Struct], axis: str) -> int:
    """Return the bytes of one entry along an axis of a struct."""
    fields: list[ArrayField] = [f for f in struct.array_fields().values() if f.axes[0] == axis]
    return sum(int(np.prod(field.inner)) * field.dtype.itemsize for field in fields)


def table(found: dict[str, dict[str, float]]) -> str:
    """Return the lines of a table: readings of all scenes beside those of version 0.1.0."""
    lines = [f"| reading | unit | 0.1.0 | {' | '.join(f'`{name}`' for name in found)} |"]
    lines.append("| --- | --- | --- | " + " | ".join("---" for _ in found) + " |")
    for key, (what, unit, before) in READINGS.items():
        cells = [_shown(figures[key]) if key in figures else "" for figures in found.values()]
        lines.append(f"| {what} | {unit} | {before} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(number: float) -> str:
    return f"{number:.0f}" if number >= 100.0 else f"{number:.3g}"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table and write it; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.readings", description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"{', '.join(MOMENTS)} (default: all)")
    parser.add_argument("--write", help="page that gets the table, between its marks READINGS")
    options = parser.parse_args(arguments)
    for name in options.scenes:
        if name not in MOMENTS:
            parser.error(f"there are no readings of {name!r}; choose from {', '.join(MOMENTS)}")
    found = {name: measure(name) for name in options.scenes or MOMENTS}
    lines = table(found)
    print(f"{machine_load()}\n")
    print(
        format_cells([[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines.split("\n")])
    )
    if options.write:
        put_into_page(options.write, lines, "READINGS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
