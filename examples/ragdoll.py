"""A ragdoll of six bodies, with limits at its joints, falls on a step and comes to rest.

python examples/ragdoll.py
"""

import math

import stoss as st

world = st.World(time_step=0.005)
world.add_body(st.HalfSpace(), kind="static", name="ground")
world.add_body(st.Box((1, 2, 0.4)), position=(1.1, 0, 0.2), kind="static", name="step")
torso = world.add_body(st.Box((0.3, 0.4, 0.6)), position=(0.4, 0, 2), mass=30.0, name="torso")
head = world.add_body(st.Sphere(0.15), position=(0.4, 0, 2.5), mass=5.0, name="head")
neck = world.add_joint(st.Ball((0.4, 0, 2.32), axis=(0, 0, 1)), torso, head, name="neck")
neck.limit(upper=math.radians(40), coordinate="swing")

limbs = {"arm": (0.28, 2.2, 4.0), "leg": (0.12, 1.65, 9.0)}
for limb, (y, z, mass) in limbs.items():
    for side in (-1, 1):
        length = 0.5 if limb == "arm" else 0.7
        shape = st.Capsule(0.07, length)
        place = (0.4, side * y, z - 0.5 * length)
        name = f"{limb} {'right' if side < 0 else 'left'}"
        body = world.add_body(shape, position=place, mass=mass, name=name)
        joint = world.add_joint(st.Hinge(point=(0.4, side * y, z), axis=(0, 1, 0)), torso, body, name=name)
        joint.limit(math.radians(-90), math.radians(30))
        joint.damper(2.0)

for body in world.bodies[2:]:
    body.velocity = (1.0, 0.3, 0.0)
for _ in range(6):
    report = world.step(200)
    print(
        f"{world.time:.1f} s: torso at {torso.position[2]:.3f} m, {report.kinetic_energy:10.2e} J of motion"
    )
for joint in world.joints:
    if joint is not neck:
        print(f"{joint.name}: {math.degrees(joint.value):6.2f} degrees")
