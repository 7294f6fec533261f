"""stoss with its default settings."""

from typing import Any

from stoss.benchmarks.peers.contact_scenes import FRICTION, ContactScene
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene
from stoss.collision import Box
from stoss.engine import Ball, Material, Settings, World

__all__ = ["build", "build_contacts"]


def build(scene: JointScene, time_step: float, **settings: Any) -> Simulation:
    """Build the scene; `settings` are those of `stoss.engine.Settings` that differ from the defaults."""
    world = World((0, 0, -GRAVITY), time_step, Settings(**settings))
    bodies = [
        world.add_body(Box(tuple(2 * half)), position=place, mass=mass, mask=0)
        for half, place, mass in zip(scene.half_extents, scene.positions, scene.masses, strict=True)
    ]
    for (first, second), anchor in zip(scene.pairs, scene.anchors, strict=True):
        world.add_joint(Ball(anchor), None if first == WORLD else bodies[first], bodies[second])
    return Simulation(world.step, lambda: _read(world, slice(None)))


def build_contacts(scene: ContactScene, time_step: float, **settings: Any) -> Simulation:
    """Build the scene; `settings` as for `build`."""
    world = World((0, 0, -GRAVITY), time_step, Settings(**settings))
    material = Material(friction=FRICTION)
    bodies = []
    for body, mass in enumerate(scene.masses):
        inert: dict[str, Any] = {"kind": "static"} if mass == 0.0 else {"mass": mass}
        place, turn = scene.positions[body], scene.quaternions[body]
        bodies.append(
            world.add_body(scene.shape(body), position=place, quaternion=turn, material=material, **inert)
        )
    moving = scene.moving
    return Simulation(world.step, lambda: _read(world, moving))


def _read(world: World, rows: Any) -> State:
    return State(
        world.positions[rows],
        world.quaternions[rows],
        world.velocities[rows],
        world.angular_velocities[rows],
    )
