"""The experiments of Henze 2002: how walks are made, and the command; the walks themselves take minutes."""

from pathlib import Path

import numpy as np
import pytest

from stoss.benchmarks.henze import EXPERIMENTS, main, sweep
from stoss.benchmarks.henze.walks import Outcome, follow, go, set_out
from stoss.scenes.cases.registry import at_most

PAGE = Path(__file__).parents[2] / "docs" / "walking.md"


def test_a_planar_walk_stays_in_its_plane():
    """Keep the pelvis in the plane and upright to the side, while it walks."""
    out = go(0.5, planar=True, start=(1.0, 0.0))
    assert not out.fell and out.lasted == pytest.approx(0.5)
    assert np.abs(out.path[:, 1]).max() < 1e-6 and out.path[-1, 0] > 0.4
    assert out.report is None  # too few steps


def test_a_push_is_an_impulse():
    """Move the pelvis aside, by less than the trunk alone would go."""
    ways = []
    for impulse in (0.0, 30.0):
        party = set_out()
        follow(party, 0.1)
        party.push(0.0, impulse)
        ways.append(follow(party, 0.1).path[-1, 1])
    # the trunk of 41 kg takes the rest along, in 0.1 s
    assert 0.005 < ways[1] - ways[0] < 0.1 * 30.0 / 41.0


def test_springs_of_soles_carry_a_walk():
    """Walk on the springs of the thesis: they carry the weight, and the ground holds nothing else."""
    party = set_out(soft=True, time_step=0.0005, heading_control=False)
    loads = []
    for _ in range(300):
        party.world.step()
        assert party.world.contacts.count == 0
        loads.append(sum(impulse[2] for *_, impulse, _ in party.walker.points_on_ground(party.world)))
    weight = 75.0 * 9.81
    assert not party.walker.fallen and np.mean(loads[100:]) / 0.0005 == pytest.approx(weight, rel=0.25)


def test_the_course_is_that_of_the_path():
    """Tell the direction of the last second before a moment."""
    path = np.zeros((400, 3))
    path[:200, 0] = np.arange(200) * 0.01
    path[200:, 0] = 2.0
    path[200:, 1] = np.arange(200) * 0.01
    out = Outcome(path=path)
    assert out.course(2.0) == pytest.approx(0.0) and out.course(4.0) == pytest.approx(90.0)


def test_the_command_prints_and_writes(tmp_path, capsys, monkeypatch):
    """Print figures beside their bounds, put them into a page, and tell by its end whether one missed."""

    def stub():
        """E99: a walk."""
        return [at_most("fell after", 2.0, 3.0, "s"), at_most("drift", 2.0, 1.0, "m")]

    monkeypatch.setitem(EXPERIMENTS, "E99", stub)
    place = tmp_path / "page.md"
    place.write_text("before\n<!-- TABLE -->\nold\n<!-- END OF TABLE -->\nafter\n")
    assert main(["E99", "--write", str(place)]) == 1
    assert "drift: 2 m (<= 1)  MISSED" in capsys.readouterr().out
    text = place.read_text()
    assert "old" not in text and "| **E99** | a walk." in text and "2 (missed)" in text
    for wrong in (["E98"], ["E99", "--processes", "0"]):
        with pytest.raises(SystemExit):
            main(wrong)


def test_a_ledge_is_walked_from_above():
    """Begin on the ledge that leads down, and on the ground before the one that leads up."""
    feet = [set_out(ledge=ledge).person.bodies["right foot"].position[2] for ledge in (0.0, 0.02, -0.02)]
    np.testing.assert_allclose(np.subtract(feet, feet[0]), (0.0, 0.0, 0.02), atol=1e-9)


def test_a_sweep_tells_what_falls():
    """Count falls in each third of a range, and refuse what is no number of walks."""
    low, high = sweep.RANGES["step"]
    middle = {name: 0.5 * sum(ends) for name, ends in sweep.RANGES.items()}
    walks = [({**middle, "step": low}, 5.0, False), ({**middle, "step": high}, 1.5, True)]
    text = sweep.table(walks)
    assert "2 walks, 1 falls, in the middle after 1.5 s" in text
    assert "| step | 0.375 | 0.525 | 0 of 1 | 0 of 0 | 1 of 1 | -, -, 1.5 s |" in text
    with pytest.raises(SystemExit):
        sweep.main(["--walks", "0"])


def test_the_page_has_the_experiments():
    """Have the experiments that were measured on the page, under their names."""
    text = PAGE.read_text("utf-8")
    assert [
        name for name in ("V-15", "V-16", "V-18", "V-19", "V-21", "speeds") if f"**{name}**" not in text
    ] == []
