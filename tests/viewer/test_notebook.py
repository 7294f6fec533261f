"""Notebooks: pictures, films and worlds show themselves, and remain arrays and worlds."""

import base64
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import stoss as st
from stoss import notebook, viewer
from stoss.viewer.drawing.clip import AnimatedImage
from stoss.viewer.drawing.context import NoDisplayError
from stoss.viewer.drawing.picture_files import SIGNATURE, Picture
from tests.viewer.decoding import decoded


def box() -> st.World:
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="ground")
    world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 2.0), name="box")
    return world


def test_a_picture_shows_itself_and_is_an_array(tmp_path: Path) -> None:
    """Give a PNG to notebooks, be written where one says, and work like any array of numpy."""
    picture = viewer.picture(box(), (64, 48), quality="low")
    assert isinstance(picture, np.ndarray) and type(np.asarray(picture)) is np.ndarray
    assert picture.shape == (48, 64, 3) and picture.dtype == np.uint8
    assert type(picture + 1) is np.ndarray and type(picture.mean(axis=2)) is np.ndarray
    assert isinstance(picture.mean(), float) and (picture == np.array(picture)).all()
    shown = tmp_path / "shown.png"
    shown.write_bytes(picture._repr_png_())
    picture.save(tmp_path / "saved.png")
    assert shown.read_bytes() == (tmp_path / "saved.png").read_bytes()
    assert (decoded(shown, (64, 48))[0] == picture).all()
    assert "64 x 48" in repr(picture)
    # A part is a picture too, a plane of it is none.
    assert picture[10:20, 5:9]._repr_png_()[:8] == SIGNATURE
    assert picture[..., 0]._repr_png_() is None and "Picture" not in repr(picture[..., 0])
    assert isinstance(picture[10:20], Picture)
    with pytest.raises(ValueError, match=r"does not end in .png or .jpg"):
        picture.save(tmp_path / "a.bmp")


def test_a_film_shows_itself(tmp_path: Path) -> None:
    """Embed a video, advance the world, and write it in each kind of file."""
    world = box()
    clip = viewer.film(world, 0.4, size=(64, 48), fps=20.0, quality="low")
    assert world.time == pytest.approx(0.35) and clip.count == 8 and clip.is_video
    html = clip._repr_html_()
    assert html.startswith("<video controls")
    data = html.split("base64,")[1].split('"')[0]
    (tmp_path / "embedded.mp4").write_bytes(base64.b64decode(data))
    film = decoded(tmp_path / "embedded.mp4", (64, 48)).astype(int)
    assert len(film) == 8 and np.abs(film[-1] - film[0]).max() > 40
    for name in ("a.mp4", "a.gif"):
        clip.save(tmp_path / name)
        again = decoded(tmp_path / name, (64, 48)).astype(int)
        assert len(again) == 8 and np.abs(again - film).mean() < 12.0
    clip.save(tmp_path / "a.webp")
    data = (tmp_path / "a.webp").read_bytes()
    assert data[:4] == b"RIFF" and data.count(b"ANMF") >= 2
    assert "0.4 s, 64 x 48 pixels, video" in repr(clip)


def test_without_an_encoder_a_film_is_an_animated_image(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Say so, name what to install, and hold the same pictures."""
    with monkeypatch.context() as missing:
        missing.setattr("stoss.viewer.exporting.clips.find_spec", lambda name: None)
        missing.setitem(sys.modules, "imageio_ffmpeg", None)
        clip = viewer.film(box(), 0.3, size=(64, 48), fps=20.0, quality="low")
        assert not clip.is_video and "pip install 'stoss[video]'" in clip._repr_html_()
        assert '<img width="64" src="data:image/png;base64,' in clip._repr_html_()
        clip.save(tmp_path / "a.png")
        with pytest.raises(ValueError, match=r"pip install 'stoss\[video\]'"):
            clip.save(tmp_path / "a.mp4")
    pictures = decoded(tmp_path / "a.png", (64, 48))
    assert len(pictures) >= 1 and clip.data.count(b"fcTL") == 6
    first = viewer.picture(box(), (64, 48), quality="low", camera=None)
    assert pictures[0].shape == first.shape


def test_animated_images_are_read_by_other_programs(tmp_path: Path) -> None:
    """Write numbered frames whose checksums hold, and which another program decodes bit for bit."""
    rng = np.random.default_rng(3)
    frames = [rng.integers(0, 256, (12, 20, 3), np.uint8) for _ in range(4)]
    image = AnimatedImage((20, 12), 25.0)
    for frame in frames:
        image.add(frame)
    data, place, numbers = image.file(), 8, []
    while place < len(data):
        length, name = int.from_bytes(data[place : place + 4]), data[place + 4 : place + 8]
        body = data[place + 8 : place + 8 + length]
        assert zlib.crc32(name + body) == int.from_bytes(data[place + 8 + length : place + 12 + length])
        if name in (b"fcTL", b"fdAT"):
            numbers.append(int.from_bytes(body[:4]))
        place += 12 + length
    assert numbers == list(range(7))
    (tmp_path / "a.apng").write_bytes(data)
    again = decoded(tmp_path / "a.apng", (20, 12))
    assert len(again) == 4 and (again == np.array(frames)).all()


def test_a_world_shows_itself_in_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a notebook a picture of a world; where nothing can be drawn none, with a warning."""
    shell = InteractiveShell.instance()
    try:
        notebook.show_worlds()
        world = box()
        step = world.step_count
        shown, _ = shell.display_formatter.format(world)
        assert shown["image/png"][:8] == SIGNATURE and "World" in shown["text/plain"]
        assert world.step_count == step
        assert "image/png" not in shell.display_formatter.format(3)[0]

        def no_display(*_: object, **__: object) -> None:
            raise NoDisplayError("no OpenGL 3.3 to draw with")

        monkeypatch.setattr("stoss.viewer.drawing.pictures.picture", no_display)
        with pytest.warns(UserWarning, match="without a picture: no OpenGL"):
            shown, _ = shell.display_formatter.format(world)
        assert "image/png" not in shown and "World" in shown["text/plain"]
    finally:
        InteractiveShell.clear_instance()


def test_importing_in_a_notebook_registers_worlds_without_loading_the_engine() -> None:
    """Tell the notebook of worlds at the first import, which stays cheap."""
    import subprocess

    code = (
        "import sys\nfrom IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\nimport stoss\n"
        "formatter = shell.display_formatter.formatters['image/png']\n"
        "print(('stoss.engine.world.world', 'World') in formatter.deferred_printers)\n"
        "print('stoss.engine' in sys.modules, 'stoss.viewer' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False", "False"]
