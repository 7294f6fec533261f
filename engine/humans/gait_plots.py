"""One page of plots of a walk, in the manner of the figures of Henze 2002, chapter 4."""

from pathlib import Path
from typing import Any

import numpy as np

from stoss.engine import checks
from stoss.engine.humans.gait import gait_report
from stoss.engine.humans.gait_recorder import GaitRecorder
from stoss.engine.recording.plotting import check_picture, new_figure, save
from stoss.names import takes_names

__all__ = ["gait_page"]

RIGHT, LEFT, BOTH = "#0072b2", "#d55e00", "#444444"
SIDES = ((0, "right", RIGHT), (1, "left", LEFT))


@takes_names
def gait_page(recorder: GaitRecorder, path: str | Path, skip: int = 4) -> None:
    """Draw a page of twelve plots: path, speeds, energies, momentum, support, joints, forces of the ground.

    Dashed lines are figures of the thesis for its standard walk of 1.11 m/s.

    Args:
        recorder: of the walk.
        path: .png, .svg or .pdf.
        skip: steps at the beginning that are left out where means are drawn.

    Raises:
        TypeError: no recorder.
        ValueError: too few steps, another ending, or matplotlib is not installed.
    """
    checks.instance("recorder", recorder, GaitRecorder, "GaitRecorder(walker)")
    place = check_picture(path)
    figures = gait_report(recorder, skip)
    figure = new_figure((16.0, 11.0))
    panels = iter(figure.subplots(3, 4).ravel())
    for draw in (
        _path, _speeds, _steps, _energies, _work, _momentum, _support, _angles, _torques, _sideways, _forces,
        _pressure,
    ):  # fmt: skip
        draw(next(panels), recorder, skip)
    figure.suptitle(str(figures), fontsize=11)
    figure.tight_layout()
    save(figure, place, dpi=100.0)


def _name(panel: Any, title: str, x: str, y: str) -> None:
    panel.set_title(title, fontsize=10)
    panel.set_xlabel(x, fontsize=8)
    panel.set_ylabel(y, fontsize=8)
    panel.tick_params(labelsize=8)
    panel.grid(alpha=0.3)


def _cycle(recorder: GaitRecorder, skip: int) -> tuple[np.ndarray, float, float]:
    """Return which samples are the first double step from a touch-down of the left foot on, and its times."""
    landings = recorder.walker.landings
    first = next(
        k for k in range(skip, len(landings)) if landings[k].side == "left" and k + 2 < len(landings)
    )
    begin, end = landings[first].time, landings[first + 2].time
    time = recorder["time"]
    return (time >= begin) & (time < end), begin, end


def _path(panel: Any, recorder: GaitRecorder, _skip: int) -> None:
    center = recorder["center"]
    panel.plot(center[:, 0], center[:, 1], color=BOTH, lw=1)
    feet, time = recorder["feet"], recorder["time"]
    for landing in recorder.walker.landings:
        foot = 0 if landing.side == "right" else 1
        k = min(int(np.searchsorted(time, landing.time)), len(time) - 1)
        panel.plot(*feet[k, foot, :2], "o", ms=4, color=(RIGHT, LEFT)[foot], mfc="none")
    panel.set_aspect("equal", adjustable="datalim")
    _name(panel, "centre of mass and feet at touch-down", "x [m]", "y [m]")


def _speeds(panel: Any, recorder: GaitRecorder, _skip: int) -> None:
    time, velocity = recorder["time"], recorder["velocity"]
    turn = recorder["heading"]
    along = velocity[:, 0] * np.cos(turn) + velocity[:, 1] * np.sin(turn)
    across = velocity[:, 1] * np.cos(turn) - velocity[:, 0] * np.sin(turn)
    panel.plot(time, along, color=RIGHT, lw=0.8, label="forward")
    panel.plot(time, across, color=LEFT, lw=0.8, label="to the left")
    panel.axhline(1.11, color="k", ls="--", lw=0.8)
    panel.legend(fontsize=7)
    _name(panel, "speed of the centre of mass", "t [s]", "m/s")


def _steps(panel: Any, recorder: GaitRecorder, _skip: int) -> None:
    landings = recorder.walker.landings
    turns = np.array([landing.heading for landing in landings])
    apart = np.array([landing.apart for landing in landings])
    along = apart[:, 0] * np.cos(turns) + apart[:, 1] * np.sin(turns)
    across = np.abs(apart[:, 1] * np.cos(turns) - apart[:, 0] * np.sin(turns))
    panel.plot(along, ".-", color=RIGHT, lw=0.8, label="length")
    panel.plot(across, ".-", color=LEFT, lw=0.8, label="width")
    panel.axhline(0.537, color="k", ls="--", lw=0.8)
    panel.legend(fontsize=7)
    _name(panel, "steps, feet at touch-down", "step", "m")


def _energies(panel: Any, recorder: GaitRecorder, _skip: int) -> None:
    time, kinetic, potential = (recorder[name] for name in ("time", "kinetic", "potential"))
    panel.plot(time, kinetic + potential, color=BOTH, lw=0.8, label="both")
    panel.plot(time, potential, color=RIGHT, lw=0.8, label="potential")
    panel.legend(fontsize=7)
    _name(panel, "energy", "t [s]", "J")


def _work(panel: Any, recorder: GaitRecorder, _skip: int) -> None:
    time = recorder["time"]
    for name, colour, told in (
        ("actuator_work", RIGHT, "actuators"),
        ("contact_loss", LEFT, "lost to the ground"),
    ):
        panel.plot(time, recorder[name] - recorder[name][0], color=colour, lw=0.8, label=told)
    panel.legend(fontsize=7)
    _name(panel, "net work", "t [s]", "J")


def _momentum(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    of, begin, end = _cycle(recorder, skip)
    share = 100.0 * (recorder["time"][of] - begin) / (end - begin)
    for k, (name, colour) in enumerate((("x", RIGHT), ("y", LEFT), ("z", "#009e73"))):
        panel.plot(share, recorder["angular_momentum"][of, k], color=colour, lw=1, label=name)
    panel.legend(fontsize=7)
    _name(panel, "angular momentum about the centre of mass", "double step [%]", "kg m$^2$/s")


def _support(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    of, begin, end = _cycle(recorder, skip)
    share = 100.0 * (recorder["time"][of] - begin) / (end - begin)
    touching = recorder["touching"][of].reshape(len(share), 6)
    names = [f"{side} {point}" for _, side, _ in SIDES for point in ("heel", "medial", "lateral")]
    for k, name in enumerate(names):
        panel.fill_between(share, k, k + 0.7 * touching[:, k], step="mid", color=(RIGHT, LEFT)[k // 3], lw=0)
        panel.text(0.0, k + 0.72, name, fontsize=6)
    panel.fill_between(share, 6, 6 + 0.7 * recorder["double"][of], step="mid", color=BOTH, lw=0)
    panel.text(0.0, 6.72, "double support (thesis: 21.5 % at 0.88 m/s)", fontsize=6)
    panel.set_yticks([])
    _name(panel, "points that touch", "double step [%]", "")


def _curves(
    panel: Any, recorder: GaitRecorder, skip: int, column: str, scale: float, names: tuple[str, ...]
) -> None:
    of, begin, end = _cycle(recorder, skip)
    share = 100.0 * (recorder["time"][of] - begin) / (end - begin)
    for k, name in enumerate(names):
        colour = (RIGHT, LEFT, "#009e73")[k]
        panel.plot(share, scale * recorder[column][of, 1, k], color=colour, lw=1, label=name)
    panel.legend(fontsize=7)


def _angles(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    _curves(panel, recorder, skip, "angles", 180.0 / np.pi, ("hip", "knee", "ankle"))
    panel.axhline(30.0, color="k", ls="--", lw=0.8)  # of the knee in stance
    _name(panel, "joints of the left leg, flexion positive", "double step [%]", "degrees")


def _torques(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    _curves(panel, recorder, skip, "torques", 1.0, ("hip", "knee", "ankle"))
    panel.axhline(-80.0, color="k", ls="--", lw=0.8)  # of the knee in stance
    panel.set_ylim(-250, 250)
    _name(panel, "torques of the left leg, flexion positive", "double step [%]", "N m")


def _sideways(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    _curves(panel, recorder, skip, "side_torques", 1.0, ("hip", "ankle"))
    _name(panel, "torques of the left leg, abduction positive", "double step [%]", "N m")


def _forces(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    of, begin, end = _cycle(recorder, skip)
    weight = recorder.walker.humanoid.mass * 9.81
    share = 100.0 * (recorder["time"][of] - begin) / (end - begin)
    width = 11
    for k, (name, colour) in enumerate((("forward", RIGHT), ("to the left", LEFT), ("up", "#009e73"))):
        force = np.convolve(recorder["ground_force"][of, 1, k] / weight, np.ones(width) / width, mode="same")
        panel.plot(share, force, color=colour, lw=1, label=name)
    panel.set_ylim(-0.8, 2.5)
    panel.legend(fontsize=7)
    _name(panel, "ground on the left foot, means of 11 ms", "double step [%]", "weight of the body")


def _pressure(panel: Any, recorder: GaitRecorder, skip: int) -> None:
    of, _, _ = _cycle(recorder, skip)
    length = 0.178  # heel to medial ball
    place = recorder["pressure"][of, 1] / length
    loaded = recorder["ground_force"][of, 1, 2] > 50.0
    panel.plot(place[loaded, 0], place[loaded, 1], ".", ms=2, color=LEFT)
    points = np.array([p[:2] for _, p in recorder.walker.humanoid.human.foot.points])
    points = (points - recorder._heel) / length
    panel.plot(points[:, 0], points[:, 1], "k+")
    panel.set_aspect("equal", adjustable="datalim")
    _name(panel, "centre of pressure of the left foot", "from heel to ball", "to the left")
