"""Run the command: `python -m stoss.benchmarks.thesis_tables`."""

import sys

from stoss.benchmarks.thesis_tables import main

if __name__ == "__main__":
    sys.exit(main())
