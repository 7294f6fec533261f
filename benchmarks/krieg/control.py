"""Tests T-08 to T-16 and T-24 of Krieg 1992, and table 3.8: the arm under control."""

from typing import Any

import numpy as np

from stoss.benchmarks.krieg.arm import GAINS, JOINTS, Motion, arm, reference, simulated
from stoss.scenes.cases.registry import Figure, at_least, at_most, near

__all__ = ["CHECKS"]

# Table 3.8: time; torques of shoulder, elbow, wrist [N m]; angles from the start, and of the trunk [degrees].
TABLE = {
    "U1": {
        "R1": (
            (0.01, -4.322, 16.798, 5.192, -0.0635, 0.2439, 0.0834, 0.0049),
            (0.02, -7.257, 29.054, 7.737, -0.2185, 0.8571, 0.2549, 0.0252),
            (0.05, -10.810, 48.645, 11.222, -0.8722, 3.6567, 0.9199, 0.2382),
            (0.10, -8.620, 58.357, 12.172, -1.6316, 8.2519, 1.8646, 1.2287),
            (0.20, 6.979, 64.083, 11.373, -0.4560, 12.9915, 2.5320, 5.1634),
            (0.50, 67.252, 77.926, 10.461, 13.1993, 12.8034, 1.4756, 11.8614),
            (1.00, -32.335, 37.804, 10.912, -11.6724, -3.0283, 0.5208, 2.7008),
        ),
        "R2": (
            (0.10, -8.096, 52.312, 10.832, -2.1266, 10.2470, 2.3870, 1.1310),
            (0.50, 56.930, 71.699, 6.049, 21.0033, 34.3005, 2.7117, 11.7153),
            (1.00, 85.313, 66.600, 12.401, 22.8540, -25.5219, -1.6529, 11.1060),
        ),
        "R3": (
            (0.10, -7.960, 51.387, 10.634, -2.1819, 10.4694, 2.4482, 1.1200),
            (0.50, 51.261, 69.803, 5.125, 20.9319, 40.3505, 3.0983, 11.6185),
            (1.00, 104.758, 67.053, 11.987, 35.2212, -37.8105, -3.0646, 12.0297),
        ),
        "R4": (
            (0.10, -9.758, 65.335, 13.619, -1.3960, 7.3263, 1.6069, 1.2743),
            (0.50, 49.928, 79.091, 14.203, -0.3270, 2.0313, 0.4289, 11.6443),
            (1.00, 123.399, 81.788, 14.511, 24.1349, 8.8840, 0.9630, -2.0844),
        ),
        "R5": (
            (0.10, -8.486, 57.585, 12.012, -1.6557, 8.3464, 1.8914, 1.2240),
            (0.50, 61.969, 76.004, 9.115, 13.6082, 20.0593, 2.5736, 11.6633),
            (1.00, 11.146, 62.641, 10.097, 4.0008, 15.3428, 2.3974, 4.9696),
        ),
        "R6": (
            (0.01, -10.127, 46.482, 11.139, -0.0242, 0.1028, 0.0257, 0.0118),
            (0.10, -2.819, 50.990, 11.456, -0.1801, 1.2957, 0.3030, 1.5645),
            (0.50, 33.616, 70.844, 11.833, 2.0526, 6.5737, 1.2194, 10.4519),
            (1.00, 16.354, 62.328, 11.344, 2.0377, 7.8754, 1.4572, 5.4582),
        ),
        "R7": (
            (0.10, -15.652, 74.050, 13.746, -3.8419, 17.6825, 3.4375, 0.7731),
            (0.50, 99.050, 109.021, 14.254, 21.2281, 19.4217, 2.2844, 11.8171),
            (1.00, -132.889, -51.519, -1.131, -38.6540, -25.7188, -2.7768, -4.7544),
        ),
    },
    "U2": {
        "R1": (
            (0.01, -12.884, 51.373, 12.577, -0.0513, 0.2029, 0.0530, 0.0069),
            (0.02, -17.436, 78.727, 17.346, -0.0877, 0.3846, 0.0843, 0.0483),
            (0.05, -2.638, 50.230, 11.690, -0.0040, 0.2074, 0.0490, 0.4097),
            (0.10, -7.217, 55.894, 12.560, -0.0317, 0.2345, 0.0524, 1.6246),
            (0.50, 25.409, 66.150, 12.267, 0.0685, 0.1348, 0.0232, 10.1465),
            (1.00, 9.749, 56.890, 11.858, 0.0204, 0.0448, 0.0085, 4.9496),
        ),
        "R2": (
            (0.05, -15.212, 73.349, 16.065, -0.5029, 2.2794, 0.5032, 0.3059),
            (0.50, 19.817, 64.921, 12.197, -0.5781, -0.1639, -0.0131, 10.2945),
            (1.00, 134.869, 91.129, 17.034, 3.5750, 1.1150, 0.1495, 4.4212),
        ),
        "R3": (
            (0.10, -12.008, 86.859, 18.057, -0.4333, 3.5812, 0.6244, 1.4565),
            (0.20, 45.820, -6.866, -0.979, 3.0380, -7.3451, -1.3935, 5.9737),
            (0.50, -6.310, 534.157, 81.975, -7.6478, 61.7428, 11.1454, 5.8770),
        ),
        "R4": (
            (0.50, 41.596, 70.569, 12.984, 0.1337, 0.0331, 0.0059, 10.0805),
            (1.00, 1584.270, 491.537, 84.777, 7.1496, 2.0511, 0.3324, 4.0715),
        ),
        "R5": (
            (0.02, -17.321, 78.155, 17.236, -0.0886, 0.3878, 0.0852, 0.0482),
            (1.00, 9.806, 56.994, 11.849, 0.0393, 0.2328, 0.0485, 4.9517),
        ),
        "R6": (
            (0.01, -10.759, 51.170, 12.086, -0.0206, 0.0895, 0.0219, 0.0124),
            (1.00, 9.637, 56.852, 11.855, 0.0085, 0.0384, 0.0081, 4.9452),
        ),
        "R7": (
            (0.02, -21.744, 93.203, 19.747, -0.1068, 0.4570, 0.0961, 0.0448),
            (1.00, 15.314, 43.564, 9.227, 0.0501, -0.0206, -0.0045, 4.9524),
        ),
    },
}  # fmt: skip

# Table 3.8b: whether a run is stable by the ratio of its largest angles, and its Routh number D P / I.
ROUTH = {"R1": 10.0, "R2": 1.0, "R3": 0.1, "R4": 1.0, "R5": 100.0, "R6": 100.0, "R7": 1.0}
LARGEST_INERTIA = 2.734  # [kg m^2]

# Hammering: largest torques, angles and forces of joints, then torques and angles after a second.
HAMMERING = {
    "U1": (
        (70.86, 107.12, 18.96, 14.146, 15.503, 2.811, 238.4, 237.9, 282.3),
        (-29.371, 25.984, 5.227, -12.0655, -2.1748, 0.7007),
    ),
    "U2": (
        (200.08, 151.96, 29.51, 0.931, 0.571, 0.118, 357.5, 305.6, 304.1),
        (-64.571, -21.419, -4.399, -0.3077, -0.3328, -0.0705),
    ),
}


def table(short: bool = False, **_: Any) -> list[Figure]:
    """Table 3.8: the reference finds the motion of all runs, in both units of angles."""
    found = []
    for unit, runs in TABLE.items():
        for run, rows in runs.items():
            kept = [row for row in rows if row[0] <= 0.1] if short else list(rows)
            if not kept:
                continue
            motion = reference(arm(run, unit), kept[-1][0], every=0.01, rtol=1e-8 if short else 1e-10)
            off_torque = off_angle = 0.0
            for time, *numbers in kept:
                off = np.abs(motion.at(time) - numbers)
                # half of the last digit of the table, and of its first rows the tolerance of the integrator
                off_torque = max(off_torque, float(off[:3].max()))
                off_angle = max(off_angle, float(off[3:].max()))
            until = f"up to {kept[-1][0]:g} s"
            # what grows by some e-folds carries the rounding of the table's own integrator along
            slack = 10.0 if (unit, run) in (("U2", "R4"), ("U2", "R3")) else 1.0
            found.append(at_most(f"{run} {unit}, torques, {until}", off_torque, 1e-3 * slack, "N m"))
            found.append(at_most(f"{run} {unit}, angles, {until}", off_angle, 1e-4 * slack, "degrees"))
    return found


def _beside(run: str, h: float, implicit: bool, angle: float, torque: float, duration: float) -> list[Figure]:
    """Return how far a run of the engine is from the reference."""
    motion = simulated(arm(run, time_step=h, implicit=implicit), duration)
    exact = reference(arm(run), duration, every=h, rtol=1e-8)
    kind = "implicit" if implicit else "explicit"
    where = f"{run} U1, {kind}, step {1e3 * h:.4g} ms"
    found = []
    for k, joint in enumerate(JOINTS):
        off = np.abs(motion.angles[:, k] - exact.angles[: len(motion.times), k]).max()
        found.append(at_most(f"{where}, angle of the {joint}", off, angle, "degrees"))
    for k, joint in enumerate(JOINTS):
        off = np.abs(motion.torques[1:, k] - exact.torques[1 : len(motion.times), k]).max()
        found.append(at_most(f"{where}, torque of the {joint}", off, torque, "N m"))
    return found


def first_run(short: bool = False, **_: Any) -> list[Figure]:
    """T-08: R1 is as the reference has it, explicit and implicit, at 1 ms."""
    duration = 0.4 if short else 1.0
    return [
        figure for implicit in (False, True) for figure in _beside("R1", 1e-3, implicit, 0.3, 1.5, duration)
    ]


def fifth_run(short: bool = False, **_: Any) -> list[Figure]:
    """T-09: R5 is as the reference has it, explicit and implicit, at 1 ms."""
    duration = 0.4 if short else 1.0
    return [
        figure for implicit in (False, True) for figure in _beside("R5", 1e-3, implicit, 0.3, 1.5, duration)
    ]


def stiff_run(**_: Any) -> list[Figure]:
    """T-10: R6, for which the program of 1992 was too stiff, runs at 1/60 s with implicit controllers."""
    return _beside("R6", 1.0 / 60.0, True, 0.2, 8.0, 1.0)


def classes(short: bool = False, **_: Any) -> list[Figure]:
    """T-11: which of the seven runs are stable, by Routh, by eigenvalues, and by their motion."""
    from stoss.engine.reference import stability

    found = []
    for run, number in ROUTH.items():
        report = stability(arm(run))
        stable = number > LARGEST_INERTIA
        found.append(
            near(f"{run}: largest modal inertia", report.modal_inertias[0], LARGEST_INERTIA, 5e-4, "kg m^2")
        )
        found.append(near(f"{run}: Routh number", report.routh[1], number, 1e-9 * number, "kg m^2"))
        judge = at_most if stable else at_least
        found.append(judge(f"{run}: growth rate, {_word(stable)}", report.growth, 1e-3, "1/s"))
    last, word = (3.0, "3rd") if short else (5.0, "5th")
    for run in ("R1", "R4") if short else ROUTH:
        motion = simulated(arm(run, time_step=2e-3 if short else 1e-3), last)
        ratio = motion.largest(last - 1.0, last) / motion.largest(0.0, 1.0)
        ratio = np.inf if np.isnan(ratio) else ratio  # it left the window
        stable = ROUTH[run] > LARGEST_INERTIA
        judge = at_most if stable else at_least
        found.append(
            judge(f"{run}: largest angle in the {word} second over the first, {_word(stable)}", ratio, 2.0)
        )
    return found


def _word(stable: bool) -> str:
    return "stable" if stable else "unstable"


def first_maxima(**_: Any) -> list[Figure]:
    """T-12: in degrees, the torques of R1 have their first maxima after about 0.02 s."""
    motion = simulated(arm("R1", "U2", time_step=2.5e-4), 0.03)
    found = []
    for k, (joint, wanted) in enumerate(zip(JOINTS, (0.017, 0.0185, 0.019), strict=True)):
        found.append(near(joint, _peak(motion, k, 0.005, 0.03), wanted, 1e-3, "s"))
    return found


def _peak(motion: Motion, k: int, begin: float, end: float, sign: float = 0.0) -> float:
    """Return when a torque is largest, in size or with a sign, between two times."""
    own = np.flatnonzero((motion.times >= begin) & (motion.times <= end))
    values = sign * motion.torques[own, k] if sign else np.abs(motion.torques[own, k])
    n = own[int(np.argmax(values))]
    rows = [abs(motion.torques[m, k]) for m in (n - 1, n, n + 1)]
    shift = 0.5 * (rows[0] - rows[2]) / (rows[0] - 2.0 * rows[1] + rows[2])
    return float(motion.times[n] + shift * (motion.times[n] - motion.times[n - 1]))


def late_peaks(**_: Any) -> list[Figure]:
    """T-13: in degrees, R2 has late peaks in shoulder and elbow."""
    motion = simulated(arm("R2", "U2", time_step=5e-4), 1.02)
    found = []
    for begin, end, time, sign, wanted in (
        (0.78, 0.90, 0.84, -1.0, (-87.0, 25.0)),
        (0.92, 1.02, 0.98, 1.0, (148.0, 94.0)),
    ):
        for k, (joint, size) in enumerate(zip(JOINTS[:2], wanted, strict=True)):
            # the elbow has a minimum where the shoulder has its negative peak
            moment = _extremum(motion, k, begin, end, sign)
            found.append(near(f"{joint}, time of the peak near {time} s", moment, time, 0.01, "s"))
            torque = float(np.interp(moment, motion.times, motion.torques[:, k]))
            found.append(near(f"{joint}, torque there", torque, size, 0.1 * abs(size), "N m"))
    return found


def _extremum(motion: Motion, k: int, begin: float, end: float, sign: float) -> float:
    own = (motion.times >= begin) & (motion.times <= end)
    return float(motion.times[own][int(np.argmax(sign * motion.torques[own, k]))])


def lost_run(**_: Any) -> list[Figure]:
    """T-14: in degrees, R3 gets out of control, and the run is stopped."""
    import stoss as st

    motion = simulated(arm("R3", "U2", time_step=5e-4), 0.6)
    world = arm("R3", "U2", time_step=5e-4)
    world.step()  # from then on there are the rows of the controllers
    recorder = st.Recorder(world, ["joint.*.angle", "joint.*.drive.force"], model=False)
    status = recorder.run(1.0, limits={"joint.elbow.drive.force": 500.0})
    return [
        at_least(
            "torque of the elbow before 0.6 s, engine", np.abs(motion.torques[:, 1]).max(), 500.0, "N m"
        ),
        at_most("a monitor that allows 500 N m stops the run at", world.time, 0.6, "s"),
        near("its status is 'diverged'", float(status == "diverged"), 1.0, 0.0),
    ]


def audit(**_: Any) -> list[Figure]:
    """T-15: angular momentum is what the loads have given."""
    found = []
    for unit, most in (("U1", 13.64), ("U2", 11.97)):
        world = arm("R1", unit)
        loads = [
            (world.load(name), world.body(of))
            for name, of in (("hand", "hand"), ("trunk", "trunk"), ("feet", "trunk"))
        ]
        given = off = largest = 0.0
        for _step in range(1000):
            before = world.centers_of_mass.copy()
            world.step()
            middle = 0.5 * (before + world.centers_of_mass)
            for load, body in loads:
                on = load.on(body)
                given += world.time_step * float(on[5] + np.cross(middle[body.index], on[:3])[2])
            momentum = float(world.report.angular_momentum[2])
            off, largest = max(off, abs(momentum - given)), max(largest, abs(momentum))
        found.append(near(f"{unit}: largest angular momentum", largest, most, 5e-3, "kg m^2/s"))
        found.append(at_most(f"{unit}: beyond the integral of the loads' moments", off, 1e-3, "kg m^2/s"))
    return found


def at_rest(short: bool = False, **_: Any) -> list[Figure]:
    """T-16: drill and soft tissue stay where they are: nothing acts on them together."""
    import stoss as st

    world = arm("R1")
    plane = world.plane
    assert plane is not None
    drill = world.add_body(
        mass_properties=st.from_values(20.0, 2.0 * np.eye(3)),
        position=(1.18, 1.6, 0.0),
        quaternion=plane.quaternion(np.pi / 2.0),
    )
    world.add_load(st.Force((drill, (0.0, -0.18, 0.0)), (-150.0, 0.0, 0.0)), name="hammer")
    world.add_load(st.Force((drill, (0.0, 0.18, 0.0)), (150.0, 0.0, 0.0)), name="handle")
    softs = [drill]
    ends = {
        "trunk": ((0.0, 0.6), (0.0, -0.9)),
        "upper_arm": ((0.0, 0.25), (0.0, -0.25)),
        "forearm": ((0.0, -0.2), (0.0, 0.2)),
        "hand": ((0.0, -0.02), (0.0, 0.14)),
    }
    masses = {"trunk": (25.0, 1.5), "upper_arm": (4.0, 0.2), "forearm": (2.0, 0.1), "hand": (0.1, 0.05)}
    for name, points in ends.items():
        bone, (mass, inertia) = world.body(name), masses[name]
        soft = world.add_body(
            mass_properties=st.from_values(mass, inertia * np.eye(3)),
            position=bone.position,
            quaternion=bone.quaternion,
        )
        softs.append(soft)
        for x, y in points:
            law = (0.0, 0.0, 1.0, 0.0, 1.0)
            world.add_load(
                st.SpringDamper(
                    (bone, (x, y, 0.0)), (soft, (x, y, 0.0)), *law, damping_by="deflection", file_units=True
                )
            )
    before = [(body.position.copy(), body.quaternion.copy()) for body in softs]
    world.step(300 if short else 1000)
    off = max(
        max(float(np.abs(body.position - x).max()), float(np.abs(body.quaternion - q).max()))
        for body, (x, q) in zip(softs, before, strict=True)
    )
    return [at_most("they move by", off, 1e-9, "m")]


def hammering(short: bool = False, **_: Any) -> list[Figure]:
    """T-24: the arm under a hammering force, in both units."""
    found = []
    for unit, (largest, ends) in HAMMERING.items():
        if short and unit == "U1":
            continue
        motion = simulated(arm("R1", unit, hammer=True), 1.0)
        sizes = [*np.abs(motion.torques).max(axis=0), *np.abs(motion.angles).max(axis=0)]
        sizes += motion.reactions.max(axis=0).tolist()
        names = [
            f"largest {what} of the {joint}" for what in ("torque", "angle", "force") for joint in JOINTS
        ]
        units = ["N m"] * 3 + ["degrees"] * 3 + ["N"] * 3
        rows = list(zip(names, sizes, largest, units, strict=True))
        last = motion.at(1.0)[:6]
        names = [f"{what} of the {joint} after 1 s" for what in ("torque", "angle") for joint in JOINTS]
        rows += list(zip(names, last, ends, units[:6], strict=True))
        found += [
            near(f"{unit}: {name}", value, wanted, 0.05 * abs(wanted), of) for name, value, wanted, of in rows
        ]
    return found


CHECKS = {
    "3.8": table,
    "T-08": first_run,
    "T-09": fifth_run,
    "T-10": stiff_run,
    "T-11": classes,
    "T-12": first_maxima,
    "T-13": late_peaks,
    "T-14": lost_run,
    "T-15": audit,
    "T-16": at_rest,
    "T-24": hammering,
}
assert set(ROUTH) == set(GAINS)
