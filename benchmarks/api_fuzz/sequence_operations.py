"""The operations of `sequences`: what each does to the worlds, and to the model of them."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from stoss.benchmarks.api_fuzz.sequence_model import (
    Fault,
    JointModel,
    Session,
    compare,
    same,
    signature,
)
from stoss.collision import Box, Capsule, Cylinder, HalfSpace, Placed, Sphere
from stoss.engine import (
    Ball,
    ContinuousStribeck,
    Controller,
    Encoder,
    Filtered,
    Fixed,
    Hinge,
    Imu,
    Joint,
    Material,
    Servo,
    Slider,
    Stribeck,
    TorqueActuator,
    World,
)

__all__ = ["OPERATIONS", "begun", "operate"]

MOST_BODIES = 10
SHAPES: list[Any] = [
    Box((0.4, 0.3, 0.2)),
    Sphere(0.2),
    Capsule(0.1, 0.3),
    Cylinder(0.2, 0.3),
    [Placed(Box((0.5, 0.1, 0.1))), Placed(Sphere(0.15), position=(0.25, 0, 0))],
]
MATERIALS = [
    Material(),
    Material(friction=0.1, name="ice"),
    Material(restitution=0.6),
    Material(rolling_friction=0.01),
    Material(friction=Stribeck(0.6, 0.4, 0.05, viscous=0.1)),
    Material(friction=Filtered(ContinuousStribeck(0.5, 0.4, 0.01), 0.01, 0.01)),
]
KINDS = ("dynamic", "static", "kinematic")
CHANGES: list[dict[str, Any]] = [
    dict(solver="gauss_seidel"),
    dict(solver="direct"),
    dict(solver="auto"),
    dict(sleeping=True, sleep_time=0.05),
    dict(sleeping=False),
    dict(time_of_impact=True),
    dict(time_of_impact=False),
    dict(order=4),
    dict(order=2),
    dict(sweeps=20),
    dict(continuous_collision=False),
    dict(impact_law="newton"),
]


class Swing(Controller):
    """A controller with a state of several kinds."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.random = np.random.default_rng(1)
        self.sums = np.zeros(2)

    def sense(self, world: World) -> None:
        """Take note of what the encoder tells."""
        self.seen = self.encoder.read()

    def update(self, time: float, period: float) -> float:
        """Swing up, with noise."""
        self.sums += period * np.array(self.seen)
        return float(np.clip(self.sums[1] + self.random.standard_normal(), -3.0, 3.0))


def begun() -> Session:
    """Return a session of a world with a floor."""
    session = Session()
    operate(session, "add", 0, 0, 5)
    return session


def operate(session: Session, name: str, a: int, b: int, c: int) -> None:
    """Carry out an operation, and check all worlds.

    Args:
        session: the worlds.
        name: of the operation.
        a, b, c: whole numbers of 0 or more, which say on what, and with what values.

    Raises:
        Fault: a world is not what it should be.
    """
    session.counts["operations"] += 1
    session.counts["on copies"] += session.is_copy
    OPERATIONS[name](session, a, b, c)
    session.check()


def _place(b: int, c: int) -> tuple[float, float, float]:
    return 0.31 * (b % 5) - 0.6, 0.29 * (b // 5 % 5) - 0.6, 0.25 * (c % 8) + 0.2


def _add(s: Session, a: int, b: int, c: int) -> None:
    if len(s.model.bodies) >= MOST_BODIES:
        return
    name, material = f"b{s.model.next_body}", MATERIALS[c % len(MATERIALS)]
    floor = a % 8 == 0
    kind = "static" if floor else KINDS[c % 3] if a % 3 == 0 else "dynamic"
    shape = HalfSpace((0, 0, 1)) if floor else SHAPES[a % len(SHAPES)]
    place = (0.0, 0.0, 0.0) if floor else _place(b, c)
    mass = 1.0 + b if kind == "dynamic" and b % 2 else None
    if s.each(
        lambda w: w.add_body(shape, position=place, kind=kind, material=material, mass=mass, name=name)
    ):
        s.note(name, kind, material)


def _add_several(s: Session, a: int, b: int, c: int) -> None:
    if len(s.model.bodies) + 2 > MOST_BODIES:
        return
    names = [f"b{s.model.next_body}", f"b{s.model.next_body + 1}"]
    x, y, z = _place(b, c)
    places = [(x, y, z), (x, y, z + 0.5)]
    if s.each(lambda w: w.add_bodies(SHAPES[a % len(SHAPES)], places, names=names)):
        for name in names:
            s.note(name, "dynamic", MATERIALS[0])


def _remove(s: Session, a: int, b: int, c: int) -> None:
    name = s.name_of(a)
    if name is None:
        return
    if not s.each(lambda w: w.remove_body(w.body(name))):
        raise Fault(f"remove_body refused {name}")
    m = s.model
    del m.bodies[name]
    m.joints = {key: joint for key, joint in m.joints.items() if name not in (joint.first, joint.second)}
    m.excluded = {pair for pair in m.excluded if name not in pair}
    m.forces.pop(name, None)
    s.each(_remove_blind)


def _duplicate(s: Session, a: int, b: int, c: int) -> None:
    of = s.name_of(a)
    if of is None or len(s.model.bodies) >= MOST_BODIES:
        return
    name = f"b{s.model.next_body}"
    if s.each(lambda w: w.duplicate(w.body(of), position=_place(b, c), name=name)):
        s.note(name, s.model.bodies[of].kind, s.model.bodies[of].material)


def _join(s: Session, a: int, b: int, c: int) -> None:
    first, second = s.name_of(a), s.name_of(b, "dynamic")
    if first == second or c % 5 == 0:
        first = None
    if second is None:
        return
    place = tuple(s.world.body(second).position)
    kind = (Ball(place), Hinge(place, (0, 1, 0)), Fixed(place), Slider(place, (1, 0, 0)))[c % 4]
    name = f"j{len(s.model.joints)}-{s.counts['operations']}"

    def act(w: World) -> None:
        w.add_joint(kind, None if first is None else w.body(first), w.body(second), name=name)

    if s.each(act):
        s.model.joints[name] = JointModel(type(kind).__name__, first, second)


def _part(s: Session, a: int, b: int, c: int) -> None:
    name = s.joint_of(a)
    if name is not None and s.each(lambda w: w.remove_joint(w.joint(name))):
        del s.model.joints[name]
        s.each(_remove_blind)


def _remove_blind(w: World) -> None:
    """Remove controllers whose joint is gone: they would stop the next step, having nothing to sense."""
    for controller in list(w.controllers.values()):
        if isinstance(controller, Swing) and not w._all_joints.registry.has(controller.encoder._joint):
            w.remove_controller(controller)


def _drive(s: Session, a: int, b: int, c: int) -> None:
    name = s.joint_of(a)
    if name is None or s.model.joints[name].kind not in ("Hinge", "Slider"):
        return
    told = s.model.joints[name]

    def act(w: World) -> None:
        joint = w.joint(name)
        match b % 5:
            case 0:
                joint.motor(0.1 * c, max_force=5.0)
            case 1:
                joint.servo(0.05 * c, stiffness=3.0 + c, damping=0.2)
            case 2:
                joint.pid(0.05 * c, gain=1.0 + c, reset_time=0.5)
            case 3:
                joint.limit(-0.5 - 0.1 * c, 0.5)
            case 4:
                joint.motor(0.0, max_force=2.0).schedule([0.0, 0.1 + c], [0.0, 1.0])

    if s.each(act):
        told.limits += b % 5 == 3
        told.drives += b % 5 != 3


def _control(s: Session, a: int, b: int, c: int) -> None:
    """Add sensors, and an actuator or a controller, to a joint, or remove one of them."""
    name, own = s.joint_of(a), f"c{s.counts['operations']}"
    if name is None or s.model.joints[name].kind not in ("Hinge", "Slider"):
        return

    def act(w: World) -> None:
        joint = w.joint(name)
        second = joint.second or w.bodies[0]
        encoder = w.add_sensor(Encoder(joint, delay=0.005 * (b % 3), noise=0.01 * (c % 2)), name=own)
        match b % 4:
            case 0:
                w.add_sensor(Imu(second, lag=0.01 * (c % 3)), name=f"{own} imu")
            case 1:
                w.add_actuator(
                    Servo(joint, kp=2.0, ki=0.1 * c, target=0.1 * c, limit=3.0, implicit=False), name=own
                )
            case 2:
                motor = TorqueActuator(joint, delay=0.01 * (c % 3), lag=0.005 * (c % 2), noise=0.1)
                w.add_controller(Swing(encoder), actuators=w.add_actuator(motor, name=own), name=own)
            case 3:
                parts = [*w.sensors.values(), *w.actuators.values()]
                parts[c % len(parts)].remove()
                for controller in list(w.controllers)[: c % 2]:
                    w.remove_controller(controller)

    s.each(act)


def _undrive(s: Session, a: int, b: int, c: int) -> None:
    names = [name for name, joint in s.model.joints.items() if joint.drives + joint.limits]
    if not names:
        return
    name = names[a % len(names)]
    told = s.model.joints[name]

    def rows(joint: Joint) -> list[Any]:
        return [*joint.drives, *joint.limits]

    which = b % (told.drives + told.limits)
    if c % 3 == 0:
        s.each(lambda w: setattr(rows(w.joint(name))[which], "enabled", bool(c % 2)))
    elif c % 3 == 1 and which < told.drives:
        s.each(lambda w: setattr(rows(w.joint(name))[which], "target", 0.1 * c))
    elif s.each(lambda w: rows(w.joint(name))[which].remove()):
        if which < told.drives:
            told.drives -= 1
        else:
            told.limits -= 1


def _enable(s: Session, a: int, b: int, c: int) -> None:
    name = s.joint_of(a)
    if name is not None and s.each(lambda w: setattr(w.joint(name), "enabled", bool(b % 2))):
        s.model.joints[name].enabled = bool(b % 2)


def _kind(s: Session, a: int, b: int, c: int) -> None:
    name, kind = s.name_of(a), KINDS[b % 3]
    if name is not None and s.each(lambda w: setattr(w.body(name), "kind", kind)):
        known = s.model.bodies[name]
        if known.kind != kind and kind != "dynamic":
            s.model.forces.pop(name, None)
        known.kind, known.mass = kind, s.world.body(name).mass
        same(f"mass of {name} has a sign", known.mass > 0.0, kind == "dynamic")
        s.note_pose(name)


def _change(s: Session, a: int, b: int, c: int) -> None:
    name = s.name_of(a)
    if name is None:
        return
    known, x = s.model.bodies[name], 0.1 * c - 0.3
    moves = known.kind != "static"
    match b % 11:
        case 0:
            if s.each(lambda w: setattr(w.body(name), "mass", 1.0 + c)):
                known.mass = 1.0 + c
        case 1:
            if s.each(lambda w: setattr(w.body(name), "material", MATERIALS[c % len(MATERIALS)])):
                known.material = MATERIALS[c % len(MATERIALS)]
        case 2:
            s.each(lambda w: setattr(w.body(name), "velocity", (x, 0, x)))
        case 3:
            s.each(lambda w: setattr(w.body(name), "position", _place(a, c)))
            s.note_pose(name)
        case 4 if moves:

            def write(w: World) -> None:
                w.forces[w.body(name).index] = (x, 0.0, 0.0)

            s.each(write)
            s.model.forces[name] = (x, 0.0, 0.0)
        case 5:
            s.each(lambda w: w.body(name).apply_force((x, x, 0), tuple(w.body(name).position)))
        case 6:
            s.each(lambda w: w.body(name).apply_impulse((x, 0, 0.1)))
        case 7:
            s.each(lambda w: w.body(name).move_to(_place(a, c)))
        case 8:
            s.each(lambda w: setattr(w.body(name), "solver", ("auto", "direct", "gauss_seidel")[c % 3]))
        case 9:
            s.each(lambda w: setattr(w.body(name), "color", ("red", None, (0.1, 0.2, 0.03 * c))[c % 3]))
            s.each(lambda w: setattr(w.body(name), "display", [Sphere(0.1 + 0.1 * c)][: c % 2]))
        case 10:
            s.each(lambda w: setattr(w.body(name), "surface_velocity", (x, 0, 0)))


def _settings(s: Session, a: int, b: int, c: int) -> None:
    settings = replace(s.model.settings, **CHANGES[a % len(CHANGES)])
    if b % 3 == 0 and s.each(lambda w: setattr(w, "gravity", (0.0, 0.1 * c, -9.81))):
        s.model.gravity = (0.0, 0.1 * c, -9.81)
    elif b % 3 == 1 and s.each(lambda w: setattr(w, "time_step", 0.005 + 0.001 * c)):
        s.model.time_step = 0.005 + 0.001 * c
    elif s.each(lambda w: setattr(w, "settings", settings)):
        s.model.settings = settings


def _sleep(s: Session, a: int, b: int, c: int) -> None:
    name = s.name_of(a)
    if name is None:
        return
    if b % 4 == 0:
        s.each(lambda w: w.wake_all())
    elif b % 4 == 1:
        s.each(lambda w: w.body(name).wake())
    else:
        s.each(lambda w: w.body(name).sleep())


def _exclude(s: Session, a: int, b: int, c: int) -> None:
    first, second = s.name_of(a), s.name_of(b)
    if first is None or second is None:
        return
    if c % 3 == 0:
        ice, usual = MATERIALS[1], MATERIALS[0]
        s.each(lambda w: w.set_material_pair(ice, usual, friction=0.05 * (c % 8)))
    elif s.each(lambda w: w.exclude_collision(w.body(first), w.body(second))):
        s.model.excluded.add(frozenset((first, second)))


def _look(s: Session, a: int, b: int, c: int) -> None:
    """Ask what must change nothing."""

    def ask(w: World) -> None:
        w.ray_cast((0.1, 0.1, 5), (0, 0, -1))
        w.closest_point((0.1 * a, 0, 1))
        (
            str(w.report),
            repr(w),
            w.freedom_report(),
            w.contact_friction,
            [repr(one) for one in w.bodies + w.joints],
        )

    before = signature(s.world)
    s.each(ask)
    compare(signature(s.world), before, "what was asked changed the world; they")


def _step(s: Session, a: int, b: int, c: int) -> None:
    count = (1, 1, 2, 3, 5, 8)[a % 6]
    before = s.world.step_count
    s.each(lambda w: w.step(count))
    made = s.world.step_count - before
    s.model.steps += made
    for name, joint in s.model.joints.items():
        if s.world.joint(name).broken:
            joint.enabled = False


def _save(s: Session, a: int, b: int, c: int) -> None:
    state = s.world.save()
    if a % 2:
        state = pickle.loads(pickle.dumps(state))
    s.states = [*s.states[-2:], (state, copy.deepcopy(s.model))]


def _restore(s: Session, a: int, b: int, c: int) -> None:
    if not s.states:
        return
    state, model = s.states[a % len(s.states)]
    other = World(gravity=(1, 2, 3))
    if b % 2:
        other.add_body(Sphere(1.0), name="stranger")
        other.step()
    for part in (*s.world.sensors.values(), *s.world.actuators.values()):
        part.remove()
    for controller in s.world.controllers:
        s.world.remove_controller(controller)
    for world in (s.world, other):
        world.restore(state)  # without control, as the other one has none
    s.worlds, s.is_copy = [s.world, other], True
    if c % 2:
        s.worlds.reverse()
    s.model = copy.deepcopy(model)


def _copy(s: Session, a: int, b: int, c: int) -> None:
    match a % 4:
        case 0:
            twin = s.world.copy()
        case 1:
            twin = copy.deepcopy(s.world)
        case 2:
            twin = pickle.loads(pickle.dumps(s.world))
        case _:
            body = s.world.bodies[b % len(s.world.bodies)] if s.world.bodies else None
            twin = s.world.copy() if body is None else copy.deepcopy(body).world
    s.worlds, s.is_copy = [s.world, twin], True
    if c % 2:
        s.worlds.reverse()


OPERATIONS: dict[str, Callable[[Session, int, int, int], None]] = {
    "add": _add,
    "add several": _add_several,
    "remove": _remove,
    "duplicate": _duplicate,
    "join": _join,
    "part": _part,
    "drive": _drive,
    "undrive": _undrive,
    "control": _control,
    "enable": _enable,
    "kind": _kind,
    "change": _change,
    "settings": _settings,
    "sleep": _sleep,
    "exclude": _exclude,
    "look": _look,
    "step": _step,
    "save": _save,
    "restore": _restore,
    "copy": _copy,
}
