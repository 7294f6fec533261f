"""What friction laws cost in piles: python -m stoss.benchmarks.specker.piles [--steps N].

A pyramid of 210 cubes at rest, a stack of ten, and 120 bodies that fall through the funnel: processor time in
turns beside that of coefficients alone, how well the ledger closes, and how far what rests has moved.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import Material, World

__all__ = ["Figures", "laws", "main", "measure", "piles"]

BEGIN = 60  # steps before anything is measured: the funnel's bodies are then falling on each other


class Figures(NamedTuple):
    """What is told of a pile with one law."""

    ratio: float  # processor time, beside that with coefficients
    gap: float  # of the ledger in a step, the largest share of the energy
    moved: float  # [m], the farthest of all bodies


def laws() -> "dict[str, Material]":
    """Return materials with each law, the first one by coefficients."""
    import stoss as st

    smooth = st.ContinuousStribeck(0.6, 0.4, 0.01)
    found = {
        "Coulomb": st.Coulomb(0.4, 0.6),
        "Coulomb, viscous": st.Coulomb(0.4, 0.6, viscous=0.05),
        "Stribeck": st.Stribeck(0.6, 0.4, 0.05),
        "Dahl": st.Dahl(0.4, 1e4),
        "LuGre": st.LuGre(0.6, 0.4, 0.05, 1e4, 50.0),
        "Regularised": st.Regularised(0.4, 0.01),
        "ContinuousStribeck": smooth,
        "Filtered": st.Filtered(smooth, 0.005, 0.01),
    }
    coefficients = st.Material(friction=0.4, static_friction=0.6)
    return {"coefficients": coefficients} | {n: st.Material(friction_law=law) for n, law in found.items()}


def pyramid(material: "Material", rows: int = 20) -> "World":
    """Return a pyramid of cubes."""
    import stoss as st

    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", material=material)
    for row in range(rows):
        for k in range(rows - row):
            place = (k - 0.5 * (rows - 1 - row), 0, 0.5 + row)
            world.add_body(st.Box((1, 1, 1)), position=place, mass=1.0, material=material)
    return world


def _scene(name: str, bodies: int) -> "Callable[[Material], World]":
    def make(material: "Material") -> "World":
        from stoss.scenes import SCENES

        world = SCENES[name].build(bodies=bodies)
        for body in world.bodies:
            body.material = material
        return world

    return make


def piles() -> "dict[str, Callable[[Material], World]]":
    """Return what makes the piles."""
    return {"pyramid": pyramid, "stack": _scene("stack", 10), "funnel": _scene("funnel", 120)}


def measure(make: "Callable[[Material], World]", steps: int, begin: int = BEGIN) -> dict[str, Figures]:
    """Return what a pile comes to with each law, all of them stepped in turns.

    Args:
        make: makes the pile of a material.
        steps: measured.
        begin: steps before.
    """
    worlds = {name: make(material) for name, material in laws().items()}
    spent, gap = dict.fromkeys(worlds, 0.0), dict.fromkeys(worlds, 0.0)
    for world in worlds.values():
        world.step(begin)
    places = {name: world.positions.copy() for name, world in worlds.items()}
    for _ in range(steps):
        for name, world in worlds.items():
            before, start = world.report.energy, time.process_time()
            report = world.step()
            spent[name] += time.process_time() - start
            gap[name] = max(gap[name], abs(report.energy - before - report.ledger.change) / report.energy)
    usual = spent["coefficients"]
    return {
        name: Figures(spent[name] / usual, gap[name], float(np.abs(world.positions - places[name]).max()))
        for name, world in worlds.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--steps", type=int, default=60, help="measured")
    steps = parser.parse_args(arguments).steps
    found = {name: measure(make, steps) for name, make in piles().items()}
    print(f"| law | {' | '.join(f'{name}: time | ledger | moved [m]' for name in found)} |")
    print(f"| --- |{' --- |' * (3 * len(found))}")
    for law in laws():
        row = [figures[law] for figures in found.values()]
        print(f"| {law} | {' | '.join(f'{a:.2f} | {b:.0e} | {c:.0e}' for a, b, c in row)} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
