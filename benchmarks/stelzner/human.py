"""The human of 40 coordinates of the benchmarks B08 and B13 (from Stelzner 2008, figure 3.1)."""

import numpy as np

import stoss as st

# where each body is seen from the one that carries it [m], and how it turns
SPINE = 0.03457, 0.0220567, 0.0181114


def human():
    """Return the world and its coordinates in the order of the benchmark.

    Bodies weigh next to nothing: this is kinematics. Bending of the spine is six coordinates of wheels that
    nothing else is on, which the joints of the vertebrae follow.
    """
    world = st.World(gravity=(0, 0, 0))
    places: dict[str, np.ndarray] = {}

    def add(name, parent, offset, axis=None):
        places[name] = (places[parent] if parent else np.zeros(3)) + offset
        body = world.add_body(
            mass_properties=st.from_values(1.0, 0.01 * np.eye(3)), position=places[name], name=name
        )
        if parent is None:
            return body
        kind = st.Ball(places[name]) if axis is None else st.Hinge(places[name], axis)
        world.add_joint(kind, world.body(parent), body, name=name)
        return body

    add("pelvis", None, (0, 0, 0))
    for side, sign in (("R", -1.0), ("L", 1.0)):
        add(f"thigh {side}", "pelvis", (0, sign * 0.10348, -0.051316))
        add(f"shank {side}", f"thigh {side}", (0, 0, -0.44455), (0, 1, 0))
        add(f"talus {side}", f"shank {side}", (0, 0, -0.4351), (0, 1, 0))
        add(f"foot {side}", f"talus {side}", (0, 0, 0), (1, 0, 1))
        add(f"toes {side}", f"foot {side}", (0.1426, 0, -0.0908), (0, 1, 0))
    last, follow = "pelvis", {}
    for name in ("flexion", "lateral", "axial", "neck flexion", "neck lateral", "neck axial"):
        wheel = world.add_body(mass_properties=st.from_values(1.0, 0.01 * np.eye(3)), name=f"wheel {name}")
        world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, wheel, name=name)
    back, neck = ("lateral", "flexion", "axial"), ("neck lateral", "neck flexion", "neck axial")
    for level, count, first, step, leaders, shares in (
        ("L", 5, 0.051316, SPINE[0], back, (20 / 40, 50 / 85, 5 / 41)),
        ("T", 12, SPINE[0], SPINE[1], back, (20 / 40, 35 / 85, 36 / 41)),
        ("C", 6, SPINE[1], SPINE[2], neck, (35 / 40, 65 / 85, 50 / 85)),
    ):
        for k in range(count):
            name = f"{level}{count - k if level != 'C' else 7 - k}"
            add(name, last, (0, 0, first if k == 0 else step))
            for axis, leader, share in zip("xyz", leaders, shares, strict=True):
                follow[f"{name}.{axis}"] = leader, share / count
            last = name
    add("C1", "C2", (0, 0, SPINE[2]), (0, 0, 1))
    follow["C1"] = "neck axial", 35 / 85
    add("skull", "C1", (0, 0, SPINE[2]), (1, 0, 0))
    follow["skull"] = "neck lateral", 5 / 40
    add("head", "skull", (0, 0, 0), (0, 1, 0))
    follow["head"] = "neck flexion", 20 / 85
    for side, sign in (("R", -1.0), ("L", 1.0)):
        add(f"upper arm {side}", "T1", (0, sign * 0.18725, -0.0219))
        add(f"ulna {side}", f"upper arm {side}", (0, 0, -0.31293), (0, -1, 0))
        add(f"radius {side}", f"ulna {side}", (0, 0, 0), (0, 0, 1))
        add(f"wrist {side}", f"radius {side}", (0, 0, -0.27786), (0, 1, 0))
        add(f"hand {side}", f"wrist {side}", (0, 0, -0.01), (1, 0, 0))
    order = [f"pelvis.{name}" for name in ("x", "y", "z", "turn_x", "turn_y", "turn_z")]
    for side in "RL":
        order += [f"thigh {side}.{axis}" for axis in "xyz"]
        order += [f"{part} {side}" for part in ("shank", "talus", "foot", "toes")]
    order += ["flexion", "lateral", "axial", "neck flexion", "neck lateral", "neck axial"]
    for side in "RL":
        order += [f"upper arm {side}.{axis}" for axis in "xyz"]
        order += [f"{part} {side}" for part in ("ulna", "radius", "wrist", "hand")]
    both = st.Articulation(world, follow)
    return world, both, np.array([both.index(name) for name in order])


def reach(world, both, q):
    """Return the targets of B08 from coordinates q: feet stay where they are, hands reach two points."""
    places, turns = both.poses(q)
    feet = [world.body(f"foot {side}") for side in "RL"]
    return [
        *(st.IKTarget(foot, places[foot.index], turns[foot.index]) for foot in feet),
        st.IKTarget(world.body("hand R"), position=(0.42, -0.20725, 1.604889)),
        st.IKTarget(world.body("hand L"), position=(0.45, 0.30725, 1.184889)),
    ]


def start(both, order):
    """Return the coordinates of the start of B08, in the order of the articulation."""
    q = np.zeros(len(both))
    for number, value in {2: 0.94, 7: -0.15, 14: -0.15, 9: 0.3, 16: 0.3, 10: -0.15, 17: -0.15}.items():
        q[order[number]] = value
    for number, value in {26: -0.15, 33: 0.15, 29: 0.5, 36: 0.5}.items():
        q[order[number]] = value
    return q


def recorded_human(frames=60):
    """Return the human with 55 markers, a motion of it (frames, 40), and what is exactly seen of that."""
    world, both, order = human()
    rng = np.random.default_rng(5)
    counts = {"pelvis": 4, "L3": 1, "T10": 1, "T1": 3, "head": 4}
    for side in "RL":
        counts |= {f"thigh {side}": 4, f"shank {side}": 4, f"foot {side}": 3, f"toes {side}": 1}
        counts |= {f"upper arm {side}": 3, f"ulna {side}": 1, f"radius {side}": 2, f"hand {side}": 3}
    for name, count in counts.items():
        for k in range(count):
            place = rng.normal(size=3) * (0.05, 0.05, 0.08)
            if name.split()[0] in ("thigh", "shank", "upper", "ulna", "radius"):
                place[2] -= 0.15
            world.add_marker(f"{name} {k}", world.body(name), position=place)
    amplitude, phase = rng.uniform(0.05, 0.35, 40), rng.uniform(0.0, 6.28, 40)
    amplitude[:3] = 0.1
    q = np.zeros((frames, 40))
    for n in range(len(q)):
        q[n, order] = start(both, order)[order] + amplitude * (
            np.sin(2 * np.pi * n / 100 + phase) - np.sin(phase)
        )
    places = []
    for at in q:
        both.set_state(at)
        places.append([marker.position for marker in world.markers])
    names = tuple(marker.name.rpartition(":")[2] for marker in world.markers)
    times = np.arange(len(q)) / 100.0
    return both, q, st.MarkerData(names, times, np.array(places))
