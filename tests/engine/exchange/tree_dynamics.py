"""Dynamics of a tree of hinges and sliders in plain numpy, from the records of a model."""

import numpy as np

from stoss.engine.model.frames import HERE, then


def posed(model, values):
    """Return the model with joints at values (a dict by name), its joints where they are then."""
    moved = {None: HERE}
    bodies = {body.name: body for body in model.bodies}
    at = {joint.second: joint for joint in model.joints}
    new_bodies, new_joints = {}, {}
    for body in model.bodies:
        joint = at.get(body.name)
        if joint is None:
            moved[body.name] = HERE
        else:
            before = moved[joint.first]
            q = values.get(joint.name, 0.0)
            axis, point = np.array(joint.axis), np.array(joint.point)
            if joint.type == "slider":
                step = (tuple((axis * q).tolist()), HERE[1])
            else:
                turn = (np.cos(q / 2), *(np.sin(q / 2) * axis))
                w, v = turn[0], np.array(turn[1:])
                turned = point + 2.0 * w * np.cross(v, point) + 2.0 * np.cross(v, np.cross(v, point))
                step = (tuple((point - turned).tolist()), tuple(map(float, turn)))
            moved[body.name] = then(before, step)
            place = then(before, (joint.point, HERE[1]))[0]
            direction = np.array(then(before, (joint.axis, HERE[1]))[0]) - np.array(before[0])
            new_joints[joint.name] = joint.replace(point=place, axis=tuple(direction.tolist()))
        pose = then(moved[body.name], (body.position, body.quaternion))
        new_bodies[body.name] = body.replace(position=pose[0], quaternion=pose[1])
    return model.replace(
        bodies=tuple(new_bodies[name] for name in bodies),
        joints=tuple(new_joints[joint.name] for joint in model.joints),
    )


def mass_matrix_and_gravity(model, gravity=(0.0, 0.0, -9.81)):
    """Return the mass matrix of the joint coordinates and the torques that hold against gravity."""
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
        name = body.name
        while name in parent:
            joint = parent[name]
            k, axis = order[joint.name], np.array(joint.axis)
            if joint.type == "slider":
                linear[:, k] = axis
            else:
                angular[:, k] = axis
                linear[:, k] = np.cross(axis, body.center_of_mass - np.array(joint.point))
            name = joint.first
        w, x, y, z = world.principal_quaternions[i]
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        inertia = turn @ np.diag(world.inertias[i]) @ turn.T
        matrix += body.mass * linear.T @ linear + angular.T @ inertia @ angular
        torques -= body.mass * linear.T @ np.array(gravity)
    return matrix, torques


def first_accelerations(model, step=2e-3):
    """Return the accelerations of the joints from rest, of the engine's first step.

    From rest the rates are odd in time, so what they miss is of even order: halving takes off h^2 and h^4.
    """
    found = []
    for h in (step, step / 2, step / 4):
        world = model.replace(world=model.world.replace(time_step=h)).build()
        world.step()
        found.append(np.array([world.joint(joint.name).rate / h for joint in model.joints]))
    first, second = (4.0 * found[1] - found[0]) / 3.0, (4.0 * found[2] - found[1]) / 3.0
    return (16.0 * second - first) / 15.0
