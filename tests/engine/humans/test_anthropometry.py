"""The data of a body: what is printed, what adds up, what no body can have."""

import numpy as np
import pytest

import stoss as st
from stoss.engine.humans import MALE, SOLE, VARIANTS, Segment, build_humanoid
from stoss.engine.humans.anthropometry import combined


def test_the_segments_add_up_to_a_man():
    """Weigh 75 kg and stand 1.80 m high."""
    assert MALE.mass == pytest.approx(75.0, abs=0.01)
    assert MALE.height == pytest.approx(1.80, abs=0.001)
    assert MALE.ankle_height == pytest.approx(0.0908176, abs=1e-5)


def test_neck_thorax_and_lumbar_make_the_upper_torso():
    """Have the tensor that is printed for all three together, and with the pelvis that of the torso."""
    parts, z = [], 0.0
    for segment in (MALE.lumbar, MALE.thorax, MALE.neck):
        parts.append((segment, (0.0, 0.0, z - segment.proximal[2])))
        z += segment.length
    mass, _, inertia = combined(parts)
    assert mass == pytest.approx(28.535, abs=0.01)
    np.testing.assert_allclose(np.diag(inertia), (0.7567130, 0.6660620, 0.3008893), rtol=2e-3)
    parts.append((MALE.pelvis, (0.0, 0.0, -MALE.pelvis.proximal[2])))
    mass, _, inertia = combined(parts)
    assert mass == pytest.approx(38.36, abs=0.01)
    np.testing.assert_allclose(np.diag(inertia), (1.432740, 1.308900, 0.4099326), rtol=2e-3)


def test_tensors_that_no_body_has_are_refused():
    """Refuse the torso by regression, and the foot with its axes as printed is no body's either way round."""
    with pytest.raises(ValueError, match="about x is more than about both others together, by 0.0796"):
        Segment(38.36, 0.66694, (1.863413, 1.322593, 4.611911e-1))


@pytest.mark.parametrize(
    ("variant", "freedom"), [("22dof", 22), ("20dof", 20), ("26dof", 26), ("planar", 9), ("ragdoll", 31)]
)
def test_a_humanoid_has_its_degrees_of_freedom(variant, freedom):
    """Count what joints leave, and weigh all bodies together."""
    world = st.World()
    person = build_humanoid(world, variant=variant)
    assert world.freedom_report().degrees_of_freedom == freedom
    assert person.mass == pytest.approx(MALE.mass, rel=1e-12)
    assert set(VARIANTS) == {"22dof", "20dof", "26dof", "planar", "ragdoll"}


def test_lumped_bodies_are_those_of_the_specification():
    """Have mass, centre and inertia of the upper body with hanging arms."""
    world = st.World()
    upper = build_humanoid(world).bodies["upper body"]
    assert upper.mass == pytest.approx(41.0458, abs=0.01)
    assert upper.position[2] - (0.97047 + 0.10263) == pytest.approx(0.25138, abs=5e-4)
    inertia = np.sort(world.inertias[upper.index])
    np.testing.assert_allclose(inertia, np.sort((2.19887, 1.83294, 0.60818)), rtol=2e-3)


def test_people_of_other_sizes_are_scaled():
    """Scale lengths by the stature, masses by the mass, and inertias by both."""
    small = MALE.scaled(stature=1.60, mass=55.0)
    assert small.height == pytest.approx(MALE.height * 1.60 / 1.80) and small.mass == pytest.approx(55.0)
    share = 55.0 / MALE.mass * (1.60 / 1.80) ** 2
    np.testing.assert_allclose(small.thigh.inertia, share * np.array(MALE.thigh.inertia))
    with pytest.raises(ValueError, match="stature"):
        MALE.scaled(stature=-1.0)


def test_someone_who_falls_comes_to_rest_on_the_ground():
    """Lie on the ground, whole, after a fall without a controller."""
    world = st.World(time_step=0.005)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE)
    person = build_humanoid(world, position=(0, 0, 0.05))
    person.bodies["upper body"].velocity = (0.5, 0.3, 0)
    world.step(600)
    assert max(joint.error for joint in world.joints) < 1e-5
    assert person.bodies["pelvis"].position[2] < 0.5
    assert world.report.max_overlap < 2e-3


def test_the_knee_carries_200_newton_metres_at_full_extension():
    """Hold 200 N m against extension at 0 degrees of flexion, by the stop at 2 degrees (V-06)."""
    world = st.World(gravity=(0, 0, 0), time_step=0.001)
    person = build_humanoid(world)
    person.bodies["right thigh"].kind = "static"
    shank, knee = person.bodies["right shank"], person.joints["right knee"]
    world.torques[shank.index] = (0, -200.0, 0)
    world.step(3000)
    assert knee.value == pytest.approx(0.0, abs=2e-4) and abs(knee.rate) < 1e-3
    assert knee.limits[0].force == pytest.approx(200.0, rel=1e-3)


@pytest.mark.parametrize("push", [(1.0, 0.4, 0.0), (-1.5, -0.5, 0.0), (0.3, 2.0, 0.0)])
def test_a_ragdoll_falls_within_the_stops_of_a_body(push):
    """Fall to the ground, and stay within the cones, twists and hinges of a body, mirrored on both sides."""
    world = st.World(time_step=0.004)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE)
    person = build_humanoid(world, variant="ragdoll", position=(0, 0, 0.02))
    right, left = (person.joints[f"{side} hip"].curved_limits[0].rows[0] for side in ("right", "left"))
    np.testing.assert_allclose(left, (right[0], right[1], -right[3], -right[2]))
    person.bodies["upper body"].velocity = push
    stops = [limit for joint in person.joints.values() for limit in (*joint.limits, *joint.curved_limits)]
    met, deepest = set(), 0.0
    for _ in range(500):
        report = world.step()
        for k, stop in enumerate(stops):
            if stop.force != 0.0:
                met.add(k)
        deepest = min(deepest, min(j.curved_limits[0].gap for j in person.joints.values() if j.curved_limits))
    assert len(met) >= 4 and deepest > -0.05
    assert max(joint.error for joint in world.joints) < 1e-5
    assert person.bodies["pelvis"].position[2] < 0.5 and report.max_overlap < 2e-3


def test_a_planar_person_stays_in_the_sagittal_plane():
    """Fall forward without a sideways motion, however it is pushed."""
    world = st.World(time_step=0.004)
    world.add_body(st.HalfSpace(), kind="static", material=SOLE)
    person = build_humanoid(world, variant="planar")
    person.bodies["upper body"].velocity = (0.4, 0.3, 0.0)
    world.step(250)
    for body in person.bodies.values():
        side = {"right": -1.0, "left": 1.0}.get(body.name.split()[0], 0.0)
        assert body.center_of_mass[1] == pytest.approx(side * MALE.pelvis.distal[1], abs=2e-6)


def test_nobody_walks_a_ragdoll():
    """Say which person can be walked."""
    with pytest.raises(ValueError, match="ragdoll"):
        st.VirtualModelWalker(build_humanoid(st.World(), variant="ragdoll"))
