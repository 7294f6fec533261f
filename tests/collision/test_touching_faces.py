"""Convex bodies that share a face exactly: where the overlap is zero, rounding must not choose the normal."""

import numpy as np
import pytest

from stoss.collision import ConvexHull
from tests.collision.scene_of_two import IDENTITY, collide


def voussoirs(count: int, thickness: float) -> list[np.ndarray]:
    """Return the corners (8, 3) of the stones of a semicircular arch of radius 5, each sharing its joints."""
    angles = np.pi * np.arange(count + 1) / count
    return [
        np.array(
            [
                (r * np.cos(a), y, r * np.sin(a))
                for a in pair
                for r in (5.0 - 0.5 * thickness, 5.0 + 0.5 * thickness)
                for y in (-0.5 * thickness, 0.5 * thickness)
            ]
        )
        for pair in zip(angles[:-1], angles[1:], strict=True)
    ]


@pytest.mark.parametrize("count", [3, 5, 9, 17, 33])
@pytest.mark.parametrize("thickness", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("backend", ["native", "fcl"])
def test_touching_hulls_meet_in_their_common_face(count, thickness, backend):
    """Give two voussoirs of an arch the normal of their common joint, gap 0, and its four corners.

    A joint was missed by the thickness: the origin lay on a face of the first tetrahedron, and rounding
    led the search away along the joint. Corners of 5 m carry rounding of 1e-15 m.
    """
    stones = voussoirs(count, thickness)
    for k, (first, second) in enumerate(zip(stones[:-1], stones[1:], strict=True)):
        poses = [(corners.mean(axis=0), IDENTITY) for corners in (first, second)]
        hulls = [ConvexHull(corners - pose[0]) for corners, pose in zip((first, second), poses, strict=True)]
        contacts = collide(hulls[0], poses[0], hulls[1], poses[1], 5e-3, backend)
        angle = np.pi * (k + 1) / count
        assert contacts.count == 4
        np.testing.assert_allclose(contacts.gap[:4], 0.0, atol=1e-12)
        joint = np.array([np.sin(angle), 0.0, -np.cos(angle)])
        # flat to rounding over half a metre
        np.testing.assert_allclose(contacts.normal[:4], np.tile(joint, (4, 1)), atol=1e-12)
