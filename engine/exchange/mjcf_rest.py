"""Actuators and equalities of MJCF where there is a counterpart, and a line for each of the rest."""

from typing import Any

import numpy as np

from stoss.collision.quaternions import UNTURNED, Vector
from stoss.engine.exchange.couplings import mimic_joints
from stoss.engine.exchange.to_records import Assembly
from stoss.engine.model.frames import Pose, inverse, placed, then
from stoss.engine.model.records import Action, Frame, Joint

__all__ = ["actuators", "equalities", "others"]

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


def others(reader: Any) -> None:
    """Tell of what has no counterpart, by number."""
    m, left_out = reader.m, reader.left_out
    for count, what in (
        (m.ntendon, "tendons"),
        (m.nsensor, "sensors"),
        (m.npair, "contact pairs of their own"),
        (m.nhfield, "height fields"),
        (m.nflex, "flexible parts"),
        (m.nkey, "keyframes"),
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
