"""Tests T-20 and T-22 of Krieg 1992: the law of the heel, and soft tissue that makes a landing gentle."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.cases.registry import Figure, near

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["CHECKS"]

RESTITUTION = {0.1: 0.9375, 0.3: 0.8329, 0.5: 0.7484, 1.0: 0.5936}  # K-028, by B v / A


def _landing(mass: float, h: float, gravity: float, stiffness: float, damping: float) -> "World":
    """Return a body that meets a half-space at 1 m/s, with one point that touches by the law of the heel."""
    import stoss as st

    world = st.World(gravity=(0.0, 0.0, -gravity), time_step=h)
    ground = world.add_body(st.HalfSpace(), kind="static", name="ground")
    bone = world.add_body(
        mass_properties=st.from_values(mass, np.eye(3)), velocity=(0.0, 0.0, -1.0), name="bone"
    )
    world.add_load(
        st.PointContact([(bone, (0.0, 0.0, 0.0))], ground, stiffness=stiffness, damping=damping), name="heel"
    )
    return world


def restitution(**_: Any) -> list[Figure]:
    """T-20: the law of the heel has the restitution of the table."""
    found = []
    for beta, wanted in RESTITUTION.items():
        world = _landing(1.0, 1e-4, 0.0, 1e7, beta * 1e7)
        world.step(2000)
        found.append(near(f"B v / A = {beta}", float(world.velocities[-1, 2]), wanted, 1e-3))
    return found


def landing(**_: Any) -> list[Figure]:
    """T-22: a leg with soft tissue meets the ground more gently than a rigid one of the same mass."""
    import stoss as st

    found = []
    for name, mass, soft, force, time in (
        ("bone and soft tissue", 10.0, 20.0, 2116.0, 0.0124),
        ("one rigid body", 30.0, 0.0, 4926.0, 0.0154),
        ("the bone alone", 10.0, 0.0, 2021.0, None),
    ):
        h = 2e-5
        world = _landing(mass, h, 9.81, 1.5e10, 0.75e10)
        if soft:
            tissue = world.add_body(
                mass_properties=st.from_values(soft, np.eye(3)), velocity=(0.0, 0.0, -1.0), name="soft"
            )
            world.add_load(
                st.WobblingMass(
                    tissue, world.body("bone"), stiffness=20e3, damping=200.0, power=1.0, damping_by=0.0
                )
            )
        forces = []
        for _step in range(1200):
            world.step()
            forces.append(float(world.load("heel").effort))
        peak = int(np.argmax(forces))
        found.append(near(f"{name}: largest force of the ground", forces[peak], force, 0.02 * force, "N"))
        if time is not None:
            found.append(near(f"{name}: after", (peak + 0.5) * h, time, 0.02 * time, "s"))
    return found


CHECKS = {"T-20": restitution, "T-22": landing}
