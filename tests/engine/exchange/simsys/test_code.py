"""What C code of simsys means: sums of what is sensed, parameters and the time; the rest is told."""

import re
from pathlib import Path

import pytest

from stoss.engine.exchange.simsys.c_code import functions, snippets, statements
from stoss.engine.exchange.simsys.files import Line
from stoss.engine.exchange.simsys.meaning import CONSTANT, Meaning, Sum, Unknown
from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import evaluate


def lines(text):
    return [Line(Path("code.c"), number, one) for number, one in enumerate(text.splitlines(), 1)]


def meaning(body, of="F", index=(), user=""):
    """Return what code sets F to."""
    known = {"P": "P", "D": "D", "PI": "pi", "KoeZahl": 3}
    counts = {"GelWinkel": 3, "GelWinGeschw": 3, "var": 2, "z": 3}
    found = Meaning(known, functions(lines(user)), counts)
    found.follow(statements(snippets(lines(f"{of}(1)\n{{{body}}}"), "")[0].body))
    return found.value(of, *index)


NUMBERS = [
    ("F = 2 * P + 1;", 7.0),
    ("F = -P * -D;", 15.0),
    ("F = P - (D - 1) - 2;", -3.0),
    ("F = -(P - D) - -(D - P);", 4.0),
    ("F = 7 / 2;", 3.0),
    ("F = -7 / 2;", -3.0),
    ("F = 7.0 / 2;", 3.5),
    ("F = 6 / P / D;", 0.4),
    ("F = pow (P, 2) - sqrt (16.0) + fabs (-D);", 10.0),
    ("F = sin (PI / 2) * P;", 3.0),
    ("double a, b = 2.0; a = b; a += P; a *= 2; a -= 1; a /= 3; F = a;", 3.0),
    ("int k; F = 0; for (k = 0; k < 4; ++k) F += k;", 6.0),
    ("int k; F = 0; for (k = 3; k > 0; k--) { if (k == 2) F += 10; else F += 1; }", 12.0),
    ("F = KoeZahl > 2 && 1 < 2 ? P : D;", 3.0),
    ("/* F = 1; */ F = P; /* over\nlines */", 3.0),
    ("int x; x = (int) 2; F = x;;", 2.0),
]


@pytest.mark.parametrize(("body", "number"), NUMBERS)
def test_numbers(body, number):
    """Follow arithmetic as C has it; with P = 3 and D = 5 its expression has the value."""
    found = meaning(body).constant
    assert (evaluate(found, {"P": 3.0, "D": 5.0}) if isinstance(found, str) else found) == pytest.approx(
        number
    )


def test_what_is_sensed():
    """Tell angles, rates, integrals and turns apart, and what they were at the beginning."""
    assert meaning("F = 2 * GelWinkel[1] - GelWinGeschw[2] * P + var[0];").terms == {
        ("angle", 1): 2, ("rate", 2): "-P", ("integral", 0): 1,
    }  # fmt: skip
    found = meaning("static double a; if (zt == 0.0) a = z[2].phi; F = P * (z[2].phi - a);")
    assert found.terms == {("turn", 2): "P", ("start turn", 2): "-P"}
    assert meaning("F[0] = P; F[1] = 0.5 * F[0];", index=(1,)).terms == {CONSTANT: "0.5*P"}
    assert meaning("F = sin (2 * PI * zt) * P;").varies
    assert not meaning("F = P;").varies


def test_functions_of_both_styles():
    """Follow functions of the user, of the old style and of the new one."""
    user = """
static double Goal[3];
double Old (want, is, gain)
double want, /* one */
       is;
double gain;
{
    double found;
    found = gain * (is - want);
    return (found);
}
static double New (int joint, double gain) { return gain * GelWinkel[joint]; }
void Open (name) const char *name; { hFile = fopen (name, "wt"); }
"""
    assert meaning("F = Old (1.0, GelWinkel[0], P);", user=user).terms == {
        ("angle", 0): "P", CONSTANT: "-P",
    }  # fmt: skip
    assert meaning("F = New (2, D);", user=user).terms == {("angle", 2): "D"}


UNKNOWN = [
    ("F = GelWinkel[0] * GelWinkel[1];", r"product or comparison \(\*\)"),
    ("F = sin (GelWinkel[0]);", "sin of what is sensed"),
    ("F = GelWinkel[3];", "there are 3, counted from 0"),
    ("F = GelWinkel[GelWinkel[0]];", "index that depends"),
    ("F = x;", "x is not known here"),
    ("double x; F = x;", "x is not set"),
    ("double hx; Lever (&hx, 3); F = hx;", "what Lever writes is not known"),
    ("F = Lever (3);", "the function Lever is not known"),
    ("if (P > 2) F = 1; else F = 2;", "F depends on a condition"),
    ("F = P > 1 ? 1 : 2;", "(product or comparison|choice)"),
    ("F = 1 / 0;", "division by zero"),
    ("F = sqrt (-1.0);", "sqrt"),
    ("G = 1;", "F is not set"),
]


@pytest.mark.parametrize(("body", "why"), UNKNOWN)
def test_what_cannot_be_said(body, why):
    """Say why a value is not known, rather than guess it."""
    found = meaning(body)
    assert isinstance(found, Unknown) and re.search(why, found.why)


WRONG = [
    ("F = ;", "code.c:2: a number or a name is wanted"),
    ("F = 1", "';' is wanted"),
    ("F = (1;", r"'\)' is wanted"),
    ("F = 1 @ 2;", "'@' is no sign of C"),
    ("F = " + "(" * 100 + "1" + ")" * 100 + ";", "no deeper"),
    ("int k; for (k = 0; k < 1000000; ++k) F = k;", "statements"),
    ("int k; for (k = 0; k < GelWinkel[0]; ++k) F = k;", "loop whose end"),
    ("int k; F = P; for (k = 0; k < 40; ++k) F = F + F;", "characters"),
    ("int k; F = 2; for (k = 0; k < 40; ++k) F = F * F;", "whole number beyond"),
    ("F = " + "1 + " * 5000 + "1;", "too deep"),
    ("goto end;", "';' is wanted"),
]


@pytest.mark.parametrize(("body", "told"), WRONG)
def test_code_beyond_what_is_read(body, told):
    """Refuse code that is no C, or that goes on and on, at once and with a reason."""
    with pytest.raises(ModelError, match=told):
        meaning(body)


def test_zero_stands():
    """Keep a force that is zero, and drop what cancels."""
    assert meaning("F = 0.0;") == Sum({CONSTANT: 0.0})
    assert meaning("F = GelWinkel[0] - GelWinkel[0];").constant == 0
