"""Shows a box on a table in a window; writes what was done and where things are to the file in argv[1]."""

import json
import sys

from stoss import viewer
from stoss.collision import Box, HalfSpace
from stoss.engine import Material, World


def table_world() -> World:
    """Return a world with a box on a table."""
    world = World()
    surface = Material(friction=0.4)
    world.add_body(HalfSpace(), kind="static", name="ground", material=surface)
    world.add_body(
        Box((3.0, 2.0, 0.2)), position=(0.0, 0.0, 0.9), kind="static", name="table", material=surface
    )
    world.add_body(Box((0.4, 0.4, 0.4)), position=(0.6, 0.0, 1.2), mass=2.0, name="box", material=surface)
    for number, place in enumerate(((2.6, 1.2, 0.15), (-2.6, -2.4, 0.15), (0.0, 1.8, 0.15))):
        world.add_body(Box((0.3, 0.3, 0.3)), position=place, name=f"mark {number}", material=surface)
    return world


if __name__ == "__main__":
    world = table_world()
    log = viewer.show(world, size=(1000, 640))
    result = {
        "time": world.time,
        "steps": world.step_count,
        "hash": world.state_hash(),
        "box": world.body("box").position.tolist(),
        "log": [[step, command.record()] for step, command in log],
    }
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(result, file)
