"""Links without mass between two joints: of what their neighbours turn with they have a share.

What slides on such a link turns with it, and what is hinged to it turns with it but about the hinge. So
inertia may be moved between them without any change of motion: all of it across a slider, across a hinge that
of a rod along its axis. With a share, torques pass through no light body, and none swings fast on a lever
between its joints, which would take many sub-steps.
"""

import numpy as np

from stoss.engine.exchange.mechanism import Inertia, Link, rotation

__all__ = ["CARRIER", "LIGHTEST", "TURNING", "WITH_ROTORS", "give_back", "rod_along"]

# What a link without mass weighs, as a share of what it carries: it changes accelerations in the seventh
# digit. With less the direct solver is no longer exact, and steps are cut: a humanoid takes twice as long.
CARRIER = 3e-8
# The same where joints have rotors, beside which the link is lighter still: in the sixth digit.
WITH_ROTORS = 3e-7
LIGHTEST = 1e-9  # [kg], of a link without mass that carries nothing
TURNING = 0.5  # share of what could be moved
FLAT = 1e-9  # share of all second moments of a body below which one of them is nothing


def rod_along(tensor: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Return the inertia tensor of the heaviest rod along an axis that a body may contain.

    With the second moments P = tr(J)/2 - J of a body, P - a n n' are those of one while a n' P^-1 n <= 1.

    Args:
        tensor: of the body (3, 3) [kg m^2].
        axis: unit vector (3,).
    """
    moments = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    flat = FLAT * np.trace(moments)  # a plate has no second moment across it
    along = 1.0 / float(axis @ np.linalg.solve(moments + flat * np.eye(3), axis)) - flat
    return (np.eye(3) - np.outer(axis, axis)) * along


def give_back(turning: np.ndarray, link: Link, parent: Link | None, child: Link) -> None:
    """Return the inertia tensor of a link without mass to its neighbours.

    What slides on it gets all of it: no motion tells whose it was. Otherwise both neighbours get the rods
    along their hinges of which the tensor consists.

    Args:
        turning: the tensor (3, 3) [kg m^2], in the frame of the link.
        link: that has none any more.
        parent, child: its neighbours; None: the world.
    """
    if child.inertia is not None and all(one.kind == "slider" for one in child.joints):
        turn = rotation(child.pose)
        child.inertia = _with_more(child.inertia, turn.T @ turning @ turn)
        return
    ends = ((parent, link, np.eye(3), rotation(link.pose)), (child, child, rotation(child.pose), np.eye(3)))
    found = []
    for other, moved, to_link, to_other in ends:
        hinged = [one.kind for one in moved.joints] == ["hinge"]
        if hinged and other is not None and other.inertia is not None:
            axis = to_link @ moved.joints[0].axis
            rod = np.eye(3) - np.outer(axis, axis)
            found.append((other, other.inertia, to_other @ to_link.T, rod))
    if not found:
        return
    # besides rods there is what it was given of its own, the same about all axes
    parts = np.array([*(rod.ravel() for *_, rod in found), np.eye(3).ravel()])
    amounts = np.linalg.lstsq(parts.T, turning.ravel(), rcond=None)[0]
    for amount, (other, inertia, turn, rod) in zip(amounts[:-1], found, strict=True):
        other.inertia = _with_more(inertia, amount * turn @ rod @ turn.T)


def _with_more(inertia: Inertia, tensor: np.ndarray) -> Inertia:
    return Inertia(inertia.mass, inertia.center, inertia.tensor + tensor)
