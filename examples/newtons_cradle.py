"""Newton's cradle: one ball in, one ball out; energies over time, plotted if matplotlib is there.

python examples/newtons_cradle.py [PLOT.png]
"""

import sys

import numpy as np

import stoss as st

COUNT, RADIUS, LENGTH = 5, 0.05, 0.5  # balls, [m], rods [m]
world = st.World(time_step=0.002, settings=st.Settings(time_of_impact=True))
steel = st.Material(restitution=1.0, friction=0.0)
balls = []
for k in range(COUNT):
    pivot = np.array([2 * RADIUS * k, 0, LENGTH])
    turn = 0.7 if k == 0 else 0.0  # the first one is raised
    place = pivot - LENGTH * np.array([np.sin(turn), 0, np.cos(turn)])
    ball = world.add_body(st.Sphere(RADIUS), position=place, mass=0.5, material=steel, name=f"ball {k}")
    world.add_joint(st.Hinge(pivot, (0, 1, 0)), None, ball)
    balls.append(ball)

start = world.report.energy
times, kinetic, potential, swings = [], [], [], []
for _ in range(1000):
    report = world.step()
    times.append(world.time)
    kinetic.append(report.kinetic_energy)
    potential.append(report.energy - report.kinetic_energy - start)
    swings.append([ball.position[0] - 2 * RADIUS * k for k, ball in enumerate(balls)])

widest = np.abs(swings).max(axis=0)
print(f"the first swings {widest[0]:.4f} m, the last {widest[-1]:.4f} m, others {widest[1:-1].max():.4f} m")
print(f"energy changes by {np.ptp(np.add(kinetic, potential)):.1e} J of {max(kinetic):.3f} J")
if len(sys.argv) > 1:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.plot(times, kinetic, label="kinetic")
    pyplot.plot(times, potential, label="potential")
    pyplot.plot(times, np.add(kinetic, potential), label="sum")
    pyplot.xlabel("time [s]")
    pyplot.ylabel("energy [J]")
    pyplot.legend()
    pyplot.savefig(sys.argv[1])
    print(f"plotted in {sys.argv[1]}")
