"""A tree of axes, and where it is, in world coordinates (Stelzner 2008, section 1.3).

A joint is a chain of axes, each of which turns about or slides along one direction: a hinge is one, a ball
joint three that turn, what is free three that slide and three that turn. Links are the bodies; each is fixed
to the frame behind an axis, and several or none to the same. The displacement of an axis is one generalised
coordinate, or follows one along a line or a curve, of which slope and bend are those at the present
coordinates. Axes may share one: so joints are coupled, and guided; or they follow the time, and are driven.

Everything is told in the axes of the world, momenta and velocities of bodies at one common point of
reference, so what is passed along the tree is only added. A motion has its angular part first, a force its
torque.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints

__all__ = ["Tree", "add_point_mass", "apply", "place_tree"]


class Tree(Struct):
    """Axes and links: what they are, and where they are in the last pose that was looked at.

    A carrier is numbered below what it carries. Rotations are matrices, one row after the other.
    """

    # axes
    carrier: Annotated[Ints, "axes"]  # axis that carries it, -1: the world
    slides: Annotated[Bools, "axes"]  # or turns
    rotation: Annotated[Floats, "axes", 9]  # from its own frame to that of its carrier, at displacement 0
    offset: Annotated[Floats, "axes", 3]  # its origin in the frame of its carrier [m]
    direction: Annotated[Floats, "axes", 3]  # in its own frame, unit
    coordinate: Annotated[Ints, "axes"]  # generalised coordinate
    slope: Annotated[Floats, "axes"]  # displacement = slope coordinate + start
    start: Annotated[Floats, "axes"]  # [rad or m]
    bend: Annotated[Floats, "axes"]  # by which slope changes with the coordinate
    drift: Annotated[Floats, "axes"]  # rate of the displacement with time alone, and how that changes
    push: Annotated[Floats, "axes"]
    rotor: Annotated[Floats, "axes"]  # inertia that goes with the displacement alone [kg or kg m^2]
    # links
    holder: Annotated[Ints, "links"]  # axis that they are behind, -1: the world
    link_rotation: Annotated[Floats, "links", 9]  # from the principal axes to the frame of the holder
    link_place: Annotated[Floats, "links", 3]  # centre of mass in that frame [m]
    mass: Annotated[Floats, "links"]  # [kg]
    inertia: Annotated[Floats, "links", 3]  # principal moments [kg m^2]
    # the pose
    reference: Annotated[Floats, 3]  # common point [m]
    frames: Annotated[Floats, "axes", 9]
    origins: Annotated[Floats, "axes", 3]  # [m]
    motions: Annotated[Floats, "axes", 6]  # of unit rate, at the reference
    link_frames: Annotated[Floats, "links", 9]
    centres: Annotated[Floats, "links", 3]  # [m]
    # mass, first moment and inertia (xx, yy, zz, xy, xz, yz) at the reference, of the links behind each axis
    bulk: Annotated[Floats, "axes", 10]
    # motion and forces
    rates: Annotated[Floats, "axes", 6]  # velocity of what is behind the axis, at the reference
    changes: Annotated[Floats, "axes", 6]  # acceleration of it, gravity taken off
    own_changes: Annotated[Floats, "axes"]  # second derivative of the displacement
    forces: Annotated[Floats, "axes", 6]  # on it from its carrier, at the reference


@inner
def apply(m, k, x, y, z):
    """Return the matrix in row k of m times a vector."""
    return (
        m[k, 0] * x + m[k, 1] * y + m[k, 2] * z,
        m[k, 3] * x + m[k, 4] * y + m[k, 5] * z,
        m[k, 6] * x + m[k, 7] * y + m[k, 8] * z,
    )


@inner
def _product(a, i, b, j, out, k):
    """Write the product of two matrices; a row of -1 stands for the unit matrix."""
    if i < 0:
        for n in range(9):
            out[k, n] = b[j, n]
        return
    for r in range(3):
        for c in range(3):
            out[k, 3 * r + c] = (
                a[i, 3 * r] * b[j, c] + a[i, 3 * r + 1] * b[j, 3 + c] + a[i, 3 * r + 2] * b[j, 6 + c]
            )


@inner
def _turn(frames, k, direction, angle):
    """Turn the frame in row k about a direction of its own."""
    x, y, z = direction[k, 0], direction[k, 1], direction[k, 2]
    s, c = np.sin(angle), np.cos(angle)
    t = 1.0 - c
    a = (
        (t * x * x + c, t * x * y - s * z, t * x * z + s * y),
        (t * x * y + s * z, t * y * y + c, t * y * z - s * x),
        (t * x * z - s * y, t * y * z + s * x, t * z * z + c),
    )
    for r in range(3):
        u, v, w = frames[k, 3 * r], frames[k, 3 * r + 1], frames[k, 3 * r + 2]
        for n in range(3):
            frames[k, 3 * r + n] = u * a[0][n] + v * a[1][n] + w * a[2][n]


@kernel
def place_tree(tree: Tree, q: Floats) -> None:
    """Find where axes and links are at coordinates q (n,) [rad or m]."""
    frames, origins, reference = tree.frames, tree.origins, tree.reference
    for k in range(len(tree.carrier)):
        p = tree.carrier[k]
        _product(frames, p, tree.rotation, k, frames, k)
        x, y, z = tree.offset[k, 0], tree.offset[k, 1], tree.offset[k, 2]
        if p >= 0:
            x, y, z = apply(frames, p, x, y, z)
            x, y, z = x + origins[p, 0], y + origins[p, 1], z + origins[p, 2]
        d0, d1, d2 = apply(frames, k, tree.direction[k, 0], tree.direction[k, 1], tree.direction[k, 2])
        s = tree.slope[k] * q[tree.coordinate[k]] + tree.start[k]
        if tree.slides[k]:
            x, y, z = x + s * d0, y + s * d1, z + s * d2
        else:
            _turn(frames, k, tree.direction, s)
        origins[k, 0], origins[k, 1], origins[k, 2] = x, y, z
        # for what comes after the reference is known
        tree.motions[k, 0], tree.motions[k, 1], tree.motions[k, 2] = d0, d1, d2
    heaviest = 0
    for i in range(len(tree.holder)):
        p = tree.holder[i]
        _product(frames, p, tree.link_rotation, i, tree.link_frames, i)
        x, y, z = tree.link_place[i, 0], tree.link_place[i, 1], tree.link_place[i, 2]
        if p >= 0:
            x, y, z = apply(frames, p, x, y, z)
            x, y, z = x + origins[p, 0], y + origins[p, 1], z + origins[p, 2]
        tree.centres[i, 0], tree.centres[i, 1], tree.centres[i, 2] = x, y, z
        if tree.mass[i] > tree.mass[heaviest]:
            heaviest = i
    for n in range(3):  # near the bodies, so that far from the origin no digits are lost
        reference[n] = tree.centres[heaviest, n] if len(tree.holder) > 0 else 0.0
    _write_motions(tree)
    _write_bulk(tree)


@inner
def _write_motions(tree):
    motions, origins, reference = tree.motions, tree.origins, tree.reference
    for k in range(len(tree.carrier)):
        d0, d1, d2 = motions[k, 0], motions[k, 1], motions[k, 2]
        if tree.slides[k]:
            motions[k, 0] = motions[k, 1] = motions[k, 2] = 0.0
            motions[k, 3], motions[k, 4], motions[k, 5] = d0, d1, d2
        else:
            x, y, z = origins[k, 0] - reference[0], origins[k, 1] - reference[1], origins[k, 2] - reference[2]
            motions[k, 3], motions[k, 4], motions[k, 5] = cross(x, y, z, d0, d1, d2)


@inner
def add_point_mass(bulk, k, m, x, y, z):
    """Add to row k of `bulk` mass, its moments and its inertia about the reference: m [kg] at x, y, z [m]."""
    bulk[k, 0] += m
    bulk[k, 1] += m * x
    bulk[k, 2] += m * y
    bulk[k, 3] += m * z
    bulk[k, 4] += m * (y * y + z * z)
    bulk[k, 5] += m * (x * x + z * z)
    bulk[k, 6] += m * (x * x + y * y)
    bulk[k, 7] -= m * x * y
    bulk[k, 8] -= m * x * z
    bulk[k, 9] -= m * y * z


@inner
def _write_bulk(tree):
    bulk, reference = tree.bulk, tree.reference
    for k in range(len(bulk)):
        for n in range(10):
            bulk[k, n] = 0.0
    for i in range(len(tree.holder)):
        k = tree.holder[i]
        if k < 0:
            continue
        m, f = tree.mass[i], tree.link_frames
        x, y, z = (
            tree.centres[i, 0] - reference[0],
            tree.centres[i, 1] - reference[1],
            tree.centres[i, 2] - reference[2],
        )
        add_point_mass(bulk, k, m, x, y, z)
        for n in range(3):
            own, u, v, w = tree.inertia[i, n], f[i, n], f[i, 3 + n], f[i, 6 + n]
            bulk[k, 4] += own * u * u
            bulk[k, 5] += own * v * v
            bulk[k, 6] += own * w * w
            bulk[k, 7] += own * u * v
            bulk[k, 8] += own * u * w
            bulk[k, 9] += own * v * w
