"""`stoss bench`: measure the standard scenes, print the table, keep and compare the figures."""

import argparse
import dataclasses
import json
import sys

from stoss.benchmarks.compare import comparison, format_table, read_results
from stoss.benchmarks.measure import measure, results_file
from stoss.benchmarks.presets import PRESETS, Preset
from stoss.command_line.inputs import check_writable, chosen_settings
from stoss.command_line.progress import watched_kernels
from stoss.engine import Settings, SimulationError
from stoss.errors import UsageError
from stoss.files import write_text
from stoss.scenes.registry import find_scene, is_model_file, suggestion

__all__ = ["bench"]

_STEPS = 500  # of a model


def bench(options: argparse.Namespace) -> int:
    """Carry out `stoss bench` and return the exit code.

    Raises:
        UsageError: an unknown scene or setting, or a file that cannot be read or written.
    """
    presets = {name: PRESETS.get(name) or _of_model(name) for name in options.scenes or PRESETS}
    for name, preset in presets.items():
        if preset is None:
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
        for name, preset in presets.items():
            assert preset is not None
            if not options.quiet:
                print(f"running {name} ...", file=sys.stderr, flush=True)
            try:
                # a model has settings of its own, unless others are asked for
                own = None if name not in PRESETS and settings == Settings() else settings
                results.append(measure(preset, repeat=options.repeat, steps=options.steps, settings=own))
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


def _of_model(word: str) -> Preset | None:
    """Return what is measured of the file of a model; nothing if it is none."""
    if not is_model_file(word):
        return None
    try:
        find_scene(word)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return Preset(word, word, _STEPS)
