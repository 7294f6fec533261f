"""Linearised mechanisms: growth rates and mobilities against closed forms and Krieg's table 3.5."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.engine.reference import stability

ARM = Path(__file__).parents[3] / "examples" / "models" / "arm_with_drill.toml"


def rod(angle, planar="xz"):
    """Return a rod of 2 kg and 0.3 kg m^2, half a metre from a hinge, turned from hanging."""
    world = st.World(planar=planar)
    position = (0.5 * np.sin(angle), 0.0, -0.5 * np.cos(angle))
    turn = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    body = world.add_body(
        mass_properties=st.from_values(2.0, 0.3 * np.eye(3)), position=position, quaternion=turn
    )
    return world, world.add_joint(st.Hinge((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), None, body, name="pin")


INERTIA, WEIGHT = 0.3 + 2.0 * 0.25, 2.0 * 9.81 * 0.5


@pytest.mark.parametrize("planar", ["xz", None])
def test_pendulums(planar):
    """Swing when hanging, fall when standing, with the rates of the closed form."""
    report = stability(rod(0.0, planar)[0])
    rate = np.sqrt(WEIGHT / INERTIA)
    assert report.stable and len(report.eigenvalues) == 2
    np.testing.assert_allclose(np.sort(report.eigenvalues.imag), (-rate, rate), rtol=1e-7)
    np.testing.assert_allclose(report.eigenvalues.real, 0.0, atol=1e-6)
    report = stability(rod(np.pi, planar)[0])
    assert not report.stable and report.growth == pytest.approx(rate, rel=1e-7)
    assert "unstable" in str(report)


@pytest.mark.parametrize(("ki", "stable"), [(70.0, True), (82.0, False)])
def test_a_controller_follows_routh(ki, stable):
    """Be stable if kp kd / ki is above the inertia, with the eigenvalues of the cubic."""
    world, pin = rod(0.0)
    world.gravity = (0.0, 0.0, 0.0)
    kp, kd = 20.0, 3.0
    pin.pid(0.0, gain=kp, reset_time=kp / ki, derivative_time=kd / kp, window=0.1)
    report = stability(world)
    assert report.stable == stable == (kp * kd / ki > INERTIA)
    assert report.routh == pytest.approx(kp * kd / ki) and report.modal_inertias == pytest.approx(INERTIA)
    wanted = np.roots([INERTIA, kd, kp, ki])
    np.testing.assert_allclose(np.sort_complex(report.eigenvalues), np.sort_complex(wanted), rtol=1e-6)
    assert report.joints == ("pin",)


def test_mobility_of_the_arm():
    """Find the mobility and the modal inertias of Krieg's arm (table 3.5)."""
    report = stability(st.Model.load(ARM))
    assert report.joints == ("shoulder", "elbow", "wrist")
    table = [[0.4888, -0.4616, 0.0141], [-0.4616, 2.3988, -1.9198], [0.0141, -1.9198, 11.8972]]
    np.testing.assert_allclose(report.mobility, table, atol=6e-5)
    np.testing.assert_allclose(report.modal_inertias, (2.734, 0.4656, 0.0815), rtol=2e-4)
    np.testing.assert_allclose(report.routh, 10.0)  # R1
    # the drill, which nothing guides, is pressed between hand and wall: 150 N on either end, 0.36 m apart
    assert report.growth == pytest.approx(np.sqrt(150.0 * 0.36 / 2.0), rel=1e-6)
    text = str(report)
    assert "modal inertias 2.734" in text and "elbow: kp kd / ki = 10" in text


def test_free_bodies_and_loops():
    """Let free bodies drift, and count the freedom of a closed chain right."""
    world = st.World(gravity=(0.0, 0.0, 0.0))
    world.add_body(st.Box((1.0, 2.0, 3.0)))
    report = stability(world)
    assert report.stable and len(report.eigenvalues) == 12 and np.abs(report.eigenvalues).max() < 1e-3
    world = st.World()
    corners = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    links = [
        world.add_body(st.Box((0.1, 0.1, 0.9)), position=p) for p in ((0, 0, 0.5), (0.5, 0, 1), (1, 0, 0.5))
    ]
    ends = (None, *links, None)
    for corner, first, second in zip(corners, ends[:-1], ends[1:], strict=True):
        world.add_joint(st.Hinge(corner, (0.0, 1.0, 0.0)), first, second)
    report = stability(world)
    assert len(report.eigenvalues) == 2 and not report.stable  # cranks that stand upright
