"""Broken files end in one message: no traceback, no hang, however they are broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

import knuckle as kn
from fuzzing import mutated, steps

HERE = Path(__file__).parent
FILES = [
    HERE / "files" / "everything.urdf",
    HERE / "files" / "everything.sdf",
    HERE / "files" / "frames.sdf",
    HERE.parent / "benchmarks/models/quad18.urdf",
]
TEXTS = {path.name: path.read_bytes() for path in FILES}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
@given(script=steps)
@settings(
    max_examples=120,
    deadline=4000,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
def test_mutated_files_load_or_are_refused(name, tmp_path_factory, script):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(mutated(TEXTS[name], script))
    try:
        model = kn.load(path)
    except (kn.LoadError, kn.ModelError) as error:
        assert str(error) and "\n" not in str(error) and len(str(error)) < 2000
    else:
        assert model.nv >= 0 and all(str(remark) for remark in model.report)


def chain(length: int) -> str:
    rod = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    links = "".join(f'<link name="l{k}">{rod}</link>' for k in range(length + 1))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/>'
        f'<child link="l{k + 1}"/></joint>'
        for k in range(length)
    )
    return f'<robot name="chain">{links}{joints}</robot>'


def test_a_chain_of_ten_thousand_links_loads():
    assert kn.load(chain(10_000)).nv == 10_000


def test_a_long_chain_of_frames_loads():
    frames = "".join(
        f'<frame name="f{k}"><pose relative_to="{f"f{k - 1}" if k else "a"}">'
        "0 0 0.001 0 0 0</pose></frame>"
        for k in range(2000)
    )
    text = f'<sdf version="1.9"><model name="m"><link name="a"/>{frames}</model></sdf>'
    assert kn.load(text).frame("f1999").placement.p[2] == pytest.approx(2.0)


@pytest.mark.parametrize("turned", [False, True])
def test_a_long_chain_of_joints_of_sdf_loads(turned):
    n = 1500
    rod = "<inertial><mass>1</mass></inertial>"
    links = [f'<link name="l{k}">{rod}</link>' for k in range(n + 1)]
    joints = [
        f'<joint name="j{k}" type="revolute"><parent>l{k}</parent><child>l{k + 1}'
        "</child><axis><xyz>0 1 0</xyz></axis></joint>"
        for k in range(n)
    ]
    inside = "".join([*links, *joints[:: -1 if turned else 1]])
    model = kn.load(f'<sdf version="1.9"><model name="m">{inside}</model></sdf>')
    assert model.nv == n + 6 and not model.constraints


BOMB = "".join(
    f'<!ENTITY e{k + 1} "{f"&e{k};" * 10}">' if k else '<!ENTITY e1 "eeeeeeeeee">'
    for k in range(9)
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"<!DOCTYPE r [{BOMB}]><robot name='&e9;'/>",
         "expected no entity declarations, got the entity 'e1'; write its"),
        ("<!DOCTYPE r SYSTEM 'http://host/r.dtd'><robot name='&x;'/>",
         "expected no external document type, got 'http://host/r.dtd'; remove the"),
        ("<robot name='&x;'/>", "expected well-formed XML, got undefined entity"),
        ("<a>" * 2000 + "</a>" * 2000, "expected at most 1000 levels and"),
        ("<robot name='r'>" + "<x>" * 900 + "</x>" * 900 + "</robot>", "a <link>, got"),
        ("<?xml version='1.0' encoding='x'?><robot/>", "expected a <link>"),
        ("<html/>", "expected a root element <robot> (URDF), <mujoco> (MJCF) or <sdf>"),
    ],
)  # fmt: skip
def test_hostile_text_is_refused_at_once(text, told):
    with pytest.raises(kn.LoadError) as error:
        kn.load(text)
    assert told in str(error.value)


@pytest.mark.parametrize("encoding", ["x", "utf-7", "big5"])
def test_unknown_encodings_are_refused(tmp_path, encoding):
    path = tmp_path / "r.urdf"
    path.write_text(f"<?xml version='1.0' encoding='{encoding}'?><robot name='r'/>")
    with pytest.raises(kn.LoadError, match="expected well-formed XML, got"):
        kn.load(path)


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-8-sig"])
def test_known_encodings_are_read(tmp_path, encoding):
    path = tmp_path / "r.urdf"
    label = encoding.removesuffix("-sig")
    text = (
        f"<?xml version='1.0' encoding='{label}'?><robot name='r'><link name='\xe9'/>"
    )
    path.write_bytes(f"{text}</robot>".encode(encoding))
    assert kn.load(path).bodies[0].name == "\xe9"
    assert kn.load(f"{text}</robot>").bodies[0].name == "\xe9"
