"""Controllers: order, rate, state in copies, snapshots and undone steps, and what goes wrong in them."""

import pickle
from typing import Any

import numpy as np
import pytest

import stoss as st


def pendulum(time_step: float = 0.01) -> tuple[st.World, st.Joint]:
    """A rod on a hinge."""
    world = st.World(time_step=time_step)
    rod = world.add_body(st.Box((0.1, 0.1, 1)), position=(0, 0, -0.5), mass=1.0, name="rod")
    return world, world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rod, name="pin")


class Gains:
    """A part of a controller: a plain object of the user's."""

    def __init__(self) -> None:
        self.integral = 0.0


class Noisy(st.Controller):
    """A controller with all kinds of state."""

    def __init__(self, encoder: st.Encoder) -> None:
        self.encoder = encoder
        self.angles: list[float] = []
        self.gains = Gains()
        self.random = np.random.default_rng(3)
        self.window = np.zeros(4)
        self.mode = "start"
        self.last: Any = None

    def sense(self, world: st.World) -> None:
        self.last = self.encoder.read()

    def update(self, time: float, period: float) -> float:
        self.angles.append(self.last.value)
        self.gains.integral += period * self.last.value
        self.window = np.append(self.window[1:], self.last.rate)
        self.mode = "late" if time > 0.5 else "early"
        return float(-2.0 * self.gains.integral - self.window.mean() + 0.1 * self.random.standard_normal())


def noisy_world() -> st.World:
    """A pendulum with a controller, an actuator with delay, lag and noise, and sensors with state."""
    world, pin = pendulum()
    encoder = world.add_sensor(st.Encoder(pin, delay=0.03, lag=0.02, noise=0.01), name="encoder")
    world.add_sensor(st.Imu(pin.second, acceleration_noise=0.1), name="imu")
    motor = world.add_actuator(st.TorqueActuator(pin, delay=0.025, lag=0.01, noise=0.05), name="motor")
    world.add_actuator(st.Servo(pin, kp=3.0, ki=1.0, kd=0.1, target=0.4, limit=2.0), name="servo")
    world.add_controller(Noisy(encoder), rate=50, actuators=motor, name="noisy")
    return world


def figures(world: st.World) -> tuple[Any, ...]:
    """All that two runs have to agree on."""
    noisy: Any = world.controllers["noisy"]
    return (
        world.state_hash(),
        tuple(noisy.angles),
        noisy.gains.integral,
        noisy.random.bit_generator.state["state"]["state"],
        tuple(noisy.window),
        noisy.mode,
        world.sensors["encoder"].read(),
        tuple(world.sensors["imu"].read().acceleration),
        world.actuators["servo"].integral,
    )


# ---------------------------------------------------------------- order and rate


def test_order_is_sense_think_act_step_events() -> None:
    """Call in that order, all controllers sensing before any updates, each in the order of adding."""
    calls: list[str] = []

    class Spy(st.Controller):
        def __init__(self, name: str) -> None:
            self.name = name

        def sense(self, world: st.World) -> None:
            calls.append(f"{self.name} senses")

        def update(self, time: float, period: float) -> None:
            calls.append(f"{self.name} updates")

    world, pin = pendulum()
    world.before_step.append(lambda w: calls.append("before"))
    world.after_step.append(lambda w: calls.append("after"))
    world.at(0.0, lambda w: calls.append("at"))
    world.add_controller(Spy("a"))
    world.add_controller(Spy("b"))
    servo = world.add_actuator(st.Servo(pin, kp=1.0, target=lambda t: calls.append("acts") or 0.0))
    pin.limit(upper=0.0)
    world.on("joint_at_stop", lambda e: calls.append("event"))
    pin.second.angular_velocity = (0, 1, 0)
    world.step()
    acts = ["acts"] * 3
    expected = ["before", "at", "a senses", "b senses", "a updates", "b updates", *acts]
    assert calls[: len(expected)] == expected and calls[-1] == "after"
    assert servo.target == 0.0


@pytest.mark.parametrize(("rate", "steps"), [(None, 1), (100, 1), (50, 2), (12.5, 8)])
def test_controllers_have_a_rate_of_their_own(rate: float | None, steps: int) -> None:
    """Update every so many steps, beginning with the first, and tell the period."""
    times = []

    class Watch(st.Controller):
        def update(self, time: float, period: float) -> None:
            times.append(time)
            assert period == self.period == pytest.approx(steps * 0.01)

    world, _ = pendulum()
    watch = world.add_controller(Watch(), rate=rate)
    assert watch.period == pytest.approx(0.01 * steps)
    world.step(40)
    assert times == pytest.approx(np.arange(0, 0.4 - 1e-9, steps * 0.01))


def test_a_rate_that_is_no_whole_number_of_steps_is_told() -> None:
    """Warn of the period that comes out, and refuse what is faster than the steps."""
    world, _ = pendulum()
    with pytest.warns(UserWarning, match="every 2 steps, 50 times a second"):
        watch = world.add_controller(lambda w: None, rate=60, name="odd")
    assert world.controllers["odd"].period == 0.02
    with pytest.raises(ValueError, match="at most 100"):
        world.add_controller(lambda w: None, rate=1000)
    world.remove_controller(watch)
    assert world.controllers == {}


def test_changing_the_step_keeps_the_rate() -> None:
    """Update at the same rate after the step has changed, from the next update on."""
    times = []
    world, _ = pendulum()
    world.add_controller(lambda w: times.append(w.time), rate=10)
    world.step(15)
    world.time_step = 0.001
    world.step(400)
    assert np.diff(times)[2:] == pytest.approx(np.full(len(times) - 3, 0.1), abs=1e-9)


# ---------------------------------------------------------------- the same bits


def test_two_runs_have_the_same_bits() -> None:
    """Agree in all, noise of controllers, sensors and actuators included, however the run is split."""
    first, second = noisy_world(), noisy_world()
    first.step(90)
    for _ in range(30):
        second.step(3)
    assert figures(first) == figures(second)
    assert len(first.controllers["noisy"].angles) == 45


def test_snapshot_returns_the_state_of_all() -> None:
    """Go on from a snapshot to the same bits, in the same world, again and again."""
    world = noisy_world()
    world.step(37)
    saved = world.save()
    world.step(50)
    expected = figures(world)
    for _ in range(2):
        world.restore(saved)
        world.step(50)
        assert figures(world) == expected


def test_snapshot_in_a_file_returns_the_state_in_another_world(tmp_path: Any) -> None:
    """Go on from a file in a world that was built alike, to the same bits; handles are those of the names."""
    world = noisy_world()
    world.step(37)
    world.save().write(tmp_path / "world.npz")
    world.step(50)
    other = noisy_world()
    other.step(3)
    other.restore(st.Snapshot.read(tmp_path / "world.npz"))
    other.step(50)
    assert figures(other) == figures(world)


def test_restoring_warns_of_what_is_not_there() -> None:
    """Warn of the state of what this world does not have; let a controller without state begin anew."""

    class Count(st.Controller):
        def reset(self) -> None:
            self.count = 0

        def update(self, time: float, period: float) -> None:
            self.count += 1

    world = noisy_world()
    world.step(5)
    saved = world.save()
    count = world.add_controller(Count())
    world.step(5)
    assert count.count == 5
    world.restore(saved)
    assert count.count == 0
    world.sensors["imu"].remove()
    with pytest.warns(UserWarning, match="sensor imu"):
        world.restore(saved)


@pytest.mark.parametrize("way", ["copy", "pickle"])
def test_copies_have_controllers_of_their_own(way: str) -> None:
    """Go on alike and apart: what a copy does changes nothing here."""
    world = noisy_world()
    world.step(23)
    twin = world.copy() if way == "copy" else pickle.loads(pickle.dumps(world))
    at = figures(world)
    twin.step(40)
    assert figures(world) == at
    world.step(40)
    assert figures(world) == figures(twin)
    noisy: Any = twin.controllers["noisy"]
    assert noisy is not world.controllers["noisy"] and noisy.encoder is twin.sensors["encoder"]
    assert twin.actuators["motor"].joint is twin.joint("pin")


def test_copies_without_callbacks_are_for_looking_ahead() -> None:
    """Leave controllers out, keep sensors and actuators: so a controller can try what comes of a command."""
    seen = []

    class Ahead(st.Controller):
        def sense(self, world: st.World) -> None:
            twin = world.copy(callbacks=False)
            twin.actuators["motor"].command = 1.0
            twin.step(5)
            seen.append((twin.sensors["encoder"].read().value, len(twin.controllers)))

        def update(self, time: float, period: float) -> float:
            return 1.0

    world, pin = pendulum()
    encoder = world.add_sensor(st.Encoder(pin), name="encoder")
    motor = world.add_actuator(st.TorqueActuator(pin), name="motor")
    world.add_controller(Ahead(), actuators=motor)
    values = []
    for _ in range(10):
        world.step()
        values.append(encoder.read().value)
    assert [value for value, _ in seen[:6]] == values[4:]
    assert {count for _, count in seen} == {0}


def test_what_is_named_is_no_state() -> None:
    """Leave attributes alone that a controller names in `not_state`."""

    class Logger(st.Controller):
        not_state = ("log",)

        def __init__(self) -> None:
            self.log: list[float] = []
            self.count = 0

        def update(self, time: float, period: float) -> None:
            self.log.append(time)
            self.count += 1

    world, _ = pendulum()
    logger = world.add_controller(Logger())
    world.step(3)
    saved = world.save()
    world.step(2)
    world.restore(saved)
    assert (logger.count, len(logger.log)) == (3, 5)


# ---------------------------------------------------------------- what goes wrong


def failing(world: st.World, what: Any) -> st.ControlError:
    """Step with a controller that fails in the third step, and return the error."""
    motor = world.actuators["motor"]

    class Failing(st.Controller):
        def __init__(self) -> None:
            self.count = 0

        def update(self, time: float, period: float) -> Any:
            self.count += 1
            if self.count < 3:
                return 0.1
            return what() if callable(what) else what

    failing = world.add_controller(Failing(), actuators=motor, name="failing")
    world.step(2)
    good = figures(world), failing.count
    with pytest.raises(st.ControlError) as caught:
        world.step()
    assert (figures(world), failing.count) == good
    world.remove_controller(failing)
    twin = world.copy()
    world.step(5)
    twin.step(5)
    assert figures(world) == figures(twin)
    return caught.value


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda: 1 / 0, "update raised ZeroDivisionError: division by zero"),
        (float("nan"), "update returned nan for actuator 'motor'"),
        ([1.0, 2.0], r"update returned .*; give 1 command"),
        ("fast", "update returned 'fast'"),
    ],
)
def test_a_controller_that_fails_is_named_and_the_last_good_state_kept(what: Any, message: str) -> None:
    """Name controller and step, and leave the world and the state of all as they were before the step."""
    error = failing(noisy_world(), what)
    assert (error.name, error.step) == ("failing", 3)
    assert pickle.loads(pickle.dumps(error)).step == 3
    with pytest.raises(
        st.ControlError, match=rf"controller 'failing', step 3 \(from t = 0.02 s\): {message}"
    ):
        raise error


def test_a_step_that_cannot_be_made_takes_controllers_back() -> None:
    """Return controllers, sensors and actuators to the start of a step in which a body runs away."""
    world = noisy_world()
    world.add_body(st.Sphere(0.1), position=(9, 0, 0), mass=1.0, name="stone")
    world.step(10)
    at = figures(world)

    def kick(world: st.World) -> None:
        world.body("stone").velocity = (1e12, 0, 0)

    world.at(0.1, kick)
    with pytest.raises(st.SimulationError):
        world.step()
    assert figures(world) == at
    with pytest.raises(st.SimulationError):  # it is due again
        world.step()


def test_wrong_controllers_are_refused() -> None:
    """Name argument, value and cure, and add nothing."""
    world, pin = pendulum()
    motor = st.TorqueActuator(pin)
    with pytest.raises(TypeError, match="must be a Controller, or a function"):
        world.add_controller(motor)
    with pytest.raises(TypeError, match="has no update"):
        world.add_controller(st.Controller())
    with pytest.raises(ValueError, match=r"world.add_actuator\(it\)"):
        world.add_controller(lambda w: 0.0, actuators=[motor])
    with pytest.raises(ValueError, match="rate = 0"):
        world.add_controller(lambda w: 0.0, rate=0)
    with pytest.raises(ValueError, match="is not in this world"):
        world.remove_controller("nobody")
    assert world.controllers == {}
    world.add_controller(lambda w: 1.0)
    with pytest.raises(st.ControlError, match=r"without actuators; add it with actuators=\[...\]"):
        world.step()
    assert world.step_count == 0


def test_worlds_without_control_have_none() -> None:
    """Have nothing to call and nothing in the snapshot."""
    world, _ = pendulum()
    world.step()
    assert world._control is None and world.save().control is None
    assert world.sensors == world.actuators == world.controllers == {}


def test_what_an_actuator_gave_goes_with_it_in_a_snapshot() -> None:
    """Leave no torque behind where a snapshot is restored in a world without the actuators that it knew."""
    world, pin = pendulum()
    world.add_actuator(st.TorqueActuator(pin), name="motor").command = 1.0
    world.add_actuator(st.Servo(pin, kp=1.0), name="servo")
    world.step(3)
    saved = world.save()
    bare, _ = pendulum()
    with pytest.warns(UserWarning, match="actuator motor, actuator servo"):
        bare.restore(saved)
    assert bare.loads == [] and bare.joint("pin").drives == []
    motor = bare.add_actuator(st.TorqueActuator(bare.joint("pin")), name="motor")
    bare.step()
    assert len(bare.loads) == 1 and motor.force == 0.0
    world.restore(saved)
    world.step()
    assert len(world.loads) == 1 and len(pin.drives) == 1
