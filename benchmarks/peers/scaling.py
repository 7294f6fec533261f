"""Time per step by number of bodies, beside other engines: `python -m stoss.benchmarks.peers.scaling`.

Boxes and spheres pour through a funnel: they fall, hit, slide and come to rest. Of stoss the table has the
time of each stage too.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stoss.benchmarks.peers.contact_scenes import scene_of
from stoss.benchmarks.peers.engines import ENGINES, MissingPeerError, load
from stoss.benchmarks.presets import TIME_STEP, Preset
from stoss.benchmarks.tables import machine_load, put_into_page
from stoss.engine.recording.plotting import check_picture, new_figure, save
from stoss.scenes.running.compilation import CompileWatch

__all__ = ["Scaled", "main", "measure", "plot", "table"]

SIZES = (100, 200, 500, 1000, 2000, 5000, 10000, 20000)
STAGES = ("correct", "move", "detect", "separate", "settle")
SKIPPED = 3  # steps in which kernels are loaded


class Scaled(NamedTuple):
    """What one engine takes for one number of bodies."""

    seconds: float  # of processor time per step
    stages: dict[str, float]  # the same by stage, of stoss [s]


def measure(engine: str, bodies: int, steps: int) -> Scaled:
    """Return what an engine takes per step, as the mean of the first steps of 10 ms.

    Raises:
        MissingPeerError: the engine is not installed.
    """
    build, _ = load(engine, "build_contacts")
    scene = scene_of(Preset("funnel", "funnel", steps, {"bodies": bodies, "shapes": "mixed"}))
    simulation = build(scene, TIME_STEP, **(ENGINES[engine].contact_options or {}))
    spent, told = 0.0, Counter[str]()
    with CompileWatch() as watch:
        for step in range(SKIPPED + steps):
            before = watch.processor_time
            report = simulation.step()
            if step >= SKIPPED:
                spent += watch.processor_time - before
                told.update(getattr(report, "stage_times", {}))
    # stages are told by the clock of the wall: their shares are those of the processor
    total = sum(told.values())
    return Scaled(spent / steps, {name: spent / steps * told[name] / total for name in STAGES if total})


def table(found: dict[str, dict[int, Scaled]]) -> str:
    """Return the lines of a table: ms per step, by engine and number of bodies."""
    own = next((name for name, sizes in found.items() if any(s.stages for s in sizes.values())), None)
    others = [name for name in found if name != own]
    stages = STAGES if own else ()
    head = ["bodies", *([own] if own else []), *(f"*{name}*" for name in stages), *others]
    lines = [f"| {' | '.join(head)} |", "| " + " | ".join("---" for _ in head) + " |"]
    for bodies in next(iter(found.values())):
        cells = [found[own][bodies].seconds, *found[own][bodies].stages.values()] if own else []
        cells += [found[name][bodies].seconds for name in others]
        lines.append(f"| {bodies} | " + " | ".join(f"{1e3 * cell:.3g}" for cell in cells) + " |")
    return "\n".join(lines)


def plot(found: dict[str, dict[int, Scaled]], path: str) -> None:
    """Draw time per step against bodies, of all engines and of the stages of stoss, in a file (.png, .svg).

    Raises:
        ValueError: matplotlib is not installed.
    """
    figure = new_figure((6.4, 4.4))
    figure.set_layout_engine("constrained")
    axes = figure.subplots()
    for name, sizes in found.items():
        bodies = np.array(list(sizes))
        axes.loglog(bodies, [1e3 * one.seconds for one in sizes.values()], marker="o", label=name)
        for stage in STAGES:
            if all(one.stages for one in sizes.values()):
                times = [1e3 * one.stages[stage] for one in sizes.values()]
                axes.loglog(bodies, times, linestyle=":", linewidth=1.0, label=f"{name}: {stage}")
    axes.axhline(1e3 * TIME_STEP, color="0.6", linewidth=0.8)
    axes.set_title("Funnel of boxes and spheres; the line is real time", fontsize=10)
    axes.set_xlabel("bodies")
    axes.set_ylabel("processor time per step [ms]")
    axes.grid(which="both", linewidth=0.3)
    axes.legend(fontsize=8)
    save(figure, Path(path), dpi=110)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table and write it and the plot; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.peers.scaling", description=__doc__)
    parser.add_argument("--engines", default="stoss,physx,rapier", help="with commas (default: %(default)s)")
    listed = ",".join(map(str, SIZES))
    parser.add_argument("--sizes", default=listed, help="numbers of bodies (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=300, help="per run (default: %(default)s)")
    parser.add_argument("--plot", help="file of a plot, .png or .svg")
    parser.add_argument("--write", help="page that gets the table, between its marks SCALING")
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    for name in engines:
        if name not in ENGINES or ENGINES[name].contact_options is None:
            known = ", ".join(key for key, one in ENGINES.items() if one.contact_options is not None)
            parser.error(f"there is no engine {name!r} with contacts; choose from {known}")
    sizes = [int(size) for size in options.sizes.split(",") if size.isdecimal()]
    if len(sizes) != len(options.sizes.split(",")) or min(sizes) < 1 or options.steps < 1:
        parser.error("--sizes must be whole numbers from 1 on, with commas, and --steps at least 1")
    if options.plot:
        try:
            check_picture(options.plot)
        except (ValueError, OSError) as error:
            parser.error(f"--plot: {error}")
    found: dict[str, dict[int, Scaled]] = {}
    for name in engines:
        try:
            for bodies in sizes:
                found.setdefault(name, {})[bodies] = one = measure(name, bodies, options.steps)
                print(f"{name:<18} {bodies:>6} bodies {1e3 * one.seconds:>9.3f} ms", flush=True)
        except MissingPeerError as error:
            print(error)
    if not found:
        return 1
    lines = table(found)
    print(f"{machine_load()}\n\n{lines}")
    if options.write:
        put_into_page(options.write, lines, "SCALING")
    if options.plot:
        plot(found, options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
