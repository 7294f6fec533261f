"""Impacts by Gauss-Seidel sweeps, with the default number of them: resolved until they are right."""

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import Material, Settings, World


@pytest.mark.parametrize("size", [(1, 1, 1), (2, 0.5, 1), (0.3, 0.3, 0.1)])
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


def test_two_boxes_that_hit_with_a_face():
    """Exchange the velocities of equal boxes that hit flat, and no spin."""
    world = World(gravity=(0, 0, 0), settings=Settings(solver="gauss_seidel"))
    material = Material(
        restitution=1.0, friction=0.0
    )  # with friction, the shares of the points are not unique
    a = world.add_body(Box((1, 2, 0.4)), mass=1.0, velocity=(3, 0, 0), material=material)
    b = world.add_body(Box((1, 2, 0.4)), mass=1.0, position=(1.1, 0.3, 0.1), material=material)
    # eccentric: the direct solver says where they go
    other = World(gravity=(0, 0, 0), settings=Settings(solver="direct"))
    c = other.add_body(Box((1, 2, 0.4)), mass=1.0, velocity=(3, 0, 0), material=material)
    d = other.add_body(Box((1, 2, 0.4)), mass=1.0, position=(1.1, 0.3, 0.1), material=material)
    world.step(20), other.step(20)
    for mine, theirs in ((a, c), (b, d)):
        assert mine.velocity == pytest.approx(theirs.velocity, abs=1e-5)
        assert mine.angular_velocity == pytest.approx(theirs.angular_velocity, abs=1e-5)
