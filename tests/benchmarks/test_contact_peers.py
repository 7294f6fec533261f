"""`python -m stoss.benchmarks.peers` on scenes of contacts. Needs none of the other engines."""

import numpy as np
import pytest

from stoss.benchmarks.peers import engines
from stoss.benchmarks.peers.__main__ import main
from stoss.benchmarks.peers.contact_running import Overlaps, run_contacts
from stoss.benchmarks.peers.contact_scenes import (
    BOX,
    CONTACT_SCENES,
    PLANE,
    SPHERE,
    ContactScene,
    contact_scene,
)
from stoss.benchmarks.peers.engines import ENGINES
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.stoss_peer import build_contacts
from stoss.benchmarks.presets import PRESETS
from stoss.scenes import SCENES

ON_PLANE = ContactScene(
    masses=np.array([0.0, 1.0, 2.0]),
    kinds=np.array([PLANE, BOX, SPHERE]),
    sizes=np.array([[0.0, 0.0, 0.0], [0.5, 0.4, 0.3], [0.2, 0.2, 0.2]]),
    positions=np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.3], [0.1, 0.0, 0.8]]),
    quaternions=np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)),
    hole=0.5,
)


def at_rest(scene: ContactScene, shift=(0.0, 0.0, 0.0)) -> State:
    """Return the start of a scene, moved."""
    moving = scene.moving
    zeros = np.zeros((len(moving), 3))
    return State(scene.positions[moving] + shift, scene.quaternions[moving], zeros, zeros)


@pytest.mark.parametrize("name", ["stack50", "wall105", "funnel500"])
def test_a_contact_scene_is_the_one_of_the_benchmark(name):
    """Start like the world of the preset: masses, inertias, places, and nothing that overlaps."""
    scene = CONTACT_SCENES[name]()
    preset = PRESETS[name]
    world = SCENES[preset.scene].build(**preset.parameters)
    np.testing.assert_array_equal(scene.masses, world.masses)
    # principal moments come in another order where the world turned the axes
    np.testing.assert_allclose(np.sort(scene.inertias, axis=1), np.sort(world.inertias, axis=1), rtol=1e-12)
    np.testing.assert_allclose(scene.positions, world.positions, atol=1e-12)
    assert (scene.kinds == PLANE).sum() == 1
    assert Overlaps(scene)(at_rest(scene)).max(initial=0.0) < 1e-12


def test_stoss_builds_the_same_world():
    """Step from a described scene as from the scene itself."""
    scene = contact_scene("stack50")
    simulation = build_contacts(scene, 0.01)
    world = SCENES["stack"].build(bodies=50)
    for _ in range(5):
        simulation.step()
        world.step()
    np.testing.assert_allclose(simulation.read().positions, world.positions[1:], atol=1e-12)


def test_a_scene_with_other_shapes_is_refused(monkeypatch):
    """Refuse a preset whose shapes the other engines are not given."""
    from stoss.benchmarks.presets import Preset

    monkeypatch.setitem(PRESETS, "pile", Preset("pile", "pile", 1))
    with pytest.raises(ValueError, match="'pile'.*only boxes, spheres, planes"):
        contact_scene("pile")


def test_figures_are_those_of_the_motion():
    """Report drift, overlaps and bodies below the hole of a given motion."""
    # both bodies are shifted sideways by 0.3 m in y and down by 0.1 m
    states = iter([at_rest(ON_PLANE), *[at_rest(ON_PLANE, (0.0, 0.3, -0.1))] * 3])
    figures = run_contacts(ON_PLANE, Simulation(lambda: None, lambda: next(states)), steps=2)
    assert figures.drift == pytest.approx(0.3, rel=1e-12)
    # the box is 0.1 m deep in the plane; it touches the sphere, as before
    assert figures.overlap == pytest.approx(0.1, rel=1e-12)
    assert figures.mean_overlap == pytest.approx(0.1, rel=1e-12)
    assert (figures.passed, figures.steps, figures.end) == (1, 2, "done")


def test_overlaps_are_watched_during_the_run():
    """Report an overlap that is gone at the end."""
    deep = at_rest(ON_PLANE, (0.0, 0.0, -0.05))
    states = iter([at_rest(ON_PLANE), *[deep] * 15, *[at_rest(ON_PLANE, (0.0, 0.0, 0.2))] * 6])
    figures = run_contacts(ON_PLANE, Simulation(lambda: None, lambda: next(states)), steps=20)
    assert figures.overlap == pytest.approx(0.05, rel=1e-12) and figures.mean_overlap == 0.0


def test_a_run_that_breaks_says_so():
    """End at the first state that is not finite."""
    broken = at_rest(ON_PLANE)._replace(positions=np.full((2, 3), np.nan))
    states = iter([at_rest(ON_PLANE), at_rest(ON_PLANE), broken, broken])
    figures = run_contacts(ON_PLANE, Simulation(lambda: None, lambda: next(states)), steps=5)
    assert figures.end == "not finite at step 2" and figures.overlap == np.inf


def test_a_model_that_is_not_the_scene_is_refused():
    """Not begin when the bodies are not where the scene has them."""
    shifted = at_rest(ON_PLANE, (0.0, 0.0, 0.01))
    with pytest.raises(ValueError, match=r"off by 0.01 m before the first step"):
        run_contacts(ON_PLANE, Simulation(lambda: None, lambda: shifted))


def test_the_table_has_a_line_per_engine_that_takes_part(monkeypatch, capsys):
    """Print one line per engine with options for contacts, and none for the others."""

    def build(scene, time_step, **options):
        return Simulation(lambda: None, lambda: at_rest(scene))

    def load(name, function):
        assert function == "build_contacts"
        return build, "1.2.3"

    monkeypatch.setattr("stoss.benchmarks.peers.__main__.load", load)
    assert main(["stack50", "funnel500", "--engines", "rapier,mujoco-elliptic,dart", "--steps", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("rapier 1.2.3") == printed.count("mujoco-elliptic 1.2.3") == 2
    assert "dart 1.2.3" not in printed
    assert "stack50: 50 bodies, 2 steps" in printed and "funnel500: 500 bodies" in printed


def test_every_engine_for_contacts_has_its_adapter():
    """Name an adapter module with a function that builds scenes of contacts."""
    folder = engines.__file__.rsplit("/", 1)[0]
    names = {engine.adapter for engine in ENGINES.values() if engine.contact_options is not None}
    assert len(names) >= 5
    for name in names:
        with open(f"{folder}/{name}.py", encoding="utf-8") as source:
            assert "def build_contacts(" in source.read()
