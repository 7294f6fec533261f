"""What ends a command with one line of advice."""

__all__ = ["FileError", "UsageError"]


class UsageError(Exception):
    """The command cannot be carried out as it was written; the message is one line with the cure."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class FileError(OSError):
    """A file cannot be written; the message is one line with the cure, and what was there before is whole.

    Args:
        number: of the error, as in `errno`.
        message: what happened.
    """

    def __init__(self, number: int | None, message: str) -> None:
        super().__init__(number, " ".join(message.split()))

    def __str__(self) -> str:
        return str(self.strerror)
