"""Stick figures: rods from the centre of mass to joints and markers, in windows, motions and films alike."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st
from stoss.command_line.main import main
from stoss.scenes import find_scene, stick_figure
from stoss.scenes.running.trajectory import load_trajectory

ARM = str(Path(__file__).parents[2] / "examples" / "models" / "arm_with_drill.toml")


def ends(body):
    """Return where the rods of a body end in the world, from its centre of mass, by their lengths."""
    rods = [one for one in body.display if isinstance(one.shape, st.Cylinder)]
    return sorted(2.0 * np.linalg.norm(body.world_point(one.position) - body.center_of_mass) for one in rods)


def test_models_without_shapes_are_stick_figures():
    """Draw the bodies of the arm as sticks to all their levers."""
    world = find_scene(ARM).build()
    assert ends(world.body("hand")) == pytest.approx([0.02, 0.06, 0.14])  # wrist, contact, tip
    assert ends(world.body("upper_arm")) == pytest.approx([0.25, 0.25])
    arm, shoulder = world.body("upper_arm"), world.joint("shoulder").second_point
    rod = next(
        one
        for one in arm.display
        if isinstance(one.shape, st.Cylinder)
        and np.dot(arm.world_point(one.position) - arm.center_of_mass, shoulder - arm.center_of_mass) > 0
    )
    np.testing.assert_allclose(2.0 * arm.world_point(rod.position) - arm.center_of_mass, shoulder, atol=1e-12)
    assert ends(world.body("hand_soft")) == pytest.approx([0.02, 0.14])
    assert (
        not any(body.shapes for body in world.bodies)
        and world.state_hash() == st.Model.load(ARM).build().state_hash()
    )


def test_sticks_are_in_saved_motions(tmp_path, monkeypatch):
    """Keep the sticks in a motion that is saved, so that a replay has them."""
    monkeypatch.chdir(tmp_path)  # where the model's recording goes
    place = tmp_path / "arm.npz"
    assert main(["run", ARM, "--duration", "0.02", "--save", str(place), "--quiet"]) == 0
    motion = load_trajectory(place)
    world = find_scene(ARM).build()
    assert len(motion.shapes) == sum(len(body.display) for body in world.bodies) > 20
    assert all(record["drawn"] for record in motion.shapes)


def test_chosen_bodies():
    """Draw chosen bodies, at joints that are not at their markers, and leave others as they are."""
    world = st.World()
    box = world.add_body(st.Box((1.0, 1.0, 1.0)), position=(0.0, 0.0, 1.0))
    other = world.add_body(st.Box((1.0, 1.0, 1.0)), position=(2.0, 0.0, 1.0))
    world.add_joint(st.Ball((1.0, 0.0, 1.0)), box, other)
    world.add_joint(st.Ball((0.0, 0.0, 2.5)), None, box)
    stick_figure(world, bodies=[box], radius=0.1)
    assert ends(box) == pytest.approx([1.0, 1.5]) and not other.display
    assert sorted({round(one.shape.radius, 9) for one in box.display}) == [0.1, 0.15, 0.25]
    with pytest.raises(ValueError, match="radius"):
        stick_figure(world, radius=0.0)


@pytest.mark.parametrize(("plane", "view"), [("xy", (-90, 90)), ("xz", (-90, 0)), ("yz", (0, 0))])
def test_planes_are_seen_from_their_front(plane, view, tmp_path):
    """Look at the plane of a planar model, and elsewhere if it says so."""
    text = f'[world]\nplanar = "{plane}"\n[bodies.a]\nshapes = [{{ type = "sphere", radius = 1 }}]\n'
    (tmp_path / "a.toml").write_text(text)
    assert find_scene(str(tmp_path / "a.toml")).view == view
    (tmp_path / "b.toml").write_text(text + "[camera]\nelevation = 0.5\n")
    assert find_scene(str(tmp_path / "b.toml")).view == (view[0], pytest.approx(np.degrees(0.5)))
