"""The scenes of joints keep them closed and do what they say, by closed forms and reference motions."""

import cmath
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from stoss.engine import Settings
from stoss.scenes import SCENES
from stoss.scenes.mechanisms.linkage import close_four_bar

G = 9.81  # [m/s^2]
# 1e-6 m and rad is the tolerance that steps end with; positions of 10 m carry rounding of 1e-15 m.
CLOSED = 1e-6 * (1.0 + 1e-8)

# Duration [s] and parameters with which the joints are watched.
WATCHED = {
    "chain": (10.0, {}),
    "tree": (10.0, {}),
    "net": (10.0, {"knots": 5}),
    "loops": (10.0, {}),
    "four_bar": (10.0, {}),
    "n_four_bar": (10.0, {}),
    "slider_crank": (10.0, {}),
    "bricard": (10.0, {}),
    "closed_chain": (10.0, {}),
    "gyroscope": (10.0, {}),
    "crane": (10.0, {}),
    "robot_arm": (10.0, {}),
    "bridge": (3.0, {}),
    "cradle": (10.0, {"time_step": 0.01}),
    "thesis_stops": (10.0, {}),
}
WITH_CONTACTS = ("bridge", "cradle", "thesis_stops")


@pytest.mark.parametrize("name", WATCHED)
def test_joints_stay_closed(name):
    """Keep every joint closed to 1e-6 m and rad in every step, and to 1e-5 where bodies touch."""
    duration, parameters = WATCHED[name]
    world = SCENES[name].build(**parameters)
    length = angle = 0.0
    for _ in range(round(duration / world.time_step)):
        report = world.step()
        length, angle = max(length, report.joint_error), max(angle, report.joint_angle_error)
    bound = 1e-5 if name in WITH_CONTACTS else CLOSED
    assert length <= bound and angle <= bound


def test_chain_whips_without_losing_energy():
    """Keep the energy to 1 % of what the chain has to fall, however it whips."""
    world = SCENES["chain"].build()
    fall = 50 * G * 0.5 * 50 * 0.2
    energies = [world.step().energy for _ in range(1000)]
    assert np.abs(energies).max() < 0.01 * fall
    assert max(np.abs(world.velocities).max(), 1.0) < 100.0


def test_chain_is_pushed_by_its_seed():
    """Hang still without a push, and start at the given speed in directions that the seed decides."""
    still = SCENES["chain"].build(bodies=5, start="hanging")
    still.step(100)
    assert np.abs(still.velocities).max() < 1e-9
    pushed = [SCENES["chain"].build(bodies=5, start="hanging", speed=2.0, seed=seed) for seed in (1, 1, 2)]
    np.testing.assert_allclose(np.linalg.norm(pushed[0].velocities, axis=1), 2.0, rtol=1e-12)
    assert np.array_equal(pushed[0].velocities, pushed[1].velocities)
    assert not np.array_equal(pushed[0].velocities, pushed[2].velocities)


def test_tree_keeps_the_angular_momentum_of_its_push():
    """Turn with torque times step about the vertical ever after, its centre staying where it is."""
    world = SCENES["tree"].build(levels=5, time_step=1.0 / 30.0)
    centre = world.masses @ world.positions
    report = world.step(300)
    # velocity rows end at 1e-7 m/s for 5 kg within 1 m; moments are taken about the pivot
    np.testing.assert_allclose(report.angular_momentum, (0.0, 0.0, 10.0 / 30.0), atol=1e-7)
    np.testing.assert_allclose(world.masses @ world.positions, centre, atol=1e-4)


def test_net_falls_alike_on_both_sides_of_its_diagonal():
    """Mirror the motion of the rods along x in those along y, and fall below the corners it hangs on."""
    world = SCENES["net"].build(knots=5)
    energies = [world.step().energy for _ in range(60)]
    for row in range(5):
        for number in range(4):
            x, y, z = world.body(f"rod x {row}.{number}").position
            u, v, w = world.body(f"rod y {row}.{number}").position
            # the tolerance of the joints, which the whipping net makes grow
            np.testing.assert_allclose((x, y, z), (v, u, w), atol=1e-4)
    assert world.positions[:, 2].max() < 0.0
    assert np.abs(energies).max() < 0.02 * 40 * G * 1.0


def test_loops_move_alike_with_redundant_hinges():
    """Have 3 freedoms and 9 redundant rows, and move as with independent joints."""
    hinges, independent = (
        SCENES["loops"].build(joints=joints, time_step=1.0 / 30.0) for joints in ("hinges", "independent")
    )
    freedom = hinges.freedom_report()
    assert freedom.degrees_of_freedom == 3 and len(freedom.redundant) == 9
    assert independent.freedom_report().degrees_of_freedom == 3 and not independent.freedom_report().redundant
    start = hinges.positions.copy()
    for _ in range(150):
        hinges.step()
        independent.step()
        # the joints that close the loops end within the same tolerance, elsewhere in it
        np.testing.assert_allclose(hinges.positions, independent.positions, atol=1e-4)
    assert np.abs(hinges.positions - start).max() > 0.2
    np.testing.assert_allclose(hinges.positions[:, 1], start[:, 1], atol=2e-6)


def test_four_bar_follows_freudenstein():
    """Turn the crank at the rate of the motor, and the rocker as the lengths ask for."""
    world = SCENES["four_bar"].build()
    lengths, start = (0.2, 0.5, 0.4), math.radians(60.0)
    ground = (0j, 0.5 + 0j)

    def rocker(angle):
        return cmath.phase(close_four_bar(ground, *lengths, angle, 1)[1] - ground[1])

    for _ in range(200):
        world.step()
        turned = 2.0 * math.pi * world.time
        # the rate of the motor is met to 1e-7 rad/s
        assert world.joint("crank").value == pytest.approx(turned, abs=1e-7 * 2.0)
        # 1e-6 m at each of four joints, on a rocker of 0.4 m
        expected = rocker(start + turned) - rocker(start)
        assert world.joint("rocker").value == pytest.approx(expected, abs=4e-6 / 0.4)


def test_close_four_bar_refuses_what_does_not_reach():
    """Raise ValueError that names the lengths when coupler and rocker are too short."""
    with pytest.raises(ValueError, match=r"coupler is 0\.1 and rocker 0\.1"):
        SCENES["four_bar"].build(coupler=0.1, rocker=0.1)


@pytest.mark.parametrize(
    ("loops", "energy", "place"),
    [(1, 20.4533333, (-0.2607126752, -0.9654164392)), (2, 35.835, (-0.1950203019, -0.9807992057))],
)
def test_n_four_bar_follows_the_benchmark(loops, energy, place):
    """Be after 1 s, past the pose in which all bars are in line, where the reference is, to order 2."""
    errors = []
    for time_step in (0.01, 0.005):
        world = SCENES["n_four_bar"].build(loops=loops, time_step=time_step)
        assert world.report.energy == pytest.approx(energy, rel=1e-7)
        world.step(round(1.0 / time_step))
        tip = world.body("crank 0").world_point((0.5, 0.0, 0.0))
        errors.append(math.hypot(tip[0] - place[0], tip[2] - place[1]))
    assert errors[0] < 1e-3
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_slider_crank_follows_the_closed_form():
    """Have the piston at r cos a + sqrt(l^2 - r^2 sin^2 a)."""
    world = SCENES["slider_crank"].build()
    for _ in range(200):
        world.step()
        angle = 2.0 * math.pi * world.time
        place = 0.25 * math.cos(angle) + math.sqrt(0.75**2 - (0.25 * math.sin(angle)) ** 2)
        # 1e-6 m at each of three joints before the piston
        assert world.body("piston").position[0] == pytest.approx(place, abs=4e-6)
        assert world.joint("piston").value == pytest.approx(place - 1.0, abs=4e-6)


def test_bricard_follows_the_benchmark():
    """Move on the one freedom that is left, as the reference does."""
    reference = {  # far end of the second rod; the benchmark's y is up
        0.25: (0.940056968, -0.998308064, -0.058146448),
        1.0: (0.274481319, -0.886707939, -0.462330003),
        2.5: (-0.999983185, -1.0, -0.000016815),
        10.0: (0.999730987, -0.999999964, -0.000268977),
    }
    world = SCENES["bricard"].build()
    freedom = world.freedom_report()
    assert freedom.degrees_of_freedom == 1 and len(freedom.redundant) == 1
    assert world.report.energy == pytest.approx(-29.43, rel=1e-12)
    for time, place in reference.items():
        world.step(round((time - world.time) / world.time_step))
        x, y, z = world.body("rod 1").world_point((0.5, 0.0, 0.0))
        # order 2: (h w)^2 / 24 of the phase w t, w about 1.3 rad/s
        np.testing.assert_allclose((x, z, -y), place, atol=5e-4)


def _platform_angle(length=0.5, start=35.0, rest=60.0, stiffness=100.0):
    """Return the angle of the legs of `closed_chain` over time from its one equation of motion."""
    leg, platform = 1.0, 4.0
    moment = leg * (length**2 + 0.06**2) / 12.0

    def inertia(angle):
        lower = leg * length**2 / 4.0 + moment
        upper = leg * length**2 * (0.25 * math.sin(angle) ** 2 + 2.25 * math.cos(angle) ** 2) + moment
        return 2.0 * (lower + upper) + platform * (2.0 * length * math.cos(angle)) ** 2

    def slope(angle):
        return (2.0 * leg * (0.25 - 2.25) - 4.0 * platform) * length**2 * math.sin(2.0 * angle)

    def rates(_, state):
        angle, rate = state
        torque = -G * length * math.cos(angle) * (4.0 * leg + 2.0 * platform)
        torque -= stiffness * (angle - math.radians(rest))
        return rate, (torque - 0.5 * slope(angle) * rate**2) / inertia(angle)

    return solve_ivp(
        rates, (0.0, 5.0), (math.radians(start), 0.0), rtol=1e-10, atol=1e-12, dense_output=True
    ).sol


@pytest.mark.parametrize("joints", ["hinges", "independent"])
def test_closed_chain_moves_straight_by_its_equation(joints):
    """Keep the platform level and over its base, at the height that the equation of motion gives."""
    world = SCENES["closed_chain"].build(joints=joints)
    freedom = world.freedom_report()
    assert freedom.degrees_of_freedom == 1 and len(freedom.redundant) == (1 if joints == "hinges" else 0)
    angle = _platform_angle()
    platform = world.body("platform")
    for _ in range(500):
        world.step()
        x, y, z = platform.position
        np.testing.assert_allclose((x, y, *platform.quaternion[1:]), 0.0, atol=2e-6)
        # order 2: (h w)^2 / 24 of the phase w t = 45 rad, times an amplitude of 0.06 m
        assert z == pytest.approx(math.sin(angle(world.time)[0]), abs=1e-3)


def test_gyroscope_circles_at_the_closed_form():
    """Circle at m g r / (I w) with the arm level, and nod below it when it is let go at rest."""
    world = SCENES["gyroscope"].build()
    expected = G * 0.4 * 2.05 / (0.5 * 2.0 * 0.25**2 * 60.0)
    angle = last = 0.0
    for _ in range(1000):
        world.step()
        x, y, z = world.body("arm").position
        now = math.atan2(y, x)
        angle += math.remainder(now - last, 2.0 * math.pi)
        last = now
        # order 2: (h n)^2 / 24, the arm nods with n = 25 rad/s
        assert abs(z - 1.0) < 3e-3 * 0.2
    assert angle / 10.0 == pytest.approx(expected, rel=1e-3)
    nodding = SCENES["gyroscope"].build(start="rest")
    heights = []
    for _ in range(300):
        nodding.step()
        heights.append(nodding.body("arm").position[2])
    assert max(heights) < 1.0 + 1e-5 and min(heights) < 0.99 and heights[-1] > 0.5


def test_crane_drives_its_load_to_the_place():
    """Carry the load at rest, then turn and run out by what was asked for, on a chain of fixed length."""
    world = SCENES["crane"].build()
    world.step(50)
    carried = world.joint("link 0")
    assert carried.force[2] == pytest.approx((200.0 + 6.0 * 4.0) * G, rel=1e-3)
    world.step(1950)
    assert world.joint("slew").value == pytest.approx(math.pi / 2.0, abs=1e-6)
    servo = world.joint("trolley").drives[0]
    # the spring gives way by the pull of the swinging chain
    assert world.joint("trolley").value == pytest.approx(4.0 + servo.force / -servo.stiffness, abs=2e-3)
    hook = world.joint("hook").first_point
    assert np.linalg.norm(hook - carried.first_point) <= 6.0 + 14 * 1e-6
    assert world.body("load").position[1] > 4.0


def test_robot_arm_sags_by_the_weight_over_the_stiffness():
    """Hold the last pose but for weight over stiffness, with the hand where the angles put it."""
    world = SCENES["robot_arm"].build()
    world.step(1500)
    targets = np.radians((0.0, 30.0, 60.0, 0.0, 0.0))
    names = ("base", "shoulder", "elbow", "wrist", "hand")
    stiffness = 1e4 * np.array((1.0, 1.0, 0.5, 0.1, 0.05))
    bodies = [world.body(f"after {name}") for name in names]
    for k, name in enumerate(names):
        joint = world.joint(name)
        weight = sum(b.mass * G * (b.center_of_mass[0] - joint.first_point[0]) for b in bodies[k:])
        torque = weight if name in ("shoulder", "elbow", "wrist") else 0.0
        assert joint.value - targets[k] == pytest.approx(torque / stiffness[k], abs=1e-5)
        assert joint.drives[0].force == pytest.approx(-torque, abs=0.1)
    angles = np.cumsum([world.joint(name).value for name in names[1:4]])
    place = np.array((0.0, 0.0, 0.35))
    for length, angle in zip((0.5, 0.4, 0.1 + 0.2), angles, strict=True):
        place += length * np.array((math.sin(angle), 0.0, math.cos(angle)))
    np.testing.assert_allclose(bodies[-1].world_point((0.1, 0.0, 0.0)), place, atol=1e-5)


def test_bridge_is_in_balance():
    """Hang still without crates, each cable pulling as the parabola asks for."""
    world = SCENES["bridge"].build(crates=0)
    world.step(200)
    assert np.abs(world.velocities).max() < 1e-6
    pull = (0.5 * 20.0 + 2.0) * G * 12.0**2 / (8.0 * 1.5 * 0.6)
    for side in ("left", "right"):
        assert abs(world.joint(f"{side} 10").force[0]) == pytest.approx(pull, rel=1e-4)


def test_bridge_carries_its_crates():
    """Catch the crates on the deck, losing energy all the time once they lie there."""
    world = SCENES["bridge"].build(crates=2)
    start = world.report.energy
    energies = [world.step(50).energy for _ in range(6)]
    assert max(energies[1:]) < start
    for k in range(2):
        x, y, z = world.body(f"crate {k}").position
        assert abs(x) < 6.0 and abs(y) < 0.8 and 2.5 < z < 4.0


def test_stops_of_either_kind_give_back_the_same():
    """Bounce back with the given share of the speed, at the same time, whether limit or spheres stop it."""
    world = SCENES["thesis_stops"].build(time_step=0.005)
    sliders = [world.joint(name) for name in ("limit", "spheres")]
    bounces = [[], []]
    last = [0.0, 0.0]
    for _ in range(600):
        world.step()
        for k, slider in enumerate(sliders):
            rate = slider.rate
            if last[k] > 0.5 and rate < 0.0:
                bounces[k].append((world.time, -rate / last[k]))
            last[k] = rate
            # a stop is noticed when it is overrun, by up to the way of one step
            assert slider.value < 1.0 + 2.3 * world.time_step
    assert len(bounces[0]) == len(bounces[1]) >= 2
    for (time, share), (other_time, other_share) in zip(*bounces, strict=True):
        assert abs(time - other_time) <= 2.0 * world.time_step + 1e-9
        # before and after are a step apart, in which gravity adds 0.013 m/s
        assert share == pytest.approx(0.7, abs=0.02) and other_share == pytest.approx(0.7, abs=0.02)
    world.step(1400)
    for slider in sliders:
        assert slider.value == pytest.approx(1.0, abs=1e-5) and abs(slider.rate) < 1e-6


@pytest.mark.parametrize(
    ("name", "parameters", "complaint"),
    [
        ("chain", {"bodies": 0}, "bodies is 0"),
        ("chain", {"length": 0.0}, "length is 0"),
        ("chain", {"speed": -1.0}, "speed is -1"),
        ("tree", {"levels": 0}, "levels is 0"),
        ("tree", {"torque": math.nan}, "torque = nan"),
        ("net", {"knots": 1}, "knots is 1"),
        ("loops", {"long": 3.5}, "long is 3.5"),
        ("loops", {"swing_deg": 50.0}, "swing_deg is 50"),
        ("n_four_bar", {"loops": 0}, "loops is 0"),
        ("slider_crank", {"rod": 0.2}, "rod is 0.2"),
        ("bricard", {"length": -1.0}, "length is -1"),
        ("closed_chain", {"angle_deg": 90.0}, "angle_deg is 90"),
        ("gyroscope", {"spin": 0.0}, "spin is 0"),
        ("crane", {"way": 9.0}, "way is 9"),
        ("robot_arm", {"stiffness": 0.0}, "stiffness is 0"),
        ("bridge", {"planks": 7}, "planks is 7"),
        ("bridge", {"crates": 21}, "crates is 21"),
        ("cradle", {"raised": 6}, "raised is 6"),
        ("thesis_stops", {"restitution": 1.5}, "restitution is 1.5"),
    ],
)
def test_bad_values_are_named(name, parameters, complaint):
    """Raise ValueError that names parameter and value."""
    with pytest.raises(ValueError, match=complaint):
        SCENES[name].build(**parameters)


def test_joint_scenes_take_the_iterative_solver():
    """Run by sweeps alone as well, and keep the joints as closed as the sweeps leave them."""
    for name in ("chain", "loops", "closed_chain"):
        world = SCENES[name].build(settings=Settings(solver="gauss_seidel", sweeps=300))
        assert world.step(20).joint_error < 1e-3
