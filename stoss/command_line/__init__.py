"""The command `stoss`."""
