"""Other engines side by side with stoss on the same scenes of ball joints: `python -m benchmarks.peers`."""
