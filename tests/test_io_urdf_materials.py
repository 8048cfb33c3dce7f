"""Colours and textures of URDF, by name and in place."""

from __future__ import annotations

import pytest

import knuckle as kn

RED = '<color rgba="1 0 0 1"/>'
BLUE = '<color rgba="0 0 1 1"/>'


def shape(material: str = "") -> str:
    return f'<visual><geometry><box size="1 1 1"/></geometry>{material}</visual>'


def robot(*shapes: str, top: str = "") -> kn.Model:
    inside = "".join(shapes)
    return kn.load(f'<robot name="r">{top}<link name="a">{inside}</link></robot>')


def looks(model: kn.Model) -> list[tuple[object, object]]:
    return [(s.color, s.properties) for s in model.bodies[0].visuals]


def reasons(model: kn.Model) -> list[str]:
    return [r.reason for r in model.report]


@pytest.mark.parametrize(
    ("top", "used"),
    [
        (f'<material name="m">{RED}</material>', '<material name="m"/>'),
        ("", f'<material name="m">{RED}</material>'),
    ],
)
def test_a_colour_by_name_or_in_place(top: str, used: str) -> None:
    model = robot(shape(used), top=top)
    assert looks(model) == [((1.0, 0.0, 0.0, 1.0), (("material", "m"),))]
    assert not model.report


def test_a_name_that_another_shape_defines() -> None:
    """As in PR2's files: defined at the first use, before or after."""
    here, there = f'<material name="m">{RED}</material>', '<material name="m"/>'
    for shapes in ((here, there), (there, here)):
        colors = [color for color, _ in looks(robot(*map(shape, shapes)))]
        assert colors == [(1.0, 0.0, 0.0, 1.0)] * 2


def test_a_material_without_a_name() -> None:
    model = robot(shape(f"<material>{RED}</material>"), shape(f"<material>{BLUE}"
                  "</material>"))  # fmt: skip
    assert [c for c, _ in looks(model)] == [(1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)]
    assert not model.report


def test_definitions_that_repeat_or_differ_are_told() -> None:
    top = f'<material name="m">{RED}</material>'
    same = robot(shape(top), top=top)
    assert reasons(same)[0] == "defines 'm' once more, after line 1"
    assert reasons(same)[1].startswith("no shape uses this material (1 elements")
    model = robot(shape(f'<material name="m">{BLUE}</material>'), top=top)
    assert reasons(model)[0] == "defines 'm' in another way, after line 1"
    assert looks(model)[0][0] == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("shapes", "top", "told"),
    [
        ([shape('<material name="m"/>')], "", "no such material is defined"),
        ([shape(f"<material>{RED}</material><material>{BLUE}</material>")], "",
         "the shape has a material already"),
        ([shape()], f'<material name="m">{RED}</material>', "no shape uses this mat"),
    ],
)  # fmt: skip
def test_what_is_amiss_is_told(shapes: list[str], top: str, told: str) -> None:
    model = robot(*shapes, top=top)
    assert len(model.report) == 1 and reasons(model)[0].startswith(told)
    assert model.report[0].severity == "note"


def test_textures_are_data() -> None:
    model = robot(shape('<material name="m"><texture filename="t.png"/></material>'))
    assert looks(model) == [(None, (("material", "m"), ("texture", "t.png")))]


@pytest.mark.parametrize("rgba", ["1 0 0", "1 0 0 x", "1 0 0 nan"])
def test_bad_colours_are_refused(rgba: str) -> None:
    with pytest.raises(kn.LoadError, match="expected 4 numbers in attribute rgba"):
        robot(shape(f'<material name="m"><color rgba="{rgba}"/></material>'))
