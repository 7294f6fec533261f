"""Hulls of nearly flat clouds are exact, or refused."""

import warnings

import numpy as np
import pytest
from scipy.spatial import ConvexHull as Qhull

from stoss import ConvexHull

TURN = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]


def clouds(thickness):
    """Return clouds of that thickness [m per m of width]."""
    random = np.random.default_rng(3)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, thickness)], float)
    cloud = random.uniform(-1, 1, (60, 3)) * (1, 1, thickness)
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    grid = np.stack(np.meshgrid(*2 * [np.linspace(0, 1, 9)]), axis=-1).reshape(-1, 2)
    found = {
        "box": corners,
        "turned box": corners @ TURN.T,
        "turned box, far away": corners @ TURN.T + (3, 4, 5),
        "cloud": cloud,
        "turned cloud": cloud @ TURN.T,
        "disc": np.concatenate([rim, rim + (0, 0, thickness)]) @ TURN.T,
        "lens": np.concatenate([rim, [(0, 0, thickness)], [(0, 0, -thickness)]]) @ TURN.T,
        "rough sheet": np.column_stack([grid, thickness * random.normal(size=len(grid))]) @ TURN.T,
    }
    return found | {
        f"{name}, float32": points.astype(np.float32).astype(float) for name, points in found.items()
    }


def is_closed(faces):
    """Return whether each edge is run along once in each direction."""
    edges = [(a, b) for face in faces for a, b in zip(face.tolist(), np.roll(face, -1).tolist(), strict=True)]
    return len(set(edges)) == len(edges) and all((b, a) in set(edges) for a, b in edges)


@pytest.mark.parametrize("thickness", [1e-1, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-12, 0.0])
def test_thin_hulls_are_exact_or_refused(thickness):
    """What is accepted is closed, has the volume of the hull and moments that a body may have."""
    accepted = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no division by zero either
        for name, points in clouds(thickness).items():
            try:
                hull = ConvexHull(points)
            except ValueError as error:
                assert "thicken it" in str(error), name
                continue
            accepted += 1
            stretch = points - points.mean(axis=0)
            axes = np.linalg.svd(stretch, full_matrices=False)[2]
            widths = np.ptp(stretch @ axes.T, axis=0)
            exact = Qhull(stretch @ axes.T / widths).volume * np.prod(widths)
            assert hull.volume == pytest.approx(exact, rel=1e-4), name
            assert is_closed(hull.faces), name
            moments = np.linalg.eigvalsh(hull.second_moment)
            assert moments[0] > 0.0 and moments[0] + moments[1] >= moments[2] * (1 - 1e-9), name
    assert accepted == 16 if thickness >= 1e-5 else accepted < 16
    assert accepted == 0 or thickness >= 1e-6


def test_a_sheet_from_a_float32_file_rests_on_a_floor():
    """A hull of 1 m x 1 m x 0.1 mm lies still where it is set down."""
    from stoss import Box, World

    world = World()
    world.add_body(Box((4, 4, 0.2)), position=(0, 0, -0.1), kind="static")
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0, 1e-4)], np.float32)
    sheet = world.add_body(ConvexHull(corners), mass=0.2, position=(0, 0, 0))
    world.step(50)
    assert np.abs(sheet.position).max() < 1e-6
