"""Virtual model control: an arm is held by a spring at its hand that is not there (Henze 2002, section 3.3).

python examples/virtual_spring.py
"""

import numpy as np

import stoss as st

STIFFNESS, DAMPING = 400.0, 60.0  # [N/m, N s/m]
HAND, TARGET = (0.25, 0.0, 0.0), np.array((0.9, 0.0, 1.3))

world = st.World(time_step=0.001)
links: list[st.Body] = []
joints: list[st.Joint] = []
for i in range(3):
    link = world.add_body(st.Box((0.5, 0.08, 0.08)), position=(0.25 + 0.5 * i, 0, 1), mass=1.0)
    hinge = st.Hinge(point=(0.5 * i, 0, 1), axis=(0, -1, 0))
    joints.append(world.add_joint(hinge, links[-1] if links else None, link, name=f"joint {i}"))
    joints[-1].damper(2.0)  # of the posture, which the hand leaves free
    links.append(link)
arm = st.Articulation(world)
hand = links[-1]


class VirtualSpring(st.Controller):
    """Give the torques by which a spring and a damper between hand and target would act: J^T f."""

    def update(self, time: float, period: float) -> list[float]:
        jacobian = arm.body_jacobian(hand, point=HAND)[:3]
        force = STIFFNESS * (TARGET - hand.world_point(HAND)) - DAMPING * jacobian @ arm.rates
        torques = jacobian.T @ force + arm.gravity_forces()
        return [float(torque) for torque in torques]


motors = [world.add_actuator(st.TorqueActuator(joint)) for joint in joints]
world.add_controller(VirtualSpring(), actuators=motors)
load = 0.0


def pull(world: st.World) -> None:
    """Hang a load on the hand."""
    hand.apply_force((0, 0, -load), hand.world_point(HAND))


world.before_step.append(pull)
for load in (0.0, 20.0):
    world.step(4000)
    x, _, z = hand.world_point(HAND) - TARGET
    print(f"{load:.0f} N on the hand: x {1e3 * x:+.2f} mm, z {1e3 * z:+.2f} mm from the target")
