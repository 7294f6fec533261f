"""Mass, names, groups and materials of bodies, and what is combined of two of them."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import (
    G,
    floor,
    tower,
    world_with_floor,
)


def test_mass_setter_scales_the_inertia():
    """Answer an impulse with a tenth of the velocity once the mass is tenfold (bullet3#4809)."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body(Box((1, 2, 3)), mass=1.0)
    moments = body.inertia
    body.mass = 10.0
    assert body.mass == 10.0 and np.abs(body.inertia - 10.0 * moments).max() < 1e-14 * moments.max() * 10
    body.apply_impulse((1, 0, 0), (0, 1, 0))
    assert np.abs(body.velocity - [0.1, 0, 0]).max() < 1e-15
    assert np.abs(body.angular_velocity - [0, 0, -1 / (10 * moments[2])]).max() < 1e-15


def test_mass_changed_while_resting_is_carried():
    """Carry the new weight from the next step on."""
    world = tower(2, offset=0.0)
    world.step(10)
    world.body("cube 1").mass = 100.0
    world.step(10)
    lowest = world.contacts.body_a[: world.contacts.count] == 0
    assert world.contact_impulses[lowest].sum(axis=0)[2] == pytest.approx(-101 * G * 0.01, rel=1e-9)
    assert np.abs(world.body("cube 1").position - [0, 0, 1.5]).max() < 1e-9


def test_names_are_unique_and_found():
    """Give names, find bodies by them, and suggest near ones."""
    world = World()
    one = world.add_body(Sphere(1.0))
    two = world.add_body(Sphere(1.0), position=(9, 0, 0), name="left wheel")
    assert one.name == "body 0" and world.body("left wheel") is two and "left wheel" in repr(two)
    with pytest.raises(KeyError, match="left wheel"):
        world.body("left whel")


def test_excluded_pairs_pass_through_each_other():
    """Let an excluded pair overlap without contact, and keep the exclusion when other bodies go."""
    world = world_with_floor()
    spare = world.add_body(Sphere(0.5), position=(50, 0, 0.5))
    lower = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
    upper = world.add_body(Box((1, 1, 1)), position=(0, 0, 2.0), mass=1.0)
    world.exclude_collision(upper, lower)
    world.remove_body(spare)
    world.step(120)
    assert upper.position[2] == pytest.approx(0.5, abs=1e-6)
    assert lower.position[2] == pytest.approx(0.5, abs=1e-9)


def test_exclusion_of_a_resting_pair_acts_at_once():
    """Let a resting body fall from the next step on when its pair is excluded."""
    world = tower(2, offset=0.0)
    world.step(10)
    world.exclude_collision(world.body("cube 0"), world.body("cube 1"))
    world.step(10)
    assert world.body("cube 1").position[2] == pytest.approx(1.5 - 0.5 * G * 0.01, abs=1e-9)


@pytest.mark.parametrize(
    ("group", "mask", "other_group", "other_mask", "collide"),
    [
        (1, -1, 1, -1, True),
        (2, 1, 1, 2, True),
        (2, 1, 1, 1, False),
        (2, 4, 1, -1, False),
        (2, -1, 1, 4, False),
    ],
)
def test_groups_and_masks(group, mask, other_group, other_mask, collide):
    """Let two bodies touch if and only if each one's group is in the other's mask."""
    world = World()
    floor(world, group=other_group, mask=other_mask)
    body = world.add_body(Sphere(0.5), position=(0, 0, 0.5), group=group, mask=mask)
    world.step(10)
    assert bool(world.contacts.count) == collide
    assert (abs(body.velocity[2]) < 1e-10) == collide


@pytest.mark.parametrize(
    ("rule", "mu"),
    [("multiply", 0.08), ("add", 0.6), ("minimum", 0.2), ("maximum", 0.4), ("mean", 0.3)]
    + [("geometric_mean", np.sqrt(0.08))],
)
def test_friction_of_a_pair_follows_the_rule(rule, mu):
    """Slow a box down by mu g, mu being combined from both bodies by the rule of the world."""
    world = world_with_floor(Material(friction=0.2), settings=Settings(friction_rule=rule))
    body = world.add_body(
        Box((1, 1, 0.2)), position=(0, 0, 0.1), velocity=(5, 0, 0), material=Material(friction=0.4)
    )
    world.step(20)
    assert body.velocity[0] == pytest.approx(5.0 - mu * G * 0.2, abs=1e-9)


@pytest.mark.parametrize(
    ("rule", "e"), [("multiply", 0.32), ("maximum", 0.8), ("mean", 0.6), ("minimum", 0.4)]
)
def test_restitution_of_a_pair_follows_the_rule(rule, e):
    """Throw a ball back with e times its speed, e being combined by the rule of the world."""
    world = World(gravity=(0, 0, 0), settings=Settings(restitution_rule=rule))
    floor(world, Material(restitution=0.4))
    body = world.add_body(
        Sphere(0.5), position=(0, 0, 0.6), velocity=(0, 0, -2), material=Material(restitution=0.8)
    )
    world.step(20)
    assert body.velocity[2] == pytest.approx(2.0 * e, rel=1e-12)


def test_material_change_acts_at_once():
    """Let a held body slide from the next step on when its friction is taken away, and back."""
    angle = np.radians(20)
    world = World(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    floor(world, Material(friction=1.0))
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), material=Material(friction=1.0))
    world.step(10)
    body.material = Material(friction=0.0)
    world.step(10)
    assert body.velocity[0] == pytest.approx(G * np.sin(angle) * 0.1, abs=1e-9)
    assert body.material == Material(friction=0.0)
