"""Sensors of contacts: states, forces and slip point by point, and the sum as a force plate gives it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from stoss.collision.rotation import to_matrix
from stoss.engine import checks
from stoss.engine.control.part import checked_body
from stoss.engine.control.sensor import Sensor, SignalSensor
from stoss.engine.control.state import reading
from stoss.engine.world.body import Body
from stoss.engine.world.contact_list import NONE, STATES, contacts_of
from stoss.engine.world.marker import Marker
from stoss.names import closed

__all__ = ["ContactReading", "ContactSensor", "ForcePlate", "ForceReading"]


@reading
class ContactReading(NamedTuple):
    """What a `ContactSensor` tells: one entry for each contact, or for each of its markers.

    Attributes:
        states: (k,) "none", "stick" or "slip" at the end of the step.
        normal_force: (k,) [N], mean over the last step, 0 or more.
        slip_speed: (k,) [m/s] with which the surfaces move along each other at the end of the step.
        points: (k, 3) [m] where, world.
        force: (k, 3) [N] on the body of the sensor, mean over the last step, world.
    """

    states: tuple[str, ...]
    normal_force: np.ndarray
    slip_speed: np.ndarray
    points: np.ndarray
    force: np.ndarray

    @property
    def touches(self) -> bool:
        """Whether anything touches."""
        return any(state != "none" for state in self.states)


@closed
class ContactSensor(Sensor):
    """Tell of each contact of a body whether it touches, sticks or slips, with what force and speed.

    Args:
        body: the body.
        other: what it may touch; None: anything.
        markers: places on the body, the points of a foot for instance. Each contact counts for the nearest
            one, so that there is one entry for each marker, always in the same order.
        reach: how far from a marker contacts count for it [m].
        slip: speed from which a contact slips [m/s].
    """

    def __init__(
        self,
        body: Body,
        other: Body | None = None,
        *,
        markers: Sequence[Marker] = (),
        reach: float = np.inf,
        slip: float = 1e-4,
    ) -> None:
        self._body = checked_body("body", body)
        self._other = None if other is None else checked_body("other", other)
        if not isinstance(markers, list | tuple):
            raise TypeError(f"markers = {checks.shown(markers)} must be a list of markers of the body")
        for marker in markers:
            if not isinstance(marker, Marker) or marker.body is not body:
                raise ValueError(f"markers: {checks.shown(marker)} is no marker of {body!r}")
        self._markers = tuple(markers)
        self._reach = checks.number("reach", reach, "m", above=0.0, finite=False)
        self._slip = checks.positive("slip", slip, "m/s")

    def _at(self) -> tuple[Any, ...]:
        return (self._body, *(() if self._other is None else (self._other,)), *self._markers)

    def read(self) -> ContactReading:
        """Return what touches the body at present."""
        world = self._in_world()
        contacts = contacts_of(world, gone=True).of(self._body, self._other)
        states, speeds = contacts._codes(self._slip), np.array(contacts.slip_speed)
        forces = contacts.impulse / world._steps.force_step
        forces *= np.where(contacts.body_a == self._body.index, 1.0, -1.0)[:, None]
        normal = np.abs((forces * contacts.normal).sum(axis=1))
        points = np.array(contacts.point)
        if not self._markers:
            names = tuple(STATES[state] for state in states.tolist())
            return ContactReading(names, normal, speeds, points, forces)
        places = np.array([marker.position for marker in self._markers])
        return _at_places(places, self._reach, points, states, normal, speeds, forces)


def _at_places(
    places: np.ndarray,
    reach: float,
    points: np.ndarray,
    states: np.ndarray,
    normal: np.ndarray,
    speeds: np.ndarray,
    forces: np.ndarray,
) -> ContactReading:
    """Return contacts as they belong to the nearest of some places (k, 3) [m]."""
    count = len(places)
    # a point of several contacts has the highest of their states
    found, total = np.full(count, NONE), np.zeros(count)
    fastest, force = np.zeros(count), np.zeros((count, 3))
    away = np.linalg.norm(points[:, None] - places[None], axis=2)
    for row, nearest in enumerate(away.argmin(axis=1).tolist() if len(points) else []):
        if away[row, nearest] > reach:
            continue
        found[nearest] = max(found[nearest], states[row])
        total[nearest] += normal[row]
        fastest[nearest] = max(fastest[nearest], speeds[row])
        force[nearest] += forces[row]
    return ContactReading(tuple(STATES[state] for state in found.tolist()), total, fastest, places, force)


@reading
class ForceReading(NamedTuple):
    """What a `ForcePlate` tells, in its frame, in the mean over the last step.

    Attributes:
        force: (3,) [N] of the plate on what stands on it.
        moment: (3,) [N m] of these forces about the origin of the frame.
        center_of_pressure: (2,) x and y [m] of the point of the plate's plane about which they have no
            moment but that about z; NaN where nothing presses.
        free_moment: that moment about z [N m].
    """

    force: np.ndarray
    moment: np.ndarray
    center_of_pressure: np.ndarray
    free_moment: float


@closed
class ForcePlate(SignalSensor):
    """Measure with what force a body carries what touches it, and where that force acts.

    The sum over its contacts, in the mean over the last step. It is the ground reaction of a foot:
    `ForcePlate(ground, foot)`. Moments by which contacts resist rolling and spinning are not in it.

    Args:
        body: the plate, static or not.
        load: what stands on it, a body or several; None: all that touches it.
        frame: marker whose frame it is, z out of the plate; None: that of the body's shapes.
        delay: by how much the reading is late [s].
        lag: time constant of a first-order lag [s].
        noise: standard deviation of each component of force [N] and moment [N m] of each sample.
        seed: of the noise; by default one of its own.
    """

    def __init__(
        self,
        body: Body,
        load: Body | Sequence[Body] | None = None,
        *,
        frame: Marker | None = None,
        delay: float = 0.0,
        lag: float = 0.0,
        noise: float = 0.0,
        seed: int | None = None,
    ) -> None:
        self._body = checked_body("body", body)
        loads = () if load is None else tuple(load) if isinstance(load, list | tuple) else (load,)
        for one in loads:
            checked_body("load", one)
        self._loads: tuple[Body, ...] | None = None if load is None else loads
        self._frame = None if frame is None else checks.instance("frame", frame, Marker, "world.marker('f')")
        super().__init__(delay, lag, checks.number("noise", noise, "N and N m", least=0.0), seed)

    def _at(self) -> tuple[Any, ...]:
        return (self._body, *(self._loads or ()), *(() if self._frame is None else (self._frame,)))

    def _measure(self) -> np.ndarray:
        world = self._in_world()
        contacts = contacts_of(world, gone=True).of(self._body)
        if not len(contacts):
            return np.zeros(6)
        row = self._body.index
        force = contacts.impulse / world._steps.force_step  # on the first bodies
        force *= np.where(contacts.body_a == row, -1.0, 1.0)[:, None]  # on those that are not the plate
        if self._loads is not None:
            others = np.where(contacts.body_a == row, contacts.body_b, contacts.body_a)
            force[~np.isin(others, [one.index for one in self._loads])] = 0.0
        at = self._body if self._frame is None else self._frame
        moment = np.cross(contacts.point - at.position, force).sum(axis=0)
        turn = to_matrix(at.quaternion)
        return np.concatenate([force.sum(axis=0) @ turn, moment @ turn])

    def read(self) -> ForceReading:
        """Return force, moment and centre of pressure."""
        numbers = self._numbers()
        force, moment = numbers[:3].copy(), numbers[3:].copy()
        if force[2] == 0.0:
            return ForceReading(force, moment, np.full(2, np.nan), float(moment[2]))
        center = np.array([-moment[1], moment[0]]) / force[2]
        free = moment[2] - center[0] * force[1] + center[1] * force[0]
        return ForceReading(force, moment, center, float(free))
