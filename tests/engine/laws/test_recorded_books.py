"""Books of friction over whole steps, sums of impulses of contacts, and what recorders tell of both."""

import math

import numpy as np
import pytest

import stoss as st
from tests.engine.worlds import G

SOLVERS = ("direct", "gauss_seidel")
STRIBECK = st.Stribeck(0.6, 0.4, 0.05)
LUGRE = st.LuGre(0.6, 0.4, 0.05, 1e4, 50.0)


def pendulum(law: st.FrictionLaw, solver: str = "auto") -> tuple[st.World, st.Joint]:
    """Return a fast pendulum of two links that divides its steps, with a law on its first hinge."""
    world = st.World(time_step=0.02, settings=st.Settings(solver=solver))
    first = world.add_body(st.Box((0.4, 0.05, 0.05)), position=(0.2, 0, 2), mass=1.0)
    second = world.add_body(st.Box((0.1, 0.05, 0.05)), position=(0.45, 0, 2), mass=0.2)
    hinge = world.add_joint(st.Hinge((0, 0, 2), (0, 1, 0)), None, first, name="hip")
    world.add_joint(st.Hinge((0.4, 0, 2), (0, 1, 0)), first, second)
    world.exclude_collision(first, second)
    second.angular_velocity = (0, 60, 0)
    hinge.friction_law = law
    return world, hinge


@pytest.mark.parametrize("law", [STRIBECK, LUGRE, st.Viscous(0.3)], ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("solver", SOLVERS)
def test_power_is_the_work_of_the_whole_step(law, solver):
    """Tell work over length of the step of joints and laws, however many sub-steps it took."""
    world, hinge = pendulum(law, solver)
    divided = 0
    for _ in range(20):
        before, whole = hinge.frictions[0].book.work, world.friction_books[law].work
        divided += world.step().sub_steps > 1
        book, sums = hinge.frictions[0].book, world.friction_books[law]
        assert book.power == pytest.approx((before - book.work) / 0.02, rel=1e-9, abs=1e-12)
        assert sums.power == pytest.approx((whole - sums.work) / 0.02, rel=1e-9, abs=1e-12)
    assert divided > 10


@pytest.mark.parametrize("law", [STRIBECK, LUGRE], ids=lambda law: type(law).__name__)
def test_power_of_contacts_in_divided_steps(law):
    """Tell work over length of the step of a contact that lasts through several sub-steps."""
    world, _ = pendulum(st.Viscous(0.01))
    material = st.Material(friction_law=law)
    world.add_body(st.HalfSpace(), kind="static", material=material)
    box = world.add_body(st.Box((1, 1, 0.05)), position=(3, 0, 0.025), mass=2.0, material=material)
    world.step()
    box.velocity = (2.0, 0.2, 0)
    for _ in range(10):
        before = box.kinetic_energy
        assert world.step().sub_steps > 1
        power = sum(contact.friction_book.power for contact in world.contacts)
        assert power == pytest.approx((before - box.kinetic_energy) / 0.02, rel=1e-9)


def tumbling(divide: bool) -> tuple[st.World, st.Body]:
    """Return a world with a box that tumbles over a floor; beside it what divides the steps, if wanted."""
    world = pendulum(st.Viscous(1e-4))[0] if divide else st.World(time_step=0.02)
    lively = st.Material(restitution=0.9)
    world.add_body(st.HalfSpace(), kind="static", name="floor", material=lively)
    box = world.add_body(st.Box((0.3, 0.2, 0.1)), position=(5, 0, 0.4), mass=2.0, name="box", material=lively)
    box.velocity, box.angular_velocity = (1.5, 0.3, -8.0), (2.0, 12.0, 3.0)
    return world, box


@pytest.mark.parametrize("divide", [False, True], ids=["whole", "divided"])
def test_no_impulse_of_a_contact_is_lost(divide):
    """Change the momentum of a box that tumbles by gravity and what is said of its contacts."""
    world, box = tumbling(divide)
    sensor = st.ContactSensor(box)
    world.add_sensor(sensor)
    channels = ["body.box.contact_force", "contact.floor-box.force", "world.contact_force"]
    met = 0.0
    with st.Recorder(world, channels) as recorder:
        for _ in range(60):
            before = 2.0 * box.velocity
            world.step()
            change = (2.0 * box.velocity - before) / 0.02 + (0, 0, 2.0 * G)
            np.testing.assert_allclose(sensor.read().force.sum(axis=0), change, rtol=0, atol=1e-6 * 2.0 * G)
            now = [recorder.recording[f"{channels[0]}.{k}"][-1] for k in "xyz"]
            np.testing.assert_allclose(now, change, rtol=0, atol=1e-6 * 2.0 * G)
            now = [recorder.recording[f"{channels[1]}.{k}"][-1] for k in "xyz"]
            np.testing.assert_allclose(now, change, rtol=0, atol=1e-6 * 2.0 * G)
            met += np.linalg.norm(change)
    assert met > 10.0 * G


def test_recorders_tell_the_books():
    """Record work, store, heat and power of contacts, joints and laws, as their handles have them."""
    world, hinge = pendulum(LUGRE)
    material = st.Material(friction_law=STRIBECK)
    world.add_body(st.HalfSpace(), kind="static", material=material, name="floor")
    box = world.add_body(
        st.Box((1, 1, 0.05)), position=(3, 0, 0.025), mass=2.0, material=material, name="box"
    )
    box.velocity = (2.0, 0.2, 0)
    names = ["joint.hip.friction.*", "friction.*", "contact.floor-box.friction.*"]
    with st.Recorder(world, names) as recorder:
        for _ in range(20):
            world.step()
            of_box = [contact.friction_book for contact in world.contacts.of(box)]
            books = {
                "joint.hip.friction": [hinge.frictions[0].book],
                "friction.LuGre": [world.friction_books[LUGRE]],
                "friction.Stribeck": [world.friction_books[STRIBECK]],
                "contact.floor-box.friction": of_box,
            }
            for name, parts in books.items():
                for what in ("work", "stored", "dissipated", "power"):
                    told = recorder.recording[f"{name}.{what}"][-1]
                    assert told == pytest.approx(
                        sum(getattr(one, what) for one in parts), rel=1e-12, abs=1e-15
                    )
        assert recorder.recording["joint.hip.friction.force"][-1] == hinge.frictions[0].force
        assert recorder.recording["friction.LuGre.stored"][-1] > 0.0
    found = recorder.recording
    assert found["contact.floor-box.friction.dissipated"][-1] > 0.1


def test_what_contact_laws_store_is_recorded():
    """Record what a contact that gives way can give back."""
    material = st.Material(contact_law=st.HertzContact(1e5, 0.1))
    world = st.World(time_step=0.001)
    world.add_body(st.HalfSpace(), kind="static", material=material, name="floor")
    world.add_body(st.Sphere(0.1), position=(0, 0, 0.1), mass=1.0, material=material, name="ball")
    with st.Recorder(world, "contact.*") as recorder:
        for _ in range(50):
            world.step()
            told = recorder.recording["contact.floor-ball.stored_energy"][-1]
            assert told == pytest.approx(world.contacts.stored_energy.sum(), rel=1e-12)
    assert told > 1e-5


def broken(speed, numbers):
    """Friction that is no number, has no bound or gives energy, at some speeds."""
    if 0.2 < speed < 0.9:
        return math.nan if numbers[0] == 0.0 else math.inf if numbers[0] == 1.0 else -0.2
    return 0.3


@pytest.mark.parametrize("fault", [0, 1, 2], ids=["nan", "inf", "energy"])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("on", ["joint", "contact"])
def test_a_law_that_gives_nonsense_is_named_wherever_it_acts(on, solver, fault):
    """Stop with the name of the law, of contacts and joints, with the world as before that step."""
    made = st.FrictionFunction(broken, (fault,))
    world = st.World(settings=st.Settings(solver=solver))
    if on == "joint":
        wheel = world.add_body(st.Sphere(0.2), position=(0, 0, 1), mass=1.0)
        world.add_joint(st.Hinge((0, 0, 1), (0, 1, 0)), None, wheel).friction_law = made
        wheel.angular_velocity = (0, 0.5, 0)
    else:
        material = st.Material(friction_law=made)
        world.add_body(st.HalfSpace(), kind="static", material=material)
        box = world.add_body(st.Box((1, 1, 0.1)), position=(0, 0, 0.05), mass=1.0, material=material)
        box.velocity = (0.5, 0, 0)
    before = world.state_hash()
    with pytest.raises(st.LawError, match=r"broken.*step 1") as caught:
        world.step()
    assert caught.value.law == made
    assert world.state_hash() == before
