"""Where the things of a model are in the world that is shown, as poses."""

import numpy as np

from stoss.collision.quaternions import quaternion_of, vector_of
from stoss.engine.model.editing import find
from stoss.engine.model.frames import Pose, inverse, then
from stoss.viewer.drawing.joint_glyphs import glyph_places
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.world.view import View

__all__ = ["body_place", "place_of"]


def body_place(view: View, name: str) -> Pose | None:
    """Return where the frame of a body's shapes is, None where that is not known yet."""
    shown, frame, draft = view.description, view.frame, view.draft
    record = None if draft is None else next((one for one in draft.sound.bodies if one.name == name), None)
    if draft is None or record is None or name not in shown.names:
        return None
    if frame.step == draft.begun:
        return record.position, record.quaternion
    row = shown.names.index(name)
    shapes = [k for k in np.flatnonzero(shown.shape_body == row) if k not in shown.drawn]
    if record.shapes and shapes:  # it is where its first shape is
        k, first = shapes[0], record.shapes[0]
        principal = vector_of(frame.positions[row]), quaternion_of(frame.quaternions[row])
        local = vector_of(shown.shape_position[k]), quaternion_of(shown.shape_quaternion[k])
        return then(then(principal, local), inverse((first.position, first.quaternion)))
    body = view.outline.body
    if body is not None and body.name == name:
        return vector_of(body.position), quaternion_of(body.quaternion)
    return None


def place_of(view: View, focus: Focus) -> Pose | None:
    """Return where something of a model is, None where it is nowhere."""
    draft = view.draft
    if draft is None or focus.section in ("", "forces"):
        return None
    if focus.section == "joints":
        found = glyph_places(view.description, view.frame).get(focus.name)
        return None if found is None else (vector_of(found[0]), quaternion_of(found[1]))
    if focus.section == "markers":
        marker = find(draft.sound, "markers", focus.name)
        own = (marker.position, marker.quaternion)
        if focus.name in [one.name for one in draft.sound.markers]:
            return own
        place = body_place(view, _owner(view, focus.name))
        return None if place is None else then(place, own)
    place = body_place(view, focus.name)
    if place is None or not focus.shapes:
        return place
    shapes = getattr(find(draft.sound, "bodies", focus.name), focus.shapes)
    if focus.number >= len(shapes):
        return None
    shape = shapes[focus.number]
    return then(place, (shape.position, shape.quaternion))


def _owner(view: View, marker: str) -> str:
    """Return the name of the body that a marker is on."""
    assert view.draft is not None
    names = [one.name for one in view.draft.sound.bodies if marker.startswith(f"{one.name}:")]
    return max(names, key=len, default="")
