"""The stages of a step, and the state that they work on."""
