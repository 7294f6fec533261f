"""Which narrow phase handles which kinds of shapes; those that few scenes need are loaded when they do."""

from collections.abc import Callable
from importlib import import_module

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase.native import NATIVE_KINDS, collide_native_pairs
from stoss.collision.shapes.kinds import HALFSPACE, MESH
from stoss.collision.shapes.shape_table import ShapeTable

__all__ = ["NarrowPhases"]

NarrowPhase = Callable[[np.ndarray, ShapeTable, float, Contacts], None]

# Convex pairs go through FCL with the backend "fcl" only: the kernel takes 3 to 9 us a pair instead of 11
# to 17, and for a quarter of random deep overlaps FCL's normal is not the one of least depth.
_NONE, _NATIVE, _HALFSPACE, _MESH, _CONVEX, _FCL = range(6)
_FUNCTIONS = {
    _HALFSPACE: ("stoss.collision.narrow_phase.half_space", "collide_halfspace_pairs"),
    _MESH: ("stoss.collision.narrow_phase.mesh", "collide_mesh_pairs"),
    _CONVEX: ("stoss.collision.narrow_phase.convex", "collide_convex_pairs"),
    _FCL: ("stoss.collision.narrow_phase.fcl_backend", "collide_fcl_pairs"),
}
_FEATURES = {
    _HALFSPACE: ("convex", "half-space"),
    _MESH: ("convex", "mesh"),
    _CONVEX: ("convex",),
    _FCL: ("convex", "fcl"),
}
_KIND_COUNT = 9


class NarrowPhases:
    """Send each pair of shapes to the narrow phase of their kinds.

    Args:
        backend: of the detector.
    """

    def __init__(self, backend: str) -> None:
        self._of_kinds = _phase_table(backend)
        self._loaded: dict[int, NarrowPhase] = {_NATIVE: collide_native_pairs}

    def are_native(self, kinds: np.ndarray) -> bool:
        """Return whether all pairs of these kinds of shapes go to `collide_native_pairs`, or to none."""
        phases = self._of_kinds[np.ix_(kinds, kinds)]
        return bool(np.isin(kinds, NATIVE_KINDS).all() and np.isin(phases, (_NATIVE, _NONE)).all())

    def features(self, kinds: np.ndarray) -> set[str]:
        """Return which kernels these kinds need beyond those of every world, see `kernels.prepare`."""
        phases = {int(n) for n in np.unique(self._of_kinds[np.ix_(kinds, kinds)])} & _FUNCTIONS.keys()
        for phase in phases:
            self._load(phase)
        return {feature for phase in phases for feature in _FEATURES[phase]}

    def collide(self, pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
        """Add the contacts of pairs (p, 2) to `contacts`, which are none, by rising shapes."""
        kinds = table.kind[pairs]
        phases = self._of_kinds[kinds[:, 0], kinds[:, 1]]
        parts = 0
        for phase in np.flatnonzero(np.bincount(phases)):
            if phase == _NONE:
                continue
            before = contacts.count
            self._load(int(phase))(np.ascontiguousarray(pairs[phases == phase]), table, margin, contacts)
            parts += contacts.count > before
        if parts > 1:
            count = contacts.count
            keys = (contacts.shape_a[:count] << 32) | contacts.shape_b[:count]
            contacts.take(np.argsort(keys, kind="stable"))  # a merge: each part is in order already

    def _load(self, number: int) -> NarrowPhase:
        if number not in self._loaded:
            module, name = _FUNCTIONS[number]
            self._loaded[number] = getattr(import_module(module), name)
        return self._loaded[number]


def _phase_table(backend: str) -> np.ndarray:
    """Return which narrow phase handles each pair of kinds (9, 9)."""
    phases = np.full((_KIND_COUNT, _KIND_COUNT), _FCL if backend == "fcl" else _CONVEX)
    phases[HALFSPACE, :] = phases[:, HALFSPACE] = _HALFSPACE
    native = [kind for kind in NATIVE_KINDS if backend == "native" or kind == HALFSPACE]
    for kind in native:
        for other in NATIVE_KINDS:
            # FCL crashes on distances to half-spaces, so those stay with the kernels
            phases[kind, other] = phases[other, kind] = _NATIVE
    phases[MESH, :] = phases[:, MESH] = _MESH
    fixed = np.ix_((HALFSPACE, MESH), (HALFSPACE, MESH))
    phases[fixed] = _NONE
    return phases
