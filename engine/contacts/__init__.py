"""Contacts as rows, with friction, warm start, and the impulse path of an impact."""
