"""Stages that are made ahead in one call: the same bits as one by one, whatever comes up in between."""

import numpy as np
import pytest

from stoss.collision import Box, Capsule, HalfSpace, Sphere
from stoss.engine import Ball, Hinge, Material, Settings, World
from stoss.engine.stages.at_once import (
    DETECTED,
    FAST,
    NOTHING,
    SETTLED,
    UNEVENTFUL,
    MadeAhead,
)


def pile(settings: Settings) -> World:
    """Build boxes, balls and capsules that fall on each other, one of them fast, and a chain beside them."""
    rng = np.random.default_rng(4)
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static", name="ground")
    bouncing = Material(restitution=0.5, friction=0.4)
    for k in range(8):
        shape = (Box((0.4, 0.3, 0.3)), Sphere(0.2), Capsule(0.15, 0.2))[k % 3]
        place = (*rng.uniform(-0.2, 0.2, 2), 0.3 + 0.42 * k)
        world.add_body(shape, position=place, material=bouncing if k % 2 else None)
    world.add_body(Sphere(0.05), position=(3.0, 0.0, 0.3), velocity=(-40.0, 0.0, 1.0))
    last = None
    for k in range(4):
        place, side = (2.0 + 0.3 * k, 2.0, 1.0), 0.5**0.5
        link = world.add_body(Capsule(0.05, 0.2), position=place, quaternion=(side, 0.0, side, 0.0))
        end = 1.85 + 0.3 * k, 2.0, 1.0
        world.add_joint(Ball(end) if k % 2 == 0 else Hinge(end, (0, 1, 0)), last, link)
        last = link
    return world


def run(world: World, steps: int) -> list[tuple[str, list[float], int]]:
    """Return hash, ledger and number of contacts after each step."""
    told = []
    for _ in range(steps):
        world.step()
        told.append((world.state_hash(), list(world._steps.ledger), world.contacts.count))
    return told


def heap(settings: Settings) -> World:
    """Build boxes that fall on each other side by side, for which no active set is found for a while.

    Beside a pendulum.
    """
    rng = np.random.default_rng(3)
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static")
    for k in range(24):
        place = (
            *(0.25 * (np.array([k % 3, k // 3 % 3]) - 1) + rng.uniform(-0.05, 0.05, 2)),
            0.3 + 0.4 * (k // 9),
        )
        world.add_body(Box((0.3, 0.25, 0.2)), position=place, velocity=rng.uniform(-1.0, 1.0, 3))
    rod = world.add_body(Capsule(0.05, 0.2), position=(5.0, 0.0, 1.0))
    world.add_joint(Ball((5.0, 0.0, 1.15)), None, rod)
    return world


def row(settings: Settings) -> World:
    """Build boxes that stand on the ground, one of them just above it."""
    world = World(settings=settings)
    world.add_body(HalfSpace(), kind="static")
    for k in range(4):
        world.add_body(Box((0.4, 0.3, 0.3)), position=(k, 0.0, 0.15 + 0.01 * (k == 3)))
    return world


@pytest.mark.parametrize("settings", [Settings(), Settings(solver="gauss_seidel"), Settings(sleeping=True)])
def test_stages_made_ahead_are_those_made_one_by_one(settings, monkeypatch):
    """Reach the same bits, and come to every place where the rest is made one by one."""
    ends, waiting = set(), set()
    make = MadeAhead.run

    def noted(self, *arguments):
        made = make(self, *arguments)
        ends.add(made)
        waiting.add(not self._system.solver.settled)
        return made

    monkeypatch.setattr(MadeAhead, "run", noted)
    ahead = run(pile(settings), 70), run(row(settings), 40), run(heap(settings), 40)
    assert (True in waiting) == (settings.solver == "auto")
    assert {FAST, DETECTED, SETTLED} <= ends
    assert ends <= set(range(NOTHING, UNEVENTFUL + 1))
    monkeypatch.setattr(MadeAhead, "prepare", lambda self, before: None)
    assert (run(pile(settings), 70), run(row(settings), 40), run(heap(settings), 40)) == ahead


def test_events_are_those_of_the_contacts():
    """Tell in each step which pairs began, went on and ended touching, as comparing the contacts does."""
    world = pile(Settings())
    before: set[tuple[int, int]] = set()
    quiet = 0
    for _ in range(150):
        world.step()
        c = world.contacts
        touching = c.gap[: c.count] <= world.settings.touch_distance
        bodies = np.sort(np.stack([c.body_a[: c.count], c.body_b[: c.count]], axis=1)[touching], axis=1)
        now = {(a, b) for a, b in bodies.tolist()}
        events = world.events
        assert sorted(now - before) == list(map(tuple, events.begin.tolist()))
        assert sorted(now & before) == list(map(tuple, events.persist.tolist()))
        assert sorted(before - now) == list(map(tuple, events.end.tolist()))
        quiet += bool(now) and now == before
        before = now
    assert quiet > 5
