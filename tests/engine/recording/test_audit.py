"""Angular momentum from torques agrees with that of the bodies (Krieg 1992: the audit of a run)."""

import numpy as np
import pytest

import stoss as st


def link(world: st.World, name: str, x: float, **more) -> st.Body:
    """Return a link of a chain along x."""
    return world.add_body(st.Box((1.0, 0.1, 0.1)), position=(x, 0, 0), mass=1.0 + x, name=name, **more)


def chain(h: float) -> st.World:
    """Return a free chain of three links that turns, with loads from outside and within."""
    world = st.World(time_step=h)
    links = [link(world, f"link {k}", float(k), angular_velocity=(0.1 * k, 1.0, -0.5 * k)) for k in range(3)]
    for k in range(2):
        world.add_joint(st.Ball((k + 0.5, 0, 0)), links[k], links[k + 1], name=f"ball {k}")
        world.exclude_collision(links[k], links[k + 1])
    world.exclude_collision(links[0], links[2])
    tip = world.add_marker("tip", links[2], position=(0.5, 0, 0))
    world.add_load(st.Force(tip, (1.0, -2.0, 3.0)), name="drill")
    world.add_load(lambda c: c.torque("link 0", (0.0, 0.3, 0.1 * c.time)), name="twist")
    world.add_load(lambda c: c.line_force("link 0", "link 2", 4.0), name="within")
    links[1].solver = "direct"
    return world


def test_loads_on_a_free_chain_agree_to_rounding():
    """Integrate gravity, a force at a marker and torques; what acts within cancels."""
    world = chain(0.005)
    world.step(2)
    audit = st.AngularMomentumAudit(world)
    world.before_step.insert(0, lambda w: w.body("link 1").apply_force((0.0, 5.0, 0.0)))
    begin = audit.computed.copy()
    for _ in range(200):
        world.step()
    assert np.linalg.norm(audit.computed - begin) > 5.0
    assert audit.error < 1e-9 * np.linalg.norm(audit.computed)


@pytest.mark.parametrize("solver", ["direct", "gauss_seidel"])
def test_joints_with_the_world_agree(solver):
    """Integrate the reactions of a hinge that holds a pendulum away from the origin, with a motor."""
    world = st.World(time_step=0.001, settings=st.Settings(solver=solver))
    rod = link(world, "rod", 2.0)
    pivot = world.add_joint(st.Hinge((1.5, 0, 0), (0, 1, 0)), None, rod)
    pivot.motor(3.0, max_force=4.0)
    audit = st.AngularMomentumAudit(world)
    largest = 0.0
    for _ in range(1000):
        world.step()
        largest = max(largest, float(np.linalg.norm(audit.computed)))
    assert largest > 3.0 and audit.error < 1e-9 * largest


def test_contacts_with_the_ground_agree_to_the_step():
    """Integrate friction and impacts of a box that falls far from the origin, slides and comes to rest."""
    errors = []
    for h in (0.01, 0.0025):
        world = st.World(time_step=h)
        rough = st.Material(friction=0.3, restitution=0.3)
        world.add_body(st.HalfSpace(), kind="static", material=rough)
        world.add_body(
            st.Box((1, 1, 1)), position=(3, 1, 0.8), velocity=(4, 1, 0), mass=2.0, material=rough, name="box"
        )
        audit = st.AngularMomentumAudit(world)
        largest = float(np.linalg.norm(audit.computed))
        world.step(round(3.0 / h))
        assert np.linalg.norm(audit.computed) < 1e-6 * largest  # at rest
        errors.append(audit.error / largest)
    assert errors[0] < 0.02 and errors[1] < 0.005


def test_an_audit_is_recorded(tmp_path):
    """Stand for a function of a recorder, and end when it is closed."""
    world = chain(0.005)
    audit = st.AngularMomentumAudit(world)
    with st.Recorder(world, "angular_momentum", functions={"integrated [N m s]": audit}) as recorder:
        recorder.run(0.5)
    recording = recorder.recording
    difference = recording["angular_momentum"] - recording["integrated"]
    assert np.abs(difference).max() < 1e-3 and recording.unit("integrated") == "N m s"
    audit.close()
    assert world.before_step == [] and world.after_step == []
    with pytest.raises(TypeError, match="must be a World"):
        st.AngularMomentumAudit(3)
