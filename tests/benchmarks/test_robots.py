"""The survey of robots in files of others."""

import json
import re

import numpy as np
import pytest

from stoss.benchmarks.robots import tree_dynamics as tree
from stoss.benchmarks.robots.__main__ import main
from stoss.benchmarks.robots.files import wheel_folders
from stoss.benchmarks.robots.survey import survey
from stoss.engine.exchange import import_model
from tests.engine.exchange.test_import import BOMB, robot


def test_files_are_surveyed(tmp_path, capsys):
    """Compare and run what is loaded, and say in a line why not of the rest."""
    (tmp_path / "arm.urdf").write_text(robot(joints=3))
    (tmp_path / "bomb.urdf").write_text(BOMB)
    table, page = tmp_path / "rows.json", tmp_path / "page.md"
    words = [str(tmp_path), "--duration", "0.05", "--poses", "2", "--json", str(table), "--page", str(page)]
    assert main(words) == 0
    (rows,) = json.loads(table.read_text()).values()
    arm, bomb = rows
    assert arm["degrees_of_freedom"] == 9 and arm["why_not"] == "" and arm["end"] == ""
    assert arm["accelerations"] < 1e-6 and arm["judge"] == "Pinocchio"
    assert arm["joint_error"] < 1e-6 and arm["steps_per_second"] > 0.0
    assert "DOCTYPE" in bomb["why_not"]
    assert "1 of 2" in page.read_text() and "arm.urdf" in capsys.readouterr().out


def test_inertias_that_no_body_has_are_all_that_differs(tmp_path):
    """Differ from Pinocchio, which calculates with them, by what replaces them alone."""
    pytest.importorskip("pinocchio")
    text = robot(joints=5)
    numbers = iter((r'ixx="-0.1"', r'ixx="3"'))
    # one link has a moment below zero, another one that is above the sum of the others
    broken = re.sub(
        r'(<link name="?\'?link[13].*?)ixx=[\'"][^\'"]*[\'"]',
        lambda m: m[1] + next(numbers),
        text,
        flags=re.S,
    )
    assert broken != text
    path = tmp_path / "robot.urdf"
    path.write_text(broken)
    row = survey(path, [tmp_path], duration=0.01, poses=5)
    assert sum("moments of inertia" in line for line in row.left_out) == 2
    assert row.as_given > 1e-3 and row.accelerations < 1e-6


def test_robots_of_others_with_such_inertias():
    """Agree with Pinocchio where it is given the inertias that replace those of the file."""
    pytest.importorskip("pinocchio")
    folders = wheel_folders()
    if "pybullet" not in folders:
        pytest.skip("needs the files of pybullet")
    path = folders["pybullet"] / "mini_cheetah" / "mini_cheetah.urdf"
    row = survey(path, [path.parent, folders["pybullet"]], duration=0.01, poses=3)
    assert row.as_given > 1e-2 and row.accelerations < 1e-6


BALANCED = """<mujoco><compiler {}/><worldbody><body name="arm" pos="0 0 1"><joint name="a" axis="0 1 0"/>
<inertial pos="0.2 0 0.1" mass="2" diaginertia="0.1 0.2 0.6"/><body name="hand" pos="0.5 0 0"><joint name="b"
axis="1 1 0"/><geom type="box" size="0.1 0.05 0.02"/></body></body></worldbody></mujoco>"""


def test_mujoco_refuses_such_inertias_or_takes_their_mean(tmp_path):
    """Tell what MuJoCo says; with `balanceinertia` have its accelerations, with the mean of moments."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "robot.xml"
    path.write_text(BALANCED.format(""))
    with pytest.raises(ValueError, match="inertia must satisfy A \\+ B >= C"):
        import_model(path)
    path.write_text(BALANCED.format('balanceinertia="true"'))
    judge = mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_allclose(judge.body("arm").inertia, 0.3)
    model, data = import_model(path), mujoco.MjData(judge)
    np.testing.assert_allclose(np.diag(model.body("arm").tensor), 0.3)
    data.qpos[:] = 0.4, -0.7
    mujoco.mj_forward(judge, data)
    found = tree.first_accelerations(tree.posed(tree.bare(model), {"a": 0.4, "b": -0.7}))
    np.testing.assert_allclose(found, data.qacc, atol=1e-6 * np.abs(data.qacc).max())
