"""What controllers draw over the bodies: in frames, in overlays, and of a walker."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.humans import SOLE, VirtualModelWalker, build_humanoid
from stoss.viewer.drawing.overlays import OverlayOptions, overlay_geometry
from stoss.viewer.world.canvas import drawn_by_controllers
from stoss.viewer.world.frames import describe_world, frame_of


class Marker(st.Controller):
    """Draw an arrow to where it has been told to go."""

    def update(self, time, period):
        self.goal = (1.0, 2.0, time)

    def draw(self, canvas):
        canvas.arrow((0, 0, 0), self.goal)
        canvas.text(self.goal, "goal")


def test_controllers_draw_where_control_is_shown():
    """Lay what a controller draws over the bodies with the overlay `control`, and not without."""
    world = st.World()
    world.add_body(st.Sphere(0.1))
    assert frame_of(world).marks is None
    world.add_controller(Marker())
    world.add_controller(lambda world: None)
    world.step(2)
    description, frame = describe_world(world), frame_of(world)
    shown = overlay_geometry(description, frame, OverlayOptions.of(["control"]))
    assert len(shown.arrows) == 1 and shown.texts[0][0] == "goal"
    np.testing.assert_allclose(shown.texts[0][1], (1.0, 2.0, 0.01))
    assert not len(overlay_geometry(description, frame, OverlayOptions()).arrows)


@pytest.fixture(scope="module")
def walk():
    """Return a walker after 1.1 s: two steps."""
    world = st.World(time_step=0.001)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE)
    walker = VirtualModelWalker(build_humanoid(world))
    walker.start()
    world.add_controller(walker)
    assert drawn_by_controllers(world) is not None
    world.step(1100)
    return world, walker


def test_a_walker_draws_its_prints_and_forces(walk):
    """Draw a print around each heel, the centre of mass, and forces that carry the weight as arrows."""
    world, walker = walk
    marks, person = drawn_by_controllers(world), walker.humanoid
    assert walker.steps == 2 and len(walker.landings) == 2
    prints = marks.lines[(marks.lines[:, 3] == 2.5)]
    assert len(prints) == 2 * 14
    for landing, outline in zip(walker.landings, np.split(prints, 2), strict=True):
        assert abs(landing.heel[2]) < 2e-3
        outside = 1.0 if landing.side == "left" else -1.0
        assert outline[:, 0].min() < landing.heel[0] < outline[:, 0].max() - 0.2
        assert (outside * (outline[:, 1] - landing.heel[1])).max() > 0.045
    rows = [body.index for body in person.bodies.values()]
    center = world.masses[rows] @ world.centers_of_mass[rows] / person.mass
    points = marks.lines[(marks.lines[:, :3] == marks.lines[:, 4:7]).all(axis=1), :3]
    assert min(np.abs(points - center).max(axis=1)) < 1e-12
    (arrow,) = marks.arrows
    pushed = world.contacts.of(person.bodies[f"{walker.standing} foot"]).impulse.sum(axis=0)  # [N s] in 1 ms
    np.testing.assert_allclose(np.abs(arrow[4:7]), np.abs(pushed), atol=1e-12)
    assert arrow[6] > 0.0
    assert marks.texts[0][0] == f"step 2: {walker.standing} foot stands"


def test_bars_tell_how_long_feet_stand(walk):
    """Let bars begin where the pelvis was at a landing, and end at the lift-off, or here."""
    world, walker = walk
    bars = drawn_by_controllers(world).lines
    bars = bars[bars[:, 3] == 6.0]
    first, second = walker.landings
    red = bars[:, 7] > bars[:, 9]  # those of the right foot
    begins = [bars[red == (one.side == "right")] for one in (first, second)]
    assert [one[0, 1] - landing.pelvis[1] for one, landing in zip(begins, (first, second), strict=True)] == (
        pytest.approx([0.45 if one.side == "left" else -0.45 for one in (first, second)])
    )
    np.testing.assert_allclose(begins[0][0, 0], first.pelvis[0], atol=1e-9)
    np.testing.assert_allclose(begins[1][0, 0], second.pelvis[0], atol=1e-9)
    assert begins[1][-1, 4] == pytest.approx(float(walker.humanoid.bodies["pelvis"].position[0]))
    lifted = second.lifted
    assert not np.isnan(lifted) and second.pelvis[0] < begins[0][-1, 4] < begins[1][-1, 4]
