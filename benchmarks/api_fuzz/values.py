"""Values for arguments: those that fit what an argument means, and those that certainly do not."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.benchmarks.api_fuzz.drawing import (
    COLORS,
    INF,
    JUNK,
    NAN,
    TEXT,
    Draw,
    Rng,
    any_of,
    bad_quaternion,
    bits,
    choice,
    flag,
    number,
    pick,
    quaternion,
    rows,
    vector,
    whole,
)

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["MEANINGS"]


def _name(world: "World", rng: Rng) -> Any:
    return f"name {int(rng.integers(10**9))}"


def _known_body_name(world: "World", rng: Rng) -> Any:
    return pick([body.name for body in world.bodies], rng)


def _known_joint_name(world: "World", rng: Rng) -> Any:
    return pick([joint.name for joint in world.joints], rng)


def _body(world: "World", rng: Rng) -> Any:
    return pick(world.bodies, rng)


def _bad_body(world: "World", rng: Rng) -> Any:
    import stoss as st

    stranger = st.World().add_body(st.Sphere(1.0), name="stranger")
    gone = world.add_body(st.Sphere(1.0), position=(0, 0, 900))
    world.remove_body(gone)
    return pick([stranger, gone, "low", 0, st.Body, world, *JUNK], rng)


def _joint(world: "World", rng: Rng) -> Any:
    return pick(world.joints, rng)


def _shape(world: "World", rng: Rng) -> Any:
    import stoss as st

    size = float(10.0 ** rng.uniform(-1, 0.3))
    shapes = [
        st.Sphere(size),
        st.Box((size, 1, 1)),
        st.Capsule(size, 1),
        st.Cylinder(size, 1),
        st.Cone(1, size),
    ]
    return pick(
        [
            *shapes,
            st.Ellipsoid((size, 1, 1)),
            st.ConvexHull(size * np.random.default_rng(0).normal(size=(8, 3))),
        ],
        rng,
    )


def _shapes(world: "World", rng: Rng) -> Any:
    import stoss as st

    one = _shape(world, rng)
    return pick([one, [one], (one, st.Placed(st.Sphere(0.1), (1, 0, 0))), st.Placed(one, (0, 0, 1))], rng)


def _bad_shape(world: "World", rng: Rng) -> Any:
    import stoss as st

    flat = st.TriangleMesh(np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)]), np.array([(0, 1, 2)]))
    return pick([flat, [st.Sphere(1), flat], st.Sphere, "box", 5.0, [st.Sphere(1), None], *JUNK[:-2]], rng)


def _material(world: "World", rng: Rng) -> Any:
    import stoss as st

    return st.Material(friction=float(rng.uniform(0, 1)), restitution=float(rng.uniform(0, 1)))


def _friction_law(world: "World", rng: Rng) -> Any:
    import stoss as st

    most = float(rng.uniform(0.1, 1))
    smooth = st.ContinuousStribeck(most, 0.8 * most, 0.05)
    laws = [st.Viscous(most), st.Coulomb(most, viscous=0.1), st.Stribeck(most, 0.5 * most, 0.1), smooth]
    return pick(
        [*laws, st.LuGre(most, 0.5 * most, 0.1, 1e3, 1.0), st.Filtered(smooth, 0.01, 0.01), None], rng
    )


def _contact_law(world: "World", rng: Rng) -> Any:
    import stoss as st

    size = float(10.0 ** rng.uniform(-4, -2))
    return pick(
        [st.RestrictionContact(1e4, size, 0.5), st.HertzContact(1e6), st.SpringDashpotContact(1e4), None], rng
    )


def _bad_object(world: "World", rng: Rng) -> Any:
    import stoss as st

    return pick([5.0, True, "x", st.Material, st.Settings, world.bodies[0], [], *JUNK], rng)


def _settings(world: "World", rng: Rng) -> Any:
    from dataclasses import replace

    return replace(world.settings, sweeps=int(rng.integers(5, 30)), resting_speed=pick([0, 0.1, 1], rng))


def _mass_properties(world: "World", rng: Rng) -> Any:
    import stoss as st

    return st.from_values(float(rng.uniform(0.1, 10)), (1, 1.5, 2))


def _kind(world: "World", rng: Rng) -> Any:
    import stoss as st

    point, axis = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    kinds = [st.Ball(point), st.Hinge(point, axis), st.Slider(point, axis), st.Fixed(point), st.Free(point)]
    return pick(
        [*kinds, st.PointOnEllipsoid(point, (1, 2, 3), axis), st.SplineJoint(point, axis, ((0, 0), (1, 1)))]
        + [
            st.CustomJoint(point, None, turn_y=("x", ((0, 0), (1, 1)))),
            st.Planar(point, axis),
            st.Cylindrical(point, axis),
            st.Distance(point, (9, 9, 9)),
        ],
        rng,
    )


def _points(world: "World", rng: Rng) -> Any:
    return rng.normal(size=(8, 3))


def _faces(world: "World", rng: Rng) -> Any:
    return [(0, 1, 2), (0, 2, 3)]


def _bad_faces(world: "World", rng: Rng) -> Any:
    wrong = [[(0, 1)], [(0, 1, 10**9)], [(0, 1, -1)], [(0.0, 1.0, 2.0)], [("a", "b", "c")], [], 5, None]
    return pick([*wrong, [(True, False, True)], *TEXT, *JUNK[:-2]], rng)


def _pairs(world: "World", rng: Rng) -> Any:
    return [[0, 1]]


def _bad_pairs(world: "World", rng: Rng) -> Any:
    return pick([[[0, 10**9]], [[-1, 0]], [[1, 0]], [[0.5, 1.0]], [0, 1], 5, None, *TEXT, *JUNK[:-2]], rng)


def _placed(world: "World", rng: Rng) -> Any:
    import stoss as st

    return [st.Placed(_shape(world, rng)), st.Placed(st.Sphere(0.5), (1, 0, 0))]


def _functions(world: "World", rng: Rng) -> Any:
    return [lambda world: None]


def _load(world: "World", rng: Rng) -> Any:
    import stoss as st

    body, joint = pick([b for b in world.bodies if b.kind == "dynamic"], rng), world.joint("hinge")
    loads = [st.Force(body, (0, 0, 1)), st.Torque(body, (1, 0, 0)), st.LineForce(body, (0, 0, 9), 2.0)]
    return pick([*loads, st.JointTorque(joint, 0.5), _one], rng)


def _one(context: Any) -> float:
    """Stand in for a load, and for the rate of an integral."""
    return 1.0


def _none(world: "World") -> None:
    """Stand in for a controller."""


def _sensor(world: "World", rng: Rng) -> Any:
    import stoss as st

    body, joint = pick(list(world.bodies), rng), world.joint("hinge")
    sensors = [
        st.Imu(body),
        st.Encoder(joint),
        st.ContactSensor(body),
        st.ForcePlate(body),
        st.RaySensor(body),
    ]
    return pick(sensors, rng)


def _actuator(world: "World", rng: Rng) -> Any:
    import stoss as st

    joint = world.joint("hinge")
    torques = [st.TorqueActuator(joint, delay=0.02), st.VelocityActuator(joint, limit=1.0)]
    return pick([*torques, st.Servo(joint, kp=1.0, kd=0.1), st.Servo(joint, kp=1.0, implicit=False)], rng)


def _snapshot(world: "World", rng: Rng) -> Any:
    return world.save()


def _moment(world: "World", rng: Rng) -> Any:
    return pick([(1, 1, 1), (1, 2, 2.5), np.diag([1.0, 2.0, 2.0])], rng)


OBJECT = _bad_object

# What an argument means: how to draw a value that fits, and one that does not.
MEANINGS: dict[str, tuple[Draw, Draw]] = {
    "number": number(),
    "curve": (
        any_of(None, ((0, 0), (1, 2.0)), [(0, 0, 1.0), (1, 1, 0)]),
        any_of((0, 1), [(1, 1), (0, 0)], 5, *JUNK),
    ),
    "knots": (any_of(((0, 0), (1, 2.0)), np.eye(2)), any_of((0, 1), [(1, 1), (0, 0)], 5, None, *JUNK)),
    "custom": (
        any_of(None, 0.0, 0.3),
        any_of(NAN, "x", ("x",), ("turn", ((0, 0), (1, 1))), ("x", 5), True, *JUNK),
    ),
    "positive": number(1e-9),
    "ratio": (number(1e-9)[0], number()[1]),
    "not negative": number(0.0),
    "bound": number(-INF, infinite=True),
    "largest": number(0.0, infinite=True),
    "vector": vector(),
    "quaternion": (quaternion, bad_quaternion),
    "rows": rows(3),
    "turns": (lambda w, r: quaternion(w, r), bad_quaternion),
    "color": (any_of(*COLORS), any_of("no color", (2, 0, 0), (NAN, 0, 0), 5, ("1", 0, 0), *JUNK)),
    "whole": whole(1, 3),
    "index": whole(0, 3),
    "whole or none": whole(0, 3),
    "scene count": whole(-(2**62), 3),
    "bits": bits(),
    "flag": flag(),
    "new name": (_name, any_of(5, 1.0, b"x", ["a"], True, *JUNK)),
    "body name": (_known_body_name, any_of("no such body", 5, None, b"low", ["low"], *JUNK)),
    "joint name": (_known_joint_name, any_of("no such joint", 5, None, b"x", ["hinge"], *JUNK)),
    "text": (any_of("xyz", "a"), any_of(5, b"x", [1], *JUNK)),
    "axes": (any_of("xyz", "ZYX", "zxz"), any_of("abc", "xxy", "", "xYz", 5, None, *JUNK)),
    "body": (_body, _bad_body),
    "body of contacts": (_body, any_of("low", 0, *JUNK)),  # one that was removed since had contacts too
    "body or world": (lambda w, r: pick([*w.bodies, None], r), _bad_body),
    "bodies": (
        lambda w, r: pick([w.bodies[:2], w.bodies[0], ()], r),
        any_of("low", [3], 5.0, object(), True),
    ),
    "joint": (_joint, OBJECT),
    "joint or name": (_joint, any_of(5, 1.0, None, *JUNK)),
    "shape": (_shape, _bad_shape),
    "shapes": (_shapes, _bad_shape),
    "placed": (_placed, OBJECT),
    "drawn": (any_of(None, ()), any_of(5, "rod", [None], *JUNK[:-2])),
    "material": (_material, OBJECT),
    "settings": (_settings, OBJECT),
    "mass properties": (_mass_properties, OBJECT),
    "moments": (_moment, any_of((1, 1, 5), (0, 0, 0), (1, 2), NAN, np.zeros((3, 3)), *TEXT, *JUNK)),
    "joint kind": (_kind, OBJECT),
    "points": (_points, rows(3)[1]),
    "faces": (_faces, _bad_faces),
    "pairs": (_pairs, _bad_pairs),
    "snapshot": (_snapshot, OBJECT),
    "functions": (_functions, any_of(5, [5], "f", None, {}, object())),
    "matrix": (
        any_of(np.eye(3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        any_of(2 * np.eye(3), 5, NAN, *TEXT, *JUNK),
    ),
    "body kind": choice("static", "kinematic", "dynamic"),
    "kinds": (any_of("static", ("dynamic", "static"), None), any_of("moving", 5, [2], object())),
    "solver": choice("auto", "direct", "gauss_seidel"),
    "friction law": (_friction_law, OBJECT),
    "law": choice("newton", "poisson", "stronge"),
    "contact law": (_contact_law, _bad_object),
    "backend": choice("native", "fcl"),
    "table": (lambda w, r: w.shape_table, lambda w, r: w.shape_table),
    "anything": (any_of(None), any_of(*JUNK)),
    "load": (_load, any_of(5, None, "x", object(), float, [], NAN)),
    "load handle": (lambda w, r: w.add_load(_load(w, r)), OBJECT),
    "load name": (lambda w, r: w.add_load(_load(w, r)).name, any_of("no such load", 5, None, *JUNK)),
    "integral name": (
        lambda w, r: w.add_integral(_name(w, r), _one).name,
        any_of("no such integral", 5, None, *JUNK),
    ),
    "parameters": (any_of(None), any_of(5, "x", [1], {"x": "y"}, {1: 2.0}, {"a b": 1.0})),
    "scratch": (any_of(None), any_of("x", NAN, [NAN], -1, object())),
    "function": (any_of(_one), any_of(5, None, "x", object(), [])),
    "sensor": (_sensor, OBJECT),
    "some body": (_body, any_of(*JUNK)),  # of which world is asked when the sensor is added
    "hinge": (lambda w, r: w.joint("hinge"), OBJECT),
    "angle of a hinge": (any_of("angle", None), any_of("angel", 5, object(), NAN)),
    "target": (any_of(0.5, "initial"), any_of(NAN, INF, "x", None, [1.0])),
    "gain": (any_of(1, 2.5), any_of(-1.0, NAN, INF, "x", None)),
    "flag or none": (any_of(None), any_of(1, "yes", 0.5, [])),
    "actuator": (_actuator, OBJECT),
    "controller": (any_of(_none), OBJECT),
    "controller that is there": (lambda w, r: w.add_controller(_none), OBJECT),
    "actuators": (lambda w, r: w.add_actuator(_actuator(w, r)), OBJECT),
    "rate": (any_of(None, 5, 2.5), any_of(0, -1, NAN, INF, "x", 1e9)),
    "time to come": (any_of(1e6, 2e6), any_of(-1e6, NAN, INF, "x", None)),
    "event": choice("contact_begin", "contact_end", "joint_broken", "joint_at_stop"),
    "body or any": (any_of(None), OBJECT),
    "joint or any": (any_of(None), OBJECT),
}
