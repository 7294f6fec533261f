"""`python -m stoss.benchmarks.peers`: scenes, figures and messages. Needs none of the other engines."""

import numpy as np
import pytest

from stoss.benchmarks.peers import engines
from stoss.benchmarks.peers.__main__ import JOINT_MARK, main
from stoss.benchmarks.peers.engines import ENGINES, EXTRA, Engine, MissingPeerError, load
from stoss.benchmarks.peers.running import Simulation, State, energy, joint_error, run
from stoss.benchmarks.peers.scenes import GRAVITY, SCENES, WORLD, chain, net


def _at_rest(scene, shift=(0.0, 0.0, 0.0)):
    count = len(scene.masses)
    zeros = np.zeros((count, 3))
    return State(scene.positions + shift, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), zeros, zeros)


def _turned(scene, angle, rate):
    """Return the state of a chain that turns as one rigid rod about y through the origin."""
    cosine, sine = np.cos(angle), np.sin(angle)
    x = scene.positions[:, 0]
    zeros = np.zeros_like(x)
    return State(
        np.column_stack([cosine * x, zeros, -sine * x]),
        np.tile([np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0], (len(x), 1)),
        rate * np.column_stack([-sine * x, zeros, -cosine * x]),
        np.tile([0.0, rate, 0.0], (len(x), 1)),
    )


@pytest.mark.parametrize("name", SCENES)
def test_anchors_lie_on_both_bodies(name):
    """Each anchor must lie on the surface or inside of the bodies that it joins."""
    scene = SCENES[name]()
    for joint, pair in enumerate(scene.pairs):
        for body, anchor in zip(pair, scene.local_anchors(joint), strict=True):
            if body != WORLD:
                assert (np.abs(anchor) <= scene.half_extents[body] + 1e-12).all()


def test_a_chain_is_the_one_of_the_published_figures():
    """A chain must have links of 0.2 x 0.06 x 0.06 m, one joint each, and the energy scale n m g L n / 2."""
    scene = chain(50)
    assert (scene.half_extents == (0.1, 0.03, 0.03)).all()
    assert scene.pairs.tolist() == [[link - 1, link] for link in range(50)]
    np.testing.assert_allclose(scene.anchors[:, 0], 0.2 * np.arange(50), rtol=1e-15, atol=0)
    assert scene.fall_energy == pytest.approx(50 * GRAVITY * 0.2 * 50 / 2, rel=1e-14)
    # Of a box: m ((b^2 + c^2) / 12), edges 0.2, 0.06, 0.06.
    np.testing.assert_allclose(scene.inertias[0], np.array([0.0072, 0.0436, 0.0436]) / 12, rtol=1e-14)


def test_the_net_has_no_redundant_joint():
    """A net of n x n knots must have 2 n (n - 1) rods, and the freedoms of its knots and spinning rods."""
    nodes = 10
    scene = net(nodes)
    rods = 2 * nodes * (nodes - 1)
    assert len(scene.masses) == rods
    # Two knots are fixed, each rod holds one distance and spins about itself.
    freedoms = 3 * (nodes * nodes - 2) - rods + rods
    assert 6 * rods - 3 * len(scene.pairs) == freedoms
    hung = scene.anchors[scene.pairs[:, 0] == WORLD]
    np.testing.assert_allclose(hung, [[0, 0, 0], [4.5, 4.5, 0]], atol=1e-15)


@pytest.mark.parametrize("name", SCENES)
def test_a_spanning_tree_reaches_each_body_once(name):
    """A spanning tree must reach each body once, from a body reached before, and leave the other joints."""
    scene = SCENES[name]()
    branches, loops = scene.spanning_tree()
    reached = {WORLD}
    for parent, body, joint in branches:
        assert parent in reached and body not in reached
        assert sorted(scene.pairs[joint]) == sorted((parent, body))
        reached.add(body)
    assert len(reached) == len(scene.masses) + 1
    assert sorted([joint for *_, joint in branches] + loops) == list(range(len(scene.pairs)))


def test_joint_error_is_zero_when_the_chain_turns_as_one():
    """Joints must stay closed, to rounding, when all links turn together, and open with a shift."""
    scene = chain(20)
    assert joint_error(scene, _turned(scene, 0.7, 0.0)) < 1e-14
    # Against the world only: between the links a common shift cancels.
    assert joint_error(scene, _at_rest(scene, (0.0, 0.3, 0.4))) == pytest.approx(0.5, rel=1e-14)


def test_energy_of_a_turning_rod():
    """Energy must be that of the closed form, I w^2 / 2 - m g x sin(angle), for a chain that turns as one."""
    scene = chain(4, first_mass=2.0, last_mass=5.0)
    angle, rate = 0.6, 3.0
    x = scene.positions[:, 0]
    inertia = scene.inertias[:, 1].sum() + scene.masses @ x**2
    expected = 0.5 * inertia * rate**2 - GRAVITY * np.sin(angle) * (scene.masses @ x)
    assert energy(scene, _turned(scene, angle, rate)) == pytest.approx(expected, rel=1e-13)


class _Script:
    """A simulation that reads given states one after the other."""

    def __init__(self, states):
        self.states, self.place = states, 0

    def step(self):
        self.place += 1

    def read(self):
        return self.states[self.place]


def test_run_keeps_the_extremes_of_all_steps():
    """A run must report the largest error and energy of any step, and the energy change of the last."""
    scene = chain(3)
    script = _Script([_at_rest(scene), _at_rest(scene, (0, 0, 0.2)), _at_rest(scene, (0, 0, -0.1))])
    figures = run(scene, Simulation(script.step, script.read), steps=2)
    scale = 3 * GRAVITY / scene.fall_energy
    assert figures.joint_error == pytest.approx(0.2)
    assert figures.peak_energy_error == pytest.approx(0.2 * scale)
    assert figures.energy_change == pytest.approx(-0.1 * scale)
    assert (figures.steps, figures.end) == (2, "done")


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_run_stops_when_the_state_is_not_finite(value):
    """A run must end at the first state that is not finite or whose energy is not, and say so."""
    scene = chain(3)
    broken = _at_rest(scene)._replace(velocities=np.full((3, 3), value))
    script = _Script([_at_rest(scene), _at_rest(scene), broken, None])
    figures = run(scene, Simulation(script.step, script.read), steps=3)
    assert figures.end == "not finite at step 2" and figures.peak_energy_error == np.inf


def test_run_stops_when_an_orientation_is_none():
    """Report the step in which a quaternion has become zero, as those of MuJoCo do where rates overflow."""
    scene, states = chain(3), []

    def step():
        state = _at_rest(scene)
        states.append(state._replace(quaternions=state.quaternions * (len(states) < 2)))

    figures = run(scene, Simulation(step, lambda: states[-1] if states else _at_rest(scene)), steps=5)
    assert figures.end == "not finite at step 3" and np.isinf(figures.joint_error)


def test_run_stops_at_the_time_limit():
    """A run must end when its steps have used up the time limit, and say so."""
    scene = chain(3)
    script = _Script([_at_rest(scene)] * 3)

    def work():
        script.step()
        sum(range(10_000))

    figures = run(scene, Simulation(work, script.read), steps=2, time_limit=1e-9)
    assert figures.end == "time limit at step 1"


def test_run_refuses_a_model_that_is_not_the_scene():
    """A run must not begin when the bodies are not where the scene has them."""
    scene = chain(3)
    script = _Script([_at_rest(scene, (0.1, 0, 0))])
    with pytest.raises(ValueError, match="open by 0.1 m before the first step"):
        run(scene, Simulation(script.step, script.read))


def test_a_missing_engine_is_named_with_its_cure(monkeypatch, capsys):
    """An engine that is not installed must take one line with the command that installs it; others go on."""
    monkeypatch.setitem(ENGINES, "nowhere", Engine("nowhere_peer", "no_such_package", "no-such-package"))
    with pytest.raises(MissingPeerError, match="no-such-package is not installed"):
        load("nowhere")
    assert main(["heavy_last", "--engines", "nowhere,nowhere"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed.count(f"nowhere: no-such-package is not installed; {EXTRA}") == 2


def test_the_table_has_a_line_per_engine(monkeypatch, capsys, tmp_path):
    """The command must print one line per scene and engine with the figures of the run, also into a page."""

    def build(scene, time_step, **options):
        return Simulation(lambda: None, lambda: _at_rest(scene))

    monkeypatch.setattr("stoss.benchmarks.peers.__main__.load", lambda name, function: (build, "1.2.3"))
    page = tmp_path / "figures.md"
    page.write_text(f"before\n<!-- {JOINT_MARK} -->\nold\n<!-- END OF {JOINT_MARK} -->\nafter\n")
    arguments = ["chain50", "heavy_first", "--engines", "mujoco,rapier", "--steps", "3", "--write", str(page)]
    assert main(arguments) == 0
    written = page.read_text()
    assert written.startswith("before\n") and written.endswith("after\n") and "old" not in written
    assert written.count("\n| `heavy_first` | rapier 1.2.3 | ") == 1 and written.count("\n| `chain50` |") == 2
    printed = capsys.readouterr().out
    assert printed.count("mujoco 1.2.3") == printed.count("rapier 1.2.3") == 2
    assert "chain50: 50 bodies, 50 ball joints" in printed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chain51"], "no scene 'chain51'"),
        (["--engines", "bullet"], "no engine 'bullet'"),
        (["--steps", "0"], "--steps must be at least 1"),
        (["--time-step", "nan"], "--time-step"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, capsys):
    """A wrong argument must end with exit code 2 and a message that names it and the choices."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_every_engine_has_its_adapter():
    """Each engine must name an adapter module that exists."""
    folder = engines.__file__.rsplit("/", 1)[0]
    for engine in ENGINES.values():
        with open(f"{folder}/{engine.adapter}.py", encoding="utf-8") as source:
            assert "def build(scene: JointScene, time_step: float" in source.read()
