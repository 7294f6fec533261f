"""Scenes of ball joints on several engines: `python -m benchmarks.peers chain50 --engines stoss,mujoco`."""

import argparse
import sys

from benchmarks.peers.engines import ENGINES, MissingPeerError, load
from benchmarks.peers.running import Figures, run
from benchmarks.peers.scenes import SCENES

__all__ = ["main", "table_row"]

HEADER = ("engine", "steps/s", "joint error max m", "energy error peak %", "energy at end %", "")


def table_row(name: str, figures: Figures) -> str:
    """Return one line of the table."""
    end = "" if figures.end == "done" else figures.end
    peak, change = 100 * figures.peak_energy_error, 100 * figures.energy_change
    return (
        f"{name:<22} {figures.steps_per_second:>9.0f} {figures.joint_error:>18.2e} {peak:>20.3g} "
        f"{change:>+16.3g}  {end}"
    ).rstrip()


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="Run scenes of ball joints on several engines."
    )
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"{', '.join(SCENES)} (default: all)")
    parser.add_argument("--engines", default=",".join(ENGINES), help="with commas (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=1000, help="number of steps (default: %(default)s)")
    parser.add_argument("--time-step", type=float, default=0.01, help="[s] (default: %(default)s)")
    limit_help = "of one run [s of processor time] (default: %(default)s)"
    parser.add_argument("--time-limit", type=float, default=120.0, help=limit_help)
    options = parser.parse_args(arguments)
    engines = options.engines.split(",")
    for what, names, known in (("scene", options.scenes, SCENES), ("engine", engines, ENGINES)):
        for name in names:
            if name not in known:
                parser.error(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    if options.steps < 1 or not options.time_step > 0.0:
        parser.error("--steps must be at least 1 and --time-step above zero")
    for scene_name in options.scenes or SCENES:
        scene = SCENES[scene_name]()
        print(f"{scene_name}: {len(scene.masses)} bodies, {len(scene.pairs)} ball joints")
        print(f"{HEADER[0]:<22} {HEADER[1]:>9} {HEADER[2]:>18} {HEADER[3]:>20} {HEADER[4]:>16}")
        for name in engines:
            try:
                build, version = load(name)
            except MissingPeerError as error:
                print(error)
                continue
            simulation = build(scene, options.time_step, **ENGINES[name].options)
            figures = run(scene, simulation, steps=options.steps, time_limit=options.time_limit)
            print(table_row(f"{name} {version}", figures), flush=True)
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
