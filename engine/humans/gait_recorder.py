"""What a walk was like over time: angles and torques of joints, forces of the ground, energies."""

from math import cos, sin
from typing import TYPE_CHECKING

import numpy as np

from stoss.engine import checks
from stoss.engine.humans.humanoid import SIDES
from stoss.engine.humans.leg_state import frames_of
from stoss.engine.humans.steps import LEFT
from stoss.engine.humans.walker import VirtualModelWalker

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["GaitRecorder"]

# Of both feet, right before left; of legs: hip, knee and ankle.
COLUMNS: dict[str, tuple[int, ...]] = {
    "time": (),
    "double": (),
    "standing": (),
    "heading": (),
    "center": (3,),
    "velocity": (3,),
    "kinetic": (),
    "potential": (),
    "moved": (),
    "actuator_work": (),
    "contact_loss": (),
    "gross_power": (),
    "angular_momentum": (3,),
    "feet": (2, 3),
    "hips": (2, 3),
    "ground_force": (2, 3),
    "pressure": (2, 2),
    "touching": (2, 3),
    "angles": (2, 3),
    "torques": (2, 3),
    "side_torques": (2, 2),
}


class GaitRecorder:
    """Record a walk: make it before the walk, and read arrays of it by their names afterwards.

        recorder = GaitRecorder(walker)
        world.step(10000)
        print(gait_report(recorder))
        recorder["ground_force"]    # (steps, 2, 3) [N]

    Columns: "time" [s]; "double": whether both feet stand; "standing": 0 right, 1 left; "heading" [rad];
    "center" and "velocity" of the centre of mass (3,); "kinetic", "potential" energy [J], and "moved", the
    kinetic energy of the centre of mass; "actuator_work" and "contact_loss" since the beginning [J];
    "gross_power" [W], equation (4.1); "angular_momentum" about the centre of mass in the frame of the heading
    (3,) [kg m^2/s]. Of both feet, right before left: "feet" and "hips", where they are (2, 3) [m];
    "ground_force" (2, 3) [N], in the frame of the heading; "pressure", where it acts, in the frame of a foot,
    from the heel, forward and to the left (2, 2) [m], NaN in the air; "touching": heel, medial and lateral
    ball (2, 3); "angles" and "torques" of hip, knee and ankle, flexion positive (2, 3) [rad, N m];
    "side_torques" of hip and ankle, abduction positive (2, 2).

    Args:
        walker: whose walk it is, in its world.

    Raises:
        TypeError: no walker.
    """

    def __init__(self, walker: VirtualModelWalker) -> None:
        self.walker: VirtualModelWalker = checks.instance(
            "walker", walker, VirtualModelWalker, "VirtualModelWalker(person)"
        )
        self._values: list[np.ndarray] = []
        person = walker.humanoid
        self._world = person.world
        self._bodies = [body.index for body in person.bodies.values()]
        self._store = person.bodies["pelvis"]._store
        self._heel = np.array(dict(person.human.foot.points)["heel"][:2])
        joints = [f"{side} {joint}" for joint in ("hip", "ankle") for side in SIDES]
        names = [person.joints[name].name for name in (*joints, *(["spine"] * (person.variant != "20dof")))]
        self._dampers = [[one for one in walker._dampers if one._joint.name == name] for name in names]
        self._rows: list[np.ndarray] = []  # of the dampers, and of what version of the joints
        self._version = -1
        self._world.after_step.append(self._take)

    def close(self) -> None:
        """Record no more."""
        if self._take in self._world.after_step:
            self._world.after_step.remove(self._take)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a column (steps, ...).

        Raises:
            KeyError: there is none of that name.
        """
        if name not in COLUMNS:
            raise KeyError(f"no column {name!r}; there are {', '.join(COLUMNS)}")
        begin = 0
        for other, shape in COLUMNS.items():
            width = int(np.prod(shape))
            if other == name:
                found = np.array([row[begin : begin + width] for row in self._values])
                return found.reshape(len(self._values), *shape)
            begin += width
        raise KeyError(name)

    def _take(self, world: "World") -> None:
        """Note the state after a step."""
        walker = self.walker
        if not len(walker._world_rows):
            return
        own = self._bodies
        masses, places, speeds = world.masses[own], world.centers_of_mass[own], world.velocities[own]
        mass = float(masses.sum())
        center, velocity = masses @ places / mass, masses @ speeds / mass
        turn = walker.heading
        ego = np.array([[cos(turn), sin(turn), 0.0], [-sin(turn), cos(turn), 0.0], [0.0, 0.0, 1.0]])
        arrays = self._store.arrays
        axes = frames_of(arrays.quaternions[own])
        spins = arrays.angular_velocities[own]
        local = np.einsum("bki,bk->bi", axes, spins)
        turning = np.einsum("bik,bk->bi", axes, arrays.inertias[own] * local)
        momentum = turning.sum(0) + (masses[:, None] * np.cross(places - center, speeds - velocity)).sum(0)
        kinetic = 0.5 * float(masses @ (speeds * speeds).sum(1) + (spins * turning).sum())
        ledger, legs = world.ledger, walker._legs
        rows = walker._world_rows
        force, pressure, touching = self._ground(world)
        of_dampers = self._forces_of_dampers(world)
        flexion, sideways = [], []
        for side, leg in enumerate(legs):
            ankle, knee, hip = leg.torques
            flexion.append((-hip - of_dampers[side][1], knee, -ankle - of_dampers[2 + side][1]))
            sign = 1.0 if side == LEFT else -1.0
            about_hip, about_ankle = leg.aa + of_dampers[side][0], leg.aa_foot + of_dampers[2 + side][0]
            sideways.append((sign * about_hip, sign * about_ankle))
        self._values.append(
            np.concatenate(
                [
                    (world.time, walker.phase == "double", walker._steps.stand, turn),
                    center,
                    velocity,
                    (kinetic, -mass * float(world.gravity @ center), 0.5 * mass * float(velocity @ velocity)),
                    (ledger.load_work + ledger.drive_work, ledger.dissipated, self._power(world, of_dampers)),
                    ego @ momentum,
                    world.centers_of_mass[[rows[6], rows[7]]].ravel(),
                    np.ravel([leg.hip for leg in legs]),
                    (force @ ego.T).ravel(),
                    pressure.ravel(),
                    touching.ravel(),
                    np.ravel([(leg.th4 - leg.th3, leg.th2 - leg.th3, leg.th2 - leg.ph1) for leg in legs]),
                    np.ravel(flexion),
                    np.ravel(sideways),
                ]
            )
        )

    def _forces_of_dampers(self, world: "World") -> list[list[float]]:
        """Return the torques of the dampers of hips, ankles and spine in the last step [N m]."""
        table = world._joint_table
        if table.version != self._version:
            self._rows = [np.array([damper.index for damper in group]) for group in self._dampers]
            self._version = table.version
        return [(table.arrays.total[rows] / world._steps.force_step).tolist() for rows in self._rows]

    def _power(self, world: "World", of_dampers: list[list[float]]) -> float:
        """Return the gross power of the actuators (4.1) [W]."""
        walker = self.walker
        torques, frames = walker._given.copy(), walker._frames
        for k, (inner, outer) in enumerate(((0, 2), (0, 3), (4, 6), (5, 7))):
            torque = frames[inner] @ np.array(of_dampers[k])
            torques[outer] += torque
            torques[inner] -= torque
        if len(of_dampers) > 4:
            twist, tilt = of_dampers[4]
            torque = frames[1, :, 2] * twist + frames[0, :, 0] * tilt
            torques[0] += torque
            torques[1] -= torque
        spins = 0.5 * (walker._w + world.angular_velocities[walker._world_rows])
        return float(np.abs((torques * spins).sum(1)).sum())

    def _ground(self, world: "World") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return force (2, 3) and centre of pressure (2, 2) of both feet, and which points touch (2, 3)."""
        walker = self.walker
        force, pressure, touching = np.zeros((2, 3)), np.full((2, 2), np.nan), np.zeros((2, 3))
        for foot, which, impulse, local in walker.points_on_ground(world):
            touching[foot, which] = 1.0
            force[foot] += impulse / world.time_step
            if impulse[2] > 0.0:
                before = np.nan_to_num(pressure[foot])
                share = impulse[2] / (force[foot, 2] * world.time_step)
                pressure[foot] = (1.0 - share) * before + share * (local[:2] - self._heel)
        return force, pressure, touching
