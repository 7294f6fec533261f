"""Pictures: what is drawn, where, in which colour, and what is under the pointer. Drawn without a display."""

import dataclasses

import numpy as np
import pytest

from stoss.collision import (
    Box,
    Capsule,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    HalfSpace,
    Placed,
    Shape,
    Sphere,
    TriangleMesh,
)
from stoss.engine import World
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.colouring import body_colours
from stoss.viewer.drawing.context import ensure_context, renderer_name
from stoss.viewer.drawing.framing import framing_points, scene_points
from stoss.viewer.drawing.marks import OverlayGeometry, arrows, lines, points
from stoss.viewer.drawing.quality import QUALITIES, choose_quality
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import Description, Frame, describe_world, frame_of

SIZE = (160, 120)


@pytest.fixture(scope="module", autouse=True)
def context() -> None:
    ensure_context()


def description_of(*shapes: Shape, kinds: tuple[str, ...] | None = None) -> Description:
    """Return a description of one body per shape."""
    count = len(shapes)
    return Description(
        names=tuple(f"body {k}" for k in range(count)),
        kinds=kinds or ("dynamic",) * count,
        masses=np.ones(count),
        inertias=np.ones((count, 3)),
        shapes=shapes,
        shape_body=np.arange(count),
        shape_position=np.zeros((count, 3)),
        shape_quaternion=np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
    )


def frame_at(*positions: tuple[float, float, float]) -> Frame:
    return Frame(0.0, 0, np.array(positions, float), np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1)))


def brightness(pixels: np.ndarray) -> np.ndarray:
    return pixels.astype(float).mean(axis=-1)


GROUND_AND_BOX = description_of(HalfSpace(), Box((1.0, 1.0, 1.0)), kinds=("static", "dynamic"))
ON_GROUND = frame_at((0.0, 0.0, 0.0), (0.0, 0.0, 0.5))


def view_of_box(**values: float) -> Camera:
    camera = Camera(**values)
    camera.fit(scene_points(GROUND_AND_BOX, ON_GROUND), SIZE, margin=3.0)
    return camera


@pytest.mark.parametrize("quality", QUALITIES)
def test_red_box_is_red_and_in_the_middle(quality: str) -> None:
    """Draw a box in its colour where it is, and ground and sky around it."""
    renderer = Renderer(GROUND_AND_BOX, quality)
    style = Style(colours={1: (0.9, 0.1, 0.1)})
    pixels = renderer.picture(ON_GROUND, view_of_box(), SIZE, style).astype(int)
    assert pixels.shape == (SIZE[1], SIZE[0], 3)
    red = pixels[..., 0] > pixels[..., 1:].max(axis=-1) + 60
    x, y = np.nonzero(red)[1].mean(), np.nonzero(red)[0].mean()
    assert abs(x - 0.5 * SIZE[0]) < 3.0 and abs(y - 0.5 * SIZE[1]) < 3.0
    corners = view_of_box().project(scene_points(GROUND_AND_BOX, ON_GROUND), SIZE)
    width, height = np.ptp(corners[:, :2], axis=0)
    assert 0.6 * width * height < red.sum() < width * height
    assert not red[:, :10].any() and not red[:, -10:].any()
    renderer.delete()


def test_shadow_darkens_the_ground_away_from_the_light() -> None:
    """Cast a shadow on the ground behind the box as seen from the light, and nowhere else."""
    pictures = {}
    for quality in ("low", "medium", "high"):
        renderer = Renderer(GROUND_AND_BOX, quality)
        level = dataclasses.replace(renderer.quality, shadow_size=0, ambient_taps=0)
        for shadows in (True, False):
            renderer.quality = renderer.quality if shadows else level
            pictures[quality, shadows] = brightness(
                renderer.picture(ON_GROUND, view_of_box(), SIZE, Style(grid=False))
            )
        renderer.delete()
    camera = view_of_box()
    x, y, _ = camera.project((0.55, 0.7, 0.0), SIZE).round().astype(int)
    sunny_x, sunny_y, _ = camera.project((-1.3, -0.8, 0.0), SIZE).round().astype(int)
    for quality in ("medium", "high"):
        darker = pictures[quality, False] - pictures[quality, True]
        assert darker[y, x] > 40.0
        assert abs(darker[sunny_y, sunny_x]) < 2.0


def test_no_shadow_on_lit_faces() -> None:
    """Leave the faces that look to the light as bright as without shadows: no acne."""
    renderer = Renderer(GROUND_AND_BOX, "medium")
    style = Style(colours={1: (0.5, 0.5, 0.5)})
    with_shadows = brightness(renderer.picture(ON_GROUND, view_of_box(), SIZE, style))
    renderer.quality = dataclasses.replace(renderer.quality, shadow_size=0)
    without = brightness(renderer.picture(ON_GROUND, view_of_box(), SIZE, style))
    top = view_of_box().project([(x, y, 1.0) for x in (-0.4, 0.0, 0.4) for y in (-0.4, 0.0, 0.4)], SIZE)
    for x, y, _ in top.round().astype(int):
        assert with_shadows[y, x] == pytest.approx(without[y, x], abs=2.0)
    renderer.delete()


SHAPES: list[Shape] = [
    Sphere(0.5),
    Box((0.6, 0.9, 1.2)),
    Capsule(0.3, 0.8),
    Cylinder(0.4, 0.9),
    Cone(0.5, 1.0),
    Ellipsoid((0.3, 0.5, 0.7)),
    ConvexHull(np.random.default_rng(1).normal(size=(30, 3)) * 0.4),
]


def world_of_all_shapes() -> World:
    """Return bodies of all shapes in random poses far from the origin, a compound, a mesh, a half-space."""
    rng = np.random.default_rng(1)

    def turn() -> np.ndarray:
        q = rng.normal(size=4)
        return q / np.linalg.norm(q)

    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(HalfSpace(normal=(0.1, -0.2, 1.0), offset=-2.0), kind="static", name="ground")
    for number in range(28):
        place = rng.uniform(-3.0, 3.0, 3) + (700.0, 0.0, -60.0)
        world.add_body(SHAPES[number % 7], position=place, quaternion=turn(), name=f"body {number}")
    parts = [Placed(Box((0.5, 0.5, 0.5)), (0.4, 0.1, 0.2), tuple(turn())), Placed(Cone(0.4, 1.0))]
    world.add_body(parts, position=(701.0, 2.0, -62.0), quaternion=turn(), name="compound")
    hills = np.array([[x, y, 0.3 * np.sin(3.0 * x + y)] for x in range(5) for y in range(5)], float)
    quads = [(5 * x + y, 5 * x + y + 5, 5 * x + y + 6, 5 * x + y + 1) for x in range(4) for y in range(4)]
    faces = np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])
    mesh = TriangleMesh(hills, faces)
    world.add_body(mesh, kind="static", position=(698.0, -2.0, -66.0), quaternion=turn(), name="hills")
    return world


@pytest.mark.parametrize("orthographic", [False, True])
def test_picking_agrees_with_ray_casts(orthographic: bool) -> None:
    """Name the body and the point that a ray cast through the same pixel finds, for all shapes."""
    world = world_of_all_shapes()
    description, frame = describe_world(world), frame_of(world)
    renderer = Renderer(description, "high")
    camera = Camera(orthographic=orthographic)
    camera.fit(scene_points(description, frame), SIZE)
    rng = np.random.default_rng(2)
    found, wrong, distances = set(), 0, []
    for k in range(330):
        aim = frame.positions[k % len(frame.positions)] + rng.normal(size=3) * 0.4
        x, y = rng.uniform((0, 0), SIZE) if k % 3 == 0 else camera.project(aim, SIZE)[:2]
        hit, cast = renderer.pick(frame, camera, SIZE, x, y), world.ray_cast(*camera.ray(x, y, SIZE))
        if (hit is None) != (cast is None) or (hit and description.names[hit.body] != cast[0].name):
            wrong += 1
        elif hit is not None:
            found.add(type(description.shapes[hit.shape]).__name__)
            assert description.shape_body[hit.shape] == hit.body
            distances.append(np.linalg.norm(hit.point - cast[1].point))
    renderer.delete()
    assert wrong <= 2  # rays that graze an edge or the outline of a polygon
    assert found == {type(shape).__name__ for shape in description.shapes}
    # Polygons instead of circles, seen flat: a few per mille of a body; where that does not matter, float32.
    assert np.median(distances) < 1e-4 and np.quantile(distances, 0.98) < 0.02


@pytest.mark.parametrize("shape", [*SHAPES, HalfSpace()], ids=lambda shape: type(shape).__name__)
def test_shapes_are_drawn_where_rays_hit(shape: Shape) -> None:
    """Cover, with a shape alone in the picture, the pixels whose rays hit it."""
    world = World()
    static = "static" if isinstance(shape, HalfSpace) else "dynamic"
    q = np.array([0.8, 0.3, -0.4, 0.33])
    turn = (1.0, 0.0, 0.0, 0.0) if static == "static" else q / np.linalg.norm(q)
    world.add_body(shape, kind=static, quaternion=turn, name="it")
    description, frame = describe_world(world), frame_of(world)
    renderer = Renderer(description, "low")
    size, camera = (40, 30), Camera(distance=4.0)
    shown = renderer.picture(frame, camera, size, Style(grid=False)).astype(int)
    empty = renderer.picture(frame, camera, size, Style(hidden=(0,))).astype(int)
    drawn = np.abs(shown - empty).max(axis=-1) > 6
    cast = np.array(
        [
            [world.ray_cast(*camera.ray(x + 0.5, y + 0.5, size), 30.0) is not None for x in range(size[0])]
            for y in range(size[1])
        ]
    )
    assert cast.sum() > 30
    outline = np.zeros_like(cast)  # pixels at the rim, where a polygon may differ from a circle
    outline[1:] |= cast[1:] != cast[:-1]
    outline[:-1] |= cast[1:] != cast[:-1]
    outline[:, 1:] |= cast[:, 1:] != cast[:, :-1]
    outline[:, :-1] |= cast[:, 1:] != cast[:, :-1]
    assert (drawn == cast)[~outline].all()
    renderer.delete()


def test_half_space_is_drawn_up_to_the_horizon() -> None:
    """Cover the lower half of a level view with ground, and let it go over into the sky without an edge."""
    description = description_of(HalfSpace(), kinds=("static",))
    renderer = Renderer(description, "medium")
    camera = Camera(target=(3.0, 4.0, 1.0), distance=10.0, elevation=0.0)
    frame = frame_at((0.0, 0.0, 0.0))
    shown = brightness(renderer.picture(frame, camera, SIZE, Style(grid=False)))
    empty = brightness(renderer.picture(frame, camera, SIZE, Style(hidden=(0,))))
    assert np.abs(shown - empty)[-5:].min() > 10.0
    assert np.abs(shown - empty)[: SIZE[1] // 2 - 2].max() == 0.0
    rows = shown[SIZE[1] // 2 - 6 : SIZE[1] // 2 + 6].mean(axis=1)
    assert np.abs(np.diff(rows)).max() < 6.0
    renderer.delete()


def test_hidden_marked_and_coloured_bodies() -> None:
    """Leave out hidden bodies in picture and picking, draw an outline about marked ones."""
    renderer = Renderer(GROUND_AND_BOX, "medium")
    camera = view_of_box()
    plain = renderer.picture(ON_GROUND, camera, SIZE).astype(int)
    hidden = renderer.picture(ON_GROUND, camera, SIZE, Style(hidden=(1,))).astype(int)
    assert np.abs(plain - hidden)[60, 80].max() > 30
    assert renderer.pick(ON_GROUND, camera, SIZE, 80.0, 60.0).body == 1
    assert renderer.pick(ON_GROUND, camera, SIZE, 80.0, 60.0, Style(hidden=(1,))).body == 0
    assert renderer.pick(ON_GROUND, Camera(elevation=0.0, target=(0, 0, 5)), SIZE, 80.0, 5.0) is None
    marked = renderer.picture(ON_GROUND, camera, SIZE, Style(selected=(1,))).astype(int)
    orange = (marked[..., 0] > 220) & (marked[..., 2] < 80) & (np.abs(marked - plain).max(axis=-1) > 40)
    assert 50 < orange.sum() < 1500
    assert not orange[60, 80]
    renderer.delete()


def test_glass_shows_what_is_behind() -> None:
    """Draw a body of glass between its own colour and what is behind, and pick through it."""
    description = description_of(Box((1.0, 1.0, 1.0)), Box((4.0, 0.1, 4.0)))
    frame = frame_at((0.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    camera = Camera(distance=8.0, azimuth=-np.pi / 2, elevation=0.0)
    renderer = Renderer(description, "low")
    colours = {0: (0.9, 0.1, 0.1), 1: (0.1, 0.1, 0.9)}

    def middle(**values: tuple[int, ...]) -> np.ndarray:
        return renderer.picture(frame, camera, SIZE, Style(colours=colours, **values)).astype(int)[60, 80]

    solid, without, glass = middle(), middle(hidden=(0,)), middle(see_through=(0,))
    assert without[0] + 5 < glass[0] < solid[0] - 60
    assert solid[2] + 60 < glass[2] < without[2]
    assert renderer.pick(frame, camera, SIZE, 80.0, 60.0).body == 0
    assert renderer.pick(frame, camera, SIZE, 80.0, 60.0, Style(see_through=(0,))).body == 1
    renderer.delete()


def test_overlays_show_through_bodies() -> None:
    """Draw lines in full in front of a body, faintly behind it, and arrows in their colour."""
    renderer = Renderer(GROUND_AND_BOX, "low")
    camera = Camera(target=(0.0, 0.0, 0.5), distance=6.0, azimuth=-np.pi / 2, elevation=0.0)
    blue = (0.0, 0.0, 1.0, 1.0)
    plain = renderer.picture(ON_GROUND, camera, SIZE).astype(int)

    def change(y: float) -> np.ndarray:
        table = lines(np.array([[-0.3, y, 0.5]]), np.array([[0.3, y, 0.5]]), blue, 4.0)
        drawn = renderer.picture(ON_GROUND, camera, SIZE, None, OverlayGeometry(lines=table)).astype(int)
        return (drawn - plain)[60, 80]

    assert tuple(change(-0.7) + plain[60, 80]) == (0, 0, 255)
    assert 0.1 < change(0.7)[0] / change(-0.7)[0] < 0.6
    dot = OverlayGeometry(lines=points(np.array([[0.0, -0.7, 0.5]]), blue, 9.0))
    round_point = np.abs(renderer.picture(ON_GROUND, camera, SIZE, None, dot).astype(int) - plain).max(
        axis=-1
    )
    assert (round_point > 100).sum() == pytest.approx(np.pi * 4.5**2, rel=0.35)
    up = OverlayGeometry(
        arrows=arrows(np.array([[0.0, -1.0, 0.2]]), np.array([[0.0, 0.0, 0.8]]), (1.0, 0.0, 0.0, 1.0), 0.1)
    )
    grey = Style(colours={1: (0.5, 0.5, 0.5)})
    with_arrow = renderer.picture(ON_GROUND, camera, SIZE, grey, up).astype(int)
    red = (with_arrow[..., 0] - with_arrow[..., 1:].max(axis=-1)) > 80
    place = camera.project(np.array([[0.0, -1.0, 0.2], [0.0, -1.0, 1.0]]), SIZE)
    rows = np.nonzero(red.any(axis=1))[0]
    assert rows.min() == pytest.approx(place[1, 1], abs=2.0) and rows.max() == pytest.approx(
        place[0, 1], abs=2.0
    )
    renderer.delete()


def test_same_frame_gives_same_picture_and_other_description_another() -> None:
    """Repeat a picture bit for bit, follow another description, and say when a frame is not of it."""
    renderer = Renderer(GROUND_AND_BOX, "high")
    first = renderer.picture(ON_GROUND, view_of_box(), SIZE)
    other = description_of(Sphere(0.4), Capsule(0.2, 0.5), Cylinder(0.3, 0.3))
    renderer.set_description(other)
    with pytest.raises(ValueError, match="set_description"):
        renderer.picture(ON_GROUND, view_of_box(), SIZE)
    renderer.picture(frame_at((0, 0, 0), (1, 0, 0), (2, 0, 0)), view_of_box(), SIZE)
    renderer.set_description(GROUND_AND_BOX)
    renderer.set_quality("low")
    renderer.set_quality("high")
    assert (renderer.picture(ON_GROUND, view_of_box(), SIZE) == first).all()
    renderer.delete()


def test_far_from_the_origin_nothing_trembles() -> None:
    """Draw a scene a thousand kilometres away as it is drawn at the origin."""
    renderer = Renderer(GROUND_AND_BOX, "low")
    away = np.array([1.0e6, -2.0e6, 0.0])
    near = renderer.picture(ON_GROUND, view_of_box(), SIZE).astype(int)
    camera = view_of_box()
    camera.target = camera.target + away
    moved = dataclasses.replace(ON_GROUND, positions=ON_GROUND.positions + away)
    far = renderer.picture(moved, camera, SIZE).astype(int)
    assert (np.abs(near - far).max(axis=-1) > 3).mean() < 0.01
    renderer.delete()


def test_ten_thousand_bodies_are_drawn() -> None:
    """Draw a world of 10 000 bodies of round shapes."""
    side = 100
    shapes = (Sphere(0.4), Capsule(0.2, 0.4), Cylinder(0.3, 0.5), Cone(0.4, 0.8))
    description = description_of(*(shapes[k % 4] for k in range(side * side)))
    places = np.stack([*np.divmod(np.arange(side * side), side), np.zeros(side * side)], axis=1)
    frame = Frame(0.0, 0, places, np.tile([1.0, 0.0, 0.0, 0.0], (side * side, 1)))
    renderer = Renderer(description, "low")
    camera = Camera(elevation=1.2)
    camera.fit(scene_points(description, frame), SIZE)
    assert renderer.picture(frame, camera, SIZE).std() > 10.0
    renderer.delete()


def test_framing_leaves_out_what_flew_off_and_vast_scenery() -> None:
    """Frame what moves and its scenery, not the few bodies far away, nor a floor much larger than all."""
    count = 100
    shapes = (*([Sphere(0.5)] * count), Box((2.0, 2.0, 2.0)), Box((900.0, 900.0, 1.0)))
    description = description_of(*shapes, kinds=("dynamic",) * count + ("static",) * 2)
    places = np.random.default_rng(0).uniform(-5.0, 5.0, (count + 2, 3))
    places[0], places[count] = (500.0, 0.0, 0.0), (7.0, 0.0, 0.0)
    points_of = framing_points(description, Frame(0.0, 0, places, np.tile([1.0, 0, 0, 0], (count + 2, 1))))
    assert points_of[:, 0].max() == pytest.approx(8.0)


def test_colours_follow_the_style() -> None:
    """Colour by name, island, sleep and speed; refuse others."""
    description = dataclasses.replace(
        description_of(*[Sphere(0.5)] * 4, HalfSpace(), kinds=("dynamic",) * 4 + ("static",)),
        names=("brick 1", "brick 2", "ball", "brick 3", "ground"),
    )
    frame = Frame(
        0.0,
        0,
        np.zeros((5, 3)),
        np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)),
        velocities=np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 0], [0, 0, 0]]),
        asleep=np.array([True, False, False, True, False]),
        islands=np.array([0, 1, 1, -1, -1]),
    )

    def of(name: str) -> np.ndarray:
        return body_colours(description, frame, Style(colour_by=name))

    group = of("group")
    assert (group[0] == group[1]).all() and (group[0] != group[2]).any()
    island = of("island")
    assert (
        (island[1] == island[2]).all() and (island[0] != island[1]).any() and (island[3] != island[0]).any()
    )
    asleep = of("sleeping")
    assert (asleep[0] == asleep[3]).all() and (asleep[0] != asleep[1]).any()
    speed = of("speed")
    assert (speed[2] == speed[3]).all() and speed[0, 0] < speed[2, 0]
    assert all((of(name)[4] == group[4]).all() for name in ("body", "island", "speed"))
    with pytest.raises(ValueError, match="choose from body"):
        of("taste")


def test_bodies_have_colours_of_their_own() -> None:
    """Draw what a body was given, in worlds and in motions alike; the style's choice goes before."""
    own = dataclasses.replace(GROUND_AND_BOX, colors=(None, (0.9, 0.1, 0.1)))
    plain, told = body_colours(GROUND_AND_BOX, ON_GROUND, Style()), body_colours(own, ON_GROUND, Style())
    assert told[1].tolist() == [0.9, 0.1, 0.1] and (told[0] == plain[0]).all()
    assert body_colours(own, ON_GROUND, Style(colours={1: (0.0, 0.0, 1.0)}))[1].tolist() == [0.0, 0.0, 1.0]
    pictures = []
    for description, style in ((own, Style()), (GROUND_AND_BOX, Style(colours={1: (0.9, 0.1, 0.1)}))):
        renderer = Renderer(description, "low")
        pictures.append(renderer.picture(ON_GROUND, view_of_box(), SIZE, style))
        renderer.delete()
    assert (pictures[0] == pictures[1]).all()
    world = World()
    world.add_body(Sphere(1.0), color="#ff0000")
    world.add_body(Sphere(1.0))
    assert describe_world(world).colors == ((1.0, 0.0, 0.0), None)


def test_quality_is_chosen_by_what_draws() -> None:
    """Draw little in software, much on a graphics card, less of many bodies; refuse unknown levels."""
    assert choose_quality("llvmpipe (LLVM 15)", 10) == "low"
    assert choose_quality("NVIDIA GeForce", 10) == "high"
    assert choose_quality("NVIDIA GeForce", 10_000) == "medium"
    assert renderer_name()
    with pytest.raises(ValueError, match="choose from low"):
        Renderer(GROUND_AND_BOX, "ultra")
