"""Bodies pour through a funnel: a film of it, and how many are through. Needs pip install "stoss[video]".

python examples/funnel_film.py [FILM.mp4]
"""

import sys

import stoss as st

OUTLET = 2.0  # [m]; the slabs of the funnel end at 2.3 m

path = sys.argv[1] if len(sys.argv) > 1 else "funnel.mp4"
world = st.SCENES["funnel"].build(bodies=60, shapes="mixed")
bodies = [body for body in world.bodies if body.kind == "dynamic"]


def through() -> int:
    """Return how many bodies are below the outlet."""
    return sum(body.position[2] < OUTLET for body in bodies)


print(f"{world.time:.1f} s: {through()} of {len(bodies)} bodies are below {OUTLET:.1f} m")
# a film advances the world
st.render(world, path, duration=4.0, size=(480, 270), quality="low", see_through=["slab*"])
print(f"{world.time:.1f} s: {through()} of {len(bodies)} bodies are below {OUTLET:.1f} m, see {path}")
