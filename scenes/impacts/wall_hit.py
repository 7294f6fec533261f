"""A brick wall that is hit by a heavy ball on a pendulum."""

import math
from typing import TYPE_CHECKING

from stoss.scenes.building.checks import check_count, check_positive, check_range
from stoss.scenes.building.drawn import IRON, drawn_rod
from stoss.scenes.building.ground import add_ground, new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["wall_hit"]

_LENGTH, _DEPTH, _HEIGHT = 1.0, 0.4, 0.3  # of a brick [m]
_RADIUS = 1.0  # of the ball [m]
_ROD = 0.06  # radius of the pendulum's rod, which is only drawn [m]


@scene(
    "wall_hit",
    "Brick wall in running bond, hit by a pendulum.",
    duration=5.0,
    body_count=253,
    moment=2.2,
    view=(-50, 14),
)
def wall_hit(
    *,
    courses: int = 24,
    columns: int = 11,
    length: float = 6.0,
    angle_deg: float = 60.0,
    settings: "Settings | None" = None,
    time_step: float = 0.005,
) -> "World":
    """Build the wall of Bender 2007, section 5.5.1.2: 252 bricks 1 x 0.4 x 0.3 m of 1 kg, ball of 10 kg.

    Courses alternate between `columns` bricks and one less, side by side without gaps. The ball, of radius
    1 m, hangs on a ball joint such that it touches the wall at mid-height when it hangs straight down. Values
    of the material are those of the thesis, per body (restitution 0.1, static friction 0.2, dynamic 0.1), and
    so are the rules by which they combine, whatever `settings` say: restitution multiplies, friction adds.
    The thesis states neither the length of the pendulum nor where it starts.

    Args:
        courses: number of courses.
        columns: bricks in the lowest course and in every second one above it, at least 2.
        length: of the pendulum, from the joint to the centre of the ball [m].
        angle_deg: by how much the pendulum is raised at the start [degrees], 0 to 90.
        settings: settings of the engine, but for the rules above.
        time_step: time step [s].
    """
    from dataclasses import replace

    from stoss.collision import Box, Sphere
    from stoss.engine import Ball, Drawn, Material, Settings

    check_count("courses", courses)
    check_count("columns", columns, 2)
    check_positive("length", length)
    check_range("angle_deg", angle_deg, 0.0, 90.0)
    chosen = Settings() if settings is None else settings
    world = new_world(time_step, replace(chosen, friction_rule="add", restitution_rule="multiply"))
    material = Material(restitution=0.1, friction=0.1, static_friction=0.2)
    add_ground(world, material)
    brick = Box((_LENGTH, _DEPTH, _HEIGHT))
    for course in range(courses):
        count = columns - course % 2
        for column in range(count):
            world.add_body(
                brick,
                position=((column - 0.5 * (count - 1)) * _LENGTH, 0.0, (course + 0.5) * _HEIGHT),
                mass=1.0,
                material=material,
                name=f"brick {course}.{column}",
            )
    joint = (0.0, -0.5 * _DEPTH - _RADIUS, 0.5 * courses * _HEIGHT + length)
    angle = math.radians(angle_deg)
    ball = world.add_body(
        Sphere(_RADIUS),
        position=(0.0, joint[1] - length * math.sin(angle), joint[2] - length * math.cos(angle)),
        mass=10.0,
        material=material,
        name="ball",
    )
    away = (0.0, math.sin(angle) * length, math.cos(angle) * length)
    ball.display = [drawn_rod((0.0, 0.0, 0.0), away, _ROD), Drawn(Sphere(2.5 * _ROD), away, color=IRON)]
    world.add_joint(Ball(joint), None, ball, name="pendulum")
    return world
