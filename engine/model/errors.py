"""What is wrong with a model: where, what was given, and what to give in its place."""

from stoss.errors import UsageError

__all__ = ["ModelError"]


class ModelError(UsageError, ValueError):
    """A model, or the file of one, is wrong; the message is one line that says where, what and the cure.

    Attributes:
        place: the keys that lead to what is wrong, such as ("bodies", "arm", "mass"); empty where that is not
            known.
        reason: the message without file, line and place.
    """

    def __init__(self, message: str, place: tuple[str | int, ...] = (), reason: str = "") -> None:
        super().__init__(message)
        self.place = place
        self.reason = " ".join(reason.split()) or str(self)
