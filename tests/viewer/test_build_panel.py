"""The Build panel without a window: all that it draws, what it proposes, and what handles ask for."""

import dataclasses

import numpy as np
import pytest
from imgui_bundle import imgui

from stoss.collision.quaternions import rotate
from stoss.engine.model import Model, ModelError
from stoss.engine.model.editing import names_of
from stoss.engine.model.frames import inverse, then
from stoss.engine.model.kinds import ACTIONS, JOINT_KINDS
from stoss.viewer.drawing.ground_grid import grid_spacing, ground_grid
from stoss.viewer.drawing.joint_glyphs import GLYPHS, glyph_geometry, glyph_places
from stoss.viewer.widgets.theme import take_down_imgui
from stoss.viewer.window.hand import Hand, Picked
from stoss.viewer.window.panels.build import JOINTS
from stoss.viewer.window.panels.build_fields import (
    angles_of,
    error_text,
    neat,
    quaternion_of_angles,
    refused_key,
)
from stoss.viewer.workbench.focus import Focus
from stoss.viewer.workbench.handling import can_be_sized, put, sized
from stoss.viewer.workbench.places import place_of
from stoss.viewer.workbench.proposals import SHAPES, action_values, new_body, new_joint
from stoss.viewer.workbench.workbench import Workbench
from stoss.viewer.world.build_commands import AddThing, ChangeThing
from stoss.viewer.world.session import source_of_model
from stoss.viewer.world.simulation import Simulation
from tests.viewer.test_gui import Screen

TURN = (0.5, 0.5, 0.5, 0.5)  # x to y to z
MODEL = """
[materials.steel]
friction = 0.4
[meshes.wedge]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
[bodies.ground]
kind = "static"
shapes = [{ type = "half_space" }]
[bodies.arm]
shapes = [{ type = "box", size = [1, 0.2, 0.2] }, { type = "sphere", radius = 0.2, position = [0.5, 0, 0] }]
display = [{ type = "capsule", radius = 0.1, length = 0.4 }]
position = [0, 0, 2]
axis_angle = [0, 0, 1, 0.5]
material = "steel"
markers = { tip = [0.5, 0, 0] }
[bodies.stone]
shapes = [{ type = "convex_hull", mesh = "wedge" }]
position = [2, 0, 2]
mass = 3
markers = { edge = [0.1, 0, 0] }
[markers.here]
position = [1, 1, 1]
[joints.pin]
type = "hinge"
second = "arm"
point = [-0.4, 0, 2]
axis = [0, 1, 0]
motor = { velocity = 1, max_force = 9 }
limit = { lower = -1, upper = 1 }
pid = { target = 0, gain = 1 }
control = { kp = 3, kd = 1 }
[joints.rod]
type = "distance"
first = "arm:tip"
second = "stone:edge"
[forces.wind]
type = "force"
at = "stone"
force = [1, 0, 0]
[joints.held]
type = "fixed"
first = "stone"
first_frame = { position = [0, 0, 1] }
second_frame = { position = [2, 0, 3] }
"""


def begun(text=MODEL):
    """Return a workbench on a model that is built."""
    source = source_of_model(Model.loads(text))
    bench = Workbench(Simulation(source.stage, paused=True), source)
    bench.panels["Build"] = True
    look(bench)
    return bench


def look(bench, *commands):
    bench.post(*commands)
    for _ in range(3):
        bench.simulation.turn()
        bench.refresh()


@pytest.fixture
def bench():
    return begun()


@pytest.fixture
def screen():
    made = Screen(begun())
    yield made
    take_down_imgui()


def focuses(bench):
    model = bench.project.draft.model
    yield from (Focus("bodies", one.name) for one in model.bodies)
    yield from (Focus("joints", one.name) for one in model.joints)
    yield Focus("forces", "wind")
    yield Focus("markers", "arm:tip")
    yield Focus("markers", "here")
    yield Focus("bodies", "arm", "shapes", 1)
    yield Focus("bodies", "arm", "display", 0)


def test_everything_that_is_built_is_drawn_with_all_its_fields(screen):
    """Draw each thing, at the beginning and after steps, with each kind of handles; ask for nothing."""
    bench = screen.bench
    for steps in (0, 3):
        bench.simulation.step(steps)
        screen.frame(6)
        for focus in focuses(bench):
            bench.project.look_at(focus)
            for handles in ("move", "turn", "size"):
                bench.handles = handles
                screen.frame(2)
            assert bench.project.focus == focus
    assert not bench.project.draft.past and not bench.notices


@pytest.mark.parametrize("kind", [name for name in JOINT_KINDS if name != "compose"])
def test_a_joint_of_every_kind_is_proposed_drawn_and_has_its_glyph(screen, kind):
    """Have the engine take what is proposed, without a message, with the bodies as they are."""
    bench = screen.bench
    before = bench.view.frame.positions.copy()
    look(bench, new_joint(bench.view, kind, "arm", "stone"))
    refusal = bench.project.refusal
    if kind in ("coupling", "gear", "rack"):  # these two joints have not one coordinate each
        assert refusal is None or "coordinate" in str(refusal[1])
        return
    assert refusal is None, refusal
    name = kind.replace("_", " ")
    bench.project.look_at(Focus("joints", name))
    screen.frame(4)
    joint = bench.simulation.stage.world.joint(name)
    assert joint.error < 1e-9 and joint.angle_error < 1e-9
    assert np.array_equal(bench.view.frame.positions, before)
    assert type(joint.kind).__name__ in GLYPHS
    assert name in glyph_places(bench.view.description, bench.view.frame)


def test_what_joins_offers_is_all_there_is():
    assert set(JOINTS) == set(JOINT_KINDS) - {"compose"}


@pytest.mark.parametrize("kind", ["limit_swing", "limit_twist"])
def test_cones_that_are_proposed_are_taken(bench, kind):
    """Let a ball joint take the new cone, or bounds of its twist, as they are proposed."""
    proposed = {**action_values(kind, 0.0, 2.0, True)}
    look(
        bench,
        ChangeThing("joints", "pin", {"type": "ball", "axis": None, "limit": None, "actions": [proposed]}),
    )
    assert bench.project.refusal is None
    assert len(bench.simulation.stage.world.joint("pin").curved_limits) == 1


@pytest.mark.parametrize("kind", [name for name in ACTIONS if name not in ("limit_swing", "limit_twist")])
def test_what_is_proposed_to_act_is_taken_and_keeps_still(bench, kind):
    """Let a new stop, servo or spring of a hinge not push where the joint is."""
    value = bench.simulation.stage.world.joint("pin").value_of()
    look(bench, ChangeThing("joints", "pin", {"actions": [action_values(kind, value, 2.0, True)]}))
    assert bench.project.refusal is None
    assert bench.project.draft.model.joint("pin").actions[0].type == kind


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_of_every_shape_is_proposed_where_nothing_is(bench, shape):
    """Touch nothing else that stands there; a half-space is the ground."""
    for _ in range(2):
        look(bench, new_body(bench.view, shape, (0.0, 0.0, 2.0)))
        assert bench.project.refusal is None
    world = bench.simulation.stage.world
    added = world.bodies[3:]
    assert len(added) == 2
    if shape == "half_space":
        assert {body.kind for body in added} == {"static"}
        return
    assert np.linalg.norm(added[0].position - added[1].position) > 0.45


def test_the_first_body_is_put_into_the_middle():
    bench = begun("")
    command = new_body(bench.view, "box", (3.0, 2.0, 1.0))
    assert command == AddThing("bodies", "box", {"shapes": [SHAPES["box"]], "position": [0.0, 0.0, 0.0]})


# ------------------------------------------------------------- handles


@pytest.mark.parametrize("steps", [0, 4])
@pytest.mark.parametrize("moves", [True, False])
def test_handles_put_things_where_they_are_dragged(bench, steps, moves):
    """Find each thing at its target, to the rounding of hands; all else stays where it is."""
    bench.simulation.step(steps)
    look(bench)
    for _ in range(steps):
        look(bench)
    for focus in focuses(bench):
        if focus in (Focus("joints", "rod"), Focus("bodies", "ground"), Focus("forces", "wind")):
            continue  # on a marker; of no end; of no place
        bench.project.look_at(focus)
        look(bench)
        before = place_of(bench.view, focus)
        assert before is not None, focus
        move = ((0.25, -0.125, 0.5), (1.0, 0.0, 0.0, 0.0)) if moves else ((0.0, 0.0, 0.0), TURN)
        target = tuple(np.add(before[0], move[0])), then(move, before)[1]
        count = len(bench.project.draft.past)
        command = put(bench.view, focus, before, target, moves, "handles 1")
        look(bench, command)
        assert bench.project.refusal is None and len(bench.project.draft.past) == count + 1
        after = place_of(bench.view, focus)
        assert after[0] == pytest.approx(target[0], abs=2e-6)
        if focus.section == "joints":  # turned about its axis it looks the same
            axis = (0.0, 0.0, 1.0)
            assert rotate(after[1], axis) == pytest.approx(rotate(target[1], axis), abs=1e-9)
        else:
            assert abs(np.dot(after[1], target[1])) == pytest.approx(1.0, abs=1e-9)
        bench.project.undo()
        look(bench)


def test_a_joint_on_a_marker_tells_where_it_is_moved(bench):
    focus = Focus("joints", "rod")
    before = place_of(bench.view, focus)
    look(bench, put(bench.view, focus, before, ((0, 0, 0), before[1]), True, "handles 1"))
    assert "arm:tip" in str(bench.project.refusal[1])


def test_handles_size_shapes(bench):
    """Change what a shape has along the axes of the handles, and the scale of a mesh."""
    factors = np.array([2.0, 1.0, 1.0])
    arm, stone = (Focus("bodies", name) for name in ("arm", "stone"))
    assert can_be_sized(bench.view, arm) is None  # it has several shapes
    assert can_be_sized(bench.view, Focus("bodies", "ground")) is None
    sphere = Focus("bodies", "arm", "shapes", 1)
    shapes = bench.project.draft.sound.body("arm").shapes
    look(bench, sized(bench.view, sphere, shapes[1], factors, "a"))
    box = dataclasses.replace(sphere, number=0)
    look(bench, sized(bench.view, box, shapes[0], np.array([1.0, 3.0, 0.5]), "b"))
    capsule = Focus("bodies", "arm", "display", 0)
    display = bench.project.draft.sound.body("arm").display
    look(bench, sized(bench.view, capsule, display[0], np.array([1.0, 1.0, 2.0]), "c"))
    body = bench.project.draft.model.body("arm")
    assert body.shapes[1].radius == 0.4 and body.shapes[0].size == (1.0, 0.6, 0.1)
    assert (body.display[0].radius, body.display[0].length) == (0.1, 0.8)
    whole = can_be_sized(bench.view, stone)
    assert whole == Focus("bodies", "stone", "shapes", 0)
    hull = bench.project.draft.sound.body("stone").shapes[0]
    look(bench, sized(bench.view, whole, hull, factors, "d"))
    assert bench.project.draft.model.meshes[0].scale == (2.0, 1.0, 1.0)


# ------------------------------------------------------------- fields


def test_angles_are_those_of_the_orientation():
    """Turn by angles about x, then y, then z; find an orientation again, also where two axes are one."""
    for angles in ([10.0, 20.0, 30.0], [-170.0, 45.0, 5.0], [0.0, 90.0, 40.0], [0.0, -90.0, -40.0]):
        found = angles_of(quaternion_of_angles(angles))
        assert found == pytest.approx(angles, abs=1e-4)
    halves = np.radians([5, 10, 15])
    x, y, z = ((np.cos(a), *(np.sin(a) * np.eye(3)[k])) for k, a in enumerate(halves))
    origin = (0.0, 0.0, 0.0)
    turned = then((origin, z), then((origin, y), (origin, x)))[1]
    assert quaternion_of_angles([10.0, 20.0, 30.0]) == pytest.approx(turned, abs=1e-12)
    assert inverse((origin, UNIT))[1] == UNIT


UNIT = (1.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("values", "key", "words"),
    [
        ({"shapes": [{"type": "sphere", "radius": -1}]}, ("shapes", 0, "radius"), "radius = -1.0 must be"),
        ({"shapes": [{"type": "box", "size": [1, 2]}]}, ("shapes", 0, "size"), "length 3"),
        ({"shapes": [{"type": "ball"}]}, ("shapes", 0, "type"), "sphere"),
        ({"mass": -1}, ("", 0, "mass"), "mass = -1.0"),
        ({"mass": "x"}, ("", 0, "mass"), "'x'"),
        ({"material": "wood"}, ("", 0, "material"), "'wood'"),
        ({"color": "greenish"}, ("", 0, "color"), "green"),
    ],
)
def test_errors_are_told_beside_their_fields(bench, values, key, words):
    look(bench, ChangeThing("bodies", "arm", values))
    error = bench.project.refusal[1]
    assert refused_key(error) == key and words in error_text(error)
    assert "arm" not in error_text(error)


def test_a_refused_value_stays_in_its_field_with_the_reason_below(screen, monkeypatch):
    """Show what was put in, and why it was refused, until something else is put in."""
    bench, texts, numbers = screen.bench, [], {}
    drawn = imgui.drag_float
    monkeypatch.setattr(imgui, "text_colored", lambda colour, text: texts.append(text))

    def note(label, value, *rest):
        numbers[label] = value
        return drawn(label, value, *rest)

    monkeypatch.setattr(imgui, "drag_float", note)
    bench.project.look_at(Focus("bodies", "stone"))
    look(bench, ChangeThing("bodies", "stone", {"mass": -4.0}))
    screen.frame(2)
    assert numbers["mass [kg]"] == -4.0 and any("mass = -4.0" in text for text in texts)
    look(bench, ChangeThing("bodies", "stone", {"mass": 4.0}))
    texts.clear()
    screen.frame(2)
    assert numbers["mass [kg]"] == 4.0 and not texts


def test_an_error_of_another_kind_is_told_as_it_is():
    assert error_text(KeyError("no body 'a'")) == "no body 'a'"
    assert error_text(ModelError("joint 'k': first and second are both body 'b'")).startswith("first and")
    assert neat(0.1 + 1e-9) == 0.1


def test_the_grid_has_round_cells_and_holds_what_is_looked_at():
    cells = [grid_spacing(distance) for distance in (0.1, 1.0, 3.0, 10.0, 100.0)]
    assert cells == pytest.approx([0.01, 0.1, 0.5, 1.0, 10.0])
    table = ground_grid(np.array([13.0, -4.0, 2.0]), 5.0).lines
    assert (table[:, [2, 6]] == 0.0).all()
    assert table[:, 0].min() < 13.0 < table[:, 0].max() and table[:, 1].min() < -4.0 < table[:, 1].max()


def test_a_selected_joint_is_seen_among_the_others(bench):
    view = bench.view
    plain = glyph_geometry(view.description, view.frame, 0.1, "")
    chosen = glyph_geometry(view.description, view.frame, 0.1, "pin")
    assert plain.lines.shape == chosen.lines.shape and np.isfinite(plain.lines).all()
    assert len(np.unique(chosen.lines[:, 7:10], axis=0)) == 2


# ------------------------------------------------------------- mouse and keys


def test_a_click_selects_the_joint_whose_glyph_is_there(bench):
    """Take it before the body behind it; elsewhere the body, and nothing where there is none."""
    picked = [bench.row("arm")]
    hand = Hand(bench, lambda x, y: Picked(picked[0], np.zeros(3)) if picked[0] >= 0 else None)

    def click(x, y):
        hand.press(x, y, "left")
        hand.release()
        look(bench)
        return bench.project.focus

    x, y, _ = bench.camera.project(
        glyph_places(bench.view.description, bench.view.frame)["pin"][0], bench.size
    )
    assert click(x + 5.0, y) == Focus("joints", "pin") and bench.selected_body == ""
    assert click(x + 300.0, y) == Focus("bodies", "arm")
    picked[0] = -1
    assert click(10.0, 10.0) == Focus()


def test_what_is_looked_at_is_deleted_by_its_key(bench):
    """Remove joints and markers too, as an edit that is undone."""
    for focus in (Focus("joints", "held"), Focus("joints", "rod"), Focus("markers", "arm:tip")):
        bench.project.look_at(focus)
        bench.delete()
        look(bench)
        assert focus.name not in names_of(bench.project.draft.model, focus.section)
        assert bench.project.refusal is None and bench.project.focus == Focus()
    assert [version.label for version in bench.project.draft.past] == [
        "remove held",
        "remove rod",
        "remove arm:tip",
    ]


def test_the_mouse_pulls_nothing_where_a_standing_model_is_built(bench):
    """Select with a click; pull only what moves."""
    row = bench.view.description.names.index("arm")
    hand = Hand(bench, lambda x, y: Picked(row, np.array([0.0, 0.0, 2.0])))
    hand.press(640.0, 300.0, "left")
    assert not hand.pulling
    hand.release()
    assert bench.selected_body == "arm"
    bench.simulation.pause(False)
    hand.press(640.0, 300.0, "left")
    assert hand.pulling
