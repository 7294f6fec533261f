"""The command `stoss`: what it prints, what it returns, and what it says about mistakes."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import stoss.command_line
from stoss.collision.kernels.progress import KernelProgress
from stoss.command_line.main import main
from stoss.command_line.options import COMMANDS
from stoss.dependencies import DependencyError
from stoss.scenes import SCENES
from stoss.scenes.running.report import format_report, run_report
from stoss.scenes.running.running import build_and_run

REPORT_KEYS = {
    "scene": str,
    "parameters": dict,
    "settings": dict,
    "time_step": float,
    "steps": int,
    "time": float,
    "bodies": int,
    "fixed_bodies": int,
    "contacts": int,
    "touching_contacts": int,
    "most_contacts": int,
    "steps_per_second": float,
    "real_time_factor": float,
    "seconds": float,
    "cpu_seconds": float,
    "worst_step_seconds": float,
    "compile_seconds": float,
    "load_seconds": float,
    "compiled_kernels": int,
    "stage_milliseconds": dict,
    "max_overlap": float,
    "largest_overlap": float,
    "ladder": dict,
    "islands": int,
    "direct_islands": int,
    "residual": float,
    "kinetic_energy": float,
    "potential_energy": float,
    "energy": float,
    "start_energy": float,
    "momentum": list,
    "angular_momentum": list,
    "state_hash": str,
    "versions": dict,
    "saved": (str, type(None)),
    "recorded": (str, type(None)),
}


def _fails(capsys, words, *, code=2):
    """Run the command, expect that exit code, and return its single line on the error stream."""
    assert main(words) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("stoss: ")
    return lines[0]


def test_list_shows_every_scene(capsys):
    """Print one line per scene with its number of bodies."""
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    for scene in SCENES.values():
        assert any(
            line.split()[:2] == [scene.name, str(scene.body_count)] and scene.summary in line
            for line in text.splitlines()
        )


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        [],
        ["run", "--help"],
        ["run", "funnel", "--help"],
        ["bench", "--help"],
        ["list", "-h"],
        ["prepare", "-h"],
    ],
)
def test_help_teaches(capsys, words):
    """Print help with the command's own words and return code 0."""
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "stoss" in text
    if words[:1] in (["run"], ["bench"]):
        assert "examples:" in text
    if "funnel" in words:
        assert "--shapes cubes|mixed|thesis" in text and "number of bodies (default 1000)" in text


def test_version(capsys):
    """Print name and version."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("stoss ")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["rn"], ["'rn'", "did you mean run?"]),
        (["stack"], ["did you mean stoss run stack?"]),
        (["--foo"], ["--foo", "list, run, view"]),
        (["run"], ["stoss run SCENE", "stoss list"]),
        (["run", "--json", "stack"], ["name the scene first"]),
        (["run", "stak"], ["'stak'", "did you mean stack?"]),
        (["run", "stack", "--bodis", "3"], ["--bodis", "did you mean --bodies?", "stoss run stack --help"]),
        (["run", "stack", "--bod", "3"], ["--bod"]),
        (["run", "stack", "surplus"], ["'surplus'"]),
        (["run", "stack", "--bodies", "many"], ["--bodies", "'many' is not a whole number"]),
        (["run", "stack", "--bodies", "2.5"], ["--bodies", "'2.5' is not a whole number"]),
        (["run", "stack", "--bodies", "0"], ["bodies is 0", "at least 1"]),
        (["run", "stack", "--offset", "wide"], ["--offset", "'wide' is not a number"]),
        (["run", "stack", "--offset", "nan"], ["--offset", "not finite"]),
        (["run", "stack", "--bodies"], ["--bodies"]),
        (["run", "stack", "--time-step", "0"], ["--time-step", "0 is not above zero"]),
        (["run", "stack", "--time-step", "-0.01"], ["--time-step", "-0.01 is not above zero"]),
        (["run", "stack", "--duration", "inf"], ["--duration", "not finite"]),
        (["run", "stack", "--every", "0"], ["--every", "at least 1"]),
        (["run", "funnel", "--shapes", "cube"], ["--shapes", "did you mean cubes?"]),
        (["run", "stack", "--solver", "magic"], ["magic", "gauss_seidel"]),
        (["run", "stack", "--set", "sweep=3"], ["'sweep'", "did you mean sweeps?"]),
        (["run", "stack", "--set", "sweeps"], ["NAME=VALUE"]),
        (["run", "stack", "--set", "sweeps=many"], ["sweeps", "'many'"]),
        (["run", "stack", "--set", "sweeps=-1"], ["sweeps", "-1"]),
        (["run", "stack", "--save", "motion.dat"], ["--save", ".npz"]),
        (["run", "stack", "--save", "/no/such/folder/motion.npz"], ["--save", "/no/such/folder"]),
        (["prepare", "--workers", "0"], ["--workers", "at least 1"]),
        (["prepare", "stack"], ["'stack'", "stoss prepare --help"]),
        (["bench", "stack"], ["'stack'", "stack50"]),
        (["bench", "--repeat", "0"], ["--repeat", "at least 1"]),
        (["bench", "--against", "/no/such/file.json"], ["--against", "/no/such/file.json"]),
        (["bench", "--json", "figures.txt"], ["--json", ".json"]),
    ],
)
def test_mistakes_get_one_line_and_code_2(capsys, words, parts):
    """Say in one line what is wrong and how to mend it, and return 2."""
    line = _fails(capsys, words)
    for part in parts:
        assert part in line


def test_run_reports(capsys):
    """Print a report with bodies, contacts, speed, energy and the state, and nothing on the error stream."""
    assert main(["run", "stack", "--bodies", "3", "--duration", "0.2", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    for words in ("3 moving, 1 fixed", "0.2 s in 20 steps of 0.01 s", "steps/s", "x real time", "momentum"):
        assert words in captured.out


def test_json_is_one_object_and_nothing_else(capsys):
    """Print one JSON object with all figures and their types, and nothing on the error stream."""
    assert main(["run", "stack", "--bodies", "3", "--duration", "0.2", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    report = json.loads(captured.out)
    assert set(report) == set(REPORT_KEYS)
    for key, kind in REPORT_KEYS.items():
        assert isinstance(report[key], kind), key
    assert report["scene"] == "stack" and report["parameters"]["bodies"] == 3
    assert report["steps"] == 20 and report["bodies"] == 3 and report["fixed_bodies"] == 1
    assert report["touching_contacts"] == 12
    assert len(report["momentum"]) == len(report["angular_momentum"]) == 3
    # three cubes of 1 kg at heights 0.5, 1.5, 2.5 m
    assert report["start_energy"] == pytest.approx(9.81 * 4.5, rel=1e-12)


def test_run_equals_the_same_steps_in_python(capsys):
    """End in the state that the world reaches when it is stepped from Python."""
    assert main(["run", "pile", "--bodies", "10", "--duration", "0.3", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    world = SCENES["pile"].build(bodies=10)
    world.step(30)
    assert report["state_hash"] == world.state_hash()


def test_settings_reach_the_world(capsys):
    """Run with the settings that --solver, --motion, --collision and --set name."""
    words = ["run", "stack", "--bodies", "2", "--duration", "0.02", "--json", "--solver", "gauss_seidel"]
    words += ["--motion", "rk4", "--collision", "fcl", "--set", "sweeps=7", "--set", "recovery_speed=0.5"]
    assert main(words) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["solver"] == "gauss_seidel" and settings["motion"] == "rk4"
    assert settings["collision"] == "fcl" and settings["sweeps"] == 7 and settings["recovery_speed"] == 0.5


def test_save_writes_the_motion(tmp_path, capsys):
    """Write an .npz file without pickles with the start, every K-th step, and all bodies."""
    path = tmp_path / "motion.npz"
    words = ["run", "stack", "--bodies", "2", "--duration", "0.1", "--save", str(path), "--every", "5"]
    assert main(words) == 0
    capsys.readouterr()
    with np.load(path, allow_pickle=False) as data:
        np.testing.assert_allclose(data["times"], [0.0, 0.05, 0.1], atol=1e-15)
        assert data["positions"].shape == (3, 3, 3)
        assert data["quaternions"].shape == (3, 3, 4)
        assert list(data["names"]) == ["ground", "cube 0", "cube 1"]
        assert json.loads(str(data["about"]))["parameters"]["bodies"] == 2
        assert [shape["type"] for shape in json.loads(str(data["shapes"]))] == ["HalfSpace", "Box", "Box"]


def test_failed_simulation_gets_one_line_and_code_1(capsys):
    """Say in one line why the simulation stopped, and return 1."""
    words = ["run", "drop", "--bodies", "1", "--json", "--set", "speed_limit=1.0"]
    assert "the simulation stopped: " in _fails(capsys, words, code=1)


def test_interrupt_reports_what_was_reached(capsys, monkeypatch):
    """Report the steps that were completed, and return 130, when the user presses Ctrl-C."""
    from stoss.engine import World

    step = World.step

    def interrupted(self, n=1):
        if self.step_count == 5:
            raise KeyboardInterrupt
        return step(self, n)

    monkeypatch.setattr(World, "step", interrupted)
    assert main(["run", "stack", "--bodies", "1", "--duration", "1", "--json"]) == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out)["steps"] == 5
    assert "interrupted at 0.05 s" in captured.err


def test_a_reader_that_stops_is_no_error():
    """End without a word when the reader of the output goes away, as `stoss list | head -1` does."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "stoss", "list"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    os.close(writing)
    assert done.returncode == 0
    assert done.stderr == b""


def test_command_runs_as_a_program():
    """Work as a process of its own, with nothing but the report when no terminal looks on."""
    done = subprocess.run(
        [sys.executable, "-m", "stoss", "run", "spin", "--duration", "0.1", "--json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout)["scene"] == "spin"


def test_help_and_list_do_not_load_the_engine():
    """Answer help, mistakes and the list of scenes before numba is imported."""
    code = (
        "import sys; from stoss.command_line.main import main; main(['list']); main(['rn'])\n"
        "try: main(['run', 'stack', '--help'])\n"
        "except SystemExit: pass\n"
        "print({'numba', 'trimesh', 'pyglet', 'stoss.engine'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.splitlines()[-1] == "set()"


def test_every_command_is_there():
    """Name for every command a function of a module; each takes the options alone."""
    folder = Path(stoss.command_line.__file__).parent
    for command in COMMANDS.values():
        module, function = command.carried_out_by
        assert f"def {function}(options: argparse.Namespace) -> int:" in (folder / f"{module}.py").read_text()


def test_interrupt_anywhere_ends_with_130(capsys, monkeypatch):
    """Say in one line that the user pressed Ctrl-C, also where a command has nothing to report then."""

    def interrupted(options):
        raise KeyboardInterrupt

    monkeypatch.setattr("stoss.command_line.list_scenes.list_scenes", interrupted)
    assert _fails(capsys, ["list"], code=130) == "stoss: interrupted"


def test_what_is_missing_is_told_in_one_line(capsys, monkeypatch):
    """Name the package that is missing and the command that installs it, and return 2."""

    def refuse(package):
        raise DependencyError(f"{package} needs tqdm>=4.70 (not installed); install with: ...")

    monkeypatch.setattr("stoss.command_line.main.require", refuse)
    assert "needs tqdm" in _fails(capsys, ["list"])


class Screen(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, terminal):
        super().__init__()
        self.isatty = lambda: terminal

    def shown(self):
        """Return the lines that stay to be read on a terminal."""
        lines = [""]
        for part in re.split(r"([\r\n])", self.getvalue()):
            if part == "\n":
                lines.append("")
            elif part != "\r":
                lines[-1] = part + lines[-1][len(part) :]
        return [line.rstrip() for line in lines]


def test_kernel_progress_on_a_terminal_is_one_line(monkeypatch):
    """Write over the line, cut it to the terminal, and leave one line at the end."""
    monkeypatch.setenv("COLUMNS", "60")
    screen = Screen(terminal=True)
    with KernelProgress(folder=Path.home() / ".cache" / "stoss", stream=screen) as progress:
        progress(9, 96, "engine.solve")
        assert screen.shown() == ["compiling 9 of 96 kernels, once; they are kept in ~/.cache/stoss"[:59]]
        progress(96, 96, "engine.step")
    assert re.fullmatch(r"compiled 96 kernels in \d+ s", screen.shown()[0])
    assert screen.shown()[1:] == [""]


def test_kernel_progress_in_a_log_is_two_lines():
    """Write a line at the start and one at the end, which says how far it came."""
    screen = Screen(terminal=False)
    with (
        pytest.raises(KeyboardInterrupt),
        KernelProgress(folder=Path("/opt/stoss"), stream=screen) as progress,
    ):
        for done in range(13):
            progress(done, 96, "engine.solve")
        raise KeyboardInterrupt
    first, last, end = screen.getvalue().split("\n")
    assert first == "compiling 96 kernels, once; they are kept in /opt/stoss"
    assert re.fullmatch(r"compiled 12 of 96 kernels in \d+ s", last) and end == ""


def test_kernel_progress_is_silent_when_nothing_is_compiled():
    """Write nothing if no kernel is compiled, or if nobody wants to see it."""
    for visible, done in ((True, ()), (False, (1, 2))):
        screen = Screen(terminal=True)
        with KernelProgress(visible, stream=screen) as progress:
            for count in done:
                progress(count, 2)
        assert screen.getvalue() == ""


@pytest.mark.parametrize(("words", "asked"), [([], None), (["--all", "--workers", "2"], ["a", "b", "c"])])
def test_prepare_tells_what_it_did(capsys, monkeypatch, words, asked):
    """Compile what most scenes need, or all, and report kernels, times and the folder."""
    calls = []

    def prepare(kernels=None, workers=None, progress=None):
        calls.append((kernels, workers))
        progress(1, 3, "a")
        progress(3, 3, "c")
        return SimpleNamespace(compiled=3, loaded=4, seconds=2.0, cpu_seconds=3.5)

    modules = {
        "stoss.collision.kernels": SimpleNamespace(__path__=[]),
        "stoss.collision.kernels.folders": SimpleNamespace(cache_folder=lambda: Path("/opt/stoss")),
        "stoss.collision.kernels.prepare": SimpleNamespace(prepare=prepare, all_kernels=lambda: list("abc")),
    }
    import stoss.collision  # noqa: F401  (with its own kernels)

    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "stoss.command_line.prepare", raising=False)
    assert main(["prepare", *words]) == 0
    del sys.modules["stoss.command_line.prepare"]
    captured = capsys.readouterr()
    assert calls == [(asked, 2 if words else None)]
    assert captured.out.splitlines() == [
        "7 kernels are ready after 2.0 s (3.5 s of processor time): 3 compiled, 4 found",
        "kept in /opt/stoss",
    ]
    assert captured.err.startswith(
        "compiling 3 kernels, once; they are kept in /opt/stoss\ncompiled 3 kernels"
    )


def test_report_says_what_the_ladder_did():
    """Name the methods that islands were held by in place of the usual one, and only then."""
    world, figures = build_and_run(lambda: SCENES["stack"].build(bodies=2), 1)
    report = run_report("stack", {}, world, figures, start_energy=0.0)
    assert "ladder" not in format_report(report)
    figures.ladder["held by velocity"] = 3
    text = format_report(run_report("stack", {}, world, figures, start_energy=0.0))
    assert "held by velocity 3 times" in text
