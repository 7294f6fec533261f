"""What tumbles into the ground by a corner that leaves again at the end of the step is put on it at once."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import Material, World

G = 9.81


@pytest.mark.parametrize("time_step", [0.01, 1.0 / 60.0])
@pytest.mark.parametrize("spin", [5.0, 10.0, 15.0, 20.0, 30.0])
def test_overlaps_of_a_step_are_removed_in_it(spin, time_step):
    """Leave a rod that falls and spins no deeper than contacts are seen ahead, and give it no energy."""
    world = World(time_step=time_step)
    material = Material(restitution=0.0)
    world.add_body(HalfSpace(), kind="static", material=material)
    rod = world.add_body(Box((1.2, 0.1, 0.1)), mass=2.0, position=(0, 0, 1.2), material=material)
    rod.velocity, rod.angular_velocity = (0.5, 0, -4.0), (0, spin, 0.3 * spin)
    least = np.inf
    for _ in range(round(2.0 / time_step)):
        report = world.step()
        assert report.max_overlap < 0.006
        least = min(least, report.energy)
        assert report.energy < least + 0.01 * 2.0 * G
