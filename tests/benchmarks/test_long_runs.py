"""The study of long runs: its mechanisms, its table and wrong arguments."""

import numpy as np
import pytest

from stoss.benchmarks.studies import long_runs


@pytest.mark.parametrize("name", [*long_runs.MECHANISMS])
def test_mechanisms_keep_their_energy_and_stay_closed(name):
    """Bound the error of the energy by 0.3 % of the largest kinetic energy, with joints closed."""
    world = long_runs.MECHANISMS[name](0.01)
    kinetic = max(world.step(5).kinetic_energy for _ in range(40))
    bounds = long_runs.energy_errors(long_runs.MECHANISMS[name](0.01), 200, parts=4)
    assert bounds.shape == (4, 2) and (bounds[:, 0] <= bounds[:, 1]).all()
    assert np.abs(bounds).max() <= 3e-3 * kinetic
    assert world.report.joint_error <= world.settings.position_tolerance


def test_the_table_has_a_line_per_tenth(capsys):
    """Print the energy of a mechanism and ten pairs of bounds."""
    long_runs.main(["--steps", "100", "--only", "spherical pendulum"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("spherical pendulum: 2.17")
    assert [len(line.split()) for line in lines[1:]] == [2] * long_runs.PARTS


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--steps", "99"], "at least 100"), (["--time-step", "0"], "above zero")]
)
def test_wrong_arguments_are_told(arguments, message, capsys):
    """Refuse lengths that cannot be, by their name."""
    with pytest.raises(SystemExit):
        long_runs.main(arguments)
    assert message in capsys.readouterr().err
