"""Rotors: inertia that goes with one coordinate of a joint, against closed forms."""

import copy

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stoss.collision import Box, HalfSpace
from stoss.engine import Body, Hinge, Joint, Material, Settings, Slider, World
from stoss.engine.articulated import Articulation
from stoss.engine.model import Model
from stoss.engine.reference import ReferenceSolver

G = 9.81
ROD = 1.01 / 12.0  # [kg m^2] of the rod of `pendulum` about its centre


def pendulum(inertia: float, time_step: float = 0.01, angle: float = 0.5, **settings) -> tuple[World, Joint]:
    """Return a rod of 1 kg and 1 m that hangs by its end at `angle` [rad], with a rotor [kg m^2]."""
    world = World(time_step=time_step, settings=Settings(**settings))
    place = (0.5 * np.sin(angle), 0.0, -0.5 * np.cos(angle))
    turn = (np.cos(0.5 * angle), 0.0, -np.sin(0.5 * angle), 0.0)
    rod = world.add_body(Box((0.1, 0.1, 1.0)), mass=1.0, position=place, quaternion=turn, mask=0)
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, rod)
    joint.rotor(inertia)
    return world, joint


def swung(inertia: float, time: float) -> float:
    """Return by how much the rod has swung since the start, by its equation of motion [rad]."""
    whole = ROD + 0.25 + inertia

    def rates(_, y):
        return y[1], -0.5 * G * np.sin(y[0]) / whole

    return 0.5 - float(solve_ivp(rates, (0.0, time), (0.5, 0.0), rtol=1e-13, atol=1e-13).y[0, -1])


@pytest.mark.parametrize("inertia", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("solver", ["direct", "auto"])
def test_a_pendulum_swings_as_slowly_as_its_rotor_makes_it(inertia, solver):
    """Leave a quarter of the error at half the step, and keep the energy of rod and rotor together."""
    errors = []
    for h in (0.02, 0.01):
        world, joint = pendulum(inertia, h, solver=solver)
        start, worst = world.report.energy, 0.0
        for _ in range(round(2.0 / h)):
            report = world.step()
            worst = max(worst, abs(report.energy + joint.rotors[0].energy - start))
        errors.append(joint.value - swung(inertia, 2.0))
        assert worst < 3.0 * h * h / (1.0 + inertia)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)


@pytest.mark.parametrize("order", [4, 6])
def test_rotors_have_the_order_of_their_mechanism(order):
    errors = []
    for h in (0.04, 0.02):
        world, joint = pendulum(0.2, h, order=order)
        report = world.step(round(2.0 / h))
        assert report.order == order
        errors.append(joint.value - swung(0.2, 2.0))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.2)


@pytest.mark.parametrize("solver", ["direct", "auto", "gauss_seidel"])
def test_a_motor_turns_two_bodies_and_its_rotor(solver):
    """Speed up at torque (1/a + 1/b) / (1 + inertia (1/a + 1/b)), and keep both momenta of the bodies."""
    world = World(time_step=0.01, gravity=(0, 0, 0), settings=Settings(solver=solver))
    first = world.add_body(Box((1.0, 0.2, 0.3)), mass=1.0, mask=0)
    second = world.add_body(Box((0.3, 0.2, 0.6)), mass=2.0, position=(0, 1, 0), mask=0)
    joint = world.add_joint(Hinge((0, 0.5, 0), (0, 1, 0)), first, second)
    joint.rotor(0.5)
    joint.motor(100.0, max_force=0.3)
    report = world.step(100)
    ease = 12.0 / 1.09 + 12.0 / 0.9
    assert joint.rate == pytest.approx(0.3 * ease / (1.0 + 0.5 * ease), rel=1e-6)
    assert np.abs(report.momentum).max() < 1e-12
    assert np.abs(report.angular_momentum).max() < 1e-12


def sledge(inertia: float, restitution: float, **settings) -> tuple[World, Body, Joint]:
    """Return a cube of 1 kg on a vertical slider with a rotor [kg], 1 m above the ground."""
    world = World(time_step=0.005, settings=Settings(**settings))
    material = Material(restitution=restitution, friction=0.0)
    world.add_body(HalfSpace(), kind="static", material=material)
    cube = world.add_body(Box((1, 1, 1)), mass=1.0, position=(0, 0, 1.5), material=material)
    joint = world.add_joint(Slider((0, 0, 0), (0, 0, 1)), None, cube)
    joint.rotor(inertia)
    return world, cube, joint


@pytest.mark.parametrize("inertia", [0.2, 3.0])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
def test_a_rotor_falls_and_bounces_with_its_cube(inertia, restitution, law):
    """Hit the ground with the speed of a fall at g / (1 + inertia), and leave it with e times that."""
    world, cube, joint = sledge(inertia, restitution, impact_law=law)
    fall = np.sqrt(2.0 * G / (1.0 + inertia))
    world.step(int(2.0 / fall / world.time_step) - 1)
    assert cube.velocity[2] == pytest.approx(-fall, abs=2.0 * G * world.time_step)
    while cube.velocity[2] < -0.5 * fall:
        world.step()
    rate = cube.velocity[2]
    assert rate == pytest.approx(restitution * fall, abs=1e-6)
    world.step(1 + round(rate * (1.0 + inertia) / G / world.time_step))
    assert cube.position[2] - 0.5 == pytest.approx(restitution**2, abs=0.005)
    assert joint.rotors[0].energy < 1e-3


@pytest.mark.parametrize("solver", ["direct", "auto"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_a_stop_throws_bar_and_rotor_back(restitution, solver):
    world = World(gravity=(0, 0, 0), settings=Settings(solver=solver))
    bar = world.add_body(Box((1.0, 0.2, 0.1)), mass=1.0, angular_velocity=(0, 2, 0), mask=0)
    joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, bar)
    joint.rotor(2.0)
    joint.limit(-0.5, 0.5, restitution=restitution)
    world.step(40)
    assert joint.rate == pytest.approx(-2.0 * restitution, abs=1e-9)


def test_a_damper_on_a_rotor_keeps_order_two():
    """Damp a link of 2e-6 kg m^2 behind a rotor of 1e-3: the damper is stiff for the link alone."""
    errors = []
    for h in (0.004, 0.002):
        world = World(time_step=h, gravity=(0, 0, 0))
        link = world.add_body(Box((0.05, 0.02, 0.01)), mass=0.01, mask=0)
        joint = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), None, link)
        joint.rotor(1e-3)
        joint.servo(1.0, stiffness=1.0, damping=0.02)
        world.step(round(0.1 / h))
        whole = 1e-3 + 0.01 * 0.0026 / 12.0

        def rates(_, y, whole=whole):
            return y[1], (1.0 - y[0] - 0.02 * y[1]) / whole

        exact = solve_ivp(rates, (0.0, 0.1), (0.0, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
        errors.append(joint.value - exact)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.4)


def test_rotors_are_found_changed_removed_and_copied():
    world, joint = pendulum(0.5)
    rotor = joint.rotors[0]
    assert (rotor.inertia, rotor.coordinate) == (0.5, "angle")
    rotor.inertia = 2.0
    twin = copy.deepcopy(world)
    saved = world.save()
    for one in (world, twin):
        one.step(20)
    assert world.state_hash() == twin.state_hash()
    world.restore(saved)
    world.step(20)
    assert world.state_hash() == twin.state_hash()
    rotor.remove()
    assert joint.rotors == []
    with pytest.raises(ValueError, match=r"inertia = 0.*above zero"):
        joint.rotor(0.0)
    with pytest.raises(ValueError, match="inertia"):
        twin.joints[0].rotors[0].inertia = float("nan")


def test_four_methods_agree_on_what_rotors_do():
    """Accelerate a rod on a sledge, both with rotors: reduced, by multipliers, by its file, and in a step."""
    world = World(time_step=1e-4)
    sled = world.add_body(Box((1, 1, 0.2)), mass=3.0, velocity=(0.4, 0, 0), mask=0)
    rod = world.add_body(Box((1, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0), mask=0)
    rod.velocity, rod.angular_velocity = (0.4, 0, -0.5), (0, 1.0, 0)
    slider = world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, sled)
    hinge = world.add_joint(Hinge((0, 0, 0), (0, 1, 0)), sled, rod)
    slider.rotor(4.0)
    hinge.rotor(0.3)
    hinge.rotor(0.2)
    both = Articulation(world)
    assert both.mass_matrix()[0, 0] == pytest.approx(9.0, rel=1e-12)
    assert both.rates == pytest.approx([0.4, 1.0], rel=1e-12)
    reduced = both.forward_dynamics()
    linear, angular = ReferenceSolver(world).accelerations()
    assert reduced == pytest.approx([linear[0, 0], angular[1, 1]], rel=1e-9)
    again = Model.of(world)
    assert [one.inertia for joint in again.joints for one in joint.actions] == [4.0, 0.3, 0.2]
    assert Articulation(again.build()).forward_dynamics() == pytest.approx(reduced, rel=1e-12)
    world.step()
    assert np.array([slider.rate - 0.4, hinge.rate - 1.0]) / 1e-4 == pytest.approx(reduced, abs=1e-3)
    hinge.rotors[1].enabled = False
    assert both.mass_matrix()[1, 1] == pytest.approx(0.3 + 2.0 * 1.01 / 12.0 + 0.5, rel=1e-12)
