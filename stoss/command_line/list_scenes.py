"""`stoss list`: the scenes, with the number of bodies."""

import argparse

from stoss.scenes import SCENES

__all__ = ["list_scenes"]


def list_scenes(options: argparse.Namespace) -> int:
    """Carry out `stoss list` and return the exit code."""
    rows = [("scene", "bodies", "seconds", "what it shows")]
    rows += [
        (scene.name, str(scene.body_count), f"{scene.duration:g}", scene.summary) for scene in SCENES.values()
    ]
    name_width, count_width, time_width = (max(len(row[column]) for row in rows) for column in range(3))
    for name, count, seconds, summary in rows:
        print(f"{name:<{name_width}}  {count:>{count_width}}  {seconds:>{time_width}}  {summary}")
    print("\nstoss run SCENE runs one; stoss run SCENE --help shows what can be varied.")
    return 0
