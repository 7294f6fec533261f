"""What --view, --overlays and --panels ask for."""

import argparse
import math
from collections.abc import Sequence

from stoss.errors import UsageError
from stoss.viewer.drawing.choosing import chosen_rows
from stoss.viewer.drawing.looks import VIEW_NAMES
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.workbench.actions import check_panels
from stoss.viewer.workbench.workbench import Workbench

__all__ = ["chosen_direction", "chosen_glass", "chosen_overlays", "set_up"]


def chosen_direction(options: argparse.Namespace) -> tuple[float, float] | None:
    """Return azimuth and elevation [degrees] that --view asks for, None if it does not.

    Raises:
        UsageError: neither a name nor two angles.
    """
    if options.view is None:
        return None
    if options.view in VIEW_NAMES:
        azimuth, elevation = VIEW_NAMES[options.view]
        return math.degrees(azimuth), math.degrees(elevation)
    try:
        angles = tuple(float(word) for word in options.view.split(","))
    except ValueError:
        angles = ()
    if len(angles) != 2 or not all(map(math.isfinite, angles)):
        raise UsageError(
            f"--view: {options.view!r} is neither one of {', '.join(VIEW_NAMES)} nor azimuth and "
            "elevation in degrees, such as -60,20"
        )
    return angles[0], max(-90.0, min(90.0, angles[1]))


def chosen_overlays(options: argparse.Namespace) -> OverlayOptions:
    """Return the overlays that --overlays names.

    Raises:
        UsageError: there is none of a name.
    """
    try:
        return OverlayOptions.of(_names(options.overlays))
    except ValueError as error:
        raise UsageError(f"--overlays: {error}") from error


def chosen_glass(options: argparse.Namespace, names: Sequence[str], usual: Sequence[str]) -> tuple[int, ...]:
    """Return the rows of the bodies that are drawn like glass.

    Args:
        options: with `see_through`, None where nothing is said.
        names: of all bodies.
        usual: of those that are like glass then.

    Raises:
        UsageError: there is no body of a name.
    """
    if options.see_through is None:
        return tuple(row for row, name in enumerate(names) if name in usual)
    try:
        return chosen_rows("--see-through", _names(options.see_through), names)
    except ValueError as error:
        raise UsageError(str(error)) from error


def set_up(bench: Workbench, options: argparse.Namespace) -> None:
    """Let a workbench begin with what the options of a window ask for.

    Raises:
        UsageError: a view, overlay or panel that there is not.
    """
    bench.first_view = chosen_direction(options)
    bench.overlays = chosen_overlays(options)
    bench.first_glass = None if options.see_through is None else _names(options.see_through)
    try:
        bench.panels.update(check_panels(_names(options.panels)))
    except ValueError as error:
        raise UsageError(f"--panels: {error}") from error


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
