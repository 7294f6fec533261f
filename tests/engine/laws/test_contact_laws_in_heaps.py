"""Contact laws where much touches: what an impact leaves overlapping stores nothing, for nobody paid it."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.laws.comparison_contacts import HertzContact, SpringDashpotContact

LAWS = {
    "restriction": st.RestrictionContact.from_restitution(0.3, 1.0, max_force=500.0, compression=5e-3),
    "soft": st.RestrictionContact.from_restitution(0.5, 1.0, max_force=2000.0, compression=2e-2),
    "hertz": HertzContact(1e5, 0.5),
    "spring": SpringDashpotContact(2e4, 40.0),
}


def energy(world: st.World) -> float:
    """Return all energy [J], of what contacts store too."""
    return world.report.energy + float(world.contacts.stored_energy.sum())


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("speed", [0.5, 2.5, 10.0])
def test_what_touches_and_is_hit_gains_nothing(law, solver, speed):
    """Let two balls that touch by half a millimetre meet fast: no energy comes, nothing has to be bounded."""
    world = st.World(time_step=0.01, gravity=(0, 0, 0), settings=st.Settings(solver=solver))
    material = st.Material(friction=0.4, contact_law=LAWS[law])
    for side in (-1, 1):
        place = (side * (0.1 - 2.5e-4), 0, 0)
        ball = world.add_body(st.Sphere(0.1), position=place, mass=4.0, material=material)
        ball.velocity = (-side * 0.5 * speed, 0.3, 0)
    begin = energy(world)
    for _ in range(20):
        before = energy(world)
        report = world.step()
        assert not report.ladder
        assert energy(world) <= before + 1e-9 * begin
        assert np.linalg.norm(world.velocities[0] + world.velocities[1] - (0, 0.6, 0)) < 1e-12
    if speed < 10.0:  # one that is bounded by 500 N does not stop them within their size
        assert world.contacts.count == 0 and world.velocities[0, 0] < 0.0


@pytest.mark.parametrize("height", [0.3, 1.0, 2.5])
def test_what_is_plastic_lands_at_once(height):
    """Let a ball whose impacts take long for coming back slowly land in steps that do not resolve its way in.

    Followed in time it would be a step's way deep before anything stops it.
    """
    law = st.RestrictionContact(2000.0, 5e-3, 100.0)
    world = st.World(time_step=0.01)
    world.add_body(st.HalfSpace(), kind="static")
    ball = world.add_body(
        st.Sphere(0.1), position=(0, 0, height + 0.1), mass=1.0, material=st.Material(contact_law=law)
    )
    begin = energy(world)
    for _ in range(200):
        before = energy(world)
        assert not world.step().ladder
        assert energy(world) <= before + 1e-9 * begin
        assert ball.position[2] > 0.1 - 5e-4
    assert ball.position[2] - 0.1 == pytest.approx(law.rest_gap(9.81), abs=1e-7)
