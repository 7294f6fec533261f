"""Contacts that are lost or misplaced: R33, R37 to R42."""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from stoss.collision import Box, ConvexHull, Cylinder, Sphere, TriangleMesh
from stoss.engine import FixedOrientation, Material, Settings, World, from_values
from stoss.scenes.cases.builders import UPRIGHT, drift, floor_world, largest_speed, record, turn, turned_by
from stoss.scenes.cases.registry import Figure, at_most, case, near

CREEP = Settings().position_tolerance


@case("R33", "mujoco_warp#1526, #1517")
def r33_box_on_box_with_little_friction() -> list[Figure]:
    """Hold a box on a box and a plane with almost no friction; a contact was dropped, then NaN.

    The moments of inertia are 1 kg m^2, far above those of solid boxes of 1 kg. The report allows 1e-3 m.
    """
    figures = []
    for friction in (0.0, 1e-4, 1e-3):
        world = floor_world(friction=friction, time_step=1 / 240, gravity=10.0)
        material, heft = Material(friction=friction), from_values(1.0, (1.0, 1.0, 1.0))
        for edge, height in ((0.4, 0.2), (0.2, 0.5)):
            box = Box((edge, edge, edge))
            world.add_body(box, position=(0.0, 0.0, height), mass_properties=heft, material=material)
        start = world.positions.copy()
        world.step(240)
        figures += [
            near(f"touching contacts, mu = {friction:g}", world.report.touching_count, 8, 0),
            at_most(f"drift, mu = {friction:g}", drift(world, start), CREEP, "m"),
        ]
    return figures


@case("R37", "mujoco#2356")
def r37_peg_rests_on_a_cube() -> list[Figure]:
    """Bring a peg that lies across a small cube to rest, set down and let fall, by up to 25 mm."""
    figures = []
    for height in (0.06, 0.065, 0.085):
        world = World()
        world.add_body(Box((0.05, 0.05, 0.05)), kind="static", position=(0.0, 0.0, 0.025))
        peg = world.add_body(Box((0.096, 0.02, 0.02)), position=(0.0, 0.0, height))
        world.step(100)
        speeds = record(world, 100, partial(largest_speed, world))
        off, where = np.abs(peg.position - [0.0, 0.0, 0.06]).max(), f"from {1e3 * (height - 0.06):.0f} mm"
        figures += [
            at_most(f"speed after a second, {where}", speeds.max(), 1e-4, "m/s"),
            at_most(f"off its place, {where}", off, 1e-6, "m"),
            at_most(f"tilt, {where}", turned_by(peg.quaternion, UPRIGHT), 1e-4, "rad"),
        ]
    return figures


@case("R39", "mujoco#1665")
def r39_cube_from_stl_is_the_cube() -> list[Figure]:
    """Treat a cube read from an STL file as the box of the same edges: same contacts, same rest."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cube.stl"
        import trimesh  # slow to import

        trimesh.creation.box(extents=(1.0, 1.0, 1.0)).export(path)
        shapes = [Box((1.0, 1.0, 1.0)), ConvexHull.from_file(path)]
    off = angle = mass = 0.0
    counts, corners = [], []
    for shape in shapes:
        for on_box in (False, True):
            world = World() if on_box else floor_world()
            if on_box:
                world.add_body(Box((4.0, 4.0, 1.0)), kind="static", position=(0.0, 0.0, -0.5))
            cube = world.add_body(shape, position=(0.1, 0.2, 0.6), quaternion=turn((0.0, 0.0, 1.0), 0.3))
            world.step(100)
            contacts = world.contacts
            counts.append(len(contacts))
            points = contacts.point_b
            corners.append(points[np.lexsort(points.round(6).T)][:4, :2].copy())
            off = max(off, np.abs(cube.position - [0.1, 0.2, 0.5]).max())
            angle = max(angle, abs(turned_by(cube.quaternion, UPRIGHT) - 0.3))
            mass = max(mass, abs(cube.mass / 1000.0 - 1.0))
    apart = [np.abs(found - corners[0]).max() if len(found) == 4 else np.inf for found in corners]
    return [
        near("fewest contacts", min(counts), 4, 0),
        near("most contacts", max(counts), 4, 0),
        # STL holds single precision
        at_most("contacts against those of the box", max(apart), 1e-5, "m"),
        at_most("off its place", off, 1e-5, "m"),
        at_most("turn", angle, 1e-5, "rad"),
        at_most("relative error of the mass", mass, 1e-6),
    ]


@case("R40", "mujoco#2206")
def r40_depth_of_a_sphere_in_a_box_is_linear() -> list[Figure]:
    """Measure the depth of a sphere in a box from its top, also when all of it is inside."""
    radius, figures = 0.005, []
    # FCL iterates on the overlap of a box and a sphere, down to 1e-6 of its own tolerance.
    for backend, tolerance in (("native", 1e-12), ("fcl", 1e-6)):
        world = World(gravity=(0.0, 0.0, 0.0), settings=Settings(collision=backend))
        world.add_body(Box((0.2, 0.2, 0.2)), kind="static", position=(0.0, 0.0, -0.1))
        ball = world.add_body(Sphere(radius))
        miss = tilt = 0.0
        for height in np.linspace(0.008, -0.03, 39):
            ball.position = (0.01, -0.02, height)
            contacts = world.contacts
            if len(contacts) != 1:
                miss = np.nan
                break
            miss = max(miss, abs(contacts.gap[0] - (height - radius)))
            tilt = max(tilt, np.abs(np.abs(contacts.normal[0]) - [0.0, 0.0, 1.0]).max())
        figures += [
            at_most(f"error of the gap, {backend}", miss, tolerance, "m"),
            at_most(f"error of the normal, {backend}", tilt, 1e-5),
        ]
    return figures


@case("R41", "mujoco#1040")
def r41_rolling_over_a_seam_does_not_hop() -> list[Figure]:
    """Roll a cylinder and a sphere over the seam between two boxes of one height as over one box.

    The edge of the second box lies below the round surface until the body stands right above it, so it never
    carries anything.
    """
    radius, figures = 0.2, []
    for what, shape in (("cylinder", Cylinder(radius, 0.4)), ("sphere", Sphere(radius))):
        hop = slower = 0.0
        for speed in (0.5, 1.0, 3.0):
            world = World()
            for x in (-1.0, 1.0):
                world.add_body(Box((2.0, 2.0, 0.2)), kind="static", position=(x, 0.0, -0.1))
            body = world.add_body(
                shape,
                position=(-0.5 - 0.003, 0.0, radius),
                quaternion=turn((1.0, 0.0, 0.0), 0.5 * np.pi),
                velocity=(speed, 0.0, 0.0),
                angular_velocity=(0.0, speed / radius, 0.0),
            )
            for _ in range(round(100 / speed)):
                world.step()
                hop = max(hop, abs(body.position[2] - radius))
                slower = max(slower, abs(body.velocity[0] / speed - 1.0))
        figures += [
            at_most(f"hop of a {what}", hop, CREEP, "m"),
            at_most(f"relative change of speed of a {what}", slower, 1e-6),
        ]
    return figures


@case("R42", "box3d Ghost")
def r42_box_does_not_trip_over_the_seams_of_a_mesh() -> list[Figure]:
    """Slide a box that cannot turn at 8.9 m/s over tiles whose edges are chamfered below their plane.

    The report allows 0.5 m/s upwards. Nothing rises above the plane of the tiles, and there is no friction:
    the box keeps its height and its speed.
    """
    profile = [(x + dx, dz) for x in range(-1, 12) for dx, dz in ((0.0, -0.02), (0.05, 0.0), (0.95, 0.0))]
    vertices = np.array([(x, y, z) for x, z in profile for y in (-1.0, 1.0)])
    faces = [
        face
        for k in range(0, len(vertices) - 2, 2)
        for face in ((k, k + 2, k + 1), (k + 2, k + 3, k + 1))  # seen from above, counter-clockwise
    ]
    world = World()
    smooth = Material(friction=0.0)
    world.add_body(TriangleMesh(vertices, np.array(faces)), kind="static", material=smooth)
    box = world.add_body(
        Box((0.5, 0.5, 0.5)), position=(0.5, 0.1, 0.25), velocity=(8.9, 0.0, 0.0), material=smooth
    )
    world.add_joint(FixedOrientation(), None, box, collide=True)
    rise = hop = slower = 0.0
    for _ in range(100):
        world.step()
        rise, hop = max(rise, box.velocity[2]), max(hop, abs(box.position[2] - 0.25))
        slower = max(slower, abs(box.velocity[0] / 8.9 - 1.0))
    return [
        at_most("speed upwards", rise, 1e-6, "m/s"),
        at_most("change of height", hop, CREEP, "m"),
        at_most("relative change of speed", slower, 1e-6),
    ]
