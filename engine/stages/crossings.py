"""What happens between two detections: fast bodies that would go through others, and when surfaces meet."""

import numpy as np

from stoss.collision.contacts import Contacts
from stoss.collision.kernels.tables import Table
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.bodies.energy import energy_and_momentum
from stoss.engine.contacts.frames import ANYONE, NOBODY, ContactFrames, place_contacts
from stoss.engine.joints.stops import first_stop
from stoss.engine.motion.continuous import BodySizes, ContinuousCollision
from stoss.engine.motion.early_stops import stop_early
from stoss.engine.motion.free_motion import METHODS
from stoss.engine.motion.time_of_impact import GAP_SHARE, first_contact
from stoss.engine.stages.checkpoint import Checkpoint
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.ledger import DISPLACED
from stoss.engine.stages.state import Options

__all__ = ["NO_SIZES", "Crossings"]

NOBODY_MET = np.zeros(0, np.int64)
NO_SIZES = BodySizes.zeros()  # where fast bodies are not looked for


class Crossings:
    """Find what the detections at the ends of sub-steps do not see.

    Args:
        system: the constraint system.
    """

    def __init__(self, system: ConstraintSystem) -> None:
        self._system = system
        self._state = system.state
        self._continuous = ContinuousCollision(system.detector)
        self._frames = Table(ContactFrames)  # of contacts whose time of impact is looked for
        self._partners_known = False  # whether `met_body` says whom bodies met in the last sub-step

    def may_cross(self, h: float) -> bool:
        """Return whether fast bodies might cross jointed ones within a time h [s], or these others."""
        state = self._state
        jointed, group = self.jointed()
        margin = state.settings.contact_margin
        return self._continuous.may_cross(state.awake_bodies, jointed, group, h, margin)

    def take_sizes(self) -> BodySizes | None:
        """Return what tells which bodies are fast; None where more is to be done before a detection."""
        settings = self._state.settings
        if settings.time_of_impact:
            self._partners_known = True  # `met_body` is written in each sub-step
        elif self._partners_known:
            return None
        return self._continuous.sizes(self._state.table.count) if settings.continuous_collision else NO_SIZES

    @property
    def all_connected(self) -> bool:
        """Return whether joints connect all bodies, so that none crosses the way of another."""
        self.jointed()
        return self._continuous.all_connected

    def jointed(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the bodies (n,) that joints act on, and the group (n,) of connected ones of each."""
        state = self._state
        return self._continuous.jointed(state.joints, state.table.arrays.kinds, state.joint_table.version)

    def stop_fast_bodies(self, unseen: float, start: Checkpoint | None) -> np.ndarray:
        """Stop fast bodies where they met others since contacts were last looked for; see `continuous`.

        Args:
            unseen: the time since then [s].
            start: what was there then; None: the start of the present sub-step.

        Returns:
            The bodies asleep that fast kinematic ones met; with any of these nothing is stopped yet.
        """
        state, b = self._state, self._state.bodies
        if self._partners_known:
            state.scratch.met_body[:] = NOBODY
            self._partners_known = False
        if not state.settings.continuous_collision:
            return NOBODY_MET
        before = state.old if start is None else start
        if not self._continuous.any_fast(b, before.positions, unseen, exact=False):
            return NOBODY_MET
        jointed, group = self.jointed()
        free = b.kinds == DYNAMIC
        if start is not None:
            free &= ~jointed  # joints have bent their paths
        stops = self._continuous.early_stops(
            b,
            before.positions,
            before.quaternions,
            state.scratch.accelerations,
            unseen,
            0.5 * state.settings.touch_distance,
            group,
            free,
            state.sleepers.asleep_among(len(free)),
            self._links(),
        )
        if stops is None:
            return NOBODY_MET
        if stops.met_sleepers:
            return np.unique(np.array(stops.met_sleepers, np.int64))
        if (stops.share < 1.0).any():
            self._partners_known = True
            state.ledger[DISPLACED] -= energy_and_momentum(b, state.gravity)[:2].sum()
            method, met_body = METHODS[state.settings.motion], state.scratch.met_body
            stop_early(stops, b, method, state.gravity, unseen, met_body)
            state.ledger[DISPLACED] += energy_and_momentum(b, state.gravity)[:2].sum()
        return NOBODY_MET

    def _links(self) -> np.ndarray:
        """Return the pairs of bodies (l, 2) that joints and contacts link, -1 for the world."""
        joints, contacts = self._state.joints, self._system.contacts
        touching = np.stack([contacts.body_a[: contacts.count], contacts.body_b[: contacts.count]], axis=1)
        return np.concatenate([joints.bodies[joints.enabled], touching])

    def first_contact(self, before: Contacts, h: float, options: Options) -> tuple[float, float, bool]:
        """Find when in the sub-step that was made bodies that were apart first met.

        Args:
            before: contacts at its start.
            h: its length [s].
            options: of the step.

        Returns:
            As `time_of_impact.first_contact`; stops of joints, and fast bodies that went through others,
            count too.
        """
        state, settings = self._state, self._state.settings
        first, next_one, meets = h, np.inf, False
        if not self._system.contact_free:
            contacts = self._system.contacts
            frames = self._frames.resize(keep=False, contacts=contacts.count)
            place_contacts(contacts.arrays, self._system.detector.table.arrays, state.bodies, frames)
            first, next_one, meets = first_contact(
                contacts.arrays,
                frames,
                before.arrays,
                before.count,
                state.bodies,
                state.old,
                state.scratch,
                state.gravity,
                options.rows,
                h,
            )
        if self._system.has_stops:
            tolerance = GAP_SHARE * settings.position_tolerance
            stop, next_stop, meets_stop = first_stop(
                state.joints, self._system.joint_frames, state.bodies, state.old, h, tolerance
            )
            first, next_one, meets = min(first, stop), min(next_one, next_stop), meets or meets_stop
        if settings.continuous_collision:
            first = min(first, self._first_crossing(h))
        return first, next_one, meets

    def _first_crossing(self, h: float) -> float:
        """Return the time [s] in this sub-step at which a fast body first meets another one, or infinity."""
        state, b, old = self._state, self._state.bodies, self._state.old
        if not self._continuous.any_fast(b, old.positions, h, exact=True):
            return np.inf
        close = 0.5 * state.settings.touch_distance
        share = self._continuous.first_meeting(
            b, old.positions, old.quaternions, state.scratch.accelerations, h, close
        )
        return share * h if share < 1.0 else np.inf

    def let_meet(self, anyone: bool) -> None:
        """Say whether bodies that come to touch at the end of this sub-step do so just there."""
        self._state.scratch.met_body[:] = ANYONE if anyone else NOBODY
        self._partners_known = True
