"""What ends a command with one line of advice."""

__all__ = ["UsageError"]


class UsageError(Exception):
    """The command cannot be carried out as it was written; the message is one line with the cure."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
