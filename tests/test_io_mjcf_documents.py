"""MJCF documents: several files, data, remarks, roots, faults and damaged files."""

from __future__ import annotations

import time
from importlib import util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import agreement_mujoco as agreement
import knuckle as kn
from deletions import silent
from knuckle.io.load import load
from knuckle.io.mjcf.refusals import REFUSED
from mjcf_texts import HINGE, MASS, TETRAHEDRON, body, compiled, world
from test_io_mjcf import TEXTS, reasons

DATA = """
<mujoco model="all kinds of data">
  <default><site rgba="1 0 0 1"/><general ctrlrange="-1 1"/></default>
  <asset><material name="red" rgba="1 0 0 1"/>
    <hfield name="h" nrow="2" ncol="2" size="1 2 .5 .1" elevation="1 2 3 5"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="3 2 .1" material="red"/>
    <geom type="hfield" hfield="h" pos="0 0 1"/>
    <camera name="eye" pos="1 2 3"/><light pos="0 0 3"/>
    <site name="origin" pos="1 0 0"/>
    <body name="arm"><freejoint name="free"/>
      <geom name="skin" type="box" size=".1 .2 .3" contype="0" conaffinity="0"/>
      <geom name="pad" size=".1" group="3" friction="1 .1" solref=".02 1"/>
      <site name="arm" fromto="0 0 0 0 2 0"/>
      <body pos="1 0 0"><joint name="elbow" range="-30 60" frictionloss=".2"
          actuatorfrcrange="-3 3" solreflimit=".1 1"/><geom size=".1"/>
        <joint axis="1 0 0"/></body>
    </body>
  </worldbody>
  <contact><exclude body1="arm" body2="world"/></contact>
  <equality><joint name="tie" joint1="elbow" active="false"/></equality>
  <tendon><fixed name="rope" stiffness="3"><joint joint="elbow" coef="2"/></fixed>
  </tendon>
  <actuator><general name="m" joint="elbow" gear="5"/><motor site="origin"/></actuator>
  <sensor><jointpos joint="elbow"/></sensor>
  <keyframe><key name="up" qpos="0 0 2 2 0 0 0 .5 .1" ctrl="1"/><key qvel="1"/>
  </keyframe>
</mujoco>"""


def test_data_is_kept_under_its_names() -> None:
    model = load(DATA)
    assert [b.name for b in model.bodies] == [
        "worldbody",
        "arm",
        "body_2:elbow",
        "body_2",
    ]
    assert [p.name for p in model.joints if p.joint.nv] == ["free", "elbow", "body_2:1"]
    skin, pad = model.body("arm").visuals[0], model.body("arm").collisions[0]
    assert (skin.name, pad.name) == ("skin", "pad")
    assert model.body("arm").visuals == (skin,)
    kept = {"group": 3.0, "friction": (1.0, 0.1), "solref": (0.02, 1.0)}
    assert dict(pad.properties) == kept
    floor, heights = model.body("worldbody").collisions
    assert floor.geometry == kn.model.Plane((6.0, 4.0))
    assert floor.color == (1.0, 0.0, 0.0, 1.0)
    assert heights.geometry == kn.model.HeightField(
        (2.0, 4.0), ((0.0, 0.125), (0.25, 0.5))
    )
    np.testing.assert_allclose(model.joint("elbow").joint.lower, -np.pi / 6)
    assert model.joint("elbow").joint.effort_limit == (3.0,)
    assert {f.name: f.body for f in model.frames} == {"origin": None, "arm_1": "arm"}
    tip = model.frame("arm_1").placement
    np.testing.assert_allclose(tip.p, (0.0, 1.0, 0.0))
    np.testing.assert_allclose(np.array(tip.R)[:, 2], (0.0, -1.0, 0.0), atol=1e-15)
    up = model.configurations["up"]
    assert (
        up.tolist() == [0, 0, 2, 1, 0, 0, 0, 0.5, 0.1]
        and len(model.configurations) == 1
    )
    motor, at_site = model.actuators
    assert (motor.name, motor.kind, motor.targets) == ("m", "general", ("elbow",))
    assert dict(motor.properties)["ctrlrange"] == (-1.0, 1.0)
    assert (at_site.name, at_site.targets) == ("motor_1", ("origin",))
    rope, tie = model.constraints
    assert (rope.kind, rope.between) == ("fixed tendon", ("elbow",))
    assert (tie.name, tie.kind, tie.between) == ("tie", "joint", ("elbow",))


def test_the_report_tells_the_rest_by_weight() -> None:
    model = load(DATA)
    errors = reasons(model, "error")
    assert errors == ["the stiffness of a tendon are left out of the dynamics"]
    warnings = reasons(model, "warning")
    assert len(warnings) == 1 and warnings[0].startswith("which shapes touch")
    notes = " | ".join(reasons(model, "note"))
    for told in (
        'model="all kinds of data": the name of the model',
        "cameras are left out (0 elements and 2 attributes in it)",
        "called 'arm_1': a body has its name",
        "a parameter of MuJoCo's constraint solver",
        "sensors are left out",
        'ctrl="1": of keyframes only positions are kept',
        'rgba="1 0 0 1": for viewers only',
    ):
        assert told in notes
    lines = [r.line for r in model.report]
    assert lines == sorted(lines) and min(lines) >= 2


OMITTED = {
    "gravcomp": ('<body gravcomp="1">', "gravcomp: gravity is not compensated"),
    "density": ('<option density="2" wind="1 0 0"/>', "density: forces of the medium"),
    "powers": ('<joint damping="1 2"/>', "damping: the powers above the first"),
    "yield": ('<joint springyield="1"/>', "springs do not yield here"),
}


@pytest.mark.parametrize("name", OMITTED)
def test_missing_forces_are_errors_of_the_report(name: str) -> None:
    given_, told = OMITTED[name]
    tag = given_[1:].partition(" ")[0]
    place = {"option": given_, "body": "", "joint": ""}
    joint = given_ if tag == "joint" else "<joint/>"
    opened = given_ if tag == "body" else "<body>"
    model = load(world(f"{opened}{joint}{MASS}</body>", place[tag]))
    assert any(told in reason for reason in reasons(model, "error"))


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_can_be_deleted_without_a_trace(name: str) -> None:
    assert silent(TEXTS[name]) == []


def test_nothing_can_be_deleted_from_data_either() -> None:
    assert silent(DATA) == []


# -- roots ---------------------------------------------------------------------------


def test_root_fixes_free_bodies_where_they_start() -> None:
    text = DATA.replace('<body name="arm">', '<body name="arm" pos="1 2 3">')
    model = load(text, root="fixed")
    assert [p.name for p in model.joints if p.joint.nv] == ["elbow", "body_2:1"]
    assert model.body("arm").placement.p == (1.0, 2.0, 3.0)
    assert model.configurations["up"].tolist() == [0.5, 0.1]


def test_root_frees_bodies_that_the_world_holds() -> None:
    text = world(body(f'<body name="b">{MASS}<joint name="j"/></body>', mass=""))
    text = text.replace(
        "</worldbody>", '</worldbody><keyframe><key qpos="1"/></keyframe>'
    )
    model = load(text, root="floating")
    assert [p.name for p in model.joints if p.joint.nv] == ["root_joint", "j"]
    assert model.nq == 8 and model.configurations["key_0"][7] == 1.0
    np.testing.assert_allclose(model.neutral()[:3], (0.3, 0.2, -0.1))
    poses = [
        kn.interpret(kn.forward_kinematics, m)(m.neutral()) for m in (model, load(text))
    ]
    np.testing.assert_allclose(poses[0].R, poses[1].R, atol=1e-15)


def test_root_floating_needs_a_body_to_free() -> None:
    with pytest.raises(kn.LoadError, match="for root='floating', got none; take root="):
        load(world(body(HINGE)), root="floating")
    assert load(world(body("<freejoint/>")), root="floating").nv == 6


# -- several files -------------------------------------------------------------------


def test_includes_and_attachments_agree_with_mujoco(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "arm.xml").write_text(f"<inc>{body(HINGE)}</inc>")
    (tmp_path / "parts" / "gripper.xml").write_text(
        world(
            body(
                '<joint name="g" class="soft"/><site name="tip" pos="0 0 1"/>'
                '<body name="finger"><joint axis="1 0 0" name="f"/>'
                '<geom type="mesh" mesh="m"/></body>',
                "palm",
                place='euler=".1 .2 .3"',
            ),
            '<compiler angle="radian" meshdir="."/><default><default class="soft">'
            '<joint stiffness="2"/></default></default>'
            f'<asset><mesh name="m" {TETRAHEDRON}/></asset>',
            '<actuator><motor name="drive" joint="g"/></actuator>',
        )
    )
    main = tmp_path / "robot.xml"
    main.write_text(
        world(
            '<include file="arm.xml"/><frame pos="1 2 3" euler="10 20 30">'
            '<attach model="gripper" body="palm" prefix="left_"/>'
            '<attach model="gripper" prefix="right_"/></frame>',
            '<asset><model name="gripper" file="parts/gripper.xml"/></asset>',
        )
    )
    model, peer = load(main), agreement.mujoco_file(main)
    assert [p.name for p in model.joints if p.joint.nv] == [
        *("j", "left_g", "left_f", "right_g", "right_f")
    ]
    assert [a.targets for a in model.actuators] == [("left_g",), ("right_g",)]
    assert {f.name for f in model.frames} == {"left_tip", "right_tip"}
    agreement.smooth(peer)
    found = agreement.deviations(model, peer, np.random.default_rng(0))
    assert max(found.values()) < 1e-6, found  # meshes: see test_io_mjcf


def compared(main: Path) -> kn.Model:
    """The model of a file whose dynamics are those of MuJoCo, name by name."""
    model, peer = load(main), agreement.mujoco_file(main)
    assert agreement.smooth(peer) == []
    assert [p.name for p in model.joints if p.joint.nv] == [
        peer.joint(k).name for k in range(peer.njnt)
    ]
    found = agreement.deviations(model, peer, np.random.default_rng(0))
    assert max(found.values()) < 1e-10, found
    return model


def test_included_files_are_named_from_the_main_file(tmp_path: Path) -> None:
    """Also those that an included file in another folder includes."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "leaf.xml").write_text(f"<x>{body(HINGE, 'leaf')}</x>")
    inner = '<include file="leaf.xml"/>' + '<joint name="mid" axis="1 0 0"/>'
    (tmp_path / "sub" / "mid.xml").write_text(f"<x>{body(inner, 'mid')}</x>")
    (tmp_path / "sub" / "head.xml").write_text(
        '<x><compiler angle="radian"/><default><joint armature=".5"/></default></x>'
    )
    main = tmp_path / "main.xml"
    main.write_text(
        '<mujoco><include file="sub/head.xml"/><worldbody><include file="sub/mid.xml"/>'
        "</worldbody></mujoco>"
    )
    model = compared(main)
    assert model.armature.tolist() == [0.5, 0.3]
    assert not [r for r in model.report if "angle" in r.reason]


def test_frames_and_bodies_of_the_model_itself_attach(tmp_path: Path) -> None:
    main = tmp_path / "main.xml"
    first = f'<frame name="place" pos="1 2 3">{body(HINGE)}</frame>'
    second = '<body name="b" euler="0 0 30">' + MASS + '<joint name="slow"/></body>'
    main.write_text(
        world(
            f'{first}{second}<body name="c">{MASS}<attach body="arm" prefix="x_"/>'
            '<attach frame="place" prefix="y_"/></body>'
            '<frame euler="10 0 0"><attach body="b" prefix="z_"/></frame>'
        )
    )
    model = compared(main)
    assert {b.name for b in model.bodies} >= {"x_arm", "y_arm", "z_b"}
    assert model.body("y_arm").parent == "c"


def test_a_whole_model_attaches_with_its_classes_and_angles(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        world(
            body('<joint name="p" class="k" ref=".2" springref=".5"/>', "part"),
            compiled('angle="radian" eulerseq="zyx"')
            + '<default><joint damping="3"/><default class="k"><joint stiffness="2"/>'
            "</default></default>",
        ).replace("<mujoco>", '<mujoco model="part">')
    )
    main = tmp_path / "main.xml"
    main.write_text(
        world(
            '<body name="base" pos="0 0 1" childclass="k">'
            f'{MASS}<joint name="q"/><replicate count="2" offset="0 1 0">'
            '<attach model="part" prefix="p_"/></replicate></body>',
            '<asset><model file="part.xml"/></asset><default>'
            '<default class="k"><joint armature="1"/></default></default>',
        )
    )
    model = load(main)
    assert model.armature.tolist() == [1.0, 0.0, 0.0]
    assert model.stiffness.tolist() == [0.0, 2.0, 2.0]
    assert model.neutral().tolist() == [0.0, 0.2, 0.2]
    agreement.mujoco_file(main)


def test_unknown_models_and_frames_are_named() -> None:
    with pytest.raises(kn.LoadError, match="the name of a model, got 'arm'"):
        load(world('<attach model="arm" prefix=""/>'))
    with pytest.raises(kn.LoadError, match="the name of a frame, got 'grip'"):
        load(world('<frame name="grap"/><attach frame="grip" prefix="x"/>'))


def test_replicas_reach_what_names_them() -> None:
    text = world(
        f'<replicate count="2" sep="_">{body(HINGE)}</replicate>',
        tail='<actuator><motor name="m" joint="j"/></actuator>',
    )
    model, peer = load(text), agreement.mujoco_file(text)
    assert [a.name for a in model.actuators] == [peer.actuator(k).name for k in (0, 1)]
    assert [a.targets[0] for a in model.actuators] == ["j_0", "j_1"]


def test_files_include_each_other_only_once(tmp_path: Path) -> None:
    first, second = tmp_path / "a.xml", tmp_path / "b.xml"
    first.write_text('<mujoco><worldbody><include file="b.xml"/></worldbody></mujoco>')
    second.write_text('<mujoco><include file="a.xml"/></mujoco>')
    with pytest.raises(kn.LoadError, match="the files include each other"):
        load(first)
    second.write_text("<mujoco/>")
    first.write_text('<mujoco><include file="b.xml"/><include file="b.xml"/></mujoco>')
    with pytest.raises(kn.LoadError, match="each file included once"):
        load(first)
    first.write_text('<mujoco><include file="../../../etc/passwd"/></mujoco>')
    with pytest.raises(kn.LoadError, match="outside the folders|no file"):
        load(first)


def test_a_missing_mesh_is_told_and_the_rest_loads() -> None:
    head = '<asset><mesh name="m" file="gone.stl"/></asset>'
    model = load(world(body(HINGE + '<geom type="mesh" mesh="m"/>'), head))
    assert any("the mesh is missing" in x for x in reasons(model, "warning"))
    bare = load(world(body(HINGE + '<geom type="mesh" mesh="m"/>', mass=""), head))
    assert any("has no mass" in x for x in reasons(bare, "error"))


# -- faults --------------------------------------------------------------------------

FAULTS = {
    "class": (
        world(
            body('<joint class="bog"/>'), '<default><default class="big"/></default>'
        ),
        "joint: expected a default class of this file, got 'bog'; did you mean 'big'?",
    ),
    "two turns": (
        world(body(HINGE, place='quat="1 0 0 0" euler="1 2 3"')),
        "expected one of quat, axisangle, xyaxes, zaxis, euler, got quat and euler",
    ),
    "axis": (world(body('<joint axis="0 0 0"/>')), "a direction in axis"),
    "range": (world(body('<joint range="3 1"/>')), "two ascending numbers in range"),
    "size": (world(body('<geom type="box" size="1"/>')), "3 positive sizes of a box"),
    "joint of the world": (world("<joint/>"), "a body around it, got the world"),
    "free inside": (
        world(body(body("<freejoint/>", "b"))),
        "a free joint in a body of the world, got it in a body of 'arm'",
    ),
    "free with others": (world(body("<freejoint/><joint/>")), "to be the only one"),
    "ball and hinge": (
        world(body('<joint type="ball"/><joint/>')),
        "a ball joint to be the only turning one of its body",
    ),
    "names": (
        world(body(HINGE) + body(HINGE, "b")),
        "a name that no other joint has, got 'j', as in line 1",
    ),
    "actuator": (
        world(body(HINGE), tail='<actuator><motor joint="jj"/></actuator>'),
        "the name of a joint, got 'jj'; did you mean 'j'?",
    ),
    "key": (
        world(body(HINGE), tail='<keyframe><key qpos="1 2"/></keyframe>'),
        "expected 1 numbers in qpos, got 2",
    ),
    "global": (world("", compiled('coordinate="global"')), "coordinate='local'"),
    "euler": (world(body(HINGE), compiled('eulerseq="xy"')), "three letters of x, y,"),
    "flexcomp": (world(body("<flexcomp/>")), "the file itself writes, got a flexcomp"),
    "scale": (world('<frame scale="2"/>'), "frames that keep their scale"),
    "damping": (world(body('<joint damping="-1"/>')), "damping not below 0, got -1.0"),
    "mesh": (world(body('<geom type="mesh"/>')), "an attribute 'mesh', got none"),
    "face": (
        world(
            '<geom type="mesh" mesh="m"/>',
            '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"/>'
            "</asset>",
        ),
        "vertex numbers from 0 to 3 in face",
    ),
    "count": (world('<replicate count="1e9"/>'), "a count above 0"),
    "comma": (world(body('<joint damping="0,5"/>')), "write a decimal point"),
    "inertia": (
        world(body(HINGE, mass='<inertial pos="0 0 0" diaginertia="1 1 1"/>')),
        "an attribute 'mass', got none",
    ),
}  # fmt: skip


def test_refusals_are_a_closed_list_and_all_of_them_happen() -> None:
    seen = {
        "flexcomp": world("<flexcomp/>"),
        "composite": world(body("<composite/>")),
        "scaled frame": FAULTS["scale"][0],
        "global coordinates": FAULTS["global"][0],
        "many bodies": world('<replicate count="100000"><body/><body/></replicate>'),
        "many attachments": world(
            '<body name="a"><attach body="a" prefix="b"/></body>'
        ),
    }
    assert set(seen) == set(REFUSED)
    for name, text in seen.items():
        expected, got, repair = REFUSED[name]
        with pytest.raises(kn.LoadError) as caught:
            load(text)
        assert f": expected {expected}, got {got}; {repair}" in str(caught.value)


@pytest.mark.parametrize("name", FAULTS)
def test_faults_say_where_what_and_how_to_mend(name: str) -> None:
    text, told = FAULTS[name]
    with pytest.raises(kn.LoadError) as caught:
        load(text)
    message = str(caught.value)
    assert told in message and message.startswith("<text>:1: mujoco")
    assert "; " in message and "\n" not in message


PIECES = st.sampled_from(
    [
        *("", "0", "-1", "1e300", "nan", "1,5", "<", '"', "/>", "&x;", "free", "ball"),
        *("childclass='q'", "mesh", "<body>", "</body>", "<frame>", "euler='1 2 3'"),
        *('<attach body="arm" prefix="x"/>', '<replicate count="9">', "name='arm'"),
    ]
)


def real_files() -> list[str]:
    """Texts of a few files that Brax ships, where it is installed."""
    spec = util.find_spec("brax")
    tops = spec.submodule_search_locations if spec else None
    names = ("swimmer", "hopper", "reacher", "ant") if tops else ()
    return [(Path(tops[0]) / f"envs/assets/{n}.xml").read_text() for n in names]


BASES = [DATA, *(TEXTS[x] for x in list(TEXTS)[::9]), *real_files()]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(BASES), st.lists(st.tuples(st.floats(0, 1), PIECES), max_size=4),
       st.integers(0, 6))  # fmt: skip
def test_damaged_files_give_one_clear_error(
    text: str, pieces: list[tuple[float, str]], length: int
) -> None:
    for at, piece in pieces:
        k = int(at * len(text))
        text = text[:k] + piece + text[k + length :]
    start = time.process_time()
    try:
        load("<" + text.lstrip()[1:])
    except (kn.LoadError, kn.ModelError) as error:
        assert "\n" not in str(error)
    assert time.process_time() - start < 5.0
