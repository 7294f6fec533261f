"""Pictures and films in files, of worlds and of recorded motions: `stoss.render(world, "fall.mp4")`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import flag, number, shown
from stoss.files import check_place
from stoss.names import takes_names
from stoss.viewer.drawing.camera import Camera, Size
from stoss.viewer.drawing.choosing import Names, check_names
from stoss.viewer.drawing.colouring import needs_forces
from stoss.viewer.drawing.context import ensure_context
from stoss.viewer.drawing.exposure import Exposure, Past
from stoss.viewer.drawing.film import FILM_SUFFIXES, Film
from stoss.viewer.drawing.looks import Look, camera_of, check_look
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.picture_files import PICTURE_SUFFIXES, write_picture
from stoss.viewer.drawing.pictures import (
    check_size,
    default_quality,
    draw_film,
    film_frames,
    glassy,
    options_of,
    picture,
    style_of,
)
from stoss.viewer.drawing.quality import find_quality
from stoss.viewer.drawing.shots import Shot
from stoss.viewer.drawing.style import Style
from stoss.viewer.exporting.moments import absent_bodies, frame_at, frames_between
from stoss.viewer.exporting.motion import Motion, motion_of_trajectory
from stoss.viewer.exporting.sources import motion_of_session
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.scenes.running.trajectory import Trajectory

__all__ = ["check_exposure", "check_overlays", "film_camera", "recorded_motion", "render", "render_motion"]

_WORLD_DURATION = 5.0  # [s]
_NOTHING = Exposure()
_SAMPLES = 2000  # of a motion, at most, that a path has

# What a recorded motion does not hold.
_UNKNOWN = (
    "contacts",
    "impulses",
    "friction_cones",
    "joints",
    "limits",
    "joint_frames",
    "joint_names",
    "inertia_boxes",
)


@takes_names
def render(
    source: "World | Trajectory | str | Path",
    path: str | Path,
    *,
    duration: float | None = None,
    at: float | None = None,
    size: Size = (1280, 720),
    fps: float = 30.0,
    camera: Look | None = None,
    quality: str | None = None,
    style: Style | str | None = None,
    overlays: OverlayOptions | Iterable[str] = (),
    slow: float = 1.0,
    follow: str = "",
    orbit: float = 0.0,
    stamp: bool = False,
    transparent: bool = False,
    see_through: Names = (),
    trails: bool = False,
    strobe: float | None = None,
    exposure: float | None = None,
) -> None:
    """Write a picture (.png, .jpg) or a film (.mp4) of a world, or of a motion that was recorded.

    Args:
        source: a world, which a film advances; a motion, or the name of a file with one (.npz) or with a
            session (.json), which is carried out again.
        path: where to.
        duration: simulated time that a film shows [s]; None: 5 s of a world, all of a motion.
        at: of a motion: moment of the picture, or where the film begins [s]; None is the end, or the
            beginning. A world is shown as it is.
        size: width and height [pixels].
        fps: pictures per second of a film.
        camera: where it is seen from, see `picture`; None fits all of the motion into the picture.
        quality: "low", "medium" or "high"; None takes high, or medium for a film drawn in software.
        style: colours and marks, or what colours tell, such as "speed".
        overlays: options, or names of what is laid over the bodies, such as "contacts".
        slow: how many times slower the film is than what it shows; below 1: faster.
        follow: name of a body that the camera goes along with.
        orbit: by how much the camera turns about its target [degrees per second of the film].
        stamp: whether the time stands in a corner.
        transparent: whether ground and sky are left out, of a .png.
        see_through: names of bodies that are drawn like glass, or patterns such as "wall*".
        trails: whether the paths of the bodies are drawn.
        strobe: of a picture: it shows the bodies also where they were, at moments so far apart [s].
        exposure: of a picture: how far back paths and moments reach [s]. A world is advanced by it; of a
            motion None takes all that was before.

    Raises:
        stoss.viewer.drawing.context.NoDisplayError: there is no OpenGL 3.3.
        TypeError, ValueError: naming the argument, its value and the cure; films cannot be encoded.
        OSError: a file cannot be read or written.
    """
    from stoss.engine import World

    options, style, shot = options_of(overlays), style_of(style), Shot(slow, follow, orbit, stamp)
    past = Exposure(trails, strobe, exposure)
    check_size(size)
    check_look("camera", camera)
    glass = check_names("see_through", see_through)
    if quality is not None:
        find_quality(quality)
    length = None if duration is None else number("duration", duration, "s", least=0.0)
    begin = None if at is None else number("at", at, "s", least=0.0)
    fps = number("fps", fps, "1/s", above=0.0)
    path = check_place(path, (*PICTURE_SUFFIXES, *FILM_SUFFIXES))
    _check_transparent(transparent, path)
    is_film = path.suffix.lower() in FILM_SUFFIXES
    check_exposure(past, path)
    if not isinstance(source, World):
        motion = recorded_motion(source)
        check_overlays(options)
        style = glassy(style, glass, motion.description)
        render_motion(
            motion, path, begin, length, size, fps, camera, quality, style, options, shot, transparent, past
        )
        return
    if begin is not None:
        raise ValueError(f"at = {begin:g}: a world is shown as it is; step it to {begin:g} s before")
    if past.is_wanted and not is_film and past.length is None:
        raise ValueError("exposure = None: a world has no past; give the time [s] that it is advanced by")
    ensure_context()
    quality = quality or default_quality(path)
    contacts = options.needs_contacts or needs_forces(style)
    description = describe_world(source)
    style = glassy(style, glass, description)
    if not is_film:
        kept = _advanced(source, description, past)
        frame = frame_of(source, contacts)
        look = film_camera(camera, description, [*kept.moments, frame], size, shot)
        _write_picture(path, description, frame, size, look, quality, style, options, shot, transparent, kept)
        return
    options = replace(options, trajectories=options.trajectories or trails)
    with Film(path, size, fps) as film:
        shot.followed(description)
        seconds = _WORLD_DURATION if length is None else length
        frames = list(film_frames(source, seconds, shot.slow * fps, contacts))
        look = film_camera(camera, description, frames, size, shot)
        draw_film(film, description, frames, look, quality, style, options, shot=shot, fps=fps)


def render_motion(
    motion: Motion,
    path: Path,
    at: float | None,
    duration: float | None,
    size: Size,
    fps: float,
    camera: Look | None,
    quality: str | None,
    style: Style,
    overlays: OverlayOptions,
    shot: Shot,
    transparent: bool,
    past: Exposure = _NOTHING,
    count: Callable[[Iterable[Frame], int], Iterable[Frame]] = lambda frames, total: frames,
) -> None:
    """Write a picture or a film of a motion; see `render`. `count` passes the frames on, and counts them.

    Raises:
        ValueError: a time that the motion does not have.
    """
    is_film = path.suffix.lower() in FILM_SUFFIXES
    first, last = float(motion.times[0]), float(motion.times[-1])
    begin = at if at is not None else first if is_film else last
    if not first <= begin <= last + 1e-9:
        raise ValueError(
            f"at = {begin:g} s is not within the motion, which lasts from {first:g} to {last:g} s"
        )
    end = last if duration is None else min(last, begin + duration)
    ensure_context()
    quality = quality or default_quality(path)
    style = replace(style, see_through=(*style.see_through, *motion.see_through))
    description = motion.description
    look = motion.view if camera is None else camera
    if not is_film:
        frame = frame_at(motion, begin)
        style = replace(style, hidden=(*style.hidden, *absent_bodies(motion, frame)))
        kept = _looked_back(motion, begin, past)
        seen = film_camera(look, description, [*kept.moments, frame], size, shot)
        _write_picture(
            path, description, frame, size, seen, quality, style, overlays, shot, transparent, kept
        )
        return
    overlays = replace(overlays, trajectories=overlays.trajectories or past.trails)
    frames = list(frames_between(motion, begin, end, shot.slow * fps))
    seen = film_camera(look, description, frames, size, shot)
    with Film(path, size, fps) as film:
        draw_film(
            film,
            description,
            count(frames, len(frames)),
            seen,
            quality,
            style,
            overlays,
            shot=shot,
            fps=fps,
            hidden=lambda frame: absent_bodies(motion, frame),
        )


def recorded_motion(source: Any) -> Motion:
    """Return all samples of a motion, or of one in a file, or of a session in one, carried out again.

    Raises:
        TypeError: it is no motion.
        ValueError: there is no such file, or it cannot be read.
        SimulationError: a session stops.
    """
    from stoss.scenes.running.trajectory import Trajectory, load_trajectory
    from stoss.viewer.world.session import load_session

    if isinstance(source, str | Path):
        path = Path(source)
        if path.suffix not in (".npz", ".json"):
            raise ValueError(f"source = {str(source)!r} is no motion (.npz) and no session (.json)")
        if not path.is_file():
            raise ValueError(
                f"there is no file {path}; stoss run SCENE --save {path.stem}.npz writes a motion"
            )
        if path.suffix == ".json":
            session = load_session(path)
            return motion_of_session(session, 1.0 / session.time_step)
        source = load_trajectory(path)
    if not isinstance(source, Trajectory):
        raise TypeError(f"source = {shown(source)} must be a World, a motion, or the name of a file with one")
    return motion_of_trajectory(source, None)


def check_overlays(options: OverlayOptions) -> None:
    """Raise ValueError for overlays of what a recorded motion does not hold."""
    for name in _UNKNOWN:
        if getattr(options, name):
            known = (other for other in OverlayOptions.switches() if other not in _UNKNOWN)
            raise ValueError(
                f"overlay {name!r}: a recorded motion holds poses alone; choose from {', '.join(known)}, or "
                "render the scene itself"
            )


def film_camera(
    camera: Look | None, description: Description, frames: Sequence[Frame], size: Size, shot: Shot
) -> Camera:
    """Return the camera of the first picture: one that follows a body has that in its middle.

    Raises:
        ValueError: the body that is to be followed is not there.
    """
    row = shot.followed(description)
    seen = camera_of("camera", camera, description, frames if row < 0 else frames[:1], size)
    if row >= 0:
        seen.target = np.array(frames[0].positions[row])
    return seen


def check_exposure(past: Exposure, path: Path) -> None:
    """Raise ValueError for a film that should be exposed like a picture."""
    if path.suffix.lower() in FILM_SUFFIXES:
        for name, value in (("strobe", past.strobe), ("exposure", past.length)):
            if value is not None:
                raise ValueError(f"{name} = {value:g}: of pictures alone; name it {path.stem}.png")


def _advanced(world: "World", description: Description, past: Exposure) -> Past:
    """Advance a world by the time of an exposure, and return what is kept of it."""
    kept = past.begin()
    if past.is_wanted:
        for _ in range(round((past.length or 0.0) / world.time_step)):
            kept.add(description, frame_of(world))
            world.step()
    return kept


def _looked_back(motion: Motion, time: float, past: Exposure) -> Past:
    """Return what a motion shows before a time [s]."""
    kept, first = past.begin(), float(motion.times[0])
    begin = first if past.length is None else max(first, time - past.length)
    if past.is_wanted and time > begin:
        finest = float(np.diff(motion.times).min(initial=time - begin)) or time - begin
        if past.strobe is not None:
            finest = min(finest, past.strobe / 8.0)
        for frame in frames_between(motion, begin, time, min(1.0 / finest, _SAMPLES / (time - begin))):
            kept.add(motion.description, frame)
    return kept


def _check_transparent(transparent: Any, path: Path) -> None:
    if flag("transparent", transparent) and path.suffix.lower() != ".png":
        raise ValueError(f"transparent: only .png keeps what is transparent; name it {path.stem}.png")


def _write_picture(
    path: Path,
    description: Description,
    frame: Frame,
    size: Size,
    camera: Camera,
    quality: str,
    style: Style,
    overlays: OverlayOptions,
    shot: Shot,
    transparent: bool,
    past: Past,
) -> None:
    pixels = picture(
        (description, frame),
        size,
        camera=camera,
        quality=quality,
        style=style,
        overlays=overlays,
        transparent=transparent,
        trails=past.trails,
        strobe=past.strobe,
    )
    shot.write(pixels, frame.time)
    write_picture(path, pixels)
