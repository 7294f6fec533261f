"""A person's walk through the Build panel: from an empty world to a double pendulum with a motor."""

import json

import numpy as np
import pytest

from stoss.engine.model import Model
from tests.viewer.test_window import ROOT, User, open_window, screen  # noqa: F401

SIZE = (720, 640)  # narrow: pictures are drawn in software


class Walker:
    """Someone at the screen who reads what stands there."""

    def __init__(self, user: User, path) -> None:
        self.user, self.path = user, path

    @property
    def seen(self) -> dict:
        """What the window shows."""
        return json.loads(self.path.read_text()) if self.path.exists() else {"widgets": {}}

    def until(self, condition, seconds: float = 60.0):
        """Wait until what is seen meets a condition, and return it."""
        found = {}

        def met() -> bool:
            found.update(self.seen)
            return bool(condition(found))

        self.user.wait_for(met, seconds, 0.01)
        return found

    def look(self, pictures: int = 2) -> dict:
        """Wait until some more pictures were drawn, and return what is seen."""
        last = self.seen["drawn"] + pictures
        return self.until(lambda seen: seen["drawn"] >= last)

    def at_rest(self, read):
        """Return what is read of what is seen, once it is there and two pictures have not changed it."""
        before, since = None, 0

        def rests(seen) -> bool:
            nonlocal before, since
            now = read(seen)
            if now != before:
                before, since = now, seen["drawn"]
            return now is not None and seen["drawn"] >= since + 2

        self.until(rests)
        return before

    def place(self, label: str, which: int = 0, part: float = 0.5) -> tuple[float, float]:
        """Return where a widget is, once it has come to rest."""

        def places(seen):
            found = seen["widgets"].get(label, [])
            return found if len(found) > max(which, 0) else None

        x, y, width, height = self.at_rest(places)[which]
        return x + part * width, y + 0.5 * height

    def body(self, name: str) -> tuple[float, float]:
        """Return where a body is in the picture, once the camera has come to rest."""
        return self.at_rest(lambda seen: seen["bodies"].get(name))

    def point(self, place) -> None:
        """Put the mouse somewhere, and wait until the window knows."""
        x, y = map(round, place)
        self.user.tool("xdotool", "mousemove", x, y)
        self.until(lambda seen: np.hypot(seen["mouse"][0] - x, seen["mouse"][1] - y) < 2.0)
        self.look()

    def click(self, place, *held: str) -> None:
        """Press and release the mouse, with keys held, each once the window knows of what was before."""
        self.point(place)
        down, up = ([word for key in held for word in (way, key)] for way in ("keydown", "keyup"))
        self.user.tool("xdotool", *down, "mousedown", 1)
        self.until(lambda seen: seen["pressed"])
        self.user.tool("xdotool", *up, "mouseup", 1)
        self.until(lambda seen: not seen["pressed"])
        self.look()

    def key(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.user.tool("xdotool", "key", key)
            self.look()

    def press(self, label: str, which: int = 0) -> None:
        """Click a widget."""
        self.click(self.place(label, which))

    def choose(self, label: str, choice: str, which: int = 0) -> None:
        """Choose from a list."""
        self.click(self.place(label, which))
        self.press(choice, -1)

    def type(self, label: str, text: str, which: int = 0, number: int | None = None) -> None:
        """Write into a field, or into one of its three numbers."""
        part = 0.5 if number is None else (number + 0.5) / 3.0
        self.click(self.place(label, which, part), "ctrl")  # which turns a number that is dragged into a text
        self.write(text)

    def write(self, text: str) -> None:
        """Write over what stands in the field that has the keys, and wait until it has them no more.

        It shows what is written before it is left.
        """
        self.until(lambda seen: seen["typing"])
        self.user.tool("xdotool", "key", "ctrl+a", "type", "--args", 1, "--", text, "key", "Return")
        self.until(lambda seen: not seen["typing"])
        self.look()

    def scroll_to(self, label: str, which: int = 0) -> None:
        """Turn the wheel over the panel until a widget is seen in the upper part of the window."""
        self.point((160.0, SIZE[1] - 150.0))
        for _ in range(40):
            places = self.look()["widgets"].get(label, [])
            if len(places) > which and 60 < places[which][1] < SIZE[1] - 90:
                return
            self.user.tool("xdotool", "click", "--repeat", 3, "--delay", 1, 5)
        raise AssertionError(f"{label} was not found")

    def scroll_up(self) -> None:
        """Go back to the beginning of the panel."""
        self.point((160.0, SIZE[1] - 150.0))
        self.user.tool("xdotool", "click", "--repeat", 30, "--delay", 5, 4)
        self.look()

    def model(self) -> Model:
        """Return the model that is built."""
        return Model.loads(self.seen["model"], folder=self.path.parent)

    def picture(self, name: str) -> None:
        """Take a picture of the screen, for people."""
        self.user.photograph(f"build {name}")


@pytest.fixture
def walk(open_window, tmp_path):  # noqa: F811
    """Return a function that opens the window and someone before it."""

    def begin(*words: object) -> Walker:
        path = tmp_path / "seen.json"
        path.unlink(missing_ok=True)
        script = ROOT / "tests/viewer/build_script.py"
        user = open_window(script, path, *words, "--size", f"{SIZE[0]}x{SIZE[1]}")
        walker = Walker(user, path)
        walker.until(lambda seen: seen.get("model") is not None)
        return walker

    return begin


def test_a_double_pendulum_with_a_motor_is_built_saved_reopened_and_run(walk, tmp_path):
    """Add, name, size and place two bars, join them, drag a joint, add a motor, save, open again, run."""
    person = walk()
    person.picture("empty")
    for name, x in (("upper", "0.5"), ("lower", "1.5")):
        person.press("add body")
        person.until(lambda seen: seen["focus"][0] == "bodies" and seen["focus"][1].startswith("box"))
        person.type("name", name)
        person.until(lambda seen, name=name: seen["focus"] == ["bodies", name])
        person.type("position [m]", x, number=0)
        person.type("position [m]", "0", number=2)
        person.scroll_to("size [m]")
        for number, size in enumerate(("1", "0.1", "0.1")):
            person.type("size [m]", size, number=number)
        person.scroll_up()
    person.key("Escape", "f")
    person.picture("two bars")
    person.click(person.body("lower"))
    person.until(lambda seen: seen["focus"] == ["bodies", "lower"])
    model = person.model()
    assert [(one.name, one.position, one.shapes[0].size) for one in model.bodies] == [
        ("upper", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1)),
        ("lower", (1.5, 0.0, 0.0), (1.0, 0.1, 0.1)),
    ]

    # what is wrong is told beside the field, and changes nothing
    person.scroll_to("density [kg/m^3]")
    person.type("density [kg/m^3]", "-5")
    person.until(lambda seen: seen["refused"])
    assert "density = -5.0" in person.seen["refused"]
    person.picture("wrong")
    person.type("density [kg/m^3]", "1000")
    person.until(lambda seen: not seen["refused"])
    person.scroll_up()

    # a hinge in the world, and one between the bars, which are clicked in the picture
    person.click(person.body("upper"))
    person.until(lambda seen: seen["focus"] == ["bodies", "upper"])
    person.choose("first", "(world)")
    person.press("join")
    person.until(lambda seen: seen["focus"] == ["joints", "hinge"])
    person.type("point [m]", "0", number=0)
    person.type("name", "shoulder")
    person.until(lambda seen: seen["focus"] == ["joints", "shoulder"])
    person.click(person.body("upper"))
    person.until(lambda seen: seen["focus"] == ["bodies", "upper"])
    person.click(person.body("lower"))
    person.until(lambda seen: seen["focus"] == ["bodies", "lower"])
    person.press("join")
    person.until(lambda seen: seen["focus"] == ["joints", "hinge"])
    person.type("name", "elbow")
    person.until(lambda seen: seen["focus"] == ["joints", "elbow"])
    model = person.model()
    assert (model.joint("shoulder").first, model.joint("shoulder").second) == (None, "upper")
    assert (model.joint("elbow").first, model.joint("elbow").second) == ("upper", "lower")
    assert model.joint("elbow").point == (1.0, 0.0, 0.0)

    # the handles move it, and one undo takes the whole drag back
    person.until(lambda seen: seen["handles"] == "move")
    x, y = person.at_rest(lambda seen: seen["joints"].get("elbow"))
    person.user.drag((x, y - 45), (x, y - 75), (x, y - 105))
    person.until(lambda seen: abs(Model.loads(seen["model"]).joint("elbow").point[2]) > 0.05)
    person.picture("dragged")
    assert person.model().joint("elbow").point[:2] == (1.0, 0.0)
    person.key("ctrl+z")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").point == (1.0, 0.0, 0.0))

    person.scroll_to("##add to angle")
    person.choose("##add to angle", "motor")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions)
    person.scroll_to("velocity [rad/s]")
    person.type("velocity [rad/s]", "2")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].velocity == 2.0)
    person.picture("motor")

    # saved under a name, and run; what is changed while it runs acts at once
    person.key("ctrl+s")
    person.until(lambda seen: "save" in seen["widgets"] and "##name" in seen["widgets"])
    person.picture("save as")
    person.write("pendulum")
    person.until(lambda seen: (tmp_path / "pendulum.toml").exists() and "pendulum.toml" in seen["title"])
    assert "not saved" not in person.seen["title"]
    assert Model.load(tmp_path / "pendulum.toml") == person.model()
    person.key("space")
    person.until(lambda seen: seen["step"] > 60)
    person.picture("running")
    person.type("velocity [rad/s]", "3")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].velocity == 3.0)
    person.key("space")
    person.until(lambda seen: seen["paused"])
    assert person.model().body("upper").position == (0.5, 0.0, 0.0)  # the beginning stays

    # what is not saved is asked about at closing
    person.user.key("ctrl+q")
    person.until(lambda seen: "do not save" in seen["widgets"])
    person.picture("not saved")
    person.press("cancel")
    person.until(lambda seen: "do not save" not in seen["widgets"])
    person.key("ctrl+s")
    person.until(lambda seen: "not saved" not in seen["title"])
    person.user.key("ctrl+q")
    assert person.user.program.wait(60) == 0, person.user.program.stderr.read()
    model = Model.load(tmp_path / "pendulum.toml")
    assert model.joint("elbow").actions[0].velocity == 3.0

    # opened again, it runs, with the motor at its rate
    person = walk("pendulum.toml")
    person.until(lambda seen: len(seen["bodies"]) == 2)
    person.key("space")
    person.until(lambda seen: seen["step"] > 60)
    person.picture("reopened")
    person.user.key("ctrl+q")
    assert person.user.program.wait(60) == 0, person.user.program.stderr.read()
    world = model.build()
    world.step(60)
    assert world.joint("elbow").rate_of() == pytest.approx(3.0, abs=1e-6)
    assert world.joint("shoulder").error < 1e-6


ARM = """
[bodies.upper]
shapes = [{ type = "box", size = [1, 0.1, 0.1] }]
position = [0.5, 0, 0]
[bodies.lower]
shapes = [{ type = "box", size = [1, 0.1, 0.1] }]
position = [1.5, 0, 0]
[joints.shoulder]
type = "hinge"
second = "upper"
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.elbow]
type = "hinge"
first = "upper"
second = "lower"
point = [1, 0, 0]
axis = [0, 1, 0]
"""


def test_servos_and_controls_are_built_and_tuned_while_they_act(walk, tmp_path):
    """Hold an arm by a servo and a control that are added in the panel; undo, redo, tune, save, reopen."""
    (tmp_path / "arm.toml").write_text(ARM)
    person = walk("arm.toml")

    def actions(name):
        return [one.type for one in person.model().joint(name).actions]

    def built(name, *types):
        person.until(
            lambda seen: [one.type for one in Model.loads(seen["model"]).joint(name).actions] == [*types]
        )

    # a servo holds the shoulder
    person.press("shoulder")
    person.until(lambda seen: seen["focus"] == ["joints", "shoulder"])
    person.scroll_to("##add to angle")
    person.choose("##add to angle", "servo")
    built("shoulder", "servo")
    person.key("ctrl+z")
    built("shoulder")
    person.key("ctrl+y")
    built("shoulder", "servo")
    person.scroll_to("stiffness [N m/rad]")
    person.type("stiffness [N m/rad]", "1e5")
    person.type("damping [N m s/rad]", "1e4")
    person.until(lambda seen: Model.loads(seen["model"]).joint("shoulder").actions[0].damping == 1e4)
    person.picture("servo")

    # a control, PD and PID, holds the elbow
    person.scroll_up()
    person.press("elbow")
    person.until(lambda seen: seen["focus"] == ["joints", "elbow"])
    person.scroll_to("##add to angle")
    person.choose("##add to angle", "control")
    built("elbow", "control")
    for label, number in (("kp [N m/rad]", "2e4"), ("ki [N m/(rad s)]", "1e4"), ("kd [N m s/rad]", "2e3")):
        person.scroll_to(label)
        person.type(label, number)
    person.scroll_to("target [rad]")
    person.type("target [rad]", "0.5")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].target == 0.5)
    # what makes no control is told beside it, and changes nothing
    person.scroll_to("kp [N m/rad]")
    person.type("kp [N m/rad]", "-3")
    person.until(lambda seen: seen["refused"])
    assert "kp" in person.seen["refused"]
    person.picture("control refused")
    person.type("kp [N m/rad]", "2e4")
    person.until(lambda seen: not seen["refused"])
    person.picture("control")

    # it runs, and is tuned while it does
    person.key("space")
    person.until(lambda seen: seen["step"] > 150)
    person.scroll_to("target [rad]")
    person.type("target [rad]", "-0.4")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].target == -0.4)
    step = person.seen["step"]
    person.until(lambda seen: seen["step"] > step + 200)
    person.picture("tuned")
    person.key("space")
    person.until(lambda seen: seen["paused"])
    upper, lower = (person.seen["bodies"][name] for name in ("upper", "lower"))
    rise = (upper[1] - lower[1]) / np.hypot(*np.subtract(upper, lower))
    assert rise > 0.04  # turned up about the elbow, by 0.4
    person.key("ctrl+z")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].target == 0.5)
    person.key("ctrl+y")
    person.until(lambda seen: Model.loads(seen["model"]).joint("elbow").actions[0].target == -0.4)
    person.key("ctrl+s")
    person.until(lambda seen: "not saved" not in seen["title"])
    assert actions("elbow") == ["control"] and actions("shoulder") == ["servo"]
    person.user.key("ctrl+q")
    assert person.user.program.wait(60) == 0, person.user.program.stderr.read()

    # the file does the same
    world = Model.load(tmp_path / "arm.toml").build()
    world.step(300)
    assert world.joint("elbow").value == pytest.approx(-0.4, abs=0.01)
    assert world.joint("shoulder").value == pytest.approx(0.0, abs=0.01)
