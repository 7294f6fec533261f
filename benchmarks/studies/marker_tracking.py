"""Models that follow markers: frames per second, and OpenSim beside it on the same models and markers.

    python -m stoss.benchmarks.studies.marker_tracking
    python -m stoss.benchmarks.studies.marker_tracking --opensim

People of 40 and 75 degrees of freedom with 55 and 60 markers go through a smooth motion that is known, seen
with noise of a millimetre. For OpenSim (extra `stoss[opensim]`) the models are built anew from the tree of
the articulation, joint by joint; both follow the same file of markers, frame by frame from the one before.
"""

import argparse
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import stoss as st
from stoss.engine.articulated.structure import PATTERNS, Pose

__all__ = ["person", "main", "recorded"]

FRAMES, RATE, NOISE = 300, 100.0, 1e-3
# names, where they are seen from the one that carries them [m], kinds of joints (an axis: hinge), markers
Part = tuple[str, str, tuple[float, float, float], Any, int]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
OPENSIM_ACCURACIES = (
    1e-5,
    1e-9,
)  # of its solver: that of its tools by default, and close to the least squares


def _trunk(freedom: int) -> list[Part]:
    if freedom == 40:
        return [
            ("lumbar", "pelvis", (0, 0, 0.1), "ball", 3),
            ("thorax", "lumbar", (0, 0, 0.15), "ball", 5),
            ("neck", "thorax", (0, 0, 0.3), "ball", 3),
            ("head", "neck", (0, 0, 0.1), Y, 4),
        ]
    names = (
        [f"lumbar {k}" for k in (3, 2, 1)] + [f"thorax {k}" for k in (5, 4, 3, 2, 1)] + ["neck 2", "neck 1"]
    )
    last, parts = "pelvis", []
    for name in names:
        parts.append((name, last, (0.0, 0.0, 0.06), "ball", 2))
        last = name
    return [*parts, ("head", last, (0, 0, 0.08), Y, 3)]


def _limbs(freedom: int, side: str, sign: float) -> list[Part]:
    legs: list[Part] = [
        (f"thigh {side}", "pelvis", (0, sign * 0.1, -0.05), "ball", 4),
        (f"shank {side}", f"thigh {side}", (0, 0, -0.44), Y, 4),
        (f"foot {side}", f"shank {side}", (0, 0, -0.43), "universal", 3),
        (f"toes {side}", f"foot {side}", (0.14, 0, -0.05), Y, 1),
    ]
    if freedom == 40:
        return legs + [
            (f"arm {side}", "thorax", (0, sign * 0.19, 0.25), "ball", 3),
            (f"forearm {side}", f"arm {side}", (0, 0, -0.31), Y, 2),
            (f"hand {side}", f"forearm {side}", (0, 0, -0.27), X, 1),
        ]
    arms: list[Part] = [
        (f"clavicle {side}", "thorax 1", (0, sign * 0.03, 0.05), "universal", 1),
        (f"arm {side}", f"clavicle {side}", (0, sign * 0.16, 0), "ball", 1),
        (f"forearm {side}", f"arm {side}", (0, 0, -0.31), Y, 1),
        (f"radius {side}", f"forearm {side}", (0, 0, -0.1), Z, 1),
        (f"hand {side}", f"radius {side}", (0, 0, -0.17), "universal", 1),
    ]
    for k in range(3):
        arms.append((f"finger {k} {side}", f"hand {side}", (0, 0.02 * (k - 1), -0.09), Y, 1))
    return legs + arms


def person(freedom: int) -> "st.Articulation":
    """Return a person of 40 or 75 degrees of freedom with 55 or 60 markers, in a world of its own.

    Args:
        freedom: 40 or 75.
    """
    world, rng = st.World(gravity=(0, 0, 0)), np.random.default_rng(5)
    parts: list[Part] = [("pelvis", "", (0, 0, 1), None, 4), *_trunk(freedom)]
    for side, sign in (("R", -1.0), ("L", 1.0)):
        parts += _limbs(freedom, side, sign)
    if freedom == 75:  # what is left of 60
        parts = [
            (*part[:4], part[4] - (part[0].split()[0] in ("pelvis", "thigh", "shank", "foot")))
            for part in parts
        ]
    places: dict[str, np.ndarray] = {}
    for name, parent, offset, kind, markers in parts:
        places[name] = place = np.array(offset, float) + places.get(parent, np.zeros(3))
        body = world.add_body(
            mass_properties=st.from_values(1.0, 0.01 * np.eye(3)), position=place, name=name
        )
        at = tuple(place.tolist())
        joints = {"ball": st.Ball(at), "universal": st.Universal(at, X, Y)}
        if parent:
            joint = joints[kind] if isinstance(kind, str) else st.Hinge(at, kind)
            world.add_joint(joint, world.body(parent), body, name=name)
        for k in range(markers):
            local = rng.normal(size=3) * (0.05, 0.05, 0.08)
            world.add_marker(f"{name.replace(' ', '')}{k}", body, position=local)
    return st.Articulation(world)


def recorded(both: "st.Articulation", frames: int = FRAMES) -> "tuple[st.Motion, st.MarkerData]":
    """Return a smooth motion about the upright pose, and what is seen of it with noise.

    Args:
        both: the person.
        frames: how many.
    """
    rng, times = np.random.default_rng(6), np.arange(frames) / RATE
    amplitude = rng.uniform(0.05, 0.35, len(both))
    amplitude[:3] = 0.1
    turn = 2.0 * np.pi * times[:, None] + rng.uniform(0.0, 2.0 * np.pi, len(both))
    motion = st.Motion(both.coordinates, times, both.q + amplitude * (np.sin(turn) - np.sin(turn[0])))
    return motion, st.record_markers(both, motion, noise=NOISE, seed=7)


# ------------------------------------------------------------- OpenSim


def _place(opensim: Any, pose: Pose) -> tuple[Any, Any]:
    """Return a place, and turns about x, y and z, one after the other."""
    place, (w, x, y, z) = pose
    with warnings.catch_warnings():  # where the second turn is a quarter the third may be anything
        warnings.simplefilter("ignore", UserWarning)
        turns = Rotation.from_quat((x, y, z, w)).as_euler("XYZ").tolist()
    return opensim.Vec3(*place), opensim.Vec3(*turns)


def _give(axis: Any, function: Any) -> None:
    """Give a function to an axis, which owns it then: Python would free it."""
    function.thisown = False
    axis.setFunction(function)


def opensim_model(both: "st.Articulation") -> Any:
    """Return the model of OpenSim with the same joints, coordinates and markers.

    Args:
        both: a tree of hinges, balls and universal joints.
    """
    import opensim

    world, model = both.world, opensim.Model()
    model.setGravity(opensim.Vec3(0.0))
    frames: dict[int, Any] = {-1: model.getGround()}
    for joint in both._structure.joints:
        row, other = joint.bodies[1], joint.bodies[0]
        assert not joint.reversed
        name = world.bodies[row].name.replace(" ", "")
        body = opensim.Body(name, 1.0, opensim.Vec3(0.0), opensim.Inertia(0.01))
        model.addBody(body)
        chain = opensim.SpatialTransform()
        turns, slides, names = 0, 3, []
        for letter, coordinate in PATTERNS[joint.kind]:
            axis = chain.updTransformAxis(slides if letter.isupper() else turns)
            slides, turns = slides + letter.isupper(), turns + letter.islower()
            names.append(f"{name}_{coordinate}")
            own = opensim.ArrayStr()
            own.append(names[-1])
            axis.setCoordinateNames(own)
            _give(axis, opensim.LinearFunction(1.0, 0.0))
            axis.setAxis(opensim.Vec3(*(float(letter.lower() == a) for a in "xyz")))
        # all axes want a function, and those of the three turns must be independent
        used = [letter.lower() for letter, _ in PATTERNS[joint.kind] if letter.islower()]
        rest = [letter for letter in "xyz" if letter not in used]
        for k in [*range(turns, 3), *range(slides, 6)]:
            letter = rest[k - turns] if k < 3 else "xyz"[k - 3]
            chain.updTransformAxis(k).setAxis(opensim.Vec3(*(float(letter == a) for a in "xyz")))
            _give(chain.updTransformAxis(k), opensim.Constant(0.0))
        places = [value for pose in (joint.frame_a, joint.frame_b) for value in _place(opensim, pose)]
        made = opensim.CustomJoint(f"{name}_joint", frames[other], *places[:2], body, *places[2:], chain)
        model.addJoint(made)
        frames[row] = body
    for marker in world.markers:
        assert marker.body is not None
        x, y, z = marker.local_position.tolist()  # frames of bodies are at centres of mass here
        own = marker.name.rpartition(":")[2]
        model.addMarker(opensim.Marker(own, frames[marker.body.index], opensim.Vec3(x, y, z)))
    model.finalizeConnections()
    for k in range(model.getCoordinateSet().getSize()):
        coordinate = model.updCoordinateSet().get(k)
        coordinate.setRangeMin(-10.0)
        coordinate.setRangeMax(10.0)
    return model


def opensim_tracks(
    both: "st.Articulation", data: "st.MarkerData", begin: np.ndarray, accuracy: float
) -> tuple[np.ndarray, float]:
    """Return coordinates (f, n) by OpenSim, and the time of a frame [s].

    Args:
        both: the person.
        data: the recording.
        begin: (n,) coordinates to begin with.
        accuracy: of its solver.
    """
    import opensim

    opensim.Logger.setLevelString("Off")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "walk.trc"
        data.save(file)
        model = opensim_model(both)
        state = model.initSystem()
        names, weights = list(data.names), opensim.SetMarkerWeights()
        for name in names:
            weights.cloneAndAppend(opensim.MarkerWeight(name, 1.0))
        reference = opensim.MarkersReference(str(file), weights, opensim.Units("m"))
        coordinates = opensim.SimTKArrayCoordinateReference()
        handles = _coordinates(both, model)
        for handle, value in zip(handles, begin.tolist(), strict=True):
            handle.setValue(state, value, False)
        solver = opensim.InverseKinematicsSolver(model, reference, coordinates, np.inf)
        solver.setAccuracy(accuracy)
        state.setTime(float(data.times[0]))
        solver.assemble(state)
        found = np.empty((len(data), len(handles)))
        clock = 0.0
        for k, moment in enumerate(data.times.tolist()):
            state.setTime(moment)
            start = time.process_time()
            solver.track(state)
            clock += time.process_time() - start
            found[k] = [handle.getValue(state) for handle in handles]
    return found, clock / len(data)


def _coordinates(both: "st.Articulation", model: Any) -> list[Any]:
    """Return the coordinates of OpenSim's model in the order of ours."""
    names = []
    for joint in both._structure.joints:
        name = both.world.bodies[joint.bodies[1]].name.replace(" ", "")
        names += [f"{name}_{coordinate}" for _, coordinate in PATTERNS[joint.kind]]
    return [model.getCoordinateSet().get(name) for name in names]


def opensim_forces(both: "st.Articulation", motion: "st.Motion") -> tuple[np.ndarray, float]:
    """Return forces on coordinates (f, n) by OpenSim's inverse dynamics, and the time of a call [s].

    Args:
        both: the person, whose gravity counts.
        motion: its motion.
    """
    import opensim

    model = opensim_model(both)
    model.setGravity(opensim.Vec3(*both.world.gravity.tolist()))
    state = model.initSystem()
    handles, solver = _coordinates(both, model), opensim.InverseDynamicsSolver(model)
    places = []  # of speeds in its state
    for handle in handles:
        for other in handles:
            other.setSpeedValue(state, 0.0)
        handle.setSpeedValue(state, 1.0)
        speeds = state.getU()
        places.append(int(np.argmax([speeds.get(k) for k in range(speeds.size())])))
    rates, changes = motion.rates(), motion.changes()
    found, clock = np.empty(motion.q.shape), 0.0
    for k in range(len(motion)):
        values = zip(handles, motion.q[k].tolist(), rates[k].tolist(), strict=True)
        for handle, value, speed in values:
            handle.setValue(state, value, False)
            handle.setSpeedValue(state, speed)
        wanted = opensim.Vector(len(handles), 0.0)
        for place, change in zip(places, changes[k].tolist(), strict=True):
            wanted.set(place, change)
        start = time.process_time()
        forces = solver.solve(state, wanted)
        clock += time.process_time() - start
        found[k] = [forces.get(place) for place in places]
    return found, clock / len(motion)


# ------------------------------------------------------------- figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table and return the exit code."""
    parser = argparse.ArgumentParser(prog="marker_tracking", description=__doc__.split("\n")[0])
    parser.add_argument("--opensim", action="store_true", help="let OpenSim follow the same markers")
    parser.add_argument("--frames", type=int, default=FRAMES, help="how many (300)")
    options = parser.parse_args(arguments)
    print(f"freedom markers {'':23}   frames/s  ms/frame  missed [mm]  angles off, rms [rad]")
    for freedom in (40, 75):
        both = person(freedom)
        motion, data = recorded(both, options.frames)
        st.track_markers(both, data.between(0.0, 0.05), motion.q[0])  # compiled
        begin = time.process_time()
        found = st.track_markers(both, data, motion.q[0])
        span = (time.process_time() - begin) / len(data)
        _print(both, data, motion, found.q, span, "stoss")
        if options.opensim:
            for accuracy in OPENSIM_ACCURACIES:
                q, span = opensim_tracks(both, data, motion.q[0], accuracy)
                _print(both, data, motion, q, span, f"OpenSim, accuracy {accuracy:g}")
                print(f"{'':37} apart from stoss: {np.abs(q - found.q).max():.1e} rad or m at most")
            both.world.gravity = (0.0, 0.0, -9.81)
            motion.cut(0.0, 0.05).forces(both)  # compiled
            begin = time.process_time()
            forces = motion.forces(both)
            span = (time.process_time() - begin) / len(motion)
            others, other_span = opensim_forces(both, motion)
            print(
                f"{'':15} inverse dynamics: stoss {1e6 * span:.0f} us, OpenSim {1e6 * other_span:.0f} us, "
                f"apart by {np.abs(others - forces).max():.1e} of {np.abs(forces).max():.3g} N m or N at most"
            )
    return 0


def _print(both: Any, data: Any, motion: Any, q: np.ndarray, span: float, who: str) -> None:
    seen = st.record_markers(both, st.Motion(both.coordinates, data.times, q))
    missed = np.sqrt(((seen.positions - data.positions) ** 2).sum(axis=2).mean())
    off = np.sqrt(((q - motion.q)[:, 3:] ** 2).mean())
    print(
        f"{len(both):7d} {len(data.names):7d} {who:23} {1.0 / span:10.0f} {1e3 * span:9.2f} "
        f"{1e3 * missed:12.3f} {off:12.2e}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
