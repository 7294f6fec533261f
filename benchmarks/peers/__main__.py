"""Scenes on several engines: `python -m stoss.benchmarks.peers chain50 stack50 --engines stoss,mujoco`."""

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence

from stoss.benchmarks.peers.contact_running import ContactFigures, run_contacts
from stoss.benchmarks.peers.contact_scenes import CONTACT_SCENES, ContactScene
from stoss.benchmarks.peers.engines import ENGINES, MissingPeerError, load
from stoss.benchmarks.peers.running import Figures, Simulation, run
from stoss.benchmarks.peers.scenes import SCENES, JointScene
from stoss.benchmarks.presets import PRESETS
from stoss.benchmarks.tables import machine_load, put_into_page

__all__ = ["contact_cells", "joint_cells", "main"]

HEADER = ("engine", "steps/s", "joint error max m", "energy error peak %", "energy at end %", "")
WIDTHS = (22, 9, 18, 20, 16)
CONTACT_HEADER = ("engine", "steps/s", "drift m", "overlap max m", "overlap mean m", "passed", "")
CONTACT_WIDTHS = (22, 9, 10, 14, 15, 7)
JOINT_STEPS = 1000
WARM_STEPS = 5  # that each engine makes beforehand, in a world of its own
# Marks in a page between which the tables of `--write` stand.
JOINT_MARK, CONTACT_MARK = "PEERS, JOINTS", "PEERS, CONTACTS"


def joint_cells(name: str, figures: Figures) -> list[str]:
    """Return the cells of one line of the table of a scene of joints."""
    peak, change = 100 * figures.peak_energy_error, 100 * figures.energy_change
    numbers = [
        f"{figures.steps_per_second:.0f}",
        f"{figures.joint_error:.2e}",
        f"{peak:.3g}",
        f"{change:+.3g}",
    ]
    return [name, *numbers, "" if figures.end == "done" else figures.end]


def contact_cells(name: str, figures: ContactFigures, resting: bool) -> list[str]:
    """Return the cells of one line of a scene of contacts; what pours has no drift, what rests no hole."""
    drift = f"{figures.drift:.2e}" if resting else ""
    passed = "" if resting else f"{figures.passed}"
    numbers = [
        f"{figures.steps_per_second:.0f}",
        drift,
        f"{figures.overlap:.2e}",
        f"{figures.mean_overlap:.2e}",
    ]
    return [name, *numbers, passed, "" if figures.end == "done" else figures.end]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells in columns: the name, numbers, and how the run ended."""
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:-1], widths[1:], strict=True)]
    return f"{' '.join([cells[0].ljust(widths[0]), *numbers])}  {cells[-1]}".rstrip()


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.peers",
        description="Run scenes of joints and of contacts on several engines.",
    )
    scene_names = [*SCENES, *CONTACT_SCENES]
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"{', '.join(scene_names)} (default: all)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="with commas (default: %(default)s)")
    steps_help = f"number of steps (default: {JOINT_STEPS} for joints, for contacts those of the benchmark)"
    parser.add_argument("--steps", type=int, help=steps_help)
    parser.add_argument("--time-step", type=float, default=0.01, help="[s] (default: %(default)s)")
    limit_help = "of one run [s of processor time] (default: %(default)s)"
    parser.add_argument("--time-limit", type=float, default=120.0, help=limit_help)
    parser.add_argument(
        "--write",
        metavar="FILE.md",
        help=f"page that gets the tables, between its marks {JOINT_MARK} and {CONTACT_MARK}",
    )
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    for what, names, known in (("scene", options.scenes, scene_names), ("engine", engines, ENGINES)):
        for name in names:
            if name not in known:
                parser.error(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    if (options.steps is not None and options.steps < 1) or not options.time_step > 0.0:
        parser.error("--steps must be at least 1 and --time-step above zero")
    tables: dict[str, list[str]] = {JOINT_MARK: [], CONTACT_MARK: []}
    for name in options.scenes or scene_names:
        show, mark = (show_joints, JOINT_MARK) if name in SCENES else (show_contacts, CONTACT_MARK)
        for cells in show(name, engines, options):
            tables[mark].append(f"| `{name}` | {' | '.join(cells)} |")
        print()
    if options.write:
        print(machine_load())
        for mark, header in ((JOINT_MARK, HEADER), (CONTACT_MARK, CONTACT_HEADER)):
            if tables[mark]:
                titles = [f"| scene | {' | '.join(header)} |", "| --- " * (len(header) + 1) + "|"]
                put_into_page(options.write, "\n".join(titles + tables[mark]), mark)
    return 0


def show_joints(name: str, engines: list[str], options: argparse.Namespace) -> Iterator[list[str]]:
    """Run a scene of joints on several engines, print the table and yield the cells of its lines."""
    scene, steps = SCENES[name](), options.steps or JOINT_STEPS
    print(f"{name}: {len(scene.masses)} bodies, {len(scene.pairs)} ball joints")
    print(_line(HEADER, WIDTHS))
    for engine, simulation in built(scene, engines, options.time_step, "build"):
        cells = joint_cells(engine, run(scene, simulation, steps=steps, time_limit=options.time_limit))
        print(_line(cells, WIDTHS), flush=True)
        yield cells


def show_contacts(name: str, engines: list[str], options: argparse.Namespace) -> Iterator[list[str]]:
    """Run a scene of contacts on several engines, print the table and yield the cells of its lines."""
    scene, steps = CONTACT_SCENES[name](), options.steps or PRESETS[name].steps
    print(f"{name}: {len(scene.moving)} bodies, {steps} steps")
    print(_line(CONTACT_HEADER, CONTACT_WIDTHS))
    for engine, simulation in built(scene, engines, options.time_step, "build_contacts"):
        figures = run_contacts(scene, simulation, steps=steps, time_limit=options.time_limit)
        cells = contact_cells(engine, figures, scene.hole == float("inf"))
        print(_line(cells, CONTACT_WIDTHS), flush=True)
        yield cells


def built(
    scene: JointScene | ContactScene, engines: list[str], time_step: float, function: str
) -> Iterator[tuple[str, Simulation]]:
    """Yield names and versions of the engines that have the scene's kind, each with the scene built in it.

    Each has made some steps of another world of the same kind before: what it loads, and what loading leaves
    behind for the collector of garbage, is none of the steps.

    Args:
        scene: what is built.
        engines: names; of those that are not installed, a line says so.
        time_step: [s].
        function: of the adapters, "build" or "build_contacts".
    """
    for name in engines:
        engine = ENGINES[name]
        settings = engine.options if function == "build" else engine.contact_options
        if settings is None:
            continue
        try:
            build, version = load(name, function)
        except MissingPeerError as error:
            print(error)
            continue
        warm = build(scene, time_step, **settings)
        for _ in range(WARM_STEPS):
            warm.step()
        del warm
        gc.collect()
        gc.freeze()
        yield f"{name} {version}", build(scene, time_step, **settings)
        gc.unfreeze()


if __name__ == "__main__":
    sys.exit(main())
