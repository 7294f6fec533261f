"""`stoss cases`: which cases it takes, what it prints and returns, and when a figure passes."""

import json
import math

import pytest

from stoss.command_line.main import main
from stoss.scenes.cases import CASES, Figure, case, find_cases
from stoss.scenes.cases.registry import at_least, at_most, near


@pytest.fixture
def two_cases(monkeypatch):
    """Leave two cases: one passes, the other fails in its second figure."""
    monkeypatch.setattr("stoss.scenes.cases.registry.CASES", {})

    @case("R1", "engine#1")
    def r1_good():
        """Pass."""
        return [near("height", 1.0, 1.0, 1e-3, "m")]

    @case("R2", "engine#2")
    def r2_bad():
        """Fail."""
        return [at_most("speed", 0.5, 1.0, "m/s"), at_least("share", 0.25, 0.5)]


@pytest.mark.parametrize(
    ("figure", "passed"),
    [
        (at_most("x", 1.0, 1.0), True),
        (at_most("x", 1.0 + 1e-15, 1.0), False),
        (at_least("x", 1.0, 1.0), True),
        (at_least("x", 1.0 - 1e-15, 1.0), False),
        (near("x", 1.5, 1.0, 0.5), True),
        (near("x", 0.5, 1.0, 0.5), True),
        (near("x", 1.6, 1.0, 0.5), False),
        (near("x", 0.4, 1.0, 0.5), False),
        (at_most("x", -math.inf, 1.0), True),
        (at_most("x", math.nan, math.inf), False),
        (near("x", math.nan, 0.0, 1.0), False),
    ],
)
def test_figure_passes_within_its_bounds_alone(figure, passed):
    """Count the ends of the range in, and NaN out."""
    assert figure.passed is passed


def test_every_case_says_what_it_is():
    """Name each case after its number, and say on one line what must hold."""
    for name, entry in CASES.items():
        assert name.startswith(entry.number.lower() + "_")
        assert entry.summary.endswith(".") and len(entry.summary) <= 110
        assert entry.source


def test_cases_come_by_number():
    """Sort by number, take numbers in any case, and names, each case once."""
    numbers = [int(entry.number[1:]) for entry in find_cases([])]
    assert numbers == sorted(numbers) and len(numbers) == len(CASES)
    chosen = find_cases(["r23", "R23", "r22_column_of_ten_stands"])
    assert [entry.number for entry in chosen] == ["R22", "R23", "R23"]


def test_names_of_cases_are_unique(two_cases):
    """Refuse a second case of one name."""

    def r1_good():
        """Pass."""

    with pytest.raises(ValueError, match="'r1_good' is taken by"):
        case("R1", "engine#1")(r1_good)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["R4"], ["'R4'", "stoss cases --list"]),
        (["r24_heavy_cubes"], ["'r24_heavy_cubes'", "did you mean r24_"]),
        (["R23", "pyramid"], ["'pyramid'"]),
        (["--lisst"], ["--lisst", "did you mean --list?"]),
    ],
)
def test_unknown_cases_get_one_line_and_code_2(words, parts, capsys):
    """Name the word, what was meant, and what there is; run nothing."""
    assert main(["cases", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.strip().splitlines()
    for part in parts:
        assert part in line


def test_list_runs_nothing(two_cases, capsys):
    """List number, name, source and summary."""
    assert main(["cases", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["R1", "r1_good", "engine#1", "Pass."]
    assert lines[2].split() == ["R2", "r2_bad", "engine#2", "Fail."]


def test_table_shows_figures_and_verdicts(two_cases, capsys):
    """Print measured figure and bound of every figure, a verdict for every case, and return 1."""
    assert main(["cases"]) == 1
    captured = capsys.readouterr()
    rows = [line.split() for line in captured.out.splitlines()]
    assert ["height", "1", "m", "1", "+-", "0.001", "pass"] in rows
    assert ["speed", "0.5", "m/s", "<=", "1", "pass"] in rows
    assert ["share", "0.25", ">=", "0.5", "FAIL"] in rows
    assert ["r1_good", "PASS", "0.0"] in rows and ["r2_bad", "FAIL", "0.0"] in rows
    assert "1 of 2 cases passed" in captured.out
    assert captured.err == "stoss: failed: r2_bad\n"


def test_passing_cases_return_0(two_cases, capsys):
    """Return 0 when those that were chosen pass."""
    assert main(["cases", "R1"]) == 0
    assert "1 of 1 cases passed" in capsys.readouterr().out


def test_json_holds_everything(two_cases, capsys):
    """Print one JSON array, nothing else, with none for infinite bounds."""
    assert main(["cases", "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)
    assert (first["case"], first["passed"], second["passed"]) == ("R1", True, False)
    figure = {"what": "share", "measured": 0.25, "lowest": 0.5, "highest": None, "unit": "", "passed": False}
    assert second["figures"][1] == figure


def test_stopped_case_fails(monkeypatch, capsys):
    """Report a simulation that had to stop as a failure, and go on."""
    from stoss.engine import SimulationError

    monkeypatch.setattr("stoss.scenes.cases.registry.CASES", {})

    @case("R1", "engine#1")
    def r1_runs_away() -> list[Figure]:
        """Stop."""
        raise SimulationError("step 3: body 'ball' ran away", 3, "ball", None)

    assert main(["cases"]) == 1
    captured = capsys.readouterr()
    assert "stopped: step 3: body 'ball' ran away" in captured.out
    assert captured.err == "stoss: failed: r1_runs_away\n"
