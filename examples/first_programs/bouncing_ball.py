"""pymunk's first steps: a ball falls on a floor and bounces; a callback hears when they begin to touch.

python examples/first_programs/bouncing_ball.py
"""

import stoss as st

world = st.World(time_step=0.01, settings=st.Settings(time_of_impact=True))
rubber = st.Material(restitution=0.8)
floor = world.add_body(st.HalfSpace(), kind="static", material=rubber, name="floor")
ball = world.add_body(st.Sphere(0.1), position=(0, 0, 1.1), mass=0.5, material=rubber, name="ball")


def listen(world: st.World) -> None:
    """Say which bodies met in the step."""
    for first, second in world.events.begin:
        names = world.bodies[first].name, world.bodies[second].name
        print(f"{world.time:.2f} s: {' and '.join(names)} touch, then {ball.velocity[2]:.3f} m/s")


world.after_step.append(listen)
world.step(200)
