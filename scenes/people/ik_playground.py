"""A person whose hands reach for two points while the feet stay (Stelzner 2008, section 3.1)."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from stoss.scenes.building.checks import check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["ik_playground"]

_BENT = 0.3  # of the knees to begin with, so that they know which way [rad]


@scene(
    "ik_playground",
    "A person reaches with both hands and stands; lead on by the mouse (P, pose).",
    duration=5.0,
    body_count=44,
    moment=0.1,
    view=(-50, 10),
)
def ik_playground(
    *,
    right_forward: float = 0.42,
    right_up: float = 0.22,
    left_forward: float = 0.45,
    left_up: float = -0.20,
    left_aside: float = 0.12,
    rule: Literal["closest", "least step", "few joints", "least squares"] = "closest",
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build a person of 40 degrees of freedom with spine, hands where they are wanted, feet on the ground.

    There is no gravity: the person stays as posed, while the window's mouse leads a hand and the whole body
    follows within the limits of its joints.

    Args:
        right_forward: of the right hand from its shoulder [m], -0.6 to 0.6.
        right_up: likewise [m], -0.6 to 0.6.
        left_forward: of the left hand from its shoulder [m], -0.6 to 0.6.
        left_up: likewise [m], -0.6 to 0.6.
        left_aside: of the left hand to the left [m], -0.6 to 0.6.
        rule: which of many postures is taken.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import HalfSpace
    from stoss.engine.articulated import Articulation, IKTarget
    from stoss.engine.humans.levels import build_skeleton

    goals = {"right": (right_forward, -0.02, right_up), "left": (left_forward, left_aside, left_up)}
    for name, value in (
        *(("right_forward", right_forward), ("right_up", right_up)),
        *(("left_forward", left_forward), ("left_up", left_up), ("left_aside", left_aside)),
    ):
        check_range(name, value, -0.6, 0.6)
    world = new_world(time_step, settings)
    world.gravity = (0.0, 0.0, 0.0)
    world.add_body(HalfSpace(), kind="static", name="ground")
    person = build_skeleton(world, knee="hinge", spine="full")
    both = Articulation(world)
    feet = [person.bodies[f"{side} foot"] for side in ("right", "left")]
    stand = [IKTarget(foot, position=foot.position, quaternion=foot.quaternion) for foot in feet]
    q = both.q
    for side in ("right", "left"):
        q[both.index(f"{side} knee")] = _BENT
        q[[both.index(f"{side} hip.y"), both.index(f"{side} upper ankle")]] = -0.5 * _BENT
        q[both.index(f"{side} elbow")] = 0.5
    q = both.solve_ik(stand, q).q
    both.set_state(q)
    reach = []
    for side, away in goals.items():
        shoulder = person.bodies[f"{side} upper arm"].position
        place = shoulder + np.array(away)
        reach.append(IKTarget(person.bodies[f"{side} hand"], position=tuple(place.tolist())))
    found = both.solve_ik([*stand, *reach], q, rule=rule)
    if not found.reached:  # out of reach, or against the limits: as near as it goes
        found = both.solve_ik([*stand, *reach], q, rule="least squares")
    both.set_state(found.q)
    return world
