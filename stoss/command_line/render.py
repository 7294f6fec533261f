"""`stoss render SCENE --out FILE`: a picture or a film of a scene, without a window."""

import argparse
import math
import sys
from collections.abc import Iterator
from typing import TypeVar

from tqdm import tqdm

from stoss.command_line.inputs import build_world, chosen_settings
from stoss.command_line.interrupts import exit_code_of, told_interruption
from stoss.command_line.looks import chosen_direction, chosen_overlays
from stoss.command_line.progress import watched_kernels
from stoss.engine import SimulationError, World
from stoss.errors import UsageError
from stoss.files import check_place
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.context import NoDisplayError, ensure_context
from stoss.viewer.drawing.film import Film, encoder
from stoss.viewer.drawing.looks import fitted_camera
from stoss.viewer.drawing.picture_files import PICTURE_SUFFIXES, write_picture
from stoss.viewer.drawing.pictures import (
    default_quality,
    draw_film,
    film_frames,
    picture,
)
from stoss.viewer.drawing.style import Style
from stoss.viewer.drawing.trails import Trails
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
    settings = chosen_settings(options)
    overlays = chosen_overlays(options)
    azimuth, elevation = map(math.radians, chosen_direction(options) or options.scene.view)
    try:
        path = check_place(options.out, (*PICTURE_SUFFIXES, ".mp4"))
    except (ValueError, OSError) as error:
        raise UsageError(f"--out: {error}") from error
    is_film = path.suffix.lower() == ".mp4"
    try:
        ensure_context()
        quality = options.quality or default_quality(path)
        if is_film or path.suffix.lower() == ".jpg":
            encoder("films" if is_film else "pictures in .jpg")
    except (ValueError, OSError, NoDisplayError) as error:
        raise UsageError(str(error)) from error
    begin = options.at if options.at is not None else 0.0 if is_film else options.scene.moment
    exit_code = 0
    contacts = overlays.needs_contacts or options.colours == "force"
    frames: list[Frame] = []
    with watched_kernels(not options.quiet):
        world = build_world(options, settings)
        description = describe_world(world)
        trails = Trails(length=10**6)
        try:
            _advance(world, begin, description, trails if overlays.trajectories else None, options)
            if not is_film:
                frames.append(frame_of(world, contacts))
            else:
                motion = film_frames(world, options.duration, options.fps, contacts)
                frames.extend(_counted(motion, round(options.duration * options.fps), "simulated", options))
        except SimulationError as error:
            print(f"stoss: the simulation stopped: {' '.join(str(error).split())}", file=sys.stderr)
            exit_code = 1
            frames = frames or [frame_of(world, contacts)]
        except KeyboardInterrupt as error:
            print(f"stoss: {told_interruption(error)} at {world.time:g} s", file=sys.stderr)
            exit_code = exit_code_of(error)
            frames = frames or [frame_of(world, contacts)]
    camera = fitted_camera(description, frames, options.size, Camera(azimuth=azimuth, elevation=elevation))
    glass = tuple(row for row, name in enumerate(description.names) if name in options.scene.see_through)
    style = Style(colour_by=options.colours, see_through=glass)
    if not is_film:
        pixels = picture(
            (description, frames[0]),
            options.size,
            camera=camera,
            quality=quality,
            style=style,
            overlays=overlays,
            trails=trails,
            enlarged=_ENLARGED,
        )
        write_picture(path, pixels)
    else:
        film = Film(path, options.size, options.fps)
        try:
            with film:
                counted = _counted(iter(frames), len(frames), "drawn", options)
                draw_film(film, description, counted, camera, quality, style, overlays, trails)
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
    trails: Trails | None,
    options: argparse.Namespace,
) -> None:
    """Step a world up to a time [s]."""
    for _ in _counted(iter(range(round(time / world.time_step))), None, "steps", options):
        if trails is not None:
            trails.add(description, frame_of(world))
        world.step()


def _counted(items: Iterator[_T], total: int | None, unit: str, options: argparse.Namespace) -> Iterator[_T]:
    """Pass items on with a progress bar, where someone sees it."""
    hidden = options.quiet or not sys.stderr.isatty()
    yield from tqdm(items, total=total, desc=unit, file=sys.stderr, disable=hidden, leave=False)
