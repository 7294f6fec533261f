"""Other methods for joints, to compare with: Lagrange multipliers and penalty forces.

They are what the thesis compares its method with (Bender 2007, sections 2.1 and 3.5). Nothing here uses
the engine: models are plain arrays, kernels are its own; the geometry is that of the scenes.
`python -m stoss.benchmarks.baselines` measures.
"""

from stoss.benchmarks.baselines.boxes import box_model, chain_model, tree_model
from stoss.benchmarks.baselines.methods import (
    BaraffMultipliers,
    DenseMultipliers,
    Method,
    PenaltyJoint,
    SpringJoint,
)
from stoss.benchmarks.baselines.model import BallJointModel
from stoss.benchmarks.baselines.running import (
    Result,
    consistent_velocities,
    evaluate,
    simulate,
)
from stoss.scenes.mechanisms.jointed_boxes import JointedBoxes, chain_boxes, tree_boxes

__all__ = [
    "BallJointModel",
    "BaraffMultipliers",
    "DenseMultipliers",
    "JointedBoxes",
    "Method",
    "PenaltyJoint",
    "Result",
    "SpringJoint",
    "box_model",
    "chain_boxes",
    "chain_model",
    "consistent_velocities",
    "evaluate",
    "simulate",
    "tree_boxes",
    "tree_model",
]
