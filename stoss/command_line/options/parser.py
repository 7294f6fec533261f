"""An argument parser that raises `UsageError`, and the groups of options that several commands have."""

import argparse
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from stoss.command_line.options.values import choice, of_parameter, positive, size
from stoss.errors import UsageError
from stoss.scenes.registry import Scene

__all__ = [
    "Parser",
    "add_look",
    "add_model",
    "add_picture_size",
    "add_quality",
    "add_duration",
    "add_quiet",
    "add_scene",
    "add_settings",
    "add_time_step",
    "add_window",
]


class Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of ending the process, and does not guess abbreviations.

    Attributes:
        scenes: parsers of the scenes, for a command that takes one.
    """

    scenes: "argparse._SubParsersAction[Parser] | None" = None

    def __init__(self, **keywords: Any) -> None:
        keywords.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **keywords)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError (called by argparse)."""
        see = f"; see {self.prog} --help" if "required" in message or "expected" in message else ""
        raise UsageError(re.sub(r"^argument (\S+?)(/\S+)?: ", r"\1: ", message) + see)

    def option_names(self) -> list[str]:
        """Return all option words, such as --duration."""
        return [word for action in self._actions for word in action.option_strings if word.startswith("--")]


def add_scene(parser: Parser, scene: Scene) -> None:
    """Add what every command has that takes a scene: its parameters, the time step, the engine's settings."""
    own = parser.add_argument_group("the scene")
    for parameter in scene.parameters:
        own.add_argument(
            "--" + parameter.name.replace("_", "-"),
            dest=f"parameter_{parameter.name}",
            type=of_parameter(parameter),
            default=parameter.default,
            metavar="|".join(parameter.choices) or {int: "N", float: "X", str: "TEXT"}[parameter.type],
            help=f"{parameter.description.rstrip('.')} (default {parameter.default})".replace("%", "%%"),
        )
    add_time_step(parser, scene)
    add_settings(parser)


def add_model(parser: Parser, scene: Scene) -> None:
    """Add what every command has that takes the file of a model: its parameters, time step, settings."""
    known = ", ".join(f"{one.name} ({one.default:g})" for one in scene.parameters) or "none"
    parser.add_argument_group("the model").add_argument(
        "--param",
        dest="params",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"value of a parameter, may be repeated; of this model: {known}".replace("%", "%%"),
    )
    add_time_step(parser, scene)
    add_settings(parser)


def add_time_step(parser: Parser, scene: Scene) -> None:
    """Add --time-step."""
    parser.add_argument_group("time").add_argument(
        "--time-step",
        type=positive,
        default=scene.time_step,
        metavar="S",
        help=f"time step in seconds (default {scene.time_step:g})",
    )


def add_settings(parser: Parser) -> None:
    """Add the settings of the engine."""
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
        help="any other field of stoss.Settings, such as sweeps=30; may be repeated",
    )


def add_window(parser: Parser, overlays: Iterable[str]) -> None:
    """Add the options of commands that open a window."""
    window = parser.add_argument_group("window")
    window.add_argument("--paused", action="store_true", help="begin standing; space goes on")
    add_quality(window)
    add_picture_size(window)
    add_look(window, overlays)
    window.add_argument(
        "--panels", default="", metavar="A,B", help="panels that are open, such as Body,Statistics,Plots"
    )


def add_look(group: argparse._ActionsContainer, overlays: Iterable[str]) -> None:
    """Add --view, --overlays and --see-through."""
    group.add_argument(
        "--view",
        metavar="NAME|A,E",
        help="front, right, top, back, left, bottom, or azimuth and elevation in degrees: --view=-60,20",
    )
    group.add_argument(
        "--overlays", default="", metavar="A,B", help="laid over the bodies, of " + ", ".join(overlays)
    )
    group.add_argument(
        "--see-through",
        metavar="A,B",
        help="bodies like glass, such as 'slab*,lid'; '' for none (default: those that the scene names)",
    )


def add_picture_size(group: argparse._ActionsContainer) -> None:
    """Add --size."""
    group.add_argument("--size", type=size, default=(1280, 720), metavar="WxH", help="default 1280x720")


def add_quality(group: argparse._ActionsContainer) -> None:
    """Add --quality."""
    group.add_argument(
        "--quality", type=choice(("low", "medium", "high")), metavar="NAME", help="low, medium or high"
    )


def add_quiet(group: argparse._ActionsContainer) -> None:
    """Add --quiet."""
    group.add_argument("--quiet", action="store_true", help="no progress on the terminal")


def add_duration(group: argparse._ActionsContainer, scene: Scene, what: str = "simulated time") -> None:
    """Add --duration, by default that of the scene; `what` it is of, in words."""
    group.add_argument(
        "--duration",
        type=positive,
        default=scene.duration,
        metavar="S",
        help=f"{what} in seconds (default {scene.duration:g})",
    )
