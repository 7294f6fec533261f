"""Searches that start inside all limits: heavy things that fall on piles of light ones, wedged piles.

Pyramids are mirror-symmetric and hold whatever lies on their tops, by vertical forces alone: each cube hands
its load on within the halves on which it stands. So what falls centred on one comes to rest where it lands.
"""

import numpy as np
import pytest

import stoss as st
from stoss.scenes.building.ground import world_on_ground
from stoss.scenes.registry import find_scene


def _land(steps, **parameters):
    """Let tops fall on pyramids; return how far they and the cubes are from their places, and the sweeps."""
    world = find_scene("mass_ratio_pyramids").build(**parameters)
    start = world.positions.copy()
    sweeps = sum(world.step().sweeps for _ in range(steps))
    tops = [world.body(f"top {k}").index for k in range(parameters["pyramids"])]
    cubes = [body.index for body in world.bodies if body.name.startswith("cube")]
    fall = [0.0, 0.0, parameters.get("drop", 2.0)]
    moved = np.abs(world.positions[tops] - start[tops] + fall).max()
    return moved, np.linalg.norm(world.positions[cubes] - start[cubes], axis=1).max(), sweeps


@pytest.mark.parametrize(
    ("steps", "parameters"),
    [
        (90, {"pyramids": 3, "rows": 10, "ratio": 100.0}),
        (90, {"pyramids": 2, "rows": 7, "ratio": 10.0}),
        (130, {"pyramids": 1, "rows": 10, "ratio": 30.0, "drop": 5.0}),
        (90, {"pyramids": 1, "rows": 12, "ratio": 200.0}),
        (90, {"pyramids": 1, "rows": 15, "ratio": 200.0}),
        (60, {"pyramids": 1, "rows": 9, "ratio": 100.0, "time_step": 1.0 / 60.0}),
        (160, {"pyramids": 1, "rows": 8, "ratio": 100.0, "time_step": 0.005}),
    ],
)
def test_heavy_tops_come_to_rest_where_they_land(steps, parameters):
    """Find impulses that hold all of it, and never sweep."""
    top, cube, sweeps = _land(steps, **parameters)
    assert sweeps == 0
    assert top < 1e-6
    assert cube < 1e-6


@pytest.mark.parametrize("rows", [3, 4, 5])
@pytest.mark.parametrize("spacing", [0.75, 0.85])
def test_wedged_cubes_come_to_rest(rows, spacing):
    """Push cubes apart that start inside each other and end side by side, and stand still."""
    world, material = world_on_ground(0.01, None, friction=0.5)
    for row in range(rows):
        for column in range(rows - row):
            x = (column - 0.5 * (rows - row - 1)) * spacing
            place = (x, 0.0, 0.5 + spacing * row)
            world.add_body(st.Box((1, 1, 1)), position=place, mass=1.0, material=material)
    world.step(300)
    assert np.abs(world.velocities).max() < 1e-6
    assert world.report.max_overlap < 1e-5
