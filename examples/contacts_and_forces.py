"""Contacts and forces: what touches a box on a slope, how hard, and what a joint holds.

python examples/contacts_and_forces.py
"""

import math

import numpy as np

import stoss as st

world = st.World()
slope = st.rotation.from_axis_angle((0, 1, 0), 20, degrees=True)
wood = st.Material(friction=0.5)
world.add_body(st.Box((4, 2, 0.2)), kind="static", quaternion=slope, material=wood, name="slope")
place = 0.3 * np.array([math.sin(math.radians(20)), 0, math.cos(math.radians(20))])
box = world.add_body(
    st.Box((0.4, 0.4, 0.4)), position=place, quaternion=slope, mass=2.0, material=wood, name="box"
)
lamp = world.add_body(st.Sphere(0.1), position=(0, 3, 1), mass=1.5, name="lamp")
hook = world.add_joint(st.Ball((0, 3, 2)), None, lamp, name="hook")
world.step(100)

for contact in box.contacts:  # of one body; world.contacts has all
    x, y, z = contact.point
    print(f"{contact.other(box).name} touches at ({x:.3f}, {y:.3f}, {z:.3f}) m, gap {contact.gap:.1e} m")
normal = np.array(box.contacts[0].normal)
force = sum(np.array(contact.impulse) for contact in box.contacts) / world.time_step
along = force - (force @ normal) * normal
print(f"normal force {abs(force @ normal):.4f} N, friction {np.linalg.norm(along):.4f} N")
print(f"the hook holds {np.linalg.norm(hook.force):.4f} N")
for first, second in world.events.persist:  # rows of bodies that keep touching
    print(f"{world.bodies[first].name} and {world.bodies[second].name} touch")
