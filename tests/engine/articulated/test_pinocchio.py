"""Robots as Pinocchio has them: kinematics, jacobians and dynamics, on fixed and on free bases."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from stoss.engine.articulated import Articulation
from stoss.engine.exchange import import_model

ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
# Those whose inertias are possible: others are mended as they are imported. The last six have bases
# that cannot be free: without mass, or with an inertia that is mended.
NAMES = [
    "panda_description/urdf/panda.urdf",
    "solo_description/robots/solo12.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "centauro_description/urdf/centauro.urdf",
    "double_pendulum_description/urdf/double_pendulum.urdf",
    "go1_description/urdf/go1.urdf",
    "ur_description/urdf/ur5_robot.urdf",
    "kinova_description/robots/kinova.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "xarm_description/urdf/xarm7.urdf",
    "z1_description/urdf/z1.urdf",
]
TOLERANCE = 1e-10


class Judge:
    """A robot in both libraries, and where its coordinates are in the other one."""

    def __init__(self, name, *, free):
        file = str(ROBOTS / name)
        robot = import_model(file, missing="skip", fixed_base=not free)
        bare = tuple(body.replace(shapes=(), display=()) for body in robot.bodies)  # meshes take long
        self.world = robot.replace(bodies=bare).build()
        self.ours = Articulation(self.world)
        if free:
            base = pin.JointModelComposite(pin.JointModelTranslation())
            for turn in (pin.JointModelRX(), pin.JointModelRY(), pin.JointModelRZ()):
                base.addJoint(turn)
            self.model = pin.buildModelFromUrdf(file, base)
        else:
            self.model = pin.buildModelFromUrdf(file)
        self.data = self.model.createData()
        places = {joint: self.model.joints[k].idx_v for k, joint in enumerate(self.model.names)}
        names = self.ours.coordinates
        loose = 6 if free else 0
        self.order = np.array([*range(loose), *(places[name] for name in names[loose:])])
        assert len(self.order) == self.model.nv

    def state(self, seed):
        """Return coordinates, rates and their changes for both: (q, rates, changes), (q, v, a)."""
        rng = np.random.default_rng(seed)
        away, v, a = rng.uniform(-1.2, 1.2, (3, self.model.nv))
        q = pin.integrate(self.model, pin.neutral(self.model), away)
        mine = pin.difference(self.model, pin.neutral(self.model), q)
        return (mine[self.order], v[self.order], a[self.order]), (q, v, a)


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=1e-14 + TOLERANCE * np.abs(wanted).max())


@pytest.mark.parametrize(("name", "free"), [*((n, False) for n in NAMES), *((n, True) for n in NAMES[:-6])])
def test_robots_are_those_of_pinocchio(name, free):
    """Agree on all that both compute, in three poses."""
    judge = Judge(name, free=free)
    ours, model, data, order = judge.ours, judge.model, judge.data, judge.order
    for seed in range(3):
        (q, rates, changes), (pq, pv, pa) = judge.state(seed)
        matrix = pin.crba(model, data, pq)
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        same(ours.mass_matrix(q), matrix[np.ix_(order, order)])
        same(ours.gravity_forces(q), pin.computeGeneralizedGravity(model, data, pq)[order])
        same(ours.bias_forces(q, rates), pin.nonLinearEffects(model, data, pq, pv)[order])
        same(ours.inverse_dynamics(q, rates, changes), pin.rnea(model, data, pq, pv, pa)[order])
        torques = np.random.default_rng(seed).normal(size=model.nv)
        wanted = np.linalg.solve(matrix, torques - pin.nonLinearEffects(model, data, pq, pv))
        same(ours.forward_dynamics(q, rates, torques[order]), wanted[order])
        jacobian = pin.jacobianCenterOfMass(model, data, pq)
        same(ours.center_of_mass_jacobian(q), jacobian[:, order])
        same(ours.center_of_mass(q), data.com[0])
        pin.forwardKinematics(model, data, pq, pv, pa)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobians(model, data, pq)
        places, _ = ours.poses(q)
        for body in judge.world.bodies:
            if body.kind != "dynamic" or not model.existFrame(body.name, pin.FrameType.BODY):
                continue
            frame = model.getFrameId(body.name, pin.FrameType.BODY)
            same(places[body.index], data.oMf[frame].translation)
            world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
            wanted = pin.getFrameJacobian(model, data, frame, world)[:, order]
            same(ours.body_jacobian(body, q, point=(0, 0, 0)), wanted)
