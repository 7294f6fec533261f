"""The options of the command line: what may be written after `stoss`, and its help."""

import argparse
import math
import re
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from typing import Any, NoReturn

from stoss.scenes.registry import SCENES, Parameter, Scene, suggestion

__all__ = ["COMMANDS", "OVERLAYS", "UsageError", "option_name", "parse"]

COMMANDS = ("list", "run", "view", "replay", "render", "bench", "cases")

# What `stoss render` can lay over the bodies: the switches of `OverlayOptions`, which a test
# compares; named here so that help does not load the viewer.
OVERLAYS = (
    *("contacts", "impulses", "friction_cones", "joints", "limits", "centres", "axes", "boxes"),
    *("velocities", "trajectories", "names", "joint_names"),
)

# The scene that `stoss view` opens when none is named; its window lists the others.
_FIRST_SCENE = "stack"

_ABOUT = """\
stoss simulates rigid bodies with impulses alone.

  stoss list                         the scenes, with the number of bodies
  stoss run stack                    run one and report
  stoss run stack --help             what can be varied in it
  stoss view crane                   open one in a window and reach into it
  stoss replay motion.npz            look at a motion that was saved
  stoss render crane --out crane.mp4 a film, or a picture, without a window
  stoss bench                        how fast this machine runs the standard scenes
  stoss cases                        faults reported of other engines, each with PASS or FAIL
"""

_RUN_EXAMPLES = """\
examples:
  stoss run funnel                              1000 cubes pour through a funnel
  stoss run stack --bodies 50 --duration 60     a tower of 50 for a minute
  stoss run pyramid --solver gauss_seidel       the same world by the other solver
  stoss run pile --save pile.npz --every 2      keep every second step for replay
  stoss run drop --json > drop.json             the report for a program
"""

_VIEW_EXAMPLES = """\
examples:
  stoss view                                    a window in which all scenes can be chosen
  stoss view crane --load 500                   pull at its load with the mouse; F1 lists keys and mouse
  stoss view pyramid --base 30 --paused         begin standing; space goes on
"""

_REPLAY_EXAMPLES = """\
examples:
  stoss replay motion.npz                       of stoss run --save, with a time slider
  stoss replay stack.json                       a session of the window, simulated anew
  stoss replay stack.json --check               without a window: is the final state the same bit for bit?
"""

_RENDER_EXAMPLES = """\
examples:
  stoss render ragdoll --out ragdoll.png                     a picture, without a window
  stoss render funnel --duration 6 --out funnel.mp4          a film
  stoss render stack --at 1 --overlays contacts,impulses --out stack.png
  stoss render crane --view top --size 1920x1080 --quality medium --out crane.mp4
"""

_BENCH_EXAMPLES = """\
examples:
  stoss bench                                   all scenes of the benchmark
  stoss bench stack50 pyramid210 --repeat 3     two of them, the best of three runs each
  stoss bench --json before.json                keep the figures
  stoss bench --against before.json             compare; changed final states are marked
"""

_CASES_EXAMPLES = """\
examples:
  stoss cases                                   all of them, some minutes
  stoss cases R23 R30                           those of two numbers
  stoss cases r23_dropped_cubes_stay_a_column   one of them
  stoss cases --list                            what there is
"""

_BENCH_SCENES = (
    "stack50, pyramid210, wall105, funnel500, funnel1000, drop1000, "
    "chain50, chain500, tree127, tree255, net100"
)


_QUALITIES = ("low", "medium", "high")


class UsageError(Exception):
    """The command cannot be carried out as it was written; the message is one line with the cure."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of ending the process, and does not guess abbreviations."""

    def __init__(self, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **keywords)

    def error(self, message: str) -> NoReturn:
        raise UsageError(re.sub(r"^argument (\S+?)(/\S+)?: ", r"\1: ", message))

    def option_names(self) -> list[str]:
        """Return all option words, such as --duration."""
        return [word for action in self._actions for word in action.option_strings if word.startswith("--")]


def option_name(parameter_name: str) -> str:
    """Return the option of a parameter: friction_step is --friction-step."""
    return "--" + parameter_name.replace("_", "-")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options that the words of a command line give.

    Besides their own options, the commands of a scene give `scene` (a `Scene`) and `parameters` (dict).

    Raises:
        UsageError: unknown command, scene or option, or a bad value.
        SystemExit: after --help and --version.
    """
    words = list(words)
    if words[:1] == ["view"] and not (words[1:] and words[1] in (*SCENES, "-h", "--help")):
        if not words[1:] or words[1].startswith("-"):
            words.insert(1, _FIRST_SCENE)
            words.append("--choose")
    _check_command(words)
    parser = _build_parser()
    if not words:
        parser.parse_args(["--help"])
    options, extra = parser.parse_known_args(words)
    if extra:
        word = extra[0].split("=")[0]
        if word.startswith("-"):
            raise UsageError(
                f"unknown option {word}{suggestion(word, options.parser.option_names())}; see "
                f"{options.parser.prog} --help"
            )
        raise UsageError(f"unexpected word {word!r}; see {options.parser.prog} --help")
    if options.command in _SCENE_COMMANDS:
        options.parameters = {
            parameter.name: getattr(options, f"parameter_{parameter.name}")
            for parameter in options.scene.parameters
        }
    return options


def _check_command(words: Sequence[str]) -> None:
    """Raise for an unknown command or scene, before options are looked at."""
    if not words:
        return
    if words[0].startswith("-"):
        if words[0] not in ("-h", "--help", "--version"):
            raise UsageError(f"unknown option {words[0]}; begin with a command: {', '.join(COMMANDS)}")
        return
    if words[0] not in COMMANDS:
        hint = "did you mean stoss run {0}?" if words[0] in SCENES else "there are " + ", ".join(COMMANDS)
        close = suggestion(words[0], list(COMMANDS))
        raise UsageError(f"unknown command {words[0]!r}{close}; {hint.format(words[0])}")
    if words[0] not in _SCENE_COMMANDS or {"-h", "--help"} & set(words[1:2]):
        return
    if len(words) == 1 or words[1].startswith("-"):
        raise UsageError(
            f"name the scene first: stoss {words[0]} SCENE [options]; there are {', '.join(SCENES)}"
        )
    if words[1] not in SCENES:
        raise UsageError(
            f"unknown scene {words[1]!r}{suggestion(words[1], SCENES)}; there are {', '.join(SCENES)}"
        )


def _build_parser() -> _Parser:
    parser = _Parser(prog="stoss", description=_ABOUT)
    parser.add_argument("--version", action="version", version=f"stoss {_version()}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="list the scenes", description="List the scenes.")
    listing.set_defaults(parser=listing)

    for command, (help_text, examples, _) in _SCENE_COMMANDS.items():
        with_scene = commands.add_parser(
            command,
            help=help_text,
            description=f"{help_text.capitalize()}.\n\nscenes:\n{_scene_lines()}",
            epilog=examples,
            usage=f"stoss {command} SCENE [options]",
        )
        scenes = with_scene.add_subparsers(
            dest="scene_name", metavar="SCENE", help=argparse.SUPPRESS, required=True
        )
        for scene in SCENES.values():
            _add_scene(scenes.add_parser, command, scene)

    replay = commands.add_parser(
        "replay",
        help="look at a motion or a session that was saved",
        description="Look at a motion (.npz) of stoss run --save, or at a session (.json) of the window.",
        epilog=_REPLAY_EXAMPLES,
    )
    replay.set_defaults(parser=replay)
    replay.add_argument("file", metavar="FILE", help="a motion (.npz) or a session (.json)")
    replay.add_argument(
        "--check", action="store_true", help="of a session: simulate it without a window and compare the end"
    )
    _add_window(replay)

    bench = commands.add_parser(
        "bench",
        help="measure speed on standard scenes",
        description="Measure steps per second on scenes with a fixed number of steps. Compile time is kept\n"
        "apart; the hash of the final state shows whether the motion is bit for bit the same.",
        epilog=_BENCH_EXAMPLES,
    )
    bench.set_defaults(parser=bench)
    bench.add_argument("scenes", nargs="*", metavar="SCENE", help=f"of {_BENCH_SCENES}; all when left out")
    bench.add_argument(
        "--repeat", type=_count, default=1, metavar="N", help="runs of each scene; the best counts"
    )
    bench.add_argument("--steps", type=_count, metavar="N", help="steps instead of the scene's own number")
    bench.add_argument("--json", metavar="FILE", help="write the figures to this file")
    bench.add_argument("--against", metavar="FILE", help="compare with a file that --json wrote")
    bench.add_argument("--quiet", action="store_true", help="no progress on the terminal")
    _add_settings(bench)

    cases = commands.add_parser(
        "cases",
        help="run the cases: faults reported of other engines, rebuilt",
        description="Rebuild faults that were reported of other engines, measure, and compare with what\n"
        "mechanics says. Exit code 1 if any case fails.",
        epilog=_CASES_EXAMPLES,
    )
    cases.set_defaults(parser=cases)
    cases.add_argument("cases", nargs="*", metavar="CASE", help="numbers or names; all when left out")
    cases.add_argument("--list", action="store_true", help="list the cases, run none")
    cases.add_argument("--json", action="store_true", help="print one JSON array, nothing else")
    return parser


def _add_scene(add_parser: Callable[..., _Parser], command: str, scene: Scene) -> None:
    """Add the parser of `stoss COMMAND SCENE`, with the scene's parameters as options."""
    _, examples, add_own = _SCENE_COMMANDS[command]
    parser = add_parser(
        scene.name, prog=f"stoss {command} {scene.name}", description=scene.summary, epilog=examples
    )
    parser.set_defaults(parser=parser, scene=scene)
    own = parser.add_argument_group("the scene")
    for parameter in scene.parameters:
        own.add_argument(
            option_name(parameter.name),
            dest=f"parameter_{parameter.name}",
            type=_value_type(parameter),
            default=parameter.default,
            metavar="|".join(parameter.choices) or {int: "N", float: "X", str: "TEXT"}[parameter.type],
            help=f"{parameter.description.rstrip('.')} (default {parameter.default})".replace("%", "%%"),
        )
    time = parser.add_argument_group("time")
    time.add_argument(
        "--time-step",
        type=_positive,
        default=scene.time_step,
        metavar="S",
        help=f"time step in seconds (default {scene.time_step:g})",
    )
    _add_settings(parser)
    add_own(parser, scene)


def _add_run(parser: _Parser, scene: Scene) -> None:
    """Add what only `stoss run` has."""
    output = parser.add_argument_group("output")
    output.add_argument(
        "--duration",
        type=_positive,
        default=scene.duration,
        metavar="S",
        help=f"simulated time in seconds (default {scene.duration:g})",
    )
    output.add_argument("--save", metavar="FILE.npz", help="write the motion of all bodies to this file")
    output.add_argument(
        "--every", type=_count, default=1, metavar="K", help="keep every K-th step in that file (default 1)"
    )
    output.add_argument(
        "--json", action="store_true", help="print the report as one JSON object, nothing else"
    )
    output.add_argument("--quiet", action="store_true", help="no progress on the terminal")


def _add_view(parser: _Parser, scene: Scene) -> None:
    """Add what only `stoss view` has."""
    _add_window(parser)
    parser.add_argument("--choose", action="store_true", help="open the list of scenes too")


def _add_window(parser: _Parser) -> None:
    """Add the options of commands that open a window."""
    window = parser.add_argument_group("window")
    window.add_argument("--paused", action="store_true", help="begin standing; space goes on")
    window.add_argument("--quality", type=_choice(_QUALITIES), metavar="NAME", help="low, medium or high")
    window.add_argument("--size", type=_size, default=(1280, 720), metavar="WxH", help="default 1280x720")


def _add_render(parser: _Parser, scene: Scene) -> None:
    """Add what only `stoss render` has."""
    film = parser.add_argument_group("picture or film")
    film.add_argument("--out", required=True, metavar="FILE", help="a picture (.png, .jpg) or a film (.mp4)")
    film.add_argument(
        "--at",
        type=_not_negative,
        metavar="S",
        help=f"moment of the picture (default {scene.moment:g}), or where the film begins (default 0)",
    )
    film.add_argument(
        "--duration",
        type=_positive,
        default=scene.duration,
        metavar="S",
        help=f"simulated time of the film in seconds (default {scene.duration:g})",
    )
    film.add_argument(
        "--fps", type=_positive, default=30.0, metavar="N", help="pictures per second (default 30)"
    )
    film.add_argument("--size", type=_size, default=(1280, 720), metavar="WxH", help="default 1280x720")
    film.add_argument("--quality", type=_choice(_QUALITIES), metavar="NAME", help="low, medium or high")
    film.add_argument(
        "--view",
        metavar="NAME|A,E",
        help="front, right, top, back, left, bottom, or azimuth and elevation in degrees: --view=-60,20",
    )
    film.add_argument(
        "--overlays", default="", metavar="A,B", help="laid over the bodies, of " + ", ".join(OVERLAYS)
    )
    film.add_argument(
        "--colours",
        type=_choice(("body", "group", "island", "sleeping", "speed")),
        default="body",
        metavar="NAME",
        help="body (default), group, island, sleeping or speed",
    )
    film.add_argument("--quiet", action="store_true", help="no progress on the terminal")


# Commands that take a scene: what they do, examples, and what adds their own options.
_SCENE_COMMANDS: dict[str, tuple[str, str, Callable[[_Parser, Scene], None]]] = {
    "run": ("run a scene and report", _RUN_EXAMPLES, _add_run),
    "view": ("open a scene in a window", _VIEW_EXAMPLES, _add_view),
    "render": ("draw a picture or a film of a scene", _RENDER_EXAMPLES, _add_render),
}


def _add_settings(parser: _Parser) -> None:
    settings = parser.add_argument_group("settings of the engine")
    settings.add_argument("--solver", metavar="NAME", help="auto (default), direct or gauss_seidel")
    settings.add_argument(
        "--motion", metavar="NAME", help="symmetric (default), rk4, adaptive, taylor or euler"
    )
    settings.add_argument("--collision", metavar="NAME", help="native (default) or fcl")
    settings.add_argument(
        "--set",
        dest="assignments",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="any other field of engine.Settings, such as sweeps=30; may be repeated",
    )


def _scene_lines() -> str:
    width = max(len(name) for name in SCENES)
    return "\n".join(f"  {scene.name:<{width}}  {scene.summary}" for scene in SCENES.values())


def _value_type(parameter: Parameter) -> Callable[[str], object]:
    if parameter.type is int:
        return _whole
    if parameter.type is float:
        return _number
    return _choice(parameter.choices) if parameter.choices else str


def _choice(choices: Iterable[str]) -> Callable[[str], str]:
    allowed = list(choices)

    def choose(text: str) -> str:
        if text not in allowed:
            raise argparse.ArgumentTypeError(
                f"{text!r} is unknown{suggestion(text, allowed)}; choose from {', '.join(allowed)}"
            )
        return text

    return choose


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if match is None or not all(16 <= int(edge) <= 8192 for edge in match.groups()):
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give width and height in pixels: 1280x720")
    return int(match[1]), int(match[2])


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _count(text: str) -> int:
    value = _whole(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is too small; give a whole number of at least 1")
    return value


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not finite; give a finite number")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if value <= 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero; give a time in seconds, such as 0.01")
    return value


def _not_negative(text: str) -> float:
    value = _number(text)
    if value < 0.0:
        raise argparse.ArgumentTypeError(f"{text} is below zero; give a time in seconds, such as 1.5")
    return value


def _version() -> str:
    try:
        return metadata.version("stoss")
    except metadata.PackageNotFoundError:  # a checkout on the path that was never installed
        return "(not installed)"
