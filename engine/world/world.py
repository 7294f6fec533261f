"""The world: what users hold.

It says what can be done with it, in words for users, and leaves the doing to its parts: `BodyStore`,
`JointStore`, `MarkerStore`, `LoadStore` and `Control` keep what is in it, `Steps` makes the steps,
`ShapeQueries` answers questions, `report`, `contact_list` and `results` tell what came of a step, `snapshot`
and `copying` save it. What is assigned or added is checked where it is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from stoss.collision import ShapeTable
from stoss.collision.queries.guests import ShapeHit
from stoss.collision.queries.queries import ClosestPoint, RayHit, RayHits
from stoss.collision.read_only import read_only
from stoss.collision.shapes.shapes import Shape
from stoss.engine import checks
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.bodies.mass import MassProperties
from stoss.engine.bodies.material import Material
from stoss.engine.contacts.events import ContactEvents
from stoss.engine.joints.arrays import JointParts, JointStops
from stoss.engine.joints.freedom import FreedomReport
from stoss.engine.joints.kind import JointKind
from stoss.engine.joints.table import JointTable
from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.friction_book import FrictionBook, PassivityReport
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.laws.law_table import LawTable
from stoss.engine.settings import Settings
from stoss.engine.stages.ledger import EnergyLedger
from stoss.engine.stages.stepper import Stepper
from stoss.engine.world.body import Body
from stoss.engine.world.body_form import Shapes, make_form
from stoss.engine.world.body_store import BodyStore
from stoss.engine.world.colors import checked_color
from stoss.engine.world.contact_list import WorldContacts, contacts_of
from stoss.engine.world.copying import WorldState, copy_world, deep_copy_world, pickled_state, take_over
from stoss.engine.world.exclusive import Entry, enters_world
from stoss.engine.world.friction_books import check_passivity, friction_books
from stoss.engine.world.given import Given
from stoss.engine.world.joint import Joint
from stoss.engine.world.joint_store import JointStore
from stoss.engine.world.marker import Marker, MarkerStore
from stoss.engine.world.plane import Plane, usual_gravity
from stoss.engine.world.poses import reference_positions, reference_quaternions
from stoss.engine.world.queries import ShapeQueries
from stoss.engine.world.report import StepReport, report_of, unread_report
from stoss.engine.world.results import island_numbers, state_hash
from stoss.engine.world.snapshot import Snapshot, restore_snapshot, take_snapshot
from stoss.engine.world.steps import Steps
from stoss.engine.world.whole_arrays import assign, assign_positions, assign_quaternions
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.articulated.both import BothRuns
    from stoss.engine.articulated.structure import Follow
    from stoss.engine.control.actuators import Actuator
    from stoss.engine.control.control import Control
    from stoss.engine.control.controller import Controller
    from stoss.engine.control.events import Event
    from stoss.engine.control.part import Part
    from stoss.engine.control.relay import Subscription
    from stoss.engine.control.sensor import Sensor
    from stoss.engine.forces.integrals import Integral
    from stoss.engine.forces.load import Load
    from stoss.engine.forces.store import LoadStore

__all__ = ["World"]

Callback = Callable[["World"], None]
_Sensor = TypeVar("_Sensor", bound="Sensor")
_Actuator = TypeVar("_Actuator", bound="Actuator")


def _callbacks(name: str, value: Any) -> list[Callback]:
    """Return functions that are called around a step."""
    if not isinstance(value, list | tuple) or not all(map(callable, value)):
        raise TypeError(
            f"{name} = {checks.shown(value)} must be a list of functions f(world); "
            f"world.{name}.append(f) adds one"
        )
    return list(value)


def _joint_list(name: str, value: Any) -> list[Joint]:
    if not isinstance(value, list) or not all(isinstance(one, Joint) for one in value):
        raise TypeError(f"{name} = {checks.shown(value)} must be a list of joints")
    return value


@closed
@enters_world(
    *("prepare_kernels", "add_body", "add_bodies", "duplicate", "remove_body", "exclude_collision"),
    *(
        "set_material_pair",
        "add_joint",
        "remove_joint",
        "add_marker",
        "remove_marker",
        "add_load",
        "remove_load",
        "add_integral",
        "add_sensor",
        "add_actuator",
        "add_controller",
        "remove_controller",
        "on",
        "at",
        "freedom_report",
        "wake_all",
        "save",
        "restore",
    ),
    *("contacts", "contact_impulses", "contact_friction", "report", "ray_cast", "closest_point", "overlap"),
)
class World:
    """A set of rigid bodies under gravity, with contacts, that is advanced in steps of equal length.

    Args:
        gravity: (3,) [m/s^2]; by default 9.81 along -z, in the plane "xy" along -y.
        time_step: length of a step [s].
        settings: how it is simulated.
        planar: "xy", "xz" or "yz": bodies stay in that plane through the origin; see `World.plane`.

    Raises:
        ValueError: a value that is not finite, a time step that is not above zero, no such plane, or gravity
            that pulls out of it.
    """

    before_step = Given(_callbacks, "Functions f(world) that are called before every step, in their order.")
    after_step = Given(_callbacks, "Functions f(world) that are called after every step, in their order.")
    broken_joints = Given(_joint_list, "Joints that broke in the last step.")
    time = Given(checks.number, "World time [s], the sum of all steps.")
    step_count = Given(checks.whole, "Number of steps that were made.")

    def __init__(
        self,
        gravity: Any = None,
        time_step: float = 0.01,
        settings: Settings | None = None,
        planar: str | None = None,
    ) -> None:
        self._set_up(gravity, time_step, settings, planar)

    def _set_up(self, gravity: Any, time_step: float, settings: Settings | None, planar: str | None) -> None:
        """Be a world without bodies."""
        self._plane = None if planar is None else Plane(planar)
        self._entry = Entry()
        self._settings = Settings() if settings is None else _checked_settings(settings)
        self.gravity = usual_gravity(planar) if gravity is None else gravity
        self._time_step = checks.positive("time_step", time_step, "s")
        self._laws = LawTable()
        # as they are, rows of what was removed included: see `_body_store`
        self._all_bodies = BodyStore(self, self._settings.collision, self._plane)
        self._all_joints = JointStore(self, self._all_bodies)
        self._markers = MarkerStore(self, self._all_bodies)
        self._loads: LoadStore | None = None  # until there are any
        self._steps = Steps(self)
        self.broken_joints = []
        self.before_step = []
        self.after_step = []
        self._control: Control | None = None  # made for the first sensor, controller or function for events
        self.time = 0.0
        self.step_count = 0

    def __repr__(self) -> str:
        counts = (
            (len(self._body_store.handles), "bod", "y", "ies"),
            (len(self._joint_store.handles), "joint", "", "s"),
        )
        bodies, joints = (f"{count} {noun}{one if count == 1 else more}" for count, noun, one, more in counts)
        return f"<World of {bodies} and {joints}, step {self.step_count}, time {self.time:.6g} s>"

    def _pairs_changed(self) -> None:
        """Let the stages know the values of pairs of materials."""
        self._steps.stages.system.pairs = self._all_bodies.pairs.table

    def _changed(self) -> None:
        """Find contacts and rows anew before the next step, since poses, bodies or joints were changed."""
        self._steps.stages.state.stale = self._steps.stages.state.changed = True

    # What is removed leaves the arrays when someone next looks at these as a whole: thousands are removed in
    # one pass over the rest. Whoever reads a body or a joint by its present row takes `_all_bodies` and
    # `_all_joints`, and spares the pass; all others take the following three.

    @property
    def _body_store(self) -> BodyStore:
        self._compact()
        return self._all_bodies

    @property
    def _joint_store(self) -> JointStore:
        self._compact()
        return self._all_joints

    @property
    def _stepper(self) -> Stepper:
        self._compact()
        return self._steps.stages

    def _compact(self) -> None:
        """Take what was removed out of the arrays."""
        if not (self._all_joints.registry.has_dropped or self._all_bodies.registry.has_dropped):
            return
        with self._entry("reading the arrays after a removal"):
            self._all_joints.compact()
            if self._all_bodies.registry.has_dropped:
                self._steps.compact_bodies()

    @property
    def _bodies(self) -> BodyArrays:
        return self._body_store.table.arrays

    @property
    def _joint_table(self) -> JointTable:
        return self._joint_store.table

    @property
    def _queries(self) -> ShapeQueries:
        return ShapeQueries(self._body_store)

    # ------------------------------------------------------------------ step

    def step(self, count: int = 1) -> StepReport:
        """Advance the world by `count` steps and report the last one.

        Raises:
            SimulationError: a body ran away; the world is back at the last good step.
        """
        if type(count) is not int or count < 1:
            cure = f"; a step is as long as world.time_step, {self._time_step:g} s"
            count = checks.whole("count", count, least=1, cure=cure)
        self._entry.refuse_again("world.step")
        with self._entry("world.step"):
            self._steps.make(count)
            return unread_report(self)

    def prepare_kernels(self) -> None:
        """Compile what this world needs and is not on disk yet; the first step does so as well.

        Call it where waiting is no harm, or have `stoss prepare` do it beforehand.
        """
        self._steps.prepare_kernels()

    # -------------------------------------------------------- how it is simulated

    @property
    def gravity(self) -> np.ndarray:
        """Gravity (3,) [m/s^2]; assign to change it."""
        return read_only(self._gravity, "assign all of it: world.gravity = (0, 0, -9.81)")

    @gravity.setter
    def gravity(self, value: Any) -> None:
        plane = self._plane
        self._gravity = checks.gravity(value) if plane is None else plane.gravity(value)

    @property
    def plane(self) -> Plane | None:
        """Plane in which the bodies move, None: in space. It turns vectors into planar numbers and back."""
        return self._plane

    @property
    def planar(self) -> str | None:
        """Name of the plane, as it was given, None: in space."""
        return None if self._plane is None else self._plane.name

    @property
    def time_step(self) -> float:
        """Length of a step [s]; assign to change it."""
        return self._time_step

    @time_step.setter
    def time_step(self, value: float) -> None:
        self._time_step = checks.positive("time_step", value, "s")

    @property
    def settings(self) -> Settings:
        """How it is simulated; assign other settings to change that from the next step on.

        Raises:
            TypeError, ValueError: no settings, or another collision backend, which needs a new world.
        """
        return self._settings

    @settings.setter
    def settings(self, value: Settings) -> None:
        _checked_settings(value)
        if value.collision != self._settings.collision:
            raise ValueError(
                f"settings.collision = {value.collision!r} cannot replace {self._settings.collision!r} in a "
                "world that exists; build a new one with it"
            )
        self.wake_all()
        self._settings = value
        self._stepper.change_settings(value)

    # -------------------------------------------------------------- bodies

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
        color: Any = None,
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
            color: (red, green, blue) from 0 to 1, a name or "#ff8800"; see `Body.color`.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        name = self._all_bodies.registry.new_name(name)
        form = make_form(
            f"body {name!r}", shapes, kind, mass, density, mass_properties, group, mask, self._plane
        )
        own = checked_color("color", color)
        body = self._all_bodies.add(form, name, position, quaternion, velocity, angular_velocity, material)
        if own is not None:
            body.color = own
        return body

    def add_bodies(
        self,
        shapes: Shapes,
        positions: Any,
        *,
        quaternions: Any = (1.0, 0.0, 0.0, 0.0),
        velocities: Any = (0.0, 0.0, 0.0),
        angular_velocities: Any = (0.0, 0.0, 0.0),
        kind: str = "dynamic",
        mass: float | None = None,
        density: float | None = None,
        mass_properties: MassProperties | None = None,
        material: Material | None = None,
        names: Sequence[str] | None = None,
        group: int = 1,
        mask: int = -1,
        color: Any = None,
    ) -> list[Body]:
        """Add bodies that are alike but for pose and velocity, and return their handles.

        The same as adding them one by one with `add_body`, in a tenth of the time.

        Args:
            shapes: of each body.
            positions: (n, 3) [m], one for each body.
            quaternions, velocities, angular_velocities: (n, 4), (n, 3), (n, 3), or one for all of them.
            kind, mass, density, mass_properties, material, group, mask, color: of each body; see `add_body`.
            names: n of them, unique; by default "body 7", "body 8", ...

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure; no body is added then.
        """
        places = checks.rows("positions", positions, None, 3)
        count, store = len(places), self._all_bodies
        turns = checks.unit_quaternions("quaternions", quaternions, count, repeat=True)
        speeds = checks.rows("velocities", velocities, count, 3, repeat=True)
        spins = checks.rows("angular_velocities", angular_velocities, count, 3, repeat=True)
        names = store.registry.new_names(names, count)
        form = make_form("every body", shapes, kind, mass, density, mass_properties, group, mask, self._plane)
        own = checked_color("color", color)
        bodies = store.add_copies(form, names, places, turns, speeds, spins, material) if count else []
        if own is not None:
            store.colors.update((body._key, own) for body in bodies)
        return bodies

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
        return self._all_bodies.duplicate(body, position, quaternion, name)

    def remove_body(self, body: Body) -> None:
        """Remove a body and its joints; their handles become invalid, those of the others stay valid.

        Raises:
            ValueError: the body is not in this world.
        """
        row = self._all_bodies.row(body)
        if self._loads is not None:
            for joint in self._all_joints.of_body(body._key):
                self._loads.remove_with(joint=joint)
            self._loads.remove_with(body=body._key)
        self._all_joints.remove_body(body._key)
        self._markers.remove_body(body._key)
        self._all_bodies.drop(row)
        self._changed()
        if self._all_bodies.registry.is_sparse:
            self._compact()  # so that memory does not wait for someone to look

    def body(self, name: str) -> Body:
        """Return the body of that name.

        Raises:
            KeyError: there is none.
        """
        return self._all_bodies.registry.named(name)

    @property
    def bodies(self) -> list[Body]:
        """Return the handles of all bodies, in the order of the arrays."""
        return list(self._body_store.handles)

    @property
    def shape_table(self) -> ShapeTable:
        """Return the shapes of all bodies, for reading; `body` of the table says whose they are."""
        return self._body_store.detector.table

    def exclude_collision(self, first: Body, second: Body) -> None:
        """Let two bodies pass through each other.

        Args:
            first, second: two bodies of this world.
        """
        self._stepper.waking.wake(self._body_store.exclude(first, second))

    def set_material_pair(
        self,
        first: Material,
        second: Material,
        *,
        restitution: float | None = None,
        friction: float | FrictionLaw | None = None,
        static_friction: float | None = None,
        impact_law: str | None = None,
        contact_law: ContactLaw | None = None,
    ) -> None:
        """Give a pair of materials values of its own, in place of what the rules of `Settings` combine.

        They hold for all bodies of these materials, also for those that are added or given them later. What
        is left out follows the rules; all left out takes the values of the pair back.

        Args:
            first, second: materials; equal ones are the same, unless their names differ.
            restitution: 0 to 1.
            friction: Coulomb coefficient while sliding, or a friction law.
            static_friction: while sticking, at least `friction`, which must be given too; by default that.
            impact_law: "newton", "poisson" or "stronge".
            contact_law: how the contacts of the pair give way and bounce, in place of a restitution.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        values = restitution, friction, static_friction, impact_law, contact_law
        self._body_store.set_material_pair(first, second, *values)
        self._pairs_changed()
        self.wake_all()
        self._changed()

    # -------------------------------------------------------------- joints

    def add_joint(
        self,
        kind: JointKind,
        first: Body | None = None,
        second: Body | None = None,
        *,
        name: str | None = None,
        collide: bool = False,
    ) -> Joint:
        """Join two bodies and return the handle of the joint.

        Args:
            kind: what is held, for instance `Hinge((0, 0, 1), (0, 1, 0))`, in world coordinates at present.
            first, second: the bodies, None for the world; one of them at least is dynamic. Gears, racks and
                other couplings, which are between joints, have none.
            name: unique among the joints; by default "joint 0", "joint 1", ...
            collide: whether the two bodies may touch each other; without it they pass through each other as
                long as the joint exists, also while it is disabled.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        return self._all_joints.add(kind, first, second, name, collide)

    def remove_joint(self, joint: Joint) -> None:
        """Remove a joint; its handle becomes invalid, those of the others stay valid.

        Raises:
            TypeError, ValueError: not a joint, or not one of this world.
        """
        self._all_joints.remove(joint)
        if self._loads is not None:
            self._loads.remove_with(joint=joint._key)

    def joint(self, name: str) -> Joint:
        """Return the joint of that name.

        Raises:
            KeyError: there is none.
        """
        return self._all_joints.registry.named(name)

    @property
    def joints(self) -> list[Joint]:
        """Return the handles of all joints, in the order in which they were added."""
        return list(self._joint_store.handles)

    @property
    def joint_parts(self) -> JointParts:
        """Return where the joints sit on their bodies, as copies: for drawing."""
        return self._joint_store.parts

    @property
    def joint_stops(self) -> JointStops:
        """Return the limits of the joints that are in force, as copies: for drawing."""
        return self._joint_store.stops

    @property
    def joints_enabled(self) -> np.ndarray:
        """Return which joints (j,) are in force, as a copy: neither disabled nor broken."""
        enabled = self._joint_store.table.arrays.enabled.astype(bool)
        return read_only(enabled, "set joint.enabled")

    def freedom_report(self) -> FreedomReport:
        """Return the degrees of freedom that joints leave, redundant rows, and joints that are open.

        Of the present pose; limits, drives and contacts do not count. Print it to read it.
        """
        return self._joint_store.freedom_report(self.settings.position_tolerance)

    def run_both(
        self, duration: float, *, follow: "Mapping[str, Follow] | None" = None, tolerance: float = 1e-10
    ) -> "BothRuns":
        """Run a copy by the engine and by equations of generalised coordinates; compare after each step.

        This world stays as it is. Contacts and rigid stops are unknown to those equations: where bodies
        touch, or a stop is reached, both runs end. Stelzner 2008, section 2.3.2.

            print(world.run_both(1.0))  # the largest differences of the coordinates

        Args:
            duration: simulated time [s], rounded to steps of the world.
            follow: coordinates that follow others in the equations, see `Articulation`; what couples joints
                in the world need not be repeated. One that follows a function of the time may have a motor
                in the engine.
            tolerance: error that a step of the equations may add [m, rad, m/s, rad/s].

        Raises:
            TypeError, ValueError: an argument is wrong, or the world has something without a smooth law.
        """
        found: BothRuns = import_module("stoss.engine.articulated.both").run_both(
            self, duration, follow, tolerance
        )
        return found

    # ------------------------------------------------------------- markers

    def add_marker(
        self,
        name: str,
        body: Body | None = None,
        *,
        position: Any = (0.0, 0.0, 0.0),
        quaternion: Any = (1.0, 0.0, 0.0, 0.0),
    ) -> Marker:
        """Name a frame on a body, or of the world, and return its handle.

        Args:
            name: with the name of the body before it, "body:name", it is unique among the markers.
            body: that it is on; None: the world.
            position, quaternion: in the frame of the body's shapes, [m] and (w, x, y, z).

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        return self._markers.add(name, body, position, quaternion)

    def remove_marker(self, marker: Marker) -> None:
        """Remove a marker; its handle becomes invalid, joints that were added at it stay."""
        self._markers.remove(marker)

    def marker(self, name: str) -> Marker:
        """Return the marker of that name, "body:name", or "name" for one of the world.

        Raises:
            KeyError: there is none; the message names the nearest.
        """
        return self._markers.registry.named(name)

    @property
    def markers(self) -> list[Marker]:
        """Return the handles of all markers, in the order in which they were added."""
        return list(self._markers.handles)

    # --------------------------------------------------------------- loads

    def _load_store(self) -> "LoadStore":
        """Return the loads; the first one brings all that is needed for them."""
        if self._loads is None:
            self._loads = import_module("stoss.engine.forces.store").LoadStore(self)
        return self._loads

    def add_load(
        self, load: Any, *, name: str | None = None, parameters: Any = None, scratch: Any = None
    ) -> "Load":
        """Add what gives forces and torques, and return its handle.

        Args:
            load: a ready-made load, for instance `Force(body, (0, 0, 10))`, or a function f(context) that
                gives forces by the context; compiled by `numba.njit` it gets plain arrays. It is called once
                per step with the world at the middle of the step; see docs/forces.md.
            name: unique among the loads; by default "load 0", "load 1", ...
            parameters: of a function: numbers by their names.
            scratch: of a function: numbers (k,) that it keeps from step to step, or how many.

        Raises:
            TypeError, ValueError: a value that makes no sense, named with its cure.
        """
        return self._load_store().add(load, name, parameters, scratch)

    def remove_load(self, load: "Load") -> None:
        """Remove a load; its handle becomes invalid."""
        self._load_store().remove(load)

    def load(self, name: str) -> "Load":
        """Return the load of that name.

        Raises:
            KeyError: there is none.
        """
        return self._load_store().registry.named(name)

    @property
    def loads(self) -> "list[Load]":
        """Return the handles of all loads, in the order in which they were added."""
        return [] if self._loads is None else list(self._loads.registry.handles)

    def add_integral(self, name: str, rate: Callable[[Any], Any], start: Any = 0.0) -> "Integral":
        """Add a number that follows a rate of the user's, and return its handle.

        The rate is evaluated after the loads, at the middle of the step, and taken for the whole step: of
        order 2 as the motion.

        Args:
            name: unique among the integrals; loads and rates read it as `context.integrals[name]`.
            rate: function f(context) that returns the rate, a number or an array of the shape of `start`.
            start: value at present.

        Raises:
            TypeError, ValueError: a value that makes no sense, named with its cure.
        """
        return self._load_store().add_integral(name, rate, start)

    def integral(self, name: str) -> "Integral":
        """Return the integral of that name.

        Raises:
            KeyError: there is none.
        """
        return self._load_store().integrals.registry.named(name)

    @property
    def integrals(self) -> "list[Integral]":
        """Return the handles of all user integrals, in the order in which they were added."""
        return [] if self._loads is None else list(self._loads.integrals.registry.handles)

    # ------------------------------------------------------------- control

    def _controlled(self) -> "Control":
        """Return what senses, thinks and acts around the steps; made when it is first needed."""
        if self._control is None:
            made: Control = import_module("stoss.engine.control.control").Control(self)  # it knows worlds
            self._control = made
        return self._control

    def add_sensor(self, sensor: _Sensor, *, name: str | None = None) -> _Sensor:
        """Add a sensor and return it: an `Encoder`, `Imu`, `ContactSensor`, `ForcePlate` or `RaySensor`.

        Args:
            sensor: of bodies, joints or markers of this world; it goes with any of these.
            name: unique among the sensors; by default "sensor 0", "sensor 1", ...

        Raises:
            ValueError, TypeError: no sensor, one that is in a world, or at something of another one.
        """
        return self._controlled().add_sensor(sensor, name)

    def add_actuator(self, actuator: _Actuator, *, name: str | None = None) -> _Actuator:
        """Add an actuator and return it: a `TorqueActuator`, `VelocityActuator` or `Servo`.

        Args:
            actuator: on a joint of this world; it goes with the joint.
            name: unique among the actuators; by default "actuator 0", "actuator 1", ...

        Raises:
            ValueError, TypeError: no actuator, one that is in a world, or on a joint of another one.
        """
        return self._controlled().add_actuator(actuator, name)

    def add_controller(
        self,
        controller: "Controller | Callable[[World], Any]",
        *,
        rate: float | None = None,
        actuators: Any = (),
        name: str | None = None,
    ) -> Any:
        """Add a controller and return it; see `Controller` for what it does, and when.

        Args:
            controller: one, or a function f(world) that returns commands, or None.
            rate: updates per second [1/s]; None: one in every step. It updates every so many steps; the time
                that comes of it is `Controller.period`, with a warning where it is another one.
            actuators: an actuator or several, which take what it returns as their commands.
            name: unique among the controllers; by default "controller 0", "controller 1", ...

        Raises:
            ValueError, TypeError: no controller, one that is in this world already, or more than an update in
                a step.
        """
        return self._controlled().add_controller(controller, rate, actuators, name)

    def remove_controller(self, controller: Any) -> None:
        """Remove a controller.

        Args:
            controller: what was given to `add_controller`, or its name.

        Raises:
            ValueError: it is not in this world.
        """
        self._controlled().remove_controller(controller)

    @property
    def sensors(self) -> "Mapping[str, Sensor]":
        """Return the sensors by their names, in the order in which they were added."""
        return {} if self._control is None else dict(self._control.sensors)

    @property
    def actuators(self) -> "Mapping[str, Actuator]":
        """Return the actuators by their names, in the order in which they were added."""
        return {} if self._control is None else dict(self._control.actuators)

    @property
    def controllers(self) -> "Mapping[str, Controller]":
        """Return the controllers by their names, in the order in which they were added."""
        entries = {} if self._control is None else self._control.controllers
        return {name: entry.controller for name, entry in entries.items()}

    def _remove_part(self, part: "Part") -> None:
        with self._entry(f"{part.noun}.remove"):
            self._controlled().remove_part(part)

    def on(
        self, event: str, function: "Callable[[Event], Any]", *, bodies: Any = None, joints: Any = None
    ) -> "Subscription":
        """Call a function after each step in which something happened, once for each time it did.

        Those of a step come in this order: joints that broke, contacts that began, that ended, joints that
        reached a stop; each by the order of bodies or joints, and told to functions in the order in which
        these were added. An error in a function comes after a whole step, and names function and event.

        Args:
            event: "contact_begin", "contact_end", "contact_broken", "joint_broken" or "joint_at_stop".
            function: f(event), told by an `Event` what happened.
            bodies: a body whose contacts count, or the two of a contact; None: any.
            joints: a joint or several that count; None: any.

        Returns:
            The subscription, whose `remove` ends it.

        Raises:
            ValueError, TypeError: a value that makes no sense, named with its cure.
        """
        return self._controlled().relay.on(self, event, function, bodies, joints)

    def at(self, time: float, function: Callback, *, every: float | None = None) -> "Subscription":
        """Call a function before the first step that begins at a time or later.

        Args:
            time: world time [s].
            function: f(world).
            every: how long after that again and again [s]; None: once.

        Returns:
            The subscription, whose `remove` ends it.

        Raises:
            ValueError, TypeError: the time is over, or a value that makes no sense.
        """
        return self._controlled().relay.at(self, time, function, every)

    # -------------------------------------------------------- whole arrays

    @property
    def positions(self) -> np.ndarray:
        """Origins of the bodies' frames (n, 3) [m], as `Body.position`; assign all of them to move bodies."""
        return read_only(
            reference_positions(self._bodies),
            "assign all of them: world.positions = array; or body.position = (x, y, z)",
        )

    @positions.setter
    def positions(self, value: Any) -> None:
        assign_positions(self._body_store, value)
        self._changed()

    @property
    def quaternions(self) -> np.ndarray:
        """Orientations (n, 4) of these frames, as `Body.quaternion`; assign a whole array to turn bodies."""
        return read_only(
            reference_quaternions(self._bodies),
            "assign all of them: world.quaternions = array; or body.quaternion = (w, x, y, z)",
        )

    @quaternions.setter
    def quaternions(self, value: Any) -> None:
        assign_quaternions(self._body_store, value)
        self._changed()

    @property
    def centers_of_mass(self) -> np.ndarray:
        """Centres of mass (n, 3) [m], a read-only view."""
        return read_only(self._bodies.positions, "assign world.positions or body.position")

    @property
    def principal_quaternions(self) -> np.ndarray:
        """Orientations of the principal axes (n, 4), a read-only view."""
        return read_only(self._bodies.quaternions, "assign world.quaternions or body.quaternion")

    @property
    def velocities(self) -> np.ndarray:
        """Velocities (n, 3) of the centres of mass [m/s]; may be written, or assigned; see `forces`."""
        return self._body_store.view("velocities")

    @velocities.setter
    def velocities(self, value: Any) -> None:
        assign(self._body_store, "velocities", value)

    @property
    def angular_velocities(self) -> np.ndarray:
        """Angular velocities (n, 3), world [rad/s]; may be written, or assigned; see `forces`."""
        return self._body_store.view("angular_velocities")

    @angular_velocities.setter
    def angular_velocities(self, value: Any) -> None:
        assign(self._body_store, "angular_velocities", value)

    @property
    def masses(self) -> np.ndarray:
        """Masses (n,) [kg], 0 for bodies that do not react."""
        return read_only(self._bodies.masses, "assign body.mass")

    @property
    def inertias(self) -> np.ndarray:
        """Principal moments of inertia (n, 3) [kg m^2]."""
        return read_only(self._bodies.inertias, "assign body.mass, or add the body with mass_properties")

    @property
    def island_numbers(self) -> np.ndarray:
        """Return the island of each body (n,) in the last step, -1 for one without contacts and joints."""
        return read_only(island_numbers(self._stepper))

    @property
    def asleep(self) -> np.ndarray:
        """Return which bodies sleep (n,); see `Settings.sleeping`."""
        return read_only(self._stepper.state.sleepers.asleep_among(self._body_store.table.count))

    def wake_all(self) -> None:
        """Wake all bodies, and let them rest anew before they sleep again."""
        self._stepper.waking.wake(np.arange(self._body_store.table.count))

    @property
    def forces(self) -> np.ndarray:
        """Forces (n, 3) [N] without gravity; may be written, or assigned, and are kept until changed.

        The array is a view of the bodies as they are now. When some are added or removed, take it anew:
        writing into the old one is an error then.
        """
        return self._body_store.view("forces")

    @forces.setter
    def forces(self, value: Any) -> None:
        assign(self._body_store, "forces", value)

    @property
    def torques(self) -> np.ndarray:
        """Torques (n, 3) [N m], world; may be written, or assigned, and are kept until changed."""
        return self._body_store.view("torques")

    @torques.setter
    def torques(self, value: Any) -> None:
        assign(self._body_store, "torques", value)

    # ------------------------------------------------------------- results

    @property
    def events(self) -> ContactEvents:
        """Which pairs of bodies began, went on or ended touching in the last step, by their rows."""
        self._compact()
        return self._steps.touching.events

    @events.setter
    def events(self, value: ContactEvents) -> None:
        events: ContactEvents = checks.instance("events", value, ContactEvents, "the events of another step")
        self._steps.touching = replace(self._steps.touching, events=events)

    @property
    def contacts(self) -> WorldContacts:
        """Contacts of the present state, those across a gap and of bodies asleep included.

        They stay as they are when the world goes on; ask again after a step.
        """
        return contacts_of(self)

    @property
    def contact_impulses(self) -> np.ndarray:
        """Impulse (c, 3) [N s] on the first body of each contact over the last step: `contacts.impulse`."""
        return read_only(self._stepper.waking.all_contacts[1].copy())

    @property
    def contact_friction(self) -> np.ndarray:
        """Coefficient of sliding friction (c,) of each contact: `contacts.friction`."""
        return self.contacts.friction

    @property
    def report(self) -> StepReport:
        """Figures of the last step and of the present state."""
        return report_of(self)

    @property
    def ledger(self) -> EnergyLedger:
        """What has taken energy from the bodies, or given it to them, over all steps [J]."""
        return EnergyLedger.of(self._steps.ledger)

    @property
    def friction_books(self) -> dict[FrictionLaw, FrictionBook]:
        """Return the energy of friction of each law, over all its contacts and joints [J, W]."""
        return friction_books(self)

    def check_passivity(self, tolerance: float = 1e-9) -> PassivityReport:
        """Return whether friction laws, and contacts as a whole, took energy, and never gave any.

            assert world.check_passivity(), world.check_passivity().gains

        Pairs of bodies are told, but not judged: where one point of a pair slides as others carry it along,
        its friction may give what theirs takes, and a contact takes its book along when it goes.

        Args:
            tolerance: what may be given, as a share of all energies that there are.

        Raises:
            TypeError, ValueError: no number of 0 or more.
        """
        return check_passivity(self, checks.number("tolerance", tolerance, least=0.0))

    def state_hash(self) -> str:
        """Return a hash of all poses and velocities: equal bits, equal hash."""
        return state_hash(self._bodies)

    def save(self) -> Snapshot:
        """Return the whole state; `restore` continues from it bitwise as if nothing had happened."""
        return take_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a saved state, of this world or of one with the same collision backend.

        Bodies that were added since are gone, bodies that were removed are back (with new handles).

        Args:
            snapshot: what `save` or `Snapshot.read` returned.
        """
        restore_snapshot(self, snapshot)

    # ------------------------------------------------------------- copies

    def copy(self, *, callbacks: bool = True) -> Self:
        """Return a copy that goes on by itself, with the same bits, as `copy.deepcopy` does.

        Bodies and joints have handles of their own in it, found by name: `twin.body(body.name)`. A handle
        that is copied or pickled takes its world along; handles that are copied together with their world,
        for instance in one tuple, are those of the copy.

        Args:
            callbacks: whether `before_step` and `after_step` are copied: functions as they are, methods with
                the objects that they belong to. Without, the copy has none.

        Raises:
            ValueError: a callback refers to this world or a handle of it, so that it would act on this one.
        """
        return copy_world(self, callbacks=checks.flag("callbacks", callbacks))

    def __copy__(self) -> Self:
        return copy_world(self, callbacks=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return deep_copy_world(self, memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._blank, (), pickled_state(self)

    def __setstate__(self, state: WorldState) -> None:
        take_over(self, state)

    def _more_attributes(self) -> dict[str, Any]:
        """Return what users gave it beside its own attributes."""
        own = _own_attributes()
        return {name: value for name, value in vars(self).items() if name not in own}

    @classmethod
    def _blank(cls) -> Self:
        """Return what is to become a copy of another world, and cannot be used before."""
        return cls.__new__(cls)

    # ------------------------------------------------------------- queries

    def ray_cast(
        self,
        origin: Any,
        direction: Any,
        max_distance: float = np.inf,
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> tuple[Body, RayHit] | None:
        """Return the first body on a ray and the hit (point, normal, distance), or None.

        Args:
            origin: (3,) [m].
            direction: (3,), any length above zero.
            max_distance: [m].
            without: a body, or several, that the ray passes through.
            mask: only bodies with a group among these bits.
            kinds: only bodies of this kind, or these: "static", "kinematic", "dynamic".
        """
        return self._queries.ray_cast(origin, direction, max_distance, (without, mask, kinds))

    def ray_cast_all(
        self,
        origin: Any,
        direction: Any,
        max_distance: float = np.inf,
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> list[tuple[Body, RayHit]]:
        """Return all bodies on a ray with their hits, nearest first, once for each shape that it enters.

        Arguments as for `ray_cast`.

        Args:
            origin, direction: (3,) [m] where it begins, and (3,) where it goes; the direction has
                any length above zero.
            max_distance: how far it goes [m].
            without: bodies that are left out.
            mask: groups of the bodies that count.
            kinds: kinds of the bodies that count.
        """
        return self._queries.ray_cast_all(origin, direction, max_distance, (without, mask, kinds))

    def ray_cast_many(
        self,
        origins: Any,
        directions: Any,
        max_distances: Any = np.inf,
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> RayHits:
        """Return the first hits of many rays as arrays: `bodies` are rows of `world.bodies`, -1 for none.

        Args:
            origins, directions: (n, 3), or (3,) for all rays.
            max_distances: (n,) [m], or one for all rays.
            without, mask, kinds: as for `ray_cast`.
        """
        return self._queries.ray_cast_many(origins, directions, max_distances, (without, mask, kinds))

    def closest_point(
        self,
        point: Any,
        max_distance: float = np.inf,
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> tuple[Body, ClosestPoint] | None:
        """Return the body whose surface is closest to a point (3,) [m], and the finding, or None.

        Args:
            point: (3,) [m].
            max_distance: how far off it may be [m].
            without, mask, kinds: as for `ray_cast`.
        """
        return self._queries.closest_point(point, max_distance, (without, mask, kinds))

    def overlap(
        self,
        shape: Shape,
        position: Any = (0, 0, 0),
        quaternion: Any = (1, 0, 0, 0),
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> list[Body]:
        """Return the bodies that overlap a convex shape placed in the world; see `ray_cast` for the rest.

        Args:
            position, quaternion: (3,) [m] and (4,) where it is thought to be.
            without: bodies that are left out.
            mask: groups of the bodies that count.
            kinds: kinds of the bodies that count.
        """
        return self._queries.overlap(shape, position, quaternion, (without, mask, kinds))

    def shape_cast(
        self,
        shape: Shape,
        position: Any,
        quaternion: Any,
        motion: Any,
        *,
        without: Any = None,
        mask: int = -1,
        kinds: Any = None,
    ) -> tuple[Body, ShapeHit] | None:
        """Return the first body that a shape meets when it moves without turning, and the hit, or None.

        The hit says after what `fraction` of the motion, after what `distance`, at which `point` and along
        which `normal`, from the body that is hit. A body that the shape overlaps from the start is hit at
        fraction 0, with a `gap` below zero; what it only touches, and slides along or leaves, is not hit.

        Args:
            shape: convex: all but half-spaces and meshes.
            position, quaternion: where it starts, [m] and (w, x, y, z).
            motion: how far it goes (3,) [m].
            without, mask, kinds: as for `ray_cast`.
        """
        return self._queries.shape_cast(shape, position, quaternion, motion, (without, mask, kinds))


@cache
def _own_attributes() -> frozenset[str]:
    """Return the names of the attributes that every world has."""
    return frozenset(vars(World()))


def _checked_settings(value: Any) -> Settings:
    """Return settings.

    Raises:
        TypeError: they are none.
    """
    such_as = "dataclasses.replace(world.settings, sweeps=30)"
    found: Settings = checks.instance("settings", value, Settings, such_as)
    return found
