"""Models of simsys: how they are assembled (Krieg 1992, test T-05), strictly, leniently; wrong files."""

import math
import random
import shutil
from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.engine.exchange import import_model, read_simsys

EXAMPLE = Path(__file__).parents[4] / "examples" / "models" / "simsys"
FILES = ("arm_with_drill.dat", "joints.dat", "bodies.dat", "start.dat", "loads.dat", "simuser.hc")
NAMES = "trunk upper_arm forearm hand drill trunk_soft upper_arm_soft forearm_soft hand_soft".split()

# Table 3.3: centres of mass [m] and angles [degrees].
ASSEMBLED = [
    (0.343604, 0.990711, 0.0),
    (0.540381, 1.413934, 45.0),
    (0.858579, 1.378579, -45.0),
    (1.000000, 1.540000, 0.0),
    (1.180000, 1.600000, 90.0),
]
ASSEMBLED += ASSEMBLED[:4]


@pytest.fixture
def files(tmp_path):
    """Return a folder with the files of the example, to be changed."""
    for name in FILES:
        shutil.copy(EXAMPLE / name, tmp_path / name)
    return tmp_path


def change(folder, name, *pairs):
    """Replace texts in a file; each must be there."""
    text = (folder / name).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text)


def read(folder, **options):
    return read_simsys(folder / "arm_with_drill.dat", **options)


def test_the_example_is_assembled():
    """Find centres, angles, joints and levers of the nine bodies (T-05)."""
    world = st.Model.load(EXAMPLE / "arm_with_drill.dat").build()
    assert [body.name for body in world.bodies] == [f"body_{k}" for k in range(1, 10)]
    for body, (x, z, angle) in zip(world.bodies, ASSEMBLED, strict=True):
        motion = world.plane.motion(body)
        np.testing.assert_allclose(motion.position, (x, z), atol=1e-6)
        assert math.degrees(motion.angle) == pytest.approx(angle, abs=1e-12)
    assert world.masses.sum() == pytest.approx(188.9)
    joints = {"joint_1": (0.363604, 1.590711), "joint_2": (0.717157, 1.237157), "joint_3": (1.0, 1.52)}
    for name, place in joints.items():
        joint = world.joint(name)
        np.testing.assert_allclose(joint.first_point[:2], place, atol=1e-6)
        assert joint.error < 1e-15
    places = {"body_1:lever_2": (0.343604, 0.090711), "body_1:lever_3": (0.343604, 1.890711)}
    places |= {"body_5:lever_2": (1.36, 1.6), "body_4:lever_3": (1.0, 1.6)}
    for name, place in places.items():
        np.testing.assert_allclose(world.marker(name).position[:2], place, atol=1e-6)
    assert world.time_step == 0.001 and world.planar == "xy" and not world.gravity.any()


def test_chains_beside_others_and_velocities(files):
    """Place chains beside other bodies, by any lever, and give all bodies the velocities of their joints."""
    rates = ("0: (0.0, 57.29577951308232);", "0: (45.0, -60.0);", "0: (-45.0, 90.0);", "0: (0.0, -120.0);")
    change(
        files,
        "start.dat",
        ("0: (0.0, 0.0);\n0: (45.0, 0.0);\n0: (-45.0, 0.0);\n0: (0.0, 0.0);", "\n".join(rates)),
        ("4-3, 0: (1.0, 0.0); (1.6, 0.0);", "4-3, 5: (0.1, 0.5); (-0.2, 0.25);"),
        ("5-1, 0: (1.0, 0.0); (1.6, 0.0);", "5-0, 0: (1.0, 2.0); (1.6, -1.0);"),
        ("6-0, 1: (0.0, 0.0); (0.0, 0.0);", "6-1, 2: (0.3, 1.0); (0.4, -2.0);"),
        ("0: (90.0, 0.0);", "0: (90.0, 36.0);"),
    )
    world = read(files).build()
    drill, hand = world.body("body_5"), world.marker("body_4:lever_3")
    np.testing.assert_allclose(drill.velocity, (2.0, -1.0, 0.0))
    assert drill.angular_velocity[2] == pytest.approx(math.radians(36.0))
    np.testing.assert_allclose(hand.position - drill.position, (0.1, -0.2, 0.0), atol=1e-12)
    np.testing.assert_allclose(hand.velocity - drill.velocity, (0.5, 0.25, 0.0), atol=1e-12)
    soft, arm = world.marker("body_6:lever_1"), world.body("body_2")
    np.testing.assert_allclose(soft.position - arm.position, (0.3, 0.4, 0.0), atol=1e-12)
    np.testing.assert_allclose(soft.velocity - arm.velocity, (1.0, -2.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(world.angular_velocities[:4, 2], [1.0, *np.radians([-60.0, 90.0, -120.0])])
    np.testing.assert_allclose(
        world.angular_velocities[5:, 2], world.angular_velocities[:4, 2]
    )  # from the bones
    for joint, (first, second) in {"1": ("1:lever_1", "2:lever_1"), "3": ("3:lever_2", "4:lever_1")}.items():
        ends = [world.marker(f"body_{one}") for one in (first, second)]
        np.testing.assert_allclose(ends[0].position, ends[1].position, atol=1e-12)
        np.testing.assert_allclose(ends[0].velocity, ends[1].velocity, atol=1e-12)
        assert world.joint(f"joint_{joint}").error < 1e-12


def test_parameters(files):
    """Take parameters from their keys, their defaults where there is none, and vary them."""
    change(files, "arm_with_drill.dat", ("BohrKraft      300.0\n", ""))
    model = read(files)
    params = {one.name: one.value for one in model.params}
    assert params["BohrKraft"] == 0.0 and params["RumpfMoment"] == 1000.0 and params["HandgelD"] == 20.0
    assert model.record.duration == 1.0 and model.record.every == 0.001
    with pytest.raises(st.ModelError, match="SchulgelP"):
        model.build({"SchulgelQ": 1.0})


def test_lenient_reading(files):
    """Repair what the printed files suffer from, and tell each repair; strictly they are refused."""
    levers = (files / "bodies.dat").read_text().split("@@HEBEL@\n")[1].split("@@@")[0]
    commented = "\n".join(f"# {one}" if one.startswith("(") else one for one in levers.splitlines())
    change(files, "bodies.dat", (levers, "# (0, Ausg, x1, z1); (0, Ausg, x2, z2); ...\n" + commented + "\n"))
    change(files, "loads.dat", ("RumpfMoment:RumpfMoment", "Rumpfmoment:RumpfMoment"))
    change(files, "start.dat", ("\n4: (0.0, 0.0);", "\n4: (0.0, 0.0)"))
    change(files, "joints.dat", ("@@@\n\n@@WINKEL@", "\n@@WINKEL@"))
    with pytest.raises(st.ModelError, match="lenient=True"):
        read(files)
    model = read(files, lenient=True)
    told = "\n".join(model.left_out)
    assert told.count("levers stand in a comment") == 9
    for repair in (
        "'RumpfMoment' is written 'Rumpfmoment'",
        "';' is missing",
        "GELENKE of line 3 does not end",
    ):
        assert repair in told
    strict = st.Model.load(EXAMPLE / "arm_with_drill.dat")
    assert model.replace(left_out=(), origin=strict.origin) == strict.replace(left_out=())


def wrong(folder):
    """Return changes of files that make them wrong, and what must be told."""
    start, bodies, joints, loads, keys = (
        "start.dat",
        "bodies.dat",
        "joints.dat",
        "loads.dat",
        "arm_with_drill.dat",
    )
    return [
        (start, "4-3, 0", "4-9, 0", r"start.dat:3: body 4 has no lever 9; it has 4"),
        (start, "4-3, 0", "12-0, 0", "there is no body 12; there are 9"),
        (start, "4-3, 0: (1.0, 0.0); (1.6, 0.0);\n", "", "chain of body 1 has no place"),
        (start, "6-0, 1", "2-0, 0", "chain of body 2 begins at body 4 already"),
        (start, "6-0, 1", "6-0, 6", "body 6 is of the same chain"),
        (start, "4-3, 0", "4-3, 6", "circle"),
        (start, "\n1: (0.0, 0.0);", "\n6: (0.0, 0.0);", "circle: 6 -> 6"),
        (start, "0: (90.0, 0.0);\n", "", "8 rows for 9 bodies"),
        (bodies, "\n125.0\n", "\n", "@@MASSEN@ has 8 numbers"),
        (bodies, "\n125.0\n", "\n-1\n", "a mass is above 0, not -1"),
        (bodies, "@@TRAEGHEITSMOMENTE@", "@@TRAEGHEIT@", "no block @@TRAEGHEITSMOMENTE@"),
        (bodies, "(0, 0, 0.0, 0.25); (0, 0, 0.0, -0.25);\n", "(0, 0, 0.0, 0.25);\n", "1 levers here.*2"),
        (bodies, "(1:4-6:1)", "(1:6-6:1)", "body 1 has no lever 6"),
        (bodies, "(1:4-6:1)", "(11:4-6:1)", "no body 11"),
        (joints, "0 0 0 0 0 0 0 0 2\n", "", "8 rows, and this one has 9"),
        (joints, "0 0 0 0 2 0", "1 0 0 0 2 0", "bodies 5 and 1 are joined left of the diagonal"),
        (joints, "0 0 0 0 0 0 2 0 0", "0 0 0 0 0 0 0 0 0", "body 7 has neither joints nor levers"),
        (joints, "(3:1);", "(4:1);", "no joint 4; there are 3"),
        (joints, "(2:1);", "(1:1);", "joint 1 is there twice"),
        (loads, "Wrist(3)", "Wrist(5)", "Wrist: there is no number 5; the last is 3"),
        (loads, "Hammer(5:2)", "Hammer(5:3)", "body 5 has no lever 3"),
        (loads, "BohrFrequenz:BohrFrequenz", "BohrFrequenz:BohrKraft", "variable BohrKraft is there twice"),
        (keys, "EingHebel      bodies.dat", "EingHebel", "EingHebel is missing"),
        (keys, "EingHebel      bodies.dat", "EingHebel ../bodies.dat", "EingHebel: .*outside"),
        (keys, "EingHebel      bodies.dat", "EingHebel none.dat", "EingHebel: there is no file 'none.dat'"),
        (keys, "IntSchrWeite   1.0", "IntSchrWeite   0", "IntSchrWeite = 0 must be above 0"),
        (keys, "GravitatX      0.0", "GravitatX      much", "'much' is no finite number"),
        (keys, "Eing", "Ein", "no key begins with Eing"),
    ]


@pytest.mark.parametrize("case", range(28))
def test_wrong_files(files, case):
    """Say in one line which file, and line, is wrong, and what would be right."""
    name, old, new, told = wrong(files)[case]
    change(files, name, (old, new))
    with pytest.raises(st.ModelError, match=told) as error:
        read(files)
    assert "\n" not in str(error.value)


def test_damaged_files_are_refused_or_read(files):
    """Give a model or a message for files with lost, doubled or changed characters, and for noise."""
    rng = random.Random(5)
    for number in range(120):
        name = FILES[number % len(FILES)]
        good = (files / name).read_text()
        at = rng.randrange(len(good))
        bad = [
            good[:at] + good[at + rng.randrange(1, 40) :],
            good[:at] + rng.choice("({;,:#@0-\"'") + good[at:],
        ]
        bad.append("".join(chr(rng.randrange(1, 256)) for _ in range(200)))
        (files / name).write_text(bad[number % 3], encoding="latin-1")
        for lenient in (False, True):
            try:
                read(files, lenient=lenient)
            except st.ModelError as error:
                assert "\n" not in str(error)
        (files / name).write_text(good)


def test_names_and_formats(files):
    """Name bodies as asked for; find the format by the ending."""
    model = import_model(files / "arm_with_drill.dat", names=NAMES)
    assert [body.name for body in model.bodies] == NAMES
    assert model.joints[0].first == "trunk:lever_1"
    with pytest.raises(st.ModelError, match="2 names for 9 bodies"):
        read(files, names=["a", "b"])
    (files / "large.dat").write_bytes(b"IntDauer 1\n" * 2_000_000)
    with pytest.raises(st.ModelError, match="no file of simsys"):
        read_simsys(files / "large.dat")
    (files / "binary.dat").write_bytes(b"EingHebel\0")
    with pytest.raises(st.ModelError, match="byte 0"):
        st.Model.load(files / "binary.dat")


def test_blocks_and_toml_are_the_same_world():
    """Build from the block files, to the bit, what the file in TOML builds: loads and controllers too."""
    model = read_simsys(EXAMPLE / "arm_with_drill.dat", names=NAMES)
    world, other = model.build(), st.Model.load(EXAMPLE.parent / "arm_with_drill.toml").build()
    for one in (world, other):
        one.step(100)
    np.testing.assert_array_equal(world.positions, other.positions)
    np.testing.assert_array_equal(world.velocities, other.velocities)
    assert len(world.loads) == len(other.loads) + 1  # the stop of the wrist, which is off
    gains = [(one.kp, one.ki, one.kd) for one in world.actuators.values()]
    assert gains == [(200.0, 400.0, 20.0)] * 3
    assert np.abs(world.velocities).max() > 0.1
    bare = model.build({"BohrKraft": 0.0})
    bare.step(20)
    assert np.abs(bare.velocities).max() < 1e-12


def test_stops_count_as_simsys_does(files):
    """Put stops where the joint's own angle, from 90 to 270 degrees, has them, also counted backwards."""
    change(files, "arm_with_drill.dat", ("GelAnschlOrdnung 0", "GelAnschlOrdnung 2"))
    change(files, "joints.dat", ("(2:1);", "(2:-1); (10, 2: 30); (170, 4: 50);"))
    world = read(files).build()
    wrist, lower, upper = (world.load(f"{name}").kind for name in ("stop_3", "lower_stop_2", "upper_stop_2"))
    # the wrist begins at 225 degrees of simsys, at 45 of the coordinate
    np.testing.assert_allclose(np.degrees((wrist.lower, wrist.upper)), (-90.0, 90.0))
    np.testing.assert_allclose(np.degrees((wrist.width_lower, wrist.width_upper)), (3.0, 5.0))
    assert wrist.order == 2 and wrist.exponent == "degrees" and world.load("stop_3").enabled
    # the elbow, counted backwards, begins at 90 degrees, at -90 of the coordinate
    np.testing.assert_allclose(np.degrees((lower.lower, upper.upper)), (-170.0, -10.0))
    assert (lower.max_torque, upper.max_torque) == (50.0, 30.0)


def test_other_code(files):
    """Take muscles, plain torques and controllers of fixed angles over; tell of what is none of them."""
    change(
        files,
        "loads.dat",
        ("Hammer[0] = -0.5 * BohrKraft;", "Hammer[0] = -BohrKraft * sin (zt) * sin (zt);"),
        (
            "Wrist = Pid (2, HandgelP, HandgelI, HandgelD);",
            "Wrist = 5 * (GelWinkel[2] - PI) + 2 * GelWinGeschw[2];",
        ),
        ("Shoulder = Pid (0, SchulgelP, SchulgelI, SchulgelD);", "Shoulder = 7.5;"),
        ("Elbow = Pid (1, EllengelP, EllengelI, EllengelD);", "Elbow = GelWinkel[0] * 2;"),
        (
            "@@KRAEFTE@",
            "@@MUSKELN@\nBiceps(1,2-2,1) { Biceps = 3 * BohrKraft; }\n"
            "Tendon(1,2-3,2) { Tendon = 8 * (dr - 0.2); }\n@@@\n@@KRAEFTE@",
        ),
    )
    model = read(files)
    told = "\n".join(model.left_out)
    assert "Hammer" not in told
    assert "Elbow: a torque that depends on GelWinkel[0]" in told
    world = model.build()
    hammer = world.load("Hammer")
    world.step(3)
    assert np.linalg.norm(hammer.force) == pytest.approx(300 * np.sin(2.5 * world.time_step) ** 2, rel=1e-9)
    assert hammer.force[0] < 0
    assert world.load("Biceps").kind.force == 900.0 and world.load("Shoulder").kind.torque == -7.5
    tendon = world.load("Tendon").kind
    assert (tendon.stiffness, tendon.rest) == (8.0, pytest.approx(0.2))
    servo = world.actuators["joint_3"]  # straight, at 180 degrees of simsys, is 0 of the coordinate
    assert (servo.kp, servo.kd) == (5.0, 2.0) and servo.target == pytest.approx(0.0, abs=1e-12)
