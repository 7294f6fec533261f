"""The cases: each keeps its figures within their bounds, here in its short variant."""

import pytest

from stoss.benchmarks.worlds import Watch
from stoss.engine import World
from stoss.scenes.cases import CASES


@pytest.fixture
def watches(monkeypatch):
    """Watch every world that is made, at every step."""
    made = []
    begin = World.__init__

    def watched(self, *args, **kwargs):
        begin(self, *args, **kwargs)
        made.append(Watch(self))

    monkeypatch.setattr(World, "__init__", watched)
    return made


@pytest.mark.parametrize("name", CASES)
def test_case_keeps_its_bounds(name, watches):
    """Measure every figure within its bound; no world of it gives energy or momentum from nothing."""
    case = CASES[name]
    figures = case.run(**case.short)
    assert figures
    assert [figure for figure in figures if not figure.passed] == []
    broken = [v for watch in watches for v in watch.violations()]
    assert [v for v in broken if v.rule in ("energy", "ledger", "momentum", "angular momentum")] == []
