"""Many worlds in several processes: draw, run, judge, shrink what fails, and a table of it all."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from stoss.benchmarks.worlds.build import code
from stoss.benchmarks.worlds.check import Outcome, check, judge, run
from stoss.benchmarks.worlds.draw import RUBBING, draw, draw_rubbing
from stoss.benchmarks.worlds.invariants import INVARIANTS, Violation
from stoss.benchmarks.worlds.records import WorldRecord
from stoss.benchmarks.worlds.shrink import shrink

__all__ = ["Finding", "Order", "Summary", "look_at", "random_worlds", "reduce", "rubbing_chains", "run_all"]

# What is reduced first, and for which rule.
GRAVITY = (
    "exception",
    "energy",
    "cost",
    "momentum",
    "angular momentum",
    "joint",
    "overlap",
    "stop",
    "ledger",
)
AFTERWARDS = 0.6  # [s] for which a reduced world is run past the moment of the failure
KEPT_GAIN = 0.1  # gain that a reduced world is to have, if the whole one had more, as a share of its energy


@dataclass(frozen=True)
class Order:
    """One world that is to be run: links of a rubbing chain, or 0 for any world, number, seed, family."""

    number: int
    seed: int = 0
    family: str | None = None
    links: int = 0

    def draw(self) -> WorldRecord:
        """Return the world."""
        if self.links:
            return draw_rubbing(self.number, self.links, self.seed)
        return draw(self.number, self.family, self.seed)

    def __str__(self) -> str:
        if self.links:
            return f"draw_rubbing({self.number}, {self.links}, {self.seed})"
        family = "" if self.family is None else f"family={self.family!r}, "
        return f"draw({self.number}, {family}seed={self.seed})"


@dataclass(frozen=True)
class Finding:
    """What came of one world."""

    order: Order
    family: str
    outcome: Outcome
    seconds: float  # of processor time, with what is run again


@dataclass
class Summary:
    """Figures of a series, by family of worlds."""

    worlds: Counter[str] = field(default_factory=Counter)
    failed: Counter[tuple[str, str]] = field(default_factory=Counter)  # family and rule
    failing: Counter[str] = field(default_factory=Counter)
    gain: dict[str, float] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    slowness: dict[str, float] = field(default_factory=dict)
    laddered: Counter[str] = field(default_factory=Counter)
    laddered_steps: int = 0
    opened_steps: int = 0
    rungs: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    steps: int = 0

    def add(self, finding: Finding) -> None:
        """Count one world."""
        name, outcome = finding.family, finding.outcome
        self.worlds[name] += 1
        self.failing[name] += bool(outcome.violations)
        for rule in outcome.rules:
            self.failed[name, rule] += 1
        self.gain[name] = max(self.gain.get(name, 0.0), outcome.gain)
        self.cost[name] = max(self.cost.get(name, 0.0), outcome.cost)
        self.slowness[name] = max(self.slowness.get(name, 0.0), outcome.slowness)
        self.laddered[name] += bool(outcome.ladder)
        self.laddered_steps += outcome.laddered
        self.opened_steps += outcome.opened
        self.rungs.update(outcome.ladder)
        self.seconds[name] = self.seconds.get(name, 0.0) + finding.seconds
        self.steps += outcome.steps

    def table(self) -> str:
        """Return one line for each family, one for all, and where islands ended on the ladder."""
        heads = [*("worlds", "failed"), *INVARIANTS, "gain %", "cost", "time", "ladder", "ms/world"]
        widths = [max(len(head) + 2, 8) for head in heads]
        lines = [f"{'family':12}" + "".join(f"{h:>{w}}" for h, w in zip(heads, widths, strict=True))]
        for name in [*self.worlds, "all"]:
            names = [*self.worlds] if name == "all" else [name]
            count = sum(self.worlds[n] for n in names)
            entries = [str(count), str(sum(self.failing[n] for n in names))]
            entries += [str(sum(self.failed[n, rule] for n in names) or "") for rule in INVARIANTS]
            entries += [
                f"{100.0 * max(self.gain[n] for n in names):.3g}",
                f"{max(self.cost[n] for n in names):.1f}",
                f"{max(self.slowness[n] for n in names):.1f}",
            ]
            entries.append(str(sum(self.laddered[n] for n in names)))
            entries.append(f"{1e3 * sum(self.seconds[n] for n in names) / count:.0f}")
            lines.append(f"{name:12}" + "".join(f"{e:>{w}}" for e, w in zip(entries, widths, strict=True)))
        reached = f"{sum(self.laddered.values())} of {sum(self.worlds.values())} worlds"
        rungs = ", ".join(f"{name}: {count}" for name, count in self.rungs.most_common()) or "none"
        lines.append(
            f"{self.steps} steps; {reached} reached the ladder, in {self.laddered_steps} steps; "
            f"islands that left the usual method, by where they ended: {rungs}; "
            f"joints that were open and named: in {self.opened_steps} steps"
        )
        return "\n".join(lines)


def random_worlds(count: int, seed: int = 0, family: str | None = None, first: int = 0) -> list[Order]:
    """Return a series of worlds of all families in turn, or of one, from number `first` on."""
    return [Order(number, seed, family) for number in range(first, first + count)]


def rubbing_chains(count: int, seed: int = 0, first: int = 0) -> list[Order]:
    """Return `count` starts of chains of 3, 4, 10 and 20 boxes each, hanging and thrown in turn."""
    return [Order(number, seed, None, links) for links in RUBBING for number in range(first, first + count)]


def look_at(order: Order, duration: float, timed: bool = True) -> Finding:
    """Draw, run and judge one world for a duration [s]; `timed` as for `check`."""
    begin = time.process_time()
    record = order.draw()
    outcome = check(record, duration, timed)
    return Finding(order, record.family, outcome, time.process_time() - begin)


def _look(task: tuple[Order, float, bool]) -> Finding:
    return look_at(*task)


def run_all(
    orders: Sequence[Order], duration: float, processes: int = 1, *, timed: bool = True
) -> Iterator[Finding]:
    """Yield what came of each world, in their order, for a duration [s] each; `timed` as for `check`."""
    tasks = [(order, duration, timed) for order in orders]
    if processes == 1:
        yield from map(_look, tasks)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(_look, tasks, chunksize=4)


def gravest(violations: Iterable[Violation]) -> Violation:
    """Return the violation that is looked into first."""
    return min(violations, key=lambda violation: GRAVITY.index(violation.rule))


def reduce(finding: Finding, most_runs: int = 100) -> tuple[str, Violation]:
    """Return code of a small world that breaks the gravest rule of a finding, and what it breaks."""
    violation, gain = gravest(finding.outcome.violations), finding.outcome.gain
    duration = violation.time + AFTERWARDS

    def broken(record: WorldRecord) -> Violation | None:
        outcome = run(record, duration)
        if violation.rule == "energy" and outcome.gain < min(0.5 * gain, KEPT_GAIN):
            return None
        if violation.rule in outcome.rules:
            outcome = judge(record, outcome, duration)
        return next((v for v in outcome.violations if v.rule == violation.rule), None)

    small = shrink(finding.order.draw(), lambda record: broken(record) is not None, most_runs)
    seen = broken(small) or violation
    return code(small, seen.time + small.time_step), seen
