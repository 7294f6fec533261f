"""What documents name exists, and figures of structure are counted rightly."""

import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path

import pytest

from stoss import plugins

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(ROOT.glob("docs/*.md")),
]
LIVING = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]  # that one also tells of what was
PACKAGES = ("benchmarks", "collision", "docs", "engine", "examples", "scenes", "stoss", "tests", "viewer")
PATH = re.compile(rf"(?<![\w./-])(?:{'|'.join(PACKAGES)})(?:/[\w-]+)+(?:\.\w+)?")
LINK = re.compile(r"\]\(([^)#:]+)\)")
NAME = re.compile(r"(?<![\w./-])stoss(?:\.[A-Za-z_]\w*)+")
SHORT = re.compile(r"(?<![\w.])st\.(\w+)")

spec = importlib.util.spec_from_file_location("structure", ROOT / "docs" / "structure.py")
assert spec is not None and spec.loader is not None
structure = importlib.util.module_from_spec(spec)
sys.modules["structure"] = structure  # where dataclasses look for their module
spec.loader.exec_module(structure)


def find(name):
    """Return what a dotted name stands for: a module, or something within one."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = getattr(found, part)
        return found
    raise AssertionError(f"{name} is no module")


@pytest.mark.parametrize("document", LIVING, ids=lambda path: path.name)
def test_paths_exist(document):
    """Name files and folders that exist, a module also without its ending."""
    text = document.read_text()
    for path in PATH.findall(text):
        assert (ROOT / path).exists() or (ROOT / f"{path}.py").exists(), path
    for path in LINK.findall(text):
        assert (document.parent / path).exists(), path


@pytest.mark.parametrize("document", LIVING, ids=lambda path: path.name)
def test_names_exist(document):
    """Name modules, classes and functions of stoss that exist."""
    text = document.read_text()
    for name in {*NAME.findall(text), *(f"stoss.{name}" for name in SHORT.findall(text))} - {*plugins.GROUPS}:
        find(name)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_attributes_exist(document):
    """Name settings, and attributes of worlds and reports, that exist."""
    from stoss.engine import Body, Settings, StepReport, World

    text = document.read_text()
    if document.name == "CHANGELOG.md":
        text = text.partition("\n## 0.1.0")[0]
    for kind in (Body, Settings, StepReport, World):
        for name in re.findall(rf"\b{kind.__name__}\.([a-z_]\w*)", text):
            assert hasattr(kind, name) or name in getattr(kind, "__dataclass_fields__", ()), (
                f"{kind.__name__}.{name}"
            )


def test_owners_of_state_are_where_the_page_says():
    """Define each class of the table of owners in the room that stands beside it."""
    page = (ROOT / "docs" / "engine.md").read_text()
    owners = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| `([\w/]+)` \|", page, re.MULTILINE)
    assert len(owners) >= 7
    for names, room in owners:
        text = "".join(path.read_text() for path in (ROOT / room).glob("*.py"))
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^class {name}\b", text, re.MULTILINE), f"{name} is not in {room}"


def test_documents_use_no_codes_and_no_dates():
    """Cite the thesis by section, and leave history to version control."""
    for document in DOCUMENTS:
        text = document.read_text()
        assert not re.findall(r"\b(?:[BPE]-\d{1,3}|20\d\d-\d\d-\d\d)\b", text), document.name


# ------------------------------------------------------------------ docs/structure.py


@pytest.fixture
def tree(tmp_path):
    """Return a checkout of two packages: `upper` (rooms a, b, c) stands on `lower`."""
    files = {
        "lower/__init__.py": "",
        "lower/base.py": "import math\n",
        "upper/__init__.py": "from stoss.upper.a.one import f\n",
        "upper/a/__init__.py": "",
        "upper/a/one.py": "from stoss.upper.b import two\nfrom upper.c.three import g\n\ndef f(): ...\n",
        "upper/b/__init__.py": "",
        "upper/b/two.py": (
            "from typing import TYPE_CHECKING\nimport lower.base\n"
            "if TYPE_CHECKING:\n    from stoss.upper.a.one import f\nelse:\n    from ..c import three\n"
        ),
        "upper/c/__init__.py": "",
        "upper/c/three.py": (
            "@kernel(allocates=True)\n"
            f"def g({', '.join('abcdefghijk')}):\n    from upper.b.two import x\n" + "    pass\n" * 100
        ),
        "no_package/alone.py": "import upper\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_structure_is_measured(tree):
    """Count rooms, arrows, floors and circles, and what is too large, as a person would."""
    sources = structure.read(tree)
    assert structure.rooms(sources) == {
        "lower": set(),
        "lower/base": set(),
        "upper": {"upper/a"},
        "upper/a": {"upper/b", "upper/c"},
        "upper/b": {"lower/base", "upper/c"},
        "upper/c": {"upper/b"},
    }
    assert structure.rooms(sources, for_types=True)["upper/b"] == {"upper/a"}
    figures = structure.figures(sources)
    assert figures == {
        "rooms": 6,
        "floors": 4,
        "arrows between rooms": 6,
        "more arrows for types alone": 1,
        "arrows up": 1,
        "circles of rooms": 1,
        "circles of rooms, arrows for types too": 1,
        "circles of files": 1,
        "files": 9,
        "files above 400 lines": 0,
        "functions above 100 lines": 1,
        "kernels": 1,
        "kernels with more than 10 parameters": 1,
        "lines": 115,
    }
    assert structure.floors(structure.rooms(sources))["upper"] == 4


def test_structure_prints_a_table_and_a_plan(tree):
    """Print before and after side by side, and the rooms from the highest floor down."""
    sources = structure.read(tree)
    table = structure.table([sources, sources])
    assert "| arrows up | 0 > 0 | 1 > 1 | 1 > 1 |" in table
    plan = structure.floor_plan(sources)
    assert plan.startswith("floor 4\n    upper: upper/a\nfloor 3\n    upper/a: upper/b, upper/c\n")
    assert "(up)" in plan and "circle of rooms: upper/b, upper/c" in plan


def test_structure_fills_a_page(tree):
    """Replace what stands between the marks of a page, and nothing else, as often as it is done."""
    sources = structure.read(tree)
    page = "a\n<!-- TABLE -->\nold\n<!-- END -->\nb\n<!-- FLOORS lower -->\n<!-- END -->\nc\n"
    filled = structure.fill(page, [sources])
    assert filled == structure.fill(filled, [sources])
    assert "old" not in filled and "| rooms | 2 | 4 | 6 |" in filled and filled.endswith("<!-- END -->\nc\n")
    assert "```text\nfloor 1\n    lower: nothing of ours\n    lower/base: nothing of ours\n```" in filled


def test_fewest_arrows_up_are_found():
    """Take the one arrow that closes two circles, not two others."""
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"a"}}
    assert structure.arrows_up(graph) == {("a", "b")}
    assert structure.circles(graph) == [["a", "b", "c", "d"]]
    assert structure.floors(graph) == {"a": 1, "b": 3, "c": 2, "d": 2}


# ------------------------------------------------------------------ docs/api.py

spec = importlib.util.spec_from_file_location("api", ROOT / "docs" / "api.py")
assert spec is not None and spec.loader is not None
api = importlib.util.module_from_spec(spec)
sys.modules["api"] = api
spec.loader.exec_module(api)


def test_reference_is_current():
    """Hold what the docstrings say: `python docs/api.py --write docs/api.md` writes it."""
    assert (ROOT / "docs" / "api.md").read_text("utf-8") == api.page()


def test_reference_has_no_gaps():
    """Say of each public class, function, property and argument what it is, with unit and shape."""
    assert [gap for name in api.PACKAGES for entry in api.entries(name) for gap in api.gaps(entry)] == []


def test_gaps_are_found():
    """Find a function without a word, an argument that is not described, no unit, and no shape."""

    def bare(x): ...

    def half(length: float, rows: "np.ndarray", other: int):  # noqa: F821
        """Do something.

        Args:
            length: how long.
            rows: some of them.
        """

    assert api.gaps(api.Entry("bare", bare)) == [
        "bare: no word on what it is",
        "bare: argument x is not described",
    ]
    assert api.gaps(api.Entry("half", half)) == [
        "half: argument length has no unit",
        "half: argument rows has no shape",
        "half: argument other is not described",
    ]


def test_reference_names_all_that_is_public():
    """Have a heading for each name of the front door, but its sub-packages and version."""
    import stoss

    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    for name in stoss.__all__:
        thing = getattr(stoss, name)
        if not (inspect.ismodule(thing) or name.startswith("__")):
            assert f"\n### st.{name}\n" in text, name
