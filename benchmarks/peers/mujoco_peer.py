"""MuJoCo: joint coordinates along a spanning tree, `connect` constraints for the joints that close loops."""

from typing import Any

import mujoco
import numpy as np

from stoss.benchmarks.peers.contact_scenes import BOX, FRICTION, PLANE, SPHERE, ContactScene
from stoss.benchmarks.peers.running import Simulation, State
from stoss.benchmarks.peers.scenes import GRAVITY, WORLD, JointScene

__all__ = ["build", "build_contacts"]


def build(scene: JointScene, time_step: float, *, integrator: str = "EULER") -> Simulation:
    """Build the scene; `integrator` is a name of mjtIntegrator."""
    spec = _new_spec(time_step, integrator)
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
    return _simulation(spec, len(scene.masses))


def build_contacts(
    scene: ContactScene, time_step: float, *, integrator: str = "EULER", elliptic: bool = False
) -> Simulation:
    """Build the scene with the default cones, or with elliptic ones and impratio 10 as the manual advises."""
    spec = _new_spec(time_step, integrator)
    spec.memory = 1 << 30  # [bytes] for the contacts of a thousand bodies
    if elliptic:
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 10.0
    types = {BOX: mujoco.mjtGeom.mjGEOM_BOX, SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE}
    types[PLANE] = mujoco.mjtGeom.mjGEOM_PLANE
    moving = 0
    for kind, size, mass, place, turn in zip(
        scene.kinds, scene.sizes, scene.masses, scene.positions, scene.quaternions, strict=True
    ):
        if mass == 0.0:
            body, pose = spec.worldbody, {"pos": place, "quat": turn}
        else:
            body, pose = spec.worldbody.add_body(name=f"{moving}", pos=place, quat=turn), {}
            body.add_freejoint()
            moving += 1
        size = np.ones(3) if kind == PLANE else size
        geom = body.add_geom(type=types[int(kind)], size=size, mass=mass, **pose)
        geom.friction[0] = FRICTION
    return _simulation(spec, moving)


def _new_spec(time_step: float, integrator: str) -> Any:
    """Return an empty model; `integrator` is a name of mjtIntegrator."""
    mujoco.set_mju_user_warning(lambda message: None)  # or it leaves a log file in the working folder
    spec = mujoco.MjSpec()
    spec.option.timestep = time_step
    spec.option.gravity = (0, 0, -GRAVITY)
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # a run that explodes shall be seen
    return spec


def _simulation(spec: Any, count: int) -> Simulation:
    """Return the simulation of a model whose bodies are named "0", "1", ..."""
    model = spec.compile()
    data = mujoco.MjData(model)
    rows = np.array([model.body(f"{body}").id for body in range(count)])
    rates = np.zeros((len(rows), 6))  # angular, linear

    def read() -> State:
        # After a step the poses are still those of its beginning.
        for update in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_comVel):
            update(model, data)
        for row, rate in zip(rows, rates, strict=True):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, row, rate, 0)
        return State(data.xipos[rows], data.xquat[rows], rates[:, 3:], rates[:, :3])

    return Simulation(lambda: mujoco.mj_step(model, data), read)
