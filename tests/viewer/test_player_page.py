"""The exported page in a real browser: it plays, is scrubbed, and shows bodies where they were."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.viewer.exporting.page import page_bytes
from stoss.viewer.exporting.sources import motion_of_world

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")

# What a script in the page does for the test: it moves the slider as a user does, and looks at what is drawn.
SCRIPT = """
<pre id="outcome"></pre><script>
stoss.ready.then((player) => {
  const out = { duration: player.duration, playing: player.playing };
  out.bodies = []; out.pictures = [];
  const slider = element("slider");
  const look = () => {
    player.frame(performance.now());
    const gl = player.picture.gl, w = player.canvas.width, h = player.canvas.height;
    const pixels = new Uint8Array(4 * w * h);
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let sum = 0, n = 0, orange = 0, height = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      sum = (sum * 31 + pixels[i] + 7 * pixels[i + 1]) % 1000003;
      if (pixels[i] < 150 || pixels[i + 2] > 0.4 * pixels[i]) continue;
      orange++; height += Math.floor(i / 4 / w) / h;
    }
    return { sum, orange, height: height / orange, error: gl.getError() };
  };
  for (const time of TIMES) {
    slider.value = time; slider.dispatchEvent(new Event("input"));
    out.bodies.push(player.body("ball")); out.pictures.push(look());
  }
  out.paused = !player.playing;
  out.clock = element("clock").textContent;
  const before = look().sum;
  player.canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 500 }));
  out.zoomed = look().sum !== before;
  const pointer = (name, x) => player.canvas.dispatchEvent(
    new PointerEvent(name, { clientX: x, clientY: 200, buttons: 1, pointerId: 1 }));
  const turned = look().sum, angle = player.camera.azimuth;
  pointer("pointerdown", 200); pointer("pointermove", 300); pointer("pointerup", 300);
  out.turned = look().sum !== turned && player.camera.azimuth < angle;
  const press = (key) => window.dispatchEvent(new KeyboardEvent("keydown", { key }));
  press("Home"); out.home = player.time;
  press("ArrowRight"); out.step = player.time;
  press("End"); out.end = player.time;
  element("speed").value = "0.5";
  element("speed").dispatchEvent(new Event("change")); out.speed = player.speed;
  press(" "); out.plays = player.playing;
  player.frame(player.last + 100); out.runs = player.time; press(" ");
  element("outcome").textContent = JSON.stringify(out);
}).catch((error) => { element("outcome").textContent = JSON.stringify({ failed: String(error) }); });
</script></body>"""


def browser() -> str:
    """Return the browser's program."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.fail("no browser: apt-get install chromium-headless-shell")
    return found


def opened(page: Path, *words: str) -> str:
    """Open a page in the browser, without a screen and with WebGL in software, and return what it prints."""
    options = "--no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --window-size=640,480"
    command = [
        browser(),
        *options.split(),
        f"--user-data-dir={page.parent / 'profile'}",
        *words,
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_page_plays_and_is_scrubbed(tmp_path):
    """Show a ball that is thrown up where it was at each time that the slider names, and draw it there."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    ball = world.add_body(st.Sphere(0.25), position=(0, 0, 0.5), color="orange", name="ball")
    world.add_body(st.Box((0.3, 0.3, 0.3)), position=(0.8, 0, 0.15), kind="static", color="#2050c0")
    ball.velocity = (0, 0, 4)
    motion = motion_of_world(world, 0.8, 30.0)
    page = page_bytes(motion).decode()
    times = [0.0, 0.25, 0.5, 0.25]
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", SCRIPT.replace("TIMES", str(times))), encoding="utf-8")
    told = re.search(
        r'<pre id="outcome">(.*?)</pre>', opened(path, "--virtual-time-budget=8000", "--dump-dom")
    )
    assert told and told[1], "the page's script did not end"
    out = json.loads(told[1])
    assert "failed" not in out, out
    assert out["duration"] == pytest.approx(0.8) and out["playing"] and out["paused"]
    for time, body in zip(times, out["bodies"], strict=True):
        k = min(int(np.searchsorted(motion.times, time + 1e-9)) - 1, len(motion.times) - 2)
        part = (time - motion.times[k]) / (motion.times[k + 1] - motion.times[k])
        wanted = (1 - part) * motion.positions[k, 1] + part * motion.positions[k + 1, 1]
        # 16 bits of a way of 0.9 m, in single precision
        np.testing.assert_allclose(body["position"], wanted, atol=2e-5)
        assert body["there"] and np.linalg.norm(body["quaternion"]) == pytest.approx(1.0, abs=1e-6)
    first, second, third, again = out["pictures"]
    assert all(picture["error"] == 0 and picture["orange"] > 300 for picture in out["pictures"]), out[
        "pictures"
    ]
    assert first["height"] < second["height"] < third["height"]  # it flies up, in the picture too
    assert second["sum"] == again["sum"] != first["sum"]  # scrubbed back: the same picture
    assert out["clock"] == "0.25 / 0.80 s"
    assert out["zoomed"] and out["turned"] and out["plays"] and out["speed"] == 0.5
    assert (out["home"], out["end"]) == (0.0, pytest.approx(0.8)) and out["step"] == pytest.approx(
        0.04, abs=1e-6
    )
    assert out["runs"] == pytest.approx(0.05)  # a tenth of a second at half the speed
