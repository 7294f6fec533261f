"""A model out of markers alone: bones, joints and their kinds (Stelzner 2008, sections 5.2 and 5.3)."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.motion_capture import MarkerData

__all__ = ["identify_from_markers", "record_shoulders"]

_RATE = 50.0  # frames per second
_HEIGHT = 1.0  # of the pelvis [m]
_STIFFNESS = 2000.0  # of the servos [N m/rad]
# Joints of figure 5.5: the two bones, where the joint is on either, and its kind.
_JOINTS = (
    ("pelvis", "trunk", (0.0, 0.0, 0.0513), (0.0, 0.0, -0.2344)),
    ("trunk", "right arm", (0.0, -0.18725, 0.15925), (0.0, 0.0, 0.1502)),
    ("trunk", "left arm", (0.0, 0.18725, 0.15925), (0.0, 0.0, 0.1502)),
    ("right arm", "right forearm", (0.0, 0.0, -0.16273), (0.0, 0.0, 0.11392)),
)


def record_shoulders(seconds: float, noise: float) -> "tuple[MarkerData, dict[str, list[str]]]":
    """Return a made-up recording of pelvis, trunk and arms, and the names of the markers on each bone.

    Args:
        seconds: how long it is [s].
        noise: of each coordinate of each marker [m].
    """
    from stoss.collision import Box
    from stoss.engine import Ball, Hinge, World
    from stoss.engine.articulated import Articulation
    from stoss.engine.motion_capture import Motion, record_markers

    world, rng = World(), np.random.default_rng(3)
    places = {"pelvis": np.array([0.0, 0.0, _HEIGHT])}
    for first, second, near, far in _JOINTS:
        places[second] = places[first] + near - far
    bones, names = {}, {}
    for name, place in places.items():
        bones[name] = world.add_body(Box((0.1, 0.1, 0.2)), position=tuple(place.tolist()), name=name)
        names[name] = [f"{name} {k}" for k in range(4)]
        for marker in names[name]:
            world.add_marker(marker, bones[name], position=tuple(rng.uniform(-0.09, 0.09, 3).tolist()))
    for first, second, near, _ in _JOINTS:
        at = tuple((places[first] + near).tolist())
        kind = Hinge(at, (0.0, -1.0, 0.1)) if "forearm" in second else Ball(at)
        world.add_joint(kind, bones[first], bones[second], name=f"{first} - {second}")
    both = Articulation(world)
    times = np.arange(0.0, seconds + 0.5 / _RATE, 1.0 / _RATE)
    speeds, sizes = rng.uniform(2.0, 4.0, len(both)), np.full(len(both), 0.5)
    sizes[:6] = 0.0  # the pelvis stands
    q = both.q + sizes * np.sin(times[:, None] * speeds + np.arange(len(both)))
    return record_markers(both, Motion(both.coordinates, times, q), noise=noise, seed=4), names


@scene(
    "identify_from_markers",
    "Bones and joints that were found in a recording of markers alone.",
    duration=4.0,
    body_count=5,
    moment=1.0,
    view=(60, 12),
)
def identify_from_markers(
    *,
    noise: float = 0.001,
    seconds: float = 4.0,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build what a recording of twenty markers tells of the one who wore them, and move it as recorded.

    Which markers are on which bone, and which bones are connected, is told. Kinds and places of joints are
    found; the model follows the recording by least squares, and servos drive it along.

    Args:
        noise: of each coordinate of each marker [m], up to 0.005.
        seconds: how long the recording is [s], 2 to 20.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Fixed
    from stoss.engine.articulated import Articulation
    from stoss.engine.motion_capture import MotionPlayer, identify_model, track_markers

    check_range("noise", noise, 0.0, 0.005)
    check_positive("seconds", seconds)
    check_range("seconds", seconds, 2.0, 20.0)
    data, names = record_shoulders(seconds, noise)
    model = identify_model(data, names, [(first, second) for first, second, _, _ in _JOINTS])
    world = new_world(time_step, settings)
    world.gravity = (0.0, 0.0, 0.0)
    world.add_body(Box((2.0, 2.0, 0.02)), position=(0.0, 0.0, 0.5), kind="static", name="floor", mask=0)
    model.build(world)
    world.add_joint(Fixed(), None, world.body("pelvis"), name="stand")
    both = Articulation(world)
    motion = track_markers(both, data).smoothed(10.0)
    motion.show(both, 0.0)
    world.add_controller(MotionPlayer(both, motion, stiffness=_STIFFNESS), name="player")
    return world
