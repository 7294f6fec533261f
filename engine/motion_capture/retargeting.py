"""Motions of one model on another (Stelzner 2008, section 3.3), and recordings of models."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.motion_capture.tracking import own_name, track_markers
from stoss.names import hint, takes_names

__all__ = ["record_markers", "retarget"]


@takes_names
def record_markers(
    articulation: Articulation, motion: Motion, *, noise: float = 0.0, seed: int = 0
) -> MarkerData:
    """Return where the markers on the bodies of a world are during a motion; the world stays as it is.

    Args:
        articulation: of a world with markers on its bodies.
        motion: with the coordinates of the articulation.
        noise: standard deviation of each coordinate of each marker [m].
        seed: of the noise.

    Raises:
        TypeError, ValueError: no markers are on bodies, or the motion lacks a coordinate.
    """
    checks.instance("articulation", articulation, Articulation, "Articulation(world)")
    checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
    checks.number("noise", noise, "m", least=0.0)
    markers = [marker for marker in articulation.world.markers if marker.body is not None]
    if not markers:
        raise ValueError("no marker of the world is on a body; name some with world.add_marker")
    short = [own_name(marker) for marker in markers]
    names = [s if short.count(s) == 1 else m.name for s, m in zip(short, markers, strict=True)]
    rows = np.array([marker.body.index for marker in markers if marker.body is not None])
    local = np.array([marker.local_position for marker in markers])
    order = motion._order(articulation)
    positions = np.empty((len(motion), len(markers), 3))
    for k, q in enumerate(motion.q[:, order]):
        places, turns = articulation.poses(q)
        w, v = turns[rows, :1], turns[rows, 1:]
        t = 2.0 * np.cross(v, local)
        positions[k] = places[rows] + local + w * t + np.cross(v, t)
    if noise:
        positions += np.random.default_rng(seed).normal(0.0, noise, positions.shape)
    return MarkerData(tuple(names), motion.times, positions)


@takes_names
def retarget(
    motion: Motion,
    source: Articulation,
    target: Articulation,
    *,
    by: str = "markers",
    names: Mapping[str, str] | None = None,
    scale: float | str = 1.0,
    weights: Mapping[str, float] | None = None,
    q: Any = None,
) -> Motion:
    """Return a motion of one model on another one.

    By markers, the other model follows those of the first as it would a recording: what it cannot do, since
    it has fewer coordinates or other limits, is left as residuals. By coordinates, those of the same name are
    taken as they are, within the limits of the other's joints, and others stay where they are. Stelzner 2008,
    section 3.3.

    Args:
        motion: of the source.
        source: the model that it is of.
        target: the model that is to do it.
        by: "markers" or "coordinates".
        names: what markers, or coordinates, of the source are called at the target; those of the same name
            need none. Only those that are named, where any are.
        scale: by which places of markers are multiplied; "size": the ratio of the models' sizes, that is how
            far those markers are from their middle at present.
        weights: of markers, by their names at the target.
        q: (n,) coordinates of the target to begin with; None: as they are now.

    Raises:
        TypeError, ValueError: a name is not there, or nothing is in common.
    """
    checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
    checks.instance("source", source, Articulation, "Articulation(world)")
    checks.instance("target", target, Articulation, "Articulation(world)")
    begin = target.q if q is None else target._given("q", q)
    if checks.choice("by", by, ("markers", "coordinates")) == "coordinates":
        return _by_coordinates(motion, target, names, begin)
    data = record_markers(source, motion)
    if names is not None:
        data = data.select(list(names)).renamed(names)
    factor = (
        _ratio(data, source, target, names)
        if isinstance(scale, str) and checks.choice("scale", scale, ("size",))
        else checks.positive("scale", scale, "share")
    )
    data = MarkerData(data.names, data.times, factor * data.positions)
    found = track_markers(target, data, begin, weights=weights)
    return found.told(**dict(motion.about), scale=factor)


def _by_coordinates(
    motion: Motion, target: Articulation, names: Mapping[str, str] | None, begin: np.ndarray
) -> Motion:
    pairs = names or {name: name for name in motion.coordinates if name in target.coordinates}
    if not pairs:
        raise ValueError(
            f"no coordinate of the motion ({', '.join(motion.coordinates[:4])} ...) is one of the target "
            f"({', '.join(target.coordinates[:4])} ...); give names, or by='markers'"
        )
    q = np.tile(begin, (len(motion), 1))
    for own, other in pairs.items():
        if other not in target.coordinates:
            raise ValueError(f"names[{own!r}] = {other!r} is not there{hint(other, target.coordinates)}")
        q[:, target.index(other)] = motion.coordinate(own)
    q = np.clip(q, target.limits[:, 0], target.limits[:, 1])
    return Motion(target.coordinates, motion.times, q, about=motion.about)


def _ratio(
    data: MarkerData, source: Articulation, target: Articulation, names: Mapping[str, str] | None
) -> float:
    """Return the size of the target as a share of that of the source, by markers that both have."""
    sizes = []
    own_names = {other: own for own, other in (names or {}).items()}
    for articulation, called in ((source, own_names), (target, {})):
        places = {}
        for marker in articulation.world.markers:
            if marker.body is not None:
                short = own_name(marker)
                places[short] = places[marker.name] = marker.position
        sizes.append({name: places.get(called.get(name, name)) for name in data.names})
    common = [name for name in data.names if all(size[name] is not None for size in sizes)]
    if len(common) < 2:
        raise ValueError(
            f"scale = 'size' needs two markers in common; there are {len(common)}: give a number"
        )
    spread = []
    for size in sizes:
        places_of = np.array([size[name] for name in common])
        spread.append(float(np.linalg.norm(places_of - places_of.mean(axis=0), axis=1).mean()))
    return spread[1] / spread[0]
