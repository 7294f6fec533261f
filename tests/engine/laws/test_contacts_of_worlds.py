"""Contacts of worlds that give way by a law: impacts, rest, steps that resolve them, pairs, copies."""

import pickle

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.specker.oracle import run_mass

G = 9.81
LAWS = [
    st.RestrictionContact(200.0, 1e-3, 0.7),
    st.HuntCrossleyContact(1e6, 0.4),
    st.HertzContact(1e6),
    st.SpringDashpotContact(1e4, 20.0),
]
EACH_LAW = pytest.mark.parametrize("law", LAWS, ids=lambda one: type(one).__name__)


def thrown(law, speed, mass, h, gap=1.2e-3, gravity=0.0):
    """Return a world and a ball without friction that flies at the ground."""
    world = st.World(gravity=(0, 0, -gravity), time_step=h)
    world.add_body(st.HalfSpace(), kind="static", material=st.Material(friction=0.0))
    surface = st.Material(friction=0.0, contact_law=law)
    ball = world.add_body(
        st.Sphere(0.05), position=(0, 0, 0.05 + gap), mass=mass, velocity=(0, 0, -speed), material=surface
    )
    return world, ball


@EACH_LAW
@pytest.mark.parametrize(("speed", "mass"), [(0.5, 0.3), (3.0, 2.0)])
def test_impacts_at_the_usual_step(law, speed, mass):
    """Give back at 10 ms what the closed form says, though the impact takes a fraction of the step (T-06)."""
    world, ball = thrown(law, speed, mass, 0.01)
    world.step(5)
    wanted = law.restitution(speed, mass)
    # that counts from far away; what the force stores before surfaces touch is not in the impact of a world
    tail = law.stored_energy(0.0) / (mass * (wanted * speed) ** 2)
    assert ball.velocity[2] / speed == pytest.approx(wanted, rel=1e-9 + tail)


@EACH_LAW
def test_impacts_followed_in_time(law):
    """Come to the same, and to the same depth, where steps are short enough to follow the impact.

    The scheme is of second order; of the first where a force sets in with a jump.
    """
    speed, mass = 1.0, 0.3
    out = law.impact(speed, mass)
    errors, jumps = [], isinstance(law, st.SpringDashpotContact)
    for parts in (25, 100):
        h, close = out.duration / parts, (2.0 if jumps else 0.5) / parts
        world, ball = thrown(law, speed, mass, h)
        lowest = peak = 0.0
        for _ in range(2 * parts + int(3e-3 / h)):
            world.step()
            lowest = min(lowest, ball.position[2] - 0.05)
            peak = max([peak, *(np.abs(world.contacts.impulse[:, 2]) / h)])
        errors.append(abs(ball.velocity[2] / speed - out.restitution))
        assert -lowest == pytest.approx(out.peak_compression, rel=close)
        assert peak == pytest.approx(out.peak_force, rel=2.0 * close)
        assert world.report.ladder == ()
    assert max(errors) < 2e-2 and errors[1] < (1e-2 if jumps else 1e-4)


@EACH_LAW
@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_stacks_rest_at_the_depth_of_their_loads(law, solver):
    """Rest at 10 ms where each of four corners carries its share, by both solvers (T-07)."""
    world = st.World(settings=st.Settings(solver=solver))
    material = st.Material(friction=0.5, contact_law=law)
    world.add_body(st.HalfSpace(), kind="static")
    low = world.add_body(st.Box((0.1, 0.1, 0.1)), position=(0, 0, 0.05), mass=2.0, material=material)
    high = world.add_body(st.Box((0.1, 0.1, 0.1)), position=(0, 0, 0.15), mass=1.0, material=material)
    world.step(100)
    assert low.position[2] - 0.05 == pytest.approx(law.rest_gap(3.0 * G / 4.0), rel=1e-6)
    assert high.position[2] - low.position[2] - 0.1 == pytest.approx(law.rest_gap(G / 4.0), rel=1e-6)
    assert np.abs(world.contacts.impulse[:4, 2]) / 0.01 == pytest.approx([3.0 * G / 4.0] * 4, rel=1e-5)
    assert np.abs(low.velocity).max() < 1e-8
    # the sides stay where friction holds them
    assert np.hypot(*high.position[:2]) < 1e-8


@pytest.mark.parametrize("h", [0.01, 0.002, 0.001])
def test_a_ball_bounces_and_comes_to_rest(h):
    """Bounce less and less and rest at 9.89002 mm with its weight, at any step (X-07, T-07)."""
    law = st.RestrictionContact(20.0, 0.5e-3, 5.9)
    world, ball = thrown(law, 0.0, 0.05, h, gap=0.05, gravity=G)
    heights, rebounds, falls = [], [], True
    for _ in range(round(1.5 / h)):
        world.step()
        heights.append(ball.position[2] - 0.04)
        up, speed = ball.position[2] - 0.05, ball.velocity[2]
        if falls and up > -1e-6 and speed > 0.0:
            rebounds.append(np.sqrt(speed * speed + 2.0 * G * up))  # as the surfaces parted
        falls = speed < 0.0 or (falls and up < -1e-6)
    seen = 2 if h == 0.01 else 3  # slower ones than those are rest at such a step
    assert rebounds[:seen] == pytest.approx([0.2460, 0.1144, 0.0602][:seen], rel=0.05 if h < 0.01 else 2e-3)
    assert 1e3 * heights[-1] == pytest.approx(9.8900175, abs=1e-5)
    assert abs(world.contacts.impulse[0, 2]) / h == pytest.approx(0.05 * G, rel=1e-6)
    if h <= 0.001:  # resolved: as the reference, whose force acts over the whole impact
        seen = run_mass(0.05, 0.01, 0.0095, 20.0, 5.9, 0.06, 0.0, gravity=G, duration=0.16, h=1e-5, every=100)
        for i in (99, 110, 130, 150):
            assert heights[i] == pytest.approx(seen[i + 1, 1], abs=2e-4)


@pytest.mark.parametrize("h", [1e-3, 3e-4, 1e-4])
def test_elastic_contacts_keep_their_energy(h):
    """Give back all that a spring stores, at any step, however deep a body is in it (5.4 B)."""
    law = st.SpringDashpotContact(1e4)
    world, ball = thrown(law, 0.0, 0.5, h, gap=-0.002, gravity=G)
    whole = []
    for _ in range(300):
        world.step()
        whole.append(world.report.energy + law.stored_energy(ball.position[2] - 0.05))
    assert np.ptp(whole) < 1e-9 * whole[0]
    assert world.report.ladder == ()


def test_what_is_too_heavy_sinks():
    """Sink at -artanh(2 G / strength - 1) / damping under a load between half the strength and all (T-18)."""
    law = st.RestrictionContact(20.0, 1e-3, 20.0)
    for h in (0.01, 0.002):
        world, ball = thrown(law, 0.0, 1.5, h, gap=-2e-3, gravity=G)
        world.step(round(0.3 / h))
        assert ball.velocity[2] == pytest.approx(-np.arctanh(2.0 * 1.5 * G / 20.0 - 1.0) / 20.0, rel=1e-6)


def test_which_law_a_pair_has():
    """Take the softer of two laws, that of the pair before it, and none where the pair has a restitution."""
    soft, hard, own = (st.RestrictionContact(200.0, depth, 0.0) for depth in (4e-3, 1e-3, 2e-3))
    first, second = st.Material(contact_law=soft, name="a"), st.Material(contact_law=hard, name="b")

    def depth(*materials, **pair):
        world = st.World()
        world.add_body(st.HalfSpace(), kind="static", material=materials[0])
        ball = world.add_body(st.Sphere(0.05), position=(0, 0, 0.05), mass=1.0, material=materials[1])
        if pair:
            world.set_material_pair(*materials, **pair)
        world.step(60)
        return ball.position[2] - 0.05

    assert depth(first, second) == pytest.approx(soft.rest_gap(G), rel=1e-4)
    assert depth(second, first) == pytest.approx(soft.rest_gap(G), rel=1e-4)
    assert depth(st.Material(), second) == pytest.approx(hard.rest_gap(G), rel=1e-4)
    assert depth(first, second, contact_law=own) == pytest.approx(own.rest_gap(G), rel=1e-4)
    assert depth(first, second, restitution=0.0) == pytest.approx(0.0, abs=1e-6)


def test_a_row_of_balls_passes_its_impulse_on():
    """Let the last ball of a cradle of elastic contacts go, whatever their law."""
    world = st.World(gravity=(0, 0, 0))
    material = st.Material(friction=0.0, contact_law=st.HertzContact(1e9))
    balls = [
        world.add_body(st.Sphere(0.05), position=(0.1 * i, 0, 0), mass=1.0, material=material)
        for i in range(4)
    ]
    balls[0].position = (-0.02, 0, 0)
    balls[0].velocity = (1.0, 0, 0)
    world.step(6)
    assert [ball.velocity[0] for ball in balls] == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-6)


def test_copies_and_files_go_on_alike(tmp_path):
    """Go on to the same bits from copies, pickles and files."""
    world, _ = thrown(LAWS[0], 0.3, 1.0, 0.01, gravity=G)
    world.step(7)
    world.save().write(tmp_path / "world.npz")
    read = st.World()
    read.restore(st.Snapshot.read(tmp_path / "world.npz"))
    others = [world.copy(), pickle.loads(pickle.dumps(world)), read]
    world.step(20)
    for other in others:
        other.step(20)
        assert other.state_hash() == world.state_hash()


def test_bad_values():
    """Say what makes no sense."""
    with pytest.raises(ValueError, match="restitution = 0.5 with a contact law"):
        st.Material(0.5, contact_law=LAWS[0])
    with pytest.raises(TypeError, match="contact_law = 3"):
        st.Material(contact_law=3)
    world = st.World()
    with pytest.raises(ValueError, match=r"restitution = 0\.2 with a contact law"):
        world.set_material_pair(st.Material(), st.Material(), restitution=0.2, contact_law=LAWS[0])


def test_what_contacts_tell():
    """Tell law, force, activation and depth at rest, and what an impact came to in its step."""
    law = st.RestrictionContact(200.0, 1e-3, 0.7)
    world, ball = thrown(law, 2.0, 0.3, 0.01)
    assert world.contacts[0].impact is None
    while ball.velocity[2] < 0.0:
        world.step()
    (contact,) = world.contacts
    hit, wanted = contact.impact, law.impact(2.0, 0.3)
    assert hit.peak_force == pytest.approx(wanted.peak_force, rel=1e-9)
    assert hit.duration == pytest.approx(wanted.duration, rel=1e-9)
    assert contact.rate == pytest.approx(2.0 * wanted.restitution)
    world, ball = thrown(law, 0.0, 3.0, 0.01, gap=0.0, gravity=G)
    world.step(100)
    (contact,) = world.contacts
    assert contact.contact_law._numbers == pytest.approx(law._numbers, rel=1e-12)
    assert contact.normal_force == pytest.approx(3.0 * G, rel=1e-6)
    assert contact.compression == pytest.approx(-law.rest_gap(3.0 * G), rel=1e-6)
    assert contact.activation == pytest.approx(2.0 * 3.0 * G / 200.0, rel=1e-6)
    assert contact.impact is None
    rigid = st.World()
    rigid.add_body(st.HalfSpace(), kind="static")
    rigid.add_body(st.Sphere(0.1), position=(0, 0, 0.1), mass=2.0)
    rigid.step(10)
    assert rigid.contacts.normal_force == pytest.approx([2.0 * G], rel=1e-9)
    assert rigid.contacts[0].contact_law is None and rigid.contacts[0].activation == 1.0


def test_stops_of_joints_by_a_law():
    """Hold a knee at the angles of its loads, and give back what the law says at either bound (X-13)."""
    law = st.RestrictionContact(max_force=50.0, compression=2.0 * np.arctanh(0.99) / 100.0, damping=1.5)
    offset = -9.6e-3 + 0.5 * law.compression  # so that the middle of the transition is at -9.6 mrad
    for load, wanted in ((1.0, 6.29e-3), (5.0, -2.67e-3), (10.0, -7.57e-3), (20.0, -16.53e-3)):
        world = st.World(gravity=(0, 0, 0), time_step=0.001)
        shank = world.add_body(st.Box((0.1, 0.1, 0.4)), mass=6.0)
        knee = world.add_joint(st.Hinge((0, 0, 0.2), (0, 1, 0)), shank)
        stop = world.add_load(st.ContactStop(knee, law, lower=offset))
        world.add_load(st.JointTorque(knee, -load))
        knee.spring(0.0, 2.0, 0.0)  # a damper, so that it comes to rest
        world.step(6000)
        assert knee.value == pytest.approx(wanted, abs=1e-5)
        assert stop.effort == pytest.approx(load, rel=1e-4)
    law = st.RestrictionContact(2000.0, 5e-3, 0.3)
    world = st.World(gravity=(0, 0, 0), time_step=1e-4)
    shank = world.add_body(st.Box((0.1, 0.1, 0.4)), mass=6.0)
    slider = world.add_joint(st.Slider((0, 0, 0), (1, 0, 0)), shank)
    shank.velocity = (2.0, 0, 0)
    world.add_load(st.ContactStop(slider, law, lower=-0.1, upper=0.1))
    world.step(2500)
    # both bounds, one after the other
    first = law.restitution(2.0, 6.0) * 2.0
    assert shank.velocity[0] == pytest.approx(law.restitution(first, 6.0) * first, rel=2e-3)
