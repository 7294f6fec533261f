"""Faults of jointed bodies: R9, R35, R47, R48, R50, R52 to R55."""

import numpy as np

from stoss.collision import Box, Sphere
from stoss.engine import Ball, Body, Fixed, Hinge, Settings, Slider, World, from_values
from stoss.scenes.cases.builders import GRAVITY, floor_world
from stoss.scenes.cases.registry import Figure, at_most, case, near


@case("R9", "dart#846")
def r9_torsional_springs_do_not_decay() -> list[Figure]:
    """Swing ten periods on three undamped torsional springs without losing amplitude; it decayed fast."""
    world = World(gravity=(0, 0, 0), time_step=1e-3)
    sphere = world.add_body(Sphere(0.5), mass=1.0)
    joint = world.add_joint(Ball((0, 0, 0)), None, sphere)
    for axis in "xyz":
        joint.spring(1.0, coordinate=f"rotation {axis}")
    inertia, rate = 0.4 * 0.25, 0.5
    sphere.angular_velocity = (rate, 0, 0)
    period = 2 * np.pi * np.sqrt(inertia)
    steps = int(10 * period / world.time_step)
    angles = np.empty(steps)
    for k in range(steps):
        world.step()
        angles[k] = joint.value_of("rotation x")
    amplitude = rate * np.sqrt(inertia)
    last = np.abs(angles[-int(period / world.time_step) :]).max()
    crossings = np.flatnonzero((angles[:-1] < 0) & (angles[1:] >= 0))
    seen = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * world.time_step
    # implicit midpoint: the amplitude is kept to rounding, sampled within half a step of its peak
    sampled = (0.5 * world.time_step * 2 * np.pi / period) ** 2
    return [
        near("amplitude of the tenth period", last / amplitude, 1.0, sampled),
        near("period", seen, period, world.time_step, "s"),
    ]


@case("R35", "mujoco_warp#1510")
def r35_welded_layers_do_not_drift() -> list[Figure]:
    """Keep twelve boxes welded to a base where they are, on the ground, for 3 s after 1 s; seen 8.6 mm."""
    world = floor_world()
    base = world.add_body(Box((1.6, 1.2, 0.2)), position=(0, 0, 0.1), mass=5.0)
    boxes = []
    for i in range(12):
        layer, place = divmod(i, 6)
        x, y = 0.5 * (place % 3 - 1), 0.5 * (place // 3) - 0.25
        box = world.add_body(Box((0.4, 0.4, 0.4)), position=(x, y, 0.4 + 0.4 * layer), mass=1.0)
        world.add_joint(Fixed(), base, box)
        boxes.append(box)
    world.step(100)
    start = np.array([base.local_point(box.position) for box in boxes])
    world.step(300)
    drift = np.abs(np.array([base.local_point(box.position) for box in boxes]) - start).max()
    return [at_most("drift (the report allows 0.1 mm)", drift, 1e-6, "m")]


@case("R47", "avian#229")
def r47_welded_cubes_land_together() -> list[Figure]:
    """Land two welded cubes face down: both arrive, both rest, the weld holds."""
    world = floor_world()
    cubes = [world.add_body(Box((1, 1, 1)), position=(x, 0, 1.0), mass=1.0) for x in (-0.5, 0.5)]
    world.add_joint(Fixed(), *cubes)
    world.step(200)
    speeds = [np.abs([*cube.velocity, *cube.angular_velocity]).max() for cube in cubes]
    return [
        at_most("height", max(abs(cube.position[2] - 0.5) for cube in cubes), 1e-6, "m"),
        at_most("speed", max(speeds), 1e-9, "m/s"),
        at_most("joint open by", world.report.joint_error, 1e-6, "m"),
        at_most("joint turned by", world.report.joint_angle_error, 1e-6, "rad"),
    ]


@case("R48", "reactphysics3d#329")
def r48_motion_does_not_depend_on_the_unit_of_mass() -> list[Figure]:
    """Move a double pendulum of ball joints alike whatever all masses are multiplied with."""

    def run(factor: float) -> np.ndarray:
        world = World()
        last: Body | None = None
        for i in range(2):
            body = world.add_body(Box((1, 0.2, 0.2)), position=(0.5 + i, 0, 0), mass=factor, mask=0)
            world.add_joint(Ball((i, 0, 0)), last, body)
            last = body
        world.step(100)
        return world.positions.copy()

    # rounding alone, times what 1 s of a pendulum makes of it
    expected = run(1.0)
    return [
        at_most(f"way from that of 1 kg, {mass:g} kg", np.abs(run(mass) - expected).max(), 1e-9, "m")
        for mass in (1e-6, 500.0, 1000.0, 1e6)
    ]


@case("R50", "JoltPhysics#1392")
def r50_tower_of_locked_joints_does_not_bend() -> list[Figure]:
    """Carry 1, 10 and 100 kg on a leaning tower of ten welded blocks without deflection of the tip."""
    figures = []
    for top in (1.0, 10.0, 100.0):
        world = World()
        last: Body | None = None
        for i in range(10):
            mass = top if i == 9 else 1.0
            tip = world.add_body(
                Box((0.2, 0.2, 0.5)), position=(0.25 * i, 0, 0.25 + 0.5 * i), mass=mass, mask=0
            )
            world.add_joint(Fixed((0.25 * i, 0, 0.5 * i)), last, tip)
            last = tip
        start = tip.position
        world.step(300)
        moment = sum((top if i == 9 else 1.0) * GRAVITY * 0.25 * i for i in range(10))
        sag, torque = np.linalg.norm(tip.position - start), abs(world.joints[0].torque[1])
        figures += [
            # ten joints of 1e-6 m and 1e-6 rad on levers of up to 5 m
            at_most(f"deflection, {top:g} kg", float(sag), 10 * 1e-6 + 1e-6 * 2.5 * 11, "m"),
            near(f"moment at the foot, {top:g} kg", torque, moment, 1e-4 * moment, "N m"),
        ]
    return figures


@case("R52", "avian#993")
def r52_energy_of_a_free_asymmetric_body_does_not_settle() -> list[Figure]:
    """Keep the energy of a body that turns about its middle axis, instead of creeping to L^2 / 2 I."""
    world = World(gravity=(0, 0, 0))
    body = world.add_body((), mass_properties=from_values(mass=1.0, inertia=(1.0, 2.0, 3.0)))
    world.add_joint(Ball((0, 0, 0)), None, body)
    body.angular_velocity = (0.01, 5.0, 0.01)
    start = world.report.kinetic_energy
    energies = [world.step(10).kinetic_energy for _ in range(300)]
    change = np.abs(np.array(energies) - start).max() / start
    return [at_most("relative change of energy", change, 1e-9)]


@case("R53", "bullet3#1485")
def r53_cart_pole_has_no_hidden_damping() -> list[Figure]:
    """Follow the equations of motion of a cart with a pole for 5 s, with the energy kept."""
    cart_mass, mass, half = 2.0, 0.5, 0.6
    inertia = mass * (2 * half) ** 2 / 12
    world = World(time_step=1e-3, settings=Settings(order=4))
    cart = world.add_body(Box((0.4, 0.2, 0.2)), mass=cart_mass, mask=0)
    pole = world.add_body(
        (), position=(half, 0, 0), mass_properties=from_values(mass=mass, inertia=(1e-4, inertia, inertia))
    )
    rail = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, cart)
    world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), cart, pole)

    def equations(_: float, y: np.ndarray) -> list[float]:
        # pole at the angle f below the horizontal: x'' and f'' from momentum and moment
        _, f, v, w = y
        matrix = np.array(
            [
                [cart_mass + mass, -mass * half * np.sin(f)],
                [-mass * half * np.sin(f), inertia + mass * half**2],
            ]
        )
        right = np.array([mass * half * w * w * np.cos(f), mass * GRAVITY * half * np.cos(f)])
        return [v, w, *np.linalg.solve(matrix, right)]

    from scipy.integrate import solve_ivp  # slow to import

    reference = solve_ivp(equations, (0, 5), [0.0, 0.0, 0.0, 0.0], rtol=1e-11, atol=1e-12)
    start = world.report.energy
    report = world.step(5000)
    return [
        at_most("change of energy", abs(report.energy - start), 1e-6, "J"),
        near("place of the cart after 5 s", rail.value, reference.y[0, -1], 1e-5, "m"),
    ]


@case("R54", "box3d MultiplePrismatic")
def r54_stacked_sliders_survive_a_giant_pull() -> list[Figure]:
    """Pull at six sliders in a row with 1e6 N against their stops: bounded, closed, and back when let go."""
    world = World(gravity=(0, 0, 0))
    last: Body | None = None
    for i in range(6):
        body = world.add_body(Box((0.5, 0.5, 0.5)), position=(0, 0, 0.5 + i), mass=1.0, mask=0)
        joint = world.add_joint(Slider((0, 0, i), (1, 0, 0)), last, body)
        joint.limit(-6.0, 6.0)
        joint.spring(50.0, 20.0)
        last = body
    opened = 0.0
    for _ in range(200):
        body.apply_force((1e6, 0, 0))
        opened = max(opened, world.step().joint_error)
    pulled = body.position[0]
    report = world.step(3000)
    return [
        at_most("joint open by", opened, 1e-5, "m"),
        near("way of the last one", pulled, 36.0, 1e-2, "m"),
        at_most("off its place when let go", np.abs(world.positions[:, 0]).max(), 1e-3, "m"),
        at_most("energy when let go", report.kinetic_energy, 1e-6, "J"),
    ]


@case("R55", "newton four-bar")
def r55_four_bar_follows_freudenstein() -> list[Figure]:
    """Turn the crank of a four-bar at 2 pi rad/s: its rocker follows the closed form; 0.1 degrees asked."""
    a, b, c, d = 0.2, 0.5, 0.4, 0.5
    start = 0.4

    def rocker(angle: float) -> float:
        x, z = d - a * np.cos(angle), -a * np.sin(angle)
        e = np.hypot(x, z)
        return float(np.pi - (np.arctan2(-z, x) + np.arccos((c * c + e * e - b * b) / (2 * c * e))))

    p = np.array([a * np.cos(start), a * np.sin(start)])
    q = np.array([d + c * np.cos(rocker(start)), c * np.sin(rocker(start))])
    world = World(gravity=(0, 0, 0), time_step=2e-4)

    def bar(first: np.ndarray, second: np.ndarray) -> Body:
        along = second - first
        angle = -np.arctan2(along[1], along[0])
        middle = 0.5 * (first + second)
        return world.add_body(
            Box((float(np.linalg.norm(along)), 0.02, 0.02)),
            position=(middle[0], 0, middle[1]),
            quaternion=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
            mass=1.0,
            mask=0,
        )

    origin, end = np.zeros(2), np.array([d, 0.0])
    crank, coupler, swing = bar(origin, p), bar(p, q), bar(end, q)
    axis = (0, -1, 0)
    driven = world.add_joint(Hinge((0, 0, 0), axis), None, crank)
    world.add_joint(Hinge((p[0], 0, p[1]), axis), crank, coupler)
    world.add_joint(Hinge((q[0], 0, q[1]), axis), coupler, swing)
    output = world.add_joint(Hinge((d, 0, 0), axis), swing, None)
    driven.motor(2 * np.pi)
    worst = 0.0
    for _ in range(100):
        world.step(100)
        expected = rocker(start + driven.value) - rocker(start)
        worst = max(worst, abs(-output.value - expected))
    return [
        near("turn of the crank", driven.value, 2 * np.pi * 2.0, 0.01, "rad"),
        near("length of the coupler", float(np.linalg.norm(q - p)), b, 1e-12, "m"),
        at_most("error of the rocker", np.degrees(worst), 1e-3, "degrees"),
    ]
