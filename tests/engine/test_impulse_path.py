"""One contact in the impulse domain: three laws against closed forms and a slow integration."""

import numpy as np
import pytest

from stoss.engine.contacts.impact_path import NEWTON, POISSON, STRONGE, collide

LAWS = [NEWTON, POISSON, STRONGE]


def rod(angle: float) -> np.ndarray:
    """Return velocity per impulse (3, 3) at the end of a rod of 1 kg, 2 m, `angle` [rad] off the normal."""
    arm = np.array([-np.cos(angle), -np.sin(angle), 0.0])  # normal, tangent, tangent
    cross = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
    axis = -arm
    inertia = (np.eye(3) - np.outer(axis, axis)) / 3.0 + 1e-3 * np.outer(axis, axis)
    return np.eye(3) - cross @ np.linalg.inv(inertia) @ cross


def impact(k, u, mu, e, law, mu_static=None):
    """Return the impulses of compression and of restitution (3,) each."""
    stick = mu if mu_static is None else mu_static
    p = collide(k[np.triu_indices(3)], u, mu, stick, e, law, -u[0])
    return np.array(p[:3]), np.array(p[3:6])


def integrate(k, u, mu, e, law, steps):
    """Return the whole impulse (3,) by tiny steps, each with the least friction that stops, or slides."""
    u, start = np.array(u, float), u[0]
    dp = -u[0] / k[0, 0] / steps
    p, work, compression = np.zeros(3), 0.0, None
    inverse, relax = np.linalg.inv(k[1:, 1:]), 1.0 / np.trace(k[1:, 1:])
    while True:
        v = u + k[:, 0] * dp
        t = -inverse @ v[1:]
        size = np.hypot(*t)
        if size > mu * dp:
            t *= mu * dp / size
            for _ in range(30):
                t = t - relax * (v[1:] + k[1:, 1:] @ t)
                t *= min(1.0, mu * dp / np.hypot(*t))
        d = np.array([dp, *t])
        before = u[0]
        u = u + k @ d
        p += d
        work += 0.5 * dp * (before + u[0])
        if compression is None:
            if u[0] < 0.0:
                continue
            compression, taken, work = p.copy(), work, 0.0
        if (
            (law == NEWTON and u[0] >= -e * start)
            or (law == POISSON and p[0] >= (1 + e) * compression[0])
            or (law == STRONGE and work >= -e * e * taken)
        ):
            return p


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_central_impact(law, e):
    """Agree on a sphere: e times the approach, friction mu (1 + e) p or what stops the sliding, 2/7 of it."""
    k = np.diag([1.0, 3.5, 3.5])
    for slip, mu in ((3.0, 0.2), (0.1, 0.2)):
        first, second = impact(k, (-2.0, 0.6 * slip, 0.8 * slip), mu, e, law)
        u = k @ (first + second) + (-2.0, 0.6 * slip, 0.8 * slip)
        assert u[0] == pytest.approx(2.0 * e, abs=1e-12)
        left = max(slip - 3.5 * mu * 2.0 * (1 + e), 0.0)
        assert u[1:] == pytest.approx([0.6 * left, 0.8 * left], abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_rod_slides_throughout(law):
    """Follow the straight line in the impulse domain while the rod slides: all laws agree."""
    k, mu, e, u = rod(0.6), 0.3, 0.7, np.array([-1.0, 6.0, 0.0])
    force = np.array([1.0, -mu, 0.0])
    impulse = (1 + e) / (k @ force)[0]
    first, second = impact(k, u, mu, e, law)
    assert first + second == pytest.approx(impulse * force, rel=1e-11)
    assert (u + k @ (first + second))[1] > 0.0


@pytest.mark.parametrize("law", LAWS)
def test_rod_sticks(law):
    """Stop sliding during compression and stick: two straight lines, whose work Stronge's law needs."""
    k, mu, e, u = rod(0.3), 1.5, 0.6, np.array([-1.0, 0.5, 0.0])
    sliding = k @ np.array([1.0, -mu, 0.0])
    stop = -u[1] / sliding[1]
    un = u[0] + sliding[0] * stop
    assert un < 0.0  # it still approaches there
    held = -k[0, 1] / k[1, 1]
    rate = k[0, 0] + k[0, 1] * held
    rest = -un / rate
    work = stop * (u[0] + un) / 2 + rest * un / 2
    more = {NEWTON: e / rate, POISSON: e * (stop + rest), STRONGE: e * np.sqrt(-2 * work / rate)}[law]
    first, second = impact(k, u, mu, e, law)
    assert first == pytest.approx([stop + rest, -mu * stop + held * rest, 0.0], rel=1e-11)
    assert second == pytest.approx([more, held * more, 0.0], rel=1e-11)


@pytest.mark.parametrize("law", LAWS)
def test_rod_slips_back(law):
    """Reverse the sliding where friction cannot hold the rod: two straight lines."""
    k, mu, e, u = rod(0.6), 0.4, 0.6, np.array([-1.0, 0.3, 0.0])
    ahead = k @ np.array([1.0, -mu, 0.0])
    assert ahead[1] < 0.0
    stop = -u[1] / ahead[1]
    un = u[0] + ahead[0] * stop
    assert un < 0.0
    assert abs(k[0, 1] / k[1, 1]) > mu
    back = k @ np.array([1.0, mu, 0.0])
    assert back[1] < 0.0
    rest = -un / back[0]
    work = stop * (u[0] + un) / 2 + rest * un / 2
    more = {NEWTON: e / back[0], POISSON: e * (stop + rest), STRONGE: e * np.sqrt(-2 * work / back[0])}[law]
    first, second = impact(k, u, mu, e, law)
    assert first == pytest.approx([stop + rest, mu * (rest - stop), 0.0], rel=1e-11)
    assert second == pytest.approx([more, mu * more, 0.0], rel=1e-11)


def random_contact(rng: np.random.Generator):
    """Return a random contact: matrix, velocity, friction, restitution."""
    a = rng.normal(size=(3, 4))
    u = rng.normal(size=3)
    return a @ a.T, np.array([-abs(u[0]), u[1], u[2]]), rng.uniform(0.0, 1.0), rng.uniform(0.0, 1.0)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(4))
def test_turning_slip(law, seed):
    """Follow sliding whose direction turns, and stops, as a slow integration does, to its first order."""
    k, u, mu, e = random_contact(np.random.default_rng(seed))
    errors = []
    for steps in (200, 800):
        slow = integrate(k, u, mu, e, law, steps)
        errors.append(np.abs(np.sum(impact(k, u, mu, e, law), axis=0) - slow).max() / slow[0])
    # a step is 1 / steps of the impulse that would stop the contact without friction
    assert errors[1] < 10.0 / 800
    assert errors[1] < 0.5 * errors[0] or errors[0] < 2.0 / 800


@pytest.mark.parametrize("law", LAWS)
def test_random_contacts(law):
    """End where the law says, within the cone of friction, and (but for Newton's law) add no energy."""
    rng = np.random.default_rng(5)
    for _ in range(2000):
        k, u, mu, e = random_contact(rng)
        mu *= 2.0
        first, second = impact(k, u, mu, e, law)
        p = first + second
        after = u + k @ p
        assert abs((u + k @ first)[0]) < 1e-11 * np.abs(u).max()
        assert np.hypot(p[1], p[2]) <= mu * p[0] * (1 + 1e-12)
        if law == NEWTON:
            assert after[0] == pytest.approx(-e * u[0], rel=1e-10)
            continue
        if law == POISSON:
            assert second[0] == pytest.approx(e * first[0], rel=1e-11)
        scale = np.abs(p * u).sum()
        assert 0.5 * p @ (u + after) <= 1e-12 * scale


def test_static_friction_holds():
    """Stick where the static coefficient holds what the dynamic one does not."""
    k, u = rod(0.6), np.array([-1.0, 0.0, 0.0])
    needed = abs(k[0, 1] / k[1, 1])
    for stick, holds in ((1.01 * needed, True), (0.99 * needed, False)):
        p = np.sum(impact(k, u, 0.5 * needed, 0.5, POISSON, stick), axis=0)
        assert (abs((u + k @ p)[1]) < 1e-12) == holds


def test_speed_of_meeting_counts():
    """Give back e times the speed with which the surfaces met, whatever they have at the end of the step."""
    for law in LAWS:
        for speed in (0.01, 0.9, 1.1, 3.0):
            p = np.array(collide((2.0, 0.0, 0.0, 2.0, 0.0, 2.0), (-speed, 0.0, 0.0), 0.0, 0.0, 0.5, law, 1.0))
            assert -speed + 2.0 * (p[0] + p[3]) == pytest.approx(0.5, rel=1e-12)
