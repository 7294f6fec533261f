"""Make the pictures of all scenes anew: `python -m stoss.command_line.gallery [SCENE ...]`.

They go to `scenes/pictures`, one per scene, at the moment and from the direction that the scene names; those
that `_MOVING` names are films too, animated images that web pages play.
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
# What lets a picture tell of motion: options of `stoss render`, for scenes that a bare picture does not show.
_TOLD = {
    "bounce": "--strobe 0.12 --trails",
    "braking": "--at 1 --strobe 0.3 --exposure 0.6 --overlays velocities --no-key",
    "bricard": "--strobe 0.3 --exposure 1.2 --trails",
    "bullet": "--strobe 0.004 --trails",
    "celt": "--overlays axes,velocities --no-key",
    "chain": "--strobe 0.15 --trails",
    "closed_chain": "--strobe 0.25 --exposure 1 --trails",
    "cradle": "--at 2.05 --strobe 0.2",
    "crane": "--strobe 1.5 --exposure 4.5 --trails",
    "four_bar": "--strobe 0.2 --exposure 1 --trails",
    "frame_hit": "--strobe 0.3 --trails",
    "gyroscope": "--strobe 0.3 --exposure 1.5 --trails",
    "incline": "--at 2 --strobe 0.5 --overlays velocities --no-key",
    "loops": "--strobe 0.25 --exposure 1 --trails",
    "n_four_bar": "--strobe 0.25 --exposure 1 --trails",
    "double_pendulum": "--strobe 0.1 --trails",
    "knee_stop": "--strobe 0.1",
    "knee_variants": "--strobe 0.05",
    "net": "--strobe 0.25 --exposure 0.5",
    "ragdoll": "--strobe 0.25",
    "robot_arm": "--strobe 0.4 --exposure 2 --trails",
    "rope_over_cylinder": "--strobe 0.3",
    "slider_crank": "--strobe 0.1 --exposure 0.4 --trails --view=-90,8",
    "spin": "--overlays axes,velocities --no-key",
    "thesis_stops": "--strobe 0.2 --exposure 1 --trails",
    "tippe_top": "--overlays axes,velocities --trails --no-key",
    "wall_hit": "--strobe 0.3 --exposure 1.5",
}
# Scenes of which there is a film too, and how it is shot.
_MOVING = {
    "funnel": "--shapes mixed --bodies 600 --at 0.5 --duration 4 --fps 20 --size 800x450 --quality high",
}
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
        size, told = _LARGE if name in FRONT else _SMALL, _TOLD.get(name, "")
        for words, suffix in ((f"--size {size} {told}", ".jpg"), (_MOVING.get(name), ".webp")):
            if words is None:
                continue
            path = options.folder / f"{name}{suffix}"
            exit_code = stoss(["render", name, *words.split(), "--out", str(path)])
            if exit_code:
                return exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
