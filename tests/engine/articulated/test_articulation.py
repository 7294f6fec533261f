"""Generalised coordinates against what they must agree with: differences, multipliers, closed forms."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.articulated import Articulation
from stoss.engine.joints.arrays import HOLD
from stoss.engine.reference import ReferenceSolver
from tests.engine.joint_worlds import measures, moved, rotation

WAVE = ((-2.0, 0.1), (-1.0, -0.1), (0.0, 0.0), (1.0, 0.2), (2.0, -0.1))
KINDS = {
    "ball": lambda p: st.Ball(p, (0.2, -0.3, 1.0)),
    "hinge": lambda p: st.Hinge(p, (0.3, 1.0, 0.2)),
    "universal": lambda p: st.Universal(p, (1.0, 0.0, 0.0), (0.0, 1.0, 0.3)),
    "skew universal": lambda p: st.Universal(p, (1.0, 0.0, 0.0), (0.8, 1.0, 0.3)),
    "slider": lambda p: st.Slider(p, (1.0, 0.2, -0.5)),
    "cylindrical": lambda p: st.Cylindrical(p, (1.0, 0.0, -1.0)),
    "planar": lambda p: st.Planar(p, (0.1, 0.2, 1.0)),
    "fixed": lambda p: st.Fixed(p),
    "free": lambda p: st.Free(p),
    "point on line": lambda p: st.PointOnLine(p, (1.0, 0.0, -1.0)),
    "point on plane": lambda p: st.PointOnPlane(p, (0.0, 1.0, 1.0)),
    "fixed orientation": lambda p: st.FixedOrientation(),
    "parallel axes": lambda p: st.ParallelAxes((0.0, 1.0, 0.0)),
    "screw": lambda p: st.Screw(p, (0.0, 0.3, 1.0), pitch=0.2),
    "spline": lambda p: st.SplineJoint(p, (0.0, 1.0, 0.2), WAVE, along_z=((-1, 0.1, 0.3), (1, 0, 0.1))),
    "custom": lambda p: st.CustomJoint(
        p, None, 0.1, ("x", WAVE), turn_x=("turn_z", WAVE), turn_z=None, axis=(0.1, 0.3, 1.0)
    ),
    # what a tree has not: free, and held as a loop is
    "distance": lambda p: st.Distance(p, tuple(np.add(p, (0.3, 0.1, 0.2)))),
    "ellipsoid": lambda p: st.PointOnEllipsoid(p, (0.3, 0.2, 0.1), tuple(np.add(p, (0.3, 0.0, 0.0)))),
    "constant angle": lambda p: st.ConstantAngle((1.0, 0.0, 0.0), (0.0, 1.0, 0.5)),
}


def lump(world, position, rng, **values):
    """Add a body with products of inertia, its centre of mass off its origin, that moves."""
    a = rng.normal(size=(3, 3))
    tensor = 0.02 * (np.trace(a @ a.T) * np.eye(3) - a @ a.T)
    turn = rng.normal(size=4)
    return world.add_body(
        mass_properties=st.from_values(float(rng.uniform(0.5, 2.0)), tensor, (0.05, 0.02, -0.03)),
        position=position,
        quaternion=turn / np.linalg.norm(turn),
        **values,
    )


def of_kinds(first, second, *, turned=False, seed=0):
    """Return a world of two lumps: a joint to the world, and one between them, maybe from the outer one."""
    rng = np.random.default_rng(seed)
    world = st.World()
    a, b = lump(world, (0.4, 0.1, -0.2), rng), lump(world, (0.9, -0.1, -0.3), rng)
    world.add_joint(KINDS[first]((0.1, 0.0, 0.1)), *((a, None) if turned else (None, a)), name="first")
    world.add_joint(KINDS[second]((0.6, 0.1, -0.1)), *((b, a) if turned else (a, b)), name="second")
    return world


def anywhere(articulation, seed=1, size=0.7):
    rng = np.random.default_rng(seed)
    count = len(articulation)
    return rng.uniform(-size, size, count), rng.normal(size=count)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_are_read_as_they_were_set(kind, turned):
    """Give bodies poses and velocities that lead to the coordinates and rates they were made of."""
    world = of_kinds(kind, "hinge", turned=turned)
    both = Articulation(world)
    q, rates = anywhere(both)
    both.set_state(q, rates)
    np.testing.assert_allclose(both.q, q, atol=1e-12)
    np.testing.assert_allclose(both.rates, rates, atol=1e-9)
    if not both.loops:  # what joints hold is held, so that the engine has nothing to close
        assert max(joint.error for joint in world.joints) < 1e-12
    hinge = world.joint("second")
    assert hinge.value == pytest.approx(q[both.index("second")], abs=1e-12)
    assert hinge.rate == pytest.approx(rates[both.index("second")], abs=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_velocities_and_accelerations_are_derivatives(kind, turned):
    """Agree with differences of poses and of velocities, and with the jacobians."""
    world = of_kinds(kind, "universal", turned=turned)
    both = Articulation(world)
    q, rates = anywhere(both)
    changes = np.random.default_rng(2).normal(size=len(both))
    h = 1e-4
    centres = [_centres(both, world, q + t * rates + 0.5 * t * t * changes) for t in (-h, h)]
    linear, angular = both.velocities(q, rates)
    np.testing.assert_allclose(linear, (centres[1] - centres[0]) / (2.0 * h), atol=1e-6)
    before, after = (
        both.velocities(q + t * rates + 0.5 * t * t * changes, rates + t * changes) for t in (-h, h)
    )
    found = both.accelerations(q, rates, changes)
    np.testing.assert_allclose(found[0], (after[0] - before[0]) / (2.0 * h), atol=1e-5)
    np.testing.assert_allclose(found[1], (after[1] - before[1]) / (2.0 * h), atol=1e-5)
    for i, body in enumerate(world.bodies):
        moved = both.body_jacobian(body, q) @ rates
        np.testing.assert_allclose(moved, np.concatenate([linear[i], angular[i]]), atol=1e-12)


def _centres(both, world, q):
    both.set_state(q)
    return world.centers_of_mass.copy()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_bodies_accelerate_as_by_multipliers(kind, turned):
    """Agree with Lagrange's multipliers in the coordinates of bodies: another form of the same equations."""
    world = of_kinds("ball" if kind in ("fixed", "distance") else "hinge", kind, turned=turned)
    both = Articulation(world)
    q, rates = both.assemble(*anywhere(both, size=0.3))
    both.set_state(q, rates)
    guided = kind in ("spline", "custom", "ellipsoid")
    wanted = by_differences(world) if guided else ReferenceSolver(world).accelerations()
    changes = both.forward_dynamics()
    found = both.accelerations(q, rates, changes)
    np.testing.assert_allclose(found[0], wanted[0], atol=2e-5 if guided else 1e-7)
    np.testing.assert_allclose(found[1], wanted[1], atol=2e-5 if guided else 1e-7)


def by_differences(world):
    """Return accelerations (n, 3) and angular ones: multipliers of rows from differences of measures."""
    joints, bodies = world._joint_table.arrays, world._bodies
    count, held = len(bodies.masses), joints.role == HOLD
    twist = np.hstack([bodies.velocities, bodies.angular_velocities])
    free, mobility = np.zeros((count, 6)), np.zeros((6 * count, 6 * count))

    def after(step):
        found = bodies
        for i in range(count):
            found = moved(found, i, step[i])
        return measures(joints, found)[held]

    for i in range(count):
        turn = rotation(bodies.quaternions[i])
        inertia = turn @ np.diag(bodies.inertias[i]) @ turn.T
        spin, own = bodies.angular_velocities[i], slice(6 * i, 6 * i + 6)
        free[i] = *world.gravity, *np.linalg.solve(inertia, -np.cross(spin, inertia @ spin))
        mobility[own, own][:3, :3] = np.eye(3) / bodies.masses[i]
        mobility[own, own][3:, 3:] = np.linalg.inv(inertia)
    h, s = 1e-5, 1e-3
    steps = h * np.eye(6 * count).reshape(-1, count, 6)
    jacobian = np.array([(after(step) - after(-step)) / (2 * h) for step in steps]).T
    here = 2.0 * after(0.0 * twist)
    near, far = (after(k * s * twist) + after(-k * s * twist) - here for k in (1, 2))
    bending = (16.0 * near - far) / (12.0 * s * s)
    response = mobility @ jacobian.T
    wanted = -bending - jacobian @ free.ravel()
    found = free.ravel() + response @ np.linalg.lstsq(jacobian @ response, wanted, rcond=1e-9)[0]
    return found.reshape(count, 6)[:, :3], found.reshape(count, 6)[:, 3:]


def test_forward_and_inverse_dynamics_are_inverse():
    """Get from a motion to forces and back, with loads on bodies."""
    world = of_kinds("free", "universal")
    both = Articulation(world)
    q, rates = anywhere(both)
    forces = np.random.default_rng(3).normal(size=len(both))
    loads = {world.bodies[0]: ((1.0, 2.0, 3.0), (0.1, -0.2, 0.3)), world.bodies[1]: ((0, 0, -4.0), (0, 0, 0))}
    changes = both.forward_dynamics(q, rates, forces, loads)
    np.testing.assert_allclose(both.inverse_dynamics(q, rates, changes, loads), forces, atol=1e-11)
    # loads by the principle of virtual work
    power = sum(both.body_jacobian(body, q).T @ np.concatenate(load) for body, load in loads.items())
    still = both.inverse_dynamics(q, rates, changes) - both.inverse_dynamics(q, rates, changes, loads)
    np.testing.assert_allclose(still, power, atol=1e-12)


def test_mass_matrix_is_the_kinetic_energy():
    """Have the energy and the momentum that the world reports."""
    world = of_kinds("free", "ball")
    both = Articulation(world)
    q, rates = anywhere(both)
    both.set_state(q, rates)
    energy = world.report.kinetic_energy
    assert 0.5 * rates @ both.mass_matrix() @ rates == pytest.approx(energy, rel=1e-12)
    masses = world.masses
    np.testing.assert_allclose(
        both.center_of_mass(), masses @ world.centers_of_mass / masses.sum(), atol=1e-14
    )
    speed = both.center_of_mass_jacobian() @ rates
    np.testing.assert_allclose(speed, masses @ world.velocities / masses.sum(), atol=1e-12)


@pytest.mark.parametrize("scene", ["four_bar", "slider_crank", "bricard", "loops", "n_four_bar"])
def test_mechanisms_with_loops(scene):
    """Have the degrees of freedom that are known, close, and accelerate as by multipliers."""
    world = st.SCENES[scene].build()
    for joint in world.joints:
        for drive in joint.drives:
            drive.remove()
    both = Articulation(world)
    jacobian = both.loop_jacobian()
    free = len(both) - np.linalg.matrix_rank(jacobian, tol=1e-8)
    assert free == {"loops": 3}.get(scene, 1)
    rng = np.random.default_rng(4)
    q, rates = both.assemble(both.q + rng.uniform(-0.05, 0.05, len(both)), rng.normal(size=len(both)))
    assert np.abs(both.loop_errors(q)).max() < 1e-12
    assert np.abs(both.loop_jacobian(q) @ rates).max() < 1e-11
    both.set_state(q, rates)
    assert world.freedom_report().conflicts == ()
    found = both.accelerations(q, rates, both.forward_dynamics())
    wanted = ReferenceSolver(world).accelerations()
    np.testing.assert_allclose(found[0], wanted[0], atol=1e-6)
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-6)


def test_a_loop_out_of_reach_is_told():
    """Name the joints of a loop that no coordinates close."""
    world = st.World()
    bars = [world.add_body(st.Box((1.0, 0.05, 0.05)), position=(0.5 + k, 0, 0), mass=1.0) for k in range(2)]
    world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, bars[0])
    world.add_joint(st.Hinge((1, 0, 0), (0, 1, 0)), *bars)
    world.add_joint(st.Ball((2.5, 0, 0), second_point=(2.0, 0, 0)), None, bars[1], name="far end")
    with pytest.raises(ValueError, match="joint 'joint 1' stays open by 0.5"):
        Articulation(world).assemble()


def test_gears_let_coordinates_follow():
    """Have one coordinate for two wheels, and the inertia of both at its ratio."""
    world = st.World(gravity=(0, 0, 0))
    wheels = [
        world.add_body(st.Cylinder(0.1 * (k + 1), 0.05), position=(0.3 * k, 0, 0), mass=1.0 + k)
        for k in range(2)
    ]
    hinges = [
        world.add_joint(st.Hinge((0.3 * k, 0, 0), (0, 0, 1)), None, wheel, name=f"wheel {k}")
        for k, wheel in enumerate(wheels)
    ]
    world.add_joint(st.Gear(*hinges, -0.5, offset=0.3))
    both = Articulation(world)
    assert both.coordinates == ("wheel 0",) and both.loops == ()
    inertia = 0.5 * 1.0 * 0.1**2 + 0.25 * 0.5 * 2.0 * 0.2**2
    assert both.mass_matrix()[0, 0] == pytest.approx(inertia, rel=1e-12)
    both.set_state([1.0], [2.0])
    assert hinges[1].value == pytest.approx(-0.5 + 0.3, abs=1e-12)
    assert hinges[1].rate == pytest.approx(-1.0, abs=1e-12)


def test_turns_are_counted():
    """Go on beyond full turns, from what the joint has counted."""
    world = st.World(gravity=(0, 0, 0))
    wheel = world.add_body(st.Cylinder(0.1, 0.05), mass=1.0, angular_velocity=(0, 0, 10.0))
    hinge = world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, wheel)
    world.step(100)
    both = Articulation(world)
    assert both.q[0] == pytest.approx(hinge.value, abs=1e-12) and hinge.value > 9.0
    for _ in range(10):
        world.step(10)
        assert both.q[0] == pytest.approx(hinge.value, abs=1e-12)
    assert both.q[0] > 18.0


def test_a_planar_pendulum_has_the_closed_form():
    """Have mass m l^2 + I, and the torque m g l sin of its angle."""
    world = st.World()
    bob = world.add_body(st.Box((0.1, 0.2, 1.0)), position=(0, 0, -0.5), mass=3.0)
    world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, bob, name="pin")
    both = Articulation(world)
    inertia = 3.0 * (0.25 + (0.01 + 1.0) / 12.0)
    assert both.mass_matrix()[0, 0] == pytest.approx(inertia, rel=1e-12)
    for angle in (0.0, 0.4, 2.0):
        torque = both.gravity_forces([angle])[0]
        assert torque == pytest.approx(3.0 * 9.81 * 0.5 * np.sin(angle), abs=1e-12)
        assert both.forward_dynamics([angle], [0.7])[0] == pytest.approx(-torque / inertia, abs=1e-12)


def test_far_from_the_origin_no_digits_are_lost():
    """Have the same mass matrix a hundred kilometres away, but for the rounding of where the bodies are."""
    found = []
    for away in (0.0, 1e5):
        rng = np.random.default_rng(0)
        world = st.World()
        a, b = lump(world, (away + 0.4, 0.1, 0), rng), lump(world, (away + 0.9, 0, 0), rng)
        world.add_joint(st.Universal((away + 0.6, 0, 0), (1, 0, 0), (0, 1, 0.3)), a, b)
        found.append(Articulation(world).mass_matrix())
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)


def test_a_world_that_changed_needs_another():
    """Refuse coordinates of joints that are no longer those of the world; unknown names, wrong lengths."""
    world = of_kinds("hinge", "ball")
    both = Articulation(world)
    with pytest.raises(KeyError, match="'elbow' is not one of first, second.x"):
        both.index("elbow")
    with pytest.raises(ValueError, match="q = .* give 4 numbers"):
        both.mass_matrix([0.0, 1.0])
    with pytest.raises(ValueError, match="nan"):
        both.set_state([0.0, np.nan, 0.0, 0.0])
    world.remove_joint(world.joint("second"))
    with pytest.raises(ValueError, match="make a new one"):
        both.set_state(np.zeros(4))
    assert len(Articulation(world)) == 7


def guided(curve):
    """Return a shank on three axes of a plane, of which two follow the third along curves (B-02)."""
    world = st.World(gravity=(0, -9.81, 0))
    last = None
    for kind, name in (
        (st.Slider((0, 0, 0), (1, 0, 0)), "x"),
        (st.Slider((0, 0, 0), (0, 1, 0)), "y"),
        (st.Hinge((0, 0, 0), (0, 0, -1)), "flexion"),
    ):
        body = world.add_body(
            mass_properties=st.from_values(3.243, 0.04622806 * np.eye(3), (0.0, -0.19144, 0.0))
            if name == "flexion"
            else st.from_values(1e-12, 1e-12 * np.eye(3))
        )
        world.add_joint(kind, last, body, name=name)
        last = body
    return st.Articulation(world, {"x": ("flexion", curve[0]), "y": ("flexion", curve[1])}), last


def four_bar_knee(flexion):
    """Return where the middle of the lower bar is [m], of crossed rods at a flexion [rad]."""
    a, c = np.array([-4.178, 4.979]), np.array([4.178, -4.979])
    turn = np.array([[np.cos(flexion), np.sin(flexion)], [-np.sin(flexion), np.cos(flexion)]])
    b, d = turn @ (8.0, 0.0), turn @ (-8.0, 0.0)
    from scipy.optimize import fsolve

    lengths = np.array([35.0, 28.0])
    return 1e-3 * fsolve(
        lambda p: (np.hypot(*(p + b - a)) - lengths[0], np.hypot(*(p + d - c)) - lengths[1]), (-10.0, -25.0)
    )


def test_a_guided_knee_moves_as_its_four_bar():
    """Swing a shank along a spline as along the rods that the spline stands for (B-02)."""
    from scipy.integrate import solve_ivp
    from scipy.interpolate import CubicSpline

    knots = np.radians(np.arange(0, 131, 5))
    places = np.array([four_bar_knee(flexion) for flexion in knots])
    np.testing.assert_allclose(1e3 * places[0], (-2.6851, -28.7087), atol=1e-2)
    knee, shank = guided([CubicSpline(knots, places[:, k]) for k in range(2)])
    assert knee.coordinates == ("flexion",)
    run = solve_ivp(
        lambda _, y: (y[1], knee.forward_dynamics(y[:1], y[1:])[0]),
        (0.0, 0.25),
        (np.pi / 2, 0.0),
        t_eval=(0.1, 0.2, 0.25),
        rtol=1e-9,
        atol=1e-11,
    )
    np.testing.assert_allclose(np.degrees(run.y[0]), (79.770625, 49.991342, 29.120629), atol=1e-3)
    assert run.y[1, -1] == pytest.approx(-7.786503, abs=1e-4)
    # the jacobian along a curve
    h = 1e-6
    places = [knee.poses([1.0 + t])[0][shank.index] for t in (-h, h)]
    np.testing.assert_allclose(
        knee.body_jacobian(shank, [1.0], (0, 0, 0))[:3, 0], (places[1] - places[0]) / (2 * h), atol=1e-8
    )


def test_coordinates_follow_others():
    """Share bending between joints, and refuse what makes no sense."""
    world = st.World()
    last = None
    for k in range(4):
        bone = world.add_body(st.Box((0.05, 0.05, 0.1)), position=(0, 0, 0.05 + 0.1 * k), mass=1.0)
        world.add_joint(st.Hinge((0, 0, 0.1 * k), (0, 1, 0)), last, bone, name=f"bone {k}")
        last = bone
    spine = st.Articulation(world, {f"bone {k}": ("bone 0", 0.5 * k) for k in (1, 2, 3)})
    assert spine.coordinates == ("bone 0",)
    spine.set_state([0.2])
    assert world.joint("bone 3").value == pytest.approx(0.3, abs=1e-12)
    whole = st.Articulation(world)
    share = np.array([1.0, 0.5, 1.0, 1.5])
    assert spine.mass_matrix()[0, 0] == pytest.approx(share @ whole.mass_matrix() @ share, rel=1e-12)
    with pytest.raises(ValueError, match="no coordinate 'bone 9'; did you mean"):
        st.Articulation(world, {"bone 9": ("bone 0", 1.0)})
    with pytest.raises(ValueError, match="follows follows it"):
        st.Articulation(world, {"bone 1": ("bone 0", 1.0), "bone 0": ("bone 1", 1.0)})
    with pytest.raises(TypeError, match="must be"):
        st.Articulation(world, {"bone 1": "bone 0"})
    with pytest.raises(ValueError, match="ratio"):
        st.Articulation(world, {"bone 1": ("bone 0", np.nan)})


def test_masses_are_those_that_bodies_have():
    """Answer as one that is made anew, when a body was given another mass, in all that depends on it."""
    world = st.World()
    before = None
    for k in range(3):
        body = world.add_body(st.Box((0.1, 0.2, 0.3)), position=(0, 0, -0.4 * k), mass=1.0 + k)
        world.add_joint(st.Universal((0, 0, 0.2 - 0.4 * k), (1, 0, 0), (0, 1, 0)), before, body)
        before = body
    old = Articulation(world)
    old.set_state(0.1 * np.arange(6) + 0.2, 1.0 - 0.3 * np.arange(6))
    momentum = old.mass_matrix() @ old.rates
    before.mass = 11.0
    new = Articulation(world)
    changes = np.arange(6.0)
    for call in ("mass_matrix", "gravity_forces", "bias_forces", "center_of_mass", "center_of_mass_jacobian"):
        np.testing.assert_allclose(getattr(old, call)(), getattr(new, call)(), rtol=1e-12, atol=1e-12)
    torques = old.inverse_dynamics(old.q, old.rates, changes)
    np.testing.assert_allclose(torques, new.inverse_dynamics(new.q, new.rates, changes), rtol=1e-12)
    np.testing.assert_allclose(old.forward_dynamics(old.q, old.rates, torques), changes, atol=1e-9)
    np.testing.assert_allclose(old.rates, 1.0 - 0.3 * np.arange(6), atol=1e-12)
    assert np.abs(old.mass_matrix() @ old.rates - momentum).max() > 0.1
    assert old.reactions().forces.keys() == new.reactions().forces.keys()
    world.add_body(st.Sphere(0.1))
    with pytest.raises(ValueError, match="make a new one"):
        old.mass_matrix(np.zeros(6))
