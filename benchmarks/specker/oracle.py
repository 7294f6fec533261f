"""The models of Specker 2016 as Lagrange equations with classical Runge-Kutta steps: a reference for tests.

Nothing here uses the engine. Each model is its right side, written out from the thesis, and a run that
returns its states at every step; the cube has a file of its own. Corrections to printed equations are marked.
Units are SI, gravity is 9.81 m/s^2.
"""

import numpy as np

from stoss.collision.kernels.decorators import compiled

__all__ = [
    "GRAVITY",
    "PendulumRun",
    "contact_law",
    "run_mass",
    "run_pendulum",
    "run_pulled",
    "run_pulled_lugre",
    "runner",
    "static_friction",
    "transition",
]

GRAVITY = 9.81


def _njit(function):
    return compiled(function)


@_njit
def contact_law(s, v, rt, rc, rf, rd):
    """Return activation and the force without it, (3.2) and (3.12): s from barrier to centre."""
    return 0.5 * (1.0 - np.tanh(rt * (s - rc))), 0.5 * rf * (1.0 - np.tanh(rd * v))


@_njit
def static_friction(v, fs, fc, d, vc, vs):
    """Return the complete static law (2.14)."""
    more = fs - fc * np.tanh(vs / vc) - d * vs
    return d * v + fc * np.tanh(v / vc) + more * (v / vs) * np.exp(0.5 - 0.5 * (v / vs) ** 2)


@_njit
def _rk4(rhs, t, x, h, p, a, b, out):
    """Advance x in place by one step."""
    n = len(x)
    rhs(t, x, p, a)
    for i in range(n):
        out[i] = x[i] + h / 6.0 * a[i]
        b[i] = x[i] + 0.5 * h * a[i]
    rhs(t + 0.5 * h, b, p, a)
    for i in range(n):
        out[i] += h / 3.0 * a[i]
        b[i] = x[i] + 0.5 * h * a[i]
    rhs(t + 0.5 * h, b, p, a)
    for i in range(n):
        out[i] += h / 3.0 * a[i]
        b[i] = x[i] + h * a[i]
    rhs(t + h, b, p, a)
    for i in range(n):
        x[i] = out[i] + h / 6.0 * a[i]


@_njit
def _mass_rhs(t, x, p, out):
    # p: m, rt, rc, rf, rd, gravity, exit rt (0: none), exit rc
    ra, fc = contact_law(x[0], x[1], p[1], p[2], p[3], p[4])
    if p[6] > 0.0:
        ra -= 0.5 * (1.0 - np.tanh(p[6] * (x[0] - p[7])))
    out[0] = x[1]
    out[1] = ra * fc / p[0] - p[5]


@_njit
def _pulled_rhs(t, x, p, out):
    # 1-D stick-slip with the LPV filter (2.26): p: m, k, speed, stop time, FS, FC, d, vC, vS, qF, TF
    end = p[2] * min(t, p[3])
    out[0] = x[1]
    out[1] = (p[1] * (end - x[0]) - x[2]) / p[0]
    gate = 1.0 - np.exp(-((x[1] / p[9]) ** 2))
    out[2] = gate / p[10] * (static_friction(x[1], p[4], p[5], p[6], p[7], p[8]) - x[2])


@_njit
def _lugre_rhs(t, x, p, out):
    # 1-D stick-slip with LuGre (2.28): p: m, k, speed, stop time, FS, FC, d, vS, kLG, dLG
    end = p[2] * min(t, p[3])
    level = p[5] + (p[4] - p[5]) * np.exp(-((x[1] / p[7]) ** 2))
    rate = x[1] - p[8] * abs(x[1]) / level * x[2]
    out[0] = x[1]
    out[1] = (p[1] * (end - x[0]) - (p[8] * x[2] + p[9] * rate + p[6] * x[1])) / p[0]
    out[2] = rate


@_njit
def _pendulum_rhs(t, x, p, out):
    # x: phi1, phi2, rates, friction states; p: m, arm, y0, rt, rc, rf, rd, muC, muS, vC, vS, qF, TF
    m, arm = p[0], p[1]
    a, b, da, db = x[0], x[1], x[2], x[3]
    s1 = p[2] + arm * np.sin(a)
    v1 = arm * np.cos(a) * da
    s2 = s1 + arm * np.sin(a + b)
    v2 = v1 + arm * np.cos(a + b) * (da + db)
    ra, fc = contact_law(s1, v1, p[3], p[4], p[5], p[6])
    f1 = ra * fc
    ra, fc = contact_law(s2, v2, p[3], p[4], p[5], p[6])
    f2 = ra * fc
    slide = -np.sin(a) * arm * da - np.sin(a + b) * arm * (da + db)
    ft = f2 * static_friction(slide, p[8], p[7], 0.0, p[9], p[10]) if p[8] > 0.0 else 0.0
    c, s = np.cos(b), np.sin(b)
    # kinetic energy with equal masses and lengths
    m11 = m * arm * arm * (3.0 + 2.0 * c)
    m12 = m * arm * arm * (1.0 + c)
    m22 = m * arm * arm
    # (A.2a) with the sign of the square corrected
    r1 = m * arm * arm * s * (2.0 * da * db + db * db)
    r1 -= m * GRAVITY * arm * (2.0 * np.cos(a) + np.cos(a + b))
    r2 = -m * arm * arm * s * da * da - m * GRAVITY * arm * np.cos(a + b)
    r1 += arm * np.cos(a) * f1 + (arm * np.cos(a) + arm * np.cos(a + b)) * f2 - x[4]
    r2 += arm * np.cos(a + b) * f2 - x[5]
    det = m11 * m22 - m12 * m12
    out[0], out[1] = da, db
    out[2] = (m22 * r1 - m12 * r2) / det
    out[3] = (m11 * r2 - m12 * r1) / det
    q1 = (-arm * np.sin(a) - arm * np.sin(a + b)) * ft
    q2 = -arm * np.sin(a + b) * ft
    out[4] = (1.0 - np.exp(-((da / p[11]) ** 2))) / p[12] * (q1 - x[4])
    out[5] = (1.0 - np.exp(-((db / p[11]) ** 2))) / p[12] * (q2 - x[5])


def runner(rhs):
    """Return what integrates x' = rhs(t, x, p) by steps h, and keeps some of them, with their times."""

    @_njit
    def run(x, h, steps, every, p):
        n = len(x)
        x = x.copy()
        a, b, out = np.empty(n), np.empty(n), np.empty(n)
        kept = np.empty((steps // every + 1, n + 1))
        for i in range(steps + 1):
            if i % every == 0:
                kept[i // every, 0] = i * h
                kept[i // every, 1:] = x
            _rk4(rhs, i * h, x, h, p, a, b, out)
        return kept

    return run


_run_mass, _run_pulled, _run_lugre = runner(_mass_rhs), runner(_pulled_rhs), runner(_lugre_rhs)
_run_pendulum = runner(_pendulum_rhs)


def transition(s0: float, sc: float, level: float = 0.99) -> tuple[float, float]:
    """Return r_t and r_c (3.3), (3.4)."""
    return 2.0 / (s0 - sc) * float(np.arctanh(level)), 0.5 * (s0 + sc)


def run_mass(
    mass: float,
    s0: float,
    sc: float,
    rf: float,
    rd: float,
    start: float,
    velocity: float,
    *,
    gravity: float = 0.0,
    exit_s0: float | None = None,
    exit_sc: float = 0.0,
    duration: float,
    h: float = 1e-5,
    every: int = 1,
) -> np.ndarray:
    """Return time, distance, rate and force (n, 4) of a mass before a barrier (X-06 to X-08).

    Args:
        mass: [kg].
        s0, sc: outer and compression radius [m].
        rf, rd: strength [N] and dissipation [s/m] of the barrier.
        start, velocity: distance [m] and its rate [m/s].
        gravity: [m/s^2], towards the barrier.
        exit_s0, exit_sc: of a wall of finite width.
        duration: [s].
        h: step [s].
        every: steps from one that is kept to the next.
    """
    rt, rc = transition(s0, sc)
    back = (0.0, 0.0)
    if exit_s0 is not None:
        back = -2.0 / (exit_s0 - exit_sc) * float(np.arctanh(0.99)), 0.5 * (exit_s0 + exit_sc)
    p = np.array([mass, rt, rc, rf, rd, gravity, *back])
    run = _run_mass(np.array([start, velocity]), h, round(duration / h), every, p)
    a = 0.5 * (1.0 - np.tanh(rt * (run[:, 1] - rc)))
    if exit_s0 is not None:
        a -= 0.5 * (1.0 - np.tanh(back[0] * (run[:, 1] - back[1])))
    force = a * 0.5 * rf * (1.0 - np.tanh(rd * run[:, 2]))
    return np.column_stack([run, force])


def run_pulled(
    h: float = 1e-5, *, fine: bool = True, speed: float = 0.1, duration: float = 8.0, every: int = 1
) -> np.ndarray:
    """Return time, place, rate and friction (n, 4) of the mass that a spring pulls (X-03, X-04), LPV filter.

    Args:
        h: step [s].
        fine: parameters of table 2.2, else of table 2.3.
        speed: of the spring's end [m/s], for 5 s.
        duration: [s].
        every: steps from one that is kept to the next.
    """
    vc, vs, qf, tf = (5e-5, 1e-4, 1e-4, 3e-4) if fine else (5e-3, 1e-2, 1e-3, 3e-2)
    p = np.array([0.1, 10.0, speed, 5.0, 1.4, 1.0, 0.1, vc, vs, qf, tf])
    # q = 0 and Q = 0 are a rest that the filter never leaves: the spring pulls at once, so it moves
    return np.asarray(_run_pulled(np.zeros(3), h, round(duration / h), every, p))


def run_pulled_lugre(
    h: float = 1e-4, *, fine: bool = True, stribeck: float = 0.02, duration: float = 8.0, every: int = 1
) -> np.ndarray:
    """Return time, place, rate and bristle deflection (n, 4) of the same with LuGre; arguments as above."""
    k, d = (1e4, 100.0) if fine else (600.0, 20.0)
    p = np.array([0.1, 10.0, 0.1, 5.0, 1.4, 1.0, 0.1, stribeck, k, d])
    return np.asarray(_run_lugre(np.zeros(3), h, round(duration / h), every, p))


class PendulumRun:
    """The double pendulum on a floor (X-09, X-10): states and what follows from them.

    Args:
        friction: coefficients (mu_C, mu_S) at the outer mass.
        duration, h: [s].
        every: steps from one that is kept to the next.
        filter_time: T_F [s].

    Attributes:
        t, angles, rates: times (n,), (n, 2) and (n, 2).
        gaps, normal: centres above the floor [m] and forces [N] (n, 2), inner mass first.
        friction: (n,) along the floor on the outer mass, as the static law has it [N].
        energy, stored: (n,) of motion and height; of both contacts [J].
    """

    MASS, LENGTH, BASE = 0.1, 0.1, 0.01
    S0, SC, RF, RD = 0.01, 0.006, 400.0, 4.0

    def __init__(
        self,
        friction: tuple[float, float] = (0.0, 0.0),
        duration: float = 1.0,
        h: float = 1e-4,
        every: int = 1,
        filter_time: float = 5e-4,
    ) -> None:
        rt, rc = transition(self.S0, self.SC)
        m, arm = self.MASS, self.LENGTH
        p = np.array([m, arm, self.BASE, rt, rc, self.RF, self.RD, *friction, 1e-4, 1e-4, 1e-4, filter_time])
        x = np.array([3.0 * np.pi / 8.0, -0.5 * np.pi, 0.0, 0.0, 0.0, 0.0])
        run = _run_pendulum(x, h, round(duration / h), every, p)
        self.t, self.angles, self.rates = run[:, 0], run[:, 1:3], run[:, 3:5]
        a, b, da, db = run[:, 1:5].T
        s1 = self.BASE + arm * np.sin(a)
        s2 = s1 + arm * np.sin(a + b)
        v1 = arm * np.cos(a) * da
        v2 = v1 + arm * np.cos(a + b) * (da + db)
        self.gaps = np.column_stack([s1, s2])
        rates = np.column_stack([v1, v2])
        share = 0.5 * (1.0 - np.tanh(rt * (self.gaps - rc)))
        self.normal = share * 0.5 * self.RF * (1.0 - np.tanh(self.RD * rates))
        slide = -np.sin(a) * arm * da - np.sin(a + b) * arm * (da + db)
        mu_c, mu_s = friction
        self.friction = np.zeros(len(a))
        if mu_s > 0.0:
            # from what the filter holds: only the outer mass rubs
            self.friction = run[:, 6] / (-arm * np.sin(a + b))
        self.slide = slide
        speed1 = (arm * da) ** 2
        speed2 = speed1 + (arm * (da + db)) ** 2 + 2.0 * arm * arm * np.cos(b) * da * (da + db)
        height = np.sin(a) + np.sin(a) + np.sin(a + b)
        self.energy = 0.5 * m * (speed1 + speed2) + m * GRAVITY * arm * height
        self.stored = (self.RF / (4.0 * rt) * np.logaddexp(0.0, -2.0 * rt * (self.gaps - rc))).sum(axis=1)

    def contacts(self, which: int, least: float = 1.0) -> np.ndarray:
        """Return when forces at a mass (0: inner, 1: outer) begin to exceed `least` [N]."""
        on = self.normal[:, which] > least
        return np.asarray(self.t[1:][on[1:] & ~on[:-1]])


def run_pendulum(friction: tuple[float, float] = (0.0, 0.0), **options: float) -> PendulumRun:
    """Return a run of the double pendulum; see `PendulumRun`."""
    return PendulumRun(friction, **options)  # type: ignore[arg-type]
