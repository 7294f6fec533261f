"""Plug-ins by entry points, with packages that are built into a temporary folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stoss as st
from stoss import plugins

SCENES = '''
"""A scene of a plug-in."""
from stoss.scenes import scene

@scene("marbles", "Marbles that fall.", duration=1.0, body_count=3)
def marbles(*, bodies: int = 3, settings=None, time_step: float = 0.01):
    """Build marbles.

    Args:
        bodies: number of marbles.
    """
    import stoss as st
    world = st.World(time_step=time_step, settings=settings)
    for i in range(bodies):
        world.add_body(st.Sphere(0.1), position=(i, 0, 1), mass=1.0, name=f"marble {i}")
    return world
'''
FORMAT = '''
"""Models as a list of masses."""
import stoss as st

class Masses:
    suffix = ".masses"

    def load(self, path):
        world = st.World()
        for number, mass in enumerate(path.read_text().split()):
            world.add_body(st.Sphere(0.1), position=(number, 0, 0), mass=float(mass), name=f"ball {number}")
        return st.Model.of(world)

    def save(self, model, path):
        path.write_text(" ".join(f"{body.mass:g}" for body in model.build().bodies))

masses = Masses()

class Weird(st.World):
    """Stands for a class of loads."""
'''
PROGRAM = """
import json, sys, warnings
from pathlib import Path
import stoss as st
from stoss import plugins
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    before = [name for name in sys.modules if name.startswith("marbles")]
    own = st.SCENES["drop"].name
    still = [name for name in sys.modules if name.startswith("marbles")]
    world = st.SCENES["marbles"].build(bodies=4)
    world.step()
    model = st.Model.load("two.masses")
    model.save("again.masses")
    listed = [scene.name for scene in st.SCENES.values()]
    loads = [(one.name, one.thing is not None) for one in plugins.find_plugins("stoss.loads")]
print(json.dumps(dict(
    before=before, still=still, bodies=len(world.bodies), masses=Path("again.masses").read_text(),
    listed="marbles" in listed and "funnel" in listed, count=len(st.SCENES) == len(listed), loads=loads,
    told=[str(one.message) for one in told])))
"""


def package(folder: Path, name: str, files: dict[str, str], points: str) -> None:
    """Put an installed package into a folder: its modules, and what a wheel says of it."""
    (folder / name).mkdir(parents=True)
    for file, text in {"__init__.py": "", **files}.items():
        (folder / name / file).write_text(text)
    told = folder / f"{name}-1.2.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (told / "entry_points.txt").write_text(points)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python where the packages of a folder are installed."""
    path = os.pathsep.join([str(folder / "site"), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_plugins_add_scenes_loads_and_formats_and_broken_ones_are_named(tmp_path: Path) -> None:
    """Find them when they are needed and not before; name the broken ones and go on without them."""
    package(
        tmp_path / "site",
        "marbles",
        {"scenes.py": SCENES, "formats.py": FORMAT},
        "[stoss.scenes]\nmarbles = marbles.scenes\n"
        "[stoss.formats]\nmasses = marbles.formats:masses\n"
        "[stoss.loads]\nweird = marbles.formats:Weird\n",
    )
    package(
        tmp_path / "site",
        "broken",
        {"scenes.py": "1 / 0\n", "twice.py": SCENES.replace('"marbles"', '"funnel"')},
        "[stoss.scenes]\na_broken = broken.scenes\ntwice = broken.twice\n"
        "[stoss.formats]\nodd = broken:__name__\n"
        "[stoss.loads]\ngone = broken.scenes:nothing\n",
    )
    (tmp_path / "two.masses").write_text("1.5 2")
    done = run(tmp_path, "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["before"] == found["still"] == []
    assert (found["bodies"], found["masses"]) == (4, "1.5 2")
    assert found["listed"] and found["count"]
    assert found["loads"] == [["gone", False], ["weird", True]]
    told = found["told"]
    assert len(told) == 4
    assert any(
        "'a_broken' of stoss.scenes, broken.scenes of broken 1.2" in one and "division" in one for one in told
    )
    assert any("'twice'" in one and "'funnel' is taken" in one for one in told)
    assert any("'odd' of stoss.formats" in one and "suffix" in one for one in told)
    assert any("'gone' of stoss.loads" in one for one in told)


def test_command_line_knows_scenes_of_plugins(tmp_path: Path) -> None:
    """List and run a scene that a plug-in adds, with its parameters."""
    package(tmp_path / "site", "marbles", {"scenes.py": SCENES}, "[stoss.scenes]\nmarbles = marbles.scenes\n")
    listed = run(tmp_path, "-m", "stoss", "list")
    assert "marbles" in listed.stdout and "Marbles that fall." in listed.stdout, listed.stderr
    done = run(tmp_path, "-m", "stoss", "run", "marbles", "--bodies", "2", "--duration", "0.1")
    assert done.returncode == 0, done.stderr


def test_there_are_three_groups() -> None:
    """Refuse a group that nobody looks at; here no package adds anything."""
    with pytest.raises(ValueError, match="must be one of stoss.scenes"):
        plugins.find_plugins("stoss.shapes")
    assert plugins.format_plugin(".nothing", "load") is None
    with pytest.raises(st.ModelError, match="is no model"):
        st.Model.load("nothing.nothing")
