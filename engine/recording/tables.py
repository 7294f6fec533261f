"""Recordings as tables of others: pandas, polars, and Parquet by pyarrow; stoss needs none of them."""

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.files import replaced

if TYPE_CHECKING:
    from stoss.engine.recording.recording import Recording

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


def to_pandas(recording: "Recording") -> Any:
    """Return a DataFrame of pandas; see `Recording.to_pandas`."""
    pandas = _package("pandas", "to_pandas", "pandas")
    columns = {name: recording[name] for name in recording.columns}
    frame = pandas.DataFrame(columns, index=pandas.Index(recording.time, name="time"))
    frame.attrs["units"] = {name: unit for name, unit, _ in recording._columns}
    return frame


def to_polars(recording: "Recording") -> Any:
    """Return a DataFrame of polars; see `Recording.to_polars`."""
    polars = _package("polars", "to_polars", "polars")
    return polars.DataFrame({"time": recording.time} | {name: recording[name] for name in recording.columns})


def write_parquet(recording: "Recording", path: str | Path) -> None:
    """Write a Parquet file: units are metadata of the columns, what is known of the run that of the table."""
    pyarrow = _package("pyarrow", "writing Parquet", "'stoss[parquet]'")
    parquet = import_module("pyarrow.parquet")
    fields = [pyarrow.field("time", pyarrow.float64(), metadata={"unit": "s"})]
    fields += [
        pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit})
        for name, unit, _ in recording._columns
    ]
    about = {"stoss": json.dumps(recording.about)}
    arrays = [pyarrow.array(recording.time), *(pyarrow.array(recording[name]) for name in recording.columns)]
    with replaced(path) as file:
        parquet.write_table(
            pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, metadata=about)), file
        )
