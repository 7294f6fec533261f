"""Impacts by Gauss-Seidel sweeps, with the default number of them: resolved until they are right."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import Material, Settings, World


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 0.5, 1), (0.8, 0.8, 0.8)])
@pytest.mark.parametrize("law", ["poisson", "newton"])
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_flat_elastic_bounces(size, law, friction):
    """Bounce flat on four corners for ever, without spin and with the energy kept."""
    world = World(settings=Settings(solver="gauss_seidel", impact_law=law))
    material = Material(restitution=1.0, friction=friction)
    world.add_body(HalfSpace(), kind="static", material=material)
    box = world.add_body(Box(size), mass=2.0, position=(0, 0, 0.5 * size[2] + 0.7), material=material)
    start = world.report.energy
    for _ in range(300):
        world.step()
        assert np.linalg.norm(box.angular_velocity) < 1e-5
        assert np.linalg.norm(box.velocity[:2]) < 1e-5
    assert world.report.energy == pytest.approx(start, rel=1e-4)
