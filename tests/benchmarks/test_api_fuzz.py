"""Random calls of everything public: refused ones name argument and value, and change nothing."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.api_fuzz import trial
from stoss.benchmarks.api_fuzz.__main__ import main
from stoss.benchmarks.api_fuzz.calls import all_calls, unclear_arguments
from stoss.benchmarks.api_fuzz.trial import run_trials
from stoss.benchmarks.api_fuzz.worlds import STATES, new_world


def test_every_argument_has_a_meaning():
    """Know of each argument of each public call which values fit; a new one is added to `meanings`."""
    assert unclear_arguments() == []


def test_all_that_is_public_is_called():
    """Find methods, attributes, constructors, functions and scenes by looking for them."""
    names = {call.name for call in all_calls()}
    for name in (
        "World.add_body",
        "World.step",
        "World.gravity",
        "Body.position",
        "Body.apply_force",
        "Joint.pid",
        "Limit.set",
        "Drive.schedule",
        "PidDrive.gain",
        "Settings",
        "Material",
        "Box",
        "Hinge",
        "Compose",
        "MassProperties",
        "from_values",
        "Detector.collide",
        "ray_cast",
        "World.restore",
        "scene stack",
        "rotation.from_euler",
        "WorldContacts.of",
        "Contact.other",
        "World.before_step",
    ):
        assert name in names, name
    assert len(names) > 300


@pytest.mark.parametrize("state", list(STATES))
def test_worlds_of_all_states_go_on(state):
    """Build a world with one of everything in each state, and make steps."""
    world = new_world(state, np.random.default_rng(0))
    world.step(2)
    assert np.isfinite(world.positions).all() and len(world.bodies) >= 10


def test_random_calls_find_nothing():
    """Refuse what does not fit by a usual error that names argument and value, and change nothing by it."""
    summary = run_trials(seed=12, count=75)
    assert summary.findings == [], "\n".join(map(str, summary.findings))
    assert summary.calls == 75 and summary.refused > 10 and summary.named == summary.refused


def broken_add(self, *args, **named):
    """Stand in for `World.duplicate`: change something, then refuse."""
    self.add_body(st.Sphere(1.0), position=(0, 0, 50))
    raise ValueError("body = <Body is refused")


def test_faults_are_found(monkeypatch):
    """Find a call that changes something before it is refused, an unnamed refusal, and one that takes all."""
    monkeypatch.setattr(trial, "all_calls", lambda: [c for c in all_calls() if c.name == "World.duplicate"])
    monkeypatch.setattr(st.World, "duplicate", broken_add)
    rules = {finding.rule for finding in run_trials(seed=0, count=8).findings}
    assert "a refused call changed something" in rules
    monkeypatch.setattr(st.World, "duplicate", lambda self, *args, **named: int("x"))
    assert {finding.rule for finding in run_trials(seed=0, count=8).findings} == {"unnamed"}
    monkeypatch.setattr(st.World, "duplicate", lambda self, *args, **named: None)
    assert "wrong value taken" in {finding.rule for finding in run_trials(seed=0, count=30).findings}


def test_the_command_counts_calls(capsys):
    """Make calls in processes of their own, and print figures."""
    code = main(["10", "--processes", "1", "--seed", "3"])
    text = capsys.readouterr().out
    assert code == 0, text
    assert "10 calls of" in text and "100.00 %" in text and "findings: none" in text
