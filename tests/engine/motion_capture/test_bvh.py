"""BVH files: skeletons and their motions, read and written."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import stoss as st

WALK = """HIERARCHY
ROOT Hips
{
	OFFSET 0.0 90.0 0.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Left Leg
	{
		OFFSET 10.0 -5.0 0.0
		CHANNELS 3 Xrotation Zrotation Yrotation
		JOINT Shin
		{
			OFFSET 0.0 -40.0 2.0
			CHANNELS 1 Xrotation
			End Site
			{
				OFFSET 0.0 -40.0 0.0
			}
		}
	}
	JOINT Chest
	{
		OFFSET 0.0 30.0 0.0
		CHANNELS 2 Zrotation Xrotation
		End Site
		{
			OFFSET 0.0 25.0 0.0
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.04
0 90 0 0 0 0 0 0 0 0 0 0
1 91 2 10 20 30 15 -25 35 40 -12 8
2 92 4 20 40 60 30 -50 70 80 -24 16
"""


def written(tmp_path, text=WALK):
    file = tmp_path / "walk.bvh"
    file.write_text(text)
    return file


def places(values):
    """Return where the joints and ends are, by products of rotations as the format says, z up [m]."""

    def turns(order, *angles):
        return Rotation.from_euler(order, np.array(angles), degrees=True)

    hips = turns("ZYX", *values[3:6])
    at = np.array(values[:3])
    leg = hips * turns("XZY", *values[6:9])
    knee = at + hips.apply((10, -5, 0)) + leg.apply((0, -40, 2))
    shin = leg * turns("X", values[9])
    chest = hips * turns("ZX", *values[10:12])
    found = {
        "Hips": at,
        "Left Leg": at + hips.apply((10, -5, 0)),
        "Shin": knee,
        "Shin end": knee + shin.apply((0, -40, 0)),
        "Chest end": at + hips.apply((0, 30, 0)) + chest.apply((0, 25, 0)),
    }
    return {name: 0.01 * np.array((x, -z, y)) for name, (x, y, z) in found.items()}


def test_joints_turn_in_the_order_of_the_file(tmp_path):
    """Put joints and ends where products of rotations put them, y up and centimetres made z up and metres."""
    skeleton, motion = st.load_bvh(written(tmp_path))
    rows = [[float(x) for x in line.split()] for line in WALK.splitlines()[-3:]]
    assert len(motion) == 3 and motion.duration == pytest.approx(0.08) and len(skeleton) == 12
    for k, values in enumerate(rows):
        motion.show(skeleton, motion.times[k])
        markers = {m.name.rpartition(":")[2]: m.position for m in skeleton.world.markers}
        for name, wanted in places(values).items():
            np.testing.assert_allclose(markers[name], wanted, atol=1e-12, err_msg=name)
    # what a file turns are the coordinates, in its order
    np.testing.assert_allclose(np.degrees(motion.coordinate("Shin")), (0, 40, 80), atol=1e-12)
    np.testing.assert_allclose(np.degrees(motion.coordinate("Hips.turn_x")), (0, 10, 20), atol=1e-12)


def test_the_world_of_a_skeleton_can_fall(tmp_path):
    """Let the engine move the bodies of a file: they fall by g t^2 / 2, their joints closed."""
    skeleton, motion = st.load_bvh(written(tmp_path))
    skeleton.set_state(motion.at(0.04))
    world, height = skeleton.world, skeleton.center_of_mass()[2]
    world.step(20)
    assert max(joint.error for joint in world.joints) < 1e-5
    fallen = 0.5 * 9.81 * (20 * world.time_step) ** 2
    assert height - skeleton.center_of_mass()[2] == pytest.approx(fallen, abs=1e-9)


def test_joints_may_have_colons_in_their_names(tmp_path):
    """Read and write joints of name spaces, as some programs write them."""
    text = WALK.replace("ROOT Hips", "ROOT rig:Hips").replace("JOINT Shin", "JOINT rig:Shin")
    skeleton, motion = st.load_bvh(written(tmp_path, text))
    st.save_bvh(tmp_path / "again.bvh", skeleton, motion)
    again, _ = st.load_bvh(tmp_path / "again.bvh")
    assert [m.name for m in again.world.markers] == [m.name for m in skeleton.world.markers]
    seen = st.record_markers(skeleton, motion)
    assert "rig:Shin" in seen.names and "rig:Shin end" in seen.names
    found = st.track_markers(skeleton, seen, motion.q[0])
    assert found.residual < 1e-6


def test_positions_replace_offsets_or_are_added(tmp_path):
    """Take the positions of a root in either way that is in use, and say which."""
    text = WALK.replace("\n0 90 0", "\n0 0 0").replace("\n1 91 2", "\n1 1 2").replace("\n2 92 4", "\n2 2 4")
    skeleton, motion = st.load_bvh(written(tmp_path, text))
    assert motion.about["added to offsets"] == "Hips"
    motion.show(skeleton, 0.04)
    np.testing.assert_allclose(skeleton.world.marker("Hips:Hips").position, (0.01, -0.02, 0.91), atol=1e-12)
    assert not st.load_bvh(written(tmp_path))[1].about["added to offsets"]


@pytest.mark.parametrize(("unit", "up"), [("cm", "y"), ("m", "z")])
def test_what_is_written_is_read_again(tmp_path, unit, up):
    """Have all markers where they were after a skeleton went to a file and back."""
    skeleton, motion = st.load_bvh(written(tmp_path))
    st.save_bvh(tmp_path / "again.bvh", skeleton, motion, unit=unit, up=up)
    again, same = st.load_bvh(tmp_path / "again.bvh", unit=unit, up=up)
    assert len(again.world.markers) == len(skeleton.world.markers)
    for time in motion.times:
        motion.show(skeleton, time)
        same.show(again, time)
        for one in skeleton.world.markers:
            np.testing.assert_allclose(again.world.marker(one.name).position, one.position, atol=1e-8)


def test_any_tree_can_be_written(tmp_path):
    """Write bodies with frames of their own, a slide and a hinge, and find their relative turns again."""
    world = st.World()
    cart = world.add_body(
        st.Box((0.4, 0.2, 0.1)), position=(0, 0, 1), quaternion=(0.8, 0, 0.6, 0), name="cart"
    )
    arm = world.add_body(st.Capsule(0.05, 0.4), position=(0.1, 0.05, 0.7), name="arm")
    tip = world.add_body(st.Box((0.1, 0.2, 0.3)), position=(0.1, 0, 0.3), quaternion=(0, 1, 0, 0), name="tip")
    world.add_joint(st.Slider((0, 0, 0), (1, 0, 0)), None, cart, name="rail")
    world.add_joint(st.Ball((0.1, 0, 0.9)), cart, arm, name="ball")
    world.add_joint(st.Cylindrical((0.1, 0, 0.5), (0, 0.6, 0.8)), tip, arm, name="telescope")
    both = st.Articulation(world)
    times = np.arange(5) * 0.02
    motion = st.Motion(both.coordinates, times, 0.3 * np.sin(np.outer(1 + times * 9, np.arange(1, 7))))
    st.save_bvh(tmp_path / "any.bvh", both, motion, unit="m")
    again, same = st.load_bvh(tmp_path / "any.bvh", unit="m")
    zero = both.poses(np.zeros(len(both)))[1]
    for k, time in enumerate(times):
        same.show(again, time)
        at, turns = both.poses(motion.q[k])
        for body in world.bodies:
            turn = _rotation(turns[body.index]) * _rotation(zero[body.index]).inv()
            found = _rotation(again.world.body(body.name).quaternion)
            assert (turn * found.inv()).magnitude() < 1e-8
        here = at[cart.index] + _rotation(turns[cart.index]).apply((0, 0, 0))
        moved = again.world.body("cart").position - here
        if k == 0:
            first = moved  # the frame of the file is at the joint
        np.testing.assert_allclose(moved, first, atol=1e-8)
    two = st.World()
    for name in "ab":
        two.add_body(st.Sphere(0.1), name=name)
    loose = st.Articulation(two)
    with pytest.raises(ValueError, match="'a' and 'b' are both carried by the world"):
        st.save_bvh(tmp_path / "two.bvh", loose, st.Motion(loose.coordinates, [0.0], np.zeros((1, 12))))


def _rotation(quaternion):
    return Rotation.from_quat(np.roll(quaternion, -1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("HIERARCHY", "HIERARCH"), r"walk.bvh:1: no BVH file"),
        (("JOINT Shin", "JOINT Hips"), r"walk.bvh:10: joint 'Hips' is there twice"),
        (("ROOT Hips", "JOINT Hips"), r"walk.bvh:2: JOINT 'Hips' outside a root"),
        (("-40.0 2.0", "-40.0 two"), r"walk.bvh:12: 'two' is no number"),
        (("CHANNELS 1 Xrotation", "CHANNELS 1 Xturn"), r"walk.bvh:13: channel 'Xturn' of 'Shin'"),
        (("2 Zrotation Xrotation", "2 Zrotation Zrotation"), r"channel Zrotation of 'Chest' is there twice"),
        (("Frames: 3", "Frames: 0"), r"0 frames of 0.04 s"),
        (("Frames: 3", "Frames: 4"), r"Frames: 4, but 3 lines of numbers follow"),
        (("2 92 4 20", "2 92 4 20 7"), r"walk.bvh:35: 13 numbers; the joints have 12 channels"),
        (("2 92 4 20", "2 92 4 x"), r"walk.bvh:35: a cell is no number"),
        (("2 92 4 20", "2 92 4 nan"), r"walk.bvh:35: a number is not finite"),
        (("MOTION", ""), r"no word of a BVH file|the file ends without MOTION"),
        (("}\nMOTION", "MOTION"), r"MOTION, but the '\{' of line \d+ is still open"),
        ((WALK[WALK.index("ROOT") : WALK.index("MOTION")], ""), r"a skeleton without a root"),
    ],
)
def test_broken_files_are_told_by_line(tmp_path, change, message):
    """Say in which line of a file what is wrong."""
    assert change[0] in WALK
    with pytest.raises(ValueError, match=message):
        st.load_bvh(written(tmp_path, WALK.replace(*change)))


def test_other_units_are_warned_of(tmp_path):
    """Tell of a skeleton that is a giant or a dwarf."""
    with pytest.warns(UserWarning, match="with unit = 'm' the skeleton measures"):
        st.load_bvh(written(tmp_path), unit="m")
    with pytest.warns(UserWarning, match="with unit = 'mm' the skeleton measures"):
        st.load_bvh(written(tmp_path), unit="mm")
    with pytest.raises(FileNotFoundError):
        st.load_bvh(tmp_path / "none.bvh")
