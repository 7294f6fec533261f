"""MuJoCo: joint coordinates along a spanning tree, `connect` constraints for the joints that close loops."""

import mujoco
import numpy as np

from benchmarks.peers.running import Simulation, State
from benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build"]


def build(scene: JointScene, time_step: float, *, integrator: str = "EULER") -> Simulation:
    """Build the scene; `integrator` is a name of mjtIntegrator."""
    mujoco.set_mju_user_warning(lambda message: None)  # or it leaves a log file in the working folder
    spec = mujoco.MjSpec()
    spec.option.timestep = time_step
    spec.option.gravity = (0, 0, -GRAVITY)
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # a run that explodes shall be seen
    branches, loops = scene.spanning_tree()
    bodies = {WORLD: spec.worldbody}
    for parent, body, joint in branches:
        bodies[body] = bodies[parent].add_body(
            name=f"{body}",
            pos=scene.place(body) - scene.place(parent),
            mass=scene.masses[body],
            inertia=scene.inertias[body],
            ipos=(0, 0, 0),
            explicitinertial=True,
        )
        anchor = scene.anchors[joint] - scene.place(body)
        bodies[body].add_joint(type=mujoco.mjtJoint.mjJNT_BALL, pos=anchor)
    for joint in loops:
        first, second = (int(body) for body in scene.pairs[joint])
        anchor = np.zeros(mujoco.mjNEQDATA)
        anchor[:3] = scene.local_anchors(joint)[1]
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"{second}",
            name2="world" if first == WORLD else f"{first}",
            data=anchor,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    rows = np.array([model.body(f"{body}").id for body in range(len(scene.masses))])
    rates = np.zeros((len(rows), 6))  # angular, linear

    def read() -> State:
        # After a step the poses are still those of its beginning.
        for update in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
            update(model, data)
        for row, rate in zip(rows, rates, strict=True):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, row, rate, 0)
        return State(data.xipos[rows], data.xquat[rows], rates[:, 3:], rates[:, :3])

    return Simulation(lambda: mujoco.mj_step(model, data), read)
