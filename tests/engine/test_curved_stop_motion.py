"""Motion along stops that are curves: closed forms, impacts, energy, soft stops, and worlds that are kept.

Henze 2002, section 2.2. The axis of a symmetric body that slides along a cone without friction is a point
mass on a curve: its path is known by one integral, whatever the cone.
"""

import copy
import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stoss.engine import Ball, Joint, Settings, Universal, World
from tests.engine.joint_worlds import inertias, measures, numerical_jacobian, own_arrays, totals
from tests.engine.test_curved_stops import CONES, TWISTS, leaning
from tests.engine.worlds import G, axis_angle, product

SOLVERS = ["direct", "gauss_seidel"]
SQUARE = [(0.8, 0.8), (-0.8, 0.8), (-0.8, -0.8), (0.8, -0.8)]
INERTIA = 0.3


def axis_of(joint: Joint) -> np.ndarray:
    """Return where the axis z of the second body is."""
    w, x, y, z = joint.second.quaternion
    return 2.0 * np.array((x * z + w * y, y * z - w * x, 0.5 - x * x - y * y))


def top(
    direction=(1e-3, 0, 1),
    velocity=(0, 0, 0),
    *,
    solver="direct",
    h=0.01,
    gravity=(0, 0, 0),
    about_axis=INERTIA,
    kind=Ball,
    lever=0.0,
) -> Joint:
    """Return a joint at the origin of a body that has the moment INERTIA about what is square to its axis.

    Args:
        direction, velocity: of its axis.
        solver, h, gravity: of the world.
        about_axis: moment about the axis.
        kind: of the joint.
        lever: place of the centre of mass along the axis [m]; INERTIA is about the origin.
    """
    world = World(gravity=gravity, time_step=h, settings=Settings(solver=solver))
    across = INERTIA - lever * lever
    body = world.add_body(mass_properties=inertias(1.0, (across, across, about_axis)), position=(0, 0, lever))
    joint = world.add_joint(kind((0, 0, 0), (0, 0, 1)), None, body)
    p = np.asarray(direction, float) / np.linalg.norm(direction)
    body.quaternion = leaning(p)
    body.position = lever * p
    body.angular_velocity = np.cross(p, velocity)
    body.velocity = lever * np.asarray(velocity, float)
    return joint


def rim(outline: np.ndarray) -> np.ndarray:
    """Return the lengths of arc at points (k, 3) of a curve."""
    steps = np.arccos(np.clip((outline[1:] * outline[:-1]).sum(axis=1), -1.0, 1.0))
    return np.concatenate([[0.0], np.cumsum(steps)])


def on_rim(stop, share: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return place, direction along the cone and length of arc at a share of a cone."""
    outline = stop.outline(20000)
    k = int(share * (len(outline) - 1))
    along = outline[k + 1] - outline[k - 1]
    return outline[k], along / np.linalg.norm(along), rim(outline)[k]


def arc_at(stop, place: np.ndarray) -> tuple[float, float]:
    """Return the length of arc at the place of a cone that is nearest, and that of all."""
    outline = stop.outline(20000)
    arc = rim(outline)
    return arc[int(np.argmax(outline @ place))], arc[-1]


# ------------------------------------------------------------------ sliding


OVALS = {
    "ellipse": dict(ellipse=(1.0, 0.6)),
    "reaches": dict(ellipse=(-0.7, 1.1, -0.6, 0.9)),
    "spline": dict(spline=[(0.9, 0.1), (0.5, 0.8), (-0.4, 0.8), (-0.8, 0.1), (-0.5, -0.6), (0.4, -0.7)]),
    "wide": dict(ellipse=(2.2, 1.9)),
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["ellipse", "reaches", "spline"])
def test_slide_along_a_cone(name, solver):
    """Go around a cone at constant rate, as a point mass on the curve; energy and spin stay to (w h)^2."""
    probe = top()
    place, along, start = on_rim(probe.limit_swing(**OVALS[name]), 0.1)
    joint = top(place, along, solver=solver)
    stop = joint.limit_swing(**OVALS[name])
    for _ in range(300):
        report = joint.world.step()
        assert abs(stop.gap) < 2e-6
    assert report.kinetic_energy == pytest.approx(0.5 * INERTIA, rel=3e-4)
    arc, around = arc_at(stop, axis_of(joint))
    assert (arc - start) % around == pytest.approx(3.0 % around, abs=1e-3)
    assert joint.second.angular_velocity @ axis_of(joint) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("h", [0.01, 0.005])
def test_slide_along_a_cone_with_weight(h):
    """Follow s'' = -m g l z'(s) / I on the rim, where the weight of an upright top keeps its axis."""
    lever, cone = 0.3, OVALS["ellipse"]
    probe = top()
    stop = probe.limit_swing(**cone)
    place, along, start = on_rim(stop, 0.07)
    joint = top(place, 0.8 * along, h=h, gravity=(0, 0, -G), lever=lever)
    stop = joint.limit_swing(**cone)
    outline = stop.outline(20000)
    arc = rim(outline)
    height = np.interp
    slope = np.gradient(outline[:, 2], arc)

    def rates(_, state):
        return state[1], -G * lever / INERTIA * height(state[0] % arc[-1], arc, slope)

    found = solve_ivp(rates, (0, 1.0), (start, 0.8), rtol=1e-9, atol=1e-9)
    energy = joint.world.report.energy
    joint.world.step(round(1.0 / h))
    assert abs(stop.gap) < 3e-6
    at = np.array([np.interp(found.y[0, -1] % arc[-1], arc, outline[:, k]) for k in range(3)])
    assert np.linalg.norm(axis_of(joint) - at) < 20.0 * h * h
    assert joint.world.report.energy == pytest.approx(energy, abs=20.0 * h * h)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("azimuth", np.linspace(0.0, 6.0, 5))
def test_pendulum_in_a_cone_of_45_degrees(azimuth, solver):
    """Swing a pendulum against a cone: never beyond 45.5 degrees, at any azimuth, with any spin (V-07)."""
    world = World(settings=Settings(solver=solver))
    body = world.add_body(mass_properties=inertias(1.0, (0.05, 0.07, 0.02)), position=(0, 0, -0.4))
    joint = world.add_joint(Ball((0, 0, 0), (0, 0, -1)), None, body)
    joint.limit_swing(ellipse=(np.pi / 4, np.pi / 4))
    body.angular_velocity = (4.5 * np.cos(azimuth), 4.5 * np.sin(azimuth), 1.0)
    body.velocity = np.cross(body.angular_velocity, (0, 0, -0.4))
    farthest = 0.0
    for _ in range(200):
        world.step()
        farthest = max(farthest, joint.value_of("swing"))
    assert np.radians(44.9) < farthest < np.radians(45.5)


def test_corner_of_a_polygon():
    """Turn into the next side with the cosine of the angle between them of the rate, and go on along it."""
    corners = [leaning_to(*swing) for swing in SQUARE]
    first, corner, last = corners[0], corners[1], corners[2]
    joint = top(first + 0.3 * (corner - first), np.zeros(3))
    place = axis_of(joint)
    along = np.cross(np.cross(first, corner), place)
    along /= np.linalg.norm(along)
    joint.second.angular_velocity = np.cross(place, along)
    stop = joint.limit_swing(polygon=SQUARE)
    joint.world.step(60)
    before, after = np.cross(first, corner), np.cross(corner, last)
    cosine = before @ after / np.linalg.norm(before) / np.linalg.norm(after)
    assert joint.world.report.kinetic_energy == pytest.approx(0.5 * INERTIA, rel=1e-5)
    joint.world.step(140)
    assert abs(stop.gap) < 3e-6
    assert axis_of(joint) @ after == pytest.approx(0.0, abs=1e-5)
    assert cosine > 0.2
    assert joint.world.report.kinetic_energy == pytest.approx(0.5 * INERTIA * cosine**2, rel=1e-3)


def leaning_to(x: float, y: float) -> np.ndarray:
    """Return the axis that is swung by x and y [rad]."""
    size = np.hypot(x, y)
    return np.array((x * np.sin(size) / size, y * np.sin(size) / size, np.cos(size)))


# ------------------------------------------------------------------ impacts


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", CONES)
def test_restitution(name, e, solver):
    """Change the angular velocity by -(1 + e) of its part towards the cone, whatever the cone and the way."""
    joint = top((0.05, 0.02, 1.0), solver=solver, h=0.004)
    stop = joint.limit_swing(**CONES[name], restitution=e)
    outwards = numerical_jacobian(joint)[own_arrays(joint).curve >= 0][0, 9:]
    w = 2.0 * outwards + 1.0 * np.cross(axis_of(joint), outwards)
    joint.second.angular_velocity = w
    while stop.force == 0.0:
        joint.world.step()
        assert joint.world.time < 4.0
    rows = own_arrays(joint).curve >= 0
    hit = np.argmin(np.abs(measures(own_arrays(joint), joint.world._bodies)[rows]))
    n = numerical_jacobian(joint)[rows][hit, 9:]
    after = w - (1.0 + e) * (n @ w) * n
    assert joint.second.angular_velocity == pytest.approx(after, abs=0.03)
    assert totals(joint.world)[6] == pytest.approx(0.5 * INERTIA * after @ after, abs=5e-3)
    assert stop.gap > -0.004 * 3.0


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_impact_between_two_free_bodies(e, solver):
    """Keep momentum and angular momentum in a hit of two bodies, and energy if it is elastic."""
    world = World(gravity=(0, 0, 0), time_step=0.005, settings=Settings(solver=solver))
    first = world.add_body(mass_properties=inertias(2.0, (0.3, 0.5, 0.4)), position=(0, 0, -0.4))
    second = world.add_body(mass_properties=inertias(1.0, (0.2, 0.25, 0.1)), position=(0, 0, 0.3))
    joint = world.add_joint(Ball((0, 0, 0), (0, 0, 1)), first, second)
    stop = joint.limit_swing(ellipse=(0.9, 0.4), restitution=e)
    second.angular_velocity = (-1.5, 1.0, 0.5)
    second.velocity = np.cross(second.angular_velocity, (0, 0, 0.3))
    before, hits = totals(world), 0
    for _ in range(200):
        world.step()
        hits += stop.force != 0.0
        assert stop.gap > -0.01
    after = totals(world)
    assert hits > 0
    np.testing.assert_allclose(after[:6], before[:6], atol=2e-5)
    assert after[6] < before[6] + 1e-3
    if e == 1.0:
        assert after[6] == pytest.approx(before[6], rel=2e-3)


# ------------------------------------------------------------------ twist


@pytest.mark.parametrize("solver", SOLVERS)
def test_twist_of_a_circling_axis_is_stopped(solver):
    """Twist by tan(swing/2) of the rate of an axis that circles without spin; stop that (P-16).

    With z' alone in place of (z + z')/(1 + cos swing) the twist would go on: z' . w is zero.
    """
    swing = 0.8
    place = np.array((np.sin(swing), 0.0, np.cos(swing)))
    joint = top(place, (0, 1, 0), solver=solver)
    joint.limit_swing(ellipse=(swing, swing))
    stop = joint.limit_twist([(0.0, -1.0, 0.4), (1.5, -1.0, 0.4)])
    reached = 0.4 / np.tan(swing / 2)
    twists = []
    for _ in range(300):
        joint.world.step()
        twists.append(joint.value_of("twist"))
    before = int(0.9 * reached / 0.01)
    assert twists[before] == pytest.approx(np.tan(swing / 2) * 0.01 * (before + 1), abs=1e-5)
    assert max(twists) < 0.4 + 2e-6
    assert twists[-1] == pytest.approx(0.4, abs=2e-6)
    assert stop.gap == pytest.approx(0.0, abs=2e-6)
    assert joint.second.angular_velocity @ axis_of(joint) < -0.1  # which holds the twist


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("end", [1, -1])
def test_twist_follows_its_bound_over_the_swing(end, solver):
    """Press the twist on its bound, swing: it goes along the bound, which the table gives at its rows."""
    joint = top(solver=solver)
    stop = joint.limit_twist(TWISTS)
    joint.motor(velocity=end * 3.0, max_force=1.0, coordinate="twist")
    joint.motor(velocity=0.8, max_force=5.0, coordinate="swing")
    seen = []
    for _ in range(220):
        joint.world.step()
        seen.append((joint.value_of("swing"), joint.value_of("twist")))
    swings, twists = np.array(seen)[70:].T
    table = np.array(TWISTS)
    at = np.array([np.interp(0.8, swings, twists), np.interp(1.6, swings, twists)])
    np.testing.assert_allclose(at, table[1:, 2 if end > 0 else 1], atol=1e-4)
    assert stop.gap == pytest.approx(0.0, abs=3e-6)


# ------------------------------------------------------------------ soft stops


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["ellipse", "polygon", "not convex"])
def test_soft_stop_holds_a_weight(name, solver):
    """Let an axis rest beyond the cone where stiffness times that is the torque of the weight on it."""
    world = World(time_step=0.005, settings=Settings(solver=solver))
    body = world.add_body(mass_properties=inertias(1.0, (0.05, 0.05, 0.02)), position=(0, 0, 0.3))
    joint = world.add_joint(Ball((0, 0, 0), (0, 0, 1)), None, body)
    stop = joint.limit_swing(**CONES[name], stiffness=80.0, damping=6.0)
    joint.damper(0.5, coordinate="swing")
    joint.damper(2.0, coordinate="twist")
    body.angular_velocity = (0.0, 1.0, 0.0)
    body.velocity = np.cross(body.angular_velocity, (0, 0, 0.3))
    world.step(2000)
    assert world.report.kinetic_energy < 1e-7
    rows = own_arrays(joint).curve >= 0
    rows = own_arrays(joint).curve >= 0
    beyond = np.maximum(measures(own_arrays(joint), world._bodies)[rows], 0.0)
    torque = numerical_jacobian(joint)[rows, 9:].T @ (-80.0 * beyond)
    np.testing.assert_allclose(torque, -np.cross(body.center_of_mass, (0, 0, -G)), atol=1e-3)
    assert stop.force == pytest.approx(-80.0 * beyond.sum(), abs=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CONES)
def test_soft_stop_keeps_energy(name, solver):
    """Bend a soft stop by w sqrt(I/k) and come back as fast; damped, slower; never pulled (H-201)."""
    for damping in (0.0, 2.0):
        joint = top((0.05, 0.02, 1.0), solver=solver, h=0.002)
        stop = joint.limit_swing(**CONES[name], stiffness=200.0, damping=damping)
        rows = own_arrays(joint).curve >= 0
        outwards = numerical_jacobian(joint)[rows][0, 9:]
        joint.second.angular_velocity = 1.5 * outwards
        deepest, forces, energies = 0.0, [], []
        for _ in range(int(stop.gap / 1.5 / 0.002) + 120):
            joint.world.step()
            deepest = max(deepest, -stop.gap)
            forces.append(stop.force)
            beyond = np.maximum(measures(own_arrays(joint), joint.world._bodies)[rows], 0.0)
            energies.append(joint.world.report.kinetic_energy + 100.0 * beyond @ beyond)
        assert max(forces) == 0.0 and min(forces) < -1.0
        if damping == 0.0:
            np.testing.assert_allclose(energies, 0.5 * INERTIA * 1.5**2, rtol=2e-3)
            if name not in ("not convex", "beyond a half"):  # where it meets a corner, between two sides
                assert deepest == pytest.approx(1.5 * np.sqrt(INERTIA / 200.0), rel=0.02)
                assert stop.gap > 0.0
        else:
            assert deepest < 1.5 * np.sqrt(INERTIA / 200.0)
            assert energies[-1] < 0.95 * energies[0]


# ------------------------------------------------------------------ joints with it


def hip(solver="auto") -> World:
    """Return a thigh and a shank that swing beneath a fixed point, with stops of all kinds."""
    world = World(time_step=0.005, settings=Settings(solver=solver))
    thigh = world.add_body(mass_properties=inertias(8.0, (0.13, 0.14, 0.03)), position=(0, 0, -0.2), name="a")
    shank = world.add_body(mass_properties=inertias(4.0, (0.05, 0.05, 0.01)), position=(0, 0, -0.6), name="b")
    upper = world.add_joint(Ball((0, 0, 0), (0, 0, -1)), None, thigh, name="hip")
    upper.limit_swing(spline=[(0.2, 0), (0.1, 0.3), (0, 0.3), (-0.5, 0.2), (-0.5, -0.2), (0, -0.2)])
    upper.limit_twist([(0.0, -0.2, 0.3), (0.5, -0.1, 0.1)], restitution=0.3)
    lower = world.add_joint(Universal((0, 0, -0.4), (1, 0, 0), (0, 1, 0)), thigh, shank, name="ankle")
    lower.limit_swing(
        polygon=[(0.3, 0.2), (-0.3, 0.3), (-0.2, -0.2), (0.3, -0.3)], stiffness=300.0, damping=2.0
    )
    thigh.angular_velocity, shank.angular_velocity = (3, -2, 3), (-2, 3, 1)
    thigh.velocity = np.cross((3, -2, 3), (0, 0, -0.2))
    shank.velocity = 2.0 * thigh.velocity + np.cross((-2, 3, 1), (0, 0, -0.2))
    return world


@pytest.mark.parametrize("solver", SOLVERS)
def test_universal_joint_in_a_cone(solver):
    """Stop a universal joint at a cone too, where both its angles are bounded together."""
    world = World(gravity=(0, 0, 0), settings=Settings(solver=solver))
    body = world.add_body(mass_properties=inertias(1.0, (0.2, 0.3, 0.1)))
    joint = world.add_joint(Universal((0, 0, 0), (1, 0, 0), (0, 1, 0)), None, body)
    stop = joint.limit_swing(ellipse=(0.5, 0.8))
    body.angular_velocity = (1.0, 1.2, 0.0)
    gaps = []
    for _ in range(300):
        world.step()
        gaps.append(stop.gap)
    assert min(gaps) > -0.025 and abs(gaps[-1]) < 2e-6


def bits(world: World) -> bytes:
    arrays = world._joint_table.arrays
    return b"".join(
        a.tobytes()
        for a in (
            world.positions,
            world.quaternions,
            world.velocities,
            arrays.value,
            arrays.piece,
            arrays.total,
        )
    )


@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_kept_worlds_go_on_with_the_same_bits(solver):
    """Go on alike after saving and restoring, from a copy, from a pickle, and in one call or many."""
    world = hip(solver)
    limits = [limit for joint in world.joints for limit in joint.curved_limits]
    acted = np.zeros(len(limits))
    for _ in range(60):
        world.step()
        acted += [limit.force != 0.0 for limit in limits]
    assert acted.all()
    snapshot, twin, pickled = world.save(), copy.deepcopy(world), pickle.loads(pickle.dumps(world))
    world.step(80)
    end = bits(world)
    for other in (twin, pickled):
        for _ in range(80):
            other.step()
        assert bits(other) == end
    world.restore(snapshot)
    world.step(80)
    assert bits(world) == end
    fresh = hip(solver)
    fresh.restore(snapshot)
    fresh.step(80)
    assert bits(fresh) == end


def test_remove_stops_and_joints():
    """Leave the motion of others to the bit as stops and joints in front of them are removed."""
    world = hip()
    alone = hip()
    extra = world.add_body(mass_properties=inertias(1.0, (1, 1, 1)), position=(5, 0, 0))
    gone = world.add_joint(Ball((5, 0, 0), (0, 0, 1)), None, extra)
    gone.limit_swing(ellipse=(0.3, 0.4))
    ankle, other = world.joint("ankle"), alone.joint("ankle")
    more = ankle.limit_swing(ellipse=(0.2, 0.2))
    last = ankle.limit_swing(ellipse=(0.3, 0.35))
    more.remove()
    assert [limit.form for limit in ankle.curved_limits] == ["polygon", "ellipse"]
    assert last.rows.tolist() == [[0.3, 0.35]]
    other.limit_swing(ellipse=(0.3, 0.35))
    world.remove_joint(gone)
    world.remove_body(extra)
    assert world.joint("hip").curved_limits[1].ranges.tolist() == [[0.0, -0.2, 0.3], [0.5, -0.1, 0.1]]
    for _ in range(100):
        world.step()
        alone.step()
    assert bits(world) == bits(alone)


def test_switched_off_and_on():
    """Do nothing while it is switched off, and bring back what is beyond it once it is on."""
    joint = top(np.array((np.sin(0.6), 0, np.cos(0.6))))
    stop = joint.limit_swing(ellipse=(0.5, 0.5))
    stop.enabled = False
    joint.world.step(20)
    assert stop.gap == pytest.approx(-0.1) and stop.force == 0.0 and not stop.enabled
    stop.enabled = True
    joint.world.step(40)
    assert stop.gap == pytest.approx(0.0, abs=2e-6)


def test_turned_worlds_move_alike():
    """Turn all of a world: the motion is turned."""
    turn = axis_angle((1, 2, 3), 0.9)
    ends = []
    for q in ((1.0, 0.0, 0.0, 0.0), turn):
        world = World(gravity=(0, 0, 0), time_step=0.005)
        conjugate = np.array(q) * (1, -1, -1, -1)

        def turned(v, q=q, conjugate=conjugate):
            return product(product(q, (0, *v)), conjugate)[1:]

        body = world.add_body(
            mass_properties=inertias(1.0, (0.2, 0.3, 0.1)), position=turned((0, 0, 0.2)), quaternion=q
        )
        kind = Ball((0, 0, 0), turned((0, 0, 1)), x_axis=turned((1, 0, 0)))
        joint = world.add_joint(kind, None, body)
        joint.limit_swing(**CONES["not convex"], restitution=0.5)
        joint.limit_twist(TWISTS)
        body.angular_velocity = turned((2.0, 1.0, 1.5))
        body.velocity = turned(np.cross((2.0, 1.0, 1.5), (0, 0, 0.2)))
        world.step(200)
        ends.append(product(conjugate, body.quaternion))
    assert abs(ends[0] @ ends[1]) == pytest.approx(1.0, abs=1e-9)
