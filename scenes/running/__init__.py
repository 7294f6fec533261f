"""Run a world and keep what it did: figures, reports, motions on disk."""
