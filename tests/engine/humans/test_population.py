"""Men and women of all sizes: sums, tables, percentiles, regressions."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.humans import FEMALE, MALE, SOLE, STATISTICS, Statistic, build_humanoid, person

SINGLE = ("head", "neck", "thorax", "lumbar", "pelvis")
DOUBLE = ("upper_arm", "forearm", "hand", "thigh", "shank", "foot")


@pytest.mark.parametrize("sex", ["male", "female"])
@pytest.mark.parametrize(("stature", "mass"), [(1.5, 45.0), (1.7, 70.0), (2.0, 110.0)])
def test_people_weigh_and_stand_as_they_should(sex, stature, mass):
    """Have the mass by all segments, the stature by their lengths, tensors that bodies have (V-01, V-03)."""
    human = person(sex, stature=stature, mass=mass)
    assert human.mass == pytest.approx(mass, rel=1e-12)
    assert human.height == pytest.approx(stature, rel=1e-5)
    parts = sum(getattr(human, name).mass for name in SINGLE)
    assert parts + 2.0 * sum(getattr(human, name).mass for name in DOUBLE) == pytest.approx(mass)
    for name in (*SINGLE, *DOUBLE):
        x, y, z = getattr(human, name).inertia
        assert x < y + z and y < x + z and z < x + y


def test_a_woman_differs_from_the_man_as_the_table_says():
    """Have masses, centres and radii in the ratio of de Leva 1996 between women and men."""
    ratios = {name: getattr(FEMALE, name).mass / getattr(MALE, name).mass for name in (*SINGLE, *DOUBLE)}
    for one, other, wanted in (
        ("thigh", "shank", 14.78 / 14.16 / (4.81 / 4.33)),
        ("thorax", "pelvis", 15.45 / 15.96 / (12.47 / 11.17)),
        ("forearm", "head", 1.38 / 1.62 / (6.68 / 6.94)),
    ):
        assert ratios[one] / ratios[other] == pytest.approx(wanted, rel=1e-12)
    thighs = [(h.thigh.proximal[2] / h.thigh.length) for h in (FEMALE, MALE)]
    assert thighs[0] / thighs[1] == pytest.approx(36.12 / 40.95, rel=1e-12)
    radii = [np.sqrt(h.shank.inertia[0] / h.shank.mass) / h.shank.length for h in (FEMALE, MALE)]
    assert radii[0] / radii[1] == pytest.approx(27.1 / 25.5, rel=1e-12)
    foot = [np.sqrt(h.foot.inertia[0] / h.foot.mass) / h.foot.length for h in (FEMALE, MALE)]
    assert foot[0] / foot[1] == pytest.approx(13.9 / 12.4, rel=1e-12)


def test_joints_of_a_woman_meet():
    """Keep proximal and distal joints a segment apart, where a segment has both."""
    for name in (*SINGLE, *DOUBLE):
        man, woman = getattr(MALE, name), getattr(FEMALE, name)
        if man.proximal is not None and man.distal is not None:
            between = [abs(h.distal[2] - h.proximal[2]) / h.length for h in (woman, man)]
            assert between[0] == pytest.approx(between[1], rel=1e-12)
    assert FEMALE.pelvis.distal[1] > MALE.scaled(stature=FEMALE.stature).pelvis.distal[1]
    shoulders = [dict(h.thorax.points)["shoulder"][1] for h in (FEMALE, MALE)]
    assert shoulders[0] < shoulders[1]


@pytest.mark.parametrize("sex", ["male", "female"])
def test_percentiles_are_those_of_the_survey(sex):
    """Have mean and 1.645 deviations at the 50th, 5th and 95th percentile; heavier who is taller."""
    stature, mass = STATISTICS[sex]["stature"], STATISTICS[sex]["mass"]
    assert person(sex).stature == pytest.approx(stature.mean) and person(sex).mass == pytest.approx(mass.mean)
    small, tall = person(sex, percentile=5), person(sex, percentile=95)
    assert tall.stature - small.stature == pytest.approx(3.289707253902945 * stature.deviation)
    assert small.mass / small.stature**2 == pytest.approx(tall.mass / tall.stature**2)
    heavy = person(sex, percentile=5, mass_percentile=95)
    assert heavy.mass == pytest.approx(mass.at(95)) and heavy.stature == small.stature


def test_statistics():
    """Turn percentiles into mean and deviation and back; estimate by regression; add measures (H-100)."""
    one = Statistic.from_percentiles(1.65, 1.87)
    assert one.mean == pytest.approx(1.76) and one.deviation == pytest.approx(0.22 / 3.289707253902945)
    assert one.at(5) == pytest.approx(1.65) and one.percentile_of(1.87) == pytest.approx(95.0)
    rng = np.random.default_rng(3)
    x, e = rng.normal(size=(2, 200_000))
    a, b = 1.7 + 0.07 * x, 0.45 + 0.03 * (0.6 * x + 0.8 * e)
    of, other = Statistic(1.7, 0.07), Statistic(0.45, 0.03)
    near = np.abs(a - 1.8) < 0.005
    guess = other.given(1.8, of, 0.6)
    assert guess.mean == pytest.approx(b[near].mean(), abs=1e-3)
    assert guess.deviation == pytest.approx(b[near].std(), rel=0.05)
    total = of.plus(other, 0.6)
    assert total.mean == pytest.approx((a + b).mean(), abs=1e-3)
    assert total.deviation == pytest.approx((a + b).std(), rel=1e-2)
    assert other.given(1.9, of, 0.0) == other
    assert other.given(1.7, of, 0.99).deviation == pytest.approx(0.141 * 0.03, rel=1e-2)


@pytest.mark.parametrize("sex", ["male", "female"])
def test_people_are_built(sex):
    """Have 22 degrees of freedom, all of the mass, closed joints and soles on the ground."""
    world = st.World(time_step=0.005)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE)
    made = build_humanoid(world, person(sex, percentile=30))
    assert world.freedom_report().degrees_of_freedom == 22
    assert made.mass == pytest.approx(made.human.mass, rel=1e-12)
    assert max(joint.error for joint in world.joints) < 1e-9
    world.step(20)
    assert max(joint.error for joint in world.joints) < 1e-6
    assert world.report.max_overlap < 1e-3 and len(world.contacts) == 6


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(sex="child"), ["sex", "child", "female"]),
        (dict(stature=-1.0), ["stature", "-1"]),
        (dict(percentile=0), ["percentile = 0", "above 0"]),
        (dict(stature=1.7, percentile=50), ["say the same twice"]),
        (dict(mass=70, mass_percentile=50), ["say the same twice"]),
    ],
)
def test_wrong_people_are_refused(given, words):
    """Name argument, value and cure."""
    with pytest.raises((TypeError, ValueError)) as caught:
        person(**given)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_wrong_statistics_are_refused():
    """Name the number."""
    for make, word in (
        (lambda: Statistic(1.0, 0.0), "deviation"),
        (lambda: Statistic.from_percentiles(2.0, 1.0), "ninety_fifth"),
        (lambda: Statistic(1.0, 1.0).plus(Statistic(1.0, 1.0), 1.5), "correlation"),
        (lambda: Statistic(1.0, 1.0).at(100.0), "percentile"),
    ):
        with pytest.raises(ValueError, match=word):
            make()


def test_breadths_are_those_of_the_survey():
    """Have joints of shoulders and hips as far apart as in the man, in the ratio of the breadths of both."""
    man = person("male")
    for place, breadths in (
        (lambda human: dict(human.thorax.points)["shoulder"][1], (36.503, 41.241)),
        (lambda human: human.pelvis.distal[1], (31.462, 32.527)),
    ):
        assert place(FEMALE) / place(man) == pytest.approx(breadths[0] / breadths[1], rel=1e-4)
    assert (FEMALE.stature, FEMALE.mass) == pytest.approx((1.64872, 60.6))
