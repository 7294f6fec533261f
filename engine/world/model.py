"""The model: bodies, shapes, joints, names, and whole arrays; no time yet (`World` adds it)."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np
from stoss.collision import Detector, Placed, ShapeTable
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, KIND_NAMES, STATIC, BodyArrays, BodyTable
from stoss.engine.bodies.mass import MassProperties, from_shapes
from stoss.engine.bodies.material import Material
from stoss.engine.bodies.material_pairs import MaterialPairs
from stoss.engine.contacts.constraints import world_root_inverse_inertias
from stoss.engine.joints.arrays import LIMIT, JointParts, JointStops, JointTable
from stoss.engine.joints.freedom import FreedomReport, find_freedom
from stoss.engine.joints.kind import JointKind
from stoss.engine.settings import Settings
from stoss.engine.stages.stepper import Stepper
from stoss.engine.world.body import Body
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_store import JointStore
from stoss.engine.world.snapshot import BodyRecord, Snapshot

__all__ = ["Model", "read_only"]

DEFAULT_DENSITY = 1000.0  # [kg/m^3], water: what a body weighs if neither mass nor density is given

Shapes = Shape | Placed | Iterable[Shape | Placed]


class Model:
    """Bodies with shapes and joints, in arrays and as handles. Use `World`, which is a model that moves.

    Args:
        settings: how it is simulated.
    """

    _time_step: float  # [s], of the world
    _gravity: np.ndarray  # (3,) [m/s^2], of the world

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._table = BodyTable()
        self._joint_table = JointTable()
        self._joint_store = JointStore(self, self._joint_table)
        self._detector = Detector(settings.collision)
        self._dynamics = Stepper(self._table, self._joint_table, self._detector, settings)
        self._pairs = MaterialPairs()
        self._materials: list[Material] = []
        self._records: list[BodyRecord] = []
        self._handles: list[Body] = []
        self._rows: dict[int, int] = {}
        self._names: dict[str, int] = {}
        self._next_key = 0
        self._loads: dict[int, np.ndarray] = {}
        self._excluded: set[tuple[int, int]] = set()
        self._touching = np.zeros((0, 2), np.int64)

    @property
    def settings(self) -> Settings:
        """How it is simulated; assign other settings to change that from the next step on.

        Raises:
            TypeError, ValueError: no settings, or another collision backend, which needs a new world.
        """
        return self._settings

    @settings.setter
    def settings(self, value: Settings) -> None:
        if not isinstance(value, Settings):
            raise TypeError(
                f"settings = {value!r} must be Settings, such as replace(world.settings, sweeps=30)"
            )
        if value.collision != self._settings.collision:
            raise ValueError(
                f"settings.collision = {value.collision!r} cannot replace {self._settings.collision!r} in a "
                "world that exists; build a new one with it"
            )
        self.wake_all()
        self._settings = value
        self._dynamics.change_settings(value)

    def add_body(
        self,
        shapes: Shapes = (),
        *,
        position: Any = (0.0, 0.0, 0.0),
        quaternion: Any = (1.0, 0.0, 0.0, 0.0),
        velocity: Any = (0.0, 0.0, 0.0),
        angular_velocity: Any = (0.0, 0.0, 0.0),
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        mass_properties: MassProperties | None = None,
        material: Material | None = None,
        name: str | None = None,
        group: int = 1,
        mask: int = -1,
    ) -> Body:
        """Add a body and return its handle.

        Args:
            shapes: a shape, a `Placed` shape, or several of them (a compound); may be empty.
            position, quaternion: pose of the frame in which the shapes are given, [m] and (w, x, y, z).
            velocity: of the centre of mass [m/s].
            angular_velocity: [rad/s], world.
            kind: "dynamic", "static" (never moves) or "kinematic" (keeps the velocity it is given).
            mass, density: [kg] or [kg/m^3], at most one; without both the density is 1000.
            mass_properties: in place of mass and density, for instance from a mesh.
            material: surface values.
            name: unique; by default "body 0", "body 1", ...
            group, mask: bits; two bodies collide if each one's group is in the other's mask.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        number = KIND_NAMES.index(checks.choice("kind", kind, KIND_NAMES))
        parts = _as_parts(shapes)
        if name is None:
            name = f"body {self._next_key}"
        if not isinstance(name, str):
            raise TypeError(f"name = {name!r} must be a string")
        for what, bits in (("group", group), ("mask", mask)):
            if isinstance(bits, bool) or not isinstance(bits, int | np.integer):
                raise TypeError(f"{what} = {bits!r} must be a whole number, whose bits name groups")
        surface = Material() if material is None else material
        if not isinstance(surface, Material):
            raise TypeError(
                f"material = {material!r} must be a Material, for instance Material(friction=0.5)"
            )
        if name in self._names:
            raise ValueError(f"name = {name!r} is taken by another body; names are unique in a world")
        place = checks.vector("position", position)
        turn = checks.quaternion("quaternion", quaternion)
        speed = checks.vector("velocity", velocity)
        spin = checks.vector("angular_velocity", angular_velocity)
        if number == STATIC and (speed.any() or spin.any()):
            raise ValueError(f"velocity: body {name!r} is static; make it kinematic to move it")
        properties = None
        if number == DYNAMIC:
            properties = _mass_properties(parts, mass, density, mass_properties)
        elif mass is not None or density is not None or mass_properties is not None:
            raise ValueError(f"mass, density: body {name!r} is {kind} and does not react; leave them out")
        record = BodyRecord(self._next_key, name, parts, group, mask, properties)
        row = self._append(record, number)
        b = self._bodies
        b.velocities[row], b.angular_velocities[row] = speed, spin
        self._set_pose(row, place, turn)
        self._set_material(row, surface)
        return self._handles[row]

    def _append(self, record: BodyRecord, kind: int) -> int:
        """Add a body at the end of all lists and arrays."""
        row = self._table.append()
        b = self._bodies
        b.kinds[row] = kind
        b.quaternions[row, 0] = b.frame_quaternions[row, 0] = 1.0
        if record.mass_properties is not None:
            axes = record.mass_properties.quaternion * np.array([1.0, -1.0, -1.0, -1.0])
            b.frame_quaternions[row] = axes
            b.frame_positions[row] = -_rotate(axes, record.mass_properties.center)
            self._set_mass(row, record.mass_properties.mass, record.mass_properties.inertia)
        self._add_shapes(record, row)
        self._records.append(record)
        self._materials.append(Material())
        self._handles.append(Body(self, record.key, record.name))
        self._rows[record.key] = row
        self._names[record.name] = record.key
        self._next_key = max(self._next_key, record.key + 1)
        self._dynamics.stale = True
        return row

    def _add_shapes(self, record: BodyRecord, row: int) -> None:
        """Give the detector the shapes of a body, in the frame of its principal axes."""
        frame_position, frame_quaternion = (
            self._bodies.frame_positions[row],
            self._bodies.frame_quaternions[row],
        )
        for part in record.parts:
            self._detector.add_shape(
                part.shape,
                row,
                frame_position + _rotate(frame_quaternion, part.position),
                tuple(_multiply(frame_quaternion, part.quaternion)),
                group=record.group,
                mask=record.mask,
            )

    def duplicate(
        self, body: Body, *, position: Any = None, quaternion: Any = None, name: str | None = None
    ) -> Body:
        """Add a body with shapes, mass, material, velocities and groups of another, but without its joints.

        Args:
            body: the body.
            position, quaternion: pose of the new one, [m] and (w, x, y, z); by default where the other is.
            name: unique; by default "body 7" or the like.

        Raises:
            ValueError: the body is not in this world, the name is taken, or a pose makes no sense.
        """
        row = self._row(body)
        record, moves = self._records[row], body.kind != "static"
        twin = self.add_body(
            record.parts,
            position=body.position if position is None else position,
            quaternion=body.quaternion if quaternion is None else quaternion,
            velocity=body.velocity if moves else (0.0, 0.0, 0.0),
            angular_velocity=body.angular_velocity if moves else (0.0, 0.0, 0.0),
            kind=body.kind,
            mass_properties=record.mass_properties,
            material=body.material,
            name=name,
            group=record.group,
            mask=record.mask,
        )
        if record.mass_properties is not None and body.mass != record.mass_properties.mass:
            twin.mass = body.mass
        return twin

    def remove_body(self, body: Body) -> None:
        """Remove a body and its joints; their handles become invalid, those of the others stay valid.

        Raises:
            ValueError: the body is not in this world.
        """
        row = self._row(body)
        self._joint_store.remove_body(row)
        self._dynamics.remove_body(row)
        del self._records[row], self._materials[row], self._handles[row], self._names[body.name]
        self._loads.pop(body._key, None)
        self._excluded = {pair for pair in self._excluded if body._key not in pair}
        self._touching = self._touching[~(self._touching == row).any(axis=1)]
        self._touching -= self._touching > row
        self._rows = {record.key: i for i, record in enumerate(self._records)}

    def _has(self, body: Body) -> bool:
        row = self._rows.get(body._key, -1)
        return row >= 0 and self._handles[row] is body

    def _row(self, body: Body) -> int:
        row = self._rows.get(body._key, -1)
        if row < 0 or self._handles[row] is not body:
            raise ValueError(
                f"body {body.name!r} is not in this world (it was removed, or belongs to another)"
            )
        return row

    def _set_pose(self, row: int, position: np.ndarray, quaternion: np.ndarray) -> None:
        """Place a body by the pose of its reference frame."""
        b = self._bodies
        back = b.frame_quaternions[row] * np.array([1.0, -1.0, -1.0, -1.0])
        principal = _multiply(quaternion, back)
        b.quaternions[row] = principal / np.linalg.norm(principal)
        b.positions[row] = position - _rotate(b.quaternions[row], b.frame_positions[row])
        self._dynamics.stale = True

    def _set_mass(self, row: int, mass: float, inertia: np.ndarray) -> None:
        b = self._bodies
        b.masses[row], b.inertias[row] = mass, inertia
        b.inverse_masses[row] = 1.0 / mass
        b.root_inverse_masses[row] = 1.0 / np.sqrt(mass)
        b.root_inverse_inertias[row] = 1.0 / np.sqrt(inertia)
        self._dynamics.stale = True

    def _set_material(self, row: int, material: Material) -> None:
        b = self._bodies
        b.restitution[row], b.friction[row] = material.restitution, material.friction
        b.static_friction[row] = material.sticking
        b.rolling_friction[row] = material.rolling_friction
        b.torsional_friction[row] = material.torsional_friction
        if material.rolling_friction > 0.0 or material.torsional_friction > 0.0:
            self._table.resists_turning = True
        b.pair_group[row] = self._pairs.group(material)
        self._materials[row] = material
        self._dynamics.stale = True

    def set_material_pair(
        self,
        first: Material,
        second: Material,
        *,
        restitution: float | None = None,
        friction: float | None = None,
        static_friction: float | None = None,
        impact_law: str | None = None,
    ) -> None:
        """Give a pair of materials values of its own, in place of what the rules of `Settings` combine.

        They hold for all bodies of these materials, also for those that are added or given them later. What
        is left out follows the rules; all left out takes the values of the pair back.

        Args:
            first, second: materials; equal ones are the same, unless their names differ.
            restitution: 0 to 1.
            friction: Coulomb coefficient while sliding.
            static_friction: while sticking, at least `friction`, which must be given too; by default that.
            impact_law: "newton", "poisson" or "stronge".

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        self._pairs.set(first, second, restitution, friction, static_friction, impact_law)
        self._dynamics.pairs = self._pairs.table
        self._bodies.pair_group[:] = [self._pairs.group(material) for material in self._materials]
        self.wake_all()
        self._dynamics.stale = True

    def body(self, name: str) -> Body:
        """Return the body of that name.

        Raises:
            KeyError: there is none.
        """
        if name not in self._names:
            near = get_close_matches(name, self._names, 3)
            hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
            raise KeyError(f"there is no body {name!r} among {len(self._names)}{hint}")
        return self._handles[self._rows[self._names[name]]]

    @property
    def shape_table(self) -> ShapeTable:
        """Return the shapes of all bodies, for reading; `body` of the table says whose they are."""
        return self._detector.table

    @property
    def bodies(self) -> list[Body]:
        """Return the handles of all bodies, in the order of the arrays."""
        return list(self._handles)

    def exclude_collision(self, first: Body, second: Body) -> None:
        """Let two bodies pass through each other."""
        a, b = self._row(first), self._row(second)
        if a == b:
            raise ValueError(f"exclude_collision: both bodies are {first.name!r}; give two different ones")
        self._excluded.add((first._key, second._key))
        self._detector.exclude(a, b)
        self._dynamics.wake(np.array([a, b]))
        self._dynamics.stale = True

    # -------------------------------------------------------------- joints

    def add_joint(
        self,
        kind: JointKind,
        first: Body | None,
        second: Body | None,
        *,
        name: str | None = None,
        collide: bool = False,
    ) -> Joint:
        """Join two bodies and return the handle of the joint.

        Args:
            kind: what is held, for instance `Hinge((0, 0, 1), (0, 1, 0))`, in world coordinates at present.
            first, second: the bodies, None for the world; one of them at least is dynamic.
            name: unique among the joints; by default "joint 0", "joint 1", ...
            collide: whether the two bodies may touch each other; without it they pass through each other as
                long as the joint exists, also while it is disabled.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        return self._joint_store.add(kind, first, second, name, collide)

    def remove_joint(self, joint: Joint) -> None:
        """Remove a joint; its handle becomes invalid, those of the others stay valid.

        Raises:
            TypeError, ValueError: not a joint, or not one of this world.
        """
        if not isinstance(joint, Joint):
            raise TypeError(f"joint = {joint!r} must be a Joint; world.joint(name) finds one by its name")
        self._joint_store.remove(joint)

    def joint(self, name: str) -> Joint:
        """Return the joint of that name.

        Raises:
            KeyError: there is none.
        """
        return self._joint_store.named(name)

    @property
    def _joint_handles(self) -> list[Joint]:
        return self._joint_store.handles

    @property
    def joints(self) -> list[Joint]:
        """Return the handles of all joints, in the order in which they were added."""
        return list(self._joint_store.handles)

    @property
    def joint_parts(self) -> JointParts:
        """Return where the joints sit on their bodies, as copies: for drawing."""
        j = self._joint_table.arrays
        return JointParts(
            j.joint.copy(),
            j.bodies[j.joint].copy(),
            j.point_a.copy(),
            j.quaternion_a.copy(),
            j.point_b.copy(),
            j.quaternion_b.copy(),
        )

    @property
    def joint_stops(self) -> JointStops:
        """Return the limits of the joints that are in force, as copies: for drawing."""
        j = self._joint_table.arrays
        rows = np.flatnonzero(j.active & (j.role == LIMIT))
        return JointStops(j.part[rows], j.measure[rows], j.axis[rows], j.lower[rows], j.upper[rows])

    def freedom_report(self) -> FreedomReport:
        """Return the degrees of freedom that joints leave, redundant rows, and joints that are open.

        Of the present pose; limits, drives and contacts do not count. Print it to read it.
        """
        roots = np.zeros((self._table.count, 9))
        world_root_inverse_inertias(self._bodies, roots)
        names = [joint.name for joint in self.joints]
        return find_freedom(
            self._joint_table.arrays, self._bodies, roots, names, self.settings.position_tolerance
        )

    def _add_load(self, key: int, load: np.ndarray) -> None:
        self._loads[key] = self._loads.get(key, np.zeros(6)) + load

    def _rebuild(self, snapshot: Snapshot) -> None:
        """Build bodies and shapes anew from the records of a snapshot, keeping handles that are valid.

        Joints are left out until `JointStore.restore`.
        """
        handles = {id(record): body for record, body in zip(self._records, self._handles, strict=True)}
        self._joint_store.detach()
        self._table = BodyTable()
        self._detector = Detector(self._settings.collision)
        self._dynamics = Stepper(self._table, self._joint_table, self._detector, self._settings)
        self._records, self._handles, self._rows, self._names = [], [], {}, {}
        self._materials = []
        for record, kind in zip(snapshot.records, snapshot.bodies.kinds, strict=True):
            row = self._append(record, int(kind))
            self._handles[row] = handles.get(id(record), self._handles[row])
        self._next_key = snapshot.next_key
        self._excluded = set(snapshot.excluded)
        for first, second in self._excluded:
            self._detector.exclude(self._rows[first], self._rows[second])

    # -------------------------------------------------------- whole arrays

    @property
    def _bodies(self) -> BodyArrays:
        return self._table.arrays

    @property
    def positions(self) -> np.ndarray:
        """Centres of mass (n, 3) [m], a read-only view; assign a whole array to move bodies."""
        return read_only(self._bodies.positions)

    @positions.setter
    def positions(self, value: Any) -> None:
        self._bodies.positions[:] = _finite("positions", value, self._bodies.positions.shape)
        self._dynamics.stale = True

    @property
    def quaternions(self) -> np.ndarray:
        """Orientations (n, 4), principal axes to world, a view; assign a whole array to turn bodies."""
        return read_only(self._bodies.quaternions)

    @quaternions.setter
    def quaternions(self, value: Any) -> None:
        new = _finite("quaternions", value, self._bodies.quaternions.shape)
        self._bodies.quaternions[:] = [checks.quaternion(f"quaternions[{i}]", q) for i, q in enumerate(new)]
        self._dynamics.stale = True

    @property
    def velocities(self) -> np.ndarray:
        """Velocities (n, 3) of the centres of mass [m/s]; may be written."""
        return self._bodies.velocities

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities (n, 3), world [rad/s]; may be written."""
        return self._bodies.angular_velocities

    @property
    def masses(self) -> np.ndarray:
        """Masses (n,) [kg], 0 for bodies that do not react."""
        return read_only(self._bodies.masses)

    @property
    def inertias(self) -> np.ndarray:
        """Principal moments of inertia (n, 3) [kg m^2]."""
        return read_only(self._bodies.inertias)

    @property
    def island_numbers(self) -> np.ndarray:
        """Return the island of each body (n,) in the last step, -1 for one without contacts and joints."""
        out = np.full(self._table.count, -1, np.int64)
        islands = self._dynamics.islands
        sizes = np.diff(islands.body_start)
        out[islands.bodies[: islands.body_start[-1]]] = np.repeat(np.arange(len(sizes)), sizes)
        return out

    @property
    def asleep(self) -> np.ndarray:
        """Return which bodies sleep (n,); see `Settings.sleeping`."""
        out = np.zeros(self._table.count, np.bool_)
        sleeping = self._dynamics.sleepers.asleep
        out[: len(sleeping)] = sleeping
        return out

    def wake_all(self) -> None:
        """Wake all bodies, and let them rest anew before they sleep again."""
        self._dynamics.wake(np.arange(self._table.count))

    @property
    def forces(self) -> np.ndarray:
        """Forces (n, 3) [N] without gravity; may be written, kept until changed."""
        return self._bodies.forces

    @property
    def torques(self) -> np.ndarray:
        """Torques (n, 3) [N m], world; may be written, kept until changed."""
        return self._bodies.torques


def _as_parts(shapes: Shapes) -> tuple[Placed, ...]:
    """Return the shapes of a body as placed shapes."""
    if isinstance(shapes, Shape | Placed):
        shapes = (shapes,)
    parts: list[Placed] = []
    if not isinstance(shapes, Iterable):
        raise TypeError(
            f"shapes: {shapes!r} is a {type(shapes).__name__}, not a shape such as Box((1, 1, 1))"
        )
    for shape in shapes:
        if isinstance(shape, Placed):
            parts.append(shape)
        elif isinstance(shape, Shape):
            parts.append(Placed(shape))
        else:
            raise TypeError(
                f"shapes: {shape!r} is a {type(shape).__name__}, not a shape such as Box((1, 1, 1))"
            )
    return tuple(parts)


def _mass_properties(
    parts: tuple[Placed, ...],
    mass: float | None,
    density: float | None,
    properties: MassProperties | None,
) -> MassProperties:
    """Return the mass properties of a dynamic body from what the user gave."""
    if properties is not None:
        if mass is not None or density is not None:
            raise ValueError("mass_properties: give either these or a mass or a density, not both")
        return properties
    if mass is None and density is None:
        density = DEFAULT_DENSITY
    return from_shapes(parts, density=density, mass=mass)


def _rotate(q: np.ndarray, v: Any) -> np.ndarray:
    """Return R(q) v."""
    axis = np.asarray(q)[1:]
    t = 2.0 * np.cross(axis, v)
    return np.asarray(v) + q[0] * t + np.cross(axis, t)


def _multiply(p: np.ndarray, q: Any) -> np.ndarray:
    """Return the quaternion product p q."""
    q = np.asarray(q)
    return np.concatenate(
        [[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])]
    )


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def _finite(name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
    array = np.asarray(value, dtype=np.float64)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers of shape {shape}, not {array.shape}")
    return array
