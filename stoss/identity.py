"""What this package is, for all that write or start something in its name: its version, and where it lies."""

from pathlib import Path

__all__ = ["PLACE", "__version__"]

__version__ = "0.2.0.dev0"

# The folder from which `import stoss` finds this package.
PLACE = Path(__file__).parents[1]
