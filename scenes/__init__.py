"""Ready-made worlds, shared by the command line, the tests, the benchmarks and the viewer.

    >>> from stoss.scenes import SCENES
    >>> world = SCENES["stack"].build(bodies=20)
    >>> report = world.step(100)

Importing this package is cheap: the engine and its kernels are loaded when a world is built.
"""

from stoss.dependencies import require

require(__name__)

from stoss.scenes.building.sticks import stick_figure
from stoss.scenes.registry import SCENES, Parameter, Scene, find_scene, let_plugins_in, scene

# Each module registers its scenes, in the order in which they are listed.
# isort: off
from stoss.scenes.piles import drop  # noqa: F401
from stoss.scenes.stacks import stack, pyramid, wall  # noqa: F401
from stoss.scenes.piles import funnel, pile  # noqa: F401
from stoss.scenes.friction import incline  # noqa: F401
from stoss.scenes.impacts import bounce  # noqa: F401
from stoss.scenes.mechanisms import (  # noqa: F401
    spin,
    chain,
    tree,
    net,
    loops,
    four_bar,
    slider_crank,
    bricard,
    closed_chain,
    gyroscope,
    crane,
    robot_arm,
    arm_with_drill,
    bridge,
    double_pendulum,
    gait_trainer_leg,
    observer,
)
from stoss.scenes.impacts import cradle  # noqa: F401
from stoss.scenes.mechanisms import thesis_stops, ragdoll, walk  # noqa: F401
from stoss.scenes.people import mocap_playback  # noqa: F401
from stoss.scenes.people import knees, shoulder_girdle, spine_bend, hand_grasp_pose  # noqa: F401
from stoss.scenes.people import ik_playground, identify_from_markers, retarget_dishwasher  # noqa: F401
from stoss.scenes.friction import braking, stick_slip, tippe_top, celt  # noqa: F401
from stoss.scenes.stacks import arch  # noqa: F401
from stoss.scenes.impacts import dominoes  # noqa: F401
from stoss.scenes.stacks import card_house, jenga, heavy_on_light, mass_ratio_pyramids  # noqa: F401
from stoss.scenes.friction import rope_over_cylinder  # noqa: F401
from stoss.scenes.impacts import frame_hit  # noqa: F401
from stoss.scenes.piles import washer  # noqa: F401
from stoss.scenes.impacts import bullet, wall_hit  # noqa: F401
from stoss.scenes.impacts import bouncing_sphere, tumbling_cube, breakthrough  # noqa: F401
from stoss.scenes.mechanisms import double_pendulum_floor  # noqa: F401
# isort: on

let_plugins_in()

__all__ = ["SCENES", "Parameter", "Scene", "find_scene", "scene", "stick_figure"]
