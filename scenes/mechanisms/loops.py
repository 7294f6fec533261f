"""Three four-bars on top of each other: joints in closed loops."""

import math
from typing import TYPE_CHECKING, Literal

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import TURN_AXIS, add_bar, close_four_bar, in_plane
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, JointKind, Settings, World

__all__ = ["loops"]

_THICKNESS = 0.1
_MASS_PER_METRE = 6.0  # [kg/m]: 600 kg/m^3
_DOWN = -0.5 * math.pi
_LOOPS = 3


@scene(
    "loops",
    "Three four-bars with twelve hinges swing below each other.",
    duration=10.0,
    body_count=9,
    moment=1.5,
    view=(-75, 8),
)
def loops(
    *,
    length: float = 1.0,
    long: float = 1.5,
    swing_deg: float = 20.0,
    joints: Literal["hinges", "independent"] = "hinges",
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build three loops of four bars with four hinges each, the first one on a fixed bar, at rest.

    As in Bender 2007, section 3.3.3.1 one bar of each loop is longer than the other three, and the twelve
    hinges give 60 rows, 9 of which are redundant; steps take 1/30 s there. The thesis states neither sizes
    nor how the loops hang together. Here the lowest bar of a loop is the uppermost one of the next.

    Args:
        length: of the other bars [m].
        long: of the longest bar of each loop [m], above `length` and below its threefold.
        swing_deg: by how much the left bars are turned out of the symmetric position, in turn to one side
            and to the other [degrees], 0 to 40.
        joints: hinges, or independent: one hinge of each loop is replaced by a point on a line, which
            leaves the same freedom with 51 rows (section 3.3.2.3).
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Hinge, PointOnLine

    check_positive("length", length)
    check_range("long", long, length)
    if not length < long < 3.0 * length:
        raise ValueError(f"long is {long:g}; give a number above length = {length:g} and below its threefold")
    check_range("swing_deg", swing_deg, 0.0, 40.0)
    world = new_world(time_step, settings)
    ends = (complex(-0.5 * long, 0.0), complex(0.5 * long, 0.0))
    upper: Body = world.add_body(Box((long, _THICKNESS, _THICKNESS)), kind="static", name="frame")

    def hold(place: complex, first: "Body", second: "Body", name: str) -> None:
        kind: JointKind = Hinge(in_plane(place), TURN_AXIS)
        if joints == "independent" and name.startswith("lower right"):
            kind = PointOnLine(in_plane(place), TURN_AXIS)
        world.add_joint(kind, first, second, name=name)

    for number in range(_LOOPS):
        lower_length = length if number % 2 == 0 else long
        upper_length = long if number % 2 == 0 else length
        symmetric = math.asin(0.5 * (lower_length - upper_length) / length)
        turn = math.radians(swing_deg) * (1 if number % 2 == 0 else -1)
        left, right = close_four_bar(ends, length, lower_length, length, _DOWN - symmetric + turn, -1)
        # bars on the left and right hang in front of those above and below them, or behind
        y = _THICKNESS if number % 2 == 0 else -_THICKNESS
        bars = {}
        for side, (top, bottom) in (("left", (ends[0], left)), ("right", (ends[1], right))):
            bars[side] = add_bar(
                world,
                f"{side} {number}",
                in_plane(top, y),
                in_plane(bottom, y),
                thickness=_THICKNESS,
                mass=_MASS_PER_METRE * length,
            )
        lower = add_bar(
            world,
            f"lower {number}",
            in_plane(left),
            in_plane(right),
            thickness=_THICKNESS,
            mass=_MASS_PER_METRE * lower_length,
        )
        hold(ends[0], upper, bars["left"], f"upper left {number}")
        hold(ends[1], upper, bars["right"], f"upper right {number}")
        hold(left, bars["left"], lower, f"lower left {number}")
        hold(right, bars["right"], lower, f"lower right {number}")
        upper, ends = lower, (left, right)
    return world
