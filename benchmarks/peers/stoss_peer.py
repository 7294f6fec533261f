"""stoss with its default settings."""

from typing import Any

import numpy as np

from benchmarks.peers.running import Simulation, State
from benchmarks.peers.scenes import GRAVITY, WORLD, JointScene
from collision import Box
from engine import Ball, Settings, World

__all__ = ["build"]


def build(scene: JointScene, time_step: float, **settings: Any) -> Simulation:
    """Build the scene; `settings` are those of `engine.Settings` that differ from the defaults."""
    world = World((0, 0, -GRAVITY), time_step, Settings(**settings))
    bodies = [
        world.add_body(Box(tuple(2 * half)), position=place, mass=mass, mask=0)
        for half, place, mass in zip(scene.half_extents, scene.positions, scene.masses, strict=True)
    ]
    for (first, second), anchor in zip(scene.pairs, scene.anchors, strict=True):
        world.add_joint(Ball(anchor), None if first == WORLD else bodies[first], bodies[second])

    def read() -> State:
        return State(
            world.positions,
            np.array([body.quaternion for body in bodies]),
            world.velocities,
            world.angular_velocities,
        )

    return Simulation(world.step, read)
