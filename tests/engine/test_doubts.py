"""What failed in an island of late is not tried at length in every step."""

import numpy as np
import pytest

from stoss.benchmarks.worlds import draw
from stoss.benchmarks.worlds.books import work_of
from stoss.benchmarks.worlds.build import build
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.types import Ints2
from stoss.engine.constraints.islands import Islands
from stoss.engine.solvers.allowance import LEAST_USUAL
from stoss.engine.solvers.choice import no_doubts
from stoss.engine.solvers.doubts import PATIENCE, add_doubt, is_doubted


@kernel
def _look(doubts: Ints2, step: int, islands: Islands, fails: bool) -> bool:
    """Return whether island 0 is doubted; if not, what is tried fails, or not."""
    doubted = bool(is_doubted(doubts, step, islands, 0))
    if fails:
        add_doubt(doubts, step, islands, 0)
    return doubted


def _one_island() -> Islands:
    islands = Islands.zeros()
    islands.bodies, islands.body_start = np.arange(3), np.array([0, 3])
    return islands


def _tries(fails: list[bool]) -> list[int]:
    """Return the steps in which something was tried that fails in these steps."""
    doubts, islands = no_doubts(3)[0], _one_island()
    return [step for step, fail in enumerate(fails) if not _look(doubts, step, islands, fail)]


def test_what_fails_again_and_again_is_tried_ever_more_seldom():
    """Be patient, then double the steps between two tries, up to 32."""
    waits = np.diff(_tries([True] * 300)).tolist()
    assert waits == [1] * PATIENCE + [2, 4, 8, 16, *[32] * (len(waits) - PATIENCE - 4)]


def test_what_fails_for_some_steps_is_tried_again_at_once():
    """Doubt nothing for a failure now and then, nor for as many in a row as a rope that tightens has."""
    assert _tries(([True] + [False] * 6) * 15) == list(range(105))
    assert _tries(([True] * (PATIENCE - 1) + [False] * 4) * 3) == list(range(3 * PATIENCE + 9))


def test_a_doubt_ends_the_tries_of_its_step():
    """Try as often as there is need in a step, but not after the failure that casts a doubt."""
    doubts, islands = no_doubts(3)[0], _one_island()
    for step in range(PATIENCE - 1):
        assert [_look(doubts, step, islands, True) for _ in range(4)] == [False] * 4
    assert [_look(doubts, PATIENCE - 1, islands, True) for _ in range(3)] == [False, True, True]
    assert not _look(doubts, PATIENCE, islands, True)


@pytest.mark.parametrize("number", [301, 331])
def test_jammed_links_do_not_cost_all_that_a_step_may(number):
    """Spend less than half of what each step may cost, twenty usual ones, on links that are jammed."""
    world = build(draw(number))
    works = [work_of(world.step()) for _ in range(round(3.0 / world.time_step))]
    assert np.mean(works[len(works) // 2 :]) < 10.0 * LEAST_USUAL


def test_doubts_are_saved():
    """Go on to the same bits from a snapshot, and in a copy, of a world that is jammed."""
    world = build(draw(312))
    world.step(40)
    saved, twin = world.save(), world.copy()
    world.step(20)
    expected = world.state_hash()
    twin.step(20)
    assert twin.state_hash() == expected
    world.restore(saved)
    world.step(20)
    assert world.state_hash() == expected
