"""The stages of a sub-step in one call, as far as nothing unusual comes up.

A stage that is called from Python by itself costs some microseconds, more than it computes for a few bodies.
Most sub-steps need nothing that Python decides: no body is fast, and the contacts couple the bodies that they
coupled before. So before a sub-step its stages are made ahead, the same kernels in the
same order, up to the first one that needs more; from there the stages go on one by one (`Stepper`). Where
contacts couple other bodies, islands are found in between (`regrouping`).
"""

from operator import attrgetter, is_
from typing import Annotated, Any

import numpy as np
from numba import types

from stoss.collision.detection import Detection, detect_natively
from stoss.collision.kernels.decorators import Kernel, inner, kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Bools, Floats, Ints
from stoss.engine.bodies.arrays import DYNAMIC
from stoss.engine.contacts.frames import ANYONE, gap_before
from stoss.engine.contacts.warm_start import ImpulseMemory
from stoss.engine.joints.leading import advance_led
from stoss.engine.motion.continuous import EXACT_SPEED, BodySizes, find_fast, none_meets
from stoss.engine.motion.time_of_impact import gap_tolerance
from stoss.engine.solvers.statistics import CLOSED
from stoss.engine.stages.clock import (
    CONTACT_FREE,
    CORRECT,
    DETECT,
    MOVE,
    SEPARATE,
    SETTLE,
    STAGES,
    StageClock,
)
from stoss.engine.stages.constraint_system import ConstraintSystem
from stoss.engine.stages.contact_free import move
from stoss.engine.stages.correct import correct
from stoss.engine.stages.crossings import NO_SIZES, Crossings
from stoss.engine.stages.regrouping import Regrouping, regroup
from stoss.engine.stages.separating import Separating
from stoss.engine.stages.separation import Separation, separate
from stoss.engine.stages.settle import settle
from stoss.engine.stages.state import Building, Options, System

__all__ = [
    "CORRECTED",
    "DETECTED",
    "FAST",
    "MOVED",
    "NOTHING",
    "OTHER_PAIRS",
    "REFUSED",
    "SAME_PAIRS",
    "SETTLED",
    "UNEVENTFUL",
    "MadeAhead",
    "SubStep",
    "end_at_once",
    "make_at_once",
    "note_end",
]

# How far `make_at_once` came: by the last stage that was made. REFUSED: `correct` is not possible. FAST: it
# moved, and fast bodies are to be looked at. The last three are of `plain_step`: the step is made, and
# nothing is left but to tell which pairs touch, OTHER_PAIRS than before or the SAME_PAIRS. UNEVENTFUL: not
# even that, and the next step needs no look at what has changed.
NOTHING, REFUSED, CORRECTED, FAST, MOVED, DETECTED, SETTLED, OTHER_PAIRS, SAME_PAIRS, UNEVENTFUL = range(10)

# Share of the touch distance up to which a gap at the start of a sub-step was none: its error is far smaller.
SURELY_MET = 0.5

_Int32: Any = types.int32
# The clock of `time.perf_counter`, which compiled code can read.
_clock_gettime: Any = types.ExternalFunction("clock_gettime", _Int32(_Int32, types.CPointer(types.int64)))
MONOTONIC = 1


class SubStep(Struct):
    """All that the stages of a sub-step work on."""

    system: System
    building: Building  # with `memory` as what new rows start from
    memory: ImpulseMemory  # receives the impulses of `correct`
    detection: Detection
    separating: Separating
    gravity: Annotated[Floats, "three"]  # [m/s^2]
    statistics: Annotated[Floats, "figures"]
    # fast bodies
    watches: bool  # whether they are looked for
    before: Annotated[Floats, "bodies", 3]  # positions when contacts were last looked for [m]
    span: Annotated[Floats, "two"]  # length of the sub-step, and time at its end since then [s]
    sizes: BodySizes
    jointed: Annotated[Bools, "bodies"]  # which bodies joints act on
    regrouping: Regrouping
    # what came of it
    count: Annotated[Ints, "two"]  # of the contacts that were found, and how often islands were
    ended: Annotated[Ints, "stages", 2]  # when each stage ended [s, ns]


@kernel
def make_at_once(u: SubStep, o: Options, moved: bool, stays: bool) -> int:
    """Make the stages of a sub-step until one needs more; return the last one that was made.

    Args:
        u, o: what they work on, and options.
        moved: whether bodies are moved already, and fast ones were looked at.
        stays: whether islands and their solvers are as before if contacts couple the same bodies.

    Where there was no room for others, or sub-steps end at impacts and bodies may have met, it is DETECTED.
    """
    if not moved:
        made = _correct_and_move(u, o)
        if made != MOVED:
            return made
    return _detect_and_settle(u, o, stays)


@kernel
def end_at_once(u: SubStep, o: Options) -> int:
    """Make the stages after the detection, whose contacts were taken note of; return the last one."""
    s, h = u.system, u.span[0]
    separate(s, u.separating, u.memory, u.gravity, h, u.statistics[CLOSED] != 0.0, o.stops, u.statistics)
    note_end(u.ended, SEPARATE)
    settle(s, u.building, o, h, u.statistics)
    note_end(u.ended, SETTLE)
    return SETTLED


@inner
def _correct_and_move(u, o):
    s, old, h = u.system, u.system.old, u.span[0]
    if not correct(s, o, u.memory, h, u.gravity, u.statistics):
        return REFUSED
    note_end(u.ended, CORRECT)
    if _any_failed(s):
        return CORRECTED
    move(s.bodies, o.rows.motion, u.gravity, h, s.ledger)
    if o.led:
        advance_led(s.joints, h)
    note_end(u.ended, MOVE)
    if u.watches:
        before, share = u.before if len(u.before) > 0 else old.positions, 1.0
        if o.rows.exact:
            share = EXACT_SPEED
        if find_fast(s.bodies, before, abs(u.span[1]), u.sizes, share) > 0 and not _pass_nobody(u, before):
            return FAST
    return MOVED


@inner
def _pass_nobody(u, before):
    """Return whether it is plain that fast bodies went through nobody; see `Crossings.stop_fast_bodies`."""
    bodies, sizes, h, unseen = u.system.bodies, u.sizes, u.span[0], u.span[1]
    if u.detection.inert:
        return True
    free = abs(unseen - h) <= 1e-9 * abs(h)
    stopped = False
    for i in range(len(bodies.kinds)):
        # joints have bent the ways of those that they act on
        stopped = stopped or (sizes.fast[i] and (free or not u.jointed[i] or bodies.kinds[i] != DYNAMIC))
    shapes, excluded, accelerations = u.building.shapes, u.detection.excluded, u.system.scratch.accelerations
    return not stopped or none_meets(bodies, sizes, shapes, excluded, before, accelerations, abs(unseen))


@inner
def _detect_and_settle(u, o, stays):
    s = u.system
    for i in range(len(s.bodies.kinds)):
        u.detection.movable[i] = s.bodies.kinds[i] == DYNAMIC
    count = detect_natively(u.detection, s.bodies.positions, s.bodies.quaternions, False)
    if count < 0:
        return MOVED
    u.count[0] = count
    note_end(u.ended, DETECT)
    if o.rows.exact:
        if _may_have_met(s, u.detection.contacts, count, o.rows):
            return DETECTED
        for i in range(len(s.scratch.met_body)):
            s.scratch.met_body[i] = ANYONE
    if not stays or _other_blocks(u, count):
        if not regroup(u.regrouping, count):
            return DETECTED
        u.count[1] += 1
    _note_touching(s, o.rows.touch_distance)
    return end_at_once(u, o)


@inner
def _may_have_met(s, contacts, count, options):
    """Return whether bodies touch that may have been apart at the start of the sub-step.

    Where curvature differs from place to place, the gap at the start is not quite that which counts; where
    they are deep inside each other, the normal may not be the one with which they met (`first_contact`).
    """
    touch, tolerance = options.touch_distance, gap_tolerance(options)
    for c in range(count):
        gap = contacts.gap[c]
        if gap < -tolerance:
            return True
        if gap <= touch and gap_before(contacts, c, s.bodies, s.old) > SURELY_MET * touch:
            return True
    return False


@kernel
def _note_touching(s: System, touch: float) -> None:
    """Note which contacts touch, before bodies are displaced."""
    for c in range(len(s.touching)):
        s.touching[c] = s.contacts.gap[c] <= touch


@inner
def _any_failed(s):
    """Return whether a direct solution failed: then the choice of solvers is to learn of it."""
    for island in range(len(s.solver.failed)):
        if s.solver.failed[island]:
            return True
    return False


@inner
def _other_blocks(u, count):
    """Return whether contacts couple other bodies, or in another order, than those the islands are of."""
    contacts, sources = u.detection.contacts, u.regrouping.sources
    if count != len(sources.resists):
        return True
    for c in range(count):
        if contacts.body_a[c] != sources.first[c] or contacts.body_b[c] != sources.second[c]:
            return True
    return False


@inner
def note_end(ended, stage):
    """Note that a stage ends now."""
    _clock_gettime(MONOTONIC, ended[stage].ctypes)


AT_THE_START = np.zeros((0, 3))
NOBODY = np.zeros(0, np.bool_)
# Stages that have ended, by the last one that was made; and those of them after the motion.
_ENDED = (
    *((), (), (CORRECT,), (CORRECT, MOVE), (CORRECT, MOVE)),
    *((CORRECT, MOVE, DETECT), (CORRECT, MOVE, DETECT, SEPARATE, SETTLE)),
    *((CORRECT, MOVE, DETECT, SEPARATE, SETTLE),) * 3,
)
_ENDED_PLANNED = tuple((CONTACT_FREE, *stages) for stages in _ENDED)
_ENDED_AFTER = ((), (), (), (), (), (DETECT,), (DETECT, SEPARATE, SETTLE))
_ENDED_LAST = ((), (), (), (), (), (), (SEPARATE, SETTLE))


# All of `ConstraintSystem.system`, `building` and `regrouping` that is ever replaced, but the memory of
# impulses. Structs whose arrays are replaced tell kernels of it by themselves.
_sources = attrgetter(
    *("state.table", "state.old", "state.scratch", "state.joint_table", "state.settings", "state.gravity"),
    *("contacts", "joint_frames", "pairs", "state.table.resists_turning"),
)


class MadeAhead:
    """Make the stages of a sub-step ahead, if nothing speaks against it from the outset.

    Args:
        system: the constraint system.
        crossings: what is known of fast bodies.
        separation: what displaces bodies.
        clock: time per stage.

    Attributes:
        made: the last stage that was made, NOTHING if none was.
        stays: see `make_at_once`.
    """

    def __init__(
        self, system: ConstraintSystem, crossings: Crossings, separation: Separation, clock: StageClock
    ) -> None:
        self._system = system
        self._crossings = crossings
        self._separation = separation
        self._clock = clock
        self._count = np.zeros(2, np.int64)
        self._ended = np.zeros((len(STAGES), 2), np.int64)
        self._sub_step: SubStep | None = None
        self._span = np.zeros(2)
        self._present: tuple[SubStep, Options] | None = None
        self.stays = False
        self._sources: tuple[object, ...] = ()  # of what it holds
        self.made = NOTHING

    @property
    def sees_impacts(self) -> bool:
        """Return whether the kernel sees all at which sub-steps may have to end, if they end at impacts."""
        settings = self._system.state.settings
        return not settings.time_of_impact or (settings.continuous_collision and not self._system.has_stops)

    def make(self, h: float, options: Options, unseen: float, before: np.ndarray | None) -> None:
        """Make as many stages as possible.

        Args:
            h: length of the sub-step [s].
            options: of the sub-step.
            unseen: time [s] at its end since contacts were last looked for.
            before: (n, 3) positions [m] at that time; None: at the start of the sub-step.
        """
        self.made = NOTHING
        sub_step = self.prepare(before)
        if sub_step is not None:
            self._span[:] = h, unseen
            self.run(make_at_once, sub_step, options, sub_step, options, False, self.stays)

    def prepare(self, before: np.ndarray | None) -> SubStep | None:
        """Return what the stages work on; None if something speaks against making them ahead.

        Args:
            before: as for `make`.
        """
        system, state = self._system, self._system.state
        if state.aside is not None or state.sleepers.count or not system.knows_blocks:
            return None
        detection = system.detector.known_detection(state.table.count, state.settings.contact_margin)
        if detection is None or system.contacts is not system.detector.contacts:
            return None
        sizes = self._crossings.take_sizes()
        if sizes is None:
            return None
        sub_step = self._gather(detection, sizes)
        if before is not sub_step.before and not (before is None and len(sub_step.before) == 0):
            sub_step.before = AT_THE_START if before is None else before
        self.stays = system.knows_islands
        return sub_step

    def run(self, kernel: Kernel, sub_step: SubStep, options: Options, *arguments: Any) -> int:
        """Have a kernel make stages, and take note of how far it came.

        Args:
            kernel: called with the `arguments`; returns the last stage that was made.
            sub_step: what `prepare` returned.
            options: as for `make`.
        """
        system = self._system
        kept, system.memory = system.memory, system.spare_memory()
        sub_step.regrouping.step[0] = system.state.step
        sub_step.point("memory", system.memory)
        sub_step.building.point("memory", system.memory)
        self.made = made = int(kernel(*arguments))
        if made <= REFUSED:
            system.memory = kept
        else:
            system.gone.corrected = system.memory
        self._present = sub_step, options
        self._note(_ENDED if kernel is make_at_once else _ENDED_PLANNED)
        return made

    def go_on(self) -> None:
        """Make the stages after the motion, once fast bodies were looked at."""
        if self.made == FAST and self._present is not None:
            self.made = make_at_once(*self._present, True, self.stays)
            self._note(_ENDED_AFTER)

    def end(self) -> None:
        """Make the stages after the detection, once the islands of its contacts were found."""
        if self.made != DETECTED or self._present is None:
            return
        known, options = self._present
        self._gather(known.detection, known.sizes)
        self.made = end_at_once(known, options)
        self._note(_ENDED_LAST)

    def _note(self, ended: tuple[tuple[int, ...], ...]) -> None:
        """Take note of contacts and times of what was made."""
        if self.made >= DETECTED:
            self._system.contacts.count = int(self._count[0])
            self._count[1] = 0
        self._clock.take(self._ended, ended[self.made])

    def _gather(self, detection: Detection, sizes: BodySizes) -> SubStep:
        """Return what the stages work on, made anew only if anything of it was replaced."""
        system, state, known = self._system, self._system.state, self._sub_step
        sources = (detection, sizes, *_sources(system))
        # those that sleep, or were set aside, were static in the general stages
        if known is not None and known.system.bodies is state.table.arrays:
            if all(map(is_, sources, self._sources)):
                return known
        now = (
            system.system,
            system.building,
            system.memory,
            detection,
            self._separation.prepare(),
            state.gravity,
            state.statistics,
            state.settings.continuous_collision,
            AT_THE_START,
            self._span,
            sizes,
            NOBODY if sizes is NO_SIZES else self._crossings.jointed()[0],
            system.prepare_regrouping(),
            self._count,
            self._ended,
        )
        if known is None:
            known = self._sub_step = SubStep(*now)
        else:
            known.update(*now)
        self._sources = sources
        return known
