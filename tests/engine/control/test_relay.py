"""Functions that are called by events."""

from typing import Any

import numpy as np
import pytest

import stoss as st


def falling() -> tuple[st.World, st.Body, st.Body, st.Body]:
    """Two balls that fall from 0.5 and 1 m and bounce."""
    world = st.World()
    elastic = st.Material(restitution=0.8)
    ground = world.add_body(st.HalfSpace(), kind="static", name="ground", material=elastic)
    low = world.add_body(st.Sphere(0.1), position=(0, 0, 0.6), mass=1.0, name="low", material=elastic)
    high = world.add_body(st.Sphere(0.1), position=(3, 0, 1.1), mass=1.0, name="high", material=elastic)
    return world, ground, low, high


def test_contacts_that_begin_and_end_are_told() -> None:
    """Call for each contact that begins and ends, in its step, by the order of the bodies."""
    world, ground, low, high = falling()
    told: list[Any] = []
    world.on("contact_begin", lambda e: told.append(("begin", e.bodies, e.step)))
    world.on("contact_end", lambda e: told.append(("end", e.bodies, e.step)))
    expected: list[Any] = []
    for _ in range(150):
        world.step()
        for kind, pairs in (("begin", world.events.begin), ("end", world.events.end)):
            expected += [
                (kind, (world.bodies[a], world.bodies[b]), world.step_count) for a, b in pairs.tolist()
            ]
    assert told == expected and len(told) > 6
    first = next(step for kind, bodies, step in told if low in bodies)
    assert 0.01 * first == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=0.011)
    assert ground in told[0][1]


def test_bodies_choose_the_contacts() -> None:
    """Call for contacts of a body, or of two, and not for others; `remove` and `enabled` end it."""
    world, ground, low, high = falling()
    counts = {"low": 0, "pair": 0, "none": 0, "any": 0}

    def count(name: str) -> Any:
        def add(event: st.Event) -> None:
            counts[name] += 1
            assert len(event.contacts) >= 1

        return add

    subscriptions = {
        "low": world.on("contact_begin", count("low"), bodies=low),
        "pair": world.on("contact_begin", count("pair"), bodies=(ground, high)),
        "none": world.on("contact_begin", count("none"), bodies=[low, high]),
        "any": world.on("contact_begin", count("any")),
    }
    world.step(100)
    assert counts["low"] >= 1 and counts["pair"] >= 1 and counts["none"] == 0
    assert counts["any"] == counts["low"] + counts["pair"]
    subscriptions["any"].remove()
    subscriptions["low"].enabled = False
    before = dict(counts)
    world.step(100)
    assert (counts["any"], counts["low"]) == (before["any"], before["low"])
    assert counts["pair"] > before["pair"]
    with pytest.raises(ValueError, match="removed before"):
        subscriptions["any"].remove()


def test_joints_that_break_are_told() -> None:
    """Call once, with the joint, in the step in which it breaks."""
    world = st.World()
    weight = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(0, 0, -1), mass=1.0, name="weight")
    rope = world.add_joint(st.Ball((0, 0, 0)), None, weight, name="rope")
    other = world.add_body(st.Box((0.2, 0.2, 0.2)), position=(3, 0, -1), mass=1.0)
    strong = world.add_joint(st.Ball((3, 0, 0)), None, other, name="strong")
    rope.break_force = strong.break_force = 15.0
    told: list[Any] = []
    world.on("joint_broken", lambda e: told.append((e.joint.name, e.bodies, e.step)), joints=[rope, strong])
    world.on("joint_broken", lambda e: told.append("wrong"), joints=strong)
    world.at(0.5, lambda w: w.body("weight").apply_force((0, 0, -10)))
    world.step(100)
    assert told == [("rope", (weight,), 51)]
    assert rope.broken and not strong.broken


@pytest.mark.parametrize(
    ("options", "bounces"),
    [({"restitution": 0.6}, True), ({}, False), ({"stiffness": 500.0, "damping": 5.0}, False)],
)
def test_joints_that_reach_a_stop_are_told(options: dict[str, float], bounces: bool) -> None:
    """Call at each bounce of an elastic stop, and once where it comes to rest, with the side."""
    world = st.World(gravity=(0, 0, 0))
    body = world.add_body(st.Cylinder(0.5, 0.1), mass=2.0, angular_velocity=(0, 0, 2.0))
    axle = world.add_joint(st.Hinge((0, 0, 0), (0, 0, 1)), None, body)
    axle.limit(-0.5, 0.3, **options)
    told: list[Any] = []
    world.on("joint_at_stop", lambda e: told.append((e.coordinate, e.stop, e.time)), joints=axle)
    world.step(200)
    assert told[0][:2] == ("angle", "upper")
    assert told[0][2] == pytest.approx(0.3 / 2.0, abs=0.011)
    sides = [stop for _, stop, _ in told]
    if bounces:
        assert sides[:3] == ["upper", "lower", "upper"]
    else:
        assert sides[:1] == ["upper"] and len(sides) <= 2


def test_functions_are_called_at_times() -> None:
    """Call before the first step that begins at that time or later, once or again and again."""
    world, *_ = falling()
    told: list[Any] = []
    world.at(0.3, lambda w: told.append(("once", round(w.time, 6))))
    again = world.at(0.1, lambda w: told.append(("again", round(w.time, 6))), every=0.25)
    world.at(0.305, lambda w: told.append(("between", round(w.time, 6))))
    world.step(90)
    assert told == [
        ("again", 0.1),
        ("once", 0.3),
        ("between", 0.31),
        ("again", 0.35),
        ("again", 0.6),
        ("again", 0.85),
    ]
    again.remove()
    world.step(60)
    assert len(told) == 6
    with pytest.raises(ValueError, match="is over"):
        world.at(0.2, print)


def test_times_come_again_after_a_restore() -> None:
    """Call again what lies after the time of a snapshot, and leave out what lies before it."""
    world, *_ = falling()
    told: list[float] = []
    world.at(0.1, lambda w: told.append(w.time))
    world.at(0.5, lambda w: told.append(w.time))
    world.step(30)
    saved = world.save()
    world.step(40)
    world.restore(saved)
    world.step(40)
    assert told == pytest.approx([0.1, 0.5, 0.5])


def test_functions_may_change_the_world() -> None:
    """Go on where a function removes bodies that later events of the step are about, or itself."""
    world, ground, low, high = falling()
    high.position = (3, 0, 0.6)
    told: list[str] = []

    def remove(event: st.Event) -> None:
        told.append("/".join(body.name for body in event.bodies))
        subscription.remove()
        event.world.remove_body(high)

    subscription = world.on("contact_begin", remove)
    world.on("contact_begin", lambda e: told.append("second"))
    world.step(60)
    assert told[:2] == ["ground/low", "second"]
    assert "ground/high" not in told and len(world.bodies) == 2


def test_a_function_that_raises_is_named() -> None:
    """Name function, event and step; after an event the step stands, before a step it is taken back."""
    world, ground, low, high = falling()

    def broken(event: Any) -> None:
        raise KeyError("oops")

    world.on("contact_begin", broken, bodies=low)
    with pytest.raises(
        st.ControlError, match=r"broken, called for contact_begin in step (\d+), raised KeyError"
    ) as e:
        world.step(100)
    assert world.step_count == e.value.step
    assert isinstance(e.value.__cause__, KeyError)
    world.step()  # the next one is made
    at = world.state_hash(), world.step_count
    world.at(world.time, broken)
    with pytest.raises(st.ControlError, match="the step was not made"):
        world.step()
    assert (world.state_hash(), world.step_count) == at


def test_copies_call_functions_of_the_copy() -> None:
    """Tell functions of the copy's own bodies, and refuse a function that would act on the original."""
    world, ground, low, high = falling()
    seen: list[st.World] = []
    world.on("contact_begin", lambda e: seen.append(e.world))
    twin = world.copy()
    twin.step(60)
    assert {id(one) for one in seen} == {id(twin)}
    assert world.copy(callbacks=False)._control is not None

    def act(event: st.Event) -> None:
        low.apply_force((1, 0, 0))

    world.on("contact_end", act)
    with pytest.raises(ValueError, match="contact_end: .*act refers to low"):
        world.copy()


def test_wrong_subscriptions_are_refused() -> None:
    """Name argument, value and cure."""
    world, ground, low, high = falling()
    with pytest.raises(ValueError, match="did you mean|contact_begin"):
        world.on("contact_start", print)
    with pytest.raises(TypeError, match="function = 5"):
        world.on("contact_begin", 5)
    with pytest.raises(ValueError, match="give joints="):
        world.on("joint_broken", print, bodies=low)
    with pytest.raises(ValueError, match="give bodies="):
        world.on("contact_end", print, joints=low)
    with pytest.raises(TypeError, match="bodies = .* must be a Body"):
        world.on("contact_end", print, bodies="low")
    with pytest.raises(ValueError, match="in another world"):
        world.on("contact_end", print, bodies=falling()[1])
    with pytest.raises(ValueError, match="every = 0"):
        world.at(1.0, print, every=0)
