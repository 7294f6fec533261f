"""A model: immutable data of which worlds are built."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stoss.engine.model.building import build_world
from stoss.engine.model.describing import describe
from stoss.engine.model.errors import ModelError
from stoss.engine.model.flattening import flattened
from stoss.engine.model.loading import MOST_BYTES, load_model, loads_model
from stoss.engine.model.model_data import ModelData
from stoss.engine.model.records import Body, Joint
from stoss.engine.model.saving import dumps_model, save_model
from stoss.names import hint

if TYPE_CHECKING:
    from pathlib import Path

    from stoss.engine.world.world import World

__all__ = ["Model"]


class Model(ModelData, frozen=True, kw_only=True):
    """What a world is made of, as data: it is loaded, changed, saved, and built as often as wanted.

    Args:
        name: what it is called.
        description: what it is about, in words.
        world: what holds for the whole world.
        params: named numbers.
        materials, material_pairs: surface values.
        meshes: geometry that shapes name.
        bodies: in their order.
        markers: named frames of the world.
        joints: in their order; couplings after the joints that they couple.
        coordinates: names of coordinates of joints.
        forces: loads: forces, springs and the like, in their order.
        exclude: pairs of bodies that pass through each other.
        initial: the pose in which it begins.
        record: what is to be recorded.
        camera: where it is seen from.
        models: models within it.
        left_out: what an import, or `Model.of`, did not take over, item by item; it is not saved.
        origin: where it was read, for messages; it is not saved.
    """

    # ------------------------------------------------------------- files

    @classmethod
    def load(
        cls,
        path: "str | Path",
        *,
        folder: "str | Path | None" = None,
        most_bytes: int = MOST_BYTES,
        **options: Any,
    ) -> "Model":
        """Read a model from a file: TOML, JSON or XML (.toml, .json, .xml), or a format that is imported.

        Args:
            path: the file.
            folder: in which all files must be that it names; by default its own.
            most_bytes: of each file.
            options: of an import.

        Raises:
            ModelError: names file, line, key, value and cure.
        """
        return load_model(cls, path, folder, most_bytes, options)

    @classmethod
    def loads(cls, text: str, format: str = "toml", *, folder: "str | Path | None" = None) -> "Model":
        """Read a model from a text.

        Args:
            text: of the model.
            format: "toml", "json" or "xml".
            folder: in which the files are that it names; left out: it may name none.

        Raises:
            ModelError: names line, key, value and cure.
        """
        return loads_model(cls, text, format, folder)

    def save(self, path: "str | Path") -> tuple[str, ...]:
        """Write it to a file as TOML, JSON or XML (.toml, .json, .xml), or as others have it (.urdf, .mjcf).

        Numbers are written so that they are read with the same bits. Meshes of files in the folder of `path`
        or below stay there; those of others are written into the model.

        Args:
            path: the file; one that is there is replaced when the new one is complete. Meshes of URDF that
                are in no file of its folder are written into the folder NAME_meshes beside it.

        Returns:
            What the format does not hold, item by item; nothing for TOML, JSON and XML. It is written into
            the file as a comment, too.

        Raises:
            ModelError: another ending, or what writes that format is not installed.
            FileError: the file cannot be written; an older one is as it was.
        """
        return save_model(self, path)

    def dumps(self, format: str = "toml") -> str:
        """Return it as a text; meshes of files are written into it.

        Args:
            format: "toml", "json" or "xml".
        """
        return dumps_model(self, format)

    # ------------------------------------------------------------- to worlds and from them

    def build(self, params: Mapping[str, float] | None = None) -> "World":
        """Return a new world.

        Args:
            params: values of parameters, in place of those of the model.

        Raises:
            ModelError: says where in the model, which value is wrong, and the cure.
        """
        return build_world(self.flat(params))

    def flat(self, params: Mapping[str, float] | None = None) -> "Model":
        """Return this model in plain numbers, without parameters and without models within it.

        Args:
            params: values of parameters, in place of those of the model.

        Raises:
            ModelError: there is no such parameter, or an expression has no value.
        """
        found: Model = flattened(self, params)
        return found

    @classmethod
    def of(cls, world: "World", *, strict: bool = True) -> "Model":
        """Return the model of a world as it is now; what is built of it moves like it, bit for bit.

        A model has no memory: impulses of the last step, who sleeps, and turns that angles have counted are
        those of a snapshot (`world.save()`). So this is true of a world that has made no step.

        Args:
            world: the world.
            strict: refuse a world of which something cannot be described, such as Python callbacks; else that
                is named in `left_out`.

        Raises:
            ModelError: names all that cannot be described, or where NaN was written into an array.
        """
        model = cls(**describe(world))
        if strict and model.left_out:
            raise ModelError(
                f"the world holds what a model cannot: {'; '.join(model.left_out)}. "
                "Model.of(world, strict=False) leaves it out"
            )
        return model

    # ------------------------------------------------------------- its parts

    def body(self, name: str) -> Body:
        """Return the body of that name; an error names the nearest."""
        found: Body = _named(self.bodies, "body", name)
        return found

    def joint(self, name: str) -> Joint:
        """Return the joint of that name; an error names the nearest."""
        found: Joint = _named(self.joints, "joint", name)
        return found


def _named(records: tuple[Any, ...], what: str, name: str) -> Any:
    for one in records:
        if one.name == name:
            return one
    names = [one.name for one in records]
    raise ModelError(
        f"there is no {what} {name!r}{hint(name, names)}; there are {', '.join(names) or 'none'}"
    )
