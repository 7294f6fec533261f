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
"""Models as a list of masses, and two loads."""
import dataclasses
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

@dataclasses.dataclass
class Tide:
    """A load that is called: it lifts a body up and down."""

    body: str
    size: float = 1.0

    def __call__(self, c):
        c.force(self.body, (0.0, 0.0, self.size * c.time))

@dataclasses.dataclass(frozen=True)
class Thrust(st.Force):
    """A ready-made load of another class."""

    share: float = 1.0

    def _rows(self, world):
        rows = super()._rows(world)
        rows.numbers[0, :3] *= self.share
        return rows
'''
TIDES = """
[params]
m = 2
[world]
gravity = [0, 0, 0]
[bodies.boat]
mass = "m"
inertia = 1
[forces.sea]
type = "tide"
body = "boat"
parameters = { size = "3*m" }
[forces.engine]
type = "thrust"
at = "boat"
force = [1, 0, 0]
parameters = { share = 0.5 }
"""
WRONG = {
    'type = "tide"\nbody = "boat"\nstiffness = 2': "stiffness is no key of a tide",
    'type = "tid"': "mean tide",
    'type = "tide"\nbody = "boat"\nparameters = { sise = 2 }': "parameters.sise",
    'type = "tide"': "body is missing",
    'type = "gone"': "division by zero",
    'type = "force"\nat = "boat"\nforce = [0, 0, 1]\nparameters = { share = 2 }': "a force has no share",
}
PROGRAM = (
    f"TIDES, WRONG = {TIDES!r}, {list(WRONG)!r}"
    + """
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
    tides = st.Model.load("tides.toml")
    sea = tides.build()
    again = st.Model.loads(st.Model.of(sea).dumps("toml"), "toml").build()
    sea.step(10)
    again.step(10)
    wrong = []
    for keys in WRONG:
        try:
            st.Model.loads(TIDES.split("[forces.sea]")[0] + "[forces.sea]\\n" + keys).build()
        except st.ModelError as error:
            wrong.append(str(error))
    loads = [(one.name, one.thing is not None) for one in plugins.find_plugins("stoss.loads")]
print(json.dumps(dict(
    before=before, still=still, bodies=len(world.bodies), masses=Path("again.masses").read_text(),
    sea=[sea.load("sea").kind.size, *sea.body("boat").velocity, sea.load("engine").kind.share],
    same=again.state_hash() == sea.state_hash(), wrong=wrong,
    listed="marbles" in listed and "funnel" in listed, count=len(st.SCENES) == len(listed), loads=loads,
    told=[str(one.message) for one in told])))
"""
)


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
        "[stoss.loads]\ntide = marbles.formats:Tide\nthrust = marbles.formats:Thrust\n",
    )
    package(
        tmp_path / "site",
        "broken",
        {"scenes.py": "1 / 0\n", "twice.py": SCENES.replace('"marbles"', '"funnel"')},
        "[stoss.scenes]\na_broken = broken.scenes\ntwice = broken.twice\n"
        "[stoss.formats]\nodd = broken:__name__\n"
        "[stoss.loads]\ngone = broken.scenes:nothing\n",
    )
    (tmp_path / "tides.toml").write_text(TIDES)
    (tmp_path / "two.masses").write_text("1.5 2")
    done = run(tmp_path, "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["before"] == found["still"] == []
    assert (found["bodies"], found["masses"]) == (4, "1.5 2")
    assert found["listed"] and found["count"]
    assert found["loads"] == [["gone", False], ["thrust", True], ["tide", True]]
    size, *velocity, share = found["sea"]
    assert (size, share) == (6.0, 0.5) and found["same"]
    assert velocity == pytest.approx([0.5 / 2 * 0.1, 0.0, 6.0 / 2 * 0.1**2 / 2])
    for told, wanted in zip(found["wrong"], WRONG.values(), strict=True):
        assert wanted in told, told
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
