"""Collision detection of a whole world: candidate pairs, then contacts.

The three phases of Bender 2007, section 4.4: bounds (`broad_phase`), closest features with normal and
gap, contact manifold (the latter two together, in the narrow phase of each kind of pair).
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.broad_phase.find_pairs import BroadPhase, pair_keys
from stoss.collision.contacts import Contacts, free_small_faces
from stoss.collision.detection import Detection, DetectionInOneCall
from stoss.collision.narrow_phase.phases import NarrowPhases
from stoss.collision.narrow_phase.seams import PIECES, Seams
from stoss.collision.plain_numbers import choice, float_array, number, shown, whole
from stoss.collision.shapes.kinds import MESH
from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shape_table import ShapeTable
from stoss.collision.shapes.shapes import Shape
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.collision.broad_phase.fcl_tree import FclTree

__all__ = ["BACKENDS", "Detector"]

BACKENDS = ("native", "fcl")

NO_PAIRS = np.empty((0, 2), np.int64)


@closed
class Detector:
    """Hold the shapes of a world and report their contacts.

    Args:
        backend: "native": compiled kernels for all pairs; "fcl": FCL finds the pairs, and the normals of
            solids, the check on the kernels (half-spaces and meshes stay with the kernels).

    Attributes:
        table: the shapes.
        contacts: the contacts of the last detection.

    Raises:
        ValueError: `backend` is not known.
    """

    backend: str
    table: ShapeTable
    contacts: Contacts

    def __init__(self, backend: str = "native") -> None:
        self.backend = choice("backend", backend, BACKENDS)
        self.table = ShapeTable()
        self.contacts = Contacts()
        self._pairs: np.ndarray | None = NO_PAIRS  # None: those of the broad phase
        self._broad_phase = BroadPhase()
        self._tree = _fcl_tree() if self.backend == "fcl" else None
        self._seams = Seams()
        self._in_one_call = DetectionInOneCall(self.table, self.contacts, self._broad_phase, self._seams)
        self._has_pieces = False  # whether any surface may be made of several shapes
        self._movable: np.ndarray | None = None  # bodies, as the last detection was told
        self._excluded: set[tuple[int, int]] = set()
        self._excluded_keys: np.ndarray | None = None  # made when next needed
        self._needs_fcl = False
        self._most_shapes = 0  # since the broad phase was made
        self._inert = False  # whether no shape may touch any other
        self._known_version = -1
        self._phases = NarrowPhases(self.backend)

    def add_shape(
        self,
        shape: Shape | Placed,
        body: int,
        position: Any = (0.0, 0.0, 0.0),
        quaternion: Any = (1.0, 0.0, 0.0, 0.0),
        group: int = 1,
        mask: int = -1,
    ) -> int:
        """Give a body a shape and return the shape's row.

        Args:
            shape: the shape; a `Placed` brings its own pose.
            body: number of the body, from 0.
            position: the shape's origin in the body's frame (3,) [m].
            quaternion: the shape's orientation (w, x, y, z), shape to body, unit length.
            group: bits of the groups the shape belongs to.
            mask: bits of the groups the shape may touch; -1 means all.

        Raises:
            TypeError: `shape` is no shape.
            ValueError: a pose is given twice, is not finite or not of unit length; `body` is negative.
        """
        if isinstance(shape, Placed):
            given = {"position": position, "quaternion": quaternion}
            for name, usual in (("position", (0.0, 0.0, 0.0)), ("quaternion", (1.0, 0.0, 0.0, 0.0))):
                if given[name] is not usual and not np.array_equal(given[name], usual):
                    raise ValueError(
                        f"{name} = {shown(given[name])}: shape is a Placed, which has a pose; leave it out"
                    )
            placed = shape
            return self.table.add(placed.shape, body, placed.position, placed.quaternion, group, mask)
        return self.table.add(shape, body, position, quaternion, group, mask)

    def repeat_body(self, body: int, copies: int) -> None:
        """Give the `copies` bodies after `body`, the last one with shapes, the same shapes.

        Raises:
            TypeError, ValueError: no whole numbers, or no such body.
        """
        owners = self.table.body[: self.table.count]
        body, copies = whole("body", body), whole("copies", copies, most=2**31 - 1)
        if len(owners) == 0 or body != owners.max():
            raise ValueError(f"body = {body} must be the last one that has shapes")
        self.table.repeat(int(np.flatnonzero(owners == body)[0]), copies)

    def remove_body(self, body: int) -> None:
        """Drop a body's shapes and exclusions; bodies with higher numbers move down by one."""
        self.remove_bodies(np.array([whole("body", body)]))

    def remove_bodies(self, bodies: np.ndarray) -> None:
        """Drop the shapes and exclusions of bodies (ascending numbers); those behind move down, in order.

        Raises:
            TypeError, ValueError: no ascending whole numbers from 0.
        """
        bodies = _checked_bodies(bodies)
        self._most_shapes = max(self._most_shapes, self.table.count)
        self.table.remove_bodies(bodies)
        if 4 * self.table.count < self._most_shapes:  # give the memory back that so many needed
            self._most_shapes = self.table.count
            self.contacts, self._broad_phase, self._seams = Contacts(), BroadPhase(), Seams()
            self._in_one_call = DetectionInOneCall(self.table, self.contacts, self._broad_phase, self._seams)
        if self._excluded:
            pairs = np.array(sorted(self._excluded))
            pairs = pairs[~np.isin(pairs, bodies).any(axis=1)]
            pairs -= np.searchsorted(bodies, pairs)
            self._excluded = set(map(tuple, pairs.tolist()))
        self._excluded_keys = None

    def exclude(self, body_i: int, body_j: int) -> None:
        """Let two bodies pass through each other.

        Args:
            body_i, body_j: rows of two bodies.

        Raises:
            ValueError: the bodies are the same, or a number is negative.
        """
        body_i, body_j = whole("body_i", body_i), whole("body_j", body_j)
        if body_i == body_j:
            raise ValueError(f"body_j = {body_j} is body_i; give two different numbers from 0")
        self._excluded.add((min(body_i, body_j), max(body_i, body_j)))
        self._excluded_keys = None

    def include(self, body_i: int, body_j: int) -> None:
        """Let two bodies touch again after `exclude`; no effect if they were not excluded.

        Args:
            body_i, body_j: rows of two bodies.
        """
        body_i, body_j = whole("body_i", body_i), whole("body_j", body_j)
        self._excluded.discard((min(body_i, body_j), max(body_i, body_j)))
        self._excluded_keys = None

    @property
    def excluded(self) -> set[tuple[int, int]]:
        """Return the excluded body pairs, smaller number first (a copy)."""
        return set(self._excluded)

    @property
    def excluded_keys(self) -> np.ndarray:
        """Return the excluded pairs as sorted keys, see `pair_keys`; the same array until they change."""
        if self._excluded_keys is None:
            self._excluded_keys = pair_keys(np.array(sorted(self._excluded), np.int64).reshape(-1, 2))
        return self._excluded_keys

    def detect(
        self,
        body_positions: np.ndarray,
        body_quaternions: np.ndarray,
        movable: np.ndarray,
        margin: float,
    ) -> Contacts:
        """Return the contacts with gap <= margin, sorted by (shape_a, shape_b).

        Args:
            body_positions: (n, 3) [m].
            body_quaternions: (n, 4) unit quaternions (w, x, y, z).
            movable: (n,) which bodies can move; pairs of others are left out.
            margin: largest gap to report [m], at least 0.

        Returns:
            `contacts`, whose arrays the next detection overwrites.

        Raises:
            ValueError: an array has the wrong shape or names too few bodies, or the margin is negative.
        """
        table, contacts = self.table, self.contacts
        # one layout, so that each kernel is compiled once
        positions = _plain("body_positions", body_positions, np.float64)
        quaternions = _plain("body_quaternions", body_quaternions, np.float64)
        free = _plain("movable", movable, np.bool_)
        if type(margin) is not float or not 0.0 <= margin < np.inf:
            margin = number("margin", margin, "m", least=0.0)
        if table.version != self._known_version:
            self._review_shapes()
        bodies = len(positions) if positions.ndim else 0
        if positions.shape != (bodies, 3) or quaternions.shape != (bodies, 4) or free.shape != (bodies,):
            raise ValueError(
                f"body_positions, body_quaternions, movable have the shapes {positions.shape}, "
                f"{quaternions.shape}, {free.shape}; give (n, 3), (n, 4), (n,), not {shown(body_positions)}, "
                f"{shown(body_quaternions)}, {shown(movable)}"
            )
        if bodies < self._body_count:
            raise ValueError(
                f"body_positions = {shown(body_positions)} has {bodies} rows, but shapes belong to bodies up "
                f"to {self._body_count - 1}; pass all bodies, or remove_body those that are gone"
            )
        self._movable = free
        if self._inert or not free.any():
            self._in_one_call.prepare(free, margin, self.excluded_keys)
            contacts.count, self._pairs = 0, NO_PAIRS
            return contacts
        if not self._needs_fcl:
            self._pairs = None
            self._in_one_call.detect(positions, quaternions, free, margin, self.excluded_keys)
            return contacts
        assert self._tree is not None
        # each of the two bounds takes half of the margin
        table.update(positions, quaternions, 0.5 * margin)
        return self._collide(self._tree.find(table, free, self.excluded_keys, 0.5 * margin), margin)

    @property
    def pairs(self) -> np.ndarray:
        """Return the candidate pairs (p, 2) of the last detection."""
        return self._broad_phase.overlapping if self._pairs is None else self._pairs

    def known_detection(self, bodies: int, margin: float) -> Detection | None:
        """Return what a detection in one call works on, None if more is to be done first; see `detection`.

        Args:
            bodies: number of bodies.
            margin: largest gap to report [m].
        """
        if self.table.version != self._known_version or (self._needs_fcl and not self._inert):
            return None
        return self._in_one_call.known(bodies, margin, self.excluded_keys)

    def collide(self, pairs: np.ndarray, margin: float) -> Contacts:
        """Return the contacts of given pairs with gap <= margin, sorted by (shape_a, shape_b).

        Args:
            pairs: (p, 2) rows of the table, first below second, sorted; the table must be up to date.
            margin: largest gap to report [m], at least 0.

        Raises:
            TypeError, ValueError: no such pairs, or no such margin.
        """
        rows = _checked_pairs(pairs, self.table.count)
        return self._collide(rows, number("margin", margin, "m", least=0.0))

    def _collide(self, pairs: np.ndarray, margin: float) -> Contacts:
        """Return the contacts of pairs as the broad phase finds them."""
        if self.table.version != self._known_version:
            self._review_shapes()
        self._pairs = pairs
        self.contacts.count = 0
        self._phases.collide(pairs, self.table, margin, self.contacts)
        if self._has_pieces and self.contacts.count > 1:
            self._seams.judge(self.contacts, self._who_moves(), self.table)
        free_small_faces(self.contacts.arrays, self.contacts.count, self.table.bounding_radius)
        return self.contacts

    def _who_moves(self) -> np.ndarray:
        if self._movable is None or len(self._movable) < self._body_count:
            self._movable = np.ones(self._body_count, np.bool_)
        return self._movable

    def features(self) -> set[str]:
        """Return which kernels the shapes need beyond those of every world, see `kernels.prepare`."""
        return self._phases.features(np.unique(self.table.kind[: self.table.count]))

    def _review_shapes(self) -> None:
        table = self.table
        kinds = np.unique(table.kind[: table.count])
        self._needs_fcl = self._phases.need_fcl(kinds)
        phase_of = None if self._needs_fcl or self._phases.are_native(kinds) else self._phases.of_kinds
        self._has_pieces = bool(np.isin(kinds, PIECES).any()) and table.count > 2
        self._body_count = int(table.body[: table.count].max(initial=-1)) + 1
        groups = int(np.bitwise_or.reduce(table.group[: table.count], initial=0))
        self._inert = not (table.mask[: table.count] & groups).any()
        self._known_version = table.version
        self._in_one_call.review(self._has_pieces, self._inert, phase_of, MESH in kinds)


def _checked_bodies(bodies: Any) -> np.ndarray:
    """Return ascending numbers of bodies.

    Raises:
        TypeError, ValueError: they are none.
    """
    try:
        rows = np.array(bodies)
    except ValueError:
        rows = np.array(None)
    if rows.size == 0 and rows.ndim == 1:
        return np.zeros(0, np.int64)
    if rows.dtype.kind not in "iu":
        raise TypeError(f"bodies = {shown(bodies)} must be whole numbers")
    if rows.ndim != 1 or rows[0] < 0 or (np.diff(rows) <= 0).any():
        raise ValueError(f"bodies = {shown(bodies)} must be ascending numbers from 0, in a row")
    return rows.astype(np.int64)


def _fcl_tree() -> "FclTree":
    from stoss.collision.broad_phase.fcl_tree import FclTree  # python-fcl is needed only with this backend

    return FclTree()


def _checked_pairs(pairs: Any, count: int) -> np.ndarray:
    """Return pairs (p, 2) of `count` shapes.

    Raises:
        TypeError, ValueError: no whole numbers, another shape, no such shapes, or not in order.
    """
    try:
        rows = np.array(pairs)
    except ValueError:
        rows = np.array(None)
    if rows.size == 0 and rows.dtype.kind == "f":
        rows = np.zeros((0, 2), np.int64)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise ValueError(f"pairs = {shown(pairs)} has shape {rows.shape}; give rows of two shapes (p, 2)")
    if rows.dtype.kind not in "iu":
        raise TypeError(f"pairs = {shown(pairs)} has type {rows.dtype}; give whole numbers")
    if len(rows) and not (rows.min() >= 0 and rows.max() < count and (rows[:, 0] < rows[:, 1]).all()):
        raise ValueError(
            f"pairs = {shown(pairs)} must be rows of two of {count} shapes from 0, the first below the second"
        )
    rows = np.ascontiguousarray(rows, np.int64)
    if (np.diff(rows[:, 0] * count + rows[:, 1]) <= 0).any():
        raise ValueError(f"pairs = {shown(pairs)} must be sorted, each pair once")
    return rows


def _plain(name: str, array: Any, dtype: type) -> np.ndarray:
    """Return the array itself if it is C-contiguous, writable and of that type, else a copy that is.

    Raises:
        TypeError: no numbers, or no truth values.
    """
    if type(array) is not np.ndarray or array.dtype != dtype:
        try:
            found = float_array(array) if dtype is np.float64 else np.array(array)
            if found.dtype.kind not in "fbiu":
                raise TypeError
            array = found.astype(dtype)
        except (TypeError, ValueError):
            wanted = "numbers" if dtype is np.float64 else "truth values"
            raise TypeError(f"{name} = {shown(array)} must be {wanted}") from None
    array = np.ascontiguousarray(array)
    return array if array.flags.writeable else array.copy()
