"""Determinism: the same bits twice, in one call or many, and after saving and restoring."""

import pickle
from collections.abc import Callable

import numpy as np
import pytest

from stoss.collision import Box, Capsule, ConvexHull, Cylinder, Placed, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import axis_angle, floor, random_quaternion, tower, world_with_floor

TETRAHEDRON = np.array([[0.4, 0, -0.2], [-0.3, 0.4, -0.2], [-0.3, -0.4, -0.2], [0, 0, 0.5]])


def pile(settings: Settings | None = None, seed: int = 5) -> World:
    """Return twelve bodies of all kinds, compounds included, that fall on each other while bouncing."""
    rng = np.random.default_rng(seed)
    world = world_with_floor(Material(restitution=0.3), settings=settings)
    dumb_bell = [
        Placed(Sphere(0.25), position=(0.4, 0, 0)),
        Placed(Sphere(0.25), position=(-0.4, 0, 0)),
        Placed(Box((0.8, 0.1, 0.1))),
    ]
    corner = [Placed(Box((1, 0.2, 0.2))), Placed(Box((0.2, 0.2, 1)), position=(0.4, 0, 0.4))]
    shapes = [
        Box((0.6, 0.5, 0.4)), Sphere(0.3), Capsule(0.2, 0.5), dumb_bell, corner, ConvexHull(TETRAHEDRON),
        Cylinder(0.3, 0.4), Box((0.5, 0.5, 0.5)), Sphere(0.4), dumb_bell, corner, Box((0.9, 0.3, 0.3)),
    ]  # fmt: skip
    for k, shape in enumerate(shapes):
        world.add_body(
            shape,
            position=(*rng.uniform(-0.4, 0.4, 2), 0.8 + 0.8 * k),
            quaternion=random_quaternion(rng),
            velocity=(0, 0, -1),
        )
    return world


def bouncing(settings: Settings | None = None) -> World:
    """Return two balls and a box in the middle of impacts with restitution."""
    material = Material(restitution=0.9, friction=0.3)
    world = world_with_floor(material, settings=settings)
    for k in range(2):
        place = (0.1 * k, 0, 0.4 + 0.7 * k)
        world.add_body(Sphere(0.3), position=place, velocity=(0, 0, -3), material=material)
    world.add_body(
        Box((0.5, 0.5, 0.5)),
        position=(2, 0, 0.5),
        quaternion=axis_angle((1, 1, 0), 0.3),
        velocity=(0, 0, -2),
        material=material,
    )
    return world


BUILDERS: dict[str, Callable[..., World]] = {
    "tower": lambda settings=None: tower(8, settings=settings),
    "pile": pile,
    "bouncing": bouncing,
}
SOLVERS = ["auto", "direct", "gauss_seidel"]


def hashes(world: World, steps: int) -> list[str]:
    """Return the hash after each step, with those of the impulses and of the contacts."""
    out = []
    for _ in range(steps):
        world.step()
        c = world.contacts
        out.append(
            f"{world.state_hash()} {world.contact_impulses.tobytes()!r} {c.gap[: c.count].tobytes()!r}"
        )
    return out


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_same_input_gives_the_same_bits(name, solver):
    """Reach the same state hash twice, in one call of 100 steps or in 100 calls."""
    settings = Settings(solver=solver)
    first, second, third = (BUILDERS[name](settings=settings) for _ in range(3))
    first.step(100)
    second.step(100)
    for _ in range(100):
        third.step()
    assert first.state_hash() == second.state_hash() == third.state_hash()
    assert first.time == third.time and first.step_count == third.step_count == 100


def test_hash_sees_every_bit():
    """Change the hash with the last bit of any position or velocity."""
    world = tower(2)
    before = world.state_hash()
    world.velocities[1, 0] = 5e-324
    assert world.state_hash() != before
    world.velocities[1, 0] = 0.0
    assert world.state_hash() == before


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("at", [0, 7, 23, 60])
def test_restore_continues_bitwise(name, solver, at):
    """Run on from a saved state with the same bits: in place, in a fresh world, and through pickle (R56)."""
    settings = Settings(solver=solver)
    world = BUILDERS[name](settings=settings)
    if at:
        world.step(at)
    state = world.save()
    kept = pickle.dumps(state)
    expected = hashes(world, 25)
    world.restore(state)
    assert (world.step_count, len(world.bodies)) == (at, len(state.bodies.records))
    assert hashes(world, 25) == expected
    world.restore(state)
    assert hashes(world, 25) == expected, "a snapshot must not change when the world runs on"
    fresh = World(settings=settings)
    fresh.restore(state)
    assert hashes(fresh, 25) == expected
    other = World(gravity=(1, 2, 3), time_step=0.5, settings=settings)
    other.add_body(Sphere(3.0), name="another")
    other.restore(pickle.loads(kept))
    assert hashes(other, 25) == expected


@pytest.mark.parametrize("name", BUILDERS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_restore_continues_bitwise_from_every_step(name, solver):
    """Give the next step the same bits from a state restored in a fresh world, at each of 60 steps."""
    settings = Settings(solver=solver)
    world, fresh = BUILDERS[name](settings=settings), World(settings=settings)
    wrong = []
    for step in range(60):
        fresh.restore(world.save())
        if hashes(fresh, 1) != hashes(world, 1):
            wrong.append(step)
    assert not wrong


def test_restore_into_another_world_brings_its_own_names():
    """Return bodies with the names of the snapshot, whatever the world held before."""
    world = pile()
    other = World()
    stranger = other.add_body(Sphere(3.0), name="stranger")
    other.restore(world.save())
    assert [b.name for b in other.bodies] == [b.name for b in world.bodies]
    assert other.body("floor").name == "floor" and other.body("floor").kind == "static"
    with pytest.raises(ValueError, match="stranger"):
        _ = stranger.position


def test_saving_does_not_disturb():
    """Run on with the same bits whether or not the state is saved in every step."""
    plain, saved = pile(), pile()
    for _ in range(60):
        saved.save()
        saved.step()
    plain.step(60)
    assert plain.state_hash() == saved.state_hash()


def test_restore_after_bodies_came_and_went():
    """Bring removed bodies back and take added ones away, with working handles and the same bits."""
    world = pile()
    world.step(40)
    state = world.save()
    expected = hashes(world, 20)
    kept, gone = world.body("body 3"), world.body("body 5")
    world.remove_body(gone)
    world.step(3)
    world.add_body(Box((1, 1, 1)), position=(0, 0, 20), name="late")
    world.step(3)
    world.restore(state)
    assert world.body("body 3") is kept and kept.index == 3
    assert world.body("body 5").mass > 0.0
    with pytest.raises(KeyError):
        world.body("late")
    assert hashes(world, 20) == expected


def test_save_right_after_a_removal():
    """Continue bitwise from a state that was saved between the removal of a body and the next step."""
    world = tower(4)
    world.step(10)
    world.remove_body(world.body("cube 3"))
    state = world.save()
    expected = hashes(world, 10)
    world.restore(state)
    assert hashes(world, 10) == expected


def test_save_right_after_adding_and_moving():
    """Continue bitwise from a state that was saved after a body was added, or moved by hand."""
    for change in ("add", "move"):
        world = tower(4)
        world.step(10)
        if change == "add":
            world.add_body(Box((1, 1, 1)), position=(0.2, 0, 4.6), mass=2.0)
        else:
            world.body("cube 3").position = (0.1, 0.1, 3.52)
        state = world.save()
        expected = hashes(world, 20)
        world.restore(state)
        assert hashes(world, 20) == expected
        fresh = World()
        fresh.restore(state)
        assert hashes(fresh, 20) == expected


def test_restore_keeps_loads_exclusions_and_settings_of_the_run():
    """Restore gravity, time step, forces (lasting and of one step), exclusions, time and events."""
    world = World(time_step=0.005)
    floor(world)
    a = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=1.0)
    b = world.add_body(Box((1, 1, 1)), position=(0, 0, 1.5), mass=1.0)
    world.step(4)
    world.exclude_collision(a, b)
    world.gravity = (0, 0, -5)
    world.forces[1] = (0.5, 0, 0)
    b.apply_force((0, 3, 0))
    state = world.save()
    expected = hashes(world, 10)
    fresh = World()
    fresh.restore(state)
    assert fresh.time_step == 0.005 and fresh.gravity[2] == -5 and fresh.time == pytest.approx(0.02)
    assert fresh.events.persist.tolist() == [[0, 1], [1, 2]]
    assert hashes(fresh, 10) == expected
    world.exclude_collision(world.body("floor"), b)
    world.restore(state)
    assert hashes(world, 10) == expected


def test_snapshot_of_a_large_pile_survives_growth():
    """Restore after the world has grown to many more bodies and contacts."""
    world = pile()
    world.step(30)
    state = world.save()
    expected = hashes(world, 10)
    for k in range(40):
        world.add_body(Sphere(0.3), position=(3 + 0.6 * (k % 7), 0.6 * (k // 7), 0.3))
    world.step(20)
    world.restore(state)
    assert hashes(world, 10) == expected


@pytest.mark.parametrize("crates", [10, 20])
def test_crates_and_balls_end_the_same(crates):
    """Give identical bits in two runs of a tower of crates next to a column of balls (sbox-public#11663)."""
    ends = set()
    for _ in range(2):
        world = tower(crates)
        for k in range(10):
            world.add_body(Sphere(0.4), position=(3 + 0.01 * k, 0, 0.4 + 0.9 * k))
        world.step(150)
        ends.add(world.state_hash())
    assert len(ends) == 1
