"""URDF: what becomes physics, what becomes data, what becomes a remark."""

from __future__ import annotations

import math

import numpy as np
import pytest

import agreement
import knuckle as kn
from knuckle.model import Box, Capsule, Constraint, Cylinder, Mesh, Sphere

LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="4"/>'
MASS = (
    '<inertial><origin xyz="0.1 -0.2 0.3" rpy="0.4 -0.5 0.6"/><mass value="2"/>'
    '<inertia ixx="0.5" ixy="0.01" ixz="-0.02" iyy="0.6" iyz="0.03" izz="0.7"/>'
    "</inertial>"
)
PLACE = '<origin xyz="0.3 0.2 -0.1" rpy="0.7 -0.8 0.9"/>'


def link(name: str, inside: str = MASS) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    kind: str,
    parent: str = "base",
    child: str = "arm",
    inside: str = "",
    name: str = "j",
) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{PLACE}{ends}{inside}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def arm(kind: str, inside: str = "") -> str:
    return robot(link("base"), link("arm"), joint(kind, inside=inside))


def reasons(model: kn.Model) -> list[str]:
    return [f"{r.severity}: {r.reason}" for r in model.report]


@pytest.mark.parametrize("root", ["auto", "floating"])
@pytest.mark.parametrize(
    "axis", ["0 0 1", "0.6 0 0.8", "0 0 -1", "-0.48 0.6 -0.64", ""]
)
@pytest.mark.parametrize(
    "kind", ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"]
)
def test_every_kind_of_joint_agrees_with_pinocchio(
    kind: str, axis: str, root: str
) -> None:
    inside = LIMIT + (f'<axis xyz="{axis}"/>' if axis else "")
    tail = joint("continuous", "arm", "hand", name="k")
    text = robot(
        link("base"), link("arm"), link("hand"), joint(kind, inside=inside), tail
    )
    model = kn.load(text, root=root)
    pin = agreement.required("pinocchio", "pin")
    free = (pin.JointModelFreeFlyer(),) if root == "floating" else ()
    peer = pin.buildModelFromXML(text, *free)
    assert [model.nq, model.nv] == [sum(p.joint.nq for p in model.joints), peer.nv]
    if kind == "planar" and axis != "0 0 1":
        return  # there Pinocchio moves in the plane of x and y all the same
    found = agreement.deviations(model, peer, np.random.default_rng(0))
    assert set(found) == set(agreement.NAMES)
    assert max(found.values()) < 1e-12, found


@pytest.mark.parametrize("axis", ["0.6 0 0.8", "0 0 -1", "-0.48 0.6 -0.64", ""])
def test_a_planar_joint_moves_normal_to_its_axis(axis: str) -> None:
    model = kn.load(arm("planar", f'<axis xyz="{axis}"/>' if axis else ""))
    normal = np.array([float(x) for x in (axis or "1 0 0").split()])
    start = model.body("arm").placement * model.body("arm").offset.inverse()
    for q in model.random(np.random.default_rng(0), 5):
        R, p = kn.interpret(kn.forward_kinematics, model)(q)
        moved = start.inverse() * kn.SE3(R[1], p[1])
        assert abs(np.dot(moved.p, normal)) < 1e-15
        assert np.hypot(*q[:2]) == pytest.approx(np.linalg.norm(moved.p))
        assert np.allclose(moved.log().angular, q[2] * normal, atol=1e-14)


def test_limits_and_passive_forces() -> None:
    model = kn.load(
        arm("revolute", LIMIT + '<dynamics damping="0.5" friction="0.25"/>')
    )
    values = [model.lower, model.upper, model.effort_limit, model.velocity_limit]
    assert [float(x[0]) for x in values] == [-1.0, 2.0, 30.0, 4.0]
    assert (model.damping[0], model.friction[0]) == (0.5, 0.25)
    assert model.joint("j").body.name == "arm" and not model.report
    free = kn.load(arm("continuous", '<limit effort="30" velocity="4"/>'))
    assert free.lower[0] == -math.inf and free.effort_limit[0] == 30.0


def test_q_follows_the_joints_of_the_file() -> None:
    text = robot(
        link("c"), link("b"), link("a"), link("base"),
        joint("continuous", "b", "a", name="second"),
        joint("continuous", "base", "b", name="first"),
        joint("continuous", "base", "c", name="third"),
    )  # fmt: skip
    model = kn.load(text)
    assert model.q_names == ("second", "first", "third")
    assert [b.name for b in model.bodies] == ["base", "a", "b", "c"]


def test_a_mimic_joint_is_a_coupling() -> None:
    follower = joint(
        "continuous", "arm", "hand", '<mimic joint="j" multiplier="-2"/>', "k"
    )
    model = kn.load(robot(link("base"), link("arm"), link("hand"),
                          joint("continuous"), follower))  # fmt: skip
    assert model.couplings == (kn.Coupling("k", "j", ratio=-2.0),)
    assert model.nv == 1 and model.v_names == ("j",)
    assert model.constraints == () and model.report == ()


def test_a_mimic_joint_that_cannot_follow_is_data_and_an_error() -> None:
    lost = kn.load(arm("continuous", '<mimic joint="jj" offset="3"/>'))
    law = (("multiplier", 1.0), ("offset", 3.0))
    assert lost.constraints == (Constraint("j", "mimic", ("j", "jj"), law),)
    assert lost.nv == 1 and lost.couplings == ()
    assert str(lost.report[0]).startswith(
        "error: <text>:1: robot 'r'/joint 'j'/mimic: joint 'j' is loaded as independent"
    )
    assert "expected a coordinate, got 'jj'; did you mean 'j'?" in reasons(lost)[0]
    itself = kn.load(arm("continuous", '<mimic joint="j"/>'))
    assert "got a cycle, each waiting for another" in reasons(itself)[0]


def test_shapes_are_kept_with_colours_names_and_contact() -> None:
    inside = MASS + (
        '<visual name="hull"><origin xyz="1 2 3"/><geometry><box size="1 2 3"/>'
        '</geometry><material name="red"/></visual>'
        '<visual><geometry><mesh filename="package://p/a.stl" scale="2 2 2"/>'
        '</geometry><material name="blue"><color rgba="0 0 1 0.5"/>'
        '<texture filename="t.png"/></material></visual>'
        '<collision><geometry><cylinder radius="0.1" length="2"/></geometry>'
        "</collision>"
        '<collision><geometry><sphere radius="3"/></geometry></collision>'
        '<collision><geometry><capsule radius="3" length="1"/></geometry></collision>'
        '<contact><lateral_friction value="0.8"/></contact>'
    )
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    model = kn.load(robot(red, link("base", inside)))
    hull, mesh = model.body("base").visuals
    assert hull.geometry == Box((1.0, 2.0, 3.0)) and hull.name == "hull"
    assert hull.placement.p == (1.0, 2.0, 3.0) and hull.color == (1.0, 0.0, 0.0, 1.0)
    assert mesh.geometry == Mesh("package://p/a.stl", (2.0, 2.0, 2.0))
    assert mesh.color == (0.0, 0.0, 1.0, 0.5)
    assert mesh.properties == (("material", "blue"), ("texture", "t.png"))
    shapes = [c.geometry for c in model.body("base").collisions]
    assert shapes == [Cylinder(0.1, 2.0), Sphere(3.0), Capsule(3.0, 1.0)]
    friction = ("contact", (("lateral_friction", (("@value", "0.8"),)),))
    assert all(c.properties == (friction,) for c in model.body("base").collisions)
    assert len(model.report) == 1 and "mesh not found: no file" in reasons(model)[0]


def test_a_world_link_is_the_world() -> None:
    tied = joint("fixed", "world", "base", name="tie")
    model = kn.load(robot('<link name="world"/>', link("base"), link("arm"), tied,
                          joint("continuous")))  # fmt: skip
    assert [b.name for b in model.bodies] == ["base", "arm"]
    assert model.bodies[0].parent is None and not model.report
    assert (
        kn.load(robot('<link name="world"/>', link("base"), tied), "floating").nv == 6
    )
    freed = joint("floating", "world", "base", name="tie")
    text = robot('<link name="world"/>', link("base"), freed)
    assert (kn.load(text).nv, kn.load(text, "fixed").nv) == (6, 0)
    heavy = kn.load(robot(link("world"), link("base"), tied))
    assert [b.name for b in heavy.bodies] == ["world_link", "base"]
    assert "note: called 'world_link'" in reasons(heavy)[0]


def test_what_no_rigid_body_is_loads_and_is_told() -> None:
    flat = MASS.replace('izz="0.7"', 'izz="7"')
    model = kn.load(robot(link("base"), link("arm", flat), joint("continuous")))
    assert model.body("arm").unchecked and not model.body("base").unchecked
    assert (
        "warning: no body has this inertia: expected principal moments a + b >= c"
        in (reasons(model)[0])
    )
    dummy = kn.load(robot(link("base"), link("arm", ""), joint("continuous")))
    assert "error: joint 'j' moves no mass" in reasons(dummy)[0]
    assert kn.interpret(kn.mass_matrix, dummy)([0.3]) == ((0.0,),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (arm("continuous", "<safety_controller k_velocity='1'/>"),
         "note: soft limits of a controller, ignored (0 elements and 1 attrib"),
        (arm("continuous", "<calibration rising='1'/>"), "note: where an encoder is"),
        (arm("continuous", LIMIT), 'note: lower="-1": this type of joint has'),
        (arm("fixed", "<axis xyz='0 0 1'/>"), "note: this type of joint has no axis"),
        (arm("continuous", "<dynamics K='3'/>"), 'warning: K="3": unknown, ignored'),
        (arm("continuous", "<dynamic damping='3'/>"),
         "warning: unknown in <joint>, ignored (0 elements and 1 attributes in it)"),
        (arm("continuous", "<axis xyz='0 0 2'/>"), "warning: axis of length 2 scaled"),
        (arm("revolute", '<limit lower="2" upper="-1" effort="1" velocity="1"/>'),
         "warning: lower 2 above upper -1: swapped"),
        (arm("revolute", '<limit effort="1" velocity="1"/>'), "warning: no lower and"),
        (arm("revolute", '<limit lower="-1" velocity="1"/>'), "note: no effort"),
        (robot(link("a"), "<gazebo reference='a'><material>G</material></gazebo>"),
         "note: the Gazebo extension of 'a' is ignored (1 elements and 1 att"),
        (robot(link("a"), "<gazebo><plugin name='p'/></gazebo>"),
         "warning: the Gazebo extension is ignored: plugin"),
        (robot(link("a"), "<material name='m'/>"), "note: no shape uses this material"),
        (robot(link("a")).replace('name="r"', ""), "note: the robot has no name"),
        (robot(link("a")).replace('"r"', '"r" version="2.0"'), "note: version 2.0"),
        (robot(link("a")).replace('"r"', '"r" xmlns:x="u"'), 'note: xmlns:x="u": a'),
        (robot(link("a", MASS.replace('value="2"', 'value="0"'))),
         "warning: no mass, and yet a centre of mass (0.1, -0.2, 0.3): left out"),
        (robot(link("a", "<visual/>")), "note: left out, as it has 0 shapes"),
        (robot(link("a", MASS + "<origin/>")), "warning: unknown in <link>, ignored"),
    ],
)  # fmt: skip
def test_nothing_is_dropped_in_silence(text: str, told: str) -> None:
    found = reasons(kn.load(text))
    assert any(r.startswith(told) for r in found), found


def test_transmissions_are_actuators() -> None:
    new = (
        '<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
        '<joint name="j"><hardwareInterface>EffortJointInterface</hardwareInterface>'
        '</joint><actuator name="m"><mechanicalReduction>50</mechanicalReduction>'
        "</actuator></transmission>"
    )
    old = '<transmission type="pr2" name="u"><joint name="x"/></transmission>'
    model = kn.load(robot(link("base"), link("arm"), joint("continuous"), new, old))
    first, second = model.actuators
    assert (first.name, first.targets) == ("t", ("j",))
    assert first.kind == "transmission_interface/SimpleTransmission"
    assert (
        "actuator",
        (("@name", "m"), ("mechanicalReduction", "50")),
    ) in first.properties
    assert (second.kind, second.targets) == ("pr2", ())
    assert reasons(model) == ["note: no joint is called 'x'"]


BAD = [
    (robot(), "expected a <link>, got none; check that this is a URDF file"),
    (robot(link("a"), link("a")),
     "link 'a': expected a link name that occurs once, got 'a', which line 1 has too"),
    (robot(link("a"), link("b")),
     "expected one root link, got 2 links that no joint carries: 'a', 'b'; connect"),
    (robot(link("base"), joint("fixed")),
     "joint 'j'/child: expected the name of a link, got 'arm'; the links are 'base'"),
    (robot(link("base"), link("arm"), joint("fixed", "bass")),
     "joint 'j'/parent: expected the name of a link, got 'bass'; did you mean 'base'?"),
    (robot(link("a"), link("b"), joint("fixed", "a", "b"),
           joint("fixed", "b", "a", name="k")),
     "joint 'j': expected a tree, got a cycle of parents, 'b' -> 'a' -> 'b'"),
    (robot(link("base"), link("arm"), joint("fixed"), joint("fixed", name="k")),
     "joint 'k': expected one joint that carries link 'arm', got a second one"),
    (arm("revolut"), "got 'revolut'; did you mean 'revolute'?"),
    (arm("revolute"), "expected a <limit>, which a revolute joint needs, got none"),
    (arm("continuous", "<axis xyz='0 0 0'/>"), "axis: expected an axis, got 0 0 0"),
    (arm("continuous", "<axis xyz='0 0'/>"), "3 numbers in attribute xyz, got '0 0'"),
    (arm("continuous", "<axis xyz='0 0 0,5'/>"), "got '0,5'; write a decimal point"),
    (arm("continuous", "<dynamics damping='nan'/>"), "got 'nan'; write a finite"),
    (arm("continuous", "<dynamics damping='-1'/>"), "damping is -1.0, expected a"),
    (robot(link("a", MASS.replace('value="2"', 'value="-2"'))),
     "inertial/mass: expected a mass of 0 or more, got -2 kg; mend its sign"),
    (robot(link("a", MASS.replace('value="2"', 'value="1e308"'))),
     "link 'a': expected masses, moments and places below 1e+100, got"),
    (robot(link("a", "<inertial><inertia/></inertial>")), "expected a <mass> inside"),
    (robot(link("a", "<visual><geometry><sphere/></geometry></visual>")),
     "sphere: expected a radius of 0 or more, got none"),
    (robot(link("base"), link("world"), joint("fixed", child="world")),
     "link 'world': expected another name, got 'world', which only a root link"),
    (robot('<link/>'), "robot 'r'/link: expected an attribute 'name', got none"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "told"), BAD)
def test_bad_files_are_refused_with_place_and_repair(text: str, told: str) -> None:
    with pytest.raises(kn.LoadError) as error:
        kn.load(text)
    assert told in str(error.value) and "\n" not in str(error.value)
    assert str(error.value).startswith("<text>:1: robot")


def test_nothing_to_float_is_an_error() -> None:
    world = '<link name="world"/>'
    text = robot(world, link("arm"), joint("continuous", "world"))
    with pytest.raises(kn.ModelError, match="root='floating': expected a body fixed"):
        kn.load(text, root="floating")
    with pytest.raises(ValueError, match="root is 'free', expected one of 'auto'"):
        kn.load(text, root="free")
