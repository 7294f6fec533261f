"""Systems of Specker 2016 as worlds of the engine, with what is measured of each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.benchmarks.specker.cube import Leaving
from stoss.collision.kernels.decorators import compiled

if TYPE_CHECKING:
    from stoss.engine.laws.friction_law import FrictionLaw
    from stoss.engine.laws.restriction import BarrierContact
    from stoss.engine.observer.kalman import CentralDifferenceKalmanFilter

__all__ = [
    "Pendulum",
    "cube_leaves",
    "falling_ball",
    "filtered_loop",
    "leg_observer",
    "let_go",
    "memory",
    "observer_errors",
    "pendulum",
    "shot_ball",
    "swaying_pull",
    "thrown_ball",
]

GRAVITY = 9.81
REACH, FALLS = 0.09, 12.0  # of the cube: farther than its corners [m], faster than they come down [m/s]


def falling_ball(h: float) -> tuple[list[float], float, float]:
    """Return speeds of rebound [m/s], distance at rest [mm] and largest gain of energy [J] of X-07.

    Args:
        h: step [s].
    """
    import stoss as st

    law = st.RestrictionContact(20.0, 0.5e-3, 5.9)
    world = st.World(time_step=h)
    world.add_body(st.HalfSpace(), kind="static", material=st.Material(friction=0.0))
    surface = st.Material(friction=0.0, contact_law=law)
    ball = world.add_body(st.Sphere(0.01), position=(0, 0, 0.06), mass=0.05, material=surface)
    rebounds: list[float] = []
    falls, energy, most = True, np.inf, 0.0
    for _ in range(round(1.0 / h)):
        world.step()
        up, speed = float(ball.position[2]) - 0.01, float(ball.velocity[2])
        if falls and up > -1e-6 and speed > 0.0:
            rebounds.append(float(np.sqrt(speed * speed + 2.0 * GRAVITY * up)))  # as the surfaces parted
        falls = speed < 0.0 or (falls and up < -1e-6)
        now = world.report.energy + float(world.contacts.stored_energy.sum())
        energy, most = now, max(most, now - energy)
    return rebounds, 1e3 * float(ball.position[2]), most


def shot_ball(wall: "BarrierContact", speed: float, h: float) -> float:
    """Return the speed [m/s] after a ball of 50 g has met a wall; negative behind it (X-08).

    Args:
        wall: its law.
        speed: of the ball [m/s].
        h: step [s].
    """
    import stoss as st

    world = st.World(gravity=(0, 0, 0), time_step=h)
    world.add_body(st.Box((0.02, 2.0, 2.0)), kind="static", material=st.Material(contact_law=wall))
    ball = world.add_body(st.Sphere(0.1), mass=0.05, position=(0.3, 0, 0), velocity=(-speed, 0, 0))
    world.step(max(round(0.004 / h), 2))
    return float(ball.velocity[0])


def thrown_ball(stiffness: float, damping: float, h: float) -> float:
    """Return the restitution of a ball of 0.3 kg at 1 m/s by Hunt and Crossley's law.

    Args:
        stiffness, damping: of the law [N/m^1.5], [s/m].
        h: step [s].
    """
    import stoss as st

    world = st.World(gravity=(0, 0, 0), time_step=h)
    world.add_body(st.HalfSpace(), kind="static", material=st.Material(friction=0.0))
    surface = st.Material(friction=0.0, contact_law=st.HuntCrossleyContact(stiffness, damping))
    ball = world.add_body(
        st.Sphere(0.05), position=(0, 0, 0.0512), mass=0.3, velocity=(0, 0, -1.0), material=surface
    )
    world.step(max(5, round(0.02 / h)))
    return float(ball.velocity[2])


def swaying_pull(h: float) -> tuple[list[float], float]:
    """Return when a mass slips whose spring's end sways [s], and its peak speed [m/s] (X-05).

    Args:
        h: step [s].
    """
    from stoss.scenes import SCENES

    world = SCENES["stick_slip"].build(law="filtered", plane="swaying", time_step=h)
    mass, onsets, fast, fastest = world.body("filtered mass"), [], False, 0.0
    for _ in range(round(5.0 / h)):
        world.step()
        speed = float(np.linalg.norm(mass.velocity))
        if speed > 0.02 and not fast:
            onsets.append(world.time)
        fast, fastest = speed > 0.02, max(fastest, speed)
    return onsets, fastest


def let_go(law: str) -> float:
    """Return how far [m] a mass goes back that friction holds against 1 N, when that is gone (T-14).

    Args:
        law: of the scene `stick_slip`.
    """
    import stoss as st
    from stoss.scenes.friction.stick_slip import WEIGHT, stick_slip_laws

    friction = stick_slip_laws()[law]
    world = st.World(time_step=0.01)
    ground, own = st.Material(friction=1.0 / WEIGHT, name="ground"), st.Material(friction_law=friction)
    world.set_material_pair(own, ground, friction=friction)
    world.add_body(st.HalfSpace(), kind="static", material=ground)
    mass = world.add_body(st.Box((0.1, 0.1, 0.02)), position=(0, 0, 0.01), mass=0.1, material=own)
    for _ in range(100):
        mass.apply_force((1.0, 0.0, 0.0))
        world.step()
    before, least = float(mass.position[0]), 0.0
    for _ in range(50):
        world.step()
        least = min(least, float(mass.position[0]) - before)
    return -least


def observer_errors(experiment: int) -> tuple[float, float, float]:
    """Return root mean square errors [rad] of the angle by the models S1, S2 and S3 (X-14, X-15).

    Args:
        experiment: 1 or 2; see `gait_trainer.twin`.
    """
    from stoss.benchmarks.specker import gait_trainer as leg

    inputs, truth, seen = leg.twin(experiment)
    errors = []
    for model, count in ((leg.leg_rates_s1, 4), (leg.leg_rates_s2, 6), (leg.leg_rates_s3, 6)):
        found = leg_observer(model, count).run(seen, inputs)
        errors.append(float(np.sqrt(np.mean((found[100:, 0] - truth[100:, 0]) ** 2))))
    return errors[0], errors[1], errors[2]


def leg_observer(model: Callable[..., np.ndarray], count: int) -> "CentralDifferenceKalmanFilter":
    """Return an observer of the leg of the gait trainer, with the thesis's noise (5.39) to (5.44).

    Args:
        model: rates of its states.
        count: of states, 4 or, with filtered friction, 6.
    """
    import stoss as st
    from stoss.benchmarks.specker import gait_trainer as leg

    start, process = np.zeros(count), np.zeros((count, count))
    start[[0, 2]] = leg.equilibrium()
    process[:4, :4] = st.acceleration_noise(0.01, (1.0, 1.0))
    if count == 6:
        process[4, 4], process[5, 5] = 1.0, 100.0
    noise = 1e-6 * np.diag([15.0, 4.0])
    return st.CentralDifferenceKalmanFilter(model, _places, 0.01, start, 1e-6 * np.eye(count), process, noise)


@compiled
def _places(x):
    return np.array([x[0], x[2]])


class Pendulum(NamedTuple):
    """A run of the double pendulum.

    Attributes:
        forces: (n, 2) on the masses [N], inner first: means of the steps, in which impacts may be over.
        first: when each is first pushed [s].
        energy: (n,) [J].
    """

    forces: np.ndarray
    first: tuple[float, float]
    energy: np.ndarray


def pendulum(friction: tuple[float, float], h: float) -> Pendulum:
    """Return a second of the double pendulum on its floor (X-09, X-10).

    Args:
        friction: coefficients (mu_C, mu_S) at the outer mass.
        h: step [s].
    """
    from stoss.scenes import SCENES

    world = SCENES["double_pendulum_floor"].build(
        friction=friction[0], static_friction=friction[1], radius=1e-4, time_step=h
    )
    balls = world.body("inner"), world.body("outer")
    forces, energy = [], []
    for _ in range(round(1.0 / h)):
        world.step()
        forces.append([sum(c.impulse_along_normal for c in world.contacts.of(ball)) / h for ball in balls])
        energy.append(world.report.energy + world.contacts.stored_energy.sum())
    found = np.array(forces)
    times = [h * (1 + int(np.argmax(f > 1.0))) if (f > 1.0).any() else np.inf for f in found.T]
    return Pendulum(found, (times[0], times[1]), np.array(energy))


def cube_leaves(friction: tuple[float, float], h: float, count: int) -> list[Leaving]:
    """Return the tumbling cube as it leaves the floor the first times (X-11, X-12).

    Args:
        friction: coefficients (mu_C, mu_S).
        h: step [s].
        count: how often.
    """
    from stoss.scenes import SCENES

    world = SCENES["tumbling_cube"].build(
        friction=friction[0], static_friction=friction[1], radius=1e-4, time_step=h
    )
    cube, touches = world.body("cube"), False
    found: list[Leaving] = []
    while len(found) < count:
        above = float(cube.position[2]) - REACH
        if above > 0.0 and not touches:
            world.step(max(int(above / (FALLS * h)), 1))  # no corner comes down as fast
            continue
        world.step()
        push = float(world.contacts.normal_force.sum())
        if touches and push <= 0.5:
            found.append(Leaving(world.time, np.array(cube.velocity), np.array(cube.angular_velocity)))
        touches = push > 0.5
    return found


def filtered_loop(hold: float | None, frequency: float, h: float) -> float:
    """Return filtered friction [N] where the speed passes zero upwards, in the fourth cycle (X-01).

    Args:
        hold: speed below which its memory holds [m/s]; None: the linear filter.
        frequency: of the speed, whose amplitude is 0.1 m/s [Hz].
        h: step [s].
    """
    import stoss as st

    curve = st.ContinuousStribeck(1.4, 1.0, 0.01, 0.005, viscous=0.1)
    law = st.Filtered(curve, 3e-3) if hold is None else st.Filtered(curve, 3e-3, hold)
    run = _driven(law, lambda t: 0.1 * float(np.sin(2.0 * np.pi * frequency * t)), 4.25 / frequency, h)
    late = run[run[:, 0] > 3.0 / frequency]
    i = int(np.flatnonzero((late[:-1, 1] < 0.0) & (late[1:, 1] >= 0.0))[0])
    share = -late[i, 1] / (late[i + 1, 1] - late[i, 1])
    return abs(float(late[i, 2] + share * (late[i + 1, 2] - late[i, 2])))


def memory(hold: float | None, h: float = 1e-3) -> tuple[float, float, float]:
    """Return friction [N] before any motion, at rest after a negative and after a positive motion (X-02).

    Args:
        hold: as for `filtered_loop`.
        h: step [s].
    """
    import stoss as st

    curve = st.ContinuousStribeck(1.4, 1.0, 0.01, 0.005, viscous=0.1)
    law = st.Filtered(curve, 3e-3) if hold is None else st.Filtered(curve, 3e-3, hold)

    def speed(t: float) -> float:
        swing = 0.1 * float(np.sin(2.0 * np.pi * t))
        if 1.0 <= t < 2.0:
            return swing  # ends with a negative motion
        return swing if 3.0 <= t < 3.5 else 0.0  # a positive one

    run = _driven(law, speed, 4.5, h)
    at = [int(t / h) - 1 for t in (0.9, 2.9, 4.4)]
    return tuple(float(run[k, 2]) for k in at)  # type: ignore[return-value]


def _driven(law: "FrictionLaw", speed: Callable[[float], float], duration: float, h: float) -> np.ndarray:
    """Return time, speed and filter state (n, 3) of friction on a slider that is moved as given."""
    import stoss as st

    world = st.World(gravity=(0, 0, 0), time_step=h)
    body = world.add_body(st.Sphere(0.1), mass=1.0)
    slider = world.add_joint(st.Slider((0, 0, 0), (1, 0, 0)), None, body)
    friction = slider.friction(law)
    motor = slider.motor(0.0)
    out = np.empty((round(duration / h), 3))
    for k, row in enumerate(out):
        motor.target_rate = speed((k + 1) * h)
        world.step()
        row[:] = world.time, slider.rate, friction.state
    return out
