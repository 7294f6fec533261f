"""`stoss bench`: measure the standard scenes, print the table, keep and compare the figures."""

import argparse
import dataclasses
import json
import sys

from stoss.benchmarks.compare import comparison, format_table, read_results
from stoss.benchmarks.measure import measure, results_file
from stoss.benchmarks.presets import PRESETS
from stoss.command_line.inputs import check_writable, chosen_settings
from stoss.command_line.progress import watched_kernels
from stoss.engine import SimulationError
from stoss.errors import UsageError
from stoss.files import write_text
from stoss.scenes.registry import suggestion

__all__ = ["bench"]


def bench(options: argparse.Namespace) -> int:
    """Carry out `stoss bench` and return the exit code.

    Raises:
        UsageError: an unknown scene or setting, or a file that cannot be read or written.
    """
    for name in options.scenes:
        if name not in PRESETS:
            raise UsageError(
                f"no benchmark named {name!r}{suggestion(name, PRESETS)}; there are {', '.join(PRESETS)}"
            )
    earlier = None
    if options.against is not None:
        try:
            earlier = read_results(options.against)
        except (OSError, ValueError) as error:
            raise UsageError(f"--against: {error}") from error
    if options.json is not None:
        check_writable("--json", options.json, ".json")
    settings = chosen_settings(options)
    settings_values = dataclasses.asdict(settings)
    results = []
    with watched_kernels(not options.quiet):
        for name in options.scenes or PRESETS:
            if not options.quiet:
                print(f"running {name} ...", file=sys.stderr, flush=True)
            try:
                results.append(
                    measure(PRESETS[name], repeat=options.repeat, steps=options.steps, settings=settings)
                )
            except SimulationError as error:
                message = " ".join(str(error).split())
                print(f"stoss: {name}: the simulation stopped: {message}", file=sys.stderr)
                return 1
    print(format_table(results, settings_values, earlier))
    print("\nsteps per second of processor time; stages in ms per step; compiling and loading not counted")
    if earlier is not None and any(
        comparison(result, settings_values, earlier)[1] == "CHANGED" for result in results
    ):
        print("CHANGED: the same run ends in another state than in " + options.against)
    if options.json is not None:  # last: the table is told even if the file cannot be written
        content = results_file(results, settings_values, options.repeat)
        write_text(options.json, json.dumps(content, indent=1) + "\n")
    return 0
