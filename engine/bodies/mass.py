"""Mass properties: from shapes, or from given values; from a closed triangle mesh see `mass_of_mesh`.

The body frame of the engine has its origin at the centre of mass and its axes along the principal
axes of inertia (Bender 2007, section 3.1.1 and appendix D.1), so that the inertia tensor is three
numbers. `MassProperties` says where that frame lies in the frame in which the user gave the shapes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations, product
from math import sqrt
from typing import Any

import numpy as np

from stoss.collision.orientations import turns_of
from stoss.collision.plain_numbers import plain_floats
from stoss.collision.quaternions import (
    UNTURNED,
    Quaternion,
    Vector,
    conjugate,
    length,
    matrix,
    rotate_grouped,
)
from stoss.collision.shapes.faceted import ConvexHull
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.names import closed, takes_names

__all__ = ["MassProperties", "density_of", "from_shapes", "from_tensor", "from_values", "impossible"]

# Off-diagonal elements below this share of the trace are rounding: the given axes are principal axes.
# Above it (1e-10, say) real couplings would be dropped; below it rounding would turn the axes of a
# cube, whose principal axes are arbitrary.
DIAGONAL_SHARE = 1e-12

# A mass distribution has J_x + J_y >= J_z, with equality for flat bodies; a miss by this share of the
# largest moment is rounding.
TRIANGLE_SHARE = 1e-9

# The least share of the largest moment that is more than what rounding leaves of zero in a tensor.
ROUNDING_SHARE = 1e-14

# Elements across the diagonal may differ by this share of the largest element.
SYMMETRY_SHARE = 1e-9


Rows = tuple[Vector, Vector, Vector]  # of a matrix

# Orders of three axes with the sign of each permutation, and the signs that axes may have.
_ORDERS = tuple(zip(permutations(range(3)), (1.0, -1.0, -1.0, 1.0, 1.0, -1.0), strict=True))
_SIGNS = tuple(product((1.0, -1.0), repeat=3))


@closed
@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass and principal axes of a body, checked.

    Args:
        mass: [kg].
        center: (3,) centre of mass in the reference frame [m].
        inertia: (3,) principal moments of inertia [kg m^2].
        quaternion: (4,) unit quaternion, principal axes to reference frame.

    Raises:
        ValueError: a value is not finite, the mass or a moment is not positive, no mass
            distribution has these moments, or the quaternion is not of unit length.
    """

    mass: float
    center: np.ndarray
    inertia: np.ndarray
    quaternion: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checks.mass("mass", self.mass))
        for name, count in (("center", 3), ("inertia", 3), ("quaternion", 4)):
            given = getattr(self, name)
            if name == "quaternion" and given is not (turns := turns_of(given)):
                given = checks.unit_quaternion(name, given) if turns.shape != (4,) else turns
            numbers = plain_floats(given, count)
            array = checks.array(name, given, (count,)) if numbers is None else np.array(numbers)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        _check_moments(self.inertia.tolist())
        size = length(self.quaternion.tolist())
        if abs(size - 1.0) > 1e-9:
            raise ValueError(
                f"quaternion = {self.quaternion.tolist()} has length {size:.6g}; divide it by its length"
            )

    @property
    def axes(self) -> np.ndarray:
        """Return the principal axes as columns (3, 3), in the reference frame."""
        return np.array(matrix(tuple(self.quaternion.tolist())))

    @cached_property
    def frame(self) -> tuple[Vector, Quaternion]:
        """Return the pose of the reference frame in the frame of the principal axes."""
        turn = conjugate(tuple(self.quaternion.tolist()))
        x, y, z = rotate_grouped(turn, tuple(self.center.tolist()))
        return (-x, -y, -z), turn

    @property
    def tensor(self) -> np.ndarray:
        """Return the inertia tensor (3, 3) about the centre of mass, reference axes [kg m^2]."""
        axes = self.axes
        return (axes * self.inertia) @ axes.T


@takes_names
def from_shapes(
    placed: Sequence[Placed], *, density: float | None = None, mass: float | None = None
) -> MassProperties:
    """Return the mass properties of a body made of solid shapes of one density.

    Parts that overlap count twice in the overlap: leave no overlap, or give the values by
    `from_values`.

    Args:
        placed: shapes with their poses in the reference frame; at least one.
        density: [kg/m^3], or
        mass: of the whole body [kg].

    Raises:
        TypeError: an element of `placed` is not `Placed`.
        ValueError: there is no shape, one without volume, or not exactly one of density and mass.
    """
    if isinstance(placed, Placed):
        placed = (placed,)
    if not isinstance(placed, Iterable):
        raise TypeError(f"placed = {checks.shown(placed)} must be Placed shapes such as [Placed(shape)]")
    parts = tuple(placed)
    if not parts:
        raise ValueError(
            f"placed = {checks.shown(placed)}: no shapes given; give at least one, or use from_values"
        )
    for part in parts:
        if not isinstance(part, Placed):
            raise TypeError(
                f"placed = {checks.shown(placed)} holds a {type(part).__name__}; wrap shapes as Placed(shape)"
            )
    solid = _solid(parts)
    return solid.of_density(density_of(solid.volume, density, mass))


class _Solid:
    """What shapes of density 1 are together, and the mass properties of the density last asked for."""

    def __init__(self, volume: float, center: Vector, tensor: Rows) -> None:
        self.volume, self.center, self.tensor = volume, center, tensor
        self._last: tuple[float, MassProperties] | None = None

    def of_density(self, density: float) -> MassProperties:
        """Return the mass properties at a density [kg/m^3]; bodies that are alike share one object."""
        if self._last is None or self._last[0] != density:
            tensor = tuple([(density * x, density * y, density * z) for x, y, z in self.tensor])
            self._last = density, from_tensor(density * self.volume, self.center, tensor)
        return self._last[1]


def _solid(parts: tuple[Placed, ...]) -> _Solid:
    """Return volume, centre of mass and inertia tensor of shapes of density 1; those of series are kept.

    Hulls are kept by their content: a cache must not keep geometry alive that nobody else needs.
    """
    series = _Series(parts)
    solid = _sum(series)
    series.parts = ()
    return solid


class _Series:
    """Shapes that are equal to others of the same content; `parts` are there while they are needed."""

    def __init__(self, parts: tuple[Placed, ...]) -> None:
        self.parts = parts
        self._key = tuple([(_what(part.shape), part.position, part.quaternion) for part in parts])

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Series) and self._key == other._key


def _what(shape: Shape) -> Any:
    return shape.content if isinstance(shape, ConvexHull) else shape


# Bodies come in series of the same shapes. The number bounds the memory alone.
@lru_cache(maxsize=256)
def _sum(series: _Series) -> _Solid:
    """Return volume, centre of mass and inertia tensor of shapes of density 1."""
    parts = series.parts
    volume, center = 0.0, (0.0, 0.0, 0.0)
    solids = []
    for part in parts:
        v, c, moments = part.shape.volume, *_placed_moments(part)
        solids.append((v, c, moments))
        volume += v
        center = center[0] + v * c[0], center[1] + v * c[1], center[2] + v * c[2]
    center = center[0] / volume, center[1] / volume, center[2] / volume
    # parallel axes: J = sum J_i + m_i (|d|^2 E - d d^T), d from the common centre of mass
    tensor = [[0.0] * 3 for _ in range(3)]
    for v, c, moments in solids:
        d = c[0] - center[0], c[1] - center[1], c[2] - center[2]
        square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
        for i in range(3):
            for j in range(3):
                tensor[i][j] += moments[i][j] + v * (square * (i == j) - d[i] * d[j])
    x, y, z = tensor
    return _Solid(volume, center, ((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2])))


def _placed_moments(part: Placed) -> tuple[Vector, Rows]:
    """Return the centroid of a part and its inertia tensor about it for density 1, reference axes."""
    shape, (px, py, pz) = part.shape, part.position
    if part.quaternion == UNTURNED:
        x, y, z = shape.centroid.tolist()
        hull = isinstance(shape, ConvexHull)
        rows = shape.second_moment.tolist() if hull else _diagonal(shape.axis_moments)
    else:
        turn = np.array(matrix(part.quaternion))
        x, y, z = (turn @ shape.centroid).tolist()
        rows = (turn @ shape.second_moment @ turn.T).tolist()
    return (x + px, y + py, z + pz), rows


def _diagonal(v: Vector) -> Rows:
    return (v[0], 0.0, 0.0), (0.0, v[1], 0.0), (0.0, 0.0, v[2])


@takes_names
def from_values(
    mass: float, inertia: Any, center: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0)
) -> MassProperties:
    """Return mass properties from given numbers.

    Args:
        mass: [kg].
        inertia: (3,) principal moments about the axes of the reference frame, or (3, 3) inertia
            tensor, about the centre of mass in both cases [kg m^2].
        center: (3,) centre of mass in the reference frame [m].

    Raises:
        ValueError: a value is not finite or not possible for a mass distribution.
    """
    mass, middle = checks.positive("mass", mass, "kg"), checks.vector("center", center)
    values = checks.float_array("inertia", inertia, "3 moments or a tensor (3, 3)")
    if values.ndim == 1:
        return MassProperties(mass, middle, checks.array("inertia", inertia, (3,)), np.array(UNTURNED))
    values = checks.array("inertia", inertia, (3, 3))
    if np.abs(values - values.T).max() > SYMMETRY_SHARE * np.abs(values).max():
        raise ValueError(
            f"inertia = {values.tolist()}: the tensor is not symmetric; both products of inertia of a pair "
            "of axes are the same number"
        )
    return from_tensor(mass, middle, (0.5 * (values + values.T)).tolist())


def density_of(volume: float, density: float | None, mass: float | None) -> float:
    """Return the density [kg/m^3] from the one of the two that is given."""
    if (density is None) == (mass is None):
        raise ValueError(
            f"density = {checks.shown(density)}, mass = {checks.shown(mass)}; give exactly one of them"
        )
    if density is not None:
        found = checks.positive("density", density, "kg/m^3")
        if not checks.LIGHTEST <= found * volume <= checks.HEAVIEST:
            raise ValueError(
                f"density = {checks.shown(density)} makes {found * volume:g} kg of {volume:g} m^3; "
                f"give one that makes {checks.LIGHTEST:g} to {checks.HEAVIEST:g} kg"
            )
        return found
    return checks.mass("mass", mass) / volume


def from_tensor(mass: float, center: Any, tensor: Sequence[Sequence[float]]) -> MassProperties:
    """Return mass properties with principal axes; `tensor` is symmetric, about the centre of mass."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    if max(abs(xy), abs(xz), abs(yz)) <= DIAGONAL_SHARE * (xx + yy + zz):
        return MassProperties(mass, center, np.array((xx, yy, zz)), np.array(UNTURNED))
    values, vectors = np.linalg.eigh(np.array(tensor))
    moments, axes = values.tolist(), vectors.tolist()
    _check_moments(moments)
    # Axes have no order and no sign. Of the 24 right-handed choices take the one nearest to the
    # reference axes (largest trace): small couplings then give small turns. No rotation is further
    # than 63 degrees from one of the 24, so w is above 0.85 and needs no case distinction.
    handed = float(np.linalg.det(vectors))
    best, order, signs = -np.inf, _ORDERS[0][0], _SIGNS[0]
    for (a, b, c), parity in _ORDERS:
        for p, q, r in _SIGNS:
            trace = axes[0][a] * p + axes[1][b] * q + axes[2][c] * r
            if trace > best and parity * p * q * r * handed > 0.0:
                best, order, signs = trace, (a, b, c), (p, q, r)
    columns = [[row[k] * sign for k, sign in zip(order, signs, strict=True)] for row in axes]
    w = 0.5 * sqrt(1.0 + best)
    x = (columns[2][1] - columns[1][2]) / (4.0 * w)
    y = (columns[0][2] - columns[2][0]) / (4.0 * w)
    z = (columns[1][0] - columns[0][1]) / (4.0 * w)
    size = length((w, x, y, z))
    return MassProperties(
        mass,
        center,
        np.array([moments[k] for k in order]),
        np.array((w / size, x / size, y / size, z / size)),
    )


def impossible(moments: Sequence[float]) -> str:
    """Return why no body that turns has these principal moments (3,) [kg m^2], "" if one can."""
    x, y, z = moments
    largest = max(x, y, z)
    if not min(x, y, z) > 0.0:
        return "principal moments are not all positive; a body that turns needs three above zero [kg m^2]"
    if min(x, y, z) < ROUNDING_SHARE * largest:
        return (
            "the smallest of the principal moments is what rounding leaves of zero, beside the largest; a "
            "body that turns needs some thickness: give it a larger one"
        )
    if x + y + z - 2.0 * largest < -TRIANGLE_SHARE * largest:
        return (
            "of the principal moments the largest exceeds the sum of the other two; no distribution of mass "
            "has them: check units and axes"
        )
    return ""


def _check_moments(moments: Sequence[float]) -> None:
    """Raise unless some distribution of mass has these principal moments."""
    why = impossible(moments)
    if why:
        raise ValueError(f"inertia = {list(moments)}: {why}")
