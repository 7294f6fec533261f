"""Sensors against closed forms: encoder, IMU, contact sensor, force plate, rays; delay, lag and noise."""

import numpy as np
import pytest

import stoss as st

G = 9.81


def on_ground(**material: float) -> tuple[st.World, st.Body]:
    """A world with a ground."""
    world = st.World()
    ground = world.add_body(st.HalfSpace(), kind="static", name="ground", material=st.Material(**material))
    return world, ground


def wheel(time_step: float = 0.01) -> tuple[st.World, st.Joint]:
    """A wheel on a vertical axle, without gravity."""
    world = st.World(gravity=(0, 0, 0), time_step=time_step)
    body = world.add_body(st.Cylinder(0.5, 0.1), mass=2.0, name="wheel")
    return world, world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, body, name="axle")


# ---------------------------------------------------------------- IMU


def test_imu_at_rest_feels_the_floor() -> None:
    """Read 9.81 upward at rest, before the first step and after it, in the frame of the marker."""
    world, _ = on_ground()
    box = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 0.5), mass=3.0)
    turn = st.rotation.from_euler("xyz", (0.4, -0.7, 1.1))
    imu = world.add_sensor(st.Imu(world.add_marker("imu", box, position=(0.3, 0.2, 0.4), quaternion=turn)))
    up = st.rotation.rotate(st.rotation.inverse(turn), (0, 0, G))
    assert imu.read().acceleration == pytest.approx(up, abs=1e-12)
    world.step(50)
    assert imu.read().acceleration == pytest.approx(up, abs=1e-8)
    assert imu.read().angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)


def test_imu_in_free_fall_feels_nothing() -> None:
    """Read zero at the centre of mass in free fall, and the spin in the body's own frame."""
    world = st.World()
    ball = world.add_body(st.Sphere(0.2), mass=1.0, velocity=(1, 2, 3), angular_velocity=(0, 3, 0))
    imu = world.add_sensor(st.Imu(ball))
    world.step(100)
    assert imu.read().acceleration == pytest.approx(np.zeros(3), abs=1e-10)
    assert imu.read().angular_velocity == pytest.approx((0, 3, 0), abs=1e-12)


@pytest.mark.parametrize("time_step", [0.01, 0.002])
def test_imu_on_a_turntable_feels_the_way_round(time_step: float) -> None:
    """Read the centripetal acceleration of a chord, w^2 r sinc(w h / 2) to the axle, and 9.81 upward."""
    world = st.World(time_step=time_step)
    rate, radius = 4.0, 0.8
    table = world.add_body(st.Cylinder(1.0, 0.1), kind="kinematic", angular_velocity=(0, 0, rate))
    imu = world.add_sensor(st.Imu(world.add_marker("rim", table, position=(radius, 0, 0))))
    world.step(37)
    half = 0.5 * rate * time_step
    expected = (-(rate**2) * radius * np.sin(half) / half, 0, G)
    assert imu.read().acceleration == pytest.approx(expected, abs=1e-9)
    assert imu.read().angular_velocity == pytest.approx((0, 0, rate), abs=1e-12)


def test_imu_feels_as_much_as_the_velocity_changes() -> None:
    """Add up to the change of velocity over an impact: what it tells is the mean over each step."""
    world, _ = on_ground(restitution=0.7)
    ball = world.add_body(st.Sphere(0.2), position=(0, 0, 1), mass=1.0, material=st.Material(restitution=0.7))
    imu = world.add_sensor(st.Imu(ball))
    total = 0.0
    for _ in range(60):
        world.step()
        total += world.time_step * (imu.read().acceleration[2] - G)
    assert total == pytest.approx(ball.velocity[2], abs=1e-9)
    assert ball.velocity[2] > 0.0


# ---------------------------------------------------------------- encoder, and signals


def test_encoder_counts_turns_on() -> None:
    """Read the angle over full turns and the rate, as the joint does."""
    world, axle = wheel()
    axle.second.angular_velocity = (0, 0, 5.0)
    encoder = world.add_sensor(st.Encoder(axle, "angle"), name="encoder")
    world.step(400)
    assert encoder.read() == pytest.approx((20.0, 5.0), abs=1e-8)
    assert encoder.read() == (axle.value, axle.rate)
    assert world.sensors["encoder"] is encoder


@pytest.mark.parametrize("delay", [0.1, 0.025])
def test_encoder_comes_late(delay: float) -> None:
    """Read what was true a delay ago, between two samples the value on the line between them."""
    world, axle = wheel()
    axle.second.angular_velocity = (0, 0, 2.0)
    encoder = world.add_sensor(st.Encoder(axle, delay=delay))
    assert encoder.read().value == 0.0
    world.step(3)
    assert encoder.read().value == pytest.approx(max(0.0, 2.0 * (0.03 - delay)), abs=1e-9)
    world.step(50)
    assert encoder.read().value == pytest.approx(2.0 * (0.53 - delay), abs=1e-9)


def test_encoder_lags() -> None:
    """Follow a ramp with the time constant behind it, as a first-order lag of the samples does."""
    world, axle = wheel()
    axle.second.angular_velocity = (0, 0, 2.0)
    encoder = world.add_sensor(st.Encoder(axle, lag=0.05))
    expected = 0.0
    for step in range(1, 41):
        world.step()
        expected += (1.0 - np.exp(-0.01 / 0.05)) * (0.02 * step - expected)
    assert encoder.read().value == pytest.approx(expected, abs=1e-9)


def test_noise_is_normal_and_the_same_in_each_run() -> None:
    """Have the deviation that was asked for, on the value alone, other numbers for other names and seeds."""

    def readings(name: str, seed: int | None = None) -> np.ndarray:
        world, axle = wheel()
        encoder = world.add_sensor(st.Encoder(axle, noise=0.1, seed=seed), name=name)
        found = []
        for _ in range(2000):
            world.step()
            found.append(encoder.read())
        return np.array(found)

    first = readings("a")
    assert first[:, 0].std() == pytest.approx(0.1, rel=0.06)  # 4 standard errors
    assert abs(first[:, 0].mean()) < 4 * 0.1 / np.sqrt(2000)
    assert (first[:, 1] == 0.0).all()
    assert (readings("a") == first).all()
    assert (readings("b") != first).any() and (readings("a", seed=5) != first).any()


# ---------------------------------------------------------------- contacts


def test_force_plate_weighs_a_stack_at_rest() -> None:
    """Read the weight of all that stands on it, to 1e-9 of it, and the same from one body of the stack."""
    world, ground = on_ground()
    plate = world.add_body(st.Box((2, 2, 0.1)), kind="static", position=(0, 0, 0.05), name="plate")
    boxes = [
        world.add_body(st.Box((1, 1, 1)), position=(0.1 * i, 0, 0.6 + i), mass=1.0 + i) for i in range(5)
    ]
    sensor = world.add_sensor(st.ForcePlate(plate))
    on_lowest = world.add_sensor(st.ForcePlate(boxes[0], boxes[1]))
    nothing = world.add_sensor(st.ForcePlate(ground))
    world.step(200)
    weight = 15 * G
    assert sensor.read().force == pytest.approx((0, 0, weight), abs=1e-9 * weight)
    assert on_lowest.read().force[2] == pytest.approx(14 * G, rel=1e-9)
    assert (nothing.read().force == 0.0).all() and np.isnan(nothing.read().center_of_pressure).all()


def test_center_of_pressure_is_below_the_center_of_mass_at_rest() -> None:
    """Find the foot of the plumb line of a box that stands off the middle, in the frame of a turned plate."""
    world = st.World()
    turn = st.rotation.from_euler("xyz", (0, 0, 0.7))
    plate = world.add_body(
        st.Box((2, 2, 0.1)), kind="static", position=(3, -1, 0.35), quaternion=turn, name="plate"
    )
    top = world.add_marker("top", plate, position=(0, 0, 0.05))
    box = world.add_body(st.Box((0.4, 0.3, 0.2)), position=(3.3, -0.8, 0.5), mass=4.0)
    sensor = world.add_sensor(st.ForcePlate(plate, frame=top))
    world.step(100)
    reading = sensor.read()
    assert reading.force == pytest.approx((0, 0, 4 * G), abs=1e-7)
    place = st.rotation.rotate(st.rotation.inverse(turn), box.position - top.position)[:2]
    assert reading.center_of_pressure == pytest.approx(place, abs=1e-7)
    assert reading.moment[:2] == pytest.approx((place[1] * 4 * G, -place[0] * 4 * G), abs=1e-6)
    assert reading.free_moment == pytest.approx(0.0, abs=1e-7)


def test_ground_reaction_is_what_the_momentum_says() -> None:
    """Agree in each step with the change of momentum, less gravity, of a box that tumbles over the ground."""
    world, ground = on_ground(friction=0.5, restitution=0.4)
    turn = st.rotation.from_euler("xyz", (0.3, 0.2, 0.1))
    box = world.add_body(
        st.Box((1, 0.6, 0.4)), position=(0, 0, 1.0), quaternion=turn, velocity=(1, 0, 0), mass=2.0
    )
    sensor = world.add_sensor(st.ForcePlate(ground, box))
    touched = 0
    for _ in range(150):
        before = box.velocity.copy()
        world.step()
        felt = 2.0 * ((box.velocity - before) / world.time_step - world.gravity)
        assert sensor.read().force == pytest.approx(felt, abs=1e-8 * max(1.0, np.abs(felt).max()))
        touched += sensor.read().force[2] > 0.0
    assert touched > 10


def test_contact_sensor_tells_sliding_from_sticking() -> None:
    """Tell "slip" with speed and friction while a box slides, "stick" when it has stopped, "none" above."""
    world, _ = on_ground(friction=0.4)
    rubber = st.Material(friction=0.4)
    box = world.add_body(
        st.Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(2, 0, 0), mass=1.0, material=rubber
    )
    flying = world.add_body(st.Sphere(0.1), position=(0, 5, 3), mass=1.0)
    sensor, air = world.add_sensor(st.ContactSensor(box)), world.add_sensor(st.ContactSensor(flying))
    world.step(20)
    reading = sensor.read()
    assert set(reading.states) == {"slip"} and len(reading.states) == 4
    assert reading.slip_speed == pytest.approx(np.full(4, 2 - 0.4 * G * 0.2), abs=1e-6)
    assert reading.normal_force.sum() == pytest.approx(G, rel=1e-8)
    assert reading.force.sum(axis=0) == pytest.approx((-0.4 * G, 0, G), abs=1e-7)
    assert air.read().states == () and not air.read().touches
    world.step(60)
    assert set(sensor.read().states) == {"stick"} and sensor.read().touches
    assert sensor.read().slip_speed == pytest.approx(np.zeros(4), abs=1e-9)


def test_contact_sensor_has_an_entry_for_each_marker() -> None:
    """Give forces to the nearest of the points of a foot, whichever touch: one entry for each, in order."""
    world, _ = on_ground()
    foot = world.add_body(
        [st.Placed(st.Sphere(0.05), (-0.1, 0, 0)), st.Placed(st.Sphere(0.05), (0.2, 0, 0))],
        position=(0, 0, 0.05),
        mass=1.0,
        name="foot",
    )
    world.add_joint(st.Planar((0, 0, 0), (0, 1, 0)), None, foot)
    heel = world.add_marker("heel", foot, position=(-0.1, 0, -0.05))
    toe = world.add_marker("toe", foot, position=(0.2, 0, -0.05))
    knee = world.add_marker("knee", foot, position=(0, 0, 0.4))
    sensor = world.add_sensor(st.ContactSensor(foot, markers=[knee, heel, toe], reach=0.05))
    world.step(100)
    reading = sensor.read()
    assert reading.states == ("none", "stick", "stick")
    center = foot.center_of_mass[0] - foot.position[0]
    on_toe = G * (center + 0.1) / 0.3
    assert reading.normal_force == pytest.approx((0, G - on_toe, on_toe), abs=1e-7)


def test_contact_sensor_knows_belts() -> None:
    """Tell no slip of a box that is carried by a belt, whose surface moves and whose body does not."""
    world = st.World()
    belt = world.add_body(st.Box((10, 1, 0.2)), kind="static", name="belt")
    belt.surface_velocity = (0.5, 0, 0)
    box = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.2), mass=1.0)
    sensor = world.add_sensor(st.ContactSensor(box))
    world.step(5)
    assert set(sensor.read().states) == {"slip"}
    world.step(100)
    assert box.velocity[0] == pytest.approx(0.5, abs=1e-6)
    assert set(sensor.read().states) == {"stick"}


# ---------------------------------------------------------------- rays


def test_rays_measure_distances_in_the_frame_of_the_marker() -> None:
    """Measure to walls along turned rays, not to the own body, and nothing beyond their reach."""
    world = st.World(gravity=(0, 0, 0))
    robot = world.add_body(st.Box((0.4, 0.4, 0.4)), position=(1, 0, 0), mass=1.0)
    wall = world.add_body(st.Box((0.2, 10, 10)), kind="static", position=(3.1, 0, 0), name="wall")
    far = world.add_body(st.Sphere(1.0), kind="static", position=(1, 40, 0), name="far")
    quarter = st.rotation.from_euler("xyz", (0, 0, np.pi / 2))
    eye = world.add_marker("eye", robot, position=(0.1, 0, 0), quaternion=quarter)
    sensor = world.add_sensor(
        st.RaySensor(eye, [(0, -1, 0), (0, -1, 1), (1, 0, 0), (-1, 0, 0)], max_distance=30)
    )
    reading = sensor.read()
    assert reading.distances == pytest.approx((1.9, 1.9 * np.sqrt(2), np.inf, np.inf))
    assert reading.bodies.tolist() == [wall.index, wall.index, -1, -1]
    assert reading.points[0] == pytest.approx((3, 0, 0))
    assert far.index not in reading.bodies
    robot.position = (2, 0, 0)
    assert sensor.read().distances[0] == pytest.approx(0.9)


# ---------------------------------------------------------------- wrong values


def test_wrong_sensors_are_refused() -> None:
    """Name argument, value and cure, and add nothing."""
    world, axle = wheel()
    other, _ = wheel()
    body = axle.second
    with pytest.raises(TypeError, match="joint = .* must be a Joint"):
        st.Encoder(body)
    with pytest.raises(ValueError, match="there are 'angle'"):
        st.Encoder(axle, "angel")
    with pytest.raises(ValueError, match="delay = -1"):
        st.Encoder(axle, delay=-1.0)
    with pytest.raises(ValueError, match="noise"):
        st.Encoder(axle, noise=(1.0, 2.0, 3.0))
    with pytest.raises(TypeError, match="at = .* must be a Marker or a Body"):
        st.Imu(axle)
    with pytest.raises(ValueError, match="no marker of"):
        st.ContactSensor(body, markers=[world.add_marker("fixed")])
    with pytest.raises(ValueError, match="above zero"):
        st.RaySensor(body, [(1, 0, 0), (0, 0, 0)])
    with pytest.raises(ValueError, match=r"world.add_sensor\(it\)"):
        st.Imu(body).read()
    with pytest.raises(ValueError, match="is not in this world"):
        other.add_sensor(st.Imu(body))
    with pytest.raises(TypeError, match="sensor = .* must be a Sensor"):
        world.add_sensor(body)
    imu = world.add_sensor(st.Imu(body), name="imu")
    with pytest.raises(ValueError, match="in a world already"):
        world.add_sensor(imu)
    with pytest.raises(ValueError, match="'imu' is taken"):
        world.add_sensor(st.Imu(body), name="imu")
    assert list(world.sensors) == ["imu"]


def test_sensors_go_with_what_they_are_at() -> None:
    """Take a sensor out of the world with its body, or by its own `remove`."""
    world, axle = wheel()
    world.add_sensor(st.Imu(axle.second), name="imu")
    encoder = world.add_sensor(st.Encoder(axle), name="encoder")
    encoder.remove()
    assert list(world.sensors) == ["imu"] and encoder.world is None
    world.add_sensor(encoder, name="again")
    world.remove_body(axle.second)
    world.step()
    assert world.sensors == {}
