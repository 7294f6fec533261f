"""Kinematics and inverse problems: derivatives, joints, rows, poses that are wanted, and back again."""

from collections.abc import Iterator

import numpy as np

import stoss as st
from stoss.benchmarks.stelzner.human import human, reach, start
from stoss.benchmarks.stelzner.mechanisms import planar_arm
from stoss.scenes.cases.registry import Figure, at_least, at_most, near

__all__ = ["CHECKS"]

STEPS = np.array((-2.0, -1.0, 1.0, 2.0)) * 2e-4  # of differences [s]


def _slope(values: list[np.ndarray]) -> np.ndarray:
    """Return the rate of change in the middle of values at `STEPS`, to order four."""
    return np.asarray((values[0] - 8.0 * values[1] + 8.0 * values[2] - values[3]) / (12.0 * STEPS[2]))


def _person() -> st.Articulation:
    world = st.World()
    st.build_skeleton(world, knee="spline", spine="full", limits=False)
    return st.Articulation(world)


def derivatives(short: bool = False) -> Iterator[Figure]:
    """Kinematics: velocities and accelerations of a body of 42 segments are derivatives of its poses."""
    both, rng = _person(), np.random.default_rng(0)
    worst, body = np.zeros(3), both.world.body("head")
    for _ in range(1 if short else 5):
        q, rates, changes = (0.3 * rng.normal(size=len(both)) for _ in range(3))
        at = [(q + h * rates + 0.5 * h * h * changes, rates + h * changes) for h in STEPS]
        places = _slope([both.poses(one)[0][body.index] for one, _ in at])
        centres = _slope([both.center_of_mass(one) for one, _ in at])
        speeds = _slope([np.hstack(both.velocities(*one)) for one in at])
        own = both.body_jacobian(body, q, (0.0, 0.0, 0.0))[:3] @ rates
        off = (
            own - places,
            both.center_of_mass_jacobian(q) @ rates - centres,
            np.hstack(both.accelerations(q, rates, changes)) - speeds,
        )
        worst = np.maximum(worst, [np.abs(one).max() for one in off])
    yield at_most("Jacobian of a point of the head", worst[0], 1e-7, "m/s")
    yield at_most("Jacobian of the centre of mass", worst[1], 1e-7, "m/s")
    yield at_most("accelerations of all bodies", worst[2], 1e-7, "m/s^2, rad/s^2")


def joint_library(short: bool = False) -> Iterator[Figure]:
    """Joints: angular velocity and acceleration of ball and universal joint by their closed forms."""
    rng = np.random.default_rng(1)
    for name, kind, count in (("ball", st.Ball((0, 0, 0)), 3), ("universal", None, 2)):
        world = st.World()
        body = world.add_body(st.Sphere(0.1), mass=1.0)
        world.add_joint(kind or st.Universal((0, 0, 0), (1, 0, 0), (0, 1, 0)), None, body)
        both = st.Articulation(world)
        q, rates, changes = (rng.uniform(-1.0, 1.0, count) for _ in range(3))
        a, b = q[:2]
        sa, ca, sb, cb = np.sin(a), np.cos(a), np.sin(b), np.cos(b)
        columns = np.array([(1, 0, 0), (0, ca, sa), (sb, -sa * cb, ca * cb)]).T[:, :count]
        p, r, s = (*rates, 0.0)[:3]
        bias = np.array(
            [
                r * s * cb,
                r * sa * (s * sb - p) - p * s * ca * cb,
                -r * ca * (s * sb - p) - p * s * sa * cb,
            ]
        )
        if count == 2:  # about x, then y
            bias = p * r * np.array([0.0, -sa, ca])
        spin = both.velocities(q, rates)[1][0]
        change = both.accelerations(q, rates, changes)[1][0]
        off = max(np.abs(spin - columns @ rates).max(), np.abs(change - columns @ changes - bias).max())
        yield at_most(f"{name} joint", off, 1e-12, "rad/s, rad/s^2")


def rows(short: bool = False) -> Iterator[Figure]:
    """Rows: each implicit constraint changes with the coordinates as its row says."""
    rng = np.random.default_rng(2)
    kinds = {
        "point": st.Ball((0.1, 0.2, 0.3)),
        "orthogonality": st.ConstantAngle((1, 0, 0), (0, 1, 0)),
        "parallelism": st.ParallelAxes((0, 0, 1)),
        "distance": st.Distance((0.1, 0.2, 0.3), (0.4, 0.1, 0.9)),
        "point on an axis": st.PointOnLine((0.1, 0.2, 0.3), (0.6, 0.0, 0.8)),
        "same orientation": st.FixedOrientation(),
        "ellipsoid": st.PointOnEllipsoid((0.1, 0.1, 0.0), (0.3, 0.2, 0.4), (0.1, 0.1, 0.4)),
    }
    for name, kind in kinds.items():
        world = st.World()
        bodies = [world.add_body(st.Sphere(0.1), position=(0.1 * k, 0, 0), mass=1.0) for k in range(2)]
        for body in bodies:
            world.add_joint(st.Free((0, 0, 0)), None, body)
        world.add_joint(kind, *bodies)
        both = st.Articulation(world)
        q, rates = 0.2 * rng.normal(size=len(both)), rng.normal(size=len(both))
        change = _slope([both.loop_errors(q + h * rates) for h in STEPS])
        off = np.abs(both.loop_jacobian(q) @ rates - change).max()
        yield at_most(f"{name}, rows: {len(change)}", off, 1e-7, "m/s, 1/s")


def three_bars(short: bool = False) -> Iterator[Figure]:
    """B07: three bars reach a point, by the rule that stays closest."""
    world, last = planar_arm()
    arm, begin = st.Articulation(world), np.array([0.3, 0.4, 0.5])
    target = st.IKTarget(last, position=(1.5, 0, 1.0), point=(0.5, 0, 0))
    found = {rule: arm.solve_ik(target, begin, rule=rule, tolerance=1e-10).q for rule in RULES}
    away = [float(np.linalg.norm(q - begin)) for q in found.values()]
    off = np.abs(found["closest"] - (-0.384593, 0.830154, 1.460819)).max()
    yield at_most("closest, coordinates", off, 1e-5, "rad")
    yield near("closest, way from the start", away[0], 1.255736, 1e-5, "rad")
    yield at_least("least step, way", away[1], away[0], "rad")
    yield at_least("few joints, way", away[2], away[0], "rad")


RULES = ("closest", "least step", "few joints")


def whole_body(short: bool = False) -> Iterator[Figure]:
    """B08: hands of a person reach two points, the feet stay; 40 coordinates, 18 equations."""
    world, both, order = human()
    q = start(both, order)
    targets = reach(world, both, q)
    found = [both.solve_ik(targets, q, rule=rule).q for rule in RULES]
    away = [float(np.linalg.norm(one - q)) for one in found]
    moved = [int((np.abs(one - q) > 1e-6).sum()) for one in found]
    yield near("closest, way from the start", away[0], 1.2498, 1e-4, "rad, m")
    yield at_least("least step, way", away[1], away[0], "rad, m")
    yield at_least("few joints, way", away[2], away[1], "rad, m")
    yield at_most("few joints, coordinates that move", moved[2], moved[0] - 1)


def there_and_back(short: bool = False) -> Iterator[Figure]:
    """Inverse dynamics: of the motion that forces make gives these forces."""
    both, rng = _person(), np.random.default_rng(3)
    q, rates, forces = (0.3 * rng.normal(size=len(both)) for _ in range(3))
    again = both.inverse_dynamics(q, rates, both.forward_dynamics(q, rates, forces))
    size = np.abs(both.bias_forces(q, rates)).max()
    yield at_most("forces, of the largest", np.abs(again - forces).max() / size, 1e-10)


CHECKS = {
    "B07": three_bars,
    "B08": whole_body,
    "inverse dynamics": there_and_back,
    "joints": joint_library,
    "kinematics": derivatives,
    "rows": rows,
}
