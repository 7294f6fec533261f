"""Which way the triangles of a mesh face: one sense over the whole surface, outwards where it is closed."""

import numpy as np

__all__ = ["check_winding", "turned_alike"]

# A closed part that fills no more than this share of its bounding box is a sheet: it has no inside.
FLAT_SHARE = 1e-12


def _edges(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the edges that just two triangles share; vertices at one place count as one (STL files).

    Returns:
        Both triangles (e, 2), whether they run along the edge in the same direction (e,), and of each
        triangle how many of its edges are such (m,).
    """
    place = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)[faces]
    start, end = place.ravel(), np.roll(place, -1, axis=1).ravel()
    owner = np.repeat(np.arange(len(faces)), 3)
    low, high = np.minimum(start, end), np.maximum(start, end)
    order = np.lexsort((high, low))
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
    begin = np.flatnonzero(first)
    size = np.diff(np.append(begin, len(order)))
    pair = begin[(size == 2) & (low[order[begin]] != high[order[begin]])]
    a, b = order[pair], order[pair + 1]
    shared = np.zeros(len(faces), np.int64)
    np.add.at(shared, owner[a], 1)
    np.add.at(shared, owner[b], 1)
    return np.column_stack([owner[a], owner[b]]), start[a] == start[b], shared


def _parts(pairs: np.ndarray, count: int) -> np.ndarray:
    """Return of each triangle the number of the connected part that it belongs to."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return connected_components(graph, directed=False)[1]


def _solid(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the triangles that have an area and three corners."""
    corners = vertices[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return faces[area > 0.0]


def check_winding(owner: str, vertices: np.ndarray, faces: np.ndarray, cure: str = "") -> None:
    """Raise if neighbouring triangles face different ways, or a closed part faces inwards.

    A part that faces inwards within one that faces outwards is a cavity.

    Args:
        owner: what the messages are about.
        vertices: (n, 3) [m].
        faces: (m, 3) vertex numbers.
        cure: another way out than to turn triangles.

    Raises:
        ValueError: as above.
    """
    faces = _solid(vertices, faces)
    if len(faces) == 0:
        return
    pairs, same_way, shared = _edges(vertices, faces)
    if same_way.any():
        raise ValueError(
            f"{owner}: faces {pairs[same_way][0].tolist()} and {int(same_way.sum()) - 1} other pairs of "
            "neighbouring triangles are wound in opposite senses; wind all counter-clockwise seen from "
            f"outside (trimesh.repair.fix_normals){cure}"
        )
    part = _parts(pairs, len(faces))
    closed = np.bincount(part, weights=shared < 3) == 0
    corners = vertices[faces]
    boxes = []
    for number in np.flatnonzero(closed):
        own = corners[part == number]
        low, high = own.min(axis=(0, 1)), own.max(axis=(0, 1))
        own = own - 0.5 * (low + high)
        volume = float(np.einsum("ij,ij->", own[:, 0], np.cross(own[:, 1], own[:, 2]))) / 6.0
        if abs(volume) > FLAT_SHARE * float(np.prod(high - low)):
            boxes.append((volume, low, high))
    for volume, low, high in boxes:
        outside = [v > 0.0 and (low >= p).all() and (high <= q).all() for v, p, q in boxes]
        if volume < 0.0 and not any(outside):
            raise ValueError(
                f"{owner}: the closed surface within {[low.tolist(), high.tolist()]} faces inwards (inverted "
                f"mesh, volume {volume:.6g} m^3) and is no cavity of another; invert that part, "
                f"faces[:, ::-1] (mesh.invert() in trimesh){cure}"
            )


def turned_alike(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the faces with neighbours turned to one sense, as far as the surface has two sides."""
    pairs, same_way, _ = _edges(vertices, faces)
    if not same_way.any():
        return faces
    near: list[list[tuple[int, bool]]] = [[] for _ in faces]
    for (a, b), same in zip(pairs.tolist(), same_way.tolist(), strict=True):
        near[a].append((b, same))
        near[b].append((a, same))
    turn = np.full(len(faces), -1)
    for seed in range(len(faces)):
        if turn[seed] >= 0:
            continue
        turn[seed] = 0
        stack = [seed]
        while stack:
            face = stack.pop()
            for other, same in near[face]:
                if turn[other] < 0:
                    turn[other] = turn[face] ^ int(same)
                    stack.append(other)
    return np.where(turn[:, None] > 0, faces[:, ::-1], faces)
