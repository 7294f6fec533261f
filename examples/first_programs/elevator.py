"""MuJoCo's mocap body: a platform moved by hand carries a box; contacts tell what the box weighs.

python examples/first_programs/elevator.py
"""

import stoss as st

world = st.World()
platform = world.add_body(st.Box((1, 1, 0.1)), position=(0, 0, -0.05), kind="kinematic", name="platform")
box = world.add_body(st.Box((0.4, 0.4, 0.4)), position=(0, 0, 0.2), mass=2.0, name="box")


def weight() -> float:
    """Return the force [N] between platform and box over the last step."""
    return float(abs(world.contacts.impulse.sum(axis=0)[2])) / world.time_step


for step in range(1, 301):
    t = step * world.time_step  # up by 1 m: with 2 m/s^2 for half a second, evenly, and to a stop
    height = t * t if t < 0.5 else t - 0.25 if t < 1 else 0.75 + (t - 1) - (t - 1) ** 2 if t < 1.5 else 1.0
    platform.move_to(position=(0, 0, height - 0.05))
    world.step()
    if step in (25, 75, 125, 250):
        print(f"{t:.2f} s: platform at {platform.position[2]:.3f} m, the box weighs {weight():.3f} N")
print(f"the box stands at {box.position[2]:.6f} m")
