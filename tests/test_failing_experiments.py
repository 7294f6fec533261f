"""What goes wrong in an experiment is told by name wherever it shows: steps, recordings, sweeps, files."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoss as st
from stoss.command_line.main import main

FAILING_STEP = 4


def build(fault: str = "", at: int = FAILING_STEP) -> st.World:
    """Return an arm with a controller, a load and a sensor, one of which fails in a step."""
    world = st.World(gravity=(0, 0, -9.81), time_step=0.01)
    arm = world.add_body(st.Box((0.1, 0.1, 1.0)), position=(0, 0, -0.5), mass=1.0, name="arm")
    pin = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, arm, name="pin")
    motor = world.add_actuator(st.TorqueActuator(pin), name="motor")

    def control(world: st.World) -> Any:
        if world.step_count == at and fault.startswith("controller"):
            if fault == "controller raises":
                raise RuntimeError("no signal")
            return {"controller gives nan": np.nan, "controller gives two": (1.0, 2.0)}[fault]
        return -2.0 * pin.value

    def push(c: Any) -> None:
        if c.step == at and fault == "load raises":
            raise ZeroDivisionError("nothing to divide by")
        c.force("arm", (np.nan if c.step == at and fault == "load gives nan" else 1.0, 0.0, 0.0))

    world.add_controller(control, actuators=motor, name="hold")
    world.add_load(push, name="push")
    return world


def angle(run: Any) -> float:
    """Return where the arm is at last."""
    return float(run["joint.pin.angle"][-1])


# How it is told, and the status of the run.
FAULTS = {
    "controller raises": (r"controller 'hold', step 5 .*RuntimeError: no signal", "stopped"),
    "controller gives nan": (r"controller 'hold', step 5 .*nan for actuator 'motor'", "stopped"),
    "controller gives two": (r"controller 'hold', step 5 .*\(1.0, 2.0\); give 1 command", "stopped"),
    "load raises": (r"load 'push' raised ZeroDivisionError: nothing to divide by", "stopped"),
    "load gives nan": (r"load 'push'.*nan", "non-finite"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_recording_ends_with_the_last_good_step(fault: str, tmp_path: Path) -> None:
    """Keep what was recorded before the step that fails, with status and reason, in a file that is whole."""
    world = build(fault)
    told, status = FAULTS[fault]
    with pytest.raises(RuntimeError, match=told), st.Recorder(world, file=tmp_path / "run.npz"):
        world.step(10)
    found = st.Recording.load(tmp_path / "run.npz")
    assert found.status == status and re.search(told, found.reason)
    good = build(at=-1)
    with st.Recorder(good) as recorder:
        good.step(world.step_count)
    np.testing.assert_array_equal(found["joint.pin.angle"], recorder.recording["joint.pin.angle"])
    assert world.state_hash() == good.state_hash() and world.step_count == FAILING_STEP


def test_a_sweep_names_what_failed(tmp_path: Path) -> None:
    """Give each fault a row with its reason, and the log the line of the program; harm no other run."""
    faults = ["", *FAULTS]
    table = st.sweep(build, {"fault": faults}, angle, duration=0.1, record="joint.*", out=tmp_path, workers=1)
    assert table["status"].tolist() == ["finished", *(status for _, status in FAULTS.values())]
    for row in list(table)[1:]:
        told, status = FAULTS[row["fault"]]
        assert re.search(told, row["reason"]), row["reason"]
        assert np.isnan(row["angle"]) and row["steps"] == FAILING_STEP
        kept = st.Recording.load(tmp_path / row["run"] / "channels.npz")
        assert kept.status == status and re.search(told, kept.reason)
    log = (tmp_path / table["run"][1] / "log.txt").read_text()
    assert 'raise RuntimeError("no signal")' in log and "stopped: ControlError" in log


def test_channels_that_do_not_exist_are_offered_the_nearest(tmp_path: Path, capsys: Any) -> None:
    """Name the nearest channels in Python, in a sweep, on the command line, and of a file."""
    world = build()
    nearest = r"joint.pin.angel.*did you mean joint.pin.angle"
    for ask in (
        lambda: st.Recorder(world, "joint.pin.angel"),
        lambda: st.sweep(build, {"at": [1]}, "max:joint.pin.angel", duration=0.02, workers=1),
        lambda: st.sweep(build, {"at": [1]}, duration=0.02, record="joint.pin.angel", workers=1),
    ):
        with pytest.raises(ValueError, match=nearest):
            ask()
    with st.Recorder(world, "joint.*", file=tmp_path / "run.npz") as recorder:
        world.step()
    with pytest.raises(KeyError, match=nearest):
        recorder.recording["joint.pin.angel"]
    out = str(tmp_path / "new")
    for words in (
        ["plot", str(tmp_path / "run.npz"), "joint.pin.angel"],
        ["sweep", "four_bar", "--grid", "time_step=0.01", "--metric", "max:energy.totl", "--out", out],
        ["run", "four_bar", "--record", f"{out}.npz", "--channels", "energy.totl"],
    ):
        assert main(words) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1 and "did you mean" in told, told
    # a row can do without what only some worlds have, if the first one has it
    table = st.sweep("stack", {"bodies": [3, 2]}, "final:body.cube 2.position.z", duration=0.02, workers=1)
    assert table["status"].tolist() == ["finished", "refused"] and "cube 2" in table["reason"][1]


def test_recordings_of_later_versions_are_refused(tmp_path: Path, capsys: Any) -> None:
    """Name file and version of what a later stoss wrote, in each command that reads it; leave it as it is."""
    words = ["run", "stack", "--bodies", "2", "--duration", "0.02", "--quiet", "--out"]
    for name in ("a", "b"):
        assert main([*words, str(tmp_path / name)]) == 0
    channels = tmp_path / "a" / "channels.npz"
    with np.load(channels) as content:
        arrays = dict(content)
    about = json.loads(str(arrays["about"]))
    arrays["about"] = np.array(json.dumps(about | {"format": 99}))
    np.savez(channels, **arrays)
    later = channels.read_bytes()
    record = tmp_path / "b" / "run.json"
    capsys.readouterr()
    for command in (["plot", str(channels)], ["compare", *(str(tmp_path / name) for name in ("a", "b"))]):
        assert main(command) == 2
        told = capsys.readouterr().err
        assert str(channels) in told and "99" in told and "update stoss" in told and told.count("\n") == 1
    record.write_text(record.read_text().replace('"format": 1', '"format": 99'))
    assert main(["compare", *(str(tmp_path / name) for name in ("b", "a"))]) == 2
    told = capsys.readouterr().err
    assert str(record) in told and "format 99 is newer than 1; update stoss" in told
    assert channels.read_bytes() == later
