"""Recordings as tables of others: pandas, polars, and Parquet by pyarrow; stoss needs none of them."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from stoss.engine.recording.content import Content
from stoss.files import replaced

__all__ = ["to_pandas", "to_polars", "write_parquet"]


def _package(name: str, why: str, install: str) -> Any:
    """Return a package.

    Raises:
        ValueError: it is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise ValueError(f"{why} needs {name}: python -m pip install {install}") from None


def _by_name(content: Content) -> dict[str, np.ndarray]:
    return {name: content.column(row) for row, (name, _, _) in enumerate(content.columns)}


def to_pandas(content: Content) -> Any:
    """Return a DataFrame of pandas; see `Recording.to_pandas`."""
    pandas = _package("pandas", "to_pandas", "pandas")
    frame = pandas.DataFrame(_by_name(content), index=pandas.Index(content.time, name="time"))
    frame.attrs["units"] = {name: unit for name, unit, _ in content.columns}
    return frame


def to_polars(content: Content) -> Any:
    """Return a DataFrame of polars; see `Recording.to_polars`."""
    polars = _package("polars", "to_polars", "polars")
    return polars.DataFrame({"time": content.time} | _by_name(content))


def write_parquet(content: Content, path: str | Path) -> None:
    """Write a Parquet file: units are metadata of the columns, what is known of the run that of the table."""
    pyarrow = _package("pyarrow", "writing Parquet", "'stoss[parquet]'")
    parquet = import_module("pyarrow.parquet")
    fields = [pyarrow.field("time", pyarrow.float64(), metadata={"unit": "s"})]
    fields += [
        pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit}) for name, unit, _ in content.columns
    ]
    about = {"stoss": json.dumps(content.about)}
    arrays = [pyarrow.array(content.time), *map(pyarrow.array, _by_name(content).values())]
    with replaced(path) as file:
        parquet.write_table(
            pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, metadata=about)), file
        )
