"""`stoss bench`: figures, files and comparison. No test here depends on how fast the machine is."""

import json

import pytest

from stoss.benchmarks import PRESETS
from stoss.benchmarks.compare import comparison, format_table, read_results
from stoss.benchmarks.measure import measure
from stoss.command_line.main import main
from stoss.command_line.options import BENCH_SCENES
from stoss.scenes import SCENES

RESULT_KEYS = {
    "name",
    "scene",
    "parameters",
    "steps",
    "time_step",
    "bodies",
    "contacts",
    "most_contacts",
    "steps_per_second",
    "steps_per_wall_second",
    "worst_step_seconds",
    "stage_milliseconds",
    "compile_seconds",
    "load_seconds",
    "largest_overlap",
    "state_hash",
    "reproducible",
}


def _result(**changes):
    result = {
        "name": "stack50",
        "scene": "stack",
        "parameters": {"bodies": 50},
        "steps": 500,
        "time_step": 0.01,
        "bodies": 50,
        "contacts": 200,
        "most_contacts": 200,
        "steps_per_second": 1000.0,
        "steps_per_wall_second": 900.0,
        "worst_step_seconds": 0.002,
        "stage_milliseconds": {"move": 0.2, "detect": 0.4},
        "compile_seconds": 0.0,
        "load_seconds": 0.1,
        "largest_overlap": 1e-9,
        "state_hash": "a" * 64,
        "reproducible": True,
    }
    return {**result, **changes}


def _file(*results, settings=None):
    return {"format": 1, "settings": settings or {"solver": "auto"}, "results": list(results)}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_fit_their_scenes(name):
    """Name a scene that there is and parameters that it has; and stand in the help of the command."""
    preset = PRESETS[name]
    assert preset.name == name and preset.steps > 0
    known = {parameter.name for parameter in SCENES[preset.scene].parameters}
    assert set(preset.parameters) <= known
    assert name in BENCH_SCENES.split(", ")


def test_help_names_the_presets():
    """List in the help of the command exactly the presets that there are."""
    assert BENCH_SCENES.split(", ") == list(PRESETS)


def test_measure_gives_all_figures():
    """Give every figure, JSON-ready, and the same state in both runs."""
    result = measure(PRESETS["stack50"], repeat=2, steps=5)
    assert set(result) == RESULT_KEYS
    assert json.loads(json.dumps(result)) == result
    assert result["bodies"] == 50 and result["steps"] == 5 and result["reproducible"]
    assert result["steps_per_second"] > 0.0
    world = SCENES["stack"].build(bodies=50, time_step=0.01)
    world.step(5)
    assert result["state_hash"] == world.state_hash()


@pytest.mark.parametrize(
    ("change", "ratio", "word"),
    [
        ({}, 2.0, "same"),
        ({"state_hash": "b" * 64}, 2.0, "CHANGED"),
        ({"steps": 400}, 2.0, "other run"),
        ({"parameters": {"bodies": 49}}, 2.0, "other run"),
        ({"name": "stack51"}, None, "new"),
    ],
)
def test_comparison_tells_changes(change, ratio, word):
    """Give the ratio of speeds, and tell a changed state from a run that is another one."""
    earlier = _file(_result(steps_per_second=500.0, **change))
    assert comparison(_result(), {"solver": "auto"}, earlier) == (ratio, word)


def test_other_settings_are_another_run():
    """Do not call the state changed when the settings are not the same."""
    earlier = _file(_result(state_hash="b" * 64), settings={"solver": "direct"})
    assert comparison(_result(), {"solver": "auto"}, earlier) == (1.0, "other run")


def test_table_lines_up():
    """Put all columns under their heads, one line per scene, with stages that only some scenes have."""
    results = [_result(), _result(name="funnel1000", stage_milliseconds={"settle": 10.0}, reproducible=False)]
    lines = format_table(results, {"solver": "auto"}, _file(_result())).splitlines()
    assert len(lines) == 3
    assert (
        " ".join(lines[0].split()) == "scene bodies contacts steps/s worst ms move ms detect ms settle ms "
        "compile s overlap mm state ratio against"
    )
    assert "0.200" in lines[1] and "1.00" in lines[1] and lines[1].endswith("same")
    assert "10.000" in lines[2] and "NOT THE SAME" in lines[2] and lines[2].endswith("new")


def test_bench_writes_and_compares(tmp_path, capsys):
    """Write a result file, and find the same state when it is compared with a second run."""
    path = tmp_path / "before.json"
    assert main(["bench", "stack50", "--steps", "5", "--quiet", "--json", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and captured.out.startswith("scene")
    content = read_results(path)
    assert [set(result) for result in content["results"]] == [RESULT_KEYS]
    assert content["machine"]["cores"] >= 1 and content["versions"]["numpy"]
    assert content["settings"]["solver"] == "auto"

    assert main(["bench", "stack50", "--steps", "5", "--quiet", "--against", str(path)]) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("stack50") and line.endswith("same")


def test_bench_marks_a_changed_state(tmp_path, capsys):
    """Mark the scene, and say what the mark means, when the earlier run ended in other bits."""
    path = tmp_path / "before.json"
    assert main(["bench", "stack50", "--steps", "5", "--quiet", "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    content["results"][0]["state_hash"] = "0" * 64
    path.write_text(json.dumps(content))
    capsys.readouterr()
    assert main(["bench", "stack50", "--steps", "5", "--quiet", "--against", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.splitlines()[1].endswith("CHANGED")
    assert "CHANGED: the same run ends in another state" in text


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", "{}", '{"format": 99, "results": [], "settings": {}}', "\x00"]
)
def test_other_files_are_refused(tmp_path, text):
    """Raise ValueError that names the file when it is no result file of this version."""
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="other.json"):
        read_results(path)
