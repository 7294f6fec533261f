"""Scenes on several engines: `python -m stoss.benchmarks.peers chain50 stack50 --engines stoss,mujoco`."""

import argparse
import sys

from stoss.benchmarks.peers.contact_running import ContactFigures, run_contacts
from stoss.benchmarks.peers.contact_scenes import CONTACT_SCENES, ContactScene
from stoss.benchmarks.peers.engines import ENGINES, MissingPeerError, load
from stoss.benchmarks.peers.running import Figures, run
from stoss.benchmarks.peers.scenes import SCENES
from stoss.benchmarks.presets import PRESETS

__all__ = ["contact_row", "main", "table_row"]

HEADER = ("engine", "steps/s", "joint error max m", "energy error peak %", "energy at end %", "")
CONTACT_HEADER = ("engine", "steps/s", "drift m", "overlap max m", "overlap mean m", "passed", "")
JOINT_STEPS = 1000


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
        show(name, engines, options.steps, options.time_step, options.time_limit)
        print()
    return 0


def show_joints(
    scene_name: str, engines: list[str], steps: int | None, time_step: float, time_limit: float
) -> None:
    """Run a scene of joints on several engines and print the table."""
    scene = SCENES[scene_name]()
    print(f"{scene_name}: {len(scene.masses)} bodies, {len(scene.pairs)} ball joints")
    print(f"{HEADER[0]:<22} {HEADER[1]:>9} {HEADER[2]:>18} {HEADER[3]:>20} {HEADER[4]:>16}")
    for name in engines:
        settings = ENGINES[name].options
        if settings is None:
            continue
        try:
            build, version = load(name)
        except MissingPeerError as error:
            print(error)
            continue
        simulation = build(scene, time_step, **settings)
        figures = run(scene, simulation, steps=steps or JOINT_STEPS, time_limit=time_limit)
        print(table_row(f"{name} {version}", figures), flush=True)


def show_contacts(
    scene_name: str, engines: list[str], steps: int | None, time_step: float, time_limit: float
) -> None:
    """Run a scene of contacts on several engines and print the table."""
    scene: ContactScene = CONTACT_SCENES[scene_name]()
    header = CONTACT_HEADER
    print(f"{scene_name}: {len(scene.moving)} bodies, {steps or PRESETS[scene_name].steps} steps")
    print(f"{header[0]:<22} {header[1]:>9} {header[2]:>10} {header[3]:>14} {header[4]:>15} {header[5]:>7}")
    for name in engines:
        settings = ENGINES[name].contact_options
        if settings is None:
            continue
        try:
            build, version = load(name, "build_contacts")
        except MissingPeerError as error:
            print(error)
            continue
        simulation = build(scene, time_step, **settings)
        figures = run_contacts(
            scene, simulation, steps=steps or PRESETS[scene_name].steps, time_limit=time_limit
        )
        print(contact_row(f"{name} {version}", figures, scene.hole == float("inf")), flush=True)


if __name__ == "__main__":
    sys.exit(main())
