"""Coordinates at which bodies are where they are wanted (Stelzner 2008, section 3.1).

What is missed at coordinates q is f: positions, and rotation vectors from the wanted orientations, both in
the world. Each round takes a step that would end it if it were linear in q. Where there are more coordinates
than wishes, a rule chooses among the steps. Loops are wishes that are always there.

Unlike in the thesis, orientations are missed by the rotation vector and not by Rodrigues' (its tangent): it
is finite at half a turn, and its length is the angle. Steps are bounded, and coordinates stay within limits:
those that would leave stand still while the others make up for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import conjugate, multiply, rotate
from stoss.engine import checks
from stoss.engine.articulated.damped_step import damped_step
from stoss.engine.world.body import Body
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.articulated.articulation import Articulation

__all__ = ["RULES", "IKResult", "IKTarget", "rotated", "solve_ik"]

# closest: of all solutions the one closest to the start. least step: each round moves as little as it can.
# few joints: each round moves as few coordinates as it can. least squares: wishes that contradict each other
# are missed by as little as can be.
RULES = ("closest", "least step", "few joints", "least squares")
MOST_ROUNDS = 200
LARGEST_STEP = 0.5  # [rad or m], of one coordinate in one round
RANK = 1e-8  # share of the largest singular value below which a direction does not move what is wanted
# Levenberg and Marquardt: damping to begin with, as a share of the largest diagonal entry, and its changes.
DAMPING, LESS, MORE, LEAST_DAMPING = 1e-3, 0.2, 4.0, 1e-12
STALLED = 1e-12  # share by which a round must lessen what is missed, or the next ones will not either


@closed
@dataclass(frozen=True)
class IKTarget:
    """Where a body is wanted.

    Args:
        body: of the world.
        position: (3,) where its point is wanted [m]; None: anywhere.
        quaternion: (w, x, y, z) how its frame is wanted; None: any way.
        point: (3,) in the frame of its shapes [m].
        weight: of what is missed of it, beside other targets.

    Raises:
        TypeError, ValueError: nothing is wanted, or a value makes no sense.
    """

    body: Body
    position: Any = None
    quaternion: Any = None
    point: Any = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def __post_init__(self) -> None:
        checks.instance("IKTarget: body", self.body, Body, "a body of the world")
        if self.position is None and self.quaternion is None:
            raise ValueError("IKTarget: position = None and quaternion = None: nothing is wanted; give one")
        values: dict[str, Any] = {
            "point": checks.triple("IKTarget: point", self.point),
            "weight": checks.positive("IKTarget: weight", self.weight, "share"),
        }
        if self.position is not None:
            values["position"] = checks.triple("IKTarget: position", self.position)
        if self.quaternion is not None:
            values["quaternion"] = checks.unit_quaternion("IKTarget: quaternion", self.quaternion)
        for name, value in values.items():
            object.__setattr__(self, name, value)


@closed
@dataclass(frozen=True)
class IKResult:
    """What came of inverse kinematics.

    Attributes:
        q: (n,) coordinates [rad or m].
        reached: whether nothing is missed by more than the tolerance.
        distances: (targets,) by which positions are missed [m], 0 where none is wanted.
        angles: (targets,) by which orientations are missed [rad].
        loops: by how much the joints that close loops are open at most [m or rad].
        rounds: how many were made.
    """

    q: np.ndarray
    reached: bool
    distances: np.ndarray
    angles: np.ndarray
    loops: float
    rounds: int


class _Wishes:
    """What is missed at coordinates, and how that changes with them."""

    def __init__(self, articulation: "Articulation", targets: Sequence[IKTarget]) -> None:
        self.articulation, self.targets = articulation, targets
        for target in targets:
            articulation._row(target.body)
        self.loops = len(articulation._loops.rows)

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what is missed (r,), weighted, and its jacobian (r, n)."""
        own, missed, rows = self.articulation, [], []
        positions, quaternions = own.poses(q)
        for target in self.targets:
            root = np.sqrt(target.weight)
            row = target.body.index
            place = positions[row] + rotated(quaternions[row], np.array(target.point))
            jacobian = own.body_jacobian(target.body, q, target.point)
            if target.position is not None:
                missed.append(root * (place - target.position))
                rows.append(root * jacobian[:3])
            if target.quaternion is not None:
                turn = _turn(target.quaternion, quaternions[row])
                missed.append(root * turn)
                rows.append(root * (_rate_of_turn(turn) @ jacobian[3:]))
        if self.loops:
            errors, jacobian = own._loops.closures(q)
            missed.append(errors)
            rows.append(jacobian)
        return np.concatenate(missed), np.vstack(rows)

    def result(self, q: np.ndarray, tolerance: float, rounds: int) -> IKResult:
        """Return what was reached at q."""
        positions, quaternions = self.articulation.poses(q)
        distances, angles = np.zeros(len(self.targets)), np.zeros(len(self.targets))
        for k, target in enumerate(self.targets):
            row = target.body.index
            if target.position is not None:
                place = positions[row] + rotated(quaternions[row], np.array(target.point))
                distances[k] = float(np.linalg.norm(place - target.position))
            if target.quaternion is not None:
                angles[k] = float(np.linalg.norm(_turn(target.quaternion, quaternions[row])))
        loops = float(np.abs(self.articulation._loops.closures(q)[0]).max(initial=0.0)) if self.loops else 0.0
        worst = max(distances.max(initial=0.0), angles.max(initial=0.0), loops)
        return IKResult(q, bool(worst <= tolerance), distances, angles, loops, rounds)


def solve_ik(
    articulation: "Articulation",
    targets: Sequence[IKTarget],
    q: np.ndarray,
    rule: str,
    limits: np.ndarray,
    tolerance: float,
) -> IKResult:
    """Return coordinates at which targets are reached, beginning at q; see `Articulation.solve_ik`.

    Args:
        articulation: the bodies.
        targets: what is wanted, at least one.
        q: (n,) to begin with.
        rule: one of `RULES`.
        limits: (n, 2) of the coordinates, infinite where there are none.
        tolerance: [m and rad].
    """
    wishes = _Wishes(articulation, targets)
    q = np.clip(q, limits[:, 0], limits[:, 1])
    if rule == "least squares":
        return _least_squares(wishes, q, limits, tolerance)
    start, best, least = q.copy(), q, np.inf
    rounds, size = 0, np.inf
    while rounds < MOST_ROUNDS:
        rounds += 1
        missed, jacobian = wishes.at(q)
        size = float(np.abs(missed).max(initial=0.0))
        if size < least:
            best, least = q, size
        towards = start - q if rule == "closest" else np.zeros_like(q)
        step = _step(missed, jacobian, towards, rule, q, limits)
        if size <= tolerance and float(np.abs(step).max(initial=0.0)) <= tolerance:
            break
        largest = float(np.abs(step).max(initial=0.0))
        q = q + step * (min(1.0, LARGEST_STEP / largest) if largest > 0.0 else 0.0)
        q = np.clip(q, limits[:, 0], limits[:, 1])
    # at the end it has come closest to the start as well
    return wishes.result(q if size <= tolerance else best, tolerance, rounds)


def _step(
    missed: np.ndarray,
    jacobian: np.ndarray,
    towards: np.ndarray,
    rule: str,
    q: np.ndarray,
    limits: np.ndarray,
) -> np.ndarray:
    """Return a step; coordinates that would leave their limits stand still, others make up for them."""
    free = np.ones(len(q), bool)
    step = np.zeros_like(q)
    for _ in range(len(q)):
        step = np.zeros_like(q)
        if not free.any():
            break
        own = jacobian[:, free]
        if rule == "few joints":
            step[free] = -_basic(own, missed)
        else:
            inverse = np.linalg.pinv(own, RANK)
            step[free] = -inverse @ missed
            step[free] += towards[free] - inverse @ (own @ towards[free])
        at = q + step
        out = free & ((q <= limits[:, 0]) & (at < limits[:, 0]) | (q >= limits[:, 1]) & (at > limits[:, 1]))
        if not out.any():
            break
        free &= ~out
    return step


def _basic(matrix: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return a least-squares solution with as many entries as the rank at most, by pivoted columns."""
    from scipy.linalg import qr, solve_triangular  # slow to import

    q, r, order = qr(matrix, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int((diagonal > RANK * diagonal.max(initial=0.0)).sum())
    found = np.zeros(matrix.shape[1])
    if rank:
        found[order[:rank]] = solve_triangular(r[:rank, :rank], (q.T @ wanted)[:rank])
    return found


def _least_squares(wishes: _Wishes, q: np.ndarray, limits: np.ndarray, tolerance: float) -> IKResult:
    """Minimise what is missed by Levenberg and Marquardt, within limits."""
    missed, jacobian = wishes.at(q)
    cost, damping, rounds = float(missed @ missed), DAMPING, 0
    factor = np.zeros((len(q), len(q)))
    while rounds < MOST_ROUNDS:
        rounds += 1
        q_next = np.empty_like(q)
        damped_step(q, jacobian.T @ missed, jacobian.T @ jacobian, damping, limits, factor, q_next)
        new_missed, new_jacobian = wishes.at(q_next)
        new_cost = float(new_missed @ new_missed)
        if new_cost < cost:
            slow = cost - new_cost <= STALLED * cost
            q, missed, jacobian, cost = q_next, new_missed, new_jacobian, new_cost
            damping = max(LESS * damping, LEAST_DAMPING)
            if slow:
                break
        else:
            damping *= MORE
            if damping > 1e6:
                break
        if float(np.abs(missed).max(initial=0.0)) <= 1e-3 * tolerance:
            break
    return wishes.result(q, tolerance, rounds)


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return a vector in the frame that a quaternion (w, x, y, z) turns."""
    w, x, y, z = q.tolist()
    a, b, c = v.tolist()
    return np.array(rotate((w, x, y, z), (a, b, c)))  # plain numbers: far quicker than arrays of three


def _turn(wanted: Any, found: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,) in the world from the wanted orientation to the found one."""
    w, x, y, z = multiply(tuple(found.tolist()), conjugate(tuple(wanted)))
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = float(np.sqrt(x * x + y * y + z * z))
    factor = 2.0 * np.arctan2(sine, w) / sine if sine > 1e-12 else 2.0
    return factor * np.array([x, y, z])


def _rate_of_turn(v: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) that takes an angular velocity to the rate of a rotation vector v."""
    angle = float(np.linalg.norm(v))
    skew = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    if angle < 1e-4:
        share = 1.0 / 12.0 + angle * angle / 720.0
    else:
        share = (1.0 - 0.5 * angle / np.tan(0.5 * angle)) / (angle * angle)
    return np.asarray(np.eye(3) - 0.5 * skew + share * skew @ skew)
