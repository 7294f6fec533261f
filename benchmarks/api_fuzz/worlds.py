"""The worlds that random calls are made in: one of everything, in all states that a world can be in."""

import copy
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["STATES", "new_world"]

CORNERS = np.array([(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.5) for z in (0.0, 0.6)])
GROUND = np.array([(-4, -4, 0), (4, -4, 0), (4, 4, 0), (-4, 4, 0)]), np.array([(0, 1, 2), (0, 2, 3)])


def new_world(state: str, rng: np.random.Generator) -> "World":
    """Return a world with one of everything, after some steps, in a state of `STATES`."""
    return STATES[state](_built(rng, sleeping=state == "sleeping"))


def _built(rng: np.random.Generator, sleeping: bool) -> "World":
    import stoss as st

    solver = str(rng.choice(["auto", "direct", "gauss_seidel"]))
    settings = st.Settings(
        sleeping=sleeping, sleep_time=0.05, solver=solver, time_of_impact=bool(rng.random() < 0.3)
    )
    world = st.World(settings=settings, time_step=float(rng.choice([0.01, 0.005])))
    world.add_body(st.TriangleMesh(*GROUND), kind="static", name="ground")
    world.add_body(st.HalfSpace(offset=-1.0), kind="static", name="floor")
    world.add_bodies(st.Box((0.5, 0.5, 0.5)), [(0, 0, 0.25), (0, 0, 0.75)], names=["low", "high"])
    world.add_body(st.Sphere(0.3), position=(1, 0, 0.3), name="ball", material=st.Material(friction=0.2))
    pressed = st.Material(friction_law=st.LuGre(0.6, 0.4, 0.05, 1e4, 50.0))
    world.add_body(st.Capsule(0.2, 0.5), position=(2, 0, 0.6), name="pill", material=pressed)
    world.add_body(st.ConvexHull(CORNERS), position=(-1, 0, 0), name="hull")
    hammer: list[st.Shape | st.Placed] = [
        st.Placed(st.Box((0.4, 0.2, 0.2)), (0, 0, 0.5)),
        st.Cylinder(0.05, 1.0),
    ]
    world.add_body(hammer, position=(-2, 0, 2), name="hammer")
    world.add_body(st.Box((1, 1, 0.1)), kind="kinematic", position=(0, 2, 1), name="lift")
    arm = world.add_body(st.Box((1, 0.1, 0.1)), position=(0.5, -2, 2), name="arm")
    hand = world.add_body(st.Box((0.4, 0.1, 0.1)), position=(1.2, -2, 2), name="hand")
    cart = world.add_body(st.Box((0.3, 0.3, 0.3)), position=(0, -3, 2), name="cart")
    hinge = world.add_joint(st.Hinge((0, -2, 2), (0, 1, 0)), None, arm, name="hinge")
    hinge.limit(-1.0, 1.0)
    hinge.servo(0.2, stiffness=50.0, damping=5.0)
    wrist = world.add_joint(st.Ball((1, -2, 2), axis=(1, 0, 0)), arm, hand, name="wrist")
    wrist.limit(upper=0.5, coordinate="swing", stiffness=10.0, damping=1.0)
    wrist.limit_swing(ellipse=(0.6, 0.4), restitution=0.3)
    wrist.limit_twist([(0.0, -1.0, 1.0), (1.0, -0.5, 0.5)])
    slider = world.add_joint(st.Slider((0, -3, 2), (1, 0, 0)), None, cart, name="slider")
    slider.motor(0.1, max_force=10.0)
    slider.pid(0.1, gain=5.0)
    slider.friction_law = st.Stribeck(2.0, 1.0, 0.01, viscous=1.0)
    if sleeping:
        for name in ("low", "ball", "pill"):
            world.body(name).sleep()
    world.step(3)
    return world


def _restored(world: "World") -> "World":
    import stoss as st

    other = st.World(settings=world.settings)
    other.add_body(st.Sphere(1.0))
    other.restore(world.save())
    return other


def _reduced(world: "World") -> "World":
    for name in ("pill", "low"):
        world.remove_body(world.body(name))
    world.remove_joint(world.joint("slider"))
    return world


STATES: dict[str, "Callable[[World], World]"] = {
    "built": lambda world: world,
    "sleeping": lambda world: world,
    "copied": copy.deepcopy,
    "pickled": lambda world: pickle.loads(pickle.dumps(world)),
    "restored": _restored,
    "reduced": _reduced,
}
