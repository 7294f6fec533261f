"""Broken files cost one message each, and nothing else."""

import gc
import json
import os
import re
import tracemalloc

import numpy as np
import pytest

import stoss as st

BODY = "[bodies.a]\nshapes = [{ type = 'box', size = [1, 1, 1] }]\n"
JOINT = BODY + "[joints.j]\nsecond = 'a'\n"
HINGE = JOINT + "type = 'hinge'\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
BOMB = '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">' + "".join(
    f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
)

# A text in TOML, and what its message must hold.
TOML = [
    ("bodies", "line 1.*no TOML"),
    ("[bodies.a", "line 1.*no TOML"),
    ("[bodies.a]\n[bodies.a]", "line 2.*no TOML"),
    ("x = 1", "line 1: x: .*no key 'x'"),
    ("bodies = 3", "bodies: 3 must be a table"),
    ("bodies = [1]", "bodies: .*must be a table"),
    ("[bodies]\na = 3", "line 2: bodies.a: 3 must be a table"),
    ("[body.a]", "body: .*did you mean bodies"),
    (BODY + "masss = 3", "line 3: bodies.a.masss: .*did you mean mass"),
    (BODY + "weight = 3", "line 3.*did you mean mass"),
    (BODY + "name = 'b'", "line 3: bodies.a.name: its name is the key"),
    (BODY + "mass = 'kp'", "line 3: bodies.a.mass: 'kp' is no parameter"),
    (BODY + "mass = true", "line 3: bodies.a.mass: True: expected float"),
    (BODY + "mass = [1]", "bodies.a.mass: .*expected float"),
    (BODY + "mass = nan", "line 3: bodies.a.mass: nan"),
    (BODY + "mass = inf", "bodies.a.* inf"),
    (BODY + "mass = -1", "bodies.a.*mass = -1"),
    (BODY + "mass = 0", "bodies.a.*mass = 0"),
    (BODY + "mass = 1\ndensity = 2", "bodies.a.*exactly one"),
    (BODY + "density = 'a b'", "line 3: bodies.a.density: 'a b' is no number"),
    (BODY + "mass = '1/0'", "line 3.*no value"),
    (BODY + "mass = '9**9**9**9'", "line 3.*no value"),
    (BODY + "mass = '__import__(\"os\")'", "line 3.*no function|line 3.*no arithmetic"),
    (BODY + f"mass = '{'(' * 400}1{')' * 400}'", "line 3.*no number"),
    (BODY + f"mass = '{'1+' * 600}1'", "line 3.*characters"),
    (BODY + f"mass = '{'-' * 300}1'", "line 3.*deeper"),
    (BODY + "mass = 'open'", "line 3.*no parameter"),
    (BODY + "position = [1, 2]", "line 3: bodies.a.position: .*length 3"),
    (BODY + "position = [1, 2, 3, 4]", "line 3: bodies.a.position: .*length 3"),
    (BODY + "position = 1", "line 3: bodies.a.position: 1: expected array"),
    (BODY + "position = [1, 2, nan]", r"line 3: bodies.a.position\[2\]: nan"),
    (BODY + "position = [1, 2, inf]", "bodies.a.*position"),
    (BODY + "position = [1, 2, 'x']", r"line 3: bodies.a.position\[2\]: 'x' is no parameter"),
    (BODY + "position = { x = 1 }", "line 3: bodies.a.position: .*expected array"),
    (BODY + "quaternion = [1, 1, 0, 0]", "bodies.a.*quaternion"),
    (BODY + "quaternion = [0, 0, 0, 0]", "bodies.a.*quaternion"),
    (BODY + "axis_angle = [0, 0, 1]", "bodies.a: axis_angle .*four numbers"),
    (BODY + "axis_angle = [0, 0, 0, 1]", "bodies.a"),
    (BODY + "angle = 1", "line 1: bodies.a: angle.*not planar"),
    (BODY + "axis_angle = [0,0,1,1]\nquaternion = [1,0,0,0]", "bodies.a: .*give one"),
    (BODY + "kind = 'dynamik'", "bodies.a.*dynamic"),
    (BODY + "kind = 3", "line 3: bodies.a.kind: 3: expected str"),
    (BODY + "kind = 'static'\nmass = 2", "bodies.a.*static"),
    (BODY + "kind = 'static'\nvelocity = [1, 0, 0]", "bodies.a.*static"),
    (BODY + "color = 'orangge'", "bodies.a.*orange"),
    (BODY + "color = [1, 2, 3]", "bodies.a.*color"),
    (BODY + "group = 1.5", "line 3: bodies.a.group: 1.5: expected int"),
    (BODY + "mask = 'all'", "line 3: bodies.a.mask: 'all': expected int"),
    (BODY + "material = 'ice'", "line 3: bodies.a.material: 'ice' is no material"),
    (BODY + "solver = 'fast'", "bodies.a.*solver"),
    (BODY + "inertia = [1, 1, 3]\nmass = 1", "bodies.a.*inertia"),
    (BODY + "inertia = [1, 1, 1]", "bodies.a.*give mass"),
    (BODY + "center = [1, 1, 1]", "bodies.a.*without inertia"),
    (BODY + "mass_mesh = 'm'", "line 3: bodies.a.mass_mesh: 'm' is no mesh"),
    (BODY + "markers = [1]", "line 3: bodies.a.markers: .*table"),
    (BODY + "markers = { m = 1 }", "line 3: bodies.a.markers.m: 1 must be a table"),
    (BODY + "markers = { m = { pos = [0,0,0] } }", "line 3: bodies.a.markers.m.pos: .*did you mean position"),
    ("[bodies.a]\nmarkers = {}", "bodies.a.*no mass"),
    (
        "[bodies.a]\nshapes = [{ type = 'cube', size = [1,1,1] }]",
        r"line 2: bodies.a.shapes\[0\].type: .*'box'",
    ),
    ("[bodies.a]\nshapes = [{ size = [1,1,1] }]", r"line 2: bodies.a.shapes\[0\]: type is missing"),
    ("[bodies.a]\nshapes = [{ type = 'box' }]", "bodies.a.*size is missing"),
    ("[bodies.a]\nshapes = [{ type = 'box', radius = 1 }]", "bodies.a.*radius is no key of a box"),
    ("[bodies.a]\nshapes = [{ type = 'box', size = [1,1,0] }]", "bodies.a.*size"),
    ("[bodies.a]\nshapes = [{ type = 'sphere', radius = -1 }]", "bodies.a.*radius"),
    ("[bodies.a]\nshapes = [{ type = 'convex_hull', mesh = 'm' }]", "bodies.a.*'m' is no mesh"),
    ("[bodies.a]\nshapes = [{ type = 'half_space' }]", "bodies.a.*static"),
    ("[bodies.a]\nshapes = 3", "line 2: bodies.a.shapes: 3 must be a list"),
    ("[bodies.a]\nshapes = [3]", r"line 2: bodies.a.shapes\[0\]: 3 must be a table"),
    ("[meshes.m]\nvertices = [[0,0,0]]\n" + BODY + "mass_mesh = 'm'", "bodies.a"),
    ("[meshes.m]\nvertices = [[0,0]]", r"line 2: meshes.m.vertices.*length 3"),
    (
        "[meshes.m]\nvertices = [[0,0,0]]\nfaces = [[0, 1, 2]]\n" + BODY + "mass_mesh = 'm'",
        "bodies.a.*no polygon",
    ),
    ("[meshes.m]\n" + BODY + "mass_mesh = 'm'", "bodies.a.*neither"),
    ("[meshes.m]\nfile = 'm.obj'", "line 2: meshes.m.file: .*no folder"),
    (JOINT, "line 3: joints.j: type is missing"),
    (JOINT + "type = 'hing'", "line 5: joints.j.type: .*did you mean hinge"),
    (JOINT + "type = 'revolute'", "line 5: joints.j.type: .*'hinge' here"),
    (JOINT + "type = 'hinge'", "joints.j: point is missing"),
    (JOINT + "type = 'hinge'\npoint = [0, 0, 0]\naxis = [0, 0, 0]", "joints.j.*axis"),
    (
        HINGE + "pitch = 1",
        "joints.j: pitch is no key of a hinge",
    ),
    (
        JOINT + "type = 'ball'\nfirst = 'b'\npoint = [0,0,0]",
        "line 6: joints.j.first: 'b' is no body|joints.j.first",
    ),
    (JOINT + "type = 'ball'\nfirst = 'a'\npoint = [0,0,0]", "joints.j.*two different bodies"),
    (JOINT + "type = 'ball'\npoint = [0,0,0]\nmotor = { velocity = 1 }", "joints.j.*coordinate"),
    (
        HINGE + "motor = 3",
        "joints.j: motor = 3 must be a table",
    ),
    (HINGE + "motor = { speed = 3 }", "actions.*speed"),
    (
        HINGE + "limit = { lower = 2, upper = 1 }",
        "joints.j.*lower",
    ),
    (
        HINGE + "servo = { target = 1 }",
        "stiffness is missing",
    ),
    (
        JOINT
        + "type = 'hinge'\npoint = [0,0,0]\naxis = [0,0,1]\nmotor = { times = [1, 0], values = [0, 0] }",
        "sorted",
    ),
    (JOINT + "type = 'compose'", "joints.j: kinds is missing"),
    (
        JOINT + "type = 'gear'\njoint_1 = 'x'\njoint_2 = 'y'\nratio = 2",
        "line 6: joints.j.joint_1: 'x' is no joint",
    ),
    (BODY + "[coordinates.c]\njoint = 'j'", "line 4: coordinates.c.joint: 'j' is no joint"),
    (BODY + "[world]\ngravity = 9.81", "line 4: world.gravity: 9.81: expected array"),
    (BODY + "[world]\ntime_step = 0", "world: time_step"),
    (BODY + "[world.settings]\nsweep = 3", "line 4: world.settings.sweep: .*did you mean sweeps"),
    (BODY + "[world.settings]\nsweeps = 'many'", "sweeps"),
    (BODY + "[world.settings]\norder = 3", "world.settings: .*order = 3"),
    (BODY + "[world]\nplanar = 'zx'", "world: planar = 'zx'"),
    ("[params]\na = 'b'\nb = 'c'\nc = 'a'", "line 2: params.a: it depends on itself: a -> b -> c -> a"),
    ("[params]\na = 'a'", "line 2: params.a: it depends on itself"),
    ("[params]\na = nan", "line 2: params.a: a = nan"),
    ("[params]\na = [1]", "line 2: params.a: .*number or an expression"),
    ("[params]\n'a b' = 1", "params.*no name"),
    ("[params]\npi = 3", "line 2: params.pi: the name is taken"),
    ("include = ['x.toml']", "line 1: include.*no folder"),
    ("include = 3", "line 1: include: .*list of files"),
    ("[models.m]", "line 1: models.m: it has neither file nor model"),
    ("[models.m]\nfile = 'x.toml'", "line 2: models.m.file: .*no folder"),
    ("[models.m]\nmodel = 3", "3 is no model"),
    ("[models.m.model.bodies.a]\nmas = 3", "line 2: models.m.model.bodies.a.mas: .*did you mean mass"),
    ("exclude = [['a', 'b']]", "exclude.*'a' is no body"),
    ("exclude = [['a']]", "exclude.*pair of names"),
    (f"x = {'[' * 3000}{']' * 3000}", "too deep"),
    ("camera = { azimut = 1 }", "line 1: camera.azimut: .*did you mean azimuth"),
]

# Texts in JSON and XML.
OTHERS = [
    ("json", "{", "line 1.*no JSON"),
    ("json", "", "line 1.*no JSON"),
    ("json", "[]", r"\[\] is no model"),
    ("json", "3", "3 is no model"),
    ("json", '{"bodies": {"a": {"mass": NaN}}}', "line 1: bodies.a.mass: nan"),
    ("json", '{"bodies": {"a": {}, "a": {}}}', "'a' is there twice"),
    ("json", '{\n"bodies": {\n"a": {\n"masss": 3}}}', "line 4: bodies.a.masss"),
    ("json", '{"world": null}', "world: None must be a table"),
    ("json", '{"bodies": {"a": {"mass": "' + "x" * 5000 + '"}}}', "characters"),
    ("json", "[" * 100000, "too deep|no JSON"),
    ("xml", "", "no XML"),
    ("xml", "<model>", "no XML"),
    ("xml", "<robot/>", "outermost element is <robot>"),
    ("xml", "<model><bodi name='a'/></model>", "line 1: there is no <bodi> in <model>.*body"),
    ("xml", "<model>\n<body name='a'\n masss='3'/></model>", "line 2: bodies.a.masss"),
    ("xml", "<model><body/></model>", "line 1: <body> has no name"),
    ("xml", "<model><body name='a'/><body name='a'/></model>", "another <body name='a'>"),
    ("xml", "<model>\n<body name='a' mass='heavy'/></model>", "line 2: bodies.a.mass: 'heavy'"),
    ("xml", "<model><body name='a' position='1 2'/></model>", "line 1: bodies.a.position: .*length 3"),
    ("xml", "<model><gravity>1</gravity></model>", "no <gravity> in <model>"),
    ("xml", BOMB + "]><model name='&j;'/>", "line 1: it has a document type"),
    ("xml", "<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><model name='&x;'/>", "document type"),
    ("xml", "<!DOCTYPE model SYSTEM 'http://localhost/m.dtd'><model/>", "document type"),
    ("xml", "<model name='&x;'/>", "no XML: undefined entity"),
    ("xml", "<a>" * 5000, "deeper than 100|no XML"),
    ("xml", "<model><include file='x.xml'/></model>", "include.*no folder"),
]


def _message(make):
    with pytest.raises(st.ModelError) as caught:
        make()
    text = str(caught.value)
    assert "\n" not in text and len(text) < 1500
    return text


@pytest.mark.parametrize("number", range(len(TOML)))
def test_a_broken_text_is_told_in_one_line(number):
    """Name line, key path and value."""
    text, wanted = TOML[number]

    told = _message(lambda: st.Model.loads(text).build())
    assert re.search(wanted, told), told


@pytest.mark.parametrize("number", range(len(OTHERS)))
def test_broken_json_and_xml_are_told_in_one_line(number):
    """Say what is wrong, also with entities, which are refused before they grow."""
    form, text, wanted = OTHERS[number]

    told = _message(lambda: st.Model.loads(text, form).build())
    assert re.search(wanted, told), told


@pytest.mark.parametrize("suffix", ["toml", "json", "xml"])
def test_noise_is_refused_soon(tmp_path, suffix):
    """Refuse megabytes of noise with one message; memory does not grow with it for good."""
    path = tmp_path / f"noise.{suffix}"
    rng = np.random.default_rng(3)
    for noise in (
        rng.bytes(5_000_000),
        rng.integers(32, 127, 5_000_000, np.uint8).tobytes(),
        b"\0" * 5_000_000,
    ):
        path.write_bytes(noise)
        tracemalloc.start()
        assert str(path) in _message(lambda: st.Model.load(path))
        gc.collect()
        left, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert left < 2_000_000


def test_files_that_are_too_large_are_not_read(tmp_path):
    """Say by how much, and what allows it."""
    path = tmp_path / "large.toml"
    path.write_text("# " + "x" * 2000)
    assert "most_bytes" in _message(lambda: st.Model.load(path, most_bytes=1000))


def test_files_elsewhere_are_not_touched(tmp_path):
    """Refuse paths and links that lead out of the folder of the model, before they are opened."""
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.obj"
    secret.write_text("v 0 0 0\n")
    before = secret.stat().st_atime_ns
    (folder / "link.obj").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    for name in (
        "../secret.obj",
        str(secret),
        "link.obj",
        "up/secret.obj",
        "./../model/../secret.obj",
        "/etc/passwd",
    ):
        (folder / "m.toml").write_text(f"[meshes.m]\nfile = {json.dumps(name)}\n")
        assert "outside of" in _message(lambda: st.Model.load(folder / "m.toml"))
    for key in ("include = ['../x.toml']", "[models.m]\nfile = '../x.toml'"):
        (folder / "m.toml").write_text(key)
        assert "outside of" in _message(lambda: st.Model.load(folder / "m.toml"))
    assert secret.stat().st_atime_ns == before
    for name in ("missing.obj", "", "a\0b", "."):
        (folder / "m.toml").write_text(f"[meshes.m]\nfile = {json.dumps(name)}\n")
        assert "m.toml:2: meshes.m.file" in _message(lambda: st.Model.load(folder / "m.toml"))


def test_places_that_are_no_files_are_told(tmp_path):
    """Name folder, missing file and unknown ending."""
    assert "no such file" in _message(lambda: st.Model.load(tmp_path / "no.toml"))
    (tmp_path / "folder.toml").mkdir()
    assert "no file" in _message(lambda: st.Model.load(tmp_path / "folder.toml"))
    assert ".toml" in _message(lambda: st.Model.load("model.tom"))
    assert "toml, json, xml" in _message(lambda: st.Model.loads("", "yaml"))
    assert ".toml" in _message(lambda: st.Model().save(tmp_path / "x.yaml"))


def test_what_was_refused_changed_nothing(tmp_path):
    """Leave no world half built behind, and an older file as it was when a model cannot be written."""
    path = tmp_path / "m.xml"
    st.Model(name="good").save(path)
    before = path.read_text()
    _message(lambda: st.Model(name="\x01").save(path))
    assert path.read_text() == before and os.listdir(tmp_path) == ["m.xml"]
