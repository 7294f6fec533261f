"""A call that is refused changes nothing: the state, and the steps after it, are as without the call."""

import re
from dataclasses import dataclass, fields, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.engine.joints.arrays import SLIDE, TWIST
from stoss.engine.joints.kind import hold, one_part
from tests.engine.worlds import world_with_floor

BIG = 10**400
FLAT = st.TriangleMesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2), (1, 2, 0)], two_sided=True)
CUBE = st.Box((1, 1, 1))


def small_world() -> st.World:
    """Return a world with a cube on a floor, a hinged cube above it, a limit and a servo."""
    world = world_with_floor()
    world.add_body(CUBE, position=(0, 0, 0.5), name="cube")
    arm = world.add_body(CUBE, position=(0, 0, 2.5), name="arm")
    joint = world.add_joint(st.Hinge((0, 0, 3), (1, 0, 0)), None, arm, name="hinge")
    joint.limit(-1, 1)
    joint.servo(0.5, stiffness=10.0, damping=1.0)
    return world


def stranger() -> st.Body:
    """Return a body of another world, whose key exists here too."""
    return small_world().body("cube")


def add(**options):
    """Return a call that adds a cube with these options."""
    return lambda w: w.add_body(options.pop("shapes", CUBE), **options)


def of_body(name, *values, **named):
    """Return a call of a method of the cube."""
    return lambda w: getattr(w.body("cube"), name)(*values, **named)


def put(name, value, on="cube"):
    """Return a call that assigns an attribute of a body."""
    return lambda w: setattr(w.body(on), name, value)


@dataclass(frozen=True)
class Own(st.JointKind):
    """A joint kind of one's own."""

    given: object = None
    names: object = None

    def parts(self, middle=(0.0, 0.0, 0.0)):
        """Return what was given."""
        return self.given

    def coordinates(self):
        """Return what was given."""
        return {} if self.names is None else self.names


GOOD = one_part((0.0, 0.0, 0.0), None, (1.0, 0.0, 0.0, 0.0), hold(SLIDE, 0, 1, 2))


def own(*holds, names=None, **changes):
    """Return a call that adds a joint of a kind of one's own to the cube."""
    parts = (GOOD[0]._replace(holds=holds or GOOD[0].holds, **changes),)
    return lambda w: w.add_joint(Own(parts, names), None, w.body("cube"))


CALLS = [
    (add(mask=2**64), ["mask = 18446744073709551616", "64 bits"]),
    (add(group=-(2**63) - 1), ["group = -9223372036854775809", "64 bits"]),
    (add(mask=1.5), ["mask = 1.5"]),
    (add(mask=True), ["mask = True"]),
    (add(shapes=FLAT, kind="static"), ["shapes = TriangleMesh", "no area"]),
    (add(shapes=[CUBE, FLAT], kind="static"), ["shapes = TriangleMesh", "no area"]),
    (add(shapes=[CUBE, st.Placed(FLAT)], kind="static"), ["shapes = TriangleMesh", "no area"]),
    (add(shapes=[CUBE, "box"]), ["shapes = 'box'", "not a shape"]),
    (add(shapes=st.Box), ["shapes = .*Box", "call it"]),
    (add(shapes=None), ["shapes = None"]),
    (add(shapes=()), [r"shapes = \(\)", "mass"]),
    (add(mass_properties={}), [r"mass_properties = \{\}", "MassProperties", "from_values"]),
    (add(mass_properties=5.0), ["mass_properties = 5.0"]),
    (add(mass=BIG), ["mass = 1000", "finite"]),
    (add(mass="1"), ["mass = '1'"]),
    (add(mass=True), ["mass = True"]),
    (add(mass=np.array([1.0])), [r"mass = array\(\[1.\]\)"]),
    (add(mass=1e-300), ["mass = 1e-300", "1e-60"]),
    (add(density=1e300), ["density = 1e[+]300"]),
    (add(density=1 + 0j), [r"density = \(1\+0j\)"]),
    (add(mass=1, density=1), ["density = 1, mass = 1", "one of them"]),
    (add(position="123"), ["position = '123'"]),
    (add(position=("1", "2", "3")), [r"position = \('1', '2', '3'\)"]),
    (add(position=(True, 0, 0)), [r"position = \(True, 0, 0\)"]),
    (add(position=(BIG, 0, 0)), [r"position = \(1000"]),
    (add(quaternion=Rotation.identity(3)), ["quaternion = ", r"\(3, 4\)"]),
    (add(quaternion=np.eye(3)), ["quaternion = ", "stoss.rotation"]),
    (add(velocity=None), ["velocity = None"]),
    (add(angular_velocity=1.0), ["angular_velocity = 1.0"]),
    (add(kind=["static"]), [r"kind = \['static'\]"]),
    (add(kind=None), ["kind = None", "dynamic"]),
    (add(kind="static", mass=1.0), ["mass = 1.0", "static", "leave it out"]),
    (add(kind="static", angular_velocity=(0, 0, 1)), [r"angular_velocity = \(0, 0, 1\)", "static"]),
    (add(material={"friction": 0.5}), ["material = {'friction': 0.5}", "Material"]),
    (add(material=st.Material), ["material = <class"]),
    (add(name=b"cube"), ["name = b'cube'"]),
    (add(name="cube"), ["name = 'cube'", "taken"]),
    (lambda w: w.add_bodies(CUBE, [(0, 0, 9)], names=[1]), ["name = 1"]),
    (lambda w: w.add_bodies(CUBE, [(0, 0, 9)], names=5), ["names = 5"]),
    (lambda w: w.add_bodies(CUBE, [(0, 0, "9")]), ["positions", "'9'"]),
    (lambda w: w.add_bodies(CUBE, [(0, 0, 9)], quaternions=[(2, 0, 0, 0)]), [r"quaternions\[0\] = \[2"]),
    (lambda w: w.duplicate("cube"), ["body = 'cube'", "Body"]),
    (lambda w: w.duplicate(stranger()), ["body 'cube' is not in this world"]),
    (lambda w: w.duplicate(w.body("cube"), position=(0, 0)), [r"position = \(0, 0\)"]),
    (lambda w: w.remove_body(stranger()), ["body 'cube' is not in this world"]),
    (lambda w: w.remove_body(None), ["body = None"]),
    (lambda w: w.exclude_collision(w.body("cube"), stranger()), ["'cube' is not in this world"]),
    (lambda w: w.exclude_collision(w.body("cube"), "arm"), ["second = 'arm'"]),
    (lambda w: w.remove_joint(w.body("cube")), ["joint = <Body 'cube'"]),
    (lambda w: w.add_joint(st.Ball((0, 0, 0)), stranger(), None), ["first = body 'cube'", "this world"]),
    (lambda w: w.body(5), ["no body 5"]),
    (lambda w: w.body(["cube"]), [r"no body \['cube'\]"]),
    (lambda w: w.joint(None), ["no joint None"]),
    (lambda w: w.restore(None), ["snapshot = None", "Snapshot"]),
    (lambda w: w.restore(w), ["snapshot = <World"]),
    (lambda w: w.step("1"), ["count = '1'"]),
    (lambda w: w.step(2.0), ["count = 2.0", "time_step"]),
    (lambda w: w.step(True), ["count = True"]),
    (lambda w: setattr(w, "gravity", "000"), ["gravity = '000'"]),
    (lambda w: setattr(w, "time_step", "0.01"), ["time_step = '0.01'"]),
    (lambda w: setattr(w, "settings", {}), [r"settings = \{\}", "Settings"]),
    (lambda w: setattr(w, "positions", w.positions.astype(str)), ["positions must be numbers"]),
    (lambda w: setattr(w, "quaternions", None), ["quaternions"]),
    (lambda w: w.set_material_pair("a", st.Material(), friction=1.0), ["first = 'a'"]),
    (lambda w: w.set_material_pair(st.Material(), st.Material(), friction="1"), ["friction = '1'"]),
    (lambda w: w.set_material_pair(st.Material(), st.Material(), friction=True), ["friction = True"]),
    (lambda w: w.set_material_pair(st.Material(), st.Material(), impact_law=1), ["impact_law = 1"]),
    (lambda w: w.ray_cast("000", (0, 0, 1)), ["origin = '000'"]),
    (lambda w: w.ray_cast((0, 0, 0), (0, 0, 1), "far"), ["max_distance = 'far'"]),
    (lambda w: w.overlap(st.Sphere), ["shape = <class", "call it"]),
    (lambda w: w.overlap(CUBE, quaternion=(2, 0, 0, 0)), [r"quaternion = \(2, 0, 0, 0\)"]),
    (put("mass", "1"), ["mass = '1'"]),
    (put("mass", 1e-300), ["mass = 1e-300"]),
    (put("material", 0.5), ["material = 0.5"]),
    (put("solver", 1), ["solver = 1"]),
    (put("position", "abc"), ["position = 'abc'"]),
    (put("quaternion", 5), ["quaternion = 5"]),
    (put("velocity", {"x": 1}), [r"velocity = \{'x': 1\}"]),
    (put("velocity", (0, 0, 1), on="floor"), [r"velocity = \(0, 0, 1\)", "static"]),
    (of_body("apply_force", (1, 2, "3")), [r"force = \(1, 2, '3'\)"]),
    (of_body("apply_force", (1, 2, 3), "center"), ["point = 'center'"]),
    (of_body("apply_impulse", (BIG, 0, 0)), ["impulse = "]),
    (of_body("apply_torque", 5), ["torque = 5"]),
    (of_body("move_to", (0, 0, 1)), ["move_to", "'cube'", "not kinematic"]),
    (of_body("world_point", None), ["local = None"]),
    (lambda w: w.joint("hinge").limit("a", 1), ["lower = 'a'"]),
    (lambda w: w.joint("hinge").limit(-1, 1, restitution=True), ["restitution = True"]),
    (lambda w: w.joint("hinge").limit(-1, 1, coordinate=0), ["coordinate = 0"]),
    (lambda w: w.joint("hinge").motor("fast"), ["velocity = 'fast'"]),
    (lambda w: w.joint("hinge").servo(0, stiffness=b"1", damping=1), ["stiffness = b'1'"]),
    (lambda w: w.joint("hinge").pid(0, gain=1, window="2"), ["window = '2'"]),
    (lambda w: w.joint("hinge").pid(0, gain=1, window=1e9), ["window = 1000000000.0", "at most"]),
    (lambda w: w.joint("hinge").drives[0].schedule([0, 1], ["a", 1]), ["values = "]),
    (lambda w: w.joint("hinge").drives[0].schedule([1, 0], [1, 1]), ["times = ", "sorted"]),
    (lambda w: setattr(w.joint("hinge").drives[0], "stiffness", [1.0]), [r"stiffness = \[1.0\]"]),
    (lambda w: setattr(w.joint("hinge").limits[0], "upper", -5), ["upper = -5"]),
    (lambda w: setattr(w.joint("hinge"), "break_force", "weak"), ["break_force = 'weak'"]),
    (own(names={"a": (0, 99, 0)}), ["Own", "measure = 99"]),
    (own(names={"a": (3, TWIST, 0)}), ["Own", "part = 3"]),
    (own(names={5: (0, TWIST, 0)}), ["Own", "coordinates"]),
    (own(names={"a": TWIST}), ["Own", "three numbers"]),
    (own((99, 0, 0.0)), ["Own", "measure = 99"]),
    (own((SLIDE, 3, 0.0)), ["Own", "axis = 3"]),
    (own((SLIDE, 0, float("nan"))), ["Own", "target = nan"]),
    (own(point_a=(0, 0)), ["Own", r"point_a = \(0, 0\)"]),
    (own(quaternion_b=(0, 0, 0, 0)), ["Own", r"quaternion_b = \(0, 0, 0, 0\)"]),
    (lambda w: w.add_joint(Own(()), None, w.body("cube")), ["Own", "empty"]),
    (lambda w: w.add_joint(Own(5), None, w.body("cube")), ["Own", "= 5"]),
]


@pytest.mark.parametrize(("call", "words"), CALLS, ids=[str(words) for _, words in CALLS])
def test_refused_calls_change_nothing(call, words):
    """Name argument and value, and leave all as it was: bodies, joints, state and the steps that follow."""
    world, twin = small_world(), small_world()
    with pytest.raises((TypeError, ValueError, KeyError)) as caught:
        call(world)
    for word in words:
        assert re.search(word, str(caught.value)), (word, str(caught.value))
    assert world.state_hash() == twin.state_hash()
    assert [b.name for b in world.bodies] == [b.name for b in twin.bodies]
    assert world.shape_table.count == twin.shape_table.count
    assert [(j.name, len(j.limits), len(j.drives)) for j in world.joints] == [("hinge", 1, 1)]
    for one in (world, twin):
        one.step(3)
        one.add_body(CUBE, position=(9, 0, 0.5))
        one.step(3)
    assert world.state_hash() == twin.state_hash()
    assert world.bodies[-1].name == twin.bodies[-1].name


def test_refused_snapshot_leaves_the_world():
    """Refuse a snapshot of another collision backend before bodies are taken out."""
    world, twin = small_world(), small_world()
    other = st.World(settings=st.Settings(collision="fcl"))
    other.add_body(CUBE)
    with pytest.raises(ValueError, match="'fcl'.*'native'.*build a world"):
        world.restore(other.save())
    for one in (world, twin):
        one.step(5)
    assert world.state_hash() == twin.state_hash()


def test_all_bits_are_all_groups():
    """Take 0xFFFFFFFFFFFFFFFF for what it says, as other engines do."""
    world = st.World()
    world.add_body(st.HalfSpace(), kind="static", mask=0xFFFFFFFFFFFFFFFF, group=0xFFFFFFFFFFFFFFFF)
    ball = world.add_body(st.Sphere(0.5), position=(0, 0, 0.5), mask=np.uint64(2**64 - 1))
    world.step(20)
    assert ball.position[2] == pytest.approx(0.5, abs=1e-6)


FLOATS = [field for field in fields(st.Settings) if field.type in (float, "float")]
OTHERS = [field for field in fields(st.Settings) if field not in FLOATS]
FRICTIONS = ["friction", "static_friction", "rolling_friction", "torsional_friction"]
AT_LEAST = ("largest_turn", "most_cost", "sleep_distance", "sleep_time", "contact_margin")
NUMBERS = [0, 1, 2000, np.int32(1), np.float32(1.0), np.uint8(1), np.float64(1.0)]


@pytest.mark.parametrize("field", FLOATS)
def test_settings_are_floats(field):
    """Take every number for a float, so that kernels are found that were compiled for floats."""
    for value in NUMBERS:
        if value == 0 and field.name in AT_LEAST:
            continue
        changes = {field.name: value}
        if field.name == "touch_distance":
            changes["contact_margin"] = 1e4
        found = getattr(replace(st.Settings(), **changes), field.name)
        assert type(found) is float and found == value
    for value in ("1", True, None, 1j, [1.0], np.array([1.0]), float("nan"), -1, BIG):
        with pytest.raises((TypeError, ValueError), match=f"^settings.{field.name} = "):
            replace(st.Settings(), **{field.name: value})


@pytest.mark.parametrize("field", OTHERS)
def test_other_settings_are_checked(field):
    """Refuse what is no whole number, no switch and no word."""
    good = getattr(st.Settings(), field.name)
    wrong = [None, 1.5, "no such word", [good], b"1", float("nan"), -1]
    wrong += [] if isinstance(good, bool) else [True]
    wrong += [1, 0] if isinstance(good, bool) else []
    for value in wrong:
        with pytest.raises((TypeError, ValueError), match=f"^settings.{field.name} = "):
            replace(st.Settings(), **{field.name: value})
    if type(good) is int:
        found = getattr(replace(st.Settings(), **{field.name: np.int16(good)}), field.name)
        assert type(found) is int
    if type(good) is bool:
        assert type(getattr(replace(st.Settings(), **{field.name: np.True_}), field.name)) is bool


def test_settings_of_other_numbers_run():
    """Make the same steps with ints as with floats."""
    worlds = []
    for changes in (dict(direct_work=2e3, resting_speed=0.0), dict(direct_work=2000, resting_speed=0)):
        world = small_world()
        world.step(1)
        world.settings = st.Settings(**changes)
        world.step(5)
        worlds.append(world)
    assert worlds[0].state_hash() == worlds[1].state_hash()
    assert worlds[0].settings == worlds[1].settings


@pytest.mark.parametrize("name", ["restitution", *FRICTIONS])
def test_material_values_are_floats(name):
    """Take every number for a float, and refuse the rest, naming it."""
    for value in (1, np.float32(1.0), np.int8(1)):
        found = getattr(st.Material(**{name: value}), name)
        assert type(found) is float and found == 1.0
    assert st.Material(friction=1) == st.Material(friction=1.0)
    for value in ("1", True, [0.5], np.array([0.5]), 1j, float("nan"), float("inf"), -0.5, BIG, 1e300):
        with pytest.raises((TypeError, ValueError), match=f"^{name} = "):
            st.Material(**{name: value})
    with pytest.raises(TypeError, match="^name = 5"):
        st.Material(name=5)


@pytest.mark.parametrize("shape", [st.HalfSpace(), st.TriangleMesh(np.eye(3), [(0, 1, 2)])])
def test_scenery_does_not_move_by_forces(shape):
    """Refuse half-spaces and meshes as shapes of dynamic bodies, which would fall through their like."""
    world = st.World()
    properties = st.MassProperties(1.0, (0, 0, 0), (1, 1, 1), (1, 0, 0, 0))
    with pytest.raises(ValueError, match=r"scenery.*decompose"):
        world.add_body([st.Sphere(0.1), shape], mass_properties=properties)
    assert not world.bodies
    world.add_body(shape, kind="kinematic")
