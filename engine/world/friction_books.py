"""Energy of friction by contact, joint and law, and whether any of it was gained."""

from typing import TYPE_CHECKING

from stoss.engine.laws.friction_book import FrictionBook, PassivityReport
from stoss.engine.laws.friction_law import FrictionLaw

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["check_passivity", "friction_books"]


def friction_books(world: "World") -> dict[FrictionLaw, FrictionBook]:
    """Return the energy of friction of each law of a world; see `World.friction_books`."""
    laws, work = world._laws.laws, world._laws.arrays.work
    stored, power = dict.fromkeys(laws, 0.0), dict.fromkeys(laws, 0.0)
    places = [(contact.friction_law, contact.friction_book) for contact in world.contacts] if laws else []
    places += [(one.law, one.book) for joint in world.joints for one in joint.frictions]
    for law, book in places:
        if law is not None:
            stored[law] += book.stored
            power[law] += book.power
    return {law: FrictionBook(float(work[k]), stored[law], power[law]) for k, law in enumerate(laws)}


def check_passivity(world: "World", tolerance: float) -> PassivityReport:
    """Return what gave energy, though it may only take; see `World.check_passivity`."""
    ledger, report = world.ledger, world.report
    dissipated = {"contacts": ledger.dissipated}
    for law, book in world.friction_books.items():
        dissipated[repr(law)] = book.dissipated
    for joint in world.joints:
        for one in joint.frictions:
            dissipated[f"friction on {one.coordinate!r} of joint {joint.name!r}"] = one.book.dissipated
    for contact in world.contacts if world._laws.laws else ():
        if contact.friction_law is not None:
            name = f"friction of {contact.first.name!r} on {contact.second.name!r}"
            dissipated[name] = dissipated.get(name, 0.0) + contact.friction_book.dissipated
    scale = abs(report.kinetic_energy) + abs(report.potential_energy) + sum(map(abs, world._ledger.tolist()))
    gains = {name: -taken for name, taken in dissipated.items() if taken < -tolerance * scale}
    return PassivityReport(gains, dissipated, scale)
