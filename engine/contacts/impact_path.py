"""One contact in the impulse domain: how velocities change while the normal impulse of an impact grows.

The bodies do not move during an impact, so the velocity u of one body's contact point relative to the other's
changes by du = K dp, and the normal impulse takes the place of time (Routh, Darboux, Keller). Friction is
Coulomb's at every moment: while the surfaces slide, mu times the normal impulse against the sliding, whose
direction may turn on the way. Where the sliding stops they stick, if static friction can hold them, or else
slide on along the one direction that keeps itself. Compression ends where the normal velocity is zero,
restitution where the law says so: at e times the approach (Newton), after e times the impulse (Poisson), or
when e^2 of the work of compression is given back (Stronge, Impact Mechanics, sections 3 and 4).

Or by the restriction function of a contact, of which the integral A of its activation over the gap follows
from the impulse alone, dA/dp = -u (1 + e^(2 r_d u)) / max_force: the impact is over where A is zero again. So
it does not depend on strength and softness of the contact, also with friction. A wall of finite thickness is
broken through where A is all of its width before the normal velocity is zero.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner
from stoss.engine.laws.contact_functions import (
    exit_of_impulse_potential,
    impulse_potential,
    speed_of_impulse_potential,
)

__all__ = ["BY_LAW", "NEWTON", "POISSON", "STRONGE", "collide"]

NEWTON, POISSON, STRONGE, BY_LAW = range(4)

MOST_STEPS = 2000
# Slip below this share of the speed of the impact is none.
NO_SLIP = 1e-12
# Within one Runge-Kutta step: change of the slip as a share of it, at most, and turn of its direction [rad].
STRIDE, TURN = 0.7, 0.1
STRAIGHT = 1e-9  # turn of the direction of sliding, per share of the slip, that is rounding
CLOSE = 1e-13  # share of a phase that may be left over, or be done too much
DIRECTIONS = 64  # directions tried for sliding that starts from rest
ONE_WAY = 1e-12  # share of both tangents' matrix that is rounding: the surfaces slide in one direction only
# Where the surfaces met faster than they are now by more than this factor, the difference alone is added.
MOST_GAIN = 2.0


@inner
def rebound_impulse(e, approach, speed, impulse, effective_mass):
    """Return the normal impulse of restitution by Poisson's law.

    Args:
        e: restitution.
        approach: speed with which the surfaces met [m/s].
        speed: that from which compression started: of the end of the step.
        impulse: of compression.
        effective_mass: effective mass of the contact alone.
    """
    gain = min(approach / speed, MOST_GAIN)
    return e * (gain * impulse + max(approach - MOST_GAIN * speed, 0.0) * effective_mass)


@inner
def rebound_work(e, approach, speed, work, effective_mass):
    """Return the work of the normal impulse in restitution by Stronge's law; arguments as above."""
    gain = min(approach / speed, MOST_GAIN)
    rest = max(approach * approach - (MOST_GAIN * speed) ** 2, 0.0)
    return e * e * (gain * gain * work + 0.5 * rest * effective_mass)


@inner
def _new_direction(k, mu):
    """Return the direction (d0, d1) in which sliding starts from rest: the one along which it speeds up."""
    _, k01, k02, k11, k12, k22 = k
    d0, d1 = 1.0, 0.0
    last = 0.0
    # the angle to begin with is no multiple of the others, so that no zero falls on the grid
    step = 2.0 * np.pi / DIRECTIONS
    best = -1.0
    for i in range(DIRECTIONS + 1):
        angle = 0.1234 + i * step
        c, s = np.cos(angle), np.sin(angle)
        r0 = k01 - mu * (k11 * c + k12 * s)
        r1 = k02 - mu * (k12 * c + k22 * s)
        turn = c * r1 - s * r0
        if i > 0 and (turn > 0.0) != (last > 0.0):
            low, high, positive = angle - step, angle, last > 0.0
            for _ in range(60):
                middle = 0.5 * (low + high)
                c, s = np.cos(middle), np.sin(middle)
                r0 = k01 - mu * (k11 * c + k12 * s)
                r1 = k02 - mu * (k12 * c + k22 * s)
                if (c * r1 - s * r0 > 0.0) == positive:
                    low = middle
                else:
                    high = middle
            if c * r0 + s * r1 > best:
                best = c * r0 + s * r1
                d0, d1 = c, s
        last = turn
    return d0, d1


@inner
def _sliding(k, mu, u1, u2):
    """Return du/dp and the friction per normal impulse while sliding with (u1, u2)."""
    k00, k01, k02, k11, k12, k22 = k
    size = np.sqrt(u1 * u1 + u2 * u2)
    scale = -mu / size if size > 0.0 else 0.0
    f1, f2 = scale * u1, scale * u2
    return (
        k00 + k01 * f1 + k02 * f2,
        k01 + k11 * f1 + k12 * f2,
        k02 + k12 * f1 + k22 * f2,
        f1,
        f2,
    )


@inner
def _activated(damping, u0, change, step):
    """Return the integral of u (1 + e^(2 r_d u)) over a normal impulse `step` in which u changes evenly."""
    if abs(change) <= CLOSE * abs(u0):
        return step * u0 * (1.0 + np.exp(2.0 * damping * u0))
    more = impulse_potential(damping, u0 + change) - impulse_potential(damping, u0)
    return step / change * more


@inner
def _to_the_end(restitution, law, u0, a, left, damping):
    """Return the normal impulse up to the end of the phase, if du_n/dp stays a; `left` is what is missing.

    In compression, and by Newton's law, that is a change of the velocity; by Poisson's an impulse, by
    Stronge's a work, by that of a contact the integral of its activation, times max_force.
    """
    if restitution and law == BY_LAW:
        wanted = impulse_potential(damping, u0) + a * left
        if u0 < 0.0 or wanted < 0.0 or a == 0.0:
            return np.inf
        end = speed_of_impulse_potential(damping, wanted)
        return (end - u0) / a
    if restitution and law == POISSON:
        return left
    if restitution and law == STRONGE:
        root = u0 * u0 + 2.0 * a * left
        if root < 0.0:
            return np.inf
        root = u0 + np.sqrt(root)
        return 2.0 * left / root if root > 0.0 else np.inf
    return left / a if a > 0.0 else np.inf


@inner
def _sticking(k, mu, mu_static):
    """Return the friction per normal impulse from rest: what holds, if it can, else that of sliding.

    In a plane only one direction along the surfaces gives way, and friction is along it.
    """
    _, k01, k02, k11, k12, k22 = k
    determinant = k11 * k22 - k12 * k12
    if determinant > ONE_WAY * k11 * k22:
        f1 = -(k22 * k01 - k12 * k02) / determinant
        f2 = -(k11 * k02 - k12 * k01) / determinant
    else:
        scale = 1.0 / (k11 + k22) ** 2 if k11 + k22 > 0.0 else 0.0
        f1 = -(k11 * k01 + k12 * k02) * scale
        f2 = -(k12 * k01 + k22 * k02) * scale
    if not f1 * f1 + f2 * f2 <= mu_static * mu_static:
        d0, d1 = _new_direction(k, mu)
        f1, f2 = -mu * d0, -mu * d1
    return f1, f2


@inner
def _curved_piece(k, mu, u0, u1, u2, step):
    """Integrate over the normal impulse `step` while the direction of sliding turns (Runge-Kutta, order 4).

    Returns the work of the normal impulse, the change of the velocity (3), and the friction impulses (2).
    """
    h = 0.5 * step
    a1, b1, c1, f1, f2 = _sliding(k, mu, u1, u2)
    a2, b2, c2, g1, g2 = _sliding(k, mu, u1 + h * b1, u2 + h * c1)
    a3, b3, c3, h1, h2 = _sliding(k, mu, u1 + h * b2, u2 + h * c2)
    a4, b4, c4, i1, i2 = _sliding(k, mu, u1 + step * b3, u2 + step * c3)
    sixth = step / 6.0
    return (
        step * u0 + sixth * step * (a1 + a2 + a3),
        sixth * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
        sixth * (b1 + 2.0 * b2 + 2.0 * b3 + b4),
        sixth * (c1 + 2.0 * c2 + 2.0 * c3 + c4),
        sixth * (f1 + 2.0 * g1 + 2.0 * h1 + i1),
        sixth * (f2 + 2.0 * g2 + 2.0 * h2 + i2),
    )


@inner
def _to_the_exit(u0, a, activated, damping, strength):
    """Return the normal impulse after which a wall is broken through, infinite if it holds; see `collide`."""
    if not strength < np.inf or not a > 0.0:
        return np.inf
    out = exit_of_impulse_potential(damping, -u0, a * (strength + activated))
    return (-out - u0) / a if out > 0.0 else np.inf


@inner
def collide(k, u, mu, mu_static, e, law, approach, damping=0.0, strength=np.inf):
    """Return the impulses of an impact at one contact: compression (3) and restitution (3).

    And whether a wall was broken through: then compression ends with the speed that is left.

    Args:
        k: velocity per impulse, symmetric: (k00, k01, k02, k11, k12, k22); 0 is normal, 1 and 2 are tangents.
        u: velocity (3) before the impact [m/s], u[0] < 0.
        mu, mu_static: coefficients of friction while sliding and sticking.
        e: restitution.
        law: NEWTON, POISSON, STRONGE, or BY_LAW of a contact.
        approach: speed with which the surfaces met [m/s], which is what the law is applied to.
        damping: r_d of the contact's law [s/m].
        strength: of a wall that can break: its largest force times its width [J].
    """
    k00, k01, k02, k11, k12, k22 = k
    u0, u1, u2 = u
    speed = -u0
    scale = np.sqrt(u0 * u0 + u1 * u1 + u2 * u2)
    small = NO_SLIP * scale
    stiffness = np.sqrt(k01 * k01 + k02 * k02) + mu * (k11 + k22)
    rough = mu_static > 0.0
    curved = rough and u1 * u1 + u2 * u2 > small * small
    decided = not rough  # whether friction is a fixed share of the normal impulse from now on
    f1 = f2 = 0.0
    p0 = p1 = p2 = 0.0
    c0 = c1 = c2 = 0.0
    work = activated = 0.0
    restitution = broken = False
    left = speed
    end = CLOSE * speed
    for _ in range(MOST_STEPS):
        if abs(left) <= end:
            if restitution or e == 0.0:
                break
            restitution = True
            c0, c1, c2 = p0, p1, p2
            u0 = 0.0
            if law == POISSON:
                left = rebound_impulse(e, approach, speed, p0, 1.0 / k00)
            elif law == STRONGE:
                left = rebound_work(e, approach, speed, -work, 1.0 / k00)
            elif law == BY_LAW:
                back = e * min(approach, MOST_GAIN * speed)
                left = -activated * impulse_potential(damping, back) / impulse_potential(damping, -speed)
            else:
                left = e * approach
            end = CLOSE * left
            continue
        slip = np.sqrt(u1 * u1 + u2 * u2)
        straight = True
        stop = np.inf  # normal impulse after which the sliding stops
        if curved:
            a, b, c, f1, f2 = _sliding(k, mu, u1, u2)
            along = (b * u1 + c * u2) / slip
            across = abs(u1 * c - u2 * b) / slip
            straight = across <= STRAIGHT * abs(along) or slip <= small
            stop = slip / -along if along < 0.0 else np.inf
        else:
            if not decided:
                f1, f2 = _sticking(k, mu, mu_static)  # for the rest of the impact
                decided = True
            a, b, c = k00 + k01 * f1 + k02 * f2, k01 + k11 * f1 + k12 * f2, k02 + k12 * f1 + k22 * f2
            across = 0.0
        step = _to_the_end(restitution, law, u0, a, left, damping)
        through = np.inf if restitution else _to_the_exit(u0, a, activated, damping, strength)
        step = min(step, through)
        if straight:
            # the direction stays: up to the end of the sliding or that of the phase
            if not min(step, stop) < np.inf:
                break
            ends = step <= stop
            step = min(step, stop)
            gained, change = step * (u0 + 0.5 * a * step), a * step
            d1, d2, s1, s2 = b * step, c * step, f1 * step, f2 * step
        else:
            # within what is stable where the direction settles
            ends = False
            step = min(step, TURN * slip / across, STRIDE * slip / stiffness)
            gained, change, d1, d2, s1, s2 = _curved_piece(k, mu, u0, u1, u2, step)
        work += gained
        more = _activated(damping, u0, change, step) if law == BY_LAW else 0.0
        activated += more
        u0, u1, u2 = u0 + change, u1 + d1, u2 + d2
        p0, p1, p2 = p0 + step, p1 + s1, p2 + s2
        if step >= through:
            broken = True
            break
        if ends:
            left = 0.0
        elif not restitution or law == NEWTON:
            left -= change
        elif law == BY_LAW:
            left -= more
        else:
            left -= step if law == POISSON else gained
        if curved and (not ends if straight else u1 * u1 + u2 * u2 <= small * small):
            u1 = u2 = 0.0
            curved = False
    if not restitution:
        c0, c1, c2 = p0, p1, p2
    return c0, c1, c2, p0 - c0, p1 - c1, p2 - c2, broken
