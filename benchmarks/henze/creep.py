"""How far a foot that stands creeps: what the points of its sole move while they stick, beyond rolling."""

import numpy as np

from stoss import rotation
from stoss.benchmarks.henze.walks import Party, set_out
from stoss.engine.humans.humanoid import POINT
from stoss.scenes.cases.registry import Figure, at_most

__all__ = ["Creep", "standing_feet"]

LEAST_LOAD = 50.0  # [N] below which a point is about to leave the ground
STICKS = 0.8  # share of its bound up to which friction sticks at both ends of a step


class Creep:
    """Follow the points of the soles: call `take` after each step.

    A point of a sole is a ball that rolls: its centre goes as far as the foot turns, times its radius. What
    it moves besides is summed up from the step in which it begins to stick to the one in which it no longer
    does. In a step of its landing a point may be displaced, and does not stick yet.

    Args:
        party: who walks, on level ground.
        friction: its coefficient.

    Attributes:
        most: largest of these sums so far [m].
        stretches: how many there were.
    """

    def __init__(self, party: Party, friction: float = 2.0) -> None:
        self._world = party.world
        self._feet = [party.person.bodies[f"{side} foot"] for side in ("right", "left")]
        self._centres = [
            (x, side * y, z + POINT)
            for _, (x, y, z) in party.person.human.foot.points
            for side in (-1.0, 1.0)
        ]
        self._most_slip = STICKS * friction
        self._before = self._places()
        self._drifts: dict[tuple[int, int], np.ndarray] = {}
        self.most, self.stretches = 0.0, 0

    def _places(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the places of all centres (k, 3) [m] and the quaternion of each foot."""
        return [
            (np.array([foot.world_point(c) for c in self._centres]), foot.quaternion) for foot in self._feet
        ]

    def take(self) -> None:
        """Look at the feet after a step."""
        before, self._before = self._before, self._places()
        sticking = set()
        for number, foot in enumerate(self._feet):
            (old, q), (new, p) = before[number], self._before[number]
            turn = rotation.to_rotation_vector(rotation.compose(p, rotation.inverse(q)))
            moved = new - old - np.cross(turn, (0.0, 0.0, POINT))
            for contact in self._world.contacts.of(foot):
                along, across = abs(contact.impulse[2]), float(np.hypot(*contact.impulse[:2]))
                loaded = along > LEAST_LOAD * self._world.time_step and contact.state == "stick"
                if not loaded or across > self._most_slip * along:
                    continue
                at = int(np.linalg.norm(new - contact.point - (0.0, 0.0, POINT), axis=1).argmin())
                key = number, at
                sticking.add(key)
                if key not in self._drifts:
                    # it may have landed in this step
                    self._drifts[key] = np.zeros(2)
                    self.stretches += 1
                    continue
                self._drifts[key] += moved[at, :2]
                self.most = max(self.most, float(np.hypot(*self._drifts[key])))
        self._drifts = {key: drift for key, drift in self._drifts.items() if key in sticking}


def standing_feet(seconds: float = 10.0) -> list[Figure]:
    """creep: what points of a sole that stick move over a whole stance, beyond rolling."""
    from stoss.engine.humans import person

    found = []
    for name, human in (
        ("man of the thesis", None),
        ("female, 5 %", person("female", percentile=5)),
        ("male, 95 %", person("male", percentile=95)),
    ):
        party = set_out(human=human)
        creep = Creep(party)
        for _ in range(round(seconds / party.world.time_step)):
            party.world.step()
            creep.take()
        found.append(at_most(f"{name}: farthest of {creep.stretches}", creep.most, 1e-6, "m"))
    return found
