"""Wrong input is refused at once with argument, value and cure; a runaway is caught and named."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from stoss.collision import Box, HalfSpace, Sphere, TriangleMesh
from stoss.engine import Material, Settings, SimulationError, World, from_mesh, from_values
from tests.engine.worlds import tower, world_with_floor

NAN, INF = float("nan"), float("inf")
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
CLOSED = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def box(world: World, **options):
    """Add a unit cube with these options."""
    return world.add_body(Box((1, 1, 1)), **options)


BODIES = [
    (dict(position=(0, 0, NAN)), ValueError, ["position", "nan", "finite"]),
    (dict(position=(INF, 0, 0)), ValueError, ["position", "inf", "finite"]),
    (dict(position=(1, 2)), ValueError, ["position", r"\(1, 2\)", "3 numbers"]),
    (dict(position="here"), TypeError, ["position", "here", "3 numbers"]),
    (dict(velocity=(0, NAN, 0)), ValueError, ["velocity", "nan", "finite"]),
    (dict(angular_velocity=(0, INF, 0)), ValueError, ["angular_velocity", "inf", "finite"]),
    (dict(quaternion=(1, 0, 0, NAN)), ValueError, ["quaternion", "nan", "finite"]),
    (dict(quaternion=(1, 1, 0, 0)), ValueError, ["quaternion", "1, 1, 0, 0", "1.41421", "divide it"]),
    (dict(quaternion=(0, 0, 0, 0)), ValueError, ["quaternion", "0, 0, 0, 0", "length 0"]),
    (dict(mass=0.0), ValueError, ["mass", "0.0", "above zero", "kg"]),
    (dict(mass=-1.0), ValueError, ["mass", "-1.0", "above zero"]),
    (dict(mass=NAN), ValueError, ["mass", "nan", "finite"]),
    (dict(density=0.0), ValueError, ["density", "0.0", "above zero"]),
    (dict(density=-5.0), ValueError, ["density", "-5.0", "above zero"]),
    (dict(mass=1.0, density=1.0), ValueError, ["mass", "density", "one"]),
    (dict(mass="heavy"), TypeError, ["mass", "heavy", "number"]),
    (dict(kind="fixed"), ValueError, ["kind", "fixed", "static"]),
    (dict(kind="static", velocity=(1, 0, 0)), ValueError, ["velocity", "static", "kinematic"]),
    (dict(name="twin"), ValueError, ["name", "twin", "unique"]),
    (dict(group=1.5), (TypeError, ValueError), ["group", "1.5"]),
    (dict(mask="all"), (TypeError, ValueError), ["mask", "all"]),
    (dict(name=5), TypeError, ["name", "5"]),
    (dict(material=0.5), TypeError, ["material", "0.5", "Material"]),
]


@pytest.mark.parametrize(("options", "error", "words"), BODIES, ids=[str(b[0]) for b in BODIES])
def test_add_body_refuses(options, error, words):
    """Refuse each wrong argument, naming it, its value and what to do, and leave the world as it was."""
    world = world_with_floor()
    box(world, position=(0, 0, 0.5), name="twin")
    before = world.state_hash()
    with pytest.raises(error) as caught:
        box(world, **options)
    for word in words:
        assert re.search(word, str(caught.value)), (word, str(caught.value))
    assert world.state_hash() == before and len(world.bodies) == 2
    world.step(10)
    assert np.abs(world.velocities).max() < 1e-9
    box(world, position=(5, 0, 0.5), name="next")
    assert world.body("next").index == 2


def test_shapes_are_checked():
    """Refuse what is no shape, and dynamic bodies of shapes that have no volume."""
    world = World()
    with pytest.raises(TypeError, match="shapes.*'box'.*str"):
        world.add_body(["box"])
    with pytest.raises(TypeError, match="shapes"):
        world.add_body(5)
    with pytest.raises(ValueError, match="HalfSpace.*static"):
        world.add_body(HalfSpace())
    with pytest.raises(ValueError, match="TriangleMesh.*static"):
        world.add_body(TriangleMesh(CORNERS, CLOSED))
    with pytest.raises(ValueError, match="shape"):
        world.add_body((), mass=1.0)
    assert world.bodies == []


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: from_values(1.0, (1, 1, 3)), ["inertia", "3", "sum of the other"]),
        (lambda: from_values(1.0, (1, 1, 0)), ["inertia", "0", "above zero"]),
        (lambda: from_values(0.0, (1, 1, 1)), ["mass", "0.0", "above zero"]),
        (lambda: from_values(1.0, [[1, 2, 0], [2, 1, 0], [0, 0, 1]]), ["inertia", "above zero"]),
        (lambda: from_mesh((CORNERS, CLOSED[:3]), density=1.0), ["mesh", "watertight", "repair"]),
        (lambda: from_mesh((CORNERS, CLOSED[:, ::-1]), density=1.0), ["mesh", "invert"]),
        (lambda: Sphere(-1.0), ["radius", "-1.0", "above zero"]),
        (lambda: Box((1, 0, 1)), ["size", "0", "above zero"]),
        (lambda: Material(friction=-0.1), ["friction", "-0.1", "not negative"]),
        (lambda: Material(friction=NAN), ["friction", "nan"]),
        (lambda: Material(restitution=1.5), ["restitution", "1.5", "0 to 1"]),
        (lambda: Material(friction=0.5, static_friction=0.4), ["static_friction", "0.4", "0.5"]),
        (lambda: Material(friction=0.5, static_friction=INF), ["static_friction", "inf", "finite"]),
        (lambda: World(time_step=0.0), ["time_step", "0.0", "above zero"]),
        (lambda: World(time_step=-0.01), ["time_step", "-0.01", "above zero"]),
        (lambda: World(time_step=INF), ["time_step", "inf", "finite"]),
        (lambda: World(gravity=(0, 0, NAN)), ["gravity", "nan", "finite"]),
        (lambda: World(gravity=9.81), ["gravity", "9.81", "3 numbers"]),
        (lambda: Settings(solver="magic"), ["solver", "magic", "direct"]),
        (lambda: Settings(motion="verlet"), ["motion", "verlet", "symmetric"]),
        (lambda: Settings(collision="bullet"), ["collision", "bullet", "native"]),
        (lambda: Settings(friction_rule="sum"), ["friction_rule", "sum", "add"]),
        (lambda: Settings(sweeps=0), ["sweeps", "0", "at least 1"]),
        (lambda: Settings(sweeps=2.5), ["sweeps", "2.5", "whole number"]),
        (lambda: Settings(position_tolerance=-1e-6), ["position_tolerance", "-1e-06", "not negative"]),
        (lambda: Settings(velocity_tolerance="small"), ["velocity_tolerance", "small"]),
        (lambda: Settings(touch_distance=1.0), ["touch_distance", "1.0", "contact_margin"]),
        (lambda: replace(Settings(), time_limit=NAN), ["time_limit", "nan", "finite"]),
    ],
)
def test_values_are_refused(build, words):
    """Refuse values of mass properties, shapes, materials, world and settings, each named with its cure."""
    with pytest.raises((ValueError, TypeError)) as caught:
        build()
    for word in words:
        assert word in str(caught.value), (word, str(caught.value))


def test_setters_and_loads_are_checked():
    """Refuse wrong values in every setter and load of a body and of the world, leaving all as it was."""
    world = world_with_floor()
    body = box(world, position=(0, 0, 0.5), mass=1.0)
    ground = world.body("floor")
    before = world.state_hash()
    wrong = [
        (lambda: setattr(body, "position", (0, 0, NAN)), "position.*nan"),
        (lambda: setattr(body, "quaternion", (2, 0, 0, 0)), "quaternion.*divide"),
        (lambda: setattr(body, "velocity", (1, 2)), "velocity.*3 numbers"),
        (lambda: setattr(body, "angular_velocity", (INF, 0, 0)), "angular_velocity.*inf"),
        (lambda: setattr(body, "mass", 0.0), "mass.*above zero"),
        (lambda: body.apply_force((NAN, 0, 0)), "force.*nan"),
        (lambda: body.apply_force((1, 0, 0), (0, 0, INF)), "point.*inf"),
        (lambda: body.apply_torque((0, 0)), "torque.*3 numbers"),
        (lambda: body.apply_impulse((0, INF, 0)), "impulse.*inf"),
        (lambda: body.apply_impulse((1, 0, 0), (0, NAN, 0)), "point.*nan"),
        (lambda: setattr(ground, "velocity", (1, 0, 0)), "velocity.*floor.*kinematic"),
        (lambda: setattr(ground, "mass", 1.0), "floor.*static"),
        (lambda: ground.apply_force((1, 0, 0)), "floor.*static"),
        (lambda: ground.apply_impulse((1, 0, 0)), "floor.*static"),
        (lambda: setattr(world, "gravity", (0, 0)), "gravity.*3 numbers"),
        (lambda: setattr(world, "time_step", 0.0), "time_step.*above zero"),
        (lambda: setattr(world, "positions", np.full((2, 3), NAN)), "positions.*finite"),
        (lambda: setattr(world, "positions", np.zeros((3, 3))), r"positions.*\(2, 3\)"),
        (lambda: setattr(world, "quaternions", np.ones((2, 4))), "quaternions.*length 2"),
        (lambda: world.exclude_collision(body, body), "different"),
        (lambda: world.step(0), "count.*0"),
        (lambda: world.step(-3), "count.*-3"),
        (lambda: world.remove_body(box(World())), "not in this world"),
        (lambda: world.ray_cast((0, 0, 1), (0, 0, 0)), "direction"),
        (lambda: world.ray_cast((0, 0, NAN), (0, 0, 1)), "origin"),
        (lambda: world.closest_point((0, NAN, 0)), "point"),
    ]
    for call, message in wrong:
        with pytest.raises(ValueError, match=message):
            call()
        assert world.state_hash() == before, message
    with pytest.raises((TypeError, ValueError), match="count"):
        world.step(1.5)
    with pytest.raises(ValueError, match="read-only"):
        world.positions[1, 0] = 1.0
    world.step(10)
    assert np.abs(body.position - [0, 0, 0.5]).max() < 1e-9


def test_removed_body_is_refused():
    """Name a removed body in whatever is asked of it."""
    world = World()
    body = box(world, name="gone")
    world.remove_body(body)
    for call in (
        lambda: body.position,
        lambda: setattr(body, "velocity", (0, 0, 0)),
        lambda: body.apply_force((1, 0, 0)),
        lambda: world.remove_body(body),
        lambda: body.kind,
    ):
        with pytest.raises(ValueError, match="'gone' is not in this world"):
            call()
    assert "gone" in str(body.name)


@pytest.mark.parametrize("cause", ["force", "velocity", "torque", "array", "nan"])
def test_runaway_is_named_and_taken_back(cause):
    """Stop at the step in which a body runs away, name it, and go on from the last good state.

    What caused it must be gone or taken away first; forces of one step are.
    """
    world = tower(4)
    twin = tower(4)
    world.step(20)
    twin.step(20)
    good = world.state_hash()
    body = world.body("cube 2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if cause == "force":
            body.apply_force((1e300, 0, 0))
        elif cause == "velocity":
            body.velocity = (0, 0, 1e200)
        elif cause == "torque":
            body.apply_torque((0, 1e300, 0))
        elif cause == "array":
            world.forces[body.index] = (0, 0, 1e20)
        else:
            world.forces[body.index, 0] = NAN
        with pytest.raises(SimulationError) as caught:
            world.step()
    error = caught.value
    assert error.step == 21 and error.body.startswith("cube")
    assert error.contact is None or error.body in error.contact
    for word in ("step 21", repr(error.body), "ran away", "smaller time step"):
        assert word in str(error)
    assert world.step_count == 20 and world.time == pytest.approx(0.2, abs=1e-12)
    if cause == "velocity":
        body.velocity = (0, 0, 0)
    else:
        assert world.state_hash() == good
    world.forces[:] = 0.0
    world.step(50)
    twin.step(50)
    assert np.isfinite(world.positions).all()
    assert np.abs(world.positions - twin.positions).max() < 1e-8
    assert np.abs(world.velocities).max() < 1e-8


def test_runaway_names_the_culprit():
    """Name the body that ran away first of all, not one that it touched."""
    world = tower(3)
    lone = world.add_body(Sphere(0.5), position=(20, 0, 5), name="lone")
    lone.apply_force((1e300, 0, 0))
    with pytest.raises(SimulationError, match="'lone'") as caught:
        world.step()
    assert caught.value.body == "lone" and caught.value.contact is None


def test_speed_limit_is_a_setting():
    """Stop at the speed that the settings name."""
    world = World(settings=Settings(speed_limit=50.0))
    world.add_body(Sphere(0.5), name="fast", velocity=(0, 0, -49.0))
    world.step(10)
    with pytest.raises(SimulationError, match="'fast'.*50"):
        world.step(10)


@pytest.mark.parametrize("nothing", [(), [], {}])
def test_a_dynamic_body_without_shapes_is_told_as_it_was_given(nothing):
    """Show the value that was passed, whatever kind of nothing it is."""
    with pytest.raises(ValueError, match=re.escape(f"shapes = {nothing} of a dynamic body")):
        World().add_body(nothing)
