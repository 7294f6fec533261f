"""Names that are wrong are refused at once, and the error names the right one."""

import copy
import inspect
import pickle
import re
import weakref
from dataclasses import FrozenInstanceError, replace

import pytest

import stoss as st
import stoss.collision
import stoss.engine
from tests.engine.worlds import world_with_floor


def world_of_all() -> tuple:
    """Return a world, a body, a hinge, a limit, a servo and a controller."""
    world = world_with_floor()
    body = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 3), name="cube")
    joint = world.add_joint(st.Hinge((0, 0, 3), (1, 0, 0)), None, body, name="hinge")
    limit = joint.limit(-1, 1)
    servo = joint.servo(0.5, stiffness=10.0, damping=1.0)
    return world, body, joint, limit, servo, joint.pid(0.0, gain=1.0)


CALLS = [
    (lambda w, b, j: st.World(dt=0.01), ["World", "dt", "0.01", "time_step"]),
    (lambda w, b, j: st.World(timestep=0.01), ["World", "timestep", "did you mean time_step"]),
    (lambda w, b, j: st.World(g=(0, 0, -9.81)), ["World", "did you mean gravity"]),
    (lambda w, b, j: st.Box(1, 1, 1), [r"Box\(1, 1, 1\)", "size", r"Box\(\(1, 1, 1\)\)"]),
    (lambda w, b, j: st.Ellipsoid(1, 2.0, 3), ["radii", r"Ellipsoid\(\(1, 2.0, 3\)\)"]),
    (lambda w, b, j: st.Box(half_extents=(1, 1, 1)), ["half_extents", "size", "twice the half extents"]),
    (lambda w, b, j: st.Sphere(r=1), ["Sphere", "r ", "did you mean radius"]),
    (lambda w, b, j: st.Sphere(diameter=1), ["radius, half the diameter"]),
    (lambda w, b, j: st.Sphere(), ["Sphere: radius is missing"]),
    (lambda w, b, j: st.Sphere(1, 2), [r"Sphere\(1, 2\)", "it takes radius"]),
    (lambda w, b, j: st.Capsule(0.5, height=1), ["height", "did you mean length"]),
    (lambda w, b, j: st.HalfSpace(0, 0, 1), [r"HalfSpace\(\(0, 0, 1\)\)"]),
    (lambda w, b, j: st.TriangleMesh([], triangles=[]), ["triangles", "did you mean faces"]),
    (lambda w, b, j: w.step(dt=0.01), ["step", "dt", "count", "world.time_step"]),
    (lambda w, b, j: w.step(0.01), ["count = 0.01", "time_step, 0.01 s"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), pos=(0, 0, 1)), ["pos", r"\(0, 0, 1\)", "position"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), orn=(1, 0, 0, 0)), ["orn", "did you mean quaternion"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), static=True), ["static", 'did you mean kind="static"']),
    (lambda w, b, j: w.add_body(st.Sphere(1), kinematic=True), ['did you mean kind="kinematic"']),
    (lambda w, b, j: w.add_body(st.Sphere(1), vel=(0, 0, 1)), ["did you mean velocity"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), angularVelocity=(0, 0, 1)), ["mean angular_velocity"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), positon=(0, 0, 1)), ["did you mean position"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), (0, 0, 1)), ["2 values", "position, .* by name"]),
    (lambda w, b, j: w.add_body(st.Sphere(1), shapes=st.Sphere(1)), ["shapes", "given twice"]),
    (lambda w, b, j: w.add_joint(), ["kind is missing"]),
    (lambda w, b, j: w.add_joint(st.Ball((0, 0, 0)), parent=None, child=b), ["parent", "mean first"]),
    (lambda w, b, j: st.Hinge(anchor=(0, 0, 1), axis=(0, 0, 1)), ["Hinge", "anchor", "mean point"]),
    (lambda w, b, j: st.Settings(iterations=3), ["Settings", "iterations", "mean sweeps"]),
    (lambda w, b, j: replace(st.Settings(), sweps=3), ["sweps", "mean sweeps"]),
    (lambda w, b, j: st.Material(mu=0.3), ["Material", "mu", "mean friction"]),
    (lambda w, b, j: st.Material(elasticity=0.3), ["mean restitution"]),
    (lambda w, b, j: j.motor(speed=3), ["Joint.motor", "speed", "mean velocity"]),
    (lambda w, b, j: j.servo(1, kp=3, kd=1), ["kp", "mean stiffness"]),
    (lambda w, b, j: j.limit(min=0), ["min", "mean lower"]),
    (lambda w, b, j: b.apply_force(1, 2, 3), [r"Body.apply_force\(\(1, 2, 3\)\)"]),
    (lambda w, b, j: b.apply_force(), ["force is missing"]),
    (lambda w, b, j: st.from_values(1), ["from_values: inertia is missing"]),
    (lambda w, b, j: w.ray_cast((0, 0, 1), (0, 0, 1), max_length=3), ["mean max_distance"]),
    (lambda w, b, j: st.rotation.from_axis_angle((0, 0, 1), deg=30), ["mean degrees"]),
]


@pytest.mark.parametrize(("call", "words"), CALLS, ids=[str(words) for _, words in CALLS])
def test_wrong_arguments_are_explained(call, words):
    """Name the argument that is meant, missing or too many, and the value that was given."""
    world, body, joint, *_ = world_of_all()
    before = world.state_hash(), len(world.bodies), len(world.joints)
    with pytest.raises(TypeError) as caught:
        call(world, body, joint)
    for word in words:
        assert re.search(word, str(caught.value)), (word, str(caught.value))
    assert before == (world.state_hash(), len(world.bodies), len(world.joints))


def test_attributes_that_do_not_exist_are_refused():
    """Refuse to assign what a handle or a world does not have, and name what is meant."""
    world, body, joint, limit, servo, controller = world_of_all()
    for thing, name, meant in [
        (body, "pos", "position"),
        (body, "velocty", "velocity"),
        (body, "orientation", "quaternion"),
        (body, "omega", "angular_velocity"),
        (body, "owner", "dict"),
        (joint, "angle", "value, which is read"),
        (joint, "enable", "enabled"),
        (limit, "max", "upper"),
        (servo, "kp", "stiffness"),
        (controller, "targt", "target"),
        (world, "gravty", "gravity"),
        (world, "dt", "time_step"),
        (world, "setings", "settings"),
        (world.report, "engery", "energy"),
        (st.Material(), "frction", "friction"),
        (st.Settings(), "sweps", "sweeps"),
        (st.Box((1, 1, 1)), "half_extents", "size"),
        (st.Hinge((0, 0, 0), (1, 0, 0)), "anchor", "point"),
        (st.Placed(st.Sphere(1)), "pos", "position"),
    ]:
        with pytest.raises(AttributeError, match=f"{type(thing).__name__} has no attribute {name} .*{meant}"):
            setattr(thing, name, (0, 0, 1))
        if meant != "dict":
            with pytest.raises(AttributeError, match=f"has no attribute {name}.*{meant.split(',')[0]}"):
                getattr(thing, name)
        assert not hasattr(thing, name)
    for thing, name in [
        (body, "index"),
        (body, "inertia"),
        (joint, "value"),
        (joint, "kind"),
        (world, "masses"),
        (world, "ledger"),
        (limit, "force"),
        (servo, "coordinate"),
        (world.report, "energy"),
    ]:
        with pytest.raises(AttributeError, match=f"{name} = 1 cannot be assigned"):
            setattr(thing, name, 1)
    for thing, name in [(st.Settings(), "sweeps"), (st.Material(), "friction"), (st.Sphere(1), "radius")]:
        with pytest.raises(FrozenInstanceError, match=f"{name} = 3: .*replace"):
            setattr(thing, name, 3)


def test_handles_have_slots():
    """Give handles no room for anything else, and keep what a handle is good for."""
    for handle in world_of_all()[1:]:
        assert not hasattr(handle, "__dict__")
        assert weakref.ref(handle)() is handle and len({handle: 1}) == 1


def test_errors_from_within_a_call_stay_as_they_are():
    """Explain calls that do not fit, and nothing that goes wrong within one that fits."""
    world = world_of_all()[0]

    def wrong(_):
        return len(5)

    world.before_step.append(wrong)
    with pytest.raises(TypeError, match="object of type 'int' has no len"):
        world.step()

    class Broken(st.JointKind):
        def parts(self, middle=(0, 0, 0)):
            raise AttributeError("my own fault")

    with pytest.raises(AttributeError, match="my own fault"):
        world.add_joint(Broken(), None, world.body("cube"))


def test_world_attributes_are_checked():
    """Refuse callbacks, times and counts that are none, and take good ones."""
    world = world_of_all()[0]
    for name, value in [
        ("before_step", 5),
        ("after_step", [5]),
        ("time", "now"),
        ("time", float("nan")),
        ("step_count", -1),
        ("step_count", 1.5),
        ("events", None),
        ("broken_joints", 3),
    ]:
        with pytest.raises((TypeError, ValueError), match=f"^{name} = "):
            setattr(world, name, value)
    calls = []
    world.before_step = [calls.append]
    world.time, world.step_count = 2, 7
    world.step()
    assert calls == [world] and world.time == pytest.approx(2.01) and world.step_count == 8


def test_everything_says_what_it_is():
    """Show worlds, bodies, joints, limits and drives in one line, those that were removed too."""
    world, body, joint, limit, servo, _ = world_of_all()
    assert repr(world) == "<World of 2 bodies and 1 joint, step 0, time 0 s>"
    assert repr(body) == "<Body 'cube', dynamic, 1000 kg, at (0, 0, 3)>"
    assert repr(world.body("floor")).startswith("<Body 'floor', static, at (")
    assert repr(joint) == "<Joint 'hinge', Hinge of the world and 'cube'>"
    assert repr(limit) == "<Limit on 'angle' of joint 'hinge'>"
    joint.enabled = False
    assert "disabled" in repr(joint)
    servo.remove()
    assert repr(servo) == "<Drive on 'angle' of joint 'hinge', removed>"
    world.remove_body(body)
    assert repr(body) == "<Body 'cube', removed>"
    assert repr(joint) == "<Joint 'hinge', Hinge, removed>" and "removed" in repr(limit)


def test_all_public_classes_and_functions_are_closed():
    """Explain wrong calls of everything that the packages give away, also of what is added later."""
    for package in (stoss.engine, stoss.collision):
        for name in package.__all__:
            thing = getattr(package, name)
            if name in ("ShapeTable", "Contacts", "Actuator", "Controller", "Sensor"):
                continue  # arrays for kernels; what users derive their own classes from
            if inspect.isclass(thing) and not issubclass(thing, BaseException | tuple):
                assert thing.__setattr__ is not object.__setattr__, f"{name}: @closed"
            elif inspect.isfunction(thing):
                assert hasattr(thing, "__wrapped__"), f"{name}: @takes_names"


def test_closed_things_can_be_copied():
    """Copy and pickle descriptions that refuse attributes."""
    for thing in (
        st.Settings(sweeps=3),
        st.Material(friction=0.1),
        st.Box((1, 2, 3)),
        st.Hinge((0, 0, 0), (1, 0, 0)),
        st.Placed(st.Sphere(1), (1, 0, 0)),
    ):
        assert copy.deepcopy(thing) == thing == pickle.loads(pickle.dumps(thing))
