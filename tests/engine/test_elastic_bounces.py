"""Elastic bodies that tumble keep their energy from bounce to bounce, however far a step takes them."""

import pytest

import stoss
from stoss.benchmarks.worlds import Watch
from stoss.engine import Material, Settings, World

SHAPES = {
    "box": stoss.Box((0.1, 0.3, 0.25)),
    "cylinder": stoss.Cylinder(0.07, 0.3),
    "capsule": stoss.Capsule(0.05, 0.2),
    "ellipsoid": stoss.Ellipsoid((0.15, 0.1, 0.08)),
}
TILTED = (0.8, 0.4, 0.4, 0.2)
# Share of the energy that steps of this length [s] may give or take: what turns within a step is no parabola.
SHARE = {0.005: 0.005, 0.01: 0.01}
GRAVITY = 9.81


def _certified(watch: Watch) -> float:
    """Return the energy that may be given: half a per cent of the motion, and the fall of a step."""
    world = watch.world
    mass = sum(body.mass for body in world.bodies if body.kind == "dynamic")
    return 0.0055 * watch.scale + 0.5 * mass * (GRAVITY * world.time_step) ** 2


def _floor(time_step: float, restitution: float, solver: str) -> tuple[World, Material]:
    world = World(time_step=time_step, settings=Settings(solver=solver))
    material = Material(restitution=restitution, friction=0.0)
    world.add_body(stoss.HalfSpace(), kind="static", material=material)
    return world, material


@pytest.mark.parametrize("time_step", [0.005, 0.01, 0.033])
@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
@pytest.mark.parametrize("shape", SHAPES)
def test_elastic_bodies_that_tumble_on_the_floor(shape, solver, time_step):
    """Bounce for 3 s without friction: gain nothing, and at usual steps lose nothing either."""
    world, material = _floor(time_step, 1.0, solver)
    spin = (1.0, 2.0, -1.0)
    world.add_body(
        SHAPES[shape],
        mass=1.0,
        position=(0.0, 0.0, 1.0),
        quaternion=TILTED,
        angular_velocity=spin,
        material=material,
    )
    start = world.report.kinetic_energy + world.report.potential_energy
    watch = Watch(world)
    world.step(round(3.0 / time_step))
    assert watch.gain <= _certified(watch)
    if time_step in SHARE:
        end = world.report.kinetic_energy + world.report.potential_energy
        assert end == pytest.approx(start, rel=SHARE[time_step])


@pytest.mark.parametrize("restitution", [1.0, 0.7])
@pytest.mark.parametrize("time_step", [0.01, 0.033])
@pytest.mark.parametrize("shape", SHAPES)
def test_elastic_bodies_that_fall_on_each_other(shape, time_step, restitution):
    """Gain nothing in a column of four: what lies on what stands is lifted, too."""
    world, material = _floor(time_step, restitution, "auto")
    for k in range(4):
        place = (0.02 * k, 0.01 * k * k, 0.3 + 0.45 * k)
        world.add_body(SHAPES[shape], mass=1.0 + k, position=place, quaternion=TILTED, material=material)
    watch = Watch(world)
    world.step(round(2.5 / time_step))
    assert watch.gain <= _certified(watch)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("time_step", [0.005, 0.033])
def test_elastic_bodies_that_meet_in_flight(shape, time_step):
    """Keep the energy where nobody is lifted: of two that fall together, one rises as the other sinks."""
    world = World(time_step=time_step)
    material = Material(restitution=1.0, friction=0.0)
    below = world.add_body(SHAPES[shape], mass=1.0, angular_velocity=(5.0, 3.0, 1.0), material=material)
    world.add_body(
        SHAPES[shape],
        mass=3.0,
        position=(0.02, 0.0, 1.0),
        velocity=(0.0, 0.0, -3.0),
        angular_velocity=(1.0, 3.0, 5.0),
        material=material,
    )
    start = world.report.kinetic_energy + world.report.potential_energy
    world.step(round(0.6 / time_step))
    assert below.velocity[2] < -0.6 * 9.81 - 0.5  # it was hit
    end = world.report.kinetic_energy + world.report.potential_energy
    assert end == pytest.approx(start, abs=1e-4 * world.report.kinetic_energy)
