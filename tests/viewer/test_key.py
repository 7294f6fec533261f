"""The key, names that thin out, marks with halos, forces in two parts."""

import numpy as np
import pytest
from imgui_bundle import imgui

import stoss as st
from stoss import viewer
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.geometry import rotate
from stoss.viewer.drawing.labels import placed_texts
from stoss.viewer.drawing.legend import Entry, Legend, Ramp, amount, lay_out
from stoss.viewer.drawing.marks import lines, outlined
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.style import Style
from stoss.viewer.widgets.theme import set_up_imgui, take_down_imgui
from stoss.viewer.window.lettering import draw_key, draw_labels
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.frames import describe_world, frame_of
from stoss.viewer.world.simulation import Simulation

LINE = 12.0


def width_of(text: str) -> float:
    return 6.0 * len(text)


def sliding_box() -> st.World:
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), velocity=(4.0, 0.0, 0.0), name="box")
    world.step(5)
    return world


def test_a_key_holds_all_it_says_within_its_edges() -> None:
    """Give each entry a mark of its colour beside its text, and a ramp its first and last colour."""
    marks = ("patch", "arrow", "line", "point")
    entries = tuple(Entry((0.1 * k, 0.5, 0.2), mark, mark) for k, mark in enumerate(marks))
    ramp = Ramp(((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 1.0)), "0 N", "5 N")
    plan = lay_out([Legend("one", entries), Legend("a title that is long", ramp=ramp)], LINE, width_of)
    assert [text for *_, text in plan.texts] == ["one", *marks, "a title that is long", "0 N", "5 N"]
    for entry in entries:
        top = next(y for _, y, text in plan.texts if text == entry.text)
        mine = [patch for patch in plan.patches if patch.colour == entry.colour]
        assert mine and all(top <= patch.top < patch.bottom <= top + LINE for patch in mine)
    assert {(0.0, 0.0, 0.0), (1.0, 1.0, 1.0)} <= {patch.colour for patch in plan.patches}
    for x, y, text in plan.texts:
        assert 0.0 < x and x + width_of(text) < plan.width and 0.0 < y and y + LINE < plan.height
    for patch in plan.patches:
        assert 0.0 < patch.left < patch.right < plan.width and 0.0 < patch.top < patch.bottom < plan.height


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 N"), (9.81, "9.81 N"), (9810.0, "9.81 kN"), (999.6, "1 kN"), (2.5e6, "2.5 MN")],
)
def test_amounts_are_read_without_powers_of_ten(value: float, text: str) -> None:
    """Write amounts with prefixes."""
    assert amount(value, "N") == text


@pytest.mark.parametrize("transparent", [False, True])
def test_pictures_have_a_key_where_colours_tell_something(transparent: bool) -> None:
    """Draw it into the corner for speed, not for bodies' own colours, nor where it is switched off."""
    world = sliding_box()
    style = {"with": Style(colour_by="speed"), "without": Style(colour_by="speed", legend=False)}
    shots = {
        name: viewer.picture(world, (480, 270), style=look, transparent=transparent)
        for name, look in style.items()
    }
    changed = (shots["with"] != shots["without"]).any(axis=2)
    rows, columns = np.nonzero(changed)
    assert rows.min() < 15 and columns.min() < 15 and rows.max() < 100 and columns.max() < 200
    key = np.asarray(shots["with"])[changed][:, :3].astype(int)
    assert (np.abs(key - (250, 214, 64)).max(axis=1) < 12).any()  # the end of the ramp
    if transparent:
        assert np.asarray(shots["with"])[changed][:, 3].min() > 150


def test_small_pictures_are_not_covered_by_a_key() -> None:
    """Leave it out where little else could be seen."""
    shots = [
        viewer.picture(sliding_box(), (96, 54), style=Style(colour_by="speed", legend=legend))
        for legend in (True, False)
    ]
    assert (shots[0] == shots[1]).all()


def test_of_names_that_overlap_the_nearest_is_written() -> None:
    """Leave out the farther ones, keep those apart, and all texts of the user's own."""
    camera = Camera(target=(0.0, 0.0, 0.0), distance=10.0, azimuth=0.0, elevation=0.0)
    toward = camera.eye / np.linalg.norm(camera.eye)
    names = [("far", -2.0 * toward), ("near", 2.0 * toward), ("apart", np.array([0.0, 0.0, 2.0]))]
    own = [("mine", 0.0 * toward), ("mine too", 0.0 * toward)]
    size = (640, 480)
    shown = [text for text, *_ in placed_texts(names, [], camera, size, LINE, width_of)]
    assert shown == ["apart", "near"]
    shown = [text for text, *_ in placed_texts(names, own, camera, size, LINE, width_of)]
    assert sorted(shown) == ["apart", "mine", "mine too"]
    behind = [("behind", 1.5 * camera.eye)]
    assert placed_texts(behind, [], camera, size, LINE, width_of) == []


def test_no_two_names_of_a_pyramid_overlap() -> None:
    """Thin out a mass of names until each is read, and keep many."""
    rng = np.random.default_rng(3)
    names = [(f"cube {k}", point) for k, point in enumerate(rng.uniform(-3.0, 3.0, (400, 3)))]
    camera = Camera(target=(0.0, 0.0, 0.0), distance=12.0)
    shown = placed_texts(names, [], camera, (640, 480), LINE, width_of)
    assert 30 < len(shown) < 400
    boxes = np.array([(x, y, x + width_of(text), y + LINE) for text, x, y in shown])
    across = (boxes[:, None, 0] < boxes[:, 2]) & (boxes[:, 0] < boxes[:, None, 2])
    over = (boxes[:, None, 1] < boxes[:, 3]) & (boxes[:, 1] < boxes[:, None, 3])
    assert (across & over).sum() == len(shown)  # each with itself


def test_forces_of_a_sliding_box_are_its_weight_and_its_friction() -> None:
    """Draw normal and friction apart, in two colours that the key names, with the scale in newtons."""
    world = sliding_box()
    options = OverlayOptions(impulses=True, size=0.5, impulse_scale=0.01)
    geometry = overlay_geometry(describe_world(world), frame_of(world, True), options)
    (legend,) = geometry.legends
    sums = []
    for entry in legend.entries:
        mine = geometry.arrows[(geometry.arrows[:, 12:15] == entry.colour).all(axis=1)]
        length = mine[:, 10:12].sum(axis=1, keepdims=True)
        sums.append((rotate(mine[:, 4:8], np.array([0.0, 0.0, 1.0])) * length).sum(axis=0) / 0.01 / 0.01)
    weight = 9.81 * world.bodies[1].mass
    friction = frame_of(world, True).contacts.friction[0] * weight
    assert sums[0] == pytest.approx([0.0, 0.0, weight], rel=1e-3, abs=1e-3 * weight)
    assert sums[1] == pytest.approx([-friction, 0.0, 0.0], rel=1e-2, abs=1e-2 * weight)
    assert [entry.text for entry in legend.entries] == ["normal", "friction"]
    assert "0.5 m long is 5 kN" in legend.title  # 50 N s over 10 ms


@pytest.mark.parametrize("ground", [(0.0, 0.0, 0.0), (0.25, 0.25, 0.25), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)])
@pytest.mark.parametrize("ink", [(0.07, 0.09, 0.14), (0.45, 0.10, 0.50), (0.9, 0.9, 0.3)])
def test_marks_are_seen_on_any_ground(ground: tuple, ink: tuple) -> None:
    """Draw marks with halos: something of each differs clearly from what is behind it."""
    viewer.picture(st.World(), (16, 16))  # there is a context
    world = st.World()
    world.add_body(st.Sphere(0.001), position=(50.0, 0.0, 0.0), name="far away")
    renderer = Renderer(describe_world(world), "low")
    try:
        table = lines(np.array([[-1.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]]), (*ink, 1.0))
        camera = Camera(target=(0.0, 0.0, 0.0), distance=6.0)
        style = Style(background=ground)
        shown = renderer.picture(frame_of(world), camera, (160, 120), style, outlined(table)).astype(float)
        plain = renderer.picture(frame_of(world), camera, (160, 120), style).astype(float)
        assert np.abs(shown - plain).max(axis=2).max() > 90.0
    finally:
        renderer.delete()


def test_the_window_thins_names_out_and_draws_the_key() -> None:
    """Draw fewer letters where names lie upon each other, and a key where there is something to tell."""
    bench = Workbench(Simulation(sliding_box()))
    set_up_imgui()
    try:
        io = imgui.get_io()
        io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        io.display_size, io.delta_time = imgui.ImVec2(640.0, 480.0), 0.01
        bench.size, bench.free = (640, 480), (100.0, 50.0, 600.0, 400.0)
        target = bench.camera.target

        def corners(names: list, legends: list) -> int:
            imgui.new_frame()
            draw_labels(bench, names, [])
            draw_key(bench, legends)
            count = imgui.get_background_draw_list().vtx_buffer.size()
            imgui.render()
            return int(count)

        one = corners([("name", target)], [])
        assert one > 0 and corners([("name", target)] * 20, []) == one
        assert corners([], []) == 0 and corners([], [Legend("Speed", (Entry((1, 0, 0), "fast"),))]) > 40
    finally:
        take_down_imgui()
        bench.close()
