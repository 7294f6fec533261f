"""A motion of a person on a robot of fewer degrees of freedom (Stelzner 2008, section 3.3)."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.scenes.building.checks import check_positive, check_range
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.articulated import Articulation
    from stoss.engine.motion_capture import Motion

__all__ = ["dishwasher_motions", "retarget_dishwasher"]

_RATE = 25.0  # frames per second
_LOW, _HIGH = np.array([0.50, -0.10, 0.55]), np.array([0.35, -0.35, 1.55])  # a plate, taken and put up [m]
_WORN = (
    *("pelvis", "thorax", "head"),
    *(f"{side} {bone}" for side in ("right", "left") for bone in ("upper arm", "radius", "hand")),
)
_APART = 1.2  # how far they stand from each other [m]


def dishwasher_motions(seconds: float, noise: float) -> "tuple[Motion, Motion]":
    """Return what a person does who puts a plate up, as seen by markers, and what a robot makes of it.

    Both follow the same markers by least squares, the robot with fewer joints: so it misses them by more.

    Args:
        seconds: how long it takes [s].
        noise: of each coordinate of each marker of the person [m].
    """
    from stoss.engine.articulated import IKTarget
    from stoss.engine.motion_capture import Motion, record_markers, retarget, track_markers

    person, robot = _models()
    hand, still = person.world.body("right hand"), person.world.body("pelvis")
    begin, other = hand.position, person.world.body("left hand")
    times = np.arange(0.0, seconds + 0.5 / _RATE, 1.0 / _RATE)
    # from hanging down to the plate, up with it, and back
    keys = np.array([begin, _LOW, _HIGH, begin])
    at = 3.0 * times / times[-1]
    k = np.minimum(at.astype(int), 2)
    share = (0.5 - 0.5 * np.cos(np.pi * (at - k)))[:, None]
    places = (1.0 - share) * keys[k] + share * keys[k + 1]
    q, found = person.q, []
    stay = [
        IKTarget(still, position=still.position, quaternion=still.quaternion),
        IKTarget(other, position=other.position, weight=0.3),  # it hangs
    ]
    for place in places:
        reach = IKTarget(hand, position=tuple(place.tolist()))
        q = person.solve_ik([*stay, reach], q, rule="least squares").q
        found.append(q)
    done = Motion(person.coordinates, times, np.array(found))
    seen = record_markers(person, done, noise=noise, seed=1)
    by_person = track_markers(person, seen, person.q)
    return by_person, retarget(by_person, person, robot)


def _models() -> "tuple[Articulation, Articulation]":
    """Return a person and a robot with markers at the same places, each in a world of its own."""
    from stoss.engine import World
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans.levels import build_robot, build_skeleton

    worlds = World(), World()
    people = build_skeleton(worlds[0], knee="hinge", spine="rigid thorax"), build_robot(worlds[1])
    rng = np.random.default_rng(7)
    for name in _WORN:
        middle = people[0].bodies[name].position
        for k in range(3):
            place = middle + rng.uniform(-0.07, 0.07, 3)
            for world, person in zip(worlds, people, strict=True):
                local = place - person.bodies[name].position
                world.add_marker(f"{name} {k}", person.bodies[name], position=tuple(local.tolist()))
    return Articulation(worlds[0]), Articulation(worlds[1])


@scene(
    "retarget_dishwasher",
    "A person puts a plate up; a robot does what it can of it.",
    duration=6.0,
    body_count=43,
    moment=2.0,
    view=(-20, 10),
)
def retarget_dishwasher(
    *,
    seconds: float = 6.0,
    noise: float = 0.001,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build a person of 40 degrees of freedom and a robot of 24, which move by the same recording of markers.

    Args:
        seconds: that the person takes [s], 3 to 30.
        noise: of each coordinate of each marker [m], up to 0.005.
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box
    from stoss.engine import Fixed
    from stoss.engine.articulated import Articulation
    from stoss.engine.humans.levels import build_robot, build_skeleton
    from stoss.engine.motion_capture import Motion, MotionPlayer

    check_positive("seconds", seconds)
    check_range("seconds", seconds, 3.0, 30.0)
    check_range("noise", noise, 0.0, 0.005)
    motions = dict(zip(("person ", "robot "), dishwasher_motions(seconds, noise), strict=True))
    world = new_world(time_step, settings)
    world.gravity = (0.0, 0.0, 0.0)
    floor = Box((3.0, 4.0, 0.02))
    world.add_body(floor, position=(0.0, -0.5 * _APART, -0.02), kind="static", name="floor", mask=0)
    person = build_skeleton(world, knee="hinge", spine="rigid thorax", prefix="person ")
    build_robot(world, position=(0.0, -_APART, 0.0), prefix="robot ")
    both = Articulation(world)
    q = np.repeat(both.q[None], len(motions["person "]), axis=0)
    for prefix, motion in motions.items():
        for k, name in enumerate(motion.coordinates):
            q[:, both.index(prefix + name)] = motion.q[:, k]
    motion = Motion(both.coordinates, motions["person "].times, q)
    if noise > 0.0:
        motion = motion.smoothed(5.0)
    motion.show(both, 0.0)
    world.add_joint(Fixed(), None, person.bodies["pelvis"], name="stand")
    both = Articulation(world)
    own = [motion.coordinates.index(name) for name in both.coordinates]
    motion = Motion(both.coordinates, motion.times, motion.q[:, own])
    world.add_controller(MotionPlayer(both, motion), name="player")
    return world
