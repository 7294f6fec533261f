"""Recordings: followed, and what they tell of segments and joints."""

from collections.abc import Iterator

import numpy as np

import stoss as st
from stoss.benchmarks.stelzner.human import recorded_human
from stoss.benchmarks.stelzner.recordings import (
    FIRST,
    NAMES,
    missed,
    pair,
    played_squat,
    shoulders,
    turned,
)
from stoss.engine.motion_capture.consistency import consistent_poses, joint_errors
from stoss.scenes.cases.registry import Figure, at_least, at_most, near

__all__ = ["CHECKS"]


def consistent(short: bool = False) -> Iterator[Figure]:
    """B05: pelvis, trunk and arms are brought to poses that their joints allow."""
    measured, joints, _ = shoulders()
    found, errors = consistent_poses(measured, joints, closest=False)
    yield at_least("open before", errors[0], 0.02, "m")
    yield at_most("after two rounds, of the square of the first", errors[2] / errors[1] ** 2, 10.0, "1/m")
    yield at_most("after four rounds", errors[4], 1e-12, "m")
    yield at_most("poses that were found", np.abs(joint_errors(found, joints)).max(), 1e-12, "m")


def segments(short: bool = False) -> Iterator[Figure]:
    """B11: segments are turned as their markers, exactly, and as far off as noise of 2 mm makes them."""
    for degrees in (10, 90, 179) if short else (10, 45, 90, 135, 160, 175, 179):
        data, turn = turned(degrees)
        exact = missed(st.fit_segments(data, {"bone": NAMES}), "bone", turn)[1]
        yield at_most(f"{degrees} deg, exact", exact, 1e-10, "deg")
        data, turn = turned(degrees, 0.002, 600 if short else 2000)
        off = missed(st.fit_segments(data, {"bone": NAMES}), "bone", turn)[1:]
        yield near(f"{degrees} deg, noise", np.sqrt((off**2).mean()), 1.5, 0.15, "deg")


def joints(short: bool = False) -> Iterator[Figure]:
    """B12: the centre of a ball and the axis of a hinge, exactly, and by noise of 1 mm and 0.5 deg."""
    for kind in ("ball", "hinge"):
        found = st.fit_joint(pair(kind), "k", "l")
        yield near(f"{kind} is found as such", found.kind == kind, 1, 0)
        yield at_most(f"{kind}, residual", found.residual, 1e-10, "m")
    off = [
        st.fit_joint(pair("ball", 1e-3, np.radians(0.5), k), "k", "l", "ball").place_first - FIRST
        for k in range(30 if short else 200)
    ]
    size = 1e3 * float(np.sqrt((np.array(off) ** 2).sum(axis=1).mean()))
    # of our motion least squares says 0.95, of 30 runs within a tenth
    yield near("centre by noise", size, 0.95, 0.2 if short else 0.095, "mm")


def followed(short: bool = False) -> Iterator[Figure]:
    """B13: 55 markers on a person of 40 coordinates are followed."""
    both, q, data = recorded_human(20 if short else 60)
    rng, theory = np.random.default_rng(6), 3 * len(data.names) - len(both)
    for noise in (0.0, 1e-3, 5e-3):
        seen = data.positions + noise * rng.normal(size=data.positions.shape)
        noisy = st.MarkerData(data.names, data.times, seen)
        motion = st.track_markers(both, noisy, q[0])
        left = float((np.asarray(motion.residuals) ** 2).sum(axis=1).mean())
        off = float(np.sqrt(((motion.q - q)[:, 6:] ** 2).mean()))
        if noise == 0.0:
            yield at_most("no noise, sum of squares", left, 1e-15, "m^2")
            continue
        yield near(f"{1e3 * noise:g} mm, sum of squares by theory", left / (noise**2 * theory), 1.0, 0.1)
        yield at_most(f"{1e3 * noise:g} mm, angles off", off, 20.0 * noise, "rad")


def servos(short: bool = False) -> Iterator[Figure]:
    """Servos: what they give a person on the ground is what inverse dynamics finds, contacts as loads."""
    for step in (0.01,) if short else (0.01, 0.005, 0.0025):
        both, player, given, wanted = played_squat(step)
        size, off = np.sqrt((given**2).mean()), wanted - given
        share, most = float(np.sqrt((off**2).mean()) / size), float(np.abs(off).max() / np.abs(given).max())
        at = f"{1e3 * step:g} ms"
        yield at_most(f"{at}, root mean square, of that of the torques", share, 1e-3 * (step / 0.01) ** 2)
        yield at_most(f"{at}, largest, of the largest torque", most, 1e-3 * (step / 0.005) ** 2)
        yield at_most(f"{at}, pelvis", float(np.abs(off[:, :6]).max() / np.abs(given).max()), 4e-3)
        yield at_most(f"{at}, behind the motion", float(np.abs(player.errors()[6:]).max()), 0.05, "rad")


CHECKS = {"B05": consistent, "B11": segments, "B12": joints, "B13": followed, "servos": servos}
