"""`stoss list`: the scenes, with the number of bodies."""

import argparse
import json
from typing import Any

from stoss.scenes import SCENES
from stoss.scenes.registry import Scene

__all__ = ["list_scenes"]


def list_scenes(options: argparse.Namespace) -> int:
    """Carry out `stoss list` and return the exit code."""
    if options.json:
        print(json.dumps([_record(scene) for scene in SCENES.values()], indent=1))
        return 0
    rows = [("scene", "bodies", "seconds", "what it shows")]
    rows += [
        (scene.name, str(scene.body_count), f"{scene.duration:g}", scene.summary) for scene in SCENES.values()
    ]
    name_width, count_width, time_width = (max(len(row[column]) for row in rows) for column in range(3))
    for name, count, seconds, summary in rows:
        print(f"{name:<{name_width}}  {count:>{count_width}}  {seconds:>{time_width}}  {summary}")
    print("\nstoss run SCENE runs one; stoss run SCENE --help shows what can be varied.")
    return 0


def _record(scene: Scene) -> dict[str, Any]:
    return {
        "name": scene.name,
        "summary": scene.summary,
        "bodies": scene.body_count,
        "duration": scene.duration,
        "time_step": scene.time_step,
        "parameters": [
            {
                "name": parameter.name,
                "type": parameter.type.__name__,
                "default": parameter.default,
                "choices": list(parameter.choices),
                "description": parameter.description,
            }
            for parameter in scene.parameters
        ],
    }
