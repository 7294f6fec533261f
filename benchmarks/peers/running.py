"""Run a scene on one engine and measure it by poses and velocities alone, the same way for all engines."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from stoss.benchmarks.peers.scenes import GRAVITY, JointScene
from stoss.engine import SimulationError
from stoss.scenes.running.compilation import CompileWatch

__all__ = ["START_TOLERANCE", "Figures", "Simulation", "State", "advance", "energy", "joint_error", "run"]

START_TOLERANCE = 1e-5  # [m] joints are closed at the start but for single precision, or the adapter is wrong


class State(NamedTuple):
    """State of all bodies at one time, in the order of the scene."""

    positions: np.ndarray  # (n, 3) centres [m]
    quaternions: np.ndarray  # (n, 4), (w, x, y, z), body to world
    velocities: np.ndarray  # (n, 3) of the centres [m/s]
    angular_velocities: np.ndarray  # (n, 3) world [rad/s]


class Simulation(NamedTuple):
    """A scene in some engine: what `build(scene, time_step)` of each adapter returns."""

    step: Callable[[], object]  # advance by one time step
    read: Callable[[], State]


class Figures(NamedTuple):
    """What a run gave; energies are shares of the energy scale of the scene."""

    steps: int
    steps_per_second: float  # of processor time; reading the state and compiling kernels not counted
    joint_error: float  # largest distance of the two anchors of a joint at the end of any step [m]
    peak_energy_error: float  # largest change since the start
    energy_change: float  # at the end
    end: str  # why the run ended; "done" if nothing happened


def _matrices(state: State) -> np.ndarray:
    """Return the rotation matrices (n, 3, 3) of the bodies, whatever the lengths of their quaternions."""
    return Rotation.from_quat(state.quaternions, scalar_first=True).as_matrix()


def joint_error(scene: JointScene, state: State) -> float:
    """Return the largest distance of the two anchors of a joint [m]."""
    # The world is the last row: WORLD is -1.
    turns = np.concatenate([_matrices(state), np.eye(3)[None]])
    places, starts = (np.concatenate([rows, np.zeros((1, 3))]) for rows in (state.positions, scene.positions))
    first, second = (
        places[bodies] + np.einsum("jkl,jl->jk", turns[bodies], scene.anchors - starts[bodies])
        for bodies in scene.pairs.T
    )
    return float(np.linalg.norm(second - first, axis=1).max())


def energy(scene: JointScene, state: State) -> float:
    """Return the kinetic and potential energy [J]."""
    local = np.einsum("nkl,nk->nl", _matrices(state), state.angular_velocities)
    kinetic = scene.masses @ (state.velocities**2).sum(axis=1) + (scene.inertias * local**2).sum()
    return float(0.5 * kinetic + GRAVITY * scene.masses @ state.positions[:, 2])


def advance(
    simulation: Simulation, steps: int, time_limit: float, measure: Callable[[State, int], bool]
) -> tuple[int, float, str]:
    """Advance a simulation until it is done, breaks or takes too long.

    Args:
        simulation: a scene in an engine.
        steps: number of steps.
        time_limit: stop when the steps have taken this long [s of processor time].
        measure: called with the state after every step and the number of the step; returns whether the state
            is finite.

    Returns:
        Steps made, processor time that they took [s], and why the run ended.
    """
    spent, done, end = 0.0, 0, "done"
    with CompileWatch() as watch, np.errstate(over="ignore", invalid="ignore"):
        while done < steps and spent < time_limit:
            before = watch.processor_time
            try:
                simulation.step()
            except SimulationError:
                return done, spent, f"gave up in step {done + 1}"
            spent += watch.processor_time - before
            done += 1
            if not measure(simulation.read(), done):
                return done, spent, f"not finite at step {done}"
    return done, spent, end if done == steps else f"time limit at step {done}"


def run(
    scene: JointScene, simulation: Simulation, *, steps: int = 1000, time_limit: float = np.inf
) -> Figures:
    """Advance a simulation and measure it after every step.

    Args:
        scene: what the simulation was built from.
        simulation: the scene in an engine.
        steps: number of steps.
        time_limit: stop when the steps have taken this long [s of processor time].

    Raises:
        ValueError: the bodies are not where the scene has them.
    """
    state = simulation.read()
    start, error = energy(scene, state), joint_error(scene, state)
    if not error < START_TOLERANCE:
        raise ValueError(f"the adapter is wrong: joints are open by {error:.3g} m before the first step")
    peak = change = 0.0

    def measure(state: State, step: int) -> bool:
        nonlocal error, peak, change
        if not np.linalg.norm(state.quaternions, axis=1).min() > 0.0:  # MuJoCo's, where rates overflow
            error = peak = change = np.inf
            return False
        change = (energy(scene, state) - start) / scene.fall_energy
        error, peak = max(error, joint_error(scene, state)), max(peak, abs(change))
        if np.isfinite([change, error]).all():
            return True
        error = peak = change = np.inf
        return False

    done, spent, end = advance(simulation, steps, time_limit, measure)
    return Figures(done, done / spent if spent > 0.0 else 0.0, error, peak, change, end)
