"""The command `stoss`: read its options, and let the module of the command carry it out.

Exit codes: 0 done; 1 the simulation had to stop, or a case failed; 2 the command was wrong, a package is
missing, memory is used up, or a file cannot be read or written (one line says what and how to mend it); 130
interrupted, 143 told to end (SIGTERM), 129 left by the terminal.

A command's module is imported only when the command is given, so that help and lists come at once.
"""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from stoss.command_line.interrupts import exit_code_of, told_interruption, with_something_to_keep
from stoss.dependencies import DependencyError, require
from stoss.errors import FileError, UsageError

__all__ = ["main"]

# What a full disk behind the output stream says, as in `stoss run drop --json > drop.json`.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        arguments: the words after `stoss`; None takes those of the process.
    """
    try:
        exit_code = _carry_out(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return exit_code
    except (UsageError, FileError, DependencyError) as error:
        print(f"stoss: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as error:
        print(f"stoss: {told_interruption(error)}", file=sys.stderr)
        return exit_code_of(error)
    except MemoryError as error:
        told = f" ({error})" if str(error) else ""
        print(f"stoss: the memory is used up{told}; take fewer bodies, or a larger --every", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        _close_output()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in _NO_ROOM:
            raise
        _close_output()
        print(f"stoss: what it tells cannot be written: {error.strerror}", file=sys.stderr)
        return 2


def _close_output() -> None:
    """Let what is left go nowhere, so that Python does not complain when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _carry_out(words: list[str]) -> int:
    require("stoss.command_line")
    # Here, not above: what it needs may be missing, which is told in one line.
    from stoss.command_line.options import COMMANDS, parse

    options = parse(words)
    command = COMMANDS[options.command]
    with with_something_to_keep() if command.keeps else nullcontext():
        if command.opens_window is None or not command.opens_window(options):
            return command.load()(options)
        from stoss.command_line.opening import carry_out_in_window

        return carry_out_in_window(command.load, options)


if __name__ == "__main__":
    sys.exit(main())
