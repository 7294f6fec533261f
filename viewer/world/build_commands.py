"""Commands that build: they change the model of a world, and the world with it.

What they hold is what a file of the model would say, so a session is read and checked as a file is.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stoss.engine.model import Model, editing
from stoss.engine.model.beginning import beginning_here, with_joint_moved
from stoss.viewer.world import draft
from stoss.viewer.world.stage import Command, Stage, Vector

__all__ = [
    "AddBodyOfMesh",
    "AddShapeOfMesh",
    "AddThing",
    "BeginHere",
    "Build",
    "ChangeThing",
    "ChangeWorld",
    "Edit",
    "MoveJoint",
    "RedoEdit",
    "RemoveThing",
    "RenameThing",
    "UndoEdit",
]


@dataclass(frozen=True)
class Edit(Command):
    """Base of the commands that change the model."""

    builds = "edit"

    @property
    def label(self) -> str:
        """Return what it does, in words."""
        raise NotImplementedError


@dataclass(frozen=True)
class Build(Edit):
    """Begin to build on the world: from now on it has a model."""

    @property
    def label(self) -> str:
        """See the base."""
        return "begin to build"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.begin(stage)


@dataclass(frozen=True)
class AddThing(Edit):
    """Add a body, a joint, a marker, a material or a mesh to the model.

    `section` is the table of a file, such as "bodies"; a marker on a body is called "body:marker"; `values`
    is what a file would say of it.
    """

    section: str
    thing: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """See the base."""
        return f"add {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.edit(
            stage, lambda model: editing.added(model, self.section, self.thing, self.values), self.label
        )


@dataclass(frozen=True)
class AddBodyOfMesh(Edit):
    """Add a body of the mesh in a file: its "convex_hull", or all its triangles ("triangle_mesh").

    `values` is what else a file of a model would say of the body.
    """

    thing: str
    file: str
    shape: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """See the base."""
        return f"add {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""

        def change(model: Model) -> Model:
            model, mesh = _with_mesh(model, self.file)
            shapes = [{"type": self.shape, "mesh": mesh}]
            return editing.added(model, "bodies", self.thing, {**self.values, "shapes": shapes})

        draft.edit(stage, change, self.label)


@dataclass(frozen=True)
class AddShapeOfMesh(Edit):
    """Add a shape of the mesh in a file to a body: to its "shapes", or to its "display"."""

    thing: str
    shapes: str
    file: str
    shape: str

    @property
    def label(self) -> str:
        """See the base."""
        return f"add a shape to {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""

        def change(model: Model) -> Model:
            model, mesh = _with_mesh(model, self.file)
            have = editing.tree_of(model, "bodies", self.thing).get(self.shapes, [])
            values = {self.shapes: [*have, {"type": self.shape, "mesh": mesh}]}
            return editing.changed(model, "bodies", self.thing, values)

        draft.edit(stage, change, self.label)


def _with_mesh(model: Model, file: str) -> tuple[Model, str]:
    """Return a model that has the mesh of a file, and how it is called."""
    mesh = next((one.name for one in model.meshes if one.file == file), None)
    if mesh is None:
        mesh = editing.free_name(model, "meshes", Path(file).stem or "mesh")
        model = editing.added(model, "meshes", mesh, {"file": file})
    return model, mesh


@dataclass(frozen=True)
class ChangeThing(Edit):
    """Change values of a thing of the model, by their keys; None takes a key away.

    Changes one after the other with the same `stroke`, not "", are undone together.
    """

    section: str
    thing: str
    values: dict[str, Any]
    stroke: str = ""

    @property
    def label(self) -> str:
        """See the base."""
        return f"change {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.edit(
            stage,
            lambda model: editing.changed(model, self.section, self.thing, self.values),
            self.label,
            self.stroke,
        )


@dataclass(frozen=True)
class RenameThing(Edit):
    """Call a thing of the model otherwise, wherever it is named."""

    section: str
    thing: str
    new: str

    @property
    def label(self) -> str:
        """See the base."""
        return f"rename {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.edit(
            stage, lambda model: editing.renamed(model, self.section, self.thing, self.new), self.label
        )


@dataclass(frozen=True)
class RemoveThing(Edit):
    """Remove a thing from the model; with a body its joints go too."""

    section: str
    thing: str

    @property
    def label(self) -> str:
        """See the base."""
        return f"remove {self.thing}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.edit(stage, lambda model: editing.removed(model, self.section, self.thing), self.label)


@dataclass(frozen=True)
class ChangeWorld(Edit):
    """Change keys of `[world]`: gravity, time_step, settings and so on."""

    values: dict[str, Any]
    stroke: str = ""

    @property
    def label(self) -> str:
        """See the base."""
        return f"change {', '.join(self.values)}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.edit(stage, lambda model: editing.with_world(model, self.values), self.label, self.stroke)


@dataclass(frozen=True)
class MoveJoint(Edit):
    """Move a joint by (3,) [m] and turn it about a point (3,) [m]; its bodies stay where they are."""

    joint: str
    shift: Vector
    quaternion: Vector = (1.0, 0.0, 0.0, 0.0)
    about: Vector = (0.0, 0.0, 0.0)
    stroke: str = ""

    @property
    def label(self) -> str:
        """See the base."""
        return f"move {self.joint}"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""

        def change(model: Model) -> Model:
            x, y, z = self.shift
            w, i, j, k = self.quaternion
            a, b, c = self.about
            return with_joint_moved(model, self.joint, (x, y, z), (w, i, j, k), (a, b, c))

        draft.edit(stage, change, self.label, self.stroke)


@dataclass(frozen=True)
class BeginHere(Edit):
    """Let the model begin in the present state of its world."""

    @property
    def label(self) -> str:
        """See the base."""
        return "begin here"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        broken = draft.begin(stage).broken
        draft.edit(stage, lambda model: beginning_here(model, stage.world, broken), self.label)


@dataclass(frozen=True)
class UndoEdit(Edit):
    """Return to the model before the last edit."""

    @property
    def label(self) -> str:
        """See the base."""
        return "undo"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.undo(stage)


@dataclass(frozen=True)
class RedoEdit(Edit):
    """Return to the model before the last undo."""

    @property
    def label(self) -> str:
        """See the base."""
        return "redo"

    def carry_out(self, stage: Stage) -> None:
        """See the class."""
        draft.redo(stage)
