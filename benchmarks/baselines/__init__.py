"""Other methods for joints, to compare with: Lagrange multipliers and penalty forces.

They are what the thesis compares its method with (Bender 2007, sections 2.1 and 3.5). Nothing here uses
the engine: models are plain arrays, kernels are its own. `python -m benchmarks.baselines` measures.
"""

from benchmarks.baselines.boxes import JointedBoxes, chain_boxes, chain_model, tree_boxes, tree_model
from benchmarks.baselines.methods import (
    BaraffMultipliers,
    DenseMultipliers,
    Method,
    PenaltyJoint,
    SpringJoint,
)
from benchmarks.baselines.model import BallJointModel
from benchmarks.baselines.running import (
    Result,
    consistent_velocities,
    evaluate,
    simulate,
)

__all__ = [
    "BallJointModel",
    "BaraffMultipliers",
    "DenseMultipliers",
    "JointedBoxes",
    "Method",
    "PenaltyJoint",
    "Result",
    "SpringJoint",
    "chain_boxes",
    "chain_model",
    "consistent_velocities",
    "evaluate",
    "simulate",
    "tree_boxes",
    "tree_model",
]
