"""Impacts of what something bears until then: it stands, slides or rolls up to the very moment.

With `Settings.time_of_impact` sub-steps end at impacts. What bore the body up to there has given its share of
the sub-step, though the impact may lift it off; so all of this is of order two, or exact.
"""

import numpy as np
import pytest

import stoss as st

GRAVITY = 9.81
STEPS = [0.02, 0.01, 0.005]
SOLVERS = ["auto", "gauss_seidel"]


def exact_world(time_step, solver):
    """Return a world whose sub-steps end at impacts, with gravity along -z."""
    return st.World(time_step=time_step, settings=st.Settings(time_of_impact=True, solver=solver))


def rocking_block(time_step, solver, half_width, half_height, angle, friction, restitution, scale=1.0):
    """Return a world with a block that leans by an angle [rad] on its right lower edge, and the block."""
    world = exact_world(time_step, solver)
    rough = st.Material(friction=friction, restitution=restitution)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    b, h = scale * half_width, scale * half_height
    cosine, sine = np.cos(angle), np.sin(angle)
    block = world.add_body(
        st.Box((2.0 * b, 2.0 * h, 2.0 * h)),
        position=(b - b * cosine + h * sine, 0.0, b * sine + h * cosine),
        quaternion=(np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0),
        mass=1.0,
        material=rough,
    )
    return world, block


def energy(world, block, half_height):
    """Return the energy [J] of a block above that of rest on its base."""
    v, turning = block.velocity, world.inertias[-1, 1] * block.angular_velocity[1] ** 2
    return (
        0.5 * block.mass * (v @ v) + 0.5 * turning + block.mass * GRAVITY * (block.position[2] - half_height)
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", STEPS)
@pytest.mark.parametrize(
    ("half_width", "half_height", "angle", "scale"),
    [(0.1, 0.5, 0.1, 1.0), (0.25, 0.5, 0.3, 1.0), (0.1, 0.5, 0.02, 1.0), (0.1, 0.5, 0.1, 10.0)],
)
def test_block_that_rocks_keeps_what_housner_says(half_width, half_height, angle, scale, time_step, solver):
    """An impact leaves (1 - 3/2 sin^2 a)^2 of the energy, a the angle of the diagonal (Housner 1963)."""
    world, block = rocking_block(time_step, solver, half_width, half_height, angle, 2.0, 0.0, scale)
    angles, energies = [], []
    for _ in range(round(2.0 * np.sqrt(scale) / time_step)):
        world.step()
        angles.append(block.quaternion[2])
        energies.append(energy(world, block, scale * half_height))
    turns = np.flatnonzero(np.diff(np.sign(angles)) != 0)
    assert len(turns) >= 2
    middles = [0, *(turns[:-1] + turns[1:]) // 2]
    kept = np.array(
        [energies[after] / energies[before] for before, after in zip(middles, middles[1:], strict=False)]
    )
    sine = np.sin(np.arctan2(half_width, half_height))
    expected = (1.0 - 1.5 * sine**2) ** 2
    # fifteen sweeps leave friction some 1e-3 of its work
    np.testing.assert_allclose(kept[:3], expected, rtol=1e-3 if solver == "auto" else 4e-3)


@pytest.mark.parametrize("time_step", STEPS)
def test_elastic_block_that_rocks_keeps_its_energy(time_step):
    """Restitution 1 keeps the energy, whatever edge is lifted by the impact of the other."""
    world, block = rocking_block(time_step, "auto", 0.1, 0.5, 0.1, 2.0, 1.0)
    first = energy(world, block, 0.5)
    for _ in range(round(1.2 / time_step)):
        world.step()
        # a swing keeps it to h^2, which is 1e-2 at most: the rate of an angle is 4 / s
        assert energy(world, block, 0.5) == pytest.approx(first, rel=5.0 * time_step**2 + 1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", STEPS)
def test_block_that_slides_rebounds_from_a_wall_as_fast_as_it_came(time_step, solver):
    """Friction brakes up to the wall and after it: v^2 = v0^2 - 2 mu g d, and (e v)^2 = 2 mu g way."""
    friction, restitution, speed, way = 0.3, 0.5, 3.0, 1.037
    world = exact_world(time_step, solver)
    rough, smooth = st.Material(friction=friction), st.Material(friction=0.0, restitution=restitution)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    world.add_body(st.Box((1.0, 4.0, 4.0)), kind="static", position=(0.7 + way, 0.0, 2.02), material=smooth)
    block = world.add_body(
        st.Box((0.4, 0.4, 0.1)),
        position=(0.0, 0.0, 0.05),
        mass=1.0,
        velocity=(speed, 0.0, 0.0),
        material=rough,
    )
    world.step(round(2.0 / time_step))
    back = restitution**2 * (speed**2 - 2.0 * friction * GRAVITY * way) / (2.0 * friction * GRAVITY)
    # where it stops within a step, up to mu g h^2 / 8 are left; it stays a touch from the wall
    assert block.position[0] == pytest.approx(way - back, abs=friction * GRAVITY * time_step**2 / 8.0 + 1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", STEPS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_carriage_that_is_hit_from_below_leaves_its_stop(restitution, time_step, solver):
    """A stop bears the carriage until the ball hits: both move on as two free bodies do."""
    world = exact_world(time_step, solver)
    material = st.Material(friction=0.0, restitution=restitution)
    carriage = world.add_body(st.Box((0.4, 0.4, 0.1)), position=(0.0, 0.0, 1.0), mass=1.0, material=material)
    rail = world.add_joint(st.Slider((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), carriage)
    rail.limit(upper=0.0)  # of the world along the carriage's axis: the carriage only rises
    ball = world.add_body(
        st.Sphere(0.1), position=(0.0, 0.0, 0.5), mass=0.5, velocity=(0.0, 0.0, 4.0), material=material
    )
    world.step(round(0.14 / time_step))
    met = (4.0 - np.sqrt(16.0 - 2.0 * GRAVITY * 0.35)) / GRAVITY
    approach, left = 4.0 - GRAVITY * met, 0.14 - met
    carriage_speed = 0.5 * approach * (1.0 + restitution) / 1.5
    ball_speed = approach - carriage_speed / 0.5
    fall = 0.5 * GRAVITY * left**2
    assert carriage.position[2] == pytest.approx(1.0 + carriage_speed * left - fall, abs=1e-6)
    if restitution > 0.0:
        assert ball.position[2] == pytest.approx(0.85 + ball_speed * left - fall, abs=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("time_step", STEPS)
def test_ball_that_rolls_and_hits_another_follows_it(time_step, solver):
    """It comes to rest, spinning, is driven on to 2/7 of its speed, and the other one ends at 5/7."""
    friction, radius, speed, way, duration = 0.2, 0.03, 1.0, 0.4137, 1.5
    world = exact_world(time_step, solver)
    cloth, ivory = st.Material(friction=friction, name="cloth"), st.Material(friction=friction, name="ivory")
    world.set_material_pair(ivory, ivory, friction=0.0, restitution=1.0)
    world.add_body(st.HalfSpace(), kind="static", material=cloth)
    ball = world.add_body(
        st.Sphere(radius),
        position=(0.0, 0.0, radius),
        mass=0.2,
        velocity=(speed, 0.0, 0.0),
        angular_velocity=(0.0, speed / radius, 0.0),
        material=ivory,
    )
    other = world.add_body(st.Sphere(radius), position=(way, 0.0, radius), mass=0.2, material=ivory)
    world.step(round(duration / time_step))
    rest = duration - (way - 2.0 * radius) / speed
    slip = 2.0 / 7.0 * speed / (friction * GRAVITY)
    sped_up = 0.5 * friction * GRAVITY * slip**2
    follows = way - 2.0 * radius + sped_up + 2.0 / 7.0 * speed * (rest - slip)
    goes_on = way + speed * slip - sped_up + 5.0 / 7.0 * speed * (rest - slip)
    assert ball.velocity[0] == pytest.approx(2.0 / 7.0 * speed, abs=1e-6)
    assert other.velocity[0] == pytest.approx(5.0 / 7.0 * speed, abs=1e-6)
    assert ball.position[0] == pytest.approx(follows, abs=2e-6)
    assert other.position[0] == pytest.approx(goes_on, abs=2e-6)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_dominoes_fall_the_same_at_any_step(restitution):
    """Six dominoes stand the same after half a second at 20, 10, 5 and 1.25 ms, within 0.1 mm."""
    ends = []
    for time_step in (0.02, 0.01, 0.005, 0.00125):
        world = exact_world(time_step, "auto")
        stone = st.Material(friction=0.3, restitution=restitution)
        world.add_body(st.HalfSpace(), kind="static", material=st.Material(friction=1.0))
        angle, b, h = 0.16, 0.025, 0.2
        dominoes = [
            world.add_body(st.Box((2 * b, 0.2, 2 * h)), position=(0.15 * i, 0.0, h), mass=1.0, material=stone)
            for i in range(6)
        ]
        dominoes[0].quaternion = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
        cosine, sine = np.cos(angle), np.sin(angle)
        dominoes[0].position = (b - b * cosine + h * sine, 0.0, b * sine + h * cosine)
        world.step(round(0.5 / time_step))
        ends.append(world.positions[1:, 0])
    assert ends[0][0] > 0.05  # the first one fell
    np.testing.assert_allclose(ends[:3], [ends[3]] * 3, atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("duration", [0.3, 0.9])
def test_leg_whose_knee_meets_its_stop_is_of_order_two(duration, restitution, solver):
    """Half the step leaves a quarter of the error, at stops that bounce and at those that do not."""

    def leg(time_step):
        """Return where both links are [m]."""
        world = exact_world(time_step, solver)
        lying = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
        thigh, shank = (
            world.add_body(st.Box((0.05, 0.05, 1.0)), position=(x, 0.0, 0.0), quaternion=lying, mass=mass)
            for x, mass in ((0.5, 1.0), (1.5, 0.5))
        )
        world.exclude_collision(thigh, shank)
        world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), thigh)
        knee = world.add_joint(st.Hinge((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), thigh, shank)
        knee.limit(lower=-0.3, upper=0.2, restitution=restitution)
        shank.angular_velocity, shank.velocity = (0.0, 1.0, 0.0), (0.0, 0.0, -0.5)
        world.step(round(duration / time_step))
        return world.positions

    places = [leg(time_step) for time_step in (0.01, 0.005, 0.0025)]
    coarse, fine = (np.abs(a - b).max() for a, b in zip(places, places[1:], strict=False))
    assert 3.6 < coarse / fine < 4.4


@pytest.mark.parametrize("time_step", STEPS)
def test_block_that_slides_into_another_leaves_each_its_own_load(time_step):
    """Of two blocks of other friction on an incline each goes on to press the ground by its own weight.

    Friction between them might hand weight over, as they stick to each other; nothing asks for it. (Sweeps
    leave some such friction, a thousandth of the momentum.)
    """
    tilt, way, masses, frictions = 0.5, 0.7, np.array([1.0, 2.0]), np.array([0.1, 0.3])
    gravity = (GRAVITY * np.sin(tilt), 0.0, -GRAVITY * np.cos(tilt))
    world = exact_world(time_step, "auto")
    world.gravity = gravity
    ground, *stones = (st.Material(friction=0.4, name=name) for name in ("ground", "first", "second"))
    world.add_body(st.HalfSpace(), kind="static", material=ground)
    for stone, mass, friction, x in zip(stones, masses, frictions, (0.0, 0.4 + way), strict=True):
        world.set_material_pair(ground, stone, friction=friction)
        world.add_body(st.Box((0.4, 0.4, 0.1)), position=(x, 0.0, 0.05), mass=mass, material=stone)
    world.set_material_pair(*stones, friction=0.4)
    world.step(round(1.0 / time_step))
    assert world.velocities[1, 0] == pytest.approx(world.velocities[2, 0], abs=1e-6)  # they have met
    pull = masses @ (gravity[0] + frictions * gravity[2])
    assert masses @ world.velocities[1:, 0] == pytest.approx(pull * world.time, abs=1e-6)
