"""Four-bars: a driven crank-rocker, and a row of parallel cranks."""

import math
from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_finite, check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.mechanisms.linkage import TURN_AXIS, add_bar, close_four_bar, in_plane
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["four_bar", "n_four_bar"]

_THICKNESS = 0.04
_MASS_PER_METRE = 4.0  # [kg/m]


@scene(
    "four_bar",
    "A motor turns the crank of a four-bar; the rocker swings.",
    duration=10.0,
    body_count=3,
    moment=1.0,
    view=(-75, 12),
)
def four_bar(
    *,
    ground: float = 0.5,
    crank: float = 0.2,
    coupler: float = 0.5,
    rocker: float = 0.4,
    rate: float = 2.0 * math.pi,
    angle_deg: float = 60.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a four-bar with four parallel hinges, three of whose twenty rows are redundant.

    The angle of the rocker follows from that of the crank by Freudenstein's equation. The crank turns all
    the way round if it and the longest bar are together shorter than the other two.

    Args:
        ground: distance of the two fixed hinges [m].
        crank: length of the crank [m].
        coupler: length of the coupler [m].
        rocker: length of the rocker [m].
        rate: of the crank [rad/s].
        angle_deg: of the crank at the start, from the line of the fixed hinges [degrees].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Hinge

    for name, value in (("ground", ground), ("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        check_positive(name, value)
    check_finite("rate", rate)
    check_finite("angle_deg", angle_deg)
    world = new_world(time_step, settings)
    fixed = (0j, complex(ground, 0.0))
    left, right = close_four_bar(fixed, crank, coupler, rocker, math.radians(angle_deg), 1)
    frame = world.add_body(
        Box((ground, _THICKNESS, _THICKNESS)), position=(0.5 * ground, 0.0, 0.0), kind="static", name="frame"
    )
    bars = {
        name: add_bar(
            world,
            name,
            in_plane(start, y),
            in_plane(end, y),
            thickness=_THICKNESS,
            mass=_MASS_PER_METRE * abs(end - start),
        )
        for name, start, end, y in (
            ("crank", fixed[0], left, _THICKNESS),
            ("coupler", left, right, 0.0),
            ("rocker", fixed[1], right, _THICKNESS),
        )
    }
    drive = world.add_joint(Hinge(in_plane(fixed[0]), TURN_AXIS), frame, bars["crank"], name="crank")
    world.add_joint(Hinge(in_plane(left), TURN_AXIS), bars["crank"], bars["coupler"], name="crank end")
    world.add_joint(Hinge(in_plane(right), TURN_AXIS), bars["rocker"], bars["coupler"], name="rocker end")
    world.add_joint(Hinge(in_plane(fixed[1]), TURN_AXIS), frame, bars["rocker"], name="rocker")
    drive.motor(rate)
    return world


@scene(
    "n_four_bar",
    "Parallel cranks in a row swing round and pass in line.",
    duration=10.0,
    body_count=5,
    moment=1.0,
    view=(-75, 12),
)
def n_four_bar(
    *,
    loops: int = 2,
    length: float = 1.0,
    speed: float = 1.0,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a row of upright cranks with a coupler between neighbours, all slender rods of 1 kg.

    It is the N-four-bar of the multibody benchmarks: twice in each turn all bars lie in line, where for a
    moment every crank could turn either way.

    Args:
        loops: number of four-bars; there is one crank more.
        length: of cranks and couplers [m].
        speed: of the couplers at the start, along x [m/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.engine import Hinge

    check_count("loops", loops)
    check_positive("length", length)
    check_finite("speed", speed)
    world = new_world(time_step, settings)
    thickness = _THICKNESS * length
    cranks, feet, tops = [], [], []
    for k in range(loops + 1):
        feet.append(complex(k * length, 0.0))
        tops.append(complex(k * length, length))
        ends = (in_plane(feet[k], thickness), in_plane(tops[k], thickness))
        crank = add_bar(world, f"crank {k}", *ends, thickness=thickness, mass=1.0, slender=True)
        crank.angular_velocity = (0.0, speed / length, 0.0)
        crank.velocity = (0.5 * speed, 0.0, 0.0)
        world.add_joint(Hinge(in_plane(feet[k]), TURN_AXIS), None, crank, name=f"foot {k}")
        cranks.append(crank)
    for k in range(loops):
        # couplers alternate in depth, as neighbours meet at the same crank
        y = (0.0, 2.0 * thickness)[k % 2]
        ends = (in_plane(tops[k], y), in_plane(tops[k + 1], y))
        coupler = add_bar(world, f"coupler {k}", *ends, thickness=thickness, mass=1.0, slender=True)
        coupler.velocity = (speed, 0.0, 0.0)
        for side, place, crank in (("left", tops[k], cranks[k]), ("right", tops[k + 1], cranks[k + 1])):
            world.add_joint(Hinge(in_plane(place), TURN_AXIS), crank, coupler, name=f"{side} of coupler {k}")
    return world
