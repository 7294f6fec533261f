"""What happened when: marks for impacts, broken joints and commands, which the time bar shows."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stoss.viewer.world.commands import MovePointer
from stoss.viewer.world.stage import Command, Release

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["KINDS", "FilmStrip", "Mark", "hardest_impact"]

KINDS = ("impact", "break", "command")

# An impact changes a velocity by more than gravity does in so many steps: contacts at rest flicker by less.
_ABOVE_REST = 3.0
_LEAST_IMPACT = 1e-3  # [m/s]
# Commands that come with every motion of the mouse, or end what another one began.
_UNMARKED = (MovePointer, Release)
# The same command so many steps later is the same motion of a slider.
_ONE_MOTION = 20


class Mark(NamedTuple):
    """Something that happened in a step.

    Attributes:
        step: number of the step that it was part of.
        kind: of `KINDS`.
        size: change of velocity by an impact [m/s]; 1 for the others.
        text: what it was.
    """

    step: int
    kind: str
    size: float
    text: str


class FilmStrip:
    """The marks of a recording in the order of their steps. One thread writes, any may read."""

    def __init__(self) -> None:
        self._marks: list[Mark] = []
        self._made: tuple[tuple[int, ...], dict[str, np.ndarray]] | None = None

    @property
    def marks(self) -> list[Mark]:
        """Return all marks, as a copy."""
        return list(self._marks)

    def note_step(self, world: "World") -> None:
        """Note what happened in the last step of a world."""
        size, pair = hardest_impact(world)
        if size > 0.0:
            self._marks.append(Mark(world.step_count, "impact", size, f"{pair[0]} hits {pair[1]}"))
        for joint in world.broken_joints:
            self._marks.append(Mark(world.step_count, "break", 1.0, f"{joint.name} breaks"))
        for a, b in world.events.broken.tolist():
            text = f"{world.bodies[a].name} and {world.bodies[b].name}: a wall breaks"
            self._marks.append(Mark(world.step_count, "break", 1.0, text))

    def note_command(self, command: Command, step: int) -> None:
        """Note a command that acts after so many steps."""
        if isinstance(command, _UNMARKED):
            return
        text = command.name.replace("_", " ")
        last = next((mark for mark in reversed(self._marks) if mark.kind == "command"), None)
        if last is None or last.text != text or step - last.step >= _ONE_MOTION:
            self._marks.append(Mark(step + 1, "command", 1.0, text))

    def forget_after(self, step: int) -> list[Mark]:
        """Drop what is later than a step, and return it."""
        dropped = [mark for mark in self._marks if mark.step > step]
        self._marks = [mark for mark in self._marks if mark.step <= step]
        return dropped

    def add(self, marks: list[Mark]) -> None:
        """Add marks that are later than all others."""
        self._marks = [*self._marks, *marks]

    def near(self, first: float, last: float) -> list[Mark]:
        """Return the marks from a step to another, those of a kind that is rare before impacts."""
        found = [mark for mark in self.marks if first <= mark.step <= last]
        return sorted(found, key=lambda mark: (mark.kind == "impact", -mark.size))

    def columns(self, first: int, last: int, count: int) -> dict[str, np.ndarray]:
        """Return the largest size of each kind in so many equal parts of the steps, (count,) each."""
        marks = self.marks
        asked = (len(marks), marks[-1].step if marks else 0, first, last, count)
        if self._made is not None and self._made[0] == asked:
            return self._made[1]
        made = {kind: np.zeros(count) for kind in KINDS}
        for kind, sizes in made.items():
            own = [(mark.step, mark.size) for mark in marks if mark.kind == kind]
            if own:
                steps, values = np.array(own, float).T
                place = ((steps - first) / max(1, last - first) * (count - 1)).round().astype(int)
                np.maximum.at(sizes, np.clip(place, 0, count - 1), values)
        self._made = asked, made
        return made


def hardest_impact(world: "World") -> tuple[float, tuple[str, str]]:
    """Return the hardest impact of the last step: the change of velocity [m/s], and the names of both bodies.

    An impact is a contact that began in the step with a larger impulse than gravity asks for; 0 for none.
    Contacts of the first step of all were there before.
    """
    begun = world.events.begin
    nothing = 0.0, ("", "")
    if not len(begun) or world.step_count <= 1:
        return nothing
    contacts = world.contacts
    keys = np.minimum(contacts.body_a, contacts.body_b) << 32 | np.maximum(contacts.body_a, contacts.body_b)
    pairs, of = np.unique(keys, return_inverse=True)
    impulses = np.array([np.bincount(of, contacts.impulse[:, k], len(pairs)) for k in range(3)])
    rows = np.stack([pairs >> 32, pairs & 0xFFFFFFFF])
    masses = np.where(world.masses > 0.0, world.masses, np.inf)
    changes = np.linalg.norm(impulses, axis=0) / masses[rows].min(axis=0, initial=np.inf)
    changes[~np.isin(pairs, begun[:, 0] << 32 | begun[:, 1])] = 0.0
    if not len(changes):
        return nothing
    hardest = int(changes.argmax())
    size = float(changes[hardest])
    rest = float(np.linalg.norm(world.gravity)) * world.time_step
    if not size > max(_ABOVE_REST * rest, _LEAST_IMPACT):
        return nothing
    a, b = (world.bodies[row].name for row in rows[:, hardest])
    return size, (a, b)
