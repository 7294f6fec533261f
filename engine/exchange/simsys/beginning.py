"""How a model of simsys begins (Krieg 1992, section 4.3.13): angles, places of chains, velocities."""

import math
from collections import deque

import numpy as np

from stoss.engine.exchange.simsys.description import Description
from stoss.engine.exchange.simsys.rows import Place
from stoss.engine.model.errors import ModelError

__all__ = ["chains", "turns", "velocities"]


def turns(found: Description) -> tuple[list[float], list[float]]:
    """Return angles [degrees] and rates [degrees/s] of all bodies in space.

    Raises:
        ModelError: bodies refer to each other in a circle.
    """
    angles: list[float | None] = [None] * len(found.masses)
    rates = [0.0] * len(found.masses)
    for body in range(len(angles)):
        path: list[int] = []
        at = body
        while angles[at] is None and found.angles[at][1].reference:
            if at in path:
                circle = " -> ".join(str(one + 1) for one in [*path[path.index(at) :], at])
                raise found.angles[at][0].error(f"angles of bodies refer to each other in a circle: {circle}")
            path.append(at)
            at = found.angles[at][1].reference - 1
        for one in [at, *reversed(path)]:
            row = found.angles[one][1]
            if angles[one] is None:
                base = angles[row.reference - 1] if row.reference else 0.0
                assert base is not None
                angles[one] = row.angle + base
                rates[one] = row.rate + (rates[row.reference - 1] if row.reference else 0.0)
    return [float(one or 0.0) for one in angles], rates


def chains(found: Description) -> list[Place]:
    """Return the places of all chains, each behind the one that it refers to.

    Raises:
        ModelError: a chain has no place, or two, or places refer to each other in a circle.
    """
    chain = _numbers(found)
    place_of: dict[int, Place] = {}
    for line, place in found.places:
        own = chain[place.body - 1]
        if own in place_of:
            raise line.error(f"the chain of body {place.body} begins at body {place_of[own].body} already")
        if place.reference and chain[place.reference - 1] == own:
            raise line.error(f"body {place.reference} is of the same chain as body {place.body}")
        place_of[own] = place
    for body, own in enumerate(chain):
        if own not in place_of:
            path = found.places[0][0].path if found.places else found.keys.path
            raise ModelError(
                f"{path}: the chain of body {body + 1} has no place; give it a row in @@ANFANGSWERTE@"
            )
    order: list[Place] = []
    waiting = list(place_of.values())
    while waiting:
        ready = [one for one in waiting if not one.reference or place_of[chain[one.reference - 1]] in order]
        if not ready:
            bodies = ", ".join(str(one.body) for one in waiting)
            raise ModelError(
                f"{found.places[0][0].path}: places of bodies {bodies} refer to each other in a circle"
            )
        order += ready
        waiting = [one for one in waiting if one not in ready]
    return order


def _numbers(found: Description) -> list[int]:
    """Return for each body a number of its chain."""
    numbers = list(range(len(found.masses)))
    for joint in found.joints:
        one, other = numbers[joint.first], numbers[joint.second]
        numbers = [one if number == other else number for number in numbers]
    return numbers


def velocities(found: Description, order: list[Place]) -> tuple[np.ndarray, np.ndarray]:
    """Return velocities of the centres of mass (n, 2) [m/s], and angular ones (n,) [rad/s].

    Args:
        found: the model.
        order: places of its chains, as `chains` has them.

    Raises:
        ModelError: a chain is closed, and its velocities contradict each other.
    """
    angles, rates = turns(found)
    spins = np.radians(rates)
    speeds = np.full((len(angles), 2), np.nan)

    def arm(body: int, lever: int) -> np.ndarray:
        """Return the velocity of a lever's end relative to the centre of mass."""
        x, z = found.levers[body][lever].position
        a = math.radians(angles[body])
        c, s = math.cos(a), math.sin(a)
        return spins[body] * np.array([-(s * x + c * z), c * x - s * z])

    for place in order:
        body = place.body - 1
        base = speeds[place.reference - 1] if place.reference else np.zeros(2)
        own = arm(body, place.lever - 1) if place.lever else np.zeros(2)
        speeds[body] = base + np.array(place.velocity) - own
        queue = deque([body])
        while queue:
            at = queue.popleft()
            for joint in found.joints:
                for a, la, b, lb in (
                    (joint.first, joint.first_lever, joint.second, joint.second_lever),
                    (joint.second, joint.second_lever, joint.first, joint.first_lever),
                ):
                    if a != at:
                        continue
                    there = speeds[a] + arm(a, la) - arm(b, lb)
                    if np.isnan(speeds[b, 0]):
                        speeds[b] = there
                        queue.append(b)
                    elif np.abs(speeds[b] - there).max() > 1e-9 * max(1.0, np.abs(there).max()):
                        raise ModelError(
                            f"{found.angles[b][0].place}: the rates of the closed chain of body {b + 1} "
                            "contradict each other; give others"
                        )
    return speeds, spins
