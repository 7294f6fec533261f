"""What recording costs: `python -m stoss.benchmarks.studies.recording`.

Runs a scene with a recorder of all channels, in memory and to a file, and takes the processor time within the
recorder beside that of the rest of the same run: two runs differ more than what is to be measured.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import stoss as st

__all__ = ["main", "share"]


def share(scene: str, steps: int, file: Path | None) -> tuple[float, float]:
    """Return the processor time [s] of a step without its recorder, and within it.

    Args:
        scene: name of the scene.
        steps: number of steps.
        file: where it is recorded to; None: in memory.
    """
    world = st.SCENES[scene].build()
    recorder = st.Recorder(world, "*", file=file, snapshot=False)
    world.step(2)
    (record,) = world.after_step
    within = [0.0]

    def timed(world: Any) -> None:
        begin = time.thread_time()
        record(world)
        within[0] += time.thread_time() - begin

    world.after_step = [timed]
    begin = time.thread_time()
    world.step(steps)
    whole = time.thread_time() - begin
    world.after_step = [record]
    recorder.close()
    return (whole - within[0]) / steps, within[0] / steps


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(prog="stoss.benchmarks.studies.recording", description=__doc__)
    parser.add_argument("scene", nargs="?", default="ragdoll", help="of stoss list (default ragdoll)")
    parser.add_argument("--steps", type=int, default=400, help="of each run (default 400)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each kind (default 5)")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        for kind, file in (("memory", None), ("file", Path(folder) / "run.npz")):
            share(options.scene, 2, file)  # kernels are loaded
            found = [share(options.scene, options.steps, file) for _ in range(options.rounds)]
            step, within = sorted(found, key=lambda one: one[1] / one[0])[len(found) // 2]
            print(
                f"{options.scene}, all channels, to {kind}: {1e6 * within:.0f} us beside a step of "
                f"{1e6 * step:.0f} us, {100 * within / step:.1f} %"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
