"""States that are not restored whole, runs that are not repeated, changes that are half made: R56 to R58."""

import numpy as np

from stoss.collision import Box, Capsule, Placed, Sphere
from stoss.engine import Fixed, Material, World
from stoss.scenes.cases.builders import add_column, floor_world, turn
from stoss.scenes.cases.registry import Figure, at_most, case, near


def heap() -> World:
    """Return a world in which compounds, boxes, capsules and balls fall on each other."""
    world = floor_world(time_step=1 / 120)
    material = Material(restitution=0.3, friction=0.4)
    angle = [
        Placed(Box((0.8, 0.2, 0.2)), (0.3, 0.0, 0.0)),
        Placed(Box((0.2, 0.2, 0.8)), (0.0, 0.0, 0.3)),
        Placed(Sphere(0.15), (0.7, 0.0, 0.0)),
    ]
    for i in range(4):
        place = (0.1 * i, 0.05 * i, 0.5 + 0.9 * i)
        spin = turn((0.6, 0.0, 0.8), 0.7 * i)
        world.add_body(angle, position=place, quaternion=spin, material=material, name=f"angle {i}")
        world.add_body(Box((0.4, 0.4, 0.4)), position=(-0.8, 0.02 * i, 0.3 + 0.45 * i), name=f"box {i}")
        world.add_body(Capsule(0.15, 0.4), position=(0.9, 0.03 * i, 0.3 + 0.5 * i), quaternion=spin)
        world.add_body(Sphere(0.2), position=(0.0, 0.7 + 0.01 * i, 0.3 + 0.45 * i), material=material)
    return world


def crates(count: int) -> World:
    """Return a column of crates beside a column of balls."""
    world = floor_world()
    add_column(world, count, mass=10.0)
    for i in range(count // 2):
        world.add_body(Sphere(0.4), position=(3.0, 0.0, 0.4 + 0.9 * i), mass=5.0)
    return world


def hashes(world: World, steps: int) -> list[str]:
    """Return the hash of the state after every step."""
    found = []
    for _ in range(steps):
        world.step()
        found.append(world.state_hash())
    return found


def unlike(first: list[str], second: list[str]) -> int:
    """Return how many of two equally long lists of hashes differ."""
    return sum(a != b for a, b in zip(first, second, strict=True))


@case("R56", "bullet3#2982, #4387")
def r56_restored_world_repeats_itself() -> list[Figure]:
    """Repeat every step bitwise after going back to a saved state, compounds and warm starts included."""
    figures = []
    for before in (1, 40, 90, 250):
        world = heap()
        world.step(before)
        state = world.save()
        first = hashes(world, 120)
        other = 0
        for _ in range(2):
            world.restore(state)
            other += unlike(hashes(world, 120), first)
        figures.append(near(f"steps that differ, saved after {before}", other, 0, 0))
    return figures


@case("R56", "bullet3#4387")
def r56_restored_world_forgets_and_recalls_bodies() -> list[Figure]:
    """Repeat every step bitwise although bodies were added and removed after the save."""
    world = heap()
    world.step(60)
    state = world.save()
    first = hashes(world, 80)
    world.restore(state)
    world.remove_body(world.body("angle 1"))
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 5.0), name="late")
    world.step(30)
    world.restore(state)
    late = sum(body.name == "late" for body in world.bodies)
    return [
        near("late bodies that are still there", late, 0, 0),
        near("steps that differ", unlike(hashes(world, 80), first), 0, 0),
    ]


@case("R56", "bullet3#2982")
def r56_save_does_not_disturb() -> list[Figure]:
    """Go on bitwise as without the save; what was saved stays as it was while the world goes on."""
    expected = hashes(heap(), 150)
    world = heap()
    seen, states = [], []
    for k in range(150):
        if k % 25 == 0:
            states.append((k, world.save()))
        seen += hashes(world, 1)
    other, again = heap(), 0
    for k, state in reversed(states):
        other.restore(state)
        again += unlike(hashes(other, 25), expected[k : k + 25])
    return [
        near("steps that differ with saves", unlike(seen, expected), 0, 0),
        near("steps that differ after going back", again, 0, 0),
    ]


@case("R57", "sbox-public#11663")
def r57_five_runs_are_one() -> list[Figure]:
    """End in the same bits five times, however the run of crates and balls is split into calls."""
    figures = []
    for count in (10, 20, 40):
        ends = set()
        for part in (1, 7, 50, 100, 200):
            world = crates(count)
            while world.step_count < 200:
                world.step(min(part, 200 - world.step_count))
            ends.add(world.state_hash())
        figures.append(near(f"different ends of five runs, {count} crates", len(ends), 1, 0))
    world = crates(40)
    start = world.positions[1:41].copy()
    world.step(300)
    moved = np.abs(world.positions[1:41] - start).max()
    return [*figures, at_most("drift of 40 crates", moved, 1e-6, "m")]


@case("R58", "bullet3#4809")
def r58_change_of_mass_takes_effect() -> list[Figure]:
    """Feel a mass that is changed from 1 to 10 kg in weight and in inertia; a removed body stays removed."""
    world = World(gravity=(0.0, 0.0, -9.0))
    free = world.add_body(Box((1.0, 1.0, 1.0)), mass=1.0, mask=0)
    held = world.add_body(Box((1.0, 1.0, 1.0)), mass=1.0, mask=0)
    weld = world.add_joint(Fixed((0.0, 0.0, 0.0)), None, held)
    figures = []
    for mass in (1.0, 10.0):
        free.mass = held.mass = mass
        free.velocity = (0.0, 0.0, 0.0)
        free.apply_impulse((1.0, 0.0, 0.0))
        world.step(2)
        figures += [
            near(f"weight of {mass:g} kg", abs(weld.force[2]), 9.0 * mass, 1e-6 * mass, "N"),
            near(f"1 / velocity of {mass:g} kg after 1 N s", 1.0 / free.velocity[0], mass, 1e-9 * mass, "kg"),
        ]
    world.remove_body(free)
    new = world.add_body(Sphere(0.5), position=(5.0, 0.0, 0.0))
    try:
        reached = free.index == new.index
    except ValueError:
        reached = False
    return [*figures, near("removed handles that reach the new body", reached, 0, 0)]
