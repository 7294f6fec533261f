"""Names that users get wrong, and the errors that name the right ones.

One mechanism for all that is public: `closed` makes a class refuse attributes that it does not have and
explain calls that do not fit, `takes_names` does the latter for a function. What was meant is found among
names that are near, and in a table of what other engines call it. It costs next to nothing where names are
right: Python's own errors are explained after they happened.
"""

import functools
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, MemberDescriptorType
from typing import Any, TypeVar

__all__ = ["CLASSES", "closed", "hint", "takes_names"]

_F = TypeVar("_F", bound=Callable[..., Any])
_C = TypeVar("_C", bound=type)

# What other engines call our classes.
CLASSES = {
    **{name: "HalfSpace" for name in ("Ground", "GroundPlane", "Plane")},
    **{name: "Box" for name in ("Cube", "Cuboid")},
    **{name: "TriangleMesh" for name in ("Mesh", "Trimesh")},
    **{name: "ConvexHull" for name in ("Convex", "ConvexMesh", "ConvexPolyhedron")},
    **{name: "Hinge" for name in ("HingeJoint", "Revolute", "RevoluteJoint")},
    **{name: "Slider" for name in ("Prismatic", "PrismaticJoint", "SliderJoint")},
    **{name: "Ball" for name in ("BallJoint", "PointToPoint", "Spherical", "SphericalJoint")},
    **{name: "Fixed" for name in ("FixedJoint", "Weld")},
    **{name: "Gear" for name in ("GearJoint", "JOINT_GEAR")},
    **{name: "Rack" for name in ("RackAndPinion", "RackAndPinionJoint")},
    **{name: "Screw" for name in ("Helical", "ScrewJoint")},
    **{name: "World" for name in ("Scene", "Simulation", "Simulator", "Space")},
    **{name: "Body" for name in ("RigidBody", "RigidObject")},
    "launch": "show",
}

# What others call our arguments and attributes, without "_" and in small letters; of several names the first
# one that there is.
_WORDS = {
    "pos": "position positions local point",
    "xpos": "position positions",
    "translation": "position",
    "location": "position",
    "baseposition": "position",
    "origin": "position point",
    "place": "position point",
    "x": "position size",
    "com": "center_of_mass centers_of_mass center",
    "centerofgravity": "center_of_mass",
    "centre": "center center_of_mass",
    "centreofmass": "center_of_mass center",
    "orn": "quaternion quaternions",
    "ori": "quaternion quaternions",
    "orientation": "quaternion quaternions",
    "baseorientation": "quaternion",
    "rotation": "quaternion quaternions axis",
    "rot": "quaternion quaternions",
    "quat": "quaternion quaternions",
    "xquat": "quaternion quaternions",
    "attitude": "quaternion",
    "euler": "quaternion",
    "q": "quaternion",
    "vel": "velocity velocities",
    "v": "velocity velocities",
    "linvel": "velocity velocities",
    "linearvelocity": "velocity velocities",
    "speed": "velocity",
    "rate": "velocity",
    "targetvelocity": "velocity target_rate",
    "angvel": "angular_velocity angular_velocities",
    "angularspeed": "angular_velocity",
    "avel": "angular_velocity angular_velocities",
    "omega": "angular_velocity angular_velocities",
    "spin": "angular_velocity angular_velocities",
    "w": "angular_velocity quaternion",
    "dt": "time_step count",
    "h": "time_step length",
    "timestep": "time_step",
    "stepsize": "time_step",
    "fixedtimestep": "time_step",
    "frequency": "time_step",
    "hz": "time_step",
    "g": "gravity",
    "static": "kind",
    "isstatic": "kind",
    "immovable": "kind",
    "fixed": "kind",
    "fixedbase": "kind",
    "usefixedbase": "kind",
    "kinematic": "kind",
    "iskinematic": "kind",
    "dynamic": "kind",
    "bodytype": "kind",
    "type": "kind",
    "m": "mass",
    "weight": "mass",
    "rho": "density",
    "inertia": "inertia mass_properties",
    "moment": "inertia mass_properties",
    "moi": "inertia mass_properties",
    "inertiatensor": "inertia mass_properties",
    "halfextents": "size radii",
    "halfsize": "size radii",
    "halfsizes": "size radii",
    "extents": "size radii",
    "dimensions": "size radii",
    "dims": "size",
    "lengths": "size",
    "edges": "size",
    "width": "size",
    "depth": "size",
    "scale": "size",
    "r": "radius",
    "rad": "radius",
    "diameter": "radius",
    "semiaxes": "radii",
    "height": "length size offset",
    "halfheight": "length",
    "halflength": "length",
    "l": "length",
    "constant": "offset",
    "distance": "offset max_distance length",
    "planenormal": "normal",
    "up": "normal axis",
    "points": "vertices point",
    "verts": "vertices",
    "indices": "faces",
    "triangles": "faces",
    "tris": "faces",
    "twosided": "two_sided",
    "shape": "shapes shape",
    "geom": "shapes shape",
    "geometry": "shapes shape",
    "collider": "shapes shape",
    "collisionshape": "shapes shape",
    "mu": "friction",
    "frictioncoefficient": "friction",
    "lateralfriction": "friction",
    "slidingfriction": "friction",
    "dynamicfriction": "friction",
    "musticking": "static_friction",
    "mustatic": "static_friction",
    "mus": "static_friction",
    "rolling": "rolling_friction",
    "spinningfriction": "torsional_friction",
    "elasticity": "restitution",
    "bounciness": "restitution",
    "bounce": "restitution",
    "cor": "restitution",
    "e": "restitution",
    "surface": "material",
    "layer": "group",
    "category": "group",
    "categories": "group",
    "categorybits": "group",
    "contype": "group",
    "collisiongroup": "group",
    "filter": "mask group",
    "maskbits": "mask",
    "collisionmask": "mask",
    "conaffinity": "mask",
    "label": "name",
    "id": "name index",
    "title": "name",
    "tag": "name",
    "anchor": "point first_point",
    "pivot": "point first_point",
    "position": "point value",
    "anchora": "point",
    "anchorb": "second_point",
    "direction": "axis normal",
    "axisb": "second_axis",
    "axis2": "second_axis",
    "parent": "first",
    "bodya": "first body",
    "body1": "first body",
    "a": "first body_a",
    "child": "second",
    "bodyb": "second",
    "body2": "second",
    "b": "second body_b",
    "angle": "value quaternion",
    "angularposition": "value",
    "qpos": "value positions",
    "qvel": "rate velocities",
    "jointposition": "value",
    "angularrate": "rate",
    "k": "stiffness",
    "kp": "stiffness gain",
    "springconstant": "stiffness",
    "c": "damping",
    "d": "damping",
    "kd": "damping derivative_time",
    "kv": "damping",
    "ki": "reset_time",
    "restlength": "rest",
    "maxtorque": "max_force",
    "maxeffort": "max_force",
    "effort": "max_force",
    "forcelimit": "max_force",
    "targetposition": "target",
    "setpoint": "target",
    "min": "lower",
    "low": "lower",
    "lo": "lower",
    "minimum": "lower",
    "max": "upper",
    "high": "upper",
    "hi": "upper",
    "maximum": "upper",
    "limits": "limit limits",
    "setlimits": "limit",
    "setmotor": "motor",
    "iterations": "sweeps count",
    "solveriterations": "sweeps",
    "velocityiterations": "sweeps",
    "steps": "count",
    "n": "count",
    "substeps": "count most_sub_steps",
    "start": "origin",
    "rayfrom": "origin",
    "maxlength": "max_distance",
    "maxtoi": "max_distance",
    "applyforce": "apply_force",
    "addforce": "apply_force",
    "addtorque": "apply_torque",
    "applytorque": "apply_torque",
    "applycentralforce": "apply_force",
    "applyforceatworldpoint": "apply_force",
    "applyforceatlocalpoint": "apply_force world_point",
    "addrigidbody": "add_body",
    "createbody": "add_body",
    "createmultibody": "add_body",
    "add": "add_body add_joint",
    "remove": "remove_body remove_joint remove",
    "createjoint": "add_joint",
    "createconstraint": "add_joint",
    "addconstraint": "add_joint",
    "stepsimulation": "step",
    "simulate": "step",
    "update": "step",
    "advance": "step",
    "rewind": "restore",
    "raytest": "ray_cast",
    "raycast": "ray_cast",
    "segmentquery": "ray_cast",
    "segmentqueryfirst": "ray_cast",
    "pointquery": "closest_point",
    "pointquerynearest": "closest_point",
    "shapequery": "overlap",
    "arbiters": "contacts",
    "getcontactpoints": "contacts",
    "constraints": "joints",
    "sleeping": "asleep sleeping",
    "issleeping": "asleep",
    "activate": "wake",
    "kineticenergy": "kinetic_energy",
    "settransform": "position move_to",
    "transform": "position quaternion",
    "pose": "position quaternion",
}

# What the right name alone does not say.
_REMARKS = {
    **{name: 'kind="static"' for name in ("static", "isstatic", "immovable", "fixed", "fixedbase")},
    "usefixedbase": 'kind="static"',
    **{name: 'kind="kinematic"' for name in ("kinematic", "iskinematic")},
    "dynamic": 'kind="dynamic"',
    **{name: "size, full edge lengths: twice the half extents" for name in ("halfextents", "halfsize")},
    "diameter": "radius, half the diameter",
    "halfheight": "length, the whole one",
    "halflength": "length, the whole one",
    "frequency": "time_step, in seconds: one over the frequency",
    "hz": "time_step, in seconds: one over the frequency",
    "euler": "quaternion: stoss.rotation.from_euler makes one",
    "angle": "value, which is read: joint.servo(...) or joint.motor(...) move a joint",
    "dt": "count, how many steps: world.time_step says how long one is",
    "ki": "reset_time, in seconds",
}


def hint(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" for a wrong name, empty if nothing is like it.

    Args:
        name: what was given.
        known: the names that there are.
    """
    from difflib import get_close_matches

    names = list(known)
    plain = name.replace("_", "").lower()
    same = [one for one in names if one.replace("_", "").lower() == plain]
    meant = same or [one for one in _WORDS.get(plain, "").split() if one in names][:1]
    if meant and not same and _REMARKS.get(plain, "").startswith(meant[0]):
        return f"; did you mean {_REMARKS[plain]}?"
    meant = meant or get_close_matches(name, names, 3)
    return f"; did you mean {' or '.join(meant)}?" if meant else ""


def takes_names(function: _F) -> _F:
    """Have calls of a function that do not fit its arguments explained: which one is meant, or missing."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except TypeError:
            wrong = _wrong_call(function, args, named)
            if wrong is None:
                raise
            raise TypeError(wrong) from None

    return call  # type: ignore[return-value]


def _wrong_call(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> str | None:
    """Return what is wrong with the arguments of a call, None if they fit."""
    import inspect

    signature = inspect.signature(function)
    try:
        signature.bind(*args, **named)
    except TypeError:
        pass
    else:
        return None
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    values = list(args)
    if next(iter(kinds), "") in ("self", "cls"):
        del kinds[next(iter(kinds))]
        values = values[1:]
    called = function.__qualname__.removesuffix(".__init__")
    takes = f"it takes {', '.join(kinds) or 'no arguments'}"
    for name, value in named.items():
        if name not in kinds:
            return f"{called}: there is no argument {name} (= {_shown(value)}){hint(name, kinds)}; {takes}"
    of = inspect.Parameter
    places = [n for n, k in kinds.items() if k in (of.POSITIONAL_ONLY, of.POSITIONAL_OR_KEYWORD)]
    if len(values) > len(places) and of.VAR_POSITIONAL not in kinds.values():
        given = ", ".join(map(_shown, values))
        by_name = [n for n, k in kinds.items() if k is of.KEYWORD_ONLY]
        more = f"; give {', '.join(by_name)} by name" if by_name else ""
        vectors = [n for n in places if signature.parameters[n].annotation not in _SCALARS]
        together = _together(called, values, vectors)
        return f"{called}({given}): {len(values)} values, but {takes}{more}{together}"
    for name in places[: len(values)]:
        if name in named:
            return f"{called}: {name} = {_shown(named[name])} is given twice, by its place and by its name"
    needed = [
        name
        for name, parameter in signature.parameters.items()
        if name in kinds
        and parameter.default is of.empty
        and parameter.kind not in (of.VAR_POSITIONAL, of.VAR_KEYWORD)
    ]
    missing = [name for name in needed if name not in places[: len(values)] and name not in named]
    return f"{called}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; {takes}"


_SCALARS = (float, int, str, bool, "float", "int", "str", "bool")


def _together(called: str, values: list[Any], places: list[str]) -> str:
    """Return the call with three numbers in a row put together, as a vector.

    Args:
        called: what is called.
        values: what was given.
        places: arguments that may be vectors.
    """
    for first in range(len(values) - 2):
        if all(isinstance(value, int | float) for value in values[first : first + 3]):
            own = [_shown(value) for value in values]
            vector = f"({', '.join(own[first : first + 3])})"
            cure = [*own[:first], vector, *own[first + 3 :]]
            if len(cure) <= len(places):
                return f"; three numbers go together: {called}({', '.join(cure)})"
    return ""


def closed(cls: _C) -> _C:
    """Let a class refuse attributes that it does not have, naming the one that is meant, and explain calls.

    Names that begin with "_" are the class's own affair.
    """
    for name, value in list(vars(cls).items()):
        if isinstance(value, FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(cls, name, takes_names(value))
        elif isinstance(value, classmethod | staticmethod) and not name.startswith("_"):
            setattr(cls, name, type(value)(takes_names(value.__func__)))
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    cls.__setattr__ = _refuse_all if frozen else _set  # type: ignore[method-assign, assignment]
    cls.__getattr__ = _explain_missing  # type: ignore[attr-defined]
    return cls


def _set(self: Any, name: str, value: Any) -> None:
    """Set an attribute that the class has."""
    if name[0] == "_" or hasattr(type(self), name) or name in _fields(type(self)):
        try:
            object.__setattr__(self, name, value)
            return
        except AttributeError:
            if _may_be_set(getattr(type(self), name, None)):
                raise  # from within the setter
    kind = type(self)
    if hasattr(kind, name):
        raise AttributeError(
            f"{kind.__name__}.{name} = {_shown(value)} cannot be assigned, only read", name=name, obj=self
        )
    raise AttributeError(
        f"{kind.__name__} has no attribute {name} (= {_shown(value)} was assigned)"
        f"{hint(name, _public(kind)) or '; keep values of your own in a dict of your own'}",
        name=name,
        obj=self,
    )


def _may_be_set(attribute: Any) -> bool:
    """Return whether a property or another descriptor has a setter."""
    if isinstance(attribute, property):
        return attribute.fset is not None
    return hasattr(type(attribute), "__set__") and not isinstance(attribute, MemberDescriptorType)


def _refuse_all(self: Any, name: str, value: Any) -> None:
    """Refuse to change what does not change."""
    from dataclasses import FrozenInstanceError

    kind = type(self)
    fields = _fields(kind)
    if name in fields:
        cure = f"make another with dataclasses.replace(it, {name}=...)"
        raise FrozenInstanceError(f"{kind.__name__}.{name} = {_shown(value)}: it does not change; {cure}")
    raise FrozenInstanceError(
        f"{kind.__name__} has no attribute {name} (= {_shown(value)} was assigned){hint(name, fields)}"
    )


def _explain_missing(self: Any, name: str) -> Any:
    """Raise the error for an attribute that is not there, with the name of the one that is meant."""
    kind = type(self)
    if name.startswith("__") or hasattr(kind, name):
        return object.__getattribute__(self, name)  # a slot that is empty, or an error within a property
    raise AttributeError(
        f"{kind.__name__} has no attribute {name}{hint(name, _public(kind))}", name=name, obj=self
    )


def _public(kind: type) -> list[str]:
    """Return the names of the public attributes of a class."""
    return sorted({*(name for name in dir(kind) if not name.startswith("_")), *_fields(kind)})


def _fields(kind: type) -> set[str]:
    """Return the names of the attributes that a class declares."""
    return {name for one in kind.__mro__ for name in vars(one).get("__annotations__", ())}


def _shown(value: Any) -> str:
    """Return a value as messages show it; see `stoss.collision.plain_numbers.shown`."""
    module = sys.modules.get("stoss.collision.plain_numbers")
    return repr(value) if module is None else str(module.shown(value))
