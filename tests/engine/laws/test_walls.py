"""Walls that break: bounce or go through by the law, at any step, and what worlds tell of it."""

import pickle

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.specker.oracle import run_mass
from stoss.scenes import SCENES

WALL = st.BarrierContact(max_force=1e4, compression=0.02, thickness=0.2, exit_compression=0.05, damping=0.05)
ICE = st.BarrierContact(max_force=400.0, compression=2e-3, thickness=0.01, damping=5.0)
PANE = st.BarrierContact(max_force=400.0, compression=2e-3, thickness=0.01, damping=0.5)


def shot(speed, h, friction=0.0, law=WALL, mass=0.05, settings=None):
    """Return a world without gravity in which a ball flies at a plate, and the ball."""
    world = st.World(gravity=(0, 0, 0), time_step=h, settings=settings)
    material = st.Material(friction=friction, contact_law=law)
    world.add_body(st.Box((0.02, 2.0, 2.0)), kind="static", material=material, name="wall")
    ball = world.add_body(
        st.Sphere(0.1),
        mass=mass,
        position=(0.3, 0, 0),
        velocity=np.multiply(speed, (-1.0, 0, 0)) if np.ndim(speed) == 0 else speed,
        material=st.Material(friction=friction),
        name="ball",
    )
    return world, ball


@pytest.mark.parametrize("h", [0.01, 1e-3, 1e-4])
@pytest.mark.parametrize("speed", [200.0, 255.0, 260.0, 270.0, 400.0])
def test_a_ball_bounces_or_goes_through(speed, h):
    """Come back, or go on with the exit speed, as the closed form says at any step (X-08, T-08)."""
    world, ball = shot(speed, h)
    world.step(max(round(0.004 / h), 2))
    back, out = WALL.restitution(speed, 0.05) * speed, WALL.impact(speed, 0.05).exit_speed
    assert ball.velocity[0] == pytest.approx(-out if speed > 256.5 else back, rel=1e-4)
    # short steps feel the tail of the force before surfaces touch
    assert world.report.ladder == ()


@pytest.mark.parametrize(("speed", "wanted"), [(200.0, 41.1786), (270.0, -83.0690)])
def test_speeds_are_those_of_the_reference(speed, wanted):
    """Have the speeds of the reference, which follows the ball through the wall (T-08)."""
    seen = run_mass(0.05, 0.1, 0.08, 1e4, 0.05, 0.2, -speed, exit_s0=-0.1, exit_sc=-0.05, duration=0.01)
    world, ball = shot(speed, 0.01)
    world.step(3)
    assert seen[-1, 2] == pytest.approx(wanted, rel=1e-4)
    assert ball.velocity[0] == pytest.approx(seen[-1, 2], rel=1e-4)


def test_what_broke_is_told_once_and_stays_broken(tmp_path):
    """Tell of a wall that broke in the step in which it did, and let this ball through for good, no other."""
    world, ball = shot(270.0, 1e-3)
    wall, told = world.body("wall"), []
    hears = world.on("contact_broken", lambda event: told.append((event.bodies, event.step)), bodies=wall)
    while not told:
        assert len(world.events.broken) == 0
        world.step()
    assert told == [((wall, ball), world.step_count)]
    assert world.events.broken.tolist() == [[0, 1]]
    hears.remove()
    world.save().write(tmp_path / "world.npz")
    read = st.World()
    read.restore(st.Snapshot.read(tmp_path / "world.npz"))
    others = [world.copy(), pickle.loads(pickle.dumps(world)), read]
    assert all(other.events.broken.tolist() == [[0, 1]] for other in others)
    ball.position, ball.velocity = (0.3, 0, 0), (-50.0, 0, 0)
    second = world.add_body(st.Sphere(0.1), mass=0.05, position=(0.3, 0.5, 0), velocity=(-50.0, 0, 0))
    world.step(10)
    assert ball.velocity[0] == -50.0 and second.velocity[0] > 0.0
    assert len(world.events.broken) == 0
    for other in others:
        other.step(2)
        assert other.body("ball").velocity[0] == pytest.approx(-83.0690, rel=1e-4)


def test_who_goes_through_obliquely_rubs_on_the_way():
    """Take friction from the impulse with which a wall breaks, and lose what the wall takes."""
    world, ball = shot((-300.0, 40.0, 0.0), 1e-3, friction=0.3)
    before = ball.kinetic_energy
    world.step(4)
    # a sphere's normal and tangents are not coupled: the normal part is that of the straight shot
    out = WALL.impact(300.0, 0.05).exit_speed
    assert ball.velocity[0] == pytest.approx(-out, rel=1e-6)
    slid = 40.0 - 0.3 * (300.0 - out)
    assert slid < 40.0 * 5.0 / 7.0  # so it rolls off
    assert ball.velocity[1] == pytest.approx(40.0 * 5.0 / 7.0, rel=1e-4)
    assert ball.kinetic_energy < before


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_a_joined_pair_breaks_a_wall_that_holds_one(solver):
    """Count the mass that joints put behind a contact: two balls on a rod go through where one does not."""
    speed = 1.2 * PANE.critical_speed(2.0)
    assert speed < PANE.critical_speed(1.0)
    for joined in (False, True):
        world, ball = shot(speed, 0.01, law=PANE, mass=1.0, settings=st.Settings(solver=solver))
        if joined:
            behind = world.add_body(st.Sphere(0.1), mass=1.0, position=(0.6, 0, 0), velocity=(-speed, 0, 0))
            world.add_joint(st.Fixed(), ball, behind)
        world.step(round(0.4 / speed / 0.01))
        if joined:
            out = PANE.impact(speed, 2.0).exit_speed
            assert ball.velocity[0] == pytest.approx(-out, rel=1e-6)
            assert behind.velocity[0] == pytest.approx(-out, rel=1e-6)
        else:
            assert ball.velocity[0] > 0.0


def test_a_plate_that_lands_flat_breaks_through_at_all_its_corners():
    """Share the wall's force among the points of a face, each of which has the whole law."""
    for solver in ("direct", "gauss_seidel"):
        world = st.World(gravity=(0, 0, 0), time_step=1e-3, settings=st.Settings(solver=solver))
        world.add_body(st.HalfSpace(), kind="static", material=st.Material(contact_law=PANE))
        speed = 1.5 * PANE.critical_speed(1.0)
        plate = world.add_body(st.Box((0.2, 0.2, 0.02)), mass=4.0, position=(0, 0, 0.05))
        plate.velocity = (0, 0, -speed)
        world.step(20)
        assert plate.velocity[2] == pytest.approx(-PANE.impact(speed, 1.0).exit_speed, rel=1e-6)
        assert np.abs(plate.angular_velocity).max() < 1e-4  # what sweeps leave


@pytest.mark.parametrize("h", [0.01, 1e-3])
def test_a_load_sinks_through_what_does_not_carry_it(h):
    """Rest on a wall under half its strength, sink through under more, and fall freely behind."""
    for mass, breaks in ((10.0, False), (30.0, True)):
        world = st.World(time_step=h)
        world.add_body(st.HalfSpace(), kind="static", material=st.Material(contact_law=ICE))
        ball = world.add_body(st.Sphere(0.1), mass=mass, position=(0, 0, 0.1))
        broken = False
        for _ in range(round(1.0 / h)):
            world.step()
            broken = broken or len(world.events.broken) > 0
        assert broken == breaks
        if breaks:
            assert ball.velocity[2] < -3.0 and world.contacts.count == 0
        else:
            assert ball.position[2] - 0.1 == pytest.approx(ICE.rest_gap(mass * 9.81), rel=1e-5)


def test_nothing_is_gained_where_walls_break():
    """Gain no more than the certificate allows while panes break between bodies, each pair once."""
    rng = np.random.default_rng(3)
    weak = st.BarrierContact(max_force=30.0, compression=2e-3, thickness=0.02, damping=0.2)
    world = st.World(gravity=(0, 0, 0))
    material = st.Material(friction=0.3, contact_law=weak)
    for place in np.argwhere(np.ones((3, 3, 3))):
        world.add_body(
            st.Box((0.1, 0.1, 0.1)),
            mass=1.0,
            position=0.2 * place,
            velocity=0.3 * (1.0 - place) + rng.normal(0.0, 0.3, 3),
            material=material,
        )
    pairs = []
    before = start = world.report.energy
    for _ in range(60):
        world.step()
        now = world.report.energy + world.contacts.stored_energy.sum()
        assert now < 1.005 * before
        before = now
        pairs += map(tuple, world.events.broken.tolist())
    assert len(pairs) > 0 and len(set(pairs)) == len(pairs)
    assert before < 0.99 * start


def test_the_scene():
    """Let the two fastest of eight balls through, and tell it."""
    world = SCENES["breakthrough"].build()
    broken = []
    world.on("contact_broken", lambda event: broken.append(event.bodies[1].name))
    world.step(60)
    assert sorted(broken) == ["260 m/s", "270 m/s"]
    assert world.body("200 m/s").velocity[0] == pytest.approx(41.1786, rel=1e-4)
    assert world.body("270 m/s").velocity[0] == pytest.approx(-83.0690, rel=1e-4)


def test_wrong_events():
    """Say which arguments go with which events."""
    world, _ = shot(1.0, 0.01)
    with pytest.raises(ValueError, match="contact_broken"):
        world.on("wall_broken", print)
    with pytest.raises(ValueError, match="have no contacts"):
        world.on("contact_broken", print, joints=[])
