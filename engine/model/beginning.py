"""The present of a world as the beginning of its model, and joints that are moved."""

import dataclasses
from collections.abc import Container, Mapping
from typing import Any

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector, rotate
from stoss.engine.joints.coupling_kinds import Coupling
from stoss.engine.joints.kind import JointKind
from stoss.engine.model import records
from stoss.engine.model.describing import describe
from stoss.engine.model.editing import removed
from stoss.engine.model.errors import ModelError
from stoss.engine.model.frames import HERE, Pose, inverse, placed, then
from stoss.engine.model.kinds import JOINT_KINDS
from stoss.engine.model.model import Model
from stoss.engine.model.origin import NOWHERE
from stoss.engine.world.world import World

__all__ = ["beginning_here", "with_joint_moved"]

_POINTS = ("point", "second_point")
_BESIDE = ("joints", "markers", "coordinates", "forces", "exclude")  # what a body needs not
_DIRECTIONS = ("axis", "normal", "x_axis", "second_axis", "second_normal")


def beginning_here(model: Model, world: World, missing: Container[tuple[str, str]] = ()) -> Model:
    """Return a model like this one that begins in the present state of a world that was built of it.

    What was added to the world meanwhile is added to the model, and what was removed from it is not in it.
    Joints get frames on their bodies, so that their coordinates have the zero that they had.

    Args:
        model: in plain numbers or with expressions, without models within it.
        world: the world.
        missing: sections and names of what the world has not, because it cannot be built, and that stays.
    """
    now = Model(**describe(world))
    for section in ("joints", "bodies"):
        there = {one.name for one in getattr(now, section)}
        for one in getattr(model, section):
            if one.name not in there and (section, one.name) not in missing:
                model = removed(model, section, one.name) if _has(model, section, one.name) else model
    old_bodies = {one.name: one for one in model.bodies}
    old_joints = {one.name: one for one in model.joints}
    renaming, meshes = _taken_over(model.meshes, now.meshes, now, old_bodies)
    materials = list(model.materials)
    known = {one.name for one in materials}
    bodies = []
    for one in now.bodies:
        old = old_bodies.get(one.name)
        if old is None:
            bodies.append(
                one.replace(
                    shapes=_of_meshes(one.shapes, renaming), display=_of_meshes(one.display, renaming)
                )
            )
            if one.material is not None and one.material not in known:
                known.add(one.material)
                materials.append(next(m for m in now.materials if m.name == one.material))
            continue
        bodies.append(
            old.replace(
                position=one.position,
                quaternion=one.quaternion,
                center_of_mass=one.center_of_mass,
                principal_quaternion=one.principal_quaternion,
                velocity=one.velocity,
                angular_velocity=one.angular_velocity,
            )
        )
    joints = [_joint(one, old_joints.get(one.name)) for one in now.joints]
    made: Model = model.replace(
        bodies=(*bodies, *(one for one in model.bodies if ("bodies", one.name) in missing)),
        joints=(*joints, *(one for one in model.joints if ("joints", one.name) in missing)),
        meshes=meshes,
        materials=tuple(materials),
        initial=records.Initial(),
        origin=NOWHERE,
    )
    return made


def _of_meshes(shapes: tuple[records.Shape, ...], names: Mapping[str, str]) -> tuple[records.Shape, ...]:
    """Return shapes that name meshes otherwise."""
    return tuple(one if one.mesh is None else one.replace(mesh=names[one.mesh]) for one in shapes)


def _has(model: Model, section: str, name: str) -> bool:
    """Return whether a thing is still there: with others go those that need them."""
    return any(one.name == name for one in getattr(model, section))


def _taken_over(
    meshes: tuple[records.Mesh, ...],
    new: tuple[records.Mesh, ...],
    now: Model,
    old_bodies: Mapping[str, records.Body],
) -> tuple[dict[str, str], tuple[records.Mesh, ...]]:
    """Return names for the meshes of bodies that were added, and all meshes with them."""
    needed = {
        shape.mesh
        for one in now.bodies
        if one.name not in old_bodies
        for shape in (*one.shapes, *one.display)
    }
    taken, found, names = {one.name for one in meshes}, list(meshes), {}
    for mesh in new:
        if mesh.name in needed:
            name, number = mesh.name, 1
            while name in taken:
                number += 1
                name = f"{mesh.name} {number}"
            taken.add(name)
            names[mesh.name] = name
            found.append(mesh.replace(name=name))
    return names, tuple(found)


def _joint(now: records.Joint, old: records.Joint | None) -> records.Joint:
    """Return a joint as it was written, where it is now."""
    if old is None:
        return now
    found: records.Joint = old.replace(enabled=now.enabled)
    if issubclass(JOINT_KINDS[old.type], Coupling):
        return found if old.offset is not None else found.replace(offset=now.offset)
    if _is_framed(old, "first") and _is_framed(old, "second"):
        return found
    where = {name: getattr(now, name) for name in records.Kind.__struct_fields__}
    ends = ("first", "second", "first_frame", "second_frame", "principal")
    where |= {name: getattr(now, name) for name in ends}
    return found.replace(**where)


def _is_framed(joint: records.Joint, end: str) -> bool:
    """Return whether an end of a joint has a frame or a marker."""
    name = getattr(joint, end)
    return getattr(joint, f"{end}_frame") is not None or (name is not None and ":" in name)


# ------------------------------------------------------------- joints that are moved


def with_joint_moved(
    model: Model,
    name: str,
    shift: Vector = ORIGIN,
    turn: Quaternion = UNTURNED,
    about: Vector = ORIGIN,
) -> Model:
    """Return a model in which a joint sits elsewhere on both of its bodies; these stay where they are.

    Args:
        model: in which all bodies have their places.
        name: of the joint.
        shift: by how much it is moved (3,) [m], world.
        turn: by how much it is turned (w, x, y, z), world.
        about: the point about which it is turned (3,) [m].

    Raises:
        ModelError: it sits on markers, or is a coupling, which is nowhere.
    """
    joint = _on_shapes(model, model.joint(name))
    back = rotate(turn, (-about[0], -about[1], -about[2]))
    move: Pose = (
        (about[0] + back[0] + shift[0], about[1] + back[1] + shift[1], about[2] + back[2] + shift[2]),
        turn,
    )
    if issubclass(JOINT_KINDS.get(joint.type, JointKind), Coupling):
        raise ModelError(f"joint {name!r} is a {joint.type}, which has no place", ("joints", name))
    where = {body.name: (body.position, body.quaternion) for body in model.bodies}
    for end in ("first", "second"):
        other = getattr(joint, end)
        if other is not None and other not in where:
            raise ModelError(
                f"joint {name!r} sits on marker {other!r}; move that, or join the bodies without markers",
                ("joints", name, end),
            )
    if joint.first_frame is None and joint.second_frame is None:
        moved: Any = _kind_moved(joint, move)
    else:
        frames = {}
        for end in ("first", "second"):
            frame = getattr(joint, f"{end}_frame")
            if frame is not None:
                body = HERE if getattr(joint, end) is None else where[getattr(joint, end)]
                world = then(move, then(body, (frame.position, frame.quaternion)))
                place, quaternion = then(inverse(body), world)
                frames[f"{end}_frame"] = records.Frame(position=place, quaternion=quaternion)
        moved = joint.replace(**frames)
    joints = tuple(moved if one.name == name else one for one in model.joints)
    made: Model = model.replace(joints=joints, origin=NOWHERE)
    return made


def _on_shapes(model: Model, joint: records.Joint) -> records.Joint:
    """Return a joint whose frames are in those of the shapes of its bodies."""
    if not joint.principal:
        return joint
    frames = {}
    for end in ("first", "second"):
        frame, name = getattr(joint, f"{end}_frame"), getattr(joint, end)
        if frame is None or name is None:
            continue
        world = model.replace(bodies=(model.body(name),), **dict.fromkeys(_BESIDE, ())).build()
        b = world._bodies
        position, quaternion = b.frame_positions[0].tolist(), b.frame_quaternions[0].tolist()
        place, turn = then(inverse((position, quaternion)), (frame.position, frame.quaternion))
        frames[f"{end}_frame"] = records.Frame(position=place, quaternion=turn)
    moved: records.Joint = joint.replace(principal=False, **frames)
    return moved


def _kind_moved(kind: Any, move: Pose) -> Any:
    """Return a joint that is given in the coordinates of the world, moved."""
    changes: dict[str, Any] = {}
    for name in _POINTS:
        if getattr(kind, name) is not None:
            changes[name] = placed(move, getattr(kind, name))
    usual = {field.name: field.default for field in dataclasses.fields(JOINT_KINDS[kind.type])}
    for name in _DIRECTIONS:
        value = getattr(kind, name)
        if value is None and move[1] != UNTURNED and isinstance(usual.get(name), tuple):
            value = usual[name]
        if value is not None:
            changes[name] = rotate(move[1], value)
    if kind.kinds:
        changes["kinds"] = tuple(_kind_moved(one, move) for one in kind.kinds)
    return kind.replace(**changes)
