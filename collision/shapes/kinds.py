"""Codes by which kernels tell shapes apart."""

__all__ = [
    "BOX",
    "CAPSULE",
    "CONE",
    "CYLINDER",
    "ELLIPSOID",
    "HALFSPACE",
    "HULL",
    "MESH",
    "SPHERE",
]

SPHERE = 0
BOX = 1
CAPSULE = 2
CYLINDER = 3
CONE = 4
ELLIPSOID = 5
HALFSPACE = 6
HULL = 7
MESH = 8
