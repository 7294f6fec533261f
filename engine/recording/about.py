"""What a recording keeps of its run beside the data: versions, settings, parameters, seed, and the model."""

import dataclasses
import platform
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.plain_numbers import shown
from stoss.engine import checks
from stoss.identity import __version__

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["about_run", "plain"]


def about_run(
    world: "World",
    channels: Sequence[str],
    every: float | None,
    parameters: Mapping[str, Any] | None,
    seed: int | None,
    model: bool,
) -> dict[str, Any]:
    """Return what is known of a run at its beginning, as plain values.

    Raises:
        TypeError: parameters that are no dict, or a seed that is no whole number.
    """
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters = {shown(parameters)} must be a dict of plain values")
    given = plain(parameters or {})
    seed = given.get("seed") if seed is None else checks.whole("seed", seed)
    found = {
        "format": 1,
        "written_by": f"stoss {__version__}",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: metadata.version(name) for name in ("numpy", "numba")},
        "channels": list(channels),
        "every": every,
        "begin": float(world.time),
        "time_step": float(world.time_step),
        "gravity": world.gravity.tolist(),
        "settings": plain(dataclasses.asdict(world.settings)),
        "parameters": given,
        "seed": seed,
    }
    return found | (_model(world) if model else {})


def _model(world: "World") -> dict[str, Any]:
    """Return the model of a world as a text, and what is not in it."""
    from stoss.engine.model import Model, ModelError

    try:
        described = Model.of(world, strict=False)
        text = described.dumps("json")
    except (ModelError, TypeError, ValueError) as error:
        return {"model_left_out": [str(error)]}
    return {"model": text, "model_left_out": list(described.left_out)}


def plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers of numpy as those of Python, what is unknown as its text."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
