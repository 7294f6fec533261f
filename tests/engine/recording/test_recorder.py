"""Recording a world while it runs: when samples are taken, and what becomes of them when it goes back."""

import copy
import gc
import pickle

import numpy as np
import pytest

import stoss as st


def falling() -> st.World:
    """Return a world with a ball that falls, and bounces at 0.45 s."""
    world = st.World(time_step=0.01)
    elastic = st.Material(restitution=0.8)
    world.add_body(st.HalfSpace(), kind="static", name="floor", material=elastic)
    world.add_body(st.Sphere(0.5), position=(0, 0, 1.5), name="ball", material=elastic)
    return world


def height(world: st.World) -> float:
    """Return how high the ball is; a function of a module, which can be pickled."""
    return float(world.body("ball").position[2])


def test_samples_are_those_of_the_steps():
    """Take the present state first, then one sample after each step, equal to what the world says then."""
    world = falling()
    recorder = st.Recorder(world, ["body.ball.position", "energy.total"])
    seen = [(world.time, *world.body("ball").position, world.report.energy)]
    for _ in range(70):
        world.step()
        seen.append((world.time, *world.body("ball").position, world.report.energy))
    recording = recorder.close()
    told = np.column_stack([recording.time, recording["body.ball.position"], recording["energy.total"]])
    np.testing.assert_array_equal(told, np.array(seen))
    assert recording.status == "finished" and recording.t_end == world.time
    world.step()
    assert len(recording) == 71 and world.after_step == []


@pytest.mark.parametrize("every, step", [(0.01, 0.01), (0.03, 0.01), (0.025, 0.01), (0.1, 1 / 300)])
def test_every_is_a_time(every, step):
    """Take a sample at the first step at or past each multiple of the interval, without drift."""
    world = falling()
    world.time_step = step
    recorder = st.Recorder(world, "energy.total", every=every)
    world.step(600)
    times = recorder.close().time
    count = round(600 * step / every)
    due = every * np.arange(len(times))
    assert abs(len(times) - 1 - count) <= 1
    assert (times > due - 1e-6 * step).all() and (times < due + step * (1 - 1e-6)).all()


def test_interval_shorter_than_a_step_is_refused():
    """Say that nothing can be recorded between two steps."""
    with pytest.raises(ValueError, match=r"every = 0.001 s is less than a step, world.time_step = 0.01 s"):
        st.Recorder(falling(), every=0.001)
    for wrong in (0.0, -1.0, np.nan, "often", True):
        with pytest.raises((TypeError, ValueError), match="every"):
            st.Recorder(falling(), every=wrong)


def test_a_world_that_goes_back_is_recorded_once():
    """Drop the future that a restored world left, and go on on the same grid."""
    for every in (None, 0.05):
        world = falling()
        recorder = st.Recorder(world, "energy.kinetic", every=every)
        world.step(40)
        state = world.save()
        world.step(33)
        world.restore(state)
        world.body("ball").velocity = (0, 0, 0)
        world.step(20)
        recording = recorder.close()
        times = recording.time
        assert (np.diff(times) > 0).all() and times[-1] == pytest.approx(0.6)
        np.testing.assert_allclose(np.diff(times), every or 0.01, rtol=1e-9)
        at = int(np.argmin(abs(times - 0.45)))
        mass = world.body("ball").mass  # it fell anew from rest at 0.4 s
        np.testing.assert_allclose(recording["energy.kinetic"][at], mass * (9.81 * 0.05) ** 2 / 2, rtol=1e-9)


def test_a_world_that_goes_far_back_is_recorded_from_there():
    """Return to the very beginning."""
    world = falling()
    state = world.save()
    recorder = st.Recorder(world, "energy.kinetic", every=0.02)
    world.step(50)
    world.restore(state)
    world.step(4)
    np.testing.assert_allclose(recorder.close().time, [0.0, 0.02, 0.04])


def test_sampling_out_of_turn():
    """Take a sample between those that are due, and in the place of one of the same moment."""
    world = falling()
    recorder = st.Recorder(world, "body.ball.velocity.z", every=0.1)
    world.step(3)
    recorder.sample()
    world.body("ball").velocity = (0, 0, 5)
    recorder.sample()
    world.step(7)
    recording = recorder.close()
    np.testing.assert_allclose(recording.time, [0.0, 0.03, 0.1])
    assert recording["body.ball.velocity.z"][1] == 5.0
    with pytest.raises(RuntimeError, match="closed"):
        recorder.sample()


@pytest.mark.parametrize("way", ["copy", "deepcopy", "pickle"])
def test_copies_of_worlds_have_copies_of_recorders(way, tmp_path):
    """Record both from then on, each its own world; the file stays with the original."""
    world = falling()
    file = tmp_path / "run.npz"
    recorder = st.Recorder(world, ["energy.total"], functions={"height [m]": height}, file=file)
    world.step(10)
    twin = {
        "copy": world.copy,
        "deepcopy": lambda: copy.deepcopy(world),
        "pickle": lambda: pickle.loads(pickle.dumps(world)),
    }[way]()
    (method,) = twin.after_step
    other = method.__self__
    assert other.world is twin and other is not recorder
    twin.body("ball").velocity = (0, 0, 3)
    twin.step(20)
    world.step(5)
    mine, theirs = recorder.close(), other.close()
    assert len(mine) == 16 and len(theirs) == 31
    np.testing.assert_array_equal(mine["height"][:11], theirs["height"][:11])
    assert theirs["height"][-1] == height(twin) and mine["height"][-1] == height(world)
    assert len(st.Recording.load(file)) == 16


def test_an_interrupted_step_leaves_no_sample():
    """Keep what was recorded when a step raises, and go on when steps can be made again."""
    world = falling()
    recorder = st.Recorder(world, "energy.total")
    world.step(3)
    world.body("ball").apply_force((1e30, 0, 0))
    with pytest.raises(st.SimulationError):
        world.step()
    assert len(recorder.recording) == 4
    world.step(2)
    np.testing.assert_allclose(recorder.close().time, 0.01 * np.arange(6))


def test_a_function_that_raises_is_the_users_error():
    """Let the error through after a whole step."""
    world = falling()

    def moody(world):
        if world.step_count == 3:
            raise RuntimeError("no")
        return 1.0

    recorder = st.Recorder(world, "energy.total", functions={"mood": moody})
    with pytest.raises(RuntimeError, match="no"):
        world.step(5)
    assert world.step_count == 3 and len(recorder.recording) == 3
    world.step(2)
    assert len(recorder.close()) == 5


# ------------------------------------------------------------- how runs end


def test_a_run_comes_to_its_end():
    """Advance by the duration, and say that it is finished."""
    world = falling()
    recorder = st.Recorder(world, "energy.total")
    assert recorder.run(0.5) == "finished"
    recording = recorder.close()
    assert (recording.status, recording.reason, recording.t_end) == ("finished", "", world.time)
    assert world.time == pytest.approx(0.5)


def test_a_run_that_diverges_says_why():
    """Tell the body that ran away, and keep all up to there."""
    world = falling()
    world.before_step.append(lambda w: w.body("ball").apply_force((10.0 ** (w.step_count), 0, 0)))
    recorder = st.Recorder(world, "energy.total")
    assert recorder.run(1.0) == "diverged"
    recording = recorder.close()
    assert "'ball' ran away" in recording.reason and 0.05 < recording.t_end < 0.2
    assert recording.time[-1] == recording.t_end == world.time


def test_limits_end_a_run():
    """Stop at the first sample beyond a limit, and tell which, how much, and when."""
    world = falling()
    recorder = st.Recorder(world, "body.ball.velocity")
    assert recorder.run(1.0, limits={"body.ball.velocity": 3.0, "energy.kinetic": 1e9}) == "diverged"
    recording = recorder.close()
    first = int(np.argmax(9.81 * 0.01 * np.arange(100) > 3.0))
    assert recording.t_end == pytest.approx(0.01 * first)
    assert f"at {recording.t_end:.6g} s body.ball.velocity was " in recording.reason
    assert recording.reason.endswith("m/s, beyond 3")
    world = falling()
    assert st.Recorder(world, "energy.total").run(1.0, limits={"world.max_overlap": 1e-12}) == "tolerance"
    nan = st.Recorder(falling(), "energy.total")
    for wrong in ({"energy.totl": 3.0}, {"energy.total": -1.0}, {"energy.total": "big"}, [3], 3):
        with pytest.raises((TypeError, ValueError), match=r"limits|energy\.total"):
            nan.run(1.0, limits=wrong)


def test_a_with_block_notes_how_it_was_left():
    """Close with the status that the error makes, and let the error through."""
    for error, status in ((KeyboardInterrupt(), "interrupted"), (ZeroDivisionError("x"), "stopped")):
        with pytest.raises(type(error)), st.Recorder(falling(), "energy.total") as recorder:
            recorder.world.step(2)
            raise error
        assert recorder.recording.status == status
    assert recorder.recording.reason == "ZeroDivisionError: x"
    with st.Recorder(falling(), "energy.total") as recorder:
        recorder.world.step(2)
    assert recorder.recording.status == "finished" and len(recorder.recording) == 3


# ------------------------------------------------------------- going on


@pytest.mark.parametrize("every", [None, 0.03])
def test_a_saved_run_goes_on_bit_for_bit(every, tmp_path):
    """Continue a recording from its file as if it had never been stopped, grid, columns and bits."""
    file = tmp_path / "run.npz"
    channels = ["contact.*", "energy.*", "body.ball.position.z"]
    with st.Recorder(falling(), channels, every=every, file=file) as recorder:
        recorder.world.step(37)
    resumed = st.Recorder.resume(file)
    assert resumed.world.time == recorder.world.time and resumed.run(0.4) == "finished"
    resumed.close()
    whole = st.Recorder(falling(), channels, every=every)
    whole.world.step(77)
    expected, found = whole.close(), st.Recording.load(file)
    assert resumed.world.state_hash() == whole.world.state_hash()
    np.testing.assert_array_equal(found.time, expected.time)
    assert set(found.columns) == set(expected.columns)
    for name in expected.columns:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)
    assert found.t_end == whole.world.time and found.status == "finished"


def test_functions_are_given_anew_when_a_run_goes_on(tmp_path):
    """Record functions on where they are given, NaN where not."""
    file = tmp_path / "run.npz"
    with st.Recorder(falling(), "energy.total", functions={"height [m]": height}, file=file) as recorder:
        recorder.world.step(5)
    with st.Recorder.resume(file, functions={"height [m]": height}) as recorder:
        recorder.run(0.05)
    heights = st.Recording.load(file)["height"]
    assert len(heights) == 11 and np.isfinite(heights).all()
    with st.Recorder.resume(file) as recorder:
        recorder.run(0.02)
    assert np.isnan(st.Recording.load(file)["height"]).tolist() == [False] * 11 + [True] * 2


def test_a_run_with_callbacks_goes_on_in_a_world_that_has_them(tmp_path):
    """Return the world of the user to the end of the recording, and go on there to the same bits."""

    def driven() -> st.World:
        world = falling()
        world.before_step.append(lambda w: w.body("ball").apply_force((w.time, 0, 0)))
        world.add_load(lambda c: c.force("ball", (0, 1.0, 0)), name="wind")
        world.add_integral("way", lambda c: c.body("ball").velocity[1])
        return world

    file = tmp_path / "run.npz"
    channels = ["load.wind.*", "integral.way", "body.ball.position"]
    with st.Recorder(driven(), channels, file=file) as recorder:
        recorder.world.step(30)
    with st.Recorder.resume(file, world=driven()) as recorder:
        recorder.world.step(20)
    with st.Recorder(driven(), channels) as whole:
        whole.world.step(50)
    assert whole.world.state_hash() == recorder.world.state_hash()
    found = st.Recording.load(file)
    for name in whole.recording.columns:
        np.testing.assert_array_equal(found[name], whole.recording[name], err_msg=name)


def test_what_is_known_of_a_run_is_kept():
    """Keep parameters, seed, version, settings and the model, from which the same world is built."""
    world = falling()
    settings = {"sweeps": world.settings.sweeps}
    recording = st.Recorder(world, "energy.total", parameters={"kp": np.float64(2.5), "seed": 7}).close()
    about = recording.about
    assert recording.parameters == {"kp": 2.5, "seed": 7} and about["seed"] == 7
    assert about["written_by"] == f"stoss {st.__version__}" and about["time_step"] == 0.01
    assert about["settings"]["sweeps"] == settings["sweeps"] and about["channels"] == ["energy.total"]
    assert recording.model().build().state_hash() == falling().state_hash()
    bare = st.Recorder(falling(), "energy.total", model=False, snapshot=False, seed=3).close()
    assert bare.about["seed"] == 3
    with pytest.raises(ValueError, match="keeps no model"):
        bare.model()
    with pytest.raises(ValueError, match="does not hold the end of its run"):
        bare.world()


def test_wrong_arguments_are_told():
    """Name what is wrong."""
    with pytest.raises(TypeError, match="must be a World"):
        st.Recorder("world")
    with pytest.raises(TypeError, match="parameters"):
        st.Recorder(falling(), parameters=[1])
    with pytest.raises(ValueError, match=r"\.npz"):
        st.Recorder(falling(), file="run.csv")
    with pytest.raises(OSError, match="no folder"):
        st.Recorder(falling(), file="/nowhere/at/all/run.npz")
    with pytest.raises(ValueError, match="did you mean energy.total"):
        st.Recorder(falling(), ["energy.totl"])
    world = falling()
    with pytest.raises(ValueError, match="channel"):
        st.Recorder(world, ["nothing"])
    assert world.after_step == []


def test_a_recorder_that_is_forgotten_writes_the_rest(tmp_path):
    """Write to the file what is still in memory when nobody closes it."""
    file = tmp_path / "run.npz"
    world = falling()
    st.Recorder(world, "energy.total", file=file)
    world.step(20)
    del world
    gc.collect()
    recording = st.Recording.load(file)
    assert len(recording) == 21 and recording.status == "interrupted"


def test_recording_costs_nothing_elsewhere():
    """Leave the motion as it is, to the bit."""
    plain, watched = st.SCENES["ragdoll"].build(), st.SCENES["ragdoll"].build()
    recorder = st.Recorder(watched)
    plain.step(60)
    watched.step(60)
    assert plain.state_hash() == watched.state_hash() and len(recorder.recording) == 61


def test_a_plot_without_names_shows_all_that_was_recorded():
    """Draw each channel of a recording, in a panel for each unit; refuse what no picture holds."""
    world = falling()
    recorder, everything = st.Recorder(world, ["energy.*", "body.ball.position.z"]), st.Recorder(world)
    world.step(5)
    figure = recorder.recording.plot()
    assert [len(panel.lines) for panel in figure.axes] == [3, 1]
    if len(everything.recording.columns) > 60:
        with pytest.raises(ValueError, match=r"too many for a picture.*name fewer than .*, \.\.\."):
            everything.recording.plot()
