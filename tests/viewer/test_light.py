"""Light and shadow: whole shadows that begin at the feet, without rings, and a soft end of the light."""

import dataclasses

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.context import ensure_context
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.drawing.sky import LIGHT
from stoss.viewer.drawing.style import Style
from tests.viewer.test_renderer import brightness, description_of, frame_at

SIZE = (480, 360)
FLAT = {"ambient_taps": 0}
PLAIN = Style(grid=False, pattern=False)


@pytest.fixture(autouse=True, scope="module")
def context() -> None:
    ensure_context()


def seen(shapes, places, camera: Camera, quality: str = "high", **changes) -> np.ndarray:
    """Return how bright a ground with static and moving shapes is drawn (h, w)."""
    kinds = ("static",) + ("dynamic",) * len(shapes)
    renderer = Renderer(description_of(HalfSpace(), *shapes, kinds=kinds), quality)
    renderer.quality = dataclasses.replace(renderer.quality, **changes)
    pixels = renderer.picture(frame_at((0.0, 0.0, 0.0), *places), camera, SIZE, PLAIN)
    renderer.delete()
    return brightness(pixels)


def along(camera: Camera, begin, end, count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return columns and rows of the pixels from one point on the ground to another."""
    points = np.linspace(begin, end, count)
    x, y, _ = camera.project(points, SIZE).T
    return x.round().astype(int), y.round().astype(int)


def fallen(height: float) -> np.ndarray:
    """Return where the shadow of a point that height above the origin lies."""
    return np.array([*(-LIGHT[:2] / LIGHT[2] * height), 0.0])


# a wall of bricks, 1.6 m wide and 2 m high
BRICK = Box((0.2, 0.2, 0.2))
PLACES = [(0.2 * k - 0.7, 0.0, 0.2 * level + 0.1) for k in range(8) for level in range(10)]
LOOK = Camera(target=(0.5, 0.6, 0.5), distance=6.0, azimuth=-0.4, elevation=0.9)


@pytest.mark.parametrize("quality", ["low", "medium", "high"])
def test_a_shadow_is_whole_from_foot_to_tip(quality: str) -> None:
    """Be as dark close to the foot and close to the tip as in the middle, and light beyond."""
    level = seen([BRICK] * len(PLACES), PLACES, LOOK, quality, **FLAT)
    corner, foot = fallen(2.0) + (0.8, 0.1, 0.0), np.array([0.8, 0.1, 0.0])
    inwards = np.array([-0.05, -0.08, 0.0])
    feet = along(LOOK, foot + (-0.1, 0.012, 0.0), foot + (-1.4, 0.012, 0.0))
    x, y = along(LOOK, foot + inwards, corner + inwards)
    dark = level[y, x]
    open_x, open_y = along(LOOK, corner + 0.3, corner + 0.5)
    sunny = level[open_y, open_x].mean()
    middle = np.median(dark)
    assert sunny > middle + 40.0
    assert dark.max() < middle + 0.1 * (sunny - middle)
    assert level[feet[1], feet[0]].max() < middle + 0.5 * (sunny - middle)


def test_what_is_high_above_does_not_darken_the_ground_below_it() -> None:
    """Leave ground in the sun as it is under a high plate, and darken it under a near one."""
    plate, camera = Box((2.0, 2.0, 0.1)), Camera(distance=9.0, azimuth=-1.2, elevation=0.35)
    places = {"far": (0.0, 90.0, 0.1), "high": (0.0, 0.0, 5.0), "near": (0.0, 0.0, 1.0)}
    level = {name: seen([plate], [place], camera) for name, place in places.items()}
    x, y = along(camera, (-0.5, -0.5, 0.0), (0.5, -0.5, 0.0))
    assert abs(level["high"][y, x] - level["far"][y, x]).max() < 1.5
    x, y = along(camera, (-0.5, -1.05, 0.0), (0.5, -1.05, 0.0))
    assert (level["far"][y, x] - level["near"][y, x]).mean() > 1.5


def test_soft_edges_have_no_rings() -> None:
    """Let neighbouring pixels of the edge of a shadow have levels of their own, not the same few steps."""
    camera = Camera(target=(1.0, 1.4, 0.0), distance=4.0, azimuth=-0.4, elevation=1.2)
    ball = Sphere(0.5)
    level = seen([ball], [(0.0, 0.0, 2.0)], camera, ambient_taps=0)
    dark, sunny = np.quantile(level, 0.01), np.quantile(level, 0.9)
    edge = (level > dark + 0.15 * (sunny - dark)) & (level < dark + 0.85 * (sunny - dark))
    right = np.abs(np.diff(level, axis=1))[edge[:, 1:]]
    assert edge.sum() > 400
    assert (right < 0.5).mean() < 0.25  # of rings, most neighbours are alike and few differ by a step


def test_day_goes_over_into_night_softly() -> None:
    """Change the slope of the brightness of a ball slowly where the light ends."""
    ball = Sphere(1.0)
    across = np.cross(LIGHT, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    azimuth, elevation = np.arctan2(across[1], across[0]), np.arcsin(across[2])
    camera = Camera(target=(0.0, 0.0, 20.0), distance=4.0, azimuth=float(azimuth), elevation=float(elevation))
    level = seen([ball], [(0.0, 0.0, 20.0)], camera, **FLAT, shadow_size=0)
    up = np.array(LIGHT)
    angles = np.radians(np.linspace(60.0, 120.0, 61))
    side = np.cross(across, up)
    points = np.array([0.0, 0.0, 20.0]) + 0.93 * np.outer(np.cos(angles), up)
    points += 0.93 * np.outer(np.sin(angles), side) + 0.35 * across
    x, y, _ = camera.project(points, SIZE).T
    line = level[y.round().astype(int), x.round().astype(int)]
    assert line[0] > line[-1] + 25.0
    slopes = [abs(np.polyfit(np.arange(7), line[k : k + 7], 1)[0]) for k in range(24)]  # up to 90 degrees
    assert slopes[-1] < 0.5 * max(slopes)
