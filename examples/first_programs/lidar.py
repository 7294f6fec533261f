"""PyBullet's rayTestBatch: a robot looks around with 36 rays and does not see itself.

python examples/first_programs/lidar.py
"""

import numpy as np

import stoss as st

world = st.World()
robot = world.add_body(st.Cylinder(0.3, 0.4), position=(0, 0, 0.2), name="robot")
world.add_body(st.Box((0.2, 4, 1)), position=(2.1, 0, 0.5), kind="static", name="wall")
world.add_body(st.Sphere(0.5), position=(0, 3, 0.5), kind="static", name="pillar")

for angle in np.linspace(0, 2 * np.pi, 36, endpoint=False):
    direction = np.cos(angle), np.sin(angle), 0
    found = world.ray_cast(robot.position, direction, max_distance=5.0, without=[robot])
    if found is not None:
        body, hit = found
        print(f"{np.degrees(angle):5.1f} degrees: {body.name} at {hit.distance:.3f} m")
