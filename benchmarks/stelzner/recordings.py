"""Recordings of which it is known what made them: segments, pairs with a joint, pelvis, trunk and arms."""

import numpy as np
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.engine.motion_capture.fitted_joint import FittedJoint

MARKERS = np.array([(0.05, 0, 0.10), (-0.04, 0.03, 0.08), (0.02, -0.05, -0.06), (-0.03, 0.02, -0.12)])
NAMES = tuple("abcd")


def turned(degrees, noise=0.0, frames=1, seed=0):
    """Return a recording of the four markers of B11: as they are, then turned about (1, 2, 2)."""
    turn = Rotation.from_rotvec(np.radians(degrees) * np.array((1, 2, 2)) / 3).as_matrix()
    seen = np.concatenate([MARKERS[None], np.repeat((MARKERS @ turn.T)[None], frames, axis=0)])
    seen[1:] += np.random.default_rng(seed).normal(0.0, noise, seen[1:].shape) + (0.3, -0.2, 1.0)
    return st.MarkerData(NAMES, np.arange(frames + 1) / 100.0, seen), turn


def missed(segments, name, turn):
    """Return by how much a segment is turned in another way (f,) [deg]."""
    found = segments.rotations(name)[segments.seen(name)] @ turn.T
    return np.degrees(Rotation.from_matrix(found).magnitude())


TIMES = np.linspace(0.0, 2.0 * np.pi, 101)
FIRST, SECOND = np.array((0.05, -0.02, -0.21)), np.array((0.01, 0.03, 0.24))
AXIS = np.array((0.1, 0.97, 0.22)) / np.linalg.norm((0.1, 0.97, 0.22))
APART = Rotation.from_euler("XYZ", (0.3, 0.2, 0.5))


def pair(kind, place_noise=0.0, turn_noise=0.0, seed=0):
    """Return two segments with a joint as in B12: amplitudes of 0.6, 0.5, 0.3, or a hinge up to 1.2."""
    rng, t = np.random.default_rng(seed), TIMES
    a = Rotation.from_euler("XYZ", np.c_[0.4 * np.sin(t + 1), 0.3 * np.cos(2 * t), 0.5 * np.sin(t)])
    at = np.c_[np.sin(t), np.cos(t), 0.1 * t]
    angles = np.c_[0.6 * np.sin(t), 0.5 * np.sin(2 * t + 1), 0.3 * np.cos(t)]
    relative = {
        "fixed": Rotation.from_rotvec(np.zeros((101, 3))) * APART,
        "hinge": Rotation.from_rotvec(np.linspace(0, 1.2, 101)[:, None] * AXIS) * APART,
        "universal": Rotation.from_euler("XY", angles[:, :2]) * APART,
        "ball": Rotation.from_euler("XYZ", angles),
    }[kind]
    b = a * relative
    there = at + a.apply(FIRST) - b.apply(SECOND)
    turns = []
    for turn in (a, b):
        off = Rotation.from_rotvec(rng.normal(0.0, turn_noise, (101, 3)))
        turns.append(np.roll((off * turn).as_quat(), 1, axis=1))
    places = np.stack([at, there], axis=1) + rng.normal(0.0, place_noise, (101, 2, 3))
    return st.Segments(("k", "l"), t, places, np.stack(turns, axis=1))


def shoulders(seed=0, frames=20):
    """Return pelvis, trunk and upper arms of B05 with poses that are off by 10 mm and 2 degrees."""
    rng, up = np.random.default_rng(seed), np.array((0.0, 0.0, 1.0))

    def ball(first, second, place_first, place_second):
        places = np.array(place_first, float), np.array(place_second, float)
        return FittedJoint(first, second, "ball", *places, up, up, 1.0, np.array((1.0, 0, 0, 0)), {}, {}, 3)

    joints = (
        ball("pelvis", "trunk", (0, 0, 0.0513), (0, 0, -0.2344)),
        ball("trunk", "right", (0, -0.18725, 0.15925), (0, 0, 0.1502)),
        ball("trunk", "left", (0, 0.18725, 0.15925), (0, 0, 0.1502)),
    )
    turns = [Rotation.from_rotvec(rng.normal(0.0, 0.4, (frames, 3))) for _ in range(4)]
    at = [np.zeros((frames, 3))]
    for k, joint in enumerate(joints):
        one = min(k, 1)
        at.append(at[one] + turns[one].apply(joint.place_first) - turns[k + 1].apply(joint.place_second))
    off = [Rotation.from_rotvec(rng.normal(0.0, np.radians(2.0), (frames, 3))) for _ in range(4)]

    def segments(places, rotations):
        quaternions = np.stack([np.roll(r.as_quat(), 1, axis=1) for r in rotations], axis=1)
        return st.Segments(("pelvis", "trunk", "right", "left"), np.arange(frames), places, quaternions)

    places = np.stack(at, axis=1)
    measured = segments(
        places + rng.normal(0.0, 0.01, places.shape), [o * t for o, t in zip(off, turns, strict=True)]
    )
    return measured, joints, segments(places, turns)


def squat(time_step):
    """Return a person on the ground, and a motion that bends and stretches the legs above still feet."""
    world = st.World(time_step=time_step)
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    person = st.build_humanoid(world)
    both = st.Articulation(world)
    feet = [person.bodies[f"{side} foot"] for side in ("right", "left")]
    stand = [st.IKTarget(foot, position=foot.position, quaternion=foot.quaternion) for foot in feet]
    pelvis, q, found = person.bodies["pelvis"], both.q, []
    for side in ("right", "left"):
        q[both.index(f"{side} knee")] = 0.5
        q[[both.index(f"{side} hip.y"), both.index(f"{side} ankle.y")]] = -0.25
    times, place = np.arange(0.0, 1.01, 0.05), pelvis.position.copy()
    for time in times:
        low = place + (0.0, 0.0, -0.04 - 0.05 * (1.0 - np.cos(2.0 * np.pi * time)))
        wanted = [*stand, st.IKTarget(pelvis, position=low, quaternion=(1, 0, 0, 0))]
        q = both.solve_ik(wanted, q).q
        found.append(q)
    return both, st.Motion(both.coordinates, times, np.array(found))


def played_squat(time_step):
    """Return the articulation, the player, what servos gave and what inverse dynamics asks for (steps, n)."""
    both, motion = squat(time_step)
    world = both.world
    motion.show(both, 0.0)
    player = st.MotionPlayer(both, motion)
    world.add_controller(player)
    given, wanted, h = [], [], world.time_step
    for _ in range(round(1.0 / h)):
        q, rates = both.q, both.rates
        world.step()
        next_q, next_rates = both.q, both.rates
        middle, speed = 0.5 * (q + next_q), 0.5 * (rates + next_rates)
        loads = st.contact_loads(world)
        wanted.append(both.inverse_dynamics(middle, speed, (next_rates - rates) / h, loads))
        given.append(player.forces())
    return both, player, np.array(given), np.array(wanted)
