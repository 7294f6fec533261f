"""Springs that are not there carry a quadruped of a URDF file: virtual model control (Henze 2002, 3.3).

python examples/quadruped.py
"""

from pathlib import Path

import numpy as np

import stoss as st
from stoss.engine.exchange import import_model

STIFFNESS = np.array((1e3, 1e3, 2e3, 200.0, 200.0, 200.0))  # of the trunk [N/m, N m/rad]
DAMPING, HOME = 0.15 * STIFFNESS, np.array((0.0, 0.0, 0.33))
BENT = {"trunk.z": 0.339, "pitch": 0.65, "knee": -1.3}

world = import_model(Path(__file__).parent / "models" / "quadruped.urdf").build()
world.time_step = 0.001
world.add_body(st.HalfSpace(), kind="static", name="ground")
robot, trunk = st.Articulation(world), world.body("trunk")
feet = [body for body in world.bodies if body.name.endswith("shank")]
robot.set_state([BENT.get(name.split()[-1], 0.0) for name in robot.coordinates])


class Stand(st.Controller):
    """Give the torques by which springs and dampers between the trunk and its home would act."""

    def update(self, time: float, period: float) -> list[float]:
        away = np.append(HOME - trunk.position, -st.rotation.to_rotation_vector(trunk.quaternion))
        to_trunk = robot.body_jacobian(trunk)
        spring = STIFFNESS * away - DAMPING * (to_trunk @ robot.rates)
        wanted = robot.gravity_forces() + to_trunk.T @ spring
        soles = [foot.local_point(foot.world_point((0, 0, -0.2)) - (0, 0, 0.02)) for foot in feet]
        legs = zip(feet, soles, strict=True)
        to_feet = np.vstack([robot.body_jacobian(foot, point=sole)[:3] for foot, sole in legs])
        ground = np.linalg.lstsq(to_feet[:, :6].T, wanted[:6], rcond=None)[0]  # no motor moves the base
        return (wanted - to_feet.T @ ground)[6:].tolist()


motors = [world.add_actuator(st.TorqueActuator(world.joint(name))) for name in robot.coordinates[6:]]
world.add_controller(Stand(), actuators=motors)
load = np.zeros(3)


def pull(world: st.World) -> None:
    """Load the trunk."""
    trunk.apply_force(load, trunk.center_of_mass)


world.before_step.append(pull)
for load in (np.zeros(3), np.array((0.0, 0.0, -20.0)), np.array((10.0, 5.0, 0.0))):
    world.step(3000)
    x, y, z = 1e3 * (trunk.position - HOME)
    print(f"{load} N on the trunk: x {x:+.2f} mm, y {y:+.2f} mm, z {z:+.2f} mm from home")
