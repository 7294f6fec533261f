"""From the words of a command line to options."""

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stoss.command_line.options.commands import COMMANDS, Command
from stoss.command_line.options.parser import Parser, add_model, add_scene
from stoss.errors import UsageError
from stoss.identity import __version__
from stoss.scenes import SCENES
from stoss.scenes.registry import Scene, find_scene, is_model_file, suggestion

__all__ = ["parse"]

# The scene that `stoss view` opens when none is named; its window lists the others.
_FIRST_SCENE = "stack"

_ALL_SCENES = f"stoss list names all {len(SCENES)} scenes"

_ABOUT = """\
stoss simulates rigid bodies with impulses alone.

  stoss list                         the scenes, with the number of bodies
  stoss run stack                    run one and report
  stoss run stack --help             what can be varied in it
  stoss view crane                   open one in a window and reach into it
  stoss build                        build a model in a window, from nothing
  stoss replay motion.npz            look at a motion that was saved
  stoss plot run.npz energy.*        what stoss run --record has recorded
  stoss render crane --out crane.mp4 a film, or a picture, without a window
  stoss export motion.npz page.html  a web page that plays it; .glb and .rrd too
  stoss sweep stack --grid bodies=5,10 many runs, as one table
  stoss bench                        how fast this machine runs the standard scenes
  stoss cases                        faults reported of other engines, each with PASS or FAIL
  stoss prepare                      compile the kernels now, not in the first run
"""


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the options that the words of a command line give.

    Besides their own options, the commands of a scene give `scene` (a `Scene`) and `parameters` (dict).

    Raises:
        UsageError: unknown command, scene or option, or a bad value.
        SystemExit: after --help and --version.
    """
    words = _with_first_scene(_asked_for_help(list(words)))
    _check_command(words)
    parser = _build_parser(words)
    options, extra = parser.parse_known_args(words or ["--help"])
    if extra:
        word = extra[0].split("=")[0]
        if word.startswith("-"):
            raise UsageError(
                f"unknown option {word}{suggestion(word, options.parser.option_names())}; see "
                f"{options.parser.prog} --help"
            )
        raise UsageError(f"unexpected word {word!r}; see {options.parser.prog} --help")
    if hasattr(options, "params"):
        options.parameters = model_parameters(options.scene, options.params)
    elif getattr(options, "scene", None) is not None:
        options.parameters = {
            parameter.name: getattr(options, f"parameter_{parameter.name}")
            for parameter in options.scene.parameters
        }
    return options


def _with_first_scene(words: list[str]) -> list[str]:
    """Let `stoss view` without a scene open the first one, and the list of the others."""
    if words[:1] != ["view"] or words[1:2] in (["-h"], ["--help"]):
        return words
    if words[1:] and not words[1].startswith("-"):
        return words
    return ["view", _FIRST_SCENE, *words[1:], "--choose"]


def _asked_for_help(words: list[str]) -> list[str]:
    """Let `stoss help run stack` be `stoss run stack --help`; of a scene alone, what runs it."""
    if words[:1] != ["help"]:
        return words
    if words[1:2] == ["settings"]:
        return words
    asked = [word for word in words[1:] if word not in ("-h", "--help")]
    if asked[:1] and asked[0] in SCENES and asked[0] not in COMMANDS:
        asked = ["run", *asked]
    return [*asked[:2], "--help"]


def _check_command(words: Sequence[str]) -> None:
    """Raise for an unknown command or scene, before options are looked at."""
    if not words:
        return
    if words[0].startswith("-"):
        if words[0] not in ("-h", "--help", "-V", "--version"):
            raise UsageError(f"unknown option {words[0]}; begin with a command: {', '.join(COMMANDS)}")
        return
    if words[0] not in COMMANDS:
        hint = "did you mean stoss run {0}?" if words[0] in SCENES else "there are " + ", ".join(COMMANDS)
        close = suggestion(words[0].lower(), list(COMMANDS))
        raise UsageError(f"unknown command {words[0]!r}{close}; {hint.format(words[0])}")
    command = COMMANDS[words[0]]
    if command.add_for_scene is None or {"-h", "--help"} & set(words[1:2]):
        return
    if len(words) == 1 or words[1].startswith("-"):
        what = "the scene" if command.add_for_file is None else "the scene or file"
        raise UsageError(f"name {what} first: stoss {words[0]} {command.takes} [options]; {_ALL_SCENES}")
    if words[1] not in SCENES and not is_model_file(words[1]) and not _is_file(command, words[1]):
        raise UsageError(f"unknown scene {words[1]!r}{suggestion(words[1].lower(), SCENES)}; {_ALL_SCENES}")


def whole_parser() -> Parser:
    """Return the parser of all that may be written, scenes listed like commands, for what completes it."""
    return _build_parser((), listed=True)


def _is_file(command: Command, word: str) -> bool:
    """Return whether a word stands for a file where a command takes a scene or a file."""
    return command.add_for_file is not None and word not in SCENES and bool(Path(word).suffix)


def _build_parser(words: Sequence[str], listed: bool = False) -> Parser:
    parser = Parser(prog="stoss", description=_ABOUT)
    parser.add_argument("-V", "--version", action="version", version=f"stoss {__version__}")
    parser.set_defaults(parser=parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        description = command.description or f"{command.summary.capitalize()}."
        if command.add_for_scene is not None:
            with_scene = commands.add_parser(
                name,
                help=command.summary,
                description=f"{description}\n\nscenes:\n{_scene_lines()}",
                epilog=command.examples,
                usage=f"stoss {name} {command.takes} [options]",
            )
            _add_scenes(with_scene, name, command, listed)
            if words[:1] != [name] or len(words) == 1 or words[1] in SCENES:
                continue
            if is_model_file(words[1]):
                _add_model(with_scene, name, command, words[1])
            elif _is_file(command, words[1]):
                _add_file(with_scene, name, command, words[1])
            continue
        own = commands.add_parser(
            name, help=command.summary, description=description, epilog=command.examples
        )
        own.set_defaults(parser=own)
        if command.add is not None:
            command.add(own)
    return parser


def _add_scenes(with_scene: Parser, name: str, command: Command, listed: bool) -> None:
    """Add a parser of `stoss COMMAND SCENE` for each scene, with its parameters as options."""
    scenes = with_scene.scenes = with_scene.add_subparsers(
        dest="scene_name", metavar="SCENE", help=None if listed else argparse.SUPPRESS, required=True
    )
    for scene in SCENES.values():
        about: dict[str, Any] = {"help": scene.summary} if listed else {}
        parser = scenes.add_parser(
            scene.name,
            prog=f"stoss {name} {scene.name}",
            description=scene.summary,
            epilog=command.examples,
            **about,
        )
        parser.set_defaults(parser=parser, scene=scene)
        add_scene(parser, scene)
        if command.add_for_scene is not None:
            command.add_for_scene(parser, scene)


def _add_file(with_scene: Parser, name: str, command: Command, file: str) -> None:
    """Add a parser of `stoss COMMAND FILE`, beside those of the scenes."""
    assert with_scene.scenes is not None and command.add_for_file is not None
    parser = with_scene.scenes.add_parser(
        file, prog=f"stoss {name} FILE", description=command.description, epilog=command.examples
    )
    parser.set_defaults(parser=parser, scene=None, file=file)
    command.add_for_file(parser)


def _add_model(with_scene: Parser, name: str, command: Command, file: str) -> None:
    """Add a parser of `stoss COMMAND FILE` for the file of a model, beside those of the scenes."""
    assert with_scene.scenes is not None and command.add_for_scene is not None
    try:
        scene = find_scene(file)
    except ValueError as error:
        raise UsageError(str(error)) from error
    parser = with_scene.scenes.add_parser(
        file, prog=f"stoss {name} {file}", description=scene.summary, epilog=command.examples
    )
    parser.set_defaults(parser=parser, scene=scene)
    add_model(parser, scene)
    command.add_for_scene(parser, scene)


def model_parameters(scene: Scene, assignments: Sequence[str]) -> dict[str, float]:
    """Return the parameters of a model from words such as kp=20.

    Raises:
        UsageError: the model has no such parameter, or the value is no number.
    """
    found = {}
    known = [parameter.name for parameter in scene.parameters]
    for word in assignments:
        name, equals, text = word.partition("=")
        if not equals:
            raise UsageError(f"--param: {word!r} is no assignment; write NAME=VALUE, such as kp=20")
        if name not in known:
            there = ", ".join(known) or "none"
            raise UsageError(
                f"--param: no parameter named {name!r}{suggestion(name, known)}; there are {there}"
            )
        try:
            found[name] = float(text)
        except ValueError:
            raise UsageError(f"--param: {name} is {text!r}; give a number") from None
        if not math.isfinite(found[name]):
            raise UsageError(f"--param: {name} is {text}; give a finite number")
    return found


def _scene_lines() -> str:
    width = max(len(name) for name in SCENES)
    return "\n".join(f"  {scene.name:<{width}}  {scene.summary}" for scene in SCENES.values())
