"""PyBullet's JOINT_GEAR, MuJoCo's equality of joints: a falling rack turns a wheel, and that a flywheel 1:3.

python examples/first_programs/gears.py
"""

import math

import stoss as st

world = st.World()
upright = st.rotation.from_axis_angle((1, 0, 0), 90, degrees=True)  # cylinders along y
wheel = world.add_body(st.Cylinder(0.3, 0.05), quaternion=upright, mass=2.0, name="wheel")
flywheel = world.add_body(
    st.Cylinder(0.1, 0.05), position=(0.4, 0, 0), quaternion=upright, mass=5.0, name="flywheel"
)
rack = world.add_body(st.Box((0.02, 0.05, 1.0)), position=(-0.31, 0, 0), mass=10.0, name="rack")
axle = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, wheel)
shaft = world.add_joint(st.Hinge((0.4, 0, 0), (0, 1, 0)), None, flywheel)
guide = world.add_joint(st.Slider((-0.31, 0, 0), (0, 0, 1)), None, rack)
world.add_joint(st.Rack(axle, guide, ratio=0.3))
gear = world.add_joint(st.Gear(axle, shaft, ratio=-3))

world.step(100)
turns = [joint.value / (2 * math.pi) for joint in (axle, shaft)]
print(f"after 1 s: rack at {guide.value:.4f} m with {guide.rate:.4f} m/s")
print(f"the wheel turned {turns[0]:.4f} times, the flywheel {turns[1]:.4f} times")
