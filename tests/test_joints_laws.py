"""Laws that every joint of the registry obeys (book checks 9 and 10)."""

from __future__ import annotations

import pickle

import mpmath
import numpy as np
import pytest

from knuckle.joints import GENERAL, REGISTRY, Joint, Reversed
from knuckle.scalar import Program, Scalar, Trace
from knuckle.spatial import SE3, Transform

SEED = 20
JOINTS = {**REGISTRY, **GENERAL}
NAMES = sorted(JOINTS)


def make(name: str, seed: int = SEED) -> tuple[Joint, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return JOINTS[name](rng), rng


def state(joint: Joint, rng: np.random.Generator) -> tuple[list[float], list[float]]:
    return joint.random(rng).tolist(), rng.normal(size=joint.nv).tolist()


def matrix(pose: SE3) -> mpmath.matrix:
    return mpmath.matrix([list(row) for row in pose.matrix()])


def core_matrix(joint: Joint, q: list) -> mpmath.matrix:
    return matrix(SE3(*joint.core_pose(q)))


def vee(m: mpmath.matrix) -> list:
    return [m[2, 1], m[0, 2], m[1, 0], m[0, 3], m[1, 3], m[2, 3]]


def derivative(f, h="1e-12"):
    """The central difference at 0, Richardson-extrapolated: error h^4."""
    h = mpmath.mpf(h)
    near, far = (f(h) - f(-h)) / (2 * h), (f(2 * h) - f(-2 * h)) / (4 * h)
    return (4 * near - far) / 3


@pytest.mark.parametrize("name", NAMES)
def test_velocity_is_the_derivative_of_the_pose(name):
    """v_J = S v is T^-1 dT/dt along integrate, to 20 digits."""
    joint, rng = make(name)
    with mpmath.workdps(50):
        q, v = ([mpmath.mpf(x) for x in values] for values in state(joint, rng))
        q = list(joint.normalize(q))
        T = core_matrix(joint, q)
        rate = derivative(lambda h: core_matrix(joint, joint.integrate(q, v, h)))
        expected = vee(T**-1 * rate)
        R, p, S, velocity, bias = joint.motion(q, v)
        for k in range(6):
            through_S = sum(c.entries[k] * x for c, x in zip(S, v, strict=True))
            assert abs(velocity.entries[k] - expected[k]) < 1e-15, (name, k)
            assert abs(through_S - expected[k]) < 1e-15, (name, k)


@pytest.mark.parametrize("name", NAMES)
def test_bias_is_the_derivative_of_the_velocity(name):
    """c_J is d/dt (S v) with v held."""
    joint, rng = make(name, 21)
    with mpmath.workdps(50):
        q, v = ([mpmath.mpf(x) for x in values] for values in state(joint, rng))
        q = list(joint.normalize(q))
        bias = joint.motion(q, v)[4].entries

        def velocity(h):
            moved = joint.motion(joint.integrate(q, v, h), v)
            return mpmath.matrix(moved[3].entries)

        expected = derivative(velocity)
        for k in range(6):
            assert abs(bias[k] - expected[k]) < 1e-13, (name, k)


@pytest.mark.parametrize("name", NAMES)
def test_velocity_in_doubles(name):
    """The same in floats, along the whole pose: before and after change no twist."""
    joint, rng = make(name, 22)
    for _ in range(3):
        q, v = state(joint, rng)
        h = 1e-6
        a, b = (
            np.array(joint.pose(joint.integrate(q, v, e)).matrix(), float)
            for e in (-h, h)
        )
        T = np.array(joint.pose(q).matrix(), float)
        expected = vee(np.linalg.inv(T) @ (b - a) / (2 * h))
        X = Transform.from_pose(joint.after)
        got = (X @ joint.motion(q, v)[3]).entries
        assert np.allclose(got, expected, atol=1e-8, rtol=1e-8), name


@pytest.mark.parametrize("name", NAMES)
def test_qdot_is_the_derivative_of_integrate(name):
    joint, rng = make(name, 23)
    q, v = state(joint, rng)
    h = 1e-6
    slope = [
        (b - a) / (2 * h)
        for a, b in zip(
            joint.integrate(q, v, -h), joint.integrate(q, v, h), strict=True
        )
    ]
    assert np.allclose(joint.qdot(q, v), slope, atol=1e-8)


@pytest.mark.parametrize("name", NAMES)
def test_core_between_constant_ends_is_the_pose(name):
    joint, rng = make(name, 24)
    q, _ = state(joint, rng)
    whole = joint.before * SE3(*joint.core_pose(q)) * joint.after
    assert np.allclose(whole.matrix(), joint.pose(q).matrix(), atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_constraint_and_actuation_forces(name):
    """T^T S = 0, T_a^T S = 1 (3.35, 3.36), and [T T_a] spans all forces."""
    joint, rng = make(name, 25)
    q, _ = state(joint, rng)
    S = joint.subspace(q)
    T, Ta = joint.constraint_subspaces(q)
    assert len(T) == 6 - joint.nv and len(Ta) == joint.nv
    if joint.nv:
        assert np.allclose([[t.dot(s) for s in S] for t in T] or 0.0, 0.0, atol=1e-12)
        assert np.allclose(Ta.T @ S, np.eye(joint.nv), atol=1e-12)
    together = np.array([f.entries for f in (*T, *Ta)], float)
    assert np.linalg.matrix_rank(together) == 6


@pytest.mark.parametrize("name", NAMES)
def test_difference_inverts_integrate(name):
    joint, rng = make(name, 26)
    for _ in range(3):
        q0, q1 = joint.random(rng).tolist(), joint.random(rng).tolist()
        v = joint.difference(q0, q1)
        assert len(v) == joint.nv
        reached = joint.pose(joint.integrate(q0, v, 1.0)).matrix()
        assert np.allclose(reached, joint.pose(q1).matrix(), atol=1e-9)
        small = (0.3 * rng.normal(size=joint.nv)).tolist()
        back = joint.difference(q0, joint.integrate(q0, small, 1.0))
        assert np.allclose(back, small, atol=1e-9)
    if joint.nv:
        assert np.allclose(joint.difference(q0, q0), 0.0, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in NAMES if "reversed" not in n])
def test_reversed_twice_is_the_joint(name):
    """And the pose of the reversed joint is the inverse (Table 4.2)."""
    joint, rng = make(name, 27)
    q, v = state(joint, rng)
    there, back = Reversed(joint), Reversed(Reversed(joint))
    product = joint.pose(q) * there.pose(q)
    assert np.allclose(product.matrix(), np.eye(4), atol=1e-14)
    assert np.allclose(back.pose(q).matrix(), joint.pose(q).matrix(), atol=1e-15)
    for a, b in zip(joint.motion(q, v)[3:], back.motion(q, v)[3:], strict=True):
        assert np.allclose(a.entries, b.entries, atol=1e-12)
    assert np.allclose(there.qdot(q, v), joint.qdot(q, v))


@pytest.mark.parametrize("name", [n for n in NAMES if "reversed" not in n])
def test_reversal_rules_of_table_4_2(name):
    """v_J becomes -pX_s v_J, by the whole poses."""
    joint, rng = make(name, 28)
    q, v = state(joint, rng)
    there = Reversed(joint)
    forward = Transform.from_pose(joint.after) @ joint.motion(q, v)[3]
    reverse = Transform.from_pose(there.after) @ there.motion(q, v)[3]
    back = Transform.from_pose(joint.pose(q)).inverse()
    assert np.allclose((-(back @ forward)).entries, reverse.entries, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_content_counts(name):
    """Equal, hashed and pickled by content: the same seed gives the same joint."""
    joint, _ = make(name)
    again, _ = make(name)
    copy = pickle.loads(pickle.dumps(joint))
    assert joint == again == copy and hash(joint) == hash(copy)
    assert joint.digest == copy.digest
    q = joint.random(np.random.default_rng(1)).tolist()
    assert copy.core_pose(q) == joint.core_pose(q)
    assert copy.integrate(q, [0.1] * joint.nv, 0.5) == joint.integrate(
        q, [0.1] * joint.nv, 0.5
    )
    if joint.nv:
        assert Joint(lambda q: SE3(), 0) != joint


@pytest.mark.parametrize("name", NAMES)
def test_traced_values_equal_floats(name):
    """On scalars a joint traces inline; structural zeros and ones stay floats."""
    joint, rng = make(name, 29)
    q, v = state(joint, rng)
    trace = Trace()
    traced = joint.motion(trace.inputs("q", joint.nq), trace.inputs("v", joint.nv))
    plain = joint.motion(q, v)
    for a, b in zip(flat(traced), flat(plain), strict=True):
        if not isinstance(a, Scalar):
            assert type(a) is float and a == pytest.approx(b, abs=1e-12)
            continue

        names = [f"q[{k}]" for k in range(joint.nq)] + [
            f"v[{k}]" for k in range(joint.nv)
        ]
        (value,) = Program.of([a], names)(*q, *v)
        assert value == pytest.approx(b, abs=1e-13)


def flat(motion):
    R, p, S, velocity, bias = motion
    columns = [x for c in S for x in c.entries]
    return [*(x for row in R for x in row), *p, *columns, *velocity, *bias]


@pytest.mark.parametrize("name", NAMES)
def test_neutral_and_random_are_configurations(name):
    joint, rng = make(name, 30)
    assert np.allclose(joint.normalize(joint.neutral), joint.neutral, atol=1e-15)
    many = joint.random(rng, (2, 3))
    assert many.shape == (2, 3, joint.nq)
    for q in (q for row in many for q in row):
        R = np.array(joint.pose(q).R, float)
        assert np.allclose(R.T @ R, np.eye(3), atol=1e-13)
        assert np.allclose(joint.normalize(q), q, atol=1e-14)
