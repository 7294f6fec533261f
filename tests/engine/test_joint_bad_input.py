"""Wrong joints, limits and drives are refused at once with joint, argument, value and cure."""

import re

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import (
    Ball,
    Compose,
    ConstantAngle,
    Cylindrical,
    Distance,
    Fixed,
    Free,
    Hinge,
    ParallelAxes,
    Planar,
    PointOnLine,
    PointOnPlane,
    Slider,
    Universal,
    World,
)

NAN, INF = float("nan"), float("inf")
ORIGIN, X, Y, Z = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)


def check(error, words, call):
    """Call and expect an error whose message holds all words."""
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert re.search(word, str(caught.value)), (word, str(caught.value))


KINDS = [
    (lambda: Ball((0, 0, NAN)), ValueError, ["Ball: point", "nan", "finite"]),
    (lambda: Ball((0, INF, 0)), ValueError, ["Ball: point", "inf", "finite"]),
    (lambda: Ball((1, 2)), ValueError, ["Ball: point", r"\(1, 2\)", "3 numbers"]),
    (lambda: Ball("here"), TypeError, ["Ball: point", "here", "3 numbers"]),
    (lambda: Ball(None), (TypeError, ValueError), ["Ball: point", "3 numbers"]),
    (lambda: Ball(ORIGIN, axis=ORIGIN), ValueError, ["Ball: axis", r"\(0, 0, 0\)", "not zero"]),
    (lambda: Ball(ORIGIN, axis=Z, x_axis=Z), ValueError, ["Ball: x_axis", "parallel"]),
    (lambda: Ball(ORIGIN, second_point=(0, 0, NAN)), ValueError, ["Ball: second_point", "nan"]),
    (lambda: PointOnLine(ORIGIN, (0, 0, 0)), ValueError, ["PointOnLine: axis", "not zero"]),
    (lambda: PointOnLine(ORIGIN, (0, NAN, 0)), ValueError, ["PointOnLine: axis", "nan"]),
    (lambda: PointOnLine(ORIGIN, None), (TypeError, ValueError), ["PointOnLine: axis", "3 numbers"]),
    (lambda: PointOnPlane(ORIGIN, ORIGIN), ValueError, ["PointOnPlane: normal", "not zero"]),
    (lambda: PointOnPlane(ORIGIN, Z, x_axis=(0, 0, -2)), ValueError, ["PointOnPlane: x_axis", "parallel"]),
    (lambda: ParallelAxes(ORIGIN), ValueError, ["ParallelAxes: axis", "not zero"]),
    (lambda: ParallelAxes(Z, ORIGIN), ValueError, ["ParallelAxes: second_axis", "not zero"]),
    (lambda: ConstantAngle(X, (3, 0, 0)), ValueError, ["ConstantAngle: second_axis", "parallel"]),
    (lambda: ConstantAngle(X, (-1, 0, 0)), ValueError, ["ConstantAngle: second_axis", "parallel"]),
    (lambda: Distance(X, X), ValueError, ["Distance: second_point", "apart", "Ball"]),
    (lambda: Distance(X, X, length=1.0), ValueError, ["Distance: second_point", "apart"]),
    (lambda: Distance(ORIGIN, X, length=0.0), ValueError, ["Distance: length", "0.0", "above zero"]),
    (lambda: Distance(ORIGIN, X, length=-1), ValueError, ["Distance: length", "-1", "above zero"]),
    (lambda: Distance(ORIGIN, X, length=NAN), ValueError, ["Distance: length", "nan"]),
    (lambda: Hinge(ORIGIN, ORIGIN), ValueError, ["Hinge: axis", "not zero"]),
    (lambda: Hinge(ORIGIN, "up"), TypeError, ["Hinge: axis", "up"]),
    (lambda: Cylindrical((NAN, 0, 0), Z), ValueError, ["Cylindrical: point", "nan"]),
    (lambda: Slider(ORIGIN, ORIGIN), ValueError, ["Slider: axis", "not zero"]),
    (lambda: Universal(ORIGIN, X, X), ValueError, ["Universal: second_axis", "parallel"]),
    (lambda: Universal(ORIGIN, X, (1, 1e-9, 0)), ValueError, ["Universal: second_axis", "parallel"]),
    (lambda: Universal(ORIGIN, ORIGIN, X), ValueError, ["Universal: axis", "not zero"]),
    (lambda: Fixed((0, 0)), ValueError, ["Fixed: point", "3 numbers"]),
    (lambda: Fixed(None, ORIGIN), ValueError, ["Fixed: point", "both"]),
    (lambda: Planar(ORIGIN, ORIGIN), ValueError, ["Planar: normal", "not zero"]),
    (lambda: Free((0, 0, INF)), ValueError, ["Free: point", "inf"]),
    (lambda: Compose(), ValueError, ["Compose", "at least one"]),
    (lambda: Compose(Ball(ORIGIN), Z), TypeError, [r"kinds\[1\]", r"\(0, 0, 1\)", "tuple", "joint kind"]),
]


@pytest.mark.parametrize(("make", "error", "words"), KINDS, ids=[str(k[2]) for k in KINDS])
def test_kinds_refuse(make, error, words):
    """Refuse wrong geometry where it is given, naming kind, argument, value and cure."""
    check(error, words, make)


def two_bodies() -> World:
    """Return a world with two dynamic bodies, a static, a kinematic one, and a hinge between two."""
    world = World()
    for k, kind in enumerate(("dynamic", "dynamic", "static", "kinematic")):
        world.add_body(Box((1, 1, 1)), position=(2 * k, 0, 0), kind=kind, name="abcd"[k])
    world.add_joint(Hinge((1, 0, 0), Y), world.body("a"), world.body("b"), name="elbow")
    return world


def stranger():
    """Return a body of another world."""
    return World().add_body(Box((1, 1, 1)), name="stranger")


def removed(world: World):
    """Return a body that was removed."""
    body = world.add_body(Box((1, 1, 1)), name="gone")
    world.remove_body(body)
    return body


BALL = Ball((1, 0, 0))
PAIRS = [
    (lambda w: (BALL, None, None), ValueError, ["'k'", "first and second", "None", "different"]),
    (lambda w: (BALL, w.body("a"), w.body("a")), ValueError, ["'k'", "body 'a'", "different"]),
    (lambda w: (BALL, w.body("c"), w.body("d")), ValueError, ["'k'", "'c'", "static", "'d'", "dynamic"]),
    (lambda w: (BALL, None, w.body("c")), ValueError, ["'k'", "world", "'c'", "dynamic"]),
    (lambda w: (BALL, w.body("d"), None), ValueError, ["'k'", "'d'", "kinematic", "dynamic"]),
    (lambda w: (BALL, "a", None), TypeError, ["'k'", "first = 'a'", "Body", "None"]),
    (lambda w: (BALL, w.body("a"), 1), TypeError, ["'k'", "second = 1", "Body"]),
    (lambda w: (BALL, w.body("a"), stranger()), ValueError, ["'k'", "second", "'stranger'", "this world"]),
    (lambda w: (BALL, removed(w), None), ValueError, ["'k'", "first", "'gone'", "removed"]),
    (lambda w: ("ball", None, w.body("a")), TypeError, ["'k'", "kind = 'ball'", "joint kind"]),
    (lambda w: (Ball, None, w.body("a")), TypeError, ["'k'", "kind", "call it"]),
    (lambda w: (Box((1, 1, 1)), None, w.body("a")), TypeError, ["'k'", "kind = Box", "joint kind"]),
]


@pytest.mark.parametrize(("arguments", "error", "words"), PAIRS, ids=[str(p[2]) for p in PAIRS])
def test_add_joint_refuses(arguments, error, words):
    """Refuse bodies that cannot be joined and kinds that are none, and leave the world as it was."""
    world = two_bodies()
    given = arguments(world)
    version = world._joint_table.version
    check(error, words, lambda: world.add_joint(*given, name="k"))
    assert len(world.joints) == 1 and world._joint_table.version == version
    assert world.add_joint(BALL, None, world.body("a"), name="k").index == 1


def test_names_and_switches_are_checked():
    """Refuse names that are taken or no strings, and a `collide` that is not a truth value."""
    world = two_bodies()
    a = world.body("a")
    check(ValueError, ["'elbow'", "unique"], lambda: world.add_joint(BALL, None, a, name="elbow"))
    check(TypeError, ["name = 5"], lambda: world.add_joint(BALL, None, a, name=5))
    check(
        TypeError, ["'k'", "collide = 'no'"], lambda: world.add_joint(BALL, None, a, name="k", collide="no")
    )
    check(KeyError, ["'elbo'", "did you mean 'elbow'"], lambda: world.joint("elbo"))
    check(TypeError, ["'elbow'", "Joint", "joint"], lambda: world.remove_joint("elbow"))
    check(TypeError, ["'elbow'", "enabled = 1"], lambda: setattr(world.joint("elbow"), "enabled", 1))


HINGE = [
    (lambda j: j.limit(1, -1), ValueError, ["lower = 1", "upper = -1", "below"]),
    (lambda j: j.limit(1, 1), ValueError, ["lower = 1", "upper = 1", "below"]),
    (lambda j: j.limit(NAN, 1), ValueError, ["lower = nan"]),
    (lambda j: j.limit(-1, "far"), TypeError, ["upper = 'far'"]),
    (lambda j: j.limit(), ValueError, ["lower", "upper", "at least one"]),
    (lambda j: j.limit(INF), ValueError, ["lower = inf"]),
    (lambda j: j.limit(-1, 1, restitution=1.5), ValueError, ["restitution = 1.5", "at least 0", "at most 1"]),
    (lambda j: j.limit(-1, 1, restitution=-0.1), ValueError, ["restitution = -0.1"]),
    (lambda j: j.limit(-1, 1, restitution=NAN), ValueError, ["restitution = nan"]),
    (lambda j: j.limit(-1, 1, stiffness=-2), ValueError, ["stiffness = -2", "at least 0"]),
    (lambda j: j.limit(-1, 1, stiffness=NAN), ValueError, ["stiffness = nan"]),
    (lambda j: j.limit(-1, 1, stiffness=5, damping=-1), ValueError, ["damping = -1", "at least 0"]),
    (lambda j: j.limit(-1, 1, damping=1), ValueError, ["damping = 1", "stiffness"]),
    (
        lambda j: j.limit(-1, 1, stiffness=5, restitution=0.5),
        ValueError,
        ["restitution", "stiffness", "leave"],
    ),
    (
        lambda j: j.limit(-1, 1, coordinate="angel"),
        ValueError,
        ["'angel'", "there are 'angle'", "did you mean"],
    ),
    (lambda j: j.motor(NAN), ValueError, ["velocity = nan", "finite"]),
    (lambda j: j.motor(INF), ValueError, ["velocity = inf", "finite"]),
    (lambda j: j.motor(1, max_force=-1), ValueError, ["max_force = -1", "at least 0"]),
    (lambda j: j.motor(1, max_force=NAN), ValueError, ["max_force = nan"]),
    (lambda j: j.motor("fast"), TypeError, ["velocity = 'fast'", "number"]),
    (lambda j: j.servo(NAN, stiffness=1, damping=1), ValueError, ["target = nan"]),
    (lambda j: j.servo(0, stiffness=-1, damping=1), ValueError, ["stiffness = -1", "at least 0"]),
    (lambda j: j.servo(0, stiffness=INF, damping=1), ValueError, ["stiffness = inf", "finite"]),
    (lambda j: j.servo(0, stiffness=1, damping=NAN), ValueError, ["damping = nan"]),
    (lambda j: j.servo(0, stiffness=1, damping=INF), ValueError, ["damping = inf", "finite"]),
    (lambda j: j.spring(-1), ValueError, ["stiffness = -1"]),
    (lambda j: j.spring(1, -1), ValueError, ["damping = -1"]),
    (lambda j: j.spring(1, 1, NAN), ValueError, ["rest = nan"]),
    (lambda j: j.damper(NAN), ValueError, ["damping = nan"]),
    (lambda j: j.friction(-1), ValueError, ["max_force = -1"]),
    (lambda j: j.friction(INF), ValueError, ["max_force = inf", "finite"]),
    (lambda j: j.pid(0, gain=NAN), ValueError, ["gain = nan"]),
    (lambda j: j.pid(0, gain=-8), ValueError, ["gain = -8", "at least 0"]),
    (lambda j: j.pid(0, gain=8, reset_time=0), ValueError, ["reset_time = 0", "above zero"]),
    (lambda j: j.pid(0, gain=8, reset_time=NAN), ValueError, ["reset_time = nan"]),
    (lambda j: j.pid(0, gain=8, derivative_time=-1), ValueError, ["derivative_time = -1"]),
    (lambda j: j.pid(0, gain=8, window=0), ValueError, ["window = 0", "above zero"]),
    (lambda j: j.pid(0, gain=8, window=1e6), ValueError, ["window = 1000000.0", "at most", "steps"]),
    (lambda j: j.pid(0, gain=8, max_force=NAN), ValueError, ["max_force = nan"]),
    (lambda j: j.value_of("tilt"), ValueError, ["'tilt'", "'angle'"]),
    (lambda j: setattr(j, "break_force", NAN), ValueError, ["break_force = nan"]),
    (lambda j: setattr(j, "break_torque", -1), ValueError, ["break_torque = -1"]),
]


@pytest.mark.parametrize(("call", "error", "words"), HINGE, ids=[str(h[2]) for h in HINGE])
def test_limits_and_drives_refuse(call, error, words):
    """Refuse each wrong number, naming joint, argument, value and cure, and add nothing."""
    joint = two_bodies().joint("elbow")
    check(error, ["'elbow'", *words], lambda: call(joint))
    assert joint.limits == [] and joint.drives == []
    assert len(joint._arrays.gain) == 0


def test_handles_refuse_what_their_makers_refuse():
    """Refuse wrong values assigned later, and keep the old ones."""
    joint = two_bodies().joint("elbow")
    stop, soft = joint.limit(-1, 1, restitution=0.5), joint.limit(-1, 1, stiffness=5.0, damping=1.0)
    servo, pid = joint.servo(0.5, stiffness=1, damping=1), joint.pid(0.5, gain=8.0)
    motor = joint.motor(1.0)
    wrong = {
        stop: dict(lower=2.0, upper=NAN, restitution=1.5, stiffness=5.0, damping=1.0),
        soft: dict(restitution=0.5, damping=-1.0, stiffness=INF, lower=1.0),
        servo: dict(target=NAN, target_rate=INF, stiffness=-1.0, damping=INF, max_force=-1.0, enabled=0),
        motor: dict(stiffness=3.0, damping=NAN, target_rate="slow"),
        pid: dict(target="up", gain=NAN, reset_time=0.0, derivative_time=-1.0, window=1e9, enabled=None),
    }
    for handle, name, value in ((h, n, v) for h, values in wrong.items() for n, v in values.items()):
        old = getattr(handle, name)
        check((TypeError, ValueError), ["'elbow'"], lambda h=handle, n=name, v=value: setattr(h, n, v))
        assert getattr(handle, name) == old, (handle, name)


SCHEDULES = [
    (([0, 2, 1], [0, 0, 0]), ValueError, ["times", r"\[0.0, 2.0, 1.0\]", "not sorted", "1 s follows 2 s"]),
    (([0, 1, 1], [0, 0, 0]), ValueError, ["times", "not sorted", "each time once"]),
    (([0, 1, 2], [0, 1]), ValueError, ["times", "3 and 2", "one value for each"]),
    (([], []), ValueError, ["times", "0 and 0"]),
    (([0, NAN], [0, 1]), ValueError, ["times", "nan", "finite"]),
    (([0, 1], [0, INF]), ValueError, ["values", "inf", "finite"]),
    (("soon", [1]), TypeError, ["times", "soon"]),
    (([[0, 1]], [0, 1]), ValueError, ["times", "shape"]),
]


@pytest.mark.parametrize(("points", "error", "words"), SCHEDULES, ids=[str(s[2]) for s in SCHEDULES])
def test_schedules_are_checked(points, error, words):
    """Refuse set points whose times are not sorted, or that do not match them, and keep the old ones."""
    joint = two_bodies().joint("elbow")
    servo = joint.servo(0.0, stiffness=1.0, damping=1.0)
    servo.schedule([0, 1], [2, 3])
    check(error, ["'elbow'", *words], lambda: servo.schedule(*points))
    assert joint._arrays.schedule_value.tolist() == [2, 3]


def test_coordinates_must_be_clear_and_free():
    """Ask for the coordinate where there are several or none, and refuse one that the joint holds."""
    world = two_bodies()
    a, b = world.body("a"), world.body("b")
    ball = world.add_joint(BALL, a, b, name="hip")
    listed = "'swing', 'twist', 'rotation x'"
    check(ValueError, ["'hip'", "left out", listed], lambda: ball.limit(0, 1))
    check(ValueError, ["'hip'", "left out", listed], lambda: ball.value)
    check(ValueError, ["'hip'", "'angle'", listed], lambda: ball.spring(1.0, coordinate="angle"))
    check(ValueError, ["'twit'", "did you mean 'twist'"], lambda: ball.motor(1.0, coordinate="twit"))
    check(ValueError, ["'hip'", "never below 0"], lambda: ball.limit(-2, -1, coordinate="swing"))
    weld = world.add_joint(Fixed(), a, b, name="weld")
    check(ValueError, ["'weld'", "Fixed", "no coordinates"], lambda: weld.rate)
    check(ValueError, ["'weld'", "'angle'", "Fixed has none"], lambda: weld.value_of("angle"))
    rod = world.add_joint(Distance(ORIGIN, (2, 0, 0)), a, b, name="rod")
    check(ValueError, ["'rod'", "'distance'", "held", "Free"], lambda: rod.motor(1.0))
    assert rod.value == 2.0


def test_handles_of_what_is_gone_say_so():
    """Refuse the use of joints, limits and drives that were removed, with the joint's name."""
    world = two_bodies()
    joint = world.joint("elbow")
    stop, motor = joint.limit(-1, 1), joint.motor(1.0)
    stop.remove()
    check(ValueError, ["Limit", "'elbow'", "removed"], lambda: stop.lower)
    check(ValueError, ["Limit", "'elbow'", "removed"], stop.remove)
    assert motor.target_rate == 1.0 and joint.limits == []
    world.remove_joint(joint)
    for use in (
        lambda: joint.value,
        lambda: motor.force,
        lambda: world.remove_joint(joint),
        lambda: joint.limit(1),
    ):
        check(ValueError, ["'elbow'", "not in this world"], use)
    other = two_bodies().joint("elbow")
    check(ValueError, ["'elbow'", "another"], lambda: world.remove_joint(other))


def test_points_of_bodies_are_checked():
    """Refuse points that are no vectors."""
    body = two_bodies().body("a")
    check(ValueError, ["local", "3 numbers"], lambda: body.world_point((1, 2)))
    check(ValueError, ["world", "nan"], lambda: body.local_point((1, 2, np.nan)))
