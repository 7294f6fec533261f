"""Gears, racks and screws against closed forms, over many turns, with both solvers."""

import numpy as np
import pytest

from stoss.collision import Box, Cylinder, Sphere
from stoss.engine import (
    Compose,
    Coupling,
    Cylindrical,
    Gear,
    Hinge,
    Rack,
    Screw,
    Settings,
    Slider,
    World,
    from_values,
)
from tests.engine.worlds import G

BOTH = pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
STEPS = pytest.mark.parametrize("h", [0.005, 0.01, 0.033])
Y = (0, 1, 0)


def wheel(world, x, inertia, mass=1.0, name=None):
    """Add a wheel that turns about y through (x, 0, 0), with an axle in the world; return body and hinge."""
    properties = from_values(mass=mass, inertia=(inertia, inertia, inertia))
    body = world.add_body((), position=(x, 0, 0), mass_properties=properties, name=name)
    return body, world.add_joint(Hinge((x, 0, 0), Y), None, body, name=f"axle {x:g}")


# ------------------------------------------------------------------ closed forms


@BOTH
@STEPS
@pytest.mark.parametrize("ratio", [-2.0, 0.5, 3.0, -0.02])
def test_flywheels_under_a_torque(solver, h, ratio):
    """Turn two wheels as one of inertia I1 + k^2 I2, with the torque I2 k alpha on the second."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=Settings(solver=solver, sweeps=60))
    first, axle_1 = wheel(world, 0, 0.3)
    second, axle_2 = wheel(world, 1, 0.7)
    gear = world.add_joint(Gear(axle_1, axle_2, ratio))
    world.torques[first.index] = (0, 2.0, 0)
    count = int(2.0 / h)
    world.step(count)
    alpha = 2.0 / (0.3 + 0.7 * ratio**2)
    time = count * h
    assert axle_1.rate == pytest.approx(alpha * time, rel=1e-6)
    assert axle_1.value == pytest.approx(0.5 * alpha * time**2, rel=1e-6)
    assert axle_2.value == pytest.approx(ratio * axle_1.value, abs=2e-6)
    assert gear.angle_error < 2e-6 and gear.error == 0.0
    assert gear.torque == pytest.approx([0, 0.7 * ratio * alpha, 0], abs=1e-5)
    assert np.abs(gear.force).max() == 0.0
    assert gear.second is second and gear.first is first


@BOTH
@STEPS
def test_weight_falls_on_rack_and_pinion(solver, h):
    """Fall with a = m g / (m + I / r^2), the pinion rolling on the rack."""
    r, mass, inertia = 0.1, 2.0, 0.05
    world = World(time_step=h, settings=Settings(solver=solver, sweeps=60))
    pinion, axle = wheel(world, 0, inertia)
    rack = world.add_body(Box((0.05, 0.05, 1.0)), position=(r, 0, 0), mass=mass)
    slide = world.add_joint(Slider((r, 0, 0), (0, 0, 1)), None, rack)
    teeth = world.add_joint(Rack(axle, slide, -r))
    count = int(0.99 / h)
    world.step(count)
    a, time = mass * G / (mass + inertia / r**2), count * h
    assert slide.value == pytest.approx(-0.5 * a * time**2, rel=1e-6)
    assert slide.rate == pytest.approx(-a * time, rel=1e-6)
    assert axle.value == pytest.approx(0.5 * a * time**2 / r, rel=1e-5)
    assert teeth.force == pytest.approx([0, 0, mass * (G - a)], abs=1e-5)
    assert pinion.angular_velocity[1] == pytest.approx(a * time / r, rel=1e-6)
    assert teeth.error < 2e-6


@BOTH
@STEPS
@pytest.mark.parametrize("pitch", [0.05, -0.3])
def test_screw_under_gravity(solver, h, pitch):
    """Fall along a steep thread with a = g m / (m + I / c^2), c = pitch / 2 pi, turning by 1/c per metre."""
    world = World(time_step=h, settings=Settings(solver=solver, sweeps=60))
    properties = from_values(mass=3.0, inertia=(0.02, 0.02, 0.001))
    nut = world.add_body((), mass_properties=properties)
    screw = world.add_joint(Screw((0, 0, 0), (0, 0, 1), pitch=pitch), None, nut)
    count = int(0.99 / h)
    world.step(count)
    c, time = pitch / (2 * np.pi), count * h
    a = G * 3.0 / (3.0 + 0.001 / c**2)
    assert screw.value_of("displacement") == pytest.approx(-0.5 * a * time**2, rel=1e-6)
    assert screw.value_of("angle") == pytest.approx(-0.5 * a * time**2 / c, rel=1e-5)
    assert nut.velocity == pytest.approx([0, 0, -a * time], rel=1e-6)
    assert nut.angular_velocity[2] == pytest.approx(-a * time / c, rel=1e-5)
    # the thread carries what does not accelerate, by a force along it and a torque about it
    assert screw.force == pytest.approx([0, 0, 3.0 * (G - a)], abs=1e-4)
    assert screw.torque == pytest.approx([0, 0, -0.001 * a / c], abs=1e-4)


def test_screw_between_free_bodies_keeps_momenta():
    """Thread two free bodies together: linear and angular momentum stay, energy too, the pitch holds."""
    world = World(gravity=(0, 0, 0), time_step=0.005)
    nut = world.add_body(Box((0.4, 0.4, 0.2)), mass=2.0)
    bolt = world.add_body(Cylinder(0.05, 1.0), mass=1.0, angular_velocity=(0, 0, 10.0))
    nut.angular_velocity = (0, 0, -5.0)
    screw = world.add_joint(Screw((0, 0, 0), (0, 0, 1), pitch=0.02), nut, bolt)
    world.step(1)
    spin = sum(b.inertia[2] * b.angular_velocity[2] for b in (nut, bolt))
    energy = world.report.energy
    world.step(400)
    assert np.abs(2.0 * nut.velocity + 1.0 * bolt.velocity).max() < 1e-9
    assert sum(b.inertia[2] * b.angular_velocity[2] for b in (nut, bolt)) == pytest.approx(spin, abs=1e-9)
    assert world.report.energy == pytest.approx(energy, rel=1e-6)
    assert screw.value_of("angle") > 6 * np.pi
    assert screw.value_of("displacement") == pytest.approx(
        0.02 / (2 * np.pi) * screw.value_of("angle"), abs=2e-6
    )


@BOTH
def test_worm_drives_a_heavy_wheel(solver):
    """Let a light worm lift a weight by 1:50: the motor's torque is that of the load over fifty."""
    world = World(settings=Settings(solver=solver, sweeps=100))
    worm, shaft = wheel(world, 0, 1e-4, mass=0.1)
    arm = world.add_body(Box((1.0, 0.1, 0.1)), position=(3.5, 0, 0), mass=20.0)
    axle = world.add_joint(Hinge((3, 0, 0), Y), None, arm)
    world.add_joint(Gear(shaft, axle, 1 / 50))
    motor = shaft.motor(-20.0)
    world.step(200)
    left = 1e-6 if solver == "direct" else 1e-3  # what a hundred sweeps leave of a ratio of 2e5 in inertia
    assert shaft.rate == pytest.approx(-20.0, abs=left)
    assert axle.rate == pytest.approx(-0.4, abs=left)
    assert axle.value == pytest.approx(shaft.value / 50, abs=2e-6)
    load = 20.0 * G * 0.5 * np.cos(axle.value - 0.5 * 0.4 * 0.01)
    assert motor.force == pytest.approx(-load / 50, rel=0.01)


@STEPS
def test_pendulum_on_a_gear_swings_by_the_closed_form(h):
    """Swing a pendulum that turns a flywheel by 1:7: the period of the inertia J + 49 I; energy stays."""
    world = World(time_step=h)
    bob = world.add_body(Sphere(0.1), position=(0.02, 0, -1.0), mass=1.0)
    swing = world.add_joint(Hinge((0, 0, 0), Y), None, bob)
    flywheel, axle = wheel(world, 4, 0.02)
    world.add_joint(Gear(swing, axle, 7.0))
    arm2 = 1.0 + 0.02**2
    inertia = arm2 + 0.4 * 0.1**2 + 49 * 0.02
    period = 2 * np.pi * np.sqrt(inertia / (G * np.sqrt(arm2)))
    start = world.report.energy
    crossings, last = [], swing.value
    while len(crossings) < 8:
        world.step()
        now = swing.value - np.arctan(0.02)
        if last < 0.0 <= now or now <= 0.0 < last:
            crossings.append(world.time - h * now / (now - last) if now != last else world.time)
        last = now
        # of order two: by the square of the turn of the phase in a step, as a share of the energy
        share = 0.25 * (2 * np.pi / period * h) ** 2
        assert abs(world.report.energy - start) < share * G * 0.0002 + 1e-12
    assert np.diff(crossings).mean() == pytest.approx(0.5 * period, rel=2e-3 if h < 0.02 else 2e-2)


# ------------------------------------------------------------------ many turns, loops, snapshots


@pytest.mark.parametrize("order", [2, 4])
def test_many_turns_keep_ratio_and_energy(order):
    """Spin for hundreds of turns, faster than half a turn in a step: nothing slips, energy stays."""
    world = World(gravity=(0, 0, 0), settings=Settings(order=order))
    first, axle_1 = wheel(world, 0, 0.5)
    second, axle_2 = wheel(world, 1, 0.01)
    third, axle_3 = wheel(world, 2, 0.02)
    world.add_joint(Gear(axle_1, axle_2, -8.0))
    world.add_joint(Gear(axle_2, axle_3, -0.75))
    first.angular_velocity, second.angular_velocity = (0, 40.0, 0), (0, -320.0, 0)
    third.angular_velocity = (0, 240.0, 0)
    energy = world.report.energy
    world.step(1000)
    assert axle_1.value > 100 * np.pi and abs(axle_2.rate) * 0.01 > np.pi
    assert axle_2.value == pytest.approx(-8.0 * axle_1.value, abs=1e-5)
    assert axle_3.value == pytest.approx(6.0 * axle_1.value, abs=1e-5)
    assert world.report.energy == pytest.approx(energy, rel=1e-9)
    assert not world.report.ladder and not world.report.open_joints


@BOTH
def test_loop_of_gears_is_redundant_and_turns(solver):
    """Turn a ring of four wheels, whose last gear says nothing new; the report names it."""
    world = World(gravity=(0, 0, 0), settings=Settings(solver=solver, sweeps=60))
    axles = [wheel(world, k, 0.1 + 0.1 * k)[1] for k in range(4)]
    for k in range(4):
        world.add_joint(Gear(axles[k], axles[(k + 1) % 4], -1.0), name=f"gear {k}")
    report = world.freedom_report()
    assert report.degrees_of_freedom == 1
    assert [(row.joint, row.row) for row in report.redundant] == [("gear 3", "coupling of two coordinates")]
    world.torques[0] = (0, 1.0, 0)
    world.step(200)
    for k in range(4):
        assert axles[k].rate == pytest.approx((-1) ** k * 2.0 / 1.0, rel=1e-5)
    world.freedom_report()


def test_contradicting_ratios_hold_still():
    """Lock three wheels of which each is to turn against both others, without a rung or a gain."""
    world = World(gravity=(0, 0, 0))
    axles = [wheel(world, k, 0.1)[1] for k in range(3)]
    for k in range(3):
        world.add_joint(Gear(axles[k], axles[(k + 1) % 3], -1.0))
    world.torques[0] = (0, 1.0, 0)
    world.step(100)
    assert max(abs(axle.rate) for axle in axles) < 1e-9


@BOTH
def test_snapshots_and_switches(solver):
    """Go on to the same bits from a snapshot, in another world too; let go when disabled; catch up after."""
    settings = Settings(solver=solver, sweeps=60)
    world = World(gravity=(0, 0, 0), settings=settings)
    first, axle_1 = wheel(world, 0, 0.5)
    second, axle_2 = wheel(world, 1, 0.2)
    gear = world.add_joint(Gear(axle_1, axle_2, -3.0), name="gear")
    first.angular_velocity = (0, 9.0, 0)
    world.step(100)
    saved = world.save()
    world.step(100)
    end = world.state_hash()
    for other in (world, World(gravity=(0, 0, 0), settings=settings)):
        other.restore(saved)
        assert other.joint("gear").kind.ratio == -3.0
        other.step(100)
        assert other.state_hash() == end
    gear.enabled = False
    second.angular_velocity = (0, 0, 0)
    world.step(10)
    assert abs(axle_2.rate) < 1e-12 and abs(axle_1.rate) > 1.0
    assert gear.angle_error > 0.1


def test_open_gear_is_closed_by_displacement():
    """Turn wheels to an offset that they do not have, at the recovery speed, without velocities."""
    world = World(gravity=(0, 0, 0))
    _, axle_1 = wheel(world, 0, 0.5)
    _, axle_2 = wheel(world, 1, 0.2)
    gear = world.add_joint(Gear(axle_1, axle_2, 2.0, offset=0.4))
    assert gear.angle_error == pytest.approx(0.4)
    steps = 0
    while gear.angle_error > 1e-6 and steps < 3000:
        world.step()
        steps += 1
        assert abs(axle_1.rate) < 1e-6 and abs(axle_2.rate) < 1e-6
    assert axle_2.value == pytest.approx(2.0 * axle_1.value + 0.4, abs=1e-6)


def test_kinematic_carriers_turn_what_they_carry():
    """Drive a planet gear round a sun: on an arm that turns, the planet turns by (1 + r_sun / r_planet)."""
    world = World(gravity=(0, 0, -9.81))
    arm = world.add_body((), kind="kinematic", angular_velocity=(0, 0, 1.0))
    planet = world.add_body(Cylinder(0.25, 0.1), position=(1, 0, 0))
    sun = world.add_body((), kind="static")
    clamp = world.add_body((), position=(0, 0, 0), mass_properties=from_values(mass=1, inertia=(1, 1, 1)))
    hinge_sun = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), arm, clamp)
    hinge_planet = world.add_joint(Hinge((1, 0, 0), (0, 0, 1)), arm, planet)
    from stoss.engine import Fixed

    world.add_joint(Fixed(), sun, clamp)
    world.add_joint(Gear(hinge_sun, hinge_planet, -3.0))  # r_sun 0.75, r_planet 0.25
    world.step(200)
    assert planet.angular_velocity[2] == pytest.approx(4.0, abs=1e-5)
    assert hinge_planet.value == pytest.approx(6.0, abs=1e-4)
    last = world.report.energy
    report = world.step()
    assert report.energy - last == pytest.approx(report.ledger.change, abs=1e-6)


def test_carrying_arms_are_coupled_in_a_row():
    """Keep an elbow at minus twice the shoulder: the hand runs along a straight line."""
    world = World()
    upper = world.add_body(Box((1, 0.05, 0.05)), position=(0.5, 0, 0), mass=1.0)
    lower = world.add_body(Box((1, 0.05, 0.05)), position=(1.5, 0, 0), mass=1.0)
    shoulder = world.add_joint(Hinge((0, 0, 0), Y), None, upper)
    elbow = world.add_joint(Hinge((1, 0, 0), Y), upper, lower)
    world.add_joint(Gear(shoulder, elbow, -2.0))
    energy = world.report.energy
    for _ in range(100):
        world.step()
        hand = lower.world_point((0.5, 0, 0))
        assert abs(hand[2]) < 2e-5
        assert world.report.energy == pytest.approx(energy, abs=2e-3)
    assert hand[0] < 1.9


def test_sliders_and_any_coordinates_are_coupled():
    """Couple two sliders, and the swing of a ball joint to nothing that is an axis."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((1, 1, 1)), mass=1.0)
    b = world.add_body(Box((1, 1, 1)), position=(5, 0, 0), mass=2.0)
    first = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, a)
    second = world.add_joint(Slider((5, 0, 0), (0, 0, 1)), None, b)
    world.add_joint(Coupling(first, second, 2.0))
    world.forces[0] = (3.0, 0, 0)
    world.step(100)
    assert first.rate == pytest.approx(3.0 / (1.0 + 4 * 2.0), rel=1e-6)
    assert second.value == pytest.approx(2.0 * first.value, abs=1e-9)
    both = world.add_joint(
        Cylindrical((9, 0, 0), (0, 0, 1)), None, world.add_body(Sphere(0.2), position=(9, 0, 0))
    )
    thread = Coupling(both, both, 0.1, coordinate_1="angle", coordinate_2="displacement")
    world.add_joint(thread)
    both.motor(2.0, coordinate="angle")
    world.step(100)
    assert both.rate_of("displacement") == pytest.approx(0.2, abs=1e-6)
    thick = world.add_body(Sphere(0.3), position=(20, 0, 0))
    wound = world.add_joint(Compose(Screw((20, 0, 0), (1, 0, 0), pitch=0.5)), None, thick, name="wound")
    wound.motor(2 * np.pi, coordinate="angle")
    world.step(100)
    assert thick.velocity == pytest.approx([0.5, 0, 0], abs=1e-6)


# ------------------------------------------------------------------ what goes with joints and bodies


def test_couplings_go_with_their_joints_and_bodies():
    """Remove a gear with either of its joints, and with bodies, those that only carry included."""
    world = World()
    post = world.add_body((), kind="static", name="post")
    names = []
    for k in range(3):
        body = world.add_body(Cylinder(0.2, 0.1), position=(k, 0, 0), name=f"wheel {k}")
        names.append(world.add_joint(Hinge((k, 0, 0), (0, 0, 1)), post, body, name=f"axle {k}").name)
    world.add_joint(Gear("axle 0", "axle 1", -1.0), name="a")
    world.add_joint(Gear("axle 1", "axle 2", -1.0), name="b")
    world.step(2)
    world.remove_joint(world.joint("axle 0"))
    assert [joint.name for joint in world.joints] == ["axle 1", "axle 2", "b"]
    world.step(2)
    saved = world.save()
    world.remove_body(world.body("wheel 1"))
    assert [joint.name for joint in world.joints] == ["axle 2"]
    world.step(2)
    world.restore(saved)
    assert [joint.name for joint in world.joints] == ["axle 1", "axle 2", "b"]
    with pytest.raises(ValueError, match="body 'post' carries what joint 'b' couples"):
        world.body("post").kind = "dynamic"
    world.remove_body(world.body("wheel 0"))
    world.step(2)
    assert world.joint("b").second.name == "wheel 2"
    world.remove_body(post)
    assert world.joints == []
    world.step(2)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda w, a, b: Gear(a, b, 0.0), ValueError, "Gear: ratio = 0.0"),
        (lambda w, a, b: Gear(a, b, np.nan), ValueError, "ratio"),
        (lambda w, a, b: Gear(a, b, "two"), TypeError, "ratio"),
        (lambda w, a, b: Gear(3, b, 1.0), TypeError, "joint_1 = 3"),
        (lambda w, a, b: Gear("nothing", b, 1.0), ValueError, "joint_1 = 'nothing'"),
        (lambda w, a, b: Gear(a, a, 1.0), ValueError, "same coordinate"),
        (lambda w, a, b: Rack(a, b, 1.0), ValueError, "coordinate_2 = 'angle'"),
        (lambda w, a, b: Gear(a, b, 1.0, offset=np.inf), ValueError, "offset"),
        (lambda w, a, b: Gear(a, b, 1.0, coordinate_1="twist"), ValueError, "twist"),
        (lambda w, a, b: Gear(a, b, 1.0, coordinate_1=2), TypeError, "coordinate_1 = 2"),
        (lambda w, a, b: Screw((0, 0, 0), (0, 0, 1)), ValueError, "pitch"),
        (lambda w, a, b: Screw((0, 0, 0), (0, 0, 1), pitch=np.inf), ValueError, "pitch"),
    ],
)
def test_bad_couplings_are_refused(make, error, words):
    """Raise at once, name the argument, and add nothing."""
    world = World()
    _, a = wheel(world, 0, 0.1)
    _, b = wheel(world, 1, 0.1)
    with pytest.raises(error, match=words):
        world.add_joint(make(world, a, b), *(() if "pitch" not in words else (None, world.bodies[0])))
    assert len(world.joints) == 2
    world.step(2)


# ------------------------------------------------------------------ wheels on a carrier that reacts


def gearbox(ratio, h=0.01, solver="direct", held=True):
    """Two wheels about z on a carrier that turns about z in the middle between them, or is free."""
    world = World(gravity=(0, 0, 0), time_step=h, settings=Settings(solver=solver, sweeps=100))
    box = world.add_body((), mass_properties=from_values(mass=2.0, inertia=(1, 1, 0.5)), name="box")
    hinges = []
    for k, (x, inertia) in enumerate(((-0.4, 0.03), (0.6, 0.08))):
        properties = from_values(mass=1.0, inertia=(inertia, inertia, inertia))
        body = world.add_body((), position=(x, 0, 0), mass_properties=properties, name=f"wheel {k}")
        # either of both may be the first body of its joint
        pair, sign = ((box, body), 1) if k == 0 else ((body, box), -1)
        hinges.append(world.add_joint(Hinge((x, 0, 0), (0, 0, sign)), *pair))
    if held:
        world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, box, name="axle")
    gear = world.add_joint(Gear(*hinges, ratio))
    return world, box, hinges, gear


@BOTH
@pytest.mark.parametrize("ratio", [-2.0, -1.0, -0.3, 0.4, 3.0])
def test_gearbox_on_an_axle_by_its_equations(solver, ratio):
    """Accelerate carrier and wheels as Lagrange says, for a torque on the first wheel."""
    h = 0.005
    world, box, (one, two), gear = gearbox(ratio, h, solver)
    world.torques[1] = (0, 0, 0.7)
    i1, i2, total = 0.03, 0.08, 0.5 + 0.4**2 + 0.6**2 + 0.03 + 0.08
    matrix = [[total, i1 + ratio * i2], [i1 + ratio * i2, i1 + ratio**2 * i2]]
    carrier, wheel_1 = np.linalg.solve(matrix, [0.7, 0.7])
    world.step(40)
    time = 40 * h
    assert box.angular_velocity[2] == pytest.approx(carrier * time, rel=2e-3)
    assert one.rate == pytest.approx(wheel_1 * time, rel=2e-3)
    assert two.rate == pytest.approx(ratio * wheel_1 * time, rel=2e-3)
    assert two.value == pytest.approx(ratio * one.value, abs=2e-6)
    # about its axle the second wheel gets what turns it in the world
    assert gear.torque[2] == pytest.approx(i2 * (carrier + ratio * wheel_1), rel=5e-3)


@BOTH
@pytest.mark.parametrize("ratio", [-1.5, 0.5])
def test_free_gearbox_keeps_momenta_and_energy(solver, ratio):
    """Spin a gearbox in space: momenta and energy stay, the ratio holds over many turns."""
    world, box, (one, two), _ = gearbox(ratio, solver=solver, held=False)
    spin = 8.0
    world.body("wheel 0").angular_velocity = (0, 0, spin)
    world.body("wheel 1").angular_velocity = (0, 0, ratio * spin)
    world.step(1)

    def momenta():
        linear = sum(body.mass * body.velocity for body in world.bodies)
        angular = sum(
            body.mass * np.cross(body.position, body.velocity) + body.inertia * body.angular_velocity
            for body in world.bodies
        )
        return np.concatenate([linear, angular[2:]])

    before, energy = momenta(), world.report.energy
    world.step(800)
    assert np.abs(momenta() - before).max() < 1e-9
    assert world.report.energy == pytest.approx(energy, rel=1e-3 if solver == "direct" else 1e-2)
    assert abs(one.value) > 12 * np.pi
    assert two.value == pytest.approx(ratio * one.value, abs=2e-5)


def test_bevels_worms_and_racks_on_a_carrier():
    """Mesh across: bevel and skew axes, a rack on the carrier that carries its pinion; momentum stays."""
    for second_axis, place in (((1, 0, 0), (0, 0, 0)), ((0.3, 1, 0.2), (0.4, 0.1, -0.3))):
        world = World(gravity=(0, 0, 0))
        box = world.add_body(Box((1, 1, 1)), mass=20.0)
        first = world.add_body(Sphere(0.1), mass=1.0, angular_velocity=(0, 0, 3.0))
        second = world.add_body(Sphere(0.2), mass=2.0, position=place)
        one = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), box, first)
        two = world.add_joint(Hinge(place, second_axis), box, second)
        world.exclude_collision(first, second)
        gear = world.add_joint(Gear(one, two, 0.25))
        world.step(200)
        assert one.rate > 0.5 and two.rate == pytest.approx(0.25 * one.rate, abs=1e-6)
        assert two.value == pytest.approx(0.25 * one.value, abs=2e-6) and gear.angle_error < 2e-6
        assert np.abs(sum(body.mass * body.velocity for body in world.bodies)).max() < 1e-9
    world = World(gravity=(0, 0, 0))
    cart = world.add_body(Box((1, 1, 0.2)), mass=3.0)
    pinion = world.add_body(Cylinder(0.1, 0.1), mass=1.0, position=(0, 0.2, 0.3))
    pinion.angular_velocity = (0, 0, 5.0)
    rack = world.add_body(Box((1, 0.05, 0.05)), mass=0.5, position=(0, 0.1, 0.3))
    axle = world.add_joint(Hinge((0, 0.2, 0.3), (0, 0, 1)), cart, pinion)
    slide = world.add_joint(Slider((0, 0.1, 0.3), (1, 0, 0)), cart, rack)
    world.exclude_collision(pinion, rack)
    teeth = world.add_joint(Rack(axle, slide, 0.1))
    world.step(50)
    assert slide.rate == pytest.approx(0.1 * axle.rate, abs=1e-6) and slide.rate > 0.01
    assert np.abs(sum(body.mass * body.velocity for body in world.bodies)).max() < 1e-9
    assert teeth.error < 2e-6
    saved = world.save()
    world.step(20)
    other = World()
    other.restore(saved)
    other.step(20)
    assert other.state_hash() == world.state_hash()
    cart.kind = "static"
    world.step(5)
    cart.kind = "dynamic"
    world.step(5)


def test_wheels_that_no_tooth_couples_turn_by_torques():
    """Couple wheels on one axis, and equal ones that turn alike, on a carrier that reacts."""
    world = World()
    base = world.add_body(Box((1, 1, 1)), name="base")
    for k in range(2):
        body = world.add_body(Sphere(0.1), position=(2 * k, 0, 0), name=f"wheel {k}")
        world.add_joint(Hinge((2 * k, 0, 0), Y), base, body, name=f"axle {k}")
    alike = world.add_joint(Gear("axle 0", "axle 1", 1.0))
    last = world.add_body(Sphere(0.1), position=(2, 1, 0), name="wheel 2")
    world.add_joint(Hinge((2, 1, 0), Y), base, last, name="axle 2")
    opposed = world.add_joint(Gear("axle 1", "axle 2", -2.0))
    with pytest.raises(ValueError, match="leave first and second out"):
        world.add_joint(Gear("axle 0", "axle 1", -1.0), base, world.body("wheel 0"))
    world.body("wheel 0").angular_velocity = (0, 3.0, 0)
    world.step(50)
    rates = [world.joint(f"axle {k}").rate for k in range(3)]
    assert rates[0] > 0.4 and rates[1] == pytest.approx(rates[0], abs=1e-6)
    assert rates[2] == pytest.approx(-2.0 * rates[0], abs=1e-6)
    assert alike.error < 2e-6 and opposed.error < 2e-6
