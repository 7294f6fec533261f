"""Run the world of a record under watch, and judge what was found."""

from collections import Counter
from dataclasses import dataclass, field, replace

from stoss.benchmarks.worlds.build import build
from stoss.benchmarks.worlds.certificate import ladder
from stoss.benchmarks.worlds.invariants import Violation, Watch
from stoss.benchmarks.worlds.records import WorldRecord

__all__ = ["Outcome", "check", "judge", "run"]

# Order two: half the step divides the oscillation by four; a little less is let pass.
HALF_STEP = 0.35
MOST_OSCILLATION = 0.1  # of the largest energy: more is no oscillation of a method that is of use
MOST_STALLS = 5  # steps that cost far more than any usual one, after which a world is given up
SOON = 0.5  # [s] before which the largest energy may be still to come
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
    """

    violations: list[Violation]
    gain: float = 0.0
    miss: float = 0.0
    cost: float = 0.0
    ladder: Counter[str] = field(default_factory=Counter)
    steps: int = 0

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
    watch = Watch(world)
    rungs: Counter[str] = Counter()
    steps, error = max(1, round(duration / record.time_step)), None
    for number in range(steps):
        try:
            report = world.step()
        except Exception as exception:  # whatever it is, it is the finding
            text = f"{type(exception).__name__}: {str(exception)[:120]};"
            error = Violation("exception", number + 1, world.time, 1.0, 0.0, text)
            break
        rungs.update(ladder(report))
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
    return Outcome(found, watch.gain / scale, watch.miss / scale, watch.cost, rungs, world.step_count)


def check(record: WorldRecord, duration: float) -> Outcome:
    """Run a record's world, and once more at half its step if its energy is suspect; see `judge`."""
    return judge(record, run(record, duration), duration)


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
