"""Robots in generalised coordinates, beside Pinocchio: how far apart, and how long a call takes.

    python -m stoss.benchmarks.studies.pinocchio_robots FOLDER

reads all URDF files below a folder, for instance those of the package example-robot-data. Inertias that no
body has are mended as robots are imported (`Model.left_out` tells); there, both differ by what was mended.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["main"]

POSES = 5


def _time(call: Callable[[], Any]) -> float:
    """Return how long a call takes [us]: the shortest of five runs of fifty."""
    found = []
    for _ in range(5):
        begin = time.process_time()
        for _ in range(50):
            call()
        found.append((time.process_time() - begin) / 50)
    return 1e6 * min(found)


def _apart(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(float(np.abs(wanted).max()), 1e-12))


def compare(file: Path) -> str:
    """Return a line on one robot.

    Args:
        file: a URDF file.
    """
    import pinocchio as pin

    from stoss.engine.articulated import Articulation
    from stoss.engine.exchange import import_model

    robot = import_model(file, missing="skip", fixed_base=True)
    mended = sum("inertia" in line for line in map(str, robot.left_out))
    bare = tuple(body.replace(shapes=(), display=()) for body in robot.bodies)
    ours = Articulation(robot.replace(bodies=bare).build())
    model = pin.buildModelFromUrdf(str(file), mimic=True)
    data = model.createData()
    places = {name: model.joints[k].idx_v for k, name in enumerate(model.names)}
    if not len(ours) or len(ours) != model.nv or not all(name in places for name in ours.coordinates):
        return f"{file.stem:<32} other coordinates: {len(ours)} and {model.nv}"
    order = np.array([places[name] for name in ours.coordinates], np.int64)
    rng, worst = np.random.default_rng(1), np.zeros(4)
    for _ in range(POSES):
        away, v, a, torques = rng.uniform(-1.0, 1.0, (4, model.nv))
        pq = pin.integrate(model, pin.neutral(model), away)
        q, rates, changes = away[order], v[order], a[order]
        matrix = pin.crba(model, data, pq)
        matrix = (np.triu(matrix) + np.triu(matrix, 1).T)[np.ix_(order, order)]
        apart = (
            _apart(ours.mass_matrix(q), matrix),
            _apart(ours.inverse_dynamics(q, rates, changes), pin.rnea(model, data, pq, v, a)[order]),
            _apart(
                ours.forward_dynamics(q, rates, torques[order]), pin.aba(model, data, pq, v, torques)[order]
            ),
            _apart(ours.center_of_mass_jacobian(q), pin.jacobianCenterOfMass(model, data, pq)[:, order]),
        )
        worst = np.maximum(worst, apart)
    times = (
        (lambda: ours.mass_matrix(q), lambda: pin.crba(model, data, pq)),
        (lambda: ours.inverse_dynamics(q, rates, changes), lambda: pin.rnea(model, data, pq, v, a)),
        (
            lambda: ours.forward_dynamics(q, rates, torques[order]),
            lambda: pin.aba(model, data, pq, v, torques),
        ),
    )
    calls = "  ".join(f"{_time(own):5.0f} {_time(other):5.1f}" for own, other in times)
    note = f"  {mended} inertias mended" if mended else ""
    return f"{file.stem:<32}{model.nv:>4}  " + "  ".join(f"{x:8.1e}" for x in worst) + f"  {calls}{note}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each robot."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.studies.pinocchio_robots", description=__doc__
    )
    parser.add_argument("folder", type=Path, help="where URDF files are, or one such file")
    options = parser.parse_args(arguments)
    files = [options.folder] if options.folder.is_file() else sorted(options.folder.rglob("*.urdf"))
    if not files:
        parser.error(f"{options.folder}: no URDF files")
    print(
        f"{'robot':<32}  n  {'mass':>8}  {'inverse':>8}  {'forward':>8}  {'centre':>8}"
        f"  {'mass':>11}  {'inverse':>11}  {'forward':>11}  [us, ours and Pinocchio's]"
    )
    for file in files:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                print(compare(file), flush=True)
            except ValueError as error:
                print(f"{file.stem:<32} {str(error).splitlines()[0][:140]}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
