"""Tests T-01 to T-06, T-16 and T-17 of Krieg 1992: pendulum, chain, drift, assembly, what is at rest."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.scenes.cases.registry import Figure, at_most, near

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["CHAIN_ENERGY", "CHAIN_MOMENTUM", "CHECKS", "chain", "pendulum"]

# Trunk, upper arm, forearm and hand: mass [kg], inertia [kg m^2], angle [degrees], rate in T-02 [rad/s].
BODIES = (
    ("trunk", 125.0, 10.7, 0.0, 0.3),
    ("upper_arm", 8.0, 0.5, 45.0, -1.0),
    ("forearm", 4.0, 0.3, -45.0, 2.0),
    ("hand", 0.8, 0.1, 0.0, -3.0),
)
# Joints with their levers from the centres of mass [m].
JOINTS = (
    ("shoulder", (0.02, 0.60), (0.0, 0.25)),
    ("elbow", (0.0, -0.25), (0.0, -0.20)),
    ("wrist", (0.0, 0.20), (0.0, -0.02)),
)
CONTACT = (0.0, 0.06)  # of the hand with the drill, in its axes; it begins at (1, 1.6) [m]

CHAIN_ENERGY, CHAIN_MOMENTUM = 4.199737, 12.041870  # of T-02 [J], [kg m^2/s]


def chain(time_step: float, *, rates: bool = False, loads: bool = False) -> "World":
    """Return the chain of four bodies where the example begins, gravity and controllers off.

    Args:
        time_step: [s].
        rates: whether the bodies turn as in T-02, the trunk's centre of mass at rest.
        loads: whether 150 N push the hand back and the trunk forward, as in the control runs.
    """
    import stoss as st

    world = st.World(planar="xy", gravity=(0.0, 0.0, 0.0), time_step=time_step)
    plane = world.plane
    assert plane is not None
    angles = np.radians([angle for _, _, _, angle, _ in BODIES])

    def turned(body: int, lever: tuple[float, float]) -> np.ndarray:
        c, s = np.cos(angles[body]), np.sin(angles[body])
        return np.array([c * lever[0] - s * lever[1], s * lever[0] + c * lever[1]])

    places = np.zeros((4, 2))
    places[3] = (1.0, 1.6) - turned(3, CONTACT)
    for body in (2, 1, 0):
        _, first, second = JOINTS[body]
        places[body] = places[body + 1] + turned(body + 1, second) - turned(body, first)
    speeds, spins = np.zeros((4, 2)), np.array([rate for *_, rate in BODIES]) * rates
    for body, (_, first, second) in enumerate(JOINTS):
        a, b = turned(body, first), turned(body + 1, second)
        speeds[body + 1] = (
            speeds[body] + spins[body] * np.array([-a[1], a[0]]) - spins[body + 1] * np.array([-b[1], b[0]])
        )
    bodies = [
        world.add_body(
            mass_properties=st.from_values(mass, inertia * np.eye(3)),
            position=plane.vector(*places[k]),
            quaternion=plane.quaternion(float(angles[k])),
            velocity=plane.vector(*speeds[k]),
            angular_velocity=plane.turn_vector(float(spins[k])),
            name=name,
        )
        for k, (name, mass, inertia, _, _) in enumerate(BODIES)
    ]
    for k, (name, first, _) in enumerate(JOINTS):
        point = plane.vector(*(places[k] + turned(k, first)))
        world.add_joint(st.Hinge(point, (0.0, 0.0, 1.0)), bodies[k], bodies[k + 1], name=name)
    if loads:
        world.add_load(st.Force((bodies[3], (*CONTACT, 0.0)), (-150.0, 0.0, 0.0)), name="hand")
        world.add_load(st.Force(bodies[0], (150.0, 0.0, 0.0)), name="trunk")
    return world


def pendulum(time_step: float, angle: float) -> "World":
    """Return the pendulum of T-01: 2 kg, 0.3 kg m^2, half a metre below a hinge in space."""
    import stoss as st

    world = st.World(planar="xy", time_step=time_step)
    assert world.plane is not None
    bob = world.add_body(
        mass_properties=st.from_values(2.0, 0.3 * np.eye(3)),
        position=(0.5 * np.sin(angle), -0.5 * np.cos(angle), 0.0),
        quaternion=world.plane.quaternion(angle),
    )
    world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)), None, bob, name="pin")
    return world


def swing(**_: Any) -> list[Figure]:
    """T-01: a pendulum has its period and is carried by what it weighs."""
    from stoss.engine.reference import ReferenceSolver

    period, amplitude = 2.0 * np.pi * np.sqrt((0.3 + 2.0 * 0.25) / (2.0 * 9.81 * 0.5)), 1e-3
    found = []
    world = pendulum(1e-3, amplitude)
    values, times = [], []
    for _step in range(int(1.1 * period / 1e-3)):
        world.step()
        values.append(world.joint("pin").value + amplitude)
        times.append(world.time)
    found.append(near("period, engine at 1 ms", _period(times, values), 1.79428, 0.002 * 1.79428, "s"))
    run = ReferenceSolver(pendulum(1e-3, amplitude)).run(1.1 * period, every=1e-3, rtol=1e-12, atol=1e-15)
    exact = period * (1.0 + amplitude**2 / 16.0)
    reference = _period(run.times, run.joint("pin").value + amplitude)
    found.append(near("period, reference", reference, exact, 1e-8 * exact, "s"))
    rest = pendulum(1e-3, 0.0)
    rest.step(10)
    for name, force in (
        ("engine", rest.joint("pin").force),
        ("reference", ReferenceSolver(pendulum(1e-3, 0.0)).run(0.01).joint("pin").force[-1]),
    ):
        found.append(near(f"reaction at rest, {name}, x", force[0], 0.0, 1e-8, "N"))
        found.append(near(f"reaction at rest, {name}, y", force[1], 19.62, 1e-8, "N"))
    return found


def _period(times: Any, values: Any) -> float:
    """Return twice the time between the two places where values pass zero, by cubics through four of them."""
    from scipy.interpolate import CubicSpline

    roots = CubicSpline(np.asarray(times), np.asarray(values)).roots(extrapolate=False)
    return 2.0 * float(roots[1] - roots[0])


def conservation(**_: Any) -> list[Figure]:
    """T-02: a free chain keeps energy and angular momentum."""
    from stoss.engine.reference import ReferenceSolver

    world = chain(1e-3, rates=True)
    run = ReferenceSolver(world).run(5.0, every=0.1, rtol=1e-12, atol=1e-13)
    found = [
        near("energy at the start", run.kinetic_energy[0], CHAIN_ENERGY, 1e-6, "J"),
        near("angular momentum at the start", run.angular_momentum[0, 2], CHAIN_MOMENTUM, 1e-6, "kg m^2/s"),
        at_most("energy, reference, 5 s", _spread(run.kinetic_energy), 1e-9, "relative"),
        at_most("angular momentum, reference, 5 s", _spread(run.angular_momentum[:, 2]), 1e-9, "relative"),
    ]
    energy, momentum = [], []
    for _step in range(50):
        report = world.step(100)
        energy.append(report.kinetic_energy)
        momentum.append(report.angular_momentum[2])
    found.append(
        at_most("energy, engine at 1 ms, 5 s", _spread(np.array(energy) / CHAIN_ENERGY), 0.01, "relative")
    )
    found.append(
        at_most("angular momentum, engine at 1 ms, 5 s", _spread(np.array(momentum)), 1e-9, "relative")
    )
    return found


def _spread(values: Any) -> float:
    array = np.asarray(values)
    return float(np.abs(array / array[0] - 1.0).max())


ACCELERATIONS = (  # table 3.5: x, y [m/s^2] and angle [rad/s^2] at the start, no torque in the joints
    (1.0422, 0.1411, 1.1389),
    (-3.9809, -4.1759, -24.5492),
    (-18.4366, 1.6004, 71.5308),
    (-30.8539, 11.7163, 115.0634),
)


def accelerations(**_: Any) -> list[Figure]:
    """T-03: accelerations at the start are those of the matrix of Eq. (54)."""
    from stoss.engine.reference import ReferenceSolver

    linear, angular = ReferenceSolver(chain(1e-3, loads=True)).accelerations()
    rates = []
    for h in (2e-4, 1e-4):  # from rest, so the first velocity is of odd order in the step
        world = chain(h, loads=True)
        world.step()
        rates.append(np.concatenate([world.velocities[:, :2], world.angular_velocities[:, 2:]], axis=1) / h)
    engine = (4.0 * rates[1] - rates[0]) / 3.0
    found = []
    for row, wanted in enumerate(ACCELERATIONS):
        reference = (*linear[row, :2], angular[row, 2])
        for k, axis in enumerate(("x", "y", "angle")):
            what, unit = f"{BODIES[row][0]}, {axis}", "rad/s^2" if k == 2 else "m/s^2"
            found.append(near(f"{what}, reference", reference[k], wanted[k], 6e-5, unit))
            tolerance = 6e-5 + 1e-4 * abs(wanted[k])  # the table has four digits
            found.append(near(f"{what}, engine", engine[row, k], wanted[k], tolerance, unit))
    return found


def drift(short: bool = False, **_: Any) -> list[Figure]:
    """T-04: the engine keeps joints closed; accelerations alone let them open."""
    from stoss.engine.reference import ReferenceSolver

    duration = 10.0 if short else 60.0
    world = chain(5e-3 if short else 1e-3, rates=True)
    gap = 0.0
    for _step in range(round(duration / world.time_step / 20)):
        world.step(20)
        gap = max([gap, *(joint.error for joint in world.joints)])
    run = ReferenceSolver(chain(1e-3, rates=True)).run(
        duration, every=duration / 60.0, method="LSODA", rtol=1e-6, atol=1e-6
    )
    opened = max(float(joint.gap.max()) for joint in run.joints.values())
    wanted = 6.4e-5 if short else 1.4e-3
    return [
        at_most(f"joints of the engine, {duration:g} s", gap, 1e-6, "m"),
        Figure(
            f"joints of LSODA, which takes Adams here, at 1e-6, {duration:g} s",
            opened,
            wanted / 3.0,
            wanted * 3.0,
            "m",
        ),
    ]


def reactions(**_: Any) -> list[Figure]:
    """T-17: forces in the joints at the start."""
    from stoss.engine.reference import ReferenceSolver

    h, found = 1e-4, []
    world = chain(h, loads=True)
    run = ReferenceSolver(world).run(h, every=h)
    world.step()
    for name, wanted in (("shoulder", 26.456), ("elbow", 53.929), ("wrist", 125.667)):
        reference = float(np.linalg.norm(run.joint(name).force[0]))
        engine = float(np.linalg.norm(world.joint(name).force))
        found.append(near(f"{name}, reference", reference, wanted, 6e-4, "N"))
        found.append(near(f"{name}, engine", engine, wanted, 0.01 * wanted, "N"))
    return found


CHECKS = {"T-01": swing, "T-02": conservation, "T-03": accelerations, "T-04": drift, "T-17": reactions}
