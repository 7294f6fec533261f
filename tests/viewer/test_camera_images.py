"""Depth, segmentation and normals against closed forms: rays that meet planes, balls and boxes."""

import numpy as np
import pytest

import stoss as st
from stoss import viewer
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.style import Style

SIZE = (96, 72)


def rays(camera: Camera) -> tuple[np.ndarray, np.ndarray]:
    """Return the beginnings and directions (h, w, 3) of the rays through the middles of all pixels."""
    pairs = [[camera.ray(x + 0.5, y + 0.5, SIZE) for x in range(SIZE[0])] for y in range(SIZE[1])]
    table = np.array(pairs)
    return table[:, :, 0], table[:, :, 1]


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("far", [0.0, 700.0])
def test_a_plane_is_as_deep_as_its_rays(orthographic: bool, far: float) -> None:
    """Find the depth at which the rays meet an inclined plane, its normal, and nothing in the sky."""
    normal = np.array([0.2, -0.1, 1.0]) / np.linalg.norm([0.2, -0.1, 1.0])
    world = st.World()
    world.add_body(
        st.HalfSpace(normal=tuple(normal), offset=0.3), position=(far, 0.0, 0.0), kind="static", name="ground"
    )
    place = np.array([far, 0.0, 1.0])
    camera = Camera(target=place, distance=8.0, elevation=0.2, orthographic=orthographic)
    image = viewer.camera_image(world, SIZE, camera=camera)
    begin, way = rays(camera)
    length = (0.3 - (begin - [far, 0.0, 0.0]) @ normal) / (way @ normal)
    depth = (camera.eye - (begin + length[..., None] * way)) @ camera.axes[2]
    near = (length > 0) & (depth < 300.0)
    assert near.sum() > 500 and (image.segmentation[near] == 0).all()
    # The disc that is drawn is in single precision; what it covers is worked out anew.
    assert image.depth[near] == pytest.approx(depth[near], rel=1e-9)
    assert np.abs(image.normals[near] - normal).max() < 1e-5
    sky = image.segmentation < 0
    assert np.isinf(image.depth[sky]).all() and (image.normals[sky] == 0.0).all()


def test_a_ball_is_as_deep_as_its_rays() -> None:
    """Find depth and normals of a ball, up to the polyhedron that is drawn, and whose it is."""
    world = st.World()
    for k, x in enumerate((-1.5, 1.5)):
        world.add_body(st.Sphere(1.0), position=(x, 0.0, 2.0), name=f"ball {k}")
    camera = Camera(target=(0.0, 0.0, 2.0), distance=9.0, azimuth=-1.2, elevation=0.3)
    image = viewer.camera_image(world, SIZE, camera=camera)
    begin, way = rays(camera)
    depth = np.full(SIZE[::-1], np.inf)
    rows = np.full(SIZE[::-1], -1)
    normals = np.zeros((*SIZE[::-1], 3))
    for row, x in enumerate((-1.5, 1.5)):
        to = begin - [x, 0.0, 2.0]
        b, c = (to * way).sum(axis=2), (to * to).sum(axis=2) - 1.0
        root = np.sqrt(np.maximum(b * b - c, 0.0))
        point = to + (-b - root)[..., None] * way
        ahead = (camera.eye - point - [x, 0.0, 2.0]) @ camera.axes[2]
        nearer = (b * b > c + 0.02) & (ahead < depth)  # not at the rim, where a polygon ends earlier
        depth[nearer], rows[nearer], normals[nearer] = ahead[nearer], row, point[nearer]
    seen = rows >= 0
    assert seen.sum() > 800 and (image.segmentation[seen] == rows[seen]).all()
    facing = -(way * normals).sum(axis=2)[seen]
    # A face lies within the ball by up to 1 - cos(pi / 96) across either direction; more along a slanted ray.
    within = 2.0 * (1.0 - np.cos(np.pi / 96)) / facing
    assert (np.abs(image.depth[seen] - depth[seen]) < 2.0 * within + 1e-5).all()
    assert np.abs(image.normals[seen] - normals[seen]).max() < 4.0 * np.pi / 96
    assert np.linalg.norm(image.normals[seen], axis=1) == pytest.approx(1.0, abs=1e-6)


def test_boxes_are_told_apart_by_their_rows() -> None:
    """Tell rows of the world, also after a removal; see nothing of what is hidden."""
    world = st.World()
    for k in range(4):
        world.add_body(st.Box((1.0, 1.0, 1.0)), position=(1.5 * k, 0.0, 0.5), name=f"box {k}")
    world.remove_body(world.body("box 1"))
    image = viewer.camera_image(world, SIZE, camera="front")
    assert set(np.unique(image.segmentation)) == {-1, 0, 1, 2}
    for body in world.bodies:
        x, y, _ = image.camera.project(body.position, SIZE).astype(int)
        assert image.segmentation[y, x] == body.index
        assert image.normals[y, x] == pytest.approx([0.0, -1.0, 0.0], abs=1e-6)
        toward = image.camera.eye - body.position
        assert image.depth[y, x] == pytest.approx(toward @ image.camera.axes[2] - 0.5, abs=1e-4)
    hidden = viewer.camera_image(world, SIZE, camera="front", style=Style(hidden=(1,)))
    assert set(np.unique(hidden.segmentation)) == {-1, 0, 2}


def test_the_colours_are_those_of_a_picture() -> None:
    """Give the same colours as `viewer.picture`, of the same size as the rest."""
    world = st.World()
    world.add_body(st.Sphere(1.0), name="ball")
    image = viewer.camera_image(world, SIZE, camera="top", quality="medium")
    assert (image.rgb == viewer.picture(world, SIZE, camera="top", quality="medium")).all()
    assert image.rgb.shape[:2] == image.depth.shape == image.segmentation.shape == image.normals.shape[:2]
    with pytest.raises(ValueError, match="size = 0"):
        viewer.camera_image(world, (0, 10))
    with pytest.raises(TypeError, match="must be a World"):
        viewer.camera_image(7)  # type: ignore[arg-type]
