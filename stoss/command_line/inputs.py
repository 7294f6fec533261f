"""What commands make of their options: settings of the engine, a world, a file to write."""

import argparse
import dataclasses
from collections.abc import Callable
from typing import Any

from stoss.command_line.building import watched_building
from stoss.command_line.options.values import truth
from stoss.engine import Settings, World
from stoss.errors import UsageError
from stoss.files import check_place
from stoss.scenes.registry import suggestion

__all__ = ["build_world", "check_writable", "chosen_settings"]


def build_world(options: argparse.Namespace, settings: Settings) -> World:
    """Return the world of the scene that a command names, with its kernels compiled.

    Raises:
        UsageError: a value that the scene rejects.
    """
    try:
        with watched_building(not (options.quiet or getattr(options, "json", False))):
            world: World = options.scene.build(
                settings=settings, time_step=options.time_step, **options.parameters
            )
    except (ValueError, TypeError, OverflowError) as error:
        raise UsageError(str(error)) from error
    world.prepare_kernels()
    return world


def chosen_settings(options: argparse.Namespace) -> Settings:
    """Return the settings that the options --solver, --motion, --collision and --set ask for.

    Raises:
        UsageError: no such setting, or a value that `stoss.engine.Settings` rejects.
    """
    scene = getattr(options, "scene", None)
    usual = Settings() if scene is None or scene.settings is None else scene.settings
    defaults = {field.name: getattr(usual, field.name) for field in dataclasses.fields(Settings)}
    changes: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("solver", "motion", "collision")
        if getattr(options, name) is not None
    }
    for assignment in options.assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise UsageError(f"--set: {assignment!r} is no assignment; write NAME=VALUE, such as sweeps=30")
        if name not in defaults:
            close = suggestion(name, defaults)
            if name in ("time_step", "duration"):
                raise UsageError(
                    f"--set: {name} is no setting, but an option: --{name.replace('_', '-')} {text}"
                )
            where = "" if close else "; stoss help settings names them"
            raise UsageError(f"--set: no setting named {name!r}{close}{where}")
        kind: Callable[[str], Any] = type(defaults[name])
        try:
            changes[name] = truth(text) if kind is bool else kind(text)
        except ValueError:
            wanted = "true or false" if kind is bool else f"a value like {defaults[name]!r}"
            raise UsageError(f"--set: {name} is {text!r}; give {wanted}") from None
    try:
        return dataclasses.replace(usual, **changes)
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error


def check_writable(option: str, path: str, *suffixes: str) -> None:
    """Raise UsageError unless a file of that name can be written and has one of the right endings."""
    try:
        check_place(path, suffixes)
    except (ValueError, OSError) as error:
        raise UsageError(f"{option}: {error}") from error
