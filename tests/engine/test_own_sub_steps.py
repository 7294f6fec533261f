"""Fast mechanisms of many joints have sub-steps whose lengths are chosen anew within the step."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Ball, World
from stoss.engine.stages.at_once import MadeAhead
from stoss.engine.stages.contact_free import DONE, make_contact_free
from stoss.engine.stages.pace import MOST_HELD, MOST_JOINTS, NOT_FOLLOWED, RATE
from stoss.engine.stages.splitting import SPLITS, room_for

LINK, LINKS = 0.2, MOST_JOINTS + 2


def whip(turns: float = 80.0) -> World:
    """Return a level chain that hangs at one end, its free end turning, and a ball that falls beside it."""
    world = World()
    last = None
    for k in range(LINKS):
        link = world.add_body(
            Box((LINK, 0.05, 0.05)), position=((k + 0.5) * LINK, 0, 0), mass=1.0, mask=0, name=f"link {k}"
        )
        world.add_joint(Ball((k * LINK, 0, 0)), last, link)
        last = link
    last.angular_velocity = (0.0, turns, 3.0)
    last.velocity = np.cross((0.0, turns, 3.0), (0.5 * LINK, 0, 0))
    world.add_body(Sphere(0.1), position=(0, 50, 0), mass=1.0, mask=0, name="ball")
    return world


def run(world: World, steps: int, every: int = 1) -> list[tuple[object, ...]]:
    """Return what a world tells after each step."""
    told = []
    for _ in range(0, steps, every):
        report = world.step(every)
        figures = report.sub_steps, report.passes, report.refinements, report.factorisations
        told.append((world.state_hash(), world.time, str(world.ledger), report.energy, *figures))
    return told


def test_sub_steps_add_up_to_the_step():
    """Let a ball in the same world fall as exactly as it does alone, whatever the lengths are."""
    world, numbers = whip(), set()
    for _ in range(40):
        numbers.add(world.step().sub_steps)
    assert len(numbers) > 3 and max(numbers) > MOST_HELD
    fallen = 0.5 * 9.81 * world.time**2
    assert world.body("ball").position[2] == pytest.approx(-fallen, abs=1e-13)
    assert world.body("ball").velocity[2] == pytest.approx(-9.81 * world.time, abs=1e-13)


def test_what_closes_loops_has_equal_ones():
    """Keep equal lengths where there are more joints than bodies: chosen anew they lost energy in nets."""
    rates = []
    for loops in (0, 3):
        world = whip()
        for k in range(1, loops + 1):
            world.add_joint(Ball((k * LINK, 0, 0)), world.body(f"link {k - 1}"), world.body(f"link {k}"))
        assert max(world.step().sub_steps for _ in range(3)) > MOST_HELD
        rates.append(float(world._stepper.state.pace_numbers[RATE]))
    assert rates[0] > 0.0 and rates[1] == NOT_FOLLOWED


def test_lengths_follow_the_motion_and_sum_to_what_was_left():
    """Choose other lengths than equal ones, and leave the last sub-step with what is left of the step."""
    world = whip()
    world.step(3)
    stages, h = world._stepper, world.time_step
    stages.begin(world.step_count, world.time, h, world.gravity.copy(), {})
    pace, options = stages.state.pace_numbers, stages.options(composed=False, step=h)
    assert pace[RATE] > 0.0
    lengths = room_for(stages.state.settings.most_sub_steps, 9 * [h / 9])
    assert len(lengths) == stages.state.settings.most_sub_steps + SPLITS
    made, system = [], stages.system.system
    before = float(stages.system.step_length[0])
    count, end = make_contact_free(
        *(system, options, lengths, 9, stages.state.gravity, pace, stages.state.statistics)
    )
    assert (count, end) == (1, DONE)
    made.append(float(stages.system.step_length[0]))
    assert 0.0 < lengths[0] < 0.5 * h and lengths[0] != h / 9 and made[0] != before


@pytest.mark.parametrize("beside", ["nothing", "floor"])
def test_the_kernel_and_python_choose_the_same(beside, monkeypatch):
    """Reach the same bits and reports in single steps, in many at once, and where Python makes the stages."""

    def build() -> World:
        world = whip()
        if beside == "floor":
            world.add_body(HalfSpace(), position=(0, 0, -3.0), kind="static")
        return world

    planned = run(build(), 24)
    assert max(figures[4] for figures in planned) > MOST_HELD
    assert run(build(), 24, every=4) == planned[3::4]
    monkeypatch.setattr(MadeAhead, "prepare", lambda self, before: None)
    assert run(build(), 24) == planned


def test_a_saved_whip_goes_on_bit_for_bit(tmp_path):
    """Go on equally from a snapshot, a copy and a file: the trend of the motion is part of the state."""
    world = whip()
    world.step(3)
    assert world.report.sub_steps > MOST_HELD
    state, copy = world.save(), world.copy()
    state.write(tmp_path / "whip.npz")
    twin, third = World(), World()
    twin.restore(state)
    third.restore(type(state).read(tmp_path / "whip.npz"))
    wanted = run(world, 12)
    assert run(twin, 12) == run(copy, 12) == run(third, 12) == wanted


def test_a_whip_keeps_its_energy_and_goes_back():
    """Change the energy by less than half a per cent of the motion, and return when velocities are reversed.

    Lengths that follow the rate at the start of a sub-step alone would differ on the way back.
    """
    world = whip()
    start, places = world.report.energy, world.positions.copy()
    motion = world.report.kinetic_energy
    worst = 0.0
    for _ in range(15):
        worst = max(worst, abs(world.step().energy - start))
    assert worst < 0.005 * motion
    for body in world.bodies:
        body.velocity, body.angular_velocity = -body.velocity, -body.angular_velocity
    world.step(15)
    assert np.abs(world.positions - places).max() < 1e-3


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8)])
def test_a_plane_far_below_changes_nothing(normal):
    """Move a whip bit by bit as without a plane, which is as far as its surface."""
    world, twin = whip(), whip()
    world.add_body(HalfSpace(normal), position=-12.0 * np.array(normal), kind="static")
    for _ in range(20):
        assert world.step().sub_steps == twin.step().sub_steps
    count = LINKS + 1
    assert world.positions[:count].tobytes() == twin.positions.tobytes()
    assert world.velocities[:count].tobytes() == twin.velocities.tobytes()
