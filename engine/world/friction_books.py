"""Energy of friction by contact, joint and law, and whether any of it was gained."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine.laws.friction_arrays import STEP_WORK, WORK
from stoss.engine.laws.friction_book import FrictionBook, PassivityReport
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.laws.friction_with_memory import stored_energy

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["book_of_law", "books_of_contacts", "check_passivity", "friction_books"]

STORED = 1  # column of what is stored, in the books of contacts


def friction_books(world: "World") -> dict[FrictionLaw, FrictionBook]:
    """Return the energy of friction of each law of a world; see `World.friction_books`."""
    return {law: book_of_law(world, number) for number, law in enumerate(world._laws.laws)}


def book_of_law(world: "World", number: int) -> FrictionBook:
    """Return the energy of friction of the law with a number, over all its contacts and joints."""
    law, (work, before) = world._laws.laws[number], world._laws.work[:, number].tolist()
    stored = 0.0
    if stored_energy(law, 1.0) > 0.0:
        contacts = world.contacts._arrays
        stored += float(contacts["book"][contacts["law"] == number, STORED].sum())
        stored += sum(one.book.stored for joint in world.joints for one in joint.frictions if one.law == law)
    return FrictionBook(work, stored, (before - work) / world._steps.force_step)


def books_of_contacts(
    arrays: Mapping[str, np.ndarray], laws: Sequence[FrictionLaw], step: float
) -> np.ndarray:
    """Return work, what is stored [J] and power [W] (c, 3) of friction of contacts; 0 without a law.

    Args:
        arrays: of the contacts: `law`, `state`, `friction`, `impulse`, `normal`.
        laws: of the world.
        step: length of the last step [s].
    """
    number = arrays["law"]
    books = np.zeros((len(number), 3))
    if not laws or step <= 0.0:
        return books
    mine = np.flatnonzero(number >= 0)
    state, of = arrays["state"][mine], number[mine]
    sliding = np.array([law.sliding for law in laws])[of]
    per_load = np.array([stored_energy(law, 1.0) for law in laws])[of]
    load = np.maximum((arrays["impulse"][mine] * arrays["normal"][mine]).sum(axis=1), 0.0) / step
    scale = np.where(sliding > 0.0, arrays["friction"][mine] / np.where(sliding > 0.0, sliding, 1.0), 1.0)
    books[mine, 0] = state[:, WORK]
    books[mine, STORED] = load * scale * per_load * np.square(state[:, :3]).sum(axis=1)
    books[mine, 2] = 0.0 - state[:, STEP_WORK] / step
    return books


def check_passivity(world: "World", tolerance: float) -> PassivityReport:
    """Return what gave energy, though it may only take; see `World.check_passivity`."""
    ledger, report = world.ledger, world.report
    dissipated = {"contacts": ledger.dissipated}
    for law, book in world.friction_books.items():
        dissipated[repr(law)] = book.dissipated
    for joint in world.joints:
        for one in joint.frictions:
            dissipated[f"friction on {one.coordinate!r} of joint {joint.name!r}"] = one.book.dissipated
    judged = dict(dissipated)
    for contact in world.contacts if world._laws.laws else ():
        if contact.friction_law is not None:
            name = f"friction of {contact.first.name!r} on {contact.second.name!r}"
            dissipated[name] = dissipated.get(name, 0.0) + contact.friction_book.dissipated
    scale = (
        abs(report.kinetic_energy)
        + abs(report.potential_energy)
        + sum(map(abs, world._steps.ledger.tolist()))
    )
    gains = {name: -taken for name, taken in judged.items() if taken < -tolerance * scale}
    return PassivityReport(gains, dissipated, scale)
