"""Joints to the world, to static and to kinematic bodies."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Ball, Fixed, Hinge, JointKind, Planar, Slider, Universal, World
from tests.engine.joint_worlds import ball, rotation
from tests.engine.worlds import G, axis_angle

H = 0.01
PLACE = (0.3, 0.1, 0.2)
WORLD_KINDS: dict[str, JointKind] = {
    "ball": Ball(PLACE),
    "hinge": Hinge(PLACE, (0, 1, 0.5)),
    "slider": Slider(PLACE, (1, 0, -0.4)),
    "universal": Universal(PLACE, (1, 0, 0), (0, 1, 0)),
    "planar": Planar(PLACE, (1, 0, 2)),
    "fixed": Fixed(PLACE),
}


def swinging(kind: JointKind, anchor: str, second: bool) -> tuple[World, np.ndarray]:
    """Return a world in which a body moves on a joint, and its positions over a second.

    Args:
        kind: of the joint.
        anchor: "world", "static" or "kinematic": what it is joined to.
        second: whether the anchor is the second body.
    """
    world = World()
    fixed = None
    if anchor != "world":
        fixed = world.add_body(
            Box((0.2, 0.2, 0.2)), kind=anchor, position=(2, 1, 3), quaternion=axis_angle((1, 2, 3), 1.0)
        )
    body = world.add_body(Box((0.6, 0.3, 0.2)), mass=2.0, angular_velocity=(0.3, 0.2, -0.4))
    world.add_joint(kind, *((body, fixed) if second else (fixed, body)))
    places = []
    for _ in range(100):
        world.step()
        places.append([*body.position, *body.quaternion])
    return world, np.array(places)


@pytest.mark.parametrize("name", WORLD_KINDS)
def test_all_anchors_are_the_same(name):
    """Move the same on the world, on a static body and on a kinematic one at rest, first or second.

    Which of the bodies is first says where forces along an axis act; closed joints do not see it. The passes
    of the preview differ in their rounding and within the tolerance of 1e-6 m and rad.
    """
    kind = WORLD_KINDS[name]
    # each axis of a universal joint belongs to one body, whichever is first
    swapped = Universal(PLACE, kind.second_axis, kind.axis) if isinstance(kind, Universal) else kind
    world, expected = swinging(kind, "world", False)
    reaction = world.joints[0].force
    for anchor in ("world", "static", "kinematic"):
        for second in (False, True):
            there, places = swinging(swapped if second else kind, anchor, second)
            assert places == pytest.approx(expected, abs=1e-5)
            sign = -1.0 if second else 1.0
            # forces follow positions by m eps / h^2
            assert there.joints[0].force == pytest.approx(sign * reaction, abs=2.0 * 1e-6 / H**2)
            assert there.joints[0].error < 1e-6


def test_kinematic_body_carries_a_joint():
    """Carry a hanging weight along with a kinematic body: behind it at tan a = acceleration / g."""
    world = World()
    crane = world.add_body(Box((0.2, 0.2, 0.2)), kind="kinematic", position=(0, 0, 2))
    weight = world.add_body(ball(), mass=3.0, position=(0, 0, 1))
    joint = world.add_joint(Ball((0, 0, 2)), crane, weight)
    world.step(20)
    # at a constant speed, reached at once: the weight swings about hanging, v = 0.3 m/s, up to v / sqrt(g L)
    crane.velocity = (0.3, 0, 0)
    largest = 0.0
    for _ in range(300):
        world.step()
        assert joint.error < 1e-6
        assert crane.velocity == pytest.approx((0.3, 0, 0), abs=0.0)
        largest = max(largest, abs(weight.center_of_mass[0] - crane.center_of_mass[0]))
    inertia = 3.0 * (1.0 + 0.4 * 0.01)
    speed = 3.0 * 0.3 / inertia
    top = np.sqrt(inertia) * speed / np.sqrt(3.0 * G)
    assert largest == pytest.approx(2.0 * np.sin(0.5 * top), rel=5e-3)


def test_kinematic_crank_drives_a_slider_crank():
    """Drive a slider by crank and rod as x = r cos a + sqrt(l^2 - r^2 sin^2 a)."""
    r, length, rate = 0.3, 1.0, 4.0
    world = World()
    crank = world.add_body(Box((0.3, 0.05, 0.05)), kind="kinematic", angular_velocity=(0, -rate, 0))
    rod = world.add_body(Box((length, 0.05, 0.05)), mass=1.0, position=(r + 0.5 * length, 0, 0))
    piston = world.add_body(Box((0.2, 0.2, 0.2)), mass=2.0, position=(r + length, 0, 0))
    pins = [
        world.add_joint(Hinge((r, 0, 0), (0, 1, 0)), crank, rod),
        world.add_joint(Hinge((r + length, 0, 0), (0, 1, 0)), rod, piston),
        world.add_joint(Slider((r + length, 0, 0), (1, 0, 0)), None, piston),
    ]
    # start in motion: the rod's end goes up with the crank
    rod.velocity, rod.angular_velocity = (0, 0, 0.5 * r * rate), (0, r * rate / length, 0)
    for _ in range(400):
        world.step()
        angle = rate * world.time
        x = r * np.cos(angle) + np.sqrt(length**2 - (r * np.sin(angle)) ** 2)
        # three joints, each closed to 1e-6 m; the rod stretches the error by at most 1 / cos
        assert piston.center_of_mass[0] == pytest.approx(x, abs=1e-5)
        assert max(pin.error for pin in pins) < 1e-6


def test_turning_platform():
    """Hold a body on a turning platform with m w^2 r towards its axis."""
    rate, radius = 3.0, 0.8
    world = World(gravity=(0, 0, 0))
    table = world.add_body(Box((1, 1, 0.1)), kind="kinematic", angular_velocity=(0, 0, rate))
    body = world.add_body(
        ball(),
        mass=2.0,
        position=(radius, 0, 0),
        velocity=(0, rate * radius, 0),
        angular_velocity=(0, 0, rate),
    )
    joint = world.add_joint(Fixed((radius, 0, 0)), table, body)
    for _ in range(200):
        world.step()
        # between both ends of the step the force turns by w h: its mean is cos(w h/2) of it, to (w h)^2/8
        inward = -rotation(axis_angle((0, 0, 1), rate * (world.time - 0.5 * H))) @ (1, 0, 0)
        assert joint.force == pytest.approx(2.0 * rate**2 * radius * inward, abs=15.0 * (rate * H) ** 2)
        assert joint.error < 1e-6 and joint.angle_error < 1e-6
    assert np.linalg.norm(body.center_of_mass) == pytest.approx(radius, abs=1e-6)


def test_static_body_never_moves():
    """Leave a static body where it is, whatever hangs on it."""
    world = World()
    post = world.add_body(Box((0.2, 0.2, 2)), kind="static", position=(0, 0, 1))
    body = world.add_body(Box((1, 0.1, 0.1)), mass=1000.0, position=(0.5, 0, 2))
    joint = world.add_joint(Hinge((0, 0, 2), (0, 1, 0)), post, body)
    world.step(200)
    assert post.position == pytest.approx((0, 0, 1), abs=0.0)
    assert joint.error < 1e-6


def test_two_kinds_of_anchors_make_two_islands():
    """Do not connect bodies that hang on the same static body."""
    world = World()
    post = world.add_body(Box((0.2, 0.2, 2)), kind="static")
    for x in (-1.0, 1.0):
        body = world.add_body(ball(), mass=1.0, position=(x, 0, 0))
        world.add_joint(Ball((0.5 * x, 0, 0)), post, body)
    assert world.step().islands == 2
