"""Points of a segment that moves in a plane whose ways are closest to circles: ends of rods."""

import numpy as np

__all__ = ["search_rods"]

PER_REACH = 12  # candidates along the reach
STARTS = 40  # of the candidates, from which ways are made rounder
APART = 0.05  # share of the reach below which two ends are one


def search_rods(
    motion: tuple[np.ndarray, np.ndarray], count: int, reach: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return centres and ends (2,) of rods that poses leave least, the best first.

    Ends are tried on a grid about the origin; the circle of each way is that of Kasa, which is linear. The
    roundest are then made the roundest near them.

    Args:
        motion: place (f, 2) [m] and turn (f, 2, 2) of the segment.
        count: how many.
        reach: how far from the origin ends are tried [m]; rods are at most four times as long.

    Raises:
        ValueError: there are not as many.
    """
    from scipy.optimize import least_squares

    places, turns = motion
    line = np.linspace(-reach, reach, 2 * PER_REACH + 1)
    ends = np.stack(np.meshgrid(line, line), axis=2).reshape(-1, 2)
    ends = ends[np.hypot(*ends.T) <= reach]
    ways = places + np.einsum("fij,cj->cfi", turns, ends)
    middle = ways.mean(axis=1, keepdims=True)
    near = ways - middle
    matrix = np.concatenate([2.0 * near, np.ones((*near.shape[:2], 1))], axis=2)
    square = np.einsum("cfi,cfj->cij", matrix, matrix)
    solved = np.linalg.pinv(square, 1e-12) @ np.einsum("cfi,cf->ci", matrix, (near**2).sum(axis=2))[..., None]
    centres = solved[:, :2, 0]
    missed = np.linalg.norm(near - centres[:, None], axis=2)
    missed = missed.std(axis=1)

    def left(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.norm(places + turns @ x[2:4] - x[:2], axis=1) - x[4])

    def slopes(x: np.ndarray) -> np.ndarray:
        way = places + turns @ x[2:4] - x[:2]
        way /= np.linalg.norm(way, axis=1)[:, None]
        return np.hstack([-way, np.einsum("fi,fij->fj", way, turns), np.full((len(way), 1), -1.0)])

    rods: list[tuple[float, np.ndarray]] = []
    for k in np.argsort(missed)[:STARTS]:
        centre = middle[k, 0] + centres[k]
        length = np.linalg.norm(ways[k] - centre, axis=1).mean()
        begin = np.concatenate([centre, ends[k], [length]])
        found = least_squares(left, begin, slopes, method="lm", xtol=1e-14, ftol=1e-14, gtol=1e-14)
        x = found.x
        if not 0.0 < x[4] <= 4.0 * reach or np.hypot(*x[2:4]) > 2.0 * reach:
            continue
        rods.append((float(found.cost), x))
    chosen: list[np.ndarray] = []
    for _, x in sorted(rods, key=lambda one: one[0]):
        if all(np.linalg.norm(x[2:4] - other[2:4]) > APART * reach for other in chosen):
            chosen.append(x)
    if len(chosen) < count:
        raise ValueError(
            f"{len(chosen)} of {count} rods are found within reach = {reach:g} m; give more, or ends about "
            "where they are"
        )
    return [(x[:2], x[2:4]) for x in chosen[:count]]
