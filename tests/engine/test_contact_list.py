"""Contacts are read one by one or as arrays of exact length, and stay what they were."""

import numpy as np
import pytest

import stoss as st
from tests.engine.worlds import tower

H, G = 0.01, 9.81


def pressed() -> st.World:
    """Return two cubes of 1 t on each other on the floor, at rest, after many more contacts were seen."""
    world = tower(2)
    many = world.add_bodies(st.Box((1, 1, 1)), [(3 * k, 9, 0.5) for k in range(40)])
    world.step(2)
    for body in many:
        world.remove_body(body)
    world.step(30)
    return world


def test_arrays_have_exact_length():
    """Show no entry beyond the contacts that there are, however many there were before."""
    world = pressed()
    contacts = world.contacts
    assert len(contacts) == contacts.count == 8 and contacts
    for name in (
        "body_a",
        "body_b",
        "shape_a",
        "shape_b",
        "feature",
        "point_a",
        "point_b",
        "point",
        "normal",
        "gap",
        "radius_a",
        "radius_b",
        "normal_side",
        "impulse",
        "friction",
    ):
        array = getattr(contacts, name)
        assert len(array) == 8
        with pytest.raises(ValueError, match="read-only result"):
            array[0] = 0
        with pytest.raises(AttributeError, match=f"{name} = 1 cannot be assigned"):
            setattr(contacts, name, 1)
    assert np.abs(contacts.gap).max() < 1e-6
    assert set(contacts.body_a.tolist()) | set(contacts.body_b.tolist()) == {0, 1, 2}
    assert (
        len(world.contact_impulses) == 8 and not len(st.World().contacts) and list(st.World().contacts) == []
    )


def test_contacts_one_by_one():
    """Give bodies, point, normal, gap, impulse and friction of each; the impulses carry the weight."""
    world = pressed()
    floor, low, high = world.bodies
    weight = 0.0
    for contact in world.contacts:
        assert contact.first in world.bodies and contact.second in world.bodies
        assert contact.bodies == (contact.first, contact.second)
        assert (
            contact.other(contact.first) is contact.second and contact.other(contact.second) is contact.first
        )
        assert abs(contact.gap) < 1e-6 and contact.friction == low.material.friction
        assert np.abs(np.abs(contact.normal) - (0, 0, 1)).max() < 1e-9
        assert min(abs(contact.point[2]), abs(contact.point[2] - 1.0)) < 1e-6
        assert contact.impulse_along_normal > 0.0
        if floor in contact.bodies:
            weight += contact.impulse_along_normal
            upward = contact.impulse[2] if contact.first is low else -contact.impulse[2]
            assert upward > 0.0
    assert weight == pytest.approx((low.mass + high.mass) * G * H, rel=1e-6)
    with pytest.raises(ValueError, match="'cube 1'.*neither"):
        next(c for c in low.contacts if floor in c.bodies).other(high)


def test_contacts_of_a_body():
    """Find the contacts of one body, and of two with each other."""
    world = pressed()
    floor, low, high = world.bodies
    assert [len(body.contacts) for body in (floor, low, high)] == [4, 8, 4]
    assert len(world.contacts.of(low, high)) == 4 and len(world.contacts.of(floor, high)) == 0
    assert {c.other(high) for c in high.contacts} == {low}
    with pytest.raises(ValueError, match="other = <Body 'cube 0'.*another world"):
        world.contacts.of(low, pressed().bodies[1])
    for wrong in ("floor", None, 0):
        with pytest.raises(TypeError, match="^body = .* must be a Body"):
            world.contacts.of(wrong)


def test_numbers_slices_and_masks():
    """Pick contacts as from a list or an array."""
    contacts = pressed().contacts
    assert contacts[0].gap == contacts.gap[0] and contacts[-1].gap == contacts.gap[-1]
    assert len(contacts[2:5]) == 3 and len(contacts[contacts.gap > 1.0]) == 0
    assert contacts[[1, 2]].gap.tolist() == contacts.gap[[1, 2]].tolist()
    for wrong in (8, -9):
        with pytest.raises(IndexError, match=f"index = {wrong} of 8 contacts"):
            contacts[wrong]


def test_contacts_stay_what_they_were():
    """Keep contacts that were asked for when the world goes on, and bodies go."""
    world = pressed()
    contacts = world.contacts
    gaps, names = contacts.gap.tolist(), [c.first.name for c in contacts]
    world.remove_body(world.bodies[1])
    world.add_body(st.Sphere(0.5), position=(0.1, 0, 0.4))
    world.step(5)
    assert contacts.gap.tolist() == gaps and [c.first.name for c in contacts] == names
    assert world.contacts.gap.tolist() != gaps


def test_contacts_say_what_they_are():
    """Show some of them."""
    contacts = pressed().contacts
    assert repr(contacts).startswith("<8 contacts: <Contact of ") and "and 4 more" in repr(contacts)
    assert "gap" in repr(contacts[0]) and repr(st.World().contacts) == "<no contacts>"


def test_results_of_bodies_and_worlds_are_read_only():
    """Refuse to write into what would change nothing, and name what to assign; += moves the body."""
    world = pressed()
    floor, low, high = world.bodies
    joint = world.add_joint(st.Ball((0, 0, 2)), None, high)
    for of, names in (
        (high, "position quaternion velocity angular_velocity inertia center_of_mass"),
        (joint, "force torque first_point second_point"),
        (world.contacts, "normal_force stored_energy gap"),
        (
            world,
            "positions quaternions centers_of_mass principal_quaternions masses inertias gravity asleep "
            "island_numbers contact_impulses joints_enabled",
        ),
    ):
        for name in names.split():
            with pytest.raises(ValueError, match="read-only result cannot be assigned; "):
                getattr(of, name)[0] = 1.0
    with pytest.raises(ValueError, match=r"assign all of it: body.position = \(x, y, z\)"):
        high.position[2] = 5.0
    with pytest.raises(ValueError, match="world.positions = array"):
        world.positions[1, 2] = 5.0
    high.position += (0.0, 0.0, 1.0)
    high.velocity += (0.0, 1.0, 0.0)
    world.gravity *= 0.5
    assert high.position[2] == pytest.approx(2.5, abs=1e-6) and high.velocity[1] == pytest.approx(1.0)
    assert world.gravity.tolist() == [0.0, 0.0, -0.5 * G]


def test_arrays_that_may_be_written():
    """Let the four arrays that are the state be written in place, or assigned as a whole, checked."""
    world = pressed()
    for name in ("velocities", "angular_velocities", "forces", "torques"):
        array = np.zeros((3, 3))
        array[1:] = 0.25
        setattr(world, name, array)
        assert getattr(world, name).tolist() == array.tolist()
        getattr(world, name)[1, 0] = 0.5
        assert getattr(world, name)[1, 0] == 0.5
        for wrong in ("zero", np.zeros((2, 3)), [[np.nan] * 3] * 3, None):
            with pytest.raises((TypeError, ValueError), match=f"^{name}"):
                setattr(world, name, wrong)
    for name in ("velocities", "angular_velocities"):
        with pytest.raises(ValueError, match=rf"{name}\[0\] = \[1.0, 1.0, 1.0\]: body 'floor' is static"):
            setattr(world, name, np.ones((3, 3)))
    assert world.velocities[0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_impulses_are_those_of_the_whole_step_when_it_is_split(solver):
    """Have contacts give all that the momentum of a step asks for, also in steps of several sub-steps."""
    world = st.World(time_step=0.01, settings=st.Settings(solver=solver))
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    stand = world.add_body(st.Box((0.6, 0.6, 0.2)), position=(0, 0, 0.1), mass=20.0)
    arm = world.add_body(st.Capsule(0.05, 0.3), position=(0.3, 0, 0.6), mass=2.0, angular_velocity=(0, 12, 0))
    world.add_joint(st.Hinge((0, 0, 0.6), (0, 1, 0)), stand, arm)
    masses, split = np.array([0.0, 20.0, 2.0]), 0
    for _ in range(60):
        before = masses @ world.velocities
        report = world.step()
        given = world.contacts.impulse * np.where(world.contacts.body_a == 0, -1.0, 1.0)[:, None]
        wanted = masses @ world.velocities - before - 22.0 * world.time_step * world.gravity
        np.testing.assert_allclose(given.sum(axis=0), wanted, atol=1e-9 * 22.0 * 9.81)
        split += report.sub_steps > 1
    assert split > 10


def test_states_and_ids_of_contacts_last():
    """Say of each contact whether it is apart, sticks or slips, and find it again by its id."""
    world = st.World()
    rough, smooth = st.Material(friction=0.8), st.Material(friction=0.1)
    world.add_body(st.HalfSpace(), kind="static", material=st.Material(friction=1.0))
    still = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 0.5), material=rough)
    sled = world.add_body(st.Box((1, 1, 1)), position=(3, 0, 0.5), material=smooth, velocity=(3, 0, 0))
    world.add_body(st.Box((1, 1, 1)), position=(6, 0, 0.515), material=rough, name="above")
    world.step(5)
    mine, theirs = world.contacts.of(still), world.contacts.of(sled)
    assert set(mine.states()) == {"stick"} and set(theirs.states()) == {"slip"}
    np.testing.assert_allclose(theirs.slip_speed, sled.velocity[0], atol=1e-6)
    assert set(theirs.states(slip=5.0)) == {"stick"}
    assert mine[0].state == "stick" and theirs[0].state == "slip" and theirs[0].slip_speed > 1.0
    before = {contact.id for contact in mine}
    world.step(20)
    assert {contact.id for contact in world.contacts.of(still)} == before and len(before) == 4
    assert world.contacts.ids.shape == (len(world.contacts), 3)
    with pytest.raises(ValueError, match="slip"):
        mine.states(slip=0.0)


@pytest.mark.parametrize("step", [0.002, 0.02])
@pytest.mark.parametrize("mirrored", [False, True])
def test_forces_on_a_body_hold_it(step, mirrored):
    """Hold each body of a leaning stack against its weight, whichever of two is the first."""
    world = st.World(gravity=(2.0, 0, -9.81), time_step=step)
    rough = st.Material(friction=0.6)
    masses, order = (3.0, 1.0, 20.0), (0, 1, 2)
    bodies = {}
    for level in reversed(order) if mirrored else order:
        place = (0, 0, 0.2 + 0.4 * level)
        bodies[level] = world.add_body(
            st.Box((1, 1, 0.4)), mass=masses[level], position=place, material=rough
        )
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    world.step(round(0.4 / step))
    for level, body in bodies.items():
        force = sum(contact.force_on(body) for contact in body.contacts)
        assert force == pytest.approx(masses[level] * np.array((-2.0, 0, 9.81)), abs=1e-6 * 20 * 9.81)
    contact = bodies[0].contacts[0]
    assert contact.force_on(contact.first) == pytest.approx(-contact.force_on(contact.second))
    with pytest.raises(ValueError, match="neither"):
        contact.force_on(st.World().add_body(st.Box((1, 1, 1))))
