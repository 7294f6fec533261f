"""What a report says of a step that could not be made as usual: the one place where that is read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoss.engine import StepReport

__all__ = ["ladder", "named"]


def named(report: "StepReport") -> tuple[str, ...]:
    """Return the names of what the report calls open, jammed, or held by another method."""
    jammed = [name for pair in report.jammed for name in pair]
    return (*report.open_joints, *jammed, *(name for _, names in report.ladder for name in names))


def ladder(report: "StepReport") -> tuple[str, ...]:
    """Return what was done in place of the usual step, once for each island, nothing if nothing was."""
    return tuple(method for method, _ in report.ladder)
