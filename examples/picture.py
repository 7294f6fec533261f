"""A picture of a world without a window or a display, as on a server.

python examples/picture.py [FILE.png]
"""

import sys

import stoss as st

world = st.SCENES["card_house"].build()
world.step(20)
path = sys.argv[1] if len(sys.argv) > 1 else "card_house.png"
st.render(world, path, size=(1280, 720), overlays=["contacts"])
print(f"{len(world.bodies)} bodies at {world.time:g} s: {path}")
