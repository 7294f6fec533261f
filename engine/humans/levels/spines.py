"""Spines in four levels, all of six coordinates at most (Stelzner 2008, section 4.2.2 and table 4.1)."""

from typing import NamedTuple

import numpy as np

from stoss.collision import Box, Placed
from stoss.engine.bodies.mass import MassProperties, from_values
from stoss.engine.humans.anthropometry import Human, Segment
from stoss.engine.humans.levels.bones import Bones, X, Y, Z, properties_of
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Fixed, Hinge, Universal
from stoss.engine.joints.curves import Curve

__all__ = ["RANGES", "SPINES", "add_spine"]

SPINES = ("full", "rigid thorax", "three bodies", "rigid")


class Range(NamedTuple):
    """How far a region bends [degrees]: forward, back, to each side, and turns to each side."""

    forward: float
    back: float
    side: float
    turn: float


# Table 4.1; the whole turn of the neck is that of the table, not of the text.
RANGES = {
    "lumbar": Range(50, 35, 20, 5),
    "thoracic": Range(35, 25, 20, 36),
    "cervical": Range(65, 40, 35, 50),
    "lower head": Range(0, 0, 0, 35),
    "upper head": Range(20, 10, 5, 0),
}
NONE = Range(0, 0, 0, 0)


def _slice(segment: Segment, count: int, share: float) -> MassProperties:
    """Return one of equal slices that add up to a share of a segment, about its lower end."""
    mass, height = share * segment.mass, segment.length / count
    x, y, z = segment.inertia
    spread = segment.mass * segment.length**2 / 12.0 * (1.0 - 1.0 / count**2)
    inertia = share * np.array([x - spread, y - spread, z]) / count
    return from_values(mass / count, np.diag(inertia), (0.0, 0.0, 0.5 * height))


class _Spine:
    """Vertebrae as they come, from the pelvis up."""

    def __init__(self, bones: Bones, limits: bool) -> None:
        self.bones, self.limits = bones, limits
        self.leader: tuple[str, Range] = ("", NONE)

    def lead(self, name: str, own: Range, whole: Range, prefix: str) -> None:
        """Let a ball joint be the one that others follow; `whole` is the range of all together."""
        self.leader = name, own
        bones = self.bones
        for word, axis, part, total in (
            ("lateral", "x", own.side, whole.side),
            ("flexion", "y", own.forward, whole.forward),
            ("axial", "z", own.turn, whole.turn),
        ):
            bones.leaders[prefix + word] = f"{bones.prefix}{name}.{axis}", part / total
        self.stop(name, own, TURNS)

    def stop(self, name: str, own: Range, coordinates: tuple[str, str, str]) -> None:
        """Let a joint stop where its range ends."""
        ranges = (-own.side, own.side), (-own.back, own.forward), (-own.turn, own.turn)
        if self.limits:
            self.bones.limit(name, {c: r for c, r in zip(coordinates, ranges, strict=True) if c})

    def follow(self, name: str, own: Range, coordinates: tuple[str, str, str]) -> None:
        """Let the coordinates of a joint about x, y and z follow the leader; "" for one that it has not."""
        leader, lead = self.leader
        bones = self.bones
        # forward and back have other shares: a parabola through both ends
        bend = Curve(np.radians([(-lead.back, -own.back), (0.0, 0.0), (lead.forward, own.forward)]))
        laws: tuple[float | Curve, ...] = (own.side / lead.side, bend, own.turn / lead.turn)
        for axis, coordinate, law in zip("xyz", coordinates, laws, strict=True):
            if coordinate:
                bones.lead((leader, f"turn_{axis}"), (name, coordinate), law)
        if not bones.coupled:  # else it stops with its leader
            self.stop(name, own, coordinates)


TURNS = ("turn_x", "turn_y", "turn_z")


def _share(of: Range, count: int) -> Range:
    return Range(*(angle / count for angle in of))


def _plus(one: Range, other: Range) -> Range:
    return Range(*(a + b for a, b in zip(one, other, strict=True)))


def add_spine(
    bones: Bones, human: Human, kind: str, place: np.ndarray, *, limits: bool, thorax_share: float = 1.0
) -> tuple[str, np.ndarray]:
    """Add what is above the pelvis but for shoulders and arms.

    Args:
        bones: with a "pelvis".
        human: whose data they are.
        kind: "full", 24 vertebrae; "rigid thorax"; "three bodies"; or "rigid".
        place: (3,) of the joint above the sacrum [m].
        limits: whether it stops at the ranges of table 4.1.
        thorax_share: of the mass of the thorax; the rest is the shoulder girdle's.

    Returns:
        The bone that carries the arms, and where the middle between the shoulders is (3,) [m].
    """
    build = _Spine(bones, limits)
    back, neck = (
        _plus(RANGES[a], RANGES[b]) for a, b in (("lumbar", "thoracic"), ("cervical", "upper head"))
    )
    neck = _plus(neck, RANGES["lower head"])
    size = bones.size
    last, z = "pelvis", float(place[2])
    x, y = place[:2].tolist()

    def add(name: str, height: float, mass: MassProperties, width: float, joint: object) -> None:
        nonlocal last, z
        block = Placed(Box((0.7 * width, width, 0.8 * height)), (0.0, 0.0, 0.5 * height))
        bones.add(name, (x, y, z), mass, shapes=(block,))
        bones.join(name, joint, last, name)
        last, z = name, z + height

    thorax = properties_of(human.thorax)
    whole = from_values(
        thorax_share * thorax.mass, thorax_share * np.diag(human.thorax.inertia), thorax.center
    )
    shoulder = np.array(dict(human.thorax.points)["shoulder"])
    assert human.thorax.proximal is not None
    above = float(shoulder[2] - human.thorax.proximal[2])
    if kind in ("full", "rigid thorax"):
        own = RANGES["lumbar"] if kind == "full" else back
        for k in range(5):
            name = f"L{5 - k}"
            add(name, human.lumbar.length / 5, _slice(human.lumbar, 5, 1.0), 0.05 * size, Ball((x, y, z)))
            if k == 0:
                build.lead(name, _share(own, 5), back, "")
            else:
                build.follow(name, _share(own, 5), TURNS)
    else:
        kind_of = Fixed((x, y, z)) if kind == "rigid" else Ball((x, y, z))
        add("lumbar", human.lumbar.length, properties_of(human.lumbar), 0.05 * size, kind_of)
        if kind != "rigid":
            build.lead("lumbar", RANGES["lumbar"], back, "")
    carrier_z = z + above
    if kind == "full":
        for k in range(12):
            name = f"T{12 - k}"
            add(
                name,
                human.thorax.length / 12,
                _slice(human.thorax, 12, thorax_share),
                0.04 * size,
                Ball((x, y, z)),
            )
            build.follow(name, _share(RANGES["thoracic"], 12), TURNS)
        carrier = "T1"
    else:
        ball = kind == "three bodies"
        add("thorax", human.thorax.length, whole, 0.04 * size, Ball((x, y, z)) if ball else Fixed((x, y, z)))
        if ball:
            build.follow("thorax", RANGES["thoracic"], TURNS)
        carrier = "thorax"
    if kind in ("full", "rigid thorax"):
        for k in range(6):
            name = f"C{7 - k}"
            add(name, human.neck.length / 7, _slice(human.neck, 7, 1.0), 0.03 * size, Ball((x, y, z)))
            if k == 0:
                build.lead(name, _share(RANGES["cervical"], 6), neck, "neck ")
            else:
                build.follow(name, _share(RANGES["cervical"], 6), TURNS)
        add("C1", human.neck.length / 7, _slice(human.neck, 7, 1.0), 0.03 * size, Hinge((x, y, z), Z))
        build.follow("C1", RANGES["lower head"], ("", "", "angle"))
        _head(bones, human, (x, y, z), last, Universal((x, y, z), X, Y))
        build.follow("head", RANGES["upper head"], ("angle_1", "angle_2", ""))
    else:
        ball = kind == "three bodies"
        add(
            "neck",
            human.neck.length,
            properties_of(human.neck),
            0.03 * size,
            Ball((x, y, z)) if ball else Fixed((x, y, z)),
        )
        if ball:
            build.lead("neck", RANGES["cervical"], neck, "neck ")
        _head(bones, human, (x, y, z), last, Ball((x, y, z)) if ball else Fixed((x, y, z)))
        if ball:
            build.follow("head", _plus(RANGES["lower head"], RANGES["upper head"]), TURNS)
    return carrier, np.array([x, y, carrier_z])


def _head(bones: Bones, human: Human, place: tuple[float, float, float], neck: str, joint: object) -> None:
    from stoss.collision import Ellipsoid

    assert human.head.distal is not None
    up = -human.head.distal[2]
    size = bones.size
    radii = 0.095 * size, 0.075 * size, 0.115 * size
    mass = from_values(human.head.mass, np.diag(human.head.inertia), (0.0, 0.0, up))
    bones.add("head", place, mass, shapes=(Placed(Ellipsoid(radii), (0.0, 0.0, up)),))
    bones.join("head", joint, neck, "head")
