"""Markers: named frames on bodies, or of the world, that joints, sensors and users refer to."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.collision.quaternions import Quaternion, Vector, multiply, rotate
from stoss.collision.read_only import read_only
from stoss.engine import checks
from stoss.engine.world.handle import Handle
from stoss.engine.world.registry import Registry
from stoss.names import closed

if TYPE_CHECKING:
    from stoss.engine.world.body import Body
    from stoss.engine.world.body_store import BodyStore
    from stoss.engine.world.world import World

__all__ = ["Marker", "MarkerRecord", "MarkerStore"]


@dataclass(frozen=True)
class MarkerRecord:
    """What a marker is, unchanged while it lives; its body by the key, None for the world."""

    key: int
    name: str
    body: int | None
    position: Vector  # [m] in the frame of the body's shapes
    quaternion: Quaternion


@closed
class Marker(Handle):
    """A named frame on a body, "body:name", or of the world, "name": it moves along and has no mass."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self._world._markers.registry.has(self):
            return f"<Marker {self._name!r}, removed>"
        x, y, z = self.position.tolist()
        return f"<Marker {self._name!r} at ({x:.6g}, {y:.6g}, {z:.6g})>"

    @property
    def _record(self) -> MarkerRecord:
        registry = self._world._markers.registry
        return registry.records[registry.row(self)]

    @property
    def body(self) -> "Body | None":
        """Return the body that it is on, None for the world."""
        key, store = self._record.body, self._world._all_bodies
        return None if key is None else store.handles[store.registry.row_of_key(key)]

    @property
    def local_position(self) -> np.ndarray:
        """Where it is in the frame of its body's shapes (3,) [m]; assign to move it.

        Joints and loads that were added at it stay where they are.
        """
        return read_only(
            np.array(self._record.position), "assign all of it: marker.local_position = (0, 0, 1)"
        )

    @local_position.setter
    def local_position(self, value: Any) -> None:
        self._world._markers.move(self, checks.triple("local_position", value))

    @property
    def local_quaternion(self) -> np.ndarray:
        """Return its orientation (4,), (w, x, y, z), in that frame."""
        return read_only(np.array(self._record.quaternion), "add another marker")

    @property
    def position(self) -> np.ndarray:
        """Return where it is in the world at present (3,) [m]."""
        local, body = self._record.position, self.body
        return read_only(np.array(local) if body is None else body.world_point(local), "move its body")

    @property
    def quaternion(self) -> np.ndarray:
        """Return its orientation in the world at present (4,), (w, x, y, z)."""
        local, body = self._record.quaternion, self.body
        turn = local if body is None else multiply(tuple(body.quaternion.tolist()), local)
        return read_only(np.array(turn), "turn its body")

    @property
    def velocity(self) -> np.ndarray:
        """Return the velocity of its origin (3,) [m/s]."""
        body = self.body
        if body is None:
            return read_only(np.zeros(3))
        arm = self.position - body.center_of_mass
        return read_only(body.velocity + np.cross(body.angular_velocity, arm))

    @property
    def angular_velocity(self) -> np.ndarray:
        """Return its angular velocity (3,) [rad/s], world."""
        body = self.body
        return read_only(np.zeros(3) if body is None else body.angular_velocity.copy())

    def world_point(self, local: Any) -> np.ndarray:
        """Return in world coordinates a point (3,) [m] of the marker's frame.

        Args:
            local: point (3,) [m] in the frame of the marker.
        """
        w, x, y, z = self.quaternion.tolist()
        return self.position + rotate((w, x, y, z), checks.triple("local", local))


class MarkerStore:
    """Keep the markers of a world.

    Args:
        world: whose markers they are.
        bodies: that they are on.

    Attributes:
        registry: records, handles and names.
    """

    def __init__(self, world: "World", bodies: "BodyStore") -> None:
        self._world, self._bodies = world, bodies
        self.registry: Registry[MarkerRecord, Marker] = Registry("marker", "markers")
        self._of_body: dict[int, list[int]] = {}  # keys of the markers of a body, by its key

    @property
    def handles(self) -> list[Marker]:
        """Return the handles of all markers, in the order in which they were added."""
        self.registry.compact()
        return self.registry.handles

    def save(self) -> tuple[MarkerRecord, ...]:
        """Return the records of all markers."""
        self.registry.compact()
        return tuple(self.registry.records)

    def add(self, name: Any, body: Any, position: Any, quaternion: Any) -> Marker:
        """Add a marker and return its handle; see `World.add_marker`."""
        own = checks.text("name", name)
        key = None
        if body is not None:
            self._bodies.row(body)
            key, own = body._key, f"{body.name}:{own}"
        place = checks.triple("position", position)
        turn = checks.unit_quaternion("quaternion", quaternion)
        record = MarkerRecord(self.registry.next_key, self.registry.new_name(own), key, place, turn)
        handle = self._handle(record)
        self.registry.append(record, handle)
        if key is not None:
            self._of_body.setdefault(key, []).append(record.key)
        return handle

    def _handle(self, record: MarkerRecord) -> Marker:
        return Marker(self._world, record.key, record.name)

    def move(self, marker: Marker, position: Vector) -> None:
        """Place a marker elsewhere in the frame of its body."""
        row = self.registry.row(marker)
        self.registry.records[row] = replace(self.registry.records[row], position=position)

    def remove(self, marker: Any) -> None:
        """Remove a marker; see `World.remove_marker`."""
        if not isinstance(marker, Marker):
            raise TypeError(f"marker = {shown(marker)} must be a Marker; world.marker(name) finds one")
        record = self.registry.drop(self.registry.row(marker))
        if record.body is not None:
            self._of_body[record.body].remove(record.key)

    def remove_body(self, key: int) -> None:
        """Remove the markers of a body, given by its key."""
        for marker in self._of_body.pop(key, ()):
            self.registry.drop(self.registry.row_of_key(marker))

    def restore(self, records: Sequence[MarkerRecord], handles: Sequence[Marker] | None = None) -> None:
        """Return to saved markers; handles of those that lasted stay valid.

        Args:
            records: of the markers.
            handles: of these; None: new ones for those that are not here.
        """
        self.registry.compact()
        next_key = max([self.registry.next_key, *(record.key + 1 for record in records)])
        self.registry.replace(records, next_key, self._handle, handles)
        self._of_body = {}
        for record in records:
            if record.body is not None:
                self._of_body.setdefault(record.body, []).append(record.key)
