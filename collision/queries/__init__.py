"""Questions about the shapes of a world: rays, nearest points, overlaps, moving shapes."""
