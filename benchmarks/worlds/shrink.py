"""Make a failing world small: drop and simplify what the failure does not need.

Greedy and of this module alone, so that the command needs no more than what stoss does: a record has few
kinds of parts, and most reductions are obvious ones. Each keeps the rule that was broken.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from stoss.benchmarks.worlds.records import WORLD, BodyRecord, JointRecord, WorldRecord

__all__ = ["shrink"]

_Fails = Callable[[WorldRecord], bool]


def shrink(record: WorldRecord, fails: _Fails, most_runs: int = 150) -> WorldRecord:
    """Return a smaller world that still fails.

    Args:
        record: a world that fails.
        fails: runs a world and says whether it does.
        most_runs: bound of the work.
    """
    left = most_runs
    progress = True
    while progress and left > 0:
        progress = False
        for reductions in (
            _without_bodies,
            _without_joints,
            _plainer_joints,
            _plainer_world,
            _plainer_bodies,
            _rounder,
        ):
            tried: set[WorldRecord] = set()
            while left > 0:
                candidate = next((c for c in reductions(record) if c != record and c not in tried), None)
                if candidate is None:
                    break
                tried.add(candidate)
                left -= 1
                if _safe(fails, candidate):
                    record, progress = candidate, True
    return record


def _safe(fails: _Fails, record: WorldRecord) -> bool:
    """Return whether a world fails; one that cannot be built does not."""
    try:
        return fails(record)
    except (ValueError, TypeError):
        return False


def _without_bodies(record: WorldRecord) -> Iterator[WorldRecord]:
    for k in range(len(record.bodies) - 1, -1, -1):
        bodies = record.bodies[:k] + record.bodies[k + 1 :]
        joints = tuple(
            replace(j, first=j.first - (j.first > k), second=j.second - (j.second > k))
            for j in record.joints
            if k not in (j.first, j.second)
        )
        if any(body.kind == "dynamic" for body in bodies):
            yield replace(record, bodies=bodies, joints=joints)


def _without_joints(record: WorldRecord) -> Iterator[WorldRecord]:
    for k in range(len(record.joints) - 1, -1, -1):
        yield replace(record, joints=record.joints[:k] + record.joints[k + 1 :])


def _with_joint(record: WorldRecord, k: int, joint: JointRecord) -> WorldRecord:
    return replace(record, joints=(*record.joints[:k], joint, *record.joints[k + 1 :]))


def _with_body(record: WorldRecord, k: int, body: BodyRecord) -> WorldRecord:
    return replace(record, bodies=(*record.bodies[:k], body, *record.bodies[k + 1 :]))


def _plainer_joints(record: WorldRecord) -> Iterator[WorldRecord]:
    for k, joint in enumerate(record.joints):
        for name in ("stops", "drives"):
            parts = getattr(joint, name)
            for m in range(len(parts)):
                yield _with_joint(record, k, replace(joint, **{name: parts[:m] + parts[m + 1 :]}))
        for m, stop in enumerate(joint.stops):
            for plainer in (replace(stop, restitution=0.0), replace(stop, stiffness=None, damping=0.0)):
                stops = (*joint.stops[:m], plainer, *joint.stops[m + 1 :])
                yield _with_joint(record, k, replace(joint, stops=stops))
        if joint.collide:
            yield _with_joint(record, k, replace(joint, collide=False))
        if joint.kind != "Ball" and not joint.stops and not joint.drives:
            yield _with_joint(record, k, replace(joint, kind="Ball", other=None))
        if joint.first != WORLD and joint.first > joint.second:
            yield _with_joint(record, k, replace(joint, first=joint.second, second=joint.first))


def _plainer_world(record: WorldRecord) -> Iterator[WorldRecord]:
    plain: dict[str, Any] = {"sleeping": False, "solver": "auto", "time_step": 0.01, "gravity": 0.0}
    for name, value in plain.items():
        yield replace(record, **{name: value})


def _plainer_bodies(record: WorldRecord) -> Iterator[WorldRecord]:
    default = BodyRecord("box", (), (0.0, 0.0, 0.0))
    names = ("velocity", "spin", "force", "torque", "mass", "friction", "restitution", "quaternion")
    for name in names:  # of all bodies, then of one
        bodies = tuple(replace(body, **{name: getattr(default, name)}) for body in record.bodies)
        yield replace(record, bodies=bodies)
    for k, body in enumerate(record.bodies):
        for name in names:
            yield _with_body(record, k, replace(body, **{name: getattr(default, name)}))
        if body.friction != 0.0:
            yield _with_body(record, k, replace(body, friction=0.0))


def _rounder(record: WorldRecord) -> Iterator[WorldRecord]:
    for digits in (1, 2, 3):
        yield replace(
            record,
            bodies=tuple(_rounded(body, digits) for body in record.bodies),
            joints=tuple(_rounded(joint, digits) for joint in record.joints),
        )
        for k, body in enumerate(record.bodies):
            yield _with_body(record, k, _rounded(body, digits))
        for k, joint in enumerate(record.joints):
            yield _with_joint(record, k, _rounded(joint, digits))


def _rounded(part: Any, digits: int) -> Any:
    """Return a body or a joint whose lengths and speeds have so many digits; sizes keep one above zero."""
    names = ("position", "velocity", "spin", "size", "force", "torque", "friction", "mass")
    changes: dict[str, Any] = {}
    for name in (*names, "point"):
        value = getattr(part, name, None)
        if isinstance(value, float):
            changes[name] = round(value, digits)
        elif value:
            changes[name] = tuple(round(x, digits) for x in value)
    return replace(part, **changes)
