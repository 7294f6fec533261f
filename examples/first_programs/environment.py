"""An environment as Gymnasium has them: a pendulum that a weak motor swings up, in episodes.

python examples/first_programs/environment.py
"""

import numpy as np

import stoss as st


class Pendulum:
    """Observe angle and rate of a rod that hangs [rad, rad/s]; act by a torque, -1 to 1 [N m]."""

    def __init__(self) -> None:
        self.world = st.World(time_step=0.01)  # or st.Model.load("robot.urdf").build()
        rod = self.world.add_body(st.Box((0.05, 0.05, 1.0)), position=(0, 0, -0.5), mass=1.0, name="rod")
        self.hinge = self.world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, rod, name="hinge")
        self.motor = self.world.add_actuator(st.TorqueActuator(self.hinge, limit=1.0))
        self.robot = st.Articulation(self.world)
        self.start = self.world.save()

    def reset(self, seed: int) -> np.ndarray:
        """Begin an episode somewhere near the lowest place."""
        self.world.restore(self.start)
        self.robot.set_state(np.random.default_rng(seed).uniform(-0.2, 0.2, 1))
        return self.observe()

    def observe(self) -> np.ndarray:
        """Return angle and rate."""
        return np.array([self.hinge.value, self.hinge.rate])

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool]:
        """Act for 0.05 s; return observation, reward, whether it is up, and whether time is over."""
        self.motor.command = float(action[0])
        report = self.world.step(5)
        return self.observe(), report.energy, abs(self.hinge.value) > np.pi, report.time > 20.0


pendulum = Pendulum()
for seed in (0, 1, 0):
    seen, up, over, work = pendulum.reset(seed), False, False, 0.0
    energy = pendulum.world.report.energy
    while not (up or over):
        action = np.array([1.0 if seen[1] >= 0.0 else -1.0])  # a policy: always along the motion
        before = seen[0]
        seen, reward, up, over = pendulum.step(action)
        work += action[0] * (seen[0] - before)
    gained = pendulum.world.report.energy - energy
    time = pendulum.world.time
    print(f"seed {seed}: over the top after {time:.2f} s, work {work:.4f} J, gained {gained:.4f} J")
print(f"in the hinge at the end: {np.linalg.norm(pendulum.hinge.force):.1f} N")
