"""Run a model with one of the methods, by RK4, and measure it."""

import time
from dataclasses import dataclass, replace

import numpy as np

from stoss.benchmarks.baselines.methods import Method
from stoss.benchmarks.baselines.model import BallJointModel
from stoss.benchmarks.baselines.steppers import make_stepper, velocity_changes

__all__ = ["Result", "consistent_velocities", "evaluate", "simulate"]


@dataclass(frozen=True, eq=False)
class Result:
    """What a run gives; times count the steps alone, neither compiling nor measuring.

    Args:
        positions, quaternions, velocities, angular_velocities: state at the end.
        completed_steps: fewer than asked for if a number is not finite any more: then the run stops,
            drift and error are infinite, and the state may hold NaN.
        times: (k,) when the run was sampled [s].
        energies: (k,) mechanical energy of the bodies, without what springs hold [J].
        joint_errors: (k,) largest distance of the two points of a joint [m].
        joint_speeds: (k,) largest relative speed of the two points of a joint [m/s].
        energy_drift: largest deviation from the energy at the time when the external torques end [J].
        joint_error: largest of `joint_errors` [m].
        seconds_per_step: processor time of the calling thread. LAPACK may use more threads in
            DenseMultipliers: set OPENBLAS_NUM_THREADS=1 to compare on one.
        wall_seconds_per_step: time on the clock.
    """

    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    angular_velocities: np.ndarray
    completed_steps: int
    times: np.ndarray
    energies: np.ndarray
    joint_errors: np.ndarray
    joint_speeds: np.ndarray
    energy_drift: float
    joint_error: float
    seconds_per_step: float
    wall_seconds_per_step: float


def simulate(
    model: BallJointModel, time_step: float, steps: int, method: Method, *, sample_every: int = 1
) -> Result:
    """Run a model from its state at the start, by the classical RK4 with one solve at each stage.

    Args:
        model: what to run; it is not changed.
        time_step: [s].
        steps: number of steps.
        method: how the joints are held.
        sample_every: measure energy and joint errors every so many steps, and at the end. The steps
            between are taken in one call, so that short ones are timed without Python around them.

    Returns:
        State at the end, energies, joint errors, times. A run that blows up is no error: see `Result`.

    Raises:
        TypeError: there is no such method.
        ValueError: a number makes no sense, or the method cannot do this model (loops, redundant joints).
    """
    if not 0.0 < time_step < np.inf:
        raise ValueError(f"time_step = {time_step!r}: give a positive finite number of seconds")
    for name, value, lowest in (("steps", steps, 0), ("sample_every", sample_every, 1)):
        if value != int(value) or value < lowest:
            raise ValueError(f"{name} = {value!r}: give a whole number, {lowest} or more")
    stepper = make_stepper(model, method)
    x = model.state()
    stepper.advance(x.copy(), 1.0, time_step, min(steps, 1))  # compiles or loads the kernels
    samples = [(0, *stepper.measure(x))]
    cpu = wall = 0.0
    done = 0
    driven = min(model.torque_steps, steps)
    reference = 0  # sample at which the external torques end
    while done < steps:
        share = 1.0 if done < driven else 0.0
        ends = (done - done % sample_every + sample_every, steps, driven if done < driven else steps)
        count = min(ends) - done
        wall_start, cpu_start = time.perf_counter(), time.thread_time()
        taken = stepper.advance(x, share, time_step, count)
        cpu += time.thread_time() - cpu_start
        wall += time.perf_counter() - wall_start
        done += taken
        if taken < count:
            break
        samples.append((done, *stepper.measure(x)))
        if done == driven:
            reference = len(samples) - 1
    number, energies, errors, speeds = np.array(samples).T
    blown_up = done < steps
    return Result(
        positions=x[:, 0:3].copy(),
        quaternions=x[:, 3:7].copy(),
        velocities=x[:, 7:10].copy(),
        angular_velocities=x[:, 10:13].copy(),
        completed_steps=done,
        times=number * time_step,
        energies=energies,
        joint_errors=errors,
        joint_speeds=speeds,
        energy_drift=np.inf if blown_up else float(np.abs(energies - energies[reference])[reference:].max()),
        joint_error=np.inf if blown_up else float(errors.max()),
        seconds_per_step=cpu / max(done, 1),
        wall_seconds_per_step=wall / max(done, 1),
    )


def evaluate(model: BallJointModel, method: Method) -> tuple[np.ndarray, np.ndarray]:
    """Return accelerations and joint forces at the start, external torques included.

    Args:
        model: the model.
        method: how the joints are held.

    Returns:
        (n, 6) accelerations of the centres [m/s^2] and angular accelerations [rad/s^2]; (m, 3) force on
        the second body of each joint [N].
    """
    stepper = make_stepper(model, method)
    stepper.derivative(model.state(), 1.0 if model.torque_steps else 0.0)
    return stepper.work.dx[:, 7:].copy(), stepper.work.force.copy()


def consistent_velocities(model: BallJointModel) -> BallJointModel:
    """Return the model with the velocities nearest to its own, by kinetic energy, that keep joints together.

    Lagrange multipliers hold accelerations only: what pulls a joint apart at the start goes on doing so.

    Args:
        model: the model; its joints must be independent.
    """
    changes = velocity_changes(model)
    return replace(
        model,
        velocities=model.velocities + changes[:, :3],
        angular_velocities=model.angular_velocities + changes[:, 3:],
    )
