"""Islands that go on keep their solver, elimination order and factor, whatever happens to the others."""

import numpy as np

from stoss.collision import Box, HalfSpace, Sphere
from stoss.engine import Material, Settings, World

ROUGH = Material(friction=0.5)


def stacks(count: int, height: int, settings: Settings | None = None) -> World:
    """Return stacks of unit cubes, 3 m apart, on a half-space."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static", material=ROUGH, name="ground")
    for stack in range(count):
        for level in range(height):
            world.add_body(Box((1, 1, 1)), position=(3.0 * stack, 0, 0.5 + level), mass=1.0, material=ROUGH)
    return world


def test_a_visitor_costs_the_islands_at_rest_no_factorisation():
    """Factorise the island of a ball that comes and goes, and no other one."""
    alone = World()
    alone.add_body(HalfSpace(), kind="static", material=Material(restitution=0.8), name="ground")
    both = stacks(4, 5)
    for world in (alone, both):
        world.add_body(Sphere(0.2), position=(-3, 0, 1.0), mass=1.0, material=Material(restitution=0.8))
    # the ball flies until 0.4 s, while the stacks come to rest
    both.step(20), alone.step(20)
    together, contacts = 0, set()
    for _ in range(60):
        contacts.add(alone.step().contact_count)
        together += both.step().factorisations
    assert contacts == {0, 1}
    # a ball that hits alone needs no factorisation, and where it lies between bounces at most one each
    assert together <= 3


def test_factors_move_with_their_islands():
    """Let a body that comes and goes change nothing for islands that slide and topple elsewhere."""

    def play(visited: bool) -> np.ndarray:
        world = World(settings=Settings(solver="direct"))
        world.add_body(HalfSpace(), kind="static", material=ROUGH, name="ground")
        if visited:  # its rows come before those of the others
            ball = Material(restitution=0.7)
            world.add_body(Sphere(0.2), position=(-5, 0, 0.5), mass=1.0, material=ball)
        others = [
            world.add_body(
                Box((1, 1, 1)), position=(0, 0, 0.5), velocity=(2, 1, 0), mass=1.0, material=ROUGH
            ),
            world.add_body(Box((1, 1, 1)), position=(5, 0, 0.5), mass=1.0, material=ROUGH),
            world.add_body(Box((0.5, 1, 1)), position=(5, 0.1, 1.5), velocity=(1, 0, 0), material=ROUGH),
            world.add_body(Sphere(0.5), position=(9, 0, 0.5), velocity=(1, 0, 0), mass=1.0, material=ROUGH),
        ]
        path = []
        for _ in range(80):
            world.step()
            path.append([body.position for body in others])
        return np.array(path)

    assert np.abs(play(True) - play(False)).max() < 1e-8


def test_a_pile_put_down_at_rest_is_solved_directly_though_it_is_large():
    """Solve directly what starts at rest and costs thirty times as much; leave it to sweeps in motion."""
    settings = Settings(direct_work=5.0)
    rest, moving = stacks(1, 30, settings), stacks(1, 30, settings)
    moving.velocities[1:, 0] = 0.1
    assert rest.step().direct_islands == 1
    assert moving.step().direct_islands == 0
    # it stays so for as long as the same bodies touch
    assert all(rest.step().direct_islands == 1 for _ in range(20))
    assert rest.report.max_overlap < 1e-9


def test_a_large_pile_stays_with_the_direct_solver_when_a_body_is_added_elsewhere():
    """Keep the solver of a pile at rest when another island appears."""
    world = stacks(1, 30, Settings(direct_work=5.0))
    world.step(5)
    body = world.add_body(Sphere(0.5), position=(5, 0, 0.5), mass=1.0, material=ROUGH)
    report = world.step(5)
    assert report.islands == 2
    assert report.direct_islands == 2
    assert report.factorisations <= 1
    world.remove_body(body)
    report = world.step(2)
    assert (report.islands, report.direct_islands) == (1, 1)
