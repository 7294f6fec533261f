"""The error of a controller, or of a function that was called for an event."""

from typing import Any

__all__ = ["NOT_MADE", "ControlError"]

NOT_MADE = "the step was not made, and the world is as it was before it"


class ControlError(RuntimeError):
    """A controller, an actuator or a function for an event failed; the message says where the world is.

    Attributes:
        name: of the controller, or of the function.
        step: number of the step.
    """

    def __init__(self, message: str, name: str, step: int) -> None:
        super().__init__(message)
        self.name = name
        self.step = step

    def __reduce__(self) -> tuple[Any, ...]:
        # an exception is made anew from `args`, which hold the message alone
        return type(self), (*self.args, self.name, self.step), vars(self)
