"""Redo the tables of the thesis, its figures beside ours: `python -m stoss.benchmarks.thesis_tables`.

Joints (Bender 2007, sections 3.3.3.1 and 3.5) and contacts (sections 4.6 and 5.5).
"""

from stoss.benchmarks.thesis_tables.command import TABLES, main
from stoss.benchmarks.thesis_tables.joints import thesis_settings

__all__ = ["TABLES", "main", "thesis_settings"]
