"""What can be observed of a world: the numbers that its handles and reports tell, with names and units."""

import dataclasses

import numpy as np
import pytest

import stoss as st
from stoss.engine.recording.observable import Observable, named_with_unit
from stoss.engine.recording.observer import Observer


def arm_world(solver: str = "auto") -> st.World:
    """Return a world with a driven arm of two links, markers, a pile of two boxes and a kinematic plate."""
    world = st.World(time_step=0.005, settings=st.Settings(solver=solver))
    world.add_body(st.HalfSpace(), kind="static", name="floor", material=st.Material(friction=0.4))
    upper = world.add_body(
        st.Placed(st.Box((0.2, 0.1, 0.1)), (0.1, 0, 0)), position=(0, 0, 1), mass=2.0, name="upper"
    )
    lower = world.add_body(
        st.Placed(st.Box((0.2, 0.1, 0.1)), (0.1, 0, 0)), position=(0.2, 0, 1), mass=1.0, name="lower"
    )
    shoulder = world.add_joint(st.Hinge((0, 0, 1), (0, 1, 0)), None, upper, name="shoulder")
    elbow = world.add_joint(st.Hinge((0.2, 0, 1), (0, 1, 0)), upper, lower, name="elbow")
    world.exclude_collision(upper, lower)
    shoulder.motor(2.0 * np.pi, max_force=500.0)
    elbow.servo(0.3, stiffness=50.0, damping=2.0)
    elbow.limit(-1.0, 1.0)
    turn = st.rotation.from_axis_angle((0, 0, 1), 0.4)
    world.add_marker("tip", lower, position=(0.2, 0, 0), quaternion=turn)
    world.add_marker("home", position=(1, 2, 3))
    rough = st.Material(friction=0.5)
    world.add_body(
        st.Box((0.4, 0.4, 0.4)), position=(3, 0, 0.2), velocity=(1, 0, 0), name="box", material=rough
    )
    world.add_body(
        st.Box((0.2, 0.2, 0.2)), position=(3, 0, 0.5), velocity=(1, 0, 0), name="lid", material=rough
    )
    return world


def values(world: st.World, *channels: str, **functions) -> dict[str, float]:
    """Return the present values of channels by column."""
    observer = Observer(world, channels, functions)
    return dict(zip((column.name for column in observer.columns), observer.read().tolist(), strict=True))


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_handles_and_report_tell_the_same(solver):
    """Read of bodies, markers, joints, drives, energies and ledger what their handles give."""
    world = arm_world(solver)
    report = world.step(37)
    seen = Observer(world, ["*"])
    found = dict(zip((column.name for column in seen.columns), seen.read().tolist(), strict=True))

    def same(name: str, expected, rtol=1e-13) -> None:
        expected = np.atleast_1d(expected)
        if len(expected) == 1:
            np.testing.assert_allclose(found.pop(name), expected[0], rtol, 1e-13, err_msg=name)
            return
        for letter, number in zip("wxyz" if len(expected) == 4 else "xyz", expected, strict=True):
            np.testing.assert_allclose(found.pop(f"{name}.{letter}"), number, rtol, 1e-13, err_msg=name)

    for body in world.bodies:
        rows = [body.contact_force] if hasattr(body, "contact_force") else []
        total = np.zeros(3)
        for contact in world.contacts:
            if body in contact.bodies:
                total += contact.impulse * (1.0 if body is contact.first else -1.0)
        same(f"body.{body.name}.contact_force", rows[0] if rows else total / world.time_step)
        if body.kind == "static":
            continue
        same(f"body.{body.name}.position", body.position)
        same(f"body.{body.name}.orientation", body.quaternion)
        same(f"body.{body.name}.center_of_mass", body.center_of_mass)
        same(f"body.{body.name}.velocity", body.velocity)
        same(f"body.{body.name}.angular_velocity", body.angular_velocity)
        same(f"body.{body.name}.kinetic_energy", body.kinetic_energy)
    tip = world.marker("lower:tip")
    same("marker.lower:tip.position", tip.position)
    same("marker.lower:tip.orientation", tip.quaternion)
    same("marker.lower:tip.velocity", tip.velocity)
    for joint in world.joints:
        same(f"joint.{joint.name}.angle", joint.value)
        same(f"joint.{joint.name}.angle.rate", joint.rate)
        same(f"joint.{joint.name}.force", joint.force)
        same(f"joint.{joint.name}.torque", joint.torque)
        same(f"joint.{joint.name}.error", joint.error, rtol=1e-6)
        same(f"joint.{joint.name}.angle_error", joint.angle_error, rtol=1e-6)
        same(f"joint.{joint.name}.broken", 0.0)
        (drive,) = joint.drives
        same(f"joint.{joint.name}.drive.force", drive.force)
        same(f"joint.{joint.name}.drive.target", drive.target)
        same(f"joint.{joint.name}.drive.target_rate", drive.target_rate)
    same("joint.elbow.limit.force", world.joint("elbow").limits[0].force)
    for name in ("kinetic", "potential"):
        same(f"energy.{name}", getattr(report, f"{name}_energy"))
    same("energy.total", report.energy)
    for name in ("dissipated_normal", "dissipated_friction", "joint_work", "stop_work", "drive_work"):
        same(f"ledger.{name}", getattr(world.ledger, name))
    for name in ("displacement_energy", "driven_work", "load_work"):
        same(f"ledger.{name}", getattr(world.ledger, name))
    same("momentum", report.momentum)
    same("angular_momentum", report.angular_momentum)
    masses = world.masses
    same("center_of_mass", masses @ world.centers_of_mass / masses.sum())
    same("center_of_mass.velocity", report.momentum / masses.sum())
    same("world.contacts", report.touching_count)
    same("world.max_overlap", report.max_overlap)
    same("world.joint_error", report.joint_error)
    same("world.joint_angle_error", report.joint_angle_error)
    same("world.asleep", report.asleep_count)
    forces = np.linalg.norm(world.contacts.impulse, axis=1) / world.time_step
    same("world.contact_force", forces.sum())
    for first, second in (("floor", "box"), ("box", "lid")):
        mine = world.contacts.of(world.body(first), world.body(second))
        sign = np.where(mine.body_a == world.body(second).index, 1.0, -1.0)
        name = f"contact.{first}-{second}"
        same(f"{name}.force", (sign[:, None] * mine.impulse).sum(axis=0) / world.time_step)
        same(f"{name}.normal_force", (mine.impulse * mine.normal).sum() / world.time_step)
        same(f"{name}.points", len(mine))
    assert found == {}


def test_angles_go_on_over_full_turns():
    """Count the angle of a hinge on, as its handle does, for as long as it is observed."""
    world = arm_world()
    observer = Observer(world, ["joint.shoulder.angle", "joint.shoulder.angle.rate"])
    for _ in range(600):
        world.step()
        angle, rate = observer.read()
    joint = world.joint("shoulder")
    assert (angle, rate) == (joint.value, joint.rate) and angle > 4 * np.pi


def test_a_resting_stack_presses_with_its_weight():
    """Read m g of what stands on the floor, up on the box and down on the floor."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="floor")
    for name, z in (("box", 0.5), ("lid", 1.5)):
        world.add_body(st.Box((1, 1, 1)), position=(0, 0, z), mass=3.0, name=name)
    world.step(50)
    weight = 3.0 * 9.81
    found = values(
        world, "contact.floor-box.force.z", "contact.box-floor.force.z", "contact.box-lid.normal_force"
    )
    assert found == pytest.approx(
        {
            "contact.floor-box.force.z": 2 * weight,
            "contact.box-floor.force.z": -2 * weight,
            "contact.box-lid.normal_force": weight,
        },
        rel=1e-9,
    )


def test_who_sleeps_presses_too():
    """Observe contacts of bodies asleep as of others."""
    world = arm_world()
    world.settings = dataclasses.replace(world.settings, sleeping=True)
    world.body("box").velocity = world.body("lid").velocity = (0, 0, 0)
    world.step(300)
    found = values(world, "contact.*", "world.asleep", "world.contacts")
    assert found["world.asleep"] == world.report.asleep_count == 2
    mass = world.body("box").mass + world.body("lid").mass
    assert found["contact.floor-box.normal_force"] == pytest.approx(9.81 * mass, rel=1e-6)
    assert found["world.contacts"] == world.report.touching_count == 8


def test_bodies_that_do_not_touch_press_with_nothing():
    """Give 0 N before they meet, and columns for pairs that meet later."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", name="floor")
    world.add_body(st.Sphere(0.5), position=(0, 0, 1.5), name="ball")
    named, fitting = (Observer(world, [text]) for text in ("contact.floor-ball.normal_force", "contact.*"))
    assert named.read().tolist() == [0.0] and fitting.read().tolist() == []
    world.step(60)
    (force,) = named.read()
    assert force == pytest.approx(world.body("ball").mass * 9.81, rel=1e-6)
    assert len(fitting.read()) == 5 and fitting.columns[2].name == "contact.floor-ball.force.z"


def test_columns_stay_when_bodies_come_and_go():
    """Read NaN of what has gone, add columns for what comes and fits, and find it again after a restore."""
    world = arm_world()
    observer = Observer(world, ["body.*.position.z", "joint.elbow.angle", "marker.tip.position.x"])
    before = observer.read().copy()
    names = [column.name for column in observer.columns]
    state = world.save()
    world.remove_body(world.body("lower"))
    world.add_body(st.Sphere(0.1), position=(9, 9, 7), name="new")
    after = observer.read()
    assert [column.name for column in observer.columns] == [*names, "body.new.position.z"]
    gone = {"body.lower.position.z", "joint.elbow.angle", "marker.tip.position.x"}
    for name, x, y in zip(names, before, after, strict=False):
        assert np.isnan(y) if name in gone else x == y
    assert after[-1] == 7.0
    world.restore(state)
    again = observer.read()
    assert (again[:-1] == before).all() and np.isnan(again[-1])


def test_names_choose_columns():
    """Choose vectors whole, components, lengths, and patterns; each once, in the order that was asked for."""
    world = arm_world()
    found = list(values(world, "body.box.velocity.size", "energy.*", "body.box.velocity", "*.velocity.x"))
    assert found[:7] == [
        "body.box.velocity.size",
        *(f"energy.{name}" for name in ("kinetic", "potential", "total")),
        *(f"body.box.velocity.{letter}" for letter in "xyz"),
    ]
    assert "body.lid.velocity.x" in found and "center_of_mass.velocity.x" in found
    assert "body.floor.velocity.x" not in found  # it stands still; by name it can be had
    assert values(world, "body.floor.velocity.x") == {"body.floor.velocity.x": 0.0}
    assert values(world, "body.box.velocity.size") == {"body.box.velocity.size": 1.0}


@pytest.mark.parametrize(
    "channel, told",
    [
        ("joint.elbw.angle", "did you mean joint.elbow.angle"),
        ("energy.totl", "did you mean energy.total"),
        ("body.box.speed", "did you mean body.box."),
        ("nothing.at.all", "there are energy.*, ledger.*"),
        ("joint.knee.*", "no channel of this world fits 'joint.knee.*'"),
        ("contact.floor-bx.force", "this world has no channel"),
        ("marker.top.position", "did you mean marker."),
    ],
)
def test_a_channel_that_does_not_exist_is_told(channel, told):
    """Name what was asked for, and the nearest that there are."""
    with pytest.raises(ValueError, match=r"channel") as error:
        Observer(arm_world(), ["energy.total", channel])
    assert told in str(error.value) and repr(channel) in str(error.value)


@pytest.mark.parametrize("channels", [[], 3, [3], None])
def test_channels_are_names(channels):
    """Refuse what names no channel."""
    with pytest.raises((TypeError, ValueError), match="channels"):
        Observer(arm_world(), channels)


def test_names_with_dashes_and_dots():
    """Find pairs of bodies whose names hold what names of channels hold, and refuse what is not clear."""
    world = st.World()
    for name in ("a", "b-c", "a-b", "c", "d.force"):
        world.add_body(st.Sphere(0.1), name=name, position=(0, 0, len(world.bodies)))
    with pytest.raises(ValueError, match="several pairs"):
        Observer(world, ["contact.a-b-c.force"])
    assert len(values(world, "contact.a-d.force.force")) == 3
    assert list(values(world, "body.d.force.position.x")) == ["body.d.force.position.x"]


def test_markers_by_their_own_name():
    """Let "tip" be "lower:tip" as long as there is no other tip."""
    world = arm_world()
    whole = values(world, "marker.lower:tip.position")
    assert list(values(world, "marker.tip.position").values()) == list(whole.values())
    assert list(values(world, "marker.home.position")) == [f"marker.home.position.{x}" for x in "xyz"]
    world.add_marker("tip", world.body("upper"))
    with pytest.raises(ValueError, match="marker.lower:tip or marker.upper:tip"):
        Observer(world, ["marker.tip.position"])


def test_functions_of_users():
    """Take numbers and vectors with units, and refuse what is neither, by the name."""
    world = arm_world()
    own = {"reach [m]": lambda w: w.body("lower").position[0], "pull [N]": lambda w: np.arange(3.0)}
    observer = Observer(world, ["energy.total"], own)
    told = [(column.name, column.observable.unit) for column in observer.columns]
    assert told[1:] == [("reach", "m"), *((f"pull.{x}", "N") for x in "xyz")]
    assert observer.read().tolist()[1:] == [world.body("lower").position[0], 0.0, 1.0, 2.0]
    for wrong in (lambda w: "far", lambda w: np.zeros((2, 2)), lambda w: [], lambda w: None):
        with pytest.raises((TypeError, ValueError), match="reach: the function returned"):
            Observer(world, ["energy.total"], {"reach": wrong})
    with pytest.raises(TypeError, match="no function"):
        Observer(world, ["energy.total"], {"reach": 3})
    with pytest.raises(ValueError, match="no name"):
        Observer(world, ["energy.total"], {"[m]": lambda w: 1.0})
    sizes = iter((np.zeros(3), np.zeros(2)))
    changing = Observer(world, ["energy.total"], {"reach": lambda w: next(sizes)})
    with pytest.raises(ValueError, match=r"returned shape \(2,\), at first it was 3 numbers"):
        changing.read()


class Clock(st.Sensor):
    """A sensor of a user that says itself what can be observed of it."""

    def __init__(self) -> None:
        self.ticks = 0.0

    def _at(self):
        return ()

    def read(self):
        """Return twice the time."""
        return 2.0 * self.world.time

    def observables(self):
        """Yield what it tells, in seconds."""
        yield Observable(f"clock.{self.name}", "s", read=lambda world: self.read())


def test_things_of_users_have_channels_of_their_own():
    """Ask what was added to a world what can be observed of it."""
    world = arm_world()
    world.add_sensor(Clock(), name="big")
    observer = Observer(world, ["clock.*"])
    world.step(2)
    assert observer.read().tolist() == [2.0 * world.time] and observer.columns[0].observable.unit == "s"
    assert "clock.big" in [one.name for one in st.observables(world)]


def test_loads_and_integrals():
    """Read what their handles say, and what a load does on one body."""
    world = arm_world()
    push = world.add_load(st.Force(world.body("box"), (3.0, 1.0, 0.0)), name="push")
    twist = world.add_load(lambda c: c.joint_torque("elbow", 2.0), name="twist")
    way = world.add_integral("way", lambda c: c.body("box").velocity, start=np.zeros(3))
    world.step(20)
    found = values(
        world, "load.*", "integral.*", "load.twist.on.upper.torque", "load.twist.on.lower.torque.y"
    )
    for load in (push, twist):
        assert found[f"load.{load.name}.power"] == load.power
        assert found[f"load.{load.name}.energy"] == load.energy
        for k, letter in enumerate("xyz"):
            assert found[f"load.{load.name}.force.{letter}"] == load.force[k]
            assert found[f"load.{load.name}.torque.{letter}"] == load.torque[k]
    assert found["load.push.effort"] == pytest.approx(np.sqrt(10.0))
    assert [found[f"integral.way.{letter}"] for letter in "xyz"] == way.value.tolist()
    assert [found[f"integral.way.rate.{letter}"] for letter in "xyz"] == way.rate.tolist()
    assert found["load.twist.on.lower.torque.y"] == pytest.approx(-found["load.twist.on.upper.torque.y"])
    assert abs(found["load.twist.on.lower.torque.y"]) == pytest.approx(2.0)


def test_sensors_and_actuators():
    """Read what sensors tell, with units, and what actuators are told and give."""
    world = arm_world()
    world.add_sensor(st.Encoder(world.joint("elbow")), name="angle")
    world.add_sensor(st.Imu(world.body("box")), name="imu")
    world.add_sensor(st.ContactSensor(world.body("box")), name="skin")
    world.add_actuator(st.TorqueActuator(world.joint("elbow")), name="motor")
    world.actuators["motor"].command = 1.5
    observer = Observer(world, ["sensor.*", "actuator.*"])
    world.step(5)
    found = dict(zip((column.name for column in observer.columns), observer.read().tolist(), strict=True))
    units = {column.name: column.observable.unit for column in observer.columns}
    assert found["sensor.angle.value"] == world.joint("elbow").value and units["sensor.angle.rate"] == "rad/s"
    told = world.sensors["imu"].read()
    assert [found[f"sensor.imu.acceleration.{x}"] for x in "xyz"] == told.acceleration.tolist()
    assert units["sensor.imu.acceleration.x"] == "m/s^2"
    skin = world.sensors["skin"].read()
    assert found["sensor.skin.points"] == len(skin.states) == 8
    assert found["sensor.skin.normal_force"] == pytest.approx(skin.normal_force.sum())
    assert found["actuator.motor.command"] == 1.5
    assert found["actuator.motor.force"] == world.actuators["motor"].force


def test_units_stand_behind_names():
    """Read name and unit of a text."""
    assert named_with_unit("reach [m]") == ("reach", "m")
    assert named_with_unit(" wrist torque [N m] ") == ("wrist torque", "N m")
    assert named_with_unit("count") == ("count", "")


def test_every_observable_is_read():
    """Give a finite number for each observable of each scene that is in use, under a name of its own."""
    for scene in ("ragdoll", "crane", "four_bar", "stack", "washer"):
        world = st.SCENES[scene].build()
        world.step(3)
        listed = list(st.observables(world))
        names = [name for one in listed for name in one.columns]
        assert len(set(names)) == len(names)
        observer = Observer(world, [one.name for one in listed])
        assert np.isfinite(observer.read()).all() and len(observer.columns) == len(names)
