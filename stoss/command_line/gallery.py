"""Make the pictures of all scenes anew: `python -m stoss.command_line.gallery [SCENE ...]`.

They go to `scenes/pictures`, one per scene, at the moment and from the direction that the scene names.
"""

import argparse
import sys
from pathlib import Path

from stoss.command_line.main import main as stoss
from stoss.docstrings import first_line
from stoss.scenes import SCENES

__all__ = ["FRONT", "main"]

# Scenes on the front page, whose pictures are larger.
FRONT = ("funnel", "wall_hit", "cradle", "crane", "ragdoll")
_LARGE, _SMALL = "960x540", "480x270"

_FOLDER = Path(__file__).resolve().parents[2] / "scenes" / "pictures"


def main() -> int:
    """Draw the pictures and return the exit code of the first that failed."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.command_line.gallery", description=first_line(__name__)
    )
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="all when left out")
    parser.add_argument("--folder", type=Path, default=_FOLDER, help="default scenes/pictures")
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for name in options.scenes or SCENES:
        size = _LARGE if name in FRONT else _SMALL
        exit_code = stoss(["render", name, "--size", size, "--out", str(options.folder / f"{name}.jpg")])
        if exit_code:
            return exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
