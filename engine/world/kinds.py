"""Another kind for a body while the world runs: what follows from it for mass, frame, joints and sleepers."""

from typing import TYPE_CHECKING

import numpy as np

from stoss.collision.quaternions import Quaternion, Vector, conjugate, multiply, rotate
from stoss.engine import checks
from stoss.engine.bodies.arrays import DYNAMIC, KIND_NAMES, STATIC
from stoss.engine.bodies.mass import MassProperties
from stoss.engine.joints.arrays import MESH, JointArrays
from stoss.engine.world.body_form import BodyForm, make_form
from stoss.engine.world.plane import Plane

if TYPE_CHECKING:
    from stoss.engine.world.world import World

__all__ = ["switch_kind"]


def switch_kind(world: "World", row: int, kind: str) -> None:
    """Give a body another kind; see `Body.kind`.

    Args:
        world: of the body, without rows that were removed.
        row: of the body.
        kind: "static", "kinematic" or "dynamic".

    Raises:
        ValueError: no such kind, a joint would hold nothing that reacts, or the shapes give no mass.
    """
    number = KIND_NAMES.index(checks.choice("kind", kind, KIND_NAMES))
    store, b = world._body_store, world._bodies
    record, before = store.registry.records[row], int(b.kinds[row])
    if number == before:
        return
    if number != DYNAMIC:
        _check_joints(world, row, kind)
        _check_shared(world, row, kind)
    else:
        _check_couplings(world, row)
    old = store.form(row)
    new = _form(old, number, f"body {record.name!r}", b.masses[row], b.inertias[row], store.plane)
    waking = world._stepper.waking
    waking.wake_with_neighbours(row)
    store.forms[record.key] = new
    b.kinds[row] = number
    store.next_step.forget(record.key)
    if number == DYNAMIC:
        assert new.mass_properties is not None
        _reframe(world, row, old, new)
        store.set_mass(row, new.mass_properties.mass, new.mass_properties.inertia.tolist())
    else:
        for field in (b.masses, b.inertias, b.inverse_masses, b.sqrt_inverse_masses, b.sqrt_inverse_inertias):
            field[row] = 0.0
        b.forces[row] = b.torques[row] = b.debts[row] = 0.0
        b.placed[row] = False
        b.overlaps[row] = 0.0
    if number == STATIC:
        b.velocities[row] = b.angular_velocities[row] = 0.0
    waking.forget_kinds()
    world._joint_table.version += 1
    world._changed()


def _check_joints(world: "World", row: int, kind: str) -> None:
    """Refuse that a joint is left between two bodies that do not react."""
    joints, kinds, handles = world._joint_table.arrays, world._bodies.kinds, world._body_store.handles
    ends = joints.bodies
    for j in np.flatnonzero((ends == row).any(axis=1)).tolist():
        other = int(ends[j, 0] if ends[j, 1] == row else ends[j, 1])
        if other >= 0 and kinds[other] == DYNAMIC:
            continue
        to = "the world" if other < 0 else f"body {handles[other].name!r}, which is {handles[other].kind},"
        raise ValueError(
            f"kind = {kind!r}: joint {world._joint_store.handles[j].name!r} between body "
            f"{handles[row].name!r} and {to} would hold nothing that reacts; remove the joint first"
        )


def _check_shared(world: "World", row: int, kind: str) -> None:
    """Refuse that one of three or four bodies that react to a coupling does so no longer."""
    joints, kinds = world._joint_table.arrays, world._bodies.kinds
    meshing = _meshing(joints)
    for p in np.flatnonzero((joints.ends == row).any(axis=1)).tolist():
        j = int(joints.joint[p])
        ends = np.unique(joints.ends[joints.part_start[j] : joints.part_start[j + 1]])
        if not meshing[j] and (kinds[ends[ends >= 0]] == DYNAMIC).sum() > 2:
            raise ValueError(
                f"kind = {kind!r}: joint {world._joint_store.handles[j].name!r} couples body "
                f"{world._body_store.handles[row].name!r} to two or three others that react; "
                "remove that joint first, and add it again afterwards"
            )


def _check_couplings(world: "World", row: int) -> None:
    """Refuse that a body which carries coupled joints, without being moved by them, begins to react."""
    joints = world._joint_table.arrays
    meshing = _meshing(joints)  # their carriers may react
    carried = (joints.ends == row).any(axis=1) & ~(joints.bodies[joints.joint] == row).any(axis=1)
    carried &= ~meshing[joints.joint]
    for p in np.flatnonzero(carried).tolist():
        raise ValueError(
            f"kind = 'dynamic': body {world._body_store.handles[row].name!r} carries what joint "
            f"{world._joint_store.handles[joints.joint[p]].name!r} couples; remove that joint first"
        )


def _meshing(joints: JointArrays) -> np.ndarray:
    """Return which joints (j,) are gears whose teeth push."""
    meshing = np.zeros(len(joints.enabled), np.bool_)
    meshing[joints.joint[joints.part[joints.measure == MESH]]] = True
    return meshing


def _form(
    form: BodyForm, number: int, what: str, mass: float, inertia: np.ndarray, plane: Plane | None
) -> BodyForm:
    """Return what a body of another kind is made of; it keeps the mass that it had as a dynamic one."""
    if number == DYNAMIC:
        if form.mass_properties is not None:
            return form._replace(kind=number)
        try:
            return make_form(what, form.parts, "dynamic", None, None, None, form.group, form.mask, plane)
        except ValueError as error:
            raise ValueError(f"kind = 'dynamic': {what} has no mass of its own: {error}") from error
    properties = form.mass_properties
    if form.kind == DYNAMIC and properties is not None:
        properties = MassProperties(float(mass), properties.center, inertia.copy(), properties.quaternion)
    return form._replace(kind=number, mass_properties=properties)


def _reframe(world: "World", row: int, old: BodyForm, new: BodyForm) -> None:
    """Let the body frame lie in the centre of mass, where it did not: shapes and joints stay in place."""
    before, after = (old.frame_position, old.frame_quaternion), (new.frame_position, new.frame_quaternion)
    if before == after:
        return
    store, b = world._body_store, world._bodies
    body = store.handles[row]
    px, py, pz = body.position.tolist()
    w, x, y, z = body.quaternion.tolist()
    old_centre = b.positions[row].copy()
    b.frame_positions[row], b.frame_quaternions[row] = after
    store.set_pose(row, (px, py, pz), (w, x, y, z))
    b.velocities[row] += np.cross(b.angular_velocities[row], b.positions[row] - old_centre)
    store.detector.table.place_parts(row, [(part.position, part.quaternion) for part in new.local_parts])
    _move_joints(world._joint_table.arrays, row, before, after)


def _move_joints(
    joints: JointArrays, row: int, before: tuple[Vector, Quaternion], after: tuple[Vector, Quaternion]
) -> None:
    """Turn the frames of joints on a body from one body frame into another; see `_reframe`."""
    (old, old_turn), (new, new_turn) = before, after
    turn = multiply(new_turn, conjugate(old_turn))
    for side, (points, quaternions) in enumerate(
        ((joints.point_a, joints.quaternion_a), (joints.point_b, joints.quaternion_b))
    ):
        for p in np.flatnonzero(joints.ends[:, side] == row).tolist():
            px, py, pz = (points[p] - old).tolist()
            w, x, y, z = quaternions[p].tolist()
            points[p] = np.array(rotate(turn, (px, py, pz))) + new
            quaternions[p] = multiply(turn, (w, x, y, z))
