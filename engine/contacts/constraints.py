"""Contacts become rows: normal and two tangents each, for impacts, for rest and for the preview.

Rows are built once per detection and serve `settle` at that time and `correct` of the step that follows:
the same instant, the same matrix. Between the two only biases and limits change.

Source: Bender 2007, sections 5.1 to 5.3. Different here: a gap is positive, an overlap negative; an overlap
is not removed by impulses, within one step, but by displacement; friction is bounded by the whole impulse of
the step, not by what an iteration adds; sticking is decided with tolerances; and impulses act at both ends of
a step in place of its start alone.
"""

from typing import Annotated

import numpy as np

from stoss.collision.algebra import cross, dot, rotate
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.lanes import lanes_of, numbers
from stoss.collision.kernels.putting import put
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2
from stoss.collision.shapes.shape_table import ShapeArrays
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.bodies.material import combine
from stoss.engine.bodies.material_pairs import (
    CONTACT,
    FRICTION_LAW,
    LAW,
    OWNER,
    RESTITUTION,
    SLIDE,
    STICK,
)
from stoss.engine.constraints.islands import Layout, Sources
from stoss.engine.constraints.row_lanes import force_halves, write_three
from stoss.engine.constraints.rows import (
    BOUNDED,
    FRESH,
    FRICTION,
    SECOND_TANGENT,
    Rows,
    finish_by_size,
    finish_pair,
    finish_rows,
    write_force,
)
from stoss.engine.contacts.compliance import write_law
from stoss.engine.contacts.conveyors import place_drift
from stoss.engine.contacts.frames import ContactFrames, contact_velocity, place_contact, vector
from stoss.engine.contacts.rolling_friction import add_turning_rows
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.laws.contact_functions import RIGID
from stoss.engine.laws.friction_arrays import (
    ACROSS,
    KINETIC,
    NO_LAW,
    RATIO,
    SET_VALUED,
    SLID,
    STATE,
    FrictionLaws,
)

__all__ = ["Building", "build_rows"]


class Building(Struct):
    """What the rows of contacts are built from, besides the system."""

    memory: ImpulseMemory
    shapes: ShapeArrays
    sources: Sources  # what turning contacts resist
    pairs: Annotated[Floats, "groups", "groups", "values"]  # values of pairs of materials
    laws: FrictionLaws
    friction_rule: int
    restitution_rule: int
    impact_law: int


@kernel
def build_rows(
    contacts: ContactArrays,
    layout: Layout,
    building: Building,
    bodies: BodyArrays,
    sqrt_inverse_inertia: Floats2,
    rows: Rows,
    frames: ContactFrames,
) -> None:
    """Build the rows of all contacts in the order of the layout: everything but biases and limits.

    Three rows each, and more where a contact resists rolling or spinning. The first rows of the blocks are in
    place. Both bodies take the impulse at the same point, half-way between their surfaces, so that angular
    momentum is conserved across a gap or an overlap, where Bender 2007 lets it act on each at its own.
    """
    order, blocks = layout.contacts, layout.contact_block
    last_a = last_b = -1
    bounce = slide = stick = 0.0  # of these two
    for k in range(len(order)):
        c, block = order[k], blocks[k]
        a, b = contacts.body_a[c], contacts.body_b[c]
        first = rows.start[block]
        frames.contact[k], frames.row[k] = c, first
        place_contact(contacts, building.shapes, c, bodies, frames, k)
        if a != last_a or b != last_b:
            bounce, slide, stick = _combine_materials(building, bodies, a, b)
            last_a, last_b = a, b
        put(frames.restitution, k, bounce)
        put(frames.law, k, building.impact_law)
        frames.approach[k] = frames.least_bounce[k] = 0.0
        put(frames.friction_law, k, NO_LAW)
        put(frames.contact_law, k, RIGID)
        put(frames.pressing, k, 0.0)
        put(frames.broken, k, False)
        grip, hold = slide, stick
        if bodies.pair_group[a] > 0 or bodies.pair_group[b] > 0:
            grip, hold = _take_pair(building, bodies, a, b, frames, k, slide, stick)
        rows.bodies[block, 0] = a if bodies.kinds[a] == DYNAMIC else -1
        rows.bodies[block, 1] = b if bodies.kinds[b] == DYNAMIC else -1
        for i in range(3):
            r = first + i
            kind = BOUNDED if i == 0 else (FRICTION if i == 1 else SECOND_TANGENT)
            _start_row(rows, r, kind, 0.0 if i == 0 else -np.inf, grip, hold)
        _write_forces(rows, frames, k, bodies, sqrt_inverse_inertia, a, b)
        last = first + 3
        resists = frames.resists[k] = building.sources.resists[c]
        if resists != 0:
            last = add_turning_rows(
                rows,
                last,
                resists,
                frames.axes[k],
                a,
                b,
                bodies,
                sqrt_inverse_inertia,
                building.friction_rule,
            )
            finish_rows(rows, first + 3, last)


@inner(always=True)
def _start_row(rows, r, kind, lower, slide, stick):
    """Do as `rows.start_row`, with coefficients of friction; most rows are as in the last step."""
    put(rows.kind, r, kind)
    put(rows.lower, r, lower)
    put(rows.upper, r, np.inf)
    put(rows.softness, r, 0.0)
    put(rows.friction, r, slide)
    put(rows.static_friction, r, stick)
    rows.impulse[r], rows.state[r] = 0.0, FRESH


@inner(always=True)
def _write_forces(rows, frames, k, bodies, sqrt_inverse_inertia, a, b):
    """Write normal and tangents of contact k, and what follows from them."""
    first, axes = frames.row[k], frames.axes[k]
    if bodies.plane[a] != 0 or bodies.plane[b] != 0:
        for i in range(3):
            axis = vector(axes[i])
            write_force(
                rows, first + i, 0, 1.0, axis, vector(frames.lever_a[k]), bodies, sqrt_inverse_inertia, a
            )
            write_force(
                rows, first + i, 1, -1.0, axis, vector(frames.lever_b[k]), bodies, sqrt_inverse_inertia, b
            )
        finish_rows(rows, first, first + 3)
        return
    x = lanes_of(axes[0, 0], axes[1, 0], axes[2, 0], 0.0)
    y = lanes_of(axes[0, 1], axes[1, 1], axes[2, 1], 0.0)
    z = lanes_of(axes[0, 2], axes[1, 2], axes[2, 2], 0.0)
    root, inertia = bodies.sqrt_inverse_masses, sqrt_inverse_inertia
    on_a = force_halves(1.0, root[a], inertia[a], vector(frames.lever_a[k]), x, y, z)
    on_b = force_halves(-1.0, root[b], inertia[b], vector(frames.lever_b[k]), x, y, z)
    squares, product = write_three(rows.jacobian, first, on_a, on_b)
    p, q, r, _ = numbers(squares)
    finish_by_size(rows, first, p)
    finish_by_size(rows, first + 1, q)
    finish_by_size(rows, first + 2, r)
    if r == 0.0:
        rows.effective_mass[first + 2] = rows.effective_mass[first + 1]
    finish_pair(rows, first + 1, product)


@inner(always=True)
def _combine_materials(building, bodies, a, b):
    """Return restitution and coefficients of friction, sliding and sticking, of two bodies."""
    rule = building.friction_rule
    slide = combine(rule, bodies.friction[a], bodies.friction[b])
    return (
        combine(building.restitution_rule, bodies.restitution[a], bodies.restitution[b]),
        slide,
        max(slide, combine(rule, bodies.static_friction[a], bodies.static_friction[b])),
    )


@inner
def _take_pair(building, bodies, a, b, frames, k, slide, stick):
    """Give contact k what its pair of materials has; return the coefficients, sliding and sticking."""
    own = building.pairs[bodies.pair_group[a], bodies.pair_group[b]]
    if not np.isnan(own[RESTITUTION]):
        frames.restitution[k] = own[RESTITUTION]
    if not np.isnan(own[SLIDE]):
        slide, stick = own[SLIDE], own[STICK]
    if not np.isnan(own[LAW]):
        frames.law[k] = int(own[LAW])
    if not np.isnan(own[FRICTION_LAW]):
        _give_law(building.laws, bodies, a, b, frames, k, own, slide)
        if building.laws.memory[frames.friction_law[k]] != SET_VALUED:
            slide = stick = 0.0  # it neither sticks nor rolls: its tangents are rows of their own
    write_law(frames, k, own, CONTACT)
    return slide, stick


@inner
def _give_law(laws, bodies, a, b, frames, k, own, slide):
    """Give contact k a friction law, and the axes of one that is not the same in all directions."""
    law = int(own[FRICTION_LAW])
    n = laws.numbers[law]
    frames.friction_law[k] = law
    # of the law of one body the rule for both makes so much, unless it is that of the pair
    frames.friction_scale[k] = slide / n[KINETIC] if np.isnan(own[SLIDE]) and n[KINETIC] > 0.0 else 1.0
    for i in range(STATE):
        frames.friction_state[k, i] = frames.friction_next[k, i] = 0.0
    frames.friction_work[k, 0] = frames.friction_work[k, 1] = 0.0
    frames.friction_seen[k, 4] = 0.0
    if n[RATIO] != 1.0:
        _lay_along(bodies, a, b, frames, k, n, bodies.quaternions[a if own[OWNER] == 0.0 else b])
    x, y, z = contact_velocity(frames, k, a, b, bodies.velocities, bodies.angular_velocities)
    v, w = dot(*vector(frames.axes[k, 1]), x, y, z), dot(*vector(frames.axes[k, 2]), x, y, z)
    if frames.conveys[k] != 0:
        v, w = v + frames.drift[k, 0], w + frames.drift[k, 1]
    frames.friction_state[k, SLID] = frames.friction_next[k, SLID] = np.sqrt(v * v + w * w)


@inner
def _lay_along(bodies, a, b, frames, k, n, turn):
    """Lay the tangents of contact k along the axes of the ellipse of its law."""
    # the tangents are those of the ellipse, that across as long as the ratio
    normal = vector(frames.axes[k, 0])
    x, y, z = rotate(turn, n[ACROSS], n[ACROSS + 1], n[ACROSS + 2])
    off = dot(normal[0], normal[1], normal[2], x, y, z)
    x, y, z = x - off * normal[0], y - off * normal[1], z - off * normal[2]
    size = np.sqrt(x * x + y * y + z * z)
    if size < 1e-6:
        return  # the direction is that of the normal
    x, y, z = x / size, y / size, z / size
    u, v, w = cross(normal[0], normal[1], normal[2], x, y, z)
    axes = frames.axes[k]
    axes[1, 0], axes[1, 1], axes[1, 2] = x, y, z
    axes[2, 0], axes[2, 1], axes[2, 2] = n[RATIO] * u, n[RATIO] * v, n[RATIO] * w
    frames.conveys[k] = place_drift(bodies, a, b, frames.lever_a[k], frames.lever_b[k], axes, frames.drift[k])
