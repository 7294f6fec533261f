"""Files survive what happens to those who write them: a few of what the command tries."""

import pytest

from stoss.benchmarks.api_fuzz import survival


def test_killed_run_leaves_a_whole_file(monkeypatch):
    """Find the older or the new motion after a run was killed."""
    monkeypatch.setattr(survival, "_NEW", ["run", "stack", "--duration", "0.3", "--quiet", "--save"])
    found, wrong = survival.kills(1, seed=3)
    assert not wrong and found["old"] + found["new"] == 1


@pytest.mark.parametrize("kind", ["full disk", "read-only"])
def test_no_room(kind, monkeypatch):
    """Keep the older file, and say in one line why, on a disk that is full or read-only."""
    monkeypatch.setattr(survival, "FILES", {"figures.json": survival.FILES["figures.json"]})
    lines = survival.without_room(kind)
    assert len(lines) == 1 and "right, exit code 2, older file whole" in lines[0]
