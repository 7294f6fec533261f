"""Actuators and servos against closed forms: torque, rate, PD, PID, delay, lag, noise, limit."""

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

import stoss as st
from stoss.engine.control.signals import Delay, Lag

INERTIA = 0.25  # [kg m^2] of the wheel about its axle


def wheel(time_step: float = 0.01, solver: str = "auto") -> tuple[st.World, st.Joint]:
    """A wheel on a vertical axle, without gravity."""
    world = st.World(gravity=(0, 0, 0), time_step=time_step, settings=st.Settings(solver=solver))
    body = world.add_body(st.Cylinder(0.5, 0.1), mass=2.0, name="wheel")
    return world, world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, body, name="axle")


def second_order(kp: float, ki: float, kd: float, times: np.ndarray) -> np.ndarray:
    """Angle of the wheel under a continuous PID with the rate measured, after a unit step of the target."""
    system = scipy.signal.TransferFunction([kp, ki], [INERTIA, kd, kp, ki])
    return scipy.signal.step(system, T=times)[1]


def angles(world: st.World, axle: st.Joint, steps: int) -> np.ndarray:
    """Angles at the beginning and after each step."""
    out = [axle.value]
    for _ in range(steps):
        world.step()
        out.append(axle.value)
    return np.array(out)


# ---------------------------------------------------------------- torque and rate


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_torque_turns_both_bodies(solver: str) -> None:
    """Give the second body t h / I a step, and the first one the opposite."""
    world = st.World(gravity=(0, 0, 0), settings=st.Settings(solver=solver))
    first = world.add_body(st.Box((1, 1, 1)), mass=1.0)
    second = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 1), mass=3.0)
    joint = world.add_joint(st.Hinge((0, 0, 0.5), (0, 0, 1)), first, second)
    motor = world.add_actuator(st.TorqueActuator(joint))
    motor.command = 0.5
    world.step(100)
    assert second.angular_velocity[2] == pytest.approx(0.5 / (3.0 / 6), rel=1e-9)
    assert first.angular_velocity[2] == pytest.approx(-0.5 / (1.0 / 6), rel=1e-9)
    assert motor.force == pytest.approx(0.5, rel=1e-12)
    motor.command = 0.0
    world.step()
    assert motor.force == 0.0


def test_force_on_a_slider() -> None:
    """Push along the slider's axis: v = f t / m, and both stay on it."""
    world = st.World(gravity=(0, 0, 0))
    cart = world.add_body(st.Box((1, 1, 1)), mass=4.0)
    slider = world.add_joint(st.Slider((0, 0, 0), (1, 0, 0)), None, cart)
    push = world.add_actuator(st.TorqueActuator(slider, limit=6.0), name="push")
    push.command = 100.0
    world.step(50)
    assert cart.velocity == pytest.approx((6.0 * 0.5 / 4.0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("axes", ["world", "first", "second", "joint"])
def test_torque_about_axes_of_a_ball_joint(axes: str) -> None:
    """Turn a ball about any axis by a torque in the axes that were chosen, the other body the other way."""
    world = st.World(gravity=(0, 0, 0), time_step=0.001)
    turns = [st.rotation.from_euler("xyz", a) for a in ((0.3, 0.5, -0.2), (1.0, -0.4, 0.6))]
    bodies = [
        world.add_body(st.Sphere(0.5), mass=m, quaternion=q, name=str(m))
        for m, q in zip((1.0, 2.0), turns, strict=True)
    ]
    world.exclude_collision(*bodies)
    hip = world.add_joint(st.Ball((0, 0, 0)), *bodies)
    actuator = world.add_actuator(st.TorqueActuator(hip, axes=axes, limit=10.0))
    actuator.command = (0.3, -0.2, 0.5)
    world.step()
    frame = {"first": turns[0], "second": turns[1]}.get(axes, (1, 0, 0, 0))
    torque = st.rotation.rotate(frame, (0.3, -0.2, 0.5))
    for body, sign in zip(bodies, (-1, 1), strict=True):
        inertia = 0.4 * body.mass * 0.25
        assert body.angular_velocity == pytest.approx(sign * torque * 0.001 / inertia, rel=1e-9)
    assert actuator.force == pytest.approx(torque)
    actuator.command = (30.0, 0.0, 40.0)
    world.step()
    assert np.linalg.norm(actuator.force) == pytest.approx(10.0)


def test_velocity_actuator_holds_its_rate_up_to_its_limit() -> None:
    """Reach the rate as fast as the largest torque allows, then hold it exactly."""
    world, axle = wheel()
    motor = world.add_actuator(st.VelocityActuator(axle, limit=0.5))
    motor.command = 3.0
    world.step(100)
    assert axle.rate == pytest.approx(0.5 * 1.0 / INERTIA, rel=1e-9)
    assert motor.force == pytest.approx(0.5)
    world.step(60)
    assert axle.rate == pytest.approx(3.0, abs=1e-9)
    motor.enabled = False
    axle.second.apply_impulse((0, 0.1, 0), point=(1, 0, 0))
    world.step(10)
    assert axle.rate == pytest.approx(3.0 + 0.1 / INERTIA, rel=1e-9)


# ---------------------------------------------------------------- delay, lag, noise


def test_a_delay_of_100_ms_is_exact() -> None:
    """Give nothing for ten steps of 10 ms, then the command that was given 100 ms before, bit for bit."""
    world, axle = wheel()
    motor = world.add_actuator(st.TorqueActuator(axle, delay=0.1))
    given, felt = [], []
    for step in range(40):
        motor.command = 0.1 * np.sin(step)
        given.append(motor.command)
        world.step()
        felt.append(motor.force)
    assert felt[:10] == [0.0] * 10
    assert felt[10:] == given[:-10]


def test_a_delay_that_is_no_multiple_of_the_step_keeps_the_impulse() -> None:
    """Give the mean over each step of the delayed command, also where the length of steps changes."""
    delay, rng = Delay(0.034), np.random.default_rng(1)
    now, commands, means = 0.0, [], []
    for k in range(200):
        h = 0.01 if k < 100 else 0.0013
        u = float(rng.standard_normal())
        commands.append((now, now + h, u))
        means.append((now, h, delay.held(u, now, h)))
        now += h
    for start, h, mean in means:
        expected = sum(
            u * max(0.0, min(b, start + h - 0.034) - max(a, start - 0.034)) / h for a, b, u in commands
        )
        assert mean == pytest.approx(expected, abs=1e-12)


def test_a_lag_is_that_of_the_differential_equation() -> None:
    """Reach 1 - exp(-t / T) after a step of the command; the mean over each step is the exact one."""
    lag, h, total = Lag(0.05), 0.01, 0.0
    for step in range(1, 31):
        mean = lag.held(1.0, h)
        total += mean * h
        t = step * h
        assert lag._value == pytest.approx(1.0 - np.exp(-t / 0.05), abs=1e-12)
        assert total == pytest.approx(t - 0.05 * (1.0 - np.exp(-t / 0.05)), abs=1e-12)


def test_noise_of_an_actuator_is_seeded_and_limited() -> None:
    """Have the deviation that was asked for; the limit comes last."""

    def torques(**options: float) -> np.ndarray:
        world, axle = wheel()
        motor = world.add_actuator(st.TorqueActuator(axle, noise=0.2, **options), name="motor")
        found = []
        for _ in range(1500):
            world.step()
            found.append(motor.force)
        return np.array(found)

    free = torques()
    assert free.std() == pytest.approx(0.2, rel=0.08)
    assert (torques() == free).all()
    assert np.abs(torques(limit=0.1)).max() == pytest.approx(0.1, rel=1e-9)
    assert (torques(seed=1) != free).any()


# ---------------------------------------------------------------- servos


@pytest.mark.parametrize("ki", [0.0, 60.0])
def test_explicit_pid_is_that_of_a_sampled_system(ki: float) -> None:
    """Agree to rounding with the recursion: torque from the state at the start of each step, held over it."""
    h, kp, kd = 0.01, 10.0, 1.2
    world, axle = wheel(h)
    world.add_actuator(st.Servo(axle, kp=kp, ki=ki, kd=kd, target=1.0, implicit=False))
    found = angles(world, axle, 150)
    angle = rate = integral = 0.0
    last = None
    for k in range(150):
        error = 1.0 - angle
        integral += 0.0 if last is None else 0.5 * h * (last + error)
        last = error
        torque = kp * error + ki * integral - kd * rate
        angle += h * rate + 0.5 * h * h * torque / INERTIA
        rate += h * torque / INERTIA
        assert found[k + 1] == pytest.approx(angle, abs=1e-9)


@pytest.mark.parametrize(("implicit", "order"), [(False, 1), (True, 2)])
@pytest.mark.parametrize("ki", [0.0, 40.0])
def test_step_response_is_that_of_the_continuous_system(implicit: bool, order: int, ki: float) -> None:
    """Approach the step response of the continuous system: with order 1 explicit, with order 2 implicit."""
    errors = []
    for h in (0.004, 0.002):
        world, axle = wheel(h)
        world.add_actuator(st.Servo(axle, kp=10.0, ki=ki, kd=1.2, target=1.0, implicit=implicit))
        steps = round(1.2 / h)
        times = np.linspace(0.0, 1.2, steps + 1)
        errors.append(np.abs(angles(world, axle, steps) - second_order(10.0, ki, 1.2, times)).max())
    assert errors[0] < (0.03 if order == 1 else 5e-4)
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.1)


def test_implicit_servo_is_stable_where_an_explicit_one_is_not() -> None:
    """Hold an angle with kp h^2 / I = 4000 at 10 ms; the explicit one runs away with it."""
    world, axle = wheel()
    world.add_actuator(st.Servo(axle, kp=1e7, kd=1e4, target=0.5))
    world.step(100)
    assert axle.value == pytest.approx(0.5, abs=1e-6)
    world, axle = wheel()
    world.add_actuator(st.Servo(axle, kp=1e7, kd=1e4, target=0.5, implicit=False))
    with pytest.raises(st.SimulationError):
        world.step(100)


@pytest.mark.parametrize("implicit", [True, False])
def test_integral_takes_away_what_a_load_leaves(implicit: bool) -> None:
    """Stand off by load / kp without an integral, and not at all with it."""
    for ki, off in ((0.0, 0.05), (30.0, 0.0)):
        world, axle = wheel()
        world.add_actuator(st.Servo(axle, kp=20.0, ki=ki, kd=4.0, target=0.0, implicit=implicit))
        world.torques[0] = (0, 0, 1.0)
        world.step(1000)
        assert axle.value == pytest.approx(off, abs=1e-6)


@pytest.mark.parametrize("implicit", [True, False])
def test_the_integral_rests_at_the_limit(implicit: bool) -> None:
    """Come back from a target that is out of reach at once, since nothing was summed up meanwhile."""
    world, axle = wheel()
    axle.limit(upper=0.2)
    servo = world.add_actuator(
        st.Servo(axle, kp=5.0, ki=4.0, kd=2.0, target=3.0, limit=1.0, implicit=implicit)
    )
    world.step(500)
    assert axle.value == pytest.approx(0.2, abs=1e-6)
    assert servo.force == pytest.approx(1.0, rel=1e-6)
    assert servo.integral < 0.05
    servo.target = 0.0
    world.step(300)
    assert abs(axle.value) < 0.02


def test_target_is_captured_or_moves() -> None:
    """Hold the initial value; a target that moves is followed with no lag of the rate term."""
    world, axle = wheel(0.002)
    axle.second.angular_velocity = (0, 0, 2.0)
    world.step(250)
    servo = world.add_actuator(st.Servo(axle, kp=50.0, kd=5.0))
    assert servo.target == pytest.approx(1.0, abs=1e-9)
    world.step(1000)
    assert axle.value == pytest.approx(1.0, abs=1e-6)
    servo.target = 0.3
    world.step(1000)
    servo.capture()
    assert servo.target == pytest.approx(0.3, abs=1e-6)
    servo.remove()
    follow = world.add_actuator(st.Servo(axle, kp=50.0, kd=5.0, target=lambda t: 0.3 + 0.5 * (t - 4.5)))
    world.step(2000)
    assert axle.value == pytest.approx(0.3 + 0.5 * (world.time - 4.5), abs=1e-4)
    assert follow.target_rate == pytest.approx(0.5)
    assert axle.rate == pytest.approx(0.5, abs=1e-4)


def test_a_servo_with_delay_oscillates_as_its_closed_loop_says() -> None:
    """Be unstable from the delay on at which the phase of kp + kd s is used up, and stable below."""
    kp, kd = 10.0, 1.2
    # |kp + j w kd| = I w^2 at the crossover; the delay that is left there is (pi - phase of I s^2 / ...) / w
    w2 = (kd**2 + np.sqrt(kd**4 + 4 * INERTIA**2 * kp**2)) / (2 * INERTIA**2)
    w = np.sqrt(w2)
    most = np.arctan2(kd * w, kp) / w

    def amplitude(delay: float) -> float:
        world, axle = wheel(0.001)
        world.add_actuator(st.Servo(axle, kp=kp, kd=kd, target=0.1, delay=delay))
        found = angles(world, axle, 4000) - 0.1
        return float(np.abs(found[-800:]).max() / np.abs(found[800:1600]).max())

    assert amplitude(0.9 * most) < 1.0 < amplitude(1.1 * most)


def test_joint_that_broke_feels_nothing_and_its_actuators_go_with_it() -> None:
    """Leave a broken joint alone; take the actuator out of the world when its joint is removed."""
    world, axle = wheel()
    motor = world.add_actuator(st.TorqueActuator(axle), name="motor")
    motor.command = 1.0
    axle.enabled = False
    world.step(10)
    assert axle.second.angular_velocity[2] == 0.0
    for number in range(1, 4):
        axle.enabled = True
        world.step(10)
        assert axle.second.angular_velocity[2] == pytest.approx(number * 0.1 / INERTIA)
        axle.enabled = False
        motor.command = 1.0
        world.step(10)
        assert motor.force == 0.0
        motor.enabled = False
        world.step(2)
        motor.enabled = True
    world.remove_joint(axle)
    world.step()
    assert world.actuators == {} and motor.world is None


def test_actuator_wakes_who_sleeps() -> None:
    """Wake the island of its joint when its command changes, not before."""
    world = st.World(settings=st.Settings(sleeping=True))
    world.add_body(st.HalfSpace(), kind="static")
    arm = world.add_body(st.Box((1, 0.2, 0.2)), position=(0, 0, 0.1), mass=1.0)
    pin = world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, arm)
    motor = world.add_actuator(st.TorqueActuator(pin))
    world.step(300)
    assert arm.asleep
    motor.command = 50.0
    world.step()
    assert not arm.asleep and pin.rate > 0.0


# ---------------------------------------------------------------- wrong values


def test_wrong_actuators_are_refused() -> None:
    """Name argument, value and cure, and add nothing."""
    world, axle = wheel()
    ball = world.add_joint(
        st.Ball((0, 0, 0)), None, world.add_body(st.Sphere(0.1), position=(5, 0, 0), mass=1.0)
    )
    with pytest.raises(ValueError, match="was left out, but there are"):
        st.TorqueActuator(ball)
    with pytest.raises(ValueError, match="give one of them"):
        st.TorqueActuator(ball, "twist", axes="world")
    with pytest.raises(ValueError, match="axes"):
        st.TorqueActuator(ball, axes="parent")
    with pytest.raises(ValueError, match="limit = -1"):
        st.TorqueActuator(axle, limit=-1.0)
    with pytest.raises(ValueError, match="limit = .* with 0 between"):
        st.TorqueActuator(axle, limit=(1.0, 2.0))
    with pytest.raises(ValueError, match="noise = -0.1"):
        st.TorqueActuator(axle, noise=-0.1)
    with pytest.raises(ValueError, match="give implicit=False"):
        st.Servo(axle, kp=1.0, delay=0.1, implicit=True)
    with pytest.raises(ValueError, match="needs one of them"):
        st.Servo(axle, kp=0.0)
    with pytest.raises(ValueError, match="kp = -1"):
        st.Servo(axle, kp=-1.0)
    with pytest.raises(ValueError, match="ki = 2 needs kp"):
        st.Servo(axle, kp=0.0, ki=2.0, kd=1.0)
    with pytest.raises(ValueError, match="target = 'intial'"):
        st.Servo(axle, kp=1.0, target="intial")
    motor = world.add_actuator(st.TorqueActuator(axle))
    with pytest.raises(ValueError, match="command = nan"):
        motor.command = np.nan
    with pytest.raises(AttributeError, match="no attribute comand"):
        motor.comand = 1.0
    about = world.add_actuator(st.TorqueActuator(ball, axes="world"))
    with pytest.raises(ValueError, match="command"):
        about.command = 1.0


def test_one_sided_limits() -> None:
    """Push no more than one bound and pull no more than the other, as a cable does."""
    world, axle = wheel()
    motor = world.add_actuator(st.TorqueActuator(axle, limit=(0.0, 0.5)))
    motor.command = -2.0
    world.step()
    assert motor.force == 0.0
    motor.command = 2.0
    world.step()
    assert motor.force == pytest.approx(0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda joint: st.Servo(joint, kp=50.0, kd=5.0, ki=20.0, target=0.5),
        lambda joint: st.Servo(joint, kp=50.0, kd=5.0, target=0.5, implicit=False),
        lambda joint: st.VelocityActuator(joint, limit=3.0),
        lambda joint: st.TorqueActuator(joint),
    ],
)
def test_a_state_is_taken_by_a_world_that_was_built_anew(make):
    """Go on to the bit where the other world does, by the rows that the state has, and by no others."""

    def built():
        world = st.World()
        rod = world.add_body(st.Box((1, 0.1, 0.1)), position=(0.5, 0, 0), name="rod")
        joint = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), rod, name="joint")
        world.add_actuator(make(joint), name="act")
        return world

    world, twin, other = built(), built(), built()
    world.actuators["act"].command = 0.7
    world.step(20)
    other.step(7)
    state = world.save()
    for one in (world, twin, other):
        one.restore(state)
        one.step(20)
        assert len(one.joint("joint").drives) == len(world.joint("joint").drives)
        assert one.state_hash() == world.state_hash()
    before = built().save()
    for one in (world, twin):
        one.restore(before)
        one.step(20)
    fresh = built()
    fresh.step(20)
    assert world.state_hash() == twin.state_hash() == fresh.state_hash()
