"""Kneecaps, which a rod, a tendon and the flexion of the knee lead (Stelzner 2008, section 4.2.1)."""

import numpy as np

from stoss.engine.humans.levels.bones import Bones, X, Y, rod
from stoss.engine.joints.basic_kinds import Distance
from stoss.engine.joints.combined_kinds import Planar

__all__ = ["MASS", "add_kneecap"]

MASS = 0.08  # [kg], of the thigh's; a stand-in
# How far a kneecap turns with 130 degrees of flexion, as told.
SHARE = 85.0 / 130.0
# In the sagittal plane, x forward, z up, from the knee of a straight leg [m]: the middle of the kneecap,
# where the rod is on the thigh, and where the tendon is on the shank. From its middle: its lower end, with
# the tendon, and where the rod is. Told is that the tendon keeps its length and, nearly, its angle to the
# kneecap, and turns by about 40 degrees against the shank: with these stand-ins by 44, and against the
# kneecap by 0.6, where rods or their curves lead the knee.
MIDDLE, THIGH, SHANK = (0.0420, 0.0201), (0.0005, 0.0316), (0.0401, -0.0324)
TIP, BACK = (0.0, -0.020), (-0.0129, -0.0089)


def add_kneecap(bones: Bones, side: str, knee: np.ndarray) -> None:
    """Add a kneecap to a straight leg that has thigh, shank and knee.

    Args:
        bones: with "SIDE thigh", "SIDE shank" and the joint "SIDE knee".
        side: "right" or "left".
        knee: (3,) where the knee is [m].
    """

    def at(*places: tuple[float, float]) -> tuple[float, float, float]:
        x, z = np.sum(places, axis=0)
        px, py, pz = (knee + bones.size * np.array([x, 0.0, z])).tolist()
        return px, py, pz

    name, size = f"{side} patella", bones.size
    tip = size * np.array([TIP[0], 0.0, TIP[1]])
    bones.add(name, at(MIDDLE), rod(size**3 * MASS, tip, 0.015 * size), tip, 0.008 * size)
    bones.join(name, Planar(at(MIDDLE), Y, x_axis=X), f"{side} thigh", name)
    bones.join(f"{name} rod", Distance(at(THIGH), at(MIDDLE, BACK)), f"{side} thigh", name)
    bones.join(f"{name} tendon", Distance(at(MIDDLE, TIP), at(SHANK)), name, f"{side} shank")
    bones.lead((f"{side} knee", "angle"), (name, "angle"), SHARE)
