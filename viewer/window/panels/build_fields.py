"""Fields of what is built: each gives a command, and tells beside it why one was refused."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from imgui_bundle import imgui

from stoss.engine.model import ModelError
from stoss.viewer.window.panels import fields
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import ChangeThing, Edit

__all__ = ["ThingFields", "angles_of", "error_text", "quaternion_of_angles", "refused_key", "told_below"]

RED = imgui.ImVec4(1.0, 0.50, 0.42, 1.0)
_RED_FRAME = imgui.ImVec4(0.45, 0.12, 0.12, 1.0)
_DIGITS = 7  # of a number that is dragged: ImGui's has no more


def told_below(text: str) -> None:
    """Write in red why something was refused."""
    imgui.push_text_wrap_pos(0.0)
    imgui.text_colored(RED, text)
    imgui.pop_text_wrap_pos()


def error_text(error: Exception) -> str:
    """Return what an error says, without the place of the field beside which it stands."""
    text = error.reason if isinstance(error, ModelError) else str(error.args[0] if error.args else error)
    return re.sub(r"^(joint '[^']*'|(shapes|display|actions)\[\d+\](, an? \w+)?|[A-Z]\w+): ", "", text)


def refused_key(error: Exception) -> tuple[str, int, str]:
    """Return which field an error is about: the list it is in, with a number, or "", and its key, or ""."""
    if not isinstance(error, ModelError):
        return "", 0, ""
    place, text = list(error.place[2:]), error.reason
    for name, number in re.findall(r"^(shapes|display|actions)\[(\d+)\]", text):
        place = [name, int(number)]
    inner: tuple[str, int] = ("", 0)
    if len(place) >= 2 and isinstance(place[1], int):
        inner = (str(place[0]), place[1])
        place = place[2:]
    if place and not inner[0] and place[0] in ("shapes", "display", "actions"):
        return str(place[0]), 0, ""
    if place:
        return *inner, str(place[0])
    named = re.search(r"(?:^|: |\b)(\w+) = ", text) or re.search(r"^(\w+) is missing", text)
    return *inner, named[1] if named else ""


class ThingFields:
    """The fields of one thing of the model, or of one record in a list of it, such as a shape.

    Args:
        bench: what the commands are given to.
        section, name: the thing.
        tree: what a file says of the thing.
        within: name and number of the list that holds the record, None for the thing itself.
    """

    _strokes = 0

    def __init__(
        self,
        bench: Workbench,
        section: str,
        name: str,
        tree: dict[str, Any],
        within: tuple[str, int] | None = None,
    ) -> None:
        self._bench, self._section, self._name, self._tree = bench, section, name, tree
        self._within = within
        self.told = False  # whether a refusal was told beside a field
        self.values: dict[str, Any] = tree if within is None else tree[within[0]][within[1]]

    # ------------------------------------------------------------- what was refused

    def _refusal(self) -> tuple[Edit, Exception] | None:
        refusal = self._bench.project.refusal
        if refusal is None or not isinstance(refusal[0], ChangeThing):
            return None
        return refusal if (refusal[0].section, refusal[0].thing) == (self._section, self._name) else None

    def _refused(self, key: str) -> tuple[Any, str] | None:
        """Return the value of a field that was refused, and why."""
        refusal = self._refusal()
        if refusal is None:
            return None
        command, error = refusal
        assert isinstance(command, ChangeThing)
        values: Any = command.values
        if self._within is not None:
            values = values.get(self._within[0])
            values = values[self._within[1]] if values and len(values) > self._within[1] else {}
        given = [one for one in values if one == key and values[one] != self.values.get(one)]
        about = refused_key(error)
        if not given or (about[2] not in ("", key) and about[2] in values):
            return None
        return values[key], error_text(error)

    def rest(self) -> None:
        """Tell why the last change was refused, if that stands beside no field."""
        refusal = self._refusal()
        if refusal is not None and not self.told and self._within is None:
            told_below(error_text(refusal[1]))

    # ------------------------------------------------------------- fields

    def post(self, values: dict[str, Any], stroke: str = "") -> None:
        """Give the command that changes values; None takes a key away."""
        if self._within is not None:
            list_name, number = self._within
            whole = [dict(one) for one in self._tree[list_name]]
            whole[number] = {k: v for k, v in {**whole[number], **values}.items() if v is not None}
            values = {list_name: whole}
        self._bench.post(ChangeThing(self._section, self._name, values, stroke))

    def field(self, key: str, draw: Callable[[Any], Any], default: Any, told: str = "") -> None:
        """Draw a field: `draw` takes the value to be shown, and returns another one or None.

        Args:
            key: of the value.
            draw: draws it.
            default: what holds where nothing is said.
            told: a tooltip.
        """
        refused = self._refused(key)
        value = self.values.get(key, default)
        text = value if isinstance(value, str) and not isinstance(default, str) else ""
        shown = _number_of(value, self._bench, default) if refused is None else refused[0]
        if refused is not None:
            imgui.push_style_color(imgui.Col_.frame_bg, _RED_FRAME)
        new = draw(shown)
        if refused is not None:
            imgui.pop_style_color()
        if imgui.is_item_activated():
            ThingFields._strokes += 1
        fields.tip(told)
        if text:
            imgui.text_disabled(f"  = {text}")
        if new is not None:
            self.post({key: new}, f"field {ThingFields._strokes} {key}")
        if refused is not None:
            self.told = True
            told_below(refused[1])

    def number(
        self, key: str, label: str, default: float, *, speed: float | None = None, told: str = ""
    ) -> None:
        """Draw a number."""

        def draw(value: Any) -> float | None:
            new = fields.number(label, float(value), speed=speed)
            return None if new is None else neat(new)

        self.field(key, draw, default, told)

    def bounded(self, key: str, label: str, finite: float, endless: float = math.inf) -> None:
        """Draw a number that may be infinite, which is what it is when it is left out."""

        def draw(value: Any) -> float | None:
            new = fields.bounded(label, float(value), -math.inf if endless < 0.0 else 0.0, finite, endless)
            return None if new is None else neat(new)

        refused = self._refused(key)
        value = _number_of(self.values.get(key, endless), self._bench, endless)
        new = draw(value if refused is None else refused[0])
        if imgui.is_item_activated():
            ThingFields._strokes += 1
        if new is not None:
            self.post({key: new if math.isfinite(new) else None}, f"field {ThingFields._strokes} {key}")
        if refused is not None:
            self.told = True
            told_below(refused[1])

    def vector(
        self, key: str, label: str, default: Sequence[float], *, speed: float = 0.01, told: str = ""
    ) -> None:
        """Draw three numbers."""

        def draw(value: Any) -> list[float] | None:
            new = fields.vector(label, value, speed)
            return None if new is None else [neat(x) for x in new]

        self.field(key, draw, list(default), told)

    def turn(self, key: str = "quaternion", label: str = "turned by [deg]") -> None:
        """Draw an orientation as angles about x, y and z of the outer frame, one after the other."""

        def draw(value: Any) -> list[float] | None:
            new = fields.vector(label, angles_of(value), 0.5)
            return None if new is None else list(quaternion_of_angles([neat(x) for x in new]))

        told = "turned about x, then y, then z of the frame around it"
        self.field(key, draw, [1.0, 0.0, 0.0, 0.0], told)

    def choice(
        self, key: str, label: str, choices: Sequence[str], default: str, left_out: str | None = None
    ) -> None:
        """Draw a list to choose from; `left_out` is what takes the key away."""

        def draw(value: Any) -> str | None:
            return fields.choice(label, str(value), choices)

        refused = self._refused(key)
        value = self.values.get(key, default)
        new = draw(value if refused is None or refused[0] is None else refused[0])
        if new is not None and new != value:
            self.post({key: None if new == left_out else new})
        if refused is not None:
            self.told = True
            told_below(refused[1])

    def switch(self, key: str, label: str, default: bool) -> None:
        """Draw a check box."""
        self.field(key, lambda value: fields.switch(label, bool(value)), default)


def neat(value: float) -> float:
    """Return a number without the digits that a float of ImGui invents."""
    return float(f"{value:.{_DIGITS}g}")


def _number_of(value: Any, bench: Workbench, default: Any) -> Any:
    """Return a value with the numbers that its expressions have."""
    if isinstance(value, str) and not isinstance(default, str):
        return _evaluated(value, bench)
    if isinstance(value, list | tuple):
        return [_evaluated(one, bench) if isinstance(one, str) else one for one in value]
    return value


def _evaluated(text: str, bench: Workbench) -> float:
    from stoss.engine.model.expressions import evaluate
    from stoss.engine.model.flattening import parameter_values

    draft = bench.view.draft
    names = {} if draft is None else parameter_values(draft.model, None)
    return float(evaluate(text, names))


def angles_of(quaternion: Any) -> list[float]:
    """Return the angles [deg] about x, y and z, in this order, of the outer frame."""
    w, x, y, z = (float(part) for part in quaternion)
    length = math.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / length, x / length, y / length, z / length
    sine = max(-1.0, min(1.0, 2.0 * (w * y - z * x)))
    if abs(sine) > 1.0 - 1e-9:  # x and z are one axis
        roll, yaw = 0.0, -math.copysign(2.0, sine) * math.atan2(x, w)
    else:
        roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
        yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    found = np.degrees([roll, math.asin(sine), yaw])
    return [round(float(x), 5) + 0.0 for x in found]


def quaternion_of_angles(angles: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the orientation that is turned by angles [deg] about x, then y, then z of the outer frame."""
    (cx, sx), (cy, sy), (cz, sz) = (
        (math.cos(math.radians(a) / 2.0), math.sin(math.radians(a) / 2.0)) for a in angles
    )
    return (
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    )
