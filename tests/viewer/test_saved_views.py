"""Views of the camera outlast the window, for the scene that they are of; damaged files are told and left."""

import json
from pathlib import Path

import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss.scenes.registry import SCENES
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.workbench.saved_views import SavedViews, settings_folder
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.session import Source
from stoss.viewer.world.simulation import Simulation


def bench_of(scene: str, folder: Path) -> Workbench:
    """Return a workbench on a scene, as a new window has it."""
    found = SCENES[scene]
    world = found.build()
    bench = Workbench(Simulation(world, paused=True), Source(found, {}, {}, world.time_step))
    bench.sight.lasting_views = SavedViews("a title", folder)
    bench.simulation.turn()
    bench.refresh()
    return bench


def test_views_outlast_the_window_and_belong_to_their_scene(tmp_path):
    folder = tmp_path / "not" / "there yet"
    bench = bench_of("stack", folder)
    bench.camera.azimuth = 0.25
    bench.sight.save_next_view()
    bench.sight.save_next_view()
    bench.sight.save_view("mine")
    other = bench_of("four_bar", folder)
    assert other.sight.views == {}
    other.sight.save_next_view()
    again = bench_of("stack", folder)
    assert list(again.sight.views) == ["view 1", "view 2", "mine"]
    again.sight.load_view("view 1")
    assert again.camera.azimuth == 0.25
    again.sight.forget_view("view 1")
    again.sight.save_next_view()
    assert list(bench_of("stack", folder).sight.views) == ["view 2", "mine", "view 1"]
    assert list(bench_of("four_bar", folder).sight.views) == ["view 1"]
    assert [path.name for path in folder.iterdir()] == ["views.json"]


def _record(**changes: object) -> str:
    view = Camera().view() | changes
    return json.dumps({"format": 1, "views": {"stack": {"view 1": view}}})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2, "views": {}}',
        '{"format": 1, "views": {"stack": []}}',
        '{"format": 1, "views": {"stack": {"view 1": {}}}}',
        _record(distance="far"),
        _record(target=[0.0, 1.0]),
        _record(distance=float("nan")),
        _record(zoom=3.0),
        "x" * 2_000_000,
    ],
)
def test_a_damaged_file_is_told_in_one_line_and_left_as_it_is(tmp_path, text):
    path = tmp_path / "views.json"
    path.write_text(text)
    bench = bench_of("stack", tmp_path)
    told = bench.notices[-1]
    assert str(path) in told and "mend or remove" in told and "\n" not in told
    bench.sight.save_next_view()
    assert bench.sight.views and path.read_text() == text


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    bench = bench_of("stack", tmp_path / "file" / "stoss")
    bench.sight.save_next_view()
    assert any("views end with this window" in notice for notice in bench.notices)
    assert list(bench.sight.views) == ["view 1"]


def test_the_folder_is_that_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("STOSS_CONFIG_DIR", str(tmp_path))
    assert settings_folder() == tmp_path
    monkeypatch.delenv("STOSS_CONFIG_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_folder() == tmp_path / "stoss"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings_folder() == tmp_path / ".config" / "stoss"
