"""Names within a model: each thing has its own, and what is named is there."""

from collections.abc import Iterable, Sequence
from typing import Any

from stoss.engine.expressions import ExpressionError, with_numbers
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.kinds import arguments
from stoss.engine.model.origin import Origin, Place
from stoss.names import hint

__all__ = ["check_references"]


def check_references(model: Any, origin: Origin) -> None:
    """Raise unless all that is named is there.

    Args:
        model: without models within it.
        origin: where it is from, for messages.

    Raises:
        ModelError: names the place, the name, and the nearest.
    """
    _References(model, origin).check()


class _References:
    def __init__(self, model: Any, origin: Origin) -> None:
        self.model, self.origin = model, origin
        self.bodies = [one.name for one in model.bodies]
        self.markers = [one.name for one in model.markers]
        self.markers += [f"{body.name}:{one.name}" for body in model.bodies for one in body.markers]
        self.joints = [one.name for one in model.joints]
        self.coordinates = [one.name for one in model.coordinates]
        self.ends = {*self.bodies, *self.markers}

    def check(self) -> None:
        model = self.model
        materials = [one.name for one in model.materials]
        meshes = [one.name for one in model.meshes]
        known_meshes, known_materials = set(meshes), set(materials)
        for what in ("params", "materials", "meshes", "bodies", "markers", "joints", "coordinates", "forces"):
            self._once(what, [one.name for one in getattr(model, what)])
        for number, pair in enumerate(model.material_pairs):
            for end in ("first", "second"):
                if getattr(pair, end) not in known_materials:
                    self._unknown(("material_pairs", number, end), getattr(pair, end), materials, "material")
        for body in model.bodies:
            place: Place = ("bodies", body.name)
            if body.material is not None and body.material not in known_materials:
                self._unknown((*place, "material"), body.material, materials, "material")
            if body.mass_mesh is not None and body.mass_mesh not in known_meshes:
                self._unknown((*place, "mass_mesh"), body.mass_mesh, meshes, "mesh")
            for list_name in ("shapes", "display"):
                for number, shape in enumerate(getattr(body, list_name)):
                    own = (*place, list_name, number)
                    self._typed(own, shape, records.Shape)
                    if shape.mesh is not None and shape.mesh not in known_meshes:
                        self._unknown((*own, "mesh"), shape.mesh, meshes, "mesh")
        for joint in model.joints:
            self._joint(joint)
        for load in model.forces:
            self._load(load)
        for number, (first, second) in enumerate(model.exclude):
            for name in (first, second):
                if name not in self.ends:
                    self._unknown(("exclude", number), name, self.bodies, "body")
        for one in model.coordinates:
            if one.joint not in self.joints:
                self._unknown(("coordinates", one.name, "joint"), one.joint, self.joints, "joint")

    def _joint(self, joint: records.Joint) -> None:
        place: Place = ("joints", joint.name)
        self._typed(place, joint, records.Kind)
        for number, kind in enumerate(joint.kinds):
            self._typed((*place, "kinds", number), kind, records.Kind)
        for number, action in enumerate(joint.actions):
            self._typed((*place, "actions", number), action, records.Action)
        for end in ("first", "second"):
            name = getattr(joint, end)
            if name is not None and name not in self.ends:
                known = [*self.bodies, *self.markers]
                self._unknown((*place, end), name, known, "body, and no marker 'body:marker',")
        for end in ("joint_1", "joint_2"):
            name = getattr(joint, end)
            if name is not None and name not in self.joints:
                self._unknown((*place, end), name, self.joints, "joint")

    def _load(self, load: records.Load) -> None:
        place: Place = ("forces", load.name)
        self._typed(place, load, records.Load)
        ends = ("at", "body", "first", "second", "soft", "bone", "ground")
        places = [(end, getattr(load, end)) for end in ends] + [("points", one) for one in load.points]
        for end, name in places:
            if name is not None and name not in self.ends:
                self._unknown((*place, end), name, [*self.bodies, *self.markers], "body or marker")
        if load.factor is not None:
            try:
                with_numbers(load.factor, {one.name: 0.0 for one in self.model.params})
            except ExpressionError as error:
                raise self.origin.error((*place, "factor"), str(error)) from error
        if load.joint is not None and load.joint not in self.joints:
            self._unknown((*place, "joint"), load.joint, self.joints, "joint")

    def _typed(self, place: Place, record: Any, base: type[records.Record]) -> None:
        """Check that a type is known."""
        try:
            arguments(base, record.type)
        except ModelError as error:
            raise self.origin.error((*place, "type"), str(error)) from error

    def _once(self, what: str, names: Sequence[str]) -> None:
        if len(set(names)) != len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise self.origin.error((what, twice), f"{twice!r} is there twice; names of {what} are unique")

    def _unknown(self, place: Place, name: str, known: Iterable[str], what: str) -> None:
        names = list(known)
        near = hint(name, names)
        some = ", ".join(names[:8]) + (" ..." if len(names) > 8 else "") or "none"
        raise self.origin.error(place, f"{name!r} is no {what}{near}; there are {some}")
