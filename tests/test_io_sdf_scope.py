"""Frames of SDF, against products of 4x4 matrices made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import knuckle as kn
from knuckle.io.sdf.scope import between
from knuckle.spatial import SE3

RNG = np.random.default_rng(7)
POSES = {name: RNG.normal(size=6) for name in "abcdefgh"}
INERTIA = "<inertial><mass>1</mass></inertial>"


def matrix(name: str) -> np.ndarray:
    """Rz(yaw) Ry(pitch) Rx(roll) and p."""
    p, (r, s, t) = POSES[name][:3], POSES[name][3:]
    Rx = [[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]]
    Ry = [[np.cos(s), 0, np.sin(s)], [0, 1, 0], [-np.sin(s), 0, np.cos(s)]]
    Rz = [[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array(Rz) @ np.array(Ry) @ np.array(Rx), p
    return T


def pose(name: str, base: str = "") -> str:
    relative = f' relative_to="{base}"' if base else ""
    numbers = " ".join(repr(float(x)) for x in POSES[name])
    return f"<pose{relative}>{numbers}</pose>"


def link(name: str, place: str) -> str:
    return f'<link name="{name}">{place}{INERTIA}</link>'


def load(*parts: str, attributes: str = "") -> kn.Model:
    inside = "".join(parts)
    return kn.load(
        f'<sdf version="1.9"><model name="m"{attributes}>{inside}</model></sdf>'
    )


def placed(model: kn.Model, name: str) -> np.ndarray:
    """Where a body or frame is at the neutral position, in the world."""
    run = kn.interpret(kn.forward_kinematics, model)
    R, p = run(model.neutral(), frames=[name])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.array(R[0], float), np.array(p[0], float)
    return T


def check(model: kn.Model, name: str, expected: np.ndarray) -> None:
    assert np.allclose(placed(model, name), expected, rtol=0, atol=1e-14)


def test_a_link_stands_in_its_model() -> None:
    check(load(pose("a"), link("l", pose("b"))), "l", matrix("a") @ matrix("b"))


def test_a_link_relative_to_links_frames_and_joints() -> None:
    frame = f'<frame name="f" attached_to="l">{pose("c")}</frame>'
    joint = (
        f'<joint name="j" type="fixed">{pose("d")}<parent>l</parent><child>k</child>'
        "</joint>"
    )
    model = load(link("l", pose("b")), frame, joint, link("k", pose("e", "f")),
                 link("n", pose("g", "j")))  # fmt: skip
    f = matrix("b") @ matrix("c")
    check(model, "f", f)
    check(model, "k", f @ matrix("e"))
    check(model, "n", f @ matrix("e") @ matrix("d") @ matrix("g"))


def test_attached_and_relative_are_two_things() -> None:
    """The frame moves with `attached_to`, its numbers are in `relative_to`."""
    frame = f'<frame name="f" attached_to="k">{pose("c", "l")}</frame>'
    model = load(link("l", pose("a")), link("k", pose("b")), frame)
    assert model.frame("f").body == "k"
    check(model, "f", matrix("a") @ matrix("c"))


def test_a_frame_without_more_is_the_models() -> None:
    frame = f'<frame name="f">{pose("c")}</frame>'
    model = load(pose("a"), link("l", pose("b")), frame)
    assert model.frame("f").body == "l"
    check(model, "f", matrix("a") @ matrix("c"))
    chosen = load(link("l", pose("b")), link("k", pose("d")), frame,
                  attributes=' canonical_link="k"')  # fmt: skip
    assert chosen.frame("f").body == "k"


def test_the_placement_frame_is_what_the_pose_places() -> None:
    frame = f'<frame name="f">{pose("c")}</frame>'
    model = load(pose("a"), link("l", pose("b")), frame,
                 attributes=' placement_frame="f"')  # fmt: skip
    check(model, "f", matrix("a"))
    check(model, "l", matrix("a") @ np.linalg.inv(matrix("c")) @ matrix("b"))


def test_nested_models_and_their_names() -> None:
    inner = (
        f'<model name="n">{pose("c", "l")}{link("k", pose("d"))}'
        f'<frame name="f">{pose("e")}</frame></model>'
    )
    outer = link("o", pose("g", "n::f"))
    model = load(pose("a"), link("l", pose("b")), inner, outer)
    base = matrix("a") @ matrix("b") @ matrix("c")
    check(model, "n::k", base @ matrix("d"))
    check(model, "n::f", base @ matrix("e"))
    check(model, "o", base @ matrix("e") @ matrix("g"))
    assert model.frame("n::f").body == "n::k"


def test_a_model_of_models_alone_is_attached_to_the_first() -> None:
    inner = f'<model name="n">{link("k", pose("d"))}</model>'
    model = load(inner, '<frame name="f"/>')
    assert model.frame("f").body == "n::k"
    with pytest.raises(kn.LoadError, match="expected a model with a <link>, got none"):
        load('<frame name="f"/>')


@pytest.mark.parametrize("degrees", [True, False])
def test_angles_in_degrees_and_quaternions(degrees: bool) -> None:
    x, y, z, r, s, t = POSES["a"]
    turn = np.degrees([r, s, t]) if degrees else (r, s, t)
    flag = ' degrees="true"' if degrees else ""
    text = " ".join(repr(float(v)) for v in (x, y, z, *turn))
    check(load(link("l", f"<pose{flag}>{text}</pose>")), "l", matrix("a"))
    q = kn.spatial.so3.quaternion_of_rotation(
        tuple(map(tuple, matrix("a")[:3, :3].tolist()))
    )
    text = " ".join(repr(float(v)) for v in (x, y, z, *q[1:], q[0]))
    place = f'<pose rotation_format="quat_xyzw">{text}</pose>'
    check(load(link("l", place)), "l", matrix("a"))


def test_what_cancels_is_exactly_nothing() -> None:
    """Poses relative to one another keep the zeros that make joints cheap."""
    A, B = SE3(p=(0.1 + 0.2, 0.7, 0.1)), SE3(p=(0.3, 0.7, 0.5))
    assert between(A, B).p == (0.0, 0.0, 0.4)
    turned = SE3.exp((0.3, -0.4, 0.5, 1.0, 2.0, 3.0))
    pose_ = between(turned, turned)
    assert max(map(abs, pose_.p)) == 0.0
    exact = between(turned, turned * B)
    assert np.allclose(exact.p, B.p, atol=1e-15) and np.allclose(exact.R, B.R)
