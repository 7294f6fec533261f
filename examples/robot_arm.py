"""PyBullet's POSITION_CONTROL: an arm of three links goes to a pose and tells joint states.

python examples/robot_arm.py
"""

import math

import stoss as st

world = st.World(time_step=1 / 240)
links: list[st.Body] = []
joints: list[st.Joint] = []
for i in range(3):
    link = world.add_body(st.Box((0.5, 0.08, 0.08)), position=(0.25 + 0.5 * i, 0, 1), mass=1.0)
    hinge = st.Hinge(point=(0.5 * i, 0, 1), axis=(0, -1, 0))
    joints.append(world.add_joint(hinge, links[-1] if links else None, link, name=f"joint {i}"))
    joints[-1].limit(-2.5, 2.5)
    joints[-1].rotor(0.1)  # [kg m^2], of a geared motor: MuJoCo's armature
    links.append(link)

for joint, degrees in zip(joints, (60, -45, 30), strict=True):
    joint.servo(math.radians(degrees), stiffness=2000, damping=200, max_force=400)

world.step(2 * 240)
for joint in joints:
    angle, torque = math.degrees(joint.value), joint.torque
    print(f"{joint.name}: {angle:.2f} degrees, {joint.rate:.1e} rad/s, torque {torque.round(4)} N m")
x, _, z = links[-1].world_point((0.25, 0, 0))
print(f"tip at x = {x:.4f} m, z = {z:.4f} m")
