"""An independent reference: Lagrange multipliers and an adaptive integrator on the same world."""

from stoss.engine.reference.run import JointRun, ReferenceRun
from stoss.engine.reference.solver import METHODS, ReferenceSolver
from stoss.engine.reference.stability import StabilityReport, stability

__all__ = ["METHODS", "JointRun", "ReferenceRun", "ReferenceSolver", "StabilityReport", "stability"]
