"""What is read between two steps is that of the last one, whatever was added, removed or assigned since."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Hinge, Material, Settings, World
from stoss.engine.laws.restriction import RestrictionContact

G = 9.81
WEIGHTS = (20 * G, 10 * G)  # [N] on the ground, and on the first box


def stack(**settings):
    """Return a world with two boxes on top of each other, a driven arm and some bodies beside them."""
    world = World(time_step=0.01, settings=Settings(**settings))
    world.add_body(Sphere(0.1), position=(0, 9, 9), mass=1.0, name="first")
    world.add_body(Box((20, 20, 1)), position=(0, 0, -0.5), kind="static", name="ground")
    for k in range(2):
        world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5 + k), mass=10.0, name=f"box {k}")
    arm = world.add_body(Box((0.2, 0.2, 0.2)), position=(5, 0, 3), mass=1.0, name="arm")
    joint = world.add_joint(Hinge((5, 0, 4), (0, 1, 0)), None, arm, name="joint")
    joint.motor(0.5)
    world.add_body(Box((0.2, 0.2, 0.2)), position=(8, 0, 3), kind="kinematic", name="cart")
    world.step(20)
    return world


def carried(world):
    """Return what the contacts say that the ground bears, and the first box [N]."""
    ground, above = world.body("ground"), world.body("box 1")
    return (
        -sum(contact.force_on(ground)[2] for contact in ground.contacts),
        sum(contact.force_on(above)[2] for contact in above.contacts),
    )


CHANGES = {
    "a joint": lambda w: w.add_joint(Hinge((0, 0, 3), (0, 1, 0)), w.body("arm"), w.body("cart")),
    "a limit": lambda w: w.joint("joint").limit(-2, 2),
    "a drive": lambda w: w.joint("joint").damper(1.0),
    "a drive less": lambda w: w.joint("joint").drives[0].remove(),
    "a rate": lambda w: setattr(w.joint("joint").drives[0], "target_rate", 0.7),
    "a body": lambda w: w.add_body(Sphere(0.1), position=(0, 0, 9), mass=1.0),
    "a body that touches": lambda w: w.add_body(Box((0.1, 0.1, 0.1)), position=(0, 0, 2.05), mass=1.0),
    "a body less": lambda w: w.remove_body(w.body("first")),
    "an arm less": lambda w: (w.remove_joint(w.joint("joint")), w.remove_body(w.body("arm"))),
    "a place": lambda w: setattr(w.body("arm"), "position", w.body("arm").position + 1e-9),
    "a mass": lambda w: setattr(w.body("box 1"), "mass", 20.0),
    "a material": lambda w: setattr(w.body("box 1"), "material", Material(friction=0.1)),
    "a kind": lambda w: setattr(w.body("cart"), "kind", "static"),
    "a belt": lambda w: setattr(w.body("ground"), "surface_velocity", (1, 0, 0)),
    "settings": lambda w: setattr(w, "settings", Settings(sweeps=20)),
    "gravity": lambda w: setattr(w, "gravity", (0, 0, -1)),
    "a waking": lambda w: w.wake_all(),
    "a snapshot": lambda w: w.restore(w.save()),
    "two": lambda w: (w.remove_body(w.body("first")), w.contacts, w.joint("joint").damper(1.0)),
}


@pytest.mark.parametrize("settings", [{}, {"sleeping": True, "sleep_time": 0.05}, {"solver": "gauss_seidel"}])
@pytest.mark.parametrize("change", CHANGES)
def test_forces_of_contacts_stay(change, settings):
    """Say what bore the boxes in the last step, whatever was changed since, and twice the same."""
    world = stack(**settings)
    before = carried(world)
    assert before == pytest.approx(WEIGHTS, rel=1e-6)
    CHANGES[change](world)
    for _ in range(2):
        assert carried(world) == pytest.approx(before, rel=1e-12)
        assert np.isclose(world.contacts.normal_force.sum(), sum(before))
        assert np.array_equal(world.contacts.impulse, world.contact_impulses)


def test_what_is_taken_away_acted():
    """Have nothing of contacts that are gone, and all of those that are left, when a body is taken away."""
    world = stack()
    world.remove_body(world.body("box 1"))
    assert carried_by_ground(world) == pytest.approx(20 * G, rel=1e-6)
    assert len(world.contacts) == 4


def carried_by_ground(world):
    """Return what the ground bears [N]."""
    ground = world.body("ground")
    return -sum(contact.force_on(ground)[2] for contact in ground.contacts)


@pytest.mark.parametrize("switch", ["joint", "drive"])
def test_what_is_switched_off_has_acted(switch):
    """Say what a joint and its motor gave in the last step until the next one, also if they are off now."""
    world = stack()
    joint = world.joint("joint")
    motor = joint.drives[0]
    force, torque, drive = joint.force.copy(), joint.torque.copy(), motor.force
    assert force.any() and torque.any() and drive
    (joint if switch == "joint" else motor).enabled = False
    assert np.array_equal(joint.force, force) and np.array_equal(joint.torque, torque)
    assert motor.force == drive
    world.step()
    assert motor.force == 0.0
    assert joint.force.any() == (switch == "drive")


def test_looking_changes_nothing():
    """Go on with the same bits, whether contacts are looked at after a change or not."""
    hashes = set()
    for look in (False, True):
        world = stack()
        for k in range(10):
            world.body("box 1").material = Material(friction=0.4 + 0.01 * k)
            if k % 3 == 0:
                world.joint("joint").limit(-3 - k, 3)
            if look:
                carried(world), world.contacts.states()
            world.step()
        hashes.add(world.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("settings", [{}, {"sleeping": True, "sleep_time": 0.05}, {"time_of_impact": True}])
@pytest.mark.parametrize("change", CHANGES)
def test_what_an_impact_came_to_stays(change, settings):
    """Say what an impact of the last step came to by its law, whatever was changed since, in copies too."""
    world = stack(**settings)
    soft = Material(contact_law=RestrictionContact(max_force=500.0, compression=2e-3, damping=0.5))
    ball = world.add_body(Sphere(0.1), position=(7, 7, 0.5), mass=1.0, material=soft)
    while not any(contact.impact for contact in ball.contacts):
        world.step()
    (before,) = (contact.impact for contact in ball.contacts)
    twin, snapshot = world.copy(), world.save()
    CHANGES[change](world)
    assert [contact.impact for contact in ball.contacts] == [before]
    twin.step()
    twin.restore(snapshot)
    assert [contact.impact for contact in twin.body(ball.name).contacts] == [before]
    world.step()
    assert not any(contact.impact for contact in world.contacts)


@pytest.mark.parametrize("settings", [{}, {"sleeping": True, "sleep_time": 0.05}, {"solver": "gauss_seidel"}])
@pytest.mark.parametrize("change", CHANGES)
def test_report_counts_the_contacts_there_are(change, settings):
    """Count contacts as `world.contacts` does, whatever was changed since the last step."""
    world = stack(**settings)
    CHANGES[change](world)
    report, gaps = world.report, world.contacts.gap
    assert report.contact_count == len(gaps) > 0
    assert report.touching_count == (gaps <= world.settings.touch_distance).sum()
    assert report.max_overlap == max(0.0, -gaps.min())
    assert report.body_count == len(world.bodies)


def test_ladder_names_those_it_means_when_others_go():
    """Name the bodies of an island that left the usual method when one in front of them is removed."""
    world = stack()
    world._stepper.system.rungs[world.body("arm").index] = 1
    (rung,) = world.report.ladder
    assert rung[1] == ("arm",)
    world.remove_body(world.body("first"))
    assert world.report.ladder == (rung,)
