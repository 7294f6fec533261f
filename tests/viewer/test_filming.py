"""Pictures and films of motions, sessions and worlds: slower, along with a body, around it, with the time."""

import math

import imageio_ffmpeg
import numpy as np
import pytest

import stoss.scenes  # noqa: F401  (registers the scenes)
from stoss import viewer
from stoss.command_line.main import main
from stoss.scenes.registry import SCENES
from stoss.scenes.running.trajectory import Recorder
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.labels import letter_height
from stoss.viewer.drawing.lettering import Lettering
from stoss.viewer.drawing.overlays import OverlayOptions
from stoss.viewer.drawing.shots import Shot
from stoss.viewer.exporting.filming import recorded_motion
from stoss.viewer.exporting.moments import absent_bodies, frame_at, frames_between
from stoss.viewer.world.commands import Delete, Throw
from stoss.viewer.world.session import Session
from stoss.viewer.world.stage import Stage
from tests.viewer.falling_box import falling_box

SIZE = (96, 64)


@pytest.fixture
def motion_file(tmp_path):
    """Return the file of a box that falls for 0.4 s, every second step of 10 ms."""
    world = falling_box()
    world.body("box").angular_velocity = (0.0, 0.0, 2.0)
    recorder = Recorder(world, every=2, about={"scene": "pile"})
    for _ in range(40):
        world.step()
        recorder.after_step(world)
    recorder.write(tmp_path / "run.npz")
    return tmp_path / "run.npz"


def count(path) -> int:
    return imageio_ffmpeg.count_frames_and_secs(str(path))[0]


def test_slow_motion_shows_moments_between_the_samples(motion_file):
    motion = recorded_motion(motion_file)
    frame = frame_at(motion, 0.105)
    before, after = motion.positions[5, 0, 2], motion.positions[6, 0, 2]
    assert frame.positions[0, 2] == pytest.approx(before + 0.25 * (after - before))
    assert frame.angular_velocities[0] == pytest.approx((0.0, 0.0, 2.0), abs=1e-9)
    assert 2.0 * math.acos(frame.quaternions[0, 0]) == pytest.approx(0.21, abs=1e-6)
    assert [round(frame.time, 9) for frame in frames_between(motion, 0.1, 0.2, 40.0)] == [
        *(0.1, 0.125, 0.15, 0.175, 0.2)
    ]


def test_bodies_of_a_session_are_there_from_when_to_when_they_were(tmp_path):
    stage = Stage(SCENES["stack"].build(bodies=2))
    log = [(5, Throw((3.0, 0.0, 5.0), (0.0, 0.0, 0.0))), (20, Delete("ball 1"))]
    stage.replay(log, 30)
    Session("stack", {"bodies": 2}, {}, 0.01, log, 30, stage.world.state_hash()).write(tmp_path / "s.json")
    motion = recorded_motion(tmp_path / "s.json")
    row = motion.description.names.index("ball 1")
    seen = [row not in absent_bodies(motion, frame_at(motion, 0.01 * step)) for step in (2, 10, 19, 25, 30)]
    assert seen == [False, True, True, False, False]
    viewer.render(tmp_path / "s.json", tmp_path / "s.png", size=SIZE, quality="low")
    assert (tmp_path / "s.png").read_bytes()[:4] == b"\x89PNG"


def test_a_slow_film_has_so_many_times_the_pictures(motion_file, tmp_path):
    for slow in (1.0, 4.0):
        path = tmp_path / f"{slow}.mp4"
        viewer.render(
            motion_file, path, size=SIZE, fps=20.0, quality="low", slow=slow, follow="box", stamp=True
        )
    assert (count(tmp_path / "1.0.mp4"), count(tmp_path / "4.0.mp4")) == (9, 33)
    viewer.render(
        falling_box(), tmp_path / "w.mp4", size=SIZE, fps=10.0, quality="low", slow=2.0, duration=0.5
    )
    assert count(tmp_path / "w.mp4") == 10


def test_the_camera_follows_and_orbits(motion_file):
    motion = recorded_motion(motion_file)
    begin, later = frame_at(motion, 0.0), frame_at(motion, 0.3)
    camera = Shot(follow="box", orbit=90.0).camera(Camera(target=(0, 0, 5)), 0, begin, later, 0.5)
    assert camera.target == pytest.approx(later.positions[0])
    assert camera.azimuth == pytest.approx(Camera().azimuth + math.radians(45.0))


def test_the_time_stands_in_the_corner():
    pixels = np.full((200, 300, 3), 128, np.uint8)
    Shot(stamp=True, slow=4.0).write(pixels, 1.25)
    changed = np.argwhere((pixels != 128).any(axis=2))
    assert len(changed) and changed[:, 0].min() > 150 and changed[:, 1].max() < 200
    mask = Lettering(1.4 * letter_height(200)).mask("1.25 s   4 times slower")
    assert mask.max() > 0.9 and mask.shape[1] < 200
    untouched = np.zeros((20, 20, 3), np.uint8)
    Lettering(14).write(untouched, "out of it", 500, -300)
    assert not untouched.any()


def test_texts_of_overlays_and_of_users_are_in_pictures():
    world = falling_box()
    plain = viewer.picture(world, (200, 150), quality="low")
    named = viewer.picture(world, (200, 150), quality="low", overlays=["names"])
    told = viewer.picture(world, (200, 150), quality="low", draw=lambda v, w: v.text(w.positions[0], "here"))
    assert (plain != named).any() and (plain != told).any() and (named != told).any()


def test_a_transparent_picture_has_bodies_alone():
    world = SCENES["stack"].build(bodies=1)
    seen = viewer.picture(world, (200, 150), quality="low", transparent=True)
    assert seen.shape == (150, 200, 4) and "4) uint8" in repr(seen)
    assert seen[75, 100, 3] == 255 and (seen[0, :, 3] == 0).all() and (seen[-1, :, 3] == 0).all()
    opaque = viewer.picture(world, (200, 150), quality="low")
    assert np.abs(seen[75, 100, :3].astype(int) - opaque[75, 100]).max() <= 2


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["--out", "x.mp4", "--transparent"], ["--transparent", "--out x.png"]),
        (["--out", "x.png", "--at", "9"], ["at = 9 s", "from 0 to 0.4 s"]),
        (["--out", "x.png", "--follow", "bax"], ["follow = 'bax'", "there are box"]),
        (["--out", "x.png", "--overlays", "contacts"], ["'contacts'", "poses alone", "velocities"]),
        (["--out", "x.mp4", "--slow", "0"], ["--slow", "above zero"]),
        (["--out", "x.png", "--view", "above"], ["--view", "'above'"]),
    ],
)
def test_mistakes_get_one_line_and_code_2(motion_file, monkeypatch, tmp_path, capsys, words, parts):
    monkeypatch.chdir(tmp_path)
    assert main(["render", str(motion_file), *words]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    for part in parts:
        assert part in line
    assert not list(tmp_path.glob("x.*"))


def test_the_command_draws_a_file_and_a_scene(motion_file, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    small = ["--size", "96x64", "--quality", "low", "--quiet"]
    orbit = ["--orbit", "30", "--time-stamp", "--fps", "10", "--slow", "2"]
    assert main(["render", str(motion_file), "--out", "run.mp4", *orbit, *small]) == 0
    assert count(tmp_path / "run.mp4") == 9
    scene = ["render", "stack", "--bodies", "2", "--at", "0.1", "--follow", "cube 1"]
    assert main([*scene, "--out", "a.png", "--transparent", *small]) == 0
    assert (tmp_path / "a.png").read_bytes()[25] == 6  # with opacity


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (dict(source=3), "source = 3 must be a World, a motion"),
        (dict(source="run.mp3"), "source = 'run.mp3' is no motion"),
        (dict(source="no.npz"), "there is no file no.npz"),
        (dict(at=1.0), "at = 1: a world is shown as it is"),
        (dict(slow=0), "slow = 0 must be .*above zero"),
        (dict(follow=3), "follow = 3 must be the name"),
        (dict(follow="bix"), "follow = 'bix' is no body here; there are box"),
        (dict(orbit="fast"), "orbit = 'fast'"),
        (dict(stamp=1), "stamp = 1 must be True or False"),
        (dict(transparent=True, path="a.jpg"), "only .png"),
    ],
)
def test_wrong_calls_name_the_value_and_the_cure(given, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=told) as error:
        viewer.render(**{"source": falling_box(), "path": "a.png", **given})
    assert "\n" not in str(error.value) and not list(tmp_path.iterdir())


def test_overlays_that_a_motion_does_not_hold_are_refused(motion_file, tmp_path):
    with pytest.raises(ValueError, match="'joints': a recorded motion holds poses alone"):
        viewer.render(motion_file, tmp_path / "a.png", overlays=OverlayOptions(joints=True))
