"""Positions on the joints' manifolds: neutral, random, integrate, difference."""

import numpy as np
import pytest

from knuckle import joints
from knuckle.joints import Free, Joint, Prismatic, Revolute, Spherical
from knuckle.model import Body, Model, ModelError, arrays
from knuckle.scalar import stumpff
from knuckle.spatial import SE3, Inertia, Rz, Tx

LINK = Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
BUILT_IN = {
    "cylinder": joints.Cylindrical("y"),
    "planar": joints.Planar(),
    "euler": joints.SphericalEuler("zyx"),
    "exp": joints.SphericalExp(),
    "free": Free(),
    "ball": Spherical(),
    "ball2": Spherical(),
    "rack": joints.RackAndPinion(0.2),
    "hinge": Revolute("z", lower=-0.5, upper=0.25),
    "slide": Prismatic("x", lower=1.0),
    "weld": joints.Fixed(),
    "clock": Joint(lambda q, t: Tx(q[0]) * Rz(t), 1),
}
MODEL = Model(
    [Body(name, None, joint, inertia=LINK) for name, joint in BUILT_IN.items()]
)


def states(shape, seed=0):
    rng = np.random.default_rng(seed)
    return MODEL.random(rng, shape), 0.4 * rng.normal(size=(*shape, MODEL.nv))


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,)])
def test_difference_undoes_integrate(shape):
    q, v = states(shape)
    moved = MODEL.integrate(q, v)
    assert moved.shape == (*shape, MODEL.nq)
    np.testing.assert_allclose(MODEL.difference(q, moved), v, atol=1e-14)
    other, _ = states(shape, 1)
    step = MODEL.difference(q, other)
    MODEL.validate(q, v)
    reached = MODEL.integrate(q, step)
    np.testing.assert_allclose(MODEL.difference(reached, other), 0 * step, atol=1e-13)


def test_rows_agree_with_the_joints_own_numbers():
    q, v = states((4,))
    moved, back = MODEL.integrate(q, v, 0.3), MODEL.difference(q, q[::-1])
    for row in range(4):
        for p in MODEL.joints:
            one = p.joint.integrate(q[row, p.q], v[row, p.v], 0.3)
            np.testing.assert_allclose(moved[row, p.q], one, rtol=1e-15, atol=1e-15)
            two = p.joint.difference(q[row, p.q], q[3 - row, p.q])
            np.testing.assert_allclose(back[row, p.v], two, rtol=1e-13, atol=1e-13)


def test_broadcasting():
    q, v = states((3,))
    times = np.linspace(0.0, 1.0, 3)
    many = MODEL.integrate(q[0], v[0], times)
    assert many.shape == (3, MODEL.nq)
    np.testing.assert_array_equal(many[1], MODEL.integrate(q[0], v[0], 0.5))
    np.testing.assert_array_equal(MODEL.integrate(q, 0 * v[0], 2.0), q)
    grid = MODEL.difference(q[:, None], q)
    assert grid.shape == (3, 3, MODEL.nv)
    np.testing.assert_allclose(grid[range(3), range(3)], 0.0, atol=1e-14)


def test_types():
    q, v = states((2,))
    small = MODEL.integrate(q.astype("f4"), v.astype("f4"), 0.1)
    assert small.dtype == np.float32
    assert MODEL.integrate(q.astype("f4"), v, 0.1).dtype == np.float64
    assert MODEL.integrate(q.tolist(), v.tolist(), 1).dtype == np.float64
    with pytest.raises(
        ModelError, match="q: expected real numbers, got dtype complex128"
    ):
        MODEL.integrate(q + 0j, v)
    n = MODEL.nv
    with pytest.raises(
        ModelError, match=rf"v: expected shape \(..., {n}\), got \(2, 3\)"
    ):
        MODEL.integrate(q, np.ones((2, 3)))
    with pytest.raises(ModelError, match=r"q0: expected shape .* got \(\)"):
        MODEL.difference(1.0, q)
    with pytest.raises(ModelError, match=r"rng .*, got 3; write np.random.default_rng"):
        MODEL.random(3)


def test_neutral_and_random_lie_on_the_manifold_and_within_limits():
    q0 = MODEL.neutral()
    MODEL.validate(q0)
    assert q0[MODEL.joint("free").q].tolist() == [0, 0, 0, 1, 0, 0, 0]
    q = MODEL.random(np.random.default_rng(0), (500,))
    MODEL.validate(q)
    hinge = q[:, MODEL.joint("hinge").q]
    assert hinge.min() < -0.45 and hinge.max() > 0.2
    assert (-0.5 <= hinge).all() and (hinge <= 0.25).all()
    assert (q[:, MODEL.joint("slide").q] >= 1.0).all()
    again = MODEL.random(np.random.default_rng(0), 500)
    np.testing.assert_array_equal(q, again)


def test_normalize_repairs_and_validate_names_row_joint_and_norm():
    q = MODEL.random(np.random.default_rng(0), (2, 3))
    ball = MODEL.joint("ball").q
    q[1, 2, ball] *= 1.5
    with pytest.raises(ModelError) as error:
        MODEL.validate(q)
    text = str(error.value)
    assert text.startswith(
        "q, row (1, 2), joint 'ball': expected a unit quaternion, got "
    )
    assert "norm 1.5 in" in text and "model.normalize(q)" in text
    fixed = MODEL.normalize(q)
    MODEL.validate(fixed)
    np.testing.assert_allclose(fixed[1, 2, ball], q[1, 2, ball] / 1.5, rtol=1e-15)
    np.testing.assert_allclose(fixed[0], q[0], rtol=1e-15)
    with pytest.raises(ModelError, match=r"joint 'free': .* got norm 0 in \[0.0"):
        MODEL.validate(np.zeros(MODEL.nq))


def test_validate_names_what_is_not_finite():
    q, v = states((2,))
    v[1, 0] = np.nan
    with pytest.raises(
        ModelError, match=r"v, row \(1\), 'cylinder\[0\]': expected a fin"
    ):
        MODEL.validate(q, v)
    q[0, MODEL.joint("hinge").q] = np.inf
    with pytest.raises(ModelError, match=r"q, row \(0\), 'hinge': .* got inf"):
        MODEL.validate(q)


def test_a_bad_row_changes_no_other():
    q, v = states((6,))
    clean = MODEL.integrate(q, v)
    q[3] = np.nan
    v[4] = 1e300
    with np.errstate(all="raise"):
        moved = MODEL.integrate(q, v)
    np.testing.assert_array_equal(moved[[0, 1, 2, 5]], clean[[0, 1, 2, 5]])


@pytest.mark.parametrize("k", range(13))
def test_stumpff_on_arrays_agrees_with_numbers(k):
    edge = [1.0 + 1e-12, 1.0 - 1e-12, -1.0 - 1e-12, 4.0 * k + 4.0]
    t = np.concatenate([np.linspace(-20, 60, 401), [0.0, 1e-300, 1e-8], edge])
    want = [float(stumpff(k, x)) for x in t]
    np.testing.assert_allclose(arrays.stumpff(k, t), want, rtol=2e-13, atol=2e-15)


def test_poses_and_subspaces_on_arrays_agree_with_the_joint():
    from knuckle.model import coordinates

    joint = Joint(
        lambda q: SE3(p=(1, 0, 0)) * Rz(q[0]) * Tx(q[1]) * Rz(0.3) * Tx(1.0), 2
    )
    q = np.random.default_rng(0).normal(size=(5, 2))
    R, p, S = coordinates.motion(joint, q)
    eps = 1e-6
    for row, x in enumerate(q):
        pose = joint.pose(x)
        np.testing.assert_allclose(R[row], pose.R, atol=1e-15)
        np.testing.assert_allclose(p[row], pose.p, atol=1e-15)
        for k in range(2):
            moved = joint.pose(x + eps * np.eye(2)[k])
            twist = (pose.inverse() * moved).log()
            np.testing.assert_allclose(
                np.array(list(twist)) / eps, S[row, :, k], atol=1e-5
            )
