"""Joints of files that follow others: exact here, and written back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.io import names
from knuckle.joints import Fixed, Prismatic, Revolute
from mjcf_texts import MASS, body, world
from oracles import required

ROD = kn.Inertia(1.0, (0.2, 0.1, 0.0), (0.1, 0.2, 0.3))


def arm(*couplings: kn.Coupling) -> kn.Model:
    """Three joints in a row."""
    kinds = {"a": Revolute("z"), "b": Revolute("x"), "c": Prismatic("y")}
    above = dict(zip("abc", (None, "a", "b"), strict=True))
    return kn.Model(
        [kn.Body(n, above[n], j, kn.SE3(p=(0.3, 0, 0)), ROD) for n, j in kinds.items()],
        couplings=couplings,
    )


LINES = [
    (kn.Coupling("b", "a", ratio=-2.0, offset=0.25), kn.Coupling("c", "b", ratio=0.1)),
    (kn.Coupling("a", "c", ratio=3.0),),
]


@pytest.mark.parametrize("couplings", LINES, ids=["chain", "back"])
@pytest.mark.parametrize("form", ["urdf", "mjcf"])
def test_gears_are_written_and_read_back(form: str, couplings: Any) -> None:
    model = arm(*couplings)
    back = kn.load(getattr(model, f"to_{form}")())
    assert back.couplings == couplings and back.constraints == ()
    q, v, a = mechanisms.state(model, 0)
    assert back.v_names == model.v_names
    run = [kn.interpret(kn.inverse_dynamics, m)(q, v, a) for m in (model, back)]
    np.testing.assert_allclose(run[1], run[0], atol=1e-12)


def test_laws_that_a_format_lacks_are_refused() -> None:
    bend = kn.Coupling("c", "a", function=np.sin)
    sum_ = kn.Coupling("c", ["a", "b"], ratio=[1.0, 2.0])
    for coupling in (bend, sum_):
        with pytest.raises(kn.ModelError, match=r"say: coupling of joint 'c' \(no"):
            arm(coupling).to_urdf()
        with pytest.raises(kn.ModelError, match="polynomials of one hinge or slide up"):
            arm(coupling).to_mjcf()
        lost = arm(coupling).to_urdf(allow_loss=True)
        assert kn.load(lost).nv == 3


def test_polynomials_of_mjcf_are_laws() -> None:
    """y - y0 = a0 + a1 (x - x0) + ...: MuJoCo finds no error where it is here."""
    text = world(
        body('<joint name="x" ref="0.3"/><body name="next">'
             f'{MASS}<joint name="y" ref="-0.2"/></body>'),
        tail='<equality><joint name="cam" joint1="y" joint2="x" solref=".1 1"'
             ' polycoef="0.1 0.5 -0.7 0.2 0.3"/></equality>',
    )  # fmt: skip
    model = kn.load(text)
    assert model.v_names == ("x",) and model.constraints == ()
    notes = [r.reason for r in model.report if "holds exactly" in r.reason]
    assert notes == ["equality 'cam' of joints holds exactly here; left out: solref "
                     "(0.1, 1.0)"]  # fmt: skip
    again = kn.load(model.to_mjcf())
    mujoco = required("mujoco", "mujoco")
    for peer in (mujoco.MjModel.from_xml_string(t) for t in (text, model.to_mjcf())):
        data = mujoco.MjData(peer)
        for x in (-1.0, 0.0, 0.3, 1.2):
            data.qpos = kn.joint_positions(model, [x])
            np.testing.assert_allclose(
                kn.joint_positions(again, [x]), data.qpos, atol=1e-13
            )
            mujoco.mj_forward(peer, data)
            assert data.nefc == 1 and abs(data.efc_pos[0]) < 1e-13


def test_equalities_that_stay_data() -> None:
    """What is switched off, and what cannot hold."""

    def read(equality: str) -> kn.Model:
        inside = f'<joint name="x"/><body name="n">{MASS}<joint name="y"/></body>'
        return kn.load(world(body(inside), tail=f"<equality>{equality}</equality>"))

    off = read('<joint joint1="y" joint2="x" active="false"/>')
    assert off.nv == 2 and len(off.constraints) == 1 and not off.couplings
    held = read('<joint joint1="y" polycoef="0.4"/>')
    assert held.nv == 1 and held.couplings == (kn.Coupling("y", (), offset=0.4),)
    both = '<joint joint1="y" joint2="x"/><joint joint1="x" joint2="y"/>'
    ring = read(both)
    assert ring.nv == 1 and [c.between for c in ring.constraints] == [("x", "y")]
    told = [r.reason for r in ring.report if r.severity == "error"]
    assert len(told) == 1 and "got a cycle, each waiting for another" in told[0]


def test_keyframes_lose_what_follows() -> None:
    inside = f'<joint name="x"/><body name="n">{MASS}<joint name="y"/></body>'
    tail = (
        '<equality><joint joint1="y" joint2="x" polycoef="0 2"/></equality>'
        '<keyframe><key name="on" qpos=".1 .2"/><key name="off" qpos=".1 .3"/>'
        "</keyframe>"
    )
    model = kn.load(world(body(inside), tail=tail))
    assert [q.tolist() for q in model.configurations.values()] == [[0.1], [0.1]]
    told = [r for r in model.report if r.severity == "warning"]
    assert ["'off'" in r.element or "off" in r.element for r in told] == [True]
    assert "joint 'y' is moved to where its coupling puts it" in told[0].reason
    back = kn.load(model.to_mjcf())
    assert back.configurations["on"].tolist() == [0.1]


def test_axes_of_sdf_follow_axes() -> None:
    def joint(name: str, kind: str, child: str, inside: str) -> str:
        return (
            f'<joint name="{name}" type="{kind}"><parent>base</parent>'
            f"<child>{child}</child>{inside}</joint>"
        )

    def axis(xyz: str, mimic: str = "", tag: str = "axis") -> str:
        return f"<{tag}><xyz>{xyz}</xyz>{mimic}</{tag}>"

    law = "<multiplier>2</multiplier><offset>0.5</offset><reference>0.25</reference>"
    two = axis("1 0 0") + axis("0 1 0", tag="axis2")
    links = "".join(f'<link name="{n}"/>' for n in ("base", "l", "m", "n"))
    follow = axis("0 0 1", f'<mimic joint="wrist" axis="axis2">{law}</mimic>')
    bad = axis("1 0 0", '<mimic joint="k"/>') + axis("0 1 0", tag="axis2")
    text = (
        f'<sdf version="1.11"><model name="m">{links}'
        + joint("wrist", "universal", "l", two) + joint("k", "revolute", "m", follow)
        + joint("w", "universal", "n", bad) + "</model></sdf>"
    )  # fmt: skip
    model = kn.load(text)
    assert model.couplings == (kn.Coupling("k", "wrist[1]", ratio=2.0),)
    told = [r.reason for r in model.report if r.severity == "error"]
    assert "axis alone of joint 'w' cannot follow another" in told
    assert [c.name for c in model.constraints] == ["w"]


def test_states_of_srdf_leave_followers_alone(tmp_path: Any) -> None:
    from knuckle.io.srdf import to_srdf

    model = arm(LINES[0][0]).replace(configurations={"up": [0.5, 0.1]})
    text = to_srdf(model)
    assert '<joint name="b" value="-0.75" />' in text
    robot, semantic = tmp_path / "r.urdf", tmp_path / "r.srdf"
    robot.write_text(model.to_urdf())
    semantic.write_text(text)
    back = kn.load(robot, srdf=semantic)
    assert back.configurations["up"].tolist() == [0.5, 0.1]
    assert any("follows others by a coupling" in r.reason for r in back.report)


def test_a_handle_without_mass_is_no_error_where_it_drives_some() -> None:
    def text(mimic: str, mass: str) -> str:
        links = f'<link name="base"/><link name="h"/><link name="w">{mass}</link>'
        ends = '<parent link="base"/><axis xyz="1 0 0"/>'
        return (
            f'<robot name="r">{links}'
            f'<joint name="a" type="continuous">{ends}<child link="h"/></joint>'
            f'<joint name="b" type="continuous">{ends}<child link="w"/>{mimic}</joint>'
            "</robot>"
        )

    mass = (
        '<inertial><mass value="1"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    )

    def still(*parts: str) -> int:
        report = kn.load(text(*parts)).report
        return sum("moves no mass" in r.reason for r in report)

    mimic = '<mimic joint="a" multiplier="3"/>'
    assert still(mimic, mass) == 0 and still("", mass) == 1 and still(mimic, "") == 2
    model = kn.load(text(mimic, mass))
    np.testing.assert_allclose(kn.mass_matrix(model, [0.3]), [[9.0]])


@pytest.mark.parametrize("name", ["panda", "baxter"])
def test_mimic_joints_are_those_of_pinocchio(name: str) -> None:
    """Its mimic joints: M and RNEA in the coordinates of the independent joints."""
    pin = required("pinocchio", "pin")
    if not names.example_robots():
        pytest.skip("pip install example-robot-data")
    path = names.find(name)
    model, peer = kn.load(path), pin.buildModelFromUrdf(str(path), mimic=True)
    assert model.couplings and peer.nv == model.nv
    data = peer.createData()
    rng = np.random.default_rng(0)
    q, (v, a) = model.random(rng), rng.normal(size=(2, model.nv))
    pq = pin.neutral(peer)
    columns = np.zeros(model.nv, int)
    for place in model.independent:
        if place.joint.nv:
            joint = peer.joints[peer.getJointId(place.name)]
            columns[place.v] = range(joint.idx_v, joint.idx_v + place.joint.nv)
            x = q[place.q]
            pq[joint.idx_q : joint.idx_q + joint.nq] = (
                x if joint.nq == 1 else [np.cos(x[0]), np.sin(x[0])]
            )
    pv, pa = np.zeros((2, peer.nv))
    pv[columns], pa[columns] = v, a
    tau = pin.rnea(peer, data, pq, pv, pa)[columns]
    ours = kn.interpret(kn.inverse_dynamics, model)(q, v, a, passive=False)
    np.testing.assert_allclose(ours, tau, atol=1e-9)
    M = pin.crba(peer, data, pq, pin.Convention.WORLD)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(
        kn.interpret(kn.mass_matrix, model)(q), M[np.ix_(columns, columns)], atol=1e-9
    )


def test_a_gear_to_a_welded_joint_is_told() -> None:
    model = arm().replace("b", joint=Fixed())
    with pytest.raises(kn.ModelError, match="expected a joint that moves, with"):
        model.replace(couplings=[kn.Coupling("b", "a")])
