"""A recorded motion, followed by a person of bodies and joints, and played by servos on the ground."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans import Humanoid

__all__ = ["mocap_playback"]

_STANDING = 0.03  # by how much the hips are lower than with straight legs, at least [m]
_AHEAD = 0.01  # of the ankles, where the hips are [m]
_RATE = 50.0  # frames per second
_RAISE = 1.2  # of the arms at the lowest point [rad]


@scene(
    "mocap_playback",
    "A person bends and stretches the legs as recorded by markers.",
    duration=6.0,
    body_count=12,
    moment=1.0,
    view=(-50, 12),
)
def mocap_playback(
    *,
    depth: float = 0.25,
    period: float = 2.0,
    repeats: int = 3,
    noise: float = 0.002,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build a person who bends and stretches the legs, as a recording of markers has it.

    The recording is made up: of each body four markers are seen, with noise. The person follows it by least
    squares, what comes of it is smoothed, and servos drive the joints along, on the ground, under gravity:
    the player is `world.controllers["player"]`.

    Args:
        depth: by which hips go down [m], 0 to 0.35.
        period: of going down and up [s].
        repeats: how often.
        noise: of each coordinate of each marker [m], up to 0.01.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import HalfSpace
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans import build_humanoid
    from stoss.engine.motion_capture import Motion, MotionPlayer, record_markers, track_markers

    check_range("depth", depth, 0.0, 0.35)
    check_positive("period", period)
    check_range("repeats", repeats, 1, 100)
    check_range("noise", noise, 0.0, 0.01)
    world = new_world(time_step, settings)
    world.add_body(HalfSpace(), kind="static", name="ground")
    person = build_humanoid(world, variant="26dof")
    rng = np.random.default_rng(1)
    for body in person.bodies.values():
        for k in range(4):
            place = rng.uniform(-0.08, 0.08, 3)
            world.add_marker(f"{body.name} {k}", body, position=tuple(place.tolist()))
    both = Articulation(world)
    times = np.arange(0.0, repeats * period + 0.5 / _RATE, 1.0 / _RATE)
    phase = 0.5 - 0.5 * np.cos(2.0 * np.pi * times / period)
    q = np.repeat(both.q[None], len(times), axis=0)
    for k, share in enumerate(phase.tolist()):
        _bend(person, both, q[k], depth * share, share)
    seen = record_markers(both, Motion(both.coordinates, times, q), noise=noise, seed=2)
    motion = track_markers(both, seen, q[0])
    if noise > 0.0:
        motion = motion.smoothed(min(6.0, 0.4 * _RATE))
    motion.show(both, 0.0)
    # what is seen with noise may stand in the ground: lift it out
    begin, rates = both.q, both.rates
    begin[both.index("pelvis.z")] -= float(world.contacts.gap.min(initial=0.0))
    both.set_state(begin, rates)
    world.add_controller(MotionPlayer(both, motion), name="player")
    return world


def _bend(person: "Humanoid", both: "Articulation", q: np.ndarray, down: float, share: float) -> None:
    """Write the coordinates at which hips are lower [m], feet where they are, and arms raised by a share."""
    thigh, shank = person.human.thigh.length, person.human.shank.length
    high = thigh + shank - _STANDING - down
    far = math.hypot(_AHEAD, high)
    lean = math.atan2(_AHEAD, high)
    # the triangle of hip, knee and ankle
    upper = lean - math.acos((thigh**2 + far**2 - shank**2) / (2.0 * thigh * far))
    lower = lean + math.acos((shank**2 + far**2 - thigh**2) / (2.0 * shank * far))
    q[both.index("pelvis.x")] += _AHEAD
    q[both.index("pelvis.z")] -= _STANDING + down
    for side in ("right", "left"):
        q[both.index(f"{side} hip.y")] = upper
        q[both.index(f"{side} knee")] = lower - upper
        q[both.index(f"{side} ankle.y")] = -lower
        q[both.index(f"{side} shoulder")] = -_RAISE * share
        q[both.index(f"{side} elbow")] = 0.1
