"""Edges and faces that hit alone: as one contact at the point of the resultant, slip that ends included."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Material, Settings, World
from stoss.engine.bodies.material import IMPACT_LAWS
from tests.engine.worlds import axis_angle, world_with_floor

law = pytest.mark.parametrize("law", IMPACT_LAWS)


def planar(k, u, mu, e, law):
    """Return the impulse (normal, tangential) of a planar impact by Coulomb's and one of three laws.

    The velocity (normal, tangential) changes by k (2, 2) times the impulse. It is piecewise straight in the
    normal impulse p: friction is -mu while sliding forward, then what holds, or what slides the other way.
    """
    u, start = np.array(u), -u[0]
    forward = np.sign(u[1])
    impulse, work, restitution, left = np.zeros(2), 0.0, False, start
    sliding = np.array([1.0, -mu * forward])
    hold = -k[0, 1] / k[1, 1]
    resting = np.array([1.0, hold if abs(hold) <= mu else mu * np.sign(hold)])
    for _ in range(6):
        slides = u[1] * forward > 1e-12
        force = sliding if slides else resting
        slope = k @ force
        stop = -u[1] / slope[1] if slides and slope[1] * forward < 0.0 else np.inf
        if restitution and law == "poisson":
            end = left
        elif restitution and law == "stronge":
            end = (np.sqrt(u[0] ** 2 + 2.0 * slope[0] * left) - u[0]) / slope[0]
        else:
            end = left / slope[0] if slope[0] > 0.0 else np.inf
        p = min(stop, end)
        done = p * (u[0] + 0.5 * slope[0] * p)
        impulse = impulse + p * force
        u = u + p * slope
        work += done
        if stop < end:
            u[1] = 0.0
            left -= (
                {"newton": slope[0] * p, "poisson": p, "stronge": done}[law] if restitution else slope[0] * p
            )
        elif restitution:
            return impulse
        else:
            restitution, u[0] = True, 0.0
            left = {"newton": e * start, "poisson": e * impulse[0], "stronge": -e * e * work}[law]
    raise AssertionError


def arm_and_motion(world, body):
    """Return from the body to the middle of its contacts (x, z) after it has hit, and the inverse inertia."""
    while not len(world.events.begin):
        world.step()
        assert world.step_count < 200
    contacts = world.contacts
    assert contacts.count > 1
    middle = 0.5 * (contacts.point_a[: contacts.count] + contacts.point_b[: contacts.count])
    return middle.mean(axis=0) - body.position, 1.0 / body.inertia[1]


@law
@pytest.mark.parametrize(
    ("size", "angle", "slide", "friction", "e"),
    [
        ((0.1, 0.1, 1.0), 0.6, 0.3, 0.8, 0.5),  # slip ends, and it sticks
        ((0.1, 0.1, 2.0), 0.6, 0.3, 0.3, 0.5),  # slip ends, and turns round
        ((0.1, 0.3, 2.0), 0.6, 3.0, 0.2, 0.5),  # slides throughout
        ((0.2, 0.5, 1.0), 0.9, 0.2, 0.6, 0.3),
        ((0.2, 0.5, 1.0), -0.4, 0.5, 0.5, 0.7),
        ((0.5, 0.4, 0.3), 0.5, 0.3, 0.8, 0.5),
        ((1.0, 1.0, 1.0), 0.7, -0.4, 0.25, 0.8),
        ((1.0, 2.0, 1.0), 0.3, 0.0, 0.4, 0.6),
    ],
)
def test_edge_hits_as_one_point_does(law, size, angle, slide, friction, e):
    """Give a box that lands on a whole edge the impulse of its middle, from the planar closed form."""
    material = Material(restitution=e, friction=friction)
    settings = Settings(impact_law=law)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=1e-3, settings=settings)
    reach = 0.5 * (size[2] * np.cos(angle) + size[0] * abs(np.sin(angle)))
    body = world.add_body(
        Box(size), position=(0, 0, reach + 0.02), quaternion=axis_angle((0, 1, 0), angle), mass=1.0,
        velocity=(slide, 0, -1.0), material=material,
    )  # fmt: skip
    arm, inverse = arm_and_motion(world, body)
    normal, tangent = np.array([0.0, 0, 1.0]), np.array([1.0, 0, 0])
    turn = np.array([np.cross(arm, normal)[1], np.cross(arm, tangent)[1]])
    k = np.eye(2) + inverse * np.outer(turn, turn)
    u = np.array([-1.0, slide])
    p = planar(k, u, friction, e, law)
    # Newton's law would add energy here and there: then less is given back
    if u @ p + 0.5 * p @ k @ p > -1e-6:
        assert law == "newton"
        return
    assert body.velocity == pytest.approx([slide + p[1], 0.0, p[0] - 1.0], abs=1e-9)
    assert body.angular_velocity == pytest.approx([0.0, inverse * turn @ p, 0.0], abs=1e-9)


def test_thin_rod_stops_sliding_as_it_is_compressed():
    """Leave at 0.1015 m/s by Stronge's law, from the closed form, with the work taken along the path."""
    size, angle, slide = (0.1, 0.1, 1.0), 0.6, 0.3
    half, thick = 0.5 * np.cos(angle), 0.05 * np.sin(angle)
    across, along = 0.5 * np.sin(angle) - 0.05 * np.cos(angle), half + thick
    inverse = 12.0 / (size[0] ** 2 + size[2] ** 2)
    k = np.eye(2) + inverse * np.outer((across, -along), (across, -along))
    p = planar(k, (-1.0, slide), 0.8, 0.5, "stronge")
    assert p[0] - 1.0 == pytest.approx(0.1015, abs=5e-5)


@law
@pytest.mark.parametrize(("place", "slide", "friction"), [(0.0, 0.4, 0.7), (0.3, 0.3, 0.3)])
def test_edge_hits_a_free_slab(law, place, slide, friction):
    """Hit a slab that is free to move, off its middle too, as one point does; momentum is kept."""
    material, e = Material(restitution=0.6, friction=friction), 0.6
    world = World(gravity=(0, 0, 0), time_step=1e-3, settings=Settings(impact_law=law))
    slab = world.add_body(Box((2.0, 1.0, 0.2)), position=(0, 0, -0.1), mass=3.0, material=material)
    # its lower edge is that of the side towards +x
    reach = np.array([0.5 * np.sin(0.6) * 1.5, 0.5 * np.cos(0.6) * 1.5 + 0.1 * np.sin(0.6)])
    rod = world.add_body(
        Box((0.2, 0.4, 1.5)), position=(place + reach[0], 0, reach[1] + 0.02), mass=1.0,
        quaternion=axis_angle((0, 1, 0), 0.6), velocity=(slide, 0, -1.0), material=material,
    )  # fmt: skip
    arm, inverse = arm_and_motion(world, rod)
    contacts = world.contacts
    middle = 0.5 * (contacts.point_a[:2] + contacts.point_b[:2]).mean(axis=0)
    k, turns = np.zeros((2, 2)), []
    for body, lever, share in ((rod, arm, inverse), (slab, middle - slab.position, 1.0 / slab.inertia[1])):
        turn = np.array([np.cross(lever, (0, 0, 1.0))[1], np.cross(lever, (1.0, 0, 0))[1]])
        k += np.eye(2) / body.mass + share * np.outer(turn, turn)
        turns.append(share * turn)
    u = np.array([-1.0, slide])
    p = planar(k, u, friction, e, law)
    assert u @ p + 0.5 * p @ k @ p < 0.0
    assert rod.velocity == pytest.approx([slide + p[1], 0.0, p[0] - 1.0], abs=1e-9)
    assert slab.velocity == pytest.approx([-p[1] / 3.0, 0.0, -p[0] / 3.0], abs=1e-9)
    assert rod.angular_velocity == pytest.approx([0.0, turns[0] @ p, 0.0], abs=1e-9)
    assert slab.angular_velocity == pytest.approx([0.0, -turns[1] @ p, 0.0], abs=1e-9)


@law
@pytest.mark.parametrize(
    ("size", "velocity", "friction", "e"),
    [
        ((0.5, 0.4, 0.3), (0.3, 0.0), 0.8, 0.5),
        ((0.5, 0.4, 0.3), (2.0, 1.0), 0.3, 0.5),
        ((1.0, 1.0, 1.0), (0.5, -0.2), 0.6, 0.8),
        ((1.0, 0.6, 0.2), (-0.9, 0.9), 1.0, 0.3),
    ],
)
def test_face_lands_without_turning(law, size, velocity, friction, e):
    """Stop or brake the sliding of a box that lands flat, and leave at e times the approach, without spin.

    The pressure moves ahead under the box until friction does not turn it: v_t - mu (1 + e) v_n remains.
    """
    material = Material(restitution=e, friction=friction)
    settings = Settings(impact_law=law)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=1e-3, settings=settings)
    body = world.add_body(
        Box(size), position=(0, 0, 0.5 * size[2] + 0.02), mass=2.0, velocity=(*velocity, -1.0),
        material=material,
    )  # fmt: skip
    arm_and_motion(world, body)
    slip = np.array(velocity)
    speed = np.hypot(*slip)
    slip *= max(speed - friction * (1.0 + e), 0.0) / speed
    assert body.velocity == pytest.approx([*slip, e], abs=1e-9)
    assert body.angular_velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


@law
def test_tall_block_tips_where_its_face_would_have_to_pull(law):
    """Turn a tall block that lands sliding, and add no energy: no pressure within its face could hold it."""
    material = Material(restitution=0.3, friction=0.9)
    world = world_with_floor(material, gravity=(0, 0, 0), time_step=1e-3, settings=Settings(impact_law=law))
    body = world.add_body(
        Box((0.2, 0.4, 1.0)), position=(0, 0, 0.52), mass=1.0, velocity=(3.0, 0, -1.0), material=material
    )
    before = world.report.energy
    arm_and_motion(world, body)
    assert body.angular_velocity[1] > 0.1
    assert world.report.energy < before
    assert (world.contact_impulses[:, 2] <= 0.0).all()  # those on the floor
