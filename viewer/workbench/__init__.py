"""What a user has at hand: a simulation, a camera, a selection, and all that can be done with them."""
