"""Humans: bodies after anthropometric data, and a controller that walks (Henze 2002)."""

from stoss.engine.humans.anthropometry import MALE, Human, Segment
from stoss.engine.humans.gait import GaitReport, gait_report
from stoss.engine.humans.gait_plots import gait_page
from stoss.engine.humans.gait_recorder import GaitRecorder
from stoss.engine.humans.humanoid import SOLE, VARIANTS, Humanoid, build_humanoid
from stoss.engine.humans.population import FEMALE, STATISTICS, Statistic, person
from stoss.engine.humans.walk import Landing, Walk
from stoss.engine.humans.walker import VirtualModelWalker

__all__ = [
    "FEMALE",
    "MALE",
    "SOLE",
    "STATISTICS",
    "VARIANTS",
    "GaitRecorder",
    "GaitReport",
    "Human",
    "Humanoid",
    "Landing",
    "Segment",
    "Statistic",
    "VirtualModelWalker",
    "Walk",
    "build_humanoid",
    "gait_page",
    "gait_report",
    "person",
]
