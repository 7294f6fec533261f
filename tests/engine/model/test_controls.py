"""Controllers of joints in models: `control` is a servo, which holds the pose in which the model begins."""

import math

import pytest

import stoss as st

ARM = """
[world]
planar = "xy"
gravity = [0, 0]
[params]
kp = 30
[bodies.post]
kind = "static"
markers = { top = [0, 1] }
[bodies.arm]
mass = 2
inertia = 0.5
markers = { shoulder = [-0.5, 0] }
force = [0, -4]
[joints.shoulder]
type = "hinge"
first = "post:top"
second = "arm:shoulder"
control = { kp = "kp", ki = "2*kp", kd = 5 }
[initial]
angles = { arm = "deg(30)" }
"""


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_a_control_holds_where_the_model_begins(form):
    """Take the pose after the assembly as its target, in all formats, and build the same worlds."""
    model = st.Model.loads(st.Model.loads(ARM).dumps(form), form)
    world = model.build()
    servo = world.actuators["shoulder"]
    assert servo.target == pytest.approx(math.radians(30.0)) and servo.implicit
    assert (servo.kp, servo.ki, servo.kd) == (30.0, 60.0, 5.0)
    assert model.build({"kp": 50.0}).actuators["shoulder"].ki == 100.0
    world.step(1500)
    assert world.joint("shoulder").value == pytest.approx(math.radians(30.0), abs=1e-6)  # the integral has it
    other = st.Model.loads(ARM).build()
    other.step(1500)
    assert other.state_hash() == world.state_hash()


def test_worlds_with_servos_are_described():
    """Describe servos as controls, so that the model moves the same, and tell of those that are more."""
    text = ARM.replace("kd = 5 }", "kd = 5, target = 0.2, limit = 3, implicit = false, enabled = true }")
    world = st.Model.loads(text).build()
    model = st.Model.of(world)
    (action,) = model.joints[0].actions
    assert (action.type, action.target, action.limit, action.implicit) == ("control", 0.2, 3.0, False)
    twin = model.build()
    for one in (world, twin):
        one.step(100)
    assert twin.state_hash() == world.state_hash()
    with pytest.raises(st.ModelError, match="actuator 'shoulder'"):
        st.Model.of(world)  # its integral is no number of a model
    left = st.Model.of(world, strict=False)
    assert left.joints[0].actions == () and "actuator 'shoulder'" in left.left_out
    moving = st.Model.loads(ARM.replace('control = { kp = "kp", ki = "2*kp", kd = 5 }', "")).build()
    moving.add_actuator(st.Servo(moving.joint("shoulder"), kp=1.0, target=math.sin), name="path")
    assert "actuator 'path'" in st.Model.of(moving, strict=False).left_out


WRONG = [
    ("kp = -1", "kp"),
    ("kp = 1, kq = 2", "no key .kq.; known"),
    ("kp = 1, stiffness = 2", "stiffness"),
    ("kp = 1, times = [0, 1], values = [0, 1]", "schedule"),
    ("kp = 1, coordinate = 'way'", "way"),
    ("ki = 1", "kp"),
]


@pytest.mark.parametrize(("said", "told"), WRONG)
def test_wrong_controls_are_told(said, told):
    """Say where, what is wrong, and the nearest key."""
    with pytest.raises(st.ModelError, match=told):
        st.Model.loads(ARM.replace('kp = "kp", ki = "2*kp", kd = 5', said)).build()


def test_two_controls_of_one_joint():
    """Call the second controller of a joint after its coordinate."""
    text = ARM.replace('control = { kp = "kp", ki = "2*kp", kd = 5 }', "control = [{ kp = 1 }, { kd = 2 }]")
    assert list(st.Model.loads(text).build().actuators) == ["shoulder", "shoulder angle"]
