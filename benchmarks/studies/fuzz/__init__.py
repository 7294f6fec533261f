"""Random pairs of shapes in awkward poses, checked against what must hold for any contact.

`python -m stoss.benchmarks.studies.fuzz [pairs] [seed]` prints how often each rule was broken by each pair
of kinds; with `--motion` the pairs move, and it prints how often their energy rose.
"""

from stoss.benchmarks.studies.fuzz.contacts import RULES, check
from stoss.benchmarks.studies.fuzz.motion import check_motion
from stoss.benchmarks.studies.fuzz.pairs import KINDS, draw_pairs, kind_pairs
from stoss.benchmarks.studies.fuzz.support import Support

__all__ = ["KINDS", "RULES", "Support", "check", "check_motion", "draw_pairs", "kind_pairs"]
