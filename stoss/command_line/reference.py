"""`stoss run ... --reference`: how far a run is from the motion that multipliers and small steps give."""

from typing import Any

import numpy as np

from stoss.engine import World
from stoss.errors import UsageError

__all__ = ["Comparison", "told"]

_MOST = 2000  # times at which both are compared


class Comparison:
    """Keep where the bodies of a run are, and compare it with the reference when the run is over.

    Args:
        world: at its beginning.
        steps: that it is to make.
        method: of the reference.
        tolerance: relative one, of its integrator.

    Raises:
        UsageError: something in the world has no equations there; names it and a cure.
    """

    def __init__(self, world: World, steps: int, method: str, tolerance: float) -> None:
        from stoss.engine.reference import ReferenceSolver

        try:
            self._solver = ReferenceSolver(world)
        except ValueError as error:
            raise UsageError(f"--reference: {error}") from error
        self._method, self._tolerance = method, tolerance
        self._every = max(1, -(-steps // _MOST))
        self._names = [joint.name for joint in world.joints if len(joint.coordinates) == 1]
        self._places: list[np.ndarray] = []
        self._values: list[list[float]] = []
        self._gap, self._touched = 0.0, False
        self._start, self._step = world.time, world.time_step
        self._keep(world)

    def after_step(self, world: World) -> None:
        """Take note of a step that was made."""
        self._touched = self._touched or world.report.touching_count > 0
        if world.step_count % self._every == 0:
            self._keep(world)

    def _keep(self, world: World) -> None:
        self._places.append(world.centers_of_mass.copy())
        self._values.append([world.joint(name).value for name in self._names])
        self._gap = max([self._gap, *(joint.error for joint in world.joints)])

    def report(self) -> dict[str, Any]:
        """Run the reference, and return how it ended and how far the run was off."""
        every = self._every * self._step
        count = len(self._places)
        found = self._solver.run(
            max(count - 1, 1) * every, every=every, method=self._method, rtol=self._tolerance,
            atol=0.01 * self._tolerance,
        )  # fmt: skip
        count = min(count, len(found.times))
        off = np.linalg.norm(np.array(self._places[:count]) - found.positions[:count], axis=2)
        worst = np.unravel_index(int(np.argmax(off)), off.shape) if off.size else (0, 0)
        values = np.array(self._values[:count]).reshape(count, len(self._names))
        angles = {
            name: float(np.abs(values[:, k] - found.joints[name].value[:count]).max())
            for k, name in enumerate(self._names)
            if found.joints[name].values
        }
        return {
            "status": found.status,
            "message": found.message,
            "method": self._method,
            "tolerance": self._tolerance,
            "time": float(found.times[-1]),
            "evaluations": found.evaluations,
            "largest_distance": float(off.max(initial=0.0)),
            "body": found.names[int(worst[1])] if found.names else None,
            "at": float(found.times[int(worst[0])]),
            "joint_differences": angles,
            "gap": max([0.0, *(float(joint.gap.max(initial=0.0)) for joint in found.joints.values())]),
            "gap_of_the_run": self._gap,
            "touched": self._touched,
        }


def told(report: dict[str, Any]) -> str:
    """Return a report for the eye."""
    lines = [
        f"reference: {report['method']}, tolerance {report['tolerance']:g}: {report['status']} at "
        f"{report['time']:.6g} s, {report['evaluations']} evaluations",
        f"  centres of mass are apart by at most {report['largest_distance']:.3g} m: "
        f"{report['body']!r} at {report['at']:.4g} s",
    ]
    worst = sorted(report["joint_differences"].items(), key=lambda one: -one[1])[:5]
    if worst:
        lines.append("  joints by " + ", ".join(f"{name} {size:.3g}" for name, size in worst) + " m or rad")
    lines.append(
        f"  joints open by at most {report['gap']:.3g} m there, {report['gap_of_the_run']:.3g} m here"
    )
    if report["status"] != "finished":
        lines.append(f"  {report['message']}")
    if report["touched"]:
        lines.append("  bodies touched each other here, and pass through each other there")
    return "\n".join(lines)
