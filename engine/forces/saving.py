"""Loads in snapshots."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stoss.engine.forces.integrals import Integral
from stoss.engine.forces.load import Load
from stoss.engine.forces.rows import RowPlace
from stoss.engine.world.load_kind import SavedLoads

if TYPE_CHECKING:
    from stoss.engine.forces.store import LoadStore

__all__ = ["restore_loads", "saved_loads"]


def saved_loads(store: "LoadStore") -> SavedLoads:
    """Return all that loads and user integrals are and remember."""
    store.arrange()
    states = store.table.states()
    states |= {key: array.copy() for key, array in store.functions.scratch.items()}
    own, step = store.integrals, store.stepping
    return SavedLoads(
        records=tuple(store.registry.records),
        next_key=store.registry.next_key,
        kinds=dict(store.kinds),
        enabled=dict(store.enabled),
        states=states,
        rows={key: (place.joint, place.drives, place.own) for key, place in store.rows.places.items()},
        energies=dict(store.energies),
        warned=frozenset(step.warned),
        integrals=tuple(own.registry.records),
        next_integral=own.registry.next_key,
        values={key: value.copy() for key, value in own.values.items()},
        rates={key: value.copy() for key, value in own.rates.items()},
        accelerations=step.motion.accelerations.copy(),
        applied=step.applied.copy(),
        asleep=step.asleep.copy(),
    )


def restore_loads(
    store: "LoadStore",
    saved: SavedLoads,
    handles: Sequence[Load] | None = None,
    integrals: Sequence[Integral] | None = None,
) -> None:
    """Return to saved loads; bodies and joints are in place.

    Args:
        store: the loads.
        saved: the state.
        handles, integrals: of these; None: new ones for those that are not here.

    Raises:
        ValueError: a function is not known here: a file holds its name alone.
    """
    kinds, records = store.functions.with_functions(saved)
    next_key = max(saved.next_key, store.registry.next_key)
    store.registry.replace(saved.records, next_key, store.handle, handles)
    store.kinds, store.enabled = kinds, dict(saved.enabled)
    store.rows.places = {key: RowPlace(*place) for key, place in saved.rows.items()}
    store.energies, store.works = dict(saved.energies), {}
    states = saved.states
    store.functions.begin_with(kinds, states)
    ready = {key: states[key].copy() for key in kinds if key in states and key not in store.functions.scratch}
    store.table.begin_with(ready)
    store.integrals.restore(records, saved.next_integral, saved.values, saved.rates, integrals)
    store.stepping.warned = set(saved.warned)
    store.stepping.begin_with(saved.accelerations, saved.applied, saved.asleep)
