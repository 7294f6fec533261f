"""Actuators and equalities of MJCF where there is a counterpart, and a line for each of the rest."""

from typing import Any

import numpy as np

from stoss.collision.quaternions import UNTURNED, Quaternion, Vector
from stoss.engine.exchange.couplings import mimic_joints
from stoss.engine.exchange.to_records import Assembly
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import Pose, inverse, placed, then
from stoss.engine.model.records import Action, Frame, Initial, Joint
from stoss.names import hint

__all__ = ["actuators", "equalities", "key_number", "key_pose", "others"]

CLOSED = 1e-6  # [m, and rad squared]: welds that are missed by less begin as they hold


def actuators(reader: Any, joints: list[Joint]) -> list[Joint]:
    """Return the joints with the servos and motors that actuators stand for, at controls of 0."""
    m, mujoco, left_out = reader.m, reader.mujoco, reader.left_out
    known = {joint.name: joint for joint in joints}
    for a in range(m.nu):
        name = reader._name("ACTUATOR", a) or f"actuator {a}"
        on_joint = int(m.actuator_trntype[a]) == int(mujoco.mjtTrn.mjTRN_JOINT)
        joint = reader._name("JOINT", int(m.actuator_trnid[a][0])) if on_joint else None
        gear = float(m.actuator_gear[a][0])
        gain, bias = m.actuator_gainprm[a], m.actuator_biasprm[a]
        plain = int(m.actuator_dyntype[a]) == int(mujoco.mjtDyn.mjDYN_NONE)
        affine = int(m.actuator_biastype[a]) == int(mujoco.mjtBias.mjBIAS_AFFINE)
        if joint not in known or not plain or not affine or gear == 0.0:
            left_out.append(f"actuator {name!r}: apply its torque by a motor or force of your own")
            continue
        stiffness, damping = -float(bias[1]) * gear * gear, -float(bias[2]) * gear * gear
        limited = bool(m.actuator_forcelimited[a])
        most = float(np.abs(m.actuator_forcerange[a]).max()) * abs(gear) if limited else None
        if stiffness > 0.0 and damping >= 0.0:
            action = Action(type="servo", target=0.0, stiffness=stiffness, damping=damping, max_force=most)
        elif damping > 0.0:
            action = Action(type="motor", velocity=0.0, damping=damping, max_force=most)
        else:
            left_out.append(f"actuator {name!r}: gain {float(gain[0]):g} without stiffness and damping")
            continue
        one = known[joint]
        known[joint] = one.replace(actions=(*one.actions, action))
    return [known[joint.name] for joint in joints]


def equalities(reader: Any, assembly: Assembly, names: list[str]) -> list[Joint]:
    """Return the joints and couplings that equality constraints are."""
    m, mujoco, left_out = reader.m, reader.mujoco, reader.left_out
    found: list[Joint] = []
    mimics = []
    for e in range(m.neq):
        kind = mujoco.mjtEq(int(m.eq_type[e])).name.removeprefix("mjEQ_").lower()
        name = reader._name("EQUALITY", e) or f"equality {e}"
        one, other, data = int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), m.eq_data[e]
        if not m.eq_active0[e]:
            left_out.append(f"equality {name!r}, which is not active")
        elif kind in ("connect", "weld") and int(m.eq_objtype[e]) == int(mujoco.mjtObj.mjOBJ_BODY):
            first, second = (assembly.body_of[names[i]] for i in (one, other))
            if first == second:
                continue
            x, y, z = (float(part) for part in data[:3])
            if kind == "connect":
                place = placed(assembly.poses[names[one]], (x, y, z))
                found.append(Joint(name=name, type="ball", first=first, second=second, point=place))
            else:
                ends = (names[one], first), (names[other], second)
                found.append(_weld(name, ends, assembly, data, (x, y, z)))
        elif kind == "joint" and other >= 0 and not np.any(data[2:5]):
            follower, leader = reader._name("JOINT", one), reader._name("JOINT", other)
            mimics.append((follower, leader, float(data[1]), float(data[0])))
        else:
            left_out.append(f"equality {name!r} of type {kind}")
    # what an equality joins collides, unless joints or <exclude> say otherwise
    found = [joint.replace(collide=True) for joint in found]
    return [*found, *mimic_joints(mimics, assembly, left_out)]


def _weld(
    name: str,
    ends: tuple[tuple[str, str], tuple[str, str]],
    assembly: Assembly,
    data: np.ndarray,
    anchor: Vector,
) -> Joint:
    """Return the joint that a weld is: where the bodies are, or apart, if they do not begin as it holds them.

    Args:
        name: its name.
        ends: links and their bodies.
        assembly: bodies and where links are.
        data: of the equality: anchor, and pose of the second link in the first.
        anchor: on the second link.
    """
    (one, first), (other, second) = ends
    x, y, z, w, a, b, c = (float(part) for part in data[3:10])
    held: Pose = ((x, y, z), (w, a, b, c))
    now = then(inverse(assembly.poses[one]), assembly.poses[other])
    same = abs(sum(p * q for p, q in zip(held[1], now[1], strict=True)))
    place = placed(assembly.poses[other], anchor)
    if np.abs(np.subtract(held[0], now[0])).max() < CLOSED and same > 1.0 - CLOSED:
        return Joint(name=name, type="fixed", first=first, second=second, point=place)
    at = (anchor, UNTURNED)
    frames = []
    for body, link, pose in ((first, one, then(held, at)), (second, other, at)):
        local = then(inverse(assembly.poses[body]), then(assembly.poses[link], pose))
        frames.append(Frame(position=local[0], quaternion=local[1]))
    return Joint(
        name=name, type="fixed", first=first, second=second, first_frame=frames[0], second_frame=frames[1]
    )


def key_number(reader: Any, wanted: str | int | None) -> int | None:
    """Return the number of a keyframe that was asked for.

    Args:
        reader: of the file.
        wanted: its name or number, None: none.

    Raises:
        ModelError: there is none.
    """
    if wanted is None:
        return None
    names = [reader._name("KEY", k) or "" for k in range(reader.m.nkey)]
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return wanted
    known = ", ".join(repr(name) if name else str(k) for k, name in enumerate(names)) or "none"
    near = hint(str(wanted), names)
    raise ModelError(f"{reader.path}: keyframe = {wanted!r} is not there{near}; there are {known}")


def key_pose(reader: Any, assembly: Assembly, names: list[str]) -> Initial:
    """Return the pose of the keyframe in which a model begins, if any, and tell of what it has besides."""
    if reader.key is None:
        return Initial()
    m, mujoco = reader.m, reader.mujoco
    values = m.key_qpos[reader.key]
    anchors: dict[str, Vector] = {}
    orientations: dict[str, Quaternion] = {}
    coordinates: dict[str, float] = {}
    joints = {joint.name for joint in assembly.joints}
    for j in range(m.njnt):
        kind, at = mujoco.mjtJoint(int(m.jnt_type[j])), int(m.jnt_qposadr[j])
        name = reader._name("JOINT", j)
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            x, y, z, w, a, b, c = values[at : at + 7].tolist()
            body = assembly.body_of[names[int(m.jnt_bodyid[j])]]
            anchors[body], orientations[body] = (x, y, z), (w, a, b, c)
        elif kind == mujoco.mjtJoint.mjJNT_BALL or name not in joints:
            reader.left_out.append(f"keyframe: joint {name!r} begins as in the file")
        else:
            coordinates[name] = float(values[at] - m.qpos0[at])
    for what, numbers in (("velocities", m.key_qvel), ("controls", m.key_ctrl), ("activations", m.key_act)):
        if np.any(numbers[reader.key]):
            reader.left_out.append(f"keyframe: {what}")
    return Initial(anchors=anchors, orientations=orientations, coordinates=coordinates)


def others(reader: Any) -> None:
    """Tell of what has no counterpart, by number."""
    m, left_out = reader.m, reader.left_out
    for count, what in (
        (m.ntendon, "tendons"),
        (m.nsensor, "sensors"),
        (m.npair, "contact pairs of their own"),
        (m.nhfield, "height fields"),
        (m.nflex, "flexible parts"),
        (m.nkey, f"keyframes; {'keyframe=... begins in one' if reader.key is None else 'one was taken'}"),
        (m.ncam, "cameras"),
        (m.nlight, "lights"),
    ):
        if count:
            left_out.append(f"{int(count)} {what}")
    if m.opt.density or m.opt.viscosity:
        left_out.append(f"a medium of density {m.opt.density:g} and viscosity {m.opt.viscosity:g}")
    if np.any(m.opt.wind):
        left_out.append("wind")
    if np.any(m.body_gravcomp):
        left_out.append(f"{int(np.count_nonzero(m.body_gravcomp))} bodies with compensated gravity")
    left_out.append("softness of contacts, limits and equalities (solref, solimp): they are rigid")
