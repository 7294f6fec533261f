"""Colours: those of a body depend on the body alone, those of what it does are told by a legend."""

import copy

import numpy as np
import pytest

import stoss as st
from stoss import viewer
from stoss.engine import World
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.colouring import COLOUR_MODES, body_colours, check_mode, colour_legend
from stoss.viewer.drawing.style import Style, base_colours
from stoss.viewer.world.commands import Delete, Duplicate, Grab, MovePointer, Release, Throw
from stoss.viewer.world.frames import describe_world, frame_of
from stoss.viewer.world.simulation import Simulation
from stoss.viewer.world.stage import Stage


def colours_of(world: World) -> dict[str, tuple[float, ...]]:
    """Return the colour of each body by name, as it is drawn."""
    description, frame = describe_world(world), frame_of(world)
    colours = body_colours(description, frame, Style())
    return dict(zip(description.names, map(tuple, colours.tolist()), strict=True))


def stack(*words: str) -> World:
    """Return a world with ground and cubes, called by a word and a number."""
    world = World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    for number, word in enumerate(words, 1):
        world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, number - 0.5), name=f"{word} {number}")
    return world


@pytest.mark.parametrize("words", [("cube",) * 5, ("cube", "stone", "cube"), ("thing",) * 3])
def test_nothing_that_happens_recolours_the_world(words: tuple[str, ...]) -> None:
    """Keep each colour while bodies are pulled, thrown in, copied, removed; a copy looks like the first."""
    world = stack(*words)
    stage, before = Stage(world), colours_of(world)
    top = f"{words[-1]} {len(words)}"
    commands = (
        Grab(top, (0.0, 0.0, len(words) - 0.5)),
        Throw((5.0, 0.0, 3.0), (-1.0, 0.0, 0.0)),
        MovePointer((0.0, 0.0, 6.0)),
        Duplicate(top, (3.0, 0.0, 0.0)),
        Release(),
        Delete(f"{words[0]} 1"),
    )
    for command in commands:
        stage.carry_out(command)
        stage.step()
        after = colours_of(world)
        assert {name: after[name] for name in before if name in after} == {
            name: before[name] for name in before if name in after
        }
    assert after[f"{top} copy 1"] == before[top]
    assert "ball 1" in after and len(after) == len(before) + 1


def test_numbered_bodies_differ_from_their_neighbours() -> None:
    """Give bodies that follow each other different hues, and a group one where that is asked for."""
    description = describe_world(stack(*["cube"] * 40))
    varied, groups = base_colours(description, True)[1:], base_colours(description, False)[1:]
    hues = (varied / varied.max(axis=1, keepdims=True)).round(2)
    assert (hues[1:] != hues[:-1]).any(axis=1).all()
    assert len(np.unique(groups, axis=0)) == 1


def test_the_pointer_is_no_body_of_the_user(tmp_path) -> None:
    """Count, list, colour and record a pulled world as one that nobody touches."""
    world = stack("cube", "cube")
    world.add_joint(st.Distance((0.0, 0.0, 1.5), (0.0, 3.0, 1.5)), world.body("cube 2"), None, name="rope")
    alone = copy.deepcopy(world)
    simulation = Simulation(world)
    recorder = Recorder(world)
    simulation.turn()
    simulation.post(Grab("cube 1", (0.0, 0.0, 0.5)), Throw((9.0, 0.0, 9.0), (0.0, 0.0, 1.0)))
    simulation.show_contacts(True)
    simulation.inspect("cube 1")
    simulation.step()
    simulation.turn()
    view, told = simulation.view, describe_world(alone)
    assert view.pull is not None
    assert view.description.names == (*told.names, "ball 1")
    assert view.description.joint_names == told.joint_names and view.outline.body.joints == ()
    frame, rows = view.frame, len(view.description.names)
    for values in (frame.positions, frame.velocities, frame.asleep, frame.islands, frame.direct, frame.loads):
        assert len(values) == rows
    assert frame.positions[-1, 0] == pytest.approx(9.0)
    assert (view.description.shape_body == np.arange(rows)).all()
    assert (view.description.joint_parts.bodies == told.joint_parts.bodies).all()
    assert set(frame.contacts.body_a) | set(frame.contacts.body_b) <= set(range(rows))
    viewer.picture((view.description, frame), (64, 48), quality="low", overlays=["joints", "boxes"])
    # A recording goes on while a body is pulled.
    simulation.stage.carry_out(Delete("ball 1"))
    recorder.after_step(world)
    recorder.write(tmp_path / "a.npz")
    assert load_trajectory(tmp_path / "a.npz").names == list(told.names)


def spinning(angle: float, kind: str = "dynamic", shape: st.Shape | None = None) -> World:
    world = World(gravity=(0.0, 0.0, 0.0))
    turn = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    world.add_body(shape or st.Sphere(1.0), kind=kind, quaternion=turn, name="ball")
    return world


@pytest.mark.parametrize("shape", [st.Sphere(1.0), st.Capsule(0.6, 1.0), st.Ellipsoid((1.0, 1.0, 1.0))])
def test_round_bodies_show_their_spin(shape: st.Shape) -> None:
    """Draw another picture of a ball that has turned; not of one that stands for good, or without pattern."""
    camera = Camera(azimuth=-1.57, elevation=0.0, distance=5.0)

    def change(kind: str, pattern: bool) -> int:
        style = Style(pattern=pattern, colours={0: (0.5, 0.5, 0.5)})
        first, second = (
            viewer.picture(spinning(a, kind, shape), (96, 72), camera=camera, style=style).astype(int)
            for a in (0.0, np.pi / 2)
        )
        return int((np.abs(first - second).max(axis=2) > 25).sum())

    assert change("dynamic", True) > 500
    if not isinstance(shape, st.Capsule):  # which turned shows another outline
        assert change("static", True) < 40 and change("dynamic", False) < 40


@pytest.mark.parametrize("shape", [st.Cylinder(0.6, 0.4), st.Cone(0.7, 1.0)])
def test_wheels_show_their_spin(shape: st.Shape) -> None:
    """Draw another picture of what is round about an axis when it has turned about it, seen along it."""
    pictures = []
    for angle in (0.0, np.pi / 2):
        world = World(gravity=(0.0, 0.0, 0.0))
        world.add_body(shape, quaternion=(np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)), name="wheel")
        pictures.append(viewer.picture(world, (96, 72), camera="top").astype(int))
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 25).sum() > 400


def test_colours_tell_what_bodies_do() -> None:
    """Show solver, speed and force, with a legend that names amounts and units."""
    world = stack("cube", "cube", "cube")
    world.add_body(st.Sphere(0.2), position=(5.0, 0.0, 40.0), velocity=(0.0, 0.0, -3.0), name="drop")
    world.step(10)
    description, frame = describe_world(world), frame_of(world, contacts=True)
    weight = 1000.0 * 9.81
    assert frame.loads[1:4] == pytest.approx([5 * weight, 3 * weight, weight], rel=1e-3)
    assert frame.loads[4] == 0.0 and frame.direct.tolist() == [-1, 1, 1, 1, -1]
    for mode in COLOUR_MODES:
        legend = colour_legend(description, frame, Style(colour_by=mode))
        assert (legend is None) == (mode in ("body", "group"))
        assert body_colours(description, frame, Style(colour_by=mode)).shape == (5, 3)
    ramp = colour_legend(description, frame, Style(colour_by="force")).ramp
    assert (ramp.least, ramp.greatest) == ("0 N", "49.1 kN")
    speed = colour_legend(description, frame, Style(colour_by="speed", full_speed=2.0)).ramp
    assert (speed.least, speed.greatest) == ("0 m/s", "2 m/s")
    solver = body_colours(description, frame, Style(colour_by="solver"))
    entries = {
        entry.text: entry.colour
        for entry in colour_legend(description, frame, Style(colour_by="solver")).entries
    }
    assert tuple(solver[1]) == entries["direct"] and tuple(solver[4]) == entries["nothing to solve"]


def test_unknown_ways_to_colour_are_refused() -> None:
    """Name the nearest in one line, before anything is drawn."""
    for wrong in (lambda: check_mode("style", "sped"), lambda: viewer.picture(World(), style="sped")):
        with pytest.raises(ValueError, match="did you mean speed") as error:
            wrong()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda world: viewer.picture(world, camera="tpo"), "camera = 'tpo' is no view; choose from front"),
        (lambda world: viewer.picture(world, camera=7), "camera = 7 must be a Camera, one of front"),
        (lambda world: viewer.picture(world, camera=(0, 100)), r"camera\[1\] = 100"),
        (lambda world: viewer.picture(world, camera={"target": 1}), "camera = {'target': 1}: a view has"),
        (lambda world: viewer.picture(world, overlays=["contcts"]), "did you mean contacts"),
        (lambda world: viewer.picture(world, overlays="joint"), "no overlay 'joint'"),
        (lambda world: viewer.picture(world, quality="hihg"), "did you mean high"),
        (lambda world: viewer.show(world, panels=("Foo",)), "there is no panel 'Foo'; choose from Scenes"),
        (lambda world: viewer.show(world, panels=("Plotts",)), "did you mean Plots"),
        (lambda world: viewer.show(world, view="abve"), "view = 'abve' is no view"),
        (lambda world: viewer.show(world, quality="best"), "choose from low, medium, high"),
    ],
)
def test_wrong_values_are_refused_in_one_line(call, text: str) -> None:
    """Name argument, value and cure, and open nothing."""
    with pytest.raises((TypeError, ValueError), match=text) as error:
        call(World())
    assert "\n" not in str(error.value)


def test_named_views_look_from_where_they_say() -> None:
    """Show what lies above from the top, in front from the front, and all of it in the picture."""
    world = World(gravity=(0.0, 0.0, 0.0))
    for name, place in (("up", (0, 0, 2)), ("near", (0, -2, 0)), ("right", (2, 0, 0)), ("mid", (0, 0, 0))):
        color = {"up": "#ff0000", "near": "#00ff00", "right": "#0000ff"}.get(name, "#808080")
        world.add_body(st.Box((1.0, 1.0, 1.0)), position=place, color=color, name=name)

    def middle(camera) -> np.ndarray:
        picture = np.asarray(viewer.picture(world, (120, 90), camera=camera, quality="low")).astype(int)
        colours = [(picture[..., k] - np.delete(picture, k, axis=2).max(axis=2)) > 60 for k in range(3)]
        return np.array(
            [np.argwhere(seen).mean(axis=0) if seen.any() else (np.nan, np.nan) for seen in colours]
        )

    top, front = middle("top"), middle("front")
    assert abs(top[0, 0] - top[2, 0]) < 12 and top[2, 1] > top[0, 1] + 15  # right of it, at the same height
    assert front[0, 0] < front[1, 0] - 10 and front[2, 1] > front[1, 1] + 15  # above it, and right of it
    assert np.allclose(middle((-90, 0)), front) and np.allclose(
        middle(Camera(azimuth=0).view() | {}), middle(Camera(azimuth=0)), equal_nan=True
    )
