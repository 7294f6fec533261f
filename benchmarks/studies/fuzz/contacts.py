"""What must hold for the contacts of any pair of shapes.

A contact may not be deeper than the signed distance of the shapes, and a pair that is nearer than the margin
must have one.
"""

import numpy as np

from stoss.benchmarks.studies.fuzz.pairs import KINDS, draw_pairs
from stoss.benchmarks.studies.fuzz.support import best_separation, distance, separation
from stoss.collision import Detector
from stoss.collision.manifold.manifold import FACE_COSINE, SWAP_BIAS
from stoss.collision.narrow_phase.box_box import AXIS_TOLERANCE, AXIS_TOLERANCE_RELATIVE
from stoss.collision.narrow_phase.gjk import EPA_POINTS

__all__ = ["RULES", "beyond", "check"]

RULES = ("number", "normal", "feature", "points", "margin", "gap", "depth", "missed")


def check(
    kinds: tuple[str, str], n: int, seed: int, margin: float = 5e-3
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return, per rule, how far each pair breaks it (n,), 0 if not; contacts of each; its separation [m].

    Rules: "number": all finite; "normal": unit length; "feature": features differ; "points": points differ by
    gap times normal; "margin": no gap above the margin; "gap": no gap below the separation along its normal;
    "depth": no gap below the signed distance; "missed": a pair closer than the margin has a contact. All but
    the first three are lengths [m], beyond the tolerance.
    """
    rng = np.random.default_rng([seed, KINDS.index(kinds[0]), KINDS.index(kinds[1])])
    shapes, supports, positions, turns = draw_pairs(rng, kinds, n)
    detector = Detector()
    for side in range(2):
        for k in range(n):
            detector.add_shape(shapes[side][k], side * n + k)
    detector.table.update(positions.reshape(-1, 3), turns.reshape(-1, 4), 0.5 * margin)
    detector.collide(np.column_stack([np.arange(n), np.arange(n, 2 * n)]), margin)
    c = detector.contacts
    count, pair = c.count, c.shape_a[: c.count]
    normal, gap = c.normal[:count], c.gap[:count]
    size = np.max([s.sizes.max(axis=1) for s in supports if s.kind != "halfspace"], axis=0)
    # rounding of a few operations on coordinates of this size
    tolerance = 1e-13 * (np.abs(positions).max(axis=(0, 2)) + size)
    broken = {rule: np.zeros(n) for rule in RULES}
    found = np.bincount(pair, minlength=n)
    values = [normal, gap[:, None], c.point_a[:count], c.point_b[:count]]
    wrong = ~np.isfinite(np.column_stack(values)).all(axis=1)
    broken["number"][pair[wrong]] = 1.0
    np.maximum.at(broken["normal"], pair, beyond(np.abs(np.linalg.norm(normal, axis=1) - 1.0), 1e-12))
    keys = np.column_stack([pair, c.feature[:count]])
    _, index, times = np.unique(keys, axis=0, return_index=True, return_counts=True)
    np.add.at(broken["feature"], pair[index], times - 1.0)
    apart = np.abs(c.point_a[:count] - c.point_b[:count] - gap[:, None] * normal).max(axis=1, initial=0.0)
    np.maximum.at(broken["points"], pair, beyond(apart, tolerance[pair]))
    np.maximum.at(broken["margin"], pair, beyond(gap, margin + tolerance[pair]))
    own = [s.rows(pair) for s in supports]
    np.maximum.at(
        broken["gap"], pair, beyond(separation(own, normal[:, None])[:, 0] - gap, 10.0 * tolerance[pair])
    )
    starts = np.zeros((n, 1, 3))
    starts[pair, 0] = normal
    best = best_separation(rng, supports, starts)
    least = np.full(n, np.inf)
    np.minimum.at(least, pair, gap)
    # A face replaces a normal within 0.02 rad of its own, which changes a gap by 1 - cos(0.02) of it; of two
    # faces the first is kept unless the second is better by SWAP_BIAS of its extent.
    lean = 1.0 - FACE_COSINE
    allowed = 10.0 * tolerance + lean * np.abs(best) + 4.0 * SWAP_BIAS * size
    if not set(kinds) <= {"sphere", "box", "hull", "halfspace"}:
        # EPA chooses between the ways out by at most 2 EPA_POINTS - 4 facets: about a ball of radius R equal
        # triangles of their area have a circumradius c with (3 sqrt(3) / 4) c^2 = 4 pi R^2 / facets, and so
        # leave c^2 / 2 R = 3.5 % of R
        facets = 2.0 * EPA_POINTS - 4.0
        allowed += np.where(best < 0.0, 8.0 * np.pi / (3.0 * np.sqrt(3.0) * facets), 0.0) * np.abs(best)
    if kinds == ("box", "box"):
        # another axis must be better by a share of the smallest half edge, edges also by one of the depth
        smallest = np.minimum(*(s.sizes.min(axis=1) for s in supports))
        allowed += (AXIS_TOLERANCE * smallest + AXIS_TOLERANCE_RELATIVE * np.abs(best)) / (
            1.0 - AXIS_TOLERANCE_RELATIVE
        )
    if "mesh" in kinds:  # a skin knows no inside: what is deep in it may leave on any side
        smallest = np.minimum(*(s.sizes.min(axis=1) for s in supports))
        allowed[best < -0.05 * smallest] = np.inf
    broken["depth"] = np.where(found > 0, beyond(best - least, allowed), 0.0)
    # a mesh may leave what is in the air to a face that will be met first, and knows no inside
    in_reach = (found == 0) & (best < margin) & ("mesh" not in kinds)
    limit = 10.0 * tolerance + lean * margin
    for row in np.flatnonzero(in_reach):
        rows = np.array([row])
        nearest = best[row] if "halfspace" in kinds else distance([s.rows(rows) for s in supports])
        broken["missed"][rows] = beyond(margin - nearest, limit[rows])
    return broken, found, best


def beyond(value: "np.ndarray | float", limit: "np.ndarray | float") -> np.ndarray:
    """Return the value where it exceeds the limit or is no number, else 0."""
    return np.where(value <= limit, 0.0, np.nan_to_num(value, nan=1.0))
