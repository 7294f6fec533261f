"""Laws of friction and contact in models."""

import json

import pytest

import stoss as st
from stoss.engine.model.errors import ModelError
from stoss.engine.model.kinds import LAWS
from stoss.engine.model.laws import law_of, law_record
from stoss.engine.model.records import Law

DRY = st.Coulomb(0.4, 0.5)
ALL = [
    st.Viscous(2.0),
    DRY,
    st.Regularised(0.4, 0.01),
    st.Stribeck(static=0.6, dynamic=0.3, speed=0.05, viscous=0.1, decay="lorentz"),
    st.ContinuousStribeck(static=0.6, dynamic=0.3, speed=0.05, sticks=True),
    st.Dahl(0.4, 1e4),
    st.LuGre(static=0.6, dynamic=0.3, speed=0.05, stiffness=1e4),
    st.Filtered(st.Regularised(0.4, 0.01), 0.1, hold_speed=0.01),
    st.Anisotropic(DRY, 0.5, direction=(0, 1, 0)),
    st.RestrictionContact(max_force=400.0, compression=1e-3, damping=0.3),
    st.BarrierContact(max_force=400.0, compression=1e-3, thickness=0.01),
    st.HuntCrossleyContact(1e5, 0.1),
    st.HertzContact(1e6),
    st.SpringDashpotContact(1e5, 20.0),
]


def test_all_laws_of_numbers_have_a_type():
    """Leave none out but functions of the user."""
    assert {type(law) for law in ALL} == set(LAWS.values())
    with pytest.raises(ValueError, match="cannot be in a model"):
        law_record(st.FrictionLaw())


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
@pytest.mark.parametrize("law", ALL, ids=lambda law: type(law).__name__)
def test_a_law_comes_back_from_a_file(law, form):
    """Be equal, in a material and in a pair of materials."""
    touching = isinstance(law, st.ContactLaw)
    name = "contact_law" if touching else "friction_law"
    made = st.Model(
        materials=(
            st.engine.model.Material(name="a", **{name: law_record(law)}),
            st.engine.model.Material(name="b"),
        ),
        material_pairs=(st.engine.model.MaterialPair(first="a", second="b", **{name: law_record(law)}),),
    )
    again = st.Model.loads(made.dumps(form), form)
    assert again == made
    for record in (again.materials[0], again.material_pairs[0]):
        assert law_of(getattr(record, name)) == law


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
@pytest.mark.parametrize("law", [one for one in ALL if type(one) is not st.BarrierContact], ids=repr)
def test_a_law_that_only_a_pair_has(law, form):
    """Describe a world whose materials have no law, and move the same to the bit."""
    world = st.World()
    ice, steel = st.Material(0.3, 0.2, name="ice"), st.Material(0.5, 0.4, name="steel")
    world.add_body(st.HalfSpace(), kind="static", material=ice)
    world.add_body(st.Sphere(0.1), position=(0, 0, 0.3), velocity=(1, 0, 0), material=steel)
    of_contact = isinstance(law, st.ContactLaw)
    world.set_material_pair(ice, steel, **({"contact_law": law} if of_contact else {"friction": law}))
    model = st.Model.loads(st.Model.of(world).dumps(form), form)
    assert model.material_pairs and all(one.contact_law is None for one in model.materials)
    twin = model.build()
    for one in (world, twin):
        one.step(60)
    assert twin.state_hash() == world.state_hash()


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (Law(type="stribek"), "stribeck"),
        (Law(type="stribeck", static=0.5), "needs dynamic, speed"),
        (Law(type="coulomb", dynamic=0.5, level=0.9), "level is no key of a coulomb"),
        (Law(type="coulomb", dynamic=0.5, static=0.4), "static = 0.4"),
    ],
)
def test_what_is_no_law_is_told(record, told):
    """Name the key and the cure."""
    with pytest.raises((ModelError, ValueError), match=told):
        law_of(record)


@pytest.mark.parametrize("form", ["toml", "json", "xml"])
def test_a_law_on_a_joint_comes_back_from_a_file(form):
    """Resist as before, and be described by recorders; dry friction has a force and no law."""
    law = st.LuGre(static=0.6, dynamic=0.3, speed=0.05, stiffness=1e4)
    world = st.World()
    wheel = world.add_body(st.Sphere(0.2), position=(0, 0, 1), mass=1.0)
    hinge = world.add_joint(st.Hinge((0, 0, 1), (0, 1, 0)), None, wheel)
    hinge.friction_law = law
    hinge.friction(0.1)
    wheel.angular_velocity = (0, 20.0, 0)
    model = st.Model.of(world)
    assert [one.type for one in model.joints[0].actions] == ["friction", "friction"]
    again = st.Model.loads(model.dumps(form), form).build()
    assert again.joints[0].friction_law == law
    world.step(20), again.step(20)
    assert again.state_hash() == world.state_hash()
    with st.Recorder(world, "joint.*") as recorder:
        world.step(2)
    assert recorder.recording.world().joints[0].friction_law == law


def test_friction_of_a_joint_has_a_force_or_a_law():
    """Name what is missing, or too much."""
    action = {"type": "friction", "max_force": 1.0, "law": {"type": "coulomb", "dynamic": 0.4}}
    for keys in (("type",), ("type", "max_force", "law")):
        ball = {"shapes": [{"type": "sphere", "radius": 0.1}]}
        text = {
            "bodies": {"a": ball},
            "joints": {"j": {"type": "hinge", "second": "a", "point": [0, 0, 0], "axis": [0, 1, 0]}},
        }
        text["joints"]["j"]["actions"] = [{key: action[key] for key in keys}]
        with pytest.raises((ModelError, ValueError), match="max_force or law"):
            st.Model.loads(json.dumps(text), "json").build()
