"""What becomes of one file: loaded or why not, what was left out, how it moves, and how fast."""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stoss.benchmarks.robots.judges import MujocoJudge, PinocchioJudge, bullet_speed
from stoss.benchmarks.robots.tree_dynamics import bare, first_accelerations, posed
from stoss.engine import SimulationError
from stoss.engine.model import Model

__all__ = ["BULLET_STEP", "Row", "survey"]

BULLET_STEP = 1.0 / 240.0  # [s] PyBullet's own, for URDF files, which have none
POSES = 20
WARM = 5  # steps before time is taken
OPEN = 1e-5  # [m or rad] by which a joint that misses more is explained


@dataclass
class Row:
    """What became of a file.

    Attributes:
        path: the file.
        why_not: why it was not loaded, in one line; empty: it was.
        left_out: what was not taken over.
        bodies, joints, degrees_of_freedom: of the world.
        accelerations: largest miss of the first accelerations in random poses, relative to the largest of
            each pose; None: there is nothing to compare.
        judge: who says so.
        as_given: the same where the judge takes inertias as they are that no body can have, and that are
            replaced here; None: there are none. For `accelerations` the judge has those that replace them.
        steps_per_second: of processor time.
        peer_speed: that of MuJoCo, or of PyBullet; None: it does not load the file.
        time_step: of both [s].
        duration: of the run [s], simulated.
        poses: in which accelerations were compared.
        joint_error: largest miss of what joints hold over the duration [m or rad].
        load_time: processor time [s] to read and build it.
        end: how the run ended if not as it should.
    """

    path: str
    why_not: str = ""
    left_out: tuple[str, ...] = ()
    bodies: int = 0
    joints: int = 0
    degrees_of_freedom: int = 0
    accelerations: float | None = None
    judge: str = ""
    as_given: float | None = None
    steps_per_second: float | None = None
    peer_speed: float | None = None
    time_step: float = BULLET_STEP
    duration: float = 10.0
    poses: int = POSES
    joint_error: float | None = None
    load_time: float = 0.0
    end: str = ""
    notes: list[str] = field(default_factory=list)


def survey(path: Path, folders: list[Path], duration: float = 10.0, poses: int = POSES) -> Row:
    """Load a file, compare it and run it.

    Args:
        path: the file.
        folders: from which it may read meshes.
        duration: simulated time [s].
        poses: in which accelerations are compared.
    """
    row = Row(str(path), duration=duration, poses=poses)
    begin = time.process_time()
    urdf = path.suffix.lower() in (".urdf", ".xacro")
    options: dict[str, Any] = {"missing": "skip"} if urdf else {}
    try:
        model = Model.load(path, folders=folders, **options)
        world = model.build()
    except (ValueError, TypeError, OSError) as error:
        row.why_not = " ".join(str(error).split())
        return row
    row.load_time = time.process_time() - begin
    row.left_out = model.left_out
    row.bodies = sum(body.kind == "dynamic" for body in world.bodies)
    row.joints = len(world.joints)
    row.degrees_of_freedom = world.freedom_report().degrees_of_freedom
    if urdf:
        model = model.replace(world=model.world.replace(time_step=BULLET_STEP))
    row.time_step = model.world.time_step
    _compare(row, model, path, urdf, poses)
    _run(row, model, duration)
    _time_peer(row, model, path, urdf, min(duration, 2.0))
    return row


def _compare(row: Row, model: Model, path: Path, urdf: bool, poses: int) -> None:
    """Compare first accelerations in random poses with those of the judge of the format."""
    try:
        judge = PinocchioJudge(path) if urdf else MujocoJudge(path, fixed=True)
    except Exception as error:  # whatever a judge says of a file that we load
        row.notes.append(f"judge: {' '.join(str(error).split())[:120]}")
        return
    plain = bare(model)
    known = {joint.name for joint in plain.joints if joint.type in ("hinge", "slider")}
    names = [name for name in judge.names if name in known]
    if not names:
        return
    row.judge = "Pinocchio" if urdf else "MuJoCo"
    replaced = _replaced(row.left_out)
    if replaced and isinstance(judge, PinocchioJudge):
        row.as_given = _largest_miss(judge, plain, names, poses)
        bodies = {body.name: body for body in plain.bodies}
        for joint in plain.joints:
            if joint.second in replaced:
                judge.take(bodies[joint.second], joint.name)
    row.accelerations = _largest_miss(judge, plain, names, poses)


def _replaced(left_out: Iterable[str]) -> set[str]:
    """Return the links whose inertias were replaced, since no body can have them."""
    return {found[1] for line in left_out if (found := re.match(r"link '(.*)': moments of inertia \(", line))}


def _largest_miss(judge: Any, plain: Model, names: list[str], poses: int) -> float:
    """Return by how much first accelerations miss those of a judge, relative to the largest of each pose."""
    rng, worst = np.random.default_rng(1), 0.0
    for _ in range(poses):
        values = dict.fromkeys(judge.names, 0.0) | {name: float(rng.uniform(-1.0, 1.0)) for name in names}
        wanted = judge.accelerations(values)
        found = first_accelerations(posed(plain, values))
        by_name = dict(zip([joint.name for joint in plain.joints], found.tolist(), strict=True))
        largest = max(abs(wanted[name]) for name in names)
        if largest < 1e-9:  # nothing falls
            continue
        worst = max(worst, max(abs(by_name[name] - wanted[name]) for name in names) / largest)
    return worst


def _run(row: Row, model: Model, duration: float) -> None:
    """Run the model and take its time and the error of its joints."""
    world = model.build()
    world.prepare_kernels()
    steps, error, spent = max(1, round(duration / world.time_step)), 0.0, 0.0
    done = 0
    jams: set[str] = set()
    try:
        while done < steps:
            count = WARM if done == 0 else min(steps - done, max(1, steps // 100))
            begin = time.process_time()
            jammed = world.step(count).jammed
            spent += time.process_time() - begin if done else 0.0
            done += count
            jams.update(f"{first} and {second}" for first, second in jammed)
            error = max([error, *(max(joint.error, joint.angle_error) for joint in world.joints)])
    except SimulationError as stop:
        row.end = " ".join(str(stop).split())[:200]
    if jams and error > OPEN and not row.end:
        row.end = f"joints contradict contacts: {', '.join(sorted(jams)[:3])}"
    row.steps_per_second = (done - WARM) / spent if spent > 0.0 else None
    row.joint_error = error if world.joints else None


def _time_peer(row: Row, model: Model, path: Path, urdf: bool, duration: float) -> None:
    try:
        if urdf:
            fixed = all(body.kind == "static" for body in model.bodies[:1])
            row.peer_speed = bullet_speed(path, fixed, BULLET_STEP, duration)
        else:
            row.peer_speed = MujocoJudge(path).speed(duration)
    except Exception as error:  # whatever a peer says of a file that we load
        row.notes.append(f"peer: {' '.join(str(error).split())[:120]}")
