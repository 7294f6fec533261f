"""What is proposed where something new is built: sizes, places and strengths that are fit to go on from."""

from typing import Any

import numpy as np

from stoss.collision.shapes.shapes import HalfSpace
from stoss.engine.model import records
from stoss.engine.model.editing import free_name
from stoss.engine.model.kinds import arguments
from stoss.viewer.drawing.framing import scene_points
from stoss.viewer.workbench.free_places import free_shift
from stoss.viewer.world.build_commands import AddBodyOfMesh, AddThing
from stoss.viewer.world.view import View

__all__ = ["SHAPES", "action_values", "joint_values", "new_body", "new_body_of_mesh", "new_joint"]

# Shapes as they are added [m].
SHAPES: dict[str, dict[str, Any]] = {
    "box": {"type": "box", "size": [0.5, 0.5, 0.5]},
    "sphere": {"type": "sphere", "radius": 0.25},
    "capsule": {"type": "capsule", "radius": 0.1, "length": 0.5},
    "cylinder": {"type": "cylinder", "radius": 0.2, "length": 0.5},
    "cone": {"type": "cone", "radius": 0.25, "length": 0.5},
    "ellipsoid": {"type": "ellipsoid", "radii": [0.35, 0.25, 0.2]},
    "half_space": {"type": "half_space"},
}
_HALF_HEIGHT = 0.25  # [m] of most of them
_BOX = np.array([[-0.25, -0.25, -0.25], [0.25, 0.25, 0.25]])
_GRID = 0.05  # [m] places are proposed on
_AXES: dict[str, list[float]] = {
    "slider": [1.0, 0.0, 0.0],
    "screw": [0.0, 0.0, 1.0],
    "point_on_line": [1.0, 0.0, 0.0],
    "universal": [1.0, 0.0, 0.0],
    "ball": [0.0, 0.0, 1.0],
    "free": [0.0, 0.0, 1.0],
    "point_on_ellipsoid": [0.0, 0.0, 1.0],
}
_RADII = [0.2, 0.15, 0.25]  # [m] of an ellipsoid that is glided on
_AXIS = [0.0, 1.0, 0.0]  # of a hinge and the like: turns are seen from the front
# A motor gives at most so much per mass [m/s^2], a servo answers at this rate [1/s].
_STRENGTH, _RATE = 50.0, 20.0


def new_body(view: View, shape: str, place: Any) -> AddThing:
    """Return the command that adds a body of a shape near a place (3,) [m], where nothing else is."""
    assert view.draft is not None
    if shape == "half_space":
        name = free_name(view.draft.model, "bodies", "ground")
        return AddThing("bodies", name, {"kind": "static", "shapes": [SHAPES[shape]]})
    name = free_name(view.draft.model, "bodies", shape)
    return AddThing("bodies", name, {"shapes": [SHAPES[shape]], "position": _free_place(view, place)})


def new_body_of_mesh(view: View, file: str, shape: str, stem: str, place: Any) -> AddBodyOfMesh:
    """Return the command that adds a body of the mesh in a file near a place (3,) [m]."""
    assert view.draft is not None
    name = free_name(view.draft.model, "bodies", stem or "mesh")
    values: dict[str, Any] = {"position": _free_place(view, place)}
    if shape == "triangle_mesh":
        values["kind"] = "static"  # what moves needs a volume
    return AddBodyOfMesh(name, file, shape, values)


def _free_place(view: View, place: Any) -> list[float]:
    """Return a place near another one (3,) [m] for a body of usual size."""
    near = np.round(np.asarray(place, float) / _GRID) * _GRID if len(view.description.names) else np.zeros(3)
    if any(isinstance(shape, HalfSpace) for shape in view.description.shapes):
        near[2] = max(near[2], _HALF_HEIGHT)
    corners = scene_points(view.description, view.frame, moving=False).reshape(-1, 8, 3)
    boxes = np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)
    own = _BOX[None] + near
    shift = np.array(free_shift(own, boxes)) if len(boxes) and _overlaps(own, boxes) else np.zeros(3)
    return [round(float(x), 6) + 0.0 for x in near + shift]


def _overlaps(own: np.ndarray, boxes: np.ndarray) -> bool:
    return bool(((own[0, 0] < boxes[:, 1]) & (own[0, 1] > boxes[:, 0])).all(axis=1).any())


# ------------------------------------------------------------- joints


def new_joint(view: View, kind: str, first: str, second: str) -> AddThing:
    """Return the command that joins two bodies, "" for the world, half-way between them."""
    assert view.draft is not None
    name = free_name(view.draft.model, "joints", kind.replace("_", " "))
    values = joint_values(view, kind, first, second)
    ends = {"first": first, "second": second} if "joint_1" not in values else {}
    return AddThing("joints", name, {**values, **{end: one for end, one in ends.items() if one}})


def joint_values(view: View, kind: str, first: str, second: str) -> dict[str, Any]:
    """Return what a file would say of a new joint, but for its bodies."""
    takes = arguments(records.Kind, kind)
    found: dict[str, Any] = {"type": kind}
    places = [_center(view, name) for name in (first, second) if name]
    middle = [round(float(x), 6) + 0.0 for x in np.mean(places, axis=0)] if places else [0.0, 0.0, 0.0]
    own: dict[str, Any] = {
        "point": middle,
        "axis": _AXES.get(kind, _AXIS),
        "normal": [0.0, 0.0, 1.0],
        "second_axis": [0.0, 1.0, 0.0],
    }
    if kind == "distance":
        own["second_point"] = _rounded(_center(view, second)) if second else middle
        own["point"] = (
            _rounded(_center(view, first))
            if first
            else [*own["second_point"][:2], own["second_point"][2] + 1.0]
        )
    if kind == "constant_angle":
        own["axis"], own["second_axis"] = [0.0, 0.0, 1.0], [0.0, 1.0, 1.0]
    if kind == "point_on_ellipsoid":
        own |= {"center": middle, "radii": _RADII, "point": [*middle[:2], round(middle[2] + _RADII[2], 6)]}
    if kind == "screw":
        found["pitch"] = 0.05
    if "joint_1" in takes:
        names = [*view.description.joint_names[:2], "", ""]
        own |= {"joint_1": names[0], "joint_2": names[1], "ratio": 1.0}
    for name, needed in takes.items():
        if name in own and (needed or name in ("point", "axis", "ratio")):
            found[name] = own[name]
    return found


def action_values(kind: str, value: float, mass: float, angle: bool) -> dict[str, Any]:
    """Return what a file would say of something new that acts on a coordinate.

    Args:
        kind: "motor", "servo" and so on.
        value: of the coordinate now [m or rad].
        mass: of the lightest body that it moves [kg].
        angle: whether the coordinate is an angle.
    """
    strength, stiffness = _two(_STRENGTH * mass), _two(mass * _RATE**2)
    damping, now = _two(2.0 * mass * _RATE), round(value, 4) + 0.0
    room = 0.5 if angle else 0.25
    proposed: dict[str, dict[str, Any]] = {
        "motor": {"velocity": 1.0, "max_force": strength},
        "servo": {"target": now, "stiffness": stiffness, "damping": damping},
        "spring": {"stiffness": stiffness, "damping": 0.0, "rest": now},
        "damper": {"damping": damping},
        "friction": {"max_force": _two(0.1 * _STRENGTH * mass)},
        "rotor": {"inertia": _two(mass)},
        "limit_swing": {"ellipse": [0.8, 0.5]},
        "limit_twist": {"ranges": [[0.0, -0.8, 0.8], [1.5, -0.3, 0.3]]},
        "limit": {"lower": round(now - room, 4), "upper": round(now + room, 4)},
        "control": {"kp": stiffness, "ki": stiffness, "kd": damping, "target": now, "limit": strength},
        "pid": {"target": now, "gain": stiffness, "derivative_time": 0.1, "max_force": strength},
    }
    return {"type": kind, **proposed[kind]}


def _two(value: float) -> float:
    """Return a number with two digits."""
    return float(f"{value:.2g}")


def _center(view: View, name: str) -> np.ndarray:
    names = view.description.names
    if name not in names:
        return np.zeros(3)
    return np.asarray(view.frame.positions[names.index(name)])


def _rounded(values: Any) -> list[float]:
    return [round(float(x), 6) + 0.0 for x in values]
