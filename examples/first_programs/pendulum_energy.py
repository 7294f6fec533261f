"""MuJoCo's first tutorial: a pendulum without friction; angle and energy over time as arrays.

python examples/first_programs/pendulum_energy.py
"""

import numpy as np

import stoss as st

world = st.World(time_step=0.002)
bob = world.add_body(st.Sphere(0.05), position=(0.5, 0, 0), mass=1.0)
hinge = world.add_joint(st.Hinge(point=(0, 0, 0), axis=(0, 1, 0)), None, bob)

times, angles, energies = [], [], []
for _ in range(2500):
    report = world.step()
    times.append(world.time)
    angles.append(hinge.value)
    energies.append(report.energy)
print(f"{np.ptp(angles):.4f} rad from side to side, energy changes by {np.ptp(energies):.1e} J")
