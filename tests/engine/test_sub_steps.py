"""What is made again within a step, what a step that failed leaves behind, and reports that are read late."""

import numpy as np
import pytest

from stoss.collision import Box, Sphere
from stoss.engine import Settings, SimulationError, Slider, World
from stoss.engine.stages.checkpoint import restore, take_checkpoint
from tests.engine.joint_worlds import wheel
from tests.engine.worlds import tower


def test_what_follows_a_checkpoint_can_be_made_again():
    """Reach the same bits again from a checkpoint that holds the contacts."""
    world = tower(3)
    world.add_body(Sphere(0.5), position=(0.3, 0.1, 4.0), velocity=(1, 0, -5))
    world.step(20)
    stages, h = world._stepper, world.time_step
    stages.begin(world.step_count, world.time, h, world.gravity.copy(), {})
    options = stages.options(composed=False, step=h)
    checkpoint = take_checkpoint(stages.system)

    def make() -> str:
        correction = stages.correct(h, options)
        stages.move(h)
        stages.detect()
        stages.separate(h, closed=correction.closed)
        stages.settle(h, options)
        return world.state_hash() + str(stages.state.ledger.tolist())

    first = make()
    restore(stages.system, checkpoint)
    assert make() == first


def test_the_impulses_at_the_start_of_a_step_outlive_its_sub_steps():
    """Return to the impulses of the start after several solutions, each of which remembers its own."""
    world = tower(3)
    world.step(5)
    stages, h = world._stepper, 0.25 * world.time_step
    start = stages.begin(world.step_count, world.time, world.time_step, world.gravity.copy(), {})
    options = stages.options(composed=False, step=world.time_step)
    kept = [field.copy() for field in start.memory]
    assert kept[3].any()
    for _ in range(4):
        correction = stages.correct(h, options)
        stages.move(h)
        stages.detect()
        stages.separate(h, closed=correction.closed)
        stages.settle(h, options)
        assert stages.system.memory is not start.memory
    stages.roll_back(start, whole=True)
    for field, good in zip(stages.system.memory, kept, strict=True):
        assert (field == good).all()


def test_a_step_that_failed_undoes_its_controllers():
    """Go on from a failed step with the bits of a world that did not try it, controllers included."""
    joint, twin = wheel(0.1), wheel(0.1)
    for one in (joint, twin):
        one.pid(1.2, gain=8.0, reset_time=2.0, derivative_time=0.35, window=2.0)
        one.world.add_body(Sphere(0.5), position=(20, 0, 5), name="lone")
        one.world.step(20)
    world = joint.world
    lasting = world.forces.copy()
    world.body("lone").apply_force((1e300, 0, 0))
    with pytest.raises(SimulationError, match="'lone'"):
        world.step()
    assert np.array_equal(world.forces, lasting)
    assert world.state_hash() == twin.world.state_hash()
    world.step(20)
    twin.world.step(20)
    assert world.state_hash() == twin.world.state_hash()


def test_a_step_is_made_again_with_its_loads_when_it_meets_sleepers():
    """Wake what a pushed ball meets, in the step in which it does, and push the ball once."""
    settings = Settings(sleeping=True, sleep_time=0.05)
    world = tower(1, settings=settings)
    ball = world.add_body(Sphere(0.25), position=(2.0, 0, 3.0))
    while not world.bodies[1].asleep:
        ball.position, ball.velocity = (2.0, 0, 3.0), (0, 0, 0)
        world.step()
    ball.position, ball.velocity = (0.76, 0, 0.5), (0, 0, 0)
    mass = world.masses[ball.index]
    ball.apply_force((-mass * 100.0, 0, 0))
    report = world.step()
    assert report.asleep_count == 0 and report.contact_count > 0
    momentum = (world.masses[:, None] * world.velocities)[1:, 0].sum()
    friction = np.abs(world.contact_impulses[:, :2]).sum()
    assert momentum == pytest.approx(-mass, abs=friction)
    assert not world.forces.any()


def test_a_report_is_of_its_step_whenever_it_is_read():
    """Read the same of a report after more steps, and after changes by hand, as at once."""
    world, twin = tower(3), tower(3)
    for one in (world, twin):
        one.step(5)
    late, now = world.step(), repr(twin.step())
    world.velocities[:] = 3.0
    world.step(3)
    assert repr(late).split("stage_times")[0] == now.split("stage_times")[0]
    assert late.energy == late.kinetic_energy + late.potential_energy


@pytest.mark.parametrize(("lever", "mass", "h"), [(5e-5, 4.0, 0.002), (0.01, 4.0, 0.01), (0.3, 100.0, 0.01)])
@pytest.mark.parametrize("solver", ["direct", "auto"])
def test_a_light_carriage_between_sliders_asks_for_no_sub_steps(lever, mass, h, solver):
    """Carry a heavy body on two crossed sliders with a link of almost no mass between: nothing can swing."""
    world = World(time_step=h, settings=Settings(solver=solver))
    link = world.add_body(Box((0.1, 0.1, 0.1)), mass=1e-6, position=(0, 0, lever), mask=0)
    load = world.add_body(Box((0.2, 0.2, 0.2)), mass=mass, velocity=(0.5, 0.25, 0), mask=0)
    link.velocity = (0.5, 0, 0)
    world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, link)
    world.add_joint(Slider((0, 0, 0), (0, 1, 0)), link, load)
    for _ in range(50):
        report = world.step()
        assert report.sub_steps == 1
        assert max(report.joint_error, report.joint_angle_error) < 1e-9
    assert load.position == pytest.approx((25 * h, 12.5 * h, 0), abs=1e-9)
