"""Scenes on several engines: `python -m stoss.benchmarks.peers chain50 stack50 --engines stoss,mujoco`."""

import argparse
import gc
import sys
from collections.abc import Iterator

from stoss.benchmarks.peers.contact_running import ContactFigures, run_contacts
from stoss.benchmarks.peers.contact_scenes import CONTACT_SCENES, ContactScene
from stoss.benchmarks.peers.engines import ENGINES, MissingPeerError, load
from stoss.benchmarks.peers.running import Figures, Simulation, run
from stoss.benchmarks.peers.scenes import SCENES, JointScene
from stoss.benchmarks.presets import PRESETS

__all__ = ["contact_row", "main", "table_row"]

HEADER = ("engine", "steps/s", "joint error max m", "energy error peak %", "energy at end %", "")
CONTACT_HEADER = ("engine", "steps/s", "drift m", "overlap max m", "overlap mean m", "passed", "")
JOINT_STEPS = 1000
WARM_STEPS = 5  # that each engine makes beforehand, in a world of its own


def table_row(name: str, figures: Figures) -> str:
    """Return one line of the table of a scene of joints."""
    end = "" if figures.end == "done" else figures.end
    peak, change = 100 * figures.peak_energy_error, 100 * figures.energy_change
    return (
        f"{name:<22} {figures.steps_per_second:>9.0f} {figures.joint_error:>18.2e} {peak:>20.3g} "
        f"{change:>+16.3g}  {end}"
    ).rstrip()


def contact_row(name: str, figures: ContactFigures, resting: bool) -> str:
    """Return one line of the table of a scene of contacts; what pours has no drift, what rests no hole."""
    end = "" if figures.end == "done" else figures.end
    drift = f"{figures.drift:.2e}" if resting else ""
    passed = "" if resting else f"{figures.passed}"
    return (
        f"{name:<22} {figures.steps_per_second:>9.0f} {drift:>10} {figures.overlap:>14.2e} "
        f"{figures.mean_overlap:>15.2e} {passed:>7}  {end}"
    ).rstrip()


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
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    for what, names, known in (("scene", options.scenes, scene_names), ("engine", engines, ENGINES)):
        for name in names:
            if name not in known:
                parser.error(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    if (options.steps is not None and options.steps < 1) or not options.time_step > 0.0:
        parser.error("--steps must be at least 1 and --time-step above zero")
    for name in options.scenes or scene_names:
        show = show_joints if name in SCENES else show_contacts
        show(name, engines, options)
        print()
    return 0


def show_joints(name: str, engines: list[str], options: argparse.Namespace) -> None:
    """Run a scene of joints on several engines and print the table."""
    scene, steps = SCENES[name](), options.steps or JOINT_STEPS
    print(f"{name}: {len(scene.masses)} bodies, {len(scene.pairs)} ball joints")
    print(f"{HEADER[0]:<22} {HEADER[1]:>9} {HEADER[2]:>18} {HEADER[3]:>20} {HEADER[4]:>16}")
    for engine, simulation in built(scene, engines, options.time_step, "build"):
        figures = run(scene, simulation, steps=steps, time_limit=options.time_limit)
        print(table_row(engine, figures), flush=True)


def show_contacts(name: str, engines: list[str], options: argparse.Namespace) -> None:
    """Run a scene of contacts on several engines and print the table."""
    scene, steps = CONTACT_SCENES[name](), options.steps or PRESETS[name].steps
    header = CONTACT_HEADER
    print(f"{name}: {len(scene.moving)} bodies, {steps} steps")
    print(f"{header[0]:<22} {header[1]:>9} {header[2]:>10} {header[3]:>14} {header[4]:>15} {header[5]:>7}")
    for engine, simulation in built(scene, engines, options.time_step, "build_contacts"):
        figures = run_contacts(scene, simulation, steps=steps, time_limit=options.time_limit)
        print(contact_row(engine, figures, scene.hole == float("inf")), flush=True)


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
