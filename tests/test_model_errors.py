"""What a Model refuses: the body's name, expected, got and the repair, in one line."""

import math

import numpy as np
import pytest

from knuckle.joints import Fixed, Prismatic, Revolute, Spherical
from knuckle.model import Body, Frame, Model, ModelError
from knuckle.spatial import SE3, Inertia, Rx, Tx

LINK = Inertia(1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1))
Z = Revolute("z")
NAN = math.nan


def body(name="arm", parent=None, joint=Z, placement=None, inertia=LINK, **more):
    return Body(name, parent, joint, placement or SE3(), inertia, **more)


def refused(*bodies, **more):
    with pytest.raises(ModelError) as error:
        Model(list(bodies), **more)
    assert isinstance(error.value, ValueError)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_mass():
    text = refused(body(inertia=Inertia.of(-2.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))))
    assert text == (
        "body 'arm': mass: expected a positive mass, got -2.0 kg; write a positive "
        "mass, or inertia=None for a massless body"
    )
    text = refused(body(), body("hand", "arm", inertia=None))
    assert text.startswith(
        "body 'hand': mass: expected a positive mass on it or on a bo"
    )
    assert text.endswith("give 'hand' an inertia, or weld it with a Fixed joint")
    assert "body 'hand'" in refused(
        body(),
        body("hand", "arm", inertia=None),
        body("nail", "hand", Fixed(), None, None),
    )


def test_unchecked_excuses_moments_not_masses():
    flat = Inertia(1.0, (0, 0, 0), (1, 1, 3))
    Model([body(inertia=flat, unchecked=True)])
    Model([body(inertia=None, unchecked=True)])
    none = Inertia.of(-2.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    assert "mass: expected a positive" in refused(body(inertia=none, unchecked=True))
    nan = Inertia.of(NAN, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    assert "finite numbers" in refused(body(inertia=nan, unchecked=True))


def test_massless_bodies_that_are_legal():
    Model([body(inertia=None), body("hand", "arm")])
    Model([body(inertia=None), body("hand", "arm", Fixed())])
    Model([body(), body("tool", "arm", Fixed(), inertia=None)])
    Model([body("post", joint=Fixed(), inertia=None)])


@pytest.mark.parametrize(
    ("I_com", "text"),
    [
        (
            (1, 1, -1),
            "positive-definite matrix, got principal moments (-1, 1, 1) kg m^2",
        ),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "principal moments (-1, 1, 3)"),
        ((1, 1, 2.1), "a + b >= c (the triangle inequality), got (1, 1, 2.1) kg m^2"),
        ((0, 0, 1), "a + b >= c"),
    ],
)
def test_inertia(I_com, text):
    for com in ((0, 0, 0), (0.3, -1, 2)):
        assert text in refused(body(inertia=Inertia(1.0, com, I_com)))


@pytest.mark.parametrize("I_com", [(0, 0, 0), (1, 1, 0), (1, 1, 2), (1, 1, 2.0000001)])
def test_point_rod_and_plate_are_legal(I_com):
    Model([body(inertia=Inertia(1.0, (0.3, -1, 2), I_com))])


@pytest.mark.parametrize("place", ["placement", "offset"])
@pytest.mark.parametrize(
    ("R", "text"),
    [
        (
            np.eye(3) * 1.001,
            "expected a rotation, R^T R = 1 to 1e-09, got a deviation of",
        ),
        (
            np.diag([1.0, 1.0, -1.0]),
            "right-handed rotation, det R = 1, got a reflection",
        ),
        (np.full((3, 3), NAN), "expected finite numbers, got R = [[nan, nan, nan]"),
    ],
)
def test_rotation(place, R, text):
    message = refused(body(**{place: SE3(R, (0, 0, 0))}))
    assert message.startswith(f"body 'arm': {place}: ") and text in message


def test_poses_of_other_shapes():
    """An SE3 says it at once; what the Model turns into one is told with the body."""
    for R, p, got in (
        (np.eye(2), (0, 0, 0), "2 x 2 and 3"),
        (np.eye(4), (0, 0, 0), "4 x 4 and 3"),
        (np.eye(3), (1, 2), "3 x 3 and 2"),
        ((1, 2, 3), (0, 0, 0), "3 and 3"),
        (np.eye(3), 3.0, "3 x 3 and 3.0"),
    ):
        with pytest.raises(
            ValueError, match=f"SE3: expected R 3x3 and p 3, got {got};"
        ):
            SE3(R, p)
    text = refused(body(placement=(np.eye(2), (0, 0, 0))))
    assert "body 'arm': placement: expected an SE3 of numbers" in text
    assert "got 2 x 2 and 3; write SE3(R, p), SE3(p=(x, y, z))" in text


def test_unknown_parent():
    text = refused(body("forearm"), body("hand", "forarm"))
    assert text == (
        "body 'hand': parent: expected None (the world) or the name of a body, got "
        "'forarm'; did you mean 'forearm'?"
    )


def test_cycle():
    text = refused(body("a", "c"), body("b", "a"), body("c", "b"), body("d"))
    assert "got the cycle a -> c -> b -> a; give one of them parent=None" in text
    assert "the cycle a -> a" in refused(body("a", "a"))


def test_names():
    assert refused(body(), body()) == (
        "body 'arm': expected a name that occurs once, got it twice, as number 0 and "
        "1; rename one"
    )
    text = refused(body("a", joint_name="j"), body("b", joint_name="j"))
    assert (
        "joint 'j': expected a name that occurs once" in text and "joint_name=" in text
    )
    assert "joint 'b'" in refused(body("a", joint_name="b"), body("b"))
    assert "'world', which is reserved; rename the body" in refused(body("world"))
    assert "bodies[1]: name: expected a name, got 3" in refused(body(), body(3))
    assert "got ''" in refused(body(""))


def test_frames():
    text = refused(body(), frames=[Frame("tip", "arn")])
    assert "frame 'tip': expected the name of a body, got 'arn'; did you mean" in text
    twice = refused(body(), frames=[Frame("tip", "arm"), Frame("tip", None)])
    assert "frame 'tip': expected a name that occurs once" in twice
    same = refused(body(), frames=[Frame("arm", "arm")])
    assert "frame 'arm': expected a name of its own, got the name of a body" in same
    bad = refused(body(), frames=[Frame("tip", "arm", SE3(np.eye(3) * 2))])
    assert bad.startswith("frame 'tip': placement: expected a rotation")


def test_constants_are_finite():
    assert "body 'arm': placement" in refused(body(placement=Tx(NAN)))
    assert "ten finite numbers" in refused(
        body(inertia=Inertia(math.inf, (0, 0, 0), (1, 1, 1)))
    )
    assert "ten finite" in refused(body(inertia=Inertia(1.0, (NAN, 0, 0), (1, 1, 1))))
    assert "gravity: expected finite" in refused(body(), gravity=(0, 0, NAN))
    assert "gravity: expected three numbers" in refused(body(), gravity=-9.81)
    assert "gravity: expected three numbers" in refused(body(), gravity=(0, -9.81))


def test_types():
    text = refused(body(joint=Revolute))
    assert "body 'arm': joint: expected a Joint, got function Revolute" in text
    assert "expected an Inertia or None, got float 2.0" in refused(body(inertia=2.0))
    assert "placement: expected an SE3" in refused(body(placement="here"))
    assert "bodies[1]: expected a Body, got str 'x'" in refused(body(), "x")
    with pytest.raises(ModelError, match="bodies: expected a list of Body, got 3"):
        Model(3)
    with pytest.raises(ModelError, match="a list of Body, got a Body; write bodies=.*"):
        Model(body())
    with pytest.raises(ModelError, match="object: expected content that can be hashed"):
        Model([body(visuals=(object(),))])


def test_the_first_problem_is_told_and_the_others_are_counted():
    text = refused(body("a", "x"), body("b", "y"), body("c", "z"))
    assert text.startswith("body 'a': parent") and text.endswith(
        "(and 2 more problems)"
    )
    two = refused(body("a", "x"), body("b", "y"))
    assert two.endswith("(and 1 more problem)")


def test_loops_are_not_left_out_silently():
    assert "loops: expected none" in refused(body(), loops=["loop"])


def test_a_planar_body_needs_no_more_than_its_moment_about_z():
    flat = Inertia(1.0, (0.5, 0, 0), (0, 0, 1 / 12))
    assert "a + b >= c" in refused(body(inertia=flat))
    Model([body(inertia=flat)], planar=True)


def test_odd_types_where_names_belong():
    assert "parent: expected None (the world) or the name" in refused(
        body(parent=["a"])
    )
    assert "got 3; " in refused(body("a", 3))
    assert "bodies[0]: name: expected a name, got ['a']" in refused(body(["a"]))
    assert "joint: name: expected a name, got 3" in refused(body(joint_name=3))
    assert "expected the name of a body, got ['a']" in refused(
        body(), frames=[Frame("f", ["a"])]
    )


def test_a_planar_model_stays_in_the_plane():
    plane = Model([body(), body("b", "arm", Prismatic("x"))], planar=True)
    assert plane.planar
    text = refused(body(placement=Rx(math.pi / 2)), planar=True)
    assert (
        "body 'arm': placement: expected a rotation about z, as the model is planar"
        in text
    )
    for joint, how in ((Revolute("x"), "tilts"), (Prismatic("z"), "along z"),
                       (Spherical(), "tilts")):  # fmt: skip
        assert how in refused(body(joint=joint), planar=True)
