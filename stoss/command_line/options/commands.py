"""The commands: what each does, its examples, its options, and the function that carries it out."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from stoss.command_line.options.parser import (
    Parser,
    add_quiet,
    add_settings,
)
from stoss.command_line.options.picture_options import (
    add_build,
    add_export,
    add_export_of_file,
    add_plot,
    add_render,
    add_render_of_file,
    add_replay,
    add_view,
)
from stoss.command_line.options.run_options import add_compare, add_run, add_sweep
from stoss.command_line.options.values import (
    choice,
    count,
)
from stoss.scenes.registry import Scene

__all__ = ["BENCH_SCENES", "COMMANDS", "Command"]


# The presets of `stoss bench`, which a test compares.
BENCH_SCENES = (
    "stack50, pyramid210, wall105, funnel500, funnel1000, drop1000, "
    "chain50, chain500, tree127, tree255, net100"
)


@dataclass(frozen=True)
class Command:
    """A command of `stoss`.

    Attributes:
        carried_out_by: module below `stoss.command_line`, loaded when the command is given, and its function,
            which takes the options and returns the exit code.
        summary: a line in the list of commands.
        examples: the end of its help.
        description: the beginning of its help; the summary when left out.
        add: adds the options of a command that takes no scene.
        add_for_scene: adds the options that a command with a scene has besides those of the scene.
        add_for_file: adds the options of the same command where a file stands in place of a scene.
        takes: what follows a command that has a scene.
        keeps: whether it has something to keep when it is interrupted, from its beginning on.
        opens_window: tells of its options whether it opens a window; None: it does not.
    """

    carried_out_by: tuple[str, str]
    summary: str
    examples: str = ""
    description: str = ""
    add: Callable[[Parser], None] | None = None
    add_for_scene: Callable[[Parser, Scene], None] | None = None
    add_for_file: Callable[[Parser], None] | None = None
    takes: str = "SCENE"
    keeps: bool = False
    opens_window: Callable[[argparse.Namespace], bool] | None = None

    def load(self) -> Callable[[argparse.Namespace], int]:
        """Return the function that carries it out."""
        module, name = self.carried_out_by
        function: Callable[[argparse.Namespace], int] = getattr(
            import_module(f"stoss.command_line.{module}"), name
        )
        return function


def _always(options: argparse.Namespace) -> bool:
    return True


def _unless_checked(options: argparse.Namespace) -> bool:
    return not options.check


def _add_bench(parser: Parser) -> None:
    parser.add_argument(
        "scenes",
        nargs="*",
        metavar="SCENE",
        help=f"files of models, or of {BENCH_SCENES}; all of these when left out",
    )
    parser.add_argument(
        "--repeat", type=count, default=1, metavar="N", help="runs of each scene; the best counts"
    )
    parser.add_argument("--steps", type=count, metavar="N", help="steps instead of the scene's own number")
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file")
    parser.add_argument("--against", metavar="FILE", help="compare with a file that --json wrote")
    add_quiet(parser)
    add_settings(parser)


def _add_cases(parser: Parser) -> None:
    parser.add_argument("cases", nargs="*", metavar="CASE", help="numbers or names; all when left out")
    parser.add_argument("--list", action="store_true", help="list the cases, run none")
    parser.add_argument("--json", action="store_true", help="print one JSON array, nothing else")


def _add_prepare(parser: Parser) -> None:
    parser.add_argument("--all", action="store_true", help="all kernels, not only what most scenes need")
    parser.add_argument(
        "--workers", type=count, metavar="N", help="processes that compile; as many as fit when left out"
    )
    add_quiet(parser)


def _add_list(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON array, with all parameters")


def _add_help(parser: Parser) -> None:
    parser.add_argument(
        "topic", type=choice(("settings",)), metavar="TOPIC", help="a command, a scene, or settings"
    )


def _add_completion(parser: Parser) -> None:
    parser.add_argument(
        "shell", type=choice(("bash", "zsh", "fish")), metavar="SHELL", help="bash, zsh or fish"
    )


def _add_check(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a model: .toml, .json, .xml, .urdf, .mjcf or .usda")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")


def _add_convert(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a model: .toml, .json, .xml, .urdf, .mjcf or .usda")
    parser.add_argument(
        "out", metavar="OUT", help="a model: .toml, .json, .xml, .urdf, .mjcf, .usda; or .glb"
    )
    parser.add_argument("--motion", metavar="FILE", help="how it moved (.npz), for USD and glTF")
    add_quiet(parser)


COMMANDS: dict[str, Command] = {
    "list": Command(("list_scenes", "list_scenes"), "list the scenes", add=_add_list),
    "run": Command(
        ("run", "run"),
        "run a scene and report",
        """\
examples:
  stoss run funnel                              1000 cubes pour through a funnel
  stoss run stack --bodies 50 --duration 60     a tower of 50 for a minute
  stoss run pyramid --solver gauss_seidel       the same world by the other solver
  stoss run pile --save pile.npz --every 2      keep every second step for replay
  stoss run ragdoll --record r.npz --channels 'joint.*' --every 0.02    numbers over time
  stoss run drop --json > drop.json             the report for a program
  stoss run crane --load 500 --out runs/a       all that belongs to it, in a folder
""",
        add_for_scene=add_run,
    ),
    "view": Command(
        ("view", "view"),
        "open a scene in a window",
        """\
examples:
  stoss view                                    a window in which all scenes can be chosen
  stoss view crane --load 500                   pull at its load with the mouse; F1 lists keys and mouse
  stoss view pyramid --base 30 --paused         begin standing; space goes on
""",
        keeps=True,
        opens_window=_always,
        add_for_scene=add_view,
    ),
    "build": Command(
        ("build", "build"),
        "build a model in a window",
        """\
examples:
  stoss build                                   begin with an empty world
  stoss build pendulum.toml                     go on with a model; .json, .xml, .urdf and MJCF too
  stoss build --planar xz                       in a plane
""",
        "Build a model in a window: bodies, joints, motors, placed by handles and numbers, saved as a file.",
        add=add_build,
        keeps=True,
        opens_window=_always,
    ),
    "replay": Command(
        ("replay", "replay"),
        "look at a motion or a session that was saved",
        """\
examples:
  stoss replay motion.npz                       of stoss run --save, with a time slider
  stoss replay stack.json                       a session of the window, simulated anew
  stoss replay stack.json --check               without a window: is the final state the same bit for bit?
""",
        "Look at a motion (.npz) of stoss run --save, or at a session (.json) of the window.",
        add=add_replay,
        keeps=True,
        opens_window=_unless_checked,
    ),
    "render": Command(
        ("render", "render"),
        "draw a picture or a film of a scene or a motion",
        """\
examples:
  stoss render ragdoll --out ragdoll.png                     a picture, without a window
  stoss render funnel --duration 6 --out funnel.mp4          a film
  stoss render stack --at 1 --overlays contacts,impulses --out stack.png
  stoss render pile.npz --out pile.mp4 --slow 4              of a motion that was saved, or a session
  stoss render bullet --slow 50 --follow "bullet 1" --time-stamp --out bullet.mp4
  stoss render crane --view top --size 1920x1080 --quality medium --out crane.mp4
""",
        keeps=True,
        add_for_scene=add_render,
        add_for_file=add_render_of_file,
        takes="SCENE|FILE",
    ),
    "plot": Command(
        ("plot", "plot"),
        "draw what was recorded over time",
        """\
examples:
  stoss plot run.npz                            the channels that there are
  stoss plot run.npz energy.* joint.elbow.angle
  stoss plot a.npz b.npz energy.total --out both.svg
  stoss plot run.npz joint.elbow.angle joint.elbow.angle.rate --phase
  stoss plot run.npz --histogram --out forces.pdf
""",
        "Draw channels of recordings (.npz) of stoss run --record, or of a Recorder: a panel for each unit,\n"
        "several runs in one picture. Needs pip install 'stoss[plot]'.",
        add=add_plot,
    ),
    "export": Command(
        ("export", "export"),
        "write a motion as a web page, as glTF or for Rerun",
        """\
examples:
  stoss export pile.npz pile.html               a page with a player, for any browser, without a network
  stoss export session.json session.glb         of the window: glTF with an animation, as for Blender
  stoss export wall_hit wall.html --duration 4  of a scene that is run for it
  stoss export crane crane.rrd --channels 'energy.*'   for Rerun: pip install "stoss[rerun]"
""",
        "Write a motion (.npz), a session (.json) or a scene for other programs: a web page that\n"
        "plays it (.html), glTF with an animation (.glb), or a recording of Rerun (.rrd).",
        add_for_scene=add_export,
        add_for_file=add_export_of_file,
        takes="SCENE|FILE OUT",
    ),
    "sweep": Command(
        ("sweep", "sweep"),
        "run a scene or model for all values of some parameters",
        """\
examples:
  stoss sweep stack --grid bodies=5,10,20 --grid friction=0.1:0.7:4
  stoss sweep servo.toml --grid kp=10,20,50 --grid kd=0.1:1:5 --metric overshoot:joint.arm.angle
  stoss sweep wall_hit --grid time_step=0.01,0.005 --metric mine:tallest --table walls.parquet
  stoss sweep servo.toml --grid kp=1:100:50:log --scheduler tcp://10.0.0.1:8786
""",
        "Run a scene or model at each point of a grid, on all cores or on a Dask cluster, and print one\n"
        "table. Each run is kept as it ends: the same command goes on after an interruption, and makes only\n"
        "what is missing when values were added.",
        add_for_scene=add_sweep,
    ),
    "compare": Command(
        ("sweep", "compare"),
        "compare two runs",
        """\
examples:
  stoss compare runs/a runs/b                   what stoss run --out, or a sweep, has kept
""",
        "Say in what two runs differ: parameters, settings, versions, speed, and what they ended in.\n"
        "Exit code 1 unless both end in the same state, bit for bit.",
        add=add_compare,
    ),
    "check": Command(
        ("models", "check"),
        "check the file of a model and say what is in it",
        """\
examples:
  stoss check arm.toml                          bodies, degrees of freedom, redundancies, mass, overlaps
  stoss check robot.urdf                        and what was not taken over
""",
        "Read and build a model. A mistake costs one line with file, line, key, value and cure.",
        add=_add_check,
    ),
    "convert": Command(
        ("models", "convert"),
        "write a model in another format",
        """\
examples:
  stoss convert robot.urdf robot.toml           to edit it
  stoss convert arm.toml arm.json               for a program
  stoss convert arm.toml arm.mjcf               for MuJoCo
  stoss convert arm.toml arm.usda --motion run.npz   for Omniverse, with its motion
""",
        "Read a model and write it in the format that the ending of OUT says.",
        add=_add_convert,
    ),
    "bench": Command(
        ("bench", "bench"),
        "measure speed on standard scenes",
        """\
examples:
  stoss bench                                   all scenes of the benchmark
  stoss bench stack50 pyramid210 --repeat 3     two of them, the best of three runs each
  stoss bench --json before.json                keep the figures
  stoss bench --against before.json             compare; changed final states are marked
""",
        "Measure steps per second on scenes with a fixed number of steps. Compile time is kept\n"
        "apart; the hash of the final state shows whether the motion is bit for bit the same.",
        add=_add_bench,
    ),
    "cases": Command(
        ("cases", "run_cases"),
        "run the cases: faults reported of other engines, rebuilt",
        """\
examples:
  stoss cases                                   all of them, some minutes
  stoss cases R23 R30                           those of two numbers
  stoss cases r23_dropped_cubes_stay_a_column   one of them
  stoss cases --list                            what there is
""",
        "Rebuild faults that were reported of other engines, measure, and compare with what\n"
        "mechanics says. Exit code 1 if any case fails.",
        add=_add_cases,
    ),
    "prepare": Command(
        ("prepare", "prepare_kernels"),
        "compile the kernels ahead",
        """\
examples:
  stoss prepare                                 what most scenes need
  stoss prepare --all                           everything, as when an image or a laboratory is set up
  STOSS_CACHE_DIR=/opt/stoss stoss prepare      keep it there, and look there later
""",
        "Compile kernels for this machine now instead of in the first run that needs them. They are\n"
        "kept in the user's cache folder, or in the folder that STOSS_CACHE_DIR names.",
        add=_add_prepare,
    ),
    "completion": Command(
        ("completion", "completion"),
        "let a shell complete commands, scenes and options",
        """\
examples:
  stoss completion bash > ~/.local/share/bash-completion/completions/stoss
  stoss completion zsh > ~/.zfunc/_stoss        with fpath+=~/.zfunc before compinit in ~/.zshrc
  stoss completion fish > ~/.config/fish/completions/stoss.fish
""",
        "Print a script that lets a shell complete the words of stoss.\n"
        "Needs pip install 'stoss[completion]'.",
        add=_add_completion,
    ),
    "help": Command(
        ("help_page", "help_page"),
        "explain a command, a scene, or the settings",
        """\
examples:
  stoss help run                                a command
  stoss help stack                              what can be varied in a scene
  stoss help settings                           what --set takes
""",
        add=_add_help,
    ),
}
