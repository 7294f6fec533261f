"""Dominoes, arches and the like against statics and mechanics of their own."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog

from stoss.engine import Material, Settings
from stoss.scenes import SCENES

G = 9.81  # [m/s^2]


def domino_hits(height, thickness, gap, push, count):
    """Return the times [s] after which the dominoes 1 to `count` are hit, without friction between them.

    Every fallen domino leans with its upper front edge on the back of the next and turns about its lower
    front edge (van Leeuwen 2010, The domino effect): one degree of freedom between hits, at which momentum
    along it is kept. With the angle f of the next, that of a domino is f + asin((p cos f - t) / h), where
    p = t + gap.
    """
    pitch = thickness + gap
    reach = math.asin(gap / height)  # the angle at which a domino hits the next
    inertia = (height**2 + thickness**2) / 3.0  # about the lower edge, for 1 kg

    def chain(angle, length):
        """Return the sum of squared rates, to that of the first, and the height of all of them [m]."""
        squares, heights, rate = 0.0, 0.0, 1.0
        for _ in range(length):
            squares += rate * rate
            heights += 0.5 * height * math.cos(angle) + 0.5 * thickness * math.sin(angle)
            share = (pitch * math.cos(angle) - thickness) / height
            rate *= 1.0 - pitch * math.sin(angle) / height / math.sqrt(1.0 - share * share)
            angle += math.asin(share)
        return squares, heights

    speed, time, hits = push, 0.0, []
    for length in range(1, count + 1):
        squares, top = chain(0.0, length)
        energy = 0.5 * inertia * squares * speed**2 + G * top

        def rate(angle, energy=energy, length=length):
            squares, heights = chain(angle, length)
            return math.sqrt(2.0 * (energy - G * heights) / (inertia * squares))

        time += quad(lambda angle, rate=rate: 1.0 / rate(angle), 0.0, reach)[0]
        hits.append(time)
        squares, _ = chain(reach, length)
        speed = rate(reach) * squares / (squares + 1.0)
    return hits


@pytest.mark.parametrize("gap", [0.3, 0.5])
def test_domino_front_has_the_speed_of_mechanics(gap):
    """Run down a row of dominoes without friction on each other as energy and momentum say.

    A hit is seen up to a step late, and so many steps has the front lost after as many hits. The floor is
    rough enough that no edge slips.
    """
    step = 1e-3
    world = SCENES["dominoes"].build(
        bodies=9, layout="row", gap=gap, settings=Settings(friction_rule="maximum"), time_step=step
    )
    dominoes = [body for body in world.bodies if body.kind == "dynamic"]
    for body in dominoes:
        body.material = Material(friction=0.0)
    world.body("ground").material = Material(friction=20.0)
    expected = domino_hits(1.0, 0.15, gap, push=1.0, count=7)
    hits = []
    while len(hits) < 7 and world.time < expected[-1] + 0.1:
        world.step()
        if np.linalg.norm(dominoes[len(hits) + 1].angular_velocity) > 1e-3:
            hits.append(world.time)
    late = np.array(hits) - expected
    assert (np.abs(late) <= step * np.arange(1, 8)).all()


def arch_can_stand(voussoirs, thickness, radius, friction):
    """Return whether forces at the edges of the joints can carry the arch, by a linear program."""
    angles = np.pi * np.arange(voussoirs + 1) / voussoirs
    inner, outer = radius - 0.5 * thickness, radius + 0.5 * thickness
    unknowns = 4 * (voussoirs + 1)
    balance, load = np.zeros((3 * voussoirs, unknowns)), np.zeros(3 * voussoirs)
    cones = np.zeros((unknowns, unknowns))
    for j, angle in enumerate(angles):
        outward = np.array([np.cos(angle), np.sin(angle)])
        along = np.array([-np.sin(angle), np.cos(angle)])
        for edge, r in enumerate((inner, outer)):
            normal = 4 * j + 2 * edge
            for column, direction in ((normal, along), (normal + 1, outward)):
                for stone, force in ((j, direction), (j - 1, -direction)):
                    if 0 <= stone < voussoirs:
                        moment = r * (outward[0] * force[1] - outward[1] * force[0])
                        balance[3 * stone : 3 * stone + 3, column] += [*force, moment]
            cones[normal, normal + 1], cones[normal, normal] = 1.0, -friction
            cones[normal + 1, normal + 1], cones[normal + 1, normal] = -1.0, -friction
    for stone in range(voussoirs):
        first, second = (np.array([np.cos(a), np.sin(a)]) for a in angles[stone : stone + 2])
        a, b, c, d = inner * first, outer * first, outer * second, inner * second
        for corners in ((a, b, c), (a, c, d)):
            area = 0.5 * abs(np.linalg.det([corners[1] - corners[0], corners[2] - corners[0]]))
            load[3 * stone + 1] += area
            load[3 * stone + 2] += area * sum(corners)[0] / 3.0
    bounds = [(0.0, None), (None, None)] * (2 * (voussoirs + 1))
    found = linprog(
        np.zeros(unknowns), A_ub=cones, b_ub=np.zeros(unknowns), A_eq=balance, b_eq=load, bounds=bounds
    )
    return found.status == 0


def thinnest_arch(voussoirs, radius, friction):
    """Return the smallest thickness [m] with which an arch can stand, by bisection."""
    low, high = 0.02 * radius, 0.5 * radius
    while high - low > 1e-4 * radius:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if arch_can_stand(voussoirs, middle, radius, friction) else (middle, high)
    return high


def test_thinnest_arch_is_that_of_milankovitch():
    """Need 0.1075 radii for a semicircle of many voussoirs, and a little less for few (the oracle itself)."""
    assert thinnest_arch(101, 1.0, 1.0) == pytest.approx(0.1075, abs=5e-4)
    assert 0.10 < thinnest_arch(17, 1.0, 1.0) < 0.1075


@pytest.mark.parametrize(("thickness", "stands"), [(1.1, True), (1.02, True), (0.9, False)])
@pytest.mark.parametrize(("voussoirs", "radius"), [(17, 5.0), (9, 2.0), (31, 5.0)])
def test_arch_stands_from_its_least_thickness_on(voussoirs, radius, thickness, stands):
    """Stand with 2 and 10 % more than the least thickness, and fold up with 10 % less."""
    least = thinnest_arch(voussoirs, radius, 0.6)
    world = SCENES["arch"].build(boxes=0, voussoirs=voussoirs, radius=radius, thickness=thickness * least)
    start = world.positions.copy()
    world.step(300)
    fallen = np.linalg.norm(world.positions - start, axis=1).max()
    assert fallen < Settings().position_tolerance if stands else fallen > 0.2 * radius


def test_washer_carries_its_bodies_up_and_keeps_them():
    """Lift a ball at rest in the drum up its side, against the sense of gravity, and lose none."""
    world = SCENES["washer"].build(bodies=24)
    drum = world.body("drum").index
    bodies = [body.index for body in world.bodies if body.kind == "dynamic"]
    sides = []
    for _ in range(300):
        world.step()
        sides.append(world.positions[bodies, 0].mean())
    places = world.positions[bodies]
    # staves lie 3 m from the axis, their corners 3 / cos(11.25 degrees)
    assert np.hypot(places[:, 0], places[:, 2]).max() < 3.1
    assert np.abs(places[:, 1]).max() < 1.5
    np.testing.assert_allclose(world.positions[drum], 0.0, atol=1e-12)
    # the drum turns from z to x: below the axis its surface moves towards -x
    assert np.mean(sides[150:]) < -0.1


def test_jenga_hand_draws_the_block_by_its_way():
    """Draw the middle block by 1.2 lengths along itself, held exactly across; out of the tower it falls."""
    world = SCENES["jenga"].build(layers=3, drawn=2)
    block = world.body("block 2.2")
    start = block.position
    world.step(500)
    way = block.position - start
    np.testing.assert_allclose(way[:2], (0.0, 0.9), atol=1e-5)
    assert abs(way[2] + 0.15) < 1e-3
