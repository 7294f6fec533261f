"""Faces and volume integrals of convex polyhedra."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

__all__ = ["hull_polygons", "polyhedron_moments"]

# Two triangles of a hull belong to one face when their normals differ by less than this angle [rad].
# Qhull's facet normals carry rounding of about 1e-14; vertices read from float32 files carry 1e-7,
# which tilts the triangles of a flat face by 1e-6 or so. Beside it: splits of flat faces, or bent faces.
_COPLANAR_ANGLE = 1e-5

# Below this thickness [m per m of width] Qhull and the angle above are asked in stretched coordinates.
_THIN = 1e-2
# Below this one there is no inside: coordinates from float32 files carry 6e-8 of themselves.
_FLAT = 1e-6
# How far the volume of the faces may be off that of Qhull: merging the faces of a float32 file costs less.
_VOLUME_ERROR = 1e-3


def hull_polygons(points: np.ndarray) -> list[np.ndarray]:
    """Return the flat faces of the hull of points (n, 3): point numbers, counter-clockwise from outside.

    Raises:
        ValueError: the points lie in one plane, but for rounding.
    """
    from scipy.spatial import ConvexHull, QhullError  # slow to import

    stretched, factor = _stretched(points)
    try:
        hull = ConvexHull(stretched)
    except QhullError as error:
        raise ValueError(
            f"ConvexHull: the {len(points)} vertices lie in one plane, line or point; a hull needs volume "
            f"({_CURE}): {str(error).splitlines()[0]}"
        ) from error
    polygons = _merged_faces(hull)
    wanted, found = float(hull.volume) * factor, _volume(points, polygons)
    if not abs(found - wanted) <= _VOLUME_ERROR * wanted:
        raise ValueError(
            f"ConvexHull: the faces of the {len(points)} vertices enclose {found:.6g} m^3, their hull "
            f"{wanted:.6g} m^3: they are too nearly flat for their rounding; {_CURE}"
        )
    return polygons


_CURE = "thicken it, use a Box or a Cylinder, or a TriangleMesh if it stands still"


def _stretched(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the points, those of a thin cloud stretched to equal widths, and the factor of the volume.

    Which points make up a face is the same after any affine map, and that of a cloud as thick as it is wide
    suffers least from rounding.

    Raises:
        ValueError: the points lie in one plane, but for rounding.
    """
    offsets = points - points.mean(axis=0)
    axes = np.linalg.svd(offsets, full_matrices=False)[2]
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    along = offsets @ axes.T
    widths = np.ptp(along, axis=0)
    widest, least = float(widths.max()), float(widths.min())
    # differences of coordinates far from the origin carry the rounding of the coordinates
    rounding = max(_FLAT * widest, 1e-14 * float(np.abs(points).max()))
    if not least > rounding:
        raise ValueError(
            f"ConvexHull: the {len(points)} vertices lie in one plane, line or point: they are "
            f"{widest:.3g} m wide and {least:.3g} m thick, which is rounding; a hull needs volume ({_CURE})"
        )
    if least > _THIN * widest:
        return points, 1.0
    return along / widths, float(np.prod(widths))


def _volume(points: np.ndarray, polygons: list[np.ndarray]) -> float:
    """Return the volume that polygons enclose [m^3]."""
    fans = np.array([(face[0], face[i], face[i + 1]) for face in polygons for i in range(1, len(face) - 1)])
    corners = (points - points.mean(axis=0))[fans]
    return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2]))) / 6.0


def _merged_faces(hull: "ConvexHull") -> list[np.ndarray]:
    """Join neighbouring triangles of one plane into polygons, counter-clockwise seen from outside."""
    scale = np.ptp(hull.points, axis=0).max()
    every = np.arange(len(hull.simplices))[:, None]
    alone = np.logical_not(_coplanar(hull, scale, every, hull.neighbors)).all(axis=1)
    # most triangles of a round surface have no neighbour in their plane
    triangles = _turned_outwards(hull)
    group = np.full(len(hull.simplices), -1)
    polygons = []
    for seed in range(len(group)):
        if group[seed] >= 0:
            continue
        # flood fill, always compared with the seed's plane, so that a fine round surface is not merged
        group[seed] = seed
        if alone[seed]:
            polygons.append(triangles[seed])
            continue
        queue, members = [seed], [seed]
        while queue:
            near = hull.neighbors[queue.pop()]
            for neighbour in near[_coplanar(hull, scale, np.full(len(near), seed), near)]:
                if group[neighbour] < 0:
                    group[neighbour] = seed
                    queue.append(neighbour)
                    members.append(neighbour)
        if len(members) == 1:
            polygons.append(triangles[seed])
        else:
            polygons.append(_outline(hull, np.unique(hull.simplices[members]), hull.equations[seed, :3]))
    return polygons


def _coplanar(hull: "ConvexHull", scale: float, seeds: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return whether triangles lie in the planes of others, both given by their numbers."""
    planes, normals = hull.equations[seeds], hull.equations[others][..., :3]
    sine = np.linalg.norm(np.cross(planes[..., :3], normals), axis=-1)
    corners = hull.points[hull.simplices[others]]
    heights = np.einsum("...ki,...i->...k", corners, planes[..., :3]) + planes[..., 3:]
    # a sliver has no reliable normal: lying in the plane is then enough
    flat = np.abs(heights).max(axis=-1) < 1e-12 * scale
    same_way = (planes[..., :3] * normals).sum(axis=-1) > 0.0
    found: np.ndarray = flat | (same_way & (sine < _COPLANAR_ANGLE))
    return found


def _turned_outwards(hull: "ConvexHull") -> np.ndarray:
    """Return the triangles (n, 3) of a hull, counter-clockwise from outside."""
    numbers = np.sort(hull.simplices, axis=1)
    a, b, c = (hull.points[numbers[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) <= 0.0
    numbers[inwards] = numbers[inwards][:, ::-1]
    return numbers


def _outline(hull: "ConvexHull", numbers: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Return the corners of a flat face in order; points within its edges or inside are dropped."""
    corners = hull.points[numbers]
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    flat = np.column_stack([corners @ first, corners @ np.cross(normal, first)])
    if len(numbers) == 3:
        (ax, ay), (bx, by) = flat[1] - flat[0], flat[2] - flat[0]
        return numbers if ax * by - ay * bx > 0.0 else numbers[::-1]
    from scipy.spatial import ConvexHull

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
