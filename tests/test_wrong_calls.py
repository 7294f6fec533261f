"""A hundred wrong calls: an error at once, in one line, that names the cure."""

import inspect
import re
from collections.abc import Callable

import numpy as np
import pytest

import stoss as st
from stoss.foreign_names import REMARKS

BALL, BOX, FLAT = "st.Sphere(1)", "st.Box((1, 1, 1))", "st.HalfSpace()"
HINGE = "world.add_joint(st.Hinge((0, 0, 3), (0, 0, 1)), None, body)"

# What is called, with a world and a body in it, and the part of the message that tells how to do it right.
WRONG = """
st.Box(1, 1, 1)                                       | Box((1, 1, 1))
st.Box(1)                                             | give 3 numbers
st.Box((1, -1, 1))                                    | above zero [m]
st.Box((1, 1))                                        | give 3 numbers
st.Sphere(0)                                          | above zero [m]
st.Sphere("big")                                      | must be a finite number, above zero [m]
st.Sphere(diameter=1)                                 | half the diameter
st.Capsule(1, -1)                                     | above zero [m]
st.Cylinder("1", 2)                                   | above zero [m]
st.Cylinder(1, height=2)                              | did you mean length
st.Ellipsoid(1)                                       | give 3 numbers
st.HalfSpace((0, 0, 0))                               | longer than zero
st.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0)])      | at least four points
st.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [[0, 1, 7]]) | number them from 0
st.TriangleMesh.from_file("no.stl")                   | there is no such file
st.decompose("nochair.stl")                           | there is no such file
world.add_body(BALL, mass=0)                          | above zero [kg]
world.add_body(BALL, mass=-1)                         | above zero [kg]
world.add_body(BALL, mass=1, density=2)               | give exactly one of them
world.add_body(FLAT)                                  | make the body static
world.add_body(BALL, kind="fixed")                    | choose one of static, kinematic, dynamic
world.add_body(BALL, quaternion=(0, 0, 0, 2))         | divide it by its length
world.add_body(BALL, quaternion=(0, 0, 0, 0))         | (1, 0, 0, 0) is no rotation
world.add_body(BALL, position=(0, 0))                 | give 3 numbers
world.add_body(BALL, position=(0, 0, NAN))            | give finite numbers
world.add_body(BALL, pos=(0, 0, 1))                   | did you mean position
world.add_body(BALL, name="body")                     | names of bodies are unique
world.add_body(position=(0, 0, 1))                    | give a shape
world.add_body(shape=BALL)                            | did you mean shapes?
world.add_body(BALL, BOX)                             | give position
world.add_body(st.Sphere)                             | call it
world.add_body(st.TriangleMesh(EYE, [[0, 1, 2]]))     | make the body static
world.add_body(BALL, color="reddish")                 | '#ff8800'
world.add_body(BALL, material=0.5)                    | Material(friction=0.5)
world.add_bodies(BALL, [(0, 0)])                      | shape (n, 3)
world.add_bodies(BALL, [(0, 0, 1)], name="ball")      | did you mean names?
world.body("bod")                                     | did you mean 'body'
world.joint("x")                                      | there is no joint 'x'
world.step(0)                                         | at least 1
world.step(-1)                                        | at least 1
world.step("a")                                       | at least 1
world.step(dt=0.01)                                   | world.time_step says how long
world.step(0.01)                                      | a step is as long as world.time_step
world.remove_body(st.World().add_body(BALL))          | belongs to another
world.restore(3)                                      | which world.save() returns
world.exclude_collision(body, None)                   | body
world.set_material_pair(st.Material(), 3, friction=1) | such as Material(name='ice')
world.ray_cast((0, 0, 1), (0, 0, 0))                  | longer than zero
world.ray_cast((0, 0, 1), (0, 0, 1), kinds=("fixed",)) | choose one of static, kinematic, dynamic
world.overlap(FLAT, (0, 0, 0))                        | must be a convex solid
world.positions.__setitem__(0, 1)                     | world.positions = array
world.add_joint(body, None, st.Ball((0, 0, 0)))       | joint kind such as Ball((0, 0, 1))
world.add_joint("hinge", None, body)                  | joint kind such as Ball((0, 0, 1))
world.add_joint(st.Ball((0, 0, 0)), None, None)       | give two different bodies
world.add_joint(st.Ball((0, 0, 0)), None, st.World().add_body(BALL)) | give a body of this world
world.add_joint(st.Ball((0, 0, 3)), None, body).motor(1.0) | give one of 'swing', 'twist'
HINGE.limit(1, -1)                                    | below the upper one
HINGE.limit()                                         | give at least one of them
HINGE.motor(rate=1)                                   | it takes velocity
HINGE.servo(1, stiffness=-1, damping=1)               | at least 0
HINGE.servo(1, stiffness=1)                           | damping is missing
HINGE.angle                                           | did you mean value
st.Hinge((0, 0, 0))                                   | axis is missing
st.Hinge((0, 0, 0), (0, 0, 0))                        | a vector that is not zero
st.Slider((0, 0, 0))                                  | axis is missing
st.Gear(1, 2, ratio=0)                                | must be a joint, or the name of one
st.World(gravity=-9.81)                               | give 3 numbers
st.World(gravity=(0, -981))                           | give 3 numbers
st.World(time_step=0)                                 | above zero [s]
st.World(dt=0.01)                                     | did you mean time_step?
st.World(settings=3)                                  | Settings
st.Settings(sweep=3)                                  | did you mean sweeps
st.Settings(sweeps=0)                                 | at least 1
st.Settings(solver="pgs")                             | choose one of auto, direct, gauss_seidel
st.Settings(impact_law="elastic")                     | choose one of newton, poisson, stronge
st.Material(friction=-1)                              | at least 0
st.Material(friction="rough")                         | at least 0
st.Material(restitution=1.5)                          | 0 to 1
st.Material(mu=0.5)                                   | did you mean friction
st.rotation.from_euler("abc", (1, 2, 3))              | one to three of x, y, z
st.from_shapes([])                                    | give at least one
st.Snapshot.read("nothing.npz")                       | nothing.npz is not there
st.SCENES["stak"]                                     | did you mean stack
st.SCENES["stack"].build(bodes=3)                     | did you mean bodies?
st.SCENES["stack"].build(bodies="many")               | must be a whole number
st.Wrld                                               | did you mean World?
st.Plane                                              | it is called HalfSpace here
st.picture(world, quality="best")                     | choose from low, medium, high
st.picture(world, size=(0, 0))                        | at least 1
st.picture(world, overlays=["contact"])               | did you mean contacts?
st.show(world, panels=("Foo",))                       | choose from Scenes, Body
st.show(3)                                            | must be a World
st.render(world, "x.xyz")                             | name it x.png
st.export(world, "x.obj")                             | name it x.html
st.export("stak", "x.html")                           | did you mean stack?
body.pos                                              | did you mean position?
body.angle                                            | did you mean quaternion
body.apply_force(1)                                   | give 3 numbers
body.apply_impulse((1, 0))                            | give 3 numbers
body.move_to((0, 0, 1))                               | apply forces, or set its velocity
world.gravity = (0, 0)                                | give 3 numbers
body.pos = (0, 0, 1)                                  | did you mean position?
body.rotation = (1, 0, 0, 0)                          | did you mean quaternion?
body.velocty = (1, 0, 0)                              | did you mean velocity
body.position = (0, 1)                                | give 3 numbers
body.position = "up"                                  | must be 3 numbers
body.velocity = (0, 0, NAN)                           | give finite numbers
body.kind = "fixed"                                   | choose one of static, kinematic, dynamic
body.color = "reddish"                                | '#ff8800'
body.mass = 0                                         | above zero [kg]
body.mass = "heavy"                                   | above zero [kg]
body.material = 0.5                                   | Material(friction=0.5)
st.load_urdf("arm.urdf")                              | did you mean Model.load(path).build()
st.from_mjcf("arm.xml")                               | did you mean Model.load(path).build()
st.PinJoint                                           | it is called Distance here
st.Circle(1)                                          | it is called Sphere here
st.plot(world)                                        | whose recording has plot()
st.animate(world)                                     | did you mean film(world)
st.version                                            | did you mean __version__?
st.World(dim=2)                                       | World(planar='xz')
st.build_humanoid(world, stature=1.8)                 | it takes world, human
st.picture(world, "a.png")                            | render(world, path) writes a file
st.Recorder(world, "body.z")                          | did you mean body.body.velocity.z
st.Hinge(body, None, (0, 0, 1))                       | bodies are given to world.add_joint
world.add_joint(body, st.Ball((0, 0, 1)))             | the kind comes first
world.add_joint(st.Ball((0, 0, 1)), "body")           | world.body(name) finds one
world.add_body(BALL, friction=0.5)                    | stoss.Material(friction=0.5)
world.add_ground()                                    | add_body(stoss.HalfSpace(), kind="static")
world.add_box((1, 1, 1))                              | add_body(shape, ...)
world.run(1.0)                                        | did you mean step(count)
world.reset()                                         | world.save()
world.render()                                        | stoss.picture(world) draws
world.energy                                          | did you mean report.energy
world.num_bodies                                      | did you mean bodies?
world.get_body("body")                                | did you mean body?
world.save("x.npz")                                   | world.save().write(path)
world.restore("x.npz")                                | Snapshot.read(path)
body.friction = 0.3                                   | stoss.Material(friction=0.5)
body.set_position((0, 0, 1))                          | did you mean position?
body.remove()                                         | world.remove_body(body)
body.apply_force((0, 0, 1), local=True)               | stoss.rotation.rotate(body.quaternion
HINGE.velocity                                        | did you mean rate
HINGE.value = 0.5                                     | Articulation(world).set_state(q)
HINGE.torque = 0.5                                    | stoss.TorqueActuator
world.bodies = []                                     | world.add_body
st.MotionView(3, 4)                                   | must be an Articulation
st.Motion.load("walk.mot")                            | Motion(names, times, q) takes
HINGE.set_target(1.0)                                 | did you mean servo(
HINGE.apply_torque(1.0)                               | stoss.TorqueActuator(joint)
HINGE.motor(np.array([1.0]))                          | value.item()
"""
CASES = [[part.strip() for part in line.rsplit(" | ", 1)] for line in WRONG.strip().splitlines()]


def told(action: Callable[[], object]) -> str:
    """Return the message of the error that an action raises."""
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError, OSError)) as error:
        action()
    return str(error.value)


@pytest.mark.parametrize(("code", "cure"), CASES, ids=[code for code, _ in CASES])
def test_wrong_calls_get_one_line_with_the_cure(tmp_path, monkeypatch, code, cure):
    monkeypatch.chdir(tmp_path)
    for name, meaning in {"BALL": BALL, "BOX": BOX, "FLAT": FLAT, "HINGE": HINGE}.items():
        code = code.replace(name, meaning)
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    body = world.add_body(st.Sphere(1), position=(0, 0, 3), name="body")
    names = {"st": st, "world": world, "body": body, "NAN": float("nan"), "EYE": np.eye(3), "np": np}
    before = world.state_hash(), len(world.bodies), len(world.joints)
    message = told(lambda: exec(code, names))
    assert cure in message and "\n" not in message, message
    # a joint that was rightly added before it was wrongly used
    made = len(world.joints) if "(0, 0, 3))" in code or HINGE in code else 0
    assert (world.state_hash(), len(world.bodies), len(world.joints) - made) == before, (
        "something was changed"
    )
    assert [*tmp_path.iterdir()] == []


def test_every_public_function_explains_its_calls():
    """Name the argument that there is not, and those that there are, in each function of `stoss`."""
    functions = [getattr(st, name) for name in st.__all__ if inspect.isfunction(getattr(st, name))]
    assert len(functions) > 20
    for function in functions:
        message = told(lambda function=function: function(no_such_argument=1))
        assert "there is no argument no_such_argument (= 1)" in message and "it takes" in message


def test_hints_name_what_there_is():
    """Begin each cure that says more than a name with an attribute or argument that something public has."""
    known = {*st.__all__}
    for name in st.__all__:
        thing = getattr(st, name)
        known |= {*dir(thing)} if inspect.isclass(thing) else set()
        known |= {*inspect.signature(thing).parameters} if callable(thing) else set()
    known |= {name for name in inspect.signature(st.World.add_body).parameters}
    known |= {name for name in inspect.signature(st.World.step).parameters}
    known |= {name for name in inspect.signature(st.Joint.pid).parameters}
    for word, cures in REMARKS.items():
        for cure in cures:
            assert re.split(r"\W", cure)[0] in known, (word, cure)


def test_a_removed_body_is_told():
    """Name the body that is not there any more, whatever it is used for."""
    world = st.World()
    body = world.add_body(st.Sphere(1), name="gone")
    world.remove_body(body)
    for action in (
        lambda: body.position,
        lambda: body.apply_force((1, 0, 0)),
        lambda: world.remove_body(body),
    ):
        assert "body 'gone' is not in this world" in told(action)


def test_there_are_as_many_as_were_tried():
    """Hold the calls of the first trial, and more than 50 others."""
    assert len({code for code, _ in CASES}) == len(CASES) >= 101
