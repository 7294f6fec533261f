"""Imports of URDF and MJCF, against Pinocchio and MuJoCo, and of files that are wrong."""

import re

import numpy as np
import pytest

from stoss.benchmarks.robots import tree_dynamics as tree
from stoss.benchmarks.robots.files import wheel_folders
from stoss.engine.articulated import Articulation
from stoss.engine.exchange import import_model, read_urdf
from stoss.engine.model import Model
from stoss.engine.model.errors import ModelError


def robot(seed=1, joints=7):
    """Return the text of a URDF robot: a branched tree with turned inertias and links that are fixed."""
    rng = np.random.default_rng(seed)
    parts = ["<robot name='arm'>", _link("base", rng)]
    for k in range(joints):
        parent = "base" if k == 0 else f"link{rng.integers(max(0, k - 2), k)}"
        kind = ["revolute", "prismatic", "continuous"][k % 3]
        xyz, rpy = rng.uniform(-0.4, 0.4, 3), rng.uniform(-2, 2, 3)
        axis = rng.normal(size=3)
        parts.append(_link(f"link{k}", rng))
        parts.append(
            f"<joint name='joint{k}' type='{kind}'><origin xyz='{_text(xyz)}' rpy='{_text(rpy)}'/>"
            f"<parent link='{parent}'/><child link='link{k}'/><axis xyz='{_text(axis)}'/>"
            "<limit lower='-3' upper='3' effort='10' velocity='2'/></joint>"
        )
        if k % 2:
            parts.append(_link(f"tool{k}", rng))
            parts.append(
                f"<joint name='weld{k}' type='fixed'><origin xyz='0.1 0.2 0.05' rpy='{_text(rpy)}'/>"
                f"<parent link='link{k}'/><child link='tool{k}'/></joint>"
            )
    return "\n".join([*parts, "</robot>"])


def _text(values):
    return " ".join(repr(float(one)) for one in values)


def _link(name, rng):
    a = rng.normal(size=(3, 3))
    i = 0.01 * (np.trace(a @ a.T) * np.eye(3) - a @ a.T)
    names = {"ixx": i[0, 0], "ixy": i[0, 1], "ixz": i[0, 2], "iyy": i[1, 1], "iyz": i[1, 2], "izz": i[2, 2]}
    tensor = " ".join(f"{key}='{float(value)!r}'" for key, value in names.items())
    return (
        f"<link name='{name}'><inertial><origin xyz='{_text(rng.uniform(-0.1, 0.1, 3))}' "
        f"rpy='{_text(rng.uniform(-1, 1, 3))}'/><mass value='{float(rng.uniform(0.5, 3))!r}'/>"
        f"<inertia {tensor}/></inertial></link>"
    )


def written(tmp_path, text, name="robot.urdf"):
    path = tmp_path / name
    path.write_text(text)
    return path


def rigid(model):
    """Return a model without what acts on its joints but rotors."""

    def rotors(joint):
        return tuple(one for one in joint.actions if one.type == "rotor")

    return model.replace(joints=tuple(joint.replace(actions=rotors(joint)) for joint in model.joints))


def test_urdf_has_the_dynamics_of_pinocchio(tmp_path):
    """Agree on mass, centre of mass, mass matrix, gravity and first accelerations in 20 random poses."""
    pin = pytest.importorskip("pinocchio")
    path = written(tmp_path, robot())
    model = rigid(read_urdf(path, fixed_base=True))
    judge = pin.buildModelFromUrdf(str(path))
    data, rng = judge.createData(), np.random.default_rng(3)
    names = list(judge.names)[1:]
    order = [[joint.name for joint in model.joints].index(name) for name in names]
    mass = sum(body.mass for body in model.build().bodies)
    assert mass == pytest.approx(sum(inertia.mass for inertia in judge.inertias) - judge.inertias[0].mass)
    for number in range(20):
        values = rng.uniform(-2.0, 2.0, len(names))
        q = pin.neutral(judge)
        for name, value in zip(names, values, strict=True):
            joint = judge.joints[judge.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(value), np.sin(value)) if joint.nq == 2 else value
            )
        posed = tree.posed(model, dict(zip(names, values, strict=True)))
        matrix, torques = tree.mass_matrix_and_gravity(posed)
        wanted = pin.crba(judge, data, q)
        wanted = np.triu(wanted) + np.triu(wanted, 1).T
        np.testing.assert_allclose(matrix[np.ix_(order, order)], wanted, atol=1e-9 * np.abs(wanted).max())
        wanted = pin.computeGeneralizedGravity(judge, data, q)
        np.testing.assert_allclose(torques[order], wanted, atol=1e-9 * np.abs(wanted).max())
        if number < 5:
            found = tree.first_accelerations(posed)[order]
            wanted = pin.aba(judge, data, q, np.zeros(judge.nv), np.zeros(judge.nv))
            np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())


MJCF = """<mujoco><compiler angle="radian"/><option timestep="0.002"/>
<default><geom density="500"/>
<default class="soft"><joint armature="{armature}" damping="0.3"/></default></default>
<worldbody><geom type="plane" size="5 5 1"/>
<body name="arm" pos="0 0 1" euler="0.3 0.2 0.1"><joint name="a" axis="0 1 0" pos="0.1 0 0" class="soft"/>
<geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.04"/>
<body name="tip" pos="0.4 0 0.1"><joint name="b" type="slide" axis="1 0.2 0"/><joint name="c" axis="0 0 1"/>
<geom type="box" size="0.1 0.05 0.02" euler="0.1 0.4 0"/><body pos="0 0 0.1"><geom type="sphere" size="0.05"/>
<site name="eye" pos="0 0.1 0"/></body></body></body></worldbody>
<actuator><position joint="c" kp="20" kv="1"/><motor joint="a"/></actuator></mujoco>"""


@pytest.mark.parametrize("armature", [0.0, 0.2])
def test_mjcf_has_the_dynamics_of_mujoco(tmp_path, armature):
    """Agree on mass matrix, gravity and first accelerations, with rotors and without."""
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, MJCF.format(armature=armature), "robot.xml")
    imported = import_model(path)
    assert [one.inertia for one in imported.joint("a").actions if one.type == "rotor"] == [0.2] * bool(
        armature
    )
    model = rigid(imported)
    judge = mujoco.MjModel.from_xml_path(str(path))
    judge.dof_damping[:] = 0.0
    judge.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data, rng = mujoco.MjData(judge), np.random.default_rng(5)
    names = [judge.joint(k).name for k in range(judge.njnt)]
    assert [joint.name for joint in model.joints] == names
    for _ in range(5):
        data.qpos[:] = rng.uniform(-1.0, 1.0, 3)
        mujoco.mj_forward(judge, data)
        posed = tree.posed(model, dict(zip(names, data.qpos, strict=True)))
        matrix, torques = tree.mass_matrix_and_gravity(posed)
        wanted = np.zeros((3, 3))
        mujoco.mj_fullM(judge, data, wanted)
        np.testing.assert_allclose(
            matrix + np.diag(judge.dof_armature), wanted, atol=1e-7 * np.abs(wanted).max()
        )
        np.testing.assert_allclose(torques, data.qfrc_bias, atol=1e-7 * np.abs(torques).max())
        found = tree.first_accelerations(posed)
        np.testing.assert_allclose(found, data.qacc, atol=1e-6 * np.abs(data.qacc).max())
        both = Articulation(posed.build())
        np.testing.assert_allclose(both.mass_matrix(), wanted, atol=1e-7 * np.abs(wanted).max())
        np.testing.assert_allclose(both.forward_dynamics(), data.qacc, atol=1e-7 * np.abs(data.qacc).max())
        taken = both.inverse_dynamics(changes=data.qacc)
        np.testing.assert_allclose(taken, 0.0, atol=1e-7 * np.abs(data.qfrc_bias).max())


def test_mjcf_keeps_what_has_a_counterpart(tmp_path):
    """Take over damping and servos, markers and floors, and tell of the motor."""
    pytest.importorskip("mujoco")
    model = import_model(written(tmp_path, MJCF.format(armature=0.2), "robot.xml"))
    assert [action.type for action in model.joint("a").actions] == ["damper", "rotor"]
    assert [action.type for action in model.joint("c").actions] == ["servo"]
    assert model.body("world").shapes[0].type == "half_space"
    assert [marker.name for marker in model.body("tip").markers][-1] == "eye"
    assert any("actuator" in item for item in model.left_out)
    world = model.build()
    world.step(20)
    assert max(joint.error for joint in world.joints) < 1e-6


def test_warnings_of_mujoco_are_told(tmp_path, monkeypatch):
    """Put what MuJoCo warns of among what was left out, not into a file where the program runs."""
    pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    text = MJCF.format(armature=0.0).replace('angle="radian"', 'angle="radian" settotalmass="14"')
    model = import_model(written(tmp_path, text, "robot.xml"))
    assert any("settotalmass" in item for item in model.left_out)
    assert [path.name for path in tmp_path.iterdir()] == ["robot.xml"]


def test_urdf_joins_links_and_lets_them_pass(tmp_path):
    """Make one body of fixed links, fix a base without mass, and couple joints that follow others."""
    text = """
<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="world"/>
<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><geometry><box size="1 1 1"/></geometry><material name="red"/></visual>
<collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="1"/></geometry></collision></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="3"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 2"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.5" friction="0.1"/></joint>
<joint name="f" type="fixed"><parent link="a"/><child link="tip"/><origin xyz="1 0 0"/></joint>
<joint name="k" type="continuous"><parent link="world"/><child link="b"/>
<mimic joint="j" multiplier="-2"/></joint>
<gazebo/></robot>"""
    model = import_model(written(tmp_path, text))
    assert [body.name for body in model.bodies] == ["world", "a", "b"]
    assert [body.kind for body in model.bodies] == ["static", "dynamic", "dynamic"]
    assert model.body("a").mass == 3.0 and model.body("a").center[0] == pytest.approx(1 / 3)
    assert [marker.name for marker in model.body("a").markers] == ["tip"]
    assert model.body("a").color == (1.0, 0.0, 0.0)
    assert [action.type for action in model.joint("j").actions] == ["limit", "damper", "friction"]
    assert model.joint("j").axis == (0.0, 0.0, 1.0)
    assert (
        model.exclude == (("a", "b"),)
        and import_model(tmp_path / "robot.urdf", self_collision=True).exclude == ()
    )
    told = " ".join(model.left_out)
    # a point is no body, but may be a part of one
    assert "'tip'" not in told and "'b': moments of inertia (1, 1, 3)" in told
    assert model.body("b").tensor[0][0] == pytest.approx(0.4 * 2.0 * 0.1**2)
    assert "effort" in told and "1 <gazebo>" in told
    world = model.build()
    world.body("a").angular_velocity = (0.0, 0.0, 1.0)
    world.body("b").angular_velocity = (-2.0, 0.0, 0.0)
    world.step(10)
    assert world.joint("k").value == pytest.approx(-2.0 * world.joint("j").value, abs=1e-5)


LINK = "<link name='a'><collision><geometry><mesh filename='{}'/></geometry></collision></link>"
BOMB = "<!DOCTYPE r [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]><robot name='&b;'/>"
OUTSIDE = "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot>&x;</robot>"
JOINT = "<joint name='j' type='{}'><parent link='{}'/><child link='{}'/></joint>"
WRONG = {
    "bomb": (BOMB, "DOCTYPE"),
    "entity": (OUTSIDE, "DOCTYPE"),
    "noise": ("\x01\x02\x03", "no XML"),
    "cut": ("<robot><link name='a'>", "no XML"),
    "other": ("<sdf/>", "begins neither"),
    "empty": ("<robot/>", "no <link>"),
    "deep": ("<robot>" + "<a>" * 300 + "</a>" * 300 + "</robot>", "200"),
    "twice": ("<robot><link name='a'/><link name='a'/></robot>", "taken"),
    "circle": (f"<robot><link name='a'/>{JOINT.format('fixed', 'a', 'a')}</robot>", "circle"),
    "unknown": (f"<robot><link name='a'/>{JOINT.format('fixed', 'a', 'z')}</robot>", "no link"),
    "type": (
        f"<robot><link name='a'/><link name='b'/>{JOINT.format('bolt', 'a', 'b')}</robot>",
        "type = 'bolt'",
    ),
    "parents": ("<robot><link name='a'/><link name='b'/></robot>", "2 first links"),
    "nan": (
        "<robot><link name='a'><inertial><mass value='nan'/></inertial></link></robot>",
        "value = 'nan'",
    ),
    "negative": (
        "<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
        "mass = -1",
    ),
    "missing mesh": (f"<robot>{LINK.format('meshes/none.stl')}</robot>", "no file"),
    "way out": (f"<robot>{LINK.format('../../etc/passwd')}</robot>", "outside"),
    "absolute": (f"<robot>{LINK.format('file:///etc/passwd')}</robot>", "outside"),
    "package": (f"<robot>{LINK.format('package://etc/passwd')}</robot>", "no file"),
    "package out": (f"<robot>{LINK.format('package://arm/../../etc/passwd')}</robot>", "without '..'"),
    "scheme": (f"<robot>{LINK.format('ftp://there/a.stl')}</robot>", "only package"),
    "include": ("<mujoco><include file='../../etc/passwd'/></mujoco>", "outside"),
    "mjcf mesh": ("<mujoco><asset><mesh file='/etc/passwd'/></asset></mujoco>", "outside"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_told_in_one_line(tmp_path, case):
    """Say what is wrong in one line with the file, and open nothing elsewhere."""
    text, said = WRONG[case]
    path = written(tmp_path, text, "robot.xml")
    with pytest.raises(ModelError, match=said) as told:
        import_model(path)
    assert "\n" not in str(told.value) and "robot.xml" in str(told.value)


def test_links_do_not_lead_out(tmp_path):
    """Refuse a link in the model's folder that leads elsewhere, unless that is allowed."""
    inside, outside = tmp_path / "model", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4"]
    (outside / "a.obj").write_text("\n".join(lines))
    (inside / "a.obj").symlink_to(outside / "a.obj")
    path = written(inside, f"<robot>{LINK.format('a.obj')}</robot>")
    with pytest.raises(ModelError, match="outside"):
        import_model(path)
    model = import_model(path, folders=[outside])
    assert model.bodies[0].shapes[0].type == "convex_hull"
    assert model.build().bodies[0].kind == "static"


def test_xacro_is_told_how_to_go_on(tmp_path):
    """Say what makes URDF of xacro, which runs code."""
    with pytest.raises(ModelError, match="xacro robot.urdf.xacro > robot.urdf"):
        Model.load(written(tmp_path, "<robot/>", "robot.urdf.xacro"))


def test_what_is_missing_may_be_left_out(tmp_path):
    """Leave meshes out that are not there, when asked, and say so."""
    path = written(tmp_path, f"<robot>{LINK.format('package://arm/a.stl')}</robot>")
    model = import_model(path, missing="skip")
    assert "a.stl" in " ".join(model.left_out)


def test_parts_may_be_what_no_body_is(tmp_path):
    """Take the inertia of fixed links together, points and what has no mass too, as Pinocchio does."""
    pin = pytest.importorskip("pinocchio")
    point = (
        "<link name='point'><inertial><origin xyz='0 0.1 0.2'/><mass value='0.7'/></inertial></link>"
        "<link name='spin'><inertial><mass value='0'/>"
        "<inertia ixx='0.01' iyy='0.02' izz='0.03' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='v' type='fixed'><parent link='link0'/><child link='spin'/></joint>"
    )
    weld = "<joint name='w' type='fixed'><parent link='link1'/><child link='point'/></joint></robot>"
    path = written(tmp_path, robot(joints=2).replace("</robot>", point + weld))
    model = rigid(read_urdf(path, fixed_base=True))
    judge = pin.buildModelFromUrdf(str(path))
    wanted = pin.aba(judge, judge.createData(), pin.neutral(judge), np.zeros(2), np.zeros(2))
    found = tree.first_accelerations(model)
    np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())


def test_bodies_with_several_joints_between_pass(tmp_path):
    """Let a body pass through the one that it moves on, however many joints there are, as MuJoCo does."""
    pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><body name="a"><freejoint/><geom size="0.2"/><body name="b" pos="0.1 0 0">
<joint name="i" axis="1 0 0"/><joint name="j" axis="0 1 0"/><geom size="0.2"/></body></body>
<body name="c" pos="0 0 0.3"><freejoint/><geom size="0.2"/></body></worldbody></mujoco>"""
    world = import_model(written(tmp_path, text, "robot.xml")).build()
    assert {(one.first.name, one.second.name) for one in world.contacts} == {("a", "c"), ("b", "c")}


def test_meshes_that_are_only_drawn_may_be_anything(tmp_path):
    """Draw a mesh that is wound inwards, and leave out one that holds no triangles, which is told."""
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    (tmp_path / "inwards.obj").write_text(corners + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")
    (tmp_path / "points.obj").write_text(corners)
    shown = "".join(
        f"<visual><geometry><mesh filename='{name}.obj'/></geometry></visual>"
        for name in ("inwards", "points")
    )
    path = written(tmp_path, f"<robot name='r'><link name='a'>{shown}</link></robot>")
    model = import_model(path)
    assert "points" in " ".join(model.left_out)
    model.save(tmp_path / "again.toml")
    world = type(model).load(tmp_path / "again.toml").build()
    assert len(world.bodies[0].display) == 1


CARRIED = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 1"/>
<body name="base" pos="0.2 0.5 0.3"><inertial pos="0.05 0.02 0.1" mass="70" diaginertia="1.2 1 0.9"/>
<joint name="x" type="slide" axis="1 0 0" damping="1e4"/>
<joint name="y" type="slide" axis="0 1 0" damping="1e4"/>
<joint name="z" type="slide" axis="0 0 1" damping="1e4"/>
<body name="arm" pos="0.1 0 0.4"><joint name="a" axis="0 1 0"/><joint name="b" axis="0 0 1"/>
<joint name="c" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 0.7 0 0.1" size="0.05"/>
<body name="hand" pos="0.7 0 0.1"><joint name="d" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.04"/></body></body></body></worldbody></mujoco>"""


def test_links_without_mass_carry_heavy_ones(tmp_path):
    """Let a link without mass have a share in the inertia of what slides on it, which changes no motion."""
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, CARRIED, "robot.xml")
    model = import_model(path)
    judge = mujoco.MjModel.from_xml_path(str(path))
    judge.dof_damping[:] = 0.0
    data = mujoco.MjData(judge)
    names = [judge.joint(k).name for k in range(judge.njnt)]
    data.qpos[:] = np.linspace(-0.4, 0.5, len(names))
    mujoco.mj_forward(judge, data)
    found = tree.first_accelerations(tree.posed(rigid(model), dict(zip(names, data.qpos, strict=True))))
    np.testing.assert_allclose(found, data.qacc, atol=1e-6 * np.abs(data.qacc).max())


ANKLES = """<mujoco><option timestep="0.002"/><worldbody>
<body name="shin" pos="0 0 1"><joint name="knee" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.4"
 size="0.05"/><body name="foot" pos="0 0 -0.45"><joint name="pitch" axis="0 1 0" pos="0 0 0.08"
 stiffness="6"/><joint name="roll" axis="1 0 0.5" pos="0 0 0.04" stiffness="3"/>
<geom type="capsule" fromto="-0.07 -0.02 0 0.14 -0.04 0" size="0.027"/>
<geom type="capsule" fromto="-0.07 0.03 0 0.14 0.02 0" size="0.027"/>
<body name="load" pos="0.05 0 -0.2"><joint name="hip" axis="1 0 0"/><joint name="turn" axis="0 0 1"/>
<joint name="lean" axis="0 1 0"/><geom type="sphere" size="0.12"/></body></body></body>
</worldbody></mujoco>"""


def test_links_without_mass_between_hinges_that_are_apart(tmp_path):
    """Have MuJoCo's accelerations, and take few sub-steps: no light link swings on its lever under load."""
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, ANKLES, "robot.xml")
    model = import_model(path)
    judge = mujoco.MjModel.from_xml_path(str(path))
    data, rng = mujoco.MjData(judge), np.random.default_rng(3)
    judge.jnt_stiffness[:] = 0.0
    names = [judge.joint(k).name for k in range(judge.njnt)]
    for _ in range(3):
        data.qpos[:] = rng.uniform(-0.8, 0.8, len(names))
        mujoco.mj_forward(judge, data)
        posed = tree.posed(rigid(model), dict(zip(names, data.qpos, strict=True)))
        found = tree.first_accelerations(posed, 5e-4)
        np.testing.assert_allclose(found, data.qacc, atol=1e-6 * np.abs(data.qacc).max())
    world = model.build()
    assert max(world.step().sub_steps for _ in range(100)) <= 8
    assert max(max(joint.error, joint.angle_error) for joint in world.joints) < 1e-9
    # and a file of it has the inertias that were given
    model.save(tmp_path / "again.mjcf")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "again.mjcf"))
    np.testing.assert_allclose(again.body_mass, judge.body_mass, rtol=1e-6)
    one, two = (np.sort(found.body_inertia, axis=1) for found in (again, judge))
    np.testing.assert_allclose(one, two, rtol=1e-9)


def test_a_robot_on_links_without_mass_stays_together():
    """Keep Fetch closed, whose base slides on three links without mass, while it sags onto its table."""
    pytest.importorskip("mujoco")
    folders = wheel_folders()
    if "gymnasium-robotics" not in folders:
        pytest.skip("needs the files of gymnasium-robotics")
    path = folders["gymnasium-robotics"] / "envs" / "assets" / "fetch" / "push.xml"
    world, worst = import_model(path).build(), 0.0
    for _ in range(30):
        world.step(10)
        worst = max([worst, *(max(joint.error, joint.angle_error) for joint in world.joints)])
    assert worst < 1e-5


KEYS = """<keyframe><key name="home" qpos="0.3 -0.2 0.9 0.8 0 0.6 0 0.4 -0.3 0.5 0.7"
qvel="1 0 0 0 0 0 0 0 0 0"/>
<key qpos="0 0 1 1 0 0 0 0 0 0 0"/></keyframe></mujoco>"""


def test_a_model_begins_in_a_keyframe(tmp_path):
    """Have the places that MuJoCo has in a keyframe, of a free base and what hangs on it."""
    mujoco = pytest.importorskip("mujoco")
    text = CARRIED.replace("</mujoco>", KEYS)
    for axis in "xyz":
        text = re.sub(
            rf'<joint name="{axis}" type="slide"[^>]*/>', "" if axis != "z" else "<freejoint/>", text
        )
    path = written(tmp_path, text, "robot.xml")
    world = import_model(path, keyframe="home").build()
    judge = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(judge)
    mujoco.mj_resetDataKeyframe(judge, data, 0)
    mujoco.mj_forward(judge, data)
    for name in ("base", "arm", "hand"):
        np.testing.assert_allclose(world.body(name).position, data.body(name).xpos, atol=1e-9)
        turn = abs(world.body(name).quaternion @ data.body(name).xquat)
        assert turn == pytest.approx(1.0, abs=1e-12)
    told = " ".join(import_model(path, keyframe=0).left_out)
    assert "keyframe: velocities" in told and "2 keyframes" in told
    assert import_model(path, keyframe=1).build().body("base").position[2] == pytest.approx(1.0)
    with pytest.raises(ModelError, match="'hom' is not there; did you mean home"):
        import_model(path, keyframe="hom")


def test_what_is_fixed_in_the_world_keeps_its_contact_bits(tmp_path):
    """Let a finger pass through the mount that it hangs on, which only floors touch, as MuJoCo does."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><worldbody><geom type="plane" size="5 5 1"/><body name="mount" pos="0 0 1">
<geom size="0.2" contype="1" conaffinity="0"/><body name="finger" pos="0.1 0 0"><joint name="j" axis="0 1 0"/>
<geom size="0.15" contype="1" conaffinity="0"/></body></body>
<body name="shelf" pos="3 0 1"><geom size="0.2"/></body></worldbody></mujoco>"""
    path = written(tmp_path, text, "robot.xml")
    world = import_model(path).build()
    assert [body.name for body in world.bodies] == ["world", "mount", "finger"]
    judge = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(judge)
    mujoco.mj_forward(judge, data)
    assert len(world.contacts) == data.ncon == 0
    world.step(100)
    assert world.joint("j").error < 1e-6


@pytest.mark.parametrize(
    ("name", "text", "option"),
    [
        ("m.xml", "<mujoco/>", "missing"),
        ("r.urdf", "<robot name='r'/>", "keyframes"),
        ("u.usda", "#usda 1.0", "fixed_base"),
    ],
)
def test_an_option_of_another_format_is_told(tmp_path, name, text, option):
    with pytest.raises(ModelError, match=f"{option} is no option of a file of this format.*it has: folders"):
        Model.load(written(tmp_path, text, name), **{option: "skip"})
