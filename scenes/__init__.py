"""Ready-made worlds, shared by the command line, the tests, the benchmarks and the viewer.

    >>> from scenes import SCENES
    >>> world = SCENES["stack"].build(bodies=20)
    >>> report = world.step(100)

Importing this package is cheap: the engine and its kernels are loaded when a world is built.
"""

from scenes.registry import SCENES, Parameter, Scene, find_scene, scene

# Each module registers its scenes, in the order in which they are listed.
# isort: off
from scenes import drop, stack, pyramid, wall, funnel, pile, incline, bounce, spin  # noqa: F401
from scenes import chain, tree, net, loops, four_bar, slider_crank, bricard, closed_chain, gyroscope  # noqa: F401
from scenes import crane, robot_arm, bridge, cradle, thesis_stops, ragdoll  # noqa: F401
from scenes import braking, tippe_top, celt  # noqa: F401
from scenes import arch, dominoes, card_house, jenga, heavy_on_light, mass_ratio_pyramids  # noqa: F401
from scenes import rope_over_cylinder, frame_hit, washer, bullet, wall_hit  # noqa: F401
# isort: on

__all__ = ["SCENES", "Parameter", "Scene", "find_scene", "scene"]
