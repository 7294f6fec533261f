"""Rapier (rapier3d, single precision): separate bodies and impulse joints, default solver."""

import numpy as np
import rapier3d

from benchmarks.peers.running import Simulation, State
from benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build"]


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

    def read() -> State:
        bodies = [world.rigid_bodies[handle] for handle in handles]
        turns = [body.rotation for body in bodies]
        vectors = ([getattr(body, name) for body in bodies] for name in ("translation", "linvel", "angvel"))
        positions, velocities, spins = (np.array([(v.x, v.y, v.z) for v in rows]) for rows in vectors)
        return State(positions, np.array([(q.w, q.i, q.j, q.k) for q in turns]), velocities, spins)

    return Simulation(world.step, read)
