"""The cases: each keeps its figures within their bounds, here in its short variant."""

import pytest

from scenes.cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_case_keeps_its_bounds(name):
    """Measure every figure of the case within its bound."""
    case = CASES[name]
    figures = case.run(**case.short)
    assert figures
    assert [figure for figure in figures if not figure.passed] == []
