"""The world at the end of a recording, as the file of its snapshot."""

import tempfile
from pathlib import Path

from stoss.engine.world.snapshot import Snapshot
from stoss.engine.world.world import World

__all__ = ["snapshot_bytes", "snapshot_of", "world_of"]


def snapshot_bytes(world: World) -> bytes:
    """Return the file of a snapshot of a world as bytes.

    Raises:
        TypeError, ValueError: the world holds what no file keeps.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "end.npz"
        world.save().write(path)
        return path.read_bytes()


def snapshot_of(content: bytes) -> Snapshot:
    """Return a snapshot from the bytes of its file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "end.npz"
        path.write_bytes(content)
        return Snapshot.read(path)


def world_of(snapshot: Snapshot) -> World:
    """Return a world that is as a snapshot says."""
    world = World(snapshot.gravity, snapshot.time_step, snapshot.settings, snapshot.planar)
    world.restore(snapshot)
    return world
