"""Table 5.1 and section 4.6 of the thesis: a thousand cubes, counts of contacts and processor times."""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from stoss.benchmarks.thesis_tables.contacts import Row, thesis_rules
from stoss.scenes.registry import find_scene
from stoss.scenes.running.compilation import CompileWatch

if TYPE_CHECKING:
    from stoss.engine import World

__all__ = ["TABLES", "Crowd", "watch_crowd"]

CUBES = 1000
FUNNEL_SECONDS = 8.0
DROP_STEP, DROP_SECONDS = 0.01, 5.0  # not stated in the thesis
RESOLUTION = ("correct", "separate", "settle")  # stages that solve
# Table 5.1: most and average number of collisions and of contacts, and times of their resolution [ms]
FUNNEL_THESIS = {"most": (332, 2813, 61.02, 69.87), "average": (38, 879, 2.02, 10.02)}
COLLISION_THESIS = 0.047  # ms for one collision
MANY, MANY_THESIS = 500, 25.0  # collisions, and ms for all of them
NEAR = 0.1  # steps whose number of collisions differs from MANY by no more than this share are taken


@dataclass
class Crowd:
    """Figures of every step of a run.

    Attributes:
        collisions: contact points whose surfaces met faster than the resting speed.
        contacts: contact points that touch.
        pairs: pairs of bodies that touch.
        step_ms: processor time of the step.
        detect_ms, resolution_ms: of the stage that detects collisions and of those that solve, by their share
            of the clock.
    """

    collisions: list[int] = field(default_factory=list)
    contacts: list[int] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)
    step_ms: list[float] = field(default_factory=list)
    detect_ms: list[float] = field(default_factory=list)
    resolution_ms: list[float] = field(default_factory=list)


def watch_crowd(build: Callable[[], "World"], steps: int) -> Crowd:
    """Build a world twice, to load the kernels and to watch its steps, and return the figures.

    Args:
        build: builds the world.
        steps: number of steps.
    """
    build().step(2)
    world = build()
    crowd = Crowd()
    with CompileWatch() as watch:
        for _ in range(steps):
            ready, begin = watch.ready_cpu_seconds, time.thread_time()
            world.step()
            spent = time.thread_time() - begin - (watch.ready_cpu_seconds - ready)
            report = world.report
            stages = report.stage_times
            share = spent / sum(stages.values())
            approach = world._stepper.system.frames.approach
            crowd.collisions.append(int((approach > world.settings.resting_speed).sum()))
            crowd.contacts.append(report.touching_count)
            crowd.pairs.append(len(world.events.begin) + len(world.events.persist))
            crowd.step_ms.append(1e3 * spent)
            crowd.detect_ms.append(1e3 * share * stages.get("detect", 0.0))
            crowd.resolution_ms.append(1e3 * share * sum(stages.get(name, 0.0) for name in RESOLUTION))
    return crowd


def funnel_table(options: argparse.Namespace) -> list[Row]:
    """Table 5.1: unit cubes through a funnel, e = 0.8 and mu = 0.05 per body."""
    h, bodies = options.time_step, options.bodies or CUBES
    seconds = min(options.duration or FUNNEL_SECONDS, FUNNEL_SECONDS)

    def build() -> "World":
        return find_scene("funnel").build(
            bodies=bodies, shapes="thesis", time_step=h, settings=thesis_rules()
        )

    crowd = watch_crowd(build, round(seconds / h))
    lines: list[Row] = []
    for name, figure in (("most", np.max), ("average", np.mean)):
        collisions, contacts, collision_ms, contact_ms = FUNNEL_THESIS[name]
        lines.append(
            {
                "figure": name,
                "collisions": round(float(figure(crowd.collisions)), 1),
                "thesis collisions": collisions,
                "contacts": round(float(figure(crowd.contacts)), 1),
                "thesis contacts": contacts,
                "resolution ms": float(figure(crowd.resolution_ms)),
                "thesis collisions ms": collision_ms,
                "thesis contacts ms": contact_ms,
                "detection ms": float(figure(crowd.detect_ms)),
                "step ms": float(figure(crowd.step_ms)),
            }
        )
    return lines


def detection_table(options: argparse.Namespace) -> list[Row]:
    """Section 4.6: detection of collisions among cubes that fall on the ground; pairs of bodies."""
    seconds = min(options.duration or DROP_SECONDS, DROP_SECONDS)
    bodies = options.bodies or CUBES
    crowd = watch_crowd(
        lambda: find_scene("drop").build(bodies=bodies, time_step=DROP_STEP), round(seconds / DROP_STEP)
    )
    pairs, times = np.array(crowd.pairs), np.array(crowd.detect_ms)
    some, many = pairs > 0, np.abs(pairs - MANY) <= NEAR * MANY
    return [
        {
            "figure": "one collision",
            "collisions": 1,
            "contacts": float(np.sum(crowd.contacts) / max(pairs.sum(), 1)),
            "ms": float(times[some].sum() / max(pairs[some].sum(), 1)),
            "thesis ms": COLLISION_THESIS,
        },
        {
            "figure": f"steps of {MANY} collisions",
            "collisions": float(pairs[many].mean()) if many.any() else None,
            "contacts": float(np.array(crowd.contacts)[many].mean()) if many.any() else None,
            "ms": float(times[many].mean()) if many.any() else None,
            "thesis ms": MANY_THESIS,
        },
        {
            "figure": "slowest step",
            "collisions": int(pairs[times.argmax()]),
            "contacts": crowd.contacts[int(times.argmax())],
            "ms": float(times.max()),
            "thesis ms": None,
        },
    ]


TABLES: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "funnel": funnel_table,
    "detection": detection_table,
}
