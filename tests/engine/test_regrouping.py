"""Islands that are found anew in memory that is kept, by the kernel that goes on with the step."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.collision.kernels.axes import CommonAxis
from stoss.engine import Settings, World
from stoss.engine.bodies.arrays import DYNAMIC, STATIC
from stoss.engine.constraints.islands import Islands, Layout, find_islands
from stoss.engine.solvers.elimination import FactorStructure
from stoss.engine.solvers.factors import DirectWorkspace, move_factors
from stoss.engine.stages import at_once
from stoss.engine.stages.constraint_system import ConstraintSystem


def grouped(ends: np.ndarray, reacts: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Return bodies and blocks of each island, by merging sets."""
    sets = [{int(i)} for i in np.flatnonzero(reacts)]
    for a, b in ends.tolist():
        if reacts[a] and reacts[b]:
            one, other = (next(s for s in sets if i in s) for i in (a, b))
            if one is not other:
                sets.remove(other)
                one |= other
    out = []
    for bodies in sorted(sets, key=min):
        blocks = [k for k, (a, b) in enumerate(ends.tolist()) if a in bodies or b in bodies]
        if blocks:
            out.append((sorted(bodies), blocks))
    return out


@pytest.mark.parametrize("seed", range(20))
def test_islands_are_the_sets_of_bodies_that_blocks_connect(seed):
    """Group random blocks as merging sets does, in the order of the lowest bodies, and number their pairs."""
    rng = np.random.default_rng(seed)
    bodies, blocks = int(rng.integers(2, 30)), int(rng.integers(0, 40))
    reacts = rng.random(bodies) < 0.8
    reacts[0] = True
    ends = rng.integers(0, bodies, (blocks, 2))
    ends = np.ascontiguousarray(ends[(ends[:, 0] != ends[:, 1]) & reacts[ends].any(axis=1)])
    islands = find_islands(ends[:, 0].copy(), ends[:, 1].copy(), np.where(reacts, DYNAMIC, STATIC))
    expected = grouped(ends, reacts)
    assert len(islands.body_start) - 1 == len(expected)
    for k, (members, sources) in enumerate(expected):
        assert islands.bodies[islands.body_start[k] : islands.body_start[k + 1]].tolist() == members
        first, last = islands.block_start[k], islands.block_start[k + 1]
        assert islands.order[first:last].tolist() == sources
        pairs = islands.pairs[islands.block_pair[first:last]]
        assert (pairs == np.where(reacts[ends[sources]], ends[sources], -1)).all()
        assert islands.block_pair[first] == islands.pair_start[k]


def heap(settings: Settings) -> World:
    """Return boxes and balls that fall on each other, some of which touch by then."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static")
    rng = np.random.default_rng(5)
    for k in range(36):
        shape = Box((0.3, 0.2, 0.2)) if k % 2 else Sphere(0.12)
        x, y = 0.3 * (k % 3), 0.3 * (k // 3 % 3)
        world.add_body(shape, position=(*(np.array((x, y)) + 0.02 * rng.random(2)), 0.2 + 0.3 * (k // 9)))
    return world


def end_of(settings: Settings) -> str:
    """Return the state of a heap after it has fallen."""
    world = heap(settings)
    for _ in range(50):
        world.step()
    return world.state_hash()


ALL_SETTINGS = [
    Settings(),
    Settings(solver="gauss_seidel"),
    Settings(solver="direct"),
    Settings(solver="gauss_seidel", sweeps=5, shock_propagation=True),
]


@pytest.mark.parametrize("settings", ALL_SETTINGS)
def test_a_step_goes_on_within_the_call_that_regroups(settings, monkeypatch):
    """Reach the same bits whether there is room for what comes, or it has to be made."""
    calls = []
    regroup = ConstraintSystem.find_islands

    def noted(self):
        calls.append(self)
        regroup(self)

    monkeypatch.setattr(ConstraintSystem, "find_islands", noted)
    usual, seldom = end_of(settings), len(calls)
    monkeypatch.setattr(CommonAxis, "reserve", _reserve_no_more)
    calls.clear()
    assert end_of(settings) == usual
    assert len(calls) > seldom


def _reserve_no_more(self, room: int) -> None:
    """Have room for as much as is asked for, but for no more."""
    if room > self.room:
        for table, name in self._tables:
            table.grow(name, room)
        self._size[1] = room


def test_a_step_that_regroups_is_made_as_if_python_did(monkeypatch):
    """Reach the same bits where contacts that couple others always end the call."""
    usual = [end_of(settings) for settings in ALL_SETTINGS[:2]]
    monkeypatch.setattr(at_once.MadeAhead, "prepare", lambda self, before: None)
    assert [end_of(settings) for settings in ALL_SETTINGS[:2]] == usual


def layouts(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return columns, off-diagonal blocks and rows of some islands, by their numbers."""
    return tuple(rng.integers(1, 5, 12) for _ in range(3))


def structure_of(sizes: tuple[np.ndarray, ...], those: np.ndarray) -> tuple[FactorStructure, np.ndarray]:
    """Return the structure of some islands, one behind the other, and where their rows begin."""
    columns, blocks, rows = (size[those] for size in sizes)
    starts = [np.concatenate([[0], np.cumsum(size)]) for size in (columns, blocks, rows)]
    s = FactorStructure.zeros(columns=starts[0][-1], islands=len(those), blocks=starts[1][-1])
    s.island_start[:] = starts[0]
    for k in range(len(those)):
        s.start[starts[0][k] : starts[0][k + 1]] = starts[1][k]
    s.start[-1] = starts[1][-1]
    return s, starts[2]


@pytest.mark.parametrize("seed", range(30))
def test_factors_move_within_their_memory(seed):
    """Move factors of islands that stay, to the front and to the back, without one on top of another."""
    rng = np.random.default_rng(seed)
    sizes = layouts(rng)
    before, after = (np.flatnonzero(rng.random(12) < 0.7) for _ in range(2))
    (old, row_start), (new, new_rows) = structure_of(sizes, before), structure_of(sizes, after)
    work = DirectWorkspace.zeros(columns=60, blocks=60, rows=60)
    for name in ("diagonal", "off_diagonal", "upper", "jacobian", "weight", "softness"):
        getattr(work, name)[:] = rng.random(getattr(work, name).shape)
    was = work.copy()
    factor = np.array([list(before).index(k) if k in before else -1 for k in after], np.int64)
    islands = Islands.zeros(islands=len(after), blocks=len(after))
    islands.block_start[:] = np.arange(len(after) + 1)
    layout = Layout.zeros(blocks=len(after))
    layout.start[:] = new_rows
    starts = row_start.copy(), np.concatenate([row_start, np.zeros(12, np.int64)])
    move_factors(factor, old, new, starts[1], islands, layout, work)
    assert (starts[1][: len(new_rows)] == new_rows).all()
    for k, source in enumerate(factor):
        if source < 0:
            continue
        for at, to, names in (
            (old.island_start[source], new.island_start[k], ("diagonal",)),
            (old.start[old.island_start[source]], new.start[new.island_start[k]], ("off_diagonal", "upper")),
            (starts[0][source], new_rows[k], ("jacobian", "weight", "softness")),
        ):
            size = sizes[0 if names[0] == "diagonal" else 1 if "upper" in names else 2][after[k]]
            for name in names:
                moved, kept = getattr(work, name)[to : to + size], getattr(was, name)[at : at + size]
                assert (moved == kept).all(), name
