"""Run the command: `python -m benchmarks.thesis_tables`."""

import sys

from benchmarks.thesis_tables import main

if __name__ == "__main__":
    sys.exit(main())
