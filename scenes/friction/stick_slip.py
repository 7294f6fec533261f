"""Masses on a plane, each pulled by a spring under a friction law of its own: stick-slip side by side."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from stoss.scenes.building.checks import check_positive
from stoss.scenes.building.ground import new_world
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Body, FrictionLaw, Settings, World

__all__ = ["stick_slip", "stick_slip_laws"]

GRAVITY = 9.81  # [m/s^2]
MASS, STIFFNESS, LENGTH = 0.1, 10.0, 0.1  # [kg], [N/m], [m] of table 2.1
WEIGHT = MASS * GRAVITY
STOP = 5.0  # [s] when the ends of the springs stop
SWAY, FREQUENCY = 0.05, 0.2  # [m], [Hz] across, of the motion in the plane


def stick_slip_laws() -> "dict[str, FrictionLaw]":
    """Return the friction laws by their names, for contacts: tables 2.1 and 2.2, forces over the weight."""
    from stoss.engine import ContinuousStribeck, Coulomb, Filtered, LuGre, Stribeck

    most, least, viscous = 1.4 / WEIGHT, 1.0 / WEIGHT, 0.1 / WEIGHT
    smooth = ContinuousStribeck(most, least, 1e-4, 5e-5, viscous)
    return {
        "coulomb": Coulomb(least, most, viscous),
        "stribeck": Stribeck(most, least, 2e-4, viscous),
        "smooth": smooth,
        "filtered": Filtered(smooth, 3e-4, 1e-4),
        "lugre": LuGre(most, least, 0.02, 1e4 / WEIGHT, 100.0 / WEIGHT, viscous),
    }


@scene(
    "stick_slip",
    "Masses pulled by springs stick and slip, each by another friction law.",
    duration=8.0,
    body_count=5,
    moment=1.6,
    view=(-60, 30),
    plots=(
        "contact.ground-stribeck mass.force.x [N]",
        "contact.ground-filtered mass.force.x [N]",
        "contact.ground-lugre mass.force.x [N]",
        "body.stribeck mass.velocity.x [m/s]",
        "body.lugre mass.velocity.x [m/s]",
    ),
)
def stick_slip(
    *,
    law: Literal["all", "coulomb", "stribeck", "smooth", "filtered", "lugre"] = "all",
    plane: Literal["straight", "swaying"] = "straight",
    speed: float = 0.1,
    settings: "Settings | None" = None,
    time_step: float = 0.01,
) -> "World":
    """Build the masses of Specker 2016, sections 2.3.2 and 2.3.3, of 0.1 kg, and springs of 10 N/m.

    The ends of the springs move on for 5 s and then stop; at 0.1 m/s each mass slips four times. With
    `swaying` they move across as well, by 50 mm at 0.2 Hz.

    Args:
        law: friction law of the mass; "all": one mass for each, side by side.
        plane: whether the ends move straight on, or sway in the plane.
        speed: of the ends [m/s].
        settings: settings of the engine.
        time_step: time step [s].
    """
    from stoss.collision import Box, HalfSpace, Sphere
    from stoss.engine import Drawn, Material, SpringDamper

    check_positive("speed", speed)
    world = new_world(time_step, settings, (0.0, 0.0, -GRAVITY))
    ground = Material(friction=1.0 / WEIGHT)
    world.add_body(HalfSpace(), kind="static", material=ground, name="ground")
    laws = stick_slip_laws()
    ends = []
    for number, (name, own) in enumerate((n, k) for n, k in laws.items() if law in ("all", n)):
        y = 0.15 * number
        material = Material(friction_law=own, name=name)
        world.set_material_pair(material, ground, friction=own)
        mass = world.add_body(
            Box((0.1, 0.1, 0.02)), position=(0.0, y, 0.01), mass=MASS, material=material, name=f"{name} mass"
        )
        end = world.add_body((), kind="kinematic", position=(LENGTH, y, 0.01), name=f"end of {name} spring")
        end.display = [Drawn(Sphere(0.01))]
        end.velocity = (speed, 0.0, 0.0)
        world.add_load(SpringDamper(end, mass, rest=LENGTH, stiffness=STIFFNESS), name=f"{name} spring")
        ends.append(end)
    world.before_step.append(_lead(ends, speed, plane == "swaying"))
    return world


def _lead(ends: "list[Body]", speed: float, sways: bool) -> "Callable[[World], None]":
    """Return what moves the ends of the springs: on for 5 s, and across if they sway."""

    def lead(world: "World") -> None:
        goes_on = world.time < STOP - 0.5 * world.time_step
        w, h = 2.0 * math.pi * FREQUENCY, world.time_step
        # the mean rate over the step, so that the ends are where they should be at its end
        rate = SWAY * (math.sin(w * (world.time + h)) - math.sin(w * world.time)) / h if sways else 0.0
        for end in ends:
            end.velocity = (speed, rate, 0.0) if goes_on else (0.0, 0.0, 0.0)

    return lead
