"""Time per step against the number of bodies: `python -m stoss.benchmarks.studies.scaling`."""

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from stoss.benchmarks.measure import machine, measure
from stoss.benchmarks.presets import Preset
from stoss.engine.recording.plotting import check_picture, new_figure, save
from stoss.errors import FileError

__all__ = ["SIZES", "main", "measure_all", "plot", "slope"]

SIZES = (100, 200, 500, 1000, 2000, 5000, 10000)
# Both scenes are in turmoil throughout: bodies fall, hit, slide and come to rest.
SCENES: dict[str, dict[str, Any]] = {"drop": {}, "funnel": {"shapes": "mixed"}}
STEPS = 300  # of 10 ms: in 3 s most of what falls has landed

Series = dict[str, list[tuple[int, float, int]]]  # per scene (bodies, time per step [s], contacts at the end)


def measure_all(sizes: tuple[int, ...], steps: int) -> Series:
    """Return for each scene the number of bodies, the time per step [s] and the contacts at the end.

    Time is processor time of one thread, without compiling. The table is printed on the way.
    """
    # a short run first, so that no kernel is compiled or loaded while the smallest scene is measured
    series: Series = {}
    for scene, parameters in SCENES.items():
        measure(Preset(scene, scene, 20, {"bodies": 100, **parameters}))
        print(
            f"{scene}: {steps} steps\n{'bodies':>8} {'ms/step':>9} {'us/body':>9} {'contacts':>9}", flush=True
        )
        series[scene] = []
        for bodies in sizes:
            figures = measure(Preset(scene, scene, steps, {"bodies": bodies, **parameters}))
            seconds = 1.0 / figures["steps_per_second"]
            series[scene].append((bodies, seconds, figures["contacts"]))
            micro = 1e6 * seconds / bodies
            print(f"{bodies:>8} {1e3 * seconds:>9.3f} {micro:>9.2f} {figures['contacts']:>9}", flush=True)
        print(f"time per step grows with the number of bodies to the power {slope(series[scene]):.2f}\n")
    return series


def slope(points: list[tuple[int, float, int]]) -> float:
    """Return the power of the number of bodies that fits the times best; 1 is linear."""
    if len(points) < 2:
        return float("nan")
    bodies, seconds, _ = zip(*points, strict=True)
    return float(np.polyfit(np.log(bodies), np.log(seconds), 1)[0])


def plot(series: Series, path: str, steps: int = STEPS) -> None:
    """Draw the series in a file whose suffix says the format (.png, .svg).

    Args:
        series: what `measure_all` returned.
        path: of the file.
        steps: over which the times are means, for the title.

    Raises:
        ValueError: matplotlib is not installed.
    """
    figure = new_figure((6.4, 4.4))
    figure.set_layout_engine("constrained")
    axes = figure.subplots()
    for (scene, points), marker in zip(series.items(), "os^v", strict=False):
        bodies, seconds, _ = zip(*points, strict=True)
        (line,) = axes.loglog(
            bodies, 1e3 * np.array(seconds), marker=marker, label=f"{scene}, power {slope(points):.2f}"
        )
        above = marker == "o"
        for count, second, contacts in points:
            axes.annotate(
                f"{contacts}",
                (count, 1e3 * second),
                textcoords="offset points",
                xytext=(-5, 5) if above else (5, -11),
                ha="right" if above else "left",
                fontsize=8,
                color=line.get_color(),
            )
    ends = np.array([point[0] for points in series.values() for point in points])
    ends = np.array([ends.min(), ends.max()])
    start = min(points[0][1] / points[0][0] for points in series.values())
    axes.loglog(ends, 1e3 * start * ends, color="0.6", linestyle="--", label="linear")
    axes.axhline(10.0, color="0.6", linewidth=0.8)
    axes.text(ends[1], 9.3, "real time at a step of 10 ms", fontsize=8, color="0.4", ha="right", va="top")
    axes.margins(0.12)
    axes.set_title(f"Mean of the first {steps} steps; numbers: contacts at their end", fontsize=10)
    axes.set_xlabel("bodies")
    axes.set_ylabel("processor time per step [ms]")
    axes.grid(which="both", linewidth=0.3)
    axes.legend()
    save(figure, Path(path), dpi=110)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print the table, write the plot; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.studies.scaling", description=__doc__)
    listed = ",".join(map(str, SIZES))
    parser.add_argument(
        "--sizes", default=listed, help="numbers of bodies, with commas (default: %(default)s)"
    )
    parser.add_argument("--steps", type=int, default=STEPS, help="per run (default: %(default)s)")
    default = str(Path(__file__).with_suffix(".png"))
    parser.add_argument("--output", default=default, help='.png or .svg; "" for none (default: beside this)')
    options = parser.parse_args(arguments)
    try:
        sizes = tuple(int(size) for size in options.sizes.split(","))
    except ValueError:
        parser.error(f"--sizes {options.sizes!r} must be whole numbers with commas, for instance 100,1000")
    if min(sizes) < 1 or options.steps < 1:
        parser.error("--sizes and --steps must be at least 1")
    if options.output:
        try:
            check_picture(options.output)
        except (ValueError, OSError) as error:
            parser.error(f"--output: {error}")
    print(f"{machine()['processor']}, one thread\n")
    series = measure_all(sizes, options.steps)
    if options.output:
        try:
            plot(series, options.output, options.steps)
        except FileError as error:
            print(error, file=sys.stderr)
            return 2
        print(f"wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
