"""The contacts of a world as users see them: whole arrays of exact length, and one after the other."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from stoss.collision.contacts import ContactArrays
from stoss.collision.plain_numbers import shown
from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.bodies.material_pairs import FRICTION_LAW
from stoss.engine.laws.comparison_contacts import law_of_numbers
from stoss.engine.laws.contact import ContactLaw, ImpactOutcome
from stoss.engine.laws.friction_arrays import NO_LAW, STATE
from stoss.engine.laws.friction_book import FrictionBook
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.world.body import Body
from stoss.engine.world.contact_laws import (
    impacts_of_contacts,
    laws_of_contacts,
    speeds_of_contacts,
    stored_in_contacts,
)
from stoss.engine.world.friction_books import books_of_contacts
from stoss.engine.world.results import friction_of_contacts
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["Contact", "WorldContacts", "contacts_of"]

STATES = ("none", "stick", "slip")  # of contacts, by their codes
NONE, STICK, SLIP = range(3)
SLIP_SPEED = 1e-4  # [m/s] from which a contact slips, if nothing is said

_FIELDS = tuple(ContactArrays.array_fields())
_CURE = "contacts are found anew in every step, and changed by moving bodies"


class _Column:
    """An array of all contacts."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, contacts: None, owner: type) -> "_Column": ...
    @overload
    def __get__(self, contacts: "WorldContacts", owner: type) -> np.ndarray: ...
    def __get__(self, contacts: "WorldContacts | None", owner: type) -> "np.ndarray | _Column":
        if contacts is None:
            return self
        return read_only(contacts._arrays[self._name], _CURE)


@closed
class Contact:
    """One contact of two bodies, as it was when it was asked for."""

    __slots__ = ("_among", "_row")

    def __init__(self, among: "WorldContacts", row: int) -> None:
        self._among = among
        self._row = row

    def __repr__(self) -> str:
        x, y, z = self.point.tolist()
        return (
            f"<Contact of {self.first.name!r} and {self.second.name!r} at ({x:.6g}, {y:.6g}, {z:.6g}), "
            f"gap {self.gap:.3g} m, impulse {self.impulse_along_normal:.4g} N s>"
        )

    @property
    def first(self) -> Body:
        """Return the first body."""
        return self._among._handles[self._among.body_a[self._row]]

    @property
    def second(self) -> Body:
        """Return the second body, from which the normal points to the first."""
        return self._among._handles[self._among.body_b[self._row]]

    @property
    def bodies(self) -> tuple[Body, Body]:
        """Return both bodies."""
        return self.first, self.second

    def other(self, body: Body) -> Body:
        """Return the other one of the two bodies.

        Args:
            body: one of the two bodies.

        Raises:
            ValueError: the contact is not one of this body.
        """
        first, second = self.bodies
        if body is not first and body is not second:
            raise ValueError(f"body = {shown(body)} is neither {first!r} nor {second!r}")
        return second if body is first else first

    @property
    def point(self) -> np.ndarray:
        """Return the point (3,) [m] half-way between the surfaces."""
        return self._among.point[self._row]

    @property
    def normal(self) -> np.ndarray:
        """Return the unit normal (3,) from the second body to the first."""
        return self._among.normal[self._row]

    @property
    def gap(self) -> float:
        """Return the distance of the surfaces along the normal [m], negative in an overlap."""
        return float(self._among.gap[self._row])

    @property
    def impulse(self) -> np.ndarray:
        """Return the impulse (3,) [N s] on the first body over the last step; the second has the opposite."""
        return self._among.impulse[self._row]

    def force_on(self, body: Body) -> np.ndarray:
        """Return the mean force (3,) [N] on one of the two bodies over the last step.

        The sum over `body.contacts` is what holds the body.

        Args:
            body: one of the two bodies.

        Raises:
            ValueError: the contact is not one of this body.
        """
        sign = -1.0 if self.other(body) is self.first else 1.0
        return np.array(sign / self._among._step * self.impulse)

    @property
    def impulse_along_normal(self) -> float:
        """Return the part of the impulse along the normal [N s], which is not negative."""
        return float(self.impulse @ self.normal)

    @property
    def friction(self) -> float:
        """Return the coefficient of sliding friction of the two bodies."""
        return float(self._among.friction[self._row])

    @property
    def id(self) -> tuple[int, int, int]:
        """Return both shapes and the feature: equal for the same place of the same shapes in later steps."""
        a, b, feature = self._among.ids[self._row].tolist()
        return a, b, feature

    @property
    def slip_speed(self) -> float:
        """Return the speed [m/s] with which the surfaces move along each other, 0 across a gap."""
        return float(self._among.slip_speed[self._row])

    @property
    def state(self) -> str:
        """Return "none" across a gap, "slip" from 1e-4 m/s, else "stick"."""
        return self._among[self._row : self._row + 1].states()[0]

    @property
    def friction_law(self) -> FrictionLaw | None:
        """Return the friction law between the two bodies, None for Coulomb's."""
        number = self._among._law[self._row]
        return None if number < 0 else self._among._laws[number]

    @property
    def friction_state(self) -> np.ndarray:
        """Return what its law remembers (3,), in the world: a deflection [m], or a force per normal force."""
        return read_only(self._among._states[self._row, :3].copy(), _CURE)

    @property
    def friction_book(self) -> FrictionBook:
        """Return the energy of its friction since it is there, of contacts with a law; else all is 0."""
        return FrictionBook(*self._among._arrays["book"][self._row].tolist())

    @property
    def contact_law(self) -> ContactLaw | None:
        """Return the law by which it gives way; None if it is rigid."""
        code, *numbers = self._among._arrays["contact_law"][self._row]
        return None if np.isnan(code) else law_of_numbers(int(code), numbers)

    @property
    def rate(self) -> float:
        """Return the rate of the gap [m/s], negative on approach."""
        return float(self._among._arrays["rate"][self._row])

    @property
    def normal_force(self) -> float:
        """Return the normal force [N]: that of its law now; of a rigid one the mean of the last step."""
        law = self.contact_law
        if law is not None:
            return float(law.force(self.gap, self.rate))
        return self.impulse_along_normal / self._among._step

    @property
    def compression(self) -> float:
        """Return how deep the surfaces are in each other [m], 0 if they are not."""
        return max(-self.gap, 0.0)

    @property
    def activation(self) -> float:
        """Return how far it is established, 0 to 1: by its law; of a rigid one whether the surfaces touch."""
        law = self.contact_law
        return float(self.gap <= 0.0) if law is None else float(law.activation(self.gap))

    @property
    def impact(self) -> ImpactOutcome | None:
        """Return what an impact of the last step came to by its law: force, depth, duration; None without.

        Its restitution is that of this contact by itself, under what pressed the bodies together.
        """
        names, law = ("approach", "effective_mass", "load"), self.contact_law
        speed, mass, load = (float(self._among._arrays[name][self._row]) for name in names)
        return None if speed == 0.0 or law is None else law.impact(speed, mass, load=load)


@closed
class WorldContacts:
    """The contacts of a world as they were when they were asked for, those across a gap included.

        for contact in world.contacts:
            print(contact.first.name, contact.second.name, contact.gap)
        world.contacts.gap.min()

    Its arrays have one entry for each contact, sorted by the shapes, and are not written.
    """

    __slots__ = ("_arrays", "_handles", "_laws", "_step")

    body_a = _Column("Rows (c,) of the first bodies in the arrays of the world.")
    body_b = _Column("Rows (c,) of the second bodies.")
    shape_a = _Column("Rows (c,) of the first shapes in `World.shape_table`, below the second ones.")
    shape_b = _Column("Rows (c,) of the second shapes.")
    feature = _Column("Numbers (c,) that find the same contacts of the same shapes in a later step.")
    point_a = _Column("Points (c, 3) on the surfaces of the first bodies [m], world.")
    point_b = _Column("Points (c, 3) on the surfaces of the second bodies [m], world.")
    point = _Column("Points (c, 3) half-way between the surfaces [m], world.")
    normal = _Column("Unit normals (c, 3) from the second bodies to the first.")
    gap = _Column("Distances (c,) of the surfaces along the normals [m], negative in an overlap.")
    radius_a = _Column("Radii of curvature (c,) of the first surfaces [m], 0 for corners, edges and faces.")
    radius_b = _Column("Radii of curvature (c,) of the second surfaces [m].")
    normal_side = _Column("Which bodies (c,) carry the normals; see `stoss.collision.Contacts`.")
    impulse = _Column("Impulses (c, 3) on the first bodies over the last step [N s].")
    friction = _Column("Coefficients (c,) of sliding friction.")
    slip_speed = _Column("Speeds (c,) with which the surfaces move along each other [m/s], 0 across gaps.")
    touches = _Column("Whether (c,) they touch: a gap up to `Settings.touch_distance`.")

    def __init__(
        self, handles: list[Body], arrays: dict[str, np.ndarray], laws: list[FrictionLaw], step: float
    ) -> None:
        self._handles = handles
        self._arrays = arrays
        self._laws = laws
        self._step = step  # [s] over which impulses acted

    @property
    def _law(self) -> np.ndarray:
        """Return the numbers (c,) of friction laws, -1 for Coulomb's."""
        return self._arrays["law"]

    @property
    def _states(self) -> np.ndarray:
        """Return what friction laws remember (c, STATE)."""
        return self._arrays["state"]

    @property
    def normal_force(self) -> np.ndarray:
        """Return the normal forces (c,) [N]; see `Contact.normal_force`."""
        return read_only(np.array([contact.normal_force for contact in self]), _CURE)

    @property
    def stored_energy(self) -> np.ndarray:
        """Return what contacts that give way by laws can give back (c,) [J], 0 for rigid ones."""
        return read_only(stored_in_contacts(self._arrays["contact_law"], self.gap), _CURE)

    @property
    def count(self) -> int:
        """Return how many there are, as `len` does."""
        return len(self.gap)

    @property
    def ids(self) -> np.ndarray:
        """Return both shapes and the feature (c, 3): equal for the same contacts in later steps."""
        found: np.ndarray = np.stack([self.shape_a, self.shape_b, self.feature], axis=1)
        return read_only(found, _CURE)

    def states(self, slip: float = SLIP_SPEED) -> tuple[str, ...]:
        """Return of each contact whether it is apart, sticks or slips: "none", "stick" or "slip".

        Args:
            slip: speed from which a contact slips [m/s].

        Raises:
            ValueError: it is not above zero.
        """
        limit = checks.positive("slip", slip, "m/s")
        return tuple(STATES[code] for code in self._codes(limit).tolist())

    def _codes(self, slip: float) -> np.ndarray:
        codes: np.ndarray = np.where(self.touches, np.where(self.slip_speed > slip, SLIP, STICK), NONE)
        return codes

    def __len__(self) -> int:
        return len(self.gap)

    def __iter__(self) -> Iterator[Contact]:
        return (Contact(self, row) for row in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        """Return a contact by its number, or several by a slice, numbers or a mask."""
        if isinstance(index, int | np.integer) and not isinstance(index, bool):
            row = int(index) + (len(self) if index < 0 else 0)
            if not 0 <= row < len(self):
                raise IndexError(f"index = {shown(index)} of {len(self)} contacts")
            return Contact(self, row)
        return self._pick(index)

    def _pick(self, index: Any) -> "WorldContacts":
        arrays = {name: array[index] for name, array in self._arrays.items()}
        return WorldContacts(self._handles, arrays, self._laws, self._step)

    def of(self, body: Body, other: Body | None = None) -> "WorldContacts":
        """Return the contacts of a body, or of two with each other.

        Args:
            body: one of the two bodies of each contact.
            other: the other one; None for any.

        Raises:
            TypeError, ValueError: no bodies, or of another world.
        """
        mine = self._touches("body", body)
        return self._pick(mine if other is None else mine & self._touches("other", other))

    def _touches(self, name: str, body: Any) -> np.ndarray:
        if not isinstance(body, Body):
            raise TypeError(f"{name} = {shown(body)} must be a Body; world.body(name) finds one")
        row = next((row for row, handle in enumerate(self._handles) if handle is body), -1)
        if self._handles and body.world is not self._handles[0].world:
            raise ValueError(f"{name} = {shown(body)} is in another world than these contacts")
        return np.asarray((self.body_a == row) | (self.body_b == row))

    def __repr__(self) -> str:
        names = [contact for contact, _ in zip(self, range(4), strict=False)]
        more = f", and {len(self) - len(names)} more" if len(self) > len(names) else ""
        return f"<{len(self)} contacts: {', '.join(map(repr, names))}{more}>" if names else "<no contacts>"


def contacts_of(world: "World", *, gone: bool = False) -> WorldContacts:
    """Return the contacts of a world, at its present poses.

    Args:
        world: the world.
        gone: whether those that acted in the last step and are there no more are added, across a gap without
            end: sums of forces are then whole.
    """
    waking = world._stepper.waking
    contacts, impulses = waking.acting_contacts if gone else waking.all_contacts
    count = contacts.count
    arrays = {name: getattr(contacts, name)[:count].copy() for name in _FIELDS}
    arrays["impulse"] = np.array(impulses[:count])
    arrays["point"] = 0.5 * (arrays["point_a"] + arrays["point_b"])
    store = world._body_store
    arrays["friction"] = friction_of_contacts(
        arrays["body_a"], arrays["body_b"], store.arrays, store.pairs, world.settings
    )
    arrays["touches"] = arrays["gap"] <= world.settings.touch_distance
    laws = world._laws.laws
    arrays["law"] = np.full(count, NO_LAW)
    if laws:
        a, b = store.arrays.pair_group[arrays["body_a"]], store.arrays.pair_group[arrays["body_b"]]
        numbers = store.pairs.table[a, b, FRICTION_LAW]
        arrays["law"] = np.where(np.isnan(numbers), NO_LAW, numbers).astype(np.int64)
        states = world._stepper.waking.all_friction_states()
        arrays["state"] = np.concatenate([states, np.zeros((count - len(states), STATE))])
    else:
        arrays["state"] = np.zeros((count, STATE))
    arrays["book"] = books_of_contacts(arrays, laws, world._steps.force_step)
    arrays["contact_law"] = laws_of_contacts(arrays["body_a"], arrays["body_b"], store.arrays, store.pairs)
    arrays["rate"], slips = np.empty(count), np.empty(count)
    speeds_of_contacts(
        *(arrays[name] for name in ("body_a", "body_b", "point", "normal")),
        store.arrays,
        arrays["rate"],
        slips,
    )
    arrays["slip_speed"] = np.where(arrays["touches"], slips, 0.0)
    arrays["approach"], arrays["effective_mass"], arrays["load"] = impacts_of_contacts(world, arrays)
    return WorldContacts(list(store.handles), arrays, laws, world._steps.force_step)
