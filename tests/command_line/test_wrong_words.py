"""A hundred wrong command lines: one line each that names the cure, exit code 2, and nothing is written."""

import pytest

from stoss.command_line.main import main

# The words, and the part of the message that tells how to do it right.
WRONG = """
run                                                | stoss list names all
run stak                                           | did you mean stack?
run Stack                                          | did you mean stack?
run --list                                         | name the scene first
run --json stack                                   | name the scene first
stak                                               | there are list, run
stack                                              | did you mean stoss run stack?
rn stack                                           | did you mean run?
RUN stack                                          | did you mean run?
-v                                                 | begin with a command
--json                                             | begin with a command
--verson                                           | begin with a command
help nonsense                                      | there are list, run
help run stak                                      | did you mean stack?
list extra                                         | see stoss list --help
list --jsn                                         | did you mean --json?
run stack --bodes 3                                | did you mean --bodies?
run stack --bod 3                                  | see stoss run stack --help
run stack --bodies -3                              | at least 1
run stack --bodies 0                               | at least 1
run stack --bodies 1e3                             | write digits alone
run stack --bodies abc                             | write digits alone
run stack --bodies 2.5                             | write digits alone
run stack --bodies=                                | write digits alone
run stack --bodies                                 | see stoss run stack --help
run stack --bodies 99999999999                     | at most 1000000
run stack --bodies 2000000                         | at most 1000000
run pyramid --base 1000001                         | at most 1000000
run stack --seed 1.5                               | write digits alone
run stack --offset wide                            | write one such as 0.5
run stack --offset nan                             | give a finite number
run stack --duration -1                            | such as 0.01
run stack --duration 0                             | such as 0.01
run stack --duration nan                           | give a finite number
run stack --duration inf                           | give a finite number
run stack --duration ten                           | write one such as 0.5
run stack --time-step 0                            | such as 0.01
run stack --time-step -0.01                        | such as 0.01
run stack --time-step 1e400                        | give a finite number
run stack --every 0                                | at least 1
run stack --every -1.5                             | or a time, as 0.05 or 2s
run stack extra                                    | see stoss run stack --help
run drop --bodies 3 4                              | see stoss run drop --help
run stack -q                                       | see stoss run stack --help
run stack --json --quiet --jsn                     | did you mean --json?
run stack --friction -1                            | at least 0
run stack --solver foo                             | choose one of auto, direct, gauss_seidel
run stack --motion rk5                             | choose one of symmetric, rk4
run stack --collision bullet                       | choose one of native, fcl
run stack --set foo=1                              | stoss help settings names them
run stack --set sweep=1                            | did you mean sweeps?
run stack --set sweeps                             | such as sweeps=30
run stack --set sweeps=abc                         | give a value like
run stack --set sweeps=-1                          | at least 1
run stack --set sweeps=1.5                         | give a value like
run stack --set sleeping=yes                       | give true or false
run stack --set order=5                            | choose one of 2, 4, 6
run stack --set =3                                 | stoss help settings names them
run stack --set time_step=0.1                      | --time-step 0.1
run bounce --set restitution_rule=max2             | choose one of multiply
run funnel --shapes cube                           | did you mean cubes?
run funnel --shapes balls                          | choose from cubes, mixed, thesis
run stack --save x.txt                             | name it x.npz
run stack --save .                                 | name it motion.npz
run stack --save                                   | see stoss run stack --help
run stack --save /nope/x.npz                       | make it first
run stack --save /proc/x.npz                       | cannot be written
replay                                             | see stoss replay --help
replay nothing.npz                                 | stoss run SCENE --save nothing.npz
replay /etc/passwd                                 | it is none of its files
replay x.npz --memory 0                            | such as 4
replay x.npz --quality best                        | choose from low, medium, high
render stack                                       | see stoss render stack --help
render stack --out x.tiff                          | name it x.png
render stack --out /nope/x.png                     | make it first
render stack --out x.png --size 5                  | 1280x720
render stack --out x.png --size 1280,720           | 1280x720
render stack --out x.png --size 100000x100000      | 16 to 8192 pixels
render stack --out x.png --size 8x8                | 16 to 8192 pixels
render stack --out x.png --view foo                | one of front, right, top
render stack --out x.png --view 10,20,30           | such as -60,20
render stack --out x.png --overlays foo            | choose from contacts
render stack --out x.png --overlays contact        | did you mean contacts?
render stack --out x.png --at -1                   | such as 1.5
render stack --out x.png --quality best            | choose from low, medium, high
render stack --out x.png --colours rainbow         | choose from body, group
render stack --out x.mp4 --fps -5                  | such as 30
view foo                                           | stoss list names all
view --size 0x0                                    | 16 to 8192 pixels
view stack --quality best                          | choose from low, medium, high
view stack --bodies none                           | write digits alone
run stack --out /proc/x                            | cannot be made
run stack --out /etc                               | holds other things than a run
sweep                                              | stoss list names all
sweep stack                                        | --grid NAME=1,2,3
sweep stack --grid                                 | see stoss sweep stack --help
sweep stack --grid bodies                          | NAME=FIRST:LAST:COUNT
sweep stack --grid =3                              | NAME=FIRST:LAST:COUNT
sweep stack --grid bodys=3                         | did you mean bodies?
sweep stack --grid time-step=0.1                   | did you mean time_step?
sweep stack --grid bodies=                         | give whole numbers
sweep stack --grid bodies=2,,3                     | give whole numbers
sweep stack --grid bodies=2.5                      | give whole numbers
sweep stack --grid bodies=2,2                      | give each once
sweep stack --grid bodies=1:4:3                    | choose a count that fits
sweep stack --grid friction=low                    | give finite numbers
sweep stack --grid friction=nan                    | give finite numbers
sweep stack --grid friction=0:1                    | FIRST:LAST:COUNT:log
sweep stack --grid friction=0:1:2:lin              | FIRST:LAST:COUNT:log
sweep stack --grid friction=0:1:1                  | a count of at least 2
sweep stack --grid friction=0:1:3:log              | above zero
sweep stack --grid bodies=2 --grid bodies=3        | write all its values at once
sweep stack --grid sleeping=yes                    | give true or false
sweep stack --grid sweeps=0                        | at least 1
sweep stack --grid solver=fast                     | choose one of auto, direct
sweep funnel --grid shapes=cube                    | did you mean cubes?
sweep stack --grid bodies=2 --metric hight         | or module:function
sweep stack --grid bodies=2 --metric overshot:x    | did you mean overshoot?
sweep stack --grid bodies=2 --metric max           | such as max:energy.kinetic
sweep stack --grid bodies=2 --metric rms:x:goal=1  | it has target
sweep stack --grid bodies=2 --metric nothing:f     | no module nothing
sweep stack --grid bodies=2 --workers 0            | at least 1
sweep stack --grid bodies=2 --table t.txt          | name it t.csv
sweep stack --grid bodies=2 --out /proc/x          | cannot be made
sweep stack --grid bodies=2 --scheduler nowhere    | `dask scheduler` starts one
compare                                            | see stoss compare --help
compare a b                                        | give the folder of a run
bench foo                                          | there are stack50
bench stack                                        | did you mean stack50?
bench stack50 --repeat 0                           | at least 1
bench stack50 --steps none                         | write digits alone
bench --against nothing.json                       | nothing.json is not there
bench --json figures.txt                           | name it figures.json
cases foo                                          | stoss cases --list names all
cases R999                                         | did you mean R
cases --lst                                        | did you mean --list?
prepare --workers -1                               | at least 1
prepare stack                                      | see stoss prepare --help
export                                             | stoss export SCENE|FILE OUT
export stack                                       | see stoss export stack --help
export stak out.html                               | did you mean stack?
export stack out.pdf                               | name it out.html
export nothing.npz out.html                        | stoss run SCENE --save nothing.npz
export stack /nope/out.html                        | make it first
export stack out.html --fps 0                      | such as 30
export stack out.html --duration x                 | write one such as 0.5
completion                                         | see stoss completion --help
completion tcsh                                    | choose from bash, zsh, fish
"""
CASES = [[part.strip() for part in line.split(" | ")] for line in WRONG.strip().splitlines()]


@pytest.mark.parametrize(("words", "cure"), CASES, ids=[words for words, _ in CASES])
def test_wrong_words_get_one_line_with_the_cure(tmp_path, capsys, monkeypatch, words, cure):
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and told.err.startswith("stoss: ")
    assert cure in told.err
    assert len(told.err) < 260, "too long to be read at a glance"
    assert [*tmp_path.iterdir()] == [], "something was written"


def test_there_are_as_many_as_were_tried():
    """Hold the 44 of the first trial that are still wrong, and more than 50 others."""
    assert len({words for words, _ in CASES}) == len(CASES) >= 97
