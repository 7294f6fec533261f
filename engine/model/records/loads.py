"""Loads: forces, torques, springs and the like."""

from stoss.collision.quaternions import Quaternion, Vector
from stoss.engine.model.records.base import Floats, Record
from stoss.engine.model.records.surfaces import Law

__all__ = ["Load"]


class Load(Record, frozen=True, kw_only=True):
    """A load: see `stoss.Force`, `stoss.SpringDamper` and so on, `World.add_load`.

    Places are names of bodies (their centres of mass) and of markers, "body:marker"; left out: the world.

    Args:
        name: unique among the loads.
        type: which one: "force", "torque", "line_force", "joint_torque", "spring_damper", "soft_stop" ...
        at, body, first, second, soft, bone, ground: where it acts.
        points: of a "point_contact", a "stick_slip_contact" or a "spring_network": names of such places,
            several.
        springs: of a "spring_network": (k, 2) numbers of the points that each of them joins.
        each_rest, each_stiffness, each_damping: of a "spring_network": (k,) numbers, one for each spring, in
            place of one for all.
        frame: in which vectors are given: "world", "local", or a body or marker; at joints "joint", "first",
            "second" too.
        joint: name of the joint.
        law: of a "contact_stop": a law of contact.
        force, torque: (3,), or one number along a line or a coordinate [N, N m]; in a planar model two
            numbers, and one.
        factor: function of the time `t` [s] that a given force or torque is multiplied by, of parameters too:
            "sin(tau*rate*t)**2".
        parameters: of a load that a plug-in adds: numbers by their names.
        damping_by: of a spring "rate" or "deflection", of soft tissue a power, written as text.
        enabled: whether it acts from the start.
    """

    name: str
    type: str
    at: str | None = None
    body: str | None = None
    first: str | None = None
    second: str | None = None
    soft: str | None = None
    bone: str | None = None
    ground: str | None = None
    points: tuple[str, ...] = ()
    springs: tuple[tuple[int, int], ...] = ()
    frame: str | None = None
    joint: str | None = None
    law: Law | None = None
    coordinate: str | None = None
    force: Floats | None = None
    torque: Floats | None = None
    factor: str | None = None
    each_rest: Floats | None = None
    each_stiffness: Floats | None = None
    each_damping: Floats | None = None
    parameters: dict[str, float] = {}
    axis: Vector | None = None
    rest: float | None = None
    stiffness: float | None = None
    power: float | None = None
    damping: float | None = None
    damping_power: float | None = None
    damping_by: str | None = None
    file_units: bool | None = None
    implicit: bool | None = None
    ramp: float | None = None
    lower: float | None = None
    upper: float | None = None
    clamp: bool | None = None
    width_lower: float | None = None
    width_upper: float | None = None
    max_torque: float | None = None
    order: int | None = None
    exponent: str | None = None
    cap: float | None = None
    max_force: float | None = None
    optimal_length: float | None = None
    width: float | None = None
    activation: float | None = None
    max_speed: float | None = None
    stiffness_across: float | None = None
    damping_across: float | None = None
    area: float | None = None
    turn_stiffness: float | None = None
    turn_damping: float | None = None
    neutral: Quaternion | None = None
    coefficient: float | None = None
    density: float | None = None
    linear: float | None = None
    angular: float | None = None
    wind: Vector | None = None
    hold: float | None = None
    drag: float | None = None
    friction: float | None = None
    depth_damping: float | None = None
    twist_stiffness: float | None = None
    twist_damping: float | None = None
    static_friction: float | None = None
    viscous_friction: float | None = None
    torsional_friction: float | None = None
    static_torsional_friction: float | None = None
    stick_speed: float | None = None
    stick_rate: float | None = None
    enabled: bool = True
