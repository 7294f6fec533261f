"""The options of the command line: what may be written after `stoss`, and its help.

Nothing here loads the engine, so that help and mistakes are answered at once.
"""

from stoss.command_line.options.commands import BENCH_SCENES, COMMANDS, Command
from stoss.command_line.options.parsing import parse
from stoss.command_line.options.picture_options import COLOURS, OVERLAYS

__all__ = ["BENCH_SCENES", "COLOURS", "COMMANDS", "OVERLAYS", "Command", "parse"]
