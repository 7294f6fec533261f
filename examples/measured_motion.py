"""A recording of markers becomes a model, a motion of it, and the torques that it took.

python examples/measured_motion.py        prints what was found
python examples/measured_motion.py show   shows the motion with its markers in a window
"""

import sys

import numpy as np

import stoss as st


def made_up_recording() -> st.MarkerData:
    """Return what cameras would see of a leg that hangs from a bench and kicks, four markers on each bone."""
    world, rng = st.World(), np.random.default_rng(0)
    thigh = world.add_body(st.Capsule(0.07, 0.3), position=(0, 0, 0.8), name="thigh")
    shank = world.add_body(st.Capsule(0.05, 0.35), position=(0, 0, 0.38), name="shank")
    world.add_joint(st.Ball((0, 0, 1.0)), None, thigh, name="hip")
    world.add_joint(st.Hinge((0, 0, 0.6), (0, 1, 0)), thigh, shank, name="knee")
    for body in (thigh, shank):
        for k in range(4):
            world.add_marker(f"{body.name} {k}", body, position=rng.uniform(-0.1, 0.1, 3))
    leg, times = st.Articulation(world), np.arange(0.0, 2.0, 0.01)
    q = np.outer(np.sin(2 * np.pi * times), (0.1, -0.5, 0.2, 0.6)) + (0, 0, 0, 0.7)
    return st.record_markers(leg, st.Motion(leg.coordinates, times, q), noise=0.001)


data = made_up_recording().smoothed(10.0)  # or st.load_markers("kick.c3d")
bones = {name: [f"{name} {k}" for k in range(4)] for name in ("thigh", "shank")}
found = st.identify_model(data, bones, [("thigh", "shank")])
knee = found.joint("thigh", "shank")
print(f"the knee is a {knee.what}, which moves markers by {1e3 * knee.residual:.1f} mm")

world = found.build()  # bodies, the joint and the markers
world.body("thigh").mass, world.body("shank").mass = 8.0, 4.0  # as far as one knows
leg = st.Articulation(world)
motion = st.track_markers(leg, data)
print(f"{motion}, markers missed by {1e3 * motion.residual:.1f} mm")
motion.save("kick.npz")
st.save_bvh("kick.bvh", leg, motion)

torques = motion.smoothed(6.0).forces(leg)[:, leg.index("thigh - shank")]
print(f"torque of the knee: {torques.min():.1f} to {torques.max():.1f} N m")

if sys.argv[1:] == ["show"]:
    st.show(world, draw=st.MotionView(leg, motion, data))
