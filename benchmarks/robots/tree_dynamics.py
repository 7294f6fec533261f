"""Dynamics of a tree of hinges and sliders in plain numpy, from the records of a model; and the engine's."""

from collections.abc import Mapping

import numpy as np

from stoss.collision.quaternions import vector_of
from stoss.engine.exchange.mechanism import rotation
from stoss.engine.model import Model
from stoss.engine.model.frames import HERE, Pose, then

__all__ = ["bare", "first_accelerations", "mass_matrix_and_gravity", "posed"]

_AXIAL = ("hinge", "slider")
ENOUGH = 1e-8  # relative: corrections below are small enough


def bare(model: Model) -> Model:
    """Return a model without shapes, loops and couplings, and without what acts on joints but rotors.

    What hangs at no joint is fixed: falling freely no joint would move.
    """
    joints, hung = [], set()
    for joint in model.joints:
        if joint.type != "coupling" and joint.second not in hung:
            hung.add(joint.second)
            joints.append(joint.replace(actions=tuple(one for one in joint.actions if one.type == "rotor")))
    weightless = dict(kind="static", mass=None, tensor=None, center=None, inertia=None, axes=None)
    bodies = tuple(
        body.replace(shapes=(), display=(), **({} if body.name in hung else weightless))
        for body in model.bodies
    )
    changed: Model = model.replace(bodies=bodies, joints=tuple(joints), exclude=(), coordinates=())
    return changed


def posed(model: Model, values: Mapping[str, float]) -> Model:
    """Return the model with hinges and sliders at values, by name, its joints where they are then."""
    moved: dict[str | None, Pose] = {None: HERE}
    at = {joint.second: joint for joint in model.joints}
    new_bodies, new_joints = {}, {}
    for body in model.bodies:
        joint = at.get(body.name)
        if joint is None:
            moved[body.name] = HERE
        else:
            before = moved[joint.first]
            q = values.get(joint.name, 0.0) if joint.type in _AXIAL else 0.0
            given = joint.axis or joint.normal or (0.0, 0.0, 1.0)
            axis, point = np.array(given), np.array(joint.point)
            if joint.type == "slider":
                step = _pose(axis * q, HERE[1])
            else:
                turn = (np.cos(q / 2), *(np.sin(q / 2) * axis))
                w, v = turn[0], np.array(turn[1:])
                turned = point + 2.0 * w * np.cross(v, point) + 2.0 * np.cross(v, np.cross(v, point))
                step = _pose(point - turned, turn)
            moved[body.name] = then(before, step)
            place = then(before, _pose(point, HERE[1]))[0]
            direction = vector_of(rotation(before) @ axis)
            name = "normal" if joint.normal is not None else "axis"
            new_joints[joint.name] = joint.replace(point=place, **{name: direction})
        pose = then(moved[body.name], (body.position, body.quaternion))
        new_bodies[body.name] = body.replace(position=pose[0], quaternion=pose[1])
    changed: Model = model.replace(
        bodies=tuple(new_bodies[body.name] for body in model.bodies),
        joints=tuple(new_joints.get(joint.name, joint) for joint in model.joints),
    )
    return changed


def mass_matrix_and_gravity(
    model: Model, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mass matrix of hinges and sliders, and the torques that hold against gravity."""
    world = model.build()
    count = len(model.joints)
    parent = {joint.second: joint for joint in model.joints}
    order = {joint.name: k for k, joint in enumerate(model.joints)}
    matrix, torques = np.zeros((count, count)), np.zeros(count)
    for body in world.bodies:
        if body.kind != "dynamic":
            continue
        i = body.index
        linear, angular = np.zeros((3, count)), np.zeros((3, count))
        name: str | None = body.name
        while name in parent:
            joint = parent[name]
            k, axis = order[joint.name], np.array(joint.axis)
            if joint.type == "slider":
                linear[:, k] = axis
            else:
                angular[:, k] = axis
                linear[:, k] = np.cross(axis, body.center_of_mass - np.array(joint.point))
            name = joint.first
        w, x, y, z = world.principal_quaternions[i].tolist()
        turn = rotation((HERE[0], (w, x, y, z)))
        inertia = turn @ np.diag(world.inertias[i]) @ turn.T
        matrix += body.mass * linear.T @ linear + angular.T @ inertia @ angular
        torques -= body.mass * linear.T @ np.array(gravity)
    return matrix, torques


def first_accelerations(model: Model, step: float = 2e-3) -> np.ndarray:
    """Return the accelerations of hinges and sliders from rest, of the engine's first step; 0 for others.

    From rest the rates are odd in time, so what they miss is of even order: halving takes off h^2 and h^4.
    Long steps leave higher orders, short ones what the solver leaves over h; the step is taken where the
    last correction is least.

    Args:
        model: the model.
        step: the longest step that is tried [s].
    """
    best, least = np.zeros(len(model.joints)), np.inf
    for h in (step, step / 4, step / 16):
        one, two, four = (_rates(model, part) for part in (h, h / 2, h / 4))
        first, second = (4.0 * two - one) / 3.0, (4.0 * four - two) / 3.0
        better = (16.0 * second - first) / 15.0
        correction = float(np.abs(better - second).max(initial=0.0))
        if correction < least:
            best, least = better, correction
        if least <= ENOUGH * np.abs(best).max(initial=0.0):
            break
    return best


def _rates(model: Model, h: float) -> np.ndarray:
    """Return the rates over h after a step."""
    world = model.replace(world=model.world.replace(time_step=h)).build()
    world.step()
    return np.array([world.joint(one.name).rate if one.type in _AXIAL else 0.0 for one in model.joints]) / h


def _pose(position: np.ndarray, quaternion: tuple[float, ...]) -> Pose:
    w, x, y, z = (float(part) for part in quaternion)
    return vector_of(position), (w, x, y, z)
