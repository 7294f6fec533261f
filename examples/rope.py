"""A rope of 30 links between two points: its shape is the catenary, its pull at the ends half its weight up.

python examples/rope.py
"""

import numpy as np

import stoss as st

COUNT, LENGTH, SPAN, MASS = 30, 0.1, 2.0, 0.05  # links, each [m], between the ends [m], of a link [kg]
world = st.World(time_step=0.005)
height = np.sqrt((0.5 * COUNT * LENGTH) ** 2 - (0.5 * SPAN) ** 2)
lean = np.arctan2(height, 0.5 * SPAN)  # it begins as a V
links: list[st.Body] = []
joints: list[st.Joint] = []
corner = np.zeros(3)
for k in range(COUNT):
    turn = lean if k < COUNT // 2 else -lean
    way = LENGTH * np.array([np.cos(turn), 0, -np.sin(turn)])
    quaternion = st.rotation.from_axis_angle((0, 1, 0), turn)
    link = world.add_body(
        st.Box((LENGTH, 0.02, 0.02)), position=corner + way / 2, quaternion=quaternion, mass=MASS
    )
    hinge = st.Hinge(corner, (0, 1, 0))
    joints.append(world.add_joint(hinge, links[-1] if links else None, link))
    joints[-1].damper(0.05)
    links.append(link)
    corner = corner + way
joints.append(world.add_joint(st.Hinge(corner, (0, 1, 0)), links[-1], None))

world.step(4000)
lowest = min(link.position[2] for link in links)
print(f"the rope sags by {-lowest:.4f} m and moves with {np.abs(world.velocities).max():.1e} m/s")
for joint in (joints[0], joints[-1]):
    x, _, z = np.abs(joint.force)
    print(f"an end holds {z:.4f} N upwards and {x:.4f} N sideways")
