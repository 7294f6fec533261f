"""A loop of its own shows a box on a table; what came of it is written to the file in argv[1].

With "fail" in argv[2] the loop raises after 20 steps.
"""

import json
import sys
from pathlib import Path

from window_script import table_world  # its neighbour

from stoss import viewer

if __name__ == "__main__":
    world, heard, steps = table_world(), [], Path(sys.argv[1]).with_suffix(".steps")
    with viewer.open(world, size=(1000, 640)) as v:
        gain = v.slider("gain", 0.0, 100.0, value=20.0)
        kick = v.button("kick", lambda: heard.append("kick"))
        v.key("k", lambda: heard.append("k"))
        v.key("ctrl+p", lambda: setattr(v._bench, "panel_picture_wanted", (-5.0, 20.0, 300.0, 400.0)))
        v.line((-2.0, -2.0, 0.05), (2.0, -2.0, 0.05), color="#ff00ff", width=5.0, keep=True)
        while v.is_open:
            world.step()
            if "fail" in sys.argv and world.step_count == 20:
                raise ZeroDivisionError("in the loop")
            v.text((0.0, 0.0, 2.0), f"{world.time:.2f} s")
            v.sync()
            steps.write_text(str(world.step_count))
        v.sync()  # does nothing any more
    try:
        v.sync()
    except RuntimeError as error:
        told = str(error)
    result = {
        "steps": world.step_count,
        "box": world.body("box").position.tolist(),
        "bodies": [body.name for body in world.bodies],
        "callbacks": len(world.before_step),
        "heard": heard,
        "gain": gain.value,
        "pressed": kick.pressed,
        "log": [[step, command.name] for step, command in v.log],
        "told": told,
    }
    Path(sys.argv[1]).write_text(json.dumps(result), encoding="utf-8")
