"""Elements: typed access, the record of reads, places in messages."""

from __future__ import annotations

import pytest

from knuckle import LoadError
from knuckle.io.errors import Remarks
from knuckle.io.flat import flat
from knuckle.io.report import leftovers
from knuckle.io.written import unfold
from knuckle.io.xml import parse

TEXT = """<robot name="r">
  <link name="a" mass="1.5" on="True" xyz="1 2 3" kind="box">some
    text<inner deep="1"/></link>
  <link name="b"><inner/><inner/></link>
  <other/>
</robot>"""


@pytest.fixture
def robot():
    return parse(TEXT, "r.urdf")


def unread(element):
    return [(e.path(), name) for e, name in element.unread()]


def test_reads_are_recorded(robot):
    first, second = robot.all("link")
    expected = [
        ("robot 'r'", "name"),
        *(("robot 'r'/link 'a'", n) for n in ("name", "mass", "on", "xyz", "kind")),
        ("robot 'r'/link 'a'/inner", None),
        ("robot 'r'/link 'b'", "name"),
        ("robot 'r'/link 'b'/inner", None),
        ("robot 'r'/link 'b'/inner", None),
        ("robot 'r'/other", None),
    ]
    assert sorted(unread(robot), key=str) == sorted(expected, key=str)
    robot.get("name"), robot.all()
    for link in (first, second):
        for name in link.attributes:
            link.get(name)
        for inner in link.all():
            inner.get("deep")
    assert unread(robot) == []


def test_attributes_without_reading_and_lines(robot):
    first, second = robot.all("link")
    assert first.attributes["mass"] == "1.5" and first.line == 2 and second.line == 4
    assert ("robot 'r'/link 'a'", "mass") in unread(robot)
    assert [e.tag for e in robot.walk()] == [
        "robot", "link", "inner", "link", "inner", "inner", "other",
    ]  # fmt: skip
    assert [e.line for e in robot.walk()] == [1, 2, 3, 4, 4, 4, 5]


def test_typed_access(robot):
    link = robot.all("link")[0]
    assert link.number("mass") == 1.5 and link.number("none", 2.0) == 2.0
    assert link.numbers("xyz", 3) == (1.0, 2.0, 3.0) == link.numbers("xyz", None)
    assert link.numbers("xyz", (2, 3)) == (1.0, 2.0, 3.0)
    assert link.boolean("on") is True and link.boolean("none") is None
    assert link.choice("kind", ("box", "ball")) == "box"
    assert link.required("kind") == "box" and link.get("none", "x") == "x"
    assert link.text == "some\n    text"
    assert link.child("inner").attributes == {"deep": "1"}
    assert link.child("none") is None


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda e: e.number("kind"), "expected 1 number in attribute kind, got 'box'"),
        (
            lambda e: e.numbers("xyz", 2),
            "expected 2 numbers in attribute xyz",
        ),
        (
            lambda e: e.numbers("xyz", (1, 6)),
            "expected 1 or 6 numbers in attr",
        ),
        (lambda e: e.boolean("kind"), "expected one of 'true', '1', 'false', '0' in"),
        (
            lambda e: e.choice("kind", ("a",)),
            "expected one of 'a' in attribute kind",
        ),
        (lambda e: e.required("none"), "expected an attribute 'none', got none; write"),
        (lambda e: e.only("none"), "expected a <none> inside, got none; add <none>"),
        (
            lambda e: e.text_numbers(1),
            "expected 1 number in text, got 'some",
        ),
        (
            lambda e: e.only("inner").word(),
            "inner: expected text, got none",
        ),
    ],
)
def test_errors_name_the_place(robot, read, told):
    with pytest.raises(LoadError) as error:
        read(robot.all("link")[0])
    assert str(error.value).startswith("r.urdf:")
    assert "robot 'r'/link 'a'" in str(error.value) and told in str(error.value)
    assert error.value.file == "r.urdf" and error.value.line in (2, 3)


def test_several_where_one_is_meant(robot):
    with pytest.raises(LoadError, match="expected one <inner> in <link>, got several"):
        robot.all("link")[1].child("inner")


@pytest.mark.parametrize(
    ("word", "repair"),
    [
        ("nan", "write a finite number"),
        ("inf", "write a finite number"),
        ("1,5", "write a decimal point"),
        ("1,000.5", "write a finite number"),
        ("1_000", "write a finite number"),
        ("0x10", "write a finite number"),
        ("\u0663x", "write a finite number"),
    ],
)
def test_numbers_are_finite_decimals(word, repair):
    with pytest.raises(LoadError) as error:
        parse(f'<a x="{word}"/>', "f").number("x")
    assert str(error.value).endswith(repair)


def test_infinite_text_only_where_it_is_asked_for():
    element = parse("<a>-inf 1</a>", "f")
    assert element.text_numbers(2, None, infinite=True) == (-float("inf"), 1.0)
    with pytest.raises(LoadError, match="write a finite number"):
        element.text_numbers(2)


def test_stated_defaults():
    element = parse('<a x="0 0" y="1" z="box" w="true">5</a>', "f")
    element.numbers("x", 2, (0.0, 0.0))
    element.number("y", 0.0)
    element.get("z", "box")
    element.boolean("w", False)
    element.text_numbers(1, (5.0,))
    assert [element.states_default(n) for n in ("x", "y", "z", "w", "")] == [
        True, False, True, False, True,
    ]  # fmt: skip
    element.number("y", 1.0)
    assert element.states_default("y")


def test_long_paths_are_shortened():
    deep = parse("<a>" * 9 + "<b name='x'/>" + "</a>" * 9, "f")
    assert [e.path() for e in deep.walk()][-1] == "a/.../a/a/a/b 'x'"


def test_leftovers_say_how_much_goes_with_an_element(robot):
    remarks = Remarks()
    robot.get("name")
    link, _ = robot.all("link")
    for name in ("name", "mass", "on", "xyz"):
        link.get(name)
    known = {"other": ("note", "known"), "inner": lambda e: ("error", e.tag.upper())}
    leftovers(robot, remarks, known, {"link@kind": ("note", "a kind")}, {})
    assert [(r.severity, r.reason, r.line) for r in remarks.sorted()] == [
        ("note", 'kind="box": a kind', 2),
        ("error", "INNER (0 elements and 1 attributes in it)", 3),
        ("warning", 'name="b": unknown, ignored', 4),
        ("error", "INNER", 4),
        ("note", "known", 5),
    ]


def test_flat_and_back(robot):
    from xml.etree import ElementTree as ET

    link = robot.all("link")[0]
    pairs = flat(link)
    assert pairs[0] == ("@name", "a") and ("inner", (("@deep", "1"),)) in pairs
    assert unread(robot)[0][1] == "name" and len(unread(robot)) == 5
    again = ET.Element("link")
    unfold(again, pairs)
    assert flat(parse(ET.tostring(again), "f")) == pairs


def test_children_can_be_replaced(robot):
    first, second = robot.all("link")
    inner = second.children
    robot.splice(second, inner)
    assert [e.tag for e in robot.children] == ["link", "inner", "inner", "other"]
    assert robot.children[0] is first and inner[0].line == 4
    inner[0].state("", True)
    assert inner[0].states_default("") and not inner[1].states_default("")
