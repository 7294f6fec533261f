"""A real window on a virtual screen, with a mouse and keys: what a user does must reach the world."""

import json
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from stoss.scenes import SCENES
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.framing import framing_points
from stoss.viewer.drawing.joint_marks import joint_frames
from stoss.viewer.world.commands import command_from_record
from stoss.viewer.world.frames import describe_world, frame_of
from stoss.viewer.world.stage import Stage
from tests.viewer.window_script import table_world

SIZE = (1000, 640)
ROOT = Path(__file__).parents[2]
PICTURES = os.environ.get("STOSS_SCREENSHOTS")  # a folder for pictures of the screen, for people
TOOLS = ("Xvfb", "xdotool", "import")


@pytest.fixture(scope="module")
def screen():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        pytest.fail(f"{', '.join(missing)} missing: apt install xvfb xauth xdotool imagemagick libxrender1")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x700x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as numbers:
        display = f":{numbers.readline().strip()}"
    yield display
    server.terminate()
    server.wait(10)


class User:
    """Someone at the screen."""

    def __init__(self, display: str, program: subprocess.Popen, folder: Path) -> None:
        self.environment = os.environ | {"DISPLAY": display}
        self.program = program
        self.folder = folder

    def tool(self, *words: object) -> str:
        done = subprocess.run(
            [str(word) for word in words], env=self.environment, capture_output=True, text=True, timeout=60
        )
        return done.stdout

    def key(self, *keys: str) -> None:
        for key in keys:
            self.tool("xdotool", "key", "--delay", "60", key)
            time.sleep(0.3)

    def drag(self, start: tuple[float, float], *stops: tuple[float, float]) -> None:
        self.tool("xdotool", "mousemove", *map(round, start))
        time.sleep(0.3)
        self.tool("xdotool", "mousedown", 1)
        time.sleep(0.3)
        here = np.array(start)
        for stop in stops:
            for part in np.linspace(0.0, 1.0, 12)[1:]:
                self.tool("xdotool", "mousemove", *map(round, here + part * (np.array(stop) - here)))
                time.sleep(0.05)
            here = np.array(stop)
        time.sleep(0.3)
        self.tool("xdotool", "mouseup", 1)
        time.sleep(0.3)

    def photograph(self, name: str) -> None:
        if PICTURES:
            Path(PICTURES).mkdir(parents=True, exist_ok=True)
            self.tool("import", "-window", "root", Path(PICTURES) / f"{name}.png")

    def picture(self, name: str) -> np.ndarray:
        self.photograph(name)
        raw = self.folder / f"{name}.ppm"
        self.tool("import", "-window", "root", "-depth", "8", raw)
        data = raw.read_bytes()
        header = data.split(b"\n", 3)
        width, height = map(int, header[1].split())
        return np.frombuffer(header[3], np.uint8).reshape(height, width, 3)[: SIZE[1], : SIZE[0]]

    def wait_for(self, condition, seconds: float = 120.0, pause: float = 0.05) -> None:
        end = time.perf_counter() + seconds
        while not condition():
            assert self.program.poll() is None, self.program.stderr.read()
            assert time.perf_counter() < end, "waited in vain"
            time.sleep(pause)


@pytest.fixture
def open_window(screen, tmp_path):
    """Return a function that starts a program, by its words after `python`, and waits for its window."""
    programs = []

    def start(*words: object, **environment: str) -> User:
        program = subprocess.Popen(
            [sys.executable, *map(str, words)],
            env=os.environ
            | {"DISPLAY": screen, "PYTHONPATH": str(ROOT), "LIBGL_ALWAYS_SOFTWARE": "1"}
            | {"XDG_CONFIG_HOME": str(tmp_path / "config")}
            | environment,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
        programs.append(program)
        someone = User(screen, program, tmp_path)
        someone.wait_for(
            lambda: "stoss" in someone.tool("xdotool", "search", "--name", "stoss", "getwindowname"),
            pause=0.3,
        )
        return someone

    yield start
    for program in programs:
        program.kill()


def seen_at(point: tuple[float, float, float]) -> tuple[float, float]:
    """Return the pixel at which the window shows a point, with the camera as it is at the beginning."""
    world = table_world()
    camera = Camera()
    free = (0.0, 21.0, SIZE[0], SIZE[1] - 44.0)  # below the menu, above the bar
    camera.fit(framing_points(describe_world(world), frame_of(world)), SIZE, free=free)
    x, y, _ = camera.project(np.array(point), SIZE)
    return float(x), float(y)


def test_the_window_is_there_and_can_be_closed_while_kernels_are_compiled(open_window, tmp_path):
    """Open the window before there is a single kernel, tell what it waits for, and end at once."""
    user = open_window(
        *("-m", "stoss", "view", "stack", "--size", f"{SIZE[0]}x{SIZE[1]}"), STOSS_CACHE_DIR=str(tmp_path)
    )
    x, y = SIZE[0] // 2, SIZE[1] // 2

    def told() -> bool:
        picture = user.picture("waiting")
        dark, light = picture[y - 10 : y + 10, x - 100 : x + 100], picture[150:200, x - 100 : x + 100]
        return dark.mean() < 100 and light.min() > 140  # a box before the sky

    user.wait_for(told)
    user.key("ctrl+q")
    assert user.program.wait(60) == 0, user.program.stderr.read()
    assert user.program.stderr.read() == ""


def red(picture: np.ndarray) -> np.ndarray:
    """Return which pixels are red."""
    values = picture.astype(int)
    return (values[..., 0] > 200) & (values[..., 1:].max(axis=-1) < 110)


def test_a_window_is_opened_paused_stepped_dragged_in_and_closed(open_window, tmp_path):
    user = open_window(ROOT / "tests/viewer/window_script.py", tmp_path / "result.json")
    user.wait_for(lambda: np.ptp(user.picture("opened")[60:550], axis=2).max() > 100)  # something coloured
    time.sleep(1.0)
    user.key("space")

    def stands() -> bool:
        still = user.picture("paused")
        time.sleep(0.5)
        return bool(np.abs(user.picture("paused again").astype(int) - still).mean() < 0.2)

    user.wait_for(stands)  # the picture in which it stands may come late
    user.key("Right", "Right", "Right", "Left")
    user.key("space")
    across = seen_at((-0.6, -0.4, 1.4))
    over_the_edge = seen_at((-0.6, -1.6, 1.5)), seen_at((-0.6, -2.2, 1.5))
    user.drag(seen_at((0.6, 0.0, 1.4)), across, *over_the_edge)
    time.sleep(1.5)
    user.picture("over the edge")
    user.key("F12", "F11")
    user.wait_for(lambda: red(user.picture("recording")[21:70, 600:]).sum() > 20)  # the sign of a film
    time.sleep(1.5)
    user.key("F11", "F5")
    # a dark panel lies over the picture
    user.wait_for(lambda: user.picture("panel")[300:500, 720:980].mean() < 120)
    user.drag((800, 60), (838, 60))  # the time step, first in the panel
    user.picture("slider")
    user.key("ctrl+q")
    assert user.program.wait(60) == 0, user.program.stderr.read()
    picture = (user.folder / "picture.png").read_bytes()
    assert picture[:4] == b"\x89PNG" and len(picture) > 10_000
    assert imageio_ffmpeg.count_frames_and_secs(str(user.folder / "film.mp4"))[0] > 20
    result = json.loads((user.folder / "result.json").read_text())
    commands = [(step, command_from_record(record)) for step, record in result["log"]]
    kinds = [type(command).__name__ for _, command in commands]
    assert kinds.count("Grab") == kinds.count("Release") == 1
    assert kinds.count("MovePointer") >= 4
    assert "SetTimeStep" in kinds
    x, y, z = result["box"]
    assert z == pytest.approx(0.2, abs=0.01), result["box"]  # it lies on the ground, whichever side is down
    assert abs(x) > 1.6 or abs(y) > 1.1, result["box"]  # beside the table
    stage = Stage(table_world())
    stage.replay(commands, result["steps"])
    assert stage.world.state_hash() == result["hash"]


def orange(picture: np.ndarray) -> np.ndarray:
    """Return which pixels have the colour of what is selected."""
    red, green, blue = (picture[..., k].astype(int) for k in range(3))
    return (red > 220) & (abs(green - 115) < 45) & (blue < 60)


def test_a_joint_is_selected_by_a_click_on_its_mark(open_window):
    """Mark the joint that was clicked in the picture, name it, and leave the world where it is."""
    world = SCENES["crane"].build()
    description, frame = describe_world(world), frame_of(world)
    camera = Camera()
    camera.azimuth, camera.elevation = (math.radians(angle) for angle in SCENES["crane"].view)
    free = (0.0, 21.0, SIZE[0], SIZE[1] - 44.0)
    camera.fit(framing_points(description, frame), SIZE, free=free)
    part = description.joint_parts.joint.tolist().index(description.joint_names.index("hook"))
    x, y, _ = camera.project(joint_frames(description, frame)[0][part], SIZE)
    user = open_window(
        *("-m", "stoss", "view", "crane", "--paused", "--size", f"{SIZE[0]}x{SIZE[1]}"),
        *("--overlays", "joints,joint_frames"),
    )
    user.wait_for(lambda: np.ptp(user.picture("crane")[60:550], axis=2).max() > 100)
    time.sleep(1.0)
    before = user.picture("joints")
    user.tool("xdotool", "mousemove", round(x), round(y))
    time.sleep(0.3)
    user.tool("xdotool", "click", 1)

    def is_marked() -> bool:
        around = (slice(round(y) - 30, round(y) + 30), slice(round(x) - 30, round(x) + 30))
        more = orange(user.picture("joint selected")[around]).sum() - orange(before[around]).sum()
        return bool(more > 25)

    user.wait_for(is_marked)
    user.key("Escape")
    user.wait_for(lambda: not is_marked())
    user.key("ctrl+q")
    assert user.program.wait(60) == 0, user.program.stderr.read()
