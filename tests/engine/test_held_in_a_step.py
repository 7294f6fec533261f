"""Forces, gravity, stiffness, friction and bounds that are assigned hold in the whole of the next step."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import JointTorque, Material, Settings, Slider, TorqueActuator, World

RATE, TIME, G = 6.0, 0.6, 9.81
# of a force sin(RATE t) per mass: what comes of it
GAINED = (1 - np.cos(RATE * TIME)) / RATE
GONE = TIME / RATE - np.sin(RATE * TIME) / RATE**2
SOLVERS = pytest.mark.parametrize("solver", ["auto", "gauss_seidel"])


def wave(time):
    """Return what the force per mass is."""
    return np.sin(RATE * time)


def box_on_slider(world):
    """Return a box of 2 kg, and a slider on which it moves."""
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0)
    return body, world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, body)


def by_force(world):
    """Apply a force to the body in every step."""
    body, _ = box_on_slider(world)
    return body, lambda time: body.apply_force((2 * wave(time), 0, 0)), (GONE, GAINED)


def by_array(world):
    """Write into the forces of the world."""
    body, _ = box_on_slider(world)
    return body, lambda time: world.forces.__setitem__(0, (2 * wave(time), 0, 0)), (GONE, GAINED)


def by_gravity(world):
    """Assign gravity."""
    body, _ = box_on_slider(world)
    return body, lambda time: setattr(world, "gravity", (wave(time), 0, 0)), (GONE, GAINED)


def by_load(world):
    """Assign the amount of a load."""
    body, joint = box_on_slider(world)
    load = world.add_load(JointTorque(joint, 0.0))
    return body, lambda time: setattr(load, "amount", 2 * wave(time)), (GONE, GAINED)


def by_actuator(world):
    """Command a torque."""
    body, joint = box_on_slider(world)
    actuator = world.add_actuator(TorqueActuator(joint))
    return body, lambda time: setattr(actuator, "command", 2 * wave(time)), (GONE, GAINED)


def by_bound(world):
    """Assign the largest force of a motor that cannot do what it is to."""
    body, joint = box_on_slider(world)
    motor = joint.motor(1e3, max_force=0.0)
    reached = GONE + 0.5 * TIME**2, GAINED + TIME
    return body, lambda time: setattr(motor, "max_force", 2 + 2 * wave(time)), reached


def by_friction(world):
    """Assign the friction of what slides."""
    world.gravity = (0, 0, -G)
    world.add_body(HalfSpace(), kind="static", material=Material(friction=1.0))
    body = world.add_body(Box((1, 1, 0.2)), position=(0, 0, 0.1), velocity=(5, 0, 0), mass=2.0)

    def assign(time):
        body.material = Material(friction=(0.3 + 0.2 * wave(time)) ** 2)  # the geometric mean counts

    slid = 5 * TIME - G * (0.15 * TIME**2 + 0.2 * GONE), 5 - G * (0.3 * TIME + 0.2 * GAINED)
    return body, assign, slid


WAYS = [by_force, by_array, by_gravity, by_load, by_actuator, by_bound, by_friction]


@SOLVERS
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_values_for_the_middle_of_steps_are_of_order_two(way, solver):
    """Come to place and velocity of a closed form, if what is assigned is that of the middle of the step."""
    errors = []
    for step in (0.02, 0.01, 0.005):
        world = World(gravity=(0, 0, 0), time_step=step, settings=Settings(solver=solver))
        body, assign, exact = way(world)
        for k in range(round(TIME / step)):
            assign((k + 0.5) * step)
            world.step()
        errors.append(np.linalg.norm(np.array((body.position[0], body.velocity[0])) - exact))
    # the midpoint rule
    assert errors[0] < 2 * G * GAINED * (RATE * 0.02) ** 2 / 24
    assert [errors[0] / errors[1], errors[1] / errors[2]] == pytest.approx([4.0, 4.0], abs=0.3)


@SOLVERS
def test_stiffness(solver):
    """Swing in a spring whose stiffness is assigned, as its equation says, at order 2."""
    runs = []
    for step in (0.01, 0.005, 0.0025):
        world = World(gravity=(0, 0, 0), time_step=step, settings=Settings(solver=solver))
        _, joint = box_on_slider(world)
        spring = joint.spring(100.0, rest=0.3)
        for k in range(round(TIME / step)):
            spring.stiffness = 100 + 50 * wave((k + 0.5) * step)
            world.step()
        runs.append(np.array([joint.value, joint.rate]))
    ratio = np.linalg.norm(runs[0] - runs[1]) / np.linalg.norm(runs[1] - runs[2])
    assert ratio == pytest.approx(4.0, abs=0.2)


@SOLVERS
def test_contact_forces_follow_gravity_at_once(solver):
    """Press the floor with the weight of the step, exactly."""
    world = World(time_step=0.01, settings=Settings(solver=solver))
    world.add_body(HalfSpace(), kind="static")
    body = world.add_body(Box((1, 1, 1)), position=(0, 0, 0.5), mass=2.0)
    world.step(3)
    for k in range(60):
        weight = 2 * (G + 5 * wave(0.01 * k))
        world.gravity = (0, 0, -0.5 * weight)
        world.step()
        assert sum(contact.force_on(body)[2] for contact in body.contacts) == pytest.approx(weight, rel=1e-6)
