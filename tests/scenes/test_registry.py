"""Naming, describing and checking of scenes; nothing here loads the engine."""

import math
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoss.scenes import SCENES, find_scene, scene
from stoss.scenes.building.checks import check_count, check_range


def test_scenes_of_the_first_version_are_there():
    """List drop, stack, pyramid, wall, funnel, pile, incline, bounce and spin, before all others."""
    first = ["drop", "stack", "pyramid", "wall", "funnel", "pile", "incline", "bounce", "spin"]
    assert list(SCENES)[: len(first)] == first


@pytest.mark.parametrize("name", SCENES)
def test_scene_is_described(name):
    """Give every scene a summary on one line, a duration, a time step and a text for each parameter."""
    entry = SCENES[name]
    assert entry.summary.endswith(".") and "\n" not in entry.summary
    assert entry.duration > 0.0 and 1e-4 <= entry.time_step <= 0.01
    for parameter in entry.parameters:
        assert parameter.description.endswith("."), parameter
        assert isinstance(parameter.default, parameter.type)
        assert not parameter.choices or parameter.default in parameter.choices


def test_parameters_come_from_signature_and_docstring():
    """Read type, default, choices and the whole description of a parameter, over several lines."""
    parameters = {parameter.name: parameter for parameter in SCENES["funnel"].parameters}
    assert list(parameters) == ["bodies", "shapes", "seed"]
    assert parameters["shapes"].choices == ("cubes", "mixed", "thesis")
    assert parameters["bodies"].type is int and parameters["bodies"].default == 1000
    walls = {parameter.name: parameter for parameter in SCENES["bounce"].parameters}
    assert walls["highest"].description.endswith("those between are spaced evenly.")


@pytest.mark.parametrize(
    ("wrong", "meant"), [("stak", "stack"), ("funel", "funnel"), ("pyramide", "pyramid"), ("walls", "wall")]
)
def test_unknown_scene_names_the_closest(wrong, meant):
    """Suggest the scene that was probably meant."""
    with pytest.raises(ValueError, match=f"{wrong}.*did you mean {meant}"):
        find_scene(wrong)


def test_unknown_scene_without_a_close_one_says_what_lists_all():
    """Say what lists all scenes, without a suggestion, when no name is close."""
    with pytest.raises(ValueError) as caught:
        find_scene("zzz")
    assert "did you mean" not in str(caught.value)
    assert f"stoss list names all {len(SCENES)}" in str(caught.value)
    with pytest.raises(KeyError, match=r"no scene named 'stak' \(did you mean stack"):
        SCENES["stak"]


def test_unknown_parameter_is_named_with_the_closest():
    """Name the wrong parameter, the closest one and those that there are."""
    with pytest.raises(ValueError, match="stack has no parameter 'bodys'.*did you mean bodies"):
        SCENES["stack"].build(bodys=3)


def test_choice_is_checked():
    """Reject a value that is not among the choices, and list these."""
    with pytest.raises(ValueError, match="shapes = 'balls' is unknown; choose one of cubes, mixed, thesis"):
        SCENES["funnel"].build(shapes="balls")


def _good(*, bodies: int = 1, settings=None, time_step: float = 0.01):
    """Build.

    Args:
        bodies: number.
    """


def _without_time_step(*, settings=None):
    """Build."""


def _positional(bodies: int = 1, *, settings=None, time_step: float = 0.01):
    """Build.

    Args:
        bodies: number.
    """


def _without_default(*, bodies: int, settings=None, time_step: float = 0.01):
    """Build.

    Args:
        bodies: number.
    """


def _undescribed(*, bodies: int = 1, settings=None, time_step: float = 0.01):
    """Build."""


def _unreadable(*, sizes: Literal[1] = (1, 2), settings=None, time_step: float = 0.01):
    """Build.

    Args:
        sizes: lengths.
    """


@pytest.mark.parametrize(
    ("function", "complaint"),
    [
        (_without_time_step, "add the keyword parameter time_step"),
        (_positional, "make bodies keyword-only"),
        (_without_default, "make bodies keyword-only with a default"),
        (_undescribed, "describe bodies"),
        (_unreadable, "sizes is of type tuple"),
    ],
)
def test_unfit_scene_functions_are_refused(function, complaint):
    """Refuse, when it is registered, a function that the command line could not offer."""
    before = dict(SCENES)
    with pytest.raises(TypeError, match=complaint):
        scene("unfit", "Unfit.", duration=1.0, body_count=1)(function)
    assert before == SCENES


def test_scene_names_are_unique():
    """Refuse a name that is taken."""
    with pytest.raises(ValueError, match="'stack' is taken by stoss.scenes.stacks.stack"):
        scene("stack", "Another.", duration=1.0, body_count=1)(_good)


def test_listing_scenes_does_not_load_the_engine():
    """Import `scenes` without numba, trimesh or the engine, so that lists and help come at once."""
    code = (
        "import stoss.command_line.main, sys; print({'numba', 'trimesh', 'stoss.engine'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == "set()"


@given(st.floats(), st.floats(0, 10), st.floats(10, 20))
def test_range_check_accepts_exactly_the_range(value, lowest, highest):
    """Accept finite numbers within the bounds and raise ValueError naming the parameter for all others."""
    if math.isfinite(value) and lowest <= value <= highest:
        check_range("speed", value, lowest, highest)
    else:
        with pytest.raises(ValueError, match="speed is"):
            check_range("speed", value, lowest, highest)


@given(st.integers(-1000, 1000), st.integers(-5, 5))
def test_count_check_accepts_exactly_large_enough_numbers(value, lowest):
    """Accept whole numbers from `lowest` on."""
    if value >= lowest:
        check_count("bodies", value, lowest)
    else:
        with pytest.raises(ValueError, match=f"bodies is {value}; give a whole number of at least {lowest}"):
            check_count("bodies", value, lowest)


@pytest.mark.parametrize("value", [True, 2.0, "2", None])
def test_count_check_refuses_other_types(value):
    """Raise TypeError for anything but an int."""
    with pytest.raises(TypeError, match="bodies is"):
        check_count("bodies", value)


@pytest.mark.parametrize("value", [True, "2", None])
def test_range_check_refuses_other_types(value):
    """Raise TypeError for anything but a number."""
    with pytest.raises(TypeError, match="speed is"):
        check_range("speed", value, 0.0)
