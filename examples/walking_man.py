"""A man of 75 kg walks by virtual springs: nobody prescribes his motion.

Prints his speed, steps, support and power, beside those of Henze 2002 and of people.

python examples/walking_man.py
"""

import stoss as st
from stoss.engine.humans import SOLE

world = st.World(time_step=0.001)
world.add_body(st.HalfSpace(), kind="static", material=SOLE, name="ground")
man = st.build_humanoid(world)
walker = st.VirtualModelWalker(man, st.Walk.at(1.11))  # about as fast as that [m/s]
walker.start()
world.add_controller(walker)
recorder = st.GaitRecorder(walker)
world.step(2600)
print(st.gait_report(recorder, skip=2).table())  # without the first two steps, which only begin the walk
