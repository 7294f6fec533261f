"""What observer and ledger cost, and how that closes: python -m stoss.benchmarks.specker.costs.

Specker 2016 needed less than a millisecond for a sample of his observer, on a processor of 500 MHz.
"""

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["balance", "cubes", "main", "observer_cost"]

SAMPLES = 200  # of the observer, one by one from Python


def observer_cost(repeats: int = 5) -> tuple[float, float]:
    """Return the processor time [s] of a sample of S3: in a whole recording, and one by one from Python.

    Args:
        repeats: of which the least counts.
    """
    from stoss.benchmarks.specker import gait_trainer as leg
    from stoss.benchmarks.specker.worlds import leg_observer

    inputs, _, seen = leg.twin(1)
    observer = leg_observer(leg.leg_rates_s3, 6)
    observer.run(seen, inputs)  # compiled
    whole = single = np.inf
    for _ in range(repeats):
        start = time.process_time()
        observer.run(seen, inputs)
        middle = time.process_time()
        for k in range(SAMPLES):
            observer.update(seen[k], inputs[k])
        whole = min(whole, (middle - start) / len(seen))
        single = min(single, (time.process_time() - middle) / SAMPLES)
    return whole, single


def cubes(count: int) -> "World":
    """Return cubes with spheres at their corners that fall on a floor, side by side, in steps of 1 ms."""
    import stoss as st

    world = st.World(time_step=1e-3)
    law = st.RestrictionContact(400.0, 1e-3, 0.3)
    surface = st.Material(friction=0.25, static_friction=0.3, contact_law=law)
    world.add_body(st.HalfSpace(), kind="static", material=surface)
    corners = [
        st.Placed(st.Sphere(0.002), p) for p in 0.05 * (2.0 * np.indices((2, 2, 2)).reshape(3, 8).T - 1.0)
    ]
    own = st.MassProperties(0.1, np.zeros(3), np.full(3, 0.1 * 0.01 / 6.0), np.eye(4)[0])
    for k in range(count):
        world.add_body(
            corners,
            position=(0.3 * (k % 10), 0.3 * (k // 10), 0.3),
            angular_velocity=(10.0, 1.0, 0.0),
            mass_properties=own,
            material=surface,
        )
    return world


def balance(steps: int) -> tuple[float, float, float]:
    """Return by what share of the energy the ledger is open, in a step and in all; and time per step [s].

    Ten cubes, which are thrown up again every second.

    Args:
        steps: of 1 ms.
    """
    world = cubes(10)
    world.step()
    first, worst, gap, scale = world.report.energy, 0.0, 0.0, abs(world.report.energy)
    begin, start = first, time.process_time()
    for k in range(steps):
        if k % 1000 == 999:
            for body in world.bodies[1:]:
                body.velocity, body.angular_velocity = (0.0, 0.0, 2.0), (10.0, 1.0, 0.0)
            begin = world.report.energy
        report = world.step()
        off = report.energy - begin - report.ledger.change
        begin, gap, worst = report.energy, gap + off, max(worst, abs(off))
    return worst / scale, abs(gap) / scale, (time.process_time() - start) / steps


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--steps", type=int, default=100_000, help="over which the ledger is watched")
    steps = parser.parse_args(arguments).steps
    whole, single = observer_cost()
    print(f"observer S3, a sample: {1e6 * whole:.0f} us in a recording, {1e6 * single:.0f} us from Python")
    cubes(1).step(700)  # compiled
    for count in (1, 10, 100):
        world = cubes(count)
        world.step(200)
        start = time.process_time()
        world.step(500)
        print(f"{count} cubes at 1 ms: {0.5 / (time.process_time() - start):.2f} times real time")
    worst, gap, spent = balance(steps)
    print(f"ledger of 10 cubes: {worst:.1e} in a step, {gap:.1e} in {steps}; {1e6 * spent:.0f} us each")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
