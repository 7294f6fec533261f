"""A man of 75 kg walks by virtual springs: nobody prescribes his motion. What his gait is like.

python examples/walking_man.py
"""

import stoss as st
from stoss.engine.humans import SOLE

world = st.World(time_step=0.001)
world.add_body(st.HalfSpace(), kind="static", material=SOLE, name="ground")
man = st.build_humanoid(world)
walker = st.VirtualModelWalker(man, st.Walk(speed=0.95, step=0.475))
walker.start()
world.add_controller(walker)
recorder = st.GaitRecorder(walker)
world.step(3000)
print(st.gait_report(recorder, skip=2).table())
