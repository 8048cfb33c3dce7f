"""Model.replace: arguments of the Model, of a body, of a joint, of a frame."""

import numpy as np
import pytest

from knuckle.joints import Fixed, Prismatic, Revolute, Spherical
from knuckle.joints.registry import REGISTRY
from knuckle.model import Body, Frame, Model, ModelError
from knuckle.spatial import Inertia, Tx, Tz

LINK = Inertia(2.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))
OTHER = Inertia(3.0, (0.1, -0.2, 0.3), (0.5, 0.6, 0.7))


def model(arm=None, tip=None, **more):
    arm = {"joint": Revolute("y", damping=0.5), "inertia": LINK, **(arm or {})}
    bodies = [
        Body("base", None, Spherical(), inertia=LINK, joint_name="ball"),
        Body("arm", "base", placement=arm.pop("placement", Tz(0.4)), **arm),
    ]
    home = {"configurations": {"home": [1.0, 0.0, 0.0, 0.0, 0.5]}}
    return Model(bodies, [Frame("tip", "arm", tip or Tx(0.2))], **home | more)


@pytest.mark.parametrize(
    "changes",
    [
        {"inertia": OTHER},
        {"placement": Tx(1.0)},
        {"inertia": OTHER, "offset": Tz(0.1)},
        {"joint": Prismatic("x")},
        {"visuals": ("a picture",)},
    ],
)
def test_a_body_changes_in_its_place(changes):
    assert model().replace("arm", **changes) == model(arm=changes)


def test_physical_keywords_go_to_the_joint():
    changed = model().replace("arm", armature=0.1, lower=-1, upper=1)
    joint = Revolute("y", damping=0.5, armature=0.1, lower=-1, upper=1)
    assert changed == model(arm={"joint": joint})
    assert model().replace("ball", damping=2.0).damping.tolist() == [2, 2, 2, 0.5]
    both = model().replace("arm", joint=Prismatic("z"), armature=0.3)
    assert both == model(arm={"joint": Prismatic("z", armature=0.3)})


@pytest.mark.parametrize("name", REGISTRY)
def test_a_joint_with_other_keywords_is_the_joint_made_with_them(name):
    joint = REGISTRY[name](np.random.default_rng(0))
    changed = joint.replace(armature=0.5, friction=0.1)
    assert changed.replace(armature=0.0, friction=0.0) == joint
    assert changed.armature == (0.5,) * joint.nv and changed.damping == joint.damping
    assert (changed == joint) == (joint.nv == 0)
    assert Revolute("x").replace(armature=0.5) == Revolute("x", armature=0.5)


def test_configurations_follow_a_joint_of_other_coordinates():
    changed = model().replace("base", joint=Revolute("x"))
    assert changed.configurations["home"].tolist() == [0.0, 0.5]
    kept = model().replace("arm", joint=Prismatic("x"))
    assert kept.configurations["home"].tolist() == [1.0, 0.0, 0.0, 0.0, 0.5]
    held = model().with_parameters("*.damping").replace("arm", joint=Fixed())
    assert set(held.parameters) == {"ball.damping"}


def test_frames_and_arguments_of_the_model():
    assert model().replace("tip", placement=Tz(0.7)) == model(tip=Tz(0.7))
    assert model().replace("tip", body=None).frame("tip").body is None
    still = model().replace(gravity=(0, 0, 0))
    assert still == model(gravity=(0, 0, 0)) and still != model()


@pytest.mark.parametrize(
    "part, changes, text",
    [
        ("amr", {"inertia": LINK}, r"replace\('amr'\): no such body, joint or fra"),
        ("arm", {"inertai": 1}, r"replace\('arm', inertai=...\): did you mean"),
        ("arm", {"name": "x"}, r"replace\('arm', name=...\): other parts refer to it"),
        ("arm", {"joint_name": "x"}, "by its name, which stays; build a new Model"),
        ("tip", {"inertia": LINK}, "the arguments of a frame are 'body', 'placement'"),
        ("arm", {"armature": -1}, r"replace\('arm', ...\): joint 'Revolute': armature"),
        ("arm", {"joint": "hinge", "armature": 1}, "body 'arm': joint: expected a Jo"),
        ("arm", {"inertia": 3}, "body 'arm': inertia: expected an Inertia or None"),
        ("arm", {"parent": "arm"}, "the cycle arm -> arm"),
        (None, {"gravty": 1}, r"replace\(gravty=...\): did you mean 'gravity'"),
    ],
)  # fmt: skip
def test_what_cannot_be_replaced(part, changes, text):
    with pytest.raises(ModelError, match=text):
        model().replace(part, **changes)


def test_a_joint_names_its_keywords():
    with pytest.raises(TypeError, match="'inertia' is no physical keyword; there"):
        Revolute("x").replace(inertia=1.0)
