"""Files: pictures that other programs read, films with the right pictures, errors before any work."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stoss import viewer
from stoss.collision import Box, HalfSpace
from stoss.command_line.main import main
from stoss.engine import World
from stoss.errors import FileError
from stoss.viewer.drawing.film import Film
from stoss.viewer.drawing.picture_files import write_picture
from stoss.viewer.drawing.pictures import film_frames
from tests.viewer.decoding import decoded


def box_on_ground() -> World:
    world = World()
    world.add_body(HalfSpace(), kind="static", name="ground")
    world.add_body(Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 1.5), name="box")
    return world


def test_png_is_read_back_bit_for_bit(tmp_path: Path) -> None:
    """Write pixels that another program reads as they are: noise, gradients, a single column."""
    rng = np.random.default_rng(0)
    gradient = np.add.outer(np.arange(90), 2 * np.arange(120))[..., None] + np.array([0, 50, 100])
    smooth, noise = (gradient % 256).astype(np.uint8), rng.integers(0, 256, (90, 120, 3), np.uint8)
    for pixels in (smooth, noise, np.where(np.arange(120)[None, :, None] < 60, smooth, noise)):
        write_picture(tmp_path / "picture.png", pixels)
        assert (decoded(tmp_path / "picture.png", (120, 90))[0] == pixels).all()
    write_picture(tmp_path / "smooth.png", smooth)
    assert (tmp_path / "smooth.png").stat().st_size < smooth.size / 10


def test_jpeg_is_near(tmp_path: Path) -> None:
    """Write a small file that shows about the same."""
    pixels = np.full((48, 64, 3), (200, 120, 40), np.uint8)
    write_picture(tmp_path / "picture.jpg", pixels)
    assert np.abs(decoded(tmp_path / "picture.jpg", (64, 48))[0].astype(int) - pixels).max() < 8


def test_film_has_its_pictures(tmp_path: Path) -> None:
    """Keep number, order and colours of pictures, also of odd width."""
    with Film(tmp_path / "film.mp4", (64, 48), fps=10.0) as film:
        for value in (0, 80, 160, 240):
            film.add(np.full((48, 64, 3), value, np.uint8))
        with pytest.raises(ValueError, match="this film takes"):
            film.add(np.zeros((10, 10, 3), np.uint8))
    means = decoded(tmp_path / "film.mp4", (64, 48)).mean(axis=(1, 2, 3))
    assert means == pytest.approx([0, 80, 160, 240], abs=6)
    with Film(tmp_path / "odd.mp4", (65, 47)) as film:
        film.add(np.full((47, 65, 3), 100, np.uint8))
    assert (tmp_path / "odd.mp4").stat().st_size > 500


def test_film_keeps_time(tmp_path: Path) -> None:
    """Repeat pictures that stay, and leave out those that come too soon."""
    with Film(tmp_path / "film.mp4", (64, 48), fps=10.0) as film:
        for time, value in ((5.0, 0), (5.31, 100), (5.33, 120), (5.40001, 200)):
            film.add(np.full((48, 64, 3), value, np.uint8), time)
    means = decoded(tmp_path / "film.mp4", (64, 48)).mean(axis=(1, 2, 3))
    assert means == pytest.approx([0, 0, 0, 120, 200], abs=6)


def test_frames_of_a_film_are_evenly_spaced() -> None:
    """Give a frame per picture at its time, to half a step, and the state it has then."""
    times = [frame.time for frame in film_frames(box_on_ground(), 0.5, 24.0)]
    assert len(times) == 12
    assert times == pytest.approx(np.arange(12) / 24.0, abs=0.0051)


def test_render_writes_pictures_and_films(tmp_path: Path) -> None:
    """Write what scripts ask for; a picture leaves the world as it is, a film advances it."""
    world = box_on_ground()
    viewer.render(world, tmp_path / "a.png", size=(64, 48), quality="low", overlays=["boxes"])
    assert world.step_count == 0
    shown = decoded(tmp_path / "a.png", (64, 48))[0]
    assert (shown == viewer.picture(world, (64, 48), quality="low", overlays=["boxes"])).all()
    viewer.render(world, tmp_path / "a.mp4", duration=0.4, fps=20.0, size=(64, 48), quality="low")
    film = decoded(tmp_path / "a.mp4", (64, 48)).astype(int)
    assert len(film) == 8 and world.time == pytest.approx(0.35)
    assert np.abs(film[-1] - film[0]).max() > 40


def test_command_writes_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Draw a scene at a moment, with overlays and from a named view."""
    out = tmp_path / "stack.png"
    words = ["render", "stack", "--bodies", "3", "--at", "0.05", "--size", "96x64", "--view", "front"]
    words += ["--overlays", "contacts,impulses,trajectories", "--quality", "low", "--out", str(out)]
    assert main(words) == 0
    assert f"written to {out}" in capsys.readouterr().err
    assert decoded(out, (96, 64))[0].std() > 5.0


def test_command_writes_a_film(tmp_path: Path) -> None:
    """Film a scene for the time and at the rate that were asked for."""
    out = tmp_path / "stack.mp4"
    words = ["render", "stack", "--bodies", "3", "--duration", "0.3", "--fps", "20", "--size", "96x64"]
    assert main([*words, "--quality", "low", "--view=-30,40", "--quiet", "--out", str(out)]) == 0
    assert len(decoded(out, (96, 64))) == 6


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--out", "film.avi"], "does not end in .png or .jpg or .mp4 or .gif or .webp"),
        (["--out", "nowhere/film.mp4"], "there is no folder nowhere; make it first"),
        (["--out", "a.png", "--overlays", "contact"], "no overlay 'contact'"),
        (["--out", "a.png", "--view", "behind"], "neither one of front"),
        (["--out", "a.png", "--size", "big"], "is no size"),
        (["--out", "a.png", "--quality", "ultra"], "choose from low, medium, high"),
        (["--out", "a.png", "--at", "-1"], "below zero"),
        ([], "--out"),
    ],
)
def test_command_refuses_before_anything_is_computed(
    words: list[str], text: str, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say in one line what is wrong, with exit code 2, and build no world."""
    monkeypatch.setattr("stoss.command_line.render.build_world", lambda *_: pytest.fail("a world was built"))
    assert main(["render", "stack", *words]) == 2
    error = capsys.readouterr().err
    assert text in error and error.count("\n") == 1


def test_command_names_the_missing_encoder(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Name the extra to install when films cannot be encoded."""
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    assert main(["render", "stack", "--out", str(tmp_path / "a.mp4")]) == 2
    assert "pip install 'stoss[video]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "variables",
    [
        {"__EGL_VENDOR_LIBRARY_DIRS": "/nowhere", "LIBGL_DRIVERS_PATH": "/nowhere"},
        {"MESA_GL_VERSION_OVERRIDE": "2.1"},
    ],
    ids=["no driver", "too old"],
)
def test_command_names_the_cure_without_opengl(tmp_path: Path, variables: dict[str, str]) -> None:
    """Say in one line what to install when nothing can be drawn, with exit code 2."""
    words = [sys.executable, "-m", "stoss", "render", "stack", "--out", str(tmp_path / "a.png")]
    done = subprocess.run(words, env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("stoss: no OpenGL 3.3") and done.stderr.count("\n") == 1
    assert "apt install libgl1 libegl1 libgl1-mesa-dri" in done.stderr


def test_film_that_fails_leaves_the_older_one(tmp_path: Path) -> None:
    """Keep the older film when an error ends one, or the encoder ends early; Ctrl-C keeps its beginning."""
    path = tmp_path / "film.mp4"
    path.write_bytes(b"older")
    pixels = np.zeros((48, 64, 3), np.uint8)
    with pytest.raises(ZeroDivisionError), Film(path, (64, 48)) as film:
        film.add(pixels)
        _ = 1 / 0
    assert path.read_bytes() == b"older" and [*tmp_path.iterdir()] == [path]
    film = Film(path, (64, 48))
    film.add(pixels)
    film._writer.close()
    film._file.part.write_bytes(film._file.part.read_bytes()[:-20])  # as a full disk leaves it
    with pytest.raises(FileError, match=r"film.mp4 cannot be written: the encoder ended early"):
        film.close()
    assert path.read_bytes() == b"older" and [*tmp_path.iterdir()] == [path]
    with pytest.raises(KeyboardInterrupt), Film(path, (64, 48)) as film:
        film.add(pixels)
        raise KeyboardInterrupt
    assert len(decoded(path, (64, 48))) == 1 and [*tmp_path.iterdir()] == [path]


def test_picture_that_fails_leaves_the_older_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the older picture when the disk is full, also where another program writes it."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for name in ("a.png", "a.jpg"):
        (tmp_path / name).write_bytes(b"older")
        with pytest.raises(FileError, match="the disk is full"):
            write_picture(tmp_path / name, np.zeros((48, 64, 3), np.uint8))
        assert (tmp_path / name).read_bytes() == b"older"
    assert len([*tmp_path.iterdir()]) == 2


def walls_about_a_box() -> World:
    world = box_on_ground()
    for k, side in enumerate((-1.5, 1.5)):
        world.add_body(Box((3.0, 0.1, 3.0)), position=(0.0, side, 1.5), kind="static", name=f"wall {k}")
    world.bodies[1].color = "red"
    return world


def redness(pixels: np.ndarray) -> int:
    values = pixels.astype(int)
    return int((values[..., 0] > values[..., 1:].max(axis=-1) + 60).sum())


def test_bodies_are_seen_through_by_name(tmp_path: Path) -> None:
    """Show a box behind a wall that is named, also by a pattern or as a body, in all that draws."""
    world = walls_about_a_box()
    scene = {"size": (96, 64), "camera": "front", "quality": "low"}
    assert redness(viewer.picture(world, **scene)) == 0
    for names in ("wall 0", ["wall*"], [world.body("wall 0")]):
        assert redness(viewer.picture(world, **scene, see_through=names)) > 100
    viewer.render(world, tmp_path / "a.png", **scene, see_through=["wall ?"])
    assert redness(decoded(tmp_path / "a.png", (96, 64))) > 100
    viewer.film(world, 0.1, **scene, see_through="wall*").save(tmp_path / "a.mp4")
    assert redness(decoded(tmp_path / "a.mp4", (96, 64))[0]) > 100


def test_see_through_says_what_is_wrong() -> None:
    """Name the argument, its value and a name that is near."""
    with pytest.raises(ValueError, match=r"see_through = 'wal 0' is no body here; did you mean wall 0"):
        viewer.picture(walls_about_a_box(), (32, 32), see_through=["wal 0"])
    with pytest.raises(TypeError, match=r"see_through = 3 must be names of bodies"):
        viewer.picture(walls_about_a_box(), (32, 32), see_through=3)


def test_command_sees_through_what_is_named(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Take the bodies that are named in place of those of the scene; none for an empty name."""
    words = ["render", "funnel", "--bodies", "8", "--at", "0", "--size", "96x64", "--quality", "low"]
    for name, choice in (("scene", []), ("none", ["--see-through", ""]), ("all", ["--see-through", "slab*"])):
        assert main([*words, *choice, "--out", str(tmp_path / f"{name}.png")]) == 0
    pixels = {
        name: decoded(tmp_path / f"{name}.png", (96, 64)).astype(int) for name in ("scene", "none", "all")
    }
    assert (pixels["scene"] == pixels["all"]).all()
    assert np.abs(pixels["scene"] - pixels["none"]).max() > 40
    capsys.readouterr()
    assert main([*words, "--see-through", "slap 1", "--out", str(tmp_path / "x.png")]) == 2
    assert "--see-through = 'slap 1' is no body here; did you mean slab 1" in capsys.readouterr().err


FILM_ON_A_FULL_DISK = """
import resource, sys
import numpy as np
from stoss.errors import FileError
from stoss.viewer.drawing.film import Film

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # of what the encoder writes too
rng = np.random.default_rng(0)
try:
    with Film(sys.argv[1], (64, 48)) as film:
        for _ in range(100):
            film.add(rng.integers(0, 256, (48, 64, 3), np.uint8))
except FileError as error:
    print(error)
"""


@pytest.mark.parametrize("suffix", ["mp4", "gif", "webp"])
def test_a_film_that_outgrows_the_disk_is_told_of_in_one_line(tmp_path: Path, suffix: str) -> None:
    """Keep the older film, leave no part of the new one, and say what to do, when no more can be written."""
    path = tmp_path / f"film.{suffix}"
    path.write_bytes(b"an older film")
    done = subprocess.run(
        [sys.executable, "-c", FILM_ON_A_FULL_DISK, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1 and "free some space" in done.stdout, done.stdout
    assert path.read_bytes() == b"an older film"
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
