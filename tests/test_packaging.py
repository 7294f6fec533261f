"""The package as users get it: wheel, source package, editable install, checkout; names and dependencies."""

import ast
import importlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import stoss
from stoss import dependencies

ROOT = Path(__file__).parents[1]
FOLDERS = ("benchmarks", "collision", "engine", "scenes", "viewer")

TWO_BODIES = """
import sys
import stoss as st
world = st.World()
world.add_body(st.HalfSpace(), kind="static")
cube = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 2))
assert not {"benchmarks", "collision", "engine", "scenes", "viewer"} & set(sys.modules)
print(len(world.bodies), cube.position[2], st.__file__)
"""


def run(*words: object, cwd: Path, **environment: str) -> str:
    """Run a program, without the paths of this process, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**kept, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def build(target: str, source: Path, into: Path) -> Path:
    """Build a wheel or a source package and return its file."""
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", into, cwd=source)
    (file,) = into.iterdir()
    return file


def fresh_environment(folder: Path, dependencies: bool = True) -> Path:
    """Make a virtual environment without stoss, with what it needs from this one, and return its Python."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    if dependencies:
        paths = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        own = folder / "lib" / version / "site-packages" / "needed.pth"
        own.write_text("\n".join(sorted(paths)) + "\n")
    return python


def install(python: Path, *words: object) -> None:
    """Install with pip, without its looking for anything in the network or elsewhere."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, "install", "-q"]
    run(*pip, "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed", *words, cwd=ROOT)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def hostile_folder(tmp_path: Path) -> Path:
    """A folder with the user's own files, named like ours, which must not be imported."""
    folder = tmp_path / "own"
    (folder / "scenes").mkdir(parents=True)
    for name in ("engine.py", "viewer.py", "collision.py", "benchmarks.py", "scenes/__init__.py"):
        (folder / name).write_text('raise SystemExit("a file of the user was imported")\n')
    return folder


def check_works(python: Path, cwd: Path, home: Path, **environment: str) -> None:
    """Build a world, list the scenes, and see that it is the stoss in that home."""
    bodies, height, file = run(python, "-c", TWO_BODIES, cwd=cwd, **environment).split()
    assert (bodies, float(height)) == ("2", 2.0)
    assert Path(file).is_relative_to(home)
    assert "funnel" in run(python, "-m", "stoss", "list", cwd=cwd, **environment)


def test_wheel_holds_stoss_and_nothing_else(wheel: Path) -> None:
    """Put one name into site-packages, with types and meshes, without tests and pictures."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"stoss", f"stoss-{stoss.__version__}.dist-info"}
    assert {"stoss/py.typed", "stoss/command_line/main.py", "stoss/scenes/meshes/gem.stl"} <= set(names)
    assert {"stoss/viewer/exporting/page.html", "stoss/viewer/exporting/player.js"} <= set(names)
    for folder in FOLDERS:
        assert f"stoss/{folder}/__init__.py" in names
    assert {Path(name).suffix for name in names if name.startswith("stoss/")} == {
        *(".py", ".pyi", ".typed", ".stl", ".obj", ".html", ".js", ".npz", ".xsd")
    }
    assert not [name for name in names if "test" in name.split("/")[1]]


def test_wheel_works(wheel: Path, hostile_folder: Path, tmp_path: Path) -> None:
    """Work when installed, as a module, as a command, and as `python -m stoss`, whatever files are around."""
    python = fresh_environment(tmp_path / "venv")
    install(python, wheel)
    check_works(python, hostile_folder, tmp_path / "venv")
    assert run(python.with_name("stoss"), "--version", cwd=hostile_folder) == f"stoss {stoss.__version__}\n"


def test_source_package_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    """Hold all that the wheel needs: the wheel built from it is the same, file for file."""
    archive = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(archive) as packed:
        if hasattr(tarfile, "data_filter"):  # from Python 3.11.4 on
            packed.extraction_filter = tarfile.data_filter
        packed.extractall(tmp_path)
    source = tmp_path / archive.name.removesuffix(".tar.gz")
    assert (source / "tests" / "conftest.py").is_file() and (source / "CHANGELOG.md").is_file()
    with (
        zipfile.ZipFile(build("wheel", source, tmp_path / "again")) as again,
        zipfile.ZipFile(wheel) as first,
    ):
        assert again.namelist() == first.namelist()
        assert all(again.read(name) == first.read(name) for name in first.namelist())


def test_editable_install_works(hostile_folder: Path, tmp_path: Path) -> None:
    """Use the checkout's files, under the one name stoss: its folders are no names of their own."""
    python = fresh_environment(tmp_path / "venv")
    install(python, "--editable", ROOT)
    check_works(python, hostile_folder, ROOT)
    # Other packages may bring a `tests` of their own: what counts is where a name is found.
    finder = (
        "from importlib.util import find_spec; "
        f"specs = filter(None, map(find_spec, {(*FOLDERS, 'tests')})); "
        f"print([s.name for s in specs if any({str(ROOT)!r} in p for p in s.submodule_search_locations)])"
    )
    assert run(python, "-c", finder, cwd=tmp_path) == "[]\n"


def test_bare_checkout_works(hostile_folder: Path, tmp_path: Path) -> None:
    """Work from the checkout's folder, and from elsewhere by PYTHONPATH, without being installed."""
    python = fresh_environment(tmp_path / "venv")
    check_works(python, ROOT, ROOT)
    check_works(python, hostile_folder, ROOT, PYTHONPATH=str(ROOT))


def test_all_imports_say_stoss() -> None:
    """Import nothing by the name of a folder of the checkout."""
    for folder in (*FOLDERS, "stoss", "tests", "examples"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    assert node.level == 0, f"{path}:{node.lineno}"
                    names = [node.module or ""]
                assert not {name.split(".")[0] for name in names} & set(FOLDERS), f"{path}:{node.lineno}"


def test_links_show_the_checkout_as_it_is_installed(wheel: Path) -> None:
    """Show type checkers and editable installs the same files that the wheel holds."""
    view = ROOT / ".ci" / "as_installed"
    for name in zipfile.ZipFile(wheel).namelist():
        assert ".dist-info/" in name or (view / name).is_file(), name


def test_names_of_the_front_door() -> None:
    """Give away each name that is declared to type checkers, the very object of its sub-package."""
    declared = ast.parse(Path(stoss.__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body[1:]
    found = {"__version__"}
    for statement in declared:
        assert isinstance(statement, ast.ImportFrom) and statement.module is not None
        for alias in statement.names:
            assert alias.asname == alias.name  # or type checkers take it for private
            found.add(alias.name)
            module = importlib.import_module(statement.module)
            assert getattr(stoss, alias.name) is getattr(module, alias.name)
    assert found == set(stoss.__all__) == {name for name in dir(stoss) if name in stoss.__all__}
    assert "__file__" in dir(stoss) and "os" not in dir(stoss)


def test_names_of_other_engines_lead_to_ours() -> None:
    """Say what a thing is called here to those who ask for it by the name it has elsewhere."""
    for wanted, name in (("Plane", "HalfSpace"), ("Revolute", "Hinge"), ("GearJoint", "Gear")):
        with pytest.raises(AttributeError, match=f"no attribute '{wanted}'; it is called {name} here"):
            getattr(stoss, wanted)
    called_here = importlib.import_module("stoss.foreign_names").CLASSES
    assert set(called_here.values()) <= set(stoss.__all__)
    assert not set(called_here) & set(stoss.__all__)
    assert not hasattr(stoss, "loadURDF")


def test_import_is_lazy() -> None:
    """Import nothing but the standard library with `import stoss`, neither when names are listed."""
    code = "import stoss, sys; dir(stoss); print({m.split('.')[0] for m in sys.modules} & {'numpy', 'numba'})"
    assert run(sys.executable, "-c", code, cwd=ROOT) == "set()\n"


def test_dependencies_are_those_of_the_package() -> None:
    """Check for the versions that pyproject.toml asks for, and for all of them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    checked = {dependencies._requirement(name) for name in dependencies._VERSIONS}
    assert checked == set(project["dependencies"])
    assert {name for names in dependencies._NEEDED_BY.values() for name in names} == set(
        dependencies._VERSIONS
    )


def pretend_installed(folder: Path, name: str, version: str) -> None:
    """Write metadata as pip does."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.mark.parametrize(
    ("package", "name", "version"),
    [
        ("stoss.collision", "numba", "0.59.1"),
        ("stoss.engine", "numpy", "2.3.9"),
        ("stoss.engine", "python_fcl", "0.7.0.9"),
        ("stoss.scenes", "numpy", "1.26"),
        ("stoss.viewer.window", "imgui_bundle", "1.9"),
        ("stoss.viewer.drawing", "pyglet", "2.1.18"),
        ("stoss.viewer.drawing", "pyglet", "3.0.dev1"),
    ],
)
def test_wrong_version_is_told_with_the_cure(tmp_path: Path, package: str, name: str, version: str) -> None:
    """Name what does not fit, its version, and the command that cures it, before anything is imported."""
    pretend_installed(tmp_path, name, version)
    code = (
        "import sys\n"
        f"try: import {package}\n"
        "except ImportError as error: print(error, 'numba' in sys.modules, 'pyglet' in sys.modules)"
    )
    told = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{ROOT}").strip()
    assert told.startswith(f"{package} needs {name.replace('_', '-')}>=")
    assert f"({version} is installed)" in told
    assert re.search(rf'python -m pip install "{name.replace("_", "-")}>=[^"]+" False False$', told), told


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("0.68", True),
        ("0.68.0rc1", True),
        ("0.68.10", True),
        ("0.67.9", False),
        ("0.69", False),
        ("1.0", False),
        ("", False),
    ],
)
def test_versions_are_compared_as_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, fits: bool
) -> None:
    """Take the numbers that a version begins with, and each as a number."""
    pretend_installed(tmp_path, "numba", version)
    monkeypatch.syspath_prepend(tmp_path)
    assert dependencies._fits("numba", dependencies._installed("numba")) == fits


def test_everything_missing_is_told_at_once(tmp_path: Path) -> None:
    """Name all that is missing in one error, and in one line of the command."""
    python = fresh_environment(tmp_path / "venv", dependencies=False)
    code = "import stoss as st\ntry: st.World\nexcept ImportError as error: print(error)"
    told = run(python, "-c", code, cwd=ROOT)
    assert told.startswith(
        "stoss.engine needs numpy>=2.4 (not installed) and numba>=0.68,<0.69 (not installed) and"
    )
    assert '; install with: python -m pip install "numpy>=2.4" "numba>=0.68,<0.69" "scipy' in told
    done = subprocess.run([python, "-m", "stoss", "list"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stoss: stoss.command_line needs tqdm") and done.stderr.count("\n") == 1


def test_a_module_without_metadata_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a module that does not say its version, as in a frozen program, for what it was frozen with."""

    def unknown(name: str) -> str:
        raise dependencies.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(dependencies.metadata, "version", unknown)
    assert dependencies._fits("numpy", dependencies._installed("numpy"))


def test_readme_names_the_packages_that_ci_installs() -> None:
    """Name in the README every package of the system that a fresh machine needs, and no other."""
    listed = re.search(r"^packages=\((.*?)\)", (ROOT / ".ci" / "run").read_text(), re.S | re.M)
    assert listed is not None
    told = re.findall(r"apt-get install ([a-z0-9 .-]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {*listed[1].split(), "python3-venv"} == set(" ".join(told).split())
