"""Random sequences of operations on worlds and their copies agree with a simple model; faults are seen."""

import random

import numpy as np
import pytest

from stoss.benchmarks.api_fuzz.sequence_model import Fault
from stoss.benchmarks.api_fuzz.sequence_operations import OPERATIONS, begun, operate
from stoss.benchmarks.api_fuzz.sequences import Worker


@pytest.mark.parametrize("seed", range(4))
def test_random_sequences_agree_with_the_model(seed):
    """Carry out 25 operations, from the fifth on with a copy beside the original, checked after each."""
    draw, session = random.Random(seed), begun()
    for k in range(25):
        name = "copy" if k == 4 else draw.choice([*OPERATIONS, "add", "join", "step", "step"])
        operate(session, name, *(draw.randrange(32) for _ in range(3)))
    assert session.counts["on copies"] >= 20


@pytest.mark.parametrize(
    "operations",
    [
        # a second joint of a mechanism that was set aside
        [("settings", 31, 2, 0), ("add several", 0, 0, 0), ("add several", 2, 0, 30), ("join", 0, 1, 0)]
        + [("step", 0, 0, 0), ("join", 3, 0, 1), ("step", 0, 0, 0)],
        # a body of a mechanism that was set aside is put beside another one
        [("settings", 31, 2, 0), ("add", 1, 0, 1), ("add", 1, 30, 1), ("add", 1, 2, 7), ("join", 1, 0, 5)]
        + [("join", 2, 1, 5), ("step", 2, 0, 0), ("change", 1, 3, 3), ("step", 0, 0, 0)],
        # what was set aside meets something that does not react: no island holds such a contact
        [("add", 0, 0, 28), ("drive", 0, 26, 0), ("step", 0, 0, 0), ("drive", 0, 13, 24)]
        + [("drive", 22, 0, 0), ("add", 31, 0, 19), ("change", 0, 27, 0), ("kind", 18, 0, 20)]
        + [("sleep", 22, 0, 17), ("exclude", 31, 29, 22), ("remove", 22, 12, 16), ("join", 26, 29, 0)]
        + [("join", 0, 15, 15), ("add", 10, 0, 0), ("add", 18, 14, 0), ("add", 0, 0, 0)]
        + [("sleep", 21, 23, 17), ("save", 31, 29, 2), ("restore", 10, 9, 12), ("kind", 24, 3, 25)]
        + [("change", 17, 29, 19), ("add", 2, 7, 19), ("copy", 10, 10, 0), ("enable", 16, 1, 0)]
        + [("step", 14, 14, 3), ("enable", 5, 15, 13), ("drive", 31, 31, 23), ("sleep", 19, 17, 27)]
        + [("join", 0, 4, 16), ("drive", 24, 28, 29), ("settings", 7, 26, 28), ("look", 15, 27, 23)]
        + [("join", 26, 2, 31), ("add several", 27, 18, 23), ("save", 9, 13, 25), ("exclude", 14, 24, 4)]
        + [("step", 12, 19, 22), ("save", 29, 6, 11), ("add", 4, 21, 1), ("add", 15, 20, 16)]
        + [("exclude", 14, 24, 4), ("sleep", 23, 12, 27), ("add", 19, 12, 25), ("drive", 2, 29, 9)]
        + [("step", 23, 10, 11)],
        # a mechanism is set aside after bodies were added, with what was known of an earlier one
        [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add several", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("remove", 0, 0, 0), ("remove", 0, 0, 0)]
        + [("join", 0, 0, 0), ("add", 1, 0, 2), ("settings", 7, 26, 0), ("step", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("copy", 0, 0, 0)]
        + [("settings", 0, 1, 0), ("step", 0, 0, 0)],
        # a copy is made of islands that are left to the sweeps for a while, and hit
        [("drive", 0, 0, 0), ("change", 16, 3, 30), ("enable", 0, 0, 0), ("add", 2, 10, 26)]
        + [("add", 5, 0, 0), ("copy", 0, 0, 0), ("drive", 0, 0, 0), ("look", 0, 0, 0)]
        + [("add", 11, 12, 4), ("add", 0, 0, 0), ("part", 0, 0, 0), ("settings", 0, 28, 9)]
        + [("drive", 0, 0, 0), ("settings", 0, 0, 19), ("change", 0, 0, 0), ("join", 16, 29, 28)]
        + [("step", 0, 0, 0), ("save", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("restore", 0, 0, 0), ("step", 0, 0, 0), ("step", 28, 0, 0), ("settings", 0, 0, 20)]
        + [("join", 0, 0, 0), ("add", 0, 0, 0), ("sleep", 0, 0, 0), ("drive", 0, 1, 22)]
        + [("add", 0, 0, 0), ("join", 16, 16, 7), ("add", 0, 0, 0), ("add", 0, 0, 0)]
        + [("add", 5, 10, 18), ("step", 27, 0, 0), ("drive", 2, 0, 0), ("add", 0, 0, 0)]
        + [("copy", 0, 0, 0), ("step", 0, 0, 0)],
    ],
)
def test_sequences_that_failed(operations):
    """Carry out what failed once."""
    session = begun()
    for operation in operations:
        operate(session, *operation)


def test_the_model_sees_faults():
    """Find a copy that differs in one bit, a lost joint flag, and a body that moved though it is static."""
    session = begun()
    for operation in [("add", 1, 1, 1), ("join", 0, 0, 0), ("step", 0, 0, 0), ("copy", 0, 0, 0)]:
        operate(session, *operation)
    session.check()
    twin = session.worlds[1]
    twin.velocities[1, 0] = np.nextafter(twin.velocities[1, 0], 1.0)
    with pytest.raises(Fault, match="the copy and the original differ"):
        session.check()
    session.worlds.pop()
    session.world.joints[0].enabled = False
    with pytest.raises(Fault, match="enabled: False is not True"):
        session.check()
    session.world.joints[0].enabled = True
    session.world.bodies[0].position = (0, 0, 1)
    with pytest.raises(Fault, match="pose of b0"):
        session.check()


def test_crashes_are_seen():
    """Say what was done when the process died."""
    worker = Worker()
    assert worker.ask(["begin"]) == ""
    assert worker._process is not None
    worker._process.kill()
    assert "ended with code" in worker.ask(["step", 0, 0, 0])
    worker.close()
