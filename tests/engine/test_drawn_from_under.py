"""Bodies drawn from under a load: friction holds what it can, and the load does not go along.

Supports share a load of rigid bodies in many ways, of which some would take it along with what is drawn.
Loads are to stay shared as they were at rest: then what is drawn bears less than the others, and these hold.
"""

import numpy as np
import pytest

import stoss as st
from stoss.engine import Compose, FixedOrientation, PointOnPlane, Slider
from stoss.scenes import find_scene

SPEED, SOFT, DURATION = 0.2, 0.2, 0.5


def beam_on_posts(posts, mass, friction, time_step):
    """Return a world at rest in which a beam lies on posts of 1 kg, the posts, and the beam."""
    world = st.World(time_step=time_step)
    rough = st.Material(friction=friction)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    places = 0.5 * (np.arange(posts) - 0.5 * (posts - 1))
    below = [
        world.add_body(st.Box((0.3, 0.2, 0.4)), position=(0.0, y, 0.2), mass=1.0, material=rough)
        for y in places
    ]
    beam = world.add_body(
        st.Box((0.3, 0.5 * posts, 0.1)), position=(0.0, 0.0, 0.45), mass=mass, material=rough
    )
    world.step(round(0.3 / time_step))
    return world, below, beam


def rail(post):
    """Return a rail along x."""
    return Slider(tuple(post.position), (1.0, 0.0, 0.0)), None


def level_hand(post):
    """Return a hand that holds a post upright in its plane, and does not bear it."""
    plane = PointOnPlane(tuple(post.position), (0.0, 1.0, 0.0), x_axis=(1.0, 0.0, 0.0))
    return Compose(FixedOrientation(), plane), "x"


@pytest.mark.parametrize("solver", ["auto", "direct"])
@pytest.mark.parametrize("hand", [rail, level_hand])
@pytest.mark.parametrize(
    ("posts", "mass", "friction", "time_step"),
    [
        (3, 1.0, 0.3, 0.01),
        (3, 30.0, 0.8, 0.02),
        (3, 30.0, 0.3, 0.005),
        (4, 30.0, 0.3, 0.01),
        (5, 30.0, 0.8, 0.01),
    ],
)
def test_beam_stays_when_a_post_is_drawn(posts, mass, friction, time_step, hand, solver):
    """Draw an inner post: it goes its way, the beam and the other posts stay within 1e-6 m."""
    world, below, beam = beam_on_posts(posts, mass, friction, time_step)
    for body in world.bodies:
        if body.kind == "dynamic":
            body.solver = solver
    drawn = below[posts // 2]
    kind, coordinate = hand(drawn)
    joint = world.add_joint(kind, None, drawn)
    begin = world.time
    joint.motor(coordinate=coordinate).schedule((begin, begin + SOFT), (0.0, SPEED))
    start = world.positions.copy()
    world.step(round(DURATION / time_step))
    ways = world.positions - start
    expected = SPEED * (DURATION - 0.5 * SOFT)
    np.testing.assert_allclose(ways[drawn.index], (expected, 0.0, 0.0), atol=1e-6)
    others = [body.index for body in (*below, beam) if body is not drawn]
    assert np.abs(ways[others]).max() < 1e-6


@pytest.mark.parametrize("speed", [0.1, 1.0])
@pytest.mark.parametrize("limit", [300.0, 1e5])
def test_motor_that_starts_with_a_jerk(speed, limit):
    """Draw by a motor of limited force that is at its rate after one step."""
    world, below, beam = beam_on_posts(3, 30.0, 0.3, 0.01)
    kind, coordinate = rail(below[1])
    world.add_joint(kind, None, below[1]).motor(speed, max_force=limit, coordinate=coordinate)
    start = beam.position
    world.step(40)
    assert np.abs(beam.position - start).max() < 1e-6
    assert abs(below[1].position[0] - 0.4 * speed) < 0.05 * speed


@pytest.mark.parametrize(("layers", "friction"), [(3, 0.4), (6, 0.2), (6, 0.6), (12, 0.4), (18, 0.4)])
def test_tower_stays_when_a_block_is_drawn(layers, friction):
    """Draw the middle block of a layer: while it is in the tower no other one moves by 1e-4 m."""
    world = find_scene("jenga").build(layers=layers, drawn=(layers + 2) // 3, friction=friction)
    world.step(40)
    drawn = world.body(f"block {(layers + 2) // 3}.2").index
    start = world.positions.copy()
    world.step(200)
    ways = np.linalg.norm(world.positions - start, axis=1)
    assert ways[drawn] > 0.4
    assert np.delete(ways, drawn).max() < 1e-4


def test_beam_goes_along_where_what_is_drawn_bears_most():
    """Draw the post that bears four fifths of a beam: friction takes the beam along."""
    world = st.World(time_step=0.01)
    rough = st.Material(friction=0.5)
    world.add_body(st.HalfSpace(), kind="static", material=rough)
    near, far = (
        world.add_body(st.Box((0.3, 0.1, 0.4)), position=(0.0, y, 0.2), mass=1.0, material=rough)
        for y in (0.25, -1.0)
    )
    beam = world.add_body(st.Box((0.3, 2.4, 0.1)), position=(0.0, 0.0, 0.45), mass=30.0, material=rough)
    world.step(30)
    world.add_joint(Slider(tuple(near.position), (1.0, 0.0, 0.0)), None, near).motor(0.1)
    start = beam.position
    world.step(50)
    # the beam turns about the far post, which holds it
    assert beam.position[0] - start[0] > 0.03
    assert abs(far.position[0]) < 0.02
