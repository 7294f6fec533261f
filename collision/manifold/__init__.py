"""Manifolds: from a pair of shapes and a normal to contact points with exact gaps."""

FEATURE = "convex"
