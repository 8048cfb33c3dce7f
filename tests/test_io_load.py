"""kn.load: formats told apart, roots, and the public names."""

from __future__ import annotations

from pathlib import Path

import pytest

import knuckle as kn
from knuckle.io.screws import link_of, merged
from knuckle.joints import Fixed, Free, Helical, Planar, Prismatic, Revolute, Spherical
from knuckle.spatial import SE3, Rx, Rz, Tx, Tz

ROBOTS = Path(__file__).parent.parent / "benchmarks" / "models"
ROD = kn.Inertia(1.0, (0.0, 0.0, 0.1), (0.1, 0.1, 0.1))


@pytest.mark.parametrize("ending", ["urdf", "sdf"])
def test_paths_strings_and_text(ending: str) -> None:
    path = ROBOTS / f"arm7.{ending}"
    models = [kn.load(path), kn.load(str(path)), kn.load(path.read_text()),
              kn.load("\ufeff\n " + path.read_text())]  # fmt: skip
    assert len(set(models)) == 1 and models[0].nv == 7
    assert {r.file for r in kn.load(path).report} <= {str(path)}


def test_the_root_decides_the_format_not_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text((ROBOTS / "arm7.sdf").read_text())
    assert kn.load(path) == kn.load(ROBOTS / "arm7.sdf")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<html/>", "expected a root element <robot> (URDF), <mujoco> (MJCF) or <sdf>"),
        ("<robot", "<text>:1: expected well-formed XML, got unclosed token"),
        (
            "<robot name='r'><link name='a'></robot>",
            "robot 'r'/link 'a': exp",
        ),
        ("<", "expected well-formed XML"),
    ],
)
def test_what_is_no_robot(text: str, told: str) -> None:
    with pytest.raises(kn.LoadError) as error:
        kn.load(text)
    assert told in str(error.value) and isinstance(error.value, ValueError)


def test_loading_needs_nothing_but_numpy_and_llvmlite() -> None:
    import subprocess
    import sys

    code = (
        "import sys, knuckle as kn; kn.load(sys.argv[1]);"
        "extra = {'trimesh', 'xacro', 'scipy', 'pinocchio'} & set(sys.modules);"
        "assert not extra, extra"
    )
    path = str(ROBOTS / "hum38.urdf")
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("joint", "kind", "axis"),
    [
        (Revolute((0.6, 0.0, 0.8)), "revolute", (0.6, 0.0, 0.8)),
        (Prismatic("-y"), "prismatic", (0.0, -1.0, 0.0)),
        (kn.Joint(lambda q: Rx(0.5) * Rz(-q[0]), 1), "revolute", None),
        (kn.Joint(lambda q: Tx(1.0) * Rz(q[0]) * Tx(2.0), 1), "revolute", None),
        (Fixed(), "fixed", None),
        (Free(), "floating", None),
        (Planar(), "planar", None),
    ],
)
def test_joints_that_are_one_screw(joint, kind, axis) -> None:
    body = kn.Body("b", None, joint, Rx(0.3) * Tx(0.1), ROD, offset=Tz(0.2) * Rx(0.4))
    link = link_of(body)
    assert link is not None and link.kind == kind
    if axis is not None:
        assert max(abs(x - y) for x, y in zip(link.axis, axis, strict=True)) < 1e-15
    if joint.nv == 1:
        build = Revolute if kind == "revolute" else Prismatic
        length = sum(x * x for x in link.axis) ** 0.5
        moved = build(tuple(x / length for x in link.axis)).pose((0.7,))
        ours = link.lead * moved * link.tail
        theirs = body.placement * joint.pose((0.7,)) * body.offset.inverse()
        assert max(map(abs, (ours.inverse() * theirs).log())) < 1e-14


@pytest.mark.parametrize(
    "joint",
    [Helical("z", 0.1), Spherical(), kn.Joint(lambda q: Rz(2.0 * q[0]), 1),
     kn.Joint(lambda q: Rz(q[0] * q[0]), 1), kn.Joint(lambda q, t: Rz(q[0] + t), 1),
     kn.Joint(lambda q: Rz(q[0]) * Rx(q[0]), 1)],
)  # fmt: skip
def test_joints_that_are_not(joint) -> None:
    assert link_of(kn.Body("b", None, joint, inertia=ROD)) is None


def test_one_frame_does_where_the_axis_meets_the_body() -> None:
    hinge = Revolute("z")
    along = link_of(kn.Body("b", None, hinge, Rx(0.1), ROD, offset=Rx(0.3) * Tz(0.5)))
    beside = link_of(kn.Body("b", None, hinge, Rx(0.1), ROD, offset=Tx(0.5)))
    assert along is not None and beside is not None
    assert merged(beside) is None
    origin, axis = merged(along) or (SE3(), ())
    moved = origin * SE3.rotation(axis, 0.7)
    theirs = Rx(0.1) * Rz(0.7) * (Rx(0.3) * Tz(0.5)).inverse()
    assert max(map(abs, (moved.inverse() * theirs).log())) < 1e-15
