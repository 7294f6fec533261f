"""Generalised coordinates of jointed bodies: kinematics, Jacobians and dynamics of trees and loops.

The same bodies and joints as in a world, seen from the other side: a joint is what it leaves free. Joint
angles out of poses and poses out of joint angles, mass matrices, inverse and forward dynamics.
"""

FEATURE = "articulation"  # see `kernels.prepare`

from stoss.engine.articulated.articulation import Articulation
from stoss.engine.articulated.both import BothRuns
from stoss.engine.articulated.instant_axes import InstantAxis, instant_axis
from stoss.engine.articulated.inverse_kinematics import IKResult, IKTarget
from stoss.engine.articulated.reactions import Reactions
from stoss.engine.articulated.reduced import ReducedSolver

__all__ = [
    "Articulation",
    "BothRuns",
    "IKResult",
    "IKTarget",
    "InstantAxis",
    "Reactions",
    "ReducedSolver",
    "instant_axis",
]
