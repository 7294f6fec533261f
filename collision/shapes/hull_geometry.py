"""Faces and volume integrals of convex polyhedra."""

import numpy as np
from scipy.spatial import ConvexHull, QhullError

__all__ = ["hull_polygons", "polyhedron_moments"]

# Two triangles of a hull belong to one face when their normals differ by less than this angle [rad].
# Qhull's facet normals carry rounding of about 1e-14; vertices read from float32 files carry 1e-7,
# which tilts the triangles of a flat face by 1e-6 or so. Beside it: splits of flat faces, or bent faces.
_COPLANAR_ANGLE = 1e-5


def hull_polygons(points: np.ndarray) -> list[np.ndarray]:
    """Return the flat faces of the hull of points (n, 3): point numbers, counter-clockwise from outside.

    Raises:
        ValueError: the points lie in one plane.
    """
    try:
        hull = ConvexHull(points)
    except QhullError as error:
        raise ValueError(
            f"ConvexHull: the {len(points)} vertices lie in one plane, line or point; a hull needs volume "
            f"(thicken it, or use a TriangleMesh): {str(error).splitlines()[0]}"
        ) from error
    return _merged_faces(hull)


def _merged_faces(hull: ConvexHull) -> list[np.ndarray]:
    """Join neighbouring triangles of one plane into polygons, counter-clockwise seen from outside."""
    scale = np.ptp(hull.points, axis=0).max()
    group = np.full(len(hull.simplices), -1)
    polygons = []
    for seed in range(len(group)):
        if group[seed] >= 0:
            continue
        # flood fill, always compared with the seed's plane, so that a fine round surface is not merged
        group[seed] = seed
        plane = hull.equations[seed]
        queue, members = [seed], [seed]
        while queue:
            for neighbour in hull.neighbors[queue.pop()]:
                if group[neighbour] >= 0:
                    continue
                sine = np.linalg.norm(np.cross(plane[:3], hull.equations[neighbour, :3]))
                heights = hull.points[hull.simplices[neighbour]] @ plane[:3] + plane[3]
                # a sliver has no reliable normal: lying in the plane is then enough
                flat = np.abs(heights).max() < 1e-12 * scale
                same_way = plane[:3] @ hull.equations[neighbour, :3] > 0.0
                if flat or (same_way and sine < _COPLANAR_ANGLE):
                    group[neighbour] = seed
                    queue.append(neighbour)
                    members.append(neighbour)
        polygons.append(_outline(hull, np.unique(hull.simplices[members]), plane[:3]))
    return polygons


def _outline(hull: ConvexHull, numbers: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the corners of a flat face in order; points within its edges or inside are dropped."""
    corners = hull.points[numbers]
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    flat = np.column_stack([corners @ first, corners @ np.cross(normal, first)])
    if len(numbers) == 3:
        (ax, ay), (bx, by) = flat[1] - flat[0], flat[2] - flat[0]
        return numbers if ax * by - ay * bx > 0.0 else numbers[::-1]
    return numbers[ConvexHull(flat).vertices]  # qhull lists planar hulls counter-clockwise


def polyhedron_moments(
    vertices: np.ndarray, faces: tuple[np.ndarray, ...]
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return volume, centroid and unit-density inertia tensor about the centroid.

    Sums over the tetrahedra (m, a, b, c) with m inside the hull and (a, b, c) a triangle of a face:
    the integral of x x^T over one of them is V/20 (sum v_i v_i^T + (sum v_i)(sum v_i)^T), v_1 = 0.
    """
    middle = vertices.mean(axis=0)
    triangles = np.array([(face[0], face[i], face[i + 1]) for face in faces for i in range(1, len(face) - 1)])
    corners = vertices[triangles] - middle
    parts = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(parts.sum())
    sums = corners.sum(axis=1)
    offset = (parts[:, None] * sums).sum(axis=0) / (4.0 * volume)
    spread = np.einsum("t,tci,tcj->ij", parts, corners, corners) + np.einsum("t,ti,tj->ij", parts, sums, sums)
    spread = spread / 20.0 - volume * np.outer(offset, offset)
    return volume, middle + offset, np.trace(spread) * np.eye(3) - spread
