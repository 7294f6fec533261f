"""PyBullet's saveState and restoreState: try three pushes from one state, keep the farthest.

python examples/first_programs/states.py
"""

import stoss as st

world = st.World()
world.add_body(st.HalfSpace(), kind="static")
box = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0, 0, 0.1), mass=1.0)
start = world.save()

for impulse in (1.0, 2.0, 3.0):
    world.restore(start)
    box.apply_impulse((impulse, 0, 0))
    world.step(200)
    print(f"{impulse} N s: slides {box.position[0]:.4f} m")
