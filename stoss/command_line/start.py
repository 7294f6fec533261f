"""Where the command `stoss` begins: from here on Ctrl-C ends it with one line, whatever is being loaded.

Only the program itself imports this module; `stoss.command_line.main.main` is for everyone.
"""

import os
import sys
from typing import NoReturn

__all__ = ["start"]


def start() -> NoReturn:
    """Carry out the command line of the process, and end it with the exit code."""
    try:
        from stoss.command_line.interrupts import end_workers, ending_at_once, ignored

        ending_at_once()
        from stoss.command_line.main import main

        exit_code = main()
        ignored()  # all is told and written: nothing is left to be interrupted
        end_workers()
        sys.stderr.flush()
    except KeyboardInterrupt:  # before the handlers were there
        os.write(2, b"stoss: interrupted\n")
        os._exit(130)
    # Python itself would wait for threads, such as one that compiles what nobody asks for any more.
    os._exit(exit_code)
