"""The records of a model: immutable, typed, and named as the Python API names its arguments.

What is a number may be an `Expression`, a float that remembers how it was written; `Model.flat` has numbers
alone. What is left out (None) is what the API does then: its defaults are written down nowhere else. Records
that stand for a call (`Shape`, `Kind`, `Action`) say with `type` whom they call, and have the arguments of
all that may be called; `kinds` says who takes what.
"""

from typing import Any

import msgspec

from stoss.collision.quaternions import ORIGIN, UNTURNED, Quaternion, Vector
from stoss.engine.settings import Settings

__all__ = [
    "Action",
    "Body",
    "Camera",
    "Coordinate",
    "Frame",
    "Initial",
    "Joint",
    "Kind",
    "Load",
    "Marker",
    "Material",
    "MaterialPair",
    "Matrix",
    "Mesh",
    "Parameter",
    "Record",
    "Recording",
    "Shape",
    "SubModel",
    "WorldSettings",
]

Matrix = tuple[Vector, Vector, Vector]  # rows
Floats = tuple[float, ...]


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records have in common: they cannot be changed; `replace` makes another one."""

    def replace(self, **changes: Any) -> Any:
        """Return a record like this one, but for some fields."""
        return msgspec.structs.replace(self, **changes)


class WorldSettings(Record, frozen=True, kw_only=True):
    """What holds for the whole world: see `stoss.World`.

    Args:
        units: of all numbers of the model: SI. Expressions know mm, cm, km, deg, and so on: 20*mm.
        planar: plane to which the motion is confined, "xy", "xz" or "yz"; left out: space.
        time: world time at which it begins [s].
    """

    gravity: Vector | None = None
    time_step: float = 0.01
    settings: Settings = Settings()
    planar: str | None = None
    units: str = "SI"
    time: float = 0.0


class Parameter(Record, frozen=True, kw_only=True):
    """A named number, by which models are varied.

    Args:
        name: a word of letters, digits and "_".
        value: a number, or an expression of other parameters.
    """

    name: str
    value: float


class Law(Record, frozen=True, kw_only=True):
    """A law of friction or of contact: see `stoss.Stribeck`, `stoss.RestrictionContact` and so on.

    Args:
        type: which one: "stribeck", "lu_gre", "restriction_contact" ...
        law: of a "filtered" or an "anisotropic" one: the law that it changes.
    """

    type: str
    law: "Law | None" = None
    dynamic: float | None = None
    static: float | None = None
    speed: float | None = None
    viscous: float | None = None
    decay: str | None = None
    transition: float | None = None
    sticks: bool | None = None
    time_constant: float | None = None
    hold_speed: float | None = None
    ratio: float | None = None
    direction: Vector | None = None
    stiffness: float | None = None
    damping: float | None = None
    power: float | None = None
    max_force: float | None = None
    compression: float | None = None
    thickness: float | None = None
    exit_compression: float | None = None
    level: float | None = None


class Material(Record, frozen=True, kw_only=True):
    """Surface values: see `stoss.Material`.

    Args:
        name: by which bodies name it.
        friction_law, contact_law: laws in place of coefficients of friction, and of a restitution.
        label: name of the `stoss.Material` that is made of it; left out: `name`.
    """

    name: str
    restitution: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    rolling_friction: float | None = None
    torsional_friction: float | None = None
    friction_law: Law | None = None
    contact_law: Law | None = None
    label: str | None = None


class MaterialPair(Record, frozen=True, kw_only=True):
    """Values that a pair of materials has of its own: see `World.set_material_pair`.

    Args:
        first, second: names of the materials.
        friction_law, contact_law: laws in place of coefficients of friction, and of a restitution.
    """

    first: str
    second: str
    restitution: float | None = None
    friction: float | None = None
    static_friction: float | None = None
    impact_law: str | None = None
    friction_law: Law | None = None
    contact_law: Law | None = None


class Mesh(Record, frozen=True, kw_only=True):
    """Triangles, or the corners of a hull: from a file, or given here.

    Args:
        name: by which shapes name it.
        file: of any format that trimesh reads, in the folder of the model or below.
        vertices: points (n, 3) [m].
        faces: polygons as numbers of vertices, counter-clockwise seen from outside; of a hull they may be
            left out.
        scale: factors along x, y, z.
    """

    name: str
    file: str | None = None
    vertices: tuple[Vector, ...] = ()
    faces: tuple[tuple[int, ...], ...] = ()
    scale: Vector = (1.0, 1.0, 1.0)


class Shape(Record, frozen=True, kw_only=True):
    """A shape at a place of its body: see `stoss.Box` and so on, and `stoss.Placed`.

    Args:
        type: which one: "box", "sphere", "convex_hull" and so on.
        mesh: name of a mesh, for hulls and triangle meshes.
        color: of a shape that is only displayed; left out: that of the body.
    """

    type: str
    size: Vector | None = None
    radius: float | None = None
    length: float | None = None
    radii: Vector | None = None
    normal: Vector | None = None
    offset: float | None = None
    mesh: str | None = None
    two_sided: bool | None = None
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    color: str | Vector | None = None


class Frame(Record, frozen=True, kw_only=True):
    """A place and an orientation.

    Args:
        position: its origin [m].
        quaternion: its orientation (w, x, y, z).
    """

    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED


class Marker(Frame, frozen=True, kw_only=True):
    """A named frame on a body, or of the world: joints, sensors and forces refer to it.

    Args:
        name: in the model it is "body:name", of the world "name".
    """

    name: str


class Body(Record, frozen=True, kw_only=True):
    """A body: see `World.add_body`.

    Args:
        name: unique among the bodies.
        shapes: that collide, and have mass where nothing else is said.
        display: that are only drawn.
        center_of_mass, principal_quaternion: pose of the centre of mass and of the principal axes, in place
            of `position` and `quaternion`; a world is written so where those would differ in the last bit.
        inertia: principal moments about the centre of mass, with `mass` [kg m^2]; one number for all three.
        tensor: in place of `inertia`, the rows of the inertia tensor [kg m^2].
        center: centre of mass, with `inertia` or `tensor` [m].
        axes: orientation of the principal axes, with `inertia`.
        mass_mesh: name of a closed mesh that has the mass, in place of the shapes.
        material: name of its material.
        solver: of its island: "auto", "direct" or "gauss_seidel".
        force, torque: that act on it until they are changed [N, N m].
        first_force, first_torque: that act in the first step alone, as `Body.apply_force` has it [N, N m].
        markers: named frames on it.
    """

    name: str
    kind: str = "dynamic"
    shapes: tuple[Shape, ...] = ()
    display: tuple[Shape, ...] = ()
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    center_of_mass: Vector | None = None
    principal_quaternion: Quaternion | None = None
    velocity: Vector = ORIGIN
    angular_velocity: Vector = ORIGIN
    mass: float | None = None
    density: float | None = None
    inertia: Vector | None = None
    tensor: Matrix | None = None
    center: Vector | None = None
    axes: Quaternion | None = None
    mass_mesh: str | None = None
    material: str | None = None
    color: str | Vector | None = None
    group: int = 1
    mask: int = -1
    solver: str = "auto"
    surface_velocity: Vector = ORIGIN
    surface_angular_velocity: Vector = ORIGIN
    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    first_force: Vector = ORIGIN
    first_torque: Vector = ORIGIN
    markers: tuple[Marker, ...] = ()


class Kind(Record, frozen=True, kw_only=True):
    """What a joint holds: see `stoss.Hinge` and so on.

    Args:
        type: which one: "hinge", "ball", "slider", "compose" and so on.
        kinds: of "compose": what is held together.
        curve, along_x, along_y, along_z: knots of curves: x, value and slope.
        x, y, z, turn_x, turn_y, turn_z: of "custom_joint": "free", a number as text, or what it follows:
            "turn_z: 0 0 0.5, 1 0.2 0.3", with knots of x, value and slope.
    """

    type: str
    point: Vector | None = None
    axis: Vector | None = None
    normal: Vector | None = None
    x_axis: Vector | None = None
    second_point: Vector | None = None
    second_axis: Vector | None = None
    second_normal: Vector | None = None
    length: float | None = None
    pitch: float | None = None
    joint_1: str | None = None
    joint_2: str | None = None
    ratio: float | None = None
    offset: float | None = None
    coordinate_1: str | None = None
    coordinate_2: str | None = None
    curve: tuple[Vector, ...] | None = None
    center: Vector | None = None
    radii: Vector | None = None
    along_x: tuple[Vector, ...] | None = None
    along_y: tuple[Vector, ...] | None = None
    along_z: tuple[Vector, ...] | None = None
    x: str | None = None
    y: str | None = None
    z: str | None = None
    turn_x: str | None = None
    turn_y: str | None = None
    turn_z: str | None = None
    kinds: "tuple[Kind, ...]" = ()


class Action(Record, frozen=True, kw_only=True):
    """What acts on a coordinate of a joint: see `Joint.limit`, `Joint.motor` and so on, and `stoss.Servo`.

    Args:
        type: which one: "limit", "limit_swing", "limit_twist", "motor", "servo", "spring", "damper",
            "friction", "pid", or "control", which is a `Servo`; its target is by default where the model
            begins.
        kp, ki, kd: gains of a control [N/m, N/(m s), N s/m, or N m/rad, N m/(rad s), N m s/rad].
        limit: largest force or torque of a control [N or N m].
        implicit: whether a control is a row of the solver, or explicit.
        target_rate: rate that a servo or spring wants besides its target [m/s or rad/s].
        law: of friction, in place of `max_force`; its numbers are forces or torques.
        enabled: whether it acts from the start.
        times, values: a schedule of set points: see `Drive.schedule`.
    """

    type: str
    coordinate: str | None = None
    lower: float | None = None
    upper: float | None = None
    restitution: float | None = None
    velocity: float | None = None
    target: float | None = None
    rest: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    gain: float | None = None
    reset_time: float | None = None
    derivative_time: float | None = None
    window: float | None = None
    max_force: float | None = None
    ellipse: Floats = ()
    spline: tuple[Floats, ...] = ()
    polygon: tuple[Floats, ...] = ()
    inside: Vector | None = None
    ranges: tuple[Floats, ...] = ()
    kp: float | None = None
    ki: float | None = None
    kd: float | None = None
    limit: float | None = None
    implicit: bool | None = None
    target_rate: float | None = None
    law: Law | None = None
    enabled: bool = True
    times: Floats = ()
    values: Floats = ()


class Joint(Kind, frozen=True, kw_only=True):
    """A joint: see `World.add_joint`.

    Without markers and frames, points and directions are those of the world where the model begins. With a
    marker, those of the marker: those of `second_point` and the like of the second one. They may be left
    out then: the joint sits in the origin of the marker, along its z axis, which in a planar model is the
    normal of the plane. If only one body has a marker, the other is joined where that one is.

    Args:
        name: unique among the joints.
        first, second: "body" or "body:marker"; left out: the world.
        first_frame, second_frame: frames on the bodies, in place of markers.
        principal: whether these are in the principal axes of the bodies, from their centres of mass; a world
            is written so where joints would differ in the last bit.
        actions: what acts on its coordinates, in the order in which it is added.
        break_force, break_torque: reaction at which it breaks [N, N m].
        enabled: whether it holds from the start.
    """

    name: str
    first: str | None = None
    second: str | None = None
    first_frame: Frame | None = None
    second_frame: Frame | None = None
    principal: bool = False
    collide: bool = False
    enabled: bool = True
    break_force: float | None = None
    break_torque: float | None = None
    actions: tuple[Action, ...] = ()


class Coordinate(Record, frozen=True, kw_only=True):
    """A name for a coordinate of a joint, by which poses, recordings and controllers refer to it.

    Args:
        name: unique among the coordinates.
        joint: name of the joint.
        coordinate: name of its coordinate; left out where it has one.
        lower, upper: bounds [m or rad]: limits like those of the joint itself.
    """

    name: str
    joint: str
    coordinate: str | None = None
    lower: float | None = None
    upper: float | None = None


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


class Initial(Record, frozen=True, kw_only=True):
    """The pose in which the model begins, where it is not that of the bodies.

    Neighbours of what has a place are placed as their joints have it; loops are closed afterwards. Angles of
    bodies are absolute, those of coordinates relative.

    Args:
        anchors: places of markers, or of bodies, in the world [m]: one for each chain.
        at: markers, or bodies, that begin where others are, by the names of these.
        angles: of bodies in a plane, absolute [rad].
        orientations: of bodies, absolute, as quaternions.
        coordinates: values of named coordinates, or of joints with one [m or rad].
        weights: of joints where loops have to be closed: the larger, the better it is kept; 1 when left out.
        tolerance: by how much a joint or an anchor may miss [m, rad].
    """

    anchors: dict[str, Vector] = {}
    at: dict[str, str] = {}
    angles: dict[str, float] = {}
    orientations: dict[str, Quaternion] = {}
    coordinates: dict[str, float] = {}
    weights: dict[str, float] = {}
    tolerance: float = 1e-6


class Recording(Record, frozen=True, kw_only=True):
    """What is to be recorded, and for how long.

    Args:
        duration: simulated time [s] after which the model has shown what it is about.
        every: time between two records [s]; left out: every step.
        channels: what is recorded, such as "joint.*.angle".
    """

    duration: float | None = None
    every: float | None = None
    channels: tuple[str, ...] = ()


class Camera(Record, frozen=True, kw_only=True):
    """Where the model is seen from.

    Args:
        azimuth, elevation: direction of the camera seen from its target [rad].
        distance: from its target [m]; left out: what shows all bodies.
        target: the point that it looks at [m].
        follow: name of a body that it follows.
    """

    azimuth: float | None = None
    elevation: float | None = None
    distance: float | None = None
    target: Vector | None = None
    follow: str | None = None


class SubModel(Record, frozen=True, kw_only=True):
    """A model within the model, at some place, with values of its parameters.

    Args:
        name: unique among the sub-models.
        file: of the model, in the folder of this model or below; or
        model: the model itself.
        prefix: before all its names; left out: its name and "/".
        position, quaternion: where its world is in this one, [m] and (w, x, y, z).
        params: values of its parameters, which may be expressions of those of this model.
    """

    name: str
    file: str | None = None
    model: Any = None
    prefix: str | None = None
    position: Vector = ORIGIN
    quaternion: Quaternion = UNTURNED
    params: dict[str, float] = {}
