"""A force of one's own, compiled by numba: three planets attract each other and go round their sun."""

import math

import numba

import stoss as st

G = 1e-3  # [N m²/kg²]


@numba.njit
def attraction(c):
    for i in range(len(c.masses)):
        for j in range(i):
            away = c.centers_of_mass[j] - c.centers_of_mass[i]
            force = G * c.masses[i] * c.masses[j] * away / (away @ away) ** 1.5
            c.forces[i] += force
            c.forces[j] -= force


world = st.World(gravity=(0, 0, 0), time_step=0.01)
world.add_body(st.Sphere(0.1), mass=1e4, name="sun")
for name, distance in (("inner", 1.0), ("middle", 2.0), ("outer", 4.0)):
    speed = math.sqrt(G * 1e4 / distance)
    world.add_body(st.Sphere(0.02), position=(distance, 0, 0), velocity=(0, speed, 0), mass=0.01, name=name)
world.add_load(attraction)

with st.Recorder(world, "body.*.position") as recorder:
    world.step(1600)
for planet in world.bodies[1:]:
    y = recorder.recording[f"body.{planet.name}.position"][:, 1]
    moments = recorder.recording.time[1:][(y[:-1] < 0) & (y[1:] >= 0)]
    print(f"{planet.name}: {len(moments)} times round, the first after {moments[0]:.2f} s")
