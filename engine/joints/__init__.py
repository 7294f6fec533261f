"""Joint kinds, what they measure, and the rows that hold them."""

FEATURE = "joints"
