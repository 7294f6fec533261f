"""The schema of models in XML, from the records: python -m stoss.engine.model.xml_schema prints model.xsd."""

from xml.sax.saxutils import quoteattr

from stoss.engine.model import records
from stoss.engine.model.kinds import types_of
from stoss.engine.model.model import Model
from stoss.engine.model.model_data import ModelData
from stoss.engine.model.schema import SINGULAR, Form, forms, settings_forms
from stoss.engine.model.shorthands import SHORTHANDS
from stoss.engine.model.xml_files import NAMESPACE
from stoss.engine.settings import Settings

__all__ = ["xml_schema"]

_RECORDS = (
    *(
        Model,
        records.WorldSettings,
        records.Law,
        records.Material,
        records.MaterialPair,
        records.Mesh,
        records.Shape,
    ),
    *(records.Frame, records.Marker, records.Body, records.Kind, records.Action, records.Joint),
    *(records.Load, records.Coordinate, records.Initial, records.Recording, records.Camera, records.SubModel),
)

_HEAD = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Models of stoss in XML. Made by python -m stoss.engine.model.xml_schema -->
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="{NAMESPACE}" targetNamespace="{NAMESPACE}"
    elementFormDefault="qualified">
  <xs:element name="model" type="Model"/>
  <!-- a number, or an expression of parameters -->
  <xs:simpleType name="number">
    <xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="numbers"><xs:list itemType="number"/></xs:simpleType>
  <xs:simpleType name="numbers4">
    <xs:restriction base="numbers"><xs:length value="4"/></xs:restriction>
  </xs:simpleType>
  <!-- of a planar model two numbers are enough -->
  <xs:simpleType name="vector">
    <xs:restriction base="numbers"><xs:minLength value="2"/><xs:maxLength value="3"/></xs:restriction>
  </xs:simpleType>
  <xs:complexType name="Named">
    <xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="value" type="xs:string" use="required"/>
  </xs:complexType>
  <xs:complexType name="Pair">
    <xs:attribute name="first" type="xs:string" use="required"/>
    <xs:attribute name="second" type="xs:string" use="required"/>
  </xs:complexType>
  <xs:complexType name="Include">
    <xs:attribute name="file" type="xs:string" use="required"/>
  </xs:complexType>
"""


def xml_schema() -> str:
    """Return the schema as a text."""
    types = [_record(record) for record in _RECORDS]
    types.append(_type("Settings", settings_forms(), frozenset(), None))
    return _HEAD + "\n".join(types) + "\n</xs:schema>\n"


def _record(record: type[records.Record]) -> str:
    import msgspec

    required = {field.name for field in msgspec.structs.fields(record) if field.required}
    return _type(record.__name__, forms(record), frozenset(required), record)


def _type(
    name: str, known: dict[str, Form], required: frozenset[str], record: type[records.Record] | None
) -> str:
    elements, attributes = [], []
    if record is Model:
        elements.append('<xs:element name="include" type="Include"/>')
    for field, form in known.items():
        if form.what in ("records", "record", "map", "rows"):
            elements.append(
                f'<xs:element name="{SINGULAR.get(field, field)}" type={quoteattr(_element(form))}/>'
            )
        else:
            use = ' use="required"' if field in required else ""
            attributes.append(_attribute(field, form, use, record))
    if record is not None:
        short = SHORTHANDS.get(record, {})
        attributes += [f'<xs:attribute name="{key}" type="number"/>' for key in short if key == "angle"]
        attributes += [
            f'<xs:attribute name="{key}" type="numbers4"/>' for key in short if key == "axis_angle"
        ]
    inner = "".join(f"\n      {one}" for one in elements)
    choice = (
        f'\n    <xs:choice minOccurs="0" maxOccurs="unbounded">{inner}\n    </xs:choice>' if inner else ""
    )
    rest = "".join(f"\n    {one}" for one in attributes)
    return f'  <xs:complexType name="{name}">{choice}{rest}\n  </xs:complexType>'


def _element(form: Form) -> str:
    if form.what == "rows":
        return "xs:string"
    if form.what == "map" or form.of is records.Parameter:
        return "Named"
    if isinstance(form.of, tuple):
        return "Pair"
    if form.of is Settings:
        return "Settings"
    return "Model" if form.of is ModelData else form.of.__name__


def _attribute(field: str, form: Form, use: str, record: type[records.Record] | None) -> str:
    if field == "type" and record is not None:
        values = "".join(f"<xs:enumeration value={quoteattr(one)}/>" for one in types_of(record))
        kind = f'<xs:simpleType><xs:restriction base="xs:string">{values}</xs:restriction></xs:simpleType>'
        return f'<xs:attribute name="type"{use}>{kind}</xs:attribute>'
    sized = {3: "vector", 4: "numbers4"}
    types = {
        "number": "number",
        "whole": "xs:integer",
        "flag": "xs:boolean",
        "numbers": sized.get(form.size or 0, "numbers"),
    }
    return f'<xs:attribute name="{field}" type="{types.get(form.what, "xs:string")}"{use}/>'


if __name__ == "__main__":
    print(xml_schema(), end="")
