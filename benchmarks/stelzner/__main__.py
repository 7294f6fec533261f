"""Run the command: `python -m stoss.benchmarks.stelzner`."""

import sys

from stoss.benchmarks.stelzner import main

if __name__ == "__main__":
    sys.exit(main())
