"""What is said about a body that has run away."""

from collections.abc import Sequence

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.world.body import Body
from stoss.engine.world.report import SimulationError

__all__ = ["runaway_error"]


def runaway_error(
    bad: np.ndarray,
    bodies: BodyArrays,
    handles: Sequence[Body],
    contacts: Contacts,
    impulses: np.ndarray,
    step: int,
    time: float,
) -> SimulationError:
    """Return the error that names the culprit among the bodies that ran away.

    Args:
        bad: rows of bodies that are too fast, or nowhere.
        bodies, handles: of all bodies.
        contacts, impulses: of the last step; impulses (c, 3) [N s].
        step: number of the step that failed.
        time: world time before it [s].
    """
    culprit = _culprit(bad, bodies)
    hardest = _hardest_contact(culprit, contacts, impulses)
    with np.errstate(over="ignore", invalid="ignore"):
        speed = float(np.linalg.norm(bodies.velocities[culprit]))
        spin = float(np.linalg.norm(bodies.angular_velocities[culprit]))
    name = handles[culprit].name
    touching, contact = "", None
    if hardest is not None:
        contact = handles[hardest[0]].name, handles[hardest[1]].name
        touching = f", in contact between {contact[0]!r} and {contact[1]!r}"
    message = (
        f"step {step}: body {name!r} ran away ({speed:.3g} m/s, {spin:.3g} rad/s){touching}; the world is "
        f"back at t = {time:.6g} s: try a smaller time step, or check its masses and forces"
    )
    return SimulationError(message, step, name, contact)


def _culprit(bad: np.ndarray, bodies: BodyArrays) -> int:
    """Return the runaway body on which the largest force or torque acts, or the fastest one."""
    loads = np.maximum(np.abs(bodies.forces[bad]).max(axis=1), np.abs(bodies.torques[bad]).max(axis=1))
    if loads.max() > 0.0:
        return int(bad[np.argmax(loads)])
    speeds = np.abs(bodies.velocities[bad]).max(axis=1)
    return int(bad[np.argmax(np.where(np.isfinite(speeds), speeds, -1.0))])


def _hardest_contact(body: int, contacts: Contacts, impulses: np.ndarray) -> tuple[int, int] | None:
    """Return the bodies of the contact with the largest impulse on a body, None if it touches nothing."""
    a, b = contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]
    mine = np.flatnonzero((a == body) | (b == body))
    if len(mine) == 0:
        return None
    sizes = np.abs(impulses[mine]).max(axis=1)
    worst = mine[int(np.argmax(np.where(np.isnan(sizes), np.inf, sizes)))]
    return int(a[worst]), int(b[worst])
