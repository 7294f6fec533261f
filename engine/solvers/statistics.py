"""Places in the array of statistics that solvers and the stages of a step add to; reports read them."""

__all__ = [
    "ALLOWANCE",
    "BOUNDED_IMPACTS",
    "CHANGE",
    "CLOSED",
    "DISPLACEMENTS",
    "END_OF_ALLOWANCE",
    "FACTORISATIONS",
    "STATISTICS",
    "IMPACT_ROUNDS",
    "PARTS",
    "PASSES",
    "PLANNED",
    "PREVIEW_ERROR",
    "REFINEMENTS",
    "RESCUES",
    "RESIDUAL",
    "SHORTEST",
    "SUB_STEPS",
    "SUB_STEP_WORK",
    "SWEEPS_MADE",
]

FACTORISATIONS, REFINEMENTS = 0, 1  # of the direct solver
RESIDUAL = 2  # largest velocity by which a row of the direct solver is missed [m/s]
SWEEPS_MADE = 3
CHANGE = 4  # largest change of velocity in the last sweep [m/s]
PASSES = 5  # solutions of the position rows
PREVIEW_ERROR = 6  # largest distance by which the preview missed in the last pass [m]
SUB_STEPS = 7
IMPACT_ROUNDS = 8
CLOSED = 9  # whether the preview of the last sub-step closed all joints
BOUNDED_IMPACTS = 10
ALLOWANCE, END_OF_ALLOWANCE, SUB_STEP_WORK = 11, 12, 13  # see `allowance`
RESCUES = 14  # sweeps where no active set was found, in factorisations of as much work
DISPLACEMENTS = 15  # work of displacements beside usual ones: factorisations, refinements and sweeps
PARTS = 16  # sub-steps in which the step is made, as far as is known: planned ones, and one for each split
SHORTEST = 17  # sub-step that is not split [s]
PLANNED = 18  # sub-steps in which it was planned; see `allowance`
STATISTICS = 19
