"""Run the world of a record under watch, and judge what was found."""

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from statistics import median

from stoss.benchmarks.worlds.build import build
from stoss.benchmarks.worlds.certificate import ladder
from stoss.benchmarks.worlds.invariants import Violation, Watch
from stoss.benchmarks.worlds.records import MOST_COST, WorldRecord

__all__ = ["Outcome", "check", "judge", "run", "time_again"]

# Order two: half the step divides the oscillation by four; a little less is let pass.
HALF_STEP = 0.35
MOST_OSCILLATION = 0.1  # of the largest energy: more is no oscillation of a method that is of use
AGAIN = 2  # runs by which a step that took long is looked at again
MOST_STALLS = 5  # steps that cost far more than any usual one, after which a world is given up
SOON = 0.5  # [s] before which the largest energy may be still to come
LEAST_TIME = 5e-4  # [s] of the cheapest step that is a measure of others
RUNAWAY = 2.0  # times the largest energy allowed: it is not followed any farther


@dataclass
class Outcome:
    """What came of a run.

    Attributes:
        violations: what was broken, in the order of `INVARIANTS`.
        gain, miss: largest rise of energy, and difference from the ledger, as shares of the largest energy.
        cost: largest work of a step over a usual one.
        ladder: in how many steps an island ended on which rung.
        steps: made.
        laddered, opened: in how many of them an island left the usual method, or a joint was open and named.
        times: processor time of each step [s], where kernels are loaded too.
    """

    violations: list[Violation]
    gain: float = 0.0
    miss: float = 0.0
    cost: float = 0.0
    ladder: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    laddered: int = 0
    opened: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def slowness(self) -> float:
        """Return the processor time of the slowest step but the first over that of a usual one."""
        return max(self.times[1:], default=0.0) / max(median(self.times or [0.0]), LEAST_TIME)

    @property
    def rules(self) -> frozenset[str]:
        """Return the rules that were broken."""
        return frozenset(v.rule for v in self.violations)


def run(record: WorldRecord, duration: float) -> Outcome:
    """Run a record's world and return what was found, energies judged by this step alone.

    Args:
        record: the world.
        duration: [s].
    """
    world = build(record)
    watch = Watch(world, attached=False)
    rungs: Counter[str] = Counter()
    steps, error = max(1, round(duration / record.time_step)), None
    times, laddered = [], 0
    for number in range(steps):
        begin = time.thread_time()
        try:
            report = world.step()
        except Exception as exception:  # whatever it is, it is the finding
            text = f"{type(exception).__name__}: {str(exception)[:120]};"
            error = Violation("exception", number + 1, world.time, 1.0, 0.0, text)
            break
        times.append(time.thread_time() - begin)
        watch.look(report)
        if report.ladder:
            rungs.update(ladder(report))
            laddered += 1
        if (
            world.time > SOON
            and watch.gain > RUNAWAY * (watch.scale - watch.gain)
            or watch.stalls > MOST_STALLS
        ):
            break
    found = watch.violations()
    if error is not None:
        found.insert(0, error)
    scale = max(watch.allowed_gain * 100.0, 1e-300)
    return Outcome(
        found,
        watch.gain / scale,
        watch.miss / scale,
        watch.cost,
        rungs,
        world.step_count,
        laddered,
        watch.open_steps,
        times,
    )


def check(record: WorldRecord, duration: float, timed: bool = True) -> Outcome:
    """Run a record's world, and once more what is suspect: at half its step for energy, as it is for time.

    Args:
        record: the world.
        duration: [s].
        timed: whether the time of its steps is judged, and not their work alone.
    """
    outcome = run(record, duration)
    return judge(record, time_again(record, outcome, duration) if timed else outcome, duration)


def time_again(record: WorldRecord, outcome: Outcome, duration: float) -> Outcome:
    """Return the outcome with a violation if a step took too much processor time in each of three runs.

    A run does the same every time; kernels are loaded, and others disturb the processor, in one of them.
    """
    for _ in range(AGAIN):
        if not outcome.slowness > MOST_COST:
            return outcome
        outcome.times = [*map(min, outcome.times, run(record, duration).times)]
    if outcome.slowness > MOST_COST and "cost" not in outcome.rules:
        worst = outcome.times.index(max(outcome.times[1:])) + 1
        moment, text = worst * record.time_step, "usual steps of processor time:"
        found = Violation("cost", worst, moment, outcome.slowness, MOST_COST, text)
        outcome.violations.append(found)
    return outcome


def judge(record: WorldRecord, outcome: Outcome, duration: float) -> Outcome:
    """Return the outcome without gains of energy that are an oscillation of order two.

    They are below `MOST_OSCILLATION`, and each run at half the step divides them by about four until they
    are allowed, two halvings at most.
    """
    suspects = [v for v in outcome.violations if v.rule in ("energy", "ledger")]
    rules = {v.rule for v in suspects}
    figures = {"energy": outcome.gain, "ledger": outcome.miss}
    rules = {r for r in rules if figures[r] <= MOST_OSCILLATION}
    forgiven: set[str] = set()
    at = record
    for _ in range(2):
        if not rules:
            break
        at = replace(at, time_step=0.5 * at.time_step)
        finer = run(at, duration)
        new = {"energy": finer.gain, "ledger": finer.miss}
        rules = {r for r in rules if new[r] <= HALF_STEP * figures[r]}
        forgiven |= {r for r in rules if r not in finer.rules}
        rules -= forgiven
        figures = new
    outcome.violations = [v for v in outcome.violations if v.rule not in forgiven]
    return outcome
