"""DART (dartpy): joint coordinates along a spanning tree, constraints for the joints that close loops."""

from typing import Any

import dartpy
import numpy as np

from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build"]


def build(scene: JointScene, time_step: float, *, joint_coordinates: bool = True) -> Simulation:
    """Build the scene; without joint coordinates every joint is a constraint between free bodies."""
    dynamics = dartpy.dynamics
    world = dartpy.simulation.World()
    world.setTimeStep(time_step)
    world.setGravity((0.0, 0.0, -GRAVITY))
    tree, loops = scene.spanning_tree()
    branches: list[tuple[int, int, int | None]] = [*tree]
    if not joint_coordinates:
        branches = [(WORLD, body, None) for body in range(len(scene.masses))]
        loops = list(range(len(scene.pairs)))
    skeleton = dynamics.Skeleton()
    bodies: dict[int, Any] = {WORLD: None}
    for parent, body, joint in branches:
        properties = (dynamics.FreeJointProperties if joint is None else dynamics.BallJointProperties)()
        anchor = scene.place(body) if joint is None else scene.anchors[joint]
        before, after = dartpy.math.Isometry3(), dartpy.math.Isometry3()
        before.set_translation(anchor - scene.place(parent))
        after.set_translation(anchor - scene.place(body))
        properties.mT_ParentBodyToJoint, properties.mT_ChildBodyToJoint = before, after
        kind = "Free" if joint is None else "Ball"
        create = getattr(skeleton, f"create{kind}JointAndBodyNodePair")
        bodies[body] = create(bodies[parent], properties)[1]
        inertia = dynamics.Inertia(scene.masses[body], np.zeros(3), np.diag(scene.inertias[body]))
        bodies[body].setInertia(inertia)
    world.addSkeleton(skeleton)
    for joint in loops:
        nodes = [bodies[int(body)] for body in scene.pairs[joint] if body != WORLD]
        constraint = dartpy.constraint.BallJointConstraint(*nodes, scene.anchors[joint])
        world.getConstraintSolver().addConstraint(constraint)
    nodes = [bodies[body] for body in range(len(scene.masses))]

    def read() -> State:
        poses = [node.getWorldTransform() for node in nodes]
        return State(
            np.array([pose.translation() for pose in poses]),
            np.array([pose.quaternion().wxyz() for pose in poses]),
            np.array([node.getCOMLinearVelocity() for node in nodes]),
            np.array([node.getAngularVelocity() for node in nodes]),
        )

    return Simulation(world.step, read)
