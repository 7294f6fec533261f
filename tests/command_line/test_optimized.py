"""`python -O` and `-OO`, which drop assertions and docstrings: every command says and does the same."""

import json
import os
import subprocess
import sys

import pytest

# Each command, and what of its output is compared: all of it, or one entry of its report.
_SCRIPT = """
import contextlib, hashlib, importlib, io, json, pkgutil, sys
import stoss
from stoss.command_line.main import main
from stoss.command_line.options import COMMANDS
told = {}
def tell(*words, entry=None):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    text = out.getvalue()
    told[" ".join(words)] = code, json.loads(text)[entry] if entry else text
for command in COMMANDS:
    tell(command, "--help")
tell("list")
tell("cases", "--list")
tell("run", "stack", "--help")
tell("run", "stack", "--duration", "0.02", "--json", entry="state_hash")
tell("run", "chain", "--duration", "0.02", "--json", "--collision", "fcl", entry="state_hash")
tell("prepare", "--quiet")  # how long it took differs
told.pop("prepare --quiet")
from stoss.viewer.world.session import Source
from stoss.viewer.world.stage import Stage
from stoss.viewer.world.commands import SetGravity
source = Source(stoss.SCENES["stack"], {"bodies": 2}, {}, 0.01)
stage = Stage(source.build())
stage.carry_out(SetGravity((0.0, 0.0, -1.0)))
stage.step()
source.session(stage).write(sys.argv[1])
tell("replay", sys.argv[1], "--check")
from stoss.collision.kernels.prepare import all_kernels
told["kernels"] = sorted(kernel.dispatcher._cache.path(kernel.signature).name for kernel in all_kernels())
json.dump(told, sys.stdout)
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return what the commands tell without any option."""
    return told(tmp_path_factory.mktemp("plain"))


def told(folder, *options):
    """Return what the commands tell in a process of Python with these options."""
    words = [sys.executable, *options, "-c", _SCRIPT, "session.json"]
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env=os.environ | {"COLUMNS": "80"}
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_commands_tell_the_same(plain, tmp_path, option):
    """Give the same help, lists, states and exit codes, and find the same compiled kernels."""
    optimized = told(tmp_path, option)
    assert optimized.keys() == plain.keys()
    for name, expected in plain.items():
        assert optimized[name] == expected, name
    assert all(told[0] == 0 for name, told in plain.items() if name != "kernels" and "--help" not in name)


@pytest.mark.parametrize(
    "module",
    ["benchmarks.frames", "command_line.gallery"],
)
def test_other_commands_begin(module):
    """Print the help of what is run as a module."""
    words = [sys.executable, "-OO", "-m", f"stoss.{module}", "--help"]
    assert subprocess.run(words, capture_output=True, check=True).stdout
