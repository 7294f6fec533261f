"""A motion as a recording of Rerun (.rrd): a mesh per shape, a transform per body on the timeline `time`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.viewer.exporting.motion import Motion
from stoss.viewer.exporting.pieces import checkered, pieces_of

if TYPE_CHECKING:
    from stoss.engine.recording import Recording

__all__ = ["rrd_bytes", "rerun"]

_DARK = 0.75  # of the brightness of dark fields on round bodies
_GLASS = 0.25  # opacity


def rerun() -> Any:
    """Return the module of Rerun.

    Raises:
        ValueError: it is not installed.
    """
    try:
        import rerun as module
    except ImportError:
        raise ValueError("recordings for Rerun need rerun-sdk: pip install 'stoss[rerun]'") from None
    return module


def rrd_bytes(motion: Motion) -> bytes:
    """Return a motion as a recording of Rerun: world, right-handed, z up, with entities `world/NAME`.

    What was recorded meanwhile is below `channels`.

    Raises:
        ValueError: rerun-sdk is not installed.
    """
    rr = rerun()
    recording = rr.RecordingStream("stoss", recording_id=motion.title)
    memory = recording.memory_recording()
    recording.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
    paths = [rr.new_entity_path(["world", name]) for name in motion.description.names]
    for piece in pieces_of(motion):
        fields = np.where(checkered(piece), _DARK, 1.0).repeat(3)
        corners = piece.mesh.triangles.ravel()
        for place, row in enumerate(piece.shapes):
            body, size = int(motion.description.shape_body[row]), piece.sizes[place]
            color = np.append(motion.color_of(row), _GLASS if body in motion.see_through else 1.0)
            colors = np.repeat(color[None], len(corners), axis=0)
            colors[:, :3] *= fields[:, None]
            normals = piece.mesh.vertices[corners, 4:] / np.array(size[:3])
            shape = rr.new_entity_path(["world", motion.description.names[body], f"shape {row}"])
            mesh = rr.Mesh3D(
                vertex_positions=piece.mesh.placed(size)[corners],
                vertex_normals=normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30),
                vertex_colors=(255.0 * colors).round().astype(np.uint8),
            )
            turn = np.roll(piece.quaternions[place], -1)
            recording.log(
                shape, rr.Transform3D(translation=piece.positions[place], quaternion=turn), mesh, static=True
            )
    _log_poses(rr, recording, motion, paths)
    if motion.channels is not None:
        _log_channels(rr, recording, motion.channels)
    recording.flush()
    content: bytes = memory.drain_as_bytes()
    return content


def _log_channels(rr: Any, recording: Any, channels: "Recording") -> None:
    """Log columns as scalars on the same timeline: `channels/energy.total [J]`."""
    times = [rr.TimeColumn("time", duration=channels.time)]
    for name in channels.columns:
        unit = channels.unit(name)
        label = f"{name} [{unit}]" if unit else name
        path = rr.new_entity_path(["channels", *label.rsplit(".", 1)])
        recording.log(path, rr.SeriesLines(names=label), static=True)
        recording.send_columns(path, times, rr.Scalars.columns(scalars=channels[name]))


def _log_poses(rr: Any, recording: Any, motion: Motion, paths: list[str]) -> None:
    """Log what moves at its times, what stands once; what comes or goes has no size while it is not there."""
    times = [rr.TimeColumn("time", duration=motion.times)]
    sample = np.arange(len(motion.times))
    there = (motion.first <= sample[:, None]) & (sample[:, None] <= motion.last)
    changing = {*motion.moving.tolist(), *np.flatnonzero(~there.all(axis=0)).tolist()}
    turns = np.roll(motion.quaternions, -1, axis=2)
    for body, path in enumerate(paths):
        if body not in changing:
            still = rr.Transform3D(translation=motion.positions[0, body], quaternion=turns[0, body])
            recording.log(path, still, static=True)
            continue
        scale = np.repeat(there[:, body, None].astype(float), 3, axis=1)
        columns = rr.Transform3D.columns(
            translation=motion.positions[:, body], quaternion=turns[:, body], scale=scale
        )
        recording.send_columns(path, times, columns)
