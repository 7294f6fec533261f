"""`stoss completion SHELL`: a script that lets a shell complete the words of `stoss`."""

import argparse
from typing import Any

from stoss.errors import UsageError

__all__ = ["completion"]


def completion(options: argparse.Namespace) -> int:
    """Carry out `stoss completion` and return the exit code.

    Raises:
        UsageError: shtab is not installed.
    """
    try:
        import shtab
    except ImportError:
        raise UsageError("completion needs shtab: pip install 'stoss[completion]'") from None
    from stoss.command_line.options.parsing import whole_parser

    parser = whole_parser()
    _complete_files(parser, shtab.FILE)
    print(shtab.complete(parser, shell=options.shell))
    return 0


def _complete_files(parser: argparse.ArgumentParser, how: Any) -> None:
    """Let words that stand for files be completed as such, in all commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _complete_files(below, how)
        elif isinstance(action.metavar, str) and action.metavar.startswith(("FILE", "OUT")):
            action.complete = how  # type: ignore[attr-defined]
