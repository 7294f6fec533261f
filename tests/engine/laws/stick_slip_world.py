"""A mass on a plane, pulled by a spring whose end moves on and then stops (Specker 2016, section 2.3.2)."""

from typing import NamedTuple

import numpy as np

from stoss.collision import Box, HalfSpace
from stoss.engine import Body, Free, FrictionLaw, Material, Settings, Slider, World

MASS, STIFFNESS, SPEED, GRAVITY = 0.1, 10.0, 0.1, 9.81
WEIGHT = MASS * GRAVITY
STOP, END = 5.0, 8.0  # [s] when the end of the spring stops; of the run
SLIPS = 0.02  # [m/s] from which on it slips


class Run(NamedTuple):
    """What was seen of a run."""

    time: np.ndarray  # [s]
    place: np.ndarray  # [m]
    speed: np.ndarray  # [m/s]

    @property
    def onsets(self) -> np.ndarray:
        """Return when slips began [s]."""
        fast = self.speed > SLIPS
        return self.time[1:][fast[1:] & ~fast[:-1]]

    @property
    def drift(self) -> float:
        """Return how far the mass moved in the last two seconds [m]."""
        late = self.place[self.time >= END - 2.0]
        return float(np.ptp(late))


def pulled_mass(
    law: FrictionLaw, on: str, time_step: float = 0.01, settings: Settings | None = None
) -> tuple[World, Body, Body]:
    """Return a world, the mass and the end of the spring; the law is of a contact, or of a slider."""
    world = World(gravity=(0, 0, -GRAVITY), time_step=time_step, settings=settings)
    place, shape = (0, 0, 0.01), Box((0.1, 0.1, 0.02))
    if on == "contact":
        material = Material(friction_law=law)
        world.add_body(HalfSpace(), kind="static", material=material)
        mass = world.add_body(shape, position=place, mass=MASS, material=material)
    else:
        mass = world.add_body(shape, position=place, mass=MASS)
        world.add_joint(Slider(place, (1, 0, 0)), world.add_body((), kind="static"), mass).friction_law = law
    end = world.add_body((), kind="kinematic", position=place, velocity=(SPEED, 0, 0))
    world.add_joint(Free(place), end, mass).spring(STIFFNESS, coordinate="x")
    return world, mass, end


def run(world: World, mass: Body, end: Body, stop: float = STOP, until: float = END) -> Run:
    """Pull, stop, and return what was seen."""
    h, seen = world.time_step, []
    for number in range(round(until / h)):
        if number == round(stop / h):
            end.velocity = (0, 0, 0)
        world.step()
        seen.append((world.time, mass.position[0], mass.velocity[0]))
    return Run(*np.array(seen).T)
