"""The kernel that reads all that is wanted of a world in one call.

What is wanted is a list of entries: a code (what is read), a row (of which body, joint, ...), and up to five
places in `out`: those of the components, and that of the length of a vector; -1 where nobody wants it.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, quaternion_multiply, rotate
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.bodies.energy import add_energy_and_momentum, kinetic_energy
from stoss.engine.joints.arrays import HOLD, LENGTH, SUM, JointArrays
from stoss.engine.joints.measures import measure_rows
from stoss.engine.joints.placement import JointFrames
from stoss.engine.joints.state import held_errors

__all__ = ["NO_PAIR", "PAIR_VALUES", "PLACES", "Reading", "enter_pairs", "read_all"]

FEATURE = "recording"  # see `kernels.prepare`

# of the world; of its contacts; of its joints
KINETIC, POTENTIAL, TOTAL, MOMENTUM, ANGULAR_MOMENTUM, CENTER, CENTER_VELOCITY, LEDGER, ASLEEP = range(9)
TOUCHING, OVERLAP, ALL_FORCES = range(9, 12)
JOINT_ERROR, JOINT_ANGLE_ERROR = range(12, 14)
# of a body
POSITION, ORIENTATION, BODY_CENTER, VELOCITY, ANGULAR_VELOCITY, BODY_KINETIC, CONTACT_FORCE = range(14, 21)
# of a marker
MARKER_POSITION, MARKER_ORIENTATION, MARKER_VELOCITY = range(21, 24)
# of a coordinate; of a joint; of a row of one, as drives and stops are
VALUE, RATE = range(30, 32)
JOINT_FORCE, JOINT_TORQUE, ERROR, ANGLE_ERROR, BROKEN = range(40, 45)
ROW_FORCE, ROW_TARGET, ROW_TARGET_RATE = range(50, 53)
# of a pair of bodies, on the second; on the first
PAIR_FORCE, PAIR_FORCE_ON_FIRST, PAIR_NORMAL, PAIR_POINTS = range(60, 64)
# of a pair of bodies: books of friction, and what contact laws store
PAIR_WORK, PAIR_STORED, PAIR_POWER, PAIR_ELASTIC, PAIR_DISSIPATED = range(64, 69)
BOOKS = 4  # numbers of a contact in these
OF_CONTACTS = (
    CONTACT_FORCE,
    PAIR_FORCE,
    PAIR_FORCE_ON_FIRST,
    PAIR_NORMAL,
    PAIR_POINTS,
    PAIR_WORK,
    PAIR_STORED,
    PAIR_POWER,
    PAIR_ELASTIC,
    PAIR_DISSIPATED,
    TOUCHING,
    OVERLAP,
    ALL_FORCES,
)

PLACES = 5  # components, and the length
PAIR_VALUES = 5 + BOOKS  # force (3), normal force, number of contacts that touch, and books
NO_PAIR = -1  # slot of a pair that nobody wants


class Reading(Struct):
    """What is read, and of what; n entries, k coordinates, p slots of pairs, and memory to work in."""

    code: Annotated[Ints, "entries"]
    row: Annotated[Ints, "entries"]
    places: Annotated[Ints, "entries", PLACES]
    bodies: BodyArrays
    joints: JointArrays
    # one row for each coordinate that is read, and the row of the joint that knows its turns, or -1
    probes: JointArrays
    frames: JointFrames
    step_frames: JointFrames  # those of the last step
    known: Annotated[Ints, "coordinates"]
    value: Annotated[Floats, "coordinates"]
    rate: Annotated[Floats, "coordinates"]
    # markers: body, -1 for the world, and the pose in its principal axes
    marker_body: Annotated[Ints, "markers"]
    marker_position: Annotated[Floats, "markers", 3]
    marker_quaternion: Annotated[Floats, "markers", 4]
    contacts: ContactArrays
    contact_count: int
    touch_distance: float  # [m] up to which surfaces touch
    impulses: Annotated[Floats, "contacts", 3]
    books: Annotated[Floats, "books", BOOKS]  # of contacts; none if nobody wants them
    # pairs of bodies, in a table of open addressing: key, and slot in `pairs` or NO_PAIR
    pair_key: Annotated[Ints, "table"]
    pair_slot: Annotated[Ints, "table"]
    pairs: Annotated[Floats, "slots", PAIR_VALUES]
    body_force: Annotated[Floats, "bodies", 3]  # of contacts [N s]; none if nobody wants it
    gravity: Annotated[Floats, "three"]
    ledger: Annotated[Floats, "ledger"]
    totals: Annotated[Floats, "eight"]  # of `energy_and_momentum`
    figures: Annotated[Floats, "three"]  # contacts that touch, deepest overlap [m], sum of all impulses [N s]
    joint_errors: Annotated[Floats, "two"]  # of `held_errors`
    asleep: int
    wants_totals: bool
    wants_errors: bool
    wants_pairs: bool
    force_step: float  # of the step to which the impulses belong [s]


@kernel
def read_all(r: Reading, out: Floats) -> int:
    """Write all that is wanted to `out`; return how many contacts are of pairs that the table lacks."""
    if r.wants_totals:
        for k in range(8):
            r.totals[k] = 0.0
        add_energy_and_momentum(r.bodies, r.gravity, r.totals)
    if len(r.known) > 0:
        for k in range(len(r.known)):
            r.value[k] = r.joints.value[r.known[k]] if r.known[k] >= 0 else 0.0
        measure_rows(r.probes, r.bodies, r.frames, r.value, r.rate)
    if r.wants_errors:
        r.joint_errors[0], r.joint_errors[1] = held_errors(r.joints, r.step_frames)
    lacking = _read_contacts(r)
    for n in range(len(r.code)):
        a, b, c, d = _value(r, r.code[n], r.row[n])
        to = r.places[n]
        if to[0] >= 0:
            out[to[0]] = a
        if to[1] >= 0:
            out[to[1]] = b
        if to[2] >= 0:
            out[to[2]] = c
        if to[3] >= 0:
            out[to[3]] = d
        if to[4] >= 0:
            out[to[4]] = np.sqrt(a * a + b * b + c * c)
    return lacking


@inner
def _read_contacts(r):
    """Add up the impulses of contacts by pair and by body."""
    lacking = 0
    for k in range(len(r.pairs)):
        for i in range(PAIR_VALUES):
            r.pairs[k, i] = 0.0
    for i in range(len(r.body_force)):
        for k in range(3):
            r.body_force[i, k] = 0.0
    r.figures[0] = r.figures[1] = r.figures[2] = 0.0
    for c in range(r.contact_count):
        x, y, z = r.impulses[c, 0], r.impulses[c, 1], r.impulses[c, 2]
        acts = x != 0.0 or y != 0.0 or z != 0.0
        touches = r.contacts.gap[c] <= r.touch_distance
        r.figures[0] += 1.0 if touches else 0.0
        r.figures[1] = max(r.figures[1], -r.contacts.gap[c])
        r.figures[2] += np.sqrt(x * x + y * y + z * z)
        if not acts and not touches:
            continue
        a, b = r.contacts.body_a[c], r.contacts.body_b[c]
        if len(r.body_force) > 0:
            force = r.body_force
            force[a, 0], force[a, 1], force[a, 2] = force[a, 0] + x, force[a, 1] + y, force[a, 2] + z
            force[b, 0], force[b, 1], force[b, 2] = force[b, 0] - x, force[b, 1] - y, force[b, 2] - z
        if not r.wants_pairs:
            continue
        place = _find_pair(r.pair_key, min(a, b), max(a, b))
        if place < 0:
            lacking += 1
            continue
        slot = r.pair_slot[place]
        if slot < 0:
            continue
        sum_ = r.pairs[slot]
        n = r.contacts.normal[c]
        sign = -1.0 if a < b else 1.0  # `impulses` are those on a
        sum_[0], sum_[1], sum_[2] = sum_[0] + sign * x, sum_[1] + sign * y, sum_[2] + sign * z
        sum_[3] += x * n[0] + y * n[1] + z * n[2]
        if touches:
            sum_[4] += 1.0
        if len(r.books) > 0:
            for i in range(BOOKS):
                sum_[5 + i] += r.books[c, i]
    return lacking


@inner
def pair_key(first, second):
    """Return the key of a pair of bodies, first < second: never 0."""
    return ((first + 1) << 32) | (second + 1)


@inner
def _find_pair(keys, first, second):
    """Return the place of a pair in the table, -1: it is not there."""
    key, mask = pair_key(first, second), len(keys) - 1
    place = (key * 0x9E3779B1 >> 15) & mask
    while keys[place] != 0:
        if keys[place] == key:
            return place
        place = (place + 1) & mask
    return -1


@kernel
def enter_pairs(keys: Ints, slots: Ints, first: Ints, second: Ints, slot: Ints) -> None:
    """Enter pairs of bodies (first < second) with their slots into a table that has room for them."""
    mask = len(keys) - 1
    for k in range(len(first)):
        key = pair_key(first[k], second[k])
        place = (key * 0x9E3779B1 >> 15) & mask
        while keys[place] != 0 and keys[place] != key:
            place = (place + 1) & mask
        keys[place], slots[place] = key, slot[k]


@inner
def _value(r, code, row):
    """Return up to four numbers: what an entry reads."""
    if code >= PAIR_FORCE:
        return _pair_value(r, code, row)
    if code >= VALUE:
        return _joint_value(r, code, row)
    if code >= MARKER_POSITION:
        return _marker_value(r, code, row)
    if code >= POSITION:
        return _body_value(r, code, row)
    return _world_value(r, code, row)


@inner
def _world_value(r, code, row):
    t = r.totals
    if code == KINETIC:
        return t[0], 0.0, 0.0, 0.0
    if code == POTENTIAL:
        return t[1], 0.0, 0.0, 0.0
    if code == TOTAL:
        return t[0] + t[1], 0.0, 0.0, 0.0
    if code == MOMENTUM:
        return t[2], t[3], t[4], 0.0
    if code == ANGULAR_MOMENTUM:
        return t[5], t[6], t[7], 0.0
    if code == LEDGER:
        # the first two entries are told as what contacts took
        return 0.0 - r.ledger[row] if row < 2 else r.ledger[row], 0.0, 0.0, 0.0
    if code == ASLEEP:
        return float(r.asleep), 0.0, 0.0, 0.0
    if code == JOINT_ERROR:
        return r.joint_errors[0], 0.0, 0.0, 0.0
    if code == JOINT_ANGLE_ERROR:
        return r.joint_errors[1], 0.0, 0.0, 0.0
    if code == TOUCHING:
        return r.figures[0], 0.0, 0.0, 0.0
    if code == OVERLAP:
        return r.figures[1], 0.0, 0.0, 0.0
    if code == ALL_FORCES:
        return r.figures[2] / r.force_step, 0.0, 0.0, 0.0
    mass = x = y = z = 0.0
    for i in range(len(r.bodies.kinds)):
        if r.bodies.kinds[i] == DYNAMIC:
            m, s = r.bodies.masses[i], r.bodies.positions[i]
            mass, x, y, z = mass + m, x + m * s[0], y + m * s[1], z + m * s[2]
    if code == CENTER_VELOCITY:
        x, y, z = t[2], t[3], t[4]
    return x / mass, y / mass, z / mass, 0.0  # NaN where nothing has a mass


@inner
def _body_value(r, code, i):
    b = r.bodies
    q, s, f = b.quaternions[i], b.positions[i], b.frame_positions[i]
    if code == POSITION:
        x, y, z = rotate(q, f[0], f[1], f[2])
        return s[0] + x, s[1] + y, s[2] + z, 0.0
    if code == ORIENTATION:
        p = b.frame_quaternions[i]
        return quaternion_multiply(q[0], q[1], q[2], q[3], p[0], p[1], p[2], p[3])
    if code == BODY_CENTER:
        return s[0], s[1], s[2], 0.0
    v, w = b.velocities[i], b.angular_velocities[i]
    if code == VELOCITY:
        return v[0], v[1], v[2], 0.0
    if code == ANGULAR_VELOCITY:
        return w[0], w[1], w[2], 0.0
    if code == BODY_KINETIC:
        return kinetic_energy(b, i, q, v, w), 0.0, 0.0, 0.0
    p, h = r.body_force[i], r.force_step
    return p[0] / h, p[1] / h, p[2] / h, 0.0


@inner
def _marker_value(r, code, k):
    i, p, t = r.marker_body[k], r.marker_position[k], r.marker_quaternion[k]
    if i < 0:
        if code == MARKER_ORIENTATION:
            return t[0], t[1], t[2], t[3]
        if code == MARKER_POSITION:
            return p[0], p[1], p[2], 0.0
        return 0.0, 0.0, 0.0, 0.0
    b = r.bodies
    q = b.quaternions[i]
    if code == MARKER_ORIENTATION:
        return quaternion_multiply(q[0], q[1], q[2], q[3], t[0], t[1], t[2], t[3])
    x, y, z = rotate(q, p[0], p[1], p[2])
    if code == MARKER_POSITION:
        return b.positions[i, 0] + x, b.positions[i, 1] + y, b.positions[i, 2] + z, 0.0
    w, v = b.angular_velocities[i], b.velocities[i]
    x, y, z = cross(w[0], w[1], w[2], x, y, z)
    return v[0] + x, v[1] + y, v[2] + z, 0.0


@inner
def _joint_value(r, code, row):
    joints, h = r.joints, r.force_step
    if code == VALUE:
        return r.value[row], 0.0, 0.0, 0.0
    if code == RATE:
        return r.rate[row], 0.0, 0.0, 0.0
    if code == ROW_FORCE:
        force = joints.total[row]
        if joints.curve[row] >= 0:
            force += joints.total[row + 1]
        return force / h, 0.0, 0.0, 0.0
    if code == ROW_TARGET:
        return joints.target[row], 0.0, 0.0, 0.0
    if code == ROW_TARGET_RATE:
        return joints.target_rate[row], 0.0, 0.0, 0.0
    p = joints.reaction[row]
    if code == JOINT_FORCE:
        return p[0] / h, p[1] / h, p[2] / h, 0.0
    if code == JOINT_TORQUE:
        return p[3] / h, p[4] / h, p[5] / h, 0.0
    if code == BROKEN:
        return 1.0 if joints.broken[row] else 0.0, 0.0, 0.0, 0.0
    worst = 0.0
    for m in range(joints.row_start[row], joints.row_start[row + 1]):
        kind = joints.measure[m - 1 if joints.measure[m] >= SUM else m]
        if joints.role[m] == HOLD and (kind <= LENGTH) == (code == ERROR):
            worst = max(worst, abs(joints.value[m] - joints.target[m]))
    return worst, 0.0, 0.0, 0.0


@inner
def _pair_value(r, code, slot):
    p, h = r.pairs[slot], r.force_step
    if code == PAIR_FORCE:
        return p[0] / h, p[1] / h, p[2] / h, 0.0
    if code == PAIR_FORCE_ON_FIRST:
        return -p[0] / h, -p[1] / h, -p[2] / h, 0.0
    if code == PAIR_NORMAL:
        return p[3] / h, 0.0, 0.0, 0.0
    if code == PAIR_POINTS:
        return p[4], 0.0, 0.0, 0.0
    if code == PAIR_DISSIPATED:
        return -p[5] - p[6], 0.0, 0.0, 0.0
    return p[5 + code - PAIR_WORK], 0.0, 0.0, 0.0
