"""The generalised coordinates of real robots beside Pinocchio's, from the same files."""

from pathlib import Path

import numpy as np
import pytest

import stoss as st

pin = pytest.importorskip("pinocchio")

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = (
    "ur_description/urdf/ur5_robot.urdf",
    "z1_description/urdf/z1.urdf",
    "talos_data/robots/talos_left_arm.urdf",
    "panda_description/urdf/panda.urdf",
    "a1_description/urdf/a1.urdf",
    "go1_description/urdf/go1.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "laikago_description/urdf/laikago.urdf",
    "bolt_description/robots/bolt.urdf",
)
TOLERANCE = 1e-10


def load(file):
    """Return our coordinates of a robot whose first link is fixed, Pinocchio's model, and the order there."""
    if not (ROBOTS / file).exists():
        pytest.skip(f"example-robot-data has no {file}")
    world = st.Model.load(ROBOTS / file).build()
    for drive in [drive for joint in world.joints for drive in joint.drives]:
        drive.remove()
    held = {body for joint in world.joints for body in (joint.first, joint.second) if joint.first is None}
    model = pin.buildModelFromUrdf(str(ROBOTS / file))
    ours = st.Articulation(world)
    for body in world.bodies:
        if body not in held and f"{body.name}.x" in ours.coordinates:
            world.add_joint(st.Fixed(), None, body, name="base")
    ours = st.Articulation(world)
    order = [model.joints[model.getJointId(name)].idx_v for name in ours.coordinates]
    assert len(order) == model.nv
    return ours, model, order


@pytest.mark.parametrize("file", FILES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_robots_are_those_of_pinocchio(file):
    """Agree on kinematics, Jacobians, mass matrix, inverse and forward dynamics in three poses."""
    ours, model, order = load(file)
    data, rng = model.createData(), np.random.default_rng(1)

    def same(found, wanted):
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-14 + TOLERANCE * np.abs(wanted).max())

    for _ in range(3):
        away, pv, pa, torques = rng.uniform(-1.0, 1.0, (4, model.nv))
        pq = pin.integrate(model, pin.neutral(model), away)  # what turns on is a point of a circle there
        q, rates, changes = away[order], pv[order], pa[order]
        matrix = np.triu(pin.crba(model, data, pq))
        matrix += np.triu(matrix, 1).T
        same(ours.mass_matrix(q), matrix[np.ix_(order, order)])
        same(ours.inverse_dynamics(q, rates, changes), pin.rnea(model, data, pq, pv, pa)[order])
        same(ours.forward_dynamics(q, rates, torques[order]), pin.aba(model, data, pq, pv, torques)[order])
        centre = pin.jacobianCenterOfMass(model, data, pq)[:, order]
        if not any(joint.name == "base" for joint in ours.world.joints):
            same(ours.center_of_mass_jacobian(q), centre)
        pin.computeJointJacobians(model, data, pq)
        pin.updateFramePlacements(model, data)
        for frame in [name.name for name in model.frames if name.type == pin.FrameType.BODY]:
            if frame not in {body.name for body in ours.world.bodies}:
                continue
            body, number = ours.world.body(frame), model.getFrameId(frame)
            places, _ = ours.poses(q)
            same(places[body.index], data.oMf[number].translation)
            wanted = pin.getFrameJacobian(model, data, number, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            if np.abs(wanted).max() > 0.0:
                same(ours.body_jacobian(body, q, point=(0, 0, 0)), wanted[:, order])
