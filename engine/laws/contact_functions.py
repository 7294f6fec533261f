"""Contact laws as functions of gap and rate, for kernels: a code and eight numbers each.

A gap is positive apart and negative in an overlap, its rate is negative on approach; a force pushes apart.

    RESTRICTION     max_force, r_t, r_c, r_d, exit r_t, exit r_c: the restriction function of Specker
                    (dissertation, Ulm 2016, section 3.2), F = a(gap) max_force / (1 + exp(2 r_d rate)), the
                    activation a = 1 / (1 + exp(2 r_t (gap - r_c))). With an exit it is a wall of finite
                    thickness: the activation of the other face is taken off (section 3.2.5).
    HUNT_CROSSLEY   stiffness, lambda, power: stiffness d^power (1 - lambda rate), d the depth (Hunt and
                    Crossley 1975). Hertz's law is that with power 3/2.
    SPRING_DASHPOT  stiffness, damping: stiffness d - damping rate, never pulling.

What is exact about an impact of one contact with mass m on which no load presses: with u = r_d rate the
restriction function has the first integral m / (max_force r_d^2) G(u) + A(gap), A the integral of the
activation from far away and G(u) = u^2/2 + ((2u - 1) e^(2u) + 1)/4. So the rebound follows from
G(r_d v+) = G(-r_d |v-|) alone. Hunt and Crossley's law has y - log(1 + y), y = lambda times the speed, in
place of G; a spring with a damper a closed form that depends on the mass.
"""

import numpy as np

from stoss.collision.kernels.decorators import inner

__all__ = [
    "EXIT",
    "HUNT_CROSSLEY",
    "LAW_NUMBERS",
    "RIGID",
    "RESTRICTION",
    "SPRING_DASHPOT",
    "activation",
    "contact_force",
    "contact_slopes",
    "deepest_gap",
    "impulse_potential",
    "speed_of_impulse_potential",
    "exit_of_impulse_potential",
    "impact_exit",
    "mean_activation",
    "mean_force",
    "potential_of_speed",
    "restitution_of",
    "stored_energy",
    "usual_approach",
    "usual_duration",
]

RIGID, RESTRICTION, HUNT_CROSSLEY, SPRING_DASHPOT = range(4)
LAW_NUMBERS = 8
EXIT = 4  # which number is the exit r_t of a wall, 0 for none

# Speeds times r_d below which restitution is its series, to rounding.
SLOW = 1e-6
# Speed times lambda above which the rebound is 1 / lambda, but for a share of 1e-11.
FAST = 30.0
MOST_STEPS = 60


@inner
def _share(x):
    """Return 1 / (1 + e^x), also where e^x is no float."""
    if x > 0.0:
        y = np.exp(-x)
        return y / (1.0 + y)
    return 1.0 / (1.0 + np.exp(x))


@inner
def _softplus(x):
    """Return log(1 + e^x)."""
    return max(x, 0.0) + np.log1p(np.exp(-abs(x)))


@inner
def activation(code, n, gap):
    """Return the share, 0 to 1, of its largest force at which a restriction function is at a gap [m].

    Of the other laws, which have no largest force: 1 in an overlap, else 0.
    """
    if code != RESTRICTION:
        return 1.0 if gap < 0.0 else 0.0
    share = _share(2.0 * n[1] * (gap - n[2]))
    if n[4] > 0.0:
        share -= _share(2.0 * n[4] * (gap - n[5]))
    return share


@inner
def contact_force(code, n, gap, rate):
    """Return the normal force [N] at a gap [m] and its rate [m/s]."""
    if code == RESTRICTION:
        return activation(code, n, gap) * n[0] * _share(2.0 * n[3] * rate)
    if gap > 0.0:
        return 0.0
    depth = -gap
    if code == HUNT_CROSSLEY:
        return n[0] * depth ** n[2] * max(1.0 - n[1] * rate, 0.0)
    return max(n[0] * depth - n[1] * rate, 0.0)


@inner
def contact_slopes(code, n, gap, rate):
    """Return force, stiffness -dF/dgap and damping -dF/drate at a gap and rate."""
    force = contact_force(code, n, gap, rate)
    if code == RESTRICTION:
        a = _share(2.0 * n[1] * (gap - n[2]))
        slope = 2.0 * n[1] * a * (1.0 - a)
        if n[4] > 0.0:
            b = _share(2.0 * n[4] * (gap - n[5]))
            slope -= 2.0 * n[4] * b * (1.0 - b)
        c = _share(2.0 * n[3] * rate)
        return force, slope * n[0] * c, 2.0 * n[3] * (1.0 - c) * force
    if force == 0.0:
        return 0.0, 0.0, 0.0
    depth = -gap
    if code == HUNT_CROSSLEY:
        return force, n[2] * force / depth, n[0] * depth ** n[2] * n[1]
    return force, n[0], n[1]


@inner
def stored_energy(code, n, gap):
    """Return the energy [J] that an elastic contact has at a gap: the integral of its force at rest."""
    if code == RESTRICTION:
        energy = n[0] / (4.0 * n[1]) * _softplus(-2.0 * n[1] * (gap - n[2]))
        if n[4] > 0.0:
            energy -= n[0] / (4.0 * n[4]) * _softplus(-2.0 * n[4] * (gap - n[5]))
        return energy
    depth = max(-gap, 0.0)
    power = n[2] if code == HUNT_CROSSLEY else 1.0
    return n[0] * depth ** (power + 1.0) / (power + 1.0)


@inner
def mean_activation(code, n, first, second):
    """Return the mean of the force at rest [N] between two gaps: the discrete gradient of what is stored."""
    if abs(second - first) < 1e-10:
        return contact_force(code, n, 0.5 * (first + second), 0.0)
    return -(stored_energy(code, n, second) - stored_energy(code, n, first)) / (second - first)


@inner
def mean_force(code, n, first, second, rate):
    """Return the force [N] over a motion from one gap to another at a rate: what it stores is kept."""
    force = mean_activation(code, n, first, second)
    if code == RESTRICTION:
        return 2.0 * force * _share(2.0 * n[3] * rate)
    if code == HUNT_CROSSLEY:
        return force * max(1.0 - n[1] * rate, 0.0)
    return max(force - n[1] * rate, 0.0) if min(first, second) < 0.0 else 0.0


@inner
def potential_of_speed(u):
    """Return G(u) = u^2/2 + ((2u - 1) e^(2u) + 1)/4, by its series where that would cancel."""
    if abs(u) < 0.3:
        term = u * u
        total = 0.5 * term
        for k in range(16):
            total += term / (k + 2)
            term *= 2.0 * u / (k + 1)
        return total
    return 0.5 * u * u + 0.25 * ((2.0 * u - 1.0) * np.exp(2.0 * u) + 1.0)


@inner
def _speed_of_potential(wanted, most):
    """Return u in (0, most] with G(u) = wanted, by Newton's method from above, where G is convex."""
    u = min(most, 0.5 * np.log1p(4.0 * wanted))
    for _ in range(MOST_STEPS):
        change = (potential_of_speed(u) - wanted) / (u * (1.0 + np.exp(2.0 * u)))
        u -= change
        if abs(change) < 1e-15 * u:
            break
    return u


@inner
def impulse_potential(damping, u):
    """Return G(r_d u) / r_d^2 [m^2/s^2]: the integral of u (1 + e^(2 r_d u)) over u [m/s]."""
    v = damping * u
    return u * u if abs(v) < SLOW else potential_of_speed(v) / (damping * damping)


@inner
def speed_of_impulse_potential(damping, wanted):
    """Return the speed u >= 0 [m/s] whose impulse potential is `wanted`."""
    scaled = damping * damping * wanted
    if scaled < SLOW * SLOW:
        return np.sqrt(max(wanted, 0.0))
    return _speed_of_potential(scaled, np.inf) / damping


@inner
def exit_of_impulse_potential(damping, speed, used):
    """Return the speed [m/s] left of one on approach when so much of its potential is used, 0 for none."""
    left = impulse_potential(damping, -speed) - used
    if left <= 0.0:
        return 0.0
    if damping * speed < SLOW:
        return np.sqrt(left)
    low, high = 0.0, speed
    for _ in range(200):
        middle = 0.5 * (low + high)
        if impulse_potential(damping, -middle) < left:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    return 0.5 * (low + high)


@inner
def _rebound_of_hunt_crossley(y):
    """Return restitution for lambda times speed = y: z = e y with -z - log(1 - z) = y - log(1 + y)."""
    if y < SLOW:
        return 1.0 - 2.0 * y / 3.0
    if y > FAST:
        return 1.0 / y
    wanted = y - np.log1p(y) if y > 0.01 else y * y * (0.5 - y * (1.0 / 3.0 - y * (0.25 - 0.2 * y)))
    # -z - log(1 - z) is convex and grows without bound at z = 1; its root by bisection, then Newton
    low, high = 0.0, min(y, 1.0)
    z = 0.5 * (low + high)
    for _ in range(200):
        value = -z - np.log1p(-z) if z > 0.01 else z * z * (0.5 + z * (1.0 / 3.0 + z * (0.25 + 0.2 * z)))
        if value > wanted:
            high = z
        else:
            low = z
        step = z - (value - wanted) * (1.0 - z) / z
        new = step if low < step < high else 0.5 * (low + high)
        if abs(new - z) <= 1e-16 * z:
            break
        z = new
    return z / y


@inner
def restitution_of(code, n, speed, mass):
    """Return the share of the speed of approach [m/s] with which a contact of effective mass [kg] parts."""
    if speed <= 0.0:
        return 1.0
    if code == RESTRICTION:
        u = n[3] * speed
        if u < SLOW:
            return 1.0 - 2.0 * u / 3.0
        return _speed_of_potential(potential_of_speed(-u), u) / u
    if code == HUNT_CROSSLEY:
        return _rebound_of_hunt_crossley(n[1] * speed)
    ratio = 0.5 * n[1] / np.sqrt(n[0] * mass)
    if ratio < 1.0:
        root = np.sqrt((1.0 - ratio) * (1.0 + ratio))
        turn = np.pi - np.arctan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)
        return np.exp(-ratio * turn / root)
    root = np.sqrt((ratio - 1.0) * (ratio + 1.0))
    if root == 0.0:
        return np.exp(-2.0)
    return np.exp(-ratio / root * np.log((ratio + root) / (ratio - root)))


@inner
def deepest_gap(code, n, speed, mass):
    """Return the gap [m] at which an impact turns round; -inf where a wall is pierced."""
    if code == RESTRICTION:
        u = n[3] * speed
        if u < SLOW:
            integral = mass * speed * speed / n[0]
        else:
            integral = mass / (n[0] * n[3] * n[3]) * potential_of_speed(-u)
        return _gap_of_integral(n, integral)
    if code == HUNT_CROSSLEY:
        y = n[1] * speed
        energy = 0.5 * mass * speed * speed
        if y > 0.01:
            energy = mass / (n[1] * n[1]) * (y - np.log1p(y))
        return -(((n[2] + 1.0) * energy / n[0]) ** (1.0 / (n[2] + 1.0)))
    ratio = 0.5 * n[1] / np.sqrt(n[0] * mass)
    swing = np.sqrt(n[0] / mass)
    if ratio < 1.0:
        root = np.sqrt((1.0 - ratio) * (1.0 + ratio))
        return -speed / swing * np.exp(-ratio / root * np.arctan2(root, ratio))
    root = np.sqrt((ratio - 1.0) * (ratio + 1.0))
    if root == 0.0:
        return -speed / swing * np.exp(-1.0)
    return -speed / swing * np.exp(-ratio / root * 0.5 * np.log((ratio + root) / (ratio - root)))


@inner
def _gap_of_integral(n, integral):
    """Return the gap down to which the integral of the activation from far away is that; -inf for none."""
    x = 2.0 * n[1] * integral
    gap = n[2] - (x + np.log1p(-np.exp(-x))) / (2.0 * n[1]) if x > 1e-300 else np.inf
    if n[4] == 0.0:
        return gap
    if integral >= n[2] - n[5]:
        return -np.inf
    # the exit only takes away: from the first guess downwards, where the integral is convex enough
    low, high = gap - 1.0, gap
    while _integral(n, low) < integral:
        high, low = low, low - 2.0 * (high - low)
    for _ in range(200):
        middle = 0.5 * (low + high)
        if _integral(n, middle) < integral:
            high = middle
        else:
            low = middle
        if high - low <= 1e-15 * (abs(low) + abs(high)):
            break
    return 0.5 * (low + high)


@inner
def _integral(n, gap):
    """Return the integral [m] of the activation from far away to a gap."""
    out = _softplus(-2.0 * n[1] * (gap - n[2])) / (2.0 * n[1])
    if n[4] > 0.0:
        out -= _softplus(-2.0 * n[4] * (gap - n[5])) / (2.0 * n[4])
    return out


@inner
def impact_exit(code, n, speed, mass):
    """Return the speed [m/s] with which a body leaves the other face of a wall; 0 if it is thrown back."""
    if code != RESTRICTION or n[4] == 0.0:
        return 0.0
    return exit_of_impulse_potential(n[3], speed, n[0] * (n[2] - n[5]) / mass)


@inner
def usual_approach(code, n, speed, mass):
    """Return how long an impact takes [s] to its deepest, to some ten per cent."""
    depth = -deepest_gap(code, n, speed, mass)
    if not depth < np.inf:
        return (n[2] - n[5]) / speed
    span = max(depth, 0.0)
    if code == RESTRICTION:
        span = max(span, 1.0 / n[1])
    return 1.4 * span / speed


@inner
def usual_duration(code, n, speed, mass):
    """Return how long an impact takes [s], to some ten per cent; see `usual_approach`."""
    approach = usual_approach(code, n, speed, mass)
    if not deepest_gap(code, n, speed, mass) > -np.inf:
        return approach
    return approach * (1.0 + 1.0 / max(restitution_of(code, n, speed, mass), 1e-3))
