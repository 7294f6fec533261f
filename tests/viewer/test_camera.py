"""The camera: matrices, rays, projection, movement and fitting agree with each other."""

import math

import numpy as np
import pytest

from stoss.viewer.drawing.camera import AXIS_VIEWS, Camera

SIZE = (640, 360)


def cameras() -> list[Camera]:
    rng = np.random.default_rng(5)
    return [
        Camera(
            target=rng.normal(size=3) * 3.0,
            distance=float(rng.uniform(1.0, 30.0)),
            azimuth=float(rng.uniform(-3.0, 3.0)),
            elevation=float(rng.uniform(-1.5, 1.5)),
            orthographic=bool(k % 2),
        )
        for k in range(20)
    ]


@pytest.mark.parametrize("camera", cameras())
def test_project_as_the_matrices_do(camera: Camera) -> None:
    """Project points to the pixels that the matrices give."""
    points = camera.target + np.random.default_rng(1).normal(size=(50, 3)) * 0.3 * camera.distance
    clip = np.hstack([points, np.ones((50, 1))]) @ (camera.projection_matrix(SIZE) @ camera.view_matrix()).T
    device = clip[:, :3] / clip[:, 3:]
    seen = camera.project(points, SIZE)
    assert seen[:, 0] == pytest.approx((device[:, 0] + 1.0) * 0.5 * SIZE[0], rel=1e-9, abs=1e-6)
    assert seen[:, 1] == pytest.approx((1.0 - device[:, 1]) * 0.5 * SIZE[1], rel=1e-9, abs=1e-6)
    # Nearer is less, as the depth test wants it.
    assert (np.argsort(seen[:, 2]) == np.argsort(device[:, 2])).all()


@pytest.mark.parametrize("camera", cameras())
def test_ray_passes_through_what_it_aims_at(camera: Camera) -> None:
    """Send the ray through a pixel to every point that is projected there."""
    for x, y in ((3.0, 5.0), (320.0, 180.0), (600.0, 20.0)):
        origin, direction = camera.ray(x, y, SIZE)
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        start = float((camera.target - origin) @ direction)
        for way in (0.5, 1.0, 1.5):
            point = origin + (start - (1.0 - way) * camera.distance) * direction
            assert camera.project(point, SIZE)[:2] == pytest.approx([x, y], abs=1e-6)


def test_axes_are_right_handed_and_up_is_up() -> None:
    """Have right x up = back, and z upward in the picture from every elevation below the poles."""
    for camera in cameras():
        right, up, back = camera.axes
        assert np.cross(right, up) == pytest.approx(back)
        assert up[2] > 0.0


@pytest.mark.parametrize("orthographic", [False, True])
def test_zoom_keeps_the_point_under_the_pointer(orthographic: bool) -> None:
    """Leave the point under the pointer in its pixel, whether its depth is known or that of the target."""
    for camera in cameras():
        camera.orthographic = orthographic
        origin, direction = camera.ray(500.0, 90.0, SIZE)
        middle = float((camera.target - origin) @ direction)
        point = origin + direction * (middle + 0.2 * camera.distance)
        before = camera.distance
        camera.zoom_to(1.7, 500.0, 90.0, SIZE, point)
        assert camera.distance == pytest.approx(before / 1.7)
        assert camera.project(point, SIZE)[:2] == pytest.approx([500.0, 90.0], abs=1e-6)
        origin, direction = camera.ray(100.0, 300.0, SIZE)
        back = camera.axes[2]
        on_plane = origin + direction * ((camera.target - origin) @ back) / (direction @ back)
        camera.zoom_to(0.6, 100.0, 300.0, SIZE)
        assert camera.project(on_plane, SIZE)[:2] == pytest.approx([100.0, 300.0], abs=1e-6)


def test_pan_follows_the_pointer() -> None:
    """Move the target, or a point at another depth, by as many pixels as the pointer."""
    for camera in cameras():
        for depth in (None, 1.7 * camera.distance):
            shift = 0.0 if depth is None else depth - camera.distance
            point = camera.target - shift * camera.axes[2]
            before = camera.project(point, SIZE)[:2]
            camera.pan(13.0, -7.0, SIZE, depth)
            assert camera.project(point, SIZE)[:2] - before == pytest.approx([13.0, -7.0], abs=1e-6)


def test_orbit_keeps_target_and_distance_and_stops_at_the_poles() -> None:
    """Turn about the target, no farther than straight above."""
    camera = Camera(target=(1.0, 2.0, 3.0), distance=4.0)
    camera.orbit(0.4, 0.2)
    assert np.linalg.norm(camera.eye - camera.target) == pytest.approx(4.0)
    camera.orbit(0.0, 9.0)
    assert camera.eye == pytest.approx([1.0, 2.0, 7.0])


@pytest.mark.parametrize("orthographic", [False, True])
def test_fit_fills_the_picture(orthographic: bool) -> None:
    """Bring all points into the picture so that two opposite sides are touched, less the margin."""
    rng = np.random.default_rng(3)
    for camera in cameras():
        camera.orthographic = orthographic
        points = rng.normal(size=(200, 3)) * rng.uniform(0.2, 20.0, 3) + rng.normal(size=3) * 100.0
        camera.fit(points, SIZE, margin=1.0)
        seen = camera.project(points, SIZE)
        low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
        assert (low > -1e-6).all() and (high < np.array(SIZE) + 1e-6).all()
        across, upward = high - low
        assert across == pytest.approx(SIZE[0]) or upward == pytest.approx(SIZE[1])
        camera.fit(points, SIZE, margin=2.0)
        seen = camera.project(points, SIZE)
        assert (np.ptp(seen[:, :2], axis=0) < 0.75 * np.array(SIZE)).all()


def test_fit_of_a_point_and_of_nothing() -> None:
    """Look at a single point from some distance; stay where it is without any."""
    camera = Camera()
    camera.fit([[5.0, 5.0, 5.0]], SIZE)
    assert camera.target == pytest.approx([5.0, 5.0, 5.0]) and camera.distance > 0.0
    before = camera.view()
    camera.fit(np.zeros((0, 3)), SIZE)
    assert camera.view() == before


@pytest.mark.parametrize(
    ("number", "back"),
    [(1, (0, -1, 0)), (2, (1, 0, 0)), (3, (0, 0, 1)), (4, (0, 1, 0)), (5, (-1, 0, 0)), (6, (0, 0, -1))],
)
def test_axis_views(number: int, back: tuple[int, int, int]) -> None:
    """Look from the front, the right, above, behind, the left and below, with the x axis level."""
    camera = Camera()
    camera.axis_view(number)
    assert camera.axes[2] == pytest.approx(back, abs=1e-12)
    assert set(AXIS_VIEWS) == set(range(1, 7))


def test_follow_goes_along() -> None:
    """Keep a moving body in its pixel, if it does not turn about the camera."""
    camera = Camera()
    camera.follow((1.0, 2.0, 0.5), (0.0, 0.0, 0.0))
    assert camera.target == pytest.approx([1.0, 2.0, 0.5])


def test_views_are_kept_and_checked() -> None:
    """Restore a view from plain values; refuse values that are missing, unknown or not finite."""
    camera = cameras()[0]
    view = camera.view()
    other = Camera()
    other.set_view(view)
    assert other.view() == view
    with pytest.raises(ValueError, match="a view has the values"):
        other.set_view({"target": [0, 0, 0]})
    with pytest.raises(ValueError, match="finite"):
        other.set_view(view | {"distance": math.nan})


def test_points_behind_the_camera_are_nowhere() -> None:
    """Give no pixel for what is behind the camera."""
    camera = Camera(distance=2.0)
    seen = camera.project(camera.eye + camera.axes[2], SIZE)
    assert np.isnan(seen[:2]).all() and seen[2] == pytest.approx(-1.0)
