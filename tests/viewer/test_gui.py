"""Menus, bar, panels and handles without a window: they are drawn, and clicks on them reach the world."""

import dataclasses

import numpy as np
import pytest
from imgui_bundle import imgui, implot

import stoss as st
import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.scenes.registry import SCENES
from stoss.scenes.running.trajectory import Recorder, load_trajectory
from stoss.viewer.widgets.theme import set_up_imgui, take_down_imgui
from stoss.viewer.window.gui import Gui
from stoss.viewer.window.hand import Hand
from stoss.viewer.window.panels import fields
from stoss.viewer.window.panels.control import reach
from stoss.viewer.window.panels.joint import new_part
from stoss.viewer.window.panels.plots import fitting
from stoss.viewer.window.time_bar import speed_text, strip_text
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.channels import Channel, channel_of
from stoss.viewer.world.commands import HoldJoint, Release, SetDrive
from stoss.viewer.world.film_strip import Mark
from stoss.viewer.world.outline import joint_outlines
from stoss.viewer.world.player import Player
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation


class Screen:
    """ImGui without a renderer: what is drawn is thrown away."""

    def __init__(self, bench: Workbench) -> None:
        set_up_imgui()
        self.io = imgui.get_io()
        self.io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
        self.bench = bench
        self.hand = Hand(bench, lambda x, y: None)
        self.gui = Gui(bench, self.hand)

    def frame(self, count: int = 1) -> None:
        for _ in range(count):
            if isinstance(self.bench.simulation, Simulation):
                self.bench.simulation.turn()
            self.bench.refresh()
            self.io.display_size = imgui.ImVec2(*map(float, self.bench.size))
            self.io.delta_time = 1.0 / 60.0
            imgui.new_frame()
            self.gui.draw([("a name", np.zeros(3))])
            imgui.render()

    def click(self, x: float, y: float) -> None:
        self.io.add_mouse_pos_event(x, y)
        self.frame(2)
        for down in (True, False):
            self.io.add_mouse_button_event(0, down)
            self.frame(2)

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.io.add_mouse_pos_event(*start)
        self.frame(2)
        self.io.add_mouse_button_event(0, True)
        for part in np.linspace(0.0, 1.0, 8):
            self.io.add_mouse_pos_event(*(np.array(start) + part * (np.array(end) - np.array(start))))
            self.frame(2)
        self.io.add_mouse_button_event(0, False)
        self.frame(2)


@pytest.fixture
def screen():
    scene = SCENES["crane"]
    world = scene.build()
    bench = Workbench(Simulation(world, paused=True), Source(scene, {}, {}, world.time_step))
    bench.simulation.turn()
    yield Screen(bench)
    take_down_imgui()


def test_every_panel_is_drawn_with_and_without_a_selection(screen):
    screen.frame(2)
    for name in screen.gui.panel_names:
        screen.bench.panels = {name: True}
        screen.frame(3)
    screen.bench.panels = dict.fromkeys(screen.gui.panel_names, True)
    screen.bench.select("load")
    screen.bench.selected_joint = "trolley"
    screen.bench.simulation.watch(Channel("energy.total", "J"), Channel("joint.slew.angle", "rad"))
    screen.bench.simulation.step(3)
    screen.bench.tell("hello")
    screen.frame(6)
    assert screen.bench.view.outline.joint.drives[0].values["stiffness"] == 2e5
    assert all(screen.bench.panels.values())


def test_the_bar_steps_and_pauses(screen):
    screen.frame(3)
    y = screen.bench.size[1] - 28.0
    screen.click(88.0, y)  # pause, behind |< and <
    assert not screen.bench.simulation.paused
    screen.click(88.0, y)
    assert screen.bench.simulation.paused
    step = screen.bench.view.frame.step
    screen.click(130.0, y)  # >
    assert screen.bench.view.frame.step == step + 1
    screen.click(47.0, y)  # <
    assert screen.bench.view.frame.step == step


def test_sliders_move_joints_and_drives_and_let_go(screen, monkeypatch):
    """Post what a slider is set to, and end the hold when the mouse lets it go."""
    moved = {"slew [rad]##coordinate": 0.25, "trolley [m]##drive 0": 3.0}
    numbers, released = fields.number, imgui.is_item_deactivated
    screen.bench.panels = {"Control": True}
    screen.frame(4)
    monkeypatch.setattr(fields, "number", lambda label, *a, **k: numbers(label, *a, **k) or moved.get(label))
    screen.frame(2)
    moved.clear()
    monkeypatch.setattr(imgui, "is_item_deactivated", lambda: True)
    screen.frame(1)
    monkeypatch.setattr(imgui, "is_item_deactivated", released)
    screen.frame(2)
    log = [command for _, command in screen.bench.simulation.log]
    assert HoldJoint("slew", "angle", 0.25) in log and SetDrive("trolley", 0, "target", 3.0) in log
    assert Release() in log and screen.bench.simulation.stage.pull is None


@pytest.mark.parametrize("kind", ["motor", "servo", "stop"])
def test_parts_that_the_panel_adds_are_taken_by_the_engine(screen, kind):
    bench = screen.bench
    bench.selected_joint = "slew"
    screen.frame(3)
    bench.post(new_part(bench, bench.view.outline.joint, "angle", kind))
    screen.frame(3)
    joint = screen.bench.simulation.stage.world.joint("slew")
    assert len(joint.drives) + len(joint.limits) == 2
    screen.bench.panels = {"Joint": True}
    screen.frame(3)
    assert not bench.notices


def test_sliders_reach_to_stops_or_as_far_as_what_they_show(screen):
    joints = {joint.name: joint for joint in joint_outlines(screen.bench.simulation.stage, 60)}
    assert reach(joints["slew"], "angle", 0.0) == (-np.pi, np.pi)
    assert reach(joints["slew"], "angle", -4.0) == (-2 * np.pi, 2 * np.pi)
    stopped = dataclasses.replace(joints["slew"], limits=(("angle", -0.5, 0.25),))
    assert reach(stopped, "angle", 0.0) == (-0.5, 0.25)


def test_plots_begin_with_energies_from_the_start_and_are_written_down(screen, monkeypatch, tmp_path):
    """Show what was before the panel was opened, go where the cursor is drawn to, and write a table."""
    monkeypatch.chdir(tmp_path)
    bench = screen.bench
    bench.simulation.step(10)
    screen.frame(12)
    bench.panels = {"Plots": True}
    screen.frame(20)
    energy = Channel("energy.total", "J")
    assert energy in bench.simulation.monitor.channels
    assert len(bench.simulation.monitor.curve(energy)[0]) == 11
    monkeypatch.setattr(implot, "drag_line_x", lambda number, now, *style: (True, 0.04, None, None, None))
    screen.frame(3)
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    screen.frame(1)
    assert bench.view.frame.step == 4
    clicked = imgui.button
    monkeypatch.setattr(imgui, "button", lambda label, *a: clicked(label, *a) or label == "values (.csv)")
    screen.frame(1)
    rows = (tmp_path / "curves.csv").read_text().splitlines()
    assert rows[0] == "time [s],energy.total [J],energy.kinetic [J],energy.potential [J]"
    assert float(rows[1].split(",")[1]) == bench.simulation.monitor.curve(energy)[1][0]
    assert "curves.csv" in bench.notices[-1]


def test_channels_are_listed_found_and_dragged_into_plots(screen, monkeypatch):
    """List what recordings have, find names by words, and drag channels into plots of their units."""
    places: dict[str, tuple[float, float]] = {}
    selectable, opened, begun = imgui.selectable, imgui.collapsing_header, implot.begin_plot

    def noted(label, *more):
        out = selectable(label, *more)
        corner = imgui.get_item_rect_min()
        places[label.partition("##")[0]] = corner.x + 20.0, corner.y + 5.0
        return out

    def begin(*more):
        corner = imgui.get_cursor_screen_pos()
        places["plot"] = corner.x + 150.0, corner.y + 80.0
        return begun(*more)

    monkeypatch.setattr(imgui, "selectable", noted)
    monkeypatch.setattr(imgui, "collapsing_header", lambda *a: opened(*a) or True)
    monkeypatch.setattr(implot, "begin_plot", begin)
    bench, panel = screen.bench, screen.gui._panels["Plots"].__self__
    bench.panels = {"Plots": True}
    screen.frame(6)
    listed = [one.name for one in panel._listed]
    assert listed == [one.name for one in st.observables(bench.simulation.stage.world)]
    (found,) = fitting(panel._listed, "SLEW angle.rate")
    assert found.name == "joint.slew.angle.rate" and fitting(panel._listed, "no such") == []
    for words, label in (
        ("drive_work", "ledger.drive_work [J]"),
        ("slew angle.rate", "joint.slew.angle.rate [rad/s]"),
    ):
        panel._filter = words
        screen.frame(3)
        screen.drag(places[label], places["plot"])
    energies, other = bench.plots.plots
    assert energies.channels[-1] == Channel("ledger.drive_work", "J") and len(energies.channels) == 4
    assert other.channels == [Channel("joint.slew.angle.rate", "rad/s")]
    panel._filter = "ledger.joint_work"
    screen.frame(3)
    screen.click(*places["ledger.joint_work [J]"])
    assert energies.channels[-1] == Channel("ledger.joint_work", "J")
    bench.simulation.step(5)
    screen.frame(12)
    world = bench.simulation.stage.world
    assert bench.simulation.monitor.curve(channel_of(found))[1][-1] == world.joint("slew").rate


def test_a_plot_that_is_zoomed_stays_until_all_is_wanted_again(screen):
    bench = screen.bench
    bench.panels = {"Plots": True}
    screen.frame(6)
    x, y = 200.0, 240.0  # within the plot
    screen.io.add_mouse_pos_event(x, y)
    screen.frame(3)
    screen.io.add_mouse_wheel_event(0.0, 1.0)
    screen.frame(4)
    assert not bench.plots.plots[0].follows
    for _ in range(2):
        screen.click(x, y)
    screen.frame(2)
    assert bench.plots.plots[0].follows


def test_the_strip_looks_at_the_past_and_a_mouse_that_is_held_still_holds_still(screen):
    """Click the middle of the strip and hold: half of the steps, once, and nothing is cut off."""
    simulation = screen.bench.simulation
    simulation.step(40)
    screen.frame(45)
    y = screen.bench.size[1] - 28.0
    screen.io.add_mouse_pos_event(450.0, y)
    screen.frame(2)
    screen.io.add_mouse_button_event(0, True)
    screen.frame(3)
    looked_at = screen.bench.view.frame.step
    assert 5 < looked_at < 35
    screen.frame(20)
    assert screen.bench.view.frame.step == looked_at
    assert screen.bench.view.past == (0, 40)
    screen.io.add_mouse_pos_event(700.0, y)
    screen.frame(3)
    screen.io.add_mouse_button_event(0, False)
    screen.frame(3)
    assert looked_at < screen.bench.view.frame.step <= 40
    assert screen.bench.view.past == (0, 40)


def test_handles_pull_the_selected_body_by_a_velocity_joint(screen):
    bench = screen.bench
    bench.select("load")
    bench.toggle_handles("move")
    screen.frame(3)
    start = bench.view.frame.positions[bench.selected_row]
    x, y, _ = bench.camera.project(start, bench.size)
    screen.drag((x, y), (x + 80.0, y - 10.0))
    names = [type(command).__name__ for _, command in bench.simulation.stage.log]
    assert names[0] == "Grab" and names[-1] == "Release" and "MovePointer" in names
    goal = np.array([c.point for _, c in bench.simulation.stage.log if type(c).__name__ == "MovePointer"][-1])
    assert bench.camera.project(goal, bench.size)[:2] == pytest.approx((x + 80.0, y - 10.0), abs=4.0)


def test_a_recorded_motion_is_shown_with_the_same_panels(screen, tmp_path):
    world = SCENES["stack"].build(bodies=2)
    recorder = Recorder(world)
    world.step()
    recorder.after_step(world)
    recorder.write(tmp_path / "run.npz")
    screen.bench.simulation = Player(load_trajectory(tmp_path / "run.npz"), paused=True)
    screen.bench.source = None
    screen.bench.panels = dict.fromkeys(screen.gui.panel_names, True)
    screen.frame(3)
    screen.bench.save_session_here()
    assert "needs a scene" in screen.bench.notices[-1]


def test_speeds_have_names():
    assert speed_text(float("inf")) == "fastest"
    assert speed_text(0.25) == "0.25 x"


def test_what_happened_near_a_step_is_told_in_words():
    marks = [Mark(10, "break", 1.0, "hinge breaks")]
    marks += [Mark(10, "impact", 1.0 + k, f"ball {k} hits ground") for k in range(9)]
    lines = strip_text(10, marks).splitlines()
    assert lines[:3] == ["step 10", "10: hinge breaks", "10: ball 0 hits ground with 1 m/s"]
    assert lines[-1] == "and 4 more"
