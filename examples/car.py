"""A car: four wheels on hinges, two of them driven by motors; it speeds up, then brakes.

python examples/car.py
"""

import stoss as st

world = st.World(time_step=0.005)
rubber = st.Material(friction=0.9)
world.add_body(st.HalfSpace(), kind="static", material=rubber, name="road")
chassis = world.add_body(st.Box((2.4, 1.0, 0.3)), position=(0, 0, 0.5), mass=600.0, color="crimson")
upright = st.rotation.from_axis_angle((1, 0, 0), 90, degrees=True)  # a cylinder along y
axles = []
for x in (-0.8, 0.8):
    for y in (-0.65, 0.65):
        wheel = world.add_body(
            st.Cylinder(0.3, 0.2), position=(x, y, 0.3), quaternion=upright, mass=15.0, material=rubber
        )
        axles.append(world.add_joint(st.Hinge(point=(x, y, 0.3), axis=(0, 1, 0)), chassis, wheel))

world.step(100)  # to settle
for axle in axles[:2]:  # the rear wheels
    axle.motor(20.0, max_force=300.0)  # 20 rad/s, with at most 300 N m
for _ in range(4):
    world.step(200)
    print(f"{world.time:.1f} s: {chassis.velocity[0]:6.3f} m/s, {chassis.position[0]:7.3f} m on its way")
for axle in axles:
    axle.friction(400.0)  # brakes: at most 400 N m
for axle in axles[:2]:
    axle.drives[0].remove()
begin = chassis.position[0]
world.step(500)
print(f"braked: {chassis.velocity[0]:.3f} m/s after {chassis.position[0] - begin:.2f} m")
