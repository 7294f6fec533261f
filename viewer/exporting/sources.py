"""What a motion is made of: a world that is advanced, a motion or a session in a file, or a scene."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoss.collision.plain_numbers import shown
from stoss.engine.recording import Recorder
from stoss.viewer.exporting.motion import Collector, Motion, motion_of_trajectory

if TYPE_CHECKING:
    from stoss.engine import World
    from stoss.viewer.world.session import Session

__all__ = ["motion_of", "motion_of_session", "motion_of_world"]

_WORLD_DURATION = 5.0  # [s]


def motion_of(
    source: Any, duration: float | None, fps: float, title: str | None, channels: Sequence[str] = ()
) -> Motion:
    """Return the motion of any source; see `stoss.viewer.export`.

    Raises:
        TypeError: it is no source.
        ValueError: there is no such scene, file or channel, it cannot be read, or has a duration of its own.
    """
    from stoss.engine import World
    from stoss.scenes.running.trajectory import Trajectory

    if isinstance(source, World):
        length = _WORLD_DURATION if duration is None else duration
        motion = motion_of_world(source, length, fps, channels=channels)
    elif isinstance(source, Trajectory):
        _all_of(duration, channels)
        motion = motion_of_trajectory(source, fps)
    elif isinstance(source, str | Path):
        motion = _of_name(str(source), duration, fps, channels)
    else:
        raise TypeError(
            f"source = {shown(source)} must be a World, a motion, the name of a scene, or that of a file"
        )
    return motion if title is None else replace(motion, title=title)


def _of_name(name: str, duration: float | None, fps: float, channels: Sequence[str]) -> Motion:
    from stoss.scenes.registry import find_scene
    from stoss.scenes.running.trajectory import load_trajectory
    from stoss.viewer.world.session import load_session

    path = Path(name)
    if path.suffix not in (".npz", ".json"):
        scene = find_scene(name)
        length = scene.duration if duration is None else duration
        return motion_of_world(scene.build(), length, fps, channels=channels).of_scene(name)
    if not path.is_file():
        raise ValueError(f"there is no file {path}; stoss run SCENE --save {path.stem}.npz writes a motion")
    _all_of(duration, channels)
    if path.suffix == ".json":
        return replace(motion_of_session(load_session(path), fps), title=path.stem)
    return replace(motion_of_trajectory(load_trajectory(path), fps), title=path.stem)


def _all_of(duration: float | None, channels: Sequence[str]) -> None:
    if channels:
        raise ValueError(
            f"channels = {shown(list(channels))}: they are read of a world that runs, not of a file"
        )
    if duration is not None:
        raise ValueError(f"duration = {duration:g}: a recorded motion has its own; leave it out")


def motion_of_world(
    world: "World",
    duration: float,
    fps: float,
    after_step: "Callable[[], None] | None" = None,
    channels: Sequence[str] = (),
) -> Motion:
    """Advance a world and return its motion.

    Args:
        world: the world.
        duration: simulated time [s].
        fps: samples per simulated second.
        after_step: is called after each step.
        channels: names and patterns of what is recorded meanwhile.

    Raises:
        ValueError: there is no such channel.
        SimulationError: see `World.step`.
    """
    recorder = Recorder(world, channels, model=False, snapshot=False) if channels else None
    collector = Collector(world, fps)
    for _ in range(round(duration / world.time_step)):
        world.step()
        collector.after_step(world)
        if after_step is not None:
            after_step()
    collector.add(world)
    motion = collector.motion
    return motion if recorder is None else replace(motion, channels=recorder.close())


def motion_of_session(session: "Session", fps: float) -> Motion:
    """Carry out a session again and return its motion.

    Raises:
        SimulationError: see `World.step`.
    """
    stage = session.source.stage()
    world = stage.world
    collector = Collector(world, fps)
    world.after_step.append(collector.after_step)
    stage.replay(session.log, session.steps)
    collector.add(world)
    return collector.motion.of_scene(session.scene)
