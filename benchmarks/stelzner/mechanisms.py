"""Mechanisms of which the motion is known, the numbers by the equations of Stelzner 2008."""

import numpy as np
from scipy.optimize import fsolve

import stoss as st

# Crossed rods of a knee [mm]: A and C on the femur, B and D on the tibia, of lengths 35 and 28.
A = 6.5 * np.array([-np.sin(np.radians(40)), np.cos(np.radians(40))])
C = -A
B, D = np.array([8.0, 0.0]), np.array([-8.0, 0.0])
RODS = 35.0, 28.0


def double_pendulum(time_step=1e-3, **settings):
    """Return two rods of 1 m and 1 kg, level and at rest (B03)."""
    world = st.World(time_step=time_step, settings=st.Settings(**settings))
    last = None
    for k in range(2):
        rod = world.add_body(
            mass_properties=st.from_values(1.0, np.diag([1e-3, 1 / 12, 1 / 12]), (0.5, 0, 0)),
            position=(k, 0, 0),
        )
        world.add_joint(st.Hinge((k, 0, 0), (0, 1, 0)), last, rod, name=f"q{k + 1}")
        last = rod
    return world


def four_bar(time_step=1e-3, **settings):
    """Return crank, coupler and rocker; the crank is upright (B04). The joint "closing" closes the loop."""
    world = st.World(gravity=(0, -9.81, 0), time_step=time_step, settings=st.Settings(**settings))
    crank, coupler = 0.5 * np.pi, np.radians(90 - 66.433360014)
    rocker = np.radians(101.541940806)
    tip = np.array([0.0, 0.5])
    ends = {
        "crank": (np.zeros(2), crank, 0.5),
        "coupler": (tip, coupler, 1.2),
        "rocker": (np.array([1.3, 0.0]), rocker, 1.0),
    }
    bars = {}
    for name, (start, angle, length) in ends.items():
        bars[name] = world.add_body(
            mass_properties=st.from_values(
                length, np.diag([1e-4, length**3 / 12, length**3 / 12]), (0.5 * length, 0, 0)
            ),
            position=(*start, 0.0),
            quaternion=st.rotation.from_axis_angle((0, 0, 1), angle),
            name=name,
        )
    z = (0, 0, 1)
    world.add_joint(st.Hinge((0, 0, 0), z), None, bars["crank"], name="crank")
    world.add_joint(st.Hinge((*tip, 0), z), bars["crank"], bars["coupler"], name="coupler")
    world.add_joint(st.Hinge((1.3, 0, 0), z), None, bars["rocker"], name="rocker")
    end = 1.3 + np.cos(rocker), np.sin(rocker), 0.0
    world.add_joint(st.Hinge(end, z), bars["rocker"], bars["coupler"], name="closing")
    return world


def knee_place(flexion):
    """Return where the middle of BD is [m] at a flexion [rad], in the femur's frame."""
    turn = np.array([[np.cos(flexion), np.sin(flexion)], [-np.sin(flexion), np.cos(flexion)]])
    b, d = turn @ B, turn @ D
    return 1e-3 * fsolve(
        lambda p: (np.hypot(*(p + b - A)) - RODS[0], np.hypot(*(p + d - C)) - RODS[1]),
        (-2.7 - 26.0 * np.sin(0.66 * flexion), -28.7 + 10.0 * flexion),
        xtol=1e-13,
    )


def knee_curves(step=5):
    """Return how the tibia is along x and y [m] over the flexion [rad], as curves."""
    flexion = np.radians(np.arange(0, 131, step))
    places = np.array([knee_place(at) for at in flexion])
    return [st.Curve(np.stack([flexion, places[:, k]], axis=1)) for k in range(2)]


def knee(kind, time_step=1e-3, flexion=0.5 * np.pi, **settings):
    """Return a shank that hangs from a fixed thigh by a knee (B02).

    The kind is "hinge", "spline", "custom" or "four-bar". It is let go at a flexion [rad]; the coordinate
    is the flexion, for "custom" its negative.
    """
    world = st.World(gravity=(0, -9.81, 0), time_step=time_step, settings=st.Settings(**settings))
    place = knee_place(flexion)
    shank = world.add_body(
        mass_properties=st.from_values(3.243, 0.04622806 * np.eye(3), (0.0, -0.19144, 0.0)),
        position=(*knee_place(0.0), 0.0),
        name="shank",
    )
    back, forward = (0, 0, -1), (1, 0, 0)
    if kind == "hinge":
        world.add_joint(st.Hinge(shank.position, back), None, shank, name="knee")
    elif kind == "spline":
        x, y = knee_curves()
        # about -z the y of the joint is the world's -y
        mirrored = [(at, -value, -slope) for at, value, slope in y.knots]
        joint = st.SplineJoint((0, 0, 0), back, x, mirrored, second_point=shank.position, x_axis=forward)
        world.add_joint(joint, None, shank, name="knee")
    elif kind == "custom":
        x, y = ([(-at, value) for at, value, _ in curve.knots[::-1]] for curve in knee_curves())
        led = st.CustomJoint(
            (0, 0, 0), ("turn_z", x), ("turn_z", y), turn_z=None, second_point=shank.position
        )
        world.add_joint(led, None, shank, name="knee")
    else:
        world.add_joint(st.Planar(shank.position, back, x_axis=forward), None, shank, name="knee")
        for name, far, near in (("front rod", A, B), ("rear rod", C, D)):
            high, low = ((*end, 0.0) for end in (1e-3 * far, shank.position[:2] + 1e-3 * near))
            world.add_joint(st.Distance(high, low), None, shank, name=name)
    shank.position = shank.position if kind == "hinge" else (*place, 0.0)
    shank.quaternion = st.rotation.from_axis_angle((0, 0, 1), -flexion)
    return world


def circle(time_step=1e-3, **settings):
    """Return a mass that is held at a distance of 1 m from the origin, let go level."""
    world = st.World(gravity=(0, -9.81, 0), time_step=time_step, settings=st.Settings(**settings))
    mass = world.add_body(mass_properties=st.from_values(1.0, np.eye(3)), position=(1, 0, 0), name="mass")
    world.add_joint(st.Distance((0, 0, 0), (1, 0, 0)), None, mass)
    return world


def gliding(time_step):
    """Return two bodies without gravity, a point of one on an ellipsoid of the other (B06)."""
    world = st.World(gravity=(0, 0, 0), time_step=time_step)
    inner = world.add_body(mass_properties=st.from_values(5.0, (0.2, 0.3, 0.25)), name="i")
    outer = world.add_body(
        mass_properties=st.from_values(1.0, (0.02, 0.03, 0.04)), position=(0.1, 0.05, 0.4328427125), name="j"
    )
    center = np.array((0.05, -0.02, 0.1))
    point = center + (0.15, 0.1, 0.2828427125)
    world.add_joint(st.PointOnEllipsoid(center, (0.3, 0.2, 0.4), point, x_axis=(1, 0, 0)), inner, outer)
    inner.velocity, inner.angular_velocity = (
        (0.009178607, 0.013767910, 0.009735383),
        (*(0.387697164, 1.026114770, -0.659614130),),
    )
    outer.velocity = (0.254106966, -0.268839550, 0.051323087)
    outer.angular_velocity = (-1.245114246, 0.738744766, 1.862320899)
    return world


# where the two bodies are after a second [m], and how they turn [rad/s]
GLIDED = {
    "i": ((0.016151770, 0.017355378, 0.019594664), (-0.025169468, 0.989805470, -0.518137979)),
    "j": ((0.319241152, -0.236776889, 0.434869395), (-0.628052307, 0.888270414, 2.325863094)),
}


def planar_arm(lengths=(1.0, 1.0, 1.0), limits=None):
    """Return bars in the plane x z on hinges about y, from the origin along x (Stelzner's B07)."""
    world = st.World()
    last, place = None, 0.0
    for k, length in enumerate(lengths):
        bar = world.add_body(st.Box((length, 0.05, 0.05)), position=(place + 0.5 * length, 0, 0), mass=1.0)
        hinge = world.add_joint(st.Hinge((place, 0, 0), (0, -1, 0)), last, bar, name=f"hinge {k}")
        if limits is not None:
            hinge.limit(*limits[k])
        last, place = bar, place + length
    return world, last
