"""Models out of markers alone: segments, joints between them, a world (Stelzner 2008, chapter 5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stoss.collision.shapes.shapes import Ellipsoid
from stoss.engine import checks
from stoss.engine.motion_capture.consistency import Found, consistent_poses
from stoss.engine.motion_capture.joint_fits import TOLERANCE, fit_joint
from stoss.engine.motion_capture.marker_data import MarkerData
from stoss.engine.motion_capture.mechanisms import FittedMechanism
from stoss.engine.motion_capture.segments import Segments, fit_segments
from stoss.engine.world.world import World
from stoss.names import closed, takes_names

__all__ = ["IdentifiedModel", "identify_model"]

THIN = 0.02  # least radius of a segment's shape [m]
DENSITY = 1000.0  # [kg/m^3]


@closed
@dataclass(frozen=True)
class IdentifiedModel:
    """Segments and joints that were found in a recording.

    Attributes:
        segments: with their poses as measured, each by itself.
        joints: between them.
    """

    segments: Segments
    joints: tuple[Found, ...]

    def __repr__(self) -> str:
        kinds = ", ".join(f"{j.first}-{j.second} {_kind(j)}" for j in self.joints)
        return f"<IdentifiedModel of {len(self.segments.names)} segments: {kinds or 'no joints'}>"

    def joint(self, first: str, second: str) -> Found:
        """Return the joint between two segments.

        Args:
            first, second: their names.

        Raises:
            KeyError: there is none between them.
        """
        for joint in self.joints:
            if {joint.first, joint.second} == {first, second}:
                return joint
        raise KeyError(f"there is no joint between {first!r} and {second!r}")

    def consistent(self) -> Segments:
        """Return the segments at poses that the joints allow, closest to those measured, frame by frame.

        Loops may be in it. What is far apart is made one with metres and radians told by the lever of the
        markers. Stelzner 2008, section 5.2.3.
        """
        return consistent_poses(self.segments, self.joints)[0]

    def residuals(self, data: MarkerData, segments: Segments | None = None) -> dict[str, float]:
        """Return by how much markers are missed, by segment, root mean square [m].

        Args:
            data: the recording.
            segments: the poses; None: those that the joints allow.
        """
        checks.instance("data", data, MarkerData, "load_markers('walk.c3d')")
        there = (self.consistent() if segments is None else segments).marker_data()
        missed = {}
        for name, markers in self.segments.markers.items():
            left = np.stack([data.marker(m) - there.marker(m) for m in markers])
            missed[name] = float(np.sqrt(np.nanmean((left**2).sum(axis=2))))
        return missed

    def build(self, world: World | None = None) -> World:
        """Return a world with a body for each segment, at the frame of reference, its joints and its markers.

        An `Articulation` of it follows recordings with `track_markers`; what no joint leads to moves freely.
        Shapes are ellipsoids about the markers, with the density of water: give bodies masses of your own
        where forces matter.

        Args:
            world: that they are added to; None: a new one.

        Raises:
            ValueError: in no frame all segments are known.
        """
        world = World() if world is None else checks.instance("world", world, World, "World()")
        now = self.consistent()
        frame = self.segments.reference
        if np.isnan(now.positions[frame]).any():
            known = self.segments.seen(*self.segments.names)
            if not known.any():
                raise ValueError("in no frame all segments are known; identify parts of them by themselves")
            frame = int(np.argmax(known))
        for row, name in enumerate(now.names):
            markers = self.segments.markers[name]
            radii = np.maximum(np.abs(np.array(list(markers.values()))).max(axis=0), THIN)
            body = world.add_body(
                Ellipsoid(tuple(radii.tolist())),
                position=now.positions[frame, row],
                quaternion=now.quaternions[frame, row],
                density=DENSITY,
                name=name,
                group=2,
                mask=1,
            )
            for marker, local in markers.items():
                world.add_marker(marker, body, position=local)
        for joint in self.joints:
            pair = joint.first, joint.second
            poses = ((now.rotations(n)[frame], now.positions[frame, now.index(n)]) for n in pair)
            for ending, kind in joint.kinds(*poses).items():
                first, second = (world.body(name) for name in pair)
                world.add_joint(kind, first, second, name=f"{joint.first} - {joint.second}{ending}")
        return world


def _kind(joint: Found) -> str:
    """Return what is told of a joint in a line."""
    return joint.what if isinstance(joint, FittedMechanism) else joint.kind


def _pair(number: int, wanted: Any) -> Sequence[str]:
    """Return the names of the segments that are connected, and of the kind if it is given."""
    if isinstance(wanted, FittedMechanism):
        return wanted.first, wanted.second
    if isinstance(wanted, str) or len(wanted) not in (2, 3):
        raise TypeError(f"joints[{number}] = {wanted!r} must be (first, second), or (first, second, kind)")
    return tuple(wanted)


@takes_names
def identify_model(
    data: MarkerData,
    segments: Mapping[str, Sequence[str]],
    joints: Sequence[Sequence[str] | FittedMechanism],
    *,
    tolerance: float = TOLERANCE,
) -> IdentifiedModel:
    """Return rigid segments and the joints between them, out of a recording of markers alone.

        model = st.identify_model(
            data,
            {"thigh": ["T1", "T2", "T3"], "shank": ["S1", "S2", "S3"]},
            [("thigh", "shank")],
        )
        world = model.build()
        motion = st.track_markers(st.Articulation(world), data)

    Which markers are on which segment and which segments are connected must be known. Stelzner 2008,
    sections 5.2 and 5.3.

    Args:
        data: the recording, in which all joints move.
        segments: names of the markers on each.
        joints: pairs of segments that are connected, (first, second, kind) where the kind is known, or a
            mechanism that `fit_rods`, `fit_ellipsoid` or `fit_curves` found in the same recording.
        tolerance: for the choice of kinds, as for `fit_joint` [m].

    Raises:
        KeyError: a marker or a segment is not there.
        TypeError, ValueError: as `fit_segments` and `fit_joint`; or two segments are connected twice.
    """
    if isinstance(joints, str) or not isinstance(joints, Sequence):
        raise TypeError(f"joints = {checks.shown(joints)} must be a list of pairs (first, second)")
    found = fit_segments(data, segments)
    pairs: set[frozenset[str]] = set()
    fitted: list[Found] = []
    for number, wanted in enumerate(joints):
        first, second, *kind = _pair(number, wanted)
        if frozenset((first, second)) in pairs:
            raise ValueError(f"joints[{number}]: {first!r} and {second!r} are connected already")
        pairs.add(frozenset((first, second)))
        if isinstance(wanted, FittedMechanism):
            fitted.append(wanted)
        else:
            fitted.append(fit_joint(found, first, second, *kind, tolerance=tolerance))
        for name in (first, second):
            found.index(name)
    return IdentifiedModel(found, tuple(fitted))
