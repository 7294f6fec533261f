"""Tests and systems of Specker 2016 (T-01 to T-18, X-01 to X-15): the engine beside the reference."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stoss.benchmarks.specker.cube import leavings, run_cube
from stoss.benchmarks.specker.generalised import force_errors
from stoss.benchmarks.specker.oracle import run_mass, run_pendulum, run_pulled
from stoss.benchmarks.specker.stick_slip import closed_form, engine_run, figures_of
from stoss.benchmarks.specker.worlds import (
    cube_leaves,
    falling_ball,
    filtered_loop,
    let_go,
    memory,
    observer_errors,
    pendulum,
    shot_ball,
    swaying_pull,
    thrown_ball,
)

__all__ = ["CHECKS", "Row"]


class Row(NamedTuple):
    """One figure of a check.

    Attributes:
        what: the quantity.
        ours: what the engine gives.
        reference: what the reference gives, or the closed form.
        tolerance: difference that may be between them.
        unit: of these.
        thesis: what the thesis says of it, in words; its figures are lost.
    """

    what: str
    ours: float
    reference: float
    tolerance: float
    unit: str = ""
    thesis: str = ""

    @property
    def holds(self) -> bool:
        """Return whether both agree."""
        return bool(abs(self.ours - self.reference) <= self.tolerance)


def laws_by_themselves() -> list[Row]:
    """T-01, T-03 to T-06, T-18: friction curve, activation, restitution, impacts and rest by closed forms."""
    import stoss as st

    curve = st.ContinuousStribeck(1.4, 1.0, 1e-4, 5e-5, viscous=0.1)
    law, ball = st.RestrictionContact(200.0, 1e-3, 0.5), st.RestrictionContact(20.0, 0.5e-3, 5.9)
    hit = law.impact(1.0, 0.05)
    return [
        Row("friction at half the peak speed", curve.force(5e-5), 1.07876, 1e-5, "N", "passive, smooth"),
        Row("friction at the peak speed", curve.force(1e-4), 1.4, 1e-6, "N", "static level there"),
        Row("activation at touch", law.activation(0.0), 0.005, 1e-12, "", "0.005"),
        Row("restitution at damping times speed 1", law.restitution(2.0), 0.619624, 1e-6, "", "falls"),
        Row("the same at 100", law.restitution(200.0), 0.039808, 1e-6),
        Row("X-06: restitution at 1 m/s", hit.restitution, 0.75521, 1e-5, "", "falls with speed"),
        Row("X-06: deepest distance", 10.0 - 1e3 * hit.peak_compression, 9.32234, 1e-4, "mm"),
        Row("X-06: peak force", hit.peak_force, 96.7065, 1e-2, "N", "below its bound"),
        Row("X-06: duration", 1e3 * hit.duration, 2.1476, 2e-3, "ms"),
        Row("X-07: depth at rest", 10.0 + 1e3 * ball.rest_gap(0.4905), 9.890018, 1e-6, "mm", "constant"),
    ]


def ball_that_falls() -> list[Row]:
    """T-06, T-07, X-07: a ball bounces on its own weight and comes to rest."""
    seen = run_mass(0.05, 0.01, 0.0095, 20.0, 5.9, 0.06, 0.0, gravity=9.81, duration=1.0, h=1e-5)
    out = (seen[1:, 1] >= 0.01) & (seen[:-1, 1] < 0.01)
    wanted = seen[1:][out][:3, 2]
    rows = []
    for h, many, share in ((0.01, 2, 0.01), (0.001, 3, 0.05), (1e-4, 3, 0.01)):
        rebounds, rest, _ = falling_ball(h)
        for k in range(many):
            rows.append(
                Row(
                    f"rebound {k + 1} at {1e3 * h:g} ms",
                    rebounds[k],
                    wanted[k],
                    share * wanted[k],
                    "m/s",
                    "decays",
                )
            )
        rows.append(Row(f"depth at rest at {1e3 * h:g} ms", rest, 9.890018, 1e-6, "mm", "constant"))
    return rows


def wall_that_breaks() -> list[Row]:
    """T-08, X-08: a ball bounces off a wall, or breaks through it."""
    import stoss as st

    wall = st.BarrierContact(1e4, 0.02, 0.2, 0.05, 0.05)
    rows = [Row("critical speed", wall.critical_speed(0.05), 256.515, 1e-3, "m/s", "between 200 and 270")]
    for speed, told in ((200.0, "rebounds"), (255.0, ""), (260.0, ""), (270.0, "goes through")):
        seen = run_mass(0.05, 0.1, 0.08, 1e4, 0.05, 0.2, -speed, exit_s0=-0.1, exit_sc=-0.05, duration=0.01)
        for h in (0.01, 0.001):
            ours = shot_ball(wall, speed, h)
            rows.append(
                Row(
                    f"{speed:g} m/s at {1e3 * h:g} ms",
                    ours,
                    seen[-1, 2],
                    1e-3 * abs(seen[-1, 2]),
                    "m/s",
                    told,
                )
            )
    return rows


def pendulum_on_a_floor() -> list[Row]:
    """T-09, T-10, X-09, X-10: an inverted double pendulum falls on a floor, without and with friction."""
    smooth, high = run_pendulum(), run_pendulum((0.36, 0.4))
    free, stands = pendulum((0.0, 0.0), 1e-3), pendulum((0.36, 0.4), 1e-3)
    medium = pendulum((0.18, 0.2), 5e-4)
    long = pendulum((0.0, 0.0), 1e-2)
    return [
        Row(
            "outer mass touches at", 1e3 * free.first[1], 1e3 * smooth.contacts(1)[0], 1.1, "ms", "about 100"
        ),
        Row(
            "inner mass touches at", 1e3 * free.first[0], 1e3 * smooth.contacts(0)[0], 1.1, "ms", "about 300"
        ),
        Row("the same at 10 ms", 1e3 * long.first[1], 1e3 * smooth.contacts(1)[0], 10.0, "ms"),
        Row("inner mass at 10 ms", 1e3 * long.first[0], 1e3 * smooth.contacts(0)[0], 10.0, "ms"),
        Row("force on each at rest", free.forces[-1, 0], 0.981, 1e-4, "N", "the weight"),
        Row("largest gain of energy in a step", float(np.diff(free.energy).max()), 0.0, 1e-5, "J", "none"),
        Row("high friction: outer mass carries", stands.forces[-1, 1], high.normal[-1, 1], 7e-3, "N", "more"),
        Row("inner mass touches (0: never)", float(np.isfinite(stands.first[0])), 0.0, 0.0, "", "never"),
        Row("medium: inner mass touches at", 1e3 * medium.first[0], 375.0, 15.0, "ms", "much later"),
    ]


def cube_that_tumbles() -> list[Row]:
    """T-11, T-12, X-11, X-12: a cube with spheres at its corners is thrown on a floor; 0.1 ms.

    Friction of the thesis is filtered with 0.1 ms, that of the world and of the reference here is not.
    """
    rows = []
    for friction, duration in (((0.0, 0.0), 0.46), ((0.25, 0.3), 0.745)):
        rough = friction[1] > 0.0
        exact = leavings(run_cube(friction, duration, 1e-6, every=10, filter_time=0.0))
        found = cube_leaves(friction, 1e-4, 4)
        name = "with friction" if rough else "without"
        told = "path deflected" if rough else "2 and 1 m/s stay"
        for k, (ours, right) in enumerate(zip(found, exact, strict=False)):
            share = 0.2 if rough and k == 3 else 0.03  # to which an error of 0.1 % at the start grows
            close = 0.03 * float(np.linalg.norm(right.velocity))
            spin = share * float(np.linalg.norm(right.angular_velocity))
            for axis in range(3):
                value, wanted = ours.velocity[axis], right.velocity[axis]
                rows.append(
                    Row(f"{name}: v_{'xyz'[axis]} after contact {k + 1}", value, wanted, close, "m/s", told)
                )
                told = ""
            for axis in range(3):
                value, wanted = ours.angular_velocity[axis], right.angular_velocity[axis]
                rows.append(Row(f"{name}: omega_{'xyz'[axis]}", value, wanted, spin, "rad/s"))
    return rows


def stick_slip() -> list[Row]:
    """T-13, X-03, X-04: a mass that a spring pulls, at 10 ms, beside the reference at 0.01 ms."""
    reference = figures_of(run_pulled(1e-5, every=10))
    rows = []
    for law, told in (("smooth", ""), ("filtered", "holds, creeps a little"), ("coulomb", "")):
        found = figures_of(engine_run(law, 1e-2))
        right = figures_of(closed_form()) if law == "coulomb" else reference
        rows += [
            Row(f"{law}: peak speed", found.fastest, right.fastest, 0.01 * right.fastest, "m/s", "kept"),
            Row(f"{law}: second slip", found.onsets[1], right.onsets[1], 0.03, "s", "four slips"),
            Row(f"{law}: creep in 2 s", 1e3 * found.drift, 1e3 * right.drift, 0.1, "mm", told),
        ]
    return rows


def filtered_friction() -> list[Row]:
    """X-01: force of filtered friction where the speed passes zero, at 0.1 ms."""
    rows = []
    for kind, hold, told, wanted in (
        ("LTI", None, "next to nil at 1 Hz", (0.4398, 0.9729, 1.0588)),
        ("LPV", 0.01, "between Coulomb and Stribeck", (1.2314, 1.2346, 1.0996)),
    ):
        for frequency, force in zip((1.0, 5.0, 20.0), wanted, strict=True):
            ours = filtered_loop(hold, frequency, 1e-4)
            rows.append(Row(f"{kind}, {frequency:g} Hz", ours, force, 0.02 * force, "N", told))
    return rows


def pulled_in_the_plane() -> list[Row]:
    """X-05: the same in the plane, the end of the spring sways; figures of the reference at 0.1 ms."""
    wanted, rows = (1.3635, 2.4737, 3.5348, 4.6736), []
    for h, close in ((1e-3, 0.005), (1e-2, 0.01)):
        onsets, fastest = swaying_pull(h)
        rows.append(Row(f"peak speed at {1e3 * h:g} ms", fastest, 0.4860, 0.005, "m/s"))
        for k, right in enumerate(wanted):
            rows.append(
                Row(f"slip {k + 1}", onsets[k], right, close, "s", "four slips, in both axes at once")
            )
    return rows


def memory_at_rest() -> list[Row]:
    """X-02, P-011: what filtered friction remembers at rest."""
    rows = []
    for kind, hold, level, told in (
        ("LPV", 0.01, 1.2314, "held, with the sign of the last motion"),
        ("LTI", None, 0.0, "decays to zero"),
    ):
        before, negative, positive = memory(hold)
        rows += [
            Row(f"{kind}, before any motion", before, 0.0, 1e-12, "N", "zero"),
            Row(f"{kind}, after a negative one", negative, -level, 1e-3, "N", told),
            Row(f"{kind}, after a positive one", positive, level, 1e-3, "N", told),
        ]
    return rows


def knee_stop() -> list[Row]:
    """T-18, X-13: where the knee of the gait trainer rests in its stop."""
    import stoss as st

    law = st.RestrictionContact(50.0, 2.0 * float(np.arctanh(0.99)) / 100.0, 1.5)
    rows = []
    for load, angle in ((1.0, 6.29), (5.0, -2.67), (10.0, -7.57), (20.0, -16.53)):
        ours = 1e3 * (-9.6e-3 + 0.5 * law.compression + law.rest_gap(load))
        rows.append(Row(f"under {load:g} N m", ours, angle, 0.01, "mrad"))
    rows.append(Row("most that it carries", law.static_limit, 25.0, 0.0, "N m"))
    return rows


def observers() -> list[Row]:
    """X-14, X-15: errors of the angle by models without and with memory of friction, and with the stop.

    By shares of each other: they depend on the noise, the ranking does not.
    """
    first, second = observer_errors(1), observer_errors(2)
    return [
        Row("both axes swing: S2 over S1", first[1] / first[0], 0.82 / 6.86, 0.1, "", "S2 clearly better"),
        Row("into the stop: S2 over S1", second[1] / second[0], 1.14 / 41.9, 0.1),
        Row("into the stop: S3 over S2", second[2] / second[1], 0.69 / 1.14, 0.1, "", "S3 better still"),
    ]


def unloaded_mass() -> list[Row]:
    """T-14: a mass that is stuck under 1 N, and let go."""
    rows = []
    for law, bound in (("coulomb", 1e-12), ("stribeck", 1e-12)):
        rows.append(Row(f"{law}: way back", let_go(law), 0.0, bound, "m"))
    rows.append(Row("filtered: way back", let_go("filtered"), 0.0, 1e-6, "m", "what is held pushes"))
    return rows


def generalised_forces() -> list[Row]:
    """T-16: J^T F of the engine are the derivatives of the restriction and the dissipation function."""
    normal, friction = force_errors()
    return [
        Row("largest difference, of the force: contacts", normal, 0.0, 1e-9, "", "by construction"),
        Row("friction", friction, 0.0, 1e-9, "", "by construction"),
    ]


def hunt_crossley() -> list[Row]:
    """Hunt and Crossley's law: worlds at 10 ms and in time, beside its integral and a Runge-Kutta of order 8.

    The integral is ln((1 + d) / (1 - e d)) = d (1 + e), d = damping times speed.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    rows, stiffness, mass, speed = [], 1e6, 0.3, 1.0
    for d in (0.1, 0.5, 1.0, 3.0):

        def off(e: float, d: float = d) -> float:
            return float(np.log1p(d) - np.log1p(-e * d) - d * (1.0 + e))

        wanted = float(brentq(off, 1e-9, min(1.0, (1.0 - 1e-12) / d)))

        def rates(_: float, x: np.ndarray, d: float = d) -> list[float]:
            deep = max(-x[0], 0.0)
            return [x[1], stiffness * deep**1.5 * max(1.0 - d / speed * x[1], 0.0) / mass]

        def parts(_: float, x: np.ndarray) -> float:
            return float(x[0])

        parts.terminal, parts.direction = True, 1.0  # type: ignore[attr-defined]
        run = solve_ivp(rates, (0, 1), [0.0, -speed], "DOP853", events=parts, rtol=1e-12, atol=1e-15)
        told = "1 - 2 d / 3 for small d"
        rows += [
            Row(f"d = {d:g}: Runge-Kutta", float(run.y[1, -1]) / speed, wanted, 1e-8, "", told),
            Row(f"d = {d:g}: engine at 10 ms", thrown_ball(stiffness, d, 0.01), wanted, 1e-8),
            Row(f"d = {d:g}: engine in time, 0.01 ms", thrown_ball(stiffness, d, 1e-5), wanted, 2e-3),
        ]
    return rows


CHECKS: dict[str, Callable[[], list[Row]]] = {
    "T-01, 03 to 06, X-06": laws_by_themselves,
    "T-07, X-07": ball_that_falls,
    "T-08, X-08": wall_that_breaks,
    "T-09, T-10, X-09, X-10": pendulum_on_a_floor,
    "T-11, T-12, X-11, X-12": cube_that_tumbles,
    "T-13, X-03, X-04": stick_slip,
    "X-05": pulled_in_the_plane,
    "X-01": filtered_friction,
    "X-02": memory_at_rest,
    "T-14": unloaded_mass,
    "T-16": generalised_forces,
    "T-18, X-13": knee_stop,
    "X-14, X-15": observers,
    "Hunt-Crossley": hunt_crossley,
}
