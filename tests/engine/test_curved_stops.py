"""Stops along curves: closed cones of a swinging axis, twists between bounds that depend on the swing.

Henze 2002, section 2.2.
"""

import numpy as np
import pytest

from stoss.engine import Ball, Free, Hinge, Joint, Settings, World
from stoss.engine.joints.measures import measure_joints
from tests.engine.joint_worlds import inertias, numerical_jacobian, own_arrays
from tests.engine.worlds import axis_angle, product

SOLVERS = ["direct", "gauss_seidel"]
SQUARE = [(0.8, 0.8), (-0.8, 0.8), (-0.8, -0.8), (0.8, -0.8)]
CONES = {
    "ellipse": dict(ellipse=(1.0, 0.5)),
    "reaches": dict(ellipse=(-0.4, 2.1, -0.9, 0.7)),
    "spline": dict(spline=[(1.2, 0.0), (0.7, 0.8), (0.0, 0.5), (-0.6, 0.6), (-0.9, 0.0), (0.0, -0.7)]),
    "polygon": dict(polygon=[(1, 0, 1), (0, 1.5, 0.2), (-1, 0.2, 1), (-0.2, -1, 1)]),
    "not convex": dict(polygon=[(1.2, 0.9), (0.2, 0.3), (-1.1, 0.9), (-0.9, -0.8), (1.0, -0.7)]),
    "beyond a half": dict(polygon=[(2.2, 0.0), (0.0, 2.4), (-2.1, 0.0), (0.0, -2.3)]),
}
TWISTS = [(0.0, -1.2, 0.9), (0.8, -0.8, 1.1), (1.6, -0.3, 0.4)]


def swinging(quaternion=(1, 0, 0, 0), kind=Ball, h: float = 0.01, settings: Settings | None = None) -> Joint:
    """Return a joint at the origin, axis z, of a body that was turned after it was joined."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=settings)
    body = world.add_body(mass_properties=inertias(1.0, (0.3, 0.4, 0.5)))
    joint = world.add_joint(kind((0, 0, 0), (0, 0, 1)), None, body)
    body.quaternion = quaternion
    return joint


def leaning(direction, twist: float = 0.0) -> np.ndarray:
    """Return the quaternion that swings z to a direction, after a twist about z."""
    x, y, z = direction / np.linalg.norm(direction)
    swing = np.arctan2(np.hypot(x, y), z)
    return product(axis_angle((-y, x, 0), swing), axis_angle((0, 0, 1), twist))


def random_directions(count: int, seed: int = 0) -> np.ndarray:
    """Return unit vectors that are not close to -z."""
    found = np.random.default_rng(seed).normal(size=(4 * count, 3))
    found /= np.linalg.norm(found, axis=1)[:, None]
    return found[found[:, 2] > -0.9][:count]


def rates(joint: Joint) -> np.ndarray:
    """Return the rates of all rows of a joint by the gradients of the engine."""
    own = own_arrays(joint)
    value, rate = own.value.copy(), np.zeros(len(own.value))
    measure_joints(own, joint.world._bodies, value, rate)
    return rate


# ------------------------------------------------------------------ measures


@pytest.mark.parametrize("seed", range(20))
def test_swing_and_twist_go_round(seed):
    """Read swing and twist, from phi, theta and psi of Z-X-Z angles, to 1e-12 (V-05)."""
    rng = np.random.default_rng(seed)
    phi, theta, psi = rng.uniform(-3, 3), rng.uniform(1e-3, np.pi - 1e-2), rng.uniform(-3, 3)
    turn = product(axis_angle((1, 0, 0), theta), axis_angle((0, 0, 1), psi))
    joint = swinging(product(axis_angle((0, 0, 1), phi), turn))
    assert joint.value_of("swing") == pytest.approx(theta, abs=1e-12)
    twist = (phi + psi + np.pi) % (2 * np.pi) - np.pi
    assert joint.value_of("twist") == pytest.approx(twist, abs=1e-12)


@pytest.mark.parametrize("name", CONES)
def test_gradients_of_cones(name):
    """Have gradients of unit length that equal differences of the measures, inside and far beyond."""
    for direction in random_directions(25, 1):
        joint = swinging(leaning(direction, 0.7))
        joint.limit_swing(**CONES[name])
        own = own_arrays(joint)
        rows = np.flatnonzero(own.curve >= 0)
        numerical = numerical_jacobian(joint)[rows, 9:]
        for k, axis in enumerate(np.eye(3)):
            joint.second.angular_velocity = axis
            np.testing.assert_allclose(rates(joint)[rows], numerical[:, k], rtol=0, atol=2e-8)
        assert np.linalg.norm(numerical[0]) == pytest.approx(1.0, abs=1e-8)


def test_gradient_of_a_twist_over_the_swing():
    """Have the rate (z + z') . w / (1 + cos swing) less the slope of the bound, by differences (P-16)."""
    leaks = []
    for direction in random_directions(25, 2):
        joint = swinging(leaning(direction, 0.4))
        joint.limit_twist(TWISTS)
        rows = np.flatnonzero(own_arrays(joint).curve >= 0)
        numerical = numerical_jacobian(joint)[rows, 9:]
        for k, axis in enumerate(np.eye(3)):
            joint.second.angular_velocity = axis
            np.testing.assert_allclose(rates(joint)[rows], numerical[:, k], rtol=1e-7, atol=1e-7)
        leaks.append(np.abs(numerical[0] - direction).max())  # z' alone, which is what leaks
    assert np.median(leaks) > 0.1


@pytest.mark.parametrize("name", CONES)
def test_cones_measure_the_angle_to_their_outline(name):
    """Read the angle to the nearest of many points on the cone, negative beyond it."""
    joint = swinging()
    stop = joint.limit_swing(**CONES[name])
    outline = stop.outline(20000)
    assert np.allclose(np.linalg.norm(outline, axis=1), 1.0)
    # inside by the parity of crossings, in a plane onto which the sphere is projected from -z
    plane = outline[:, :2] / (1.0 + outline[:, 2:])
    for direction in random_directions(25, 3):
        joint.second.quaternion = leaning(direction, -0.3)
        nearest = np.arccos(np.clip(outline @ direction, -1, 1)).min()
        x, y = direction[:2] / (1.0 + direction[2])
        a, b = plane[:-1], plane[1:]
        passes = (a[:, 1] > y) != (b[:, 1] > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            at = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
        inside = (passes & (x < at)).sum() % 2 == 1
        if inside or name not in ("polygon",):
            assert abs(stop.gap) == pytest.approx(nearest, abs=1e-4) or not inside
        assert (stop.gap > 0) == inside


def test_an_ellipse_is_one():
    """Have (x/a)^2 + (y/b)^2 = 1 for the swings on its outline, to 1e-6, and reaches where they were said."""
    outline = swinging().limit_swing(ellipse=(2.0, 0.7)).outline(4000)
    swing = np.arctan2(np.hypot(outline[:, 0], outline[:, 1]), outline[:, 2])
    swings = outline[:, :2] / np.hypot(outline[:, 0], outline[:, 1])[:, None] * swing[:, None]
    assert np.abs(((swings / (2.0, 0.7)) ** 2).sum(axis=1) - 1.0).max() < 1e-6
    outline = swinging().limit_swing(ellipse=(-0.4, 2.1, -0.9, 0.7)).outline(4000)
    swing = np.arctan2(np.hypot(outline[:, 0], outline[:, 1]), outline[:, 2])
    swings = outline[:, :2] / np.hypot(outline[:, 0], outline[:, 1])[:, None] * swing[:, None]
    np.testing.assert_allclose([*swings.min(axis=0), *swings.max(axis=0)], [-0.4, -0.9, 2.1, 0.7], atol=1e-4)


# ------------------------------------------------------------------ wrong values


WRONG = {
    "no curve": (dict(), ["takes one of ellipse, spline and polygon", "not 0"]),
    "two curves": (dict(ellipse=(1, 1), spline=SQUARE), ["takes one of", "not 2"]),
    "numbers of an ellipse": (dict(ellipse=(1, 1, 1)), ["ellipse", "two half-axes", "four"]),
    "half-axes": (dict(ellipse=(1, -1)), ["ellipse", "above 0"]),
    "wide": (dict(ellipse=(3.1, 1)), ["ellipse", "3.1", "at most 3"]),
    "few": (dict(polygon=[(1, 0), (0, 1)]), ["polygon has 2 rows", "three"]),
    "no rows": (dict(spline=[1, 2, 3]), ["spline", "rows of two swings"]),
    "nan": (dict(spline=[(1, 0), (0, 1), (np.nan, -1)]), ["spline", "nan"]),
    "twice": (dict(polygon=[(1, 0), (1, 0), (0, 1), (-1, -1)]), ["same direction", "once"]),
    "crossed": (dict(polygon=[(1, 1), (-1, -1), (1, -1), (-1, 1)], inside=(0.5, 0, 1)), ["crosses itself"]),
    "outside": (
        dict(polygon=[(1, 0.5), (1.5, 0.5), (1.2, 1)]),
        ["axis of the joint is not within", "inside"],
    ),
    "zero": (dict(ellipse=(1, 1), inside=(0, 0, 0)), ["inside is zero"]),
    "restitution": (dict(ellipse=(1, 1), restitution=1.5), ["restitution", "1.5"]),
    "stiffness": (dict(ellipse=(1, 1), stiffness=-2), ["stiffness", "-2"]),
    "soft and elastic": (dict(ellipse=(1, 1), stiffness=2, restitution=0.5), ["restitution", "stiffness"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_cones_are_refused(name):
    """Name argument, value and cure, and add nothing."""
    joint = swinging()
    given, words = WRONG[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        joint.limit_swing(**given)
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))
    assert joint.curved_limits == [] and len(own_arrays(joint).part) == 3


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ([(0, -1, 1)], ["1 rows", "two swings"]),
        ([(0, -1, 1), (0, -1, 1)], ["must rise"]),
        ([(0, -1, 1), (4, -1, 1)], ["at most pi"]),
        ([(0, -1, 1), (1, 1, -1)], ["lowest twist must be below"]),
        ([(0, -1), (1, -1)], ["ranges"]),
    ],
)
def test_wrong_twists_are_refused(ranges, words):
    """Name the rows that are wrong, and add nothing."""
    joint = swinging()
    with pytest.raises((TypeError, ValueError)) as caught:
        joint.limit_twist(ranges)
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))
    assert joint.curved_limits == []


def test_joints_without_a_swing_refuse_cones():
    """Say which joints have one."""
    for kind in (Hinge, Free):
        joint = swinging(kind=kind)
        if kind is Free:
            joint.limit_swing(ellipse=(1, 1))
            continue
        with pytest.raises(ValueError, match="no axis that swings"):
            joint.limit_swing(ellipse=(1, 1))
        with pytest.raises(ValueError, match="twist"):
            joint.limit_twist(TWISTS)


def test_what_a_handle_says():
    """Read back what was given, change what may be changed, refuse what may not, tell of bounds met."""
    joint = swinging(leaning((0.3, 0, 1)), h=0.005)
    cone = joint.limit_swing(polygon=SQUARE, inside=(0.1, 0, 2))
    twist = joint.limit_twist(TWISTS, stiffness=20.0)
    assert cone.form == "polygon" and cone.rows.tolist() == [list(row) for row in SQUARE]
    np.testing.assert_allclose(cone.inside, np.array((0.1, 0, 2)) / np.hypot(0.1, 2))
    assert joint.curved_limits == [cone, twist] and joint.limits == []
    cone.restitution = 0.4
    assert (own_arrays(joint).restitution[-4:-2] == 0.4).all()
    with pytest.raises(ValueError, match="stiffness"):
        cone.stiffness = 5.0
    twist.damping = 3.0
    assert twist.damping == 3.0 and twist.ranges.tolist() == [list(row) for row in TWISTS]
    with pytest.raises(ValueError):
        twist.ranges[0, 0] = 1.0
    told = []
    joint.world.on("joint_at_stop", lambda event: told.append((event.coordinate, event.stop)), joints=joint)
    joint.second.angular_velocity = (0, 3.0, 0)
    joint.world.step(60)
    joint.second.angular_velocity = (0, 0, -3.0)
    joint.world.step(100)
    assert ("swing", "upper") in told and ("twist", "lower") in told
    assert cone.remove() is None and joint.curved_limits == [twist]
    with pytest.raises(ValueError, match="removed"):
        _ = cone.restitution
