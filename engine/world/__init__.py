"""The world: its step and its interface, bodies and joints with their handles, snapshots, reports."""
