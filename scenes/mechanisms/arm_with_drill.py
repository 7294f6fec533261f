"""An arm that holds a hammer drill, with a PID controller in each joint (Krieg 1992, chapter 5)."""

import math
from typing import TYPE_CHECKING, Any, Literal

from stoss.scenes.building.sticks import stick_figure
from stoss.scenes.registry import scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World

__all__ = ["GAINS", "arm_with_drill"]

# P, I and D of the seven runs; the thesis does not say in which units of angles.
GAINS = {
    "R1": (200.0, 400.0, 20.0),
    "R2": (20.0, 400.0, 20.0),
    "R3": (2.0, 400.0, 20.0),
    "R4": (200.0, 4000.0, 20.0),
    "R5": (200.0, 40.0, 20.0),
    "R6": (200.0, 400.0, 200.0),
    "R7": (200.0, 400.0, 2.0),
}

# Mass [kg], inertia [kg m^2], angle [degrees], centre of mass [m] (table 3.3), soft tissue, points [m].
_BODIES: dict[str, Any] = {
    "trunk": (
        *(125.0, 10.7, 0.0, (25.0, 1.5)),
        {"shoulder": (0.02, 0.6), "foot": (0.0, -0.9), "head": (0.0, 0.9)},
    ),
    "upper_arm": (8.0, 0.5, 45.0, (4.0, 0.2), {"shoulder": (0.0, 0.25), "elbow": (0.0, -0.25)}),
    "forearm": (4.0, 0.3, -45.0, (2.0, 0.1), {"elbow": (0.0, -0.2), "wrist": (0.0, 0.2)}),
    "hand": (
        *(0.8, 0.1, 0.0, (0.1, 0.05)),
        {"wrist": (0.0, -0.02), "contact": (0.0, 0.06), "tip": (0.0, 0.14)},
    ),
}  # fmt: skip
_JOINTS = (
    ("shoulder", "trunk", "upper_arm"),
    ("elbow", "upper_arm", "forearm"),
    ("wrist", "forearm", "hand"),
)
_CONTACT = (1.0, 1.6)  # where hand and drill begin to touch [m]
_FORCE = 300.0  # largest force of the drill [N]
_TRUNK = 1000.0  # by which feet and ground hold the trunk [N m/rad]


@scene(
    "arm_with_drill",
    "A person holds a hammer drill: PID controllers in shoulder, elbow and wrist.",
    duration=1.0,
    body_count=9,
    moment=0.3,
    view=(-90, 0),
)
def arm_with_drill(
    *,
    run: Literal["R1", "R2", "R3", "R4", "R5", "R6", "R7"] = "R1",
    unit: Literal["radians", "degrees"] = "radians",
    drill: Literal["steady", "hammer"] = "steady",
    servo: Literal["implicit", "explicit"] = "implicit",
    settings: "Settings | None" = None,
    time_step: float = 0.001,
) -> "World":
    """Build trunk, arm and hand of a person, soft tissue beside them, and the drill, in the plane "xz".

    There is no gravity; the drill pushes the hand back and the ground the trunk forward, by 150 N. Each joint
    holds the angle in which it begins by P e + I integral(e) + D e'.

    Args:
        run: set of gains P, I and D: 200, 400 and 20 in R1, one of them ten times or a tenth of it in others.
        unit: of angles in P and I: radians, or degrees as the thesis may mean; rates are in rad/s.
        drill: steady (150 N), or hammer: 300 sin^2 (2 pi 5 t) N.
        servo: implicit (rows of the solver, stable at any gains) or explicit (torques, constant in a step).
        settings: settings of the engine.
        time_step: time step [s].
    """
    import numpy as np

    from stoss.engine import Force, Hinge, RotationalSpring, Servo, World, from_values

    world = World(gravity=(0.0, 0.0, 0.0), time_step=time_step, settings=settings, planar="xz")
    plane = world.plane
    assert plane is not None

    def add(name: str, mass: float, inertia: float, angle: float, place: Any) -> Any:
        properties = from_values(mass, inertia * np.eye(3))
        return world.add_body(
            mass_properties=properties,
            position=plane.vector(*place),
            quaternion=plane.quaternion(math.radians(angle)),
            name=name,
        )

    def turned(name: str, point: str) -> Any:
        c, s = math.cos(a := math.radians(_BODIES[name][2])), math.sin(a)
        x, z = _BODIES[name][4][point]
        return np.array((c * x - s * z, s * x + c * z))

    places = {"hand": np.array(_CONTACT) - turned("hand", "contact")}
    for joint, first, second in reversed(_JOINTS):
        places[first] = places[second] + turned(second, joint) - turned(first, joint)
    for name, (mass, inertia, angle, _, points) in _BODIES.items():
        body = add(name, mass, inertia, angle, places[name])
        for point, (x, z) in points.items():
            world.add_marker(point, body, position=plane.vector(x, z))
    tool = add("drill", 20.0, 2.0, 90.0, (_CONTACT[0] + 0.18, _CONTACT[1]))
    for point, z in (("contact", 0.18), ("tip", -0.18)):
        world.add_marker(point, tool, position=plane.vector(0.0, z))
    for name, (_, _, angle, (mass, inertia), _) in _BODIES.items():
        add(f"{name}_soft", mass, inertia, angle, places[name])
    p, i, d = GAINS[run]
    scale = 1.0 if unit == "radians" else 180.0 / math.pi
    for name, first, second in _JOINTS:
        point = world.marker(f"{first}:{name}").position
        ends = world.body(first), world.body(second)
        joint_ = world.add_joint(Hinge(point, plane.turn_vector(1.0)), *ends, name=name)
        servo_ = Servo(
            joint_, kp=p * scale, ki=i * scale, kd=d, target="initial", implicit=servo == "implicit"
        )
        world.add_actuator(servo_, name=name)
    mean = 0.5 * _FORCE
    world.add_load(Force(world.marker("drill:tip"), plane.vector(-mean, 0.0)), name="hammer")
    world.add_load(Force(world.marker("drill:contact"), plane.vector(mean, 0.0)), name="handle")
    world.add_load(Force(world.body("trunk"), plane.vector(mean, 0.0)), name="feet")
    if drill == "steady":
        world.add_load(Force(world.marker("hand:contact"), plane.vector(-mean, 0.0)), name="grip")
    else:
        world.add_load(_hammer, name="grip")
    upright = RotationalSpring(world.body("trunk"), None, axis=plane.turn_vector(1.0), stiffness=_TRUNK)
    world.add_load(upright, name="upright")
    stick_figure(world)
    return world


def _hammer(c: Any) -> None:
    """Push the hand back where it holds the drill."""
    c.force("hand:contact", (-_FORCE * math.sin(2.0 * math.pi * 5.0 * c.time) ** 2, 0.0, 0.0))
