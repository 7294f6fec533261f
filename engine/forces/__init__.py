"""Loads: forces and torques that users add to a world, ready-made or by functions of their own."""

FEATURE = "loads"  # see `kernels.prepare`
