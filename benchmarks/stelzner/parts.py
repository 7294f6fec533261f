"""Parts of people that swing: a shank on each knee, an arm on its shoulder girdle, a spine on its sacrum."""

import numpy as np

import stoss as st
from stoss.engine.humans import MALE
from stoss.engine.humans.levels import add_girdle, add_knee, add_spine
from stoss.engine.humans.levels.bones import Bones, properties_of
from stoss.engine.humans.levels.shoulders import add_rhythm

SHOULDER = (0.0, -0.18725, -0.01)


def shank(kind, time_step=1e-3, **settings):
    """Return a shank on a thigh that stands still, so inclined that it swings about 60 degrees from 100."""
    down = np.radians(60.0)
    gravity = -9.81 * np.sin(down), 0.0, -9.81 * np.cos(down)
    world = st.World(gravity=gravity, time_step=time_step, settings=st.Settings(**settings))
    body = world.add_body(mass_properties=properties_of(MALE.shank), name="shank")
    add_knee(world, kind, None, body, (0, 0, 0))
    both = st.Articulation(world)
    q = both.q
    for flexion in range(0, 101, 10):
        q[-1] = np.radians(flexion)
        q, _ = both.assemble(q)
    both.set_state(q)
    return world


def arm(time_step=1e-3, gravity=2.0, stiffness=3.0, damping=0.05, coupled=False, **settings):
    """Return an arm on clavicle and shoulder blade, which springs hold, that is let go from the side.

    If it is `coupled`, they follow the arm.
    """
    world = st.World(gravity=(0, 0, -gravity), time_step=time_step, settings=st.Settings(**settings))
    bones = Bones(world, coupled=coupled)
    bones.bodies["thorax"] = world.add_body(kind="static", name="thorax")
    blade = add_girdle(bones, "right", -1.0, "thorax", np.zeros(3), np.array(SHOULDER))
    bones.add("arm", SHOULDER, properties_of(MALE.upper_arm))
    bones.join("right shoulder", st.Ball(SHOULDER), blade, "arm")
    for name in ("angle_1", "angle_2"):
        bones.joints["right sternoclavicular"].spring(stiffness, damping, coordinate=name)
    for axis in "xyz":
        blades = bones.joints["right acromioclavicular"]
        blades.spring(stiffness, damping, coordinate=f"rotation {axis}")
    if coupled:
        add_rhythm(bones, "right", -1.0)
    both = st.Articulation(world)
    q = both.q
    q[both.index("right shoulder.x")], q[both.index("right shoulder.y")] = -0.8, -0.4
    if coupled:
        q, _ = both.assemble(q)
    both.set_state(q)
    return world


def spine(kind, time_step=1e-3, coupled=False, **settings):
    """Return a spine on a pelvis that stands still, held by springs in all its joints, that is pushed.

    If it is `coupled`, the vertebrae follow one of the back and one of the neck.
    """
    world = st.World(time_step=time_step, settings=st.Settings(**settings))
    bones = Bones(world, coupled=coupled)
    bones.bodies["pelvis"] = world.add_body(kind="static", name="pelvis")
    add_spine(bones, MALE, kind, np.zeros(3), limits=False)
    for name, joint in bones.joints.items():
        if isinstance(joint.kind, st.Ball):
            trunk = name[0] in "LT" or name in ("lumbar", "thorax")
            for axis in "xyz":
                stiffness, damping = (200.0, 2.0) if trunk else (60.0, 0.5)
                joint.spring(stiffness, damping, coordinate=f"rotation {axis}")
        else:
            for coordinate in joint.coordinates:
                joint.spring(30.0, 0.3, coordinate=coordinate)
    both = st.Articulation(world)
    rates = np.zeros(len(both))
    rates[both.index(f"{'lumbar' if kind == 'three bodies' else 'L5'}.y")] = 1.0
    rates[both.index(f"{'lumbar' if kind == 'three bodies' else 'L5'}.x")] = 0.6
    both.set_state(both.q, rates)
    return world
