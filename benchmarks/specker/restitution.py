"""Restitution against the step, of four schemes: a ball against a wall whose force is bounded.

python -m stoss.benchmarks.specker.restitution [--plot FILE]

The ball and the law are those of Specker 2016, section 3.3.1: 0.05 kg, 200 N, 1 mm, r_d = 0.5 s/m; it comes
at 1 m/s and leaves at 0.755. Each figure is the root mean square of several places in which a step meets it.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from stoss.benchmarks.specker.impacts import CLOSED, SPEED, explicit, gradient, implicit
from stoss.engine.recording.plotting import new_figure, save

__all__ = ["SCHEMES", "engine", "main", "table"]

STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)  # [s]
PHASES = 4  # places in a step in which the surfaces meet
APPROACH = 1.5e-3  # [m] from which on the law is felt


def engine(h: float, phase: float) -> float:
    """Return the speed [m/s] with which the ball leaves in the engine.

    Args:
        h: length of a step [s].
        phase: of a step after which the surfaces meet, 0 to 1.
    """
    import stoss as st

    law = st.RestrictionContact(max_force=200.0, compression=1e-3, damping=0.5)
    material = st.Material(contact_law=law)
    world = st.World(gravity=(0, 0, 0), time_step=h)
    world.add_body(st.HalfSpace(), kind="static", material=material)
    ball = world.add_body(st.Sphere(0.01), mass=0.05, material=material)
    ball.position = (0, 0, 0.01 + APPROACH + phase * h * SPEED)
    ball.velocity = (0, 0, -SPEED)
    for _ in range(math.ceil(0.006 / h) + 2):
        world.step()
    return float(ball.velocity[2])


SCHEMES: dict[str, tuple[Callable[[float, float], float], float]] = {
    "engine": (engine, CLOSED["restriction"]),
    "implicit Euler": (implicit, CLOSED["restriction"]),
    "discrete gradient": (gradient, CLOSED["restriction"]),
    "Hunt-Crossley, explicit": (explicit, CLOSED["hunt-crossley"]),
}


def table(steps: Sequence[float] = STEPS, phases: int = PHASES) -> list[tuple[str, float, float]]:
    """Return scheme, step [s] and error of the restitution, inf where the ball comes back too fast by far."""
    rows = []
    for name, (leave, right) in SCHEMES.items():
        for h in steps:
            with np.errstate(all="ignore"):
                off = [leave(h, (k + 0.5) / phases) / SPEED - right for k in range(phases)]
            error = float(np.sqrt(np.mean(np.square(off))))
            rows.append((name, h, error if error < 10.0 else np.inf))
    return rows


def plot(rows: Sequence[tuple[str, float, float]], path: Path) -> None:
    """Draw the error of the restitution against the step."""
    figure = new_figure((7.0, 4.5))
    axes = figure.subplots()
    for name in SCHEMES:
        own = sorted((1e3 * h, max(error, 1e-12)) for scheme, h, error in rows if scheme == name)
        own = [one for one in own if np.isfinite(one[1])]
        axes.loglog(*zip(*own, strict=True), "o-" if name == "engine" else "s--", label=name)
    axes.set(xlabel="step [ms]", ylabel="error of the restitution")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)
    figure.tight_layout()
    save(figure, path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and draw it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--plot", type=Path, help="where to draw it")
    options = parser.parse_args(arguments)
    rows = table()
    print(f"| step [ms] | {' | '.join(SCHEMES)} |")
    print(f"| --- |{' --- |' * len(SCHEMES)}")
    for h in STEPS:
        told = [error for _, step, error in rows if step == h]
        print(f"| {1e3 * h:g} | {' | '.join(f'{error:.1e}' for error in told)} |")
    if options.plot:
        plot(rows, options.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
