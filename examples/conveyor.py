"""pymunk's surface_velocity: a belt takes a parcel along until it moves as fast as the belt.

python examples/conveyor.py
"""

import stoss as st

world = st.World()
rubber = st.Material(friction=0.4)
belt = world.add_body(
    st.Box((10, 1, 0.2)), position=(4, 0, -0.1), kind="static", material=rubber, color="#333333", name="belt"
)
belt.surface_velocity = (2, 0, 0)
parcel = world.add_body(
    st.Box((0.4, 0.3, 0.2)), position=(0, 0, 0.1), mass=3.0, material=rubber, color="orange"
)

for _ in range(4):
    world.step(20)
    print(f"{world.time:.1f} s: {parcel.velocity[0]:.4f} m/s, {parcel.position[0]:.4f} m on its way")
