"""Bodies as a structure of arrays: mass, material, energy."""
