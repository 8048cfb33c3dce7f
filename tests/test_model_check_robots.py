"""model.check() on real robots: healthy ones give no warning, faults are found."""

from pathlib import Path

import pytest

import knuckle as kn
from knuckle.joints import Fixed, Free, Revolute
from knuckle.model import Body, Box, Model, Shape
from knuckle.model.check.groups import groups
from knuckle.spatial import Inertia, Tz, solids

MODELS = Path(__file__).parents[1] / "benchmarks" / "models"
HEALTHY = (
    *("bolt", "solo12", "finger_edu", "go2", "laikago", "xarm7"),
    *("talos_reduced", "tiago_pro", "ur10", "g1_29dof_rev_1_0"),
)
FAULTS = {
    "pr2": "body 'laser_tilt_link': its mass 0.001 kg in 1e-09 m^3 of shapes is 1e+06",
    "tiago": "body 'hand_thumb_link': its inertia means a radius of gyration of 0.141",
    "kinova": "configuration 'arm_up': it has joint 'j2s6s200_joint_3' at -1.5707, out",
    "double_pendulum": "joint 'joint1': its limits leave one value, 0",
    "romeo": "joint velocity LHand, RHand: it moves no inertia",
}


def doubts(model):
    """Errors and warnings that do not come from the loader's report."""
    told = {r.reason for r in model.report}
    found = [f for f in model.check() if f.severity != "note"]
    return [str(f) for f in found if f.message not in told]


def robot(name):
    pytest.importorskip("trimesh")
    try:
        return kn.load(name)
    except ValueError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.urdf")), ids=lambda p: p.stem)
def test_the_benchmark_robots_are_healthy(path):
    assert doubts(kn.load(path)) == []


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_robots_give_no_warning(name):
    assert doubts(robot(name)) == []


@pytest.mark.parametrize("name", FAULTS)
def test_known_faults_are_found(name):
    assert any(FAULTS[name] in text for text in doubts(robot(name)))


# -- welded bodies ---------------------------------------------------------------------

TRUNK = solids.box((0.3, 0.2, 0.1), mass=10.0)
SPECK = Inertia(1e-6, (0, 0, 0), (1e-6, 1e-6, 1e-6))
LEG = solids.box((0.05, 0.05, 0.3), mass=1.0)


def dummy_base(speck=SPECK):
    """A floating base of 1 mg with the trunk welded to it, as many files have it."""
    dot = (Shape(Box((1e-3, 1e-3, 1e-3))),)
    return Model(
        [
            Body("base", None, Free(), inertia=speck, collisions=dot),
            Body("trunk", "base", Fixed(), inertia=TRUNK),
            Body("leg", "trunk", Revolute("y"), Tz(-0.2), LEG),
            Body("desk", None, Fixed(), inertia=SPECK, collisions=dot),
        ]
    )


def test_welded_bodies_weigh_as_one():
    found = groups(dummy_base())
    assert found.of == (0, 0, 2, -1)
    assert found.masses.tolist() == [10.000001, 10.000001, 1.0, 1e-6]
    assert [found.severity(i) for i in range(4)] == [
        "note",
        "warning",
        "warning",
        "note",
    ]


def test_a_dummy_base_gives_notes_and_a_real_placeholder_warnings():
    found = dummy_base().check()
    assert {f.severity for f in found} == {"note"}
    assert any("'base'" in f.place and "radius of gyration of 1 m" in f.message
               for f in found)  # fmt: skip
    heavy = dummy_base(Inertia(1e-3, (0, 0, 0), (1.0, 1.0, 1.0)))
    assert any(f.severity == "warning" and "'base'" in f.place for f in heavy.check())
