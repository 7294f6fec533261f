"""Write motions for other programs: `stoss.export(world, "fall.html")`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.collision.plain_numbers import number, shown
from stoss.engine.recording.choosing import checked_names
from stoss.files import check_place, replaced
from stoss.names import takes_names
from stoss.viewer.exporting.glb import glb_bytes
from stoss.viewer.exporting.motion import Motion
from stoss.viewer.exporting.page import page_bytes
from stoss.viewer.exporting.rerun_file import rerun, rrd_bytes
from stoss.viewer.exporting.sources import motion_of

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.scenes.running.trajectory import Trajectory

__all__ = ["WRITERS", "check_format", "checked_channels", "export", "write_motion"]

# What makes the bytes of a file, by its ending.
WRITERS: dict[str, Callable[[Motion], bytes]] = {
    ".html": page_bytes,
    ".glb": glb_bytes,
    ".rrd": rrd_bytes,
}


def check_format(path: str | Path) -> Path:
    """Return a path as such, when a motion can be written there.

    Raises:
        ValueError: another ending, or what writes it is not installed.
        FileError: there is no such folder, or it may not be written to.
    """
    path = check_place(path, (*WRITERS,))
    if path.suffix.lower() == ".rrd":
        rerun()
    return path


def write_motion(motion: Motion, path: str | Path) -> None:
    """Write a motion to a file, in the format that its ending names.

    Raises:
        ValueError: another ending, or what writes it is not installed.
        FileError: the file cannot be written; an older one is as it was.
    """
    path = check_format(path)
    content = WRITERS[path.suffix.lower()](motion)
    with replaced(path) as file:
        file.write(content)


@takes_names
def export(
    source: "World | Trajectory | str | Path",
    path: str | Path,
    *,
    duration: float | None = None,
    fps: float = 30.0,
    title: str | None = None,
    channels: Sequence[str] = (),
) -> None:
    """Write a motion for other programs: a web page that plays it, glTF, or a recording of Rerun.

    Args:
        source: a world, which is advanced; a motion; the name of a scene; or a file, a motion (.npz) or a
            session (.json).
        path: where to: .html (one file with a player, for any browser, without a network), .glb (glTF with
            an animation) or .rrd (Rerun; needs rerun-sdk).
        duration: simulated time [s] that a world is advanced, 0 for its present state alone; None takes 5 s
            of a world, the time that a scene names, and all of a motion or a session.
        fps: samples per simulated second; between them what shows the motion goes evenly.
        title: what it is called; None takes the name of the scene or file.
        channels: names and patterns of numbers over time, such as "energy.*", which Rerun draws beside the
            motion of a world or scene; see `observables`.

    Raises:
        ValueError: an unknown scene, ending or channel, a duration or channels for a file, a file that cannot
            be read, channels for another format than Rerun's, or rerun-sdk is not installed.
        FileError: the file cannot be written; an older one is as it was.
        SimulationError: see `World.step`.
    """
    duration = None if duration is None else number("duration", duration, "s", least=0.0)
    fps = number("fps", fps, "1/s", above=0.0)
    if not (title is None or isinstance(title, str)):
        raise TypeError(f"title = {shown(title)} must be a text")
    path = check_format(path)
    names = checked_channels(channels, path)
    write_motion(motion_of(source, duration, fps, title, names), path)


def checked_channels(channels: Any, path: Path) -> tuple[str, ...]:
    """Return the names of channels that are written beside a motion.

    Raises:
        TypeError: they are no texts; ValueError: the format has no place for them.
    """
    names = checked_names("channels", channels) if isinstance(channels, str) or channels else ()
    if names and path.suffix.lower() != ".rrd":
        raise ValueError(
            f"channels = {shown(list(names))} go into recordings of Rerun (.rrd) alone, not {path.name}"
        )
    return names
