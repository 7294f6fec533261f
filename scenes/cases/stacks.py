"""Stacks that creep, sink or fall: R21 to R28, R43 and R44."""

import time
from functools import partial

import numpy as np

from stoss.collision import Box, Cylinder
from stoss.engine import Settings, World
from stoss.scenes.cases.builders import (
    UPRIGHT,
    add_column,
    add_pyramid,
    drift,
    floor_world,
    largest_speed,
    record,
    turned_by,
)
from stoss.scenes.cases.registry import Figure, at_most, case, near
from stoss.scenes.registry import find_scene

# What a stack that was set down exactly may move: the position tolerance of the solvers.
CREEP = Settings().position_tolerance


def stands(what: str, world: World, steps: int, creep: float = CREEP) -> list[Figure]:
    """Return by how much a world that was set down at rest moves in that many steps."""
    start = world.positions.copy()
    world.step(steps)
    return [
        at_most(f"{what}: drift", drift(world, start), creep, "m"),
        at_most(f"{what}: speed at the end", largest_speed(world), 1e-8, "m/s"),
    ]


def column(count: int) -> World:
    """Return a column of unit cubes of 1 kg."""
    world = floor_world()
    add_column(world, count, mass=1.0)
    return world


@case("R21", "qu3e#54")
def r21_column_of_five_stands(seconds: int = 60) -> list[Figure]:
    """Let five cubes stand for a minute, sleeping off; they toppled."""
    return stands("5 cubes", column(5), 100 * seconds)


@case("R22", "dart#867")
def r22_column_of_ten_stands(seconds: int = 60) -> list[Figure]:
    """Let ten cubes stand for a minute; they toppled."""
    return stands("10 cubes", column(10), 100 * seconds)


@case("R23", "box3d LargePyramid", bases=(20,), steps=1500)
def r23_large_pyramid_stands(bases: tuple[int, ...] = (20, 40, 80, 100), steps: int = 1500) -> list[Figure]:
    """Let pyramids of cubes of density 100 stand.

    The source says that the one of 80 rows "falls over after 1000 steps". With columns that touch; the
    smallest one also with columns apart.
    """
    figures = []
    for base in bases:
        world = floor_world()
        add_pyramid(world, base, density=100.0)
        figures += stands(f"base {base}", world, steps)
    world = floor_world()
    add_pyramid(world, bases[0], spacing=1.1, density=100.0)
    return figures + stands(f"base {bases[0]}, apart", world, steps)


@case("R23", "box3d BoxStack")
def r23_dropped_cubes_stay_a_column() -> list[Figure]:
    """Catch 40 cubes that fall on each other, the highest from 10 m, in one upright column.

    Centres are 1.25 m apart. Nothing acts sideways: impacts of equal cubes, face on face and centred, must
    leave them centred.
    """
    world = floor_world()
    cubes = add_column(world, 40, spacing=1.25, mass=1.0)
    world.step(500)
    heights = np.array([cube.position[2] for cube in cubes])
    return [
        at_most("height of a cube", np.abs(heights - 0.5 - np.arange(40)).max(), 1e-3, "m"),
        at_most("way aside", np.abs(world.positions[:, :2]).max(), 1e-3, "m"),
        at_most("speed at the end", largest_speed(world), 1e-3, "m/s"),
    ]


@case("R24", "JoltPhysics HeavyOnLightTest", steps=600)
def r24_heavy_cubes_fall_on_light_ones(steps: int = 1200) -> list[Figure]:
    """Carry cubes that are 5 to 50 times as heavy, after a fall; light ones were pressed into the floor.

    The report allows 2 % of the edge of 10 m. A recovered overlap is below a tenth of the position tolerance.
    """
    world = find_scene("heavy_on_light").build(time_step=1 / 60)
    world.step(steps)
    heights = np.array([body.position[2] for body in world.bodies if body.kind == "dynamic"])
    levels = np.tile([5.0, 15.0], len(heights) // 2)
    return [
        at_most("overlap at the end", world.report.max_overlap, 1e-6, "m"),
        at_most("height of a cube", np.abs(heights - levels).max(), 1e-4, "m"),
        at_most("speed at the end", largest_speed(world), 1e-6, "m/s"),
    ]


@case("R24", "JoltPhysics#1390")
def r24_cube_of_100_kg_rests_on_one_of_1_kg() -> list[Figure]:
    """Hold 100 kg on 1 kg, set down and after a central fall of 1 m, where symmetry holds them."""
    figures = []
    for fall in (0.0, 1.0):
        world = floor_world()
        for mass, height in ((1.0, 0.5), (100.0, 1.5 + fall)):
            world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, height), mass=mass)
        world.step(500)
        off = world.positions[1:] - [[0.0, 0.0, 0.5], [0.0, 0.0, 1.5]]
        figures += [
            at_most(f"off its place, fall {fall:g} m", np.abs(off).max(), 1e-5, "m"),
            at_most(f"speed, fall {fall:g} m", largest_speed(world), 1e-8, "m/s"),
        ]
    return figures


@case("R25", "godot-jolt#1041")
def r25_heavy_cylinder_stands_on_a_light_cube() -> list[Figure]:
    """Carry a cylinder of 60 kg on a cube of 1 kg, set down in its middle or let fall beside it.

    The weight acts well within the cube in both cases, so nothing may topple.
    """
    figures = []
    for how, (x, y), fall in (("set down", (0.0, 0.0), 0.0), ("let fall", (0.1, 0.05), 0.1)):
        world = floor_world()
        cube = world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=1.0)
        cylinder = world.add_body(Cylinder(0.5, 1.0), position=(x, y, 1.5 + fall), mass=60.0)
        world.step(500)
        figures += [
            near(f"height of the cube, {how}", cube.position[2], 0.5, 1e-5, "m"),
            at_most(f"off its place, {how}", np.abs(cylinder.position - [x, y, 1.5]).max(), 2e-3, "m"),
            at_most(f"tilt, {how}", turned_by(cylinder.quaternion, UPRIGHT), 1e-4, "rad"),
            at_most(f"speed, {how}", largest_speed(world), 1e-8, "m/s"),
        ]
    return figures


@case("R26", "box3d HighMassRatio1", steps=300)
def r26_heavy_tops_fall_on_pyramids(steps: int = 1000) -> list[Figure]:
    """Catch a top 100, 200 and 300 times as dense on a pyramid of ten rows, from 2 m.

    Each lands centred on a mirror-symmetric pyramid, so its middle must stay in the plane of symmetry.
    """
    world = find_scene("mass_ratio_pyramids").build()
    start = world.positions.copy()
    world.step(steps)
    figures = []
    for k in range(3):
        top = world.body(f"top {k}")
        rest = start[top.index] - [0.0, 0.0, 2.0]
        figures.append(at_most(f"top {k}: off its place", np.abs(top.position - rest).max(), 1e-3, "m"))
    others = [body.index for body in world.bodies if body.name.startswith("cube")]
    moved = np.linalg.norm(world.positions[others] - start[others], axis=1).max()
    return [
        *figures,
        at_most("shift of a cube", moved, 1e-3, "m"),
        at_most("overlap", world.report.max_overlap, 1e-4, "m"),
        at_most("speed at the end", largest_speed(world), 1e-3, "m/s"),
    ]


@case("R27", "box3d TinyPyramid", base=12, steps=500)
def r27_tiny_pyramid_stands(base: int = 30, steps: int = 1000) -> list[Figure]:
    """Let a pyramid of cubes of 5 cm stand, whose edge is not far above the tolerances."""
    world = floor_world()
    add_pyramid(world, base, edge=0.05)
    return stands(f"base {base}", world, steps)


@case("R28", "box3d OverlapRecovery")
def r28_overlapping_pyramid_separates_gently() -> list[Figure]:
    """Push cubes apart that start 25 % inside each other, never faster than 3 m/s.

    Displacing takes the overlap away without touching velocities, so what speed there is comes from settling.
    """
    world = floor_world()
    add_pyramid(world, 4, spacing=0.75, rise=0.75, density=1000.0)
    overlap = world.step().max_overlap
    speeds = record(world, 500, partial(largest_speed, world))
    return [
        near("overlap after a step", overlap, 0.175, 0.075, "m"),
        at_most("speed", speeds.max(), 3.0, "m/s"),
        at_most("overlap at the end", world.report.max_overlap, 1e-6, "m"),
        at_most("speed at the end", speeds[-1], 1e-8, "m/s"),
    ]


@case("R43", "genesis#720", largest=3)
def r43_blocks_of_cubes_fall_and_rest(largest: int = 6) -> list[Figure]:
    """Let blocks of n^3 cubes, 10 mm apart, fall 2 m and come to rest in their columns.

    The columns do not touch each other, and nothing acts sideways. The processor time per step, for
    comparison, has no bound of its own.
    """
    figures = []
    for n in range(2, largest + 1):
        world = floor_world()
        for i, j, k in np.ndindex(n, n, n):
            world.add_body(Box((1.0, 1.0, 1.0)), position=(1.01 * i, 1.01 * j, 2.5 + 1.01 * k), mass=1.0)
        start = world.positions.copy()
        begin = time.process_time()
        world.step(200)
        cost = (time.process_time() - begin) / 200
        layers = 0.5 + np.tile(np.arange(n), n * n)
        figures += [
            at_most(f"{n}^3 cubes: way aside", np.abs(world.positions - start)[:, :2].max(), 1e-3, "m"),
            at_most(f"{n}^3 cubes: height", np.abs(world.positions[1:, 2] - layers).max(), 1e-4, "m"),
            at_most(f"{n}^3 cubes: speed", largest_speed(world), 1e-6, "m/s"),
            at_most(f"{n}^3 cubes: time of a step", 1e3 * cost, np.inf, "ms"),
        ]
    return figures


@case("R44", "genesis#893")
def r44_small_cubes_do_not_oscillate() -> list[Figure]:
    """Bring columns of cubes of 4 cm to rest at 100 Hz, set down and let fall by up to 5 cm."""
    speed = wandering = height = 0.0
    for count in (1, 3, 5):
        for spacing in (0.04, 0.05):
            world = floor_world()
            cubes = add_column(world, count, edge=0.04, spacing=spacing)
            world.step(100)
            start = world.positions.copy()
            speed = max(speed, record(world, 100, partial(largest_speed, world)).max())
            wandering = max(wandering, drift(world, start))
            heights = [cube.position[2] for cube in cubes]
            height = max(height, np.abs(np.array(heights) - 0.02 - 0.04 * np.arange(count)).max())
    return [
        at_most("speed", speed, 1e-4, "m/s"),
        # an overlap that is left from an impact may still recede, by tenths of the position tolerance
        at_most("drift", wandering, CREEP, "m"),
        at_most("height of a cube", height, 1e-5, "m"),
    ]
