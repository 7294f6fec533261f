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

from stoss.collision.algebra import cross
from stoss.collision.contacts import ContactArrays
from stoss.collision.kernels.decorators import inner, kernel
from stoss.collision.kernels.lanes import LANES, load_each, load_turned, splat, store_turned
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats, Floats2, Ints
from stoss.collision.shapes.shape_table import ShapeArrays
from stoss.engine.bodies.arrays import DYNAMIC, BodyArrays
from stoss.engine.bodies.material import combine
from stoss.engine.bodies.material_pairs import LAW, RESTITUTION, SLIDE, STICK
from stoss.engine.constraints.islands import Layout
from stoss.engine.constraints.mass_weighting import symmetric_times
from stoss.engine.constraints.rows import (
    BOUNDED,
    FRICTION,
    SECOND_TANGENT,
    Rows,
    finish_four,
    finish_rows,
    start_row,
)
from stoss.engine.contacts.frames import ContactFrames, four_of, place_four
from stoss.engine.contacts.rolling_friction import add_turning_rows
from stoss.engine.contacts.warm_start import ImpulseMemory

__all__ = ["Building", "build_rows"]


class Building(Struct):
    """What the rows of contacts are built from, besides the system."""

    memory: ImpulseMemory
    shapes: ShapeArrays
    resists: Annotated[Ints, "contacts"]  # what turning each contact resists, besides sliding
    pairs: Annotated[Floats, "groups", "groups", "values"]  # values of pairs of materials
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
    count = len(order)
    for k in range(0, count, LANES):
        # the last one may fill several lanes
        at = k, min(k + 1, count - 1), min(k + 2, count - 1), min(k + 3, count - 1)
        four, at_blocks = four_of(order, at), four_of(blocks, at)
        first = four_of(rows.start, at_blocks)
        axes, lever_a, lever_b = place_four(contacts, building.shapes, bodies, frames, four, at)
        for i in range(LANES):
            _start_contact(rows, frames, contacts, building, bodies, four[i], at_blocks[i], at[i])
        a, b = four_of(contacts.body_a, four), four_of(contacts.body_b, four)
        _write_four(rows, first, axes, lever_a, lever_b, bodies, sqrt_inverse_inertia, a, b)
        for i in range(LANES):
            if frames.resists[at[i]] != 0:
                last = add_turning_rows(
                    rows,
                    first[i] + 3,
                    frames.resists[at[i]],
                    frames.axes[at[i]],
                    a[i],
                    b[i],
                    bodies,
                    sqrt_inverse_inertia,
                    building.friction_rule,
                )
                finish_rows(rows, first[i] + 3, last)


@inner
def _start_contact(rows, frames, contacts, building, bodies, c, block, k):
    """Let the rows of contact c, the k-th of the frames, begin; write its materials and bodies."""
    a, b, first = contacts.body_a[c], contacts.body_b[c], rows.start[block]
    frames.contact[k], frames.row[k], frames.resists[k] = c, first, building.resists[c]
    slide, stick = _combine_materials(building, bodies, a, b, frames, k)
    rows.bodies[block, 0] = a if bodies.kinds[a] == DYNAMIC else -1
    rows.bodies[block, 1] = b if bodies.kinds[b] == DYNAMIC else -1
    for i in range(3):
        kind = BOUNDED if i == 0 else (FRICTION if i == 1 else SECOND_TANGENT)
        start_row(rows, first + i, kind, first, 0.0 if i == 0 else -np.inf, np.inf)
        rows.friction[first + i] = slide
        rows.static_friction[first + i] = stick


@inner(always=True)
def _four_halves(direction, lever, mass, root):
    """Return the halves of rows for one body of each lane: `write_force` in lanes, with the sign in `mass`.

    Args:
        direction, lever: vectors (3) of lanes.
        mass: roots of the inverse masses.
        root: (9,) roots of the inverse inertias.
    """
    x, y, z = symmetric_times(root, *cross(*lever, *direction))
    return mass * direction[0], mass * direction[1], mass * direction[2], x, y, z


@inner(always=True)
def _four_roots(bodies, sqrt_inverse_inertia, body):
    """Return the roots of inverse masses and inertias (9) of four bodies."""
    return load_each(bodies.sqrt_inverse_masses, body, 1, 0), (
        *load_turned(sqrt_inverse_inertia, body, 9, 0),
        *load_turned(sqrt_inverse_inertia, body, 9, 4),
        load_each(sqrt_inverse_inertia, body, 9, 8),
    )


@inner(always=True)
def _product(p, q):
    """Return the product of two jacobians (12) of lanes, summed as in `finish_rows`."""
    k = splat(0.0) + p[0] * q[0]
    for i in range(1, 12):
        k = k + p[i] * q[i]
    return k


@inner(always=True)
def _write_four(rows, first, axes, lever_a, lever_b, bodies, sqrt_inverse_inertia, a, b):
    """Write normal and tangents of four contacts, whose first rows are `first`, and finish them."""
    mass_a, root_a = _four_roots(bodies, sqrt_inverse_inertia, a)
    mass_b, root_b = _four_roots(bodies, sqrt_inverse_inertia, b)
    normal = _four_jacobians(axes[0], lever_a, lever_b, mass_a, root_a, mass_b, root_b)
    tangent = _four_jacobians(axes[1], lever_a, lever_b, mass_a, root_a, mass_b, root_b)
    second = _four_jacobians(axes[2], lever_a, lever_b, mass_a, root_a, mass_b, root_b)
    _store_jacobians(rows.jacobian, first, 0, normal)
    _store_jacobians(rows.jacobian, first, 12, tangent)
    _store_jacobians(rows.jacobian, first, 24, second)
    finish_four(
        rows,
        first,
        _product(normal, normal),
        _product(tangent, tangent),
        _product(second, second),
        _product(tangent, second),
    )


@inner(always=True)
def _four_jacobians(axis, lever_a, lever_b, mass_a, root_a, mass_b, root_b):
    """Return the jacobians (12) of four rows along `axis`."""
    x, y, z, u, v, w = _four_halves(axis, lever_b, -mass_b, root_b)
    return (*_four_halves(axis, lever_a, mass_a, root_a), x, y, z, -u, -v, -w)


@inner(always=True)
def _store_jacobians(jacobian, first, offset, values):
    """Write jacobians (12) of lanes."""
    store_turned(jacobian, first, 12, offset, values[0:4])
    store_turned(jacobian, first, 12, offset + 4, values[4:8])
    store_turned(jacobian, first, 12, offset + 8, values[8:12])


@inner(always=True)
def _combine_materials(building, bodies, a, b, frames, k):
    """Write restitution and law of a contact; return its coefficients of friction, sliding and sticking."""
    rule, pairs = building.friction_rule, building.pairs
    frames.restitution[k] = combine(building.restitution_rule, bodies.restitution[a], bodies.restitution[b])
    frames.law[k] = building.impact_law
    frames.approach[k] = frames.least_bounce[k] = 0.0
    slide = combine(rule, bodies.friction[a], bodies.friction[b])
    stick = max(slide, combine(rule, bodies.static_friction[a], bodies.static_friction[b]))
    if bodies.pair_group[a] > 0 and bodies.pair_group[b] > 0:
        own = pairs[bodies.pair_group[a], bodies.pair_group[b]]
        if not np.isnan(own[RESTITUTION]):
            frames.restitution[k] = own[RESTITUTION]
        if not np.isnan(own[SLIDE]):
            slide, stick = own[SLIDE], own[STICK]
        if not np.isnan(own[LAW]):
            frames.law[k] = int(own[LAW])
    return slide, stick
