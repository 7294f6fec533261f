"""Damaged files of every format that stoss reads: `python -m stoss.benchmarks.api_fuzz.files [files]`.

A reader may find a damaged file sound; then it gives what was written, if the format has check sums. Else it
raises an error of one line that names the file, and the command that was to use the file tells the same with
exit code 2.
"""

import argparse
import contextlib
import io
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stoss.benchmarks.api_fuzz.damage import BYTES, JSON, NPZ, Damage
from stoss.collision import ConvexHull, TriangleMesh
from stoss.command_line.main import main as stoss
from stoss.docstrings import first_line
from stoss.errors import UsageError
from stoss.scenes import SCENES

__all__ = ["FORMATS", "Format", "Outcome", "main", "run_format"]

LONGEST = 20.0  # seconds for one file
MOST_MEMORY = 600.0  # MB that reading damaged files may add


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        name: its ending, with what it is.
        make: writes a sound file into a folder and returns it.
        read: reads one; equal values mean equal content, None says nothing.
        damages: what may be done to it.
        words: of the command that uses such a file, after which the file is named.
        sealed: whether it has check sums, so that no damage to its bytes may change what is read.
    """

    name: str
    make: Callable[[Path], Path]
    read: Callable[[Path], Any]
    damages: dict[str, Damage]
    words: tuple[str, ...] = ()
    sealed: bool = False


@dataclass
class Outcome:
    """What came of the files of one format.

    Attributes:
        refused, sound: how many were refused, and how many found sound.
        wrong: what must not be, a line each.
        longest: seconds for one file.
        memory: MB that reading added to the process.
        kinds: files by kind of damage.
    """

    refused: int = 0
    sound: int = 0
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0
    memory: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)


def run_format(form: Format, count: int, seed: int = 0) -> Outcome:
    """Damage a file of a format in so many ways, read each, and return what came of it."""
    outcome, rng = Outcome(), random.Random(f"{form.name} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        sound = form.make(Path(folder))
        content, expected = sound.read_bytes(), form.read(sound)
        before = _memory()
        for number in range(count):
            kind = rng.choice([*form.damages])
            outcome.kinds[kind] += 1
            path = sound.with_stem(f"damaged{number}")
            path.write_bytes(form.damages[kind](rng, content))
            begin = time.perf_counter()
            told = _read(form, path, expected if form.sealed and kind in BYTES else None, outcome)
            seconds = time.perf_counter() - begin
            outcome.longest = max(outcome.longest, seconds)
            if seconds > LONGEST:
                told = f"took {seconds:.0f} s"
            if told:
                outcome.wrong.append(f"{form.name} {number}, {kind}: {told}")
            path.unlink()
        outcome.memory = _memory() - before
    if outcome.memory > MOST_MEMORY:
        outcome.wrong.append(f"{form.name}: {outcome.memory:.0f} MB of memory")
    return outcome


def _memory() -> float:
    """Return the most memory that this process ever had [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _read(form: Format, path: Path, expected: Any, outcome: Outcome) -> str:
    """Read a damaged file; return what is wrong with how that ended, nothing if it is right.

    Args:
        form, path, outcome: the file, and where it is counted.
        expected: what it has to give if it is found sound; None for anything.
    """
    printed = io.StringIO()
    try:
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            found = form.read(path)
    except (ValueError, OSError) as error:
        outcome.refused += 1
        text = str(error)
        if "\n" in text or path.name not in text or len(text) > 1000:
            return f"said {text[:200]!r}"
        return _command(form, path)
    except BaseException as error:
        return f"raised {type(error).__name__}: {str(error)[:200]}"
    finally:
        if printed.getvalue():
            outcome.wrong.append(f"{path.name}: printed {printed.getvalue()[:200]!r}")
    outcome.sound += 1
    return "gave something else" if expected is not None and found != expected else ""


def _command(form: Format, path: Path) -> str:
    """Give a file that was refused to the command; return what is wrong, nothing if it is right."""
    if not form.words:
        return ""
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(told):
            code = stoss([*form.words, str(path)])
    except BaseException as error:
        return f"stoss {form.words[0]} raised {type(error).__name__}: {str(error)[:200]}"
    text = told.getvalue()
    if code != 2 or text.count("\n") != 1 or "Traceback" in text:
        return f"stoss {form.words[0]} gave {code} and said {text[:200]!r}"
    return ""


# ------------------------------------------------------------------ the formats


def _make_motion(folder: Path) -> Path:
    from stoss.scenes.running.trajectory import Recorder

    world = SCENES["pile"].build(bodies=10)
    recorder = Recorder(world)
    for _ in range(5):
        world.step()
        recorder.after_step(world)
    path = folder / "motion.npz"
    recorder.write(path)
    return path


def _read_motion(path: Path) -> Any:
    from stoss.scenes.running.trajectory import load_trajectory
    from stoss.viewer.world.player import Player

    motion = load_trajectory(path)
    _ = Player(motion).view
    return [value.tobytes() if isinstance(value, np.ndarray) else value for value in vars(motion).values()]


def _make_snapshot(folder: Path) -> Path:
    world = SCENES["crane"].build()
    world.step(20)
    path = folder / "snapshot.npz"
    world.save().write(path)
    return path


def _read_snapshot(path: Path) -> Any:
    """Read a snapshot, and make a world of it, which is left to its next step."""
    from stoss.engine import Snapshot, World

    world = World()
    world.restore(Snapshot.read(path))
    world.step()
    return world.state_hash()


def _make_session(folder: Path) -> Path:
    from stoss.viewer.world import commands
    from stoss.viewer.world.session import Source
    from stoss.viewer.world.stage import Stage

    source = Source(SCENES["stack"], {"bodies": 3}, {"sweeps": 20}, 0.01)
    stage = Stage(source.build())
    for command in (
        commands.SetGravity((0.0, 0.0, -5.0)),
        commands.Push("cube 1", (0.0, 0.0, 1.5), (1.0, 0.0, 0.0)),
        commands.SetMass("cube 0", 3.0),
        commands.Throw((2.0, 0.0, 1.0), (-3.0, 0.0, 0.0)),
        commands.Freeze("cube 2"),
    ):
        stage.carry_out(command)
        stage.step()
    path = folder / "session.json"
    source.session(stage).write(path)
    return path


def _make_built_session(folder: Path) -> Path:
    from stoss.engine.model import Model
    from stoss.viewer.world import commands
    from stoss.viewer.world.session import source_of_model

    source = source_of_model(Model())
    stage = source.stage()
    for command in (
        commands.AddThing("bodies", "rod", {"shapes": [{"type": "box", "size": [1.0, 0.1, 0.1]}]}),
        commands.AddThing(
            "joints", "pin", {"type": "hinge", "second": "rod", "point": [0.5, 0, 0], "axis": [0, 1, 0]}
        ),
        commands.ChangeThing("joints", "pin", {"actions": [{"type": "motor", "velocity": 1.0}]}, "field 1"),
        commands.MoveJoint("pin", (0.0, 0.0, 0.1)),
        commands.RenameThing("bodies", "rod", "bar"),
        commands.UndoEdit(),
        commands.RedoEdit(),
    ):
        stage.carry_out(command)
    stage.step()
    path = folder / "built.json"
    source.session(stage).write(path)
    return path


def _read_session(path: Path) -> Any:
    from stoss.viewer.world.session import load_session

    return load_session(path)


def _make_figures(folder: Path) -> Path:
    path = folder / "figures.json"
    with contextlib.redirect_stdout(io.StringIO()):
        stoss(["bench", "stack50", "--steps", "2", "--quiet", "--json", str(path)])
    return path


def _read_figures(path: Path) -> Any:
    from stoss.benchmarks.compare import format_table, read_results

    content = read_results(path)
    format_table([], content["settings"], content)
    return content


def _make_mesh(ending: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        import trimesh

        path = folder / f"mesh.{ending.partition(' ')[0]}"
        options = {"file_type": "stl_ascii"} if ending == "stl text" else {}
        trimesh.creation.icosphere(subdivisions=1).export(path, **options)
        return path

    return make


def _read_mesh(path: Path) -> Any:
    """Read a mesh in the three ways in which one is; what is refused by one names the file."""
    try:
        TriangleMesh.from_file(path, two_sided=True)
        ConvexHull.from_file(path)
    except ValueError as error:
        # a file that was read, whose geometry is refused: the message is of the shape
        if path.name in str(error):
            raise
        raise ValueError(f"{path.name}: {error}") from error


FORMATS = {
    form.name: form
    for form in (
        Format("motion.npz", _make_motion, _read_motion, BYTES | NPZ, ("replay",), sealed=True),
        Format("snapshot.npz", _make_snapshot, _read_snapshot, BYTES | NPZ, sealed=True),
        Format("session.json", _make_session, _read_session, BYTES | JSON, ("replay", "--check")),
        Format("built.json", _make_built_session, _read_session, BYTES | JSON, ("replay", "--check")),
        Format("figures.json", _make_figures, _read_figures, BYTES | JSON, ("bench", "stack50", "--against")),
        *(
            Format(f"mesh.{ending}", _make_mesh(ending), _read_mesh, BYTES)
            for ending in ("stl", "stl text", "obj", "ply", "off", "glb")
        ),
    )
}


def _row(name: str, *figures: object) -> str:
    return f"{name:<14}" + "".join(f"{figure!s:>10}" for figure in figures)


def main(arguments: Sequence[str] | None = None) -> int:
    """Damage files, print a table and what went wrong; return 1 if anything did."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.api_fuzz.files", description=first_line(__name__)
    )
    parser.add_argument(
        "files", nargs="?", type=int, default=300, help="of each format (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the damage (default: %(default)s)")
    parser.add_argument("--format", choices=[*FORMATS], help="one format (default: all)")
    options = parser.parse_args(arguments)
    if options.files < 1:
        raise UsageError(f"files is {options.files}; give a number of at least 1")
    wrong: list[str] = []
    print(_row("format", "files", "refused", "sound", "wrong", "longest s", "memory MB"))
    for form in [FORMATS[options.format]] if options.format else FORMATS.values():
        outcome = run_format(form, options.files, options.seed)
        wrong += outcome.wrong
        figures = options.files, outcome.refused, outcome.sound, len(outcome.wrong)
        print(_row(form.name, *figures, f"{outcome.longest:.2f}", f"{outcome.memory:.0f}"), flush=True)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
