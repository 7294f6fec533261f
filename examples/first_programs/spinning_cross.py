"""pymunk's slide_and_pinjoint: balls rain on a cross that turns about a pin; those that fall off are removed.

python examples/first_programs/spinning_cross.py
"""

import numpy as np

import stoss as st

random = np.random.default_rng(3)
world = st.World()
arms = [st.Box((1.0, 0.4, 0.05)), st.Box((0.05, 0.4, 1.0))]
cross = world.add_body(arms, position=(0, 0, 0), mass=2.0, name="cross")
world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, cross, name="pin")

balls: list[st.Body] = []
for step in range(600):
    if step % 20 == 0:
        balls.append(world.add_body(st.Sphere(0.05), position=(random.uniform(-0.4, 0.4), 0, 1.5), mass=0.2))
    world.step()
    for ball in balls:
        if ball.position[2] < -2:
            world.remove_body(ball)
    balls = [ball for ball in balls if ball in world.bodies]
print(f"{len(balls)} of 30 balls are left, the cross turns at {cross.angular_velocity[1]:.3f} rad/s")
