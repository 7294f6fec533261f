"""Stick-slip of Specker 2016, section 2.3.2, with the engine: error and time against the step, beside RK4.

python -m stoss.benchmarks.specker.stick_slip [--quick] [--plot FILE]
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stoss.benchmarks.specker.oracle import run_pulled, run_pulled_lugre
from stoss.engine.recording.plotting import new_figure, save

__all__ = ["Figures", "engine_run", "figures_of", "main", "runs"]

STEPS = (1e-2, 5e-3, 2e-3, 1e-3)  # [s]
QUICK = (1e-2, 2e-3)
SLIPS = 0.02  # [m/s] from which on the mass slips
SOFT = "RK4, filtered, table 2.3"


class Figures(NamedTuple):
    """What is compared of a run."""

    onsets: np.ndarray  # [s] of the slips
    fastest: float  # [m/s]
    place: float  # [m] at 8 s
    drift: float  # [m] in the last 2 s


def figures_of(run: np.ndarray) -> Figures:
    """Return the figures of a run (n, 3 or more) of time, place and rate."""
    t, place, fast = run[:, 0], run[:, 1], run[:, 2] > SLIPS
    onsets = t[1:][fast[1:] & ~fast[:-1]]
    late = place[t >= 6.0 - 1e-9]
    return Figures(onsets, float(run[:, 2].max()), float(place[-1]), float(np.ptp(late)))


def engine_run(law: str, h: float) -> np.ndarray:
    """Return time, place and rate (n, 3) of a mass of the scene `stick_slip`."""
    from stoss.scenes import SCENES

    world = SCENES["stick_slip"].build(law=law, time_step=h)
    mass = world.body(f"{law} mass")
    out = np.zeros((round(8.0 / h), 3))
    for row in out:
        world.step()
        row[:] = world.time, mass.position[0], mass.velocity[0]
    return out


def runs() -> dict[str, tuple[Callable[[float], np.ndarray], str]]:
    """Return the methods, and by which reference each is measured."""
    methods: dict[str, tuple[Callable[[float], np.ndarray], str]] = {
        f"engine, {law}": (lambda h, law=law: engine_run(law, h), reference)  # type: ignore[misc]
        for law, reference in (
            ("coulomb", "coulomb"),
            ("stribeck", "coulomb"),
            ("smooth", "filtered"),
            ("filtered", "filtered"),
            ("lugre", "lugre"),
        )
    }
    methods["RK4, filtered"] = (lambda h: run_pulled(h), "filtered")
    methods[SOFT] = (lambda h: run_pulled(h, fine=False), "filtered")
    methods["RK4, LuGre"] = (lambda h: run_pulled_lugre(h), "lugre")
    return methods


def _references() -> dict[str, np.ndarray]:
    return {
        "coulomb": closed_form(),
        "filtered": run_pulled(1e-5, every=10),
        "lugre": run_pulled_lugre(1e-5, every=10),
    }


def closed_form(step: float = 1e-4) -> np.ndarray:
    """Return time, place and rate (n, 3) with static friction 1.4 N, then 1 N + 0.1 N s/m, in closed form.

    The set-valued law; a Stribeck curve of 0.2 mm/s is as good as that. It sticks until the spring pulls with
    1.4 N, then it is a damped oscillator until it stands.
    """
    mass, k, d, most, least, speed, stop = 0.1, 10.0, 0.1, 1.4, 1.0, 0.1, 5.0
    t = step * np.arange(1, round(8.0 / step) + 1)
    out = np.column_stack([t, np.zeros((len(t), 2))])
    place, rate, slides = 0.0, 0.0, False
    for row, now in zip(out, t, strict=True):
        # exact over a step: constant friction, and an end that moves evenly
        end, pace = speed * min(now - step, stop), speed if now - step < stop - 1e-9 else 0.0
        if not slides and k * (end + pace * step - place) > most:
            slides = True
        if slides:
            w0, g = k / mass, 0.5 * d / mass
            w = np.sqrt(w0 - g * g)
            # about the motion with the end: x = end - (least + d pace) / k + deviation
            mean = end - (least + d * pace) / k
            y, u = place - mean, rate - pace
            e, c, s = np.exp(-g * step), np.cos(w * step), np.sin(w * step)
            y, u = e * (y * c + (u + g * y) / w * s), e * (u * c - (w0 * y + g * u) / w * s)
            place, rate = mean + pace * step + y, pace + u
            if rate <= 0.0:
                rate, slides = 0.0, False
        row[1:] = place, rate
    return out


def errors(run: np.ndarray, reference: np.ndarray) -> tuple[float, float, float]:
    """Return the errors of peak speed (share), onsets [s], and place on average [m]; inf if it diverged."""
    if not np.isfinite(run).all() or np.abs(run[:, 1]).max() > 1e3:
        return np.inf, np.inf, np.inf
    found, right = figures_of(run), figures_of(reference)
    onset = np.inf
    if len(found.onsets) == len(right.onsets):
        onset = float(np.abs(found.onsets - right.onsets).max())
    place = np.interp(run[:, 0], reference[:, 0], reference[:, 1])
    off = float(np.sqrt(np.mean((run[:, 1] - place) ** 2)))
    return abs(found.fastest / right.fastest - 1.0), onset, off


def table(steps: Sequence[float]) -> list[tuple[str, float, float, float, float, float, float]]:
    """Return method, step, errors of peak, onsets and place, drift at rest [m], and processor time per s."""
    references = _references()
    rows = []
    for name, (make, reference) in runs().items():
        for h in steps if name.startswith("engine") else (*steps, 1e-4):
            make(h) if h == steps[0] else None  # compiled
            start = time.process_time()
            with np.errstate(all="ignore"):
                run = make(h)
                spent = (time.process_time() - start) / 8.0
                off = errors(run, references[reference])
                drift = figures_of(run).drift if np.isfinite(off[2]) else np.inf
            rows.append((name, h, *off, drift, spent))
    return rows


def plot(rows: Sequence[tuple[str, float, float, float, float, float, float]], path: Path) -> None:
    """Draw the error of the place against the step, and against the time that it takes."""
    figure = new_figure((11.0, 4.5))
    panels = figure.subplots(1, 2, sharey=True)
    for axes, label in zip(panels, ("step [ms]", "processor time [ms per s]"), strict=True):
        for name in dict.fromkeys(row[0] for row in rows):
            good = [row for row in rows if row[0] == name and row[4] < np.inf]
            own = [(1e3 * (row[1] if axes is panels[0] else row[6]), 1e3 * row[4]) for row in good]
            if own:
                style = "o-" if name.startswith("engine") else "s--"
                axes.loglog(*zip(*sorted(own), strict=True), style, label=name)
        axes.set(xlabel=label)
        axes.grid(alpha=0.3, which="both")
    panels[0].set(ylabel="error of the place, root mean square [mm]")
    panels[0].legend(fontsize=8)
    figure.tight_layout()
    save(figure, path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and draw it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two steps alone")
    parser.add_argument("--plot", type=Path, help="where to draw it")
    options = parser.parse_args(arguments)
    rows = table(QUICK if options.quick else STEPS)
    print(
        "| method | step [ms] | peak speed | onsets [ms] | place [mm] | creep in 2 s [mm] | time per s [ms] |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, h, peak, onset, place, drift, spent in rows:
        if np.isfinite(place):
            slips = f"{1e3 * onset:.1f}" if np.isfinite(onset) else "others"
            told = f"{100 * peak:.2f} % | {slips} | {1e3 * place:.2f} | {1e3 * drift:.2g} | {1e3 * spent:.1f}"
        else:
            told = "diverges | | | |"
        print(f"| {name} | {1e3 * h:g} | {told} |")
    if options.plot:
        plot(rows, options.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
