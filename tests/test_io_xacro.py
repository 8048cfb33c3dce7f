"""xacro: expanded by its own package, told apart from a mere namespace."""

from __future__ import annotations

import sys

import pytest

import knuckle as kn

pytest.importorskip("xacro", reason="pip install xacro")
NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
ARM = f"""<robot name="arm" {NAMESPACE}>
<xacro:arg name="mass" default="2"/>
<xacro:macro name="rod" params="name"><link name="${{name}}"><inertial>
<mass value="${{$(arg mass) * 1.5}}"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
</link></xacro:macro>
<xacro:rod name="a"/></robot>"""


def test_text_and_arguments():
    assert kn.load(ARM).body("a").inertia.mass == 3.0
    assert kn.load(ARM, xacro={"mass": "4"}).body("a").inertia.mass == 6.0


def test_files_and_packages_without_ros(tmp_path):
    top = tmp_path / "arm_description"
    top.mkdir()
    (top / "package.xml").write_text("<package><name>arm_description</name></package>")
    (top / "rod.xacro").write_text(ARM.replace('<xacro:rod name="a"/>', ""))
    path = top / "arm.urdf.xacro"
    path.write_text(
        f'<robot name="r" {NAMESPACE}><xacro:include filename="$(find arm_description)'
        '/rod.xacro"/><xacro:rod name="b"/><link_ kind="x"/></robot>'
    )
    model = kn.load(path)
    assert [b.name for b in model.bodies] == ["b"]
    assert model.report[-1].file == f"{path} (expanded)"
    path.write_text(path.read_text().replace("/rod.xacro", "/none.xacro"))
    with pytest.raises(kn.LoadError) as error:
        kn.load(path)
    assert "expected a xacro file that expands, got" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("expression", ["1 / 0", "unknown", "((", "[0] * 3 + 'x'"])
def test_a_bad_expression_is_one_message(expression):
    with pytest.raises(kn.LoadError) as error:
        kn.load(ARM.replace("$(arg mass) * 1.5", expression))
    text = "pass its arguments in xacro={...}"
    assert text in str(error.value) and len(str(error.value)) < 400


def test_a_namespace_alone_needs_no_xacro(monkeypatch):
    plain = f'<robot name="r" {NAMESPACE}><link name="a"/></robot>'
    monkeypatch.setitem(sys.modules, "xacro", None)
    assert kn.load(plain).bodies[0].name == "a"
    with pytest.raises(kn.LoadError) as error:
        kn.load(ARM)
    assert str(error.value) == (
        "<text>:1: robot 'arm': expected the xacro package, which expands this file, "
        "got none; pip install xacro"
    )
