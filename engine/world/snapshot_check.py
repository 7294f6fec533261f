"""What a snapshot from a file must hold before a world is made of it: numbers that name things name some."""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.kernels.structs import Struct
from stoss.engine.bodies.arrays import BodyArrays
from stoss.engine.joints.arrays import SUM, JointArrays

if TYPE_CHECKING:
    from stoss.engine.world.snapshot import Snapshot

__all__ = ["NUMBERS", "RANGES", "STARTS", "check_snapshot"]

# Whole numbers of structs that name something: the lowest, and of what there are so many, which is an axis of
# the struct itself, or bodies, shapes or pairs of materials of the world, or a number.
RANGES: dict[str, tuple[int, str | int]] = {
    "BodyArrays.kinds": (0, 3),
    "BodyArrays.solver": (0, 3),
    "BodyArrays.plane": (0, 4),
    "BodyArrays.conveys": (0, 64),
    "BodyArrays.pair_group": (0, "material groups"),
    "JointArrays.bodies": (-1, "all bodies"),
    "JointArrays.ends": (-1, "all bodies"),
    "JointArrays.joint": (0, "joints"),
    "JointArrays.part": (0, "parts"),
    "JointArrays.measure": (0, 15),
    "JointArrays.axis": (0, 3),
    "JointArrays.role": (0, 5),
    "JointArrays.law": (-1, "laws"),
    "JointArrays.schedule": (-1, "schedules"),
    "JointArrays.pid": (-1, "controllers"),
    "JointArrays.curve": (-1, "curves"),
    "JointArrays.piece": (-1, "curve values"),
    "JointArrays.history_count": (0, 2**62),
    "ContactArrays.body_a": (0, "all bodies"),
    "ContactArrays.body_b": (0, "all bodies"),
    "ContactArrays.shape_a": (0, "all shapes"),
    "ContactArrays.shape_b": (0, "all shapes"),
    "ContactArrays.normal_side": (0, 3),
    "ImpulseMemory.shape_a": (0, "all shapes"),
    "ImpulseMemory.shape_b": (0, "all shapes"),
    "FactorStructure.column": (-1, "columns"),
    "FactorStructure.body": (0, "all bodies"),
    "FactorStructure.row": (0, "columns"),
    "FactorStructure.pair_position": (-1, "blocks"),
    "FactorStructure.pair_flipped": (0, 2),
    "Islands.bodies": (0, "all bodies"),
    "Islands.order": (0, "blocks"),
    "Islands.pairs": (-1, "all bodies"),
    "Islands.block_pair": (0, "pairs"),
    "Rest.island": (0, 2**62),
}

# Where each of some things begins among others: from 0, never back, to the number of them.
STARTS: dict[str, str] = {
    "JointArrays.part_start": "parts",
    "JointArrays.row_start": "rows",
    "JointArrays.schedule_start": "points",
    "JointArrays.curve_start": "curve values",
    "FactorStructure.start": "blocks",
    "FactorStructure.island_start": "columns",
    "Islands.body_start": "members",
    "Islands.block_start": "blocks",
    "Islands.pair_start": "pairs",
}

# Whole numbers that name nothing.
NUMBERS = {
    "JointArrays.state",
    "JointArrays.row_key",
    "ContactArrays.feature",
    "ImpulseMemory.feature",
    "ImpulseMemory.state",
}


def check_snapshot(snapshot: "Snapshot") -> None:
    """Raise ValueError unless a snapshot is one of a world."""
    bodies, joints = snapshot.bodies, snapshot.joints
    count = len(bodies.records)
    counts = {
        "all bodies": count,
        "all shapes": sum(len(record.form.local_parts) for record in bodies.records),
        "material groups": len(bodies.pairs.table),
        "laws": len(snapshot.laws),
    }
    _check_lengths(snapshot)
    for struct in _structs(snapshot):
        _check_struct(struct, counts)
    keys = [record.key for record in bodies.records]
    _check_keys("bodies", keys, [record.name for record in bodies.records], bodies.next_key)
    _check_keys("joints", [r.key for r in joints.records], [r.name for r in joints.records], joints.next_key)
    known = {*keys, None}
    markers = [marker.key for marker in snapshot.markers]
    _check_keys(
        "markers", markers, [marker.name for marker in snapshot.markers], max(markers, default=-1) + 1
    )
    if not {marker.body for marker in snapshot.markers} <= known:
        raise ValueError("a marker is on a body that is not there")
    if not {key for record in joints.records for key in (record.first, record.second)} <= known:
        raise ValueError("a joint holds a body that is not there")
    _check_coupled_rows(joints.arrays)
    for name, held in (
        *(
            ("loads", bodies.loads),
            ("moves", bodies.moves),
            ("moving", bodies.moving),
            ("steered", bodies.steered),
            ("surfaces", bodies.surfaces),
            ("conveying", bodies.conveying),
        ),
        *(("forms", bodies.forms), ("colors", bodies.colors), ("displays", bodies.displays)),
    ):
        if not set(held) <= known:
            raise ValueError(f"{name} name a body that is not there")
    if not {key for pair in bodies.excluded for key in pair} <= known:
        raise ValueError("a pair names a body that is not there")
    _check_poses(bodies.arrays)


def _check_coupled_rows(joints: JointArrays) -> None:
    """Raise ValueError unless in front of each row that couples coordinates two of its joint measure them."""
    rows = np.flatnonzero(joints.measure >= SUM)
    first = joints.row_start[joints.joint[joints.part[rows]]]
    if (rows - 2 < first).any() or (joints.measure[rows - 1] >= SUM).any():
        raise ValueError("a row that couples coordinates has none in front of it")
    if (joints.measure[rows - 2] >= SUM).any():
        raise ValueError("a row that couples coordinates has another one in front of it")


def _check_lengths(snapshot: "Snapshot") -> None:
    """Raise ValueError unless what belongs to bodies, joints and contacts is there for each of them."""
    bodies, system = snapshot.bodies, snapshot.system.rest
    count = len(bodies.records)
    sizes = {
        "materials": (len(bodies.materials), count),
        "arrays of bodies": (len(bodies.arrays.kinds), count),
        "arrays of joints": (len(snapshot.joints.arrays.enabled), len(snapshot.joints.records)),
        "impulses of a step": (len(system.total), len(system.level.impulse)),
        "states of rows": (len(system.level.state), len(system.level.impulse)),
    }
    for name, (found, wanted) in sizes.items():
        if found != wanted:
            raise ValueError(f"{name}: {found} of them for {wanted}")
    pairs = {
        "touching": snapshot.touching,
        **{n: getattr(snapshot.events, n) for n in ("begin", "persist", "end", "broken")},
    }
    for name, array in pairs.items():
        if array.dtype != np.int64 or array.ndim != 2 or array.shape[1] != 2:
            raise ValueError(f"{name} has the shape {array.shape} and type {array.dtype}")
        if name != "end" and array.size and not (0 <= array.min() and array.max() < count):
            raise ValueError(f"{name} names a body that is not there")
    numbers = {"gravity": (snapshot.gravity, (3,)), "ledger": (snapshot.ledger, snapshot.ledger.shape[:1])}
    numbers |= {f"load of body {key}": (load, (6,)) for key, load in bodies.loads.items()}
    for name, (array, shape) in numbers.items():
        if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
            raise ValueError(f"{name} is no {shape} finite numbers")
    if not (0.0 < snapshot.time_step < np.inf and 0.0 < snapshot.force_step < np.inf):
        raise ValueError("the time step is not above zero")
    if not np.isfinite(snapshot.time) or snapshot.step_count < 0:
        raise ValueError("the time is not finite, or the number of steps below zero")


def _structs(value: Any) -> Iterator[Struct]:
    """Return all structs that an object holds, however deep."""
    if isinstance(value, Struct):
        yield value
        for one in value:
            if isinstance(one, Struct):
                yield from _structs(one)
    elif isinstance(value, Contacts):
        yield value.arrays
    elif isinstance(value, tuple):
        for one in value:
            yield from _structs(one)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _structs(getattr(value, name))


def _check_struct(struct: Struct, counts: dict[str, int]) -> None:
    """Raise ValueError unless whole numbers of a struct are those of things that are there."""
    kind = type(struct).__name__
    lengths = dict(counts)
    for name, field in struct.array_fields().items():
        for axis, length in zip(field.axes, getattr(struct, name).shape, strict=True):
            if isinstance(axis, str):
                axis, _, more = axis.partition("+")
                lengths[axis] = length - int(more or 0)
    for name in struct.array_fields():
        array, place = getattr(struct, name), f"{kind}.{name}"
        if place in RANGES and array.size:
            least, of = RANGES[place]
            most = lengths[of] if isinstance(of, str) else of
            if not (least <= array.min() and array.max() < most):
                raise ValueError(f"{place} names {array.min()} to {array.max()}, of {most} {of}")
        elif place in STARTS and (
            array.size == 0
            or array[0] != 0
            or (np.diff(array) < 0).any()
            or array[-1] != lengths[STARTS[place]]
        ):
            raise ValueError(f"{place} does not lead from 0 to {lengths[STARTS[place]]} {STARTS[place]}")


def _check_keys(what: str, keys: list[int], names: list[str], next_key: int) -> None:
    if len(set(names)) != len(names):
        raise ValueError(f"two {what} have one name")
    if any(a >= b for a, b in pairwise([-1, *keys, next_key])):
        raise ValueError(f"keys of {what} do not rise")


def _check_poses(b: BodyArrays) -> None:
    """Raise ValueError unless bodies are somewhere, and turned."""
    for name in ("positions", "quaternions", "velocities", "angular_velocities", "forces", "torques"):
        if not np.isfinite(getattr(b, name)).all():
            raise ValueError(f"{name} of bodies are not finite")
    if (np.abs((b.quaternions**2).sum(axis=1) - 1.0) > 1e-6).any():
        raise ValueError("quaternions of bodies are not of unit length")
