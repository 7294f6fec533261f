"""Run a scene of contacts on one engine and measure it by poses alone, the same way for all engines."""

from typing import NamedTuple

import numpy as np

from stoss.benchmarks.peers.contact_scenes import ContactScene
from stoss.benchmarks.peers.running import START_TOLERANCE, Simulation, State, advance
from stoss.collision import Detector

__all__ = ["ContactFigures", "Overlaps", "run_contacts"]

MEASURE_EVERY = 10  # steps between two looks at the overlaps, which cost as much as a step or more


class ContactFigures(NamedTuple):
    """What a run gave."""

    steps: int
    steps_per_second: float  # of processor time; reading the state and compiling kernels not counted
    drift: float  # largest horizontal distance of a body from its start at the end [m]
    overlap: float  # deepest overlap of two bodies, of every MEASURE_EVERY-th step and the last [m]
    mean_overlap: float  # mean of all overlaps at the end [m]
    passed: int  # bodies below the hole at the end
    end: str  # why the run ended; "done" if nothing happened


class Overlaps:
    """Measure how deep the bodies of a scene overlap, with the collision detection of this package."""

    def __init__(self, scene: ContactScene) -> None:
        self._scene = scene
        self._positions, self._quaternions = scene.positions.copy(), scene.quaternions.copy()
        self._detector = Detector()
        for body in range(len(scene.masses)):
            self._detector.add_shape(scene.shape(body), body)

    def __call__(self, state: State) -> np.ndarray:
        """Return the depths [m] of all contacts that overlap."""
        moving = self._scene.moving
        lengths = np.linalg.norm(state.quaternions, axis=1, keepdims=True)
        self._positions[moving], self._quaternions[moving] = state.positions, state.quaternions / lengths
        contacts = self._detector.detect(self._positions, self._quaternions, self._scene.masses > 0.0, 0.0)
        return -np.minimum(contacts.gap[: contacts.count], 0.0)


def run_contacts(
    scene: ContactScene, simulation: Simulation, *, steps: int = 500, time_limit: float = np.inf
) -> ContactFigures:
    """Advance a simulation and measure it.

    Args:
        scene: what the simulation was built from.
        simulation: the scene in an engine.
        steps: number of steps.
        time_limit: stop when the steps have taken this long [s of processor time].

    Raises:
        ValueError: the bodies are not where the scene has them.
    """
    start = scene.positions[scene.moving]
    off = float(np.abs(simulation.read().positions - start).max())
    if not off < START_TOLERANCE * max(1.0, float(np.abs(start).max())):
        raise ValueError(f"the adapter is wrong: bodies are off by {off:.3g} m before the first step")
    overlaps = Overlaps(scene)
    deepest = 0.0

    def measure(state: State, step: int) -> bool:
        nonlocal deepest
        if not np.isfinite(state.positions).all():
            return False
        if step % MEASURE_EVERY == 0:
            deepest = max(deepest, overlaps(state).max(initial=0.0))
        return True

    done, spent, end = advance(simulation, steps, time_limit, measure)
    speed = done / spent if spent > 0.0 else 0.0
    last = simulation.read()
    if not np.isfinite(last.positions).all():
        return ContactFigures(done, speed, np.inf, np.inf, np.inf, 0, end)
    depths = overlaps(last)
    return ContactFigures(
        done,
        speed,
        drift=float(np.linalg.norm((last.positions - start)[:, :2], axis=1).max()),
        overlap=max(deepest, depths.max(initial=0.0)),
        mean_overlap=float(depths[depths > 0.0].mean()) if (depths > 0.0).any() else 0.0,
        passed=int((last.positions[:, 2] < scene.hole).sum()) if scene.hole < np.inf else 0,
        end=end,
    )
