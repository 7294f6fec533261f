"""Models as scenes, of files or of texts, so that all that is done with a scene is done with a model too."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stoss.scenes.building.sticks import is_bare, stick_figure
from stoss.scenes.registry import MODEL, Parameter, Scene

if TYPE_CHECKING:
    from stoss.engine import Settings, World
    from stoss.engine.model import Model

__all__ = ["MODEL", "scene_of_file", "scene_of_model", "scene_of_text", "text_of"]

_DURATION = 10.0  # [s] where the model does not say
# Azimuth and elevation [degrees] of the camera; planes are seen with their first axis to the right.
_VIEWS = {None: (-60.0, 20.0), "xy": (-90.0, 90.0), "xz": (-90.0, 0.0), "yz": (0.0, 0.0)}


def scene_of_file(path: str) -> Scene:
    """Return the scene of a model; its name is the path, so that sessions find it again.

    Raises:
        ModelError: the file is wrong; says where.
    """
    from stoss.engine.model import Model

    return scene_of_model(path, Model.load(path))


def scene_of_model(name: str, model: "Model") -> Scene:
    """Return the scene of a model.

    Args:
        name: what it is called.
        model: of which its worlds are built.

    Raises:
        ModelError: it is wrong; says where.
    """
    flat = model.flat()
    usual = flat.world

    def made(
        *, settings: "Settings | None" = None, time_step: float = usual.time_step, **params: Any
    ) -> "Model":
        own = (
            model if params == {one.name: float(one.value) for one in model.params} else _with(model, params)
        )
        return _run_with(own, settings, time_step)

    def build(
        *, settings: "Settings | None" = None, time_step: float = usual.time_step, **params: Any
    ) -> "World":
        found = made(settings=settings, time_step=time_step, **params).build()
        if is_bare(found):
            stick_figure(found)
        return found

    def channels(world: "World") -> tuple[str, ...]:
        return tuple(_channel(text, flat, world) for text in flat.record.channels)

    camera, seconds = model.camera, model.record.duration or _DURATION
    view = list(_VIEWS[usual.planar])
    for number, angle in enumerate((camera.azimuth, camera.elevation) if camera is not None else ()):
        if angle is not None:
            view[number] = math.degrees(angle)
    return Scene(
        name=name,
        summary=model.description or model.name or "a model of a file",
        function=build,
        duration=seconds,
        body_count=sum(body.kind == "dynamic" for body in flat.bodies),
        moment=seconds / 3.0,
        view=(view[0], view[1]),
        see_through=(),
        parameters=tuple(
            Parameter(one.name, float, float(one.value), (), "of the model") for one in model.params
        ),
        settings=replace(usual.settings),
        channels=channels if flat.record.channels else None,
        every=flat.record.every,
        model=made,
    )


def scene_of_text() -> Scene:
    """Return the scene of a model that is given as a text, such as a session holds of what was built."""

    def made(*, text: str, settings: "Settings | None" = None, time_step: float = 0.01) -> "Model":
        from stoss.engine.model import Model
        from stoss.engine.model.loading import loads_model

        return _run_with(loads_model(Model, text, "json", "/", check=False), settings, time_step)

    def build(*, text: str, settings: "Settings | None" = None, time_step: float = 0.01) -> "World":
        return made(text=text, settings=settings, time_step=time_step).build()

    return Scene(
        name=MODEL,
        summary="a model that was built in the window",
        function=build,
        duration=_DURATION,
        body_count=0,
        moment=_DURATION / 3.0,
        view=_VIEWS[None],
        see_through=(),
        parameters=(Parameter("text", str, "", (), "the model, as JSON"),),
        model=made,
    )


def text_of(model: Any) -> str:
    """Return a model as `scene_of_text` takes it: meshes of files stay in these."""
    from stoss.engine.model import json_files
    from stoss.engine.model.writing import write_model

    return json_files.dump(write_model(model))


def _run_with(model: Any, settings: "Settings | None", time_step: float) -> "Model":
    """Return a model with other settings and another time step; the same ones stay expressions."""
    own = model.world
    changes: dict[str, Any] = {} if time_step == own.time_step else {"time_step": time_step}
    if settings is not None and settings != own.settings:
        changes["settings"] = settings
    found: Model = model.replace(world=own.replace(**changes)) if changes else model
    return found


def _channel(text: str, model: Any, world: "World") -> str:
    """Return the name of a channel; "coordinate.NAME" is that of a joint that the model calls so."""
    kind, _, name = text.partition(".")
    for one in model.coordinates if kind == "coordinate" else ():
        if name == one.name or name.startswith(f"{one.name}."):
            own = one.coordinate or world.joint(one.joint).coordinates[0]
            return f"joint.{one.joint}.{own}" + name.removeprefix(one.name)
    return text


def _with(model: Any, params: dict[str, Any]) -> Any:
    """Return a model with other values of its parameters; those that are as they were stay expressions."""
    changed = {one.name for one in model.params if params.get(one.name, one.value) != float(one.value)}
    return model.replace(
        params=tuple(
            one.replace(value=float(params[one.name])) if one.name in changed else one for one in model.params
        )
    )
