"""What a report says of a step that could not be made as usual: the one place where that is read."""

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoss.engine import StepReport

__all__ = ["ladder", "names_bodies", "names_joint"]


def _held(report: "StepReport", bodies: Collection[str]) -> bool:
    return any(body in bodies for _, members in report.ladder for body in members)


def names_bodies(report: "StepReport", bodies: Collection[str]) -> bool:
    """Return whether the report says of any of some bodies that it is jammed, or held by another method."""
    return any(body in bodies for pair in report.jammed for body in pair) or _held(report, bodies)


def names_joint(report: "StepReport", joint: str, bodies: Collection[str]) -> bool:
    """Return whether the report says of a joint that it is open, or of a body with it that it was held."""
    return joint in report.open_joints or _held(report, bodies)


def ladder(report: "StepReport") -> tuple[str, ...]:
    """Return what was done in place of the usual step, once for each island, nothing if nothing was."""
    return tuple(method for method, _ in report.ladder)
