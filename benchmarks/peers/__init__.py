"""Other engines beside stoss on the same scenes: `python -m stoss.benchmarks.peers`."""
