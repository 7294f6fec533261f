"""Degrees of freedom, redundant rows, conflicts; several solvers in one world."""

import numpy as np
import pytest

from stoss.collision import Box
from stoss.engine import Ball, Distance, Fixed, Hinge, Settings, Slider, World
from stoss.engine.constraints.mass_weighting import world_sqrt_inverse_inertias
from stoss.engine.constraints.rows import Rows
from stoss.engine.joints.constraints import HOLDS, build_joint_rows, count_joint_rows
from stoss.engine.joints.freedom import _groups
from stoss.engine.joints.placement import new_joint_frames

Y = (0, 1, 0)


def link(world, a, b, **kwargs):
    """Add a bar from a to b (x and z)."""
    a, b = np.array(a, float), np.array(b, float)
    along = b - a
    angle = -np.arctan2(along[1], along[0])
    middle = 0.5 * (a + b)
    return world.add_body(
        Box((np.linalg.norm(along), 0.04, 0.04)),
        position=(middle[0], 0, middle[1]),
        quaternion=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
        mass=1.0,
        mask=0,
        **kwargs,
    )


def four_bar(**settings):
    """Return a planar four-bar of hinges A, B, C, D: 15 of its 20 rows would do."""
    world = World(settings=Settings(**settings))
    a, b, c, d = (0, 0), (0, 0.3), (0.6, 0.5), (0.8, 0)
    bars = [link(world, *ends) for ends in ((a, b), (b, c), (c, d))]
    for name, place, first, second in (
        ("A", a, None, bars[0]),
        ("B", b, bars[0], bars[1]),
        ("C", c, bars[1], bars[2]),
        ("D", d, bars[2], None),
    ):
        world.add_joint(Hinge((place[0], 0, place[1]), Y), first, second, name=name)
    return world


def test_a_tree_has_no_redundant_rows():
    """Count the freedoms of a slider with a ball joint: one and three."""
    world = World()
    a = world.add_body(Box((1, 1, 1)), position=(0, 0, 0))
    b = world.add_body(Box((1, 1, 1)), position=(2, 0, 0))
    world.add_joint(Slider((0, 0, 0), (1, 0, 0)), None, a)
    world.add_joint(Ball((1, 0, 0)), a, b)
    report = world.freedom_report()
    assert (report.bodies, report.rows, report.rank, report.degrees_of_freedom) == (2, 8, 8, 4)
    assert report.redundant == () and report.conflicts == ()


def test_planar_loop_names_its_redundant_rows():
    """Find one freedom and three redundant rows, all of the joint that closes the loop."""
    report = four_bar().freedom_report()
    assert (report.rows, report.rank, report.degrees_of_freedom) == (20, 17, 1)
    assert {row.joint for row in report.redundant} == {"D"}
    assert len(report.redundant) == 3 and all(row.error < 1e-9 for row in report.redundant)
    assert "redundant: D, " in str(report)


def test_limits_do_not_count_as_rows():
    """Keep the count of freedoms when a stop is set."""
    world = four_bar()
    world.joint("A").limit(-1.0, 1.0)
    assert world.freedom_report().degrees_of_freedom == 1


def test_contradicting_joints_are_named_and_the_world_goes_on():
    """Report by how much two rods of different length between the same points are open; stay finite."""
    world = World(gravity=(0, 0, 0))
    a = world.add_body(Box((0.2, 0.2, 0.2)), position=(0, 0, 0), mass=1.0)
    b = world.add_body(Box((0.2, 0.2, 0.2)), position=(1, 0, 0), mass=1.0)
    world.add_joint(Distance((0, 0, 0), (1, 0, 0)), a, b, name="right")
    world.add_joint(Distance((0, 0, 0), (1, 0, 0), length=1.1), a, b, name="wrong")
    world.step(200)
    report = world.freedom_report()
    errors = dict(report.conflicts)
    assert set(errors) == {"right", "wrong"}
    assert errors["right"] + errors["wrong"] == pytest.approx(0.1, abs=1e-6)
    assert [row.joint for row in report.redundant] == ["wrong"]
    assert np.abs(world.velocities).max() < 1.0


def test_welds_leave_nothing():
    """Leave no freedom to a welded body, and call a second weld redundant in all its rows."""
    world = World()
    a = world.add_body(Box((1, 1, 1)))
    world.add_joint(Fixed(), None, a, name="first")
    world.add_joint(Fixed(), None, a, name="second")
    report = world.freedom_report()
    assert report.degrees_of_freedom == 0
    assert [row.joint for row in report.redundant] == ["second"] * 6


def test_two_solvers_in_one_world():
    """Solve one chain directly and its twin by sweeps, with the same motion as far as tolerances allow."""
    world = World(settings=Settings(sweeps=3000))
    for y, solver in ((0, "direct"), (5, "gauss_seidel")):
        last = None
        for i in range(5):
            body = world.add_body(Box((0.2, 0.06, 0.06)), position=(0.1 + 0.2 * i, y, 0), mass=1.0, mask=0)
            body.solver = solver
            world.add_joint(Ball((0.2 * i, y, 0)), last, body)
            last = body
    report = world.step(60)
    assert (report.islands, report.direct_islands) == (2, 1)
    assert world.bodies[0].solver == "direct" and world.bodies[5].solver == "gauss_seidel"
    assert report.joint_error < 1.1e-6
    # each keeps its joints within 1e-6 m in its own way: the motions differ by what 60 steps make of that
    assert np.abs(world.positions[:5, [0, 2]] - world.positions[5:, [0, 2]]).max() < 1e-4


def test_composition_falls_back_where_it_cannot_go():
    """Report order 4 for a free mechanism and with a mild damper, order 2 once a stiff one is set."""
    world = four_bar(order=4)
    assert world.step(5).order == 4
    damper = world.joint("A").damper(0.01)
    assert world.step().order == 4
    damper.damping = 1e4
    assert world.step().order == 2
    damper.remove()
    assert world.step().order == 4


# ---------------------------------------------------------------- against a dense basis


def dense_report(world):
    """Return rank and redundant rows by orthogonalising each row against all before it, over all bodies."""
    joints, bodies = world._joint_table.arrays, world._bodies
    roots = np.zeros((len(bodies.kinds), 9))
    world_sqrt_inverse_inertias(bodies, roots)
    taking_part, _, held, _, _ = count_joint_rows(joints, bodies)
    held = np.where(taking_part, held, 0)
    start = np.concatenate([[0], np.cumsum(held)])
    rows = Rows.zeros(blocks=len(held), rows=int(start[-1]))
    rows.start[:] = start
    blocks = np.where(held > 0, np.arange(len(held)), -1)
    build_joint_rows(joints, new_joint_frames(joints), blocks, HOLDS, bodies, roots, rows, 0.0)
    basis, redundant = np.zeros((0, 6 * len(bodies.kinds))), []
    for r, j in enumerate(np.repeat(np.arange(len(held)), held)):
        vector = np.zeros(basis.shape[1])
        for half, body in enumerate(rows.bodies[j]):
            if body >= 0:
                vector[6 * body : 6 * body + 6] = rows.jacobian[r, 6 * half : 6 * half + 6]
        size = np.linalg.norm(vector)
        for _ in range(2):
            vector = vector - basis.T @ (basis @ vector)
        if np.linalg.norm(vector) > 1e-5 * size:
            basis = np.vstack([basis, vector / np.linalg.norm(vector)])
        else:
            redundant.append(world.joints[j].name)
    return len(basis), redundant


@pytest.mark.parametrize("seed", range(12))
def test_same_as_a_dense_basis(seed):
    """Name the same redundant rows in random models of trees, loops, static bodies and the world."""
    random = np.random.default_rng(seed)
    world = World(gravity=(0, 0, 0))
    for place in 3.0 * random.normal(size=(random.integers(4, 12), 3)):
        free = random.random() < 0.9
        more = dict(mass=10.0 ** random.uniform(-2, 2)) if free else dict(kind="static")
        world.add_body(Box((1, 1, 1)), position=place, **more)
    bodies = [None, *world.bodies]
    for _ in range(random.integers(4, 20)):
        first, second = random.choice(len(bodies), 2, replace=False)
        pair = bodies[first], bodies[second]
        if all(body is None or body.kind == "static" for body in pair):
            continue
        point, axis = random.integers(-2, 3, 3), np.eye(3)[random.integers(3)]
        kinds = [Ball(point), Hinge(point, axis), Slider(point, axis), Fixed(), Distance(point, point + axis)]
        world.add_joint(kinds[random.integers(5)], *pair).enabled = bool(random.random() < 0.9)
    report = world.freedom_report()
    rank, redundant = dense_report(world)
    assert (report.rank, [row.joint for row in report.redundant]) == (rank, redundant)


def test_branches_are_looked_at_alone_and_loops_together():
    """Take off the joints of branches one by one; leave those that loops hold together."""
    # a loop of bodies 0 1 2, a branch 2 3 4, two joints between 5 and the world, and one of 6 with it
    ends = [(0, 1), (1, 2), (2, 3), (3, 4), (2, 0), (-1, 5), (5, -1), (6, -1)]
    groups = _groups(np.array(ends))
    assert sorted(map(sorted, groups)) == [[0, 1, 4], [2], [3], [5, 6], [7]]
    chain = np.array([(k - 1, k) for k in range(4000)])
    assert sorted(_groups(chain)) == [[k] for k in range(4000)]


def test_a_long_loop():
    """Find the three redundant rows of a planar loop of 200 hinges, in the joint that closes it."""
    world = World()
    turns = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    bodies = [world.add_body(Box((0.1, 0.1, 0.1)), position=(5 * np.cos(t), 5 * np.sin(t), 0)) for t in turns]
    for k, body in enumerate(bodies):
        world.add_joint(Hinge(body.position, (0, 0, 1)), bodies[k - 1], body)
    report = world.freedom_report()
    assert (report.rows, report.rank) == (1000, 997)
    assert {row.joint for row in report.redundant} == {"joint 199"}
