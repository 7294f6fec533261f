"""Boxes fall on each other and come to rest as a tower: how high it is, how still, and where the energy went.

python examples/falling_boxes.py
"""

import stoss as st

world = st.World(gravity=(0.0, 0.0, -9.81), time_step=0.01)
rough = st.Material(friction=0.5, restitution=0.2)
world.add_body(st.HalfSpace(), kind="static", material=rough, name="ground")
boxes = [
    world.add_body(
        st.Box((0.4, 0.4, 0.2)), position=(0.0, 0.03 * level, 0.6 + 0.3 * level), mass=2.0, material=rough
    )
    for level in range(5)
]

for second in range(4):
    height = max(box.position[2] for box in boxes)
    print(f"{second} s: the highest of {len(boxes)} boxes at {height:.4f} m, {world.report.energy:8.3f} J")
    report = world.step(100)

fastest = max(float(abs(box.velocity).max()) for box in boxes)
print(f"fastest {fastest:.1e} m/s, {report.contact_count} contacts, overlap {report.max_overlap:.1e} m")
ledger = world.ledger
print(
    f"lost in impacts {ledger.dissipated_normal:.3f} J, by friction {ledger.dissipated_friction:.3f} J; "
    f"gained by displacing what overlapped {ledger.displacement_energy:.3f} J"
)
