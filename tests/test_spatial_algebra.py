"""Laws of the spatial algebra: Featherstone Tables 2.1, 2.3 and the book's checks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from knuckle.scalar import Trace
from knuckle.spatial import (
    LDL,
    SE3,
    ArticulatedInertia,
    Force,
    ForceSubspace,
    FrameError,
    Inertia,
    Motion,
    Subspace,
    Transform,
    ad,
    articulated,
    cross,
    linear,
)

SEEDS = range(5)


class Random:
    """Seeded random quantities."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def vector(self, n: int = 3) -> tuple[float, ...]:
        return tuple(self.rng.normal(size=n).tolist())

    def motion(self) -> Motion:
        return Motion.of(self.vector(6))

    def force(self) -> Force:
        return Force.of(self.vector(6))

    def rotation(self):
        return rows(Rotation.random(random_state=self.rng).as_matrix())

    def transform(self) -> Transform:
        return Transform(self.rotation(), self.vector())

    def definite(self, n: int) -> np.ndarray:
        A = self.rng.normal(size=(n, n))
        return A @ A.T + np.eye(n)

    def inertia(self) -> Inertia:
        I_com = self.definite(3).tolist()
        return Inertia(1.0 + self.rng.uniform(), self.vector(), I_com, self.rotation())

    def articulated(self) -> ArticulatedInertia:
        A = self.definite(6)
        return ArticulatedInertia(
            A[3:, 3:].tolist(), A[:3, 3:].tolist(), A[:3, :3].tolist()
        )

    def subspace(self, n: int) -> Subspace:
        return Subspace([self.motion() for _ in range(n)])


def rows(A) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, np.asarray(A).tolist()))


def arr(x) -> np.ndarray:
    if hasattr(x, "matrix"):
        x = x.matrix()
    return np.array(tuple(x), float)


def crm(v) -> np.ndarray:
    return arr(ad(tuple(v)))


def crf(v) -> np.ndarray:
    return -crm(v).T


def near(a, b, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(arr(a), arr(b), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_euclidean_cross_identities_of_table_2_1(seed):
    r = Random(seed)
    a, b = np.array(r.vector()), np.array(r.vector())
    E, s = np.array(r.rotation()), 1.7

    def x(v):
        return arr(linear.skew(tuple(v)))

    near(x(a), -x(a).T)
    near(x(s * a), s * x(a))
    near(x(a + b), x(a) + x(b))
    near(x(E @ a), E @ x(a) @ E.T)
    near(x(a) @ b, -x(b) @ a)
    near(x(a) @ b, linear.cross3(tuple(a), tuple(b)))
    near(x(x(a) @ b), x(a) @ x(b) - x(b) @ x(a))
    near(x(x(a) @ b), np.outer(b, a) - np.outer(a, b))
    near(x(a) @ x(b), np.outer(b, a) - (a @ b) * np.eye(3))
    near(linear.unskew(rows(x(a))), a)


@pytest.mark.parametrize("seed", SEEDS)
def test_spatial_cross_identities_of_table_2_3(seed):
    r = Random(seed)
    u, v, m, f, X = r.motion(), r.motion(), r.motion(), r.force(), r.transform()
    XM, XF = arr(X), arr(X.dual)
    near(cross(v, m), crm(v) @ arr(m))
    near(cross(v, f), crf(v) @ arr(f))
    near(cross(u, v), -cross(v, u))
    near(crm(X @ v), XM @ crm(v) @ np.linalg.inv(XM))
    near(crf(X @ v), XF @ crf(v) @ np.linalg.inv(XF))
    near(crm(cross(u, v)), crm(u) @ crm(v) - crm(v) @ crm(u))
    near(crf(cross(u, v)), crf(u) @ crf(v) - crf(v) @ crf(u))
    assert cross(u, v).dot(f) == pytest.approx(-v.dot(cross(u, f)), abs=1e-12)
    jacobi = cross(u, cross(v, m)) + cross(v, cross(m, u)) + cross(m, cross(u, v))
    near(jacobi, np.zeros(6))


@pytest.mark.parametrize("seed", SEEDS)
def test_transforms_and_duals(seed):
    r = Random(seed)
    X, Y, m, f = r.transform(), r.transform(), r.motion(), r.force()
    XM = arr(X)
    near(arr(X.dual), np.linalg.inv(XM).T)  # X* = X^-T
    near(XM @ arr(X.inverse()), np.eye(6))  # (2.24) (2.26) = 1
    near(X @ m, XM @ arr(m))
    near(X.dual @ f, arr(X.dual) @ arr(f))
    near(X.T @ f, XM.T @ arr(f))
    assert (X @ m).dot(X.dual @ f) == pytest.approx(m.dot(f), abs=1e-12)
    near(X * Y, XM @ arr(Y))
    near((X * Y) @ m, X @ (Y @ m))
    near(Transform.identity() @ m, m)
    S, U = r.subspace(2), ForceSubspace([r.force(), r.force()])
    near((X @ S)[1], X @ S[1])
    near((X.T @ U)[1], X.T @ U[1])
    near((X.dual @ U)[0], X.dual @ U[0])


def test_a_pose_is_the_inverse_direction_of_its_transform():
    r = Random(1)
    pose = SE3(r.rotation(), r.vector())
    X = Transform.from_pose(pose)
    near(arr(X), np.linalg.inv(arr(pose.Ad())))
    near(X.pose().matrix(), pose.matrix())


@pytest.mark.parametrize("seed", SEEDS)
def test_rigid_inertia(seed):
    r = Random(seed)
    X, I, J, m = r.transform(), r.inertia(), r.inertia(), r.motion()
    c, I_C, mass = arr(linear.skew(I.com)), arr(I.I_com), I.mass
    top = np.hstack([I_C + mass * c @ c.T, mass * c])
    about_O = np.vstack([top, np.hstack([mass * c.T, mass * np.eye(3)])])
    near(I, about_O)  # (2.63)
    near(I @ m, arr(I) @ arr(m))
    near(I + J, arr(I) + arr(J))
    near(I - J, arr(I) - arr(J))
    near(2.5 * I, 2.5 * arr(I))
    near(X.T @ I, arr(X).T @ arr(I) @ arr(X))
    moved = X.T @ I
    energy = (X.inverse() @ m).dot(moved @ (X.inverse() @ m))
    assert energy == pytest.approx(m.dot(I @ m))  # frame independent
    centred = Transform(linear.EYE3, I.com).inverse().T @ I
    near(centred.com, np.zeros(3))
    near(Inertia(I.mass, I.com, I.I_com), I)
    near(Inertia.of_entries(I.entries), I)
    near(articulated(I), I)


def test_inertia_in_other_axes_is_turned_from_both_sides():
    r = Random(3)
    R, I = arr(r.rotation()), np.diag([1.0, 2.0, 2.5])
    turned = Inertia(2.0, (0.0, 0.0, 0.0), (1.0, 2.0, 2.5), rows(R))
    near(turned.I_com, R @ I @ R.T)
    assert Inertia(1.0, (0, 0, 0), [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 2]]).I[1] == 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_inertia(seed):
    r = Random(seed)
    X, A, B = r.transform(), r.articulated(), r.articulated()
    I, m = r.inertia(), r.motion()
    near(A @ m, arr(A) @ arr(m))
    near(A + B, arr(A) + arr(B))
    near(A - B, arr(A) - arr(B))
    near(A + I, arr(A) + arr(I))
    near(I + A, arr(A) + arr(I))
    near(X.T @ A, arr(X).T @ arr(A) @ arr(X))
    near(ArticulatedInertia.of_entries(A.entries), A)
    near(ArticulatedInertia.zero() + A, A)


@pytest.mark.parametrize("n", range(7))
def test_subspace_products_and_elimination(n):
    r = Random(n)
    A, S, b = r.articulated(), r.subspace(n), r.vector(n)
    M = arr(A)
    s = np.array([c.entries for c in S.columns]).T.reshape(6, n)
    U = A @ S
    D = LDL(S.T @ U)
    dense = s.T @ M @ s
    near(S @ b, s @ b)
    near(np.array(S.T @ U).reshape(n, n), dense)
    f = r.force()
    near(S.T @ f, s.T @ arr(f))
    near(D.solve(b), np.linalg.solve(dense, b), 1e-10)
    near(np.array(D.inverse()).reshape(n, n), np.linalg.inv(dense), 1e-10)
    near(U @ D.inv @ b, M @ s @ np.linalg.solve(dense, b), 1e-10)
    left = M - M @ s @ np.linalg.inv(dense) @ s.T @ M
    near(A - U @ D.inv @ U.T, left, 1e-10)
    assert len(S) == n and len(list(U)) == n


@pytest.mark.parametrize("axes", [(2,), (5,), (0, 1), (2, 3, 4), (0, 1, 2), range(6)])
def test_elimination_leaves_structural_zeros_along_the_joint(axes):
    """I^a S = 0 is found while tracing (Sec. A.4), for every pattern of axes."""
    trace = Trace()
    e = trace.inputs("A", 21)
    A = ArticulatedInertia.of_entries(e)
    unit = [tuple(1.0 if i == k else 0.0 for i in range(6)) for k in axes]
    U = A @ Subspace([Motion.of(c) for c in unit])
    D = LDL(Subspace([Motion.of(c) for c in unit]).T @ U)
    left = (A - U @ D.inv @ U.T).matrix()
    for i in range(6):
        for j in range(6):
            zero = isinstance(left[i][j], float) and left[i][j] == 0.0
            assert zero == (i in axes or j in axes), (i, j)


@pytest.mark.parametrize("seed", range(20))
def test_elimination_of_constants_leaves_zeros_along_the_joint(seed):
    """What rounding leaves of I^a S = 0 on plain numbers is zero as well."""
    A = Random(seed).articulated()
    for axis in range(6):
        unit = tuple(1.0 if i == axis else 0.0 for i in range(6))
        S = Subspace([Motion.of(unit)])
        U = A @ S
        left = arr(A - U @ LDL(S.T @ U).inv @ U.T)
        assert not left[axis].any() and not left[:, axis].any()
        keep = np.delete(np.arange(6), axis)
        near(np.linalg.inv(np.linalg.inv(arr(A))[np.ix_(keep, keep)]),
             left[np.ix_(keep, keep)], 1e-9)  # fmt: skip


def test_transform_derivative_is_minus_velocity_cross(seed=4, h=1e-6):
    """d/dt X = (v_A - v_B) x X for frames moving with v_A, v_B (2.45)."""
    r = Random(seed)
    T, v = SE3(r.rotation(), r.vector()), r.vector(6)  # v: body twist of B in A

    def X(t):
        return arr(Transform.from_pose(T * SE3.exp([t * x for x in v])))

    slope = (X(h) - X(-h)) / (2.0 * h)
    near(slope, -crm(v) @ X(0.0), 1e-8)


def test_inertia_rate_by_moving_the_body(seed=5, h=1e-6):
    """dI/dt = v x* I - I v x (2.65), and its matrix by finite differences."""
    r = Random(seed)
    I, v = r.inertia(), r.motion()

    def moved(t):
        pose = SE3.exp([t * x for x in v])
        return arr(Transform.from_pose(pose).T @ I)

    slope = (moved(h) - moved(-h)) / (2.0 * h)
    near(crf(v) @ arr(I) - arr(I) @ crm(v), slope, 1e-8)
    near(I.rate(v), slope, 1e-8)


def test_equation_of_motion_recovers_newton_and_euler(seed=6):
    """f = I a + v x* I v is m c-ddot and Euler's equation about the com (Ex 2.6)."""
    r = Random(seed)
    mass, I_C = 1.7, r.definite(3)
    I = Inertia(mass, (0.0, 0.0, 0.0), I_C.tolist())
    v, a = r.motion(), r.motion()
    f = I @ a + cross(v, I @ v)
    w, wd, u = np.array(v.angular), np.array(a.angular), np.array(v.linear)
    near(f.force, mass * (np.array(a.linear) + np.cross(w, u)))
    near(f.moment, I_C @ wd + np.cross(w, I_C @ w))


def test_inverse_inertia_closed_form(seed=7):
    """Phi_O = I_O^-1, from I_C^-1 and the com (2.74)."""
    I = Random(seed).inertia()
    c, inv = arr(linear.skew(I.com)), np.linalg.inv(arr(I.I_com))
    phi = np.block([[inv, inv @ c.T], [c @ inv, np.eye(3) / I.mass + c @ inv @ c.T]])
    near(phi @ arr(I), np.eye(6), 1e-10)


def test_exponential_of_the_cross_operator_is_the_adjoint(seed=8):
    m = Random(seed).vector(6)
    near(SE3.exp(m).Ad(), expm(crm(m)), 1e-12)


def test_frames_are_checked_and_named():
    shank, thigh = Motion.zero("shank"), Motion.zero("thigh")
    with pytest.raises(FrameError) as error:
        shank + thigh
    assert str(error.value) == (
        "Motion + Motion: left is in frame 'shank', right in 'thigh'; "
        "bring one over with a Transform: X @ m"
    )
    X = Transform(linear.EYE3, linear.ZERO3, source="thigh", target="shank")
    assert (X @ thigh).frame == "shank"
    assert (shank + X @ thigh).frame == "shank"
    assert (shank + Motion.zero()).frame == "shank"
    assert (X.T @ Force.zero("shank")).frame == "thigh"
    assert (X.dual @ Force.zero("thigh")).frame == "shank"
    assert (X.T @ Inertia.zero("shank")).frame == "thigh"
    for wrong in (
        lambda: X @ shank,
        lambda: X.T @ Force.zero("thigh"),
        lambda: X * X,
        lambda: cross(shank, Force.zero("thigh")),
        lambda: shank.dot(Force.zero("thigh")),
        lambda: Inertia.zero("shank") @ thigh,
        lambda: Inertia.zero("shank") + Inertia.zero("thigh"),
        lambda: Subspace([shank, thigh]),
    ):
        with pytest.raises(FrameError, match="'shank'|'thigh'"):
            wrong()


def test_meaningless_products_are_refused():
    m, f, X, I = Motion.zero(), Force.zero(), Transform.identity(), Inertia.zero()
    for wrong in (
        lambda: m.dot(m),
        lambda: f.dot(f),
        lambda: m + f,
        lambda: m * m,
        lambda: I @ f,
        lambda: X @ f,
        lambda: X.T @ m,
        lambda: X.dual @ m,
        lambda: cross(m, I),
        lambda: Subspace([f]),
    ):
        with pytest.raises((TypeError, AttributeError)):
            wrong()
    U, V = ForceSubspace([f]), ForceSubspace([f])
    with pytest.raises(ValueError, match="V must be U"):
        U @ LDL([[1.0]]).inv @ V.T


def test_scaling_and_numpy_numbers():
    m = Motion((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    near(2.0 * m, m * 2.0)
    near(np.float64(2.0) * m, m + m)
    near(-m, m - m - m)
    x = Trace().input("x")
    assert (x * m).entries[0] is (m * x).entries[0] is x
