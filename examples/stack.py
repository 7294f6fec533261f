"""A stack of ten cubes stands for ten seconds: how far it moves, and what rests on what.

python examples/stack.py
"""

import numpy as np

import stoss as st

world = st.World()
world.add_body(st.HalfSpace(), kind="static", name="ground")
places = [(0, 0, 0.5 + level) for level in range(10)]
names = [f"cube {level}" for level in range(10)]
cubes = world.add_bodies(st.Box((1, 1, 1)), places, mass=1.0, names=names)

world.step(100)  # to settle
start = world.positions
report = world.step(1000)
drift = np.linalg.norm(world.positions - start, axis=1).max()
print(f"drift in 10 s {drift:.1e} m, deepest overlap {report.max_overlap:.1e} m")
for cube in cubes[:3]:
    below = [contact for contact in cube.contacts if contact.other(cube).position[2] < cube.position[2]]
    weight = sum(abs(contact.impulse[2]) for contact in below) / world.time_step
    print(f"{cube.name}: {len(below)} contacts below, which carry {weight:.3f} N")
