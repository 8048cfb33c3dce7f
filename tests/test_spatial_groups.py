"""SO(3), SE(3), quaternions, Euler angles: exp and log at 0, 1e-12, 1e-7, near pi."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from knuckle.scalar import Program, Trace, tangents
from knuckle.spatial import (
    SE3,
    Motion,
    Rx,
    Ry,
    Rz,
    Tx,
    Ty,
    Tz,
    ad,
    euler,
    exp_so3,
    left_jacobian_inverse_se3,
    left_jacobian_inverse_so3,
    left_jacobian_se3,
    left_jacobian_so3,
    linear,
    log_so3,
    quaternion,
    right_jacobian_inverse_se3,
    right_jacobian_inverse_so3,
    right_jacobian_se3,
    right_jacobian_so3,
)

ANGLES = (0.0, 1e-12, 1e-7, 0.3, 2.0, math.pi - 1e-9, math.pi)


def rows(A):
    return tuple(map(tuple, np.asarray(A).tolist()))


def arr(x):
    if hasattr(x, "matrix"):
        x = x.matrix()
    return np.array(x if isinstance(x, float) else tuple(x), float)


def near(a, b, tolerance=1e-13):
    np.testing.assert_allclose(arr(a), arr(b), rtol=tolerance, atol=tolerance)


def twist(angle, seed=0):
    rng = np.random.default_rng(seed)
    w = rng.normal(size=3)
    w *= angle / np.linalg.norm(w)
    return (*w.tolist(), *rng.normal(size=3).tolist())


def hat(m):
    M = np.zeros((4, 4))
    M[:3, :3], M[:3, 3] = arr(linear.skew(m[:3])), m[3:]
    return M


SUEDA = (
    [-0.7372, -0.2659, 0.6211, 0.6877],
    [-0.1676, -0.8186, -0.5493, 0.3886],
    [0.6545, -0.5091, 0.5589, 0.9371],
    [0.0, 0.0, 0.0, 1.0],
)
SUEDA_LOG = (1.1157, -0.9257, 2.7242, 1.3245, -0.6727, 0.3156)


def test_the_numbers_printed_in_sueda_1_3():
    """Printed to 4 digits; R is projected on SO(3) first, log magnifies at 3.07 rad."""
    E = np.array(SUEDA)
    U, _, V = np.linalg.svd(E[:3, :3])
    pose = SE3(rows(U @ V), E[:3, 3].tolist())
    np.testing.assert_allclose(arr(pose.log()), SUEDA_LOG, atol=5e-4)
    np.testing.assert_allclose(arr(SE3.exp(SUEDA_LOG)), E, atol=2e-4)


@pytest.mark.parametrize("angle", (*ANGLES, 5.0, 6.2, 9.0))
def test_exp_is_the_matrix_exponential(angle):
    m = twist(angle)
    near(SE3.exp(m), expm(hat(m)))
    near(SE3.exp(m).Ad(), expm(arr(ad(m))), 1e-12)
    near(quaternion.to_rotation(quaternion.exp(m[:3])), expm(hat(m))[:3, :3])


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("seed", range(6))
def test_log_inverts_exp(angle, seed):
    m = twist(angle, seed)
    log = SE3.exp(m).log()
    near(SE3.exp(log), SE3.exp(m), 4e-15)
    if angle < math.pi:
        near(log, m, 1e-14)
    near(log_so3(exp_so3(m[:3])), log.angular, 1e-15)
    q = quaternion.exp(m[:3])
    assert abs(linear.dot(quaternion.exp(quaternion.log(q)), q)) == pytest.approx(1.0)


@pytest.mark.parametrize("axis", [(1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0), (0, 0.6, 0.8)])
def test_log_of_a_half_turn_about_any_axis(axis):
    half_turn = exp_so3([math.pi * x for x in axis])
    near(np.abs(log_so3(half_turn)), math.pi * arr(axis), 1e-15)
    exact = 2.0 * np.outer(axis, axis) - np.eye(3)
    near(np.abs(log_so3(rows(exact))), math.pi * arr(axis), 1e-15)


@pytest.mark.parametrize("angle", ["0", "1e-12", "1e-7", "1", "3.1"])
def test_log_inverts_exp_in_50_digits(angle):
    with mp.workdps(50):
        direction = [mp.mpf(2) / 7, mp.mpf(3) / 7, mp.mpf(6) / 7]
        m = [mp.mpf(angle) * x for x in direction] + [mp.mpf(1), mp.mpf(-2), mp.mpf(3)]
        log = SE3.exp(m).log().entries
        assert max(abs(a - b) for a, b in zip(log, m, strict=True)) < mp.mpf("1e-46")
        M = mp.zeros(4)
        M[0:3, 0:3] = mp.matrix([list(row) for row in linear.skew(m[:3])])
        M[0:3, 3] = mp.matrix(m[3:])
        error = mp.expm(M, method="taylor") - mp.matrix(
            [list(map(mp.mpf, row)) for row in SE3.exp(m).matrix()]
        )
        assert mp.mnorm(error) < mp.mpf("1e-45")


def evaluate(outputs, inputs, values):
    program = Program.of(outputs, [x.value for x in inputs])
    return [float(x) for x in program(*values)]


@pytest.mark.parametrize("angle", ANGLES)
def test_first_and_second_derivatives_of_log_exp_are_those_of_the_identity(angle):
    """d(log exp m) = 1, second derivative 0, also at 0 and near pi: never NaN."""
    trace = Trace()
    m = trace.inputs("m", 6)
    log = SE3.exp(m).log().entries
    for k in (0, 2, 4):
        first = tangents(log, {m[k]: 1.0})
        second = tangents(first, {m[(k + 2) % 6]: 1.0})
        if angle == math.pi:
            values = evaluate([*first, *second], m, twist(angle))
            assert np.all(np.isfinite(values))
            continue
        values = evaluate([*first, *second], m, twist(angle))
        loss = 1e-12 if angle < 3.0 else 1e-6  # at pi log itself has a jump
        np.testing.assert_allclose(values[:6], np.eye(6)[k], atol=loss)
        np.testing.assert_allclose(values[6:], np.zeros(6), atol=100.0 * loss)


@pytest.mark.parametrize("angle", (*ANGLES, 5.0))
def test_derivatives_of_exp_sum_their_series(angle):
    """left = sum ad^k / (k + 1)!, right its value at -m, and the inverses."""
    m = twist(angle, 3)
    w = m[:3]
    for operator, left, right, left_inverse, right_inverse in (
        (arr(ad(m)), left_jacobian_se3(m), right_jacobian_se3(m),
         left_jacobian_inverse_se3(m), right_jacobian_inverse_se3(m)),
        (arr(linear.skew(w)), left_jacobian_so3(w), right_jacobian_so3(w),
         left_jacobian_inverse_so3(w), right_jacobian_inverse_so3(w)),
    ):  # fmt: skip
        one = np.eye(len(operator))
        series, term, other = one, one, one
        for k in range(1, 60):
            term = term @ operator / (k + 1.0)
            series, other = series + term, other + (-1.0) ** k * term
        near(left, series, 1e-11)
        near(right, other, 1e-11)
        near(arr(left_inverse) @ arr(left), one, 1e-11)
        near(arr(right_inverse) @ arr(right), one, 1e-11)


def test_right_jacobian_is_the_body_twist(h=1e-6):
    m, d = np.array(twist(1.3)), np.array(twist(0.7, 1))
    T = arr(SE3.exp(m.tolist()))
    ahead, behind = (arr(SE3.exp((m + s * d).tolist())) for s in (h, -h))
    slope = (ahead - behind) / (2.0 * h)
    near(np.linalg.inv(T) @ slope, hat(arr(right_jacobian_se3(m.tolist())) @ d), 1e-8)
    near(slope @ np.linalg.inv(T), hat(arr(left_jacobian_se3(m.tolist())) @ d), 1e-8)


def test_poses_compose_invert_and_keep_their_factors():
    T = Rz(0.3) * Tx(0.2) * SE3(exp_so3((0.1, 0.2, 0.3)), (1.0, 2.0, 3.0)) * Ry(-1.0)
    assert [kind for kind, _ in T.factors] == ["Rz", "Tx", "const", "Ry"]
    near(T * T.inverse(), np.eye(4))
    near(T.inverse() * T, np.eye(4))
    assert T.inverse().factors[0] == ("Ry", 1.0)
    x = (0.1, -0.2, 0.3)
    near(T @ x, (arr(T) @ [*x, 1.0])[:3])
    near((T * T).matrix(), arr(T) @ arr(T))
    near(SE3.from_any(T.matrix()), T)
    near(SE3.from_any(arr(T)), T)
    near(SE3.from_any((T.R, T.p)), T)
    axis = (0.0, 0.6, 0.8)
    near(SE3.rotation(axis, 0.7).R, expm(0.7 * arr(linear.skew(axis))))
    near(SE3.rotation((0.0, -1.0, 0.0), 0.7), Ry(-0.7))
    near(SE3.translation((1.0, 0.0, 2.0)), Tx(1.0) * Tz(2.0))
    assert SE3().factors == () and (Ty(1.0) * SE3()).factors == (("Ty", 1.0),)
    with pytest.raises(ValueError, match="4x4"):
        SE3.from_any([1, 2, 3])
    with pytest.raises(TypeError, match="points"):
        T @ Motion.zero()


def test_elementary_rotations_are_scipys():
    for make, name in ((Rx, "x"), (Ry, "y"), (Rz, "z")):
        near(make(0.4).R, Rotation.from_euler(name, 0.4).as_matrix())


ORDERS = [
    name
    for axes in itertools.product("xyz", repeat=3)
    if axes[0] != axes[1] != axes[2]
    for name in ("".join(axes), "".join(axes).upper())
]


@pytest.mark.parametrize("order", ORDERS)
def test_euler_orders_are_scipys(order):
    rng = np.random.default_rng(7)
    assert len(ORDERS) == 24
    for _ in range(4):
        angles = rng.uniform(-3.0, 3.0, 3)
        R = Rotation.from_euler(order, angles)
        near(euler.to_rotation(order, angles.tolist()), R.as_matrix())
        near(euler.from_rotation(order, rows(R.as_matrix())), R.as_euler(order), 1e-11)


def test_an_unknown_euler_order_is_named():
    for order in ("XyZ", "XXY", "abc", "XY"):
        with pytest.raises(ValueError, match=order):
            euler.to_rotation(order, (0.0, 0.0, 0.0))


def test_quaternions_against_scipy():
    rng = np.random.default_rng(8)
    for _ in range(20):
        A, B = Rotation.random(random_state=rng), Rotation.random(random_state=rng)
        a = quaternion.from_rotation(rows(A.as_matrix()))
        b = quaternion.from_rotation(rows(B.as_matrix()))
        near(np.roll(a, -1), A.as_quat(canonical=True))
        near(quaternion.to_rotation(quaternion.multiply(a, b)), (A * B).as_matrix())
        near(quaternion.multiply(a, quaternion.conjugate(a)), quaternion.IDENTITY)
        near(quaternion.log(a), A.as_rotvec(), 1e-12)
        near(quaternion.log(linear.neg(a)), A.as_rotvec(), 1e-12)
        near(quaternion.exp(quaternion.log(a)), a)
        axis, angle = quaternion.to_axis_angle(a)
        near(quaternion.from_axis_angle(axis, angle), a)
        near(quaternion.normalized([3.0 * x for x in a]), a)


def test_quaternion_rate_follows_the_rotation(h=1e-6):
    q, w = quaternion.exp((0.3, -0.2, 0.5)), (0.4, 0.7, -0.1)
    step = [quaternion.multiply(q, quaternion.exp([s * x for x in w])) for s in (h, -h)]
    near(quaternion.rate(q, w), (arr(step[0]) - arr(step[1])) / (2.0 * h), 1e-9)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-7, 1e-3])
def test_quaternion_of_a_rotation_is_accurate_near_every_half_turn(axis, offset):
    w = [0.0, 0.0, 0.0]
    w[axis] = math.pi - offset
    w[(axis + 1) % 3] = 1e-8
    near(quaternion.from_rotation(exp_so3(w)), quaternion.exp(w), 3e-16)
