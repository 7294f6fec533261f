"""The meshes of a motion: each once, with the places of all shapes that are drawn with it."""

from dataclasses import dataclass, field

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.viewer.drawing.framing import framing_points
from stoss.viewer.drawing.geometry import Mesh, instance_size, rotate, shape_mesh
from stoss.viewer.exporting.motion import Motion
from stoss.viewer.world.frames import Frame

__all__ = ["Piece", "checkered", "ground_radius", "motion_bounds", "pieces_of"]

# Corners of a circle: a multiple of four, so that quarters end at edges.
_SEGMENTS = 32

# Round shapes have light and dark fields in alternation, so that their spin is seen: one for each octant, or
# quarter about the axis.
_OCTANTS, _QUARTERS = ("sphere",), ("capsule", "cylinder", "cone")

# A half-space is drawn as a disc, so many times as large as all that moves [m at least].
_GROUND, _SMALLEST_GROUND = 4.0, 10.0

# So many moments are looked at to find how far a motion reaches.
_LOOKS = 24

_INVERSE = np.array([1.0, -1.0, -1.0, -1.0])


@dataclass
class Piece:
    """A mesh and the shapes that are drawn with it; vertices are placed as `stoss.viewer.drawing` says.

    Attributes:
        kind: "box", "sphere", "capsule", "cylinder", "cone", "half-space", "hull" or "mesh".
        mesh: before the sizes.
        shapes: rows of the shapes.
        sizes: (4) of each.
        positions, quaternions: (3) [m], (4) of each, in the frame of its body.
    """

    kind: str
    mesh: Mesh
    shapes: list[int] = field(default_factory=list)
    sizes: list[tuple[float, float, float, float]] = field(default_factory=list)
    positions: list[np.ndarray] = field(default_factory=list)
    quaternions: list[np.ndarray] = field(default_factory=list)


def pieces_of(motion: Motion) -> list[Piece]:
    """Return the meshes of a motion, each once."""
    radius = ground_radius(motion)
    found: dict[object, Piece] = {}
    for row, shape in enumerate(motion.description.shapes):
        key, mesh = shape_mesh(shape, _SEGMENTS)
        kind = key if isinstance(key, str) else str(key[0]) if isinstance(key, tuple) else "mesh"
        piece = found.setdefault(key, Piece(kind, mesh))
        piece.shapes.append(row)
        plane = isinstance(shape, HalfSpace)
        piece.sizes.append((radius, radius, 1.0, 0.0) if plane else instance_size(shape))
        piece.positions.append(_below(motion, row) if plane else motion.description.shape_position[row])
        piece.quaternions.append(motion.description.shape_quaternion[row])
    return [*found.values()]


def _below(motion: Motion, row: int) -> np.ndarray:
    """Return where the disc of a half-space is in its body: below the middle of what moves."""
    made = motion.description
    body, place, turn = made.shape_body[row], made.shape_position[row], made.shape_quaternion[row]
    there, lean = motion.positions[0, body], motion.quaternions[0, body]
    away = rotate(lean * _INVERSE, motion_bounds(motion).mean(axis=0) - there) - place
    normal = rotate(turn, np.array([0.0, 0.0, 1.0]))
    return np.asarray(place + away - normal * (normal @ away))


def motion_bounds(motion: Motion) -> np.ndarray:
    """Return the lowest and the highest corner (2, 3) of all that is in the picture [m], planes left out.

    A few bodies far away from all others do not count.
    """
    samples = np.unique(np.linspace(0, len(motion.times) - 1, _LOOKS).astype(int))
    frames = [Frame(0.0, 0, motion.positions[k], motion.quaternions[k]) for k in samples]
    points = np.concatenate([framing_points(motion.description, frame) for frame in frames])
    if not len(points):
        return np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    return np.array([points.min(axis=0), points.max(axis=0)])


def ground_radius(motion: Motion) -> float:
    """Return the radius of the disc that stands for a half-space [m]."""
    return max(_SMALLEST_GROUND, _GROUND * float(np.linalg.norm(np.ptp(motion_bounds(motion), axis=0))))


def checkered(piece: Piece) -> np.ndarray:
    """Return which triangles (m,) of a round shape are dark; none of others."""
    middle = piece.mesh.vertices[:, :3][piece.mesh.triangles].mean(axis=1)
    if piece.kind in _OCTANTS:
        return np.asarray(middle.prod(axis=1) < 0.0)
    if piece.kind in _QUARTERS:
        return np.asarray(middle[:, :2].prod(axis=1) < 0.0)
    return np.zeros(len(middle), bool)
