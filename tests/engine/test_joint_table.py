"""The table of joints keeps its rows as joints come and go, and what drives and limits write there."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from stoss.collision import Box
from stoss.engine import (
    Cylindrical,
    Hinge,
    Slider,
    World,
)
from stoss.engine.joints.arrays import DRIVE, FORCE, HOLD, LENGTH, LIMIT, SLIDE, TWIST
from stoss.engine.joints.table import JointTable
from tests.engine.joint_worlds import turned_bodies

ROUNDING = 1e-13  # lengths of about 10 m, a few operations: 10 * 2^-52 * 50
POINT, AXIS, OTHER = np.array([0.3, -1.2, 0.7]), np.array([1.0, 2.0, -0.5]), np.array([-0.4, 1.0, 3.0])


# ---------------------------------------------------------------- the table against plain lists


class PlainJoints:
    """The same as lists of dicts: what the table must hold."""

    def __init__(self) -> None:
        self.joints: list[dict] = []

    def compare(self, table: JointTable) -> None:
        """Compare all that the table says."""
        arrays = table.arrays
        assert table.count == len(self.joints) == len(arrays.enabled) == len(arrays.bodies)
        part = row = 0
        for j, joint in enumerate(self.joints):
            assert tuple(arrays.bodies[j]) == joint["bodies"]
            assert arrays.part_start[j] == part and arrays.row_start[j] == row
            for x in joint["parts"]:
                assert arrays.joint[part] == j and (arrays.point_a[part] == x).all()
                assert (arrays.point_b[part] == -np.array(x)).all()
                part += 1
            for values in joint["rows"]:
                assert arrays.part[row] == arrays.part_start[j] + values["part"]
                for name in ("measure", "axis", "role", "target", "value"):
                    assert getattr(arrays, name)[row] == values[name], name
                assert arrays.row_key[row] == values.get("key", -1)
                self.compare_extras(arrays, row, values)
                row += 1
        assert arrays.part_start[-1] == part == len(arrays.joint)
        assert arrays.row_start[-1] == row == len(arrays.part) == len(arrays.total)
        schedules = sum("schedule" in values for joint in self.joints for values in joint["rows"])
        controllers = sum("gain" in values for joint in self.joints for values in joint["rows"])
        assert len(arrays.schedule_start) == schedules + 1 and len(arrays.gain) == controllers
        assert arrays.schedule_start[-1] == len(arrays.schedule_time) == len(arrays.schedule_value)

    def compare_extras(self, arrays, row: int, values: dict) -> None:
        """Compare the schedule and the controller of a row."""
        number = arrays.schedule[row]
        assert (number >= 0) == ("schedule" in values)
        if number >= 0:
            points = slice(arrays.schedule_start[number], arrays.schedule_start[number + 1])
            assert arrays.schedule_time[points].tolist() == values["schedule"]
            assert (arrays.schedule_value[points] == -arrays.schedule_time[points]).all()
        assert (arrays.pid[row] >= 0) == ("gain" in values)
        if arrays.pid[row] >= 0:
            assert arrays.gain[arrays.pid[row]] == values["gain"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["joint", "row", "pid", "schedule", "remove row", "remove"]), st.integers(0, 999)
        ),
        max_size=40,
    )
)
def test_table_follows_plain_lists(changes):
    """Hold exactly what lists of dicts hold, after any order of additions and removals."""
    table, plain = JointTable(), PlainJoints()
    for number, (what, pick) in enumerate(changes):
        version = table.version
        joints = plain.joints
        rows = [(j, r) for j, joint in enumerate(joints) for r in joint["rows"] if "key" in r]
        if what == "joint":
            parts = [np.full(3, number + 0.1 * p) for p in range(1 + pick % 2)]
            holds = [(p, SLIDE, k, float(number)) for p in range(len(parts)) for k in range(pick % 4)]
            turn = (1, 0, 0, 0)
            table.add_joint(pick, -1, [(x, turn, -x, turn) for x in parts], holds, [(0, TWIST, 0)])
            made = [dict(part=p, measure=m, axis=k, role=HOLD, target=t, value=t) for p, m, k, t in holds]
            made.append(dict(part=0, measure=TWIST, axis=0, role=DRIVE, target=0, value=0))
            joints.append(dict(bodies=(pick, -1), parts=parts, rows=made))
        elif what in ("row", "pid") and joints:
            j = pick % len(joints)
            values = dict(part=0, measure=LENGTH, axis=0, role=LIMIT, target=number, value=0)
            more = {}
            if what == "pid":
                values |= dict(role=FORCE, gain=float(number))
                more = dict(pid=table.add_controller(number, 1.0, 1.0, 1.0))
            values["key"] = table.add_row(j, 0, LENGTH, 0, values["role"], target=number, **more)
            joints[j]["rows"].append(values)
        elif what == "schedule" and rows:
            j, values = rows[pick % len(rows)]
            times = np.arange(1.0 + pick % 4)
            table.set_schedule(table.row(j, values["key"]), (times, -times))
            values["schedule"] = times.tolist()
        elif what == "remove row" and rows:
            j, values = rows[pick % len(rows)]
            table.remove_row(table.row(j, values["key"]))
            joints[j]["rows"] = [r for r in joints[j]["rows"] if r is not values]
        elif what == "remove" and joints:
            gone = sorted({pick % len(joints), pick // 7 % len(joints), pick // 50 % len(joints)})
            table.remove(np.array(gone))
            plain.joints = [joint for j, joint in enumerate(joints) if j not in gone]
        else:
            continue
        assert table.version > version
    copy = JointTable()
    copy.set_arrays(table.copy_arrays())
    plain.compare(table)
    plain.compare(copy)


def test_arrays_are_stored():
    """Return one struct for good, whose arrays are as long as what there is, with new entries at zero."""
    table = JointTable()
    turn, zero = (1, 0, 0, 0), (0, 0, 0)
    for j in range(3):
        table.add_joint(j, j + 1, [(zero, turn, zero, turn)], [(0, SLIDE, k, 0.0) for k in range(3)])
    arrays = table.arrays
    assert table.arrays is arrays
    arrays.impulse[:] = 7.0
    assert (table.copy_arrays().impulse == 7.0).all() and table.arrays is arrays
    table.remove(np.array([1]))
    table.add_row(0, 0, SLIDE, 2, LIMIT)
    assert table.arrays is arrays
    assert table.arrays.impulse.tolist() == [7.0, 7.0, 7.0, 0.0, 7.0, 7.0, 7.0]
    assert all(field.flags.c_contiguous for field in table.arrays)


def test_many_old_joints_get_rows():
    """Place rows for many older joints as if each had come with its joint."""
    count = 2000
    world = World()
    bodies = [world.add_body(Box((1, 1, 1)), position=(2 * k, 0, 0)) for k in range(count + 1)]
    joints = [
        world.add_joint(Slider((2 * k, 0, 0), (0, 0, 1)), bodies[k], bodies[k + 1]) for k in range(count)
    ]
    motors = [joint.motor(float(k)) for k, joint in enumerate(joints)]
    stops = [joint.limit(-1.0, float(k + 1)) for k, joint in enumerate(joints)]
    arrays = world._joint_table.arrays
    assert (np.diff(arrays.row_start) == 7).all()
    for k in range(0, count, 97):
        assert motors[k].index == 7 * k + 5 and stops[k].index == 7 * k + 6
        assert motors[k].target_rate == k and stops[k].upper == k + 1
        assert (arrays.part[7 * k : 7 * k + 7] == k).all()


# ---------------------------------------------------------------- coordinates, limits, drives


def test_angle_is_counted_over_full_turns():
    """Follow a hinge over three turns, and start new limits and drives from that angle."""
    world = World()
    body = world.add_body(Box((1, 1, 1)))
    joint = world.add_joint(Hinge((0, 0, 0), (0, 0, 1)), None, body)
    for angle in np.arange(0.0, 6.0 * np.pi, 1.0):
        body.quaternion = (np.cos(angle / 2), 0, 0, np.sin(angle / 2))
        assert abs(joint.value - angle) < 1e-12
        world._joint_table.arrays.value[:] = joint.value  # as a step leaves it
    motor = joint.motor(1.0)
    assert world._joint_table.arrays.value[motor.index] == joint.value > 17.5


def test_rates_of_coordinates():
    """Measure rates: angular velocity about the axis, velocity along it, of second relative to first."""
    world = World()
    body = world.add_body(Box((1, 1, 1)), velocity=(0, 0, 3.0), angular_velocity=(0, 0, 2.0))
    joint = world.add_joint(Cylindrical((0, 0, 0), (0, 0, 1)), None, body)
    assert abs(joint.rate_of("angle") - 2.0) < ROUNDING
    assert abs(joint.rate_of("displacement") - 3.0) < ROUNDING
    back = world.add_joint(Cylindrical((0, 0, 0), (0, 0, 1)), body, None)
    assert abs(back.rate_of("angle") + 2.0) < ROUNDING


def test_drives_write_their_rows():
    """Write role, spring, damper, rate and bounds of each drive, and let handles change them."""
    world = turned_bodies()
    joint = world.add_joint(Hinge(POINT, AXIS), world.body("a"), world.body("b"))
    made = {
        "stop": joint.limit(-1.0, 2.0, restitution=0.5),
        "soft": joint.limit(upper=1.0, stiffness=30.0, damping=2.0),
        "motor": joint.motor(2.0, max_force=5.0),
        "servo": joint.servo(0.5, stiffness=100.0, damping=10.0, max_force=50.0),
        "spring": joint.spring(20.0, 0.1, 0.3),
        "damper": joint.damper(0.4),
        "friction": joint.friction(1.5),
        "pid": joint.pid(0.5, gain=8.0, reset_time=2.0, derivative_time=0.35, window=1.5, max_force=9.0),
    }
    names = (
        "role",
        "lower",
        "upper",
        "restitution",
        "stiffness",
        "damping",
        "target",
        "target_rate",
        "max_force",
    )
    inf = np.inf
    wanted = {
        "stop": (LIMIT, -1.0, 2.0, 0.5, inf, 0.0, 0.0, 0.0, inf),
        "soft": (LIMIT, -inf, 1.0, 0.0, 30.0, 2.0, 0.0, 0.0, inf),
        "motor": (DRIVE, -inf, inf, 0.0, 0.0, inf, 0.0, 2.0, 5.0),
        "servo": (DRIVE, -inf, inf, 0.0, 100.0, 10.0, 0.5, 0.0, 50.0),
        "spring": (DRIVE, -inf, inf, 0.0, 20.0, 0.1, 0.3, 0.0, inf),
        "damper": (DRIVE, -inf, inf, 0.0, 0.0, 0.4, 0.0, 0.0, inf),
        "friction": (DRIVE, -inf, inf, 0.0, 0.0, inf, 0.0, 0.0, 1.5),
        "pid": (FORCE, -inf, inf, 0.0, 0.0, 0.0, 0.5, 0.0, 9.0),
    }
    arrays = world._joint_table.arrays
    for name, handle in made.items():
        row = tuple(getattr(arrays, field)[handle.index] for field in names)
        assert row == wanted[name], name
        assert arrays.active[handle.index] and handle.enabled
    pid = made["pid"]
    assert (pid.gain, pid.reset_time, pid.derivative_time, pid.window) == (8.0, 2.0, 0.35, 1.5)
    assert joint.limits == [made["stop"], made["soft"]]
    assert joint.drives == [made[name] for name in ("motor", "servo", "spring", "damper", "friction", "pid")]
    made["servo"].target, made["servo"].stiffness, made["motor"].target_rate = 0.7, 200.0, -1.0
    made["stop"].set(3.0, 4.0)
    pid.gain = 9.0
    assert arrays.target[made["servo"].index] == 0.7 and arrays.stiffness[made["servo"].index] == 200.0
    assert arrays.target_rate[made["motor"].index] == -1.0 and arrays.gain.tolist() == [9.0]
    assert (made["stop"].lower, made["stop"].upper) == (3.0, 4.0)
    version = world._joint_table.version
    made["motor"].enabled = False
    assert not world._joint_table.arrays.active[made["motor"].index]
    assert world._joint_table.version > version
    made["servo"].remove()
    assert made["pid"].target == 0.5 and pid.gain == 9.0 and len(joint.drives) == 5


def test_schedules_end_where_a_set_point_is_given():
    """Replace a schedule by a new one, and drop it when a set point is assigned."""
    world = turned_bodies()
    joint = world.add_joint(Hinge(POINT, AXIS), world.body("a"), world.body("b"))
    servo, motor = joint.servo(0.0, stiffness=1.0, damping=1.0), joint.motor()
    servo.schedule([0, 1, 2], [0.0, 0.5, 0.0])
    motor.schedule([0, 1], [0.0, 3.0])
    servo.schedule([0, 4], [1.0, 2.0])
    arrays = joint._arrays
    assert arrays.schedule_time.tolist() == [0, 1, 0, 4] and arrays.schedule_value.tolist() == [0, 3, 1, 2]
    motor.target_rate = 1.0
    assert joint._arrays.schedule[motor.index] == -1 and joint._arrays.schedule[servo.index] == 0
    servo.target = 0.0
    assert len(joint._arrays.schedule_time) == 0


def test_disabled_and_broken_joints():
    """Keep the settings of a joint that is off; a broken one is off until it is enabled again."""
    world = turned_bodies()
    joint = world.add_joint(Hinge(POINT, AXIS), world.body("a"), world.body("b"))
    motor = joint.motor(1.0)
    joint.break_force = 10.0
    assert joint.break_torque == np.inf
    joint.enabled = False
    assert not joint.enabled and not joint.broken and motor.enabled and motor.target_rate == 1.0
    joint.enabled = True
    version = world._joint_table.version
    world._joint_table.break_joint(joint.index)
    assert joint.broken and not joint.enabled and world._joint_table.version > version
    joint.enabled = True
    assert joint.enabled and not joint.broken and joint.break_force == 10.0
