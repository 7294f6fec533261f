"""Any tree and its motion as a BVH file: what turns becomes turns, what slides positions."""

import os
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.collision.quaternions import rotate
from stoss.engine import checks
from stoss.engine.articulated import Articulation
from stoss.engine.motion_capture.bvh import BVH_UNITS
from stoss.engine.motion_capture.marker_formats import UP
from stoss.engine.motion_capture.motion import Motion
from stoss.engine.motion_capture.tracking import own_name
from stoss.files import check_place, write_text
from stoss.names import takes_names

__all__ = ["save_bvh"]

STAYS = 1e-9  # [m] by which a joint may leave its place on the body that carries it without being told
ORDER = "ZXY"  # of turns about the axes of the file: y, which is up there, last


@dataclass
class _Node:
    """A body of the file, and how it moves on the one that carries it."""

    name: str
    parent: int  # -1: none
    places: np.ndarray  # (f, 3) of its joint in the frame of the one that carries it [m]
    turns: np.ndarray  # (f, 3) [deg]
    offset: np.ndarray  # (3,) at zero [m]
    children: list[int] = field(default_factory=list)
    ends: list[np.ndarray] = field(default_factory=list)


@takes_names
def save_bvh(
    path: str | os.PathLike[str],
    articulation: Articulation,
    motion: Motion,
    *,
    unit: str = "cm",
    up: str = "y",
) -> None:
    """Write the bodies of an articulation and their motion as a BVH file.

    Each body is a joint of the file, at what joins it to the one that carries it; the pose of the skeleton is
    that at which all coordinates are zero. Frames must be evenly spaced, or are made so by a curve.

    Args:
        path: that ends in `.bvh`.
        articulation: of the world, with the coordinates of the motion.
        motion: to write.
        unit: "m", "cm", "mm" or "in" of the numbers.
        up: axis of the file that is up, "y" or "z".

    Raises:
        ValueError: the motion lacks coordinates, several bodies are joined to the world, or another ending.
    """
    file = check_place(os.fspath(path), (".bvh",))
    checks.instance("articulation", articulation, Articulation, "Articulation(world)")
    checks.instance("motion", motion, Motion, "track_markers(articulation, data)")
    scale = BVH_UNITS[checks.choice("unit", unit, tuple(BVH_UNITS))]
    turn = UP[checks.choice("up", up, tuple(UP))]
    order = motion._order(articulation)
    step = float((motion.times[-1] - motion.times[0]) / max(len(motion) - 1, 1)) or 1.0 / 30.0
    even = len(motion) < 2 or float(np.ptp(np.diff(motion.times))) <= 1e-3 * step
    q = motion.q if even else motion.at(motion.times[0] + step * np.arange(len(motion)))
    nodes = _nodes(articulation, q[:, order], turn)
    lines = ["HIERARCHY"]
    columns: list[np.ndarray] = []
    _write_node(nodes, 0, 0, scale, lines, columns)
    lines += ["MOTION", f"Frames: {len(motion)}", f"Frame Time: {step!r}"]
    values = np.hstack(columns)
    lines += [" ".join(f"{value:.10g}" for value in row) for row in values.tolist()]
    write_text(file, "\n".join(lines) + "\n")


def _nodes(articulation: Articulation, q: np.ndarray, turn: np.ndarray) -> list[_Node]:
    """Return the bodies that move, carriers first, with their motion in the axes of the file."""
    world = articulation.world
    bodies = world._bodies
    zero_at, zero_turn = articulation.poses(np.zeros(len(articulation)))
    count = len(zero_at)
    at, turns = np.empty((len(q), count, 3)), np.empty((len(q), count, 4))
    for k, own in enumerate(q):
        at[k], turns[k] = articulation.poses(own)
    nodes: list[_Node] = []
    number: dict[int, int] = {}
    joint_at: list[np.ndarray] = []  # (f, 3) in the world
    turned: list[Rotation] = []  # from the pose at zero
    zero_place: list[np.ndarray] = []
    for joint in articulation._structure.joints:
        row, other = joint.bodies if joint.reversed else joint.bodies[::-1]
        place = np.array((joint.frame_a if joint.reversed else joint.frame_b)[0])
        if joint.joint is None:
            own = np.zeros(3)  # the frame of the body, which nothing holds
        else:  # from the principal axes to the frame of the shapes
            frame = bodies.frame_quaternions[row]
            w, x, y, z = frame.tolist()
            own = np.array(rotate((w, -x, -y, -z), tuple((place - bodies.frame_positions[row]).tolist())))
        world_turn = _rotation(turns[:, row])
        joint_at.append(at[:, row] + world_turn.apply(own))
        zero = _rotation(zero_turn[row])
        zero_place.append(zero_at[row] + zero.apply(own))
        turned.append(world_turn * zero.inv())
        parent = number.get(int(other), -1)
        number[int(row)] = len(nodes)
        if parent < 0:
            if nodes:
                raise ValueError(
                    f"bodies {nodes[0].name!r} and {world.bodies[row].name!r} are both carried by the world; "
                    "a BVH file has one root: give a world in which one body carries all others"
                )
            places, offset, relative = joint_at[-1], zero_place[-1], turned[-1]
        else:
            back = turned[parent].inv()
            places = back.apply(joint_at[-1] - joint_at[parent])
            offset = zero_place[-1] - zero_place[parent]
            relative = back * turned[-1]
            nodes[parent].children.append(len(nodes))
        name = world.bodies[row].name
        # in the axes of the file
        there = Rotation.from_matrix(turn)
        angles = (there.inv() * relative * there).as_euler(ORDER)
        nodes.append(_Node(name, parent, places @ turn, np.degrees(np.unwrap(angles, axis=0)), offset @ turn))
        for marker in world.markers:
            if marker.body is not None and marker.body.index == row:
                end = zero_at[row] + zero.apply(np.array(marker.local_position)) - zero_place[-1]
                if own_name(marker).startswith(f"{name} end"):
                    nodes[-1].ends.append(end @ turn)
    if not nodes:
        raise ValueError("no body of the world moves: there is nothing to write")
    return nodes


def _rotation(quaternions: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(quaternions, -1, axis=-1))


def _write_node(
    nodes: list[_Node], k: int, depth: int, scale: float, lines: list[str], columns: list[np.ndarray]
) -> None:
    node, tab = nodes[k], "\t" * depth
    x, y, z = (node.offset / scale).tolist()
    moves = node.parent < 0 or float(np.abs(node.places - node.offset).max()) > STAYS
    channels = [f"{axis}position" for axis in "XYZ"] if moves else []
    channels += [f"{axis}rotation" for axis in ORDER]
    columns += [node.places / scale] if moves else []
    columns.append(node.turns)
    lines += [
        f"{tab}{'JOINT' if node.parent >= 0 else 'ROOT'} {node.name}",
        tab + "{",
        f"{tab}\tOFFSET {x:.10g} {y:.10g} {z:.10g}",
        f"{tab}\tCHANNELS {len(channels)} {' '.join(channels)}",
    ]
    for child in node.children:
        _write_node(nodes, child, depth + 1, scale, lines, columns)
    ends = node.ends or ([] if node.children else [np.zeros(3)])
    for end in ends:
        x, y, z = (end / scale).tolist()
        lines += [f"{tab}\tEnd Site", tab + "\t{", f"{tab}\t\tOFFSET {x:.10g} {y:.10g} {z:.10g}", tab + "\t}"]
    lines.append(tab + "}")
