"""stoss: real-time rigid-body dynamics built on impulses alone.

    import stoss as st

    world = st.World()
    world.add_body(st.HalfSpace(), kind="static")
    cube = world.add_body(st.Box((1, 1, 1)), position=(0, 0, 2))
    world.step(100)
    print(cube.position)

What is named here is what most programs need; the rest is in `stoss.engine` (dynamics), `stoss.collision`
(shapes, queries), `stoss.scenes` (ready-made worlds), `stoss.viewer` (window, pictures, films) and
`stoss.benchmarks`. Importing `stoss` is cheap: each name is loaded when it is first used.
"""

import os
import sys

# In a checkout the sub-packages stand beside this folder, in an installed package inside it.
_here = os.path.dirname(os.path.abspath(__file__))
if not os.path.isdir(os.path.join(_here, "engine")):
    __path__.append(os.path.dirname(_here))

from stoss.lazy import declared_names, names_of

_names = declared_names(
    os.path.join(_here, "__init__.pyi"), __name__
)  # as type checkers and editors read them
__all__ = sorted(" ".join(_names.values()).split())
__getattr__, __dir__ = names_of(__name__, _names)


if "IPython" in sys.modules:
    from stoss.notebook import show_worlds

    show_worlds()
