"""Energy of friction by contact, joint and law; passivity; laws of the user; unloading of what sticks."""

import math
import pickle

import numpy as np
import pytest

import stoss as st
from stoss.engine import (
    ContinuousStribeck,
    Coulomb,
    Filtered,
    FrictionFunction,
    FrictionLaw,
    LawError,
    LuGre,
    Material,
    Settings,
    Stribeck,
    Viscous,
    World,
)
from stoss.scenes import SCENES
from tests.engine.laws.stick_slip_world import WEIGHT, pulled_mass, run
from tests.engine.worlds import G, tower

SMOOTH = ContinuousStribeck(0.6, 0.4, 0.01)
LAWS = [
    Viscous(0.3),
    Coulomb(0.4, viscous=0.1),
    Stribeck(0.6, 0.4, 0.05, viscous=0.1),
    SMOOTH,
    LuGre(0.6, 0.4, 0.05, 1e4, 50.0),
    Filtered(SMOOTH, 0.005, 0.01),
]
IDS = [type(law).__name__ for law in LAWS]


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_the_ledger_closes(law):
    """Change the energy of a tower that slides by the entries of the ledger, to 1e-12 of it (T-15)."""
    world = tower(4, material=Material(friction_law=law), offset=0.02, seed=3)
    for k in range(1, 5):
        world.bodies[k].velocity = (0.3 * k, 0.1 * (-1) ** k, 0)
    last = world.report.energy
    for _ in range(60):
        report = world.step()
        change = report.energy - last
        assert abs(change - report.ledger.change) < 1e-12 * report.energy
        last = report.energy
    assert world.ledger.dissipated_friction > 0.01
    # all that friction of the contacts did is in the book of the law
    assert -world.friction_books[law].work == pytest.approx(world.ledger.dissipated_friction, rel=1e-12)
    assert world.check_passivity()


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_books_of_contacts_add_up(law):
    """Take in all contacts of a box that slides what its kinetic energy loses, and so it is in each book."""
    material = Material(friction_law=law)
    world = World()
    world.add_body(st.HalfSpace(), kind="static", material=material)
    box = world.add_body(st.Box((1, 1, 0.05)), position=(0, 0, 0.025), mass=2.0, material=material)
    world.step()  # the contacts are there
    box.velocity = (0.5, 0.2, 0)
    start = box.kinetic_energy
    world.step(5)
    books = [contact.friction_book for contact in world.contacts]
    assert len(books) == 4 and all(contact.friction_law == law for contact in world.contacts)
    lost = start - box.kinetic_energy
    assert sum(book.work for book in books) == pytest.approx(-lost, rel=1e-9)
    assert world.friction_books[law].work == pytest.approx(-lost, rel=1e-9)
    before = box.kinetic_energy
    world.step()
    power = sum(contact.friction_book.power for contact in world.contacts)
    assert power == pytest.approx((before - box.kinetic_energy) / 0.01, rel=1e-9)
    if isinstance(law, LuGre):
        deflection = law.force(box.velocity[0]) / law.stiffness
        assert sum(b.stored for b in books) == pytest.approx(
            0.5 * 2.0 * G * law.stiffness * (0.4 / 1e4) ** 2, rel=0.1
        )
        assert deflection > 0.0


@pytest.mark.parametrize("on", ["contact", "joint"])
def test_books_of_stick_slip(on):
    """Find what the end of the spring gives in the spring, the mass, the bristles and as heat."""
    n = WEIGHT if on == "contact" else 1.0
    law = LuGre(1.4 / n, 1.0 / n, 0.02, 1e4 / n, 100.0 / n, 0.1 / n)
    world, mass, end = pulled_mass(law, on)
    run(world, mass, end, until=4.0)
    book = world.friction_books[law]
    assert book.dissipated > 0.3 and world.check_passivity()
    if on == "joint":
        (place,) = world.joints[0].frictions
        assert place.book.work == pytest.approx(book.work, rel=1e-12)
        assert place.book.dissipated == pytest.approx(book.dissipated, rel=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_books_survive_copies_and_restoring(law):
    """Carry the books in copies, pickles and snapshots; a step that is refused leaves them."""
    world = tower(2, material=Material(friction_law=law))
    world.bodies[2].velocity = (0.5, 0, 0)
    world.step(5)
    saved, books = world.save(), world.friction_books
    assert world.copy().friction_books == books
    assert pickle.loads(pickle.dumps(world)).friction_books == books
    world.step(5)
    later = world.friction_books
    assert later != books
    world.restore(saved)
    assert world.friction_books == books
    world.step(5)
    assert world.friction_books == later


def worn(speed, numbers):
    """Friction that falls by an exponential, as Stribeck's."""
    return numbers[0] + numbers[1] * math.exp(-((speed / 0.05) ** 2))


def cracked(speed, numbers):
    """Friction that is no number at some speeds."""
    return math.nan if 0.25 < speed < 0.28 else 0.3


def pushing(speed, numbers):
    """Friction that gives energy at some speeds."""
    return -0.1 if 0.25 < speed < 0.28 else 0.3


def sliding(law: FrictionLaw, speed: float = 0.4) -> World:
    """Return a world with a box that slides."""
    world, material = World(), Material(friction_law=law)
    world.add_body(st.HalfSpace(), kind="static", material=material)
    world.add_body(st.Box((1, 1, 0.1)), position=(0, 0, 0.05), mass=1.0, material=material)
    world.bodies[1].velocity = (speed, 0.1, 0)
    return world


def test_a_law_of_the_user():
    """Slide as by the law that is built in, on contacts and on joints, and after a pickle."""
    mine, built_in = FrictionFunction(worn, (0.4, 0.2)), Stribeck(0.6, 0.4, 0.05)
    v = np.linspace(-0.2, 0.2, 21)
    assert mine.force(v, 3.0) == pytest.approx(built_in.force(v, 3.0), rel=1e-12)
    assert (mine.sticking, mine.sliding) == pytest.approx((0.6, 0.4))
    first, second = sliding(mine), sliding(built_in)
    first.step(10), second.step(10)
    read = pickle.loads(pickle.dumps(first))
    for world in (first, second, read):
        world.step(20)
    assert np.allclose(first.positions, second.positions, rtol=0, atol=1e-12)
    assert read.state_hash() == first.state_hash()
    there, here = (run(*pulled_mass(law, "joint"), until=2.0) for law in (mine, built_in))
    assert np.allclose(there.place, here.place, rtol=0, atol=1e-9)


@pytest.mark.parametrize("function", [cracked, pushing])
def test_a_law_that_gives_nonsense_stops_with_its_name(function):
    """Raise an error that names it, with the world as it was before the step."""
    world = sliding(FrictionFunction(function))
    with pytest.raises(LawError, match=rf"{function.__name__}.*step \d+") as caught:
        world.step(100)
    assert caught.value.law == FrictionFunction(function)
    assert caught.value.step == world.step_count + 1
    before = world.state_hash()
    with pytest.raises(LawError):
        world.step()
    assert world.state_hash() == before


def always_pushing(speed, numbers):
    """Friction that gives energy."""
    return 0.3 - speed


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: FrictionFunction(always_pushing), "always_pushing.* a finite number of 0 or more"),
        (lambda: FrictionFunction(3), "no function"),
        (lambda: FrictionFunction(worn, (1.0, np.nan)), "must be finite"),
        (lambda: FrictionFunction(worn, tuple(range(9))), "at most 8"),
        (lambda: FrictionFunction(worn, (0.3, 0.2), sticks_at_rest=False), "at rest, but it does not stick"),
        (lambda: FrictionFunction(lambda s, n: unknown(s)), "cannot compile"),  # noqa: F821
    ],
)
def test_impossible_functions_are_named(make, words):
    """Refuse with name and cure, before any world knows it."""
    with pytest.raises((TypeError, ValueError), match=words):
        make()


def test_sudden_unloading_of_what_sticks():
    """Not move back at all with a set-valued law when the pull goes (T-14); with a filter by its kick alone.

    The filter holds up to 1 N for a moment, which is pitfall 5 of section 6.3: 0.3 um and 1 mm/s for the fine
    parameters of table 2.2.
    """
    n, far = WEIGHT, {}
    fine = ContinuousStribeck(1.4 / n, 1.0 / n, 1e-4, 5e-5, viscous=0.1 / n)
    laws = {
        "set-valued": Stribeck(1.4 / n, 1.0 / n, 2e-4, viscous=0.1 / n),
        "filtered": Filtered(fine, 3e-4, 1e-4),
    }
    for name, law in laws.items():
        world, mass, _ = pulled_mass(law, "contact", 1e-3)
        world.step(1000)
        world.remove_joint(world.joints[-1])
        start, lowest = mass.position[0], 0.0
        for _ in range(50):
            world.step()
            lowest = min(lowest, mass.position[0] - start)
        far[name] = lowest
    assert far["set-valued"] > -1e-9
    assert -2e-6 < far["filtered"] <= 0.0


def test_friction_is_felt_on_a_slope():
    """Hold a box on a slope below the static angle, and let it slide by the kinetic coefficient above it."""
    for degrees, slides in ((30.5, False), (31.5, True)):
        angle = np.radians(degrees)
        material = Material(friction_law=Stribeck(np.tan(np.radians(31)), 0.3, 1e-3))
        world = World(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)), settings=Settings())
        world.add_body(st.HalfSpace(), kind="static", material=material)
        box = world.add_body(st.Box((1, 1, 0.1)), position=(0, 0, 0.05), material=material)
        world.step(50)
        if slides:
            a = G * (np.sin(angle) - 0.3 * np.cos(angle))
            assert box.velocity[0] == pytest.approx(a * 0.5, rel=0.03)
        else:
            assert abs(box.velocity[0]) < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_copies_of_random_worlds_go_on_with_the_same_bits(seed):
    """Tell no copy of bodies that fall, roll and slide with laws of all kinds from the original."""
    rng = np.random.default_rng(seed)
    materials = [Material(), *(Material(friction_law=law) for law in LAWS[1:])]
    solver = ("auto", "direct", "gauss_seidel")[seed % 3]
    world = World(settings=Settings(solver=solver, sleeping=seed % 2 == 0, sleep_time=0.05))
    world.add_body(st.HalfSpace(), kind="static", material=materials[rng.integers(len(materials))])
    shapes = [st.Box((0.5, 0.5, 0.5)), st.Sphere(0.3), st.Capsule(0.2, 0.5)]
    for k in range(3):
        place = (*(0.3 * rng.normal(size=2)), 0.4 + 0.7 * k)
        body = world.add_body(
            shapes[rng.integers(3)],
            position=place,
            mass=1.0,
            material=materials[rng.integers(len(materials))],
        )
        body.velocity = rng.normal(size=3)
    hinge = world.add_joint(st.Hinge((0, 0, 0.7), (1, 0, 0)), world.bodies[1], world.bodies[2])
    hinge.friction_law = LAWS[rng.integers(len(LAWS))]
    for _ in range(6):
        world.step(int(rng.integers(1, 12)))
        twin = world.copy()
        for _ in range(3):
            world.step(), twin.step()
            assert world.state_hash() == twin.state_hash()


def test_a_law_in_a_heap_is_passive_though_single_points_give():
    """Judge the law by all that it did; pairs of a heap that tumbles are told."""
    world = SCENES["funnel"].build(bodies=60)
    law = Stribeck(0.5, 0.3, 0.01)
    for body in world.bodies:
        body.material = Material(friction_law=law)
    for _ in range(20):
        world.step(5)
        report = world.check_passivity()
        assert report, report.gains
    assert report.dissipated[repr(law)] > 1.0
    assert any(name.startswith("friction of") for name in report.dissipated)
