"""Arrays of the bodies that may be written go stale when bodies come or go, and say so."""

import copy
import pickle

import numpy as np
import pytest

from stoss.collision import Sphere
from stoss.engine import World

NAMES = ["velocities", "angular_velocities", "forces", "torques"]


def two() -> World:
    """Return two balls."""
    world = World(gravity=(0, 0, 0))
    world.add_bodies(Sphere(1.0), [(0, 0, 0), (5, 0, 0)])
    return world


def add(world: World) -> None:
    """Add a body."""
    world.add_body(Sphere(1.0), position=(9, 0, 0))


def add_several(world: World) -> None:
    """Add two bodies."""
    world.add_bodies(Sphere(1.0), [(9, 0, 0), (12, 0, 0)])


def remove(world: World) -> None:
    """Remove the last body."""
    world.remove_body(world.bodies[-1])


def replace(world: World) -> None:
    """Remove a body and add another one."""
    remove(world)
    add(world)


def restore(world: World) -> None:
    """Return to a state with other bodies."""
    world.restore(World().save())


CHANGES = [add, add_several, remove, replace, restore]
WRITES = {
    "element": lambda a: a.__setitem__((0, 0), 1.0),
    "all": lambda a: a.__setitem__(slice(None), 1.0),
    "+=": lambda a: a.__iadd__(1.0),
    "out": lambda a: np.add(np.ones(3), 1.0, out=a),
    "at": lambda a: np.add.at(a, 0, 1.0),
    "fill": lambda a: a.fill(1.0),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_old_views_refuse_to_be_written(name, change):
    """Refuse every way to write into an array, or a part of one, of bodies that came or went since."""
    world = two()
    view = getattr(world, name)
    part = view[1]
    for write in WRITES.values():
        write(view)
    change(world)
    before = getattr(world, name).copy()
    for write in WRITES.values():
        with pytest.raises(ValueError, match=rf"take world\.{name} anew"):
            write(view)
    with pytest.raises(ValueError, match="take world"):
        part[0] = 1.0
    assert np.array_equal(getattr(world, name), before)


def test_nothing_acts_on_a_body_added_later():
    """Give a new body no force or torque, whatever was written into the memory of one that is gone."""
    world = two()
    memory = [np.asarray(world.forces), np.asarray(world.torques)]  # numpy lets nobody watch these
    remove(world)
    len(world.positions)
    for array in memory:
        array[1] = 7.0
    add(world)
    assert not world.forces.any() and not world.torques.any()


def test_views_are_arrays_like_any_other():
    """Compute with them as with plain arrays; copies and results are plain, and stay when bodies come."""
    world = two()
    world.velocities[1] = (1, 2, 3)
    world.forces += 2.0
    world.forces[0] -= 1.0
    assert np.array_equal(world.forces, [[1, 1, 1], [2, 2, 2]])
    kept = [
        world.velocities * 2,
        world.velocities.copy(),
        copy.copy(world.velocities),
        world.velocities[[0, 1]],
    ]
    kept += [copy.deepcopy(world.velocities), pickle.loads(pickle.dumps(world.velocities))]
    assert all(type(one) is np.ndarray for one in kept[:3] + kept[4:])
    assert float(np.linalg.norm(world.velocities, axis=1)[1]) == pytest.approx(14**0.5)
    add(world)
    for one in kept:
        one[0] = 5.0
    assert not world.velocities[0].any()


def test_views_last_while_bodies_do():
    """Let a view be written on over steps, and after a restore of the same bodies."""
    world = two()
    velocities, state = world.velocities, world.save()
    world.step(3)
    world.restore(state)
    velocities[0] = (1, 0, 0)
    world.step()
    assert world.positions[0, 0] == pytest.approx(0.01)
