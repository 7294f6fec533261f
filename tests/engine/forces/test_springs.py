"""Springs, dampers and stops: values of their laws, order, energy, decay."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stoss as st


def free_ball(h, position=(1.2, 0, 0), velocity=(0, 0, 0), mass=1.0, gravity=(0, 0, 0), **settings):
    world = st.World(gravity=gravity, time_step=h, settings=st.Settings(**settings))
    ball = world.add_body(st.Sphere(0.1), mass=mass, position=position, velocity=velocity, name="ball")
    return world, ball


def pendulum(h=1e-6, angle=0.0, rate=0.0):
    """Return a shank of 0.165 kg m^2 about a hinge that gravity does not move, and the hinge."""
    world = st.World(gravity=(0, 0, 0), time_step=h)
    turn = np.cos(0.5 * angle), 0, np.sin(0.5 * angle), 0
    center = 0.19144 * np.array([np.sin(angle), 0, np.cos(angle)])
    own = st.from_values(3.243, (0.16508165 - 3.243 * 0.19144**2,) * 3)
    shank = world.add_body((), mass_properties=own, position=(0, 0, 0.19144), name="shank")
    hinge = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, shank, name="hinge")
    shank.position, shank.quaternion = center, turn
    shank.angular_velocity = 0, rate, 0
    shank.velocity = np.cross((0, rate, 0), center)
    return world, hinge


@pytest.mark.parametrize(
    ("length", "rate", "law", "wanted"),
    [
        (0.11, 0.2, (0.10, 1, 1, 0, 1), 10.0),
        (0.11, 0.2, (0.10, 1, 3, 0, 1), 1000.0),
        (0.11, 0.2, (0.10, 2, 1.5, 3, 1), 69.2456),
        (0.09, -0.2, (0.10, 2, 1.5, 3, 1), -69.2456),
        (0.09, 0.2, (0.10, 0, 1, 3, 1), 6.0),
    ],
)
def test_spring_law_of_files(length, rate, law, wanted):
    """Give Krieg's values of the law in millimetres, the same backwards, and a damper that resists."""
    world, ball = free_ball(1e-9, (length, 0, 0), (rate, 0, 0))
    load = world.add_load(
        st.SpringDamper(ball, None, *law, damping_by="deflection", file_units=True, implicit=False)
    )
    world.step()
    assert load.effort == pytest.approx(wanted, abs=2e-4 if abs(wanted) == 69.2456 else 1e-6 * abs(wanted))
    assert load.force[0] == pytest.approx(-load.effort, rel=1e-12)


def test_error_of_a_cubic_spring_goes_with_the_square_of_the_step():
    """Divide the error by four when the step is halved, with a damper too."""

    def rate(t, y):
        e = y[0] - 0.5
        return [y[1], -40 * e**3 - 0.8 * y[1]]

    exact = solve_ivp(rate, (0, 2), [0.9, 0], rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    errors = []
    for h in (0.02, 0.01, 0.005):
        world, ball = free_ball(h, (0.9, 0, 0))
        world.add_load(st.SpringDamper(ball, None, 0.5, 40.0, power=3.0, damping=0.8))
        world.step(round(2 / h))
        errors.append(np.abs(np.array([ball.position[0], ball.velocity[0]]) - exact))
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert ((ratios > 3.6) & (ratios < 4.4)).all(), ratios


@pytest.mark.parametrize(("power", "implicit"), [(1.0, False), (3.0, False), (1.0, True)])
def test_soft_springs_keep_their_energy(power, implicit):
    """Keep the energy of an orbit on a spring within the error of the method over 5000 steps: no drift."""
    world, ball = free_ball(0.01, (1.0, 0, 0), (0, 0.7, 0.2))
    load = world.add_load(st.SpringDamper(ball, None, 0.0, 30.0, power=power, implicit=implicit))
    energies = []
    for _ in range(200):
        world.step(25)
        energies.append(world.report.energy + load.potential)
    start = 0.5 * (0.49 + 0.04) + 30.0 / (power + 1)
    assert np.abs(np.array(energies) - start).max() < 5e-3 * start
    slope = np.polyfit(np.arange(200), energies, 1)[0] * 200
    assert abs(slope) < 1e-3 * start, slope


def test_a_spring_at_a_joint_keeps_its_energy():
    """Keep the energy of a pendulum with a spring to the world over 5000 steps."""
    world = st.World(time_step=0.005)
    rod = world.add_body(st.Box((1, 0.1, 0.1)), mass=2.0, position=(0.5, 0, 0))
    world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rod)
    load = world.add_load(st.SpringDamper((rod, (0.5, 0, 0)), (0.5, 0, 1.0), 0.2, 40.0, power=2.0))
    start = world.report.energy + load.potential
    energies = []
    for _ in range(200):
        world.step(25)
        energies.append(world.report.energy + load.potential)
    span = np.ptp(energies)
    assert np.abs(np.array(energies) - start).max() < 2e-3 * load.potential + 0.02
    slope = np.polyfit(np.arange(200), energies, 1)[0] * 200
    assert abs(slope) < 0.3 * span + 1e-6, (slope, span)


def test_dampers_take_energy_in_compression():
    """Let a spring with Krieg's damper come to rest, where his printed sign gives as much as it takes."""
    world, ball = free_ball(0.005)
    load = world.add_load(st.SpringDamper(ball, None, 1.0, 100.0, damping=50.0, damping_by="deflection"))
    energies = [world.report.energy + load.potential]
    for _ in range(200):
        world.step(20)
        energies.append(world.report.energy + load.potential)
    assert energies[0] == pytest.approx(2.0)
    # as adaptive integration has it after 20 s
    assert energies[-1] == pytest.approx(0.0011, abs=1e-4)
    assert (np.diff(energies) < 1e-4 * energies[0]).all()
    assert load.energy == pytest.approx(world.ledger.load_work, abs=1e-12)


# angles are from half a turn on, so that the hinge is near its reference
STOP = dict(lower=-np.radians(90), upper=np.radians(90), max_torque=40.0, order=3)
WIDTHS = dict(width_lower=np.radians(3), width_upper=np.radians(5))
DEGREES = [
    *((90, -40), (91, -5.960), (92, -0.291), (93, 0), (180, 0), (265, 0), (266, 0.019), (267, 0.387)),
    *((268, 2.598), (269, 11.343), (270, 40), (271, 125.57), (272, 369.26), (275, 7993.7)),
]
RADIANS = [(91, -7.874), (92, -0.490), (269, 16.326), (271, 83.238), (275, 651.47)]


@pytest.mark.parametrize(
    ("angle", "torque", "unit"),
    [(*row, "degrees") for row in DEGREES] + [(*row, "radians") for row in RADIANS],
)
def test_soft_stop_has_the_torques_of_the_table(angle, torque, unit):
    """Give Krieg's torques, by either unit of the exponent; they push back into the range."""
    world, hinge = pendulum(1e-9, np.radians(angle - 180))
    load = world.add_load(st.SoftStop(hinge, **STOP, **WIDTHS, exponent=unit))
    world.step()
    digits = 6e-4 if abs(torque) < 1 else 1e-3 * abs(torque)
    assert load.value == pytest.approx(np.radians(angle - 180), abs=1e-8)
    assert load.effort == pytest.approx(-torque, abs=digits)


def test_soft_stop_is_smooth_where_it_sets_in():
    """Grow from nothing as the fourth power, without the cancellation of e^s - 1 - s - ...."""
    world, hinge = pendulum(1e-12, np.radians(85) + 1e-6)
    load = world.add_load(st.SoftStop(hinge, **STOP, **WIDTHS))
    world.step()
    s = np.degrees(1e-6)
    # a s^4 / 4! (1 + s / 5 + ...); a = 40 / (e^5 - 1 - 5 - 25 / 2 - 125 / 6)
    wanted = 40 / (np.exp(5) - 1 - 5 - 12.5 - 125 / 6) * s**4 / 24 * (1 + s / 5)
    assert load.effort == pytest.approx(-wanted, rel=1e-6)


def test_soft_stop_gives_back_what_it_took():
    """Bounce a shank off the stop with the speed that it came with, and conserve energy on the way."""
    world, hinge = pendulum(2e-4, np.radians(70), rate=2.0)
    load = world.add_load(st.SoftStop(hinge, **STOP, **WIDTHS))
    start, least = world.report.energy, np.inf
    for _ in range(300):
        world.step(10)
        least = min(least, world.report.energy)
        assert world.report.energy + load.potential == pytest.approx(start, rel=2e-3)
        if hinge.rate < 0 and hinge.value < np.radians(84):
            break
    assert hinge.rate == pytest.approx(-2.0, rel=1e-4)
    assert least < 0.01 * start


def test_knee_stop_rebounds_as_the_reference():
    """Rebound from a damped stop with a ramp as adaptive integration says (Stelzner's knee, two ramps)."""
    inertia = 0.16508165
    for ramp in (0.0, np.radians(1.0)):

        def rate(t, y, ramp=ramp):
            e = -y[0]
            if e <= 0:
                return [y[1], 0.0]
            x = min(e / ramp, 1.0) if ramp else 1.0
            return [y[1], (5729.578 * e - 57.29578 * x * x * (3 - 2 * x) * y[1]) / inertia]

        exact = solve_ivp(
            rate, (0, 0.03), [0.02, -8.587319], rtol=1e-10, atol=1e-12, max_step=1e-4, method="DOP853"
        ).y[:, -1]
        world, hinge = pendulum(5e-5, 0.02, rate=-8.587319)
        world.add_load(st.CoordinateStop(hinge, lower=0.0, stiffness=5729.578, damping=57.29578, ramp=ramp))
        world.step(600)
        assert hinge.rate == pytest.approx(exact[1], rel=1e-2)
        assert hinge.value == pytest.approx(exact[0], abs=2e-4)


def test_coordinate_spring_and_its_ramp():
    """Give -c |e|^p - d r(|e|) u along a hinge, half the damping at half the ramp."""
    world, hinge = pendulum(1e-9, 0.1, rate=2.0)
    load = world.add_load(st.CoordinateSpring(hinge, rest=0.3, stiffness=5.0, power=2.0))
    damper = world.add_load(st.CoordinateSpring(hinge, rest=0.3, damping=3.0, ramp=0.4))
    world.step()
    assert load.effort == pytest.approx(5.0 * 0.04, rel=1e-6)
    assert damper.effort == pytest.approx(-0.5 * 3.0 * 2.0, rel=1e-6)


def test_rotational_spring_swings_a_trunk():
    """Swing a free body about an axis with the period of its spring, and count full turns."""
    for planar in (None, "xy"):
        world = st.World(gravity=(0, 0, 0), time_step=0.001, planar=planar)
        own = st.from_values(125.0, (10.7, 10.7, 10.7))
        trunk = world.add_body((), mass_properties=own, name="trunk")
        axis = (0, 0, 1)
        load = world.add_load(st.RotationalSpring(None, trunk, axis, stiffness=1000.0))
        trunk.angular_velocity = 0, 0, 1.0
        omega = np.sqrt(1000 / 10.7)
        world.step(700)
        assert trunk.angular_velocity[2] == pytest.approx(np.cos(omega * world.time), abs=5e-3)
        assert load.energy + load.potential == pytest.approx(0.0, abs=1e-3 * 5.35)
        load.kind = st.RotationalSpring(*_ends(load), stiffness=0.0)
        world.step(4000)
        assert abs(load.value) == pytest.approx(abs(load.rate) * 4, rel=0.1)


def _ends(load):
    return load.kind.first, load.kind.second


def test_network_is_its_springs():
    """Move as with springs that are added one by one, to the bit, and tell of each."""

    def build():
        world = st.World(time_step=0.002)
        places = [(x, y, 0.0) for x in range(4) for y in range(3)]
        own = st.from_values(0.1, (1e-4, 1e-4, 1e-4))
        return world, [world.add_body((), mass_properties=own, position=place) for place in places]

    pairs = [(i, j) for i in range(12) for j in range(i) if abs(i % 3 - j % 3) + abs(i // 3 - j // 3) == 1]
    one, bodies = build()
    net = one.add_load(
        st.SpringNetwork(
            [(0, 0, 1.0), *bodies], [(0, 1), *[(a + 1, b + 1) for a, b in pairs]], 50.0, damping=0.1
        )
    )
    many, others = build()
    law = dict(stiffness=50.0, damping=0.1, implicit=False)
    many.add_load(st.SpringDamper((0, 0, 1.0), others[0], **law))
    singles = [many.add_load(st.SpringDamper(others[a], others[b], **law)) for a, b in pairs]
    for world in (one, many):
        world.step(200)
    assert np.abs(one.positions - many.positions).max() < 1e-13
    assert net.effort[1:] == pytest.approx([load.effort for load in singles], rel=1e-10, abs=1e-13)
    assert net.effort.shape == (len(pairs) + 1,)


def test_steps_that_are_too_long_are_told_once():
    """Name element and step when the step is too long for a stiffness, and the length that would do."""
    world, ball = free_ball(0.01)
    world.add_load(st.SpringDamper(ball, None, 1.0, 1e5, implicit=False), name="stiff one")
    with pytest.warns(
        UserWarning, match=r"load 'stiff one' \(SpringDamper\), step 1: .* 10\b.*0\.0032 s"
    ) as told:
        world.step(2)
    assert len(told) == 1 and told[0].filename == __file__


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda b, j: st.SpringDamper(b, None, -1.0), "rest = -1"),
        (lambda b, j: st.SpringDamper(b, None, 1.0, -5.0), "stiffness = -5"),
        (lambda b, j: st.SpringDamper(b, None, 1.0, 5.0, power=0.0), "power = 0"),
        (lambda b, j: st.SpringDamper(b, None, damping_by="length"), "damping_by = 'length'"),
        (lambda b, j: st.SpringDamper(b, b, 1.0), "both on body 'shank'"),
        (lambda b, j: st.SpringDamper(None, (0, 0, 1)), "neither first nor second is on a body"),
        (lambda b, j: st.SpringDamper("knee", None), "knee"),
        (lambda b, j: st.SoftStop(j, 1.0, 0.5), "lower = 1 and upper = 0.5"),
        (lambda b, j: st.SoftStop(j, 0.0, 0.01), "do not fit"),
        (lambda b, j: st.SoftStop(j), "one of them finite"),
        (lambda b, j: st.SoftStop(b, 0.0), "must be a Joint"),
        (lambda b, j: st.CoordinateSpring(j, "twist"), "twist"),
        (lambda b, j: st.SpringNetwork([b, None], [(0, 2)]), r"springs\[0\] = \[0.0, 2.0\]"),
        (lambda b, j: st.SpringNetwork([b, None], [(0, 0)]), "joins a point with itself"),
        (lambda b, j: st.SpringNetwork([b, None], [(0, 1)], [1.0, 2.0]), "stiffness has shape"),
        (lambda b, j: st.RotationalSpring(None, b, (0, 0, 0)), "axis"),
    ],
)
def test_bad_values_are_told_at_once(make, says):
    """Name argument and value; the world has no load then."""
    world, hinge = pendulum()
    with pytest.raises((TypeError, ValueError, KeyError), match=says):
        world.add_load(make(world.body("shank"), hinge))
    assert world.loads == []
