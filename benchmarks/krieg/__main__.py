"""Run the command: `python -m stoss.benchmarks.krieg`."""

import sys

from stoss.benchmarks.krieg import main

if __name__ == "__main__":
    sys.exit(main())
