"""Colours of bodies by what they do: island, solver, sleep, speed, force; and what these colours mean."""

from collections.abc import Callable

import numpy as np

from stoss.names import hint
from stoss.viewer.drawing.bounds import typical_size
from stoss.viewer.drawing.legend import Entry, Legend, Ramp, amount
from stoss.viewer.drawing.marks import OverlayGeometry
from stoss.viewer.drawing.style import PALETTE, Style, base_colours
from stoss.viewer.world.frames import Description, Frame

__all__ = ["COLOUR_MODES", "body_colours", "check_mode", "colour_legend", "legends_of", "needs_forces"]

_ASLEEP = (0.52, 0.55, 0.60)
_ALONE = (0.72, 0.73, 0.75)
_AWAKE, _DIRECT, _SWEEPS = (tuple(PALETTE[k].tolist()) for k in (1, 0, 3))
# Dark to bright, also for readers without colour vision.
_RAMP = ((0.16, 0.30, 0.55), (0.20, 0.66, 0.62), (0.98, 0.84, 0.25))

_Colours = np.ndarray | None  # (n, 3), None where the frame does not know what is to be shown
_Mode = Callable[[Description, Frame, Style, np.ndarray], tuple[_Colours, Legend | None]]


def _by_island(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    if frame.islands is None:
        return None, None
    colours = np.tile(_ALONE, (len(base), 1))
    rows = np.flatnonzero(frame.islands >= 0)
    # The colour is that of the first member, which stays while others come and go.
    _, first, island = np.unique(frame.islands[rows], return_index=True, return_inverse=True)
    colours[rows] = PALETTE[(rows[first] * 5 % len(PALETTE))[island]]
    return colours, Legend(f"{len(first)} islands, a colour each", (Entry(_ALONE, "in none"),))


def _by_solver(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    if frame.direct is None:
        return None, None
    colours = np.tile(_ALONE, (len(base), 1))
    colours[frame.direct == 1], colours[frame.direct == 0] = _DIRECT, _SWEEPS
    if frame.asleep is not None:
        colours[frame.asleep] = _ASLEEP
    entries = (
        Entry(_DIRECT, "direct"),
        Entry(_SWEEPS, "Gauss-Seidel"),
        Entry(_ALONE, "nothing to solve"),
        Entry(_ASLEEP, "sleeps"),
    )
    return colours, Legend("Solver", entries)


def _by_sleep(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    if frame.asleep is None:
        return None, None
    colours = np.where(frame.asleep[:, None], _ASLEEP, _AWAKE)
    return colours, Legend("Sleeping", (Entry(_AWAKE, "awake"), Entry(_ASLEEP, "sleeps")))


def _by_speed(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    if frame.velocities is None:
        return None, None
    speed = np.linalg.norm(frame.velocities, axis=1)
    # hardly anything moves below a twentieth of the speed that a typical body has after falling its own size
    least = 0.05 * float(np.sqrt(2.0 * 9.81 * typical_size(description)))
    return _ramp("Speed", speed, "m/s", description, style.full_speed, least)


def _by_force(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    if frame.loads is None:
        return None, None
    masses = description.masses[np.nan_to_num(description.masses) > 0.0]
    least = 0.05 * 9.81 * float(np.median(masses)) if len(masses) else 0.0
    return _ramp("Force of contacts and joints", frame.loads, "N", description, style.full_force, least)


def _ramp(
    title: str, values: np.ndarray, unit: str, description: Description, full: float | None, least: float
) -> tuple:
    """Return colours from zero to a full value; None takes the greatest of those that move.

    That is no less than `least`: what hardly differs from zero is not to be told apart by rounding.
    """
    moving = np.array([kind != "static" for kind in description.kinds], bool)
    top = full or max(float(values[moving].max(initial=0.0)), least) or 1.0
    part = np.clip(values / top, 0.0, 1.0)
    places, stops = np.linspace(0.0, 1.0, len(_RAMP)), np.array(_RAMP)
    colours = np.stack([np.interp(part, places, stops[:, k]) for k in range(3)], 1)
    return colours, Legend(title, ramp=Ramp(_RAMP, amount(0.0, unit), amount(top, unit)))


def _by_nothing(description: Description, frame: Frame, style: Style, base: np.ndarray) -> tuple:
    return None, None


_MODES: dict[str, _Mode] = {
    "body": _by_nothing,
    "group": _by_nothing,
    "island": _by_island,
    "solver": _by_solver,
    "sleeping": _by_sleep,
    "speed": _by_speed,
    "force": _by_force,
}
COLOUR_MODES = tuple(_MODES)


def check_mode(name: str, value: str) -> str:
    """Return a way of colouring.

    Args:
        name: what it is called in messages.
        value: one of `COLOUR_MODES`.

    Raises:
        ValueError: there is none of that name.
    """
    if value not in _MODES:
        near = hint(value, _MODES) if isinstance(value, str) else ""
        raise ValueError(f"{name} = {value!r}; choose from {', '.join(_MODES)}{near}")
    return value


def needs_forces(style: Style | None) -> bool:
    """Return whether frames must hold the contacts and their forces for a style."""
    return style is not None and style.colour_by == "force"


def body_colours(
    description: Description, frame: Frame, style: Style, base: np.ndarray | None = None
) -> np.ndarray:
    """Return the sRGB colours (n, 3) of all bodies under a style; what a frame does not know is not shown.

    Args:
        description, frame, style: what is drawn.
        base: the result of `base_colours`, where it is at hand.

    Raises:
        ValueError: an unknown `colour_by`.
    """
    check_mode("colour_by", style.colour_by)
    colours = base_colours(description, style.colour_by != "group") if base is None else base.copy()
    shown = _MODES[style.colour_by](description, frame, style, colours)[0]
    if shown is not None:
        moving = np.array([kind != "static" for kind in description.kinds], bool)
        colours[moving] = shown[moving]
    for row, colour in style.colours.items():
        colours[row] = colour
    return colours


def colour_legend(description: Description, frame: Frame, style: Style) -> Legend | None:
    """Return what the colours under a style mean; None where each body has that of its name."""
    base = np.zeros((len(description.names), 3))
    return _MODES[check_mode("colour_by", style.colour_by)](description, frame, style, base)[1]


def legends_of(
    description: Description, frame: Frame, style: Style, geometry: OverlayGeometry
) -> list[Legend]:
    """Return all parts of the key to a picture: of the colours of bodies and of what is laid over them."""
    if not style.legend:
        return []
    colours = colour_legend(description, frame, style)
    return [*([] if colours is None else [colours]), *geometry.legends]
