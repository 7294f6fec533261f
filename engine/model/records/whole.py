"""What concerns a model as a whole: its world, parameters, beginning, record, view, and models within."""

from typing import Any

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector
from stoss.engine.model.records.base import Record
from stoss.engine.settings import Settings

__all__ = ["Camera", "Initial", "Parameter", "Recording", "SubModel", "WorldSettings"]


class WorldSettings(Record, frozen=True, kw_only=True):
    """What holds for the whole world: see `stoss.World`.

    Args:
        units: of all numbers of the model: SI. Expressions know mm, cm, km, deg, and so on: 20*mm.
        planar: plane to which the motion is confined, "xy", "xz" or "yz"; left out: space.
        time: world time at which it begins [s].
    """

    gravity: Vector | None = None
    time_step: float = 0.01
    settings: Settings = Settings()
    planar: str | None = None
    units: str = "SI"
    time: float = 0.0


class Parameter(Record, frozen=True, kw_only=True):
    """A named number, by which models are varied.

    Args:
        name: a word of letters, digits and "_".
        value: a number, or an expression of other parameters.
    """

    name: str
    value: float


class Initial(Record, frozen=True, kw_only=True):
    """The pose in which the model begins, where it is not that of the bodies.

    Neighbours of what has a place are placed as their joints have it; loops are closed afterwards. Angles of
    bodies are absolute, those of coordinates relative.

    Args:
        anchors: places of markers, or of bodies, in the world [m]: one for each chain.
        at: markers, or bodies, that begin where others are, by the names of these.
        angles: of bodies in a plane, absolute [rad].
        orientations: of bodies, absolute, as quaternions.
        coordinates: values of named coordinates, or of joints with one [m or rad].
        weights: of joints where loops have to be closed: the larger, the better it is kept; 1 when left out.
        tolerance: by how much a joint or an anchor may miss [m, rad].
    """

    anchors: dict[str, Vector] = {}
    at: dict[str, str] = {}
    angles: dict[str, float] = {}
    orientations: dict[str, Quaternion] = {}
    coordinates: dict[str, float] = {}
    weights: dict[str, float] = {}
    tolerance: float = 1e-6


class Recording(Record, frozen=True, kw_only=True):
    """What is to be recorded, and for how long.

    Args:
        duration: simulated time [s] after which the model has shown what it is about.
        every: time between two records [s]; left out: every step.
        channels: what is recorded, such as "joint.*.angle".
    """

    duration: float | None = None
    every: float | None = None
    channels: tuple[str, ...] = ()


class Camera(Record, frozen=True, kw_only=True):
    """Where the model is seen from.

    Args:
        azimuth, elevation: direction of the camera seen from its target [rad].
        distance: from its target [m]; left out: what shows all bodies.
        target: the point that it looks at [m].
        follow: name of a body that it follows.
    """

    azimuth: float | None = None
    elevation: float | None = None
    distance: float | None = None
    target: Vector | None = None
    follow: str | None = None


class SubModel(Record, frozen=True, kw_only=True):
    """A model within the model, at some place, with values of its parameters.

    Args:
        name: unique among the sub-models.
        file: of the model, in the folder of this model or below; or
        model: the model itself.
        prefix: before all its names; left out: its name and "/".
        position, quaternion: where its world is in this one, [m] and (w, x, y, z).
        params: values of its parameters, which may be expressions of those of this model.
    """

    name: str
    file: str | None = None
    model: Any = None
    prefix: str | None = None
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    params: dict[str, float] = {}
