"""What a step may cost: a multiple of a usual one, spent as it is asked for."""

import numpy as np
import pytest

from stoss.benchmarks.worlds import build, draw
from stoss.collision import Box, HalfSpace
from stoss.engine import Ball, Material, Settings, World
from stoss.engine.solvers.allowance import (
    LEAST_USUAL,
    allow,
    is_at_end,
    most_parts,
    next_usual,
    room,
    room_at_end,
)
from stoss.engine.solvers.statistics import (
    FACTORISATIONS,
    PASSES,
    REFINEMENTS,
    STATISTICS,
    SUB_STEP_WORK,
    SUB_STEPS,
    SWEEPS_MADE,
)

MOST = 20.0  # usual steps


def statistics_of(parts: int, direct: int = 1, swept: int = 0, usual: float = 0.0) -> np.ndarray:
    """Return those at the start of a step in so many parts."""
    statistics = np.zeros(STATISTICS)
    allow(statistics, direct, swept, 15, parts, usual, MOST)
    return statistics


@pytest.mark.parametrize(("direct", "swept"), [(1, 0), (3, 0), (0, 1), (4, 2)])
@pytest.mark.parametrize("parts", [1, 4, 16])
def test_plan_and_allowance_stay_below_twenty_usual_steps(direct, swept, parts):
    """Leave for the rest no more than the plan leaves of the budget, but for a spare share."""
    statistics = statistics_of(parts, direct, swept)
    one = max(LEAST_USUAL, statistics_of(1, direct, swept)[SUB_STEP_WORK])
    planned = min(parts, most_parts(direct, swept, 15, MOST) if swept else parts) * statistics[SUB_STEP_WORK]
    assert planned + room_at_end(statistics) <= max(MOST * one, planned + 0.2 * MOST * one)


def test_steps_become_thrifty_and_then_come_to_their_end():
    """Count all work but that of usual sub-steps; without an allowance nothing ends."""
    statistics = statistics_of(1)
    assert room(statistics) > 0.0 and not is_at_end(statistics)
    statistics[SUB_STEPS] = 1
    statistics[PASSES] = statistics[FACTORISATIONS] = 2
    statistics[REFINEMENTS] = 2
    before = room(statistics)
    assert before == pytest.approx(room(statistics_of(1)))
    statistics[FACTORISATIONS] += before + 1.0
    assert room(statistics) < 0.0 and not is_at_end(statistics)
    statistics[SWEEPS_MADE] += room_at_end(statistics) + 1.0
    assert is_at_end(statistics)
    assert room(np.zeros(STATISTICS)) == np.inf and not is_at_end(np.zeros(STATISTICS))


def test_only_planned_sub_steps_are_paid_for():
    """Charge those that splits add: a step of twice as many as planned has spent the work of the others."""
    statistics = statistics_of(4)
    one = statistics[SUB_STEP_WORK]
    left = room(statistics)
    for made, charged in [(1, 0.0), (4, 0.0), (8, 4.0), (64, 60.0)]:
        statistics[SUB_STEPS], statistics[PASSES] = made, made * (one - 1.0)
        assert left - room(statistics) == pytest.approx(charged * one)


def test_what_is_usual_follows_the_steps():
    """Rise where steps cost more for long, never below the least, and put off the end."""
    costly, cheap = statistics_of(1), statistics_of(1)
    costly[FACTORISATIONS], costly[SUB_STEPS] = 500, 1
    usual = LEAST_USUAL
    for _ in range(100):
        usual = next_usual(usual, costly)
    assert usual < 2.0 * LEAST_USUAL  # a jam of a hundred steps is not usual
    for _ in range(500):
        usual = next_usual(usual, costly)
    assert 400.0 < usual < 550.0
    assert room_at_end(statistics_of(1, usual=usual)) > room_at_end(statistics_of(1))
    for _ in range(800):
        usual = next_usual(usual, cheap)
    assert usual == LEAST_USUAL


def work_of(report) -> float:
    """Return the work of a step."""
    solves = report.sub_steps + report.passes + report.factorisations + report.refinements
    return solves + report.sweeps + report.impact_rounds + report.displacements


@pytest.mark.parametrize("solver", ["auto", "direct", "gauss_seidel"])
@pytest.mark.parametrize("time_step", [0.01, 0.033])
def test_chains_that_come_to_lie_on_a_floor_cost_little_in_every_step(solver, time_step):
    """Throw a chain of boxes that rub and bounce: no step costs more than 20 usual ones."""
    world = World(time_step=time_step, settings=Settings(solver=solver, most_cost=MOST))
    rough = Material(friction=0.8, restitution=0.3)
    world.add_body(HalfSpace(), kind="static", material=rough)
    last = None
    for k in range(5):
        link = world.add_body(
            Box((0.3, 0.1, 0.1)), mass=1.0, position=(0.3 * k, 0, 0.4 + 0.1 * k), material=rough
        )
        if last is not None:
            world.add_joint(Ball((0.3 * k - 0.15, 0, 0.35 + 0.1 * k)), last, link)
        last = link
    works = [work_of(world.step()) for _ in range(round(2.0 / time_step))]
    assert max(works) <= 20.0 * max(LEAST_USUAL, float(np.median(works)))


@pytest.mark.parametrize(("number", "steps"), [(50348, 36), (30414, 40)])
def test_jams_of_few_bodies_cost_no_more_than_twenty_usual_steps(number, steps):
    """Displace, and go on sweeping, for no more than what searches have left of the allowance.

    Four boxes on ball joints that overlap cost 657, two balls that are swept 625.
    """
    record = draw(number)
    assert len(record.bodies) <= 5
    world = build(record)
    assert world.settings.most_cost == MOST
    assert max(work_of(world.step()) for _ in range(steps)) <= MOST * LEAST_USUAL


def test_allowance_is_saved():
    """Go on to the same bits from a snapshot of a world whose steps have been costly."""
    world = World(settings=Settings(solver="direct", most_cost=MOST))
    last = None
    for k in range(6):
        link = world.add_body(Box((0.3, 0.1, 0.1)), mass=1.0, position=(0.15 + 0.3 * k, 0, 0))
        world.add_joint(Ball((0.3 * k, 0, 0)), last, link, collide=True)
        last = link
    world.step(60)
    saved = world.save()
    world.step(40)
    expected = world.state_hash()
    world.restore(saved)
    world.step(40)
    assert world.state_hash() == expected
