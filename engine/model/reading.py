"""From what a file says, as plain values, to records: keys, names, expressions and types are checked."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from stoss.collision.plain_numbers import shown
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.expressions import Expression, evaluate, evaluate_parameters
from stoss.engine.model.model_data import ModelData
from stoss.engine.model.origin import NOWHERE, Origin, Place
from stoss.engine.model.references import check_references
from stoss.engine.model.schema import Form, forms, settings_forms
from stoss.engine.model.shorthands import SHORTHANDS, unfolded
from stoss.engine.settings import Settings
from stoss.names import hint

__all__ = ["read_model"]

_Path = tuple[str | int, ...]  # of a value among the records
_Model = TypeVar("_Model", bound=ModelData)


def read_model(kind: type[_Model], tree: Any, origin: Origin = NOWHERE, *, check: bool = True) -> _Model:
    """Return the model that plain values describe.

    Args:
        kind: the class of models.
        tree: tables as dicts, lists, numbers, texts, true and false. Models within it are of that class.
        origin: where it is from, for messages.
        check: whether to look for what is named in it and is not there; a part of a model names other parts.

    Raises:
        ModelError: names file, line, key, value and cure.
    """
    return _Reader(tree, origin).read(kind, check)


class _Reader:
    """What is known while a model is read."""

    def __init__(self, tree: Any, origin: Origin) -> None:
        self.tree, self.origin = tree, origin
        self.expressions: list[tuple[_Path, Expression]] = []
        self.names: dict[str, float] = {}
        self.plane: str | None = None

    def error(self, place: Place, message: str) -> ModelError:
        return self.origin.error(place, message)

    def read(self, kind: type[_Model], check: bool) -> _Model:
        tree = self.tree
        if not isinstance(tree, dict):
            raise self.error((), f"{shown(tree)} is no model; write tables such as [bodies.box]")
        self.names = self.parameters(tree.get("params", {}))
        world = tree.get("world")
        plane = world.get("planar") if isinstance(world, dict) else None
        self.plane = plane if plane in ("xy", "xz", "yz") else None
        plain = self.record(ModelData, tree, (), ())
        within = plain.pop("models", [])
        models = [one.pop("model") for one in within]
        try:
            model = msgspec.convert({**plain, "models": within}, kind)
        except msgspec.ValidationError as error:
            raise self.typed(error, plain) from error
        except (ValueError, TypeError) as error:  # what the settings say
            raise self.error(("world", "settings"), str(error)) from error
        subs = tuple([sub.replace(model=one) for sub, one in zip(model.models, models, strict=True)])
        for path, expression in self.expressions:
            if path[:1] == ("models",):
                subs = _put(subs, path[1:], expression)
            else:
                _put(model, path, expression)
        if check:
            self.check_names(model)
        found: _Model = model.replace(models=subs, origin=self.origin)
        return found

    def parameters(self, given: Any) -> dict[str, float]:
        """Return the values of the parameters."""
        if not isinstance(given, dict):
            raise self.error(("params",), f"params = {shown(given)} must be a table of names and numbers")
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float | str):
                raise self.error(
                    ("params", name), f"{name} = {shown(value)} must be a number or an expression"
                )
            if value != value:
                raise self.error(("params", name), f"{name} = nan is not a number; give one")
        try:
            return evaluate_parameters(given)
        except ModelError as error:
            match = re.match(r"params\.(\w+): (.*)", str(error), re.DOTALL)
            place, text = (("params", match[1]), match[2]) if match else (("params",), str(error))
            raise self.error(place, text) from error

    # ------------------------------------------------------------- records

    def record(self, kind: type[records.Record], tree: Any, place: Place, path: _Path) -> dict[str, Any]:
        """Return a record as msgspec takes it, its expressions as numbers."""
        if not isinstance(tree, dict):
            raise self.error(place, f"{shown(tree)} must be a table of keys and values")
        try:
            tree = unfolded(kind, tree, self.plane)
        except ModelError as error:
            raise self.error(place, str(error)) from error
        known, found = forms(kind), {}
        for key, value in tree.items():
            form = known.get(key)
            if form is None:
                self.unknown(kind, key, value, place)
            assert form is not None
            found[key] = self.value(form, value, (*place, key), (*path, key))
        return found

    def unknown(self, kind: type[records.Record], key: Any, value: Any, place: Place) -> None:
        """Raise, naming the nearest key."""
        keys = [*forms(kind), *SHORTHANDS.get(kind, {})]
        if kind is not ModelData and "name" in keys:
            keys.remove("name")
        raise self.error(
            (*place, str(key)),
            f"{key} = {shown(value)}: there is no key {key!r}{hint(str(key), keys)}; known: "
            f"{', '.join(keys)}",
        )

    def value(self, form: Form, value: Any, place: Place, path: _Path) -> Any:
        """Return a value as msgspec takes it."""
        what = form.what
        if what == "number":
            return self.number(value, place, path)
        if what == "numbers" or (what == "color" and not isinstance(value, str)):
            return self.numbers(form, value, place, path)
        if what == "rows" and not form.whole and isinstance(value, list):
            row = Form("numbers", form.size)
            return [self.numbers(row, one, (*place, i), (*path, i)) for i, one in enumerate(value)]
        if what == "record":
            if form.of is Settings:
                return self.settings(value, place, path)
            if form.of is ModelData:
                return value
            return self.record(form.of, value, place, path)
        if what == "records":
            return self.many(form, value, place, path)
        if what == "map":
            if not isinstance(value, dict):
                raise self.error(place, f"{shown(value)} must be a table of names and values")
            return {
                str(name): self.value(form.of, one, (*place, name), (*path, name))
                for name, one in value.items()
            }
        return value

    def number(self, value: Any, place: Place, path: _Path) -> Any:
        if type(value) is str:
            try:
                found = evaluate(value, self.names)
            except ModelError as error:
                raise self.error(place, str(error)) from error
            self.expressions.append((path, Expression(found, value)))
            return found
        if value != value:
            raise self.error(place, "nan is not a number; give one")
        return value

    def numbers(self, form: Form, value: Any, place: Place, path: _Path) -> Any:
        if not isinstance(value, list):
            return value
        for number, one in enumerate(value):
            if type(one) is not float and type(one) is not int:
                value = [self.number(one, (*place, i), (*path, i)) for i, one in enumerate(value)]
                break
            if one != one:
                raise self.error((*place, number), "nan is not a number; give one")
        if form.size == 3 and len(value) == 2 and self.plane is not None:
            return self.in_space(value, path)
        return value

    def in_space(self, value: list[Any], path: _Path) -> list[Any]:
        """Return the two numbers of a planar model as three."""
        places = ["xyz".index(axis) for axis in self.plane or ""]
        moved = {(*path, old): (*path, new) for old, new in enumerate(places)}
        self.expressions = [(moved.get(at, at), one) for at, one in self.expressions]
        found = [0.0, 0.0, 0.0]
        for new, one in zip(places, value, strict=True):
            found[new] = one
        return found

    def settings(self, value: Any, place: Place, path: _Path) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(place, f"{shown(value)} must be a table of settings")
        known = settings_forms()
        for key, one in value.items():
            if key not in known:
                raise self.error(
                    (*place, str(key)),
                    f"{key} = {shown(one)}: there is no setting {key!r}{hint(str(key), known)}; known: "
                    f"{', '.join(known)}",
                )
        return {key: self.value(known[key], one, (*place, key), (*path, key)) for key, one in value.items()}

    def many(self, form: Form, value: Any, place: Place, path: _Path) -> list[Any]:
        """Return records as a list; those with names are a table of them in files."""
        if isinstance(form.of, tuple):
            return self.pairs(value, place)
        if not form.named:
            if not isinstance(value, list):
                raise self.error(place, f"{shown(value)} must be a list of tables")
            return [self.record(form.of, one, (*place, i), (*path, i)) for i, one in enumerate(value)]
        if not isinstance(value, dict):
            raise self.error(place, f"{shown(value)} must be a table with a table for each name")
        found = []
        for number, (name, one) in enumerate(value.items()):
            own, at = (*place, str(name)), (*path, number)
            if form.of is records.Parameter:
                found.append({"name": name, "value": self.number(one, own, (*at, "value"))})
                continue
            if form.of is records.Marker and isinstance(one, list):
                one = {"position": one}
            if isinstance(one, dict) and "name" in one:
                raise self.error((*own, "name"), "its name is the key already; leave it out")
            found.append({"name": str(name), **self.record(form.of, one, own, at)})
        return found

    def pairs(self, value: Any, place: Place) -> list[list[str]]:
        if not isinstance(value, list):
            raise self.error(place, f"{shown(value)} must be a list of pairs of names")
        for number, one in enumerate(value):
            if not isinstance(one, list) or len(one) != 2 or not all(isinstance(name, str) for name in one):
                raise self.error((*place, number), f"{shown(one)} must be a pair of names")
        return value

    # ------------------------------------------------------------- after types were checked

    def typed(self, error: msgspec.ValidationError, plain: dict[str, Any]) -> ModelError:
        """Return an error with the place, and the value there, from what msgspec says."""
        text, _, where = str(error).partition(" - at `$")
        place: list[str | int] = []
        value: Any = plain
        for key, number in re.findall(r"\.([^.\[\]`]+)|\[([^\]]*)\]", where.rstrip("`")):
            value = _inner(value, key if key else number)
            if number and isinstance(value, dict) and "name" in value:
                place.append(str(value["name"]))
            else:
                place.append(key or (int(number) if number.isdecimal() else number))
        missing = re.fullmatch(r"Object missing required field `(\w+)`", text)
        if missing:
            return self.error(tuple(place), f"{missing[1]} is missing; give it")
        told = text[:1].lower() + text[1:].replace("`", "")
        return self.error(tuple(place), f"{shown(value)}: {told}")

    def check_names(self, model: ModelData) -> None:
        """Check that what is named is there, so that a wrong name is found before anything is built."""
        if model.models or any(sub.model is not None for sub in model.models):
            return
        check_references(model, self.origin)


def _inner(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return value.get(key, value)
    if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
        return value[int(key)]
    return value


def _put(owner: Any, path: _Path, value: Expression) -> Any:
    """Return what holds a value at a path with another value there; records are changed as they are."""
    if not path:
        return value
    key = path[0]
    if isinstance(owner, tuple) and isinstance(key, int):
        new = _put(owner[key], path[1:], value)
        return owner if new is owner[key] else (*owner[:key], new, *owner[key + 1 :])
    if isinstance(owner, Mapping):
        owner[key] = _put(owner[key], path[1:], value)  # type: ignore[index]
        return owner
    old = getattr(owner, str(key))
    new = _put(old, path[1:], value)
    if new is not old:
        if isinstance(owner, Settings):
            object.__setattr__(owner, str(key), new)
        else:
            msgspec.structs.force_setattr(owner, str(key), new)
    return owner
