"""Loads and the step: compositions, sub-steps, sleep, planes, kinds of bodies, undone steps."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stoss as st


def oscillator(h, order, function=False):
    """Return a ball on a cubic spring whose force also depends on time."""
    world = st.World(gravity=(0, 0, 0), time_step=h, settings=st.Settings(order=order))
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(0.9, 0, 0), name="ball")
    calls = []
    if function:

        def act(c):
            calls.append(c.time)
            x = c.body("ball").position
            c.force("ball", -40.0 * (x - (0.5, 0, 0)) ** 3 + (np.sin(3 * c.time), 0, 0))

        world.add_load(act)
    else:
        world.add_load(st.SpringDamper(None, ball, 0.5, 40.0, power=3.0))
    return world, ball, calls


@pytest.mark.parametrize(("order", "least"), [(2, 1.9), (4, 3.7), (6, 5.5)])
@pytest.mark.parametrize("function", [False, True])
def test_orders_of_compositions(order, least, function):
    """Converge with the order of the composition, since loads are evaluated in each of its sub-steps."""

    def rate(t, y):
        return [y[1], -40.0 * (y[0] - 0.5) ** 3 + (np.sin(3 * t) if function else 0.0)]

    exact = solve_ivp(rate, (0, 1.2), [0.9, 0], rtol=1e-13, atol=1e-14, method="DOP853").y[:, -1]
    errors = []
    for h in (0.06, 0.03):
        world, ball, _ = oscillator(h, order, function)
        integral = world.add_integral("t", lambda c: 2.0 * c.time)
        report = world.step(round(1.2 / h))
        assert report.order == order
        errors.append(np.abs([ball.position[0] - exact[0], ball.velocity[0] - exact[1]]).max())
        assert integral.value == pytest.approx(1.44, abs=1e-12)
    assert np.log2(errors[0] / errors[1]) > least, errors


def test_functions_are_called_as_the_page_says():
    """Call once per step at its middle; with order 4 for the step and for each sub-step, in their middles."""
    world, _, calls = oscillator(0.1, 2, True)
    world.step(3)
    assert calls == pytest.approx([0.05, 0.15, 0.25])
    world, _, calls = oscillator(0.1, 4, True)
    world.step()
    assert calls[0] == pytest.approx(0.05) and len(calls) in (4, 6)
    assert np.mean(calls[1:]) == pytest.approx(0.05)


def test_energies_of_composed_steps_add_up():
    """Count the work of loads over the sub-steps as the ledger does, with a pendulum set aside too."""
    world, ball, _ = oscillator(0.02, 4, True)
    rod = world.add_body(st.Box((1, 0.1, 0.1)), mass=2.0, position=(5.5, 0, 0), name="rod")
    hinge = world.add_joint(st.Hinge((5, 0, 0), (0, 1, 0)), None, rod)
    world.add_load(st.JointTorque(hinge, 2.0), name="motor")
    world.step(50)
    given = sum(load.energy for load in world.loads)
    assert given == pytest.approx(world.ledger.load_work, rel=1e-7)
    assert world.report.energy == pytest.approx(world.ledger.load_work, rel=1e-7)
    assert hinge.rate == pytest.approx(2.0 / (2 / 12 * 1.01 + 0.5) * world.time, rel=1e-7)


def sleeping_box():
    world = st.World(settings=st.Settings(sleeping=True, sleep_time=0.1))
    world.add_body(st.HalfSpace(), kind="static")
    rough = st.Material(friction=0.5)
    box = world.add_body(st.Box((1, 1, 1)), mass=2.0, position=(0, 0, 0.5), material=rough, name="box")
    return world, box


def test_loads_wake_what_sleeps_when_they_change():
    """Sleep under a constant load and on a spring; wake when it changes, goes, comes, or is switched."""
    world, box = sleeping_box()
    load = world.add_load(st.Force(box, (3, 0, 0)), name="push")
    anchor = world.add_load(st.SpringDamper((0, 0, 3), box, 1.0, 2.0, power=3.0), name="spring")
    world.step(60)
    assert box.asleep
    world.step(60)
    assert box.asleep
    for change in (
        lambda: setattr(load, "amount", (3.0, 0.001, 0)),
        lambda: setattr(load, "enabled", False),
        lambda: anchor.remove(),
        lambda: world.add_load(st.Torque(box, (0, 0, 0.1))),
    ):
        change()
        world.step()
        assert not box.asleep
        world.step(60)
        assert box.asleep
    load.enabled, load.amount = True, (30, 0, 0)
    world.step(100)
    assert box.velocity[0] > 1.0


def test_functions_of_time_wake_and_exact_rest_stays():
    """Wake by a force that begins at some time; rest exactly under one that stays."""
    world, box = sleeping_box()
    world.add_load(lambda c: c.force("box", (40 * (c.time > 1.0), 0, 0)))
    world.step(95)
    assert box.asleep
    world.step(50)
    assert not box.asleep and box.velocity[0] > 1.0
    world = st.World(settings=st.Settings(rest="exact"))
    world.add_body(st.HalfSpace(), kind="static")
    boxes = world.add_bodies(st.Box((1, 1, 1)), [(0, 0, 0.5), (0, 0, 1.5)], mass=2.0)
    load = world.add_load(st.Force(boxes[1], (1, 0, 0)))
    world.step(200)
    places = world.positions.copy()
    assert world.asleep[1:].all()
    load.amount = (1.001, 0, 0)
    world.step()
    assert not world.asleep.any() and np.abs(world.positions - places).max() < 1e-6


def test_planar_worlds_hold_loads_in_their_plane():
    """Take forces of points beside the plane, refuse vectors that lead out of it."""
    world = st.World(planar="xz", time_step=0.001)
    box = world.add_body(st.Box((1, 1, 1)), mass=2.0, name="box")
    world.add_load(st.SpringDamper((0, 0.7, 2), (box, (0, 0.3, 0.5)), 0.5, 30.0, power=2.0))
    world.add_load(lambda c: c.force("box", (1, 0, 0), at=(0, 0.2, 0.1)))
    world.step(100)
    assert box.position[1] == 0.0 and box.velocity[1] == 0.0
    assert box.angular_velocity[0] == 0.0 == box.angular_velocity[2]
    for wrong in (st.Force(box, (0, 1, 0)), st.Torque(box, (1, 0, 0)), st.Drag(box, wind=(0, 1, 0))):
        with pytest.raises(ValueError, match="leaves the plane xz"):
            world.add_load(wrong)


def test_bodies_that_do_not_react_take_no_part():
    """Pull at a body that moves as told: the other end feels it alone, and work is counted once."""
    world = st.World(gravity=(0, 0, 0))
    lift = world.add_body(st.Box((1, 1, 1)), kind="kinematic", velocity=(0, 0, 1), name="lift")
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(0, 0, 2), name="ball")
    load = world.add_load(st.SpringDamper(lift, ball, 2.0, 20.0, power=3.0))
    world.step(100)
    assert lift.position[2] == pytest.approx(1.0) and ball.velocity[2] > 0.5
    assert load.energy == pytest.approx(world.report.energy - 0.0, rel=1e-9)
    lift.kind = "dynamic"
    world.step(10)
    assert lift.velocity[2] != 1.0


def test_impacts_do_not_mislead_the_extrapolation():
    """Bounce with drag: the velocity of the impact is no acceleration, so the drag stays what it is."""
    world = st.World(time_step=0.01)
    bouncy = st.Material(restitution=1.0)
    world.add_body(st.HalfSpace(), kind="static", material=bouncy)
    ball = world.add_body(st.Sphere(0.1), mass=1.0, position=(0, 0, 1.0), material=bouncy, name="ball")
    load = world.add_load(st.Drag(ball, linear=0.05))
    fastest = 0.0
    for _ in range(300):
        world.step()
        fastest = max(fastest, np.linalg.norm(ball.velocity))
        assert load.effort <= 0.05 * (fastest + 0.1)


def test_removed_bodies_take_their_loads_along_and_others_stay():
    """Renumber rows when bodies go, joints too; what acts on others goes on to the bit."""
    world = st.World(gravity=(0, 0, 0))
    balls = world.add_bodies(st.Sphere(0.1), [(i, 0, 0) for i in range(5)], mass=1.0)
    loads = [world.add_load(st.SpringDamper((0, 1, 0), ball, 0.5, 5.0, power=2.0)) for ball in balls]
    joint = world.add_joint(st.Ball((1.5, 0, 0)), balls[1], balls[2])
    world.add_load(st.JointTorque(joint, (0, 0, 1.0)), name="turn")
    world.step(5)
    twin = world.copy()
    world.remove_body(balls[0])
    world.remove_body(balls[1])
    assert [load.name for load in world.loads] == ["load 2", "load 3", "load 4"]
    world.step(20)
    twin.step(20)
    assert np.array_equal(balls[4].position, twin.body("body 4").position)
    assert loads[4].effort == twin.load("load 4").effort


def test_undone_steps_leave_loads_as_they_were():
    """Return memory, integrals and energies when a body runs away, or Ctrl-C comes."""
    world = st.World()
    world.add_body(st.Sphere(0.1), mass=1.0, name="ball")

    def count(c):
        c.scratch[0] += 1
        c.force("ball", (1e9 * (c.step == 3), 0, 0))

    load = world.add_load(count, scratch=1)
    way = world.add_integral("t", lambda c: 1.0)
    with pytest.raises(st.SimulationError, match="ran away"):
        world.step(10)
    assert world.step_count == 3 and load.scratch.tolist() == [3.0]
    assert way.value == pytest.approx(0.03)

    def stop(c):
        raise KeyboardInterrupt

    bad = world.add_load(stop)
    before = world.state_hash()
    with pytest.raises(KeyboardInterrupt):
        world.step()
    assert world.state_hash() == before and load.scratch.tolist() == [3.0]
    bad.remove()
