"""One leg of the gait trainer of Specker 2016, section 5.2: hip and carriage, in the stages S0 to S3.

Coordinates are the angle of the thigh from the plumb line and the place of the carriage on its rail. States
are in the order (angle, rate, place, speed) and then, from S2 on, moment and force of friction that the
filter holds. Masses are lumped in knee, ankle and carriage; terms of Coriolis are left out, as there.
"""

import numpy as np

from stoss.benchmarks.specker.oracle import static_friction
from stoss.collision.kernels.decorators import compiled

__all__ = [
    "equilibrium",
    "leg_matrices",
    "leg_rates_s1",
    "leg_rates_s2",
    "leg_rates_s3",
    "stop_moment",
    "twin",
]

# Table 5.1: thigh, shank, foot [m]; knee, ankle, carriage [kg]; the numbers below in metres, radians, N/m
L1, L2, L3 = 0.414, 0.390, 0.260
M1, M2, M3 = 2.0, 5.7, 6.4
G = 9.81


@compiled
def leg_matrices(angle, s):
    """Return M11, M12, M22, g1, g2 of S0, and the knee's angle above its stop with its two derivatives."""
    delta = 1.222
    sn, cs = np.sin(angle), np.cos(angle)
    kx, ky, kxa, kya = L1 * sn, -L1 * cs, L1 * cs, L1 * sn
    ex, ey = np.cos(delta), np.sin(delta)
    cx, cy = 0.840 + s * ex, -0.530 + s * ey
    # direction and length from the knee to the carriage, and their derivatives by both coordinates
    dx, dy = cx - kx, ky - cy
    dxa, dya, dxs, dys = -kxa, kya, ex, -ey
    square = dx * dx + dy * dy
    length = np.sqrt(square)
    alpha_1 = np.arctan2(dy, dx)
    a1a = (dx * dya - dy * dxa) / square
    a1s = (dx * dys - dy * dxs) / square
    la, ls = (dx * dxa + dy * dya) / length, (dx * dxs + dy * dys) / length
    c = (L2 * L2 + square - L3 * L3) / (2.0 * L2 * length)
    slope = (square - L2 * L2 + L3 * L3) / (2.0 * L2 * square)
    root = np.sqrt(1.0 - c * c)
    shank = 0.5 * np.pi - alpha_1 - np.arccos(c)
    sa, ss = -a1a + slope * la / root, -a1s + slope * ls / root
    ux, uy = L2 * np.cos(shank), L2 * np.sin(shank)
    axa, aya, axs, ays = kxa + ux * sa, kya + uy * sa, ux * ss, uy * ss
    m11 = M1 * (kxa * kxa + kya * kya) + M2 * (axa * axa + aya * aya)
    m12 = M2 * (axa * axs + aya * ays)
    m22 = M2 * (axs * axs + ays * ays) + M3
    # springs at the hip and on the rail
    hx, hy = 0.255 * np.sin(angle - 2.050), -0.255 * np.cos(angle - 2.050)
    wx, wy = hx + 0.161, hy + 0.442
    far = np.sqrt(wx * wx + wy * wy)
    pull = 354.0 * (far - 0.162) / far
    hxa, hya = 0.255 * np.cos(angle - 2.050), 0.255 * np.sin(angle - 2.050)
    g1 = G * (M1 * kya + M2 * aya) + pull * (wx * hxa + wy * hya)
    g2 = G * (M2 * ays + M3 * ey) + 183.0 * (s - 0.522)
    return m11, m12, m22, g1, g2, angle - shank, 1.0 - sa, -ss


@compiled
def stop_moment(bend, rate):
    """Return the moment of the knee stop (5.23)."""
    return 0.5 * (1.0 - np.tanh(100.0 * (bend + 9.6e-3))) * 25.0 * (1.0 - np.tanh(1.5 * rate))


@compiled
def _accelerate(x, moment, force, stop, out):
    m11, m12, m22, g1, g2, bend, ba, bs = leg_matrices(x[0], x[2])
    r1, r2 = moment - g1, force - g2
    if stop:
        push = stop_moment(bend, ba * x[1] + bs * x[3])
        r1, r2 = r1 + ba * push, r2 + bs * push
    det = m11 * m22 - m12 * m12
    out[0], out[2] = x[1], x[3]
    out[1] = (m22 * r1 - m12 * r2) / det
    out[3] = (m11 * r2 - m12 * r1) / det


@compiled
def _friction(rate, speed):
    return static_friction(rate, 5.0, 4.0, 0.0, 0.1, 0.2), static_friction(speed, 45.0, 35.0, 0.0, 0.1, 0.2)


@compiled
def leg_rates_s1(x, u):
    """Return the rates of the four states, with static friction of gearbox and rail."""
    out = np.empty(4)
    moment, force = _friction(x[1], x[3])
    _accelerate(x, u[0] - moment, u[1] - force, False, out)
    return out


@compiled
def _filtered(x, u, stop):
    out = np.empty(6)
    _accelerate(x, u[0] - x[4], u[1] - x[5], stop, out)
    moment, force = _friction(x[1], x[3])
    out[4] = (1.0 - np.exp(-((x[1] / 0.1) ** 2))) / 0.2 * (moment - x[4])
    out[5] = (1.0 - np.exp(-((x[3] / 0.1) ** 2))) / 0.2 * (force - x[5])
    return out


@compiled
def leg_rates_s2(x, u):
    """Return the rates of the six states: friction is filtered, and held at rest."""
    return _filtered(x, u, False)


@compiled
def leg_rates_s3(x, u):
    """Return the rates of the six states, with the stop of the knee."""
    return _filtered(x, u, True)


def equilibrium() -> np.ndarray:
    """Return angle and place at which the leg rests without load and friction."""
    q = np.array([1.0, 0.07])
    for _ in range(50):
        g = np.array(leg_matrices(*q)[3:5])
        slope = np.empty((2, 2))
        for k in range(2):
            step = np.zeros(2)
            step[k] = 1e-6
            up, down = leg_matrices(*(q + step)), leg_matrices(*(q - step))
            slope[:, k] = [(up[3 + i] - down[3 + i]) / 2e-6 for i in range(2)]
        change = np.linalg.solve(slope, g)
        q = q - change
        if np.abs(change).max() < 1e-14:
            break
    return q


@compiled
def _twin(x, inputs, h, parts, stop):
    """Follow the leg with Coulomb and Stribeck friction that sticks: the truth that observers are to find."""
    kept = np.empty((len(inputs), 4))
    rates = np.empty(4)
    for k in range(len(inputs)):
        for _ in range(parts):
            _accelerate(x, inputs[k, 0], inputs[k, 1], stop, rates)
            m11, m12, m22 = leg_matrices(x[0], x[2])[:3]
            det = m11 * m22 - m12 * m12
            w11, w12, w22 = m22 / det, -m12 / det, m11 / det
            v1, v2 = x[1] + h * rates[1], x[3] + h * rates[3]
            most1 = h * (4.0 + np.exp(-((x[1] / 0.4) ** 2)))
            most2 = h * (35.0 + 10.0 * np.exp(-((x[3] / 0.4) ** 2)))
            p1 = p2 = 0.0
            for _ in range(30):  # sweeps over both, each sticks or slides
                free = v1 + w12 * p2
                p1 = min(max(-free / w11, -most1), most1)
                free = v2 + w12 * p1
                p2 = min(max(-free / w22, -most2), most2)
            x[1], x[3] = v1 + w11 * p1 + w12 * p2, v2 + w12 * p1 + w22 * p2
            x[0] += h * x[1]
            x[2] += h * x[3]
        kept[k] = x
    return kept


def twin(experiment: int, duration: float = 10.0, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs (n, 2), states (n, 4) and noisy measurements (n, 2) of a leg, every 10 ms (X-14, X-15).

    Args:
        experiment: 1: sinusoids at both axes; 2: a negative moment stretches the knee into its stop.
        duration: [s]; for the first second nothing is driven.
        seed: of the noise, 1 mrad and 0.5 mm.
    """
    t = np.arange(round(duration / 0.01)) * 0.01
    swing = np.sin(2.0 * np.pi * 0.25 * (t - 1.0))
    if experiment == 1:
        u = np.column_stack([4.0 + 12.0 * swing, 40.0 + 70.0 * swing])
    else:
        u = np.column_stack([np.full(len(t), -6.0), 60.0 + 70.0 * swing])
    u[t < 1.0] = 0.0
    q = equilibrium()
    states = _twin(np.array([q[0], 0.0, q[1], 0.0]), u, 1e-4, 100, True)
    noise = np.random.default_rng(seed).normal(size=(len(t), 2)) * (1e-3, 5e-4)
    return u, states, states[:, [0, 2]] + noise
