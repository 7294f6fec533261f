"""Islands at rest that are left out of the steps."""

FEATURE = "sleeping"
