"""Handle of one body: a world and a key that stays valid while other bodies come and go."""

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.quaternions import (
    conjugate,
    multiply,
    quaternion_of,
    rotate,
    vector_of,
)
from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, KIND_NAMES, KINEMATIC
from stoss.engine.bodies.material import Material
from stoss.engine.settings import SOLVERS
from stoss.engine.world.colors import Color, checked_color
from stoss.engine.world.drawn import Drawn, drawn_shapes
from stoss.engine.world.exclusive import enters_world
from stoss.engine.world.handle import Handle
from stoss.engine.world.kinds import switch_kind
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.collision.shapes.placed import Placed
    from stoss.engine.world.body_store import BodyStore
    from stoss.engine.world.contact_list import WorldContacts

__all__ = ["Body"]


@closed
@enters_world(
    *("sleep", "wake"),
    light=("position", "quaternion", "velocity", "angular_velocity", "move_to")
    + ("apply_force", "apply_torque", "apply_impulse"),
)
class Body(Handle):
    """One body of a world.

    `position` and `quaternion` are the pose of the frame in which the shapes were given; the dynamics
    works on the centre of mass and the principal axes, which the world's whole arrays hold.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        if not self._store.registry.has(self):
            return f"<Body {self._name!r}, removed>"
        x, y, z = self.position.tolist()
        weight = f", {self.mass:.6g} kg" if self.kind == "dynamic" else ""
        return f"<Body {self._name!r}, {self.kind}{weight}, at ({x:.6g}, {y:.6g}, {z:.6g})>"

    @property
    def _store(self) -> "BodyStore":
        return self._world._all_bodies

    @property
    def index(self) -> int:
        """Return the present row of the body in the world's arrays.

        Raises:
            ValueError: the body was removed.
        """
        return self._world._body_store.row(self)

    @property
    def _row(self) -> int:
        """Return the row in the arrays as they are, with those who were removed: see `World._body_store`."""
        return self._store.row(self)

    @property
    def shapes(self) -> "tuple[Placed, ...]":
        """Return the shapes as they were given."""
        return self._store.registry.records[self._row].form.parts

    @property
    def kind(self) -> str:
        """Return "static", "kinematic" or "dynamic"; assign to change it, also while the world runs.

        A body that becomes static stops; one that becomes kinematic or dynamic goes on with the velocity it
        has. A dynamic body that was another kind meanwhile has its mass again; one that never was dynamic has
        the density of water, until `mass` is assigned. Forces on it end where it no longer reacts.

        Raises:
            ValueError: no such kind, a joint would be left between two bodies that do not react (or one and
                the world), or a body that never was dynamic has shapes that give no mass.
        """
        return KIND_NAMES[self._store.arrays.kinds[self._row]]

    @kind.setter
    def kind(self, value: str) -> None:
        switch_kind(self._world, self.index, value)

    @property
    def surface_velocity(self) -> np.ndarray:
        """Velocity (3,) [m/s] at which the surface moves along the body, in the frame of its shapes.

        A conveyor: what touches the body is dragged by friction as if the surface moved at this velocity, and
        the body itself stays where it is. It turns with the body. Only the part along the surface counts.
        It is that of the end of a step: assigned in every step, it changes evenly within the steps, at order
        2; one that is changed once holds at once.
        """
        moves = self._store.arrays.surface_motion[self._row, :3].copy()
        return read_only(moves, "assign all of it: body.surface_velocity = (x, y, z)")

    @surface_velocity.setter
    def surface_velocity(self, value: Any) -> None:
        self._store.set_surface_motion(self._row, 0, checks.vector("surface_velocity", value))

    @property
    def surface_angular_velocity(self) -> np.ndarray:
        """Angular velocity (3,) [rad/s] at which the surface turns about the origin of the body's frame.

        A turntable, in the frame of the shapes; added to `surface_velocity`.
        """
        turns = self._store.arrays.surface_motion[self._row, 3:].copy()
        return read_only(turns, "assign all of it: body.surface_angular_velocity = (x, y, z)")

    @surface_angular_velocity.setter
    def surface_angular_velocity(self, value: Any) -> None:
        self._store.set_surface_motion(self._row, 3, checks.vector("surface_angular_velocity", value))

    @property
    def color(self) -> Color | None:
        """Return its colour (red, green, blue in sRGB, 0 to 1), None: as the window chooses.

        Assign three numbers, a name such as "orange", digits such as "#ff8800", or None.
        """
        return self._store.colors.get(self._store.registry.records[self._row].key)

    @color.setter
    def color(self, value: Any) -> None:
        self._store.set_color(self._row, checked_color("color", value))

    @property
    def display(self) -> tuple[Drawn, ...]:
        """Return the shapes that are only drawn, beside those that collide: `stoss.Drawn` ones.

        Assign shapes, `Placed` or `Drawn` ones, in the frame of `shapes`; an empty tuple takes them away.
        They are in pictures, windows, recordings, copies and snapshots, and change nothing else.
        """
        return self._store.displays.get(self._store.registry.records[self._row].key, ())

    @display.setter
    def display(self, value: Any) -> None:
        self._store.set_display(self._row, drawn_shapes("display", value))

    @property
    def mass(self) -> float:
        """Return the mass [kg]; 0 for a body that does not react."""
        return float(self._store.arrays.masses[self._row])

    @mass.setter
    def mass(self, value: float) -> None:
        """Change the mass [kg] of a dynamic body; its inertia changes in proportion."""
        mass = checks.mass("mass", value)
        b, i = self._store.arrays, self._row
        if b.kinds[i] != DYNAMIC:
            raise ValueError(
                f"mass = {checks.shown(value)}: body {self._name!r} is {self.kind}; only dynamic ones have it"
            )
        self._store.set_mass(i, mass, (b.inertias[i] * (mass / b.masses[i])).tolist())

    @property
    def inertia(self) -> np.ndarray:
        """Return the principal moments of inertia (3,) [kg m^2]."""
        cure = "assign body.mass, or add the body with mass_properties"
        return read_only(self._store.arrays.inertias[self._row].copy(), cure)

    @property
    def material(self) -> Material:
        """Return the surface values."""
        return self._store.materials[self._row]

    @material.setter
    def material(self, value: Material) -> None:
        self._store.set_material(self._row, value)

    @property
    def solver(self) -> str:
        """Return the solver that the body's island is to have, "auto": the one of the settings.

        Assign "direct" or "gauss_seidel" to compare solvers within one world. Where bodies of one island want
        different ones, Gauss-Seidel is used.
        """
        return SOLVERS[self._store.arrays.solver[self._row]]

    @solver.setter
    def solver(self, value: str) -> None:
        self._store.arrays.solver[self._row] = SOLVERS.index(checks.choice("solver", value, SOLVERS))
        self._world._changed()

    @property
    def position(self) -> np.ndarray:
        """Return the position (3,) [m] of the reference frame."""
        b, i = self._store.arrays, self._row
        place = b.positions[i] + rotate(quaternion_of(b.quaternions[i]), vector_of(b.frame_positions[i]))
        return read_only(place, "assign all of it: body.position = (x, y, z)")

    @position.setter
    def position(self, value: Any) -> None:
        self._warn_of_jump("position")
        self._store.set_pose(self._row, checks.triple("position", value), quaternion_of(self.quaternion))

    @property
    def quaternion(self) -> np.ndarray:
        """Return the orientation (4,) of the reference frame, (w, x, y, z), body to world."""
        b, i = self._store.arrays, self._row
        turn = np.array(multiply(quaternion_of(b.quaternions[i]), quaternion_of(b.frame_quaternions[i])))
        return read_only(turn, "assign all of it: body.quaternion = (w, x, y, z)")

    @quaternion.setter
    def quaternion(self, value: Any) -> None:
        self._warn_of_jump("quaternion")
        self._store.set_pose(self._row, vector_of(self.position), checks.unit_quaternion("quaternion", value))

    def move_to(self, position: Any = None, quaternion: Any = None) -> None:
        """Move a kinematic body so that it has this pose of its frame after the next step.

        It carries and pushes what it touches, and turns on the shorter way round. Moved in every step, it is
        accelerated as its poses say, so forces are of order 2 in the step, and what it is slowed down by more
        than gravity leaves it; where its velocity jumps, it has the new one at once. After the step it stands
        still, unless it is moved again.

        Args:
            position: (3,) [m]; None: as it is.
            quaternion: (4,), (w, x, y, z), body to world; None: as it is.

        Raises:
            ValueError: the body is not kinematic.
        """
        if self.kind != "kinematic":
            cure = "apply forces, or set its velocity" if self.kind == "dynamic" else "make it kinematic"
            raise ValueError(f"move_to: body {self._name!r} is {self.kind}, not kinematic; {cure}")
        place = vector_of(self.position) if position is None else checks.triple("position", position)
        given = self.quaternion if quaternion is None else quaternion
        turn = quaternion_of(given) if quaternion is None else checks.unit_quaternion("quaternion", given)
        self._store.next_step.moves[self._key] = self._store.in_plane(place, turn)

    def _warn_of_jump(self, what: str) -> None:
        """Say that a kinematic body which touches something is moved without a velocity."""
        if self.kind != "kinematic":
            return
        row = self.index
        others = self._world._steps.touching.names(row, self._store.handles)
        if others:
            warnings.warn(
                f"{what} of kinematic body {self._name!r}, which touches {others[0]!r}, was assigned: it "
                "jumps there without a velocity, and neither carries nor pushes what it touches; use "
                "body.move_to(position, quaternion) before each step, or set its velocity",
                stacklevel=5,  # who assigned it, beyond what checks names and threads
            )

    def world_point(self, local: Any) -> np.ndarray:
        """Return in world coordinates a point (3,) [m] of the frame in which the shapes were given.

        Args:
            local: point (3,) [m] in the frame of the body.
        """
        return self.position + rotate(quaternion_of(self.quaternion), checks.triple("local", local))

    def local_point(self, world: Any) -> np.ndarray:
        """Return a world point (3,) [m] in the frame in which the shapes were given."""
        away = checks.vector("world", world) - self.position
        return np.array(rotate(conjugate(quaternion_of(self.quaternion)), vector_of(away)))

    @property
    def center_of_mass(self) -> np.ndarray:
        """Return the centre of mass (3,) [m]."""
        return read_only(self._store.arrays.positions[self._row].copy(), "assign body.position")

    @property
    def velocity(self) -> np.ndarray:
        """Return the velocity (3,) [m/s] of the centre of mass.

        A kinematic body that is given one in every step is accelerated as these say, see `move_to`.
        """
        cure = "assign all of it: body.velocity = (x, y, z)"
        return read_only(self._store.arrays.velocities[self._row].copy(), cure)

    @velocity.setter
    def velocity(self, value: Any) -> None:
        speed, plane = checks.vector("velocity", value), self._store.plane
        if plane is not None:
            speed = plane.place("velocity", speed)
        self._store.arrays.velocities[self._moving("velocity", value)] = speed
        self._steer()

    @property
    def angular_velocity(self) -> np.ndarray:
        """Return the angular velocity (3,) [rad/s], world."""
        cure = "assign all of it: body.angular_velocity = (x, y, z)"
        return read_only(self._store.arrays.angular_velocities[self._row].copy(), cure)

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        row, plane = self._moving("angular_velocity", value), self._store.plane
        spin = checks.vector("angular_velocity", value)
        self._store.arrays.angular_velocities[row] = (
            spin if plane is None else plane.turn("angular_velocity", spin)
        )
        self._steer()

    def _steer(self) -> None:
        """Let a kinematic body go on with the velocity that was assigned."""
        if self._store.arrays.kinds[self._row] == KINEMATIC:
            self._store.next_step.steer(self._key)

    def _moving(self, what: str, value: Any) -> int:
        if self.kind == "static":
            raise ValueError(
                f"{what} = {checks.shown(value)}: body {self._name!r} is static; make it kinematic to "
                "script its motion"
            )
        return self._row

    def _reacting(self, what: str) -> int:
        if self.kind != "dynamic":
            raise ValueError(f"{what}: body {self._name!r} is {self.kind} and does not react")
        return self._row

    def apply_force(self, force: Any, point: Any = None) -> None:
        """Add a force (3,) [N] for the next step, at a world point (3,) [m] or the centre of mass."""
        i = self._reacting("apply_force")
        load, plane = np.zeros(6), self._store.plane
        load[:3] = checks.vector("force", force)
        if plane is not None:
            load[:3] = plane.place("force", load[:3])
        if point is not None:
            arm = checks.vector("point", point) - self._store.arrays.positions[i]
            if plane is not None:
                arm[plane.normal] = 0.0  # what would turn the body out of the plane, the plane holds
            load[3:] = np.cross(arm, load[:3])
        self._store.next_step.add_load(self._key, load)

    def apply_torque(self, torque: Any) -> None:
        """Add a torque (3,) [N m], world, for the next step."""
        self._reacting("apply_torque")
        turning, plane = checks.vector("torque", torque), self._store.plane
        if plane is not None:
            turning = plane.turn("torque", turning)
        self._store.next_step.add_load(self._key, np.concatenate([np.zeros(3), turning]))

    def apply_impulse(self, impulse: Any, point: Any = None) -> None:
        """Change the velocity at once by an impulse (3,) [N s], at a world point (3,) [m] or the centre."""
        i = self._reacting("apply_impulse")
        vector, plane = checks.vector("impulse", impulse), self._store.plane
        b = self._store.arrays
        place = b.positions[i].copy() if point is None else checks.vector("point", point)
        if plane is not None:
            vector, place[plane.normal] = plane.place("impulse", vector), 0.0
        b.velocities[i] += vector * b.inverse_masses[i]
        if point is not None:
            angular = np.cross(place - b.positions[i], vector)
            turn = quaternion_of(b.quaternions[i])
            local = rotate(conjugate(turn), vector_of(angular)) / b.inertias[i]
            b.angular_velocities[i] += rotate(turn, vector_of(local))

    @property
    def asleep(self) -> bool:
        """Return whether it sleeps. A change to a body that sleeps wakes it as the next step begins."""
        return self._world._steps.stages.state.sleepers.is_asleep(self._row)

    def wake(self) -> None:
        """Wake the body with all that it touches or is joined to, directly or through others."""
        row = self.index
        self._world._stepper.waking.wake(np.array([row]))

    def sleep(self) -> None:
        """Put the body to sleep at once, with all that it touches or is joined to, even in mid-air.

        Raises:
            ValueError: it does not react, or bodies of this world do not sleep.
        """
        self._reacting("sleep")
        if not self._world.settings.sleeping:
            raise ValueError(
                f"sleep: body {self._name!r} is in a world without sleeping; give it Settings(sleeping=True)"
            )
        row = self.index
        self._world._stepper.sleep(row, self._world._gravity)

    @property
    def contacts(self) -> "WorldContacts":
        """Return the contacts of this body, as `World.contacts` has them."""
        return self._world.contacts.of(self)

    @property
    def kinetic_energy(self) -> float:
        """Return the kinetic energy [J]."""
        b, i = self._store.arrays, self._row
        turn = conjugate(quaternion_of(b.quaternions[i]))
        local = np.array(rotate(turn, vector_of(b.angular_velocities[i])))
        return float(
            0.5 * b.masses[i] * (b.velocities[i] @ b.velocities[i]) + 0.5 * (b.inertias[i] * local) @ local
        )
