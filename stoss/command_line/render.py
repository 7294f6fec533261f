"""`stoss render SCENE|FILE --out FILE`: a picture or a film of a scene or a motion, without a window."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from stoss.command_line.inputs import build_world, chosen_settings
from stoss.command_line.interrupts import exit_code_of, told_interruption
from stoss.command_line.looks import chosen_direction, chosen_glass, chosen_overlays
from stoss.command_line.progress import watched_kernels
from stoss.engine import SimulationError, World
from stoss.errors import UsageError
from stoss.files import check_place
from stoss.viewer.drawing.context import NoDisplayError, ensure_context
from stoss.viewer.drawing.exposure import Exposure, Past
from stoss.viewer.drawing.film import FILM_SUFFIXES, Film, encoder
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.picture_files import PICTURE_SUFFIXES, write_picture
from stoss.viewer.drawing.pictures import default_quality, draw_film, film_frames, picture
from stoss.viewer.drawing.shots import Shot
from stoss.viewer.drawing.style import Style
from stoss.viewer.exporting.filming import (
    check_exposure,
    check_overlays,
    film_camera,
    recorded_motion,
    render_motion,
)
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

__all__ = ["render"]

_T = TypeVar("_T")

# A picture is drawn that many times as large and averaged, for finer edges.
_ENLARGED = 2


def render(options: argparse.Namespace) -> int:
    """Carry out `stoss render` and return the exit code: 1 if the simulation had to stop.

    Raises:
        UsageError: a value that scene or engine rejects, no OpenGL, no encoder, or no place for the file.
    """
    overlays, shot, past = chosen_overlays(options), _shot(options), _exposure(options)
    chosen_direction(options)
    path = _place(options)
    try:
        check_exposure(past, path)
    except ValueError as error:
        raise UsageError(f"--{error}") from error
    if options.scene is None:
        return _render_file(options, path, overlays, shot, past)
    return _render_scene(options, path, overlays, shot, past)


def _shot(options: argparse.Namespace) -> Shot:
    return Shot(options.slow, options.follow, options.orbit, options.time_stamp)


def _exposure(options: argparse.Namespace) -> Exposure:
    return Exposure(options.trails, options.strobe, options.exposure)


def _place(options: argparse.Namespace) -> Path:
    """Return where the file goes, when it can be drawn and written."""
    try:
        path = check_place(options.out, (*PICTURE_SUFFIXES, *FILM_SUFFIXES))
    except (ValueError, OSError) as error:
        raise UsageError(f"--out: {error}") from error
    suffix = path.suffix.lower()
    if options.transparent and suffix != ".png":
        raise UsageError(f"--transparent: only .png keeps what is transparent; --out {path.stem}.png")
    try:
        ensure_context()
        if suffix in (*FILM_SUFFIXES, ".jpg"):
            encoder("films" if suffix in FILM_SUFFIXES else "pictures in .jpg")
    except (ValueError, OSError, NoDisplayError) as error:
        raise UsageError(str(error)) from error
    return path


def _render_file(
    options: argparse.Namespace, path: Path, overlays: OverlayOptions, shot: Shot, past: Exposure
) -> int:
    """Draw a motion or a session that was saved."""
    try:
        check_overlays(overlays)
        with watched_kernels(not options.quiet):
            motion = recorded_motion(options.file)
        usual = [motion.description.names[row] for row in motion.see_through]
        motion = replace(motion, see_through=chosen_glass(options, motion.description.names, usual))
        render_motion(
            motion,
            path,
            options.at,
            options.duration,
            options.size,
            options.fps,
            chosen_direction(options),
            options.quality,
            Style(colour_by=options.colours, legend=not options.no_key),
            overlays,
            shot,
            options.transparent,
            past,
            count=lambda frames, total: _counted(frames, total, "drawn", options),
        )
    except SimulationError as error:
        print(f"stoss: the simulation stopped: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from error
    if not options.quiet:
        print(f"written to {path}", file=sys.stderr)
    return 0


def _render_scene(
    options: argparse.Namespace, path: Path, overlays: OverlayOptions, shot: Shot, past: Exposure
) -> int:
    """Build a scene, advance it, and draw it."""
    is_film = path.suffix.lower() in FILM_SUFFIXES
    quality = options.quality or default_quality(path)
    begin = options.at if options.at is not None else 0.0 if is_film else options.scene.moment
    exit_code = 0
    contacts = overlays.needs_contacts or options.colours == "force"
    frames: list[Frame] = []
    with watched_kernels(not options.quiet):
        world = build_world(options, chosen_settings(options))
        description = describe_world(world)
        try:
            shot.followed(description)
        except ValueError as error:
            raise UsageError(f"--{error}") from error
        glass = chosen_glass(options, description.names, options.scene.see_through)
        past = replace(past, trails=past.trails or overlays.trajectories)
        overlays = replace(overlays, trajectories=past.trails)
        kept = past.begin()
        since = 0.0 if past.length is None else max(0.0, begin - past.length)
        try:
            _advance(world, begin, description, kept if past.is_wanted else None, since, options)
            if not is_film:
                frames.append(frame_of(world, contacts))
            else:
                fps = options.fps * shot.slow
                motion = film_frames(world, options.duration, fps, contacts)
                frames.extend(_counted(motion, round(options.duration * fps), "simulated", options))
        except SimulationError as error:
            print(f"stoss: the simulation stopped: {' '.join(str(error).split())}", file=sys.stderr)
            exit_code = 1
            frames = frames or [frame_of(world, contacts)]
        except KeyboardInterrupt as error:
            print(f"stoss: {told_interruption(error)} at {world.time:g} s", file=sys.stderr)
            exit_code = exit_code_of(error)
            frames = frames or [frame_of(world, contacts)]
    look = chosen_direction(options) or options.scene.view
    camera = film_camera(look, description, [*kept.moments, *frames], options.size, shot)
    style = Style(colour_by=options.colours, see_through=glass, legend=not options.no_key)
    if not is_film:
        pixels = picture(
            (description, frames[0]),
            options.size,
            camera=camera,
            quality=quality,
            style=style,
            overlays=overlays,
            trails=kept.trails,
            strobe=kept.strobe,
            enlarged=_ENLARGED,
            transparent=options.transparent,
        )
        shot.write(pixels, frames[0].time)
        write_picture(path, pixels)
    else:
        film = Film(path, options.size, options.fps)
        try:
            with film:
                counted = _counted(iter(frames), len(frames), "drawn", options)
                draw_film(
                    *(film, description, counted, camera, quality, style, overlays, kept.trails),
                    shot=shot,
                    fps=options.fps,
                )
        except KeyboardInterrupt as error:
            done = f"{film.count} of {len(frames)} pictures"
            print(f"stoss: {told_interruption(error)} after {done}", file=sys.stderr)
            exit_code = exit_code_of(error)
    if not options.quiet:
        print(f"written to {path}", file=sys.stderr)
    return exit_code


def _advance(
    world: World,
    time: float,
    description: Description,
    past: Past | None,
    since: float,
    options: argparse.Namespace,
) -> None:
    """Step a world up to a time [s]; from another time on, keep what a picture shows of the past."""
    for _ in _counted(iter(range(round(time / world.time_step))), None, "steps", options):
        if past is not None and world.time >= since - 0.5 * world.time_step:
            past.add(description, frame_of(world))
        world.step()


def _counted(items: Iterable[_T], total: int | None, unit: str, options: argparse.Namespace) -> Iterator[_T]:
    """Pass items on with a progress bar, where someone sees it."""
    hidden = options.quiet or not sys.stderr.isatty()
    yield from tqdm(items, total=total, desc=unit, file=sys.stderr, disable=hidden, leave=False)
