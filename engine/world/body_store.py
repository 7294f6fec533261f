"""The bodies of a world: arrays, shapes, materials, loads, and which pairs pass through each other."""

from collections.abc import Sequence
from itertools import compress
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision import Detector
from stoss.collision.quaternions import (
    Quaternion,
    Vector,
    conjugate,
    multiply_grouped,
    rotate_grouped,
)
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, STATIC, BodyArrays, BodyTable
from stoss.engine.bodies.material import Material
from stoss.engine.bodies.material_pairs import MaterialPairs
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.world.body import Body
from stoss.engine.world.body_form import BodyForm
from stoss.engine.world.body_view import BodyView, Present
from stoss.engine.world.colors import Color
from stoss.engine.world.drawn import Drawn
from stoss.engine.world.growth import LISTENERS
from stoss.engine.world.next_step import NextStep
from stoss.engine.world.plane import Plane
from stoss.engine.world.poses import body_pose
from stoss.engine.world.registry import Registry
from stoss.engine.world.snapshot import BodyRecord, BodyState

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["DEFAULT_MATERIAL", "BodyStore"]

DEFAULT_MATERIAL = Material()


class BodyStore:
    """Keep the bodies of a world in the order of their arrays.

    Args:
        world: whose bodies they are.
        backend: of the collision detection.
        plane: in which the bodies move, None: in space.

    Attributes:
        registry: records, handles and names.
        table: the arrays.
        detector: the shapes.
        materials: of each body.
        pairs: values that pairs of materials have of their own.
        next_step: what bodies were told for the next step alone.
        excluded: pairs of keys that the user lets pass through each other.
        dropped: keys of bodies that were removed, but whose rows are there until `compact`.
    """

    def __init__(self, world: "World", backend: str, plane: Plane | None) -> None:
        self._world = world
        self.plane = plane
        self.registry: Registry[BodyRecord, Body] = Registry("body", "bodies")
        self.table = BodyTable()
        self.detector = Detector(backend)
        self.materials: list[Material] = []
        self.pairs = MaterialPairs()
        self.next_step = NextStep()
        self.excluded: set[tuple[int, int]] = set()
        self.dropped: set[int] = set()
        self._present = Present()  # what views of the arrays refer to
        self.forms: dict[int, BodyForm] = {}  # of bodies whose kind was changed, by keys
        self.colors: dict[int, Color] = {}  # of bodies that have one of their own, by keys
        self.displays: dict[int, tuple[Drawn, ...]] = {}  # of bodies on which something is drawn, by keys

    @property
    def arrays(self) -> BodyArrays:
        """Return the arrays of all bodies."""
        return self.table.arrays

    def view(self, name: str) -> BodyView:
        """Return an array of all bodies that users may write into, until bodies come or go."""
        return BodyView.of(getattr(self.arrays, name), self._present, name)

    def end_views(self) -> None:
        """Let the views that were given away be those of the past."""
        self._present.is_over = True
        self._present = Present()

    @property
    def handles(self) -> list[Body]:
        """Return the handles of all bodies, in the order of the arrays."""
        return self.registry.handles

    def row(self, body: Body, name: str = "body") -> int:
        """Return the present row of a body, which messages call `name`; see `Registry.row`."""
        if not isinstance(body, Body):
            raise TypeError(
                f"{name} = {checks.shown(body)} must be a Body; world.body(name) finds one by its name"
            )
        return self.registry.row(body)

    def form(self, row: int) -> BodyForm:
        """Return what a body is made of at present."""
        record = self.registry.records[row]
        return self.forms.get(record.key, record.form)

    # ------------------------------------------------------- coming and going

    def add(
        self,
        form: BodyForm,
        name: str,
        position: Any,
        quaternion: Any,
        velocity: Any,
        angular_velocity: Any,
        material: Material | None,
    ) -> Body:
        """Add a body and return its handle; see `World.add_body`.

        Args:
            form: what it is made of.
            name: one that is free.
            position, quaternion, velocity, angular_velocity, material: as the user gave them.
        """
        surface = checked_material(material)
        place = checks.triple("position", position)
        turn = checks.unit_quaternion("quaternion", quaternion)
        speed = checks.triple("velocity", velocity)
        spin = checks.triple("angular_velocity", angular_velocity)
        if self.plane is not None:
            place, turn = self.plane.place("position", place), self.plane.orientation("quaternion", turn)
            speed, spin = self.plane.place("velocity", speed), self.plane.turn("angular_velocity", spin)
        if form.kind == STATIC and (any(speed) or any(spin)):
            what, given = ("velocity", velocity) if any(speed) else ("angular_velocity", angular_velocity)
            raise ValueError(
                f"{what} = {checks.shown(given)}: body {name!r} is static; make it kinematic to move it"
            )
        record = BodyRecord(self.registry.next_key, name, form)
        row = self._append(form)
        b = self.table.storage
        b.velocities[row], b.angular_velocities[row] = speed, spin
        self._write_pose(row, place, turn, form.frame_position, form.frame_quaternion)
        self._write_material(row, surface)
        self.materials.append(surface)
        handle = self._handle(record)
        self.registry.append(record, handle)
        self._world._changed()
        for listener in LISTENERS:
            listener(self.table.count)
        return handle

    def add_copies(
        self,
        form: BodyForm,
        names: Sequence[str],
        positions: np.ndarray,
        quaternions: np.ndarray,
        velocities: np.ndarray,
        angular_velocities: np.ndarray,
        material: Material | None,
    ) -> list[Body]:
        """Add at least one body, all of one form, and return their handles; the arrays were checked.

        The first one is added as any other, and its rows are repeated: then poses and velocities differ.
        """
        if self.plane is not None:
            positions = self.plane.place("positions", positions)
            quaternions = self.plane.orientation("quaternions", quaternions)
            velocities = self.plane.place("velocities", velocities)
            angular_velocities = self.plane.turn("angular_velocities", angular_velocities)
        if form.kind == STATIC and (velocities.any() or angular_velocities.any()):
            what, given = (
                ("velocities", velocities) if velocities.any() else ("angular_velocities", angular_velocities)
            )
            raise ValueError(
                f"{what} = {checks.shown(given)}: static bodies do not move; make them kinematic to move them"
            )
        first, copies = self.table.count, len(names) - 1
        self.add(form, names[0], positions[0], quaternions[0], velocities[0], angular_velocities[0], material)
        self.table.repeat(copies)
        self.end_views()
        if form.parts:
            self.detector.repeat_body(first, copies)
        self.materials.extend(self.materials[first:] * copies)
        for name in names[1:]:
            record = BodyRecord(self.registry.next_key, name, form)
            self.registry.append(record, self._handle(record))
        b = self.arrays
        b.velocities[first:], b.angular_velocities[first:] = velocities, angular_velocities
        w, x, y, z = multiply_grouped(tuple(quaternions.T), conjugate(form.frame_quaternion))
        size = np.sqrt(w * w + x * x + y * y + z * z)
        turns = w / size, x / size, y / size, z / size
        b.quaternions[first:] = np.stack(turns, axis=1)
        b.positions[first:] = positions - np.stack(rotate_grouped(turns, form.frame_position), axis=1)
        self._world._changed()
        for listener in LISTENERS:
            listener(self.table.count)
        return self.registry.handles[first:]

    def _handle(self, record: BodyRecord) -> Body:
        return Body(self._world, record.key, record.name)

    def _append(self, form: BodyForm) -> int:
        """Add a body, at the origin, and its shapes at the end of all arrays."""
        row = self.table.count
        for shape, position, quaternion in form.local_parts:
            self.detector.add_shape(shape, row, position, quaternion, group=form.group, mask=form.mask)
        self.table.append()
        self.end_views()
        b = self.table.storage
        b.kinds[row] = form.kind
        b.quaternions[row, 0] = 1.0
        b.plane[row] = 0 if self.plane is None else 1 + self.plane.normal
        b.frame_positions[row], b.frame_quaternions[row] = form.frame_position, form.frame_quaternion
        if form.kind == DYNAMIC and form.mass_properties is not None:
            self._write_mass(row, form.mass_properties.mass, form.mass_properties.inertia.tolist())
        return row

    def duplicate(self, body: Body, position: Any, quaternion: Any, name: str | None) -> Body:
        """Add a body like another one; see `World.duplicate`."""
        row = self.row(body)
        form, moves = self.form(row), body.kind != "static"
        twin = self.add(
            form,
            self.registry.new_name(name),
            body.position if position is None else position,
            body.quaternion if quaternion is None else quaternion,
            body.velocity if moves else (0.0, 0.0, 0.0),
            body.angular_velocity if moves else (0.0, 0.0, 0.0),
            body.material,
        )
        b, new = self.arrays, self.row(twin)
        self.set_color(new, self.colors.get(body._key))
        self.set_display(new, self.displays.get(body._key, ()))
        b.conveys[new], b.surface_motion[new] = b.conveys[row], b.surface_motion[row]
        if (
            form.kind == DYNAMIC
            and form.mass_properties is not None
            and body.mass != form.mass_properties.mass
        ):
            twin.mass = body.mass
        return twin

    def drop(self, row: int) -> int:
        """Forget a body, whose joints are gone, and return its key; its row stays until `compact`."""
        key = self.registry.drop(row).key
        self.next_step.forget(key)
        self.forms.pop(key, None)
        self.colors.pop(key, None)
        self.displays.pop(key, None)
        self.dropped.add(key)
        self.end_views()
        return key

    def compact(self) -> np.ndarray:
        """Let those behind the rows that were dropped move up, and return these rows, ascending.

        Arrays and shapes are left to `Waking.remove_bodies`, because contacts go with them.
        """
        rows = np.array(self.registry.compact(), np.int64)
        kept = np.ones(len(self.materials), np.bool_)
        kept[rows] = False
        self.materials = list(compress(self.materials, kept.tolist()))
        gone = self.dropped
        if self.excluded:
            self.excluded = {pair for pair in self.excluded if gone.isdisjoint(pair)}
        self.dropped = set()
        return rows

    # ------------------------------------------------------------ their values

    def set_pose(self, row: int, position: Vector, quaternion: Quaternion) -> None:
        """Place a body by the pose of its reference frame."""
        b = self.arrays
        position, quaternion = self.in_plane(position, quaternion)
        px, py, pz = b.frame_positions[row].tolist()
        w, x, y, z = b.frame_quaternions[row].tolist()
        self._write_pose(row, position, quaternion, (px, py, pz), (w, x, y, z))
        self._world._changed()

    def in_plane(self, position: Vector, quaternion: Quaternion) -> tuple[Vector, Quaternion]:
        """Return a pose; where bodies move in a plane, one of it.

        Raises:
            ValueError: it leaves the plane.
        """
        if self.plane is None:
            return position, quaternion
        return self.plane.place("position", position), self.plane.orientation("quaternion", quaternion)

    def _write_pose(
        self, row: int, position: Vector, quaternion: Quaternion, frame: Vector, frame_turn: Quaternion
    ) -> None:
        """Write the pose of a body from that of its reference frame, in the world and in the body frame."""
        b = self.table.storage
        b.positions[row], b.quaternions[row] = body_pose(position, quaternion, frame, frame_turn)

    def set_mass(self, row: int, mass: float, inertia: Sequence[float]) -> None:
        """Give a dynamic body a mass [kg] and principal moments of inertia (3,) [kg m^2]."""
        self._write_mass(row, mass, inertia)
        self._world._changed()

    def _write_mass(self, row: int, mass: float, inertia: Sequence[float]) -> None:
        b = self.table.storage
        b.masses[row], b.inertias[row] = mass, inertia
        b.inverse_masses[row] = 1.0 / mass
        b.sqrt_inverse_masses[row] = 1.0 / sqrt(mass)
        b.sqrt_inverse_inertias[row] = [1.0 / sqrt(moment) for moment in inertia]

    def set_material(self, row: int, material: Material) -> None:
        """Give a body other surface values."""
        surface = checked_material(material)
        self._write_material(row, surface)
        self.materials[row] = surface
        self._world._changed()

    def _write_material(self, row: int, material: Material) -> None:
        b = self.table.storage
        b.restitution[row], b.friction[row] = material.restitution, material.friction
        b.static_friction[row] = material.sticking
        b.rolling_friction[row] = material.rolling_friction
        b.torsional_friction[row] = material.torsional_friction
        if material.rolling_friction > 0.0 or material.torsional_friction > 0.0:
            self.table.resists_turning = True
        if self.pairs.add_law_of(material, self._world._laws):
            self._world._pairs_changed()
        b.pair_group[row] = self.pairs.group(material)

    def set_surface_motion(self, row: int, first: int, values: np.ndarray) -> None:
        """Give the surface of a body a velocity (3,) (`first` 0) or an angular velocity (`first` 3)."""
        if self.plane is not None and first == 0:
            values = self.plane.place("surface_velocity", values)
        elif self.plane is not None:
            values = self.plane.turn("surface_angular_velocity", values)
        b = self.arrays
        if np.array_equal(b.surface_motion[row, first : first + 3], values):
            return
        self.next_step.conveying.setdefault(self.registry.records[row].key, b.surface_motion[row].copy())
        b.surface_motion[row, first : first + 3] = values
        b.conveys[row] = int(b.surface_motion[row].any())
        self._world._changed()

    def set_color(self, row: int, color: Color | None) -> None:
        """Give a body a colour, or none of its own."""
        key = self.registry.records[row].key
        if color is None:
            self.colors.pop(key, None)
        else:
            self.colors[key] = color

    def set_display(self, row: int, display: tuple[Drawn, ...]) -> None:
        """Draw shapes on a body, in place of those that were."""
        key = self.registry.records[row].key
        if display:
            self.displays[key] = display
        else:
            self.displays.pop(key, None)

    def set_material_pair(
        self,
        first: Material,
        second: Material,
        restitution: float | None,
        friction: float | FrictionLaw | None,
        static_friction: float | None,
        impact_law: str | None,
        contact_law: ContactLaw | None,
    ) -> None:
        """Give a pair of materials values of its own; see `MaterialPairs.set`."""
        values = restitution, friction, static_friction, impact_law, contact_law
        self.pairs.set(first, second, *values, self._world._laws)
        self.arrays.pair_group[:] = [self.pairs.group(material) for material in self.materials]

    # ------------------------------------------------------------ pairs that pass through each other

    def exclude(self, first: Body, second: Body) -> np.ndarray:
        """Let two bodies pass through each other, and return their rows."""
        a, b = self.row(first, "first"), self.row(second, "second")
        if a == b:
            raise ValueError(f"second = {second!r} is the first one too; give two different bodies")
        self.excluded.add((first._key, second._key))
        self.detector.exclude(a, b)
        self._world._changed()
        return np.array([a, b])

    def let_pass(self, first: int, second: int) -> None:
        """Let two bodies, given by their keys, pass through each other as long as a joint asks for it."""
        row = self.registry.row_of_key
        self.detector.exclude(row(first), row(second))

    def let_touch(self, first: int, second: int) -> None:
        """Let two bodies, given by their keys, touch again, unless the user excluded them."""
        if (first, second) not in self.excluded and (second, first) not in self.excluded:
            row = self.registry.row_of_key
            self.detector.include(row(first), row(second))

    # ------------------------------------------------------------ snapshots

    def save(self) -> BodyState:
        """Return records, arrays and all else that is known of the bodies."""
        told = self.next_step
        return BodyState(
            records=tuple(self.registry.records),
            next_key=self.registry.next_key,
            arrays=self.arrays.copy(),
            materials=tuple(self.materials),
            pairs=self.pairs.copy(),
            loads={key: load.copy() for key, load in told.loads.items()},
            excluded=frozenset(self.excluded),
            moves=dict(told.moves),
            moving=dict(told.moving),
            steered=frozenset(told.steered),
            surfaces=dict(told.surfaces),
            conveying=dict(told.conveying),
            forms=dict(self.forms),
            colors=dict(self.colors),
            displays=dict(self.displays),
        )

    def fits(self, state: BodyState) -> bool:
        """Return whether a saved state has these bodies, made like this, and these excluded pairs."""
        return (
            self.registry.holds(state.records)
            and state.excluded == self.excluded
            and state.forms.keys() == self.forms.keys()
            and all(form is self.forms[key] for key, form in state.forms.items())
        )

    def rebuild(self, state: BodyState, handles: Sequence[Body] | None = None) -> None:
        """Make arrays and shapes anew from saved records; handles of bodies that lasted stay valid.

        Joints are left out until `JointStore.restore`, values until `restore`.

        Args:
            state: with the records.
            handles: of the bodies; None: new ones for those that are not here.
        """
        self.table = BodyTable()
        self.end_views()
        self.detector = Detector(self.detector.backend)
        self.registry.replace(state.records, state.next_key, self._handle, handles)
        self.materials = [DEFAULT_MATERIAL] * len(state.records)
        self.forms = dict(state.forms)
        for record in state.records:
            self._append(self.forms.get(record.key, record.form))
        self.excluded = set(state.excluded)
        for first, second in self.excluded:
            self.let_pass(first, second)

    def restore(self, state: BodyState) -> None:
        """Return to the saved values of the bodies that are here."""
        self.table.take(state.arrays)
        self.materials = list(state.materials)
        self.pairs = state.pairs.copy()
        loads = {key: load.copy() for key, load in state.loads.items()}
        self.next_step = NextStep(
            *(loads, dict(state.moves), dict(state.moving), set(state.steered)),
            *(dict(state.surfaces), dict(state.conveying)),
        )
        self.colors = dict(state.colors)
        self.displays = dict(state.displays)


def checked_material(value: Any) -> Material:
    """Return the surface values, the usual ones for None.

    Raises:
        TypeError: no material.
    """
    if value is None:
        return DEFAULT_MATERIAL
    found: Material = checks.instance("material", value, Material, "Material(friction=0.5)")
    return found
