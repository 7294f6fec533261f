"""Kernels that check bounds: what `.ci/run` builds with NUMBA_BOUNDSCHECK finds accesses out of range."""

import os
import subprocess
import sys
from pathlib import Path

PLANTED = """
from typing import Annotated

import numpy as np

from stoss.collision.kernels.decorators import kernel
from stoss.collision.kernels.structs import Struct
from stoss.collision.kernels.types import Floats


class Rows(Struct):
    values: Annotated[Floats, "rows", 3]


@kernel
def read(rows: Rows, i: int) -> float:
    return rows.values[i, 1]


@kernel
def ask(rows: Rows, i: int) -> float:
    return read(rows, i)


rows = Rows(np.zeros((4, 3)))
print(read(rows, 3), ask(rows, 3))
try:
    read(rows, 4)
    print("missed")
except IndexError as error:
    print(error)
ask(rows, 4)
"""


def test_a_planted_error_is_found(tmp_path: Path) -> None:
    """Raise IndexError for an array of a struct; report it too where one kernel calls another by address."""
    script = tmp_path / "planted.py"
    script.write_text(PLANTED)
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "STOSS_CACHE_DIR": str(tmp_path / "kernels")}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["0.0 0.0", "index is out of bounds"]
    assert "Exception ignored" in done.stderr and "IndexError: index is out of bounds" in done.stderr
