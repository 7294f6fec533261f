"""A block that rocks: what an impact leaves of its energy, by default and where sub-steps end at impacts.

Theory (Housner 1963) says (1 - 3/2 sin^2 a)^2, a the angle of the diagonal.

python examples/rocking_block.py
"""

import numpy as np

import stoss as st

WIDTH, HEIGHT, LEAN = 0.2, 1.0, 0.1  # [m], [m], [rad] on its right lower edge
theory = (1.0 - 1.5 * np.sin(np.arctan2(WIDTH, HEIGHT)) ** 2) ** 2

for exact in (False, True):
    world = st.World(time_step=0.01, settings=st.Settings(time_of_impact=exact))
    rough = st.Material(friction=2.0)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    b, h, sine, cosine = 0.5 * WIDTH, 0.5 * HEIGHT, np.sin(LEAN), np.cos(LEAN)
    block = world.add_body(
        st.Box((WIDTH, 1.0, HEIGHT)),
        position=(b - b * cosine + h * sine, 0.0, b * sine + h * cosine),
        quaternion=(np.cos(0.5 * LEAN), 0.0, np.sin(0.5 * LEAN), 0.0),
        mass=1.0,
        material=rough,
    )
    flat = block.mass * 9.81 * h  # [J] of a block that stands
    energies, leans = [], []
    for _ in range(250):
        energies.append(world.step().energy - flat)
        leans.append(block.quaternion[2])
    turns = np.flatnonzero(np.diff(np.sign(leans)))  # where it goes from one edge to the other
    middles = [0, *(turns[:-1] + turns[1:]) // 2]
    kept = [energies[after] / energies[before] for before, after in zip(middles, middles[1:], strict=False)]
    print(f"time_of_impact={exact}: keeps", *(f"{share:.4f}" for share in kept[:3]), f"(theory {theory:.4f})")
