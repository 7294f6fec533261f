"""Points that stick and slip by the laws of Henze 2002, appendix F: slopes, spins, steps of fixed length."""

import copy
import pickle

import numpy as np
import pytest

import stoss as st

G = 9.81


def sole(
    world, *, mass=1.0, inertia=(0.001, 0.004, 0.004), spread=0.05, height=0.0, turn=(1, 0, 0, 0), **law
):
    """Return a body on three points of a sole, at rest on a half-space, and the contact."""
    floor = world.add_body(st.HalfSpace(normal=law.pop("normal", (0, 0, 1))), kind="static", name="floor")
    body = world.add_body((), mass_properties=st.from_values(mass, inertia), position=(0, 0, 0))
    if turn != (1, 0, 0, 0):
        body.quaternion = turn
    places = [spread * np.array((np.cos(a), np.sin(a), 0.0)) for a in (0.3, 2.4, 4.5)]
    points = [(body, tuple(place.tolist())) for place in places]
    return body, world.add_load(st.StickSlipContact(points, floor, **law), name="sole")


def test_stands_on_its_points_without_creep():
    """Sink by m g / (3 k), carry the weight, stick, and be where it was after 2 s at 1 ms."""
    world = st.World(time_step=0.001)
    body, load = sole(world, mass=1.0)
    world.step(1500)
    place = body.position.copy()
    assert load.effort.sum() == pytest.approx(G, rel=1e-4)
    assert place[2] == pytest.approx(-G / 3.0 / 5e4, rel=1e-3)
    assert load.states == ("stick",) * 3
    world.step(2000)
    assert np.abs(body.position - place).max() < 1e-7
    assert np.abs(body.angular_velocity).max() < 1e-6


@pytest.mark.parametrize("h", [0.001, 0.0005])
@pytest.mark.parametrize(("angle", "speed"), [(0.0, 1.0), (0.3, 0.8), (-0.3, 0.8)])
def test_block_on_a_slope_stops_and_stays(angle, speed, h):
    """Stop a slide at v / (g (mu cos - sin)) and drift by less than 1e-4 m in 5 s after it (V-08)."""
    gravity = G * np.array((np.sin(angle), 0.0, -np.cos(angle)))
    world = st.World(gravity=gravity, time_step=h)
    mu = 0.7
    body, load = sole(world, mass=2.0, inertia=(1.0, 1.0, 1.0), friction=mu, static_friction=0.9)
    body.position = (0.0, 0.0, -2.0 * G * np.cos(angle) / 3.0 / 5e4)
    body.velocity = (speed, 0.0, 0.0)
    stop = speed / (G * (mu * np.cos(angle) - np.sin(angle)))
    states, times = [], []
    while world.time < stop + 0.1:
        world.step()
        states.append(load.states[0])
        times.append(world.time)
    first = times[states.index("stick")]
    assert first == pytest.approx(stop, abs=3 * h + 0.01 * stop)
    assert set(states[: states.index("stick")]) == {"slip"}
    world.step(round(0.4 / h))
    place = body.position.copy()
    world.step(round(5.0 / h))
    assert np.abs(body.position - place).max() < 1e-4
    assert load.states == ("stick",) * 3


def test_breaks_away_above_static_friction_only():
    """Hold a pull up to static friction, then slide with the excess over sliding friction."""
    for pull, slides in ((1.15, False), (1.25, True)):
        world = st.World(time_step=0.001)
        body, load = sole(world, mass=1.0, inertia=(1.0, 1.0, 1.0), friction=0.8, static_friction=1.2)
        world.step(1000)
        start = body.position[0]
        for share in np.linspace(0.0, 1.0, 400):  # slowly: on a spring what comes at once pulls twice as much
            world.forces[body.index] = (share * pull * G, 0, 0)
            world.step()
        world.step(100)
        if slides:
            assert load.states == ("slip",) * 3
            speed = body.velocity[0]
            world.step(100)
            assert body.velocity[0] - speed == pytest.approx((pull - 0.8) * G * 0.1, rel=1e-2)
        else:
            assert load.states == ("stick",) * 3
            world.step(1000)
            assert abs(body.velocity[0]) < 1e-6
            assert body.position[0] - start == pytest.approx(pull * G / 3.0 / 2e5, rel=2e-2)


@pytest.mark.parametrize("moment", [True, False])
def test_moment_about_the_normal_stops_a_spin(moment):
    """Stop the spin of a foot on one point, as that point sticks; without the moment it spins on (V-09)."""
    world = st.World(time_step=0.001)
    law = {} if moment else {"twist_stiffness": 0.0, "twist_damping": 0.0}
    body, load = sole(world, spread=0.0, inertia=(0.004, 0.004, 0.004), **law)
    world.step(800)
    assert load.states == ("stick",) * 3
    body.angular_velocity = (0.0, 0.0, 5.0)
    world.step(800)
    if moment:
        assert abs(body.angular_velocity[2]) < 1e-6
    else:
        assert body.angular_velocity[2] == pytest.approx(5.0, abs=1e-6)


def test_moment_while_it_slips_is_bounded():
    """Slow a spin at mu_m m g / I, down to nothing, where spins above the stick rate do not stick."""
    world = st.World(time_step=0.001)
    law = dict(torsional_friction=0.003, static_torsional_friction=0.004, stick_rate=0.2)
    body, load = sole(world, spread=0.0, inertia=(0.01, 0.01, 0.01), **law)
    world.step(800)
    body.angular_velocity = (0.0, 0.0, 4.0)
    world.step(500)
    assert load.states == ("slip",) * 3
    assert body.angular_velocity[2] == pytest.approx(4.0 - 0.003 * G / 0.01 * 0.5, rel=1e-2)
    world.step(1500)
    assert abs(body.angular_velocity[2]) < 1e-6


def test_twist_is_held_up_to_static_friction():
    """Turn by torque / stiffness and stay, up to static friction times the weight; beyond it, slip."""
    for torque, sticks in ((0.9, True), (1.1, False)):
        world = st.World(time_step=0.001)
        law = dict(static_torsional_friction=0.01, twist_stiffness=50.0, torsional_friction=0.005)
        body, load = sole(world, spread=0.0, inertia=(0.01, 0.01, 0.01), **law)
        world.step(800)
        world.add_load(st.Torque(body, (0, 0, 0.01 * G * torque)))
        world.step(1500)
        assert (load.states == ("stick",) * 3) == sticks
        if sticks:
            turn = 2.0 * np.arctan2(body.quaternion[3], body.quaternion[0])
            assert turn == pytest.approx(0.01 * G * torque / 150.0, rel=2e-2)
            assert abs(body.angular_velocity[2]) < 1e-5
        else:
            assert body.angular_velocity[2] > 0.5


def test_never_pulls():
    """Let go of a foot that is lifted fast, with no force down, and forget where it stuck (V-10)."""
    world = st.World(time_step=0.001)
    body, load = sole(world, inertia=(0.003, 0.004, 0.004))
    world.step(800)
    body.velocity = (0.0, 0.0, 2.0)
    for _ in range(20):
        world.step()
        assert np.min(load.effort) >= 0.0
        assert (load.on(body)[2]) >= 0.0
    assert load.states == ("none",) * 3 and load.effort.sum() == 0.0
    world.step(2000)
    assert load.effort.sum() == pytest.approx(G, rel=1e-2)


def test_states_are_of_their_points():
    """Say of each point what it does: those of a tilted foot that are clear of the ground touch nothing."""
    world = st.World(time_step=0.001)
    body, load = sole(world, turn=(np.cos(0.1), 0.0, np.sin(0.1), 0.0))
    world.step()
    assert load.states[0] != "none" and set(load.states[1:]) == {"none"}


def test_friction_takes_energy():
    """Gain no energy in a slide, a stop and a standing still, what springs store counted in."""
    world = st.World(time_step=0.0005)
    body, load = sole(world, mass=3.0, inertia=(0.1, 0.1, 0.1), friction=0.5, static_friction=0.6)
    body.velocity, body.angular_velocity = (1.0, 0.3, 0.0), (0.0, 0.0, 2.0)
    most = world.report.energy + load.potential
    for _ in range(1200):
        world.step()
        now = world.report.energy + load.potential
        assert now < most + 2e-4
        most = min(most, now)


def test_kept_worlds_go_on_with_the_same_bits():
    """Remember what sticks, and where, in snapshots, copies and pickles."""

    def moving():
        world = st.World(time_step=0.001)
        body, load = sole(world, mass=1.0, friction=0.5, static_friction=0.8)
        body.velocity = (0.4, 0.1, 0.0)
        return world, body, load

    world, body, load = moving()
    world.step(70)
    snapshot, twin, pickled = world.save(), copy.deepcopy(world), pickle.loads(pickle.dumps(world))
    states = load.states
    world.step(60)
    end = world.state_hash()
    for other in (twin, pickled):
        other.step(60)
        assert other.state_hash() == end
    world.restore(snapshot)
    assert world.load("sole").states == states
    world.step(60)
    assert world.state_hash() == end


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(stiffness=-1.0), ["stiffness", "-1"]),
        (dict(friction=0.9, static_friction=0.5), ["static_friction = 0.5", "friction = 0.9"]),
        (dict(torsional_friction=1.0, static_torsional_friction=0.5), ["static_torsional_friction"]),
        (dict(hold=float("inf")), ["hold", "inf"]),
    ],
)
def test_wrong_laws_are_refused(given, words):
    """Name the number and the cure."""
    world = st.World()
    with pytest.raises((TypeError, ValueError)) as caught:
        sole(world, **given)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_only_these_loads_have_states():
    """Say which load has."""
    world = st.World()
    body = world.add_body(st.Sphere(1.0))
    with pytest.raises(ValueError, match="StickSlipContact"):
        _ = world.add_load(st.Force(body, (1, 0, 0))).states
