"""The mouse: what presses, moves and the wheel do, with a picker that looks straight into the world."""

from pathlib import Path

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace
from stoss.engine import World
from stoss.viewer.window.hand import Hand, Picked
from stoss.viewer.workbench.actions import ACTIONS, MOUSE, find_action, key_table
from stoss.viewer.workbench.workbench import SPEEDS, Workbench
from stoss.viewer.world.simulation import Simulation


class Table:
    """A box on the ground, seen from the side, and a hand."""

    def __init__(self) -> None:
        self.world = World()
        self.world.add_body(HalfSpace(), kind="static", name="ground")
        self.world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 0.5), mass=3.0, name="box")
        self.bench = Workbench(Simulation(self.world, paused=True))
        self.turn()
        self.bench.camera.axis_view(1)
        self.bench.camera.orbit(0.0, 0.2)
        self.bench.sight.fit()
        self.hand = Hand(self.bench, self.pick)
        x, y, _ = self.bench.camera.project(np.array([0.0, -0.5, 0.5]), self.bench.size)
        self.on_box = float(x), float(y)

    def pick(self, x: float, y: float) -> Picked | None:
        found = self.world.ray_cast(*self.bench.camera.ray(x, y, self.bench.size))
        return None if found is None else Picked(found[0].index, np.array(found[1].point))

    def turn(self, count: int = 1) -> None:
        for _ in range(count):
            self.bench.simulation.turn()
        self.bench.refresh()


@pytest.fixture
def table() -> Table:
    return Table()


def test_a_click_selects_and_leaves_the_world_alone(table):
    table.hand.press(*table.on_box, "left")
    assert table.hand.release()
    table.turn()
    assert table.bench.selected_body == "box"
    assert table.bench.style.selected == (1,)
    assert len(table.world.bodies) == 2
    table.hand.press(5.0, 5.0, "left")
    assert table.hand.release()
    assert table.bench.selected_body == ""


def test_a_drag_pulls_the_body_along_in_the_plane_where_it_was_taken(table):
    x, y = table.on_box
    table.hand.press(x, y, "left")
    assert table.hand.pulling
    for k in range(60):
        table.hand.move(x + 6.0 * k, y - 2.0 * k)
        table.bench.simulation.step()
        table.turn()
    table.bench.simulation.step(60)
    table.turn(60)
    box = table.world.body("box")
    held, pointer = (np.array(place) for place in table.bench.view.pull)
    assert np.linalg.norm(held - pointer) < 0.05
    # the pointer is under the mouse
    assert table.bench.camera.project(pointer, table.bench.size)[:2] == pytest.approx(
        (x + 354.0, y - 118.0), abs=0.1
    )
    assert box.position[0] > 0.25 and box.position[2] > 0.55
    table.hand.release()
    table.turn()
    assert table.bench.view.pull is None
    assert table.bench.selected_body == ""  # it was no click


def test_the_wheel_moves_a_pulled_body_away(table):
    table.hand.press(*table.on_box, "left")
    table.hand.scroll(*table.on_box, 3.0)
    table.bench.simulation.step(100)
    table.turn(100)
    assert table.world.body("box").position[1] > 0.5


def test_control_draws_an_impulse(table):
    x, y = table.on_box
    table.hand.press(x, y, "left", control=True)
    table.hand.move(x + 100.0, y)
    point, way, impulse = table.hand.push
    assert impulse == pytest.approx(3.0 * 4.0 * way)
    assert way[0] > 0.1 and abs(way[2]) < 1e-9
    table.hand.release()
    table.turn()
    assert table.world.body("box").velocity == pytest.approx(4.0 * way)


def test_elsewhere_and_with_the_right_button_the_camera_turns(table):
    azimuth = table.bench.camera.azimuth
    table.hand.press(5.0, 5.0, "left")
    table.hand.move(55.0, 5.0)
    table.hand.release()
    assert table.bench.camera.azimuth < azimuth
    azimuth = table.bench.camera.azimuth
    table.hand.press(*table.on_box, "right")
    table.hand.move(table.on_box[0] - 50.0, table.on_box[1])
    assert table.bench.camera.azimuth > azimuth
    table.hand.release()


def test_the_middle_button_moves_the_camera_with_what_is_there(table):
    target = table.bench.camera.target.copy()
    table.hand.press(*table.on_box, "middle")
    table.hand.move(table.on_box[0] + 50.0, table.on_box[1])
    moved = table.bench.camera.target - target
    assert moved[0] < 0.0
    assert np.linalg.norm(moved) == pytest.approx(
        50.0 * table.bench.camera.metres_per_pixel(table.bench.size)
    )


def test_the_wheel_zooms_to_what_is_under_the_pointer(table):
    point = table.pick(*table.on_box).point
    distance = table.bench.camera.distance
    table.hand.scroll(*table.on_box, 4.0)
    assert table.bench.camera.distance < 0.6 * distance
    assert table.bench.camera.project(point, table.bench.size)[:2] == pytest.approx(table.on_box, abs=1e-6)


def test_static_bodies_are_selected_but_not_pulled(table):
    x, y, _ = table.bench.camera.project(np.array([0.0, -1.5, 0.0]), table.bench.size)
    table.hand.press(float(x), float(y), "left")
    assert not table.hand.pulling
    table.hand.release()
    assert table.bench.selected_body == "ground"


# ------------------------------------------------------------------ actions


def act(table: Table, key: str) -> None:
    action = find_action(key)
    assert action is not None, key
    action.run(table.bench)
    table.turn()


def test_keys_run_the_simulation(table):
    act(table, "RIGHT")
    assert table.bench.view.frame.step == 1
    act(table, "LEFT")
    assert table.bench.view.frame.step == 0
    act(table, "SPACE")
    assert not table.bench.simulation.paused
    act(table, "SPACE")
    act(table, "UP")
    assert table.bench.simulation.speed == 2.0
    for _ in range(20):
        act(table, "DOWN")
    assert table.bench.simulation.speed == SPEEDS[0]
    act(table, "HOME")
    assert table.bench.simulation.speed == 1.0
    act(table, "BACKSPACE")
    assert table.bench.view.frame.step == 0


def test_keys_act_on_the_selected_body(table):
    table.bench.select("box")
    act(table, "X")
    assert [joint.name for joint in table.world.joints] == ["freeze box"]
    act(table, "X")
    assert table.world.joints == []
    act(table, "CTRL+D")
    assert table.world.body("box copy 1").position == pytest.approx((0.0, 0.0, 1.52), abs=1e-9)
    act(table, "L")
    before = table.bench.camera.target.copy()
    table.world.body("box").position = (1.0, 0.0, 0.5)
    table.bench.simulation.step()
    table.turn(2)
    assert table.bench.camera.target - before == pytest.approx((1.0, 0.0, 0.0), abs=0.05)
    act(table, "H")
    assert table.bench.style.hidden == (1,)
    act(table, "SHIFT+H")
    assert table.bench.style.hidden == ()
    table.bench.select("box")
    act(table, "CTRL+H")
    assert table.bench.style.see_through == (1,)
    act(table, "CTRL+H")
    assert table.bench.style.see_through == ()
    act(table, "DELETE")
    assert [body.name for body in table.world.bodies] == ["ground", "box copy 1"]
    assert table.bench.selected_body == ""
    act(table, "DELETE")
    assert "select a body first" in table.bench.notices[-1]


def test_a_ball_is_thrown_at_what_is_looked_at(table):
    act(table, "B")
    ball = table.world.body("ball 1")
    way = table.bench.camera.target - ball.position
    assert ball.velocity @ way == pytest.approx(np.linalg.norm(ball.velocity) * np.linalg.norm(way))
    table.bench.simulation.step(60)
    table.turn(60)
    assert (
        np.linalg.norm(table.world.body("box").velocity) > 0.05 or table.world.body("box").position[1] > 0.01
    )


def test_all_keys_differ_and_every_action_is_in_a_menu():
    keys = [action.key for action in ACTIONS if action.key]
    assert len(keys) == len(set(keys))
    assert all(action.menu and action.label for action in ACTIONS)
    assert len(key_table()) == len(keys)
    assert find_action("CTRL+ALT+F13") is None


def test_a_scene_is_built_beside_the_window_and_a_bad_one_is_told(table, tmp_path, monkeypatch):
    import time

    import stoss.scenes  # noqa: F401  (registers them)
    from stoss.scenes.registry import SCENES
    from stoss.viewer.world.session import load_session

    def wait() -> None:
        end = time.perf_counter() + 60.0
        while table.bench.successor.name:
            assert time.perf_counter() < end
            time.sleep(0.01)
            table.bench.refresh()

    monkeypatch.chdir(tmp_path)
    table.bench.open_scene(SCENES["stack"], {"bodies": -3}, 0.01)
    wait()
    assert "bodies" in table.bench.notices[-1]
    assert "box" in table.bench.view.description.names
    table.bench.open_scene(SCENES["stack"], {"bodies": 4}, 0.005, sweeps=20)
    wait()
    assert len(table.bench.view.description.names) == 5
    assert table.bench.camera.azimuth == pytest.approx(np.radians(SCENES["stack"].view[0]))
    table.bench.simulation.step(3)
    end = time.perf_counter() + 60.0
    while table.bench.view.frame.step < 3:
        assert time.perf_counter() < end
        time.sleep(0.01)
    table.bench.save_session(tmp_path / "stack.json").result(10.0)
    table.bench.simulation.close()
    session = load_session(tmp_path / "stack.json")
    assert session.parameters == {"bodies": 4} and session.settings == {"sweeps": 20}
    assert session.replay().state_hash() == session.state_hash


def test_the_page_has_the_same_keys_and_mouse_as_the_window():
    text = (Path(__file__).parents[2] / "docs" / "window.md").read_text(encoding="utf-8")
    section = text.split("<!-- KEYS -->")[1].split("<!-- END OF KEYS -->")[0]
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in section.splitlines() if line
    ]
    wanted = [*MOUSE, *((key.title(), what) for key, what in key_table())]
    assert [row for row in rows if row[0] not in ("key", "mouse", "---")] == wanted
