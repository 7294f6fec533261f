"""Overlaps of links that displacement does not lessen: they are named, and nothing is turned to and fro."""

from dataclasses import replace

import numpy as np
import pytest

from stoss.benchmarks.worlds import build, draw


@pytest.mark.parametrize("time_step", [0.02, 0.033])
@pytest.mark.parametrize("number, bodies", [(712, 4), (712, 6), (331, 9)])
def test_links_that_overlap_about_their_joint_keep_still(number, bodies, time_step):
    """Name links that hang on one point of a third inside each other, and turn them by little from rest.

    They were turned by 0.42 rad in each step, to and fro.
    """
    record = draw(number)
    world = build(
        replace(
            record,
            bodies=tuple(
                replace(body, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0))
                for body in record.bodies[:bodies]
            ),
            joints=tuple(joint for joint in record.joints if max(joint.first, joint.second) < bodies),
            gravity=0.0,
            time_step=time_step,
        )
    )
    world.step(20)
    turns, named = [], 0
    for _ in range(30):
        before = world.quaternions.copy()
        report = world.step()
        named += len(report.jammed) > 0
        turns.append(
            2.0 * np.arccos(np.clip(np.abs((before * world.quaternions).sum(axis=1)), 0.0, 1.0)).max()
        )
    assert named >= 27  # but where half of what was asked for is gone
    assert np.mean(turns) < 0.08
    assert report.kinetic_energy < 0.01
