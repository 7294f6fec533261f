"""The figures of `docs/laws.md` and `docs/contact_laws.md`, with their tables.

python -m stoss.benchmarks.specker [FOLDER]

The pictures are written beside this file, or into a folder that is named.
"""

import sys
from pathlib import Path

from stoss.benchmarks.specker import restitution, stick_slip

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    for study in (stick_slip, restitution):
        study.main(["--plot", str(folder / f"{study.__name__.rpartition('.')[2]}.png")])
        print()
