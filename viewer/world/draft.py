"""A model that is being built: what it says, what is wrong with it, and what it said before.

The world of a stage follows its model. As long as the world has not moved since the model begins, it is built
anew after each edit, so it is to the bit what a file of the model gives. A world that has moved takes over
what can be changed as it is (`stoss.engine.model.live`); where something is put into a place or taken away,
the model begins in the present state, and the world anew with it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stoss.engine.model import Model, ModelError
from stoss.engine.model.beginning import beginning_here
from stoss.engine.model.describing import describe
from stoss.engine.model.describing_joints import COUNTED
from stoss.engine.model.live import change_live, is_live, restore_with_controls
from stoss.engine.model.sound import Problem, sound_part
from stoss.viewer.world.absorbing import absorbed

if TYPE_CHECKING:
    from stoss.engine import Snapshot, World
    from stoss.viewer.world.stage import Stage

__all__ = ["Draft", "Version", "absorb", "describe_now", "edit", "open_draft", "redo", "undo"]

_MOST = 200  # edits that can be undone

Change = Callable[[Model], Model]


@dataclass(frozen=True)
class Version:
    """A model as it was, and its world when it was left.

    Attributes:
        model, sound, problems: as those of a draft.
        snapshot: of the world.
        at_beginning: whether the world was where the model begins.
        label: what was done then.
    """

    model: Model
    sound: Model
    problems: tuple[Problem, ...]
    snapshot: "Snapshot"
    at_beginning: bool
    label: str


@dataclass(frozen=True)
class Draft:
    """A model that is being built.

    Attributes:
        model: the model, with what is wrong in it.
        sound: what of it the world is built of, in plain numbers.
        problems: what is wrong, by its place; empty as a rule.
        begun: the step of the world at which it is as the model begins; -1: none.
        past, future: what can be undone and redone, the next one last.
        stroke: what the last edit belongs to; those that follow with the same one are one edit.
    """

    model: Model
    sound: Model
    problems: tuple[Problem, ...] = ()
    begun: int = -1
    past: tuple[Version, ...] = ()
    future: tuple[Version, ...] = ()
    stroke: str = ""

    @property
    def broken(self) -> set[tuple[str, str]]:
        """Return sections and names of the things that cannot be built."""
        return {(str(place[0]), str(place[1])) for place, _ in self.problems}

    def problem_of(self, section: str, name: str) -> str:
        """Return what is wrong with a thing, "" if nothing is known to be."""
        return next((told for place, told in self.problems if place[:2] == (section, name)), "")


def open_draft(model: Model) -> "tuple[Draft, World]":
    """Return the draft of a model that begins at step 0, and its world.

    Models within it become part of it, and a pose that has to be worked out is worked out. What cannot be
    built is left out of the world, and among the problems.

    Raises:
        ModelError: what is wrong is not wrong with one thing.
    """
    if model.models:
        model = model.flat()
    sound, world, problems = sound_part(model.flat())
    if model.initial != Model().initial:
        model = beginning_here(model, world) if not problems else model
        sound, world, problems = sound_part(model.flat())
    return Draft(model, sound, problems, begun=0), world


def _draft_of(world: "World") -> Draft:
    """Return the draft of a world as it is now."""
    model = Model(**describe(world))
    lost = [line for line in model.left_out if COUNTED not in line]
    if lost:
        raise ModelError(f"a model cannot hold all of this world: {'; '.join(lost)}")
    model = model.replace(left_out=())
    if world.actuators:
        _check_names(world, model)
    return Draft(model, model.flat(), begun=world.step_count)


def _check_names(world: "World", model: Model) -> None:
    """Raise if controls of a world are called otherwise than in one that is built of its model."""
    others = set(world.actuators) - set(model.build().actuators)
    if others:
        raise ModelError(
            f"actuators {', '.join(map(repr, sorted(others)))} of this world are not called as their joints, "
            "as models call them; save it by Model.of(world).save(...), and open that to build on it"
        )


def begin(stage: "Stage") -> Draft:
    """Return the draft of a stage, which it has from now on.

    Raises:
        ModelError: a model cannot hold what the world has.
        ValueError: the world belongs to a program.
    """
    if stage.draft is None:
        if not stage.editable:
            raise ValueError(
                "this world belongs to the program that opened the window; save it there by "
                "Model.of(world).save(...), and open that to build on it"
            )
        stage.let_go()
        if stage.model is None:
            stage.draft = _draft_of(stage.world)
        else:
            stage.draft = replace(open_draft(stage.model)[0], begun=stage.begun)
    return stage.draft


# ------------------------------------------------------------- edits


def edit(stage: "Stage", change: Change, label: str, stroke: str = "") -> None:
    """Change the model, and the world with it.

    Args:
        stage: the stage.
        change: returns another model.
        label: what is done, in words.
        stroke: edits one after the other with the same one, not "", are undone together.

    Raises:
        ModelError, ValueError, TypeError, KeyError: what is wrong; the stage may be changed in part.
    """
    draft = begin(stage)
    stage.let_go()
    world = stage.world
    left = _version(stage, draft, label)
    model = change(draft.model)
    if not left.at_beginning:
        if not draft.problems:
            sound = model.flat()
            if is_live(draft.sound, sound):
                change_live(world, draft.sound, sound)
                stage.draft = _after(replace(draft, model=model, sound=sound), left, stroke, draft)
                return
        model = change(beginning_here(draft.model, world, draft.broken))
    _build(stage, draft, model)
    assert stage.draft is not None
    stage.draft = _after(stage.draft, left, stroke, draft)


def _build(stage: "Stage", draft: Draft, model: Model) -> None:
    """Build the world anew; it begins at the present step.

    Raises:
        ModelError: something is wrong that was not before.
    """
    world = stage.world
    sound, made, problems = sound_part(model.flat())
    if problems:
        for place, told in problems:
            if (str(place[0]), str(place[1])) not in draft.broken:
                raise ModelError(told, place, told)
    made.time, made.step_count = world.time, world.step_count
    restore_with_controls(world, made.save(), sound)
    stage.draft = replace(draft, model=model, sound=sound, problems=problems, begun=world.step_count)


def _version(stage: "Stage", draft: Draft, label: str) -> Version:
    world = stage.world
    at_beginning = world.step_count == draft.begun
    return Version(draft.model, draft.sound, draft.problems, world.save(), at_beginning, label)


def _after(draft: Draft, left: Version, stroke: str, before: Draft) -> Draft:
    """Return a draft that remembers what was left, unless the same stroke goes on."""
    goes_on = bool(stroke) and before.stroke == stroke and bool(before.past)
    past = before.past if goes_on else (*before.past, left)[-_MOST:]
    return replace(draft, past=past, future=(), stroke=stroke)


def undo(stage: "Stage") -> None:
    """Return to the model as it was before the last edit.

    Raises:
        ValueError: there is nothing to be undone.
    """
    draft = stage.draft
    if draft is None or not draft.past:
        raise ValueError("there is no edit to be undone")
    version, here = draft.past[-1], _left(stage, draft, draft.past[-1].label)
    _return_to(stage, draft, version)
    assert stage.draft is not None
    stage.draft = replace(stage.draft, past=draft.past[:-1], future=(*draft.future, here), stroke="")


def redo(stage: "Stage") -> None:
    """Return to the model as it was before the last `undo`.

    Raises:
        ValueError: nothing was undone.
    """
    draft = stage.draft
    if draft is None or not draft.future:
        raise ValueError("no edit was undone")
    version, here = draft.future[-1], _left(stage, draft, draft.future[-1].label)
    _return_to(stage, draft, version)
    assert stage.draft is not None
    stage.draft = replace(stage.draft, past=(*draft.past, here), future=draft.future[:-1], stroke="")


def _left(stage: "Stage", draft: Draft, label: str) -> Version:
    stage.let_go()
    return _version(stage, draft, label)


def _return_to(stage: "Stage", draft: Draft, version: Version) -> None:
    """Bring world and model to a version: as it runs where that can be, else to the state in which it was."""
    world = stage.world
    moved = world.step_count != draft.begun
    begun = draft.begun
    if moved and not (draft.problems or version.problems) and is_live(draft.sound, version.sound):
        change_live(world, draft.sound, version.sound)
    else:
        snapshot = replace(version.snapshot, time=world.time, step_count=world.step_count)
        restore_with_controls(world, snapshot, version.sound)
        begun = world.step_count if version.at_beginning else -1
    stage.draft = replace(
        draft, model=version.model, sound=version.sound, problems=version.problems, begun=begun
    )


# ------------------------------------------------------------- what is done to the world itself


def describe_now(stage: "Stage") -> Model:
    """Return the world as it is, for `absorb`."""
    return Model(**describe(stage.world))


def absorb(stage: "Stage", before: Model, left: "Snapshot", label: str, stroke: str) -> None:
    """Let the model take over what a command has done to the world.

    Args:
        stage: the stage, after the command.
        before: the world before it, by `describe_now`.
        left: the snapshot of that.
        label, stroke: as for `edit`.
    """
    draft = stage.draft
    assert draft is not None
    after = describe_now(stage)
    model = absorbed(draft.model, before, after)
    if model is draft.model:
        return
    at_beginning = stage.world.step_count == draft.begun
    version = Version(draft.model, draft.sound, draft.problems, left, at_beginning, label)
    if at_beginning:
        stage.let_go()
        _build(stage, draft, model)
    else:
        sound, _, problems = sound_part(model.flat())
        stage.draft = replace(draft, model=model, sound=sound, problems=problems)
    assert stage.draft is not None
    stage.draft = _after(stage.draft, version, stroke, draft)
