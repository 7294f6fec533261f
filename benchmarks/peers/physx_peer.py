"""PhysX through SAPIEN (single precision): separate bodies and six-degree joints, default TGS solver."""

from typing import Any

import numpy as np
import sapien
from sapien import physx

from stoss.benchmarks.peers.contact_scenes import BOX, FRICTION, PLANE, ContactScene
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build", "build_contacts"]

# The plane of PhysX faces along x; this turn takes x to z.
UPWARDS = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)


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
    return Simulation(world.step, lambda: _read(entities, bodies))


def build_contacts(scene: ContactScene, time_step: float) -> Simulation:
    """Build the scene on the calling thread, without damping and sleeping."""
    # a body that comes to rest approaches by g h; the default threshold of 2 m/s is that of a game
    physx.set_scene_config(gravity=np.array((0, 0, -GRAVITY)), bounce_threshold=0.01, cpu_workers=0)
    system = physx.PhysxCpuSystem()
    system.timestep = time_step
    world = sapien.Scene([system])
    material = physx.PhysxMaterial(FRICTION, FRICTION, 0.0)
    bodies, entities = [], []
    for kind, size, mass, inertia, place, turn in zip(
        scene.kinds,
        scene.sizes,
        scene.masses,
        scene.inertias,
        scene.positions,
        scene.quaternions,
        strict=True,
    ):
        if kind == BOX:
            shape = physx.PhysxCollisionShapeBox(size.astype(np.float32), material)
        elif kind == PLANE:
            shape = physx.PhysxCollisionShapePlane(material)
            shape.local_pose = sapien.Pose(q=UPWARDS)
        else:
            shape = physx.PhysxCollisionShapeSphere(float(size[0]), material)
        still = mass == 0.0
        body = physx.PhysxRigidStaticComponent() if still else physx.PhysxRigidDynamicComponent()
        body.attach(shape)
        entity = sapien.Entity()
        if not still:
            body.mass, body.inertia = float(mass), inertia
            body.linear_damping = body.angular_damping = body.sleep_threshold = 0.0
            bodies.append(body)
            entities.append(entity)
        entity.add_component(body)
        entity.pose = sapien.Pose(place, turn)
        world.add_entity(entity)
    return Simulation(world.step, lambda: _read(entities, bodies))


def _read(entities: list[Any], bodies: list[Any]) -> State:
    poses = [entity.pose for entity in entities]
    return State(
        np.array([pose.p for pose in poses], float),
        np.array([pose.q for pose in poses], float),
        np.array([body.linear_velocity for body in bodies], float),
        np.array([body.angular_velocity for body in bodies], float),
    )
