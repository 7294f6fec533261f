"""What can be laid over the bodies: contacts, joints, axes, velocities, paths, names."""

from dataclasses import dataclass, field

import numpy as np

__all__ = ["OverlayGeometry"]


@dataclass
class OverlayGeometry:
    """Things to draw, in world coordinates [m] and sRGB colours with opacity.

    Attributes:
        lines: (k, 11) start (3), width [pixels], stop (3), colour (4). A line of no length is a round point.
        arrows: (a, 16) start (3), 0, quaternion from z to the direction (4), sizes of `geometry.arrow` (4),
            colour (4).
        cones: (c, 16) the same, with the sizes of the mesh "cone".
        labels: texts and the points (3,) they belong to; drawn by the window.
    """

    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, 11)))
    arrows: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    cones: np.ndarray = field(default_factory=lambda: np.zeros((0, 16)))
    labels: list[tuple[str, np.ndarray]] = field(default_factory=list)


@dataclass
class OverlayOptions:
    """What is laid over the bodies."""

    contacts: bool = False
    joints: bool = False
    velocities: bool = False
    names: bool = False
    trajectories: bool = False

    @property
    def needs_contacts(self) -> bool:
        """Return whether frames must hold the contacts."""
        return self.contacts
