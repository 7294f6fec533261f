"""Rows, keys and code of simsys' files, as they are written in Krieg 1992 (test T-06): field by field."""

from pathlib import Path

import pytest

from stoss.engine.exchange.simsys import c_code, rows
from stoss.engine.exchange.simsys.files import Line, Repairs, block, parameters
from stoss.engine.model.errors import ModelError


def line(text):
    return Line(Path("file.dat"), 7, text)


ROWS = [
    (
        rows.spring,
        "(1:4-6:1) = (0.0, 0.0, 1.0, 0.0, 1.0);",
        rows.Spring((1, 4), (6, 1), 0.0, 0.0, 1.0, 0.0, 1.0),
    ),
    (rows.place, "4-3, 0: (1.0, 0.0); (1.6, 0.0);", rows.Place(4, 3, 0, (1.0, 1.6), (0.0, 0.0))),
    (rows.place, "6-0,2:(-.5,1e-1);(+1.,2);", rows.Place(6, 0, 2, (-0.5, 1.0), (0.1, 2.0))),
    (rows.angle, "1: (0.0, 0.0);", rows.Angle(1, 0.0, 0.0)),
    (rows.angle, "0:   (-45.0, 12.5);", rows.Angle(0, -45.0, 12.5)),
    (rows.angle, "(90, 0);", rows.Angle(0, 90.0, 0.0)),
    (rows.user_parameter, "BohrKraft:BohrKraft=0.0;", rows.UserParameter("BohrKraft", "BohrKraft", 0.0)),
    (rows.user_parameter, "Stiff:k = -1.5e2;", rows.UserParameter("Stiff", "k", -150.0)),
    (rows.levers, "(0, 1, 0.0, 0.06);", (rows.Lever(True, (0.0, 0.06)),)),
    (
        rows.levers,
        "(0, 0, 0.02, 0.60); (0, 0, 0.0, -0.90);",
        (rows.Lever(False, (0.02, 0.6)), rows.Lever(False, (0.0, -0.9))),
    ),
    (
        rows.joint_angle,
        "(3:1); (90, 3: 40); (270, 5: 40);",
        rows.JointAngle(3, 1, rows.Stop(90.0, 3.0, 40.0), rows.Stop(270.0, 5.0, 40.0)),
    ),
    (rows.joint_angle, "(2:-1);", rows.JointAngle(2, -1, None, None)),
    (rows.matrix_row, " 4 1 0 0", (4, 1, 0, 0)),
    (rows.plain_number, "125.0", 125.0),
]


@pytest.mark.parametrize(("read", "text", "said"), ROWS)
def test_rows(read, text, said):
    """Read each row of Krieg's examples to the field."""
    assert read(line(text), Repairs()) == said


WRONG = [
    (rows.spring, "(1:4-6:1) = (0.0, 0.0, 1.0, 0.0);", r"file.dat:7: column 32: ',' is wanted.*'\);'"),
    (rows.spring, "(0:4-6:1) = (0, 0, 1, 0, 1);", "whole number from 1 on"),
    (rows.spring, "(1:4-6:1) = (0, 0, 1, 0, 1)", "';' is missing.*lenient"),
    (rows.spring, "(1:4-6:1) = (0, 0, 1, 0, 1); 5", "end of the line"),
    (rows.place, "4-3: (1.0, 0.0); (1.6, 0.0);", "',' is wanted"),
    (rows.place, "4-3, 0: (1.0, nan); (1.6, 0.0);", "a number is wanted"),
    (rows.angle, "1: (0.0);", "',' is wanted"),
    (rows.levers, "(1, 0, 0.0, 0.06);", "reserved"),
    (rows.levers, "(0, 2, 0.0, 0.06);", "0 or 1"),
    (rows.levers, "(0, 0, 0.0);", "',' is wanted"),
    (rows.joint_angle, "(3:0);", "sign"),
    (rows.joint_angle, "(3:1); (90, 3: 40);", "both stops"),
    (rows.joint_angle, "(3:1); (90, 0: 40); (270, 5: 40);", "width above 0"),
    (rows.joint_angle, "(3:1); (290, 3: 40); (270, 5: 40);", "below the upper"),
    (rows.user_parameter, "BohrKraft=0.0;", "':' is wanted"),
    (rows.matrix_row, "1 0.5 0", "whole number"),
    (rows.plain_number, "12 13", "end of the line"),
]


@pytest.mark.parametrize(("read", "text", "told"), WRONG)
def test_wrong_rows(read, text, told):
    """Say file, line and column, what is wanted and what there is."""
    with pytest.raises(ModelError, match=told) as error:
        read(line(text), Repairs())
    assert str(error.value).startswith("file.dat:7: ")


def test_lenient_rows_tell_what_was_repaired():
    """Add a sign that is missing at the end, and tell it."""
    repairs = Repairs(lenient=True)
    assert rows.angle(line("1: (2.0, 0.0)"), repairs) == rows.Angle(1, 2.0, 0.0)
    assert repairs.told == ["file.dat:7: ';' is missing at the end: it is added"]


def test_keys(tmp_path):
    """Take the first word as the key; a key without a value is none, as one that is not there."""
    file = tmp_path / "simsys.dat"
    file.write_text(
        "# comment\nIntDauer 0.05\nAusgEnergie\n\nAusgKoordin out/Koordin.dat\nEingHebel a.dat b.dat\n"
    )
    found = parameters(file, Repairs())
    assert found.number("IntDauer", 1.0) == 0.05
    assert found.number("IntSchrWeite", 0.7) == 0.7
    assert found.word("AusgEnergie") is None and found.word("AusgDrehimp") is None
    assert found.word("AusgKoordin")[1] == "out/Koordin.dat"
    with pytest.raises(ModelError, match="EingHebel has 2 values"):
        found.word("EingHebel")
    file.write_text("IntDauer 1\nIntDauer 2\n")
    with pytest.raises(ModelError, match=r"simsys.dat:2: IntDauer is in line 1 already"):
        parameters(file, Repairs())
    repairs = Repairs(lenient=True)
    assert parameters(file, repairs).number("IntDauer", 0.0) == 2.0 and len(repairs.told) == 1
    file.write_text("IntDauer long\n")
    with pytest.raises(ModelError, match="'long' is no finite number"):
        parameters(file, Repairs()).number("IntDauer", 1.0)


def test_blocks(tmp_path):
    """Take what is between @@NAME@ and @@@, from column 1, and pass by all else."""
    file = tmp_path / "blocks.dat"
    file.write_text(
        "free text\n@@@MUSKELM@\nnot this\n@@@\n@@MASSEN@\n# trunk\n125.0\n@@@\n @@HEBEL@\nx\n@@@\n"
    )
    opening, inside = block(file, "MASSEN", Repairs())
    assert opening.number == 5 and [one.text for one in inside] == ["# trunk", "125.0"]
    assert block(file, "FEDERN", Repairs()) is None and block(file, "MUSKELN", Repairs()) is None
    with pytest.raises(ModelError, match="blocks.dat:9: a block begins with @@HEBEL@ from column 1"):
        block(file, "HEBEL", Repairs())
    file.write_text("@@MASSEN@\n1.0\n")
    with pytest.raises(ModelError, match="blocks.dat:1: the block MASSEN does not end"):
        block(file, "MASSEN", Repairs())
    assert len(block(file, "MASSEN", Repairs(lenient=True))[1]) == 1


def test_heads_of_code():
    """Read name, body, lever and joint in front of code, and what is between the braces."""
    code = c_code.snippets([line("Handgelenk(3)"), line("{ /* a } */ x = 1; }")], "")
    assert [(one.name, one.numbers, one.text) for one in code] == [("Handgelenk", (3,), "x = 1 ;")]
    assert c_code.snippets([line("BohrHammer(5:2) { }")], ":")[0].numbers == (5, 2)
    assert c_code.snippets([line("Biceps(1,4-2,1) { }")], ",-,")[0].numbers == (1, 4, 2, 1)
    for text, told in (
        ("Handgelenk(3) {", "more is wanted, and the code ends"),
        ("(3) {}", "name of a variable"),
    ):
        with pytest.raises(ModelError, match=told):
            c_code.snippets([line(text)], "")
