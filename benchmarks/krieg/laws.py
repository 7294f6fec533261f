"""Tests T-07 and T-18 to T-23 of Krieg 1992: stops, springs, contact and soft tissue, each by itself."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.cases.registry import Figure, at_most, near

if TYPE_CHECKING:
    from stoss.engine import Body, World

__all__ = ["CHECKS"]

# Krieg's table of T-07: torque [N m] that turns back from a stop, by the angle [degrees].
STOP_DEGREES = {
    90: -40.0, 91: -5.960, 92: -0.291, 93: 0.0, 180: 0.0, 265: 0.0, 266: 0.019, 267: 0.387,
    268: 2.598, 269: 11.343, 270: 40.0, 271: 125.57, 272: 369.26, 275: 7993.7,
}  # fmt: skip
STOP_RADIANS = {91: -7.874, 92: -0.490, 269: 16.326, 271: 83.238, 275: 651.47}


def _free(world: "World", mass: float, position: Any, **values: Any) -> "Body":
    import stoss as st

    return world.add_body(mass_properties=st.from_values(mass, mass * np.eye(3)), position=position, **values)


def stops(**_: Any) -> list[Figure]:
    """T-07: a soft stop has the torques of the table, in degrees and in radians."""
    import stoss as st

    found = []
    for unit, table in (("degrees", STOP_DEGREES), ("radians", STOP_RADIANS)):
        for angle, wanted in table.items():
            world = st.World(planar="xy", gravity=(0.0, 0.0, 0.0), time_step=1e-6)
            body = _free(world, 1e9, (0.0, 0.0, 0.0))
            pin = world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, body)
            assert world.plane is not None
            body.quaternion = world.plane.quaternion(np.radians(angle - 180.0))  # counted from half a turn
            world.add_load(
                st.SoftStop(
                    pin,
                    lower=np.radians(90.0 - 180.0),
                    upper=np.radians(270.0 - 180.0),
                    width_lower=np.radians(3.0),
                    width_upper=np.radians(5.0),
                    max_torque=40.0,
                    order=3,
                    exponent=unit,
                ),
                name="stop",
            )
            world.step()
            torque = -float(world.load("stop").effort)
            # three digits of the table, and half of its last one
            found.append(
                near(f"{angle} degrees, in {unit}", torque, wanted, 1e-3 * abs(wanted) + 5e-4, "N m")
            )
    return found


def springs(**_: Any) -> list[Figure]:
    """T-18: springs in the units of files give the forces of the table."""
    import stoss as st

    found = []
    length, rest, rate, h = 0.11, 0.10, 0.2, 1e-6
    for law, wanted in (((1, 1, 0, 1), 10.0), ((1, 3, 0, 1), 1000.0), ((2, 1.5, 3, 1), None)):
        a, b, c, d = law
        exact = a * 10.0**b + c * 200.0**d * 0.01
        world = st.World(gravity=(0.0, 0.0, 0.0), time_step=h)
        # loads are of the middle of the step; the body is heavy, but felt by what solvers look at, 1e-10 m/s
        body = _free(world, 1e4, (length - 0.5 * h * rate, 0.0, 0.0), velocity=(rate, 0.0, 0.0))
        spring = st.SpringDamper(
            (0.0, 0.0, 0.0), body, rest, a, b, c, d, damping_by="deflection", file_units=True
        )
        world.add_load(spring, name="spring")
        world.step()
        effort = float(world.load("spring").effort)
        told = 69.2456 if wanted is None else wanted
        found.append(near(f"law {law}, of the table", effort, told, 5e-5, "N"))
        found.append(near(f"law {law}, of the formula", effort, exact, 1e-9 * exact, "N"))
    return found


def compression(**_: Any) -> list[Figure]:
    """T-19: a damper by deflection takes energy in compression too."""
    import stoss as st

    world = st.World(gravity=(0.0, 0.0, 0.0), time_step=4e-3)
    body = world.add_body(mass_properties=st.from_values(1.0, np.eye(3)), position=(1.2, 0.0, 0.0))
    world.add_load(
        st.SpringDamper((0.0, 0.0, 0.0), body, 1.0, 100.0, 1.0, 50.0, 1.0, damping_by="deflection")
    )
    energies = []
    for _step in range(500):
        world.step(10)
        away = float(body.position[0]) - 1.0
        energies.append(0.5 * float(body.velocity[0]) ** 2 + 50.0 * away**2)
    rises = float(np.diff(energies).max())
    # the leapfrog's own energy goes up and down by h omega / 2 of the potential part within a period
    bound = 0.5 * 4e-3 * 10.0 * energies[0]
    return [
        at_most("largest rise of the energy in 40 ms", rises, bound, "J"),
        near("energy after 20 s, from 2 J", energies[-1], 0.0011, 1e-4, "J"),
    ]


def cubic_period(**_: Any) -> list[Figure]:
    """T-21: a cubic coupling swings with the period of the closed form."""
    import stoss as st

    h = 1e-4
    world = st.World(gravity=(0.0, 0.0, 0.0), time_step=h)
    bone = world.add_body(kind="static")
    soft = world.add_body(
        mass_properties=st.from_values(2.0, np.eye(3)), position=(0.0, 0.0, 0.02), name="soft"
    )
    world.add_load(st.WobblingMass(soft, bone, stiffness=1e7))
    values = []
    for _step in range(round(0.2 / h)):
        world.step()
        values.append(float(soft.position[2]))
    from scipy.interpolate import CubicSpline

    roots = CubicSpline(h * np.arange(1, len(values) + 1), values).roots(extrapolate=False)
    period = 2.0 * float(roots[1] - roots[0])
    return [near("period", period, 0.16583, 0.001 * 0.16583, "s")]


def moment_balance(**_: Any) -> list[Figure]:
    """T-23: soft tissue gives and takes no angular momentum, in any state."""
    import stoss as st

    rng, largest = np.random.default_rng(4), 0.0
    for _state in range(50):
        world = st.World(gravity=(0.0, 0.0, 0.0), time_step=1e-6)
        bodies = []
        for _body in range(2):
            turn = rng.normal(size=4)
            bodies.append(
                world.add_body(
                    mass_properties=st.from_values(float(rng.uniform(1, 9)), np.eye(3)),
                    position=rng.uniform(-0.5, 0.5, 3),
                    quaternion=turn / np.linalg.norm(turn),
                    velocity=rng.normal(size=3),
                    angular_velocity=rng.normal(size=3),
                )
            )
        load = world.add_load(
            st.WobblingMass(
                bodies[0],
                bodies[1],
                axis=rng.normal(size=3),
                stiffness=1e3,
                damping=30.0,
                stiffness_across=400.0,
                damping_across=10.0,
                turn_stiffness=7.0,
                turn_damping=2.0,
            )
        )
        world.step()
        on = [load.on(body) for body in bodies]
        # about the origin, from where the bodies are at the middle of the step
        places = [body.center_of_mass - 0.5e-6 * body.velocity for body in bodies]
        torque = sum(one[3:] + np.cross(place, one[:3]) for one, place in zip(on, places, strict=True))
        size = max(float(np.linalg.norm(one)) for one in on)
        largest = max(largest, float(np.linalg.norm(torque)) / size)
        largest = max(largest, float(np.linalg.norm(on[0][:3] + on[1][:3])) / size)
    return [at_most("force and moment of both together, over that of one", largest, 1e-12, "relative")]


CHECKS = {
    "T-07": stops,
    "T-18": springs,
    "T-19": compression,
    "T-21": cubic_period,
    "T-23": moment_balance,
}
