"""`python -m stoss`: the same as the command `stoss`."""

from stoss.command_line.start import start

start()
