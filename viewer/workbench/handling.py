"""What handles do to a model: where something is put, and how large it is made, as commands.

No window is needed here: a gizmo says where a thing is to be, and how much larger.
"""

from typing import Any

import numpy as np

from stoss.engine.model.editing import find, tree_of
from stoss.engine.model.frames import Pose, inverse, then
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.places import body_place, place_of
from stoss.viewer.world.build_commands import ChangeThing, Edit, MoveJoint
from stoss.viewer.world.view import View

__all__ = ["can_be_sized", "put", "rounded", "sized"]

_DIGITS = 6  # after the point [m]: what a hand places is not placed better


def rounded(values: Any) -> list[float]:
    """Return numbers as a hand means them."""
    return [round(float(x), _DIGITS) + 0.0 for x in values]


def put(view: View, focus: Focus, before: Pose, target: Pose, moves: bool, stroke: str) -> Edit | None:
    """Return the command that puts a thing to another place; None where there is none.

    Args:
        view: what is seen.
        focus: the thing.
        before: where the model has it.
        target: where it is to be.
        moves: whether it is moved, else turned.
        stroke: to which the command belongs.
    """
    if view.draft is None:
        return None
    if focus.section == "joints":
        way = then(target, inverse(before))  # of the world
        about = before[0]
        shift = tuple(b - a for a, b in zip(before[0], target[0], strict=True))
        turn = (1.0, 0.0, 0.0, 0.0) if moves else way[1]
        return MoveJoint(focus.name, shift, turn, about, stroke)
    if focus.section == "markers" or focus.shapes:
        owner = _owner_place(view, focus)
        if owner is None:
            return None
        target = then(inverse(owner), target)
    own: dict[str, Any] = (
        {"position": rounded(target[0])} if moves else {"quaternion": list(_unit(target[1]))}
    )
    if focus.shapes:
        return _shape_changed(view, focus, own, stroke)
    if focus.section == "bodies":
        own |= {"center_of_mass": None, "principal_quaternion": None}
        if view.frame.step != view.draft.begun:  # the rest of the pose is what is seen
            other = "quaternion" if moves else "position"
            own[other] = list(before[1]) if moves else list(before[0])
    return ChangeThing(focus.section, focus.name, own, stroke)


def _owner_place(view: View, focus: Focus) -> Pose | None:
    """Return where the frame is in which a shape or a marker is given."""
    if focus.shapes:
        return body_place(view, focus.name)
    here = place_of(view, focus)
    assert view.draft is not None
    marker = find(view.draft.sound, "markers", focus.name)
    return None if here is None else then(here, inverse((marker.position, marker.quaternion)))


def _shape_changed(view: View, focus: Focus, values: dict[str, Any], stroke: str) -> Edit:
    assert view.draft is not None
    shapes = list(tree_of(view.draft.model, "bodies", focus.name).get(focus.shapes, []))
    shapes[focus.number] = {**shapes[focus.number], **values}
    return ChangeThing("bodies", focus.name, {focus.shapes: shapes}, stroke)


# ------------------------------------------------------------- sizes


def _sized_focus(view: View, focus: Focus) -> Focus | None:
    """Return the shape that is sized: the one that is looked at, or the only one of a body."""
    if view.draft is None or focus.section != "bodies":
        return None
    if focus.shapes:
        return focus
    body = find(view.draft.model, "bodies", focus.name)
    lists = [name for name in ("shapes", "display") if getattr(body, name)]
    if len(lists) == 1 and len(getattr(body, lists[0])) == 1:
        return Focus("bodies", focus.name, lists[0], 0)
    return None


def can_be_sized(view: View, focus: Focus) -> Focus | None:
    """Return the shape that handles would size, None if there is none."""
    found = _sized_focus(view, focus)
    if found is None or view.draft is None:
        return None
    shapes = getattr(find(view.draft.sound, "bodies", found.name), found.shapes)
    if found.number >= len(shapes) or shapes[found.number].type == "half_space":
        return None
    return found


def sized(view: View, focus: Focus, start: Any, factors: np.ndarray, stroke: str) -> Edit | None:
    """Return the command that makes a shape larger along its axes.

    Args:
        view: what is seen.
        focus: the shape.
        start: its record when it was taken.
        factors: along x, y and z (3,).
        stroke: to which the command belongs.
    """
    if view.draft is None:
        return None
    factors = np.clip(np.abs(factors), 1e-3, 1e3)
    across = max((factors[0], factors[1]), key=lambda f: abs(np.log(f)))
    values: dict[str, Any] = {}
    if start.size is not None:
        values["size"] = rounded(np.array(start.size) * factors)
    if start.radii is not None:
        values["radii"] = rounded(np.array(start.radii) * factors)
    if start.radius is not None:
        most = max(factors, key=lambda f: abs(np.log(f))) if start.type == "sphere" else across
        values["radius"] = rounded([start.radius * most])[0]
    if start.length is not None:
        values["length"] = rounded([start.length * factors[2]])[0]
    if start.mesh is not None:
        mesh = find(view.draft.sound, "meshes", start.mesh)
        scale = rounded(np.array(mesh.scale) * factors)
        return ChangeThing("meshes", start.mesh, {"scale": scale}, stroke)
    return _shape_changed(view, focus, values, stroke) if values else None


def _unit(quaternion: Any) -> tuple[float, ...]:
    q = np.asarray(quaternion, float)
    return tuple((q / np.linalg.norm(q)).tolist())
