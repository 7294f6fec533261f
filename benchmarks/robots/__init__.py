"""Robots in the files of others: what is loaded, how it differs from judges, and how fast it is."""
