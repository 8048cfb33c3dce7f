"""Complements of S, inverse inertias, pivots: the algebra that assembly stands on."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.scalar import Program, Trace
from knuckle.spatial import (
    Force,
    ForceSubspace,
    Inertia,
    Motion,
    PlanarForce,
    PlanarMotion,
    PlanarSubspace,
    Subspace,
)
from knuckle.spatial.complement import complement
from knuckle.spatial.elimination import in_series, solved
from knuckle.spatial.inverse_inertia import InverseInertia, inverse_inertia
from knuckle.spatial.ldl import LDL, Yielding
from mechanisms import error


def columns(span: Any, size: int = 6) -> np.ndarray:
    return np.array([x.entries for x in span], float).reshape(-1, size).T


def holds(S: np.ndarray, T: np.ndarray, Ta: np.ndarray, Y: np.ndarray) -> None:
    """T^T S = 0, T_a^T S = 1, T^T Y = 1, T_a^T Y = 0."""
    n, m = S.shape[1], len(S) - S.shape[1]
    both = np.hstack([T, Ta]).T @ np.hstack([Y, S])
    assert T.shape[1] == m and Ta.shape[1] == n
    np.testing.assert_allclose(both, np.eye(len(S)), rtol=0, atol=1e-12)


@pytest.mark.parametrize("freedoms", range(7))
def test_complements_of_numbers(freedoms: int) -> None:
    S = np.random.default_rng(freedoms).normal(size=(6, freedoms))
    found = complement(Subspace([Motion.of(s) for s in S.T.tolist()], "hand"))
    holds(S, *(columns(x) for x in found))
    assert {x.frame for x in found} == {"hand"}


@pytest.mark.parametrize("freedoms", range(4))
def test_complements_in_the_plane(freedoms: int) -> None:
    S = np.random.default_rng(freedoms).normal(size=(3, freedoms))
    span = PlanarSubspace([PlanarMotion(*s) for s in S.T.tolist()], "hand")
    holds(S, *(columns(x, 3) for x in complement(span)))


def test_axes_along_coordinates_have_those_of_table_4_1() -> None:
    """Revolute: T = e1 e2 e4 e5 e6; helical: e6 - h e3, up to order and scale."""
    turn = Subspace([Motion((0.0, 0.0, 1.0), (0.0, 0.0, 0.0))])
    T, Ta, _ = complement(turn)
    assert sorted(x.entries.index(1.0) for x in T) == [0, 1, 3, 4, 5]
    assert all(sum(map(abs, x.entries)) == 1.0 for x in T)
    assert Ta[0].entries == (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    screw = Subspace([Motion((0.0, 0.0, 1.0), (0.0, 0.0, 0.25))])
    assert any(
        x.entries == (0.0, 0.0, -0.25, 0.0, 0.0, 1.0) for x in complement(screw).T
    )


@pytest.mark.parametrize("freedoms", [1, 2, 3, 6])
def test_pivots_are_chosen_by_every_row_for_itself(freedoms: int) -> None:
    """Traced once, on axes that need other pivots: among them ones with zeros."""
    trace = Trace()
    flat = trace.inputs("s", 6 * freedoms)
    spans = [Motion.of(flat[6 * k : 6 * k + 6]) for k in range(freedoms)]
    found = complement(Subspace(spans))
    sizes = [len(x) for x in found]
    numbers = [e for span in found for x in span for e in x.entries]
    program = Program.of(numbers, [x.value for x in flat])
    rng = np.random.default_rng(freedoms)
    for turn in range(12):
        S = rng.normal(size=(6, freedoms))
        if turn > 3:
            S = np.roll(np.eye(6), turn, 0)[:, :freedoms]
            S += 1e-9 * rng.normal(size=S.shape)
        values = np.array(program(*S.T.reshape(-1).tolist()), float).reshape(-1, 6).T
        holds(S, *np.split(values, np.cumsum(sizes)[:-1], axis=1))


def test_what_is_known_stays_known() -> None:
    """A unit entry is taken for the pivot before one that is not known."""
    trace = Trace()
    x = trace.input("x")
    S = Subspace([Motion((1.0, 0.0, 0.0), (x, 0.0, 0.0))])
    T, Ta, _ = complement(S)
    program = Program.of([e for f in (*T, *Ta) for e in f.entries])
    assert set(program.operations()) <= {"neg", "sub", "mul"}


def test_the_joint_transmits_the_same_forces() -> None:
    """T spans what Joint.constraint_subspaces spans, for every joint's S."""
    rng = np.random.default_rng(0)
    for kind in mechanisms.KINDS.values():
        joint = kind(rng)
        if not joint.nv or joint.timed:
            continue
        q = joint.random(rng).tolist()
        T, _ = joint.constraint_subspaces(q)
        found = complement(joint.subspace(q))
        holds(columns(joint.subspace(q)), *(columns(x) for x in found))
        if len(T):
            both = np.hstack([columns(T), columns(found.T)])
            assert np.linalg.matrix_rank(both, tol=1e-8) == len(T), joint


def test_solving_needs_its_pivots() -> None:
    A = [[0.0, 2.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0 + 1e-13, 3.0]]
    B = np.random.default_rng(0).normal(size=(3, 4))
    found = np.array(solved(A, B.tolist()))
    assert error(np.array(A) @ found, B) < 1e-15


def test_solving_traced_picks_pivots_row_by_row() -> None:
    trace, n = Trace(), 4
    flat = trace.inputs("a", n * n)
    rows = [flat[n * k : n * k + n] for k in range(n)]
    X = solved(rows, np.eye(n).tolist())
    program = Program.of([x for row in X for x in row], [x.value for x in flat])
    rng = np.random.default_rng(1)
    for turn in range(20):
        A = np.roll(np.eye(n), turn, 0) + 1e-6 * rng.normal(size=(n, n))
        found = np.array(program(*A.reshape(-1).tolist())).reshape(n, n)
        assert np.abs(found @ A - np.eye(n)).max() < 1e-9


@pytest.mark.parametrize("ranks", [(6, 6), (6, 1), (5, 2), (3, 3), (1, 6), (0, 4)])
def test_in_series(ranks: tuple[int, int]) -> None:
    """(A^-1 + C)^-1, also where neither A nor C has an inverse; symmetric."""
    rng = np.random.default_rng(ranks)
    A, C = (x @ x.T for x in (rng.normal(size=(6, r)) for r in ranks))
    K = np.array(in_series(A.tolist(), C.tolist()))
    assert np.array_equal(K, K.T)
    assert error(K + K @ C @ A, A) < 1e-11 or not A.any()
    if ranks == (6, 6):
        expected = np.linalg.inv(np.linalg.inv(A) + C)
        assert error(K, expected) < 1e-10
    with mpmath.workdps(40):
        exact = mpmath.matrix(A.tolist())
        exact = (mpmath.eye(6) + exact * mpmath.matrix(C.tolist())) ** -1 * exact
    assert error(K, np.array(exact.tolist(), float)) < 1e-10


def test_yielding() -> None:
    """(D + diag(1 / R))^-1, R None for nothing, and 0 for what holds nothing back."""
    rng = np.random.default_rng(3)
    root = rng.normal(size=(3, 3))
    D = root @ root.T
    found = np.array(Yielding(D.tolist(), (None, None, 0.5)).inverse())
    assert error(found, np.linalg.inv(D + np.diag([0.0, 0.0, 2.0]))) < 1e-13
    loose = np.array(Yielding(D.tolist(), (None, None, 0.0)).inverse())
    assert not loose[2].any() and not loose[:, 2].any()
    assert error(loose[:2, :2], np.linalg.inv(D[:2, :2])) < 1e-13
    none = np.array(Yielding(D.tolist(), (None,) * 3).inverse())
    assert np.array_equal(none, np.array(LDL(D.tolist()).inverse()))


def test_inverse_inertias() -> None:
    rng = np.random.default_rng(5)
    I = mechanisms.inertia(rng)
    Phi = inverse_inertia(Inertia.of_entries(I.entries, "hand"))
    M = np.array(I.matrix())
    assert error(np.array(Phi.matrix()) @ M, np.eye(6)) < 1e-12
    f = Force.of(rng.normal(size=6).tolist(), "hand")
    a = Phi @ f
    assert isinstance(a, Motion) and a.frame == "hand"
    np.testing.assert_allclose(M @ np.array(a.entries), f.entries, atol=1e-12)
    G = Phi @ ForceSubspace([f])
    less = Phi - G @ LDL([[2.0]]).inv @ G.T
    g = np.array(a.entries)
    assert error(np.array(less.matrix()), np.linalg.inv(M) - np.outer(g, g) / 2) < 1e-12
    assert error(np.array((Phi + Phi).matrix()), 2 * np.array(Phi.matrix())) == 0.0
    with pytest.raises(TypeError, match="an inverse inertia maps a Force"):
        Phi @ a
    with pytest.raises(kn.FrameError, match="hand"):
        Phi @ Force.zero("foot")


def test_planar_inverse_inertias() -> None:
    rows = ((2.0, 0.1, 0.2), (0.1, 3.0, 0.3), (0.2, 0.3, 4.0))
    a = InverseInertia(rows, "hand") @ PlanarForce(1.0, 2.0, 3.0, "hand")
    assert isinstance(a, PlanarMotion)
    np.testing.assert_allclose(a.entries, np.array(rows) @ [1.0, 2.0, 3.0])


def test_articulated_inertias_of_matrices() -> None:
    root = np.random.default_rng(0).normal(size=(6, 6))
    A = (root @ root.T).tolist()
    found = kn.spatial.ArticulatedInertia.of_matrix(A).matrix()
    assert error(np.array(found), np.array(A)) == 0.0
    flat = [row[:3] for row in A[:3]]
    planar = kn.spatial.PlanarArticulatedInertia.of_matrix(flat).matrix()
    assert error(np.array(planar), np.array(flat)) == 0.0
