"""Loads in models: `[forces.NAME]` adds what `World.add_load` does, and worlds with loads are described."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.model.kinds import LOADS, type_name

MACHINE = """
[world]
time_step = 0.002
[params]
pull = 3
[bodies.a]
mass = 2
inertia = [0.1, 0.2, 0.3]
markers = { tip = [0.5, 0, 0], end = { position = [-0.5, 0, 0], axis_angle = [0, 1, 0, 0.3] } }
[bodies.b]
mass = 1
inertia = 0.1
position = [2, 0, 0]
markers = { tip = [-0.5, 0, 0] }
[markers]
hook = [0, 0, 3]
[joints.hinge]
type = "hinge"
first = "a"
second = "b"
point = [1, 0, 0]
axis = [0, 1, 0]
[forces.push]
type = "force"
at = "a:tip"
force = [0, "pull", "2*pull"]
frame = "local"
[forces.turn]
type = "torque"
body = "b"
torque = [0.1, 0, 0]
[forces.line]
type = "line_force"
first = "a"
second = "hook"
force = "pull"
[forces.motor]
type = "joint_torque"
joint = "hinge"
torque = 0.2
[forces.spring]
type = "spring_damper"
first = "a:tip"
second = "hook"
rest = 1
stiffness = 20
power = 1.5
damping = 3
damping_by = "deflection"
[forces.stop]
type = "soft_stop"
joint = "hinge"
lower = "deg(-90)"
upper = "deg(90)"
max_torque = 40
order = 2
[forces.knock]
type = "contact_stop"
joint = "hinge"
upper = "deg(80)"
law = { type = "restriction_contact", max_force = "10*pull", compression = 0.05, damping = 1.5 }
[forces.knee]
type = "coordinate_spring"
joint = "hinge"
stiffness = 5
damping = 1
[forces.upright]
type = "rotational_spring"
first = "b"
stiffness = 4
axis = [0, 0, 1]
[forces.tissue]
type = "wobbling_mass"
soft = "b"
bone = "a:tip"
stiffness = 100
damping_by = "0"
[forces.air]
type = "drag"
at = "b"
area = 0.1
wind = [1, 0, 0]
[forces.off]
type = "force"
at = "a"
force = [9, 9, 9]
enabled = false
"""


def by_hand():
    """Return the same world by calls."""
    world = st.World(time_step=0.002)
    a = world.add_body(
        mass_properties=st.MassProperties(2.0, (0, 0, 0), (0.1, 0.2, 0.3), (1, 0, 0, 0)), name="a"
    )
    b = world.add_body(
        mass_properties=st.MassProperties(1.0, (0, 0, 0), (0.1,) * 3, (1, 0, 0, 0)),
        position=(2, 0, 0),
        name="b",
    )
    hook = world.add_marker("hook", position=(0, 0, 3))
    tip = world.add_marker("tip", a, position=(0.5, 0, 0))
    hinge = world.add_joint(st.Hinge((1, 0, 0), (0, 1, 0)), a, b, name="hinge")
    world.add_load(st.Force(tip, (0, 3, 6), "local"))
    world.add_load(st.Torque(b, (0.1, 0, 0)))
    world.add_load(st.LineForce(a, hook, 3.0))
    world.add_load(st.JointTorque(hinge, 0.2))
    world.add_load(st.SpringDamper(tip, hook, 1.0, 20.0, 1.5, 3.0, damping_by="deflection"))
    world.add_load(st.SoftStop(hinge, lower=np.radians(-90), upper=np.radians(90), max_torque=40.0, order=2))
    law = st.RestrictionContact(max_force=30.0, compression=0.05, damping=1.5)
    world.add_load(st.ContactStop(hinge, law, upper=np.radians(80)))
    world.add_load(st.CoordinateSpring(hinge, stiffness=5.0, damping=1.0))
    world.add_load(st.RotationalSpring(b, None, axis=(0, 0, 1), stiffness=4.0))
    world.add_load(st.WobblingMass(b, tip, stiffness=100.0, damping_by=0.0))
    world.add_load(st.Drag(b, area=0.1, wind=(1, 0, 0)))
    return world


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_loads_of_models_are_those_of_calls(form):
    """Move as a world whose loads were added by calls, from each format."""
    model = st.Model.loads(st.Model.loads(MACHINE).dumps(form), form)
    world, other = model.build(), by_hand()
    assert [load.name for load in world.loads] == [one.name for one in model.forces]
    assert not world.load("off").enabled and len(world.loads) == len(other.loads) + 1
    for one in (world, other):
        one.step(50)
    np.testing.assert_array_equal(world.positions, other.positions)
    np.testing.assert_allclose(model.build({"pull": 5.0}).load("push").kind.force, (0, 5, 10))


def test_worlds_with_loads_are_described():
    """Describe loads by the names of bodies, markers and joints; tell of functions."""
    world = st.Model.loads(MACHINE).build()
    model = st.Model.of(world)
    twin = model.build()
    assert [one.type for one in model.forces] == [one.type for one in st.Model.loads(MACHINE).forces]
    assert model.markers == st.Model.loads(MACHINE).markers  # and no more of them
    assert st.Model.of(twin) == model
    for one in (world, twin):
        one.step(30)
    assert twin.state_hash() == world.state_hash()
    world = st.Model.loads(MACHINE).build()
    world.add_load(lambda c: None, name="mine")
    world.add_integral("way", lambda c: 1.0)
    told = " ".join(st.Model.of(world, strict=False).left_out)
    for what in ("load 'mine' is Python code", "integral 'way'"):
        assert what in told


def test_places_of_loads_without_a_name_become_markers():
    """Give points on bodies, of the world, and turned frames a marker each, and move the same to the bit."""
    world = st.World(time_step=0.002)
    plate, rod = (
        world.add_body(
            [st.Placed(st.Box((1, 0.2, 0.3)), (0.1, 0.2, 0.3)), st.Sphere(0.3)],
            position=(2 * i, 0.2, 0.7),
            quaternion=st.rotation.from_axis_angle((1, 2, 3), 0.3 + i),
            name=name,
        )
        for i, name in enumerate(("plate", "rod"))
    )
    world.add_marker("push at", plate)  # a name that is taken
    turned = world.add_marker("turned", plate, position=(0.1, 0.2, 0.3), quaternion=(0.6, 0.8, 0, 0))
    world.add_load(st.Force((plate, (0.1, 0.2, 0.3)), (1, 2, 3), "local"), name="push")
    world.add_load(st.Force((plate, (0.1, 0.2, 0.3)), (1, 2, 3), (rod, (0, 0, 1))), name="same point")
    world.add_load(st.LineForce((turned, (0, 1, 0)), (0, 0, 5), 2.0), name="line")
    world.add_load(st.RotationalSpring(plate, rod, axis=(1, 0, 2), stiffness=3.0), name="between")
    world.add_load(st.RotationalSpring(plate, None, axis=(0, 1, 0), stiffness=3.0), name="upright")
    for moved in (False, True):
        if moved:
            world.step(10)
        model = st.Model.of(world)
        markers = {one.name: [at.name for at in one.markers] for one in model.bodies}
        assert [one.name for one in model.markers][0] == "line second"
        assert markers["plate"][:4] == ["push at", "turned", "push at 2", "line first"]
        assert markers["rod"][0] == "same point frame"
        twin = st.Model.loads(model.dumps("toml"), "toml").build()
        assert twin.state_hash() == world.state_hash() and st.Model.of(twin) == model
        copy = world.copy()
        for one in (copy, twin):
            one.step(30)
        # a step warm starts from the one before, of which a model knows nothing
        assert np.allclose(twin.positions, copy.positions, rtol=0, atol=1e-6 if moved else 1e-12)


def test_an_axis_is_told_where_it_says_all():
    """Describe a rotational spring by its axis before bodies have turned, by frames on them later."""
    world = st.World(gravity=(0, 0, 0), planar="xz")
    body = world.add_body(st.Sphere(0.3), angular_velocity=(0, 3, 0), name="trunk")
    world.add_load(st.RotationalSpring(body, None, axis=(0, -1, 0), stiffness=3.0), name="upright")
    model = st.Model.of(world)
    assert (model.forces[0].first, model.forces[0].axis) == ("trunk", (0.0, -1.0, 0.0))
    assert not model.markers and not model.bodies[0].markers
    world.step(10)
    model = st.Model.of(world)
    assert model.forces[0].axis is None and model.forces[0].first == "trunk:upright first"
    twin = model.build()
    for one in (world, twin):
        one.step(10)
    assert twin.positions.tobytes() == world.positions.tobytes()


NET = """
[params]
rate = 3
size = 4
[bodies.a]
mass = 1
inertia = 1
[bodies.b]
mass = 1
inertia = 1
position = [1, 0, 0]
[bodies.c]
mass = 2
inertia = 1
position = [0, 1, 0]
[markers]
hook = [0, 0, 3]
[forces.net]
type = "spring_network"
points = ["a", "b", "c", "hook"]
springs = [[0, 1], [1, 2], [0, 2], [2, 3]]
each_stiffness = [10, 20, 30, "10*size"]
damping = 0.5
[forces.shake]
type = "force"
at = "b"
force = [0, "size", 0]
factor = "sin(tau*rate*t)**2"
[forces.wheel]
type = "torque"
body = "c"
torque = [0, 0, 1]
factor = "exp(-t/2)"
"""


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_nets_and_forces_that_change_with_the_time(form):
    """Move as by calls, from each format and from a description; let factors name parameters."""
    model = st.Model.loads(st.Model.loads(NET).dumps(form), form)
    world, other = model.build(), st.World()
    a, b = (other.add_body(mass_properties=st.MassProperties(1.0, (0,) * 3, (1,) * 3, (1, 0, 0, 0)),
            position=(x, 0, 0)) for x in (0, 1))  # fmt: skip
    c = other.add_body(
        mass_properties=st.MassProperties(2.0, (0, 0, 0), (1, 1, 1), (1, 0, 0, 0)), position=(0, 1, 0)
    )
    springs = [(0, 1), (1, 2), (0, 2), (2, 3)]
    other.add_load(st.SpringNetwork([a, b, c, (0, 0, 3)], springs, [10, 20, 30, 40], damping=0.5))
    other.add_load(lambda k: k.force(b, (0, 4 * np.sin(2 * np.pi * 3 * k.time) ** 2, 0)))
    other.add_load(lambda k: k.torque(c, (0, 0, np.exp(-k.time / 2))))
    twin = st.Model.of(world).build()
    assert st.Model.of(twin) == st.Model.of(world)
    for one in (world, twin, other):
        one.step(100)
    assert twin.state_hash() == world.state_hash()
    np.testing.assert_allclose(world.positions, other.positions, rtol=0, atol=1e-13)
    np.testing.assert_allclose(world.quaternions, other.quaternions, rtol=0, atol=1e-13)
    slow = model.build({"rate": 0.25, "size": 1}).load("shake").kind
    assert (slow.factor, slow.force) == ("sin(tau * 0.25 * t) ** 2", (0.0, 1.0, 0.0))


def test_planes_and_models_within_models():
    """Take two numbers for forces in a plane, one for torques; prefix names of models within models."""
    flat = """
[world]
planar = "xz"
[bodies.a]
mass = 1
inertia = 1
[forces.push]
type = "force"
at = "a"
force = [1, 2]
[forces.turn]
type = "torque"
body = "a"
torque = 3
[forces.upright]
type = "rotational_spring"
first = "a"
stiffness = 7
"""
    world = st.Model.loads(flat).build()
    assert world.load("push").kind.force == (1.0, 0.0, 2.0)
    np.testing.assert_allclose(world.load("turn").kind.torque, (0.0, -3.0, 0.0))
    world.body("a").quaternion = world.plane.quaternion(0.1)
    world.load("turn").enabled = world.load("push").enabled = False
    world.step()
    assert world.plane.motion(world.body("a")).angular_velocity == pytest.approx(-0.7 * 0.01, rel=1e-3)
    inner = st.Model.loads(MACHINE)
    outer = st.Model(models=(st.engine.model.SubModel(name="left", model=inner),))
    forces = {one.name: one for one in outer.flat().forces}
    assert forces["left/line"].first == "left/a" and forces["left/line"].second == "left/hook"
    assert forces["left/motor"].joint == "left/hinge" and forces["left/push"].frame == "local"
    outer.build().step()


WRONG = [
    ('type = "force"\nat = "a:tip"', 'type = "forse"\nat = "a:tip"', "forse.*did you mean"),
    ('at = "a:tip"', 'at = "a:top"', "a:top.*did you mean"),
    ('joint = "hinge"\ntorque', 'joint = "hing"\ntorque', "hing.*did you mean"),
    ('at = "a:tip"\nforce', 'at = "a:tip"\nrest = 2\nforce', "rest is no key of a force"),
    ('force = "pull"', "force = [1, 2]", "one number"),
    ("force = [9, 9, 9]", "force = [9, 9]", "three numbers"),
    ('body = "b"\ntorque = [0.1, 0, 0]', 'body = "b"', "torque is missing"),
    ("power = 1.5", "power = -1", "power"),
    ('frame = "local"', 'frame = "lokal"', "lokal"),
    ("force = [9, 9, 9]", "forse = [9, 9, 9]", "forse.*did you mean"),
    ('law = { type = "restriction', 'law = { type = "restricsion', "restricsion.*did you mean"),
    ("compression = 0.05, damp", "damp", "forces.knock: a restriction_contact needs compression"),
    ('{ type = "restriction_contact"', '{ type = "restriction_contact", level = 2', "level = 2"),
    (
        '{ type = "restriction_contact", max_force = "10*pull", compression = 0.05, damping = 1.5 }',
        '{ type = "coulomb", dynamic = 0.3 }',
        "forces.knock: ContactStop: law = .* must be a ContactLaw",
    ),
    (
        "force = [9, 9, 9]",
        'force = [9, 9, 9]\nfactor = "sin(pul*t)"',
        "factor: 'pul' is no .* mean pull",
    ),
    ("force = [9, 9, 9]", 'force = [9, 9, 9]\nfactor = "sin(t"', "factor.*no expression"),
    ("power = 1.5", 'power = 1.5\nfactor = "t"', "factor is no key of a spring_damper"),
    ("force = [9, 9, 9]", "force = [9, 9, 9]\nparameters = { a = 1 }", "has no a"),
]


@pytest.mark.parametrize(("old", "new", "told"), WRONG)
def test_wrong_loads_are_told(old, new, told):
    """Say where, what is wrong, and what is near."""
    assert old in MACHINE
    with pytest.raises(st.ModelError, match=told):
        st.Model.loads(MACHINE.replace(old, new)).build()


def test_all_ready_made_loads_have_a_type():
    """Have each class of loads in models."""
    public = {name for name in dir(st) if isinstance(getattr(st, name), type)}
    loads = {name for name in public if issubclass(getattr(st, name), st.engine.forces.constant.ReadyLoad)}
    assert loads - {one.__name__ for one in LOADS.values()} == set()


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_stops_by_a_law_of_contact(form):
    """Knock at either bound as the world that was described, to the bit, whatever the law is."""
    laws = [
        st.RestrictionContact(max_force=50.0, compression=0.03, damping=1.5, level=0.9),
        st.BarrierContact(max_force=20.0, compression=0.01, thickness=0.1, damping=0.5),
        st.HertzContact(4e3, damping=0.1),
        st.SpringDashpotContact(300.0, 2.0),
    ]
    world = st.World(time_step=0.001)
    for i, law in enumerate(laws):
        shank = world.add_body(st.Box((0.1, 0.1, 0.4)), position=(i, 0, 0), mass=6.0)
        knee = world.add_joint(st.Hinge((i, 0, 0.2), (0, 1, 0)), shank, name=f"knee {i}")
        shank.velocity, shank.angular_velocity = (-0.4, 0, 0), (0, 2.0, 0)
        world.add_load(st.ContactStop(knee, law, lower=-0.1, upper=0.2), name=f"knock {i}")
    model = st.Model.loads(st.Model.of(world).dumps(form), form)
    twin = model.build()
    assert [load.kind.law for load in twin.loads] == laws
    hit = np.zeros(len(laws))
    for _ in range(600):
        for one in (world, twin):
            one.step()
        hit = np.maximum(hit, [abs(load.effort) for load in world.loads])
    assert twin.state_hash() == world.state_hash()
    assert (hit > 1.0).all()


def test_vectors_turn_with_a_turned_model():
    """Turn forces of the world with a model within the model, and leave those of other frames."""
    inner = st.Model.loads(
        """
[world]
gravity = [0, 0, 0]
[bodies.a]
mass = 2.0
inertia = [1, 1, 1]
markers = { tip = [1, 0, 0] }
[forces.f]
type = "force"
at = "a:tip"
force = [6, 0, 0]
[forces.g]
type = "force"
at = "a"
force = [0, 4, 0]
frame = "a:tip"
"""
    )
    quarter = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))
    turned_model = st.engine.model.SubModel(name="left", model=inner, position=(0, 0, 3), quaternion=quarter)
    world = st.Model(name="outer", models=(turned_model,), world=inner.world).build()
    world.step()
    assert [load.name for load in world.loads] == ["left/f", "left/g"]
    assert np.allclose(world.load("left/f").force, (0, 6, 0))
    assert np.allclose(world.load("left/g").force, (-4, 0, 0), atol=1e-3)


FEET = """
[world]
time_step = 0.0005
[bodies.floor]
kind = "static"
shapes = [{ type = "half_space" }]
[bodies.foot]
mass = 2.0
inertia = [0.02, 0.02, 0.02]
position = [0, 0, 0.1]
axis_angle = [0, 0, 1, 0.3]
[bodies.foot.markers.heel]
position = [-0.1, -0.05, -0.1]
axis_angle = [0, 1, 0, 0.5]
[bodies.foot.markers.toe]
position = [0.1, -0.05, -0.1]
[bodies.foot.markers.side]
position = [0, 0.1, -0.1]
[forces.ground]
type = "point_contact"
points = ["foot:heel", "foot:toe", "foot:side"]
ground = "floor"
"""
POWER = {"stiffness": 1e7, "damping": 3e6, "hold": 1e6, "friction": 0.6}
# no number is the default
STICK_SLIP = {
    **{"stiffness": 2e4, "damping": 5.0, "depth_damping": 3e5, "hold": 1e5, "drag": 1e3},
    **{"twist_stiffness": 150.0, "twist_damping": 15.0, "friction": 0.6, "static_friction": np.inf},
    **{"viscous_friction": 2.0, "torsional_friction": 0.01, "static_torsional_friction": 0.02},
    **{"stick_speed": 2e-3, "stick_rate": 40.0},
}


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
@pytest.mark.parametrize(("kind", "law"), [(st.PointContact, POWER), (st.StickSlipContact, STICK_SLIP)])
def test_points_of_contact_are_markers(kind, law, form):
    """Stand on three markers, one of them with a frame of its own, after a way through each format."""
    text = FEET.replace("point_contact", type_name(kind)) + "".join(f"{k} = {v}\n" for k, v in law.items())
    model = st.Model.loads(text)
    worlds = [model.build(), st.Model.loads(st.Model.of(model.build()).dumps(form), form).build()]
    for world in worlds:
        made = world.load("ground").kind
        assert type(made) is kind and {name: getattr(made, name) for name in law} == law
        efforts = []
        for _ in range(1000):
            world.step()
            efforts.append(world.load("ground").effort)
        assert np.shape(efforts) == (1000, 3)
        # it swings on, around what carries it
        assert np.sum(efforts, axis=1).mean() == pytest.approx(2 * 9.81, rel=0.1)
        assert 0.07 < world.body("foot").position[2] < 0.1
    assert np.allclose(worlds[0].positions, worlds[1].positions, rtol=0, atol=1e-9)
    with pytest.raises(st.ModelError, match="forces.ground.points: 'foot:hell' is no body or marker"):
        st.Model.loads(text.replace('"foot:heel"', '"foot:hell"'))
