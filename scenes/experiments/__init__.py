"""Runs that are kept in folders, and sweeps: many runs over a grid of parameters, as one table.

`sweep` is what users call. A plan (`plan`) says what is run, of which source (`source`); a run is carried out
in this or another process (`work`), by local processes (`workers`) or on a Dask cluster (`cluster`); what it
gave is kept (`run_folder`) and told (`table`).
"""

from stoss.scenes.experiments.compare import compare_runs
from stoss.scenes.experiments.sweeps import sweep
from stoss.scenes.experiments.table import SweepTable

__all__ = ["SweepTable", "compare_runs", "sweep"]
