"""The window: mouse, keys, panels."""
