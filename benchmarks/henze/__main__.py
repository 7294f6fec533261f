"""Run the command: `python -m stoss.benchmarks.henze`."""

import sys

from stoss.benchmarks.henze import main

if __name__ == "__main__":
    sys.exit(main())
