"""Bullet through pybullet: separate bodies and point-to-point constraints."""

import numpy as np
import pybullet
from pybullet_utils.bullet_client import BulletClient

from benchmarks.peers.running import Simulation, State
from benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build"]


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

    def read() -> State:
        poses = [client.getBasePositionAndOrientation(body) for body in bodies]
        rates = [client.getBaseVelocity(body) for body in bodies]
        return State(
            np.array([pose[0] for pose in poses]),
            np.array([pose[1] for pose in poses])[:, [3, 0, 1, 2]],
            np.array([rate[0] for rate in rates]),
            np.array([rate[1] for rate in rates]),
        )

    return Simulation(client.stepSimulation, read)
