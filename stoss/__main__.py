"""`python -m stoss`: the same as the command `stoss`."""

import sys

from stoss.command_line.main import main

sys.exit(main())
