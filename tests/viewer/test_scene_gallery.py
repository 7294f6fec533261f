"""The list of scenes: each has a picture, a search finds it, a click opens it, and the title follows."""

import numpy as np
import pytest
from imgui_bundle import imgui

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.scenes.registry import SCENES
from stoss.viewer.widgets.scene_sheet import load_sheet
from stoss.viewer.widgets.theme import set_up_imgui, take_down_imgui
from stoss.viewer.window.gui import Gui
from stoss.viewer.window.hand import Hand
from stoss.viewer.window.panels.scenes import matching
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation
from tests.viewer.falling_box import wait_for


def test_every_scene_has_a_picture_and_the_pictures_differ():
    sheet = load_sheet()
    assert set(SCENES) <= set(sheet.places)
    height, width, _ = sheet.pixels.shape
    seen = []
    for left, top, right, bottom in (sheet.places[name] for name in SCENES):
        part = sheet.pixels[
            round(top * height) : round(bottom * height), round(left * width) : round(right * width)
        ]
        assert part.shape == (sheet.size[1], sheet.size[0], 4)
        assert part[..., :3].std() > 5.0  # something is to be seen
        seen.append(part.tobytes())
    assert len(set(seen)) == len(SCENES)


@pytest.mark.parametrize(
    ("words", "found"),
    [("", len(SCENES)), ("crane", 1), ("CRANE load", 1), ("wall hit pendulum", 1), ("no such scene", 0)],
)
def test_a_search_finds_names_summaries_and_parameters(words, found):
    assert len(matching(words, SCENES.values())) == found


def test_scenes_that_are_called_so_come_before_those_that_tell_of_it():
    scenes = matching("chain", SCENES.values())
    named = ["chain" in scene.name for scene in scenes]
    assert named == sorted(named, reverse=True) and any(named) and not all(named)


@pytest.fixture
def bench():
    scene = SCENES["stack"]
    made = Workbench(Simulation(scene.build(), paused=True), Source(scene, {}, {}, 0.01))
    made.simulation.turn()
    set_up_imgui()
    yield made
    take_down_imgui()
    made.close()


def test_one_click_opens_a_scene_and_the_title_follows(bench, monkeypatch):
    uploaded = []
    bench.upload = lambda pixels: uploaded.append(pixels.shape) or 1
    bench.panels = {"Scenes": True}
    io = imgui.get_io()
    io.backend_flags |= imgui.BackendFlags_.renderer_has_textures
    io.display_size = imgui.ImVec2(*map(float, bench.size))
    gui = Gui(bench, Hand(bench, lambda x, y: None))

    def frames(count: int) -> None:
        for _ in range(count):
            bench.refresh()
            io.delta_time = 1.0 / 60.0
            imgui.new_frame()
            gui.draw([])
            imgui.render()

    frames(5)
    io.add_mouse_pos_event(80.0, 120.0)  # the first picture
    frames(2)
    for down in (True, False):
        io.add_mouse_button_event(0, down)
        frames(2)
    first = next(iter(SCENES))
    assert bench.successor.name == first
    assert len(uploaded) == 1
    wait_for(lambda: frames(1) or bench.source.scene.name == first)
    assert bench.title == f"stoss: {first}"


def test_another_scene_may_be_asked_for_while_one_is_built(bench):
    """Give up the one that is being built."""
    bench.open_scene(SCENES["crane"], {}, 0.01)
    bench.open_scene(SCENES["cradle"], {}, 0.001)
    assert bench.successor.name == "cradle"
    wait_for(lambda: bench.refresh() or bench.source.scene.name == "cradle")
    assert "link 0" not in bench.view.description.names


@pytest.mark.parametrize("name", ["stack", "pyramid", "pile", "dominoes", "jenga"])
def test_a_copy_is_put_where_nothing_else_is(name):
    """Duplicate some bodies of a scene, one after the other: no overlap is deeper than before."""
    world = SCENES[name].build()
    bench = Workbench(Simulation(world, paused=True))
    bench.simulation.step()
    bench.simulation.turn()
    bench.refresh()
    before = world.report.max_overlap
    bodies = [body.name for body in world.bodies if body.kind == "dynamic"]
    count = len(world.bodies)
    for chosen in (bodies[0], bodies[len(bodies) // 2], bodies[-1]):
        bench.select(chosen)
        bench.duplicate()
        bench.simulation.step()
        for _ in range(3):
            bench.simulation.turn()
        bench.refresh()
    assert len(world.bodies) == count + 3
    assert world.report.max_overlap <= before + 1e-3
    places = world.positions[-3:]
    assert np.isfinite(places).all()
