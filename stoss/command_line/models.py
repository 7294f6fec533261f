"""`stoss check` and `stoss convert`: what the file of a model holds, and the same in another format."""

import argparse
import json
import sys
from typing import Any

from stoss.engine.model import Model
from stoss.errors import UsageError

__all__ = ["check", "convert"]

_MOST = 12  # lines of one kind


def check(options: argparse.Namespace) -> int:
    """Carry out `stoss check` and return the exit code.

    Raises:
        UsageError: the model is wrong; says where.
    """
    model = Model.load(options.file)
    found = _summary(model)
    if options.json:
        print(json.dumps(found))
        return 0
    print(f"{options.file}: {model.name or 'a model'} is sound")
    if found["params"]:
        print("params: " + ", ".join(f"{name} = {value:g}" for name, value in found["params"].items()))
    counts = ", ".join(f"{count} {kind}" for kind, count in found["bodies"].items() if count)
    print(f"bodies: {counts or 'none'}; {found['mass']:.6g} kg; {found['shapes']} shapes")
    print(f"joints: {found['joints']}; degrees of freedom: {found['degrees_of_freedom']}")
    _list("redundant", found["redundant"])
    _list("open joints", found["open"])
    _list("overlaps at the start", found["overlaps"])
    _list("not taken over", found["left_out"])
    return 0


def _list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"{title}: {len(lines)}")
        for line in lines[:_MOST]:
            print(f"  {line}")
        if len(lines) > _MOST:
            print(f"  and {len(lines) - _MOST} more: --json names all")


def _summary(model: Model) -> dict[str, Any]:
    """Return what is in a model, and how its world begins."""
    world = model.build()
    freedom = world.freedom_report()
    kinds = [body.kind for body in world.bodies]
    contacts, touch = world.contacts, world.settings.position_tolerance
    overlaps = [
        f"{contact.first.name} and {contact.second.name}: {-contact.gap:.3g} m"
        for contact in sorted(contacts, key=lambda one: one.gap)
        if contact.gap < -touch
    ]
    return {
        "name": model.name,
        "params": {one.name: float(one.value) for one in model.params},
        "bodies": {kind: kinds.count(kind) for kind in ("dynamic", "kinematic", "static")},
        "shapes": sum(len(body.shapes) for body in world.bodies),
        "mass": float(world.masses.sum()),
        "joints": len(world.joints),
        "degrees_of_freedom": freedom.degrees_of_freedom,
        "redundant": [f"{row.joint}: {row.row}" for row in freedom.redundant],
        "open": [f"{name}: {error:.3g} m or rad" for name, error in freedom.conflicts],
        "overlaps": list(dict.fromkeys(overlaps)),
        "left_out": list(model.left_out),
    }


def convert(options: argparse.Namespace) -> int:
    """Carry out `stoss convert` and return the exit code.

    Raises:
        UsageError: the model is wrong, or cannot be written in that format.
        FileError: the file cannot be written.
    """
    model = Model.load(options.file)
    try:
        left_out = model.save(options.out)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not options.quiet:
        for line in model.left_out:
            print(f"not taken over: {line}", file=sys.stderr)
        for line in left_out:
            print(f"not written: {line}", file=sys.stderr)
        print(f"written to {options.out}", file=sys.stderr)
    return 0
