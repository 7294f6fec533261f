"""Recordings in files: what is written is read, whatever happens to the process, the disk or the file."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.engine.recording.journal import MAGIC

CHANNELS = ["contact.*", "energy.*", "body.ball.position"]


def falling() -> st.World:
    """Return a world with a ball that falls on the floor after 0.45 s."""
    world = st.World(time_step=0.01)
    world.add_body(st.HalfSpace(), kind="static", name="floor")
    world.add_body(st.Sphere(0.5), position=(0, 0, 1.5), name="ball")
    return world


def recorded(file: Path | None = None, steps: int = 60) -> st.Recording:
    """Return a recording whose last columns begin with the contact."""
    with st.Recorder(falling(), CHANNELS, file=file) as recorder:
        recorder.world.step(steps)
    return recorder.recording


def assert_same(found: st.Recording, expected: st.Recording) -> None:
    """Compare all numbers, names and units."""
    assert found.columns == expected.columns
    np.testing.assert_array_equal(found.time, expected.time)
    for name in expected.columns:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
        assert found.unit(name) == expected.unit(name)


def test_a_file_holds_what_was_recorded(tmp_path):
    """Read the same numbers, units, status and model, those that numpy reads too."""
    expected = recorded(tmp_path / "run.npz")
    found = st.Recording.load(tmp_path / "run.npz")
    assert_same(found, expected)
    assert (found.status, found.t_end) == ("finished", expected.t_end)
    assert found.model().build().state_hash() == falling().state_hash()
    assert found.world().time == expected.t_end
    with np.load(tmp_path / "run.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["energy.total"], expected["energy.total"])
        np.testing.assert_array_equal(arrays["time"], expected.time)
    force = found["contact.floor-ball.normal_force"]
    assert (force[found.time < 0.44] == 0.0).all() and force[-1] > 0.0  # known before they met, as 0 N
    expected.write(tmp_path / "again.npz")
    assert_same(st.Recording.load(tmp_path / "again.npz"), expected)


def test_some_channels_are_read(tmp_path):
    """Read what is wanted, and tell what is not there."""
    expected = recorded(tmp_path / "run.npz")
    found = st.Recording.load(tmp_path / "run.npz", ["energy.total", "body.ball.position.size"])
    assert found.columns == ("energy.total", *(f"body.ball.position.{x}" for x in "xyz"))
    np.testing.assert_array_equal(found["body.ball.position"], expected["body.ball.position"])
    with pytest.raises(ValueError, match=r"run.npz has no channel 'energy.totl'; did you mean energy.total"):
        st.Recording.load(tmp_path / "run.npz", ["energy.totl"])


def test_columns_and_vectors_by_name():
    """Give columns, vectors and their lengths; name the nearest of what is not there."""
    recording = recorded()
    position = recording["body.ball.position"]
    assert position.shape == (61, 3) and recording["energy.total"].shape == (61,)
    np.testing.assert_allclose(
        recording["body.ball.position.size"], np.linalg.norm(position, axis=1), rtol=1e-15
    )
    assert recording.unit("body.ball.position") == "m" and recording.unit("energy.total") == "J"
    assert list(recording.select("energy.*", "body.ball.position.z"))[-1] == "body.ball.position.z"
    assert "energy.total" in recording and "energy.totl" not in recording and 3 not in recording
    for wrong in ("energy.totl", "energy.total.size", "x*"):
        with pytest.raises(KeyError, match="channel"):
            recording[wrong]
    with pytest.raises(ValueError, match="read-only"):
        recording["energy.total"][0] = 1.0
    assert repr(recording).startswith("<Recording of 11 columns, 61 samples up to 0.6 s, finished>")


def test_tables(tmp_path):
    """Write CSV and Parquet that others read to the same bits, and give frames of pandas and polars."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    parquet = pytest.importorskip("pyarrow.parquet")
    recording = recorded()
    recording.write(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0][:2] == ["time [s]", "energy.kinetic [J]"] and len(rows) == 62
    table = np.array([[float(x) for x in row] for row in rows[1:]])
    np.testing.assert_array_equal(table[:, 0], recording.time)
    for column, name in enumerate(recording.columns, 1):
        np.testing.assert_array_equal(table[:, column], recording[name])
    frame = recording.to_pandas()
    assert frame.attrs["units"]["energy.total"] == "J" and frame.index.name == "time"
    np.testing.assert_array_equal(frame["energy.total"], recording["energy.total"])
    np.testing.assert_array_equal(
        recording.to_polars()["body.ball.position.z"], recording["body.ball.position.z"]
    )
    recording.write(tmp_path / "run.parquet")
    assert (
        pandas.read_parquet(tmp_path / "run.parquet")["energy.total"].tolist()
        == frame["energy.total"].tolist()
    )
    read = parquet.read_table(tmp_path / "run.parquet")
    assert read.schema.field("energy.total").metadata == {b"unit": b"J"}
    assert json.loads(read.schema.metadata[b"stoss"])["status"] == "finished"
    assert polars.read_parquet(tmp_path / "run.parquet")["time"].to_list() == recording.time.tolist()


def test_missing_packages_are_told(monkeypatch, tmp_path):
    """Say what to install."""
    recording = recorded()
    for name in ("pandas", "polars", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (recording.to_pandas, recording.to_polars, lambda: recording.write(tmp_path / "run.parquet")):
        with pytest.raises(ValueError, match="needs .*python -m pip install"):
            call()
    assert not list(tmp_path.iterdir())


# ------------------------------------------------------------- runs that do not end as they should

ENDLESS = """
import sys, time
import stoss as st
world = st.World(time_step=0.01)
world.add_body(st.HalfSpace(), kind="static", name="floor")
world.add_body(st.Sphere(0.5), position=(0, 0, 1.5), name="ball")
recorder = st.Recorder(world, ["contact.*", "energy.*", "body.ball.position"], file=sys.argv[1])
while True:
    world.step()
    print(world.step_count, time.monotonic(), flush=True)
"""


def test_a_killed_run_leaves_all_up_to_its_last_second(tmp_path):
    """Open the file of a process that SIGKILL ended: the steps of a second before are there, to the bit."""
    file = tmp_path / "run.npz"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(file)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.split())
        if float(lines[-1][1]) - float(lines[0][1]) > 1.5:
            break
    process.send_signal(signal.SIGKILL)
    lines += [line.split() for line in process.stdout.read().splitlines()]
    assert process.wait() == -signal.SIGKILL
    recording = st.Recording.load(file)
    made = [int(step) for step, moment in lines if float(lines[-1][1]) - float(moment) > 1.0]
    assert made and len(recording) - 1 >= made[-1]
    assert recording.status == "interrupted" and "ended without a word" in recording.reason
    expected = recorded(steps=len(recording) - 1)
    assert_same(recording, expected)
    assert recording.model().build().state_hash() == falling().state_hash()
    with pytest.raises(ValueError, match="interrupted"):
        recording.world()
    recording.write(file)  # and is whole again
    assert_same(st.Recording.load(file), expected)


def test_a_file_of_a_run_that_goes_on_can_be_read(tmp_path):
    """Read what another process has written until now."""
    file = tmp_path / "run.npz"
    recorder = st.Recorder(falling(), CHANNELS, file=file)
    recorder.world.step(20)
    assert len(recorder.recording) == 21 and recorder.recording.status == "running"
    recorder.flush()
    assert len(st.Recording.load(file)) == 21
    recorder.world.step(30)
    state = recorder.world.save()
    recorder.world.step(10)
    recorder.flush()
    recorder.world.restore(state)
    recorder.world.step(1)
    recorder.flush()
    np.testing.assert_allclose(st.Recording.load(file).time, 0.01 * np.arange(52))
    assert_same(recorder.close(), recorded(steps=51))


def journal(tmp_path: Path) -> Path:
    """Return the file of a run that was not closed."""
    file = tmp_path / "open.npz"
    recorder = st.Recorder(falling(), CHANNELS, file=file)
    for _ in range(6):
        recorder.world.step(10)
        recorder.flush()
    content = file.read_bytes()
    recorder.close()
    file.write_bytes(content)
    return file


def test_a_file_that_is_cut_off_gives_what_is_whole(tmp_path):
    """Read all samples before the cut, wherever it is, and never others."""
    file = journal(tmp_path)
    content, expected = file.read_bytes(), recorded()
    lengths = set()
    for end in np.linspace(len(MAGIC), len(content), 60).astype(int):
        file.write_bytes(content[:end])
        found = st.Recording.load(file)
        lengths.add(len(found))
        assert found.status == "interrupted"
        for name in found.columns:
            np.testing.assert_array_equal(found[name], expected[name][: len(found)])
    assert {0, 1, 11, 61} <= {1, *lengths} and max(lengths) == 61


def test_damage_is_found(tmp_path):
    """Leave out samples that were changed, with a warning, and refuse what makes no sense."""
    file = journal(tmp_path)
    content, expected = file.read_bytes(), recorded()
    for place in (content.index(b"rows") + 60, len(content) - 60, len(MAGIC) + 100):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.warns(UserWarning, match="bytes are damaged"):
            found = st.Recording.load(file)
        assert len(found) < 61
        rows = np.isin(expected.time, found.time)
        for name in found.columns:
            np.testing.assert_array_equal(found[name], expected[name][rows])
    file.write_bytes(MAGIC.replace(b"1", b"9") + b"rows")
    with pytest.raises(ValueError, match="no recording of stoss, .*later version"):
        st.Recording.load(file)
    whole = tmp_path / "run.npz"
    recorded(whole)
    cut = whole.read_bytes()[:-100]
    whole.write_bytes(cut)
    with pytest.raises(ValueError, match="run.npz: no recording of stoss"):
        st.Recording.load(whole)


def test_other_files_are_refused(tmp_path):
    """Say what a file is, or that it is none."""
    falling().save().write(tmp_path / "snapshot.npz")
    with pytest.raises(ValueError, match="it is a snapshot"):
        st.Recording.load(tmp_path / "snapshot.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    (tmp_path / "text.npz").write_text("nothing")
    (tmp_path / "empty.npz").touch()
    for name in ("other", "text", "empty"):
        with pytest.raises(ValueError, match=f"{name}.npz: no recording of stoss"):
            st.Recording.load(tmp_path / f"{name}.npz")
    with pytest.raises(OSError, match="not there"):
        st.Recording.load(tmp_path / "nothing.npz")
    with pytest.raises(TypeError, match="path = 3"):
        st.Recording.load(3)
    with pytest.raises(ValueError, match=r"must end in .npz, .csv, .parquet"):
        recorded().write(tmp_path / "run.xls")


def test_a_later_version_is_refused(tmp_path):
    """Name the version, and what to do."""
    file = tmp_path / "run.npz"
    recorded(file)
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with np.load(file) as arrays:
        about = json.loads(str(arrays["about"])) | {"format": 2}
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in parts.items():
            if name == "about.npy":
                with archive.open(name, "w") as entry:
                    np.lib.format.write_array(entry, np.array(json.dumps(about)))
            else:
                archive.writestr(name, part)
    with pytest.raises(ValueError, match="format 2 is newer than 1; update stoss"):
        st.Recording.load(file)


FULL = """
import resource, sys, warnings
import stoss as st
warnings.simplefilter("always")
world = st.World(time_step=0.01)
world.add_body(st.HalfSpace(), kind="static", name="floor")
world.add_body(st.Sphere(0.5), position=(0, 0, 1.5), name="ball")
world.prepare_kernels()
world.copy().step()
recorder = st.Recorder(world, ["contact.*", "energy.*", "body.ball.position"], file=sys.argv[1])
world.step(20)
recorder.flush()
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = os.path.getsize(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))
world.step(20)
recorder.flush()
world.step(20)
try:
    recorder.close()
except OSError as error:
    print("close:", error)
print(len(recorder.recording), recorder.recording.status)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
recorder.recording.write(sys.argv[2])
"""


def test_a_full_disk_loses_nothing(tmp_path):
    """Warn once, go on, keep the file as far as it came and the rest in memory, and write it elsewhere."""
    file, other = tmp_path / "run.npz", tmp_path / "other.npz"
    words = [sys.executable, "-c", FULL, str(file), str(other)]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cannot be written any more") == 1
    assert "close:" in done.stdout and "61 finished" in done.stdout
    assert len(st.Recording.load(file)) == 21
    assert_same(st.Recording.load(other), recorded())


def test_a_folder_without_room_is_told_at_once(tmp_path):
    """Refuse a place that cannot be written before anything runs."""
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(OSError, match="folder of that name"):
        st.Recorder(falling(), file=tmp_path / "folder.npz")


def test_files_take_their_time(tmp_path):
    """Keep the run out of the disk's way: no more than a few writes a second."""
    file = tmp_path / "run.npz"
    recorder = st.Recorder(falling(), CHANNELS, file=file)
    begin, sizes = time.monotonic(), set()
    for _ in range(100):
        recorder.world.step()
        sizes.add(file.stat().st_size)
    assert len(sizes) <= 3 + 3 * (time.monotonic() - begin)
