"""Every scene builds what it says, runs, and does so bit for bit the same each time."""

import math
from dataclasses import replace

import numpy as np
import pytest

from stoss.benchmarks.worlds import Watch
from stoss.benchmarks.worlds.check import HALF_STEP
from stoss.engine import Settings
from stoss.scenes import SCENES
from stoss.scenes.piles.pile import MESH_FOLDER, pile_shapes

# Parameters that make a scene small enough for a test.
SMALL = {
    "drop": {"bodies": 12},
    "stack": {"bodies": 4},
    "pyramid": {"base": 4},
    "wall": {"rows": 3, "columns": 3},
    "funnel": {"bodies": 12, "shapes": "mixed"},
    "pile": {"bodies": 20},
    "incline": {},
    "bounce": {},
    "spin": {},
    "ragdoll": {},
    "walk": {},
    "mocap_playback": {"repeats": 1},
    "chain": {"bodies": 5},
    "tree": {"levels": 4},
    "net": {"knots": 3},
    "loops": {},
    "four_bar": {},
    "double_pendulum": {},
    "knee_variants": {},
    "knee_stop": {},
    "shoulder_girdle": {},
    "spine_bend": {},
    "hand_grasp_pose": {},
    "ik_playground": {},
    "identify_from_markers": {"seconds": 2.0},
    "retarget_dishwasher": {"seconds": 3.0},
    "n_four_bar": {"loops": 1},
    "slider_crank": {},
    "bricard": {},
    "closed_chain": {},
    "gyroscope": {},
    "crane": {"links": 4},
    "robot_arm": {},
    "arm_with_drill": {},
    "bridge": {"planks": 4, "crates": 1},
    "cradle": {"balls": 3},
    "thesis_stops": {},
    "braking": {"bodies": 2},
    "stick_slip": {"law": "stribeck"},
    "arch": {"voussoirs": 5, "thickness": 2.0, "boxes": 1},
    "dominoes": {"bodies": 5, "layout": "row"},
    "card_house": {"storeys": 2},
    "jenga": {"layers": 3, "drawn": 2},
    "heavy_on_light": {"pairs": 2},
    "mass_ratio_pyramids": {"pyramids": 1, "rows": 4},
    "rope_over_cylinder": {"rods": 41},
    "frame_hit": {"storeys": 1, "bays": 1},
    "washer": {"bodies": 12},
    "tippe_top": {},
    "celt": {},
    "bullet": {"bodies": 2},
    "wall_hit": {"courses": 4, "columns": 3, "length": 2.0},
    "bouncing_sphere": {},
    "tumbling_cube": {},
    "breakthrough": {},
    "gait_trainer_leg": {},
    "observer": {},
    "double_pendulum_floor": {},
}


def _moving(world):
    return [body for body in world.bodies if body.kind == "dynamic"]


@pytest.mark.parametrize("name", SCENES)
def test_scene_has_the_bodies_it_announces(name):
    """Hold with default parameters as many moving bodies as the list of scenes says, all named apart."""
    world = SCENES[name].build()
    assert len(_moving(world)) == SCENES[name].body_count
    names = [body.name for body in world.bodies]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", SCENES)
def test_scene_begins_without_overlap(name):
    """Place no body into another: the first step finds at most rounding, or what it fell in one step."""
    world = SCENES[name].build(**SMALL[name], time_step=1e-6)
    report = world.step()
    # Bodies at rest fall g h^2 = 1e-11 m in a step of 1 us; positions of 10 m carry rounding of 1e-15 m.
    assert report.max_overlap <= 2e-11


@pytest.mark.parametrize("name", SCENES)
def test_scene_is_reproducible(name):
    """End in the same bits when it is built and run a second time."""
    hashes = []
    for _ in range(2):
        world = SCENES[name].build(**SMALL[name])
        world.step(30)
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize("name", ["drop", "funnel", "pile", "stack"])
def test_seed_changes_the_scene(name):
    """Start from another state with another seed."""
    states = [SCENES[name].build(**SMALL[name], seed=seed).state_hash() for seed in (0, 1)]
    assert states[0] != states[1]


@pytest.mark.parametrize("name", SCENES)
def test_scene_takes_time_step_and_settings(name):
    """Build with the given time step and settings; a scene of the thesis may keep the thesis's rules."""
    settings = Settings(solver="gauss_seidel")
    world = SCENES[name].build(**SMALL[name], time_step=0.004, settings=settings)
    world.step()
    assert world.time == pytest.approx(0.004, rel=1e-15)
    rules = {"friction_rule": settings.friction_rule, "restitution_rule": settings.restitution_rule}
    assert replace(world.settings, **rules) == settings


@pytest.mark.parametrize(
    ("name", "parameters", "complaint"),
    [
        ("drop", {"bodies": 0}, "bodies is 0"),
        ("drop", {"restitution": 1.5}, "restitution is 1.5"),
        ("stack", {"bodies": -3}, "bodies is -3"),
        ("stack", {"offset": 0.6}, "offset is 0.6"),
        ("stack", {"seed": -1}, "seed = -1 must be"),
        ("stack", {"friction": math.nan}, "friction = nan"),
        ("pyramid", {"base": 0}, "base is 0"),
        ("pyramid", {"spacing": 0.9}, "spacing is 0.9"),
        ("wall", {"rows": 0}, "rows is 0"),
        ("wall", {"columns": 0}, "columns is 0"),
        ("funnel", {"bodies": 0}, "bodies is 0"),
        ("pile", {"friction": -0.1}, "friction is -0.1"),
        ("incline", {"angle_deg": 90.0}, "angle_deg is 90"),
        ("incline", {"speed": math.inf}, "speed = inf"),
        ("braking", {"bodies": 0}, "bodies is 0"),
        ("braking", {"angle_deg": 29.0}, "angle_deg is 29"),
        ("braking", {"free": 0.0}, "free is 0"),
        ("tippe_top", {"spin": 0.0}, "spin is 0"),
        ("tippe_top", {"tilt_deg": 46.0}, "tilt_deg is 46"),
        ("celt", {"tilt_deg": -11.0}, "tilt_deg is -11"),
        ("celt", {"friction": 0.0}, "friction is 0"),
        ("celt", {"spin": math.nan}, "spin = nan"),
        ("bounce", {"highest": 1.01}, "highest is 1.01"),
        ("bounce", {"height": -1.0}, "height is -1"),
        ("spin", {"rate": math.nan}, "rate = nan"),
        ("stack", {"time_step": 0.0}, "time_step"),
        ("stack", {"time_step": -0.01}, "time_step"),
        ("stack", {"time_step": math.nan}, "time_step"),
    ],
)
def test_bad_values_are_named(name, parameters, complaint):
    """Raise ValueError that names parameter and value."""
    with pytest.raises(ValueError, match=complaint):
        SCENES[name].build(**parameters)


def test_wall_is_in_running_bond():
    """Have half bricks in every second course, mass in proportion to length, and equal courses in weight."""
    world = SCENES["wall"].build(rows=4, columns=5)
    bricks = _moving(world)
    assert [sum(body.name.startswith(f"brick {row}.") for body in bricks) for row in range(4)] == [5, 6, 5, 6]
    masses = sorted({round(body.mass, 12) for body in bricks})
    np.testing.assert_allclose(masses, [0.49 / 0.99, 1.0], atol=1e-12)
    middle = np.array([body.position[0] for body in bricks])
    assert abs(middle.sum()) < 1e-12


def _height(world, x, y, start):
    """Return the height at which a ray straight down first meets a body."""
    found = world.ray_cast((x, y, start), (0.0, 0.0, -1.0))
    assert found is not None
    return found[1].point[2]


@pytest.mark.parametrize("direction", [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_funnel_has_the_hole_it_states(direction):
    """Leave a square of 2.4 m at a height of 3 m between upper faces that rise by 45 degrees."""
    world = SCENES["funnel"].build(bodies=1)
    inside, outside = (_height(world, x * direction[0], x * direction[1], 6.0) for x in (1.19, 1.21))
    assert inside < 3.0
    assert outside == pytest.approx(3.01, abs=1e-12)


def test_funnel_of_the_thesis_is_to_scale():
    """Use unit cubes of 1 kg, whose moments are 1/6, and a funnel enlarged with them."""
    world = SCENES["funnel"].build(bodies=1, shapes="thesis")
    cube = world.body("body 0")
    assert cube.mass == 1.0
    np.testing.assert_allclose(cube.inertia, 1 / 6, rtol=1e-12)
    assert _height(world, 1.3 / 0.44, 0.0, 6.0 / 0.44) == pytest.approx(3.1 / 0.44, rel=1e-12)


def test_incline_slides_by_the_closed_form():
    """Slide g (sin a - mu cos a) t^2 / 2 where mu < tan a, and stay where mu > tan a."""
    world = SCENES["incline"].build(time_step=0.01)
    starts = np.array([body.position for body in _moving(world)])
    world.step(100)
    ends = np.array([body.position for body in _moving(world)])
    angle = math.radians(20.0)
    for index, distance in enumerate(np.linalg.norm(ends - starts, axis=1)):
        friction = 0.30 + 0.04 * index
        acceleration = max(9.81 * (math.sin(angle) - friction * math.cos(angle)), 0.0)
        # friction is settled at both ends of the step; the bound of the issue for sliding is 0.1 %
        assert distance == pytest.approx(0.5 * acceleration, rel=1e-3, abs=1e-9)


def test_bounce_rebounds_to_the_square_of_restitution():
    """Rise again to e^2 of the height fallen, within what a step at impact speed can hide."""
    time_step = 1e-3
    world = SCENES["bounce"].build(height=1.0, time_step=time_step)
    balls = _moving(world)
    fall = math.sqrt(2.0 / 9.81)
    world.step(round(fall / time_step) + 5)
    speed = math.sqrt(2.0 * 9.81)
    for index, ball in enumerate(balls):
        restitution = index / (len(balls) - 1)
        rise = ball.velocity[2] ** 2 / (2.0 * 9.81) + ball.position[2] - 0.5
        # the impact is seen up to one step late or early, at v h from the ground and g h from its speed
        assert rise == pytest.approx(restitution**2, abs=2.0 * speed * time_step)


def test_spin_turns_over_twenty_times():
    """Change the sense of the turn about the middle axis 20 times in 100 s."""
    world = SCENES["spin"].build()
    body = world.body("body")
    signs = []
    for _ in range(1000):
        world.step(10)
        w, x, y, z = body.quaternion
        middle = np.array([2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)])
        signs.append(np.sign(middle @ body.angular_velocity))
    assert sum(a != b for a, b in zip(signs, signs[1:], strict=False)) == 20


def test_pile_shapes_fit_their_place_in_the_lattice():
    """Reach no farther than 0.375 m from their origin, so that they can be placed in any orientation."""
    reach = {
        "sphere": lambda s: s.radius,
        "box": lambda s: np.linalg.norm(s.size) / 2,
        "capsule": lambda s: s.radius + s.length / 2,
        "cylinder": lambda s: math.hypot(s.radius, s.length / 2),
        "cone": lambda s: math.hypot(s.radius, s.length / 2),
        "ellipsoid": lambda s: max(s.radii),
    }
    for name, shape in pile_shapes().items():
        distance = reach.get(name, lambda s: np.linalg.norm(s.vertices, axis=1).max())(shape)
        assert distance <= 0.375, name


def test_mesh_files_are_closed_and_convex():
    """Enclose a volume that equals the one of the convex hull."""
    import trimesh

    files = sorted(MESH_FOLDER.glob("*.*"))
    assert [path.name for path in files] == ["gem.stl", "pebble.obj", "wedge.obj"]
    for path in files:
        mesh = trimesh.load(path)
        assert mesh.is_volume, path
        assert mesh.volume == pytest.approx(mesh.convex_hull.volume, rel=1e-6)


def test_pile_stays_in_its_box():
    """Keep all bodies between the walls, above the ground and finite."""
    world = SCENES["pile"].build(bodies=27)
    world.step(200)
    positions = np.array([body.position for body in _moving(world)])
    assert np.isfinite(positions).all()
    assert np.abs(positions[:, :2]).max() < 0.5 * 3 * 0.75
    assert positions[:, 2].min() > 0.0


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in SMALL
        # controllers with integrals give energy that no spring has, and legs give it
        if n not in ("arm_with_drill", "walk", "mocap_playback", "stick_slip")
        and n not in ("identify_from_markers", "retarget_dishwasher")  # servos that follow a recording
    ],
)
def test_scenes_keep_what_must_hold(name):
    """Break neither energy nor ledger, momentum, joints, stops or overlaps at any step of any scene.

    A gain of energy that half the step divides by about four is an oscillation of order two.
    """

    def watched(time_step):
        world = SCENES[name].build(**SMALL[name], time_step=time_step)
        watch = Watch(world)
        world.step(round(0.4 / time_step))
        return watch, [v for v in watch.violations() if v.rule != "cost"]

    watch, broken = watched(0.01)
    if {v.rule for v in broken} & {"energy", "ledger"}:
        finer, _ = watched(0.005)
        assert finer.gain <= HALF_STEP * watch.gain and finer.miss <= max(HALF_STEP * watch.miss, 1e-9)
    assert [v for v in broken if v.rule not in ("energy", "ledger")] == []
