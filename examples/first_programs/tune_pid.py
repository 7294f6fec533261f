"""Tune the PID controller of an arm that turns by 1 rad: all combinations of two gains, on all cores."""

import stoss as st


def arm(gain: float = 100.0, derivative_time: float = 0.1) -> st.World:
    world = st.World(time_step=0.002)
    bar = world.add_body(st.Box((1, 0.1, 0.1)), position=(0.5, 0, 0), mass=3.0, name="bar")
    shoulder = world.add_joint(st.Hinge((0, 0, 0), (0, 1, 0)), None, bar, name="shoulder")
    shoulder.pid(target=-1.0, gain=gain, derivative_time=derivative_time, reset_time=0.8)
    return world


grid = {"gain": [100, 200, 400], "derivative_time": [0.05, 0.1, 0.2]}
metrics = {name: f"{name}:joint.shoulder.angle:target=-1" for name in ("rms", "overshoot", "settling_time")}
table = st.sweep(arm, grid, metrics, duration=2.0)
print(table.text())
best = table.best("rms")
print("best: gain {gain} N m/rad, derivative time {derivative_time} s".format(**best))
