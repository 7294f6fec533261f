"""Worlds in a plane: nothing leaves it, to the bit, and in it they are as in space."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import stoss as st

ROOT = 2.0**-0.5
LYING = (ROOT, ROOT, 0.0, 0.0)  # turns z to -y
AXES = {"xy": (0, 1, 2), "xz": (0, 2, 1), "yz": (1, 2, 0)}


def assert_planar(world):
    """Require that nothing is across the plane, exactly."""
    first, second, normal = AXES[world.planar]
    assert (world.positions[:, normal] == 0.0).all()
    assert (world.centers_of_mass[:, normal] == 0.0).all()
    assert (world.velocities[:, normal] == 0.0).all()
    assert (world.angular_velocities[:, [first, second]] == 0.0).all()
    assert (world.quaternions[:, [1 + first, 1 + second]] == 0.0).all()


def across(plane):
    """Return an axis and how a cylinder along z is turned to lie along it."""
    axis = np.zeros(3)
    axis[plane.normal] = 1.0
    turns = {2: (1.0, 0.0, 0.0, 0.0), 1: LYING, 0: (ROOT, 0.0, ROOT, 0.0)}
    return axis, turns[plane.normal]


def crowd(planar, seed, **settings):
    """Return a heap with a chain, a motor, a slider, a gear, mesh-like hulls and conveyors."""
    rng = np.random.default_rng(seed)
    world = st.World(planar=planar, settings=st.Settings(**settings))
    plane = world.plane
    axis, lying = across(plane)
    size = [0.0, 0.0, 0.0]
    size[plane.first], size[plane.second], size[plane.normal] = 12.0, 1.0, 3.0
    floor = world.add_body(st.Box(size), position=plane.vector(0.0, -0.5), kind="static")
    floor.surface_velocity = plane.vector(0.2, 0.0)
    shapes = [
        st.Box((0.5, 0.4, 0.3)),
        st.Sphere(0.2),
        st.Placed(st.Cylinder(0.2, 0.5), quaternion=lying),
        st.Placed(st.Capsule(0.1, 0.4), quaternion=lying),
        st.ConvexHull(np.vstack([p := rng.normal(size=(9, 3)) * 0.2, p * np.where(axis, -1.0, 1.0)])),
        [st.Placed(st.Box((0.2, 0.2, 0.2)), position=(0.3 * (1 - axis))), st.Box((0.2, 0.3, 0.2))],
    ]
    rough = st.Material(friction=0.6, restitution=0.3, rolling_friction=0.01, torsional_friction=0.01)
    for k in range(12):
        world.add_body(
            shapes[k % len(shapes)],
            position=plane.vector(rng.uniform(-1, 1), 0.5 + 0.5 * k),
            quaternion=plane.quaternion(rng.uniform(-3.0, 3.0)),
            velocity=plane.vector(*rng.uniform(-2.0, 2.0, 2)),
            angular_velocity=plane.turn_vector(rng.uniform(-5.0, 5.0)),
            material=rough if k % 2 else None,
        )
    last, links = None, []
    for k in range(4):
        link = world.add_body(st.Sphere(0.1), position=plane.vector(3.0 + 0.4 * k, 3.0))
        point = plane.vector(2.8 + 0.4 * k, 3.0)
        joint = world.add_joint(st.Hinge(point, axis), last, link)
        last = link
        links.append(joint)
    links[1].motor(3.0, max_force=5.0)
    links[2].limit(-0.4, 0.4)
    links[3].servo(0.5, stiffness=10.0, damping=0.1)
    cart = world.add_body(st.Box((0.3, 0.3, 0.3)), position=plane.vector(-3.0, 1.0))
    world.add_joint(st.Slider(plane.vector(1.0, 0.0), plane.vector(-3.0, 1.0)), None, cart)
    ball = world.add_body(st.Sphere(0.2), position=plane.vector(-3.0, 0.5))
    world.add_joint(st.Ball(plane.vector(-3.0, 1.0)), cart, ball)
    return world


@pytest.mark.parametrize(
    ("planar", "settings"),
    [
        ("xz", {}),
        ("xy", {"solver": "gauss_seidel"}),
        ("yz", {"solver": "direct"}),
        ("xz", {"order": 4}),
        ("xy", {"time_of_impact": True, "sleeping": True}),
    ],
)
def test_nothing_leaves_the_plane(planar, settings):
    """Keep positions, turns and velocities across the plane at zero, to the bit."""
    world = crowd(planar, 3, **settings)
    assert_planar(world)
    for _ in range(60):
        world.step()
        assert_planar(world)
    first, second, normal = AXES[planar]
    for joint in world.joints:
        assert abs(joint.force[normal]) < 1e-9
    assert (np.abs(world.contacts.impulse[:, normal]) < 1e-9).all()
    assert np.abs(world.velocities).max() < 30.0


def test_copies_and_snapshots_go_on_to_the_same_bits(tmp_path):
    """Go on from a copy, a pickle and a file as from the world itself."""
    world = crowd("xz", 5)
    world.step(20)
    world.save().write(tmp_path / "there.npz")
    other = st.World(planar="xz")
    other.restore(st.Snapshot.read(tmp_path / "there.npz"))
    twins = [world.copy(), copy.deepcopy(world), pickle.loads(pickle.dumps(world)), other]
    world.step(20)
    for twin in twins:
        twin.step(20)
        assert twin.planar == "xz"
        assert twin.state_hash() == world.state_hash()
        assert_planar(twin)
    with pytest.raises(ValueError, match=r"planar = 'xz' cannot be restored in one with None"):
        st.World().restore(world.save())


def test_a_pendulum_swings_as_in_space():
    """Swing as a hinge in space does, whose axis is across the plane."""
    ends = []
    for planar in (None, "xz"):
        world = st.World(planar=planar)
        bob = world.add_body(st.Box((0.2, 0.3, 0.4)), position=(1.0, 0.0, 0.0))
        world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), None, bob)
        world.step(100)
        ends.append(np.concatenate([bob.position, bob.velocity, bob.angular_velocity]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_inertia_is_that_about_the_normal():
    """Turn about the normal with the moment of inertia about it, products of inertia left to the plane."""
    tensor = np.array([[2.0, 0.1, 0.0], [0.1, 3.0, 0.2], [0.0, 0.2, 2.5]])
    world = st.World(planar="xz", gravity=(0.0, 0.0, 0.0))
    body = world.add_body(mass_properties=st.from_values(1.0, tensor))
    body.apply_torque((0.0, 6.0, 0.0))
    world.step()
    np.testing.assert_allclose(body.angular_velocity, (0.0, 6.0 * 0.01 / 3.0, 0.0), rtol=1e-12)
    body.apply_impulse((0.0, 0.0, 1.0), (3.0, 0.5, 0.0))
    np.testing.assert_allclose(body.angular_velocity, (0.0, 0.02 - 1.0, 0.0), rtol=1e-12)


def test_a_box_slides_down_a_slope_as_the_closed_form_says():
    """Slide by g (sin a - mu cos a) t^2 / 2: friction has no share across the plane."""
    slope, mu = 0.4, 0.2
    world = st.World(planar="xz")
    surface = st.Material(friction=mu)
    normal = (np.sin(slope), 0.0, np.cos(slope))
    world.add_body(st.HalfSpace(normal, 0.0), kind="static", material=surface)
    start = 0.1 * np.array(normal)
    box = world.add_body(
        st.Box((0.4, 0.2, 0.2)), position=start, quaternion=world.plane.quaternion(-slope), material=surface
    )
    world.step(100)
    along = (box.position - start) @ (np.cos(slope), 0.0, -np.sin(slope))
    assert along == pytest.approx(0.5 * 9.81 * (np.sin(slope) - mu * np.cos(slope)), rel=1e-6)
    assert_planar(world)


@pytest.mark.parametrize("planar", ["xy", "xz", "yz"])
def test_numbers_of_the_plane(planar):
    """Turn planar numbers into vectors and back; angles turn the first axis into the second."""
    world = st.World(planar=planar, gravity=(0.0, 0.0, 0.0))
    plane = world.plane
    body = world.add_body(
        st.Sphere(0.5),
        position=plane.vector(1.0, 2.0),
        quaternion=plane.quaternion(0.75),
        velocity=plane.vector(-1.0, 0.5),
        angular_velocity=plane.turn_vector(0.3),
    )
    motion = plane.motion(body)
    assert motion.position == (1.0, 2.0)
    assert motion.velocity == (-1.0, 0.5)
    assert motion.angle == pytest.approx(0.75, abs=1e-15)
    assert motion.angular_velocity == 0.3
    turned = body.world_point(plane.vector(1.0, 0.0)) - body.position
    np.testing.assert_allclose(plane.coordinates(turned), (np.cos(0.75), np.sin(0.75)), atol=1e-15)
    body.quaternion = plane.quaternion(0.0)
    world.step(100)
    assert plane.motion(body).angle == pytest.approx(0.3, abs=1e-12)
    assert plane.motion(body).position == pytest.approx((0.0, 2.5), abs=1e-12)


def test_degrees_of_freedom_are_those_of_the_plane():
    """Count three per body, and no row that holds what the plane holds."""
    world = st.World(planar="xz")
    last = None
    for k in range(3):
        link = world.add_body(st.Box((0.9, 0.1, 0.1)), position=(k + 0.5, 0.0, 0.0))
        world.add_joint(st.Hinge((float(k), 0.0, 0.0), (0.0, 1.0, 0.0)), last, link)
        last = link
    report = world.freedom_report()
    assert (report.motions, report.rows, report.rank, report.degrees_of_freedom) == (9, 6, 6, 3)
    assert not report.redundant
    world.add_joint(st.Hinge((3.0, 0.0, 0.0), (0.0, 1.0, 0.0)), last, None)
    report = world.freedom_report()
    assert report.degrees_of_freedom == 2  # the links are in line: one row of the loop says nothing new


def refusals():
    """Return what leaves the plane, and what its message must say."""
    half = (np.cos(0.2), np.sin(0.2), 0.0, 0.0)
    box = st.Box((1.0, 1.0, 1.0))
    beside = st.Placed(box, position=(0.0, 0.3, 0.0))
    return {
        "position": (lambda w, b: w.add_body(box, position=(0.0, 0.1, 0.0)), "position = "),
        "quaternion": (lambda w, b: w.add_body(box, quaternion=half), "world.plane.quaternion"),
        "velocity": (lambda w, b: w.add_body(box, velocity=(0.0, 1.0, 0.0)), "velocity = "),
        "spin": (lambda w, b: w.add_body(box, angular_velocity=(1.0, 0.0, 0.0)), "angular_velocity = "),
        "center": (lambda w, b: w.add_body(beside), "centre of mass"),
        "static": (lambda w, b: w.add_body(box, position=(0.0, 2.0, 0.0), kind="static"), "position = "),
        "many": (lambda w, b: w.add_bodies(box, [(0, 0, 0), (0, 1, 0)]), r"positions\[1\]"),
        "move": (lambda w, b: setattr(b, "position", (0.0, 1.0, 0.0)), "position = "),
        "turn": (lambda w, b: setattr(b, "quaternion", half), "quaternion = "),
        "kick": (lambda w, b: setattr(b, "velocity", (0.0, 1.0, 0.0)), "velocity = "),
        "force": (lambda w, b: b.apply_force((0.0, 1.0, 0.0)), "force = "),
        "torque": (lambda w, b: b.apply_torque((0.0, 1.0, 1.0)), "torque = "),
        "impulse": (lambda w, b: b.apply_impulse((0.0, 1.0, 1.0)), "impulse = "),
        "belt": (lambda w, b: setattr(b, "surface_velocity", (0.0, 1.0, 0.0)), "surface_velocity = "),
        "gravity": (lambda w, b: setattr(w, "gravity", (0.0, 1.0, 0.0)), "gravity = "),
        "rows": (lambda w, b: setattr(w, "positions", [(0.0, 1.0, 0.0)]), "positions"),
        "turns": (lambda w, b: setattr(w, "quaternions", [half]), "quaternions"),
        "speeds": (lambda w, b: setattr(w, "velocities", [(0.0, 1.0, 0.0)]), "velocities"),
        "copy": (lambda w, b: w.duplicate(b, position=(0.0, 1.0, 0.0)), "position = "),
    }


@pytest.mark.parametrize("case", refusals())
def test_what_leaves_the_plane_is_refused(case):
    """Refuse it at once, with the argument and the cure, and change nothing."""
    world = st.World(planar="xz")
    body = world.add_body(st.Box((1.0, 1.0, 1.0)))
    act, said = refusals()[case]
    before = world.state_hash()
    with pytest.raises(ValueError, match=said) as told:
        act(world, body)
    assert "plane xz" in str(told.value)
    assert world.state_hash() == before and len(world.bodies) == 1
    world.step()


def test_what_is_written_into_arrays_is_refused_by_the_step():
    """Refuse a step from velocities or forces that were written and leave the plane."""
    world = st.World(planar="xz")
    world.add_body(st.Box((1.0, 1.0, 1.0)))
    world.forces[0] = (0.0, 3.0, 0.0)
    with pytest.raises(ValueError, match=r"world.forces\[0\] = \[0.0, 3.0, 0.0\] leaves the plane xz"):
        world.step()
    world.forces[0] = (0.0, 0.0, 0.0)
    world.step()


@pytest.mark.parametrize("wrong", ["zx", "x", "", 2, "XZ"])
def test_other_planes_are_refused(wrong):
    """Name the planes that there are."""
    with pytest.raises((ValueError, TypeError), match="xy"):
        st.World(planar=wrong)


def test_kinds_and_shapes_beside_the_plane():
    """Let bodies change their kind, and shapes on both sides of the plane carry what rolls on them."""
    world = st.World(planar="xz")
    world.add_body(st.HalfSpace((0.0, 0.0, 1.0), 0.0), kind="static")
    wheels = [st.Placed(st.Sphere(0.2), position=(x, y, 0.0)) for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    car = world.add_body(wheels, position=(0.0, 0.0, 0.2), kind="static")
    world.step()
    car.kind = "dynamic"
    car.velocity = (1.0, 0.0, 0.0)
    world.step(50)
    assert_planar(world)
    assert car.position[2] == pytest.approx(0.2, abs=1e-6)
    lift = world.add_body(st.Box((1.0, 1.0, 0.1)), position=(3.0, 0.0, 0.0), kind="kinematic")
    lift.move_to((3.0, 0.0, 0.1), world.plane.quaternion(0.1))
    world.step(3)
    assert_planar(world)
    world.settings = replace(world.settings, solver="gauss_seidel")
    world.step(3)
    assert_planar(world)
