"""Bodies pour through a funnel: a film of it, and how many are through. Needs pip install "stoss[video]".

python examples/funnel_film.py [FILM.mp4]
"""

import sys

import stoss as st

path = sys.argv[1] if len(sys.argv) > 1 else "funnel.mp4"
world = st.SCENES["funnel"].build(bodies=60, shapes="mixed")
bodies = [body for body in world.bodies if body.kind == "dynamic"]
outlet = min(body.position[2] for body in bodies) - 1.0

st.render(world, path, duration=4.0, size=(480, 270), quality="low")  # advances the world
through = sum(body.position[2] < outlet for body in bodies)
print(f"{path}: {world.time:.1f} s, {through} of {len(bodies)} bodies are below {outlet:.1f} m")
