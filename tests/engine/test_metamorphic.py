"""The same scene in other units, turned, mirrored, shifted or listed in another order moves the same.

The scenes have no chaos within the steps that are compared, and no ties: nothing lies or lands so
symmetrically that rounding decides which way it goes. Their motion is unique: where a box lies flat, the
shares of its corners in the load are not, so such boxes stick, slide without turning, or slide without
friction, all of which depends on the sum alone. (A box that slides and spins on four corners is not
determined by Coulomb's law.)
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Placed, Shape, Sphere
from stoss.engine import Material, Settings, World
from tests.engine.worlds import G, axis_angle, matrix, product, random_quaternion

STEPS = 80
# The direct solver meets velocities to 1e-10 m/s and positions to 1e-6 m of preview at worst; what the change
# of the scene does to rounding stays far below. Relative to lengths and speeds of about 1.
AGREEMENT = 1e-8


@dataclass(frozen=True)
class Scene:
    """A scene as plain data, so that it can be changed as a whole."""

    bodies: list[dict[str, Any]]
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, -G]))
    time_step: float = 0.01
    settings: Settings = field(default_factory=Settings)
    steps: int = STEPS

    def build(self) -> World:
        world = World(gravity=self.gravity, time_step=self.time_step, settings=self.settings)
        for body in self.bodies:
            world.add_body(**body)
        return world

    def run(self) -> dict[str, np.ndarray]:
        """Return for each body its path: (steps, 13) position, quaternion, velocity, angular velocity."""
        world = self.build()
        paths: dict[str, list[np.ndarray]] = {b.name: [] for b in world.bodies if b.kind == "dynamic"}
        for _ in range(self.steps):
            world.step()
            for name, path in paths.items():
                b = world.body(name)
                path.append(np.concatenate([b.position, b.quaternion, b.velocity, b.angular_velocity]))
        return {name: np.array(path) for name, path in paths.items()}


def body(name: str, shapes: Any, position: Any, **options: Any) -> dict[str, Any]:
    return {"name": name, "shapes": shapes, "position": np.array(position, float), **options}


def ground(material: Material | None = None) -> dict[str, Any]:
    return body("ground", HalfSpace(), (0, 0, 0), kind="static", material=material)


def small_tower() -> Scene:
    """Five cubes with random offsets of 1 cm, the lowest pushed so that it slides under the others."""
    rng = np.random.default_rng(1)
    cubes = [
        body(f"cube {k}", Box((1, 1, 1)), (*rng.uniform(-0.01, 0.01, 2), 0.5 + k), mass=1.0 + 0.1 * k)
        for k in range(5)
    ]
    return Scene([ground(), *cubes])


def landing_box() -> Scene:
    """A box that lands on a corner and tumbles on over its edges; the steps end before it lies flat."""
    return Scene(
        steps=58,
        bodies=[
            ground(Material(restitution=0.3)),
            body(
                "box", Box((1.0, 0.6, 0.4)), (0, 0, 0.8), quaternion=axis_angle((0.3, 1, 0.2), 0.7),
                velocity=np.array([0.5, 0.2, -0.5]), mass=2.0,
            ),
        ],
    )  # fmt: skip


def sliding_box() -> Scene:
    """A box that slides over the floor until it stops, its edges askew to its path."""
    return Scene(
        [
            ground(),
            body(
                "box", Box((1.0, 0.7, 0.3)), (0, 0, 0.15), quaternion=axis_angle((0, 0, 1), 0.3),
                velocity=np.array([2.0, 0.7, 0]), mass=2.0,
            ),
        ]
    )  # fmt: skip


def sphere_hits_boxes() -> Scene:
    """A spinning sphere that hits a box off centre, which turns and hits another; the floor is smooth."""
    return Scene(
        [
            ground(Material(friction=0.0)),
            body("near", Box((0.8, 0.9, 0.5)), (1.0, 0.05, 0.25), mass=2.0),
            body(
                "far", Box((0.5, 0.4, 0.3)), (1.75, 0.32, 0.15),
                quaternion=axis_angle((0, 0, 1), 0.4), mass=0.7,
            ),
            body(
                "ball", Sphere(0.3), (-0.2, 0.13, 0.31), velocity=np.array([3.0, 0.1, 0]),
                angular_velocity=np.array([1.0, -4.0, 2.0]), mass=1.5,
                material=Material(restitution=0.4, friction=0.3),
            ),
        ]
    )  # fmt: skip


def capsules_and_compound() -> Scene:
    """A capsule that topples and a compound that falls on a sphere."""
    hammer = [Placed(Box((0.4, 0.2, 0.2)), position=(0.3, 0, 0)), Placed(Capsule(0.1, 0.5))]
    return Scene(
        [
            ground(),
            body("rod", Capsule(0.2, 0.8), (2, 0, 0.62), quaternion=axis_angle((1, 0.4, 0), 0.2), mass=1.0),
            body("ball", Sphere(0.4), (0, 0, 0.4), mass=3.0),
            body("hammer", hammer, (0.1, 0.07, 1.4), quaternion=axis_angle((0.5, 1, 0.2), 1.1), mass=1.0),
        ]
    )


SCENES: dict[str, Callable[[], Scene]] = {
    f.__name__: f for f in (small_tower, landing_box, sliding_box, sphere_hits_boxes, capsules_and_compound)
}
EXPECTED: dict[str, dict[str, np.ndarray]] = {}


def expected(name: str) -> dict[str, np.ndarray]:
    """Return the paths of the unchanged scene, run once."""
    if name not in EXPECTED:
        EXPECTED[name] = SCENES[name]().run()
    return EXPECTED[name]


def scaled_shape(shape: Shape, factor: float) -> Shape:
    """Return the shape with all lengths multiplied."""
    if isinstance(shape, Sphere):
        return Sphere(shape.radius * factor)
    if isinstance(shape, Capsule):
        return Capsule(shape.radius * factor, shape.length * factor)
    if isinstance(shape, Box):
        return Box(tuple(factor * np.array(shape.size)))
    return shape


def scaled_parts(shapes: Any, factor: float) -> Any:
    if isinstance(shapes, list):
        return [
            Placed(scaled_shape(p.shape, factor), factor * np.array(p.position), p.quaternion) for p in shapes
        ]
    return scaled_shape(shapes, factor)


def changed(scene: Scene, change: Callable[[dict[str, Any]], dict[str, Any]], **options: Any) -> Scene:
    """Return the scene with every body replaced by change(body)."""
    return replace(scene, bodies=[change(dict(b)) for b in scene.bodies], **options)


def compare(paths: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> float:
    """Return the largest difference; quaternions q and -q are the same."""
    worst = 0.0
    for name, path in paths.items():
        twin = other[name].copy()
        flip = (twin[:, 3:7] * path[:, 3:7]).sum(axis=1) < 0.0
        twin[flip, 3:7] *= -1.0
        worst = max(worst, float(np.abs(twin - path).max()))
    return worst


@pytest.mark.parametrize("name", SCENES)
def test_scenes_move(name):
    """Have something happen in every scene: a body moves or turns by more than a tenth, but for the tower."""
    paths = expected(name)
    moved = max(np.abs(p[-1, :7] - p[0, :7]).max() for p in paths.values())
    assert moved > 0.1 or name == "small_tower"


@pytest.mark.parametrize("factor", [1e-3, 1e3])
@pytest.mark.parametrize("name", SCENES)
def test_masses_do_not_matter(name, factor):
    """Move the same when all masses are multiplied."""
    scene = changed(SCENES[name](), lambda b: {**b, **({"mass": b["mass"] * factor} if "mass" in b else {})})
    assert compare(expected(name), scene.run()) < AGREEMENT


@pytest.mark.parametrize("factor", [0.01, 100.0])
@pytest.mark.parametrize("name", SCENES)
def test_lengths_do_not_matter(name, factor):
    """Move the same when lengths are multiplied by f, times by sqrt(f), so that gravity stays as it is."""
    time = np.sqrt(factor)
    speed = factor / time

    def change(b):
        b["position"] = b["position"] * factor
        b["shapes"] = scaled_parts(b["shapes"], factor)
        b["velocity"] = b.get("velocity", np.zeros(3)) * speed
        b["angular_velocity"] = b.get("angular_velocity", np.zeros(3)) / time
        return b

    scene = SCENES[name]()
    scene = changed(scene, change, time_step=0.01 * time, settings=scene.settings.scaled(factor, time))
    units = np.repeat([factor, 1.0, speed, 1.0 / time], [3, 4, 3, 3])
    assert compare(expected(name), {n: p / units for n, p in scene.run().items()}) < AGREEMENT


@pytest.mark.parametrize("factor", [0.1, 10.0])
@pytest.mark.parametrize("name", SCENES)
def test_times_do_not_matter(name, factor):
    """Move the same when times are multiplied by f and gravity divided by f^2."""

    def change(b):
        b["velocity"] = b.get("velocity", np.zeros(3)) / factor
        b["angular_velocity"] = b.get("angular_velocity", np.zeros(3)) / factor
        return b

    scene = SCENES[name]()
    scene = changed(
        scene,
        change,
        gravity=scene.gravity / factor**2,
        time_step=0.01 * factor,
        settings=scene.settings.scaled(1.0, factor),
    )
    units = np.repeat([1.0, 1.0, 1.0 / factor, 1.0 / factor], [3, 4, 3, 3])
    assert compare(expected(name), {n: p / units for n, p in scene.run().items()}) < AGREEMENT


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", SCENES)
def test_directions_do_not_matter(name, seed):
    """Move the same, turned, when the whole scene is turned, gravity included."""
    q = random_quaternion(np.random.default_rng(seed))
    r = matrix(q)

    def change(b):
        b["position"] = r @ b["position"]
        b["quaternion"] = product(q, b.get("quaternion", (1, 0, 0, 0)))
        b["velocity"] = r @ b.get("velocity", np.zeros(3))
        b["angular_velocity"] = r @ b.get("angular_velocity", np.zeros(3))
        return b

    scene = SCENES[name]()
    turned = changed(scene, change, gravity=r @ scene.gravity).run()
    for path in turned.values():
        for columns in (slice(0, 3), slice(7, 10), slice(10, 13)):
            path[:, columns] = path[:, columns] @ r
        path[:, 3:7] = [product(q * [1, -1, -1, -1], p) for p in path[:, 3:7]]
    assert compare(expected(name), turned) < AGREEMENT


MIRROR = np.array([1.0, -1.0, 1.0])  # y -> -y; angular velocities and the turns of quaternions are axial


@pytest.mark.parametrize("name", SCENES)
def test_left_and_right_do_not_matter(name):
    """Move the same, mirrored, in the mirrored scene."""

    def change(b):
        b["position"] = MIRROR * b["position"]
        b["quaternion"] = np.array([1.0, *-MIRROR]) * b.get("quaternion", np.array([1.0, 0, 0, 0]))
        b["velocity"] = MIRROR * b.get("velocity", np.zeros(3))
        b["angular_velocity"] = -MIRROR * b.get("angular_velocity", np.zeros(3))
        return b

    mirrored = changed(SCENES[name](), change).run()
    signs = np.concatenate([MIRROR, [1.0], -MIRROR, MIRROR, -MIRROR])
    assert compare(expected(name), {n: p * signs for n, p in mirrored.items()}) < AGREEMENT


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", SCENES)
def test_order_does_not_matter(name, seed):
    """Move the same when the bodies are added in another order."""
    scene = SCENES[name]()
    order = np.random.default_rng(seed).permutation(len(scene.bodies))
    other = replace(scene, bodies=[scene.bodies[i] for i in order[::-1]])
    assert compare(expected(name), other.run()) < AGREEMENT


@pytest.mark.parametrize("name", SCENES)
def test_place_does_not_matter(name):
    """Move the same when everything is shifted by hundreds of metres.

    Shifted along the floor by 2^8 m a position has eight bits less: 3e-14 m.
    """
    shift = np.array([256.0, -128.0, 64.0])

    def move(b):
        b["position"] = b["position"] + shift
        return b

    shifted = changed(SCENES[name](), move).run()
    for path in shifted.values():
        path[:, :3] -= shift
    assert compare(expected(name), shifted) < AGREEMENT
