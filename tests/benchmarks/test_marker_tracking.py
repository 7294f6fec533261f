"""People that follow markers: what is left is what theory says, and OpenSim finds the same."""

import numpy as np
import pytest

import stoss as st
from stoss.benchmarks.studies import marker_tracking


@pytest.mark.parametrize(("freedom", "markers"), [(40, 55), (75, 60)])
def test_people_follow_their_markers(freedom, markers):
    """Leave between markers what noise leaves of 3 m numbers less the coordinates, for 40 and 75 of these."""
    both = marker_tracking.person(freedom)
    motion, data = marker_tracking.recorded(both, 40)
    assert (len(both), len(data.names)) == (freedom, markers)
    found = st.track_markers(both, data, motion.q[0])
    left = float((found.residuals**2).sum(axis=1).mean())
    assert left == pytest.approx(marker_tracking.NOISE**2 * (3 * markers - freedom), rel=0.1)


def test_opensim_follows_the_same_markers_to_the_same_angles():
    """Find the angles of OpenSim's inverse kinematics, and the torques of its inverse dynamics."""
    pytest.importorskip("opensim")
    both = marker_tracking.person(40)
    motion, data = marker_tracking.recorded(both, 6)
    found = st.track_markers(both, data, motion.q[0])
    q, _ = marker_tracking.opensim_tracks(both, data, motion.q[0], 1e-9)
    np.testing.assert_allclose(q, found.q, atol=1e-5)
    both.world.gravity = (0.0, 0.0, -9.81)
    wanted, _ = marker_tracking.opensim_forces(both, motion)
    np.testing.assert_allclose(motion.forces(both), wanted, atol=1e-10 * np.abs(wanted).max())
