"""Masses, lengths and inertias of the segments of a human body (Henze 2002, section 2.1, appendices E and G).

The man of the thesis: 75 kg, 1.80 m, from NASA Reference Publication 1024 and DIN 33402 by its regressions,
as printed, with what is misprinted put right: the inertia of the foot has its axes exchanged, that of the
thorax lacks a digit, the height of the upper torso's joint another, and the upper arm has the rows of another
block.
The tables of the sources are not in the thesis, so people of other sizes are this man scaled.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from stoss.collision.quaternions import Vector
from stoss.engine import checks
from stoss.names import closed

__all__ = ["MALE", "Human", "Segment", "combined"]


@closed
@dataclass(frozen=True)
class Segment:
    """A part of the body: x forward, y to the left, z up; about its centre of mass.

    Args:
        mass: [kg].
        length: along z, or of the foot along x [m].
        inertia: about x, y and z [kg m^2].
        proximal: the joint nearer to the trunk, from the centre of mass (3,) [m]; of the left side.
        distal: the joint farther from it.
        points: others by their names, for instance where a foot touches the ground.

    Raises:
        ValueError: an inertia that no body has.
    """

    mass: float
    length: float
    inertia: Vector
    proximal: Vector | None = None
    distal: Vector | None = None
    points: tuple[tuple[str, Vector], ...] = ()

    def __post_init__(self) -> None:
        x, y, z = self.inertia
        for name, one, others in (("x", x, y + z), ("y", y, x + z), ("z", z, x + y)):
            if one > others * (1.0 + 1e-9):
                raise ValueError(
                    f"Segment: inertia = {self.inertia} about {name} is more than about both others "
                    f"together, by {one - others:.4g} kg m^2: no body has it; are axes exchanged?"
                )

    def scaled(self, size: float, mass: float) -> Self:
        """Return the segment of other lengths and mass, of the same shape.

        Args:
            size: factor of lengths.
            mass: factor of masses.
        """

        def point(p: Vector | None) -> Vector | None:
            return None if p is None else (size * p[0], size * p[1], size * p[2])

        x, y, z = self.inertia
        share = mass * size * size
        points = tuple((name, (size * p[0], size * p[1], size * p[2])) for name, p in self.points)
        return replace(
            self,
            mass=mass * self.mass,
            length=size * self.length,
            inertia=(share * x, share * y, share * z),
            proximal=point(self.proximal),
            distal=point(self.distal),
            points=points,
        )


def combined(parts: Iterable[tuple[Segment, Vector]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass [kg], centre (3,) [m] and inertia (3, 3) about it [kg m^2] of segments held together.

    Args:
        parts: segments, and where their centres of mass are (3,) [m].
    """
    parts = list(parts)
    masses = np.array([segment.mass for segment, _ in parts])
    places = np.array([place for _, place in parts], float)
    mass = float(masses.sum())
    centre = masses @ places / mass
    inertia = np.zeros((3, 3))
    for (segment, _), away in zip(parts, places - centre, strict=True):
        inertia += np.diag(segment.inertia) + segment.mass * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, centre, inertia


@closed
@dataclass(frozen=True)
class Human:
    """The segments of a body, left limbs once.

    Args:
        stature: [m].
        head, neck, thorax, lumbar, pelvis, upper_arm, forearm, hand, thigh, shank, foot: its segments.
    """

    stature: float
    head: Segment
    neck: Segment
    thorax: Segment
    lumbar: Segment
    pelvis: Segment
    upper_arm: Segment
    forearm: Segment
    hand: Segment
    thigh: Segment
    shank: Segment
    foot: Segment

    @property
    def mass(self) -> float:
        """Return the mass of all segments [kg]."""
        single = (self.head, self.neck, self.thorax, self.lumbar, self.pelvis)
        double = (self.upper_arm, self.forearm, self.hand, self.thigh, self.shank, self.foot)
        return sum(part.mass for part in single) + 2.0 * sum(part.mass for part in double)

    @property
    def ankle_height(self) -> float:
        """Return the height of the ankle joint above the sole [m]."""
        assert self.foot.proximal is not None
        return self.foot.proximal[2] - dict(self.foot.points)["heel"][2]

    @property
    def leg(self) -> float:
        """Return the length of a straight leg, from hip to ankle [m]."""
        return self.thigh.length + self.shank.length

    @property
    def height(self) -> float:
        """Return the height of the vertex, by the lengths of what stands on each other [m]."""
        trunk = self.pelvis.length + self.lumbar.length + self.thorax.length + self.neck.length
        return self.ankle_height + self.shank.length + self.thigh.length + trunk + 0.7 * self.head.length

    def scaled(self, *, stature: float | None = None, mass: float | None = None) -> Self:
        """Return a person of another size: lengths by the stature, masses by the mass, all segments alike.

        Args:
            stature: [m]; None: this one.
            mass: [kg]; None: by the cube of the stature.
        """
        size = 1.0 if stature is None else checks.positive("stature", stature, "m") / self.stature
        share = size**3 if mass is None else checks.positive("mass", mass, "kg") / self.mass
        names = ("head", "neck", "thorax", "lumbar", "pelvis", "upper_arm", "forearm", "hand")
        parts = {name: getattr(self, name).scaled(size, share) for name in (*names, "thigh", "shank", "foot")}
        return replace(self, stature=size * self.stature, **parts)


MALE = Human(
    stature=1.80,
    head=Segment(4.796, 0.23227, (2.203424e-2, 2.043559e-2, 2.841741e-2), distal=(0.0, 0.0, -0.050685)),
    neck=Segment(
        1.715, 0.12678, (3.823848e-3, 3.823848e-3, 3.054645e-3), (0.0, 0.0, -0.063388), (0.0, 0.0, 0.063388)
    ),
    thorax=Segment(
        16.050,
        0.26468,
        (2.099251e-1, 1.556830e-1, 1.782125e-1),
        (0.0, 0.0, -0.13234),
        (0.0, 0.0, 0.13234),
        (("shoulder", (0.0, 0.18725, 0.088423)),),
    ),
    lumbar=Segment(
        10.77, 0.17285, (1.048388e-1, 6.842973e-2, 1.196221e-1), (0.0, 0.0, -0.086427), (0.0, 0.0, 0.086427)
    ),
    pelvis=Segment(
        9.820,
        0.10263,
        (7.973619e-2, 4.654701e-2, 1.090433e-1),
        (0.0, 0.0, 0.051316),
        (0.0, 0.10348, -0.051316),
    ),
    upper_arm=Segment(
        2.082, 0.31293, (1.592104e-2, 1.463403e-2, 2.805999e-3), (0.0, 0.0, 0.15020), (0.0, 0.0, -0.16273)
    ),
    forearm=Segment(
        1.283, 0.27786, (7.732384e-3, 7.472211e-3, 1.153657e-3), (0.0, 0.0, 0.11392), (0.0, 0.0, -0.16394)
    ),
    hand=Segment(0.4899, 0.19357, (9.390500e-4, 8.077640e-4, 3.148846e-4), (0.0, 0.0, 0.056714)),
    thigh=Segment(
        7.829, 0.44455, (1.350485e-1, 1.400581e-1, 2.875762e-2), (0.0, 0.0, 0.18226), (0.0, 0.0, -0.26228)
    ),
    shank=Segment(
        3.243, 0.43510, (4.682584e-2, 4.622806e-2, 4.138892e-3), (0.0, 0.0, 0.19144), (0.0, 0.0, -0.24366)
    ),
    foot=Segment(
        0.9968,
        0.27427,
        (9.847922e-4, 3.841302e-3, 4.236624e-3),
        (-0.057596, 0.0, 0.045409),
        None,
        (
            ("heel", (-0.093251, 0.0, -0.045409)),
            ("medial ball", (0.085023, -0.030169, -0.045409)),
            ("lateral ball", (0.071309, 0.035655, -0.045409)),
        ),
    ),
)
