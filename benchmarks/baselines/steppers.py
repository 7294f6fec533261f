"""One RK4 step of each method: kernels, work arrays, and a common face for all of them."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dposv

from stoss.benchmarks.baselines.baraff import solve_tree, tree_work
from stoss.benchmarks.baselines.dense import assemble
from stoss.benchmarks.baselines.mechanics import (
    body_terms,
    derivative_of_pose,
    derivative_of_velocity,
    joint_terms,
    measure,
    rk4_begin,
    rk4_finish,
    rk4_stage,
)
from stoss.benchmarks.baselines.methods import (
    BaraffMultipliers,
    DenseMultipliers,
    Method,
    PenaltyJoint,
    SpringJoint,
)
from stoss.benchmarks.baselines.model import BallJointModel, tree_order
from stoss.collision.kernels.decorators import compiled

__all__ = ["Stepper", "make_stepper", "velocity_changes"]


class _Work(NamedTuple):
    rotation: np.ndarray  # (n, 9)
    tensor: np.ndarray  # (n, 6)
    torque: np.ndarray  # (n, 3)
    arm: np.ndarray  # (m, 2, 3)
    target: np.ndarray  # (m, 3)
    force: np.ndarray  # (m, 3)
    middle: np.ndarray  # (n, 13)
    total: np.ndarray  # (n, 13)
    dx: np.ndarray  # (n, 13)


def _make_work(n: int, m: int) -> _Work:
    shapes = ((n, 9), (n, 6), (n, 3), (m, 2, 3), (m, 3), (m, 3), (n, 13), (n, 13), (n, 13))
    return _Work(*(np.zeros(shape) for shape in shapes))


@compiled
def _tree_derivative(x, model, tree, torque_share, factors, compliance, work, tree_work):
    body_terms(x, model, torque_share, False, work.rotation, work.tensor, work.torque)
    joint_terms(x, model, work.rotation, factors[0], factors[1], factors[2], work.arm, work.target)
    solve_tree(
        model,
        tree,
        work.tensor,
        work.torque,
        work.arm,
        work.target,
        compliance,
        tree_work,
        work.force,
        work.dx,
    )
    for i in range(len(x)):
        derivative_of_pose(x, i, work.dx)


@compiled
def _tree_steps(x, model, tree, torque_share, factors, compliance, work, tree_work, h, steps):
    """Take steps while the state is finite; return how many were taken."""
    for step in range(steps):
        rk4_begin(x, work.middle, work.total)
        for stage in range(4):
            _tree_derivative(work.middle, model, tree, torque_share, factors, compliance, work, tree_work)
            rk4_stage(stage, h, x, work.dx, work.middle, work.total)
        if not rk4_finish(x, work.total):
            return step
    return steps


@compiled
def _spring_derivative(x, model, torque_share, factors, work):
    body_terms(x, model, torque_share, True, work.rotation, work.tensor, work.torque)
    joint_terms(x, model, work.rotation, factors[0], factors[1], factors[2], work.arm, work.force)
    derivative_of_velocity(model, work.tensor, work.torque, work.arm, work.force, work.dx)
    for i in range(len(x)):
        derivative_of_pose(x, i, work.dx)


@compiled
def _spring_steps(x, model, torque_share, factors, work, h, steps):
    """Take steps while the state is finite; return how many were taken."""
    for step in range(steps):
        rk4_begin(x, work.middle, work.total)
        for stage in range(4):
            _spring_derivative(work.middle, model, torque_share, factors, work)
            rk4_stage(stage, h, x, work.dx, work.middle, work.total)
        if not rk4_finish(x, work.total):
            return step
    return steps


@compiled
def _dense_system(x, model, torque_share, factors, work, matrix, right_side):
    body_terms(x, model, torque_share, True, work.rotation, work.tensor, work.torque)
    joint_terms(x, model, work.rotation, factors[0], factors[1], factors[2], work.arm, work.target)
    assemble(model, work.tensor, work.torque, work.arm, work.target, matrix, right_side)


@compiled
def _dense_derivative(x, model, work):
    derivative_of_velocity(model, work.tensor, work.torque, work.arm, work.force, work.dx)
    for i in range(len(x)):
        derivative_of_pose(x, i, work.dx)


class Stepper(ABC):
    """A model, a method, and what both need for a step."""

    def __init__(self, model: BallJointModel, method: Method) -> None:
        self.model = model.arrays
        self.method = method
        self.work = _make_work(model.body_count, model.joint_count)

    @abstractmethod
    def derivative(self, x: np.ndarray, torque_share: float) -> bool:
        """Write the derivative of the state to `work.dx` and joint forces to `work.force`.

        Returns:
            False if numbers are not finite any more.
        """

    @abstractmethod
    def advance(self, x: np.ndarray, torque_share: float, time_step: float, steps: int) -> int:
        """Take steps, in place, until a number is not finite; return how many came out finite."""

    def measure(self, x: np.ndarray) -> tuple[float, float, float]:
        """Return energy [J], joint error [m] and joint speed [m/s]."""
        work = self.work
        return measure(x, self.model, work.rotation, work.tensor, work.torque, work.arm, work.target)


class _TreeStepper(Stepper):
    def __init__(self, model: BallJointModel, method: BaraffMultipliers | PenaltyJoint) -> None:
        super().__init__(model, method)
        self.compliance = method.compliance
        self.tree = tree_order(model)
        self.tree_work = tree_work(model.body_count)

    def derivative(self, x: np.ndarray, torque_share: float) -> bool:
        _tree_derivative(
            x,
            self.model,
            self.tree,
            torque_share,
            self.method.factors,
            self.compliance,
            self.work,
            self.tree_work,
        )
        return True

    def advance(self, x: np.ndarray, torque_share: float, time_step: float, steps: int) -> int:
        return _tree_steps(
            x,
            self.model,
            self.tree,
            torque_share,
            self.method.factors,
            self.compliance,
            self.work,
            self.tree_work,
            time_step,
            steps,
        )


class _SpringStepper(Stepper):
    def derivative(self, x: np.ndarray, torque_share: float) -> bool:
        _spring_derivative(x, self.model, torque_share, self.method.factors, self.work)
        return True

    def advance(self, x: np.ndarray, torque_share: float, time_step: float, steps: int) -> int:
        return _spring_steps(x, self.model, torque_share, self.method.factors, self.work, time_step, steps)


class _DenseStepper(Stepper):
    def __init__(self, model: BallJointModel, method: DenseMultipliers) -> None:
        super().__init__(model, method)
        size = 3 * model.joint_count
        self.matrix = np.zeros((size, size))
        self.right_side = np.zeros(size)

    def derivative(self, x: np.ndarray, torque_share: float) -> bool:
        work = self.work
        _dense_system(x, self.model, torque_share, self.method.factors, work, self.matrix, self.right_side)
        if not _solve_dense(self.matrix, self.right_side, work.force):
            return False
        _dense_derivative(x, self.model, work)
        return True

    def advance(self, x: np.ndarray, torque_share: float, time_step: float, steps: int) -> int:
        work = self.work
        for step in range(steps):
            rk4_begin(x, work.middle, work.total)
            for stage in range(4):
                if not self.derivative(work.middle, torque_share):
                    return step
                rk4_stage(stage, time_step, x, work.dx, work.middle, work.total)
            if not rk4_finish(x, work.total):
                return step
        return steps


def _solve_dense(matrix: np.ndarray, right_side: np.ndarray, solution: np.ndarray) -> bool:
    """Write the solution (m, 3) of A l = b; destroys A. False if A is not finite."""
    if not len(right_side):
        return True
    # the transpose is Fortran's order, and A is symmetric: LAPACK works in place
    _, values, info = dposv(matrix.T, right_side, lower=1, overwrite_a=1)
    if info != 0:
        if not np.all(np.isfinite(matrix)):
            return False
        raise ValueError(
            f"row {info - 1} of the joints depends on earlier ones: remove joint {(info - 1) // 3} or "
            "another one of its loop, or take SpringJoint"
        )
    solution[:] = values.reshape(-1, 3)
    return True


def make_stepper(model: BallJointModel, method: Method) -> Stepper:
    """Return the stepper of a method.

    Raises:
        TypeError: it is no method.
        ValueError: the method needs a tree and the model is none.
    """
    if isinstance(method, DenseMultipliers):
        return _DenseStepper(model, method)
    if isinstance(method, SpringJoint):
        return _SpringStepper(model, method)
    if isinstance(method, BaraffMultipliers | PenaltyJoint):
        return _TreeStepper(model, method)
    raise TypeError(
        f"method = {method!r}: give one of DenseMultipliers, BaraffMultipliers, PenaltyJoint, SpringJoint"
    )


def velocity_changes(model: BallJointModel) -> np.ndarray:
    """Return the smallest velocity changes (n, 6), by kinetic energy, after which no joint is pulled apart.

    A l = -C', dv = M^-1 B^T l: the velocity correction of the thesis, solved in one go.
    """
    stepper = _DenseStepper(model, DenseMultipliers())
    arrays, work, x = stepper.model, stepper.work, model.state()
    still = arrays._replace(gravity=np.zeros(3))
    body_terms(x, arrays, 0.0, True, work.rotation, work.tensor, work.torque)
    work.torque[:] = 0.0
    joint_terms(x, arrays, work.rotation, 0.0, 1.0, 0.0, work.arm, work.target)
    assemble(still, work.tensor, work.torque, work.arm, work.target, stepper.matrix, stepper.right_side)
    _solve_dense(stepper.matrix, stepper.right_side, work.force)
    derivative_of_velocity(still, work.tensor, work.torque, work.arm, work.force, work.dx)
    return work.dx[:, 7:].copy()
