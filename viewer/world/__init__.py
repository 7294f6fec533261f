"""A world under commands, its past, and what can be seen of it; no window, no graphics."""
