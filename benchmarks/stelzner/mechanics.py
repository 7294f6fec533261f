"""Motions that are known: circles, pendulums, four-bars, ellipsoids, stops, shoulder blades."""

from collections.abc import Iterator

import numpy as np

import stoss as st
from stoss.benchmarks.stelzner.mechanisms import GLIDED, circle, double_pendulum, four_bar, gliding, knee
from stoss.engine.humans.levels import add_girdle
from stoss.engine.humans.levels.bones import Bones
from stoss.scenes import SCENES
from stoss.scenes.cases.registry import Figure, at_least, at_most, near

__all__ = ["CHECKS"]

PENDULUM = 2.778512565, -0.393325215  # double pendulum after 1 s [rad]
BARS = 317.872235, 125.584418, -244.693912  # crank, rocker, coupler after 1 s [deg]
FIRST = 90.0, 101.541940806, -66.433360014  # and at the start


def mass_on_a_circle(short: bool = False) -> Iterator[Figure]:
    """B01: a mass stays on its circle, and projection leads back to it."""
    world, worst = circle(), 0.0
    steps = 2000 if short else 100_000
    for k in range(steps // 100):
        world.step(100)
        worst = max(worst, abs(float(np.linalg.norm(world.body("mass").position)) - 1.0))
        if k == 99:
            off = np.abs(world.body("mass").position[:2] - (0.275087462466, -0.961419205131)).max()
            yield at_most("place after 10 s, 1 ms", off, 2e-4, "m")
    yield at_most(f"radius over {steps} steps", worst, 1e-9, "m")
    both = st.Articulation(circle())
    q, missed = np.zeros(len(both)), []
    q[:2] = 1.1, 0.05
    for _ in range(4):
        missed.append(abs(float(both.loop_errors(q)[0])))
        row = both.loop_jacobian(q)[0]
        q = q - row * both.loop_errors(q)[0] / (row @ row)
    yield at_most("projection from (1.1, 0.05): error after a round", missed[1], 1e-12, "m")


def pendulum(short: bool = False) -> Iterator[Figure]:
    """B03: a double pendulum, reduced and by impulses, and what its joints carry."""
    both = double_pendulum().run_both(1.0)
    yield at_most("reduced, angles at 1 s", np.abs(both.reduced[-1] - PENDULUM).max(), 1e-6, "rad")
    yield at_most("engine at 1 ms, direct", np.abs(both.engine[-1] - PENDULUM).max(), 1e-4, "rad")
    coarse = double_pendulum(4e-3).run_both(1.0)
    order = np.log(np.abs(coarse.engine[-1] - PENDULUM) / np.abs(both.engine[-1] - PENDULUM)) / np.log(4.0)
    yield near("order of the step", order.min(), 2.0, 0.1)
    swept = double_pendulum(solver="gauss_seidel")
    swept.step(1000)
    at = np.array([swept.joint(name).value for name in ("q1", "q2")])
    yield at_most("engine at 1 ms, sweeps", np.abs(at - PENDULUM).max(), 1e-3, "rad")
    yield from _carried(double_pendulum())


def _carried(world: st.World) -> Iterator[Figure]:
    """Yield by how much forces of joints, of both stages of a step, miss those of the equations."""
    world.step(500)
    before = st.Articulation(world).reactions()
    world.step()
    after = st.Articulation(world).reactions()
    off = []
    for joint in world.joints:
        wanted = 0.5 * (before.forces[joint.name] + after.forces[joint.name])
        off.append(float(np.abs(joint.force - wanted).max() / np.linalg.norm(wanted)))
    yield at_most("forces of joints at 0.5 s, of the largest", max(off), 1e-3)


def loop(short: bool = False) -> Iterator[Figure]:
    """B04: a four-bar that a whole hinge closes."""
    both = four_bar().run_both(1.0)
    known = np.radians(BARS) - np.radians(FIRST)
    yield at_most("reduced, angles at 1 s", np.abs(both.reduced[-1] - known).max(), 1e-5, "rad")
    yield at_most("engine at 1 ms", np.abs(both.engine[-1] - known).max(), 1e-3, "rad")
    yield at_most("loop stays closed", both.world.report.joint_error, 1e-6, "m, rad")
    yield from _carried(four_bar())


def glide(short: bool = False) -> Iterator[Figure]:
    """B06: a point glides on an ellipsoid that turns."""
    solver, world = st.ReducedSolver(gliding(1e-3)), gliding(1e-3)
    spin, energy = world.report.angular_momentum, world.report.kinetic_energy
    solver.step(1.0)
    for who, there, place, turn in (("reduced", solver.world, 1e-7, 1e-7), ("engine", world, 2e-5, 2e-4)):
        if who == "engine":
            world.step(1000)
        off = [np.abs(there.body(name).position - known[0]).max() for name, known in GLIDED.items()]
        rate = [np.abs(there.body(name).angular_velocity - known[1]).max() for name, known in GLIDED.items()]
        yield at_most(f"{who}, places at 1 s", max(off), place, "m")
        yield at_most(f"{who}, rates at 1 s", max(rate), turn, "rad/s")
        change = there.report.angular_momentum - spin
        yield at_most(f"{who}, angular momentum", np.abs(change).max(), 1e-9, "kg m^2/s")
    yield at_most("engine, energy, share in 1 s", abs(world.report.kinetic_energy / energy - 1.0), 1e-3)


def knees(short: bool = False) -> Iterator[Figure]:
    """B02: a shank on a hinge, on curves and on crossed rods, flexion after 0.25 s."""
    for kind, known in (("hinge", 26.689152), ("spline", 29.120629), ("four-bar", 29.120629)):
        both = knee(kind).run_both(0.25)
        found = [float(np.degrees(run[-1].max())) for run in (both.reduced, both.engine)]
        yield at_most(f"{kind}, reduced", abs(found[0] - known), 1e-5, "deg")
        yield at_most(f"{kind}, engine at 1 ms", abs(found[1] - known), 1e-3, "deg")


def stops(short: bool = False) -> Iterator[Figure]:
    """B10: a shank falls into the stop of its knee, as an impulse and by the law of the thesis."""
    world = SCENES["knee_stop"].build(time_step=1e-4)
    left: dict[str, float] = {}
    came: dict[str, float] = {}
    deep, was = 0.0, dict.fromkeys(("impulse", "law"), 2.0)
    for _ in range(3500):
        before = {name: world.joint(f"{name} knee").rate for name in was}
        world.step()
        for name in was:
            joint = world.joint(f"{name} knee")
            deep = max(deep, np.radians(2.0) - joint.value) if name == "law" else deep
            if before[name] < 0.0 < joint.rate and name == "impulse" and name not in left:
                left[name], came[name] = joint.rate, -before[name]
            if was[name] <= np.radians(2.0) < joint.value and name == "law":
                left.setdefault(name, joint.rate)
            was[name] = joint.value
    yield near("law, rebound", left["law"], 0.979686, 0.0098, "rad/s")
    yield near("law, deepest", float(np.degrees(deep)), 1.19743, 0.012, "deg")
    yield near("impulse, rate after, of that before", left["impulse"] / came["impulse"], 0.15, 1e-3)


def restitution(short: bool = False) -> Iterator[Figure]:
    """Stops: an impulse gives back its share of the rate exactly, where nothing else acts in the step."""
    world = st.World(gravity=(0, 0, 0), time_step=1e-3)
    rod = world.add_body(st.Box((1.0, 0.1, 0.1)), position=(0.5, 0, 0), mass=1.0)
    joint = world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, rod)
    joint.limit(-1.0, 0.3, restitution=0.4)
    rod.angular_velocity, rod.velocity = (0, 0, 1.0), (0, 0.5, 0)
    came = joint.rate
    world.step(600)
    yield at_most("rate after + 0.4 rate before", abs(joint.rate + 0.4 * came), 1e-9, "rad/s")


def blade(short: bool = False) -> Iterator[Figure]:
    """B09: a shoulder blade of which two points are on the ribs."""
    world = st.World()
    bones = Bones(world)
    bones.bodies["thorax"] = world.add_body(kind="static", name="thorax")
    add_girdle(bones, "right", -1.0, "thorax", np.zeros(3), np.array((0.0, -0.18725, -0.01)))
    both = st.Articulation(world)
    names = [f"right sternoclavicular.angle_{k}" for k in (1, 2)]
    at = [both.index(name) for name in (*names, *(f"right acromioclavicular.{axis}" for axis in "xyz"))]
    worst = 0.0
    for given, turns in (
        ((0.1, 0, 0), (-1.305307, -0.523361)),
        ((0.2, 0, 0), (-2.803476, -1.235666)),
        ((-0.2, 0, 0), (2.377119, 1.159463)),
        ((0, -0.2, 0), (1.264250, -4.456594)),
        ((0, -0.3, 0), (2.789061, -6.457447)),
        ((0, 0.1, 0), (0.275774, 2.064696)),
        ((0.1, -0.2, 0.1), (-5.401206, -18.845146)),
    ):
        q = np.zeros(len(both))
        for _ in range(12):
            q[at[0]], q[at[1]], q[at[4]] = given
            q[at[2:4]] -= np.linalg.solve(both.loop_jacobian(q)[:, at[2:4]], both.loop_errors(q))
        worst = max(worst, float(np.abs(np.degrees(q[at[2:4]]) - turns).max()))
    yield at_most("seven poses, both turns", worst, 1e-5, "deg")


def counted(short: bool = False) -> Iterator[Figure]:
    """T-6: degrees of freedom of a double pendulum of two bodies."""
    report = double_pendulum().freedom_report()
    yield near("motions", report.motions, 12, 0)
    yield near("rows", report.rank, 10, 0)
    yield near("degrees of freedom", report.degrees_of_freedom, 2, 0)


def spines(short: bool = False) -> Iterator[Figure]:
    """B14: pelvis to head, all coordinates of the spine at their limits."""
    world = st.World()
    person = st.build_skeleton(world, spine="full")
    both = st.Articulation(world, person.follow)
    lower, upper = np.degrees(both.limits).T
    at = {name: both.index(name) for name in both.coordinates if name[:2] in ("L5", "C7")}
    yield at_least("coordinates that lead", len(at), 6)
    for word, axis, side, wanted in (
        ("flexion", "y", upper, 170.0),
        ("extension", "y", lower, 110.0),
        ("lateral", "x", upper, 80.0),
        ("axial", "z", upper, 126.0),
    ):
        q = np.zeros(len(both))
        for name, k in at.items():
            if name.endswith(f".{axis}"):
                q[k] = np.radians(side[k])
        turn = both.poses(q)[1][world.body("head").index] if len(both) else np.zeros(4)
        pelvis = both.poses(q)[1][world.body("pelvis").index]
        cosine = abs(float(turn @ pelvis))
        yield near(f"{word}", float(np.degrees(2.0 * np.arccos(min(cosine, 1.0)))), wanted, 1e-5, "deg")


CHECKS = {
    "B01": mass_on_a_circle,
    "B02": knees,
    "B03": pendulum,
    "B04": loop,
    "B06": glide,
    "B09": blade,
    "B10": stops,
    "B14": spines,
    "T-6": counted,
    "stops": restitution,
}
