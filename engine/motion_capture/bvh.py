"""BVH files: a skeleton of joints and its motion, read as a world of its own, and written of any tree.

A file names joints, each with an offset from the one that carries it and with channels: positions, and turns
about x, y or z one after the other, in degrees. At zero all frames are parallel to the world's. Files say
neither unit nor which axis is up.
"""

import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.collision.shapes.placed import Placed
from stoss.collision.shapes.shapes import Capsule, Sphere
from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.joints.basic_kinds import Ball
from stoss.engine.joints.combined_kinds import Fixed, Free, Hinge, Universal
from stoss.engine.joints.framed import Framed
from stoss.engine.joints.kind import JointKind
from stoss.engine.motion_capture.marker_formats import UNITS, UP
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.world.world import World
from stoss.names import takes_names

__all__ = ["BVH_UNITS", "load_bvh"]

BVH_UNITS = UNITS | {"in": 0.0254}  # [m]
SMALLEST, LARGEST = 0.2, 4.0  # [m] across a skeleton: others are told of, it is not that of a human then
THICK, THIN = 0.12, 0.004  # radius of a bone as a share of its length, and the least one [m]
MOST_RADIUS = 0.06  # [m]
DENSITY = 1000.0  # [kg/m^3]


@dataclass
class BvhJoint:
    """A joint of a file.

    Attributes:
        name: of it.
        parent: number of the one that carries it, -1: none.
        offset: (3,) from it, in the unit and axes of the file.
        positions: numbers of the columns of its x, y, z, where it has them.
        turns: axes ("x", "y", "z") in their order, and the number of the column of each.
        ends: offsets of its ends without joints.
        line: of the file.
    """

    name: str
    parent: int
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    positions: dict[str, int] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    ends: list[np.ndarray] = field(default_factory=list)
    line: int = 0


@takes_names
def load_bvh(path: str | os.PathLike[str], *, unit: str = "cm", up: str = "y") -> tuple[Articulation, Motion]:
    """Return the skeleton of a BVH file as the articulation of a world of its own, and its motion.

    Each joint of the file is a joint and a body of that world, with capsules along its bones; markers are
    at joints, named as they are, and at ends ("Head end"). Turns are the coordinates of joints, in their
    order in the file. Positions of a joint replace its offset, or are added to it where they are nearer to
    zero than to the offset in the first frame: both are in use, and `motion.about` names the joints that
    were added.

        skeleton, motion = st.load_bvh("walk.bvh")
        motion.show(skeleton, 0.5)
        st.render(skeleton.world, "walk.png")

    Args:
        path: of the file.
        unit: "m", "cm", "mm" or "in": files do not say it.
        up: axis of the file that is up, "y" or "z".

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is broken, has no frames or joints, or two joints have one name: says in which line.
    """
    file = Path(path)
    scale = BVH_UNITS[checks.choice("unit", unit, tuple(BVH_UNITS))]
    turn = UP[checks.choice("up", up, tuple(UP))]
    if not file.is_file():
        raise FileNotFoundError(f"{file}: there is no such file")
    lines = file.read_text("utf-8", errors="replace").splitlines()
    joints, columns, at = _hierarchy(file, lines)
    times, values = _frames(file, lines, at, columns)
    world, added = _skeleton(joints, values[0], scale, turn)
    skeleton = Articulation(world)
    q = np.zeros((len(times), len(skeleton)))
    for number, joint in enumerate(joints):
        _write_coordinates(q, skeleton, joint, values, scale, added[number])
    _warn_of_size(file, world, unit)
    sums = ", ".join(joint.name for joint, adds in zip(joints, added, strict=True) if adds)
    about = {"file": file.name, "added to offsets": sums}
    return skeleton, Motion(skeleton.coordinates, times, q, about=about)


# ------------------------------------------------------------- reading


def _hierarchy(file: Path, lines: list[str]) -> tuple[list[BvhJoint], int, int]:
    """Return the joints, the number of columns, and the number of the line that says MOTION."""
    joints: list[BvhJoint] = []
    stack: list[int] = []  # numbers of the joints around, -1: an end
    columns, opened = 0, 0
    words = _words(lines)
    number, word = next(words, (1, ""))
    if word.upper() != "HIERARCHY":
        raise ValueError(f"{file}:1: no BVH file: it does not begin with HIERARCHY")
    pending: int | None = None
    for number, word in words:
        what = word.upper()
        if what in ("ROOT", "JOINT"):
            name = lines[number - 1].partition(word)[2].partition("{")[0].strip()  # may have spaces
            for _ in name.split():
                next(words)
            if not name:
                raise ValueError(f"{file}:{number}: {word} without a name")
            if any(joint.name == name for joint in joints):
                raise ValueError(f"{file}:{number}: joint {name!r} is there twice; rename one")
            if (what == "ROOT") != (not stack):
                where = "within" if stack else "outside"
                raise ValueError(f"{file}:{number}: {word} {name!r} {where} a root")
            joints.append(BvhJoint(name, stack[-1] if stack else -1, line=number))
            pending = len(joints) - 1
        elif what == "END":
            next(words, None)  # Site
            pending = -1
        elif what == "{":
            if pending is None:
                raise ValueError(f"{file}:{number}: '{{' without a joint before it")
            stack.append(pending)
            pending, opened = None, number
        elif what == "}":
            if not stack:
                raise ValueError(f"{file}:{number}: '}}' without a '{{'")
            stack.pop()
        elif what in ("OFFSET", "CHANNELS"):
            if not stack:
                raise ValueError(f"{file}:{number}: {word} outside a joint")
            if what == "OFFSET":
                offset = np.array([_number(file, words) for _ in range(3)])
                if stack[-1] < 0:
                    joints[stack[-2]].ends.append(offset)
                else:
                    joints[stack[-1]].offset = offset
            else:
                columns = _channels(file, words, joints[stack[-1]], columns, number)
        elif what == "MOTION":
            if stack:
                raise ValueError(f"{file}:{number}: MOTION, but the '{{' of line {opened} is still open")
            if not joints:
                raise ValueError(f"{file}:{number}: a skeleton without a root; there must be a ROOT")
            return joints, columns, number
        else:
            raise ValueError(f"{file}:{number}: {word[:40]!r} is no word of a BVH file")
    raise ValueError(f"{file}:{number}: the file ends without MOTION")


def _words(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        for word in line.split():
            yield number, word


def _number(file: Path, words: Iterator[tuple[int, str]]) -> float:
    number, word = next(words, (0, ""))
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"{file}:{number}: {word[:40]!r} is no number") from None


def _channels(file: Path, words: Iterator[tuple[int, str]], joint: BvhJoint, columns: int, line: int) -> int:
    count = _number(file, words)
    for _ in range(int(count)):
        _, word = next(words, (line, ""))
        found = re.fullmatch(r"([XYZ])(position|rotation)", word, re.IGNORECASE)
        if found is None:
            raise ValueError(
                f"{file}:{line}: channel {word[:40]!r} of {joint.name!r}; known are Xposition to Zrotation"
            )
        axis, where = found.group(1).lower(), joint.turns
        if found.group(2).lower() == "position":
            where = joint.positions
        if axis in where:
            raise ValueError(f"{file}:{line}: channel {word} of {joint.name!r} is there twice")
        where[axis] = columns
        columns += 1
    if len(joint.positions) not in (0, 3) or joint.positions and len(joint.turns) != 3:
        raise ValueError(
            f"{file}:{line}: {joint.name!r} has {len(joint.positions)} positions and {len(joint.turns)} "
            "turns; a joint has turns alone, or three of both"
        )
    return columns


def _frames(file: Path, lines: list[str], at: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times and values (f, columns)."""
    head = [(k, line) for k, line in enumerate(lines[at:], at + 1) if line.strip()]
    found = [re.match(r"\s*(Frames|Frame Time)\s*:\s*(\S+)", line, re.IGNORECASE) for _, line in head[:2]]
    if len(found) < 2 or found[0] is None or found[1] is None:
        raise ValueError(f"{file}:{at + 1}: after MOTION must follow 'Frames:' and 'Frame Time:'")
    try:
        count, step = int(found[0].group(2)), float(found[1].group(2))
    except ValueError:
        raise ValueError(f"{file}:{at + 1}: number of frames or their time is no number") from None
    if count < 1 or not step > 0.0:
        raise ValueError(f"{file}:{at + 1}: {count} frames of {step:g} s; there must be one, of some time")
    rows = head[2:]
    if len(rows) != count:
        raise ValueError(f"{file}:{head[0][0]}: Frames: {count}, but {len(rows)} lines of numbers follow")
    values = np.empty((count, columns))
    for k, (number, line) in enumerate(rows):
        cells = line.split()
        if len(cells) != columns:
            raise ValueError(f"{file}:{number}: {len(cells)} numbers; the joints have {columns} channels")
        try:
            values[k] = [float(cell) for cell in cells]
        except ValueError:
            raise ValueError(f"{file}:{number}: a cell is no number") from None
        if not np.isfinite(values[k]).all():
            raise ValueError(f"{file}:{number}: a number is not finite")
    return np.arange(count) * step, values


# ------------------------------------------------------------- the world of a skeleton


def _skeleton(
    joints: list[BvhJoint], first: np.ndarray, scale: float, turn: np.ndarray
) -> tuple[World, list[bool]]:
    """Return the world, at zero, and which joints have positions that are added to their offsets."""
    world, places, added = World(), np.zeros((len(joints), 3)), []
    bones: list[list[np.ndarray]] = [[turn @ end * scale for end in joint.ends] for joint in joints]
    for k, joint in enumerate(joints):
        away = first[[joint.positions[axis] for axis in "xyz"]] if joint.positions else joint.offset
        sums = bool(np.linalg.norm(away) < np.linalg.norm(away - joint.offset))
        added.append(sums)
        # where nothing is added the frame of the coordinates is that of what carries the joint
        places[k] = scale * turn @ joint.offset
        if joint.parent >= 0:
            bones[joint.parent].append(places[k].copy())
            places[k] += places[joint.parent]
    for k, joint in enumerate(joints):
        shapes = [_bone(bone) for bone in bones[k] if np.linalg.norm(bone) > 1e-6]
        body = world.add_body(shapes or Sphere(THIN), position=places[k], density=DENSITY, name=joint.name)
        parent = world.body(joints[joint.parent].name) if joint.parent >= 0 else None
        begin = turn @ joint.offset * scale if not joint.positions or added[k] else np.zeros(3)
        kind, quaternion = _kind(joint, turn)
        framed = Framed(kind, tuple(begin.tolist()), quaternion, (0.0, 0.0, 0.0), quaternion)
        world.add_joint(framed, parent, body, name=joint.name)
        world.add_marker(joint.name, body)
        for n, end in enumerate(joint.ends):
            name = f"{joint.name} end" + (f" {n + 1}" if len(joint.ends) > 1 else "")
            world.add_marker(name, body, position=turn @ end * scale)
    return world, added


def _bone(bone: np.ndarray) -> Placed:
    size = float(np.linalg.norm(bone))
    radius = min(max(THICK * size, THIN), MOST_RADIUS)
    ahead, _ = Rotation.align_vectors(bone[None], [[0.0, 0.0, 1.0]])
    w, x, y, z = np.roll(ahead.as_quat(), 1).tolist()
    length = max(size - 2.0 * radius, 0.1 * size)
    return Placed(Capsule(radius, length), tuple((0.5 * bone).tolist()), (w, x, y, z))


def _axes(joint: BvhJoint) -> tuple[str, np.ndarray, float]:
    """Return the order of turns, filled up to three, the frame (3, 3) of that order, and its third's sign.

    The frame is right-handed: where the order is not that of x, y, z in a circle its third axis is turned.
    """
    order = "".join(joint.turns)
    order += "".join(axis for axis in "xyz" if axis not in order)
    frame = np.eye(3)[:, ["xyz".index(axis) for axis in order]]
    sign = float(np.sign(np.linalg.det(frame)))
    frame[:, 2] *= sign
    return order, frame, sign


def _kind(joint: BvhJoint, turn: np.ndarray) -> tuple[JointKind, tuple[float, float, float, float]]:
    """Return the kind of a joint, and the frame of its coordinates in the world."""
    _, frame, _ = _axes(joint)
    here, x, y, z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    w, a, b, c = np.roll(Rotation.from_matrix(turn @ frame).as_quat(), 1).tolist()
    if joint.positions:
        return Free(here, z, x_axis=x), (w, a, b, c)
    kinds = {0: Fixed(), 1: Hinge(here, x), 2: Universal(here, x, y), 3: Ball(here, z, x_axis=x)}
    return kinds[len(joint.turns)], (w, a, b, c)


def _write_coordinates(
    q: np.ndarray, skeleton: Articulation, joint: BvhJoint, values: np.ndarray, scale: float, added: bool
) -> None:
    """Write the coordinates of a joint in all frames."""
    order, frame, sign = _axes(joint)
    own = [k for k, name in enumerate(skeleton.coordinates) if name.rpartition(".")[0] == joint.name]
    if len(joint.turns) == 1:
        own = [skeleton.index(joint.name)]
    if joint.positions:
        away = values[:, [joint.positions[axis] for axis in "xyz"]]
        q[:, own[:3]] = scale * away @ frame
    angles = np.radians(values[:, [joint.turns[axis] for axis in order if axis in joint.turns]])
    if len(joint.turns) == 3:
        angles[:, 2] *= sign
    q[:, own[-len(joint.turns) or len(own) :]] = np.unwrap(angles, axis=0)


def _warn_of_size(file: Path, world: World, unit: str) -> None:
    places = np.array([marker.position for marker in world.markers])
    size = float(np.linalg.norm(np.ptp(places, axis=0)))
    if not SMALLEST < size < LARGEST:
        warnings.warn(
            f"{file}: with unit = {unit!r} the skeleton measures {size:.3g} m: is that its unit? "
            f"Known are {', '.join(BVH_UNITS)}",
            stacklevel=4,
        )
