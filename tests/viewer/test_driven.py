"""A world that somebody else's loop steps: seen, reached into and taken back like a simulation."""

import numpy as np
import pytest

from stoss.viewer.world.commands import Grab, MovePointer, Release, SetMass
from stoss.viewer.world.driven import Driven
from tests.viewer.falling_box import falling_box


def steps(driven: Driven, count: int) -> None:
    for _ in range(count):
        driven.stage.world.step()
        driven.note()
        driven.turn()


def test_it_shows_the_world_after_each_step_and_what_commands_do_to_it():
    world = falling_box()
    driven = Driven(world)
    assert driven.view.frame.step == 0
    driven.post(SetMass("box", 3.0), SetMass("nobody", 1.0))
    steps(driven, 3)
    assert driven.view.frame.step == 3
    assert world.body("box").mass == 3.0
    assert driven.log == [(1, SetMass("box", 3.0))]
    assert "set_mass: there is no body 'nobody'" in driven.notices[0]


@pytest.mark.parametrize("each", [1, 5])
def test_a_pull_acts_in_each_step_of_the_loop_and_leaves_nothing_behind(each):
    """Bring the box to where the mouse is, however many steps are made between two pictures."""
    world = falling_box()
    driven = Driven(world)
    driven.post(Grab("box", (0.0, 0.0, 5.0)))
    steps(driven, 1)
    driven.post(MovePointer((0.5, 0.0, 5.0)))
    for _ in range(300 // each):
        world.step(each)
        driven.note()
        driven.turn()
    assert world.body("box").position == pytest.approx((0.5, 0.0, 5.0), abs=0.02)
    assert driven.view.pull is not None and len(world.before_step) == 1
    driven.post(Release())
    driven.turn()
    assert world.before_step == [] and [body.name for body in world.bodies] == ["box"]
    assert list(world.joints) == []


def test_closing_lets_go_of_what_is_pulled():
    world = falling_box()
    driven = Driven(world)
    driven.post(Grab("box", (0.0, 0.0, 5.0)))
    steps(driven, 2)
    driven.close()
    assert world.before_step == [] and [body.name for body in world.bodies] == ["box"]


@pytest.mark.parametrize("held_then", [False, True])
def test_a_program_may_go_back_by_itself_while_the_mouse_pulls(held_then):
    """End the pull, also where the state to which the program returns is one with a pull."""
    world = falling_box()
    driven = Driven(world)
    beginning = world.save()
    driven.post(Grab("box", (0.0, 0.0, 5.0)))
    steps(driven, 5)
    if held_then:
        beginning = world.save()
        steps(driven, 3)
        driven.post(Release())
    steps(driven, 2)
    world.restore(beginning)
    steps(driven, 2)
    driven.post(MovePointer((1.0, 0.0, 5.0)), Release())
    steps(driven, 1)
    assert [body.name for body in world.bodies] == ["box"]
    assert world.before_step == []


def test_a_copy_of_the_world_is_not_pulled():
    world = falling_box()
    driven = Driven(world)
    driven.post(Grab("box", (0.0, 0.0, 5.0)))
    steps(driven, 1)
    other = world.copy()
    for _ in range(20):
        other.step()
    assert world.step_count == 1
    steps(driven, 1)


def test_going_back_keeps_the_later_states_until_the_loop_goes_on():
    world = falling_box()
    driven = Driven(world, paused=True)
    heights = [5.0]
    for _ in range(20):
        steps(driven, 1)
        heights.append(float(world.body("box").position[2]))
    for _ in range(3):
        driven.step_back()
    driven.turn()
    assert world.step_count == 17
    driven.go_to(4)
    driven.turn()
    assert (driven.view.frame.step, driven.view.past) == (4, (0, 20))
    driven.go_to(12)
    driven.turn()
    assert world.body("box").position[2] == heights[12]
    driven.pause(False)
    steps(driven, 1)
    assert driven.view.past == (0, 13) and world.body("box").position[2] == heights[13]
    driven.reset()
    driven.turn()
    assert world.step_count == 0


def test_the_loop_waits_while_it_is_paused_and_goes_on_by_single_steps():
    driven = Driven(falling_box(), paused=True)
    assert not driven.is_due() and driven.rest == np.inf
    driven.step(2)
    assert [driven.is_due() for _ in range(3)] == [True, True, False]
    driven.pause(False)
    driven.speed = np.inf
    assert driven.is_due() and driven.is_due()


def test_speed_must_be_above_zero():
    with pytest.raises(ValueError, match="speed = 0"):
        Driven(falling_box()).speed = 0.0
