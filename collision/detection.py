"""Detection in one call, for all shapes and pairs that kernels know: all but those of FCL."""

from typing import Annotated

import numpy as np

from stoss.collision.broad_phase.find_pairs import OVERLAPPING, BroadPhase, KnownPairs, find_again
from stoss.collision.contacts import ContactArrays, Contacts, free_small_faces
from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats2, Ints
from stoss.collision.narrow_phase.box_pair import BoxScratch
from stoss.collision.narrow_phase.mixed import ALL_NATIVE, MixedScratch, collide_mixed
from stoss.collision.narrow_phase.native import collide_pairs
from stoss.collision.narrow_phase.seams import Seams, SeamScratch, judge_seams
from stoss.collision.shapes.polyhedra import PolyhedronArrays
from stoss.collision.shapes.shape_table import ShapeArrays, ShapeTable, place_shapes

__all__ = ["Detection", "DetectionInOneCall", "detect_natively"]

# What `detect_natively` asks for in place of a number of contacts.
NEW_SEARCH, MORE_ROOM = -1, -2


class Detection(Struct):
    """All that a detection works on but the poses."""

    shapes: ShapeArrays
    solids: PolyhedronArrays
    known: KnownPairs
    movable: Annotated[Bools, "bodies"]  # which bodies can move
    excluded: Annotated[Ints, "pairs"]  # sorted keys of body pairs
    scratch: BoxScratch
    mixed: MixedScratch  # empty unless there are other shapes than `collide_pairs` knows
    seams: SeamScratch
    contacts: ContactArrays
    margin: float  # largest gap to report [m]
    has_pieces: bool  # whether any surface may be made of several shapes
    inert: bool  # whether no shape may touch any other


@kernel
def detect_natively(d: Detection, positions: Floats2, quaternions: Floats2, searched: bool) -> int:
    """Find all contacts; see `Detector.detect`.

    Args:
        d: what is known of shapes and pairs.
        positions, quaternions: of the bodies [m].
        searched: whether all pairs of these poses were just searched.

    Returns:
        How many contacts there are, NEW_SEARCH if all pairs are to be searched first, or MORE_ROOM if there
        are more than `contacts` has room for: then it is to be called again.
    """
    if d.inert:
        return 0
    shapes, known = d.shapes, d.known
    # each of the two bounds takes half of the margin
    margin = 0.5 * d.margin
    if not searched:
        place_shapes(positions, quaternions, margin, d.solids, shapes)
        if not find_again(shapes, d.movable, d.excluded, margin, known):
            return NEW_SEARCH
    pairs = known.lists.overlapping[: known.counts[OVERLAPPING]]
    if len(d.mixed.phase_of) > 0:
        done, count = collide_mixed(pairs, 0, shapes, d.margin, d.mixed, d.contacts, 0)
    else:
        done, count = collide_pairs(pairs, 0, shapes, d.margin, d.scratch, d.contacts, 0)
    if done < len(pairs):
        return MORE_ROOM
    if d.has_pieces and count > 1:
        count = judge_seams(d.contacts, count, d.movable, shapes, d.solids, d.seams)
    free_small_faces(d.contacts, count, shapes.bounding_radius)
    return count


class DetectionInOneCall:
    """Make detections in one call, but for searches of all pairs; keeps what they work on.

    Args:
        table: the shapes.
        contacts: receives the contacts.
        broad_phase, seams: what is known of pairs and between contacts.
    """

    def __init__(self, table: ShapeTable, contacts: Contacts, broad_phase: BroadPhase, seams: Seams) -> None:
        self._table, self._contacts = table, contacts
        self._broad_phase, self._seams = broad_phase, seams
        self._has_pieces = self._inert = False
        self._scratch, self._mixed = BoxScratch.new(), ALL_NATIVE
        self._detection: Detection | None = None

    def review(self, has_pieces: bool, inert: bool, phase_of: np.ndarray | None, meshes: bool) -> None:
        """Take note of other shapes.

        Args:
            has_pieces: whether surfaces may be made of several.
            inert: whether none may touch.
            phase_of: `NarrowPhases.of_kinds`; None if `collide_pairs` knows all shapes.
            meshes: whether there are any.
        """
        self._has_pieces, self._inert = has_pieces, inert
        if phase_of is None:
            self._mixed = ALL_NATIVE
        elif len(self._mixed.phase_of) == 0:
            self._mixed = MixedScratch.of(phase_of, self._scratch, self._table.polyhedra.arrays)
        if meshes and phase_of is not None:
            self._mixed.need_meshes()
        if self._detection is not None:
            self._detection.has_pieces, self._detection.inert = has_pieces, inert
            self._detection.mixed = self._mixed

    def known(self, bodies: int, margin: float, excluded: np.ndarray) -> Detection | None:
        """Return what `detect_natively` works on if it may be called at once; arguments as of `detect`."""
        d = self._detection
        if d is None or len(d.movable) != bodies:
            return None
        if d.inert:
            return d
        known = margin == d.margin and excluded is d.excluded
        return d if known and self._broad_phase.knows(self._table, excluded, 0.5 * margin) else None

    def detect(
        self,
        positions: np.ndarray,
        quaternions: np.ndarray,
        movable: np.ndarray,
        margin: float,
        excluded: np.ndarray,
    ) -> None:
        """Find contacts; see `Detector.detect`."""
        table, search, half = self._table, self._broad_phase, 0.5 * margin
        d = self.prepare(movable, margin, excluded)
        count = NEW_SEARCH
        if search.knows(table, excluded, half):
            count = detect_natively(d, positions, quaternions, False)
        else:
            table.update(positions, quaternions, half)
        if count == NEW_SEARCH:
            search.search(table, d.movable, excluded, half)
            count = detect_natively(d, positions, quaternions, True)
        while count == MORE_ROOM:
            self._contacts.reserve(2 * self._contacts.capacity)
            self._seams.reserve(table.count, self._contacts.capacity)
            count = detect_natively(d, positions, quaternions, True)
        self._contacts.count = int(count)

    def prepare(self, movable: np.ndarray, margin: float, excluded: np.ndarray) -> Detection:
        """Return all that a detection in one call works on, one struct for good."""
        table = self._table
        if self._detection is None:
            self._detection = Detection(
                table.arrays,
                table.polyhedra.arrays,
                self._broad_phase.arrays,
                movable.copy(),
                excluded,
                self._scratch,
                self._mixed,
                self._seams.scratch,
                self._contacts.arrays,
                margin,
                self._has_pieces,
                self._inert,
            )
        d = self._detection
        if len(d.movable) != len(movable):
            d.movable = np.zeros(len(movable), np.bool_)
        d.movable[:] = movable
        if d.excluded is not excluded:
            d.excluded = excluded
        if d.margin != margin:
            d.margin = margin
        self._seams.reserve(table.count, self._contacts.capacity)
        return d
