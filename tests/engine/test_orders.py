"""Orders of the step: 2, and 4 and 6 by composition, in trees and in loops; energy in the long run."""

import numpy as np
import pytest

from stoss.benchmarks.studies.reference_motions import MOTIONS, add_rod, deviations
from stoss.collision import Box
from stoss.engine import Ball, Hinge, Settings, World

# Orders are measured with steps as they are given, and solved far beyond the errors that are looked at.
EXACT = dict(largest_turn=100.0, most_sub_steps=1, position_tolerance=1e-11, velocity_tolerance=1e-14)
# The tolerance of a composition is a millionth of the given one.
COMPOSED = EXACT | dict(position_tolerance=1e-6)


def double_pendulum(time_step: float, settings: Settings) -> World:
    """Return two boxes on ball joints, spinning about all axes."""
    world = World(time_step=time_step, settings=settings)
    boxes = [world.add_body(Box((1, 0.1, 0.2)), position=(k + 0.5, 0, 0), mass=1.0) for k in range(2)]
    world.add_joint(Ball((0, 0, 0)), None, boxes[0])
    world.add_joint(Ball((1, 0, 0)), boxes[0], boxes[1])
    spins = np.array([(0.3, -1.0, 0.8), (0.5, 0.7, -1.2)])
    end = np.zeros(3)
    for box, spin in zip(boxes, spins, strict=True):
        box.angular_velocity = spin
        box.velocity = end + np.cross(spin, (0.5, 0, 0))
        end = end + np.cross(spin, (1.0, 0, 0))
    return world


def planar_four_bar(time_step: float, settings: Settings | None = None) -> World:
    """Return a four-bar in the plane x z with four hinges: 20 rows, 17 of them independent."""
    world = World(time_step=time_step, settings=settings)
    places = [(0, 0, 0), (0, 0, 1), (1.8, 0, 1.6), (2.5, 0, 0)]
    _loop(world, places, [(0, 1, 0)] * 4)
    return world


def bennett(time_step: float, settings: Settings | None = None) -> World:
    """Return Bennett's four-bar, which moves in space although 17 of its 20 rows would do to stop it.

    Its places A, B, C, D are mirrored by a half turn about z, so opposite bars are equal; its axes are normal
    to the bars that they join.
    """
    world = World(time_step=time_step, settings=settings)
    a, b = np.array((0.6, 0, 0)), np.array((0.1, 0.5, 0.4))
    half = np.array((-1, -1, 1))
    places = [b, half * a, half * b, a]
    round_trip = [a, *places, b]
    axes = [
        np.cross(round_trip[k] - round_trip[k - 1], round_trip[k + 1] - round_trip[k]) for k in range(1, 5)
    ]
    _loop(world, places, axes)
    return world


def _loop(world: World, places, axes) -> None:
    """Add rods between the places and hinges at them, the first and the last one on the world."""
    rods = [add_rod(world, p, q, 0.1) for p, q in zip(places[:-1], places[1:], strict=True)]
    chain = [None, *rods, None]
    for k, (place, axis) in enumerate(zip(places, axes, strict=True)):
        world.add_joint(Hinge(place, axis), chain[k], chain[k + 1])


def state(build, steps: int, order: int) -> np.ndarray:
    """Return poses and velocities after one second in so many steps."""
    settings = Settings(order=order, **(EXACT if order == 2 else COMPOSED))
    world = build(1.0 / steps, settings)
    for _ in range(steps):
        assert world.step().order == order
    return np.concatenate(
        [
            array.ravel()
            for array in (world.positions, world.quaternions, world.velocities, world.angular_velocities)
        ]
    )


@pytest.mark.parametrize(
    ("build", "order", "steps"),
    [
        (double_pendulum, 2, 100),
        (double_pendulum, 4, 50),
        (double_pendulum, 6, 100),
        (planar_four_bar, 2, 100),
        (planar_four_bar, 4, 100),
        (planar_four_bar, 6, 100),
        (bennett, 2, 100),
        (bennett, 4, 50),
        (bennett, 6, 64),
    ],
)
def test_half_the_step_takes_the_order_off_the_error(build, order, steps):
    """Show the order within 0.1 when the step is halved: in a 3D double pendulum and in redundant loops.

    The reference is order 6 with a quarter of the smaller step, whose error is 4^-6 of the smallest here.
    """
    reference = state(build, 8 * steps if order == 2 else 4 * steps, 6)
    errors = [np.abs(state(build, n, order) - reference).max() for n in (steps, 2 * steps)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize(("order", "steps"), [(2, 20_000), (4, 8000), (6, 4000)])
def test_energy_of_a_mechanism_does_not_drift(order, steps):
    """Keep the error of the energy within its first bounds: a loop that swings for up to 20 000 steps.

    Symplectic steps leave a periodic error. A drift by its bound in ten such runs would show: the allowance
    is a twentieth of the bound for peaks and six hundredths for means.
    """
    world = planar_four_bar(0.01, Settings(order=order, **(EXACT if order == 2 else COMPOSED)))
    start = world.report.energy
    errors = np.array([world.step().energy - start for _ in range(steps)])
    parts = errors.reshape(10, -1)
    bound = np.abs(parts[:2]).max()
    assert np.abs(parts).max() <= 1.05 * bound
    means = parts.mean(axis=1)
    drift = np.polyfit(np.arange(10), means, 1)[0] * 10
    assert abs(drift) < 0.06 * bound


@pytest.mark.parametrize("build", [bennett, planar_four_bar])
def test_impulses_of_a_redundant_loop_do_not_wander(build):
    """Repeat the reaction forces of a redundant loop from swing to swing, however long it swings.

    What moves nothing might otherwise be added to the impulses in every step. The largest force of later
    swings is that of the first ones, up to where in the step the peak is met.
    """
    world = build(0.01)
    forces = np.empty(4000)
    for k in range(len(forces)):
        world.step()
        forces[k] = max(float(np.abs(joint.force).max()) for joint in world.joints)
    first, last = forces[:1000].max(), forces[-1000:].max()
    assert last == pytest.approx(first, rel=0.02)


@pytest.mark.parametrize(("order", "constant"), [(2, 100.0), (4, 80.0), (6, 1.3e4)])
def test_constants_of_the_pendulum(order, constant):
    """Stay within a constant times h^order of a pendulum's closed form for 10 s.

    The constants are 1.5 to 2 times those measured at 10 ms; the last term is the accuracy of the reference.
    """
    h = 0.01
    found, _ = deviations(MOTIONS["A01 pendulum"], h, Settings(order=order, position_tolerance=1e-9))
    assert max(found.values()) < constant * h**order + 1e-10


@pytest.mark.parametrize(
    ("h", "settings"),
    [*((h, {}) for h in (0.005, 0.01, 0.02, 0.04)), *((h, dict(most_sub_steps=1)) for h in (0.005, 0.01))],
)
def test_higher_orders_are_never_worse(h, settings):
    """Come no farther from the true motion with order 4 or 6 than with order 2, however coarse the step.

    A crank turns by up to 4 rad in a step, by up to 1 where it must not be split. Where a composition cannot
    be made, the step falls back.
    """

    def crank(time_step: float, **changes) -> np.ndarray:
        world = World(gravity=(0, 0, 0), time_step=time_step, settings=Settings(**changes))
        _loop(world, [(0, 0, 0), (0, 0, 0.3), (1.8, 0, 1.1), (2.0, 0, 0)], [(0, 1, 0)] * 4)
        world.bodies[0].angular_velocity, world.bodies[0].velocity = (0, 100.0, 0), (15.0, 0, 0)
        world.step(round(0.2 / time_step))
        return world.positions.copy()

    true = crank(1e-3, order=6)
    second, fourth, sixth = (np.abs(crank(h, order=n, **settings) - true).max() for n in (2, 4, 6))
    assert fourth <= 1.01 * second
    assert sixth <= 1.01 * second
    if not settings:
        assert max(fourth, sixth) < 0.01 * second
