"""The cube of Specker 2016, sections 3.3.3 and 4.3.2, as Lagrange equations: a reference, as in `oracle`."""

from typing import NamedTuple

import numpy as np

from stoss.benchmarks.specker.oracle import GRAVITY, contact_law, runner, static_friction, transition
from stoss.collision.kernels.decorators import compiled

__all__ = ["Leaving", "leavings", "run_cube"]


class Leaving(NamedTuple):
    """The cube as it leaves the floor.

    Attributes:
        time: [s].
        velocity, angular_velocity: (3,) [m/s], [rad/s].
    """

    time: float
    velocity: np.ndarray
    angular_velocity: np.ndarray


@compiled
def _cube_rhs(t, x, p, out):
    # x: place, angles, their rates, friction states
    # p: k/2, m, J, rt, rc, rf, rd, muC, muS, vC, vS, qF, TF (0: no filter)
    half, m, inertia = p[0], p[1], p[2]
    al, be, ga = x[3], x[4], x[5]
    dal, dbe, dga = x[9], x[10], x[11]
    ca, sa, cb, sb, cg, sg = np.cos(al), np.sin(al), np.cos(be), np.sin(be), np.cos(ga), np.sin(ga)
    # (3.49) with the sign of the second component corrected
    wx = dal * cb * cg - dbe * sg
    wy = dal * cb * sg + dbe * cg
    wz = dga - dal * sb
    fx = fy = fz = tx = ty = tz = 0.0  # of normal forces
    gx = gy = gz = ux = uy = uz = 0.0  # of friction
    for i in range(8):
        px = half if (i >> 0) & 1 else -half
        py = half if (i >> 1) & 1 else -half
        pz = half if (i >> 2) & 1 else -half
        # body to inertial: transpose of Rx Ry Rz
        y1, z1 = ca * py - sa * pz, sa * py + ca * pz
        x2, z2 = cb * px + sb * z1, -sb * px + cb * z1
        rx, ry, rz = cg * x2 - sg * y1, sg * x2 + cg * y1, z2
        vx = x[6] + wy * rz - wz * ry
        vy = x[7] + wz * rx - wx * rz
        vz = x[8] + wx * ry - wy * rx
        ra, fc = contact_law(x[2] + rz, vz, p[3], p[4], p[5], p[6])
        f = ra * fc
        fz += f
        tx += ry * f
        ty -= rx * f
        if p[8] > 0.0:
            w = np.sqrt(vx * vx + vy * vy + 1e-12)
            ft = f * static_friction(w, p[8], p[7], 0.0, p[9], p[10]) / w
            hx, hy = ft * vx, ft * vy
            gx += hx
            gy += hy
            ux += -rz * hy
            uy += rz * hx
            uz += rx * hy - ry * hx
    # generalised forces of angles: the transpose of rates to angular velocity
    q4 = cb * cg * tx + cb * sg * ty - sb * tz
    q5 = -sg * tx + cg * ty
    q6 = tz
    r4 = cb * cg * ux + cb * sg * uy - sb * uz
    r5 = -sg * ux + cg * uy
    r6 = uz
    for i in range(6):
        out[i] = x[6 + i]
    stat = (gx, gy, gz, r4, r5, r6)
    if p[12] > 0.0:
        for i in range(6):
            out[12 + i] = (1.0 - np.exp(-((x[6 + i] / p[11]) ** 2))) / p[12] * (stat[i] - x[12 + i])
        stat = (x[12], x[13], x[14], x[15], x[16], x[17])
    out[6] = (fx - stat[0]) / m
    out[7] = (fy - stat[1]) / m
    out[8] = (fz - stat[2]) / m - GRAVITY
    e4 = (q4 - stat[3]) / inertia + dbe * dga * cb
    e6 = (q6 - stat[5]) / inertia + dal * dbe * cb
    out[9] = (e4 + sb * e6) / (cb * cb)
    out[11] = (e6 + sb * e4) / (cb * cb)
    out[10] = (q5 - stat[4]) / inertia - dal * dga * cb


_run_cube = runner(_cube_rhs)


def run_cube(
    friction: tuple[float, float] = (0.0, 0.0),
    duration: float = 0.5,
    h: float = 1e-5,
    every: int = 1,
    filter_time: float = 1e-4,
    turning: float = 10.0,
) -> dict[str, np.ndarray]:
    """Return the cube that falls on a floor and tumbles (X-11, X-12).

    Args:
        friction: coefficients (mu_C, mu_S).
        duration, h: [s].
        every: steps from one that is kept to the next.
        filter_time: T_F [s], 0: friction is not filtered, and smooth up to a speed of 1 mm/s, not 0.05; with
            steps of 1 microsecond.
        turning: first angular velocity at the start [rad/s].

    Returns:
        Times `t` (n,), `position`, `velocity`, `angular_velocity` (n, 3), `energy` [J] and the sum of normal
        forces `force` [N] (n,).
    """
    rt, rc = transition(0.002, 0.001)
    inertia = 0.1 * 0.1**2 / 6.0
    vc = 5e-5 if filter_time > 0.0 else 1e-3
    p = np.array([0.05, 0.1, inertia, rt, rc, 400.0, 0.3, *friction, vc, 2.0 * vc, 1e-4, filter_time])
    x = np.zeros(18)
    x[2] = 1.0
    x[6:12] = 2.0, 1.0, 0.0, turning, 1.0, 0.0
    if friction[1] > 0.0:
        x[17] = 0.001
    run = _run_cube(x, h, round(duration / h), every, p)
    place, (al, be, ga), rate, (da, db, dg) = run[:, 1:4], run[:, 4:7].T, run[:, 7:10], run[:, 10:13].T
    omega = np.column_stack(
        [
            da * np.cos(be) * np.cos(ga) - db * np.sin(ga),
            da * np.cos(be) * np.sin(ga) + db * np.cos(ga),
            dg - da * np.sin(be),
        ]
    )
    energy = 0.5 * 0.1 * (rate**2).sum(1) + 0.5 * inertia * (omega**2).sum(1) + 0.1 * GRAVITY * place[:, 2]
    force = np.zeros(len(run))
    ca, sa, cb, sb, cg, sg = np.cos(al), np.sin(al), np.cos(be), np.sin(be), np.cos(ga), np.sin(ga)
    for i in range(8):
        px, py, pz = (0.05 if (i >> k) & 1 else -0.05 for k in range(3))
        y1, z1 = ca * py - sa * pz, sa * py + ca * pz
        x2, rz = cb * px + sb * z1, -sb * px + cb * z1
        rx, ry = cg * x2 - sg * y1, sg * x2 + cg * y1
        vz = rate[:, 2] + omega[:, 0] * ry - omega[:, 1] * rx
        share = 0.5 * (1.0 - np.tanh(rt * (place[:, 2] + rz - rc)))
        force += share * 200.0 * (1.0 - np.tanh(0.3 * vz))
    return {
        "t": run[:, 0],
        "position": place,
        "velocity": rate,
        "angular_velocity": omega,
        "energy": energy,
        "force": force,
    }


def leavings(run: dict[str, np.ndarray], least: float = 0.5) -> list[Leaving]:
    """Return each time at which the normal forces of a run of `run_cube` fall below `least` [N]."""
    on = run["force"] > least
    ends = np.flatnonzero(~on[1:] & on[:-1]) + 1
    return [Leaving(float(run["t"][i]), run["velocity"][i], run["angular_velocity"][i]) for i in ends]
