"""Take pictures and open windows in the order of the arguments and tell what came of it."""

import os
import sys

import stoss as st
from stoss import viewer
from stoss.viewer.window.window import Window

_turn = Window.turn


def turn(window: Window) -> None:
    """Draw some pictures, then close the window."""
    _turn(window)
    window.bench.closing = window.frames > 2


Window.turn = turn  # type: ignore[method-assign]
world = st.World()
world.add_body(st.Box((1.0, 1.0, 1.0)), name="box")

for word in sys.argv[1:]:
    name, _, value = word.partition("=")
    try:
        if value:
            os.environ[name] = value
        elif word == "show":
            print("show", viewer.show(world, paused=True, quality="low"))
        else:
            print("picture", int(viewer.picture(world, (64, 48), quality="low").astype(int).sum()))
    except viewer.drawing.context.NoDisplayError as error:
        print("NoDisplayError", error)
