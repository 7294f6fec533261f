import numpy as np
import pytest

from stoss.benchmarks.studies.fuzz import RULES, check, check_motion, kind_pairs


@pytest.mark.parametrize("kinds", kind_pairs(), ids="-".join)
def test_contacts_of_random_pairs_obey_all_rules(kinds):
    """Report finite contacts of different features, no deeper than the shapes overlap, in any pose."""
    broken, found, _ = check(kinds, 60, seed=0)
    assert found.sum() > 10
    for rule in RULES:
        # a triangle that a shape touches along its border gives the depth behind its plane: a limit of meshes
        if rule != "depth" or "mesh" not in kinds:
            assert not broken[rule].any(), (rule, np.flatnonzero(broken[rule]), broken[rule].max())


def test_normal_along_the_axis_of_a_cone():
    """Find contacts where the first normal lies along the axis of a cone, about which it is to turn."""
    broken, found, _ = check(("cone", "hull"), 700, 7)
    assert (found > 0).sum() > 100
    assert not (broken["normal"] > 0.0).any() and not (broken["number"] > 0.0).any()


@pytest.mark.parametrize("kinds", [("box", "mesh"), ("hull", "mesh"), ("cone", "mesh")], ids="-".join)
def test_shapes_beside_a_mesh_are_not_under_its_faces(kinds):
    """Report no depth for a shape that is apart from all triangles, but reaches behind the plane of one."""
    broken, found, separation = check(kinds, 700, 7)
    apart = separation > 0.0
    assert (found[apart] > 0).sum() > 50
    assert not broken["depth"][apart].any()


def test_energy_never_rises_when_random_spheres_meet():
    """Never add energy when spheres that overlap, touch or are apart meet at random speeds."""
    assert not check_motion(("sphere", "sphere"), 240, 0).any()
