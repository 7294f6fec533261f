"""A pendulum on a hinge: it swings freely and keeps its energy, then a motor turns it at a steady rate.

python examples/pendulum.py
"""

import math

import stoss as st

world = st.World(time_step=0.005)
rod = world.add_body(st.Box((1.0, 0.05, 0.05)), position=(0.5, 0.0, 0.0), mass=1.0, name="rod")
hinge = world.add_joint(st.Hinge(point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)), None, rod, name="hinge")

print("released horizontally:")
start = world.report.energy
for _ in range(5):
    report = world.step(50)
    print(
        f"{world.time:5.2f} s: {math.degrees(hinge.value):7.2f} degrees, {hinge.rate:6.3f} rad/s, "
        f"energy {report.energy - start:+.1e} J"
    )

print("with a motor of 2 rad/s and at most 20 N m:")
hinge.motor(2.0, max_force=20.0)
for _ in range(5):
    world.step(50)
    print(f"{world.time:5.2f} s: {math.degrees(hinge.value):7.2f} degrees, {hinge.rate:6.3f} rad/s")
