"""`stoss cases`: run the cases and print what each measured, its bound, and the verdict."""

import argparse
import json
import math
import sys
import time
from dataclasses import dataclass
from typing import Any

from stoss.command_line.progress import watched_kernels
from stoss.engine import SimulationError
from stoss.errors import UsageError
from stoss.scenes.cases import Case, Figure, find_cases
from stoss.scenes.running.compilation import CompileWatch

__all__ = ["run_cases"]


@dataclass(frozen=True)
class Outcome:
    """What came of one case.

    Attributes:
        case: the case.
        figures: what it measured; empty if it had to stop.
        seconds: wall-clock time, compiling and loading of kernels left out [s].
        failure: why the simulation stopped, or nothing.
    """

    case: Case
    figures: list[Figure]
    seconds: float
    failure: str = ""

    @property
    def passed(self) -> bool:
        """Return whether all figures are within their bounds."""
        return not self.failure and all(figure.passed for figure in self.figures)


def run_cases(options: argparse.Namespace) -> int:
    """Carry out `stoss cases` and return the exit code: 0 if all passed, 1 if any failed.

    Raises:
        UsageError: there is no such case.
    """
    try:
        cases = find_cases(options.cases)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if options.list:
        print(json.dumps([_about(case) for case in cases], indent=1) if options.json else _listing(cases))
        return 0
    if not options.json:
        print(_row("case", "what", "measured", "bound", "verdict", "seconds"), flush=True)
    outcomes = []
    with watched_kernels(not options.json) as watch:
        for case in cases:
            outcomes.append(_run(case, watch))
            if not options.json:
                print("\n".join(_lines(outcomes[-1])), flush=True)
    failed = [outcome.case.name for outcome in outcomes if not outcome.passed]
    if options.json:
        print(json.dumps([_record(outcome) for outcome in outcomes], indent=1))
    else:
        total = sum(outcome.seconds for outcome in outcomes)
        print(f"{len(outcomes) - len(failed)} of {len(outcomes)} cases passed in {total:.0f} s")
        if failed:
            print(f"stoss: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(case: Case, watch: CompileWatch) -> Outcome:
    begin, ready = time.perf_counter(), watch.ready_seconds
    figures: list[Figure] = []
    failure = ""
    try:
        figures = case.run()
    except SimulationError as error:
        failure = str(error)
    return Outcome(case, figures, time.perf_counter() - begin - (watch.ready_seconds - ready), failure)


def _about(case: Case) -> dict[str, Any]:
    return {"case": case.number, "name": case.name, "source": case.source, "summary": case.summary}


def _record(outcome: Outcome) -> dict[str, Any]:
    figures = [
        {
            "what": figure.what,
            "measured": _number(figure.measured),
            "lowest": _number(figure.lowest),
            "highest": _number(figure.highest),
            "unit": figure.unit,
            "passed": figure.passed,
        }
        for figure in outcome.figures
    ]
    return {
        **_about(outcome.case),
        "passed": outcome.passed,
        "seconds": outcome.seconds,
        "failure": outcome.failure,
        "figures": figures,
    }


def _number(value: float) -> float | None:
    """Return a number that JSON can hold: none in place of an infinite one or NaN."""
    return value if math.isfinite(value) else None


def _listing(cases: list[Case]) -> str:
    rows = [("case", "name", "reported as", "what must hold")]
    rows += [(case.number, case.name, case.source, case.summary) for case in cases]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join([*(f"{row[i]:<{width}}" for i, width in enumerate(widths)), row[3]]) for row in rows]
    return "\n".join([*lines, "", "stoss cases R23 runs those of that number; stoss cases runs all."])


def _row(case: str, what: str, measured: str, bound: str, verdict: str, seconds: str) -> str:
    return f"{case:<5} {what:<52} {measured:>14} {bound:>20}  {verdict:<7} {seconds:>7}".rstrip()


def _lines(outcome: Outcome) -> list[str]:
    """Return the rows of one case: its summary with the verdict, then a row for each figure."""
    case = outcome.case
    verdict = "PASS" if outcome.passed else "FAIL"
    lines = [f"{case.number:<5} {case.summary} [{case.source}]"]
    if outcome.failure:
        lines.append(_row("", f"stopped: {outcome.failure}", "", "", "FAIL", ""))
    for figure in outcome.figures:
        measured = f"{figure.measured:.6g} {figure.unit}".rstrip()
        lines.append(_row("", figure.what, measured, figure.bound, "pass" if figure.passed else "FAIL", ""))
    return [*lines, _row("", case.name, "", "", verdict, f"{outcome.seconds:.1f}")]
