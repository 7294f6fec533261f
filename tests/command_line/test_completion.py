"""Shells complete commands, scenes, options and files of `stoss`."""

import shutil
import subprocess
from pathlib import Path

import pytest

from stoss.command_line.main import main

BASH = """
source {script}
complete_words() {{
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${{#COMP_LINE}}; COMPREPLY=()
    $(complete -p stoss | sed 's/.*-F \\([^ ]*\\).*/\\1/') stoss "${{@: -1}}" "${{@: -2:1}}"
    printf '%s\\n' "${{COMPREPLY[@]}}"
}}
complete_words {words}
"""

ZSH = """
zmodload zsh/zpty
zpty -b shell zsh -f -i
wait_for() {{
    out=
    until [[ $out == *$1* ]]; do sleep 0.05; while zpty -rt shell part; do out+=$part; done; done
}}
zpty -w shell 'fpath=({folder} $fpath); autoload -U compinit; compinit -u -D; PROMPT=rea""dy'
wait_for ready
zpty -w -n shell $'{words}\\t'
wait_for {wanted}
print -r -- "found {wanted}"
zpty -d shell
"""


@pytest.fixture
def script(tmp_path, capsys):
    """Return what writes the script of a shell to a file."""

    def write(shell: str, name: str) -> Path:
        assert main(["completion", shell]) == 0
        (tmp_path / name).write_text(capsys.readouterr().out)
        return tmp_path / name

    return write


def run(*words: str) -> str:
    """Run a shell, which has to be there, and return what it prints."""
    assert shutil.which(words[0]), f"apt-get install {words[0]}"
    return subprocess.run(words, capture_output=True, text=True, timeout=30).stdout


CASES = [
    ("stoss rep", "replay"),
    ("stoss run fun", "funnel"),
    ("stoss render cran", "crane"),
    ("stoss run stack --bod", "--bodies"),
]


@pytest.mark.parametrize(("words", "wanted"), CASES)
def test_bash(script, words, wanted):
    assert run("bash", "-c", BASH.format(script=script("bash", "stoss.bash"), words=words)).split() == [
        wanted
    ]


def test_bash_completes_files(script, tmp_path):
    (tmp_path / "motion.npz").touch()
    text = BASH.format(script=script("bash", "s"), words=f"stoss run stack --save {tmp_path}/mot")
    assert run("bash", "-c", text).split() == [f"{tmp_path}/motion.npz"]


@pytest.mark.parametrize(("words", "wanted"), CASES)
def test_fish(script, words, wanted):
    told = run("fish", "--no-config", "-c", f"source {script('fish', 's.fish')}; complete -C '{words}'")
    assert [line.split("\t")[0] for line in told.splitlines()] == [wanted]


@pytest.mark.parametrize(("words", "wanted"), [CASES[1]])
def test_zsh(script, words, wanted):
    folder = script("zsh", "_stoss").parent
    assert f"found {wanted}" in run("zsh", "-f", "-c", ZSH.format(folder=folder, words=words, wanted=wanted))
