"""`stoss help settings`: the settings of the engine, with their values and what they mean."""

import argparse
import dataclasses
import textwrap

from stoss.docstrings import sections
from stoss.engine import Settings

__all__ = ["help_page"]


def help_page(options: argparse.Namespace) -> int:
    """Carry out `stoss help settings` and return the exit code."""
    del options
    told = sections(Settings)["Args"]
    for field in dataclasses.fields(Settings):
        print(f"{field.name} = {field.default!r}")
        print(textwrap.fill(told[field.name], 100, initial_indent="    ", subsequent_indent="    "))
    print("\nstoss run SCENE --set NAME=VALUE gives one; in Python: st.Settings(sweeps=30).")
    return 0
