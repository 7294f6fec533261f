"""Values of pairs of materials: they override the rules, for all bodies of these materials, at any time."""

import pickle

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import G, axis_angle, world_with_floor

WOOD = Material(friction=0.5, restitution=0.4, name="wood")
ICE = Material(friction=0.1, restitution=0.2, name="ice")


def sliding(material: Material, floor: Material = ICE) -> World:
    """Return a world with a box that slides on the floor at 2 m/s."""
    world = world_with_floor(floor)
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(2, 0, 0), mass=1.0, material=material)
    return world


def deceleration(world: World, steps: int = 5) -> float:
    """Return the deceleration over some steps [m/s^2]."""
    before = world.velocities[1, 0]
    world.step(steps)
    return (before - world.velocities[1, 0]) / (steps * world.time_step)


def rebound(world: World, material: Material) -> float:
    """Return the restitution of a smooth ball that is thrown at the floor, without gravity."""
    world.gravity = (0, 0, 0)
    ball = world.add_body(
        Sphere(0.5), position=(0, 3, 0.505), velocity=(0, 0, -1), mass=1.0, material=material
    )
    world.step(2)
    return float(ball.velocity[2])


def test_friction_of_a_pair():
    """Brake with the friction of the pair instead of the geometric mean, also when it is set on the way."""
    world = sliding(WOOD)
    assert deceleration(world) == pytest.approx(np.sqrt(0.05) * G, rel=1e-9)
    world.set_material_pair(ICE, WOOD, friction=0.02)
    assert deceleration(world) == pytest.approx(0.02 * G, rel=1e-9)
    world.set_material_pair(WOOD, ICE)
    assert deceleration(world) == pytest.approx(np.sqrt(0.05) * G, rel=1e-9)


def test_restitution_of_a_pair():
    """Bounce with the restitution of the pair; what is not given follows the rules."""
    world = world_with_floor(ICE)
    world.set_material_pair(WOOD, ICE, restitution=0.9)
    assert rebound(world, WOOD) == pytest.approx(0.9, abs=1e-9)
    assert deceleration(sliding(WOOD)) == pytest.approx(np.sqrt(0.05) * G, rel=1e-9)
    world = world_with_floor(ICE)
    world.set_material_pair(WOOD, ICE, friction=0.9)
    assert rebound(world, WOOD) == pytest.approx(0.4, abs=1e-9)


def test_static_friction_of_a_pair():
    """Hold a box that is pushed by less than the static friction of the pair, and not one pushed by more."""
    for push, holds in ((0.55, True), (0.65, False)):
        world = sliding(WOOD)
        world.bodies[1].velocity = (0, 0, 0)
        world.set_material_pair(WOOD, ICE, friction=0.2, static_friction=0.6)
        world.forces[1] = (push * G, 0, 0)
        world.step(20)
        assert (world.velocities[1, 0] < 1e-9) == holds


def test_materials_are_told_apart_by_name_and_value():
    """Take equal materials for the same one, and those with another name or value for others."""
    world = sliding(Material(friction=0.5, restitution=0.4, name="wood"))
    world.set_material_pair(WOOD, ICE, friction=0.02)
    assert deceleration(world) == pytest.approx(0.02 * G, rel=1e-9)
    world = sliding(Material(friction=0.5, restitution=0.4, name="oak"))
    world.set_material_pair(WOOD, ICE, friction=0.02)
    assert deceleration(world) == pytest.approx(np.sqrt(0.05) * G, rel=1e-9)


def test_changed_material_of_a_body():
    """Leave the pair when a body is given another material, and join it when it is given this one."""
    world = sliding(WOOD)
    world.set_material_pair(WOOD, ICE, friction=0.02)
    body = world.bodies[1]
    body.material = Material(friction=0.5)
    assert deceleration(world) == pytest.approx(np.sqrt(0.05) * G, rel=1e-9)
    body.material = WOOD
    assert body.material is WOOD
    assert deceleration(world) == pytest.approx(0.02 * G, rel=1e-9)


def test_pairs_of_one_material():
    """Give a material values for contacts with itself."""
    world = sliding(WOOD, WOOD)
    world.set_material_pair(WOOD, WOOD, friction=0.3)
    assert deceleration(world) == pytest.approx(0.3 * G, rel=1e-9)


def test_pairs_survive_removal_and_restore():
    """Keep pairs when bodies before it are removed, and bring them back with a saved state, pickled too."""
    world = world_with_floor(ICE)
    first = world.add_body(Sphere(0.5), position=(5, 5, 5), material=ICE)
    world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(2, 0, 0), mass=1.0, material=WOOD)
    world.set_material_pair(WOOD, ICE, friction=0.02)
    saved = pickle.loads(pickle.dumps(world.save()))
    world.remove_body(first)
    assert deceleration(world) == pytest.approx(0.02 * G, rel=1e-9)
    world.set_material_pair(WOOD, ICE, friction=0.2)
    other = World()
    other.restore(saved)
    assert [body.material for body in other.bodies] == [ICE, ICE, WOOD]
    other.remove_body(other.bodies[1])
    assert deceleration(other) == pytest.approx(0.02 * G, rel=1e-9)
    assert deceleration(world) == pytest.approx(0.2 * G, rel=1e-9)


def test_law_of_a_pair():
    """Resolve impacts of a pair by its own law: a leaning rod tells the laws apart."""
    spins = {}
    for own in ("newton", "poisson", "stronge"):
        for general in ("newton", "stronge"):
            world = World(gravity=(0, 0, 0), settings=Settings(impact_law=general))
            world.add_body(Box((9, 9, 1)), kind="static", position=(0, 0, -0.5), material=ICE)
            world.set_material_pair(WOOD, ICE, restitution=0.6, friction=0.25, impact_law=own)
            turn = axis_angle((0.2, 1.0, 0.1), 0.6)
            rod = world.add_body(
                Box((0.1, 0.1, 2.0)),
                position=(0, 0, 0.95),
                quaternion=turn,
                velocity=(-0.1, 0, -1.0),
                mass=1.0,
                material=WOOD,
            )
            while np.abs(rod.angular_velocity).max() == 0.0:
                world.step()
                assert world.step_count < 50
            spins[own, general] = rod.angular_velocity
    for own in ("newton", "poisson", "stronge"):
        assert (spins[own, "newton"] == spins[own, "stronge"]).all()
    assert len({spins[own, "newton"].tobytes() for own in ("newton", "poisson", "stronge")}) == 3


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (dict(restitution=1.5), ValueError, ["restitution = 1.5", "0 to 1"]),
        (dict(restitution=-0.1), ValueError, ["restitution = -0.1", "0 to 1"]),
        (dict(restitution=float("nan")), ValueError, ["restitution = nan"]),
        (dict(friction=-0.1), ValueError, ["friction = -0.1", "not negative"]),
        (dict(friction=0.3, static_friction=0.2), ValueError, ["static_friction = 0.2", "friction = 0.3"]),
        (dict(static_friction=0.2), ValueError, ["static_friction = 0.2", "friction too"]),
        (dict(impact_law="hertz"), ValueError, ["impact_law = 'hertz'", "newton, poisson, stronge"]),
    ],
)
def test_bad_values_of_a_pair(values, error, words):
    """Refuse what makes no sense, naming the argument, its value and the cure; nothing is changed."""
    world = sliding(WOOD)
    with pytest.raises(error) as caught:
        world.set_material_pair(WOOD, ICE, **values)
    for word in words:
        assert word in str(caught.value)
    assert world.save().bodies.pairs.group(WOOD) == 0


def test_bad_materials_of_a_pair():
    """Refuse what is no material, and an unknown law of the settings."""
    world = sliding(WOOD)
    with pytest.raises(TypeError, match="second = 'ice' must be a Material"):
        world.set_material_pair(WOOD, "ice")
    with pytest.raises(ValueError, match="impact_law = 'hertz' is unknown; choose one of newton"):
        Settings(impact_law="hertz")
