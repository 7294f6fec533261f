"""Which narrow phase handles which kinds of shapes."""

from collections.abc import Callable
from importlib import import_module

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.narrow_phase.convex import collide_convex_pairs
from stoss.collision.narrow_phase.half_space import collide_halfspace_pairs
from stoss.collision.narrow_phase.mesh import collide_mesh_pairs
from stoss.collision.narrow_phase.native import NATIVE_KINDS, collide_native_pairs
from stoss.collision.shapes.kinds import HALFSPACE, MESH
from stoss.collision.shapes.shape_table import ShapeTable

__all__ = ["HALFSPACE_PHASE", "KIND_COUNT", "MESH_PHASE", "NATIVE_PHASE", "NO_PHASE", "NarrowPhases"]

NarrowPhase = Callable[[np.ndarray, ShapeTable, float, Contacts], None]

# Convex pairs go through FCL with the backend "fcl" only: the kernel takes 3 to 9 us a pair instead of 11
# to 17, and for a quarter of random deep overlaps FCL's normal is not the one of least depth.
NO_PHASE, NATIVE_PHASE, HALFSPACE_PHASE, MESH_PHASE, _CONVEX, _FCL = range(6)
_FEATURES = {
    HALFSPACE_PHASE: ("convex", "half-space"),
    MESH_PHASE: ("convex", "mesh"),
    _CONVEX: ("convex",),
    _FCL: ("convex", "fcl"),
}
KIND_COUNT = 9


class NarrowPhases:
    """Send each pair of shapes to the narrow phase of their kinds.

    Args:
        backend: of the detector.

    Attributes:
        of_kinds: (9, 9) the narrow phase of each pair of kinds.
    """

    def __init__(self, backend: str) -> None:
        self.of_kinds = _phase_table(backend)
        self._functions: dict[int, NarrowPhase] = {
            NATIVE_PHASE: collide_native_pairs,
            HALFSPACE_PHASE: collide_halfspace_pairs,
            MESH_PHASE: collide_mesh_pairs,
            _CONVEX: collide_convex_pairs,
        }

    def are_native(self, kinds: np.ndarray) -> bool:
        """Return whether all pairs of these kinds of shapes go to `collide_native_pairs`, or to none."""
        phases = self.of_kinds[np.ix_(kinds, kinds)]
        return bool(np.isin(kinds, NATIVE_KINDS).all() and np.isin(phases, (NATIVE_PHASE, NO_PHASE)).all())

    def need_fcl(self, kinds: np.ndarray) -> bool:
        """Return whether any pair of these kinds of shapes goes to FCL, all of whose calls Python makes."""
        return bool((self.of_kinds[np.ix_(kinds, kinds)] == _FCL).any())

    def features(self, kinds: np.ndarray) -> set[str]:
        """Return which kernels these kinds need beyond those of every world, see `kernels.prepare`."""
        phases = {int(n) for n in np.unique(self.of_kinds[np.ix_(kinds, kinds)])} & _FEATURES.keys()
        for phase in phases:
            self._load(phase)
        return {feature for phase in phases for feature in _FEATURES[phase]}

    def collide(self, pairs: np.ndarray, table: ShapeTable, margin: float, contacts: Contacts) -> None:
        """Add the contacts of pairs (p, 2) to `contacts`, which are none, by rising shapes."""
        kinds = table.kind[pairs]
        phases = self.of_kinds[kinds[:, 0], kinds[:, 1]]
        parts = 0
        for phase in np.flatnonzero(np.bincount(phases)):
            if phase == NO_PHASE:
                continue
            before = contacts.count
            self._load(int(phase))(np.ascontiguousarray(pairs[phases == phase]), table, margin, contacts)
            parts += contacts.count > before
        if parts > 1:
            count = contacts.count
            keys = (contacts.shape_a[:count] << 32) | contacts.shape_b[:count]
            contacts.take(np.argsort(keys, kind="stable"))  # a merge: each part is in order already

    def _load(self, phase: int) -> NarrowPhase:
        if phase not in self._functions:  # python-fcl is needed only with this backend
            module = import_module("stoss.collision.narrow_phase.fcl_backend")
            self._functions[phase] = module.collide_fcl_pairs
        return self._functions[phase]


def _phase_table(backend: str) -> np.ndarray:
    """Return which narrow phase handles each pair of kinds (9, 9)."""
    phases = np.full((KIND_COUNT, KIND_COUNT), _FCL if backend == "fcl" else _CONVEX)
    phases[HALFSPACE, :] = phases[:, HALFSPACE] = HALFSPACE_PHASE
    native = [kind for kind in NATIVE_KINDS if backend == "native" or kind == HALFSPACE]
    for kind in native:
        for other in NATIVE_KINDS:
            # FCL crashes on distances to half-spaces, so those stay with the kernels
            phases[kind, other] = phases[other, kind] = NATIVE_PHASE
    phases[MESH, :] = phases[:, MESH] = MESH_PHASE
    fixed = np.ix_((HALFSPACE, MESH), (HALFSPACE, MESH))
    phases[fixed] = NO_PHASE
    return phases
