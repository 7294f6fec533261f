"""What is wrong with a model: where, what was given, and what to give in its place."""

from stoss.errors import UsageError

__all__ = ["ModelError"]


class ModelError(UsageError, ValueError):
    """A model, or the file of one, is wrong; the message is one line that says where, what and the cure."""
