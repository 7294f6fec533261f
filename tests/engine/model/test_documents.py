"""What is written about models is true: the page's examples run, its tables and the schema are up to date."""

import re
from pathlib import Path

import msgspec
import pytest
from lxml import etree

import stoss as st
from stoss.engine.model import records
from stoss.engine.model.keys import key_tables
from stoss.engine.model.kinds import ACTIONS, JOINT_KINDS, SHAPES, arguments
from stoss.engine.model.xml_schema import xml_schema
from stoss.scenes import SCENES
from tests.engine.model.test_files import LEG, PENDULUM
from tests.engine.model.test_worlds import small

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "models.md").read_text()
SCHEMA = ROOT / "engine" / "model" / "model.xsd"


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_programs_of_the_page_run(tmp_path, monkeypatch):
    """Run them one after the other, with the file of the page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.toml").write_text(_blocks("toml")[0])
    names = {}
    for block in _blocks("python"):
        exec(compile(block, "docs/models.md", "exec"), names)
    assert names["longer"].joint("pin").error < 1e-12
    assert names["heavy"].build().masses[0] > 7 * names["model"].build().masses[0]
    assert len(st.Model.load("now.json").bodies) == 1


def test_the_page_lists_all_keys():
    """Have the tables that `python -m stoss.engine.model.keys` prints."""
    written = re.search(r"<!-- KEYS -->\n(.*)\n<!-- END OF KEYS -->", PAGE, re.DOTALL)
    assert written is not None and written[1] == key_tables()


def test_the_schema_is_that_of_the_records():
    """Have the text that `python -m stoss.engine.model.xml_schema` prints."""
    assert SCHEMA.read_text() == xml_schema()


@pytest.fixture(scope="module")
def schema():
    return etree.XMLSchema(etree.parse(str(SCHEMA)))


@pytest.mark.parametrize("name", SCENES)
def test_models_in_xml_are_valid(name, schema):
    """Write what the schema allows, of every scene."""
    schema.assertValid(etree.fromstring(st.Model.of(small(name)).dumps("xml").encode()))


def test_what_people_write_in_xml_is_valid(schema):
    """Allow expressions, models within models, and what the page shows; refuse what models do not have."""
    both = st.Model(
        models=(records.SubModel(name="leg", model=st.Model.loads(LEG), params={"length": 2.0}),),
        exclude=(("leg/thigh", "leg/shank"),),
        initial=records.Initial(anchors={"leg/thigh": (1.0, 2, 3)}, at={"a": "b"}),
    )
    for text in (*_blocks("xml"), st.Model.loads(PENDULUM).dumps("xml"), both.dumps("xml")):
        schema.assertValid(etree.fromstring(text.encode()))
        st.Model.loads(text, "xml")
    for broken in ('<body name="a" masss="3"/>', "<bodi/>", '<joint name="a" type="hing"/>', "<body/>"):
        text = f'<model xmlns="urn:stoss:model">{broken}</model>'
        assert not schema.validate(etree.fromstring(text))


def test_records_have_all_arguments_of_the_api():
    """Have a field for each argument of each shape, joint kind and drive, so that none cannot be written."""
    for base, types in ((records.Shape, SHAPES), (records.Kind, JOINT_KINDS), (records.Action, ACTIONS)):
        for name in types:
            assert set(arguments(base, name)) <= set(base.__struct_fields__)


def test_defaults_are_those_of_the_api():
    """Have the defaults of `World.add_body` and `World.add_joint` where a record has one of its own."""
    import inspect

    for method, record in ((st.World.add_body, records.Body), (st.World.add_joint, records.Joint)):
        own = {field.name: field.default for field in msgspec.structs.fields(record)}
        for name, parameter in inspect.signature(method).parameters.items():
            if name in own and own[name] not in (None, msgspec.NODEFAULT) and parameter.default != ():
                assert own[name] == parameter.default, name
