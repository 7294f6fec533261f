"""Judges of imported robots: accelerations of Pinocchio and MuJoCo, speed of PyBullet and MuJoCo."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from stoss.engine.model.records import Body

__all__ = ["MujocoJudge", "PinocchioJudge", "bullet_speed"]


class PinocchioJudge:
    """The accelerations that Pinocchio finds in a URDF file whose first link is fixed.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        import pinocchio as pin

        self._pin = pin
        self._model: Any = pin.buildModelFromUrdf(str(path))
        self._data = self._model.createData()
        names = [name for name in self._model.names if name != "universe"]
        self.names = [name for name in names if self._joint(name).nv == 1]

    def _joint(self, name: str) -> Any:
        return self._model.joints[self._model.getJointId(name)]

    def take(self, body: Body, joint: str) -> None:
        """Take mass and inertia of a body for those of the link that a joint moves, if there is one."""
        if joint in self._model.names:
            own = self._pin.Inertia(body.mass, np.array(body.center), np.array(body.tensor))
            self._model.inertias[self._model.getJointId(joint)] = own

    def accelerations(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the accelerations of joints from rest, where they have these values."""
        q, rest = self._pin.neutral(self._model), np.zeros(self._model.nv)
        for name in self.names:
            joint, value = self._joint(name), values[name]
            turned = (np.cos(value), np.sin(value))
            q[joint.idx_q : joint.idx_q + joint.nq] = turned if joint.nq == 2 else value
        found = self._pin.aba(self._model, self._data, q, rest, rest)
        return {name: float(found[self._joint(name).idx_v]) for name in self.names}


class MujocoJudge:
    """What MuJoCo makes of an MJCF file, without the inertia of rotors, which the import leaves out.

    Args:
        path: the file.
        fixed: whether bodies that are free are fixed where they begin.
    """

    def __init__(self, path: Path, fixed: bool = False) -> None:
        import mujoco

        self._mujoco = mujoco
        spec = mujoco.MjSpec.from_file(str(path))
        if fixed:
            for joint in [one for one in spec.joints if one.type == mujoco.mjtJoint.mjJNT_FREE]:
                spec.delete(joint)
            for key in list(spec.keys):
                spec.delete(key)
        self.model: Any = spec.compile()
        self._data = mujoco.MjData(self.model)
        kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        self.names = [
            self.model.joint(j).name or f"joint {j}"
            for j in range(self.model.njnt)
            if int(self.model.jnt_type[j]) in kinds
        ]

    def accelerations(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the accelerations of joints from rest by gravity alone, where they have these values."""
        m, data, flags = self.model, self._data, self._mujoco.mjtDisableBit
        joint = self._mujoco.mjtJoint
        turns = (int(joint.mjJNT_BALL), int(joint.mjJNT_FREE))
        m.dof_armature[np.isin(m.jnt_type[m.dof_jntid], turns)] = 0.0  # hinges and sliders have rotors here
        m.dof_damping[:] = m.jnt_stiffness[:] = m.body_gravcomp[:] = 0.0
        m.tendon_stiffness[:] = m.tendon_damping[:] = m.tendon_armature[:] = 0.0
        m.opt.density = m.opt.viscosity = 0.0
        m.opt.disableflags |= flags.mjDSBL_CONTACT | flags.mjDSBL_ACTUATION | flags.mjDSBL_CONSTRAINT
        self._mujoco.mj_resetData(m, data)
        rows = {(m.joint(j).name or f"joint {j}"): j for j in range(m.njnt)}
        for name in self.names:
            data.qpos[m.jnt_qposadr[rows[name]]] += values[name]
        self._mujoco.mj_forward(m, data)
        return {name: float(data.qacc[m.jnt_dofadr[rows[name]]]) for name in self.names}

    def speed(self, duration: float) -> float:
        """Return the steps per second of processor time that MuJoCo makes."""
        model = self.model
        data = self._mujoco.MjData(model)
        steps = max(1, round(duration / model.opt.timestep))
        begin = time.process_time()
        for _ in range(steps):
            self._mujoco.mj_step(model, data)
        return steps / max(time.process_time() - begin, 1e-9)


def bullet_speed(path: Path, fixed: bool, time_step: float, duration: float) -> float:
    """Return the steps per second of processor time that PyBullet makes with a URDF file.

    Raises:
        RuntimeError: it cannot load the file.
    """
    import pybullet

    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(0.0, 0.0, -9.81)
        pybullet.setTimeStep(time_step)
        try:
            robot = pybullet.loadURDF(str(path), useFixedBase=fixed)
        except pybullet.error as error:
            raise RuntimeError(str(error)) from error
        for joint in range(pybullet.getNumJoints(robot)):
            kind = pybullet.getJointInfo(robot, joint)[2]
            if kind in (pybullet.JOINT_REVOLUTE, pybullet.JOINT_PRISMATIC):
                pybullet.setJointMotorControl2(robot, joint, pybullet.VELOCITY_CONTROL, force=0.0)
        steps = max(1, round(duration / time_step))
        begin = time.process_time()
        for _ in range(steps):
            pybullet.stepSimulation()
        return steps / max(time.process_time() - begin, 1e-9)
    finally:
        pybullet.disconnect(client)
