"""Free motion of bodies, and when moving bodies meet."""
