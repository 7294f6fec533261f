"""Laws of friction and contact as records, and back."""

import dataclasses
from typing import Any

from stoss.engine.laws.contact import ContactLaw
from stoss.engine.laws.friction_law import FrictionLaw
from stoss.engine.model import records
from stoss.engine.model.errors import ModelError
from stoss.engine.model.kinds import LAWS, arguments, given, type_name

__all__ = ["law_of", "law_record"]


def law_record(law: FrictionLaw | ContactLaw) -> records.Law:
    """Return the record of a law.

    Args:
        law: the law.

    Raises:
        ValueError: models have no such law, as of functions of the user.
    """
    name = type_name(type(law))
    if LAWS.get(name) is not type(law):
        raise ValueError(f"{law!r} cannot be in a model, which has {', '.join(LAWS)}")
    found: dict[str, Any] = {}
    for field in dataclasses.fields(law):
        value = getattr(law, field.name)
        if field.name == "law":
            found[field.name] = law_record(value)
        elif value != field.default:
            found[field.name] = value
    return records.Law(type=name, **found)


def law_of(record: records.Law) -> Any:
    """Return the law of a record.

    Args:
        record: the record.

    Raises:
        ModelError: no such type, a key that it does not have, or one that is missing.
        ValueError, TypeError: numbers that make no law, named with their cure.
    """
    values = given(record, records.Law)
    if "law" in values:
        values["law"] = law_of(values["law"])
    missing = [
        name for name, needed in arguments(records.Law, record.type).items() if needed and name not in values
    ]
    if missing:
        raise ModelError(f"a {record.type} needs {', '.join(missing)}")
    return LAWS[record.type](**values)
