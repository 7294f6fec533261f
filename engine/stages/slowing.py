"""Slowing down an island about its motion as one rigid body, which keeps its momenta."""

import numpy as np

from stoss.collision.algebra import cross, dot
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.energy import kinetic_energy
from stoss.engine.stages.ledger import HELD, NORMAL
from stoss.engine.stages.momentum import add_inertia, angular_momentum, angular_velocity, centre_of_mass

__all__ = ["energy_and_turning", "rigid_motion", "rigid_motion_of_free", "slow_down", "slow_unheld"]

UNHELD = 0.5  # [rad] by which bodies turn in a sub-step in which nothing holds them


@inner
def slow_unheld(s, h, islands):
    """Slow down the bodies of some islands that nothing holds in a sub-step of length h [s]; note them.

    So that none turns by more than `UNHELD`, relative to the island as one rigid body: links would else be
    far from their joints at its end, and beyond their stops by more than all motion could bend them.
    """
    for island in range(len(islands)):
        if islands[island]:
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                s.work.unheld[s.islands.bodies[at]] = True
            rigid = rigid_motion(s, island)
            energy, turning = energy_and_turning(s, island, rigid)
            if turning * abs(h) > UNHELD:
                slow_down(s, island, rigid, energy, UNHELD / (turning * abs(h)))


@inner
def slow_down(s, island, rigid, energy, scale):
    """Scale the motion relative to a rigid one, whose energy is given [J]; book it."""
    bodies, first = s.bodies, s.islands.body_start[island]
    taken = (1.0 - scale * scale) * energy
    s.ledger[HELD if s.has_joints[island] else NORMAL] -= taken
    s.work.gain[s.islands.bodies[first]] -= taken
    for at in range(first, s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        v, w = _relative_motion(bodies, i, rigid[0], rigid[1], rigid[2])
        for k in range(3):
            bodies.velocities[i, k] -= (1.0 - scale) * v[k]
            bodies.angular_velocities[i, k] -= (1.0 - scale) * w[k]


@inner
def energy_and_turning(s, island, rigid):
    """Return the energy of the motion relative to a rigid one [J], and its fastest turning [rad/s]."""
    bodies, energy, fastest = s.bodies, 0.0, 0.0
    for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
        i = s.islands.bodies[at]
        v, w = _relative_motion(bodies, i, rigid[0], rigid[1], rigid[2])
        energy += kinetic_energy(bodies, i, bodies.quaternions[i], v, w)
        fastest = max(fastest, np.sqrt(dot(w[0], w[1], w[2], w[0], w[1], w[2])))
    return energy, fastest


@inner
def _relative_motion(bodies, i, place, velocity, turn):
    """Return the velocities of a body relative to a rigid motion, given about a place."""
    p, v, w = bodies.positions[i], bodies.velocities[i], bodies.angular_velocities[i]
    x, y, z = cross(turn[0], turn[1], turn[2], p[0] - place[0], p[1] - place[1], p[2] - place[2])
    return (
        (v[0] - velocity[0] - x, v[1] - velocity[1] - y, v[2] - velocity[2] - z),
        (w[0] - turn[0], w[1] - turn[1], w[2] - turn[2]),
    )


@inner
def rigid_motion(s, island):
    """Return centre of mass, velocity and turning of the rigid body that has the momenta of a free island.

    None of it for an island that is linked to something outside.
    """
    parts, zero = s.islands, (0.0, 0.0, 0.0)
    for block in range(parts.block_start[island], parts.block_start[island + 1]):
        if s.rows.bodies[block, 0] < 0 or s.rows.bodies[block, 1] < 0:
            return zero, zero, zero
    return rigid_motion_of_free(s, island)


@inner
def rigid_motion_of_free(s, island):
    """Return the same of an island that is known to be linked to nothing outside."""
    bodies, parts = s.bodies, s.islands
    members = parts.bodies[parts.body_start[island] : parts.body_start[island + 1]]
    place, velocity = centre_of_mass(bodies, members)
    momentum, _, _ = angular_momentum(bodies, members, place, velocity, True)
    inertia = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in members:
        inertia = add_inertia(bodies, i, place, inertia, True)
    turn = angular_velocity(inertia, momentum)
    return place, velocity, turn
