"""Contact laws by themselves: forces, what they store, and what impacts come to."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.laws.comparison_contacts import law_of_numbers
from stoss.engine.laws.contact_functions import contact_slopes, mean_activation, potential_of_speed

# Restitution of the restriction function by damping times speed: roots of G(u+) = G(-u-).
RESTITUTION = {
    0.01: 0.993378, 0.05: 0.967754, 0.1: 0.937585, 0.2: 0.882917, 0.3: 0.834920, 0.5: 0.755209,
    0.75: 0.678527, 1.0: 0.619624, 1.5: 0.535043, 2.0: 0.476468, 3.0: 0.398080, 4.0: 0.346020,
    5.0: 0.307998, 5.9: 0.281300, 7.5: 0.245099, 10.0: 0.205893, 15.0: 0.158649, 20.0: 0.130653,
    30.0: 0.098286, 50.0: 0.067614, 100.0: 0.039808, 1000.0: 0.006051,
}  # fmt: skip
# damping, speed, restitution, deepest distance [mm] of 10 mm, peak force [N], times [ms]
IMPACTS = [
    (0.1, 0.1, 0.99338, 9.84245, 2.5949, 2.8042, 5.6188),
    (0.1, 5.0, 0.75521, 4.72349, 143.157, 2.1405, 4.6274),
    (0.5, 1.0, 0.75521, 9.32234, 96.7065, 0.9633, 2.1476),
    (1.0, 1.0, 0.61962, 9.35659, 103.397, 0.9206, 2.2430),
    (1.0, 5.0, 0.30800, 6.31253, 199.944, 1.4755, 4.7806),
    (2.0, 2.0, 0.34602, 8.98483, 192.840, 0.8228, 2.6650),
    (2.0, 10.0, 0.13065, -3.01563, 200.000, 2.6126, 14.8888),
]
LAWS = [
    st.RestrictionContact(200.0, 1e-3, 0.7),
    st.BarrierContact(1e4, 0.02, 0.2, 0.05, 0.05),
    st.HuntCrossleyContact(1e6, 0.4),
    st.HertzContact(1e6),
    st.SpringDashpotContact(1e4, 20.0),
]


def test_activation_of_the_restriction_function():
    """Be 0.5 per cent active at touch, half at half the compression, 99.5 per cent at all of it (T-03)."""
    law = st.RestrictionContact(200.0, 1e-3, 0.7)
    assert law.activation([0.0, -0.5e-3, -1e-3]) == pytest.approx([0.005, 0.5, 0.995], abs=1e-12)
    gaps, rates = np.meshgrid(np.linspace(-0.01, 0.01, 41), np.linspace(-20.0, 20.0, 41))
    forces = law.force(gaps, rates)
    # bounded by the strength, and up to rounding of tails never pulling
    assert (forces >= 0.0).all() and (forces <= 200.0).all()
    assert law.force(-1.0, -50.0) == pytest.approx(200.0)


@pytest.mark.parametrize("law", LAWS, ids=lambda one: type(one).__name__)
def test_stored_energy_and_slopes(law):
    """Have a force at rest that is the slope of what is stored, and slopes of its own (T-04)."""
    for gap in (-0.15, -0.03, -2e-3, -0.6e-3, -1e-4):
        step = 1e-7
        slope = -(law.stored_energy(gap + step) - law.stored_energy(gap - step)) / (2.0 * step)
        assert slope == pytest.approx(law.force(gap), rel=1e-5, abs=1e-5)
        rate = -0.3
        force, stiffness, damping = contact_slopes(law._code, law._numbers, gap, rate)
        assert force == pytest.approx(law.force(gap, rate), rel=1e-14)
        by_gap = -(law.force(gap + step, rate) - law.force(gap - step, rate)) / (2.0 * step)
        by_rate = -(law.force(gap, rate + step) - law.force(gap, rate - step)) / (2.0 * step)
        assert stiffness == pytest.approx(by_gap, rel=1e-4, abs=1e-2)
        assert damping == pytest.approx(by_rate, rel=1e-5, abs=1e-4)
    mean = mean_activation(law._code, law._numbers, -1e-3, -3e-3)
    fine = np.linspace(-1e-3, -3e-3, 20001)
    assert mean == pytest.approx(np.trapezoid(law.force(fine), fine) / -2e-3, rel=1e-6)


@pytest.mark.parametrize(("u", "wanted"), RESTITUTION.items())
def test_restitution_is_of_one_number(u, wanted):
    """Give back what follows from damping times speed, whatever mass, strength and softness (T-05)."""
    for mass, strength, compression, speed in (
        (1.0, 200.0, 1e-3, 2.0),
        (0.01, 1e4, 0.1, 0.1),
        (100.0, 7.0, 1e-5, 30.0),
    ):
        law = st.RestrictionContact(strength, compression, u / speed)
        assert law.restitution(speed, mass) == pytest.approx(wanted, abs=1e-6)
    assert st.RestrictionContact.from_restitution(wanted, 3.0, 1.0, 1e-3).damping * 3.0 == pytest.approx(
        u, rel=2e-4
    )


@pytest.mark.parametrize("row", IMPACTS, ids=str)
def test_impacts_of_a_sphere(row):
    """Reach the depths, forces and times of a sphere of 50 g at a wall (T-06)."""
    damping, speed, restitution, distance, force, compression, duration = row
    out = st.RestrictionContact(200.0, 1e-3, damping).impact(speed, 0.05)
    assert out.restitution == pytest.approx(restitution, abs=1e-5)
    assert 10.0 - 1e3 * out.peak_compression == pytest.approx(distance, abs=1e-4)
    assert out.peak_force == pytest.approx(force, rel=1e-4)
    assert 1e3 * out.compression_time == pytest.approx(compression, rel=1e-3)
    assert 1e3 * out.duration == pytest.approx(duration, rel=1e-3)


def test_first_integral_of_an_impact():
    """Keep m G(u) / (F r^2) + A along an impact that is followed in time (T-04)."""
    law, mass = st.RestrictionContact(200.0, 1e-3, 0.5), 0.05
    trace = law.trace(2.0, mass)
    integral = 2.0 * law.stored_energy(trace[:, 1]) / 200.0
    motion = np.array([potential_of_speed(0.5 * v) for v in trace[:, 2]])
    whole = mass / (200.0 * 0.25) * motion + integral
    assert np.ptp(whole) < 1e-10 * whole[0]


@pytest.mark.parametrize("law", LAWS[2:], ids=lambda one: type(one).__name__)
def test_closed_forms_of_the_other_laws(law):
    """Have restitution and depth by closed form as when an impact is followed in time."""
    for speed, mass in ((0.1, 1.0), (2.0, 0.3), (9.0, 5.0)):
        trace, out = law.trace(speed, mass), law.impact(speed, mass)
        # the trace ends within a step after they part: that step's share of the speed
        assert trace[-1, 2] / speed == pytest.approx(out.restitution, rel=2e-3)
        assert -trace[:, 1].min() == pytest.approx(out.peak_compression, rel=1e-6)


def test_hunt_crossley_against_its_approximation():
    """Fall by 2/3 lambda v for slow impacts, so that lambda = 3 (1 - e) / (2 v) (Hunt and Crossley)."""
    law = st.HuntCrossleyContact(1e6, 0.01)
    assert 1.0 - law.restitution(0.1) == pytest.approx(2.0 / 3.0 * 0.01 * 0.1, rel=1e-3)
    assert st.HuntCrossleyContact.from_restitution(0.6, 2.0, 1e6).restitution(2.0) == pytest.approx(
        0.6, rel=1e-12
    )


@pytest.mark.parametrize(("damping", "bound"), [(0.5, 2.0), (10.0, 0.1), (50.0, 0.02)])
def test_rebounds_of_hunt_crossley_are_bounded(damping, bound):
    """Come back with 1 / lambda at most, where the force of the return would be none.

    Drake's guide says so of its contacts: with 10 s/m bounces are bounded by 10 cm/s.
    """
    law = st.HuntCrossleyContact(1e6, damping)
    rebounds = [law.restitution(speed) * speed for speed in (1.0, 10.0, 100.0, 1e4)]
    assert rebounds == sorted(rebounds) and rebounds[-1] <= bound
    assert rebounds[-1] == pytest.approx(bound, rel=1e-6)


def test_hertz_of_spheres():
    """Take the duration of Hertz's theory, 2.94 times depth over speed, and his depth for a load."""
    law = st.HertzContact.of_spheres(2.1e11, 0.3, 0.01, 2.1e11, 0.3, 0.01)
    assert law.stiffness == pytest.approx(4.0 / 3.0 * 2.1e11 / (2.0 * 0.91) * np.sqrt(0.005))
    out = law.impact(0.5, 0.016)
    assert out.restitution == 1.0
    assert out.peak_compression == pytest.approx((1.25 * 0.016 * 0.25 / law.stiffness) ** 0.4, rel=1e-9)
    assert out.duration == pytest.approx(2.9432 * out.peak_compression / 0.5, rel=1e-3)


def test_rest_under_load():
    """Rest where the force is the load, down to half of the strength and no farther (T-07, T-18)."""
    law = st.RestrictionContact(20.0, 0.5e-3, 5.9)
    assert 10.0 + 1e3 * law.rest_gap(0.05 * 9.81) == pytest.approx(9.890018, abs=1e-6)
    for one in LAWS:
        assert one.force(one.rest_gap(7.0)) == pytest.approx(7.0, rel=1e-9)
    with pytest.raises(ValueError, match="not carried at rest: the limit is 10"):
        law.rest_gap(10.0)


def test_walls_that_break():
    """Throw back at 255 m/s, let through at 260, with the speeds that Runge-Kutta gives (T-08)."""
    wall = LAWS[1]
    assert wall.critical_speed(0.05) == pytest.approx(256.515, abs=1e-3)
    for speed, after in (
        (100, 30.80),
        (150, 36.76),
        (200, 41.1786),
        (220, 42.67),
        (240, 44.04),
        (250, 44.68),
    ):
        assert wall.restitution(speed, 0.05) * speed == pytest.approx(after, rel=2e-4)
        assert not wall.impact(speed, 0.05).pierced
    for speed, after in ((260, 40.22), (270, 83.0690), (300, 154.92), (400, 306.59)):
        out = wall.impact(speed, 0.05)
        assert out.pierced and out.exit_speed == pytest.approx(after, rel=2e-4)
        assert wall.restitution(speed, 0.05) == 0.0
    assert wall.impact(200, 0.05).peak_compression == pytest.approx(0.1105, abs=1e-6)


def test_a_load_that_presses_lowers_restitution():
    """Give back less where a load presses, at each of the four bounces of X-07 (P-034)."""
    law, weight = st.RestrictionContact(20.0, 0.5e-3, 5.9), 0.4905
    for speed, free, pressed, duration, force in (
        (0.9904, 0.2828, 0.2483, 10.83, 19.997),
        (0.2456, 0.5422, 0.4658, 5.38, 12.629),
        (0.1139, 0.7002, 0.5284, 6.89, 5.445),
        (0.0598, 0.8119, 0.4284, 9.51, 2.857),
    ):
        assert law.restitution(speed, 0.05) == pytest.approx(free, abs=1e-4)
        assert law.restitution(speed, 0.05, load=weight) == pytest.approx(pressed, abs=1e-3)
        out = law.impact(speed, 0.05, load=weight)
        assert out.restitution == law.restitution(speed, 0.05, load=weight)
        assert 1e3 * out.duration == pytest.approx(duration, rel=5e-3)
        assert out.peak_force == pytest.approx(force, rel=1e-3)
    # what does not come off the surface stays
    still = law.impact(0.01, 0.05, load=weight)
    assert still.restitution == 0.0 and still.duration == np.inf and not still.pierced
    assert st.HertzContact(1e6).restitution(0.01, 0.05, load=weight) == 1.0


@pytest.mark.parametrize("law", LAWS, ids=lambda one: type(one).__name__)
def test_restitution_under_load_is_that_of_a_fine_trace(law):
    """Follow loaded impacts as short steps of order 4 do, and free ones as the closed form has it."""
    for speed, mass, load in ((0.3, 0.5, 5.0), (2.0, 1.0, 30.0), (0.05, 2.0, 2.0)):
        trace = law.trace(speed, mass, load=load)
        last = trace[-2:]
        at = -last[0, 1] / (last[1, 1] - last[0, 1])
        squares = last[:, 2] ** 2
        wanted = np.sqrt(squares[0] + at * (squares[1] - squares[0])) / speed if last[1, 1] >= 0.0 else 0.0
        assert law.restitution(speed, mass, load=load) == pytest.approx(wanted, abs=1e-4)
        free = law.restitution(speed, mass)
        assert law.restitution(speed, mass, load=1e-9) == pytest.approx(free, abs=1e-4)


@pytest.mark.parametrize("law", LAWS, ids=lambda one: type(one).__name__)
def test_laws_out_of_their_numbers(law):
    """Come back from the numbers that kernels have."""
    again = law_of_numbers(law._code, law._numbers)
    assert again._numbers == pytest.approx(law._numbers, rel=1e-12)


def test_restrictions_out_of_their_numbers_have_the_same_bits():
    """Find the level that gives the transition to the last bit, from 0.5 to next to 1."""
    random = np.random.default_rng(0)
    steep = 1.0 - 10.0 ** random.uniform(-15, -1, 500)
    for level in (*random.uniform(0.5, 1.0, 500), *steep, 0.99):
        law = st.RestrictionContact(random.uniform(1, 1e4), 10.0 ** random.uniform(-5, 0), 0.3, float(level))
        again = law_of_numbers(law._code, law._numbers)
        assert again._numbers.tobytes() == law._numbers.tobytes()
    assert again == law


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: st.RestrictionContact(-1.0, 1e-3), "max_force = -1.0 must be"),
        (lambda: st.RestrictionContact(1.0, 0.0), "compression = 0.0 must be"),
        (lambda: st.RestrictionContact(1.0, 1e-3, -0.1), "damping = -0.1 must be"),
        (lambda: st.RestrictionContact(1.0, 1e-3, level=0.4), "level = 0.4"),
        (lambda: st.RestrictionContact(1.0, 1e-3, level=1.0), "level = 1.0 must be below 1"),
        (lambda: st.RestrictionContact.from_restitution(1.2, 1.0, 1.0, 1.0), "restitution = 1.2"),
        (lambda: st.RestrictionContact.from_restitution(0.0, 1.0, 1.0, 1.0), "use damping = 1000 / speed"),
        (lambda: st.BarrierContact(1.0, 0.1, 0.15), "thickness = 0.15 m is below"),
        (lambda: st.HuntCrossleyContact(1.0, power=0.5), "power = 0.5"),
        (lambda: st.HuntCrossleyContact.from_restitution(1.01, 1.0, 1.0), "restitution = 1.01"),
        (lambda: st.HertzContact.of_spheres(np.inf, 0.3, 0.1), "two rigid or two flat"),
        (lambda: st.SpringDashpotContact(0.0), "stiffness = 0.0"),
        (lambda: LAWS[0].impact(-1.0, 1.0), "speed = -1.0"),
        (lambda: LAWS[0].force(np.nan), "gap = nan must be finite"),
    ],
)
def test_bad_numbers(make, words):
    """Name argument and value of what makes no sense."""
    with pytest.raises(ValueError, match=words):
        make()
