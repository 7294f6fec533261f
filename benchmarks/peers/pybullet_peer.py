"""Bullet through pybullet: separate bodies and point-to-point constraints."""

from typing import Any

import numpy as np
import pybullet
from pybullet_utils.bullet_client import BulletClient

from stoss.benchmarks.peers.contact_scenes import BOX, FRICTION, PLANE, ContactScene
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build", "build_contacts"]


def build(scene: JointScene, time_step: float) -> Simulation:
    """Build the scene with the default solver (50 iterations), without damping."""
    client = BulletClient(pybullet.DIRECT)
    client.setGravity(0, 0, -GRAVITY)
    client.setTimeStep(time_step)
    bodies = []
    for mass, inertia, place in zip(scene.masses, scene.inertias, scene.positions, strict=True):
        body = client.createMultiBody(baseMass=mass, basePosition=place)
        client.changeDynamics(
            body, -1, localInertiaDiagonal=inertia, linearDamping=0, angularDamping=0, jointDamping=0
        )
        bodies.append(body)
    for joint, (first, second) in enumerate(scene.pairs):
        # The world may only be the child.
        on_first, on_second = scene.local_anchors(joint)
        child = -1 if first == WORLD else bodies[first]
        constraint = client.createConstraint(
            bodies[second], -1, child, -1, client.JOINT_POINT2POINT, (0, 0, 0), on_second, on_first
        )
        client.changeConstraint(constraint, maxForce=1e12)
    return Simulation(client.stepSimulation, lambda: _read(client, bodies))


def build_contacts(scene: ContactScene, time_step: float) -> Simulation:
    """Build the scene with the default solver (50 iterations), without damping."""
    client = BulletClient(pybullet.DIRECT)
    client.setGravity(0, 0, -GRAVITY)
    client.setTimeStep(time_step)
    shapes: dict[tuple[float, ...], int] = {}
    bodies = []
    for kind, size, mass, place, turn in zip(
        scene.kinds, scene.sizes, scene.masses, scene.positions, scene.quaternions, strict=True
    ):
        key = (float(kind), *size.tolist())
        if key not in shapes:
            if kind == BOX:
                shapes[key] = client.createCollisionShape(client.GEOM_BOX, halfExtents=size)
            elif kind == PLANE:
                shapes[key] = client.createCollisionShape(client.GEOM_PLANE, planeNormal=(0, 0, 1))
            else:
                shapes[key] = client.createCollisionShape(client.GEOM_SPHERE, radius=size[0])
        body = client.createMultiBody(
            baseMass=mass,
            baseCollisionShapeIndex=shapes[key],
            basePosition=place,
            baseOrientation=turn[[1, 2, 3, 0]],
        )
        # the coefficients of a pair are multiplied
        client.changeDynamics(
            body, -1, lateralFriction=np.sqrt(FRICTION), restitution=0, linearDamping=0, angularDamping=0
        )
        if mass > 0.0:
            bodies.append(body)
    return Simulation(client.stepSimulation, lambda: _read(client, bodies))


def _read(client: Any, bodies: list[int]) -> State:
    poses = [client.getBasePositionAndOrientation(body) for body in bodies]
    rates = [client.getBaseVelocity(body) for body in bodies]
    return State(
        np.array([pose[0] for pose in poses]),
        np.array([pose[1] for pose in poses])[:, [3, 0, 1, 2]],
        np.array([rate[0] for rate in rates]),
        np.array([rate[1] for rate in rates]),
    )
