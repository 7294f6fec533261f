"""Options of the commands that show worlds: view, build, render, export, plot, replay."""

import argparse

from stoss.command_line.options.parser import (
    Parser,
    add_duration,
    add_look,
    add_picture_size,
    add_quality,
    add_quiet,
    add_window,
)
from stoss.command_line.options.values import (
    choice,
    factor,
    gigabytes,
    not_negative,
    plain_number,
    positive,
    rate,
)
from stoss.scenes.registry import Scene

__all__ = [
    "COLOURS",
    "OVERLAYS",
    "add_build",
    "add_export",
    "add_export_of_file",
    "add_plot",
    "add_render",
    "add_render_of_file",
    "add_replay",
    "add_view",
]

# What `stoss render` can lay over the bodies: the switches of `OverlayOptions`, which a test
# compares; named here so that help does not load the viewer.
OVERLAYS = (
    *("contacts", "impulses", "friction_cones", "joints", "limits", "centres", "axes", "joint_frames"),
    *("boxes", "inertia_boxes", "wireframe", "hulls"),
    *("velocities", "trajectories", "names", "joint_names", "control"),
)

# The ways to colour bodies of `stoss render`, compared by the same test.
COLOURS = ("body", "group", "island", "solver", "sleeping", "speed", "force")


def add_view(parser: Parser, scene: Scene) -> None:
    """Add the options of `stoss view`."""
    add_window(parser, OVERLAYS)
    parser.add_argument("--choose", action="store_true", help="open the list of scenes too")


def add_build(parser: Parser) -> None:
    """Add the options of `stoss build`."""
    parser.add_argument("file", nargs="?", metavar="FILE", help="a model; when left out: an empty one")
    parser.add_argument(
        "--planar",
        type=choice(("xy", "xz", "yz")),
        metavar="PLANE",
        help="an empty model in a plane: xz, say",
    )
    add_window(parser, OVERLAYS)


def add_render(parser: Parser, scene: Scene) -> None:
    """Add the options of `stoss render` with a scene."""
    film = parser.add_argument_group("picture or film")
    film.add_argument(
        "--at",
        type=not_negative,
        metavar="S",
        help=f"moment of the picture (default {scene.moment:g}), or where the film begins (default 0)",
    )
    add_duration(film, scene, "simulated time of the film")
    add_shot(film)


def add_render_of_file(parser: Parser) -> None:
    """Add the options of `stoss render` with a file."""
    film = parser.add_argument_group("picture or film")
    film.add_argument(
        "--at",
        type=not_negative,
        metavar="S",
        help="moment of the picture (default: the end), or where the film begins (default: the beginning)",
    )
    film.add_argument(
        "--duration", type=positive, metavar="S", help="time that the film shows in seconds (default: all)"
    )
    add_shot(film)


def add_shot(film: argparse._ActionsContainer) -> None:
    """Add how a picture or film is shot, of a scene or of a file."""
    film.add_argument("--out", required=True, metavar="FILE", help="a picture (.png, .jpg) or a film (.mp4)")
    film.add_argument("--fps", type=rate, default=30.0, metavar="N", help="pictures per second (default 30)")
    film.add_argument(
        "--slow", type=factor, default=1.0, metavar="N", help="slow motion: 4 is a quarter of the speed"
    )
    film.add_argument("--follow", default="", metavar="BODY", help="the camera goes along with this body")
    film.add_argument(
        "--orbit",
        type=plain_number,
        default=0.0,
        metavar="DEG",
        help="the camera turns by so many degrees per second of the film",
    )
    film.add_argument("--time-stamp", action="store_true", help="write the time into a corner")
    film.add_argument("--transparent", action="store_true", help="leave out ground and sky, of a .png")
    add_picture_size(film)
    add_quality(film)
    film.add_argument("--no-key", action="store_true", help="leave out the key to colours and marks")
    film.add_argument("--trails", action="store_true", help="draw the paths of the bodies")
    film.add_argument(
        "--strobe",
        type=positive,
        metavar="S",
        help="of a picture: the bodies are also where they were before, at moments so far apart in seconds",
    )
    film.add_argument(
        "--exposure",
        type=positive,
        metavar="S",
        help="of a picture: how far back --trails and --strobe reach in seconds (default: to the beginning)",
    )
    add_look(film, OVERLAYS)
    film.add_argument(
        "--colours",
        type=choice(COLOURS),
        default="body",
        metavar="NAME",
        help="what colours tell, one of " + ", ".join(COLOURS) + " (default body)",
    )
    add_quiet(film)


def add_export(parser: Parser, scene: Scene) -> None:
    """Add the options of `stoss export` with a scene."""
    add_export_of_file(parser)
    add_duration(parser, scene)
    parser.add_argument(
        "--channels",
        nargs="+",
        metavar="NAME",
        help="numbers over time that Rerun draws beside the motion, such as energy.* (of .rrd)",
    )


def add_export_of_file(parser: Parser) -> None:
    """Add the options of `stoss export` with a file."""
    parser.add_argument(
        "out", metavar="OUT", help="a page (.html), glTF (.glb) or a recording of Rerun (.rrd)"
    )
    parser.add_argument("--fps", type=rate, default=30.0, metavar="N", help="samples per second (default 30)")
    parser.add_argument("--title", metavar="TEXT", help="what it is called (default: the scene or file)")
    add_quiet(parser)


def add_plot(parser: Parser) -> None:
    """Add the options of `stoss plot`."""
    parser.add_argument(
        "words",
        nargs="+",
        metavar="FILE|CHANNEL",
        help="recordings (.npz), and names and patterns of channels; without channels these are listed",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="a picture: .png, .svg or .pdf (default: the name of the recording, .png)",
    )
    parser.add_argument("--phase", action="store_true", help="phase portraits: channels are pairs, x and y")
    parser.add_argument(
        "--histogram",
        action="store_true",
        help="how often values occur; without channels those of the normal forces of all contacts",
    )
    parser.add_argument("--title", metavar="TEXT", help="what stands above")
    add_quiet(parser)


def add_replay(parser: Parser) -> None:
    """Add the options of `stoss replay`."""
    parser.add_argument("file", metavar="FILE", help="a motion (.npz) or a session (.json)")
    parser.add_argument(
        "--check", action="store_true", help="of a session: simulate it without a window and compare the end"
    )
    parser.add_argument(
        "--memory",
        type=gigabytes,
        default=1.0,
        metavar="GB",
        help="most memory that a motion may need (default 1)",
    )
    add_window(parser, OVERLAYS)
