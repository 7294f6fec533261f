"""People in levels of detail: knees, spines, shoulders, hands (Stelzner 2008, chapter 4).

Only what moves is told in the thesis, no masses and few sizes: these are those of Henze 2002, divided where
the thesis divides a segment, and stand-ins where neither has them (rods and surfaces of knees, the shoulder
blade, the rhythm of the shoulder, fingers). So figures of loads in such parts are those of the stand-ins.
"""

from stoss.engine.humans.levels.knees import KNEES, add_knee, four_bar_place, instant_centre, knee_curves
from stoss.engine.humans.levels.robot import build_robot
from stoss.engine.humans.levels.shoulders import SHOULDERS, add_girdle
from stoss.engine.humans.levels.skeleton import Skeleton, build_skeleton
from stoss.engine.humans.levels.spines import SPINES, add_spine

__all__ = [
    "KNEES",
    "SHOULDERS",
    "SPINES",
    "Skeleton",
    "add_girdle",
    "add_knee",
    "add_spine",
    "build_robot",
    "build_skeleton",
    "four_bar_place",
    "instant_centre",
    "knee_curves",
]
