"""Displacement: what overlaps, or joints that are open, put right without touching velocities."""

import numpy as np
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.constraints.rows import RowStore
from stoss.engine.contacts.constraints import world_root_inverse_inertias
from stoss.engine.joints.constraints import build_joint_rows, set_separation_biases
from stoss.engine.joints.state import find_joint_errors
from stoss.engine.solvers.island_solver import CLOSED
from stoss.engine.stages.constraint_system import Instant
from stoss.engine.stages.ledger import DISPLACED
from stoss.engine.stages.separation import (
    build_separation_rows,
    displace,
    jammed_contacts,
    overlapping_islands,
)

__all__ = ["Displacement"]

# Rounds of displacement: the first one removes overlaps, the others close the joints that it opened.
SEPARATION_ROUNDS = 3
# Overlap that is left alone, as a share of the position tolerance.
SLOP = 0.1


class Displacement:
    """Displace the bodies of an instant.

    Args:
        instant: contacts, islands and joints.
    """

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self._store = RowStore()

    def separate(self, h: float, gravity: np.ndarray) -> None:
        """Displace bodies that overlap, or whose joints are open; note energy and failures."""
        d = self._instant
        gaps = d.contacts.gap[: d.contacts.count]
        depth = -gaps.min() if len(gaps) else 0.0
        before = gaps.copy() if depth > d.settings.contact_margin else gaps[:0]
        self._separate(h, depth, gravity)
        if len(before):
            d.jammed = jammed_contacts(before, gaps, d.settings.contact_margin)

    def _separate(self, h: float, depth: float, gravity: np.ndarray) -> None:
        """Displace bodies that overlap, at most by `depth`, or whose joints are open."""
        d = self._instant
        c, islands, settings, layout = d.contacts, d.islands, d.settings, d.layout
        slop = SLOP * settings.position_tolerance
        overlaps = depth > slop
        errors = np.zeros(len(islands.body_start) - 1)
        if len(d.acting_joints) and not d.figures[CLOSED]:
            find_joint_errors(d.joints, d.joint_frames, d.bodies, d.places, errors)
        broken = errors > settings.correction_speed * abs(h)
        if not overlaps and not broken.any():
            return
        displaced = broken
        if overlaps:
            displaced = overlapping_islands(c.arrays, layout.contacts, layout.contact_start, slop) | broken
        d.ledger[DISPLACED] -= energy_and_momentum(d.bodies, gravity)[:2].sum()
        self._displace(h, displaced, broken, slop, errors)
        d.ledger[DISPLACED] += energy_and_momentum(d.bodies, gravity)[:2].sum()

    def _displace(
        self, h: float, displaced: np.ndarray, broken: np.ndarray, slop: float, errors: np.ndarray
    ) -> None:
        """Displace the bodies of the islands `displaced`, of which `broken` have open joints.

        Args:
            h: length of the step [s].
            displaced, broken: (islands,)
            slop: overlap [m] that is left alone.
            errors: (islands,) memory for the errors of joints.
        """
        d = self._instant
        c, islands, settings, layout = d.contacts, d.islands, d.settings, d.layout
        world_root_inverse_inertias(d.bodies, d.scratch.roots)
        single = d.lay_out(1, np.zeros(c.count, np.int64), d.held_rows)
        for number in range(SEPARATION_ROUNDS):
            rows = self._store.resize(len(islands.order), single.start[-1])
            rows.start[:] = single.start
            if c.count > 0:
                build_separation_rows(
                    c.arrays,
                    layout.contacts,
                    layout.contact_block,
                    d.bodies,
                    d.scratch.roots,
                    rows,
                    h,
                    settings.recovery_rate,
                    settings.recovery_speed,
                    slop,
                    number == 0,
                )
            if len(d.acting_joints):
                joints = d.joints
                build_joint_rows(
                    joints,
                    d.joint_frames,
                    d.places,
                    layout.joint_block,
                    True,
                    d.bodies,
                    d.scratch.roots,
                    rows,
                    0.0,
                )
                most = settings.recovery_speed * abs(h)
                set_separation_biases(joints, layout.joint_block, rows, most)
            d.solver.displace(rows, d.scratch.z, displaced, settings, 0.1 * slop)
            displace(
                c.arrays,
                layout.contacts,
                layout.contact_start,
                islands.bodies,
                islands.body_start,
                displaced,
                d.bodies,
                d.scratch.roots,
                d.scratch.z,
                abs(h),
                settings.recovery_speed,
            )
            if not len(d.acting_joints):
                return
            errors[:] = 0.0
            find_joint_errors(d.joints, d.joint_frames, d.bodies, d.places, errors)
            displaced = displaced & (errors > settings.position_tolerance) & ~broken
            if not displaced.any():
                return
            world_root_inverse_inertias(d.bodies, d.scratch.roots)
