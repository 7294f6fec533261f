"""The scene of Krieg's arm is his model: it moves as the file does, and as the table says."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st

FILE = Path(__file__).parents[2] / "examples" / "models" / "arm_with_drill.toml"
JOINTS = ("shoulder", "elbow", "wrist")


def angles(world, begin):
    return np.degrees([world.joint(name).value - value for name, value in zip(JOINTS, begin, strict=True)])


def test_the_scene_moves_as_the_model():
    """Stand in the plane "xz" as the model does in "xy", joints alike."""
    scene, model = st.SCENES["arm_with_drill"].build(), st.Model.load(FILE).build()
    begin = [[world.joint(name).value for name in JOINTS] for world in (scene, model)]
    assert len(scene.bodies) == 9 and scene.planar == "xz"
    for world in (scene, model):
        world.step(200)
    np.testing.assert_allclose(angles(scene, begin[0]), angles(model, begin[1]), atol=1e-4)
    np.testing.assert_allclose(
        scene.body("hand").position[[0, 2]], model.body("hand").position[:2], atol=1e-6
    )
    np.testing.assert_allclose(angles(scene, begin[0]), (-0.4560, 12.9915, 2.5320), atol=1e-3)  # table 3.8


@pytest.mark.parametrize(
    ("values", "time", "wanted"),
    [
        ({"run": "R4"}, 0.1, (-1.3960, 7.3263, 1.6069)),
        ({"run": "R2", "unit": "degrees"}, 0.05, (-0.5029, 2.2794, 0.5032)),
        ({"run": "R6", "unit": "degrees"}, 0.01, (-0.0206, 0.0895, 0.0219)),
    ],
)
def test_runs_are_those_of_the_table(values, time, wanted):
    """Have the angles of table 3.8 in other runs and in degrees."""
    world = st.SCENES["arm_with_drill"].build(**values, time_step=5e-4)
    begin = [world.joint(name).value for name in JOINTS]
    world.step(round(time / 5e-4))
    np.testing.assert_allclose(angles(world, begin), wanted, atol=2e-3)


def test_the_drill_hammers():
    """Push with nothing at first, and twice the mean force at its peak."""
    world = st.SCENES["arm_with_drill"].build(drill="hammer", servo="explicit")
    world.step()
    assert abs(world.load("grip").force[0]) < 1.0
    world.step(49)
    assert world.load("grip").force[0] == pytest.approx(-300.0, abs=0.1)
