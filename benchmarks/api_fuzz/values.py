"""Values for arguments: those that fit what an argument means, and those that certainly do not."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["MEANINGS", "Draw"]

Rng = np.random.Generator
Draw = Callable[["World", Rng], Any]

NAN, INF = float("nan"), float("inf")

# No number, no vector, no word, no handle, whatever is asked for.
JUNK: list[Any] = [
    *(b"1.0", bytearray(b"12"), 1j, np.complex128(1j), {}, {"x": 1}, object(), float, len, NotImplemented),
    *(
        datetime.timedelta(1),
        np.timedelta64(1, "s"),
        [[1], [1, 2]],
        [None] * 3,
        {1.0, 2.0},
        ...,
        Exception("x"),
    ),
    *(
        np.array(["a", "b"]),
        np.zeros((2, 2, 2, 2)),
        np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        range(0),
        iter(()),
    ),
]
TEXT: list[Any] = ["", "1.0", "123", "none", "x" * 500, "1,2,3", "\n", "ä"]
BAD_NUMBERS: list[Any] = [
    NAN,
    *TEXT,
    True,
    np.True_,
    [1.0],
    (1.0,),
    np.array([1.0]),
    np.array([[2.0]]),
    *JUNK,
]
BAD_NUMBERS += [Decimal("NaN"), np.float32("nan"), np.array("1.0"), np.str_("2"), np.array(True)]
NUMBERS: list[Any] = [
    0,
    1,
    -1,
    0.5,
    2.0,
    1e-3,
    1e3,
    np.float32(0.25),
    np.int16(2),
    Fraction(1, 3),
    Decimal("0.1"),
]
NUMBERS += [1e9, -1e9, 1e-300, 1e300, -0.0, np.array(0.5)]
HUGE: list[Any] = [10**400, -(10**400), INF, -INF, Fraction(10**400)]
COLORS: list[Any] = ["red", "#ff8800", (1, 0, 0), None]


def _pick(values: list[Any], rng: Rng) -> Any:
    return values[int(rng.integers(len(values)))]


def _number(least: float = -INF, infinite: bool = False) -> tuple[Draw, Draw]:
    good = [x for x in NUMBERS if float(x) >= least] + ([INF] if infinite else [])
    bad = BAD_NUMBERS + ([x for x in HUGE if x < least] if infinite else HUGE)
    bad += [-1.0, -5] if least >= 0.0 else []
    return (lambda w, r: _pick(good, r)), (lambda w, r: _pick(bad, r))


def _vector(width: int = 3) -> tuple[Draw, Draw]:
    def good(world: "World", rng: Rng) -> Any:
        numbers = rng.normal(size=width) * 10.0 ** rng.integers(-3, 3)
        forms = [
            tuple(numbers),
            list(numbers),
            numbers,
            numbers.astype(np.float32),
            np.asfortranarray(numbers),
        ]
        return _pick([*forms, tuple(range(width)), [Fraction(1, 3)] * width], rng)

    def bad(world: "World", rng: Rng) -> Any:
        wrong: list[Any] = [
            (NAN,) * width,
            (INF,) * width,
            (0.0,) * (width + 1),
            (1.0,) * (width - 1),
            ("1",) * width,
        ]
        wrong += [(True,) * width, (10**400,) * width, [[0.0] * width] * 2, 5.0, None, (None,) * width]
        return _pick([*wrong, *TEXT, *JUNK], rng)

    return good, bad


def _quaternion(world: "World", rng: Rng) -> Any:
    from scipy.spatial.transform import Rotation

    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    turn = Rotation.from_quat(q)
    return _pick([tuple(q), q, list(q), q.astype(np.float32), turn, (1, 0, 0, 0)], rng)


def _bad_quaternion(world: "World", rng: Rng) -> Any:
    from scipy.spatial.transform import Rotation

    wrong = [
        (0, 0, 0, 0),
        (2, 0, 0, 0),
        (1, 0, 0),
        np.eye(3),
        Rotation.identity(3),
        Rotation,
        (NAN, 0, 0, 0),
        1.0,
    ]
    return _pick([*wrong, ("1", 0, 0, 0), (True, 0, 0, 0), *TEXT, *JUNK], rng)


def _rows(width: int) -> tuple[Draw, Draw]:
    def good(world: "World", rng: Rng) -> Any:
        count = len(world.bodies) if rng.random() < 0.5 else int(rng.integers(1, 4))
        return rng.normal(size=(count, width))

    def bad(world: "World", rng: Rng) -> Any:
        wrong = [np.full((2, width), NAN), np.zeros((2, width + 1)), np.zeros(5), [["1"] * width], 5.0]
        return _pick([*wrong, [[True] * width], *TEXT, *JUNK], rng)

    return good, bad


def _choice(*words: str) -> tuple[Draw, Draw]:
    bad = [5, 1.0, True, b"x", ["static"], {}, NAN, np.array(["a", "b"]), "no such word", "", object()]
    return (lambda w, r: _pick(list(words), r)), (lambda w, r: _pick(bad, r))


def _whole(least: int = 0, most: int = 3) -> tuple[Draw, Draw]:
    bad = [1.0, 2.5, "2", True, NAN, INF, [1], np.array([1]), np.float64(1.0), 10**30, least - 1, *JUNK]
    return (lambda w, r: int(r.integers(least, most + 1))), (lambda w, r: _pick(bad, r))


def _bits() -> tuple[Draw, Draw]:
    good = [1, -1, 0, 2**63, 2**64 - 1, 0xFFFF, np.uint64(2**64 - 1), np.int8(-1), -(2**63)]
    bad = [2**64, -(2**63) - 1, 1.0, "all", True, NAN, [1], *JUNK]
    return (lambda w, r: _pick(good, r)), (lambda w, r: _pick(bad, r))


def _flag() -> tuple[Draw, Draw]:
    bad = [1, 0, 1.0, "yes", "True", [True], np.array([True]), *JUNK]
    return (lambda w, r: _pick([True, False, np.True_], r)), (lambda w, r: _pick(bad, r))


def _name(world: "World", rng: Rng) -> Any:
    return f"name {int(rng.integers(10**9))}"


def _known_body_name(world: "World", rng: Rng) -> Any:
    return _pick([body.name for body in world.bodies], rng)


def _known_joint_name(world: "World", rng: Rng) -> Any:
    return _pick([joint.name for joint in world.joints], rng)


def _body(world: "World", rng: Rng) -> Any:
    return _pick(world.bodies, rng)


def _bad_body(world: "World", rng: Rng) -> Any:
    import stoss as st

    stranger = st.World().add_body(st.Sphere(1.0), name="stranger")
    gone = world.add_body(st.Sphere(1.0), position=(0, 0, 900))
    world.remove_body(gone)
    return _pick([stranger, gone, "low", 0, st.Body, world, *JUNK], rng)


def _joint(world: "World", rng: Rng) -> Any:
    return _pick(world.joints, rng)


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
    return _pick(
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
    return _pick([one, [one], (one, st.Placed(st.Sphere(0.1), (1, 0, 0))), st.Placed(one, (0, 0, 1))], rng)


def _bad_shape(world: "World", rng: Rng) -> Any:
    import stoss as st

    flat = st.TriangleMesh(np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)]), np.array([(0, 1, 2)]))
    return _pick([flat, [st.Sphere(1), flat], st.Sphere, "box", 5.0, [st.Sphere(1), None], *JUNK[:-2]], rng)


def _material(world: "World", rng: Rng) -> Any:
    import stoss as st

    return st.Material(friction=float(rng.uniform(0, 1)), restitution=float(rng.uniform(0, 1)))


def _friction_law(world: "World", rng: Rng) -> Any:
    import stoss as st

    most = float(rng.uniform(0.1, 1))
    smooth = st.ContinuousStribeck(most, 0.8 * most, 0.05)
    laws = [st.Viscous(most), st.Coulomb(most, viscous=0.1), st.Stribeck(most, 0.5 * most, 0.1), smooth]
    return _pick(
        [*laws, st.LuGre(most, 0.5 * most, 0.1, 1e3, 1.0), st.Filtered(smooth, 0.01, 0.01), None], rng
    )


def _contact_law(world: "World", rng: Rng) -> Any:
    import stoss as st

    size = float(10.0 ** rng.uniform(-4, -2))
    return _pick(
        [st.RestrictionContact(1e4, size, 0.5), st.HertzContact(1e6), st.SpringDashpotContact(1e4), None], rng
    )


def _bad_object(world: "World", rng: Rng) -> Any:
    import stoss as st

    return _pick([5.0, True, "x", st.Material, st.Settings, world.bodies[0], [], *JUNK], rng)


def _settings(world: "World", rng: Rng) -> Any:
    from dataclasses import replace

    return replace(world.settings, sweeps=int(rng.integers(5, 30)), resting_speed=_pick([0, 0.1, 1], rng))


def _mass_properties(world: "World", rng: Rng) -> Any:
    import stoss as st

    return st.from_values(float(rng.uniform(0.1, 10)), (1, 1.5, 2))


def _kind(world: "World", rng: Rng) -> Any:
    import stoss as st

    point, axis = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    kinds = [st.Ball(point), st.Hinge(point, axis), st.Slider(point, axis), st.Fixed(point), st.Free(point)]
    return _pick(
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
    return _pick([*wrong, [(True, False, True)], *TEXT, *JUNK[:-2]], rng)


def _pairs(world: "World", rng: Rng) -> Any:
    return [[0, 1]]


def _bad_pairs(world: "World", rng: Rng) -> Any:
    return _pick([[[0, 10**9]], [[-1, 0]], [[1, 0]], [[0.5, 1.0]], [0, 1], 5, None, *TEXT, *JUNK[:-2]], rng)


def _placed(world: "World", rng: Rng) -> Any:
    import stoss as st

    return [st.Placed(_shape(world, rng)), st.Placed(st.Sphere(0.5), (1, 0, 0))]


def _functions(world: "World", rng: Rng) -> Any:
    return [lambda world: None]


def _load(world: "World", rng: Rng) -> Any:
    import stoss as st

    body, joint = _pick([b for b in world.bodies if b.kind == "dynamic"], rng), world.joint("hinge")
    loads = [st.Force(body, (0, 0, 1)), st.Torque(body, (1, 0, 0)), st.LineForce(body, (0, 0, 9), 2.0)]
    return _pick([*loads, st.JointTorque(joint, 0.5), _one], rng)


def _one(context: Any) -> float:
    """Stand in for a load, and for the rate of an integral."""
    return 1.0


def _none(world: "World") -> None:
    """Stand in for a controller."""


def _sensor(world: "World", rng: Rng) -> Any:
    import stoss as st

    body, joint = _pick(list(world.bodies), rng), world.joint("hinge")
    sensors = [
        st.Imu(body),
        st.Encoder(joint),
        st.ContactSensor(body),
        st.ForcePlate(body),
        st.RaySensor(body),
    ]
    return _pick(sensors, rng)


def _actuator(world: "World", rng: Rng) -> Any:
    import stoss as st

    joint = world.joint("hinge")
    torques = [st.TorqueActuator(joint, delay=0.02), st.VelocityActuator(joint, limit=1.0)]
    return _pick([*torques, st.Servo(joint, kp=1.0, kd=0.1), st.Servo(joint, kp=1.0, implicit=False)], rng)


def _snapshot(world: "World", rng: Rng) -> Any:
    return world.save()


def _moment(world: "World", rng: Rng) -> Any:
    return _pick([(1, 1, 1), (1, 2, 2.5), np.diag([1.0, 2.0, 2.0])], rng)


def _any(*values: Any) -> Draw:
    return lambda w, r: _pick(list(values), r)


OBJECT = _bad_object

# What an argument means: how to draw a value that fits, and one that does not.
MEANINGS: dict[str, tuple[Draw, Draw]] = {
    "number": _number(),
    "curve": (
        _any(None, ((0, 0), (1, 2.0)), [(0, 0, 1.0), (1, 1, 0)]),
        _any((0, 1), [(1, 1), (0, 0)], 5, *JUNK),
    ),
    "knots": (_any(((0, 0), (1, 2.0)), np.eye(2)), _any((0, 1), [(1, 1), (0, 0)], 5, None, *JUNK)),
    "custom": (
        _any(None, 0.0, 0.3),
        _any(NAN, "x", ("x",), ("turn", ((0, 0), (1, 1))), ("x", 5), True, *JUNK),
    ),
    "positive": _number(1e-9),
    "ratio": (_number(1e-9)[0], _number()[1]),
    "not negative": _number(0.0),
    "bound": _number(-INF, infinite=True),
    "largest": _number(0.0, infinite=True),
    "vector": _vector(),
    "quaternion": (_quaternion, _bad_quaternion),
    "rows": _rows(3),
    "turns": (lambda w, r: _quaternion(w, r), _bad_quaternion),
    "color": (_any(*COLORS), _any("no color", (2, 0, 0), (NAN, 0, 0), 5, ("1", 0, 0), *JUNK)),
    "whole": _whole(1, 3),
    "index": _whole(0, 3),
    "whole or none": _whole(0, 3),
    "scene count": _whole(-(2**62), 3),
    "bits": _bits(),
    "flag": _flag(),
    "new name": (_name, _any(5, 1.0, b"x", ["a"], True, *JUNK)),
    "body name": (_known_body_name, _any("no such body", 5, None, b"low", ["low"], *JUNK)),
    "joint name": (_known_joint_name, _any("no such joint", 5, None, b"x", ["hinge"], *JUNK)),
    "text": (_any("xyz", "a"), _any(5, b"x", [1], *JUNK)),
    "axes": (_any("xyz", "ZYX", "zxz"), _any("abc", "xxy", "", "xYz", 5, None, *JUNK)),
    "body": (_body, _bad_body),
    "body of contacts": (_body, _any("low", 0, *JUNK)),  # one that was removed since had contacts too
    "body or world": (lambda w, r: _pick([*w.bodies, None], r), _bad_body),
    "bodies": (lambda w, r: _pick([w.bodies[:2], w.bodies[0], ()], r), _any("low", [3], 5.0, object(), True)),
    "joint": (_joint, OBJECT),
    "joint or name": (_joint, _any(5, 1.0, None, *JUNK)),
    "shape": (_shape, _bad_shape),
    "shapes": (_shapes, _bad_shape),
    "placed": (_placed, OBJECT),
    "drawn": (_any(None, ()), _any(5, "rod", [None], *JUNK[:-2])),
    "material": (_material, OBJECT),
    "settings": (_settings, OBJECT),
    "mass properties": (_mass_properties, OBJECT),
    "moments": (_moment, _any((1, 1, 5), (0, 0, 0), (1, 2), NAN, np.zeros((3, 3)), *TEXT, *JUNK)),
    "joint kind": (_kind, OBJECT),
    "points": (_points, _rows(3)[1]),
    "faces": (_faces, _bad_faces),
    "pairs": (_pairs, _bad_pairs),
    "snapshot": (_snapshot, OBJECT),
    "functions": (_functions, _any(5, [5], "f", None, {}, object())),
    "matrix": (
        _any(np.eye(3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
        _any(2 * np.eye(3), 5, NAN, *TEXT, *JUNK),
    ),
    "body kind": _choice("static", "kinematic", "dynamic"),
    "kinds": (_any("static", ("dynamic", "static"), None), _any("moving", 5, [2], object())),
    "solver": _choice("auto", "direct", "gauss_seidel"),
    "friction law": (_friction_law, OBJECT),
    "law": _choice("newton", "poisson", "stronge"),
    "contact law": (_contact_law, _bad_object),
    "backend": _choice("native", "fcl"),
    "table": (lambda w, r: w.shape_table, lambda w, r: w.shape_table),
    "anything": (_any(None), _any(*JUNK)),
    "load": (_load, _any(5, None, "x", object(), float, [], NAN)),
    "load handle": (lambda w, r: w.add_load(_load(w, r)), OBJECT),
    "load name": (lambda w, r: w.add_load(_load(w, r)).name, _any("no such load", 5, None, *JUNK)),
    "integral name": (
        lambda w, r: w.add_integral(_name(w, r), _one).name,
        _any("no such integral", 5, None, *JUNK),
    ),
    "parameters": (_any(None), _any(5, "x", [1], {"x": "y"}, {1: 2.0}, {"a b": 1.0})),
    "scratch": (_any(None), _any("x", NAN, [NAN], -1, object())),
    "function": (_any(_one), _any(5, None, "x", object(), [])),
    "sensor": (_sensor, OBJECT),
    "some body": (_body, _any(*JUNK)),  # of which world is asked when the sensor is added
    "hinge": (lambda w, r: w.joint("hinge"), OBJECT),
    "angle of a hinge": (_any("angle", None), _any("angel", 5, object(), NAN)),
    "target": (_any(0.5, "initial"), _any(NAN, INF, "x", None, [1.0])),
    "gain": (_any(1, 2.5), _any(-1.0, NAN, INF, "x", None)),
    "flag or none": (_any(None), _any(1, "yes", 0.5, [])),
    "actuator": (_actuator, OBJECT),
    "controller": (_any(_none), OBJECT),
    "controller that is there": (lambda w, r: w.add_controller(_none), OBJECT),
    "actuators": (lambda w, r: w.add_actuator(_actuator(w, r)), OBJECT),
    "rate": (_any(None, 5, 2.5), _any(0, -1, NAN, INF, "x", 1e9)),
    "time to come": (_any(1e6, 2e6), _any(-1e6, NAN, INF, "x", None)),
    "event": _choice("contact_begin", "contact_end", "joint_broken", "joint_at_stop"),
    "body or any": (_any(None), OBJECT),
    "joint or any": (_any(None), OBJECT),
}
