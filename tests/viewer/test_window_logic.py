"""Where the camera looks beside panels, how text grows, and when a picture is drawn at all."""

import dataclasses

import numpy as np
import pytest
from imgui_bundle import imgui

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.engine import Settings
from stoss.scenes.registry import SCENES
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.widgets.theme import FONT_SIZE, scaled, set_scale, set_up_imgui, take_down_imgui
from stoss.viewer.window import redraw as redraw_module
from stoss.viewer.window.gui import Gui
from stoss.viewer.window.hand import Hand, Picked
from stoss.viewer.window.panels import fields
from stoss.viewer.window.panels.body import material_texts
from stoss.viewer.window.panels.statistics import told_of
from stoss.viewer.window.panels.world import setting_texts
from stoss.viewer.window.redraw import Redraw
from stoss.viewer.workbench import workbench as workbench_module
from stoss.viewer.workbench.actions import find_action
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import falling_box

SIZE = (1280, 720)
FREE = (330.0, 21.0, 950.0, 676.0)


@pytest.fixture
def bench():
    made = Workbench(Simulation(SCENES["crane"].build(), paused=True))
    made.simulation.turn()
    made.refresh()
    return made


def seen(camera: Camera, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest pixel (2,) of points."""
    pixels = camera.project(points, SIZE)[:, :2]
    return pixels.min(axis=0), pixels.max(axis=0)


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("free", [FREE, (0.0, 21.0, 1280.0, 676.0), (900.0, 30.0, 1270.0, 700.0), None])
def test_all_points_are_within_what_is_free_and_touch_two_of_its_edges(free, orthographic):
    points = np.random.default_rng(1).uniform(-3.0, 5.0, (40, 3)) * (1.0, 2.0, 3.0)
    camera = Camera(orthographic=orthographic, azimuth=0.7, elevation=0.3)
    camera.fit(points, SIZE, margin=1.0, free=free)
    low, high = seen(camera, points)
    left, top, right, bottom = free or (0.0, 0.0, *SIZE)
    gaps = np.array([low - (left, top), (right, bottom) - high])
    assert gaps.min() > -1e-6
    across, upright = gaps.T
    assert np.allclose(across, 0.0, atol=1e-6) or np.allclose(upright, 0.0, atol=1e-6)
    assert abs(across[0] - across[1]) < 1.0 or orthographic is False


def test_the_camera_turns_about_the_middle_of_what_is_free(bench):
    bench.free = FREE
    bench.sight.fit()
    pivot = bench.sight.pivot
    middle = 0.5 * (FREE[0] + FREE[2]), 0.5 * (FREE[1] + FREE[3])
    assert bench.camera.project(pivot, SIZE)[:2] == pytest.approx(middle)
    bench.sight.turn(0.8, -0.2)
    assert bench.camera.project(pivot, SIZE)[:2] == pytest.approx(middle)


def test_views_along_an_axis_have_no_perspective_and_end_with_the_first_turn(bench):
    for key in "123456":
        find_action(key).run(bench)
        assert bench.camera.orthographic
    bench.sight.turn(0.1, 0.0)
    assert not bench.camera.orthographic
    bench.sight.toggle_perspective()
    find_action("1").run(bench)
    bench.sight.turn(0.1, 0.0)
    assert bench.camera.orthographic  # as the user had chosen


@pytest.mark.parametrize("locked", ["mode", "alt"])
def test_the_left_button_is_the_camera_alone_in_a_mode_or_with_alt(bench, locked):
    row = bench.row("load")
    hand = Hand(bench, lambda x, y: Picked(row, bench.view.frame.positions[row]))
    if locked == "mode":
        find_action("M").run(bench)
    before = bench.camera.azimuth
    hand.press(600.0, 300.0, "left", alt=locked == "alt")
    hand.move(700.0, 300.0)
    hand.release()
    bench.simulation.turn()
    assert bench.camera.azimuth != before
    assert bench.simulation.log == []


def gui_of(bench: Workbench) -> Gui:
    imgui.get_io().backend_flags |= imgui.BackendFlags_.renderer_has_textures
    imgui.get_io().display_size = imgui.ImVec2(*map(float, SIZE))
    return Gui(bench, Hand(bench, lambda x, y: None))


def frames(gui: Gui, count: int = 3) -> None:
    for _ in range(count):
        imgui.get_io().delta_time = 1.0 / 60.0
        imgui.new_frame()
        gui.draw([])
        imgui.render()


@pytest.fixture
def gui(bench):
    set_up_imgui()
    yield gui_of(bench)
    take_down_imgui()


def test_what_panels_leave_free_is_known(bench, gui):
    frames(gui)
    assert bench.free == pytest.approx((0.0, 21.0, 1280.0, 676.0), abs=3.0)
    bench.panels = {"Scenes": True, "World": True}
    frames(gui, 4)
    left, top, right, bottom = bench.free
    assert 300.0 < left < 360.0 and 920.0 < right < 980.0
    assert (top, bottom) == pytest.approx((21.0, 676.0), abs=3.0)


def test_text_widgets_and_panels_grow_with_the_display_and_by_a_setting(bench, gui):
    bench.panels = {"Scenes": True}
    frames(gui)
    left = bench.free[0]
    bench.text.of_display = 2.0
    find_action("CTRL+EQUAL").run(bench)
    assert bench.text.scale == pytest.approx(2.3)
    set_scale(bench.text.scale)
    frames(gui, 4)
    imgui.new_frame()
    assert imgui.get_font_size() == pytest.approx(2.3 * FONT_SIZE, abs=0.5)
    imgui.render()
    assert imgui.get_style().frame_padding.x == pytest.approx(2.3 * 4.0, abs=1.0)
    assert scaled(10.0) == pytest.approx(23.0)
    assert bench.free[0] > 1.4 * left  # 0.4 of the width at most
    for scale in (1.3, 0.7, 1.0):
        set_scale(scale)
    assert imgui.get_style().frame_padding.x == 4.0  # nothing is rounded away


def test_white_text_and_empty_fields_can_be_told_from_their_ground(gui):
    """Compute contrasts as WCAG does: 4.5 for text; fields have edges and are brighter than the panel."""
    style = imgui.get_style()

    def luminance(place: int) -> float:
        colour = style.color_(place)
        linear = [
            c / 12.92 if c <= 0.04 else ((c + 0.055) / 1.055) ** 2.4 for c in (colour.x, colour.y, colour.z)
        ]
        return float(np.dot((0.2126, 0.7152, 0.0722), linear))

    def contrast(a: int, b: int) -> float:
        bright, dark = sorted((luminance(a), luminance(b)), reverse=True)
        return (bright + 0.05) / (dark + 0.05)

    places = imgui.Col_
    for ground in (places.window_bg, places.frame_bg, places.frame_bg_active, places.plot_histogram):
        assert contrast(places.text, ground) > 4.5
    assert contrast(places.text_disabled, places.window_bg) > 4.5
    assert contrast(places.frame_bg, places.window_bg) > 1.1
    assert contrast(places.border, places.window_bg) > 2.0
    assert style.frame_border_size >= 1.0


def test_every_setting_has_a_text_and_lengths_and_speeds_a_unit():
    texts = setting_texts()
    assert set(texts) == {field.name for field in dataclasses.fields(Settings)}
    assert all(len(told) > 20 for _, told in texts.values())
    assert all(len(told) > 20 for _, told in material_texts().values())
    assert material_texts()["rolling_friction"][0] == "rolling friction [m]"
    assert len(told_of("residual")) > 20
    assert texts["largest_turn"][0] == "largest turn [rad]"
    assert texts["time_limit"][0] == "time limit [s]"
    assert texts["position_tolerance"][0] == "position tolerance [m]"


def test_menus_stay_open_while_things_are_switched_and_lists_close_with_escape(bench, gui):
    io = imgui.get_io()

    def click(x: float, y: float) -> None:
        io.add_mouse_pos_event(x, y)
        frames(gui, 2)
        for down in (True, False):
            io.add_mouse_button_event(0, down)
            frames(gui, 2)

    frames(gui)
    click(251.0, 10.0)  # Overlays
    assert gui.has_popup
    before = bench.overlays.contacts, bench.overlays.joints
    for y in (32.0, 52.0):
        click(270.0, y)
        assert gui.has_popup
    assert (bench.overlays.contacts, bench.overlays.joints) != before
    io.add_key_event(imgui.Key.escape, True)
    frames(gui, 2)
    assert not gui.has_popup


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(redraw_module, "time", made)
    monkeypatch.setattr(workbench_module, "time", made)
    return made


def test_a_picture_is_drawn_when_something_has_changed_and_only_then(clock):
    bench = Workbench(Simulation(falling_box(), paused=True))
    bench.simulation.turn()
    bench.refresh()
    redraw = Redraw(bench)

    def drawn(seconds: float = 0.02) -> bool:
        clock.now += seconds
        due = redraw.is_due()
        if due:
            redraw.note()
        return due

    assert drawn()
    clock.now += 1.0
    drawn()
    assert not any(drawn() for _ in range(40))
    assert drawn(5.0)  # once in a while all the same
    redraw.touch()
    assert drawn()
    clock.now += 1.0
    drawn()
    assert not drawn()
    bench.simulation.step()
    bench.simulation.turn()
    assert drawn() and not drawn()
    bench.camera.zoom(1.1)
    assert drawn() and not drawn()
    bench.tell("hello")
    assert drawn() and sum(drawn() for _ in range(100)) < 10
    assert sum(drawn(0.1) for _ in range(100)) > 0  # it fades
    assert bench.recent_notices == [] and list(bench.notices) == ["hello"]
    bench.filming = True
    assert drawn() and drawn()


def test_the_frame_rate_is_that_of_pictures_that_follow_each_other(clock):
    bench = Workbench(Simulation(falling_box(), paused=True))
    redraw = Redraw(bench)
    for _ in range(50):
        clock.now += 0.04
        redraw.is_due()
        redraw.note()
    assert redraw.rate == pytest.approx(25.0)
    clock.now += 3.0
    assert redraw.rate == 0.0


def test_numbers_without_a_bound_can_be_given_one_and_lose_it(gui, monkeypatch):
    answers = {"no bound": (True, False)}
    monkeypatch.setattr(imgui, "checkbox", lambda label, on: answers.get(label, (False, on)))
    imgui.new_frame()
    assert fields.bounded("lower", -np.inf, -np.inf, 0.25, -np.inf) == 0.25
    answers["no bound"] = True, True
    assert fields.bounded("lower", 0.5, -np.inf, 0.25, -np.inf) == -np.inf
    assert fields.bounded("force", 3.0, 0.0, 1.0) == np.inf
    imgui.render()


def test_the_size_of_text_is_kept_for_windows_to_come(tmp_path, monkeypatch):
    monkeypatch.setenv("STOSS_CONFIG_DIR", str(tmp_path / "new"))
    first = Workbench(Simulation(falling_box(), paused=True))
    first.text.read()
    assert first.text.chosen == 1.0
    first.text.change(2)
    later = Workbench(Simulation(falling_box(), paused=True))
    later.text.read()
    assert later.text.chosen == first.text.chosen == 1.3


@pytest.mark.parametrize(
    "damaged",
    ["", "{}", '{"format": 1}', '{"format": 1, "text_size": 90}', '{"format": 9, "text_size": 1.0}'],
)
def test_settings_that_cannot_be_read_are_told_and_left_as_they_are(damaged, tmp_path, monkeypatch):
    monkeypatch.setenv("STOSS_CONFIG_DIR", str(tmp_path))
    path = tmp_path / "window.json"
    path.write_text(damaged)
    bench = Workbench(Simulation(falling_box(), paused=True))
    bench.text.read()
    assert bench.text.chosen == 1.0 and "window.json" in bench.notices[-1]
    bench.text.change(1)
    assert path.read_text() == damaged


def test_a_folder_that_cannot_be_made_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STOSS_CONFIG_DIR", str(tmp_path / "file" / "below"))
    bench = Workbench(Simulation(falling_box(), paused=True))
    bench.text.read()
    bench.text.change(1)
    assert bench.text.chosen == 1.15 and "ends with this window" in bench.notices[-1]


def test_arrow_keys_steer_a_walker(bench):
    """Give keys to a controller that has a use for them, in the thread of the world, and no others."""
    assert not bench.press_key("UP")  # nobody has a use for it: the window does what it does with it
    walking = Workbench(Simulation(SCENES["walk"].build(), paused=True))
    for _ in range(2):
        walking.simulation.turn()
        walking.refresh()
    walker = walking.simulation.stage.world.controllers["walk"]
    assert walking.press_key("LEFT") and walking.press_key("UP") and not walking.press_key("Q")
    assert walker.walk.heading == 0.0  # not before the world gets to it
    walking.simulation.turn()
    assert np.degrees(walker.walk.heading) == pytest.approx(10.0)
    assert walker.walk.pace == pytest.approx(1.16)
    for key, paces in (("DOWN", 20), ("UP", 20)):
        for _ in range(paces):
            walker.press(key)
        assert walker.walk.pace == pytest.approx({"DOWN": 0.73, "UP": 1.33}[key])


def test_a_scene_that_is_followed_begins_with_all_of_it_in_the_picture():
    """See the whole man at first, whose pelvis is what the camera goes along with."""
    scene = SCENES["walk"]
    walking = Workbench(Simulation(scene.build(), paused=True), Source(scene, {}, {}, 0.001))
    walking.size = SIZE
    walking.simulation.turn()
    walking.refresh()
    assert walking.sight.following and walking.selected_body == "pelvis"
    frame = walking.view.frame
    moving = [row for row, kind in enumerate(walking.view.description.kinds) if kind == "dynamic"]
    places = walking.camera.project(frame.positions[moving], SIZE)
    assert (places[:, 0] > 0).all() and (places[:, 0] < SIZE[0]).all()
    assert (places[:, 1] > 0).all() and (places[:, 1] < SIZE[1]).all()
    assert np.ptp(places[:, 1]) > 0.4 * SIZE[1]


def test_a_scene_opens_its_plots_and_the_next_one_its_own():
    """Plot what a scene asks for, with the panel open; the energies in one that asks for nothing."""
    scene = SCENES["gait_trainer_leg"]
    made = Workbench(Simulation(scene.build(), paused=True), Source(scene, {}, {}, 1e-3))
    made.simulation.turn()
    made.begin()
    assert made.panels["Plots"] and made.plots.channels[0].label == scene.plots[0]
    assert len(made.plots.plots) < len(scene.plots)
    made.simulation.watch(*made.plots.channels)
    made.simulation.turn()
    made.source = Source(SCENES["crane"], {}, {}, 1e-2)
    made.begin()
    assert [channel.name for channel in made.plots.channels] == [
        "energy.total",
        "energy.kinetic",
        "energy.potential",
    ]
