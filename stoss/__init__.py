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
from importlib import import_module
from typing import TYPE_CHECKING, Any

# In a checkout the sub-packages stand beside this folder, in an installed package inside it.
_here = os.path.dirname(os.path.abspath(__file__))
if not os.path.isdir(os.path.join(_here, "engine")):
    __path__.append(os.path.dirname(_here))

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from stoss import benchmarks, collision, engine, scenes, viewer
    from stoss.collision import (
        Box,
        Capsule,
        Cone,
        Contacts,
        ConvexHull,
        Cylinder,
        Ellipsoid,
        HalfSpace,
        Placed,
        Shape,
        Sphere,
        TriangleMesh,
        decompose,
    )
    from stoss.engine import (
        Ball,
        Body,
        Compose,
        ConstantAngle,
        ContactEvents,
        Controller,
        Cylindrical,
        Distance,
        Drive,
        EnergyLedger,
        Fixed,
        FixedOrientation,
        Free,
        FreedomReport,
        Hinge,
        Joint,
        JointKind,
        Limit,
        MassProperties,
        Material,
        ParallelAxes,
        Part,
        Planar,
        PointOnLine,
        PointOnPlane,
        Settings,
        SimulationError,
        Slider,
        Snapshot,
        StepReport,
        Universal,
        World,
        from_mesh,
        from_shapes,
        from_values,
    )
    from stoss.scenes import SCENES
    from stoss.viewer import picture, render, show

__all__ = [
    "Ball",
    "Body",
    "Box",
    "Capsule",
    "Compose",
    "Cone",
    "ConstantAngle",
    "ContactEvents",
    "Contacts",
    "Controller",
    "ConvexHull",
    "Cylinder",
    "Cylindrical",
    "Distance",
    "Drive",
    "Ellipsoid",
    "EnergyLedger",
    "Fixed",
    "FixedOrientation",
    "Free",
    "FreedomReport",
    "HalfSpace",
    "Hinge",
    "Joint",
    "JointKind",
    "Limit",
    "MassProperties",
    "Material",
    "ParallelAxes",
    "Part",
    "Placed",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "SCENES",
    "Settings",
    "Shape",
    "SimulationError",
    "Slider",
    "Snapshot",
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

# Where each name is found: a sub-package, for itself and for what it gives away.
_SUB_PACKAGES = ("benchmarks", "collision", "engine", "scenes", "viewer")
_NAMES = {
    "collision": (
        "Box Capsule Cone Contacts ConvexHull Cylinder Ellipsoid HalfSpace Placed Shape Sphere "
        "TriangleMesh decompose"
    ),
    "engine": (
        "Ball Body Compose ConstantAngle ContactEvents Controller Cylindrical Distance Drive EnergyLedger "
        "Fixed FixedOrientation Free FreedomReport Hinge Joint JointKind Limit MassProperties Material "
        "ParallelAxes Part Planar PointOnLine PointOnPlane Settings SimulationError Slider Snapshot "
        "StepReport Universal World from_mesh from_shapes from_values"
    ),
    "scenes": "SCENES",
    "viewer": "picture render show",
}
_HOME = {name: package for package, names in _NAMES.items() for name in names.split()}

# What other engines call it, for those who come from one.
_CALLED_HERE = {
    **{name: "HalfSpace" for name in ("Ground", "GroundPlane", "Plane")},
    **{name: "Box" for name in ("Cube", "Cuboid")},
    **{name: "TriangleMesh" for name in ("Mesh", "Trimesh")},
    **{name: "ConvexHull" for name in ("Convex", "ConvexMesh", "ConvexPolyhedron")},
    **{name: "Hinge" for name in ("HingeJoint", "Revolute", "RevoluteJoint")},
    **{name: "Slider" for name in ("Prismatic", "PrismaticJoint", "SliderJoint")},
    **{name: "Ball" for name in ("BallJoint", "PointToPoint", "Spherical", "SphericalJoint")},
    **{name: "Fixed" for name in ("FixedJoint", "Weld")},
    **{name: "World" for name in ("Scene", "Simulation", "Simulator")},
    "RigidBody": "Body",
    "launch": "show",
}


def __getattr__(name: str) -> Any:
    """Load a sub-package, or a name out of one, when it is first asked for."""
    if name in _SUB_PACKAGES:
        return import_module(f"stoss.{name}")
    if name not in _HOME:
        hint = f"; it is called {_CALLED_HERE[name]} here" if name in _CALLED_HERE else ""
        raise AttributeError(f"module 'stoss' has no attribute {name!r}{hint}", name=name)
    value = globals()[name] = getattr(import_module(f"stoss.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
