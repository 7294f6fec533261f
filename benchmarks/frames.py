"""How long a picture takes: `python -m stoss.benchmarks.frames`.

Boxes, balls, capsules and cylinders in random turns fill a cube above the ground. Each picture is waited for.
Where it is drawn in software, the processor time says more than the clock when others use the machine.
"""

import argparse
import time

import numpy as np

from stoss.collision import Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from stoss.docstrings import first_line
from stoss.viewer.drawing.camera import Camera
from stoss.viewer.drawing.context import ensure_context, renderer_name
from stoss.viewer.drawing.framing import scene_points
from stoss.viewer.drawing.gl import Framebuffer, gl
from stoss.viewer.drawing.quality import QUALITIES
from stoss.viewer.drawing.renderer import Renderer
from stoss.viewer.world.frames import Description, Frame

__all__ = ["main", "measure", "pile"]

_SHAPES: tuple[Shape, ...] = (Box((0.8, 0.8, 0.8)), Sphere(0.4), Capsule(0.3, 0.5), Cylinder(0.4, 0.8))


def pile(count: int) -> tuple[Description, Frame]:
    """Return ground and so many bodies of four shapes."""
    rng = np.random.default_rng(0)
    side = int(np.ceil(count ** (1.0 / 3.0)))
    k = np.arange(count)
    places = 1.2 * np.stack([k % side, k // side % side, k // side**2], axis=1) + 0.6
    turns = rng.normal(size=(count, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    level = np.array([[1.0, 0.0, 0.0, 0.0]])
    description = Description(
        names=("ground", *(f"body {number}" for number in range(count))),
        kinds=("static",) + ("dynamic",) * count,
        masses=np.ones(count + 1),
        inertias=np.ones((count + 1, 3)),
        shapes=(HalfSpace(), *(_SHAPES[number % 4] for number in range(count))),
        shape_body=np.arange(count + 1),
        shape_position=np.zeros((count + 1, 3)),
        shape_quaternion=np.repeat(level, count + 1, axis=0),
    )
    frame = Frame(0.0, 0, np.vstack([np.zeros((1, 3)), places]), np.vstack([level, turns]))
    return description, frame


def measure(count: int, quality: str, size: tuple[int, int], repeat: int) -> tuple[float, float]:
    """Return the least time and processor time of a picture [s].

    Args:
        count: number of bodies.
        quality: level.
        size: of the picture [pixels].
        repeat: pictures drawn, after one that compiles the shaders.
    """
    description, frame = pile(count)
    renderer, target = Renderer(description, quality), Framebuffer(size, (gl.GL_RGBA8,))
    camera = Camera()
    camera.fit(scene_points(description, frame), size)
    times = []
    for _ in range(repeat + 1):
        target.bind()
        begin, begin_cpu = time.perf_counter(), time.process_time()
        renderer.draw(frame, camera, size)
        gl.glFinish()
        times.append((time.perf_counter() - begin, time.process_time() - begin_cpu))
    renderer.delete()
    target.delete()
    clock, cpu = (min(values) for values in zip(*times[1:], strict=True))
    return clock, cpu


def main() -> None:
    """Print a table of times."""
    parser = argparse.ArgumentParser(
        prog="python -m stoss.benchmarks.frames", description=first_line(__name__)
    )
    parser.add_argument("--bodies", type=int, nargs="+", default=[10, 1000, 5000], metavar="N")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="pictures; the fastest counts")
    options = parser.parse_args()
    ensure_context()
    size = (1280, 720)
    print(f"{renderer_name()}, {size[0]} x {size[1]} pixels")
    print(f"{'bodies':>8}  {'quality':<8}  {'ms':>8}  {'processor ms':>12}")
    for count in options.bodies:
        for quality in QUALITIES:
            clock, cpu = measure(count, quality, size, options.repeat)
            print(f"{count:>8}  {quality:<8}  {1e3 * clock:>8.1f}  {1e3 * cpu:>12.1f}", flush=True)


if __name__ == "__main__":
    main()
