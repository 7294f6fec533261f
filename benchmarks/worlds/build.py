"""From a record to a world, or to the few lines of Python that build the same world."""

from dataclasses import fields
from math import inf
from typing import TYPE_CHECKING, Any

from stoss.benchmarks.worlds.records import (
    CONE,
    MOST_COST,
    WORLD,
    BodyRecord,
    JointRecord,
    StopRecord,
    WorldRecord,
)

if TYPE_CHECKING:
    from stoss.collision import Shape
    from stoss.engine import JointKind, World

__all__ = ["build", "code"]

SHAPES = {
    "box": "Box",
    "sphere": "Sphere",
    "capsule": "Capsule",
    "cylinder": "Cylinder",
    "ellipsoid": "Ellipsoid",
    "half-space": "HalfSpace",
}
TRIPLES = ("box", "ellipsoid")  # shapes that take their sizes as one argument


def build(record: WorldRecord) -> "World":
    """Build the world of a record."""
    from stoss.engine import Coupling, Material, Settings, World

    world = World(**_world_values(record), settings=Settings(**_setting_values(record)))
    bodies = []
    for body in record.bodies:
        material = Material(**_material_values(body))
        handle = world.add_body(_shape(body), material=material, **_body_values(body))
        if any(body.force):
            world.forces[handle.index] = body.force
        if any(body.torque):
            world.torques[handle.index] = body.torque
        if any(body.surface) or any(body.surface_spin):
            handle.surface_velocity, handle.surface_angular_velocity = body.surface, body.surface_spin
        bodies.append(handle)
    joints = []
    for joint in record.joints:
        first = None if joint.first == WORLD else bodies[joint.first]
        made = world.add_joint(_kind(joint), first, bodies[joint.second], collide=joint.collide)
        for stop in joint.stops:
            getattr(made, _method(stop))(**_stop_values(stop))
        for drive in joint.drives:
            getattr(made, drive.method)(**dict(drive.values), coordinate=drive.coordinate)
        joints.append(made)
    for one, two, ratio in record.couplings:
        if max(one, two) >= len(joints):
            raise ValueError(f"couplings: joints {one} and {two} of {len(joints)}")
        world.add_joint(Coupling(joints[one], joints[two], ratio))
    return world


def code(record: WorldRecord, duration: float) -> str:
    """Return Python that builds the world of a record and runs it for a duration [s]."""
    settings = _setting_values(record)
    given = _world_values(record) | ({"settings": f"st.Settings({_text(settings)})"} if settings else {})
    lines = ["import stoss as st", f"world = st.World({_text(given, 'settings')})", "b, j = [], []"]
    for body in record.bodies:
        values = _body_values(body)
        material = _material_values(body)
        if material:
            values["material"] = f"st.Material({_text(material)})"
        place = _text(values, "material")
        size = repr(body.size) if body.shape in TRIPLES else ", ".join(map(repr, body.size))
        lines.append(f"b.append(world.add_body(st.{SHAPES[body.shape]}({size}), {place}))")
        for name in ("force", "torque"):
            if any(getattr(body, name)):
                lines.append(f"world.{name}s[b[-1].index] = {getattr(body, name)}")
        if any(body.surface) or any(body.surface_spin):
            lines.append(f"b[-1].surface_velocity = {body.surface}")
            lines.append(f"b[-1].surface_angular_velocity = {body.surface_spin}")
    for joint in record.joints:
        first = "None" if joint.first == WORLD else f"b[{joint.first}]"
        more = ", collide=True" if joint.collide else ""
        kind = f"st.{joint.kind}({_text(_kind_values(joint))})"
        lines.append(f"j.append(world.add_joint({kind}, {first}, b[{joint.second}]{more}))")
        lines += [f"j[-1].{_method(stop)}({_text(_stop_values(stop))})" for stop in joint.stops]
        for drive in joint.drives:
            lines.append(
                f"j[-1].{drive.method}({_text(dict(drive.values))}, coordinate={drive.coordinate!r})"
            )
    for one, two, ratio in record.couplings:
        lines.append(f"world.add_joint(st.Coupling(j[{one}], j[{two}], {ratio}))")
    steps = max(1, round(duration / record.time_step))
    return "\n".join([*lines, f"world.step({steps})"])


def _text(values: dict[str, Any], *verbatim: str) -> str:
    """Return arguments as Python; those of the names `verbatim` are Python already."""
    return ", ".join(f"{k}={v if k in verbatim else _number(v)}" for k, v in values.items())


def _number(value: Any) -> str:
    return f'float("{value}")' if value in (inf, -inf) else repr(value)


def _given(record: Any) -> dict[str, Any]:
    """Return the fields of a record that have no default or another value than it."""
    return {f.name: v for f in fields(record) if (v := getattr(record, f.name)) != f.default}


def _method(stop: StopRecord) -> str:
    return "limit_swing" if stop.coordinate == CONE else "limit"


def _stop_values(stop: StopRecord) -> dict[str, Any]:
    values = _given(stop)
    if stop.coordinate == CONE:
        del values["coordinate"]
        values["ellipse"] = values.pop("lower"), values.pop("upper")
    return values


def _world_values(record: WorldRecord) -> dict[str, Any]:
    return {"gravity": (0.0, 0.0, -record.gravity), "time_step": record.time_step}


def _setting_values(record: WorldRecord) -> dict[str, Any]:
    solver = {} if record.solver == "auto" else {"solver": record.solver}
    return {"most_cost": MOST_COST} | solver | ({"sleeping": True} if record.sleeping else {})


def _material_values(body: BodyRecord) -> dict[str, Any]:
    return {k: v for k, v in _given(body).items() if k in ("friction", "restitution")}


def _body_values(body: BodyRecord) -> dict[str, Any]:
    given = _given(body)
    values: dict[str, Any] = {
        k: given[k] for k in ("position", "quaternion", "velocity", "kind") if k in given
    }
    if "spin" in given:
        values["angular_velocity"] = body.spin
    if body.kind == "dynamic":
        values["mass"] = body.mass
    return values


def _shape(body: BodyRecord) -> "Shape":
    from stoss import collision

    made: Shape = getattr(collision, SHAPES[body.shape])(
        *((body.size,) if body.shape in TRIPLES else body.size)
    )
    return made


def _kind_values(joint: JointRecord) -> dict[str, Any]:
    values: dict[str, Any] = {"point": joint.point}
    if joint.kind not in ("Fixed", "Distance"):
        values["axis"] = joint.axis
    if joint.other is not None:
        values["second_point" if joint.kind == "Distance" else "second_axis"] = joint.other
    return values


def _kind(joint: JointRecord) -> "JointKind":
    from stoss import engine

    made: JointKind = getattr(engine, joint.kind)(**_kind_values(joint))
    return made
