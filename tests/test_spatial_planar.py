"""The planar algebra is coordinates 3, 4, 5 of the spatial one (Sec. 2.16, check 6)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from knuckle.scalar import Trace
from knuckle.spatial import (
    LDL,
    SE3,
    ArticulatedInertia,
    Force,
    Inertia,
    Motion,
    PlanarArticulatedInertia,
    PlanarForce,
    PlanarInertia,
    PlanarMotion,
    PlanarSubspace,
    PlanarTransform,
    Rx,
    Rz,
    Subspace,
    Transform,
    Tz,
    ad,
    cross,
    planar,
)
from knuckle.spatial.acceleration import Acceleration
from knuckle.spatial.newton_euler import newton_euler
from knuckle.spatial.planar_acceleration import PlanarAcceleration

PLANE = np.ix_([2, 3, 4], [2, 3, 4])


def arr(x):
    return np.array(x.matrix() if hasattr(x, "matrix") else tuple(x), float)


def near(a, b, tolerance=1e-12):
    np.testing.assert_allclose(arr(a), arr(b), rtol=tolerance, atol=tolerance)


def quantities(seed=0):
    """The same random quantities of the plane, spatial and planar."""
    rng = np.random.default_rng(seed)
    w, vx, vy, n, fx, fy, x, y, z, angle = rng.normal(size=10).tolist()
    m = Motion((0.0, 0.0, w), (vx, vy, 0.0))
    f = Force((rng.normal(), rng.normal(), n), (fx, fy, rng.normal()))
    X = Transform.from_pose(SE3(Rz(angle).R, (x, y, z)))
    B = rng.normal(size=(3, 3))
    I = Inertia(1.3, rng.normal(size=3).tolist(), (B @ B.T).tolist())
    return m, f, X, I, rng


def articulated(rng):
    """A random planar articulated inertia inside a spatial one."""
    B = rng.normal(size=(3, 3))
    small = B @ B.T
    big = np.zeros((6, 6))
    big[PLANE] = small
    spatial = ArticulatedInertia(
        big[3:, 3:].tolist(), big[:3, 3:].tolist(), big[:3, :3].tolist()
    )
    places = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return spatial, PlanarArticulatedInertia(*(small[p] for p in places))


@pytest.mark.parametrize("seed", range(4))
def test_transforms_products_and_inertias_are_the_spatial_ones(seed):
    m, f, X, I, rng = quantities(seed)
    Xp, mp, fp, Ip = planar(X), planar(m), planar(f), planar(I)
    near(Xp, arr(X)[PLANE])  # (2.77)
    near(Ip, arr(I)[PLANE])  # (2.78)
    near(Xp @ mp, planar(X @ m))
    near(Xp.T @ fp, planar(X.T @ f))
    near(Xp.dual @ fp, planar(X.dual @ f))
    near(Xp.inverse(), planar(X.inverse()))
    near(Xp * Xp, planar(X * X))
    near(cross(mp, Xp @ mp), planar(cross(m, X @ m)))  # (2.75)
    near(cross(mp, fp), planar(cross(m, f)))  # (2.76)
    near(cross(mp, Xp @ mp), arr(ad(m))[PLANE] @ arr(Xp @ mp))
    assert mp.dot(fp) == pytest.approx(m.dot(f))
    near(Ip @ mp, planar(I @ m))
    near(Xp.T @ Ip, planar(X.T @ I))
    near(Ip + Xp.T @ Ip, planar(I + X.T @ I))
    near(Ip - Ip, np.zeros((3, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_articulated_inertias_are_the_spatial_ones(seed):
    m, _, X, I, rng = quantities(seed)
    A, Ap = articulated(rng)
    Xp, mp = planar(X), planar(m)
    near(Ap, arr(A)[PLANE])
    near(Ap @ mp, planar(A @ m))
    near(Xp.T @ Ap, arr(X.T @ A)[PLANE])
    near(Ap + planar(I), arr(A + I)[PLANE])
    near(planar(I) + Ap, arr(I + A)[PLANE])
    near(Ap + Ap - Ap, Ap)
    near(PlanarArticulatedInertia.of_entries(Ap.entries), Ap)
    near(PlanarInertia.of_entries(planar(I).entries), planar(I))


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_elimination(n):
    _, _, _, _, rng = quantities(n)
    _, A = articulated(rng)
    s = rng.normal(size=(3, n))
    S = PlanarSubspace([PlanarMotion(*c) for c in s.T.tolist()])
    U = A @ S
    D = LDL(S.T @ U)
    M, b = arr(A), rng.normal(size=n).tolist()
    dense = s.T @ M @ s
    near(S @ b, s @ b)
    near(A - U @ D.inv @ U.T, M - M @ s @ np.linalg.inv(dense) @ s.T @ M, 1e-9)
    near(U @ D.inv @ b, M @ s @ np.linalg.solve(dense, b), 1e-9)
    near(PlanarTransform.identity() @ S @ b, S @ b)


def test_a_planar_rotation_is_traced_to_its_cosine_and_sine():
    trace = Trace()
    q, x = trace.inputs("q", 2)
    X = planar(Transform.from_pose(SE3(Rz(0.0).R, (0.0, 0.0, 0.3)) * Rz(q)))
    assert [v.op for v in (X.c, X.s)] == ["cos", "sin"] and (X.x, X.y) == (0.0, 0.0)
    with pytest.raises(ValueError, match="r_z is not constant"):
        planar(Transform.from_pose(Tz(x)))


def test_what_leaves_the_plane_is_refused():
    with pytest.raises(ValueError, match=r"planar\(motion\): angular x is 1.0"):
        planar(Motion((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
    with pytest.raises(ValueError, match="linear z"):
        planar(Subspace([Motion((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))]))
    with pytest.raises(ValueError, match="planar=False"):
        planar(Transform.from_pose(Rx(0.3)))
    with pytest.raises(ValueError, match="E_yz"):
        planar(Transform.from_pose(SE3(np.diag([1.0, -1.0, -1.0]) @ Rx(1.0).R)))
    with pytest.raises(TypeError, match="expected a spatial quantity"):
        planar(3.0)


def test_kinds_do_not_mix():
    m, f = PlanarMotion(1.0, 0.0, 0.0), PlanarForce(1.0, 0.0, 0.0)
    X, spatial = PlanarTransform(1.0, 0.0, 0.0, 0.0), Motion.zero()
    for wrong in (
        lambda: m + f,
        lambda: m.dot(m),
        lambda: m + spatial,
        lambda: X @ f,
        lambda: X @ spatial,
        lambda: X.T @ m,
        lambda: cross(m, spatial),
    ):
        with pytest.raises(TypeError):
            wrong()


def test_far_planar_frames_lose_digits_with_the_square_of_the_distance():
    """Book check 36: c = (100, 10) has a condition of 1e8; exact [1, 9, -99]."""
    I = PlanarInertia(1.0, 100.0, 10.0, 1.0 + 100.0**2 + 10.0**2)
    assert np.linalg.cond(arr(I)) == pytest.approx(1.02e8, rel=0.01)
    exact = PlanarMotion(1.0, 10.0 - 1.0, 1.0 - 100.0)
    got = np.linalg.solve(arr(I), arr(I @ exact))
    assert math.dist(got, (1.0, 9.0, -99.0)) < 1e-7


def test_accelerations_that_know_their_velocity_are_the_spatial_ones():
    """X a + S qdd + v x v_J, with the classical part, and the net force of it."""
    for seed in range(3):
        v, _, X, I, rng = quantities(seed)
        start = Motion((0.0, 0.0, rng.normal()), (*rng.normal(size=2), 0.0))
        classical = (*rng.normal(size=2).tolist(), 0.0)
        a = Acceleration((0.0, 0.0, rng.normal()), classical, start)
        vJ = Motion((0.0, 0.0, rng.normal()), (*rng.normal(size=2), 0.0))
        S = Motion((0.0, 0.0, rng.normal()), (*rng.normal(size=2), 0.0))
        there = X @ start + vJ
        whole = X @ a + S + cross(there, vJ)
        flat = planar(X) @ planar(a) + planar(S)
        flat = flat + cross(planar(there), planar(vJ))
        assert isinstance(flat, PlanarAcceleration)
        near(flat, planar(Motion.of(whole.entries)))
        near(flat.classical, np.array(whole.classical[:2]))
        force = newton_euler(planar(I), planar(there), flat)
        near(force, planar(newton_euler(I, there, whole)))
        near(newton_euler(planar(I), planar(v), flat), planar(I) @ flat
             + cross(planar(v), planar(I) @ planar(v)))  # fmt: skip


def test_still_accelerations_keep_what_they_know_when_negated():
    still = PlanarMotion(0.0, 0.0, 0.0)
    a = PlanarAcceleration(0.0, (0.3, -9.81), still)
    assert isinstance(-a, PlanarAcceleration) and (-a).classical == (-0.3, 9.81)
    moving = PlanarAcceleration(0.0, (0.3, -9.81), PlanarMotion(1.0, 0.0, 2.0))
    near(-moving, [-x for x in moving.entries])
    near(moving + moving, [2.0 * x for x in moving.entries])
