"""SRDF: group states as configurations, pairs that never collide as data."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from knuckle.io.source import Source
from knuckle.io.srdf import to_srdf, with_srdf

INERTIA = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
TOUCH = '<collision><geometry><sphere radius="1"/></geometry></collision>'
URDF = (
    f'<robot name="r"><link name="a">{INERTIA}{TOUCH}</link><link name="b">{INERTIA}'
    '</link><joint name="j" type="continuous"><parent link="a"/><child link="b"/>'
    "</joint></robot>"
)
SRDF = """<robot name="r">
<group name="g"><joint name="j"/></group>
<group_state name="home" group="g"><joint name="j" value="0.5"/></group_state>
<group_state name="up" group="g">
<joint name="root_joint" value="1 2 3 0 0 0.6 0.8"/><joint name="j" value="1 2"/>
</group_state>
<disable_collisions link1="b" link2="a" reason="Adjacent"/>
<disable_collisions link1="b" link2="c" reason="Never"/>
</robot>"""


def write(folder, srdf=SRDF, place="arm.srdf"):
    path = folder / "urdf" / "arm.urdf"
    path.parent.mkdir(exist_ok=True)
    path.write_text(URDF)
    (folder / "srdf").mkdir(exist_ok=True)
    (folder / "srdf" / place).write_text(srdf)
    return path


def test_states_become_configurations(tmp_path):
    model = kn.load(write(tmp_path), root="floating")
    assert np.array_equal(model.configurations["home"], [0, 0, 0, 1, 0, 0, 0, 0.5])
    assert np.allclose(model.configurations["up"], [1, 2, 3, 0.8, 0, 0, 0.6, 0])
    reasons = [r.reason for r in model.report]
    assert "2 values for 1 coordinates, ignored" in reasons
    assert any("neither 'c' nor 'b' has a shape" in r for r in reasons)
    apart = [r for r in model.report if "disable_collisions" in r.element]
    assert len(apart) == 1
    (shape,) = model.body("a").collisions
    assert shape.properties == (("disable_collisions", ("b", "Adjacent")),)
    fixed = kn.load(tmp_path / "urdf" / "arm.urdf")
    assert np.array_equal(fixed.configurations["up"], [0.0])
    assert "no joint 'root_joint' moves, ignored" in [r.reason for r in fixed.report]


def test_which_file_is_read(tmp_path):
    path = write(tmp_path, place="other.srdf")
    assert not kn.load(path).configurations
    other = tmp_path / "srdf" / "other.srdf"
    assert set(kn.load(path, srdf=other).configurations) == {"home", "up"}
    other.rename(tmp_path / "srdf" / "arm.srdf")
    assert set(kn.load(path).configurations) == {"home", "up"}
    assert not kn.load(path, srdf=False).configurations


def test_a_free_pose_is_in_the_world_and_a_ball_has_its_w_last(tmp_path):
    sdf = (
        '<sdf version="1.9"><model name="m"><link name="a"><pose>1 1 1 0.3 0.2 0.1'
        '</pose></link><link name="b"/><joint name="k" type="ball"><parent>a</parent>'
        "<child>b</child></joint></model></sdf>"
    )
    (tmp_path / "m.sdf").write_text(sdf)
    states = (
        '<robot name="m"><group_state name="s"><joint name="root_joint" value="1 2 3 0 '
        '0 0.6 0.8"/><joint name="k" value="0.6 0 0 0.8"/></group_state></robot>'
    )
    (tmp_path / "m.srdf").write_text(states)
    model = kn.load(tmp_path / "m.sdf")
    q = model.configurations["s"]
    R, p = kn.interpret(kn.forward_kinematics, model)(q)
    assert np.allclose(p[0], (1, 2, 3)) and np.allclose(R[0], kn.spatial.Rz(
        2 * np.arctan2(0.6, 0.8)).R)  # fmt: skip
    assert np.allclose(q[model.joint("k").q], (0.8, 0.6, 0, 0))


def test_written_states_come_back(tmp_path):
    model = kn.load(write(tmp_path), root="floating")
    (tmp_path / "r.srdf").write_text(to_srdf(model))
    (tmp_path / "r.urdf").write_text(model.to_urdf())
    back = kn.load(tmp_path / "r.urdf")
    assert set(back.configurations) == {"home", "up"}
    for name, q in model.configurations.items():
        assert np.allclose(back.configurations[name], q, rtol=0, atol=1e-15)
    shapes = [m.body("a").collisions[0].properties for m in (model, back)]
    assert shapes[0] == shapes[1] == (("disable_collisions", ("b", "Adjacent")),)


def test_balls_and_free_poses_come_back(tmp_path):
    rod = kn.Inertia(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))
    place = kn.SE3.exp((0.1, 0.2, 0.3, 1.0, 2.0, 3.0))
    bodies = [
        kn.Body("a", None, kn.joints.Free(), place, rod, joint_name="root_joint"),
        kn.Body("b", "a", kn.joints.Spherical(), place, rod, joint_name="k"),
    ]
    q = kn.Model(bodies).random(np.random.default_rng(0))
    model = kn.Model(bodies, configurations={"s": q})
    (tmp_path / "m.srdf").write_text(to_srdf(model))
    again = with_srdf(kn.Model(bodies), Source.of_file(tmp_path / "m.srdf"))
    moved = model.difference(q, again.configurations["s"])
    assert np.abs(moved).max() < 1e-14


def test_text_with_a_file_of_states(tmp_path):
    write(tmp_path)
    path = tmp_path / "srdf" / "arm.srdf"
    assert set(kn.load(URDF, srdf=path).configurations) == {"home", "up"}
    assert not kn.load(URDF).configurations


@pytest.mark.parametrize(
    ("srdf", "told"),
    [
        ("<srdf/>", "expected a root element <robot> (SRDF), got <srdf>"),
        (SRDF.replace("0.5", "x"), "expected numbers in attribute value, got 'x'"),
        (SRDF.replace("</robot>", ""), "expected well-formed XML"),
    ],
)
def test_bad_files_are_refused(tmp_path, srdf, told):
    with pytest.raises(kn.LoadError) as error:
        kn.load(write(tmp_path, srdf))
    assert told in str(error.value) and "arm.srdf" in str(error.value)
