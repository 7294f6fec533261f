"""What large numbers cost: `python -m stoss.benchmarks.sizes`.

Each row is measured at n, 2n and 4n: processor time, and the power of n with which it grows (1 is linear);
memory that it takes at 4n, and what of it is left when everything was removed from the world.
"""

import argparse
import gc
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

import stoss as st
from stoss.benchmarks.tables import format_cells, machine_load

__all__ = ["ROWS", "Row", "main", "measure"]


class Timer:
    """Add up the processor time of what is done within `with timer:`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begin = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._begin


@dataclass(frozen=True)
class Row:
    """One thing to be measured.

    Attributes:
        name: what it is.
        largest: the largest n.
        run: does it in a world that is empty, n times or with n of them, timed by the timer.
    """

    name: str
    largest: int
    run: Callable[[st.World, int, Timer], None]


def _grid(count: int, gap: float = 2.0) -> np.ndarray:
    side = int(np.ceil(count ** (1.0 / 3.0)))
    return gap * np.stack(np.unravel_index(np.arange(count), (side,) * 3), axis=1).astype(float)


def _boxes(world: st.World, count: int, kind: str = "dynamic") -> list[st.Body]:
    return world.add_bodies(st.Box((1, 1, 1)), _grid(count), kind=kind)


def _chain(world: st.World, count: int) -> list[st.Joint]:
    bodies = [None, *world.add_bodies(st.Box((0.2, 0.2, 1)), [(0, 0, -k - 0.5) for k in range(count)])]
    return [world.add_joint(st.Hinge((0, 0, -k), (0, 1, 0)), bodies[k], bodies[k + 1]) for k in range(count)]


def _landscape(triangles: int) -> st.TriangleMesh:
    side = int(np.sqrt(triangles / 2))
    x, y = np.meshgrid(np.arange(side + 1.0), np.arange(side + 1.0), indexing="ij")
    corners = np.stack([x, y, 0.3 * np.sin(x) * np.cos(y)], axis=-1).reshape(-1, 3)
    first = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1)
    upper = np.stack([first, first + side + 1, first + side + 2], axis=1)
    lower = np.stack([first, first + side + 2, first + 1], axis=1)
    return st.TriangleMesh(corners, np.concatenate([upper, lower]))


def _round(corners: int, seed: int = 0) -> st.ConvexHull:
    points = np.random.default_rng(seed).normal(size=(corners, 3))
    return st.ConvexHull(points / np.linalg.norm(points, axis=1)[:, None])


def _add(world: st.World, n: int, timer: Timer) -> None:
    box, places = st.Box((1, 1, 1)), _grid(n)
    with timer:
        for place in places:
            world.add_body(box, position=place)


def _remove(world: st.World, n: int, timer: Timer) -> None:
    bodies = _boxes(world, n)
    with timer:
        for body in bodies:
            world.remove_body(body)
        assert world.bodies == []


def _remove_some(world: st.World, n: int, timer: Timer) -> None:
    """Remove every second body, each after a look at it, and go on."""
    bodies = _boxes(world, n)
    with timer:
        for body in bodies[::2]:
            if body.position[0] >= 0.0:
                world.remove_body(body)
        world.step()


def _static(world: st.World, n: int, timer: Timer) -> None:
    box, places = st.Box((1, 1, 1)), _grid(n)
    with timer:
        for place in places:
            world.add_body(box, position=place, kind="static")
        world.add_body(box, position=(0, 0, -3.0))
        world.step()


def _names(world: st.World, n: int, timer: Timer) -> None:
    _boxes(world, n)
    with timer:
        for k in range(n):
            world.body(f"body {k}")


def _report(world: st.World, n: int, timer: Timer) -> None:
    _boxes(world, n)
    world.step()
    with timer:
        for _ in range(10):
            assert world.report.energy > -np.inf and len(world.bodies) == n


def _exclude(world: st.World, n: int, timer: Timer) -> None:
    bodies = _boxes(world, n)
    with timer:
        for first, second in zip(bodies[:-1], bodies[1:], strict=True):
            world.exclude_collision(first, second)
        world.step()


def _add_joints(world: st.World, n: int, timer: Timer) -> None:
    with timer:
        _chain(world, n)


def _remove_joints(world: st.World, n: int, timer: Timer) -> None:
    joints = _chain(world, n)
    with timer:
        for joint in joints:
            world.remove_joint(joint)
        assert world.joints == []


def _freedom(world: st.World, n: int, timer: Timer) -> None:
    _chain(world, n)
    with timer:
        assert world.freedom_report().rank == 5 * n


def _save(world: st.World, n: int, timer: Timer) -> None:
    _boxes(world, n)
    world.step()
    with timer:
        world.restore(world.save())


def _mesh(world: st.World, n: int, timer: Timer) -> None:
    with timer:
        world.add_body(_landscape(n), kind="static")


def _meshes(world: st.World, n: int, timer: Timer) -> None:
    """Add n bodies with equal meshes of 2000 triangles, each made anew."""
    with timer:
        for k in range(n):
            world.add_body(_landscape(2000), kind="static", position=(0, 0, -float(k)))


def _hull(world: st.World, n: int, timer: Timer) -> None:
    """Make 20 steps with two hulls of n corners on each other."""
    world.add_body(st.HalfSpace((0, 0, 1)), kind="static")
    hull = _round(n)
    for k in range(2):
        world.add_body(hull, position=(0.1 * k, 0, 1.0 + 1.95 * k))
    world.step()
    with timer:
        world.step(20)


def _hulls(world: st.World, n: int, timer: Timer) -> None:
    """Add n hulls of 40 corners, all different, make a step, and remove them."""
    with timer:
        for k, place in enumerate(_grid(n, 3.0)):
            world.add_body(_round(40, seed=k), position=place)
        world.step()


ROWS = (
    Row("add_body", 20000, _add),
    Row("remove_body, all", 20000, _remove),
    Row("remove_body, every second", 20000, _remove_some),
    Row("static bodies, and a step", 100000, _static),
    Row("body by name", 20000, _names),
    Row("10 reports, bodies", 20000, _report),
    Row("exclude_collision, and a step", 20000, _exclude),
    Row("save and restore", 20000, _save),
    Row("add_joint", 4000, _add_joints),
    Row("remove_joint", 4000, _remove_joints),
    Row("freedom_report of a chain", 2000, _freedom),
    Row("mesh of triangles", 500000, _mesh),
    Row("equal meshes", 200, _meshes),
    Row("20 steps of two hulls of corners", 5000, _hull),
    Row("different hulls, and a step", 200, _hulls),
)


@contextmanager
def _traced() -> Iterator[Callable[[], float]]:
    """Give a function that returns the memory [MB] that came since, of what numpy and Python allocate."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]

    def taken() -> float:
        gc.collect()
        return (tracemalloc.get_traced_memory()[0] - before) / 1e6

    try:
        yield taken
    finally:
        tracemalloc.stop()


def _empty(world: st.World) -> None:
    for body in world.bodies:
        world.remove_body(body)
    world.step()


def measure(row: Row, n: int, *, memory: bool = False) -> tuple[float, float, float]:
    """Return the processor time [s], the memory [MB] that a world took, and what was left of it [MB].

    Args:
        row: what is measured.
        n: how many.
        memory: whether to measure memory, in a run of its own: else it is 0.
    """
    timer = Timer()
    if not memory:
        row.run(st.World(), n, timer)
        return timer.seconds, 0.0, 0.0
    world = st.World()
    with _traced() as taken:
        row.run(world, n, timer)
        full = taken()
        _empty(world)
        return 0.0, full, taken()


def main(arguments: list[str] | None = None) -> int:
    """Measure all rows and print a table."""
    parser = argparse.ArgumentParser(prog="python -m stoss.benchmarks.sizes", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the usual numbers")
    parser.add_argument("--only", default="", metavar="WORDS", help="rows whose name contains these words")
    options = parser.parse_args(arguments)
    if not 0.0 < options.share <= 10.0:
        parser.error(f"--share is {options.share}; give a number above 0, at most 10")
    rows = [row for row in ROWS if options.only in row.name]
    if not rows:
        parser.error(f"--only is {options.only!r}; rows are {', '.join(row.name for row in ROWS)}")
    print(machine_load())
    cells = [["", "n", "s at n", "at 2n", "at 4n", "power", "MB at 4n", "MB left"]]
    for row in rows:
        counts = [max(int(row.largest * options.share) // k, 2) for k in (4, 2, 1)]
        measure(
            row, min(counts[0], 100), memory=True
        )  # so that no kernel is compiled or loaded while it is measured
        times = [measure(row, n)[0] for n in counts]
        _, full, left = measure(row, counts[-1], memory=True)
        power = np.polyfit(np.log(counts), np.log(np.maximum(times, 1e-9)), 1)[0]
        figures = [f"{seconds:.3g}" for seconds in times]
        cells.append([row.name, str(counts[0]), *figures, f"{power:.2f}", f"{full:.1f}", f"{left:.1f}"])
        print(format_cells([cells[0], cells[-1]]).splitlines()[-1], file=sys.stderr, flush=True)
    print(format_cells(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
