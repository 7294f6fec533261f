"""Friction laws as curves: values of the thesis, potentials, bounds, and what they refuse."""

import pickle

import numpy as np
import pytest

import stoss as st
from stoss.engine import (
    Anisotropic,
    ContinuousStribeck,
    Coulomb,
    Dahl,
    Filtered,
    FrictionLaw,
    LuGre,
    Material,
    Regularised,
    Stribeck,
    Viscous,
)

THESIS = ContinuousStribeck(1.4, 1.0, 1e-4, 5e-5, viscous=0.1)  # Specker 2016, tables 2.1 and 2.2
LAWS = [
    Viscous(0.3),
    Coulomb(0.4),
    Coulomb(0.4, 0.5, 0.1),
    Regularised(0.5, 0.01),
    Stribeck(0.6, 0.4, 0.05, viscous=0.2),
    Stribeck(0.6, 0.4, 0.05, decay="exponential"),
    Stribeck(0.6, 0.4, 0.05, decay="lorentz"),
    ContinuousStribeck(0.6, 0.4, 0.05),
    ContinuousStribeck(0.6, 0.4, 0.05, sticks=True),
    THESIS,
    Dahl(0.4, 1e4),
    LuGre(0.6, 0.4, 0.05, 1e4, 100.0),
    Filtered(Regularised(0.5, 0.01), 0.01),
    Filtered(ContinuousStribeck(0.6, 0.4, 0.05), 0.01, 0.05),
    Anisotropic(Coulomb(0.4), 2.0),
]
IDS = [type(law).__name__ + str(k) for k, law in enumerate(LAWS)]


def test_values_of_the_thesis():
    """Give the values of T-01: the continuous law beside the classical one with twice the speed."""
    x = np.array([0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 5])
    smooth = [0.26890, 0.63629, 1.07876, 1.31208, 1.4, 1.39798, 1.34510, 1.19390, 1.02397, 1.00100, 1.00006]
    classic = [1.399, 1.3938, 1.37577, 1.34753, 1.31153, 1.27067, 1.22793, 1.14717, 1.04219, 1.00737, 1.00082]
    assert THESIS.force(x * 1e-4) == pytest.approx(np.array(smooth), abs=6e-6)  # as printed
    assert Stribeck(1.4, 1.0, 2e-4, viscous=0.1).force(x * 1e-4) == pytest.approx(np.array(classic), abs=6e-6)
    potential = [-7.187805e-5, -4.174299e-5, 2.265440e-5, 1.556338e-4, 4.653549e-4]
    assert THESIS.potential([0, 5e-5, 1e-4, 2e-4, 5e-4]) == pytest.approx(np.array(potential), rel=1e-6)
    assert THESIS.bound() == pytest.approx(1.40759, abs=3e-5)  # the table's has the viscous part, 1e-5


@pytest.mark.parametrize(
    "law", [Viscous(0.3), Regularised(0.5, 0.01, 0.1), THESIS], ids=lambda law: str(law)[:8]
)
def test_the_force_is_the_derivative_of_the_dissipation_function(law):
    """Agree with central differences of the potential, at any load."""
    scale = 1e-4 if law is THESIS else 0.01
    v, e = np.linspace(-5, 5, 41) * scale, 1e-5 * scale
    found = (law.potential(v + e, 3.0) - law.potential(v - e, 3.0)) / (2 * e)
    assert found == pytest.approx(law.force(v, 3.0), abs=2e-6 * np.abs(law.force(v, 3.0)).max())


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_friction_acts_against_the_sliding_within_its_bound(law):
    """Be odd, take power, and stay below the bound but for the viscous part; in proportion to the load."""
    v = np.concatenate([-np.geomspace(1e-6, 10, 60), [0.0], np.geomspace(1e-6, 10, 60)])
    force = law.force(v, 2.0)
    assert np.array_equal(force, -law.force(-v, 2.0)) and law.force(0.0) == 0.0
    assert (law.power(v, 2.0) >= 0.0).all()
    assert np.allclose(force, 2.0 * law.force(v), rtol=1e-15)
    viscous = law._numbers().numbers[3]
    assert (np.abs(force) <= law.bound(2.0) + 2.0 * viscous * np.abs(v) + 1e-12).all()


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_laws_are_values(law):
    """Be equal to their copies, and go through a pickle."""
    assert pickle.loads(pickle.dumps(law)) == law and hash(pickle.loads(pickle.dumps(law))) == hash(law)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Stribeck(0.3, 0.4, 0.05), "static = 0.3 must not be below dynamic = 0.4"),
        (lambda: Coulomb(0.4, 0.3), "static = 0.3 must not be below"),
        (lambda: LuGre(0.3, 0.4, 0.05, 1e4), "static = 0.3 must not be below"),
        (lambda: ContinuousStribeck(0.3, 0.4, 0.05), "static = 0.3 must not be below"),
        (
            lambda: ContinuousStribeck(0.41, 0.4, 0.05, viscous=1.0),
            "is less than what dynamic and viscous give",
        ),
        (lambda: Viscous(-1.0), "viscous"),
        (lambda: Stribeck(0.6, 0.4, 0.0), "speed"),
        (lambda: Stribeck(0.6, 0.4, np.nan), "speed"),
        (lambda: Stribeck(0.6, 0.4, 0.05, decay="linear"), "decay"),
        (lambda: Filtered(Coulomb(0.4), 0.01), "sticks"),
        (lambda: Filtered(LuGre(0.6, 0.4, 0.05, 1e4), 0.01), "memory"),
        (lambda: Filtered(Viscous(0.4), 0.0), "time_constant"),
        (lambda: Anisotropic(Coulomb(0.4), 0.0), "ratio"),
        (lambda: Anisotropic(Coulomb(0.4), 2.0, (0, 0, 0)), "direction"),
        (
            lambda: Material(friction=0.3, friction_law=Stribeck(0.6, 0.4, 0.05)),
            "friction = 0.3 is not that of",
        ),
        (
            lambda: Material(static_friction=0.7, friction_law=Stribeck(0.6, 0.4, 0.05)),
            "static_friction = 0.7",
        ),
        (lambda: Stribeck(0.6, 0.4, 0.05).potential(1.0), "no dissipation function"),
        (lambda: Stribeck(0.6, 0.4, 0.05).force(1.0, -1.0), "load"),
    ],
)
def test_impossible_numbers_are_named(make, words):
    """Refuse with argument, value and cure."""
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_what_is_no_law():
    """Refuse other things as laws, where they are given."""
    with pytest.raises(TypeError, match="friction_law"):
        Material(friction_law="stribeck")
    world = st.World()
    joint = world.add_joint(st.Hinge((0, 0, 0), (1, 0, 0)), None, world.add_body(st.Sphere(1.0)))
    with pytest.raises(TypeError, match="friction_law"):
        joint.friction_law = 0.5
    with pytest.raises(TypeError, match="one direction"):
        joint.friction_law = Anisotropic(Coulomb(0.4), 2.0)


def test_the_material_has_the_coefficients_of_its_law():
    """Show what the law has in fast sliding and at rest; Coulomb's own law is the numbers alone."""
    material = Material(friction_law=Stribeck(0.6, 0.4, 0.05))
    assert (material.friction, material.sticking) == (0.4, 0.6)
    assert material == Material(friction=Stribeck(0.6, 0.4, 0.05))
    assert Material(friction_law=Coulomb(0.3, 0.5)) == Material(friction=0.3, static_friction=0.5)
    assert isinstance(material.friction_law, FrictionLaw)
