"""Rapier (rapier3d, single precision): separate bodies and impulse joints, default solver."""

from typing import Any

import numpy as np
import rapier3d

from stoss.benchmarks.peers.contact_scenes import BOX, FRICTION, PLANE, ContactScene
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build", "build_contacts"]


def build(scene: JointScene, time_step: float) -> Simulation:
    """Build the scene on one thread, without sleeping."""
    world = rapier3d.PhysicsWorld(gravity=(0.0, 0.0, -GRAVITY))
    world.integration_parameters.dt = time_step
    world.set_num_threads(1)
    ground = world.add_body(rapier3d.RigidBody.fixed())
    handles = []
    for mass, inertia, place in zip(scene.masses, scene.inertias, scene.positions, strict=True):
        properties = rapier3d.MassProperties((0.0, 0.0, 0.0), float(mass), tuple(inertia))
        builder = rapier3d.RigidBody.dynamic()
        builder = builder.translation(tuple(place)).can_sleep(False)
        handles.append(world.add_body(builder.additional_mass_properties(properties)))
    for joint, (first, second) in enumerate(scene.pairs):
        on_first, on_second = (tuple(anchor) for anchor in scene.local_anchors(joint))
        ball = rapier3d.SphericalJointBuilder().local_anchor1(on_first).local_anchor2(on_second)
        parent = ground if first == WORLD else handles[first]
        world.impulse_joints.insert(parent, handles[second], ball.contacts_enabled(False).build())

    return Simulation(world.step, lambda: _read(world, handles))


def build_contacts(scene: ContactScene, time_step: float) -> Simulation:
    """Build the scene on one thread, without sleeping."""
    world = rapier3d.PhysicsWorld(gravity=(0.0, 0.0, -GRAVITY))
    world.integration_parameters.dt = time_step
    world.set_num_threads(1)
    handles = []
    for kind, size, mass, place, turn in zip(
        scene.kinds, scene.sizes, scene.masses, scene.positions, scene.quaternions, strict=True
    ):
        builder = rapier3d.RigidBody.fixed() if mass == 0.0 else rapier3d.RigidBody.dynamic().can_sleep(False)
        builder = builder.translation(tuple(place)).rotation(tuple(_rotation_vector(turn)))
        if kind == BOX:
            collider = rapier3d.Collider.cuboid(*size.tolist())
        elif kind == PLANE:
            collider = rapier3d.Collider.halfspace((0.0, 0.0, 1.0))
        else:
            collider = rapier3d.Collider.ball(float(size[0]))
        if mass > 0.0:
            collider = collider.mass(float(mass))
        handle = world.add_body(builder, [collider.friction(FRICTION).restitution(0.0)])
        if mass > 0.0:
            handles.append(handle)
    return Simulation(world.step, lambda: _read(world, handles))


def _rotation_vector(quaternion: np.ndarray) -> np.ndarray:
    """Return axis times angle [rad] of a unit quaternion."""
    sine = float(np.linalg.norm(quaternion[1:]))
    angle = 2.0 * np.arctan2(sine, quaternion[0])
    return quaternion[1:] * (angle / sine if sine > 0.0 else 2.0)


def _read(world: Any, handles: list[Any]) -> State:
    bodies = [world.rigid_bodies[handle] for handle in handles]
    turns = [body.rotation for body in bodies]
    vectors = ([getattr(body, name) for body in bodies] for name in ("translation", "linvel", "angvel"))
    positions, velocities, spins = (np.array([(v.x, v.y, v.z) for v in rows]) for rows in vectors)
    return State(positions, np.array([(q.w, q.i, q.j, q.k) for q in turns]), velocities, spins)
