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

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout the sub-packages stand beside this folder, in an installed package inside it.
if not (Path(__file__).parent / "engine").is_dir():
    __path__.append(str(Path(__file__).parents[1]))

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from stoss import benchmarks, collision, engine, scenes, viewer
    from stoss.collision import (
        Box,
        Capsule,
        Cone,
        ConvexHull,
        Cylinder,
        Ellipsoid,
        HalfSpace,
        Placed,
        Sphere,
        TriangleMesh,
        decompose,
    )
    from stoss.engine import (
        Ball,
        Body,
        Compose,
        Cylindrical,
        Distance,
        Fixed,
        Free,
        Hinge,
        Joint,
        MassProperties,
        Material,
        Part,
        Planar,
        Settings,
        SimulationError,
        Slider,
        StepReport,
        Universal,
        World,
        from_mesh,
        from_shapes,
        from_values,
    )
    from stoss.scenes import SCENES
    from stoss.viewer import picture, render, show

# Where each name is found: a sub-package, for itself and for what it gives away.
_SUB_PACKAGES = ("benchmarks", "collision", "engine", "scenes", "viewer")
_NAMES = {
    "collision": (
        "Box Capsule Cone ConvexHull Cylinder Ellipsoid HalfSpace Placed Sphere TriangleMesh decompose"
    ),
    "engine": (
        "Ball Body Compose Cylindrical Distance Fixed Free Hinge Joint MassProperties Material Part Planar "
        "Settings SimulationError Slider StepReport Universal World from_mesh from_shapes from_values"
    ),
    "scenes": "SCENES",
    "viewer": "picture render show",
}
_HOME = {name: package for package, names in _NAMES.items() for name in names.split()}

__all__ = [
    "SCENES",
    "Ball",
    "Body",
    "Box",
    "Capsule",
    "Compose",
    "Cone",
    "ConvexHull",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Ellipsoid",
    "Fixed",
    "Free",
    "HalfSpace",
    "Hinge",
    "Joint",
    "MassProperties",
    "Material",
    "Part",
    "Placed",
    "Planar",
    "Settings",
    "SimulationError",
    "Slider",
    "Sphere",
    "StepReport",
    "TriangleMesh",
    "Universal",
    "World",
    "__version__",
    "benchmarks",
    "collision",
    "decompose",
    "engine",
    "from_mesh",
    "from_shapes",
    "from_values",
    "picture",
    "render",
    "scenes",
    "show",
    "viewer",
]


def __getattr__(name: str) -> Any:
    """Load a sub-package, or a name out of one, when it is first asked for."""
    if name in _SUB_PACKAGES:
        return import_module(f"stoss.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'stoss' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"stoss.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
