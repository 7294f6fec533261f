"""The past in a picture: moments as under a stroboscope, and paths; of worlds, motions and scenes."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss import viewer
from stoss.command_line.main import main
from stoss.scenes.running.trajectory import Recorder
from stoss.viewer.drawing.exposure import Exposure
from stoss.viewer.drawing.looks import camera_of
from stoss.viewer.drawing.strobe import Strobe
from stoss.viewer.drawing.style import Style
from stoss.viewer.world.frames import describe_world, frame_of
from tests.viewer.test_pictures import decoded

SEEN = {"size": (120, 90), "camera": "front", "quality": "low"}


def sliding(color: str = "red") -> st.World:
    """Return a world without gravity in which a box goes along x at 1 m/s, past another that stands."""
    world = st.World(gravity=(0.0, 0.0, 0.0))
    world.add_body(st.Box((0.2, 0.2, 0.2)), velocity=(1.0, 0.0, 0.0), name="runner", color=color)
    world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0.0, 1.0, 0.0), name="stays", color="blue")
    return world


def watched(every: float, seconds: float) -> tuple[st.World, Strobe]:
    world, strobe = sliding(), Strobe(every)
    world.after_step.append(strobe.after_step)
    strobe.after_step(world)
    world.step(round(seconds / world.time_step))
    return world, strobe


def test_bodies_are_where_they_were() -> None:
    """Repeat what moved at its places, fainter the longer ago, and nothing that stood."""
    world, strobe = watched(0.25, 1.0)
    made, frame, style = strobe.exposed(describe_world(world), frame_of(world), Style())
    assert made.names == ("runner", "stays", "runner", "runner", "runner", "runner")
    assert frame.positions[2:, 0] == pytest.approx([0.75, 0.5, 0.25, 0.0], abs=1e-9)
    assert frame.positions[0, 0] == pytest.approx(1.0) and frame.velocities.shape == (6, 3)
    shown = [style.opacity[row] for row in range(2, 6)]
    assert shown == sorted(shown, reverse=True) and 0.0 < shown[-1] < shown[0] < 0.99
    assert made.shape_body.tolist() == [0, 1, 2, 3, 4, 5]


def test_bodies_that_came_or_went_are_no_trouble() -> None:
    """Leave out moments in which there were other bodies, and begin anew where time goes back."""
    world, strobe = watched(0.25, 0.5)
    world.add_body(st.Sphere(0.1), position=(0, 3, 0), name="new")
    made, frame, _ = strobe.exposed(describe_world(world), frame_of(world), Style())
    assert len(made.names) == 3 == len(frame.positions)
    strobe.after_step(sliding())
    assert [one.time for one in strobe.moments] == [0.0]


def test_a_picture_has_moments_and_paths() -> None:
    """Show the runner at its earlier places, and the line along which it went."""
    world, strobe = watched(0.4, 1.2)
    trails = viewer.Trails()
    fresh = sliding()
    fresh.after_step.append(trails.after_step)
    fresh.step(120)
    made, frame, _ = strobe.exposed(describe_world(world), frame_of(world), Style())
    camera = camera_of("camera", "front", made, [frame], SEEN["size"])
    look = {**SEEN, "camera": camera}
    plain = viewer.picture(world, **look).astype(int)
    for change, place in (({"strobe": strobe}, 0.4), ({"trails": trails}, 0.6)):
        pixels = viewer.picture(world, **look, **change).astype(int)
        x, y, _ = camera.project(np.array([place, 0.0, 0.0]), (120, 90)).round().astype(int)
        assert np.abs(pixels - plain)[y - 1 : y + 2, x - 1 : x + 2].max() > 25, change
    with pytest.raises(TypeError, match="strobe = 0.1 must be a Strobe"):
        viewer.picture(world, strobe=0.1)


def test_render_advances_a_world_by_the_exposure(tmp_path: Path) -> None:
    """Advance the world, and draw the same as from its recording."""
    world = sliding()
    st.render(world, tmp_path / "a.png", **SEEN, strobe=0.25, trails=True, exposure=1.0)
    assert world.time == pytest.approx(1.0)
    world = sliding()
    recorder = Recorder(world)
    for _ in range(100):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "a.npz")
    st.render(tmp_path / "a.npz", tmp_path / "b.png", **SEEN, strobe=0.25, trails=True)
    one, other = (decoded(tmp_path / name, SEEN["size"])[0].astype(int) for name in ("a.png", "b.png"))
    assert (np.abs(one - other).max(axis=-1) > 12).mean() < 0.01
    st.render(tmp_path / "a.npz", tmp_path / "c.png", **SEEN)
    bare = decoded(tmp_path / "c.png", SEEN["size"])[0].astype(int)
    assert (np.abs(one - bare).max(axis=-1) > 12).mean() > 0.02


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strobe": 0.1}, "exposure = None: a world has no past"),
        ({"strobe": -1.0, "exposure": 1.0}, "strobe = -1"),
        ({"trails": 3, "exposure": 1.0}, "trails = 3"),
        ({"path": "a.mp4", "strobe": 0.1}, "strobe = 0.1: of pictures alone; name it a.png"),
    ],
)
def test_render_says_what_is_wrong(tmp_path: Path, change: dict, message: str) -> None:
    """Name the argument, its value and the cure, and leave the world as it is."""
    world = sliding()
    path = tmp_path / change.pop("path", "a.png")
    with pytest.raises((ValueError, TypeError), match=message):
        st.render(world, path, **SEEN, **change)
    assert world.step_count == 0 and not path.exists()


def test_command_shows_the_past(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Draw moments and paths of a scene, as far back as was asked for, and refuse them in films."""
    words = ["render", "bounce", "--at", "0.6", "--size", "96x64", "--quality", "low", "--quiet", "--out"]
    choices = {"bare": [], "strobe": ["--strobe", "0.2"], "short": ["--strobe", "0.2", "--exposure", "0.25"]}
    seen = {}
    for name, choice in choices.items():
        assert main([*words, str(tmp_path / f"{name}.png"), *choice]) == 0
        seen[name] = decoded(tmp_path / f"{name}.png", (96, 64))[0].astype(int)
    assert all(np.abs(seen[a] - seen[b]).max() > 30 for a, b in (("bare", "strobe"), ("short", "strobe")))
    assert main([*words, str(tmp_path / "x.mp4"), "--strobe", "0.2"]) == 2
    assert "--strobe = 0.2: of pictures alone; name it x.png" in capsys.readouterr().err


def test_an_exposure_keeps_only_what_is_wanted() -> None:
    """Collect nothing where nothing is wanted."""
    past = Exposure().begin()
    past.add(describe_world(sliding()), frame_of(sliding()))
    assert past.trails is None and past.strobe is None and past.moments == []
