"""Random trees as Pinocchio has them: kinematics, jacobians and dynamics, on fixed and on free bases."""

import numpy as np
import pinocchio as pin
import pytest

import stoss as st

TOLERANCE = 1e-10


def tree(seed, *, free):
    """Return a world of 4 to 14 lumps on hinges and sliders in any directions."""
    rng = np.random.default_rng(seed)
    world = st.World()
    base = None
    bodies = []
    for k in range(int(rng.integers(4, 15))):
        a, turn = rng.normal(size=(3, 3)), rng.normal(size=4)
        tensor = 0.02 * (np.trace(a @ a.T) * np.eye(3) - a @ a.T)
        parent = bodies[int(rng.integers(len(bodies)))] if bodies else base
        place = rng.uniform(-0.5, 0.5, 3) + (parent.position if parent is not None else 0.0)
        body = world.add_body(
            mass_properties=st.from_values(float(rng.uniform(0.5, 2.0)), tensor, rng.uniform(-0.1, 0.1, 3)),
            position=place,
            quaternion=turn / np.linalg.norm(turn),
            name=f"body {k}",
        )
        if parent is not None or not free:
            kind = st.Hinge if rng.random() < 0.7 else st.Slider
            point = place + rng.uniform(-0.2, 0.2, 3)
            world.add_joint(kind(point, rng.normal(size=3)), parent, body, name=f"joint {k}")
        bodies.append(body)
    return world


class Judge:
    """A tree in both libraries, and where its coordinates are in the other one."""

    def __init__(self, seed, folder, *, free):
        self.world = tree(seed, free=free)
        self.ours = st.Articulation(self.world)
        st.Model.of(self.world).save(folder / "tree.urdf")
        if free:
            base = pin.JointModelComposite(pin.JointModelTranslation())
            for turn in (pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()):
                base.addJoint(turn)
            self.model = pin.buildModelFromUrdf(str(folder / "tree.urdf"), base)
        else:
            self.model = pin.buildModelFromUrdf(str(folder / "tree.urdf"))
        self.data = self.model.createData()
        places = {joint: self.model.joints[k].idx_v for k, joint in enumerate(self.model.names)}
        names = self.ours.coordinates
        loose = 6 if free else 0
        self.order = np.array([*range(loose), *(places[name] for name in names[loose:])])
        assert len(self.order) == self.model.nv


def same(found, wanted):
    size = np.abs(wanted).max()
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=1e-14 + TOLERANCE * size)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_trees_are_those_of_pinocchio(seed, free, tmp_path):
    """Agree on all that both compute, in three poses."""
    judge = Judge(seed, tmp_path, free=free)
    ours, model, data, order = judge.ours, judge.model, judge.data, judge.order
    rng = np.random.default_rng(seed)
    for _ in range(3):
        away, pv, pa, torques = rng.uniform(-1.2, 1.2, (4, model.nv))
        pq = pin.integrate(
            model, pin.neutral(model), away
        )  # angles without limits are points of a circle there
        q, rates, changes = away[order], pv[order], pa[order]
        matrix = pin.crba(model, data, pq)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        same(ours.mass_matrix(q), matrix[np.ix_(order, order)])
        same(ours.gravity_forces(q), pin.computeGeneralizedGravity(model, data, pq)[order])
        same(ours.bias_forces(q, rates), pin.nonLinearEffects(model, data, pq, pv)[order])
        same(ours.inverse_dynamics(q, rates, changes), pin.rnea(model, data, pq, pv, pa)[order])
        same(ours.forward_dynamics(q, rates, torques[order]), pin.aba(model, data, pq, pv, torques)[order])
        jacobian = pin.jacobianCenterOfMass(model, data, pq)
        same(ours.center_of_mass_jacobian(q), jacobian[:, order])
        same(ours.center_of_mass(q), data.com[0])
        pin.forwardKinematics(model, data, pq, pv, pa)
        pin.computeJointJacobians(model, data, pq)
        linear, angular = ours.accelerations(q, rates, changes)
        for body in judge.world.bodies:
            number = body.name.removeprefix("body ")
            name = f"joint {number}" if model.existJointName(f"joint {number}") else "root_joint"
            joint = model.getJointId(name)
            lever = data.oMi[joint].rotation @ model.inertias[joint].lever  # of the link: one for each joint
            world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            wanted = pin.getJointJacobian(model, data, joint, world)[:, order]
            wanted[:3] -= pin.skew(lever) @ wanted[3:]
            same(ours.body_jacobian(body, q), wanted)
            motion, turning = data.v[joint], data.a[joint]
            turn = data.oMi[joint].rotation
            spin, change = turn @ motion.angular, turn @ turning.angular
            same(angular[body.index], change)
            at_joint = turn @ turning.linear + np.cross(spin, turn @ motion.linear)
            same(
                linear[body.index], at_joint + np.cross(change, lever) + np.cross(spin, np.cross(spin, lever))
            )
