"""Constants as parameters: names, globs, shapes, defaults, checks."""

import numpy as np
import pytest

from knuckle.joints import Free, Revolute, Spherical
from knuckle.model import Body, Frame, Model, ModelError
from knuckle.spatial import Inertia, Rx, Ry, Tx, Tz

LINK = Inertia(2.0, (0.1, -0.2, 0.3), [[5, 0.1, 0.2], [0.1, 6, 0.3], [0.2, 0.3, 7]])
MODEL = Model(
    [
        Body("base", None, Free(), inertia=LINK),
        Body("link3", "base", Revolute("z", damping=0.5), Tx(1) * Rx(0.4) * Ry(2.5),
             LINK, joint_name="elbow"),
        Body("ghost", "link3", Spherical(), Tz(1)),
        Body("tool", "ghost", Revolute("x"), inertia=LINK),
    ],
    [Frame("tip", "tool", Tx(0.1))],
)  # fmt: skip


def test_shapes_and_defaults():
    m = MODEL.with_parameters(
        *("link3.mass", "link3.com", "link3.inertia", "link3.placement", "gravity"),
        *(
            "elbow.damping",
            "base.armature",
            "ghost.rest",
            "ghost.mass",
            "tip.placement",
        ),
    )
    d = m.parameter_defaults()
    assert list(d) == list(m.parameters)
    assert d["link3.mass"].shape == () and d["link3.mass"] == 2.0
    np.testing.assert_allclose(d["link3.com"], (0.1, -0.2, 0.3), rtol=1e-15)
    np.testing.assert_allclose(d["link3.inertia"], (5, 6, 7, 0.1, 0.2, 0.3), rtol=1e-14)
    assert d["gravity"].tolist() == [0, 0, -9.81]
    assert d["elbow.damping"].tolist() == [0.5] and d["base.armature"].shape == (6,)
    assert d["ghost.rest"].tolist() == [1, 0, 0, 0] and d["ghost.mass"] == 0.0
    pose = Free().pose(tuple(d["link3.placement"].tolist()))
    np.testing.assert_allclose(pose.R, MODEL.body("link3").placement.R, atol=1e-15)
    assert d["link3.placement"][:3].tolist() == [1, 0, 0]
    assert m.parameters["link3.mass"].index == 1
    assert m.parameters["elbow.damping"].quantity == "damping"
    assert m.parameters["tip.placement"].quantity == "frame placement"
    m.validate(parameters=d)


def test_globs_add_up_in_model_order():
    m = MODEL.with_parameters("*.com")
    assert list(m.parameters) == ["base.com", "link3.com", "ghost.com", "tool.com"]
    more = m.with_parameters("gravity", "elbow.*")
    assert list(more.parameters)[0] == "gravity" and len(more.parameters) == 10
    assert more == MODEL.with_parameters("elbow.*", "gravity", "*.com", "base.com")
    assert MODEL.parameters == {} and MODEL.with_parameters() == MODEL
    assert m != MODEL and hash(m) != hash(MODEL)
    assert m.replace(gravity=(0, 0, 0)).parameters.keys() == m.parameters.keys()


def test_names_with_glob_characters():
    m = Model([Body("leg[1]", None, Revolute("z"), inertia=LINK)])
    assert list(m.with_parameters("leg[1].mass").parameters) == ["leg[1].mass"]


def test_unknown_names():
    with pytest.raises(ModelError) as error:
        MODEL.with_parameters("link3.masss")
    assert str(error.value).startswith(
        "parameter 'link3.masss': no constant of the model has this name; did you mean "
        "'link3.mass'"
    )
    with pytest.raises(ModelError, match=r"\*.colour"):
        MODEL.with_parameters("*.colour")
    with pytest.raises(ModelError, match="expected a name like 'arm.mass'"):
        MODEL.with_parameters(3)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (
            "link3.mass",
            -1.0,
            "expected no negative number, got [-1.0]; the default is [2",
        ),
        ("link3.mass", [1, 2, np.nan], "row (2,): expected finite numbers"),
        ("link3.com", [1, 2], "expected shape (..., 3), got (2,)"),
        ("link3.com", 1.0, "expected shape (..., 3), got ()"),
        (
            "link3.inertia",
            [[1, 1, 1, 0, 0, 0], [1, 1, 1, 2, 0, 0]],
            "row (1,): expected a p",
        ),
        ("link3.inertia", [1, 1, 3, 0, 0, 0], "principal moments with a + b >= c"),
        (
            "link3.placement",
            [0, 0, 0, 1, 1, 0, 0],
            "a unit quaternion in the last four",
        ),
        ("elbow.damping", [-1], "'elbow.damping': expected no negative"),
        (
            "elbow.dumping",
            [1],
            "the model has no such parameter; did you mean 'elbow.damping'",
        ),
        ("base.armature", np.ones(6), "declare it by model.with_parameters"),
    ],
)
def test_values_are_checked_on_demand(name, value, text):
    m = MODEL.with_parameters("link3.*", "elbow.damping")
    with pytest.raises(ModelError) as error:
        m.validate(parameters={name: value})
    assert text in str(error.value) and name in str(error.value)


def test_good_batches_pass():
    m = MODEL.with_parameters("link3.*")
    d = m.parameter_defaults()
    m.validate(
        parameters={k: np.broadcast_to(x, (2, 3, *x.shape)) for k, x in d.items()}
    )
    m.validate(m.neutral(), np.zeros(m.nv), d)
