"""What robots are in the files of others: links in frames, and joints between them.

A link is fixed to its parent, or is moved by joints, one after the other. All importers of trees fill a
`Mechanism`; `to_records` makes the records of a model of it.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stoss.collision.quaternions import ORIGIN, Vector
from stoss.engine.model.frames import HERE, Pose
from stoss.engine.model.records import Action, Marker, Shape

__all__ = ["FAR", "FREE", "WORLD", "Inertia", "JointOf", "Link", "Mechanism", "bounds", "rotation"]

WORLD = ""  # parent of what hangs in the world
FREE = "free"  # kind of the joint that holds nothing
FAR = 1e9  # [m or rad] bound of a joint that has none on that side, in formats that want both


@dataclass(frozen=True)
class Inertia:
    """Mass, centre of mass and inertia tensor about it, in some frame [kg, m, kg m^2]."""

    mass: float
    center: np.ndarray
    tensor: np.ndarray

    def placed(self, pose: Pose) -> "Inertia":
        """Return the same in the frame in which its own has a pose."""
        turn = rotation(pose)
        return Inertia(self.mass, turn @ self.center + pose[0], turn @ self.tensor @ turn.T)

    def plus(self, other: "Inertia") -> "Inertia":
        """Return that of both together."""
        mass = self.mass + other.mass
        both = self.mass * self.center + other.mass * other.center
        center = both / mass if mass > 0.0 else self.center
        tensor = np.zeros((3, 3))
        for one in (self, other):
            arm = one.center - center
            tensor += one.tensor + one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return Inertia(mass, center, tensor)


@dataclass
class JointOf:
    """A joint that moves a link.

    Args:
        name: unique among the joints.
        kind: type of the record: "hinge", "slider", "ball", "planar", or FREE.
        axis: its direction, or that of its normal, in the frame of the link.
        point: where it is there [m].
        actions: what acts on it.
        value, rate: of its coordinate in the pose that is described.
    """

    name: str
    kind: str
    axis: Vector = (0.0, 0.0, 1.0)
    point: Vector = ORIGIN
    actions: list[Action] = field(default_factory=list)
    value: float = 0.0
    rate: float = 0.0


@dataclass
class Link:
    """A rigid part.

    Args:
        name: unique among the links.
        parent: the link that it is attached to, WORLD for none.
        pose: of its frame in that of the parent, where all coordinates are zero.
        joints: between parent and link, the one at the parent first; without any the link is fixed to it.
        inertia: of the link in its frame, None: it has no mass.
        shapes, display: collision and display shapes, in its frame.
        material: name of a material.
        markers: named frames on it.
        kind: of the body that it becomes, where it is not "dynamic".
    """

    name: str
    parent: str
    pose: Pose = HERE
    joints: list[JointOf] = field(default_factory=list)
    inertia: Inertia | None = None
    shapes: list[Shape] = field(default_factory=list)
    display: list[Shape] = field(default_factory=list)
    material: str | None = None
    color: Any = None
    markers: list[Marker] = field(default_factory=list)
    kind: str = "dynamic"


@dataclass
class Mechanism:
    """Links in the order in which their parents come first, and what the import leaves out."""

    links: dict[str, Link] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def split(self) -> "Mechanism":
        """Return it with one joint for each link: between several of one there are links without mass."""
        found = Mechanism({}, self.left_out)
        for link in self.links.values():
            parent, pose = link.parent, link.pose
            for joint in link.joints[:-1]:
                name = f"{link.name}/{joint.name}"
                found.links[name] = Link(name, parent, pose, [joint])
                parent, pose = name, HERE
            found.links[link.name] = replace(link, parent=parent, pose=pose, joints=link.joints[-1:])
        return found


def bounds(lower: float, upper: float) -> list[Action]:
    """Return the limit of a coordinate between two bounds; what is as far as FAR is none."""
    low, high = (bound if abs(bound) < FAR else None for bound in (lower, upper))
    return [] if low is None and high is None else [Action(type="limit", lower=low, upper=high)]


def rotation(pose: Pose) -> np.ndarray:
    """Return the rotation matrix (3, 3) of a pose."""
    w, x, y, z = pose[1]
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
