"""Joints keep their rows, frames, names and handles while others come and go."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stoss.collision import Box
from stoss.engine import (
    Ball,
    Compose,
    Cylindrical,
    Direction,
    Distance,
    DoubleRotation,
    Fixed,
    Free,
    Hinge,
    Line,
    Lock,
    Planar,
    Plane,
    Slider,
    Universal,
    World,
)
from stoss.engine.joints.arrays import DRIVE, FORCE, HOLD, LENGTH, LIMIT, SLIDE, TWIST
from stoss.engine.joints.table import JointTable

from tests.engine.worlds import matrix, product, random_quaternion

ROUNDING = 1e-13  # lengths of about 10 m, a few operations: 10 * 2^-52 * 50
POINT, AXIS, OTHER = np.array([0.3, -1.2, 0.7]), np.array([1.0, 2.0, -0.5]), np.array([-0.4, 1.0, 3.0])
UNIT = AXIS / np.linalg.norm(AXIS)

KINDS = [
    Ball(POINT, AXIS),
    Line(POINT, AXIS),
    Plane(POINT, AXIS, x_axis=OTHER),
    Lock(),
    Direction(AXIS),
    DoubleRotation(AXIS, OTHER),
    Distance(POINT, POINT + OTHER),
    Hinge(POINT, AXIS),
    Cylindrical(POINT, AXIS),
    Slider(POINT, AXIS),
    Universal(POINT, AXIS, OTHER),
    Fixed(),
    Planar(POINT, AXIS),
    Free(POINT, AXIS, POINT + OTHER),
    Compose(Line(POINT, AXIS), Hinge(POINT + AXIS, OTHER), Slider(POINT, OTHER)),
]


def name_of(kind) -> str:
    """Return the class of a kind, for the names of tests."""
    return type(kind).__name__


def turned_bodies(seed: int = 0) -> World:
    """Return a world with three bodies a, b, c in random poses, with principal axes of their own."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0))
    for name in "abc":
        shape = Box(tuple(rng.uniform(0.2, 1.0, 3)))
        world.add_body(shape, position=rng.normal(size=3), quaternion=random_quaternion(rng), name=name)
    return world


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
            table.remove(pick % len(joints))
            del joints[pick % len(joints)]
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
    table.remove(1)
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


# ---------------------------------------------------------------- frames


@pytest.mark.parametrize("kind", KINDS, ids=name_of)
def test_joints_are_closed_when_added(kind):
    """Give bodies of any pose frames in which all that is held is at its target, and angles are zero."""
    for seed in range(3):
        world = turned_bodies(seed)
        for first, second in (("a", "b"), (None, "c"), ("b", None)):
            pair = [None if name is None else world.body(name) for name in (first, second)]
            joint = world.add_joint(kind, *pair)
            assert joint.first is pair[0] and joint.second is pair[1]
            assert joint.error < ROUNDING and joint.angle_error < ROUNDING
            for name, (_, measure, _) in kind.coordinates().items():
                # the squares of a small angle are what swing is found from
                allowed = 1e-7 if name == "swing" else ROUNDING
                wanted = 0.0
                if measure == LENGTH:
                    wanted = np.linalg.norm(OTHER)
                if isinstance(kind, Free) and measure == SLIDE:
                    continue
                assert abs(joint.value_of(name) - wanted) < allowed, name
                assert joint.rate_of(name) == 0.0


def test_frames_of_the_bodies_give_the_world_frame():
    """Keep point and axes in the principal axes of either body: R(q) p + x is the world point again."""
    world = turned_bodies(7)
    joint = world.add_joint(Plane(POINT, AXIS, x_axis=OTHER), world.body("a"), world.body("b"))
    own = world._joint_table.of_joint(joint.index)
    x = OTHER - (OTHER @ UNIT) * UNIT
    axes = np.array([x / np.linalg.norm(x), np.cross(UNIT, x / np.linalg.norm(x)), UNIT]).T
    for body, point, turn in (("a", own.point_a, own.quaternion_a), ("b", own.point_b, own.quaternion_b)):
        row = world.body(body).index
        q = world.quaternions[row]
        assert np.abs(matrix(q) @ point[0] + world.positions[row] - POINT).max() < ROUNDING
        assert np.abs(matrix(product(q, turn[0])) - axes).max() < ROUNDING
    for place in (joint.first_point, joint.second_point):
        assert np.abs(place - POINT).max() < ROUNDING


@pytest.mark.parametrize(
    "axis", [(0, 0, 1), (0, 0, -3), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0.6, 0.3, -0.2), OTHER]
)
def test_axes_are_orthonormal(axis):
    """Make right-handed frames with z along the axis, x in the half plane of the world's x or y axis."""
    (part,) = Ball((0, 0, 0), axis).parts()
    m = matrix(part.quaternion_a)
    unit = np.array(axis) / np.linalg.norm(axis)
    assert np.abs(m @ m.T - np.eye(3)).max() < ROUNDING and np.linalg.det(m) > 0.0
    assert np.abs(m[:, 2] - unit).max() < ROUNDING
    chosen = 0 if abs(unit[0]) < 0.7 else 1
    assert abs(np.cross(unit, np.eye(3)[chosen]) @ m[:, 0]) < ROUNDING
    assert m[chosen, 0] > 0.0


@pytest.mark.parametrize("second", [OTHER, AXIS, -AXIS, -AXIS + 1e-9 * OTHER])
def test_second_axis_is_the_smallest_turn(second):
    """Turn the second frame from axis to second axis, by the angle between them and no more."""
    (part,) = Hinge(POINT, AXIS, second_point=POINT + 1.0, second_axis=second).parts()
    a, b = matrix(part.quaternion_a), matrix(part.quaternion_b)
    unit = second / np.linalg.norm(second)
    assert np.abs(b[:, 2] - unit).max() < 1e-7  # half of the digits are gone where the axes are opposite
    turn = b @ a.T
    cosine = 0.5 * (np.trace(turn) - 1.0)
    assert abs(cosine - UNIT @ unit) < 1e-7
    assert part.point_b == tuple(POINT + 1.0)


def test_open_joints_measure_their_gap():
    """Report how far a joint is open that has another place on the second body."""
    world = turned_bodies(3)
    gap, tilt = np.array([0.3, 0.0, -0.4]), 0.2
    second_axis = (np.sin(tilt), 0.0, np.cos(tilt))
    kind = Hinge(POINT, (0, 0, 1), POINT + gap, second_axis)
    joint = world.add_joint(kind, world.body("a"), world.body("b"))
    assert abs(joint.error - 0.4) < ROUNDING and abs(joint.angle_error - tilt) < ROUNDING
    assert np.abs(joint.second_point - joint.first_point - gap).max() < ROUNDING
    assert abs(joint.value) < ROUNDING
    rod = world.add_joint(Distance(POINT, POINT + gap, length=0.7), world.body("a"), world.body("b"))
    assert abs(rod.error - 0.2) < ROUNDING and abs(rod.value - 0.5) < ROUNDING


def test_double_rotation_keeps_its_angle():
    """Hold the present angle between the axes, x of the first body and y of the second."""
    (part,) = DoubleRotation(AXIS, OTHER).parts()
    a, b = matrix(part.quaternion_a), matrix(part.quaternion_b)
    second = OTHER / np.linalg.norm(OTHER)
    assert np.abs(a[:, 0] - UNIT).max() < ROUNDING and np.abs(b[:, 1] - second).max() < ROUNDING
    assert np.abs(a[:, 2] - b[:, 2]).max() < ROUNDING
    ((_, _, angle),) = part.holds
    assert abs(angle - np.arccos(UNIT @ second)) < 1e-12


def test_fixed_without_a_point_is_midway():
    """Join two bodies midway between their centres of mass, and one body to the world at its own."""
    world = turned_bodies(2)
    a, b = world.body("a"), world.body("b")
    middle = 0.5 * (a.center_of_mass + b.center_of_mass)
    assert np.abs(world.add_joint(Fixed(), a, b).first_point - middle).max() < ROUNDING
    assert np.abs(world.add_joint(Fixed(), None, b).first_point - b.center_of_mass).max() < ROUNDING


def test_compose_numbers_parts_and_names():
    """Put parts one after the other, and number coordinate names that repeat."""
    kind = Compose(Line(POINT, AXIS), Hinge(POINT, AXIS), Slider(POINT, AXIS), Compose(Hinge(POINT, AXIS)))
    assert len(kind.parts()) == 4
    parts = {name: place[0] for name, place in kind.coordinates().items()}
    assert parts == {"displacement": 0, "angle": 1, "displacement 2": 2, "angle 2": 3}
    assert kind == Compose(*kind.kinds) and hash(kind) == hash(Compose(*kind.kinds))


def test_points_of_a_body():
    """Convert between the world and the frame of the shapes, also for a body whose axes differ from it."""
    world = World()
    body = world.add_body(Box((0.1, 1, 2)), position=(1, 2, 3), quaternion=(0.5, 0.5, 0.5, 0.5))
    assert np.abs(body.world_point((1, 0, 0)) - (1, 3, 3)).max() < ROUNDING
    assert np.abs(body.local_point((1, 3, 3)) - (1, 0, 0)).max() < ROUNDING
    assert np.abs(body.local_point(body.world_point(POINT)) - POINT).max() < ROUNDING


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


# ---------------------------------------------------------------- the model


def chain(length: int = 5) -> World:
    """Return a chain of bodies "0", "1", ... with hinges "0-1", "1-2", ... that overlap their neighbours."""
    world = World(gravity=(0, 0, 0))
    for k in range(length):
        world.add_body(Box((1.2, 1, 1)), position=(k, 0, 0), name=str(k))
    for k in range(1, length):
        pair = world.body(str(k - 1)), world.body(str(k))
        world.add_joint(Hinge((k - 0.5, 0, 0), (0, 1, 0)), *pair, name=f"{k - 1}-{k}")
    return world


def touching(world: World) -> set[tuple[int, int]]:
    """Return the rows of the bodies that collide."""
    contacts = world.contacts
    return {
        (min(a, b), max(a, b))
        for a, b in zip(contacts.body_a[: contacts.count], contacts.body_b[: contacts.count], strict=True)
    }


def test_bodies_take_their_joints_with_them():
    """Remove the joints of a removed body, and let the others follow their bodies."""
    world = chain()
    kept = world.joint("2-3"), world.joint("3-4")
    motors = [joint.motor(k + 1.0) for k, joint in enumerate(kept)]
    middle, gone = world.joint("2-3").second, world.joint("0-1")
    world.remove_body(world.body("1"))
    assert world.joints == list(kept)
    assert kept[0].first is world.body("2") and kept[0].second is middle and kept[1].index == 1
    assert world._joint_table.arrays.bodies.tolist() == [[1, 2], [2, 3]]
    assert [motor.target_rate for motor in motors] == [1.0, 2.0]
    assert all(joint.error < ROUNDING for joint in kept)
    with pytest.raises(ValueError, match="'0-1'.*removed"):
        _ = gone.value
    with pytest.raises(KeyError, match="0-1"):
        world.joint("0-1")


def test_joints_keep_bodies_from_colliding():
    """Let joined bodies pass through each other while a joint without `collide` is there, and no longer."""
    world = chain(3)
    assert touching(world) == set()
    second = world.add_joint(Ball((0.5, 0, 0)), world.body("1"), world.body("0"))
    third = world.add_joint(Ball((0.5, 0, 0)), world.body("0"), world.body("1"), collide=True)
    world.remove_joint(world.joint("0-1"))
    assert touching(world) == set()
    world.remove_joint(second)
    assert touching(world) == {(0, 1)}
    world.remove_joint(third)
    world.exclude_collision(world.body("2"), world.body("1"))
    world.remove_joint(world.joint("1-2"))
    assert touching(world) == {(0, 1)}


def test_default_names_are_new():
    """Name joints by a number that is not used again, and find them by name."""
    world = turned_bodies()
    a, b = world.body("a"), world.body("b")
    first = world.add_joint(Ball(POINT), a, b)
    world.remove_joint(first)
    second = world.add_joint(Ball(POINT), a, b)
    assert (first.name, second.name) == ("joint 0", "joint 1")
    assert world.joint("joint 1") is second and world.joints == [second]
    assert second.world is world and second.kind == Ball(POINT)


@pytest.mark.parametrize("pickled", [False, True])
def test_snapshots_bring_joints_back(pickled):
    """Restore joints, limits, drives, switches and exclusions, whatever was changed since."""
    world = chain()
    servo = world.joint("1-2").servo(0.5, stiffness=1.0, damping=1.0)
    servo.schedule([0, 1], [2, 3])
    pid, stop = world.joint("3-4").pid(0.1, gain=2.0), world.joint("3-4").limit(-1, 1)
    world.joint("0-1").enabled = False
    snapshot = world.save()
    if pickled:
        snapshot = pickle.loads(pickle.dumps(snapshot))
    before = world._joint_table.copy_arrays()
    late = world.joint("1-2").motor(1.0)
    servo.target = 9.0
    world.remove_joint(world.joint("0-1"))
    world.remove_body(world.body("4"))
    world.add_joint(Ball((0, 0, 0)), None, world.body("0"), name="new")
    assert touching(world) == {(0, 1)}
    world.restore(snapshot)
    for name, old in before.items():
        assert np.array_equal(getattr(world._joint_table.arrays, name), old), name
    assert [joint.name for joint in world.joints] == ["0-1", "1-2", "2-3", "3-4"]
    assert touching(world) == set() and not world.joint("0-1").enabled
    assert world.joint("3-4").second is world.body("4")
    assert [limit.upper for limit in world.joint("3-4").limits] == [1.0]
    assert [drive.target for drive in world.joint("3-4").drives] == [0.1]
    assert world.joint("1-2").drives[0].target == 0.5
    if not pickled:
        assert world.joint("1-2").drives == [servo] and servo.target == 0.5
        with pytest.raises(ValueError, match="Drive.*'1-2'.*removed"):
            _ = late.target_rate
        with pytest.raises(ValueError, match="removed"):
            _ = (pid.target, stop.lower)  # their joint was removed with its body: the old handles are void
    assert world.add_joint(Ball((0, 0, 0)), None, world.body("0")).name == "joint 4"
