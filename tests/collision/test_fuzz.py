import numpy as np
import pytest

from benchmarks.fuzz import RULES, check, kind_pairs


@pytest.mark.parametrize("kinds", kind_pairs(), ids="-".join)
def test_contacts_of_random_pairs_obey_all_rules(kinds):
    """Report finite contacts of different features, no deeper than the shapes overlap, in any pose."""
    broken, found = check(kinds, 60, seed=0)
    assert found.sum() > 10
    for rule in RULES:
        # a triangle that a shape only grazes may still give the depth behind its plane: a limit of meshes
        if rule != "depth" or "mesh" not in kinds:
            assert not broken[rule].any(), (rule, np.flatnonzero(broken[rule]), broken[rule].max())


def test_normal_along_the_axis_of_a_cone():
    """Find contacts where the first normal lies along the axis of a cone, about which it is to turn."""
    broken, found = check(("cone", "hull"), 700, 7)
    assert (found > 0).sum() > 100
    assert not (broken["normal"] > 0.0).any() and not (broken["number"] > 0.0).any()
