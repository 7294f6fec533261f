"""Tables 5.2 and 5.3 of the thesis, its spinning bodies and its wall: impacts, friction, many contacts."""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.tables import format_cells
from stoss.benchmarks.thesis_tables.joints import EARLY_SWEEPS, MOST_SWEEPS, run_timed
from stoss.scenes.friction.braking import braking_distance, braking_frictions
from stoss.scenes.impacts.cradle import hinge_name
from stoss.scenes.registry import find_scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = [
    "TABLES",
    "TIME_STEP",
    "Cell",
    "Row",
    "format_lines",
    "rock_and_reverse",
    "swing_and_hit",
    "thesis_rules",
    "time_to_turn",
]

Cell = str | int | float | None
Row = Mapping[str, Cell]

TIME_STEP = 1e-3  # [s]
FREE, BRAKING = 5.0, 6.0  # seconds without friction, and with it
ANGLE = math.radians(15.0)
BRAKING_THESIS = (0.0021, 0.0066, 0.0051, 0.0069, 0.0042, 0.0003, 0.0004, 0.0024, 0.0057, 0.0033)  # [m]
CRADLE_THESIS = (  # balls raised: deviation of the energy [N m] and of the angular velocity [rad/s]
    (1.106e-6, 1.054e-6),
    (1.451e-6, 2.049e-6),
    (1.691e-6, 3.273e-6),
    (1.975e-6, 3.506e-6),
)
BALLS = 5
WALL_SECONDS = 5.0
WALL_THESIS = {"sweeps": 998.0, "shock": 91.0}  # ms per step: 998 s and 91 s for 1000 steps


def thesis_rules() -> "Settings":
    """Return settings with which friction adds and restitution multiplies (Bender 2007, section 5.1.3)."""
    from stoss.engine import Settings

    return Settings(friction_rule="add", restitution_rule="multiply")


def braking_table(options: argparse.Namespace) -> list[Row]:
    """Table 5.2: cubes that slide down a slope for 5 s and then brake."""
    h = options.time_step
    count = min(options.bodies or len(BRAKING_THESIS), len(BRAKING_THESIS))
    world = find_scene("braking").build(bodies=count, time_step=h)
    cubes = [world.body(f"cube {index}") for index in range(count)]
    world.step(round(FREE / h))
    starts = [cube.position for cube in cubes]
    world.step(round(BRAKING / h))
    lines: list[Row] = []
    for index, friction in enumerate(braking_frictions(count)):
        found = float(np.linalg.norm(cubes[index].position - starts[index]))
        theory = braking_distance(friction, ANGLE, FREE)
        lines.append(
            {
                "friction": round(friction, 3),
                "simulated m": round(found, 6),
                "theory m": round(theory, 6),
                "deviation m": abs(found - theory),
                "thesis m": BRAKING_THESIS[index],
            }
        )
    return lines


def swing_and_hit(world: "World", raised: int, *, meet: bool) -> tuple[float, float, float]:
    """Let the raised balls of a cradle of radius 1 m swing until they hit the others.

    Args:
        world: of the scene `cradle`, with fewer raised balls than there are.
        raised: balls raised.
        meet: end the step in which they meet when they meet; else it is as long as the others, and the balls
            overlap at its end.

    Returns:
        By how much the energy differs before and after the step of the impact [J]; by how much the angular
        velocity of the innermost ball that leaves, after it, differs from that of the ball that hits,
        before it; and from what the height of the start gives [rad/s].
    """
    hitting, hit = world.body(f"ball {raised - 1}"), world.body(f"ball {raised}")
    coming, leaving = world.joint(hinge_name(raised - 1)), world.joint(hinge_name(BALLS - raised))
    pivot = world.joint(hinge_name(raised)).first_point
    length = float(np.linalg.norm(hit.center_of_mass - pivot))
    start = float(hitting.center_of_mass[2] - hit.center_of_mass[2])
    weight = hit.mass * float(np.linalg.norm(world.gravity))
    fall = math.sqrt(2.0 * weight * start / (hit.mass * length**2 + float(hit.inertia[0])))
    step = world.time_step
    while True:
        away = hit.center_of_mass - hitting.center_of_mass
        gap = float(np.linalg.norm(away)) - 2.0
        closing = float((hitting.velocity - hit.velocity) @ away) / float(np.linalg.norm(away))
        if meet and 0.0 < gap < closing * step:
            world.time_step = gap / closing
        energy, rate = world.report.energy, abs(coming.rate)
        report = world.step()
        if report.impact_rounds > 0:
            world.time_step = step
            return abs(report.energy - energy), abs(abs(leaving.rate) - rate), abs(abs(leaving.rate) - fall)


def cradle_table(options: argparse.Namespace) -> list[Row]:
    """Table 5.3: a cradle of five balls of which 1 to 4 are raised."""
    lines: list[Row] = []
    for raised, (energy_thesis, rate_thesis) in enumerate(CRADLE_THESIS, start=1):
        for meet in (False, True):
            world = find_scene("cradle").build(raised=raised, time_step=options.time_step)
            energy, rate, fall = swing_and_hit(world, raised, meet=meet)
            lines.append(
                {
                    "raised": raised,
                    "impact": "when they meet" if meet else "at the end of the step",
                    "energy J": energy,
                    "thesis J": energy_thesis,
                    "rate rad/s": rate,
                    "thesis rad/s": rate_thesis,
                    "against fall rad/s": fall,
                }
            )
    return lines


def time_to_turn(world: "World", most: float) -> float:
    """Return when the axis of the tippe top is level [s], infinite if that is not before `most`."""
    top = world.body("top")
    while world.time < most:
        world.step()
        if top.world_point((0.0, 0.0, 1.0))[2] < top.position[2]:
            return world.time
    return math.inf


def tippe_top_table(options: argparse.Namespace) -> list[Row]:
    """Tippe top: the time in which it turns over falls with friction (section 5.5.3, without figures)."""
    lines: list[Row] = []
    for friction in (0.1, 0.2, 0.3, 0.4, 0.6):
        world = find_scene("tippe_top").build(friction=friction, time_step=options.time_step)
        lines.append({"friction": friction, "axis level s": time_to_turn(world, options.duration or 8.0)})
    return lines


def rock_and_reverse(world: "World", most: float) -> tuple[float, float, float]:
    """Let the celt spin until it turns the other way.

    Args:
        world: of the scene `celt`.
        most: when to give up [s].

    Returns:
        When the spin reverses [s], infinite if it does not, and the largest angle of the long axis with the
        horizontal [rad] until then and its time [s].
    """
    celt = world.body("celt")
    start = celt.angular_velocity[2]
    peak = at = 0.0
    while world.time < most:
        world.step()
        rise = abs(float(celt.world_point((1.0, 0.0, 0.0))[2] - celt.position[2]))
        if rise > peak:
            peak, at = rise, world.time
        if celt.angular_velocity[2] * start < 0.0:
            return world.time, math.asin(peak), at
    return math.inf, math.asin(peak), at


def celt_table(options: argparse.Namespace) -> list[Row]:
    """Celt: it rocks and reverses a spin against its preferred direction (section 5.5.3)."""
    lines: list[Row] = []
    for spin in (-5.0, 5.0):
        world = find_scene("celt").build(spin=spin, time_step=options.time_step)
        reversal, peak, at = rock_and_reverse(world, options.duration or 5.0)
        lines.append(
            {
                "spin rad/s": spin,
                "reverses s": reversal,
                "largest tilt deg": math.degrees(peak),
                "at s": at,
                "thesis s": 2.854 if spin < 0.0 else None,
            }
        )
    return lines


def wall_table(options: argparse.Namespace) -> list[Row]:
    """Section 5.5.1.2: wall of 252 bricks hit by a ball, 5 s at 5 ms; real time is 5 ms per step."""
    from stoss.engine import Settings

    tolerances: dict[str, Any] = {"position_tolerance": 1e-5, "velocity_tolerance": 1e-3}
    sweeps = Settings(solver="gauss_seidel", sweeps=MOST_SWEEPS, **tolerances)
    shock = Settings(solver="gauss_seidel", sweeps=EARLY_SWEEPS, shock_propagation=True, **tolerances)
    lines: list[Row] = []
    for method, settings, thesis in (
        ("default solver", Settings(), None),
        ("sweeps to 1e-5 m and 1 mm/s", sweeps, WALL_THESIS["sweeps"]),
        (f"{EARLY_SWEEPS} sweeps and shock propagation", shock, WALL_THESIS["shock"]),
    ):

        def build(settings: "Settings" = settings) -> "World":
            return find_scene("wall_hit").build(settings=settings)

        seconds = min(options.duration or WALL_SECONDS, WALL_SECONDS)
        measured = run_timed(build, round(seconds / build().time_step))
        lines.append(
            {
                "method": method,
                "mean ms": measured.mean_ms,
                "median ms": measured.median_ms,
                "thesis ms": thesis,
                "ratio": None if thesis is None else thesis / measured.mean_ms,
                "sweeps": measured.sweeps,
                "factorisations": measured.factorisations,
            }
        )
    return lines


TABLES: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "braking": braking_table,
    "cradle": cradle_table,
    "tippe_top": tippe_top_table,
    "celt": celt_table,
    "wall": wall_table,
}


def format_lines(title: str, lines: Sequence[Row]) -> str:
    """Return a table for reading, its columns named by the keys of the lines."""
    rows = [list(lines[0]), *([_cell(value) for value in line.values()] for line in lines)]
    return f"{title}\n{format_cells(rows, left=())}"


def _cell(value: Cell) -> str:
    if isinstance(value, float):
        return f"{value:.3e}" if 0.0 < abs(value) < 1e-3 else f"{value:.6g}"
    return "" if value is None else str(value)
