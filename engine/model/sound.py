"""The sound part of a model in which some things are wrong, and what is wrong with the others."""

from stoss.engine.model.editing import SECTIONS
from stoss.engine.model.errors import ModelError
from stoss.engine.model.model import Model
from stoss.engine.model.origin import NOWHERE, Place
from stoss.engine.model.references import check_references
from stoss.engine.world.world import World

__all__ = ["Problem", "sound_part"]

Problem = tuple[Place, str]  # where, and what is wrong there

_LISTS = ("material_pairs", "exclude")
_MOST = 200  # things that may be wrong


def sound_part(model: Model) -> tuple[Model, World, tuple[Problem, ...]]:
    """Return what can be built of a model in plain numbers, the world of it, and what is wrong with the rest.

    Args:
        model: as `Model.flat` returns it.

    Raises:
        ModelError: what is wrong is not wrong with one thing, or too many are.
    """
    problems: list[Problem] = []
    model = model.replace(origin=NOWHERE)
    while True:
        try:
            check_references(model, NOWHERE)
            return model, model.build(), tuple(problems)
        except ModelError as error:
            kept = _without(model, error.place)
            if kept is None or len(problems) == _MOST:
                raise
            problems.append((error.place, error.reason))
            model = kept


def _without(model: Model, place: Place) -> Model | None:
    """Return a model without the thing at a place, None if there is none."""
    if len(place) < 2:
        return None
    section, which = place[:2]
    things = getattr(model, str(section), ())
    if section in SECTIONS and section != "params":
        kept = list(things)
        for number in range(len(kept) - 1, -1, -1):  # of two with one name, the later one is wrong
            if kept[number].name == which:
                del kept[number]
                break
    elif section in _LISTS and isinstance(which, int):
        kept = [one for number, one in enumerate(things) if number != which]
    else:
        return None
    if len(kept) == len(things):
        return None
    made: Model = model.replace(**{str(section): tuple(kept)})
    return made
