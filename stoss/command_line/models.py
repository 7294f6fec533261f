"""`stoss check` and `stoss convert`: what the file of a model holds, and the same in another format."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from stoss.engine.exchange.usd_writer import Samples
from stoss.engine.exchange.usd_writer import save as save_usd
from stoss.engine.model import Model
from stoss.errors import UsageError
from stoss.scenes.running.trajectory import load_trajectory

__all__ = ["check", "convert"]

_MOST = 12  # lines of one kind
USD = (".usd", ".usda", ".usdc")


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
        UsageError: the model is wrong, or cannot be written in that format; or the motion is not one of it.
        FileError: the file cannot be written.
    """
    model = Model.load(options.file)
    try:
        left_out = _write(model, Path(options.out), options.motion)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not options.quiet:
        for line in model.left_out:
            print(f"not taken over: {line}", file=sys.stderr)
        for line in left_out:
            print(f"not written: {line}", file=sys.stderr)
        print(f"written to {options.out}", file=sys.stderr)
    return 0


def _write(model: Model, out: Path, recorded: str | None) -> tuple[str, ...]:
    """Write a model, or how it moved, by the ending of a file, and return what the format does not hold."""
    from stoss.viewer.exporting.export import WRITERS, write_motion
    from stoss.viewer.exporting.sources import motion_of

    ending = out.suffix.lower()
    if ending in WRITERS:  # formats that show motions: without one, the pose in which it begins
        if recorded is None:
            motion = motion_of(model.build(), 0.0, 30.0, model.name)
        else:
            _motion_of(model, recorded)
            motion = motion_of(recorded, None, 1e9, model.name)
        write_motion(motion, out)
        return ()
    if recorded is None:
        return model.save(out)
    if ending not in USD:
        known = ", ".join((*USD, *WRITERS))
        raise UsageError(
            f"--motion: {ending or 'a file without an ending'} holds no motion; give one of {known}"
        )
    return save_usd(model, out, _motion_of(model, recorded))


def _motion_of(model: Model, recorded: str) -> Samples:
    """Return a recorded motion of a model.

    Raises:
        UsageError: there is none in the file, or it is one of other bodies.
    """
    try:
        trajectory = load_trajectory(Path(recorded))
    except (ValueError, OSError) as error:
        raise UsageError(f"--motion: {error}") from error
    known = {body.name for body in model.flat().bodies}
    unknown = [name for name in trajectory.names if name not in known]
    if unknown:
        told = ", ".join(map(repr, unknown[:5]))
        raise UsageError(
            f"--motion: {recorded} has bodies that are not in the model: {told}; give its own model"
        )
    poses = trajectory.positions, trajectory.quaternions
    return Samples(tuple(trajectory.names), trajectory.times, *poses)
