"""Displace bodies that overlap: how far they may go at once, and what that does to poses and contacts."""

import numpy as np

from stoss.collision.algebra import (
    cross,
    dot,
    quaternion_multiply,
    rotate,
    rotation_vector_to_quaternion,
)
from stoss.collision.contacts import NORMAL_ON_A, NORMAL_ON_B
from stoss.collision.kernels.decorators import inner
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.material_pairs import CONTACT
from stoss.engine.constraints.mass_weighting import symmetric_times
from stoss.engine.constraints.rows import (
    SHARED,
    row_velocity,
)
from stoss.engine.joints.arrays import HOLD, LENGTH

__all__ = ["ask_for_less", "displace_bodies", "face_each_other", "shorten_turns"]

MOST_TURN = 0.1  # [rad] of a link at once: beyond, what joints measure is no longer in proportion to it
OPENED = 0.1  # share of what a contact asks for by which joints are opened for it if they contradict it


@inner
def ask_for_less(s, w):
    """Ask for less where joints let an overlap give way only by turns that are out of proportion to it.

    Two links on one joint overlap about it, and hardly less if they turn: to shrink such an overlap by w, the
    contact pushes as if it were to move its lever r and more, and turns links by t with r t^2 > w, or opens
    joints. Gaps are in proportion to turns no longer then, and links would be thrown to and fro for nothing.
    A contact that pushes something heavy turns nobody that far, and opens no joint.

    Returns whether any contact asks for less than before; rows and z are then to be solved anew.
    """
    contacts, bodies, rows, found = s.contacts, s.bodies, w.rows, False
    starts, roots = s.layout.contact_start, s.scratch.sqrt_inverse_inertia
    _find_opened(s, w)
    for island in range(len(w.moving)):
        w.excessive[island] = False
        if not (w.moving[island] and s.has_joints[island]):
            continue
        for at in range(starts[island], starts[island + 1]):
            c, r = s.layout.contacts[at], rows.start[s.layout.contact_block[at]]
            wanted = w.goals[c] - w.before[c]
            if not (w.before[c] < 0.0 and wanted > 0.0):
                continue
            way, share = rows.impulse[r] * rows.inverse_effective_mass[r], 1.0
            for half in range(2):
                i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
                if bodies.kinds[i] != DYNAMIC:
                    continue
                point, place = contacts.point_a[c] if half == 0 else contacts.point_b[c], bodies.positions[i]
                x, y, z = point[0] - place[0], point[1] - place[1], point[2] - place[2]
                lever, turn = np.sqrt(x * x + y * y + z * z), _turn_of(s.scratch.z, roots, i)
                bend = lever * dot(turn[0], turn[1], turn[2], turn[0], turn[1], turn[2])
                if way > lever and w.bends[island] > OPENED * wanted:
                    share = min(share, lever / way)
                elif way > lever and bend > wanted:
                    share = min(share, max(lever / way, wanted / bend))
            if share < 1.0:
                w.goals[c] = w.before[c] + share * wanted
                rows.bias[r] = contacts.gap[c] - w.goals[c]
                w.excessive[island] = w.contradicted[c] = found = True
    return found


@inner
def _find_opened(s, w):
    """Write into `bends` by how much z leaves joints of each island open, most of all [m or rad]."""
    rows = w.rows
    for island in range(len(w.bends)):
        w.bends[island] = 0.0
    for j in range(len(s.layout.joint_block)):
        block, island = s.layout.joint_block[j], s.joint_frames.island[j]
        if block < 0 or not w.moving[island]:
            continue
        for r in range(rows.start[block], rows.start[block + 1]):
            if rows.lower[r] == -np.inf and rows.upper[r] == np.inf:
                a, b = rows.bodies[block, 0], rows.bodies[block, 1]
                left = row_velocity(rows, r, a, b, s.scratch.z) + rows.bias[r]
                if rows.kind[r] == SHARED:
                    a, b = rows.bodies[block - 1, 0], rows.bodies[block - 1, 1]
                    left += row_velocity(rows, r - 1, a, b, s.scratch.z)
                w.bends[island] = max(w.bends[island], abs(left))


@inner
def shorten_turns(s, w):
    """Shorten the displacement z of islands with open joints to where it closes them; note that in `limited`.

    What a turn t does to the end of a lever r is in proportion to it but for r t^2 / 2. Where the links of a
    chain are almost in line, and something heavy hangs on it, they would else be turned through that pose and
    out of it again, and its joints stay open. So that is no more than half of what the joints ask for.
    """
    joints, frames, z, rows = s.joints, s.joint_frames, s.scratch.z, w.rows
    for island in range(len(w.limited)):
        w.wanted[island], w.bends[island], w.limited[island] = w.tolerance, 0.0, False
    for j in range(len(s.layout.joint_block)):
        block, island = s.layout.joint_block[j], frames.island[j]
        if block < 0 or not (w.moving[island] and w.broken[island]):
            continue
        for r in range(rows.start[block], rows.start[block + 1]):
            w.wanted[island] = max(w.wanted[island], abs(rows.bias[r]))
        for m in range(joints.row_start[j], joints.row_start[j + 1]):
            if joints.active[m] and joints.role[m] == HOLD and joints.measure[m] <= LENGTH:
                for half in range(2):
                    i = rows.bodies[block, half]
                    if i >= 0:
                        lever = frames.lever_a[m] if half == 0 else frames.lever_b[m]
                        turn = _turn_of(z, s.scratch.sqrt_inverse_inertia, i)
                        size = np.sqrt(dot(lever[0], lever[1], lever[2], lever[0], lever[1], lever[2]))
                        bend = size * dot(turn[0], turn[1], turn[2], turn[0], turn[1], turn[2])
                        w.bends[island] = max(w.bends[island], bend)
    for island in range(len(w.limited)):
        if w.bends[island] > w.wanted[island]:
            w.limited[island] = True
            for at in range(s.islands.body_start[island], s.islands.body_start[island + 1]):
                for k in range(6):
                    z[s.islands.bodies[at], k] *= w.wanted[island] / w.bends[island]


@inner
def _turn_of(z, sqrt_inverse_inertia, i):
    """Return by what a displacement turns body i [rad]."""
    return symmetric_times(sqrt_inverse_inertia[i], z[i, 3], z[i, 4], z[i, 5])


@inner
def _limit(z, members, bodies, sqrt_inverse_inertia, h, speed, most_turn):
    """Shorten the displacement z of an island so that no body is moved too fast, or turned by too much.

    Old overlaps are removed at `speed` each, but in a pile they add up. The limit is twice that, plus twice
    the fastest body's own speed, which fresh overlaps are in proportion to. Returns whether a turn was more
    than `most_turn` [rad].
    """
    farthest = 0.0
    fastest = 0.0
    widest = 0.0
    for i in members:
        if most_turn < np.inf:
            w0, w1, w2 = _turn_of(z, sqrt_inverse_inertia, i)
            widest = max(widest, np.sqrt(dot(w0, w1, w2, w0, w1, w2)))
        m = bodies.sqrt_inverse_masses[i]
        v = bodies.velocities[i]
        farthest = max(farthest, m * np.sqrt(dot(z[i, 0], z[i, 1], z[i, 2], z[i, 0], z[i, 1], z[i, 2])))
        fastest = max(fastest, np.sqrt(dot(v[0], v[1], v[2], v[0], v[1], v[2])))
    reach, share = 2.0 * h * (speed + fastest), 1.0
    if farthest > reach:
        share = reach / farthest
    turned = share * widest > most_turn
    if turned:
        share = most_turn / widest
    if share < 1.0:
        for i in members:
            for k in range(6):
                z[i, k] *= share
    return turned


@inner
def displace_bodies(s, w, h):
    """Displace the bodies of the `moving` islands by z, and clear it.

    Points, gaps, poses and the directions of angular velocities are updated; normals are kept. Where links of
    an island with joints would turn by more than `MOST_TURN`, all of it is displaced by a share of z; that is
    noted in `limited` (islands,), as `shorten_turns` does. Elsewhere, and in `excessive`, `doubted` islands,
    contacts have had what they can have: their gaps become their `goals`, and what joints ask for goes first.
    """
    contacts, layout, islands, bodies, limited = s.contacts, s.layout, s.islands, s.bodies, w.limited
    z, sqrt_inverse_inertia = s.scratch.z, s.scratch.sqrt_inverse_inertia
    order, contact_start, body_start = layout.contacts, layout.contact_start, islands.body_start
    for island in range(len(w.moving)):
        if not w.moving[island]:
            continue
        members = islands.bodies[body_start[island] : body_start[island + 1]]
        most_turn = MOST_TURN if s.has_joints[island] else np.inf
        turned = _limit(z, members, bodies, sqrt_inverse_inertia, abs(h), w.speed, most_turn)
        limited[island] = limited[island] or turned
        for k in range(contact_start[island], contact_start[island + 1]):
            c = order[k]
            for half in range(2):
                i = contacts.body_a[c] if half == 0 else contacts.body_b[c]
                point = contacts.point_a[c] if half == 0 else contacts.point_b[c]
                if bodies.kinds[i] != DYNAMIC:
                    continue
                m = bodies.sqrt_inverse_masses[i]
                w0, w1, w2 = _turn_of(z, sqrt_inverse_inertia, i)
                # what is round rolls on a face: it touches where it does with that normal, not where it did
                inside = 0.0
                if half == 0 and contacts.normal_side[c] == NORMAL_ON_B:
                    inside = contacts.radius_a[c]
                elif half == 1 and contacts.normal_side[c] == NORMAL_ON_A:
                    inside = -contacts.radius_b[c]
                x, y, up = cross(
                    w0,
                    w1,
                    w2,
                    point[0] + inside * contacts.normal[c, 0] - bodies.positions[i, 0],
                    point[1] + inside * contacts.normal[c, 1] - bodies.positions[i, 1],
                    point[2] + inside * contacts.normal[c, 2] - bodies.positions[i, 2],
                )
                point[0] += m * z[i, 0] + x
                point[1] += m * z[i, 1] + y
                point[2] += m * z[i, 2] + up
            contacts.gap[c] = dot(
                contacts.normal[c, 0],
                contacts.normal[c, 1],
                contacts.normal[c, 2],
                contacts.point_a[c, 0] - contacts.point_b[c, 0],
                contacts.point_a[c, 1] - contacts.point_b[c, 1],
                contacts.point_a[c, 2] - contacts.point_b[c, 2],
            )
            if w.excessive[island] or w.doubted[island] or not limited[island]:
                w.goals[c] = min(contacts.gap[c], 0.0)
        for at in range(body_start[island], body_start[island + 1]):
            i = islands.bodies[at]
            m = bodies.sqrt_inverse_masses[i]
            w0, w1, w2 = _turn_of(z, sqrt_inverse_inertia, i)
            for k in range(3):
                bodies.positions[i, k] += m * z[i, k]
            t0, t1, t2, t3 = rotation_vector_to_quaternion(w0, w1, w2)
            # turning with the body, the angular velocity keeps its energy
            spin = bodies.angular_velocities[i]
            spin[0], spin[1], spin[2] = rotate((t0, t1, t2, t3), spin[0], spin[1], spin[2])
            q = bodies.quaternions[i]
            p0, p1, p2, p3 = quaternion_multiply(t0, t1, t2, t3, q[0], q[1], q[2], q[3])
            scale = 1.0 / np.sqrt(p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3)
            q[0], q[1], q[2], q[3] = p0 * scale, p1 * scale, p2 * scale, p3 * scale
            for k in range(6):
                z[i, k] = 0.0


@inner
def face_each_other(s, pairs, displaced):
    """Let points of contacts lie above each other again in `displaced` islands, where one surface is a face.

    They went with their bodies: where a ball touches the ground is below it, not half-way to where that was,
    and with the lever of the latter what spins would seem to rise or sink. The point is that of what faces
    the face; gaps and normals stay. Contacts by a law have their points where they gave way.
    """
    contacts, layout, groups = s.contacts, s.layout, s.bodies.pair_group
    for island in range(len(displaced)):
        if not displaced[island]:
            continue
        for at in range(layout.contact_start[island], layout.contact_start[island + 1]):
            c = layout.contacts[at]
            own = pairs[groups[contacts.body_a[c]], groups[contacts.body_b[c]]]
            if not np.isnan(own[CONTACT]):
                continue
            side, gap, normal = contacts.normal_side[c], contacts.gap[c], contacts.normal[c]
            point_a, point_b = contacts.point_a[c], contacts.point_b[c]
            for k in range(3):
                if side == NORMAL_ON_B:
                    point_b[k] = point_a[k] - gap * normal[k]
                elif side == NORMAL_ON_A:
                    point_a[k] = point_b[k] + gap * normal[k]
