"""Sweeps: the same bits as one run after the other, kept as they end, failures as rows, killed processes."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.scenes.experiments.metrics import metric_of
from stoss.scenes.experiments.plan import points_of
from stoss.scenes.experiments.work import Outcome
from tests.scenes import sweep_builders as own

ROOT = Path(__file__).parents[2]
GRID = {"speed": [0.0, 1.0, 2.0], "friction": [0.2, 0.6]}


def assert_same(first: st.SweepTable, second: st.SweepTable, *, without: tuple[str, ...] = ()) -> None:
    """Compare all columns to the bit, but for how long the runs took."""
    assert [*first.columns] == [*second.columns]
    for name, values in first.columns.items():
        if name not in ("seconds", *without):
            np.testing.assert_array_equal(values, second[name], err_msg=name)


@pytest.fixture(scope="module")
def in_turn() -> st.SweepTable:
    """Six worlds of a scene, one after the other in this process."""
    grid = {"bodies": [2, 3, 4], "friction": [0.2, 0.6]}
    return st.sweep("stack", grid, own.height, duration=0.1, workers=1)


def test_a_run_is_what_a_program_would_make(in_turn: st.SweepTable) -> None:
    """End in the state in which the same world ends when a program advances it."""
    for row in in_turn:
        world = st.SCENES["stack"].build(bodies=row["bodies"], friction=row["friction"])
        world.step(10)
        assert row["state_hash"] == world.state_hash()
        assert row["height"] == world.positions[-1][2]
        assert (row["status"], row["reason"], row["steps"], row["run"]) == ("finished", "", 10, "")


def test_processes_make_the_same_bits(in_turn: st.SweepTable, tmp_path: Path) -> None:
    """Give the same table with two processes, and again from what is kept."""
    grid = {"bodies": [2, 3, 4], "friction": [0.2, 0.6]}
    table = st.sweep("stack", grid, own.height, duration=0.1, workers=2, out=tmp_path)
    assert_same(table, in_turn, without=("run",))
    seen: list[tuple[int, int, Outcome | None]] = []
    again = st.sweep(
        "stack", grid, own.height, duration=0.1, out=tmp_path, on_run=lambda *told: seen.append(told)
    )
    assert seen == [(6, 6, None)]
    assert_same(again, table)
    np.testing.assert_array_equal(again["seconds"], table["seconds"])


def test_only_what_is_missing_is_made(tmp_path: Path) -> None:
    """Take the runs that are there when values are added; make those that are otherwise in anything."""
    made = []

    def sweep(grid: object, **options: object) -> None:
        made.clear()
        st.sweep(
            own.bounce,
            grid,
            own.place,
            out=tmp_path,
            workers=1,
            on_run=lambda done, _, outcome: made.append(done if outcome is None else outcome.status),
            **{"duration": 0.05, **options},
        )

    sweep({"speed": [1.0, 2.0]})
    assert made == [0, "finished", "finished"]
    sweep({"speed": [0.5, 1.0, 2.0]})
    assert made == [2, "finished"]
    sweep([{"speed": 2.0}])
    assert made == [1]
    sweep({"speed": [2.0]}, duration=0.06)
    assert made == [0, "finished"]
    sweep({"speed": [2.0]}, settings=st.Settings(sweeps=31))
    assert made == [0, "finished"]
    sweep({"speed": [2.0], "sweeps": [31]}, duration=0.05)
    assert made == [1]


def test_a_model_of_a_file_is_swept(tmp_path: Path) -> None:
    """Build what `Model.build` builds, and keep the model whole in each run's folder."""
    (tmp_path / "pendulum.toml").write_text(
        """
        [params]
        length = 0.8
        [record]
        duration = 0.1
        [bodies.rod]
        shapes = [{ type = "capsule", radius = 0.02, length = "length" }]
        position = ["length/2", 0, 0]
        [joints.pin]
        type = "hinge"
        second = "rod"
        point = [0, 0, 0]
        axis = [0, 1, 0]
        """
    )
    file = str(tmp_path / "pendulum.toml")
    table = st.sweep(file, {"length": [0.5, 0.8]}, own.height, out=tmp_path / "kept", workers=1)
    for row in table:
        world = st.Model.load(file).build({"length": row["length"]})
        world.step(10)
        assert row["state_hash"] == world.state_hash()
        folder = tmp_path / "kept" / row["run"]
        again = st.Model.load(folder / "model.toml").build({"length": row["length"]})
        again.step(10)
        assert row["state_hash"] == again.state_hash()
        record = json.loads((folder / "run.json").read_text())
        assert record["parameters"] == {"length": row["length"]} and record["versions"]["stoss"]
    # where the file is makes no difference, what is in it does
    (tmp_path / "pendulum.toml").rename(tmp_path / "other.toml")
    other = str(tmp_path / "other.toml")
    same = st.sweep(other, {"length": [0.5, 0.8]}, own.height, out=tmp_path / "kept", workers=1)
    assert [*same["run"]] == [*table["run"]]
    model = st.Model.load(other).replace(name="another")
    third = st.sweep(model, {"length": [0.5]}, own.height, duration=0.1, out=tmp_path / "kept", workers=1)
    assert third["run"][0] not in table["run"] and third["state_hash"][0] == table["state_hash"][0]


def test_pendulums_swing_with_their_period() -> None:
    """Find the period of small swings, 2 pi sqrt(l / g), in a sweep over lengths."""

    def period(run: object) -> float:
        world = run.world  # type: ignore[attr-defined]
        start = world.time
        while world.body("bob").position[0] > 0.0:
            before = world.body("bob").position[0]
            world.step()
        after = world.body("bob").position[0]
        return 4.0 * (world.time - start - world.time_step * after / (after - before))

    table = st.sweep(
        own.pendulum, {"length": [0.25, 1.0], "time_step": [0.002]}, period,
        parameters={"swing": 0.01}, duration=0.002, workers=2,
    )  # fmt: skip
    # the ball turns with the rod; of the second order in step and swing: swing² / 16 and (omega h)²
    length = table["length"]
    wanted = 2 * np.pi * np.sqrt((length + 0.4 * 0.01**2 / length) / 9.81)
    np.testing.assert_allclose(table["period"] + 4 * 0.002, wanted, rtol=1e-4)  # it looks after one step


def test_failures_are_rows_with_their_reason() -> None:
    """Say of each run that fails why, and carry on."""
    table = st.sweep(
        own.bounce, {"speed": [0.0, 1.0, 1000.0]}, [own.place, own.broken, own.word], duration=0.05, workers=1
    )
    reasons = [*table["reason"]]
    assert table["status"].tolist() == ["failed"] * 3
    assert reasons[0] == "metric word: it returned 'high'; return a number, or numbers by name"
    assert reasons[1] == "metric broken: ZeroDivisionError: float division by zero"
    assert reasons[2] == "speed = 1000.0 is more than this ball can stand"
    assert table["broken"][0] == -1.0 and np.isnan(table["broken"][1:]).all()
    assert np.isfinite(table["z"][:2]).all() and np.isnan(table["z"][2])
    with pytest.raises(ValueError, match="no run ended well"):
        table.best("z")
    assert "ZeroDivisionError" in table.text() and len(table.finished) == 0


def test_a_world_that_runs_away_is_a_row() -> None:
    """Say of a run in which the engine gave up that it diverged, with body and step."""

    def build(pull: float = 0.0) -> st.World:
        world = own.bounce()
        world.gravity = (0.0, 0.0, pull)
        return world

    table = st.sweep(build, {"pull": [1.0, 1e30]}, own.place, duration=0.1, workers=2)
    assert table["status"].tolist() == ["finished", "diverged"]
    assert "ball" in table["reason"][1] and table["steps"][1] < table["steps"][0] == 10


def test_what_runs_print_is_in_their_logs(tmp_path: Path) -> None:
    """Keep what a run prints, and where an error arose."""
    table = st.sweep(own.bounce, {"speed": [7.0, 1000.0]}, own.place, duration=0.02, workers=2, out=tmp_path)
    first, second = ((tmp_path / run / "log.txt").read_text() for run in table["run"])
    assert "a ball at 7 m/s\n" in first and first.endswith(" finished\n")
    assert 'raise ValueError(f"speed = {speed}' in second and " failed: speed = 1000" in second


def test_a_process_that_is_killed_is_replaced(tmp_path: Path) -> None:
    """Make a run again whose process ended; name the signal if it ends again; harm no other run."""
    points = [
        {"kill": "SIGKILL", "folder": str(tmp_path)},
        {"kill": ""},
        {"code": 7},
        {"kill": "", "code": 0},
    ]
    table = st.sweep(own.ends, points, own.place, duration=0.05, workers=2, out=tmp_path / "kept")
    assert table["status"].tolist() == ["finished", "finished", "lost", "finished"]
    assert len({*table["state_hash"][[0, 1, 3]]}) == 1
    assert table["reason"][2] == "its process ended 2 times, with exit code 7"
    made: list[int] = []
    st.sweep(
        own.ends, points, own.place, duration=0.05, workers=2, out=tmp_path / "kept",
        on_run=lambda done, *_: made.append(done),
    )  # fmt: skip
    assert made == [3, 4]  # what was lost is tried again


def test_sys_exit_is_a_failure() -> None:
    """Take the end of Python within a run for a failure of this run."""
    (row,) = st.sweep(own.leaves, [{"code": 3}], duration=0.05)
    assert (row["status"], row["reason"]) == ("failed", "it called sys.exit(3)")


PROGRAM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what runs in the background
import numpy as np
import stoss as st
def speed(run):
    return run.world.velocities[1, 0]
def build(push=0.0, friction=0.5):
    world = st.World(gravity=(0, 0, -9.81))
    rough = st.Material(friction=friction)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    world.add_body(st.Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(push, 0, 0), mass=1.0, material=rough)
    return world
def on_run(done, runs, outcome):
    print(done, flush=True)
    if done == int(sys.argv[2]) and outcome is not None:
        os.kill(os.getpid(), getattr(signal, sys.argv[3]))
grid = {"push": np.linspace(0, 3, 5), "friction": [0.2, 0.4]}
table = st.sweep(build, grid, speed, duration=0.2, workers=2, out=sys.argv[1], on_run=on_run)
print(table)
"""


def test_a_sweep_goes_on_after_its_end(tmp_path: Path) -> None:
    """Keep each run as it ends: the same call goes on after a kill or Ctrl-C; programs need no guard."""
    (tmp_path / "tune.py").write_text(PROGRAM)

    def run(after: int, end: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "tune.py", "kept", str(after), end],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )

    killed = run(3, "SIGKILL")
    assert killed.returncode == -signal.SIGKILL and killed.stdout.split() == ["0", "1", "2", "3"]
    assert len([*(tmp_path / "kept" / "runs").glob("*/result.json")]) == 3
    assert not (tmp_path / "kept" / "table.csv").exists()
    interrupted = run(6, "SIGINT")
    assert interrupted.returncode != 0 and interrupted.stdout.split() == ["3", "4", "5", "6"]
    assert "KeyboardInterrupt" in interrupted.stderr
    assert len((tmp_path / "kept" / "table.csv").read_text().splitlines()) == 7
    done = run(0, "SIGKILL")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["6", "7"] and "10 runs, 10 finished" in done.stdout
    rows = (tmp_path / "kept" / "table.csv").read_text().splitlines()
    assert len(rows) == 11
    # v = v0 - mu g t while it slides; the last step may end in the middle
    for row in rows[1:]:
        push, friction, speed = map(float, row.split(",")[:3])
        assert speed == pytest.approx(max(0.0, push - friction * 9.81 * 0.2), abs=1e-6)


def test_no_process_outlives_its_sweep(tmp_path: Path) -> None:
    """End the processes of a sweep soon after their parent was killed, in the middle of their runs."""
    program = PROGRAM.replace("duration=0.2", "duration=1e5").replace("print(done, flush=True)", "")
    (tmp_path / "long.py").write_text(program)
    with subprocess.Popen(
        [sys.executable, "long.py", "kept", "99", "SIGINT"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as sweep:
        workers = []
        while len(workers) < 2:
            children = Path(f"/proc/{sweep.pid}/task/{sweep.pid}/children").read_text().split()
            workers = [pid for pid in children if b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes()]
            os.sched_yield()
        sweep.send_signal(signal.SIGKILL)
    for pid in workers:
        while Path(f"/proc/{pid}").exists() and b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.sched_yield()


@pytest.mark.parametrize(
    ("source", "grid", "metrics", "options", "told"),
    [
        ("stak", {}, (), {}, "did you mean stack?"),
        ("stack", {"bodys": [1]}, (), {}, "did you mean bodies?"),
        ("stack", {"bodies": [2.5]}, (), {}, "bodies = 2.5"),
        ("stack", {"friction": [np.nan]}, (), {}, "friction = nan"),
        ("stack", {"friction": [0.5, 0.5]}, (), {}, "the value 0.5 twice"),
        ("stack", {"friction": []}, (), {}, "friction has no values"),
        ("stack", {"friction": ["low"]}, (), {}, "friction = 'low'"),
        ("stack", {"sweep": [3]}, (), {}, "did you mean sweeps?"),
        ("stack", {"sweeps": [0]}, (), {}, "sweeps = 0"),
        ("stack", {"time_step": [0.0]}, (), {}, "time_step = 0"),
        ("stack", {"solver": ["fast"]}, (), {}, "direct, gauss_seidel"),
        ("stack", [{"bodies": 2}, {"bodies": 2}], (), {}, r"grid\[1\] is the same point as grid\[0\]"),
        ("stack", [], (), {}, "0 points"),
        ("stack", {"bodies": range(1, 1001), "seed": range(1001)}, (), {}, "1001000 points; give 1 to"),
        ("stack", "bodies=3", (), {}, "give values by name"),
        ("stack", {"bodies": [2]}, "hight", {}, "give one of final, max"),
        ("stack", {"bodies": [2]}, "overshot:energy.kinetic", {}, "did you mean overshoot?"),
        ("stack", {"bodies": [2]}, "max", {}, "say of which channel"),
        ("stack", {"bodies": [2]}, "rms:a.b:goal=1", {}, "it has target"),
        ("stack", {"bodies": [2]}, "rms:a.b:target=x", {}, "give a finite number"),
        ("stack", {"bodies": [2]}, "tests.scenes.sweep_builders:hight", {}, "did you mean height?"),
        ("stack", {"bodies": [2]}, "no_such_module:height", {}, "there is no module no_such_module"),
        ("stack", {"bodies": [2]}, [own.height, own.height], {}, "two have the name 'height'"),
        ("stack", {"bodies": [2]}, {"bodies": own.height}, {}, "'bodies' is also varied"),
        ("stack", {"bodies": [2]}, 3.0, {}, "give a text such as"),
        ("stack", {"bodies": [2]}, (), {"duration": 0.0}, "duration = 0"),
        ("stack", {"bodies": [2]}, (), {"workers": 0}, "workers = 0"),
        ("stack", {"bodies": [2]}, (), {"workers": 2, "scheduler": "tcp://a:1"}, "leave one of both out"),
        ("stack", {"bodies": [2]}, (), {"settings": {"sweeps": 3}}, "must be a Settings"),
        ("stack", {"bodies": [2]}, (), {"parameters": {"frction": 0.2}}, "did you mean friction?"),
        (own.bounce, {"speed": [2]}, (), {}, "does not say how long"),
        (own.bounce, {"sped": [2]}, (), {"duration": 1.0}, "did you mean speed?"),
        (3, {"sped": [2]}, (), {"duration": 1.0}, "a function that builds a world"),
    ],
)  # fmt: skip
def test_bad_input_is_named_before_anything_runs(
    source: object, grid: object, metrics: object, options: dict[str, object], told: str, tmp_path: Path
) -> None:
    """Refuse what is wrong at once, with the cure, and keep nothing."""
    with pytest.raises((ValueError, TypeError), match=told):
        st.sweep(source, grid, metrics, out=tmp_path / "kept", **options)
    assert not (tmp_path / "kept").exists()


def test_damaged_results_are_named(tmp_path: Path) -> None:
    """Name a file of a run that is damaged; overwrite nothing."""
    from stoss.errors import FileError, UsageError

    table = st.sweep(own.bounce, {"speed": [1.0]}, own.place, duration=0.02, out=tmp_path / "kept")
    result = tmp_path / "kept" / table["run"][0] / "result.json"
    later = result.read_text().replace('"format": 1', '"format": 7')
    for content, told in (
        ("{", "is damaged; remove"),
        ("[]", "is damaged; remove"),
        ('{"format": 1, "status": "finished"}', "is damaged; remove"),
        ('{"status": "finished"}', "which is no version"),
        (later, "format 7 is newer than 1; update stoss"),
    ):
        result.write_text(content)
        with pytest.raises(UsageError, match=rf"result.json.*{told}"):
            st.sweep(own.bounce, {"speed": [1.0]}, own.place, duration=0.02, out=tmp_path / "kept")
        assert result.read_text() == content
    result.write_text("")  # as a loss of power leaves it: it is made anew
    st.sweep(own.bounce, {"speed": [1.0]}, own.place, duration=0.02, out=tmp_path / "kept")
    assert json.loads(result.read_text())["status"] == "finished"
    with pytest.raises(FileError, match="a part of it is a file; give the name of a folder"):
        st.sweep(own.bounce, {"speed": [1.0]}, duration=0.02, out=result)


def test_functions_that_change_are_run_anew(tmp_path: Path) -> None:
    """Make runs anew when the text of a metric or a builder has changed."""
    module = tmp_path / "own_figures.py"
    done = []
    for text in ("return 1.0", "return 1.0", "return 2.0"):
        module.write_text(f"def figure(run):\n    {text}\n")
        code = (
            "import stoss as st, sys\n"
            "t = st.sweep('stack', {'bodies': [2]}, 'own_figures:figure', duration=0.02, out='kept',\n"
            "             workers=1, on_run=lambda done, *_: print(done))\nprint(t['figure'][0])"
        )
        told = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert told.returncode == 0, told.stderr
        done.append(told.stdout.split())
    assert done == [["0", "1", "1.0"], ["1", "1.0"], ["0", "1", "2.0"]]


def test_points_of_a_grid_are_all_combinations() -> None:
    """Vary the last name fastest, and keep types."""
    points = points_of({"a": [1, 2], "b": np.array([0.5, 1.5]), "c": ["x"], "d": np.arange(1)})
    assert [tuple(point.values()) for point in points] == [(a, b, "x", 0) for a in (1, 2) for b in (0.5, 1.5)]
    assert {type(value) for value in points[0].values()} == {int, float, str}


def test_tables_are_written_and_read(tmp_path: Path, in_turn: st.SweepTable) -> None:
    """Keep the bits of numbers in all three formats."""
    pandas = pytest.importorskip("pandas")
    for ending in (".csv", ".npz", ".parquet"):
        in_turn.save(tmp_path / f"table{ending}")
    assert_same(st.SweepTable.load(tmp_path / "table.npz"), in_turn)
    for frame in (
        pandas.read_csv(tmp_path / "table.csv", keep_default_na=False),
        pandas.read_parquet(tmp_path / "table.parquet"),
        pandas.DataFrame(in_turn.columns),
    ):
        assert [*frame.columns] == [*in_turn.columns]
        for name in in_turn.columns:
            assert [*frame[name]] == [*in_turn[name].tolist()], name
    with pytest.raises(ValueError, match="does not end in .csv or .npz or .parquet"):
        in_turn.save(tmp_path / "table.xls")
    (tmp_path / "bad.npz").write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match="is no table of a sweep"):
        st.SweepTable.load(tmp_path / "bad.npz")
    with pytest.raises(KeyError, match="did you mean height?"):
        in_turn["hight"]
    assert in_turn.best("height")["bodies"] == 2 and in_turn.best("height", largest=True)["bodies"] == 4


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        ("final:x", 1.0), ("max:x", 1.5), ("min:x", 0.0), ("mean:x", 0.875), ("overshoot:x", 0.5),
        ("overshoot:x:target=1.2", 0.25), ("settling_time:x", 3.0), ("settling_time:x:band=0.5", 1.0),
        ("settling_time:x:target=1.2", np.inf), ("rms:x:target=1.0", 0.5),
    ],
)  # fmt: skip
def test_metrics_of_channels(metric: str, wanted: float) -> None:
    """Work out figures of a step response."""
    from stoss.engine.recording.columns import Block
    from stoss.scenes.experiments.metrics import Finished

    times = np.arange(5.0)
    block = Block(times, np.array([[0.0, 1.5, 0.5, 1.0, 1.0]]))
    run = Finished(st.World(), {}, st.Recording([("x", "", np.nan)], [block], {}))
    found = metric_of(metric).of(run)
    assert found == {metric: pytest.approx(wanted)}


SERVO = """
[params]
stiffness = 100.0
damping = 2.0
[world]
gravity = [0, 0, 0]
time_step = 0.001
[record]
channels = ["joint.pin.angle"]
duration = 2.0
[bodies.rod]
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[joints.pin]
type = "hinge"
second = "rod"
point = [0, 0, 0]
axis = [0, 1, 0]
servo = { target = 0.5, stiffness = "stiffness", damping = "damping" }
"""


def test_step_responses_are_those_of_theory(tmp_path: Path) -> None:
    """Overshoot by exp(-pi D / sqrt(1 - D²)), and end at the target, for each damping of a servo."""
    (tmp_path / "servo.toml").write_text(SERVO)
    file = str(tmp_path / "servo.toml")
    grid = {"damping": [2.0, 4.0, 8.0], "stiffness": [100.0, 400.0]}
    out = tmp_path / "kept"
    table = st.sweep(
        file, grid, {"over": "overshoot:joint.pin.angle:target=0.5", "most": "max"}, workers=2, out=out
    )
    assert (table["status"] == "finished").all()
    share = 0.5 * table["damping"] / np.sqrt(table["stiffness"])  # of critical damping, for 1 kg m²
    wanted = np.exp(-np.pi * share / np.sqrt(1.0 - share**2))
    # of the second order in the step, (omega h)² = 4e-4 at most; a peak lies between two samples
    np.testing.assert_allclose(table["over"], wanted, atol=4e-4)
    np.testing.assert_allclose(table["most"], 0.5 * (1.0 + table["over"]), rtol=1e-14)
    assert not [*out.glob("runs/*/channels.npz")]


def test_recordings_are_kept_if_asked(tmp_path: Path) -> None:
    """Keep what is recorded with each run, the same as a recorder of the same world has; compare two."""
    (tmp_path / "servo.toml").write_text(SERVO)
    file = str(tmp_path / "servo.toml")
    table = st.sweep(
        file, {"damping": [2.0, 2.5]}, lambda run: run["energy.total"][-1], duration=0.1,
        record=["energy.*", "body.rod.position"], every=0.01, workers=2, out=tmp_path,
    )  # fmt: skip
    for row in table:
        world = st.Model.load(file).build({"damping": row["damping"]})
        with st.Recorder(world, ["energy.*", "body.rod.position"], every=0.01) as recorder:
            world.step(100)
        kept = st.Recording.load(tmp_path / row["run"] / "channels.npz")
        assert {*kept.columns} == {*recorder.recording.columns, "joint.pin.angle"}
        for name in recorder.recording.columns:
            np.testing.assert_array_equal(kept[name], recorder.recording[name])
        assert row["lambda"] == kept["energy.total"][-1] and kept.world().state_hash() == row["state_hash"]
    found = st.compare_runs(*(tmp_path / run for run in table["run"]))
    assert not found.same and found.inputs == {"damping": (2.0, 2.5)}
    apart = {one.name: one for one in found.differences}
    assert apart["energy.kinetic"].unit == "J" and apart["energy.kinetic"].largest > 0.0
    assert apart["body.rod.position.x"].largest == 0.0 and found.first_time == pytest.approx(0.01)
    assert st.compare_runs(*[tmp_path / table["run"][0]] * 2).same


@pytest.mark.parametrize("workers", [1, 2])
def test_channels_that_do_not_exist_are_named_at_once(workers: int, tmp_path: Path) -> None:
    """Offer the nearest names of a channel that is not there, before the sweep goes on."""
    for metric in ("max:joint.pim.angle", "rms:body.bob.positon.x"):
        with pytest.raises(
            ValueError, match=r"no channel .* did you mean (joint.pin.angle|body.bob.position)"
        ):
            st.sweep(
                own.pendulum, {"length": [1.0, 2.0]}, metric, duration=0.1, workers=workers, out=tmp_path
            )
    assert not [*(tmp_path / "runs").glob("length=1.0*")]
    table = st.sweep(own.pendulum, {"length": [1.0]}, "max:body.bob.position", duration=0.1, out=tmp_path)
    assert table["reason"][0].endswith("position has 3 numbers; take one, such as body.bob.position.x")


# ---------------------------------------------------------------------- Dask


def test_a_cluster_makes_the_same_bits_though_a_worker_is_killed(in_turn: st.SweepTable) -> None:
    """Give all results of a Dask cluster of two workers, one of which is killed half way."""
    distributed = pytest.importorskip("distributed")
    grid = {"bodies": [2, 3, 4], "friction": [0.2, 0.6]}

    def kill_one(done: int, runs: int, outcome: Outcome | None) -> None:
        if done == runs // 2:
            os.kill(next(iter(workers.values())), signal.SIGKILL)

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        workers = client.run(os.getpid)
        table = st.sweep("stack", grid, own.height, duration=0.1, scheduler=client, on_run=kill_one)
        left = client.run(os.getpid)
        table_by_address = st.sweep(
            "stack", grid, own.height, duration=0.1, scheduler=cluster.scheduler_address
        )
    assert next(iter(workers.values())) not in left.values()
    assert_same(table, in_turn)
    assert_same(table_by_address, in_turn)


def test_a_run_that_ends_processes_of_a_cluster_is_a_row() -> None:
    """Say of a run with which its process, or its worker, ends that they did, and give the other runs."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        cluster.scheduler.allowed_failures = 0
        worker = client.run(os.getpid)
        points = [{"kill": "SIGKILL"}, {"kill": ""}, {"code": 7}]
        table = st.sweep(own.ends, points, own.place, duration=0.05, scheduler=client)
        assert table["status"].tolist() == ["lost", "finished", "lost"]
        assert table["reason"][0].startswith("its process ended 2 times, by SIGKILL")
        assert table["reason"][2] == "its process ended 2 times, with exit code 7"
        assert client.run(os.getpid) == worker
        points = [{"kill": "SIGKILL", "parent": True}]
        (row,) = st.sweep(own.ends, points, own.place, duration=0.05, scheduler=client)
    assert row["status"] == "lost" and row["reason"].startswith("its worker ended")


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say that nobody answers, and what starts a scheduler."""
    pytest.importorskip("distributed")
    from stoss.errors import UsageError
    from stoss.scenes.experiments import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    for address in ("tcp://127.0.0.1:1", "nowhere"):
        with pytest.raises(
            UsageError, match=r"no Dask scheduler answers there .*`dask scheduler` starts one"
        ):
            st.sweep("stack", {"bodies": [2]}, duration=0.02, scheduler=address)
    with pytest.raises(TypeError, match="give the address of a Dask scheduler"):
        st.sweep("stack", {"bodies": [2]}, duration=0.02, scheduler=3)
