"""PhysX through SAPIEN (single precision): separate bodies and six-degree joints, default TGS solver."""

import numpy as np
import sapien
from sapien import physx

from benchmarks.peers.running import Simulation, State
from benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build"]


def build(scene: JointScene, time_step: float) -> Simulation:
    """Build the scene on the calling thread, without damping and sleeping."""
    physx.set_scene_config(gravity=np.array((0, 0, -GRAVITY)), cpu_workers=0)
    system = physx.PhysxCpuSystem()
    system.timestep = time_step
    world = sapien.Scene([system])
    bodies, entities = [], []
    for mass, inertia, place in zip(scene.masses, scene.inertias, scene.positions, strict=True):
        body = physx.PhysxRigidDynamicComponent()
        body.mass, body.inertia = float(mass), inertia
        body.linear_damping = body.angular_damping = body.sleep_threshold = 0.0
        bodies.append(body)
        entities.append(sapien.Entity())
        entities[-1].add_component(body)
        entities[-1].pose = sapien.Pose(place)
    for joint, (first, second) in enumerate(scene.pairs):
        on_first, on_second = scene.local_anchors(joint)
        ball = physx.PhysxDriveComponent(bodies[second])
        ball.parent = None if first == WORLD else bodies[first]
        ball.pose_in_parent, ball.pose_in_child = sapien.Pose(on_first), sapien.Pose(on_second)
        for lock in (ball.set_limit_x, ball.set_limit_y, ball.set_limit_z):
            lock(0.0, 0.0)
        entities[second].add_component(ball)
    for entity in entities:
        world.add_entity(entity)

    def read() -> State:
        poses = [entity.pose for entity in entities]
        return State(
            np.array([pose.p for pose in poses], float),
            np.array([pose.q for pose in poses], float),
            np.array([body.linear_velocity for body in bodies], float),
            np.array([body.angular_velocity for body in bodies], float),
        )

    return Simulation(world.step, read)
