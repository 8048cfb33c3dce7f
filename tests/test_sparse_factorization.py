"""L^T L and L^T D L on the sparsity of a tree: the book and dense algebra."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import knuckle as kn
import mechanisms
from knuckle.algorithms import sparse_factorization as sparse
from knuckle.scalar import Program, Trace

BINARY = (-1, 0, 0, 1, 1, 2, 2)
CHAIN = tuple(range(-1, 5))
FOREST = (-1, 0, -1, 2, 2, 0, 5, -1)
BACKWARDS = (1, 4, 1, 4, -1, 3)
TREES = {"binary": BINARY, "chain": CHAIN, "forest": FOREST, "backwards": BACKWARDS}
every_tree = pytest.mark.parametrize("parent", TREES.values(), ids=TREES)


def depths(parent: tuple[int, ...]) -> list[int]:
    return [len(kappa) for kappa in sparse.supports(parent)]


def counts(parent: tuple[int, ...]) -> tuple[int, int]:
    """(D1, D2) of (6.26), (6.27)."""
    d = depths(parent)
    return sum(x - 1 for x in d), sum(x * (x - 1) // 2 for x in d)


def pattern(parent: tuple[int, ...]) -> np.ndarray:
    """Where H may differ from zero."""
    mask = np.zeros((len(parent), len(parent)), bool)
    for i, kappa in enumerate(sparse.supports(parent)):
        mask[i, list(kappa)] = mask[list(kappa), i] = True
    return mask


def lower(parent: tuple[int, ...]) -> np.ndarray:
    mask = np.zeros((len(parent), len(parent)), bool)
    for i, kappa in enumerate(sparse.supports(parent)):
        mask[i, list(kappa)] = True
    return mask


def matrix(parent: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """A random positive definite matrix of this sparsity."""
    rng = np.random.default_rng(seed)
    L = np.where(lower(parent), rng.normal(size=(len(parent),) * 2), 0.0)
    np.fill_diagonal(L, rng.uniform(1.0, 2.0, len(parent)))
    return L.T @ L


def rows(H: np.ndarray) -> list[list[float]]:
    return H.tolist()  # type: ignore[no-any-return]


def test_expanded_parent_array_of_the_book() -> None:
    """Check 21: joint 2 has 3 freedoms; the book counts from 1 with the world 0."""
    joints = tuple(k - 1 for k in (0, 1, 1, 2, 2, 3))
    variables = sparse.expanded(joints, (1, 3, 1, 1, 1, 1))
    assert tuple(k + 1 for k in variables) == (0, 1, 2, 3, 1, 4, 4, 5)


def test_joints_without_freedom_pass_their_place_on() -> None:
    assert sparse.expanded((-1, 0, 1, 1, 0), (2, 0, 1, 1, 0)) == (-1, 0, 1, 1)
    assert sparse.expanded((-1, 0), (0, 2)) == (-1, 0)


@every_tree
def test_ltl_reproduces_the_matrix_without_fill_in(parent: tuple[int, ...]) -> None:
    """Checks 19, 20: n + 2 D1 non-zeros in H, n + D1 in L."""
    H = matrix(parent)
    L = np.array(sparse.ltl(rows(H), parent))
    assert np.allclose(L.T @ L, H, rtol=0, atol=1e-13)
    assert np.array_equal(L != 0.0, lower(parent))
    assert np.count_nonzero(pattern(parent)) == len(parent) + 2 * counts(parent)[0]


@every_tree
def test_ltdl_reproduces_the_matrix_without_fill_in(parent: tuple[int, ...]) -> None:
    H = matrix(parent)
    L, D = map(np.array, sparse.ltdl(rows(H), parent))
    assert np.allclose(L.T @ np.diag(D) @ L, H, rtol=0, atol=1e-13)
    assert np.array_equal(L != 0.0, lower(parent)) and np.all(np.diag(L) == 1.0)


@every_tree
def test_only_the_lower_triangle_is_read(parent: tuple[int, ...]) -> None:
    H = matrix(parent)
    halved = np.where(lower(parent), H, np.nan)
    assert sparse.ltdl(rows(halved), parent) == sparse.ltdl(rows(H), parent)
    assert sparse.ltl(rows(halved), parent) == sparse.ltl(rows(H), parent)
    x = [1.0] * len(parent)
    assert np.allclose(sparse.times_H(rows(halved), parent, x), H @ x)


@every_tree
def test_products_and_solves_of_table_6_5(parent: tuple[int, ...]) -> None:
    H, x = matrix(parent), np.random.default_rng(1).normal(size=len(parent))
    for L in (sparse.ltl(rows(H), parent), sparse.ltdl(rows(H), parent)[0]):
        dense, y = np.array(L), x.tolist()
        for found, expected in (
            (sparse.times_L(L, parent, y), dense @ x),
            (sparse.times_L_transposed(L, parent, y), dense.T @ x),
            (sparse.solve_L(L, parent, y), np.linalg.solve(dense, x)),
            (sparse.solve_L_transposed(L, parent, y), np.linalg.solve(dense.T, x)),
        ):
            assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)
        assert y == x.tolist()
    assert np.allclose(sparse.times_H(rows(H), parent, x.tolist()), H @ x)


@every_tree
def test_solves_and_the_inverse(parent: tuple[int, ...]) -> None:
    H, b = matrix(parent), np.random.default_rng(2).normal(size=len(parent))
    exact = np.linalg.solve(H, b)
    L, D = sparse.ltdl(rows(H), parent)
    solved = sparse.solve_ltdl(L, D, parent, b.tolist())
    assert np.allclose(solved, exact, rtol=1e-11, atol=1e-11)
    solved = sparse.solve_ltl(sparse.ltl(rows(H), parent), parent, b.tolist())
    assert np.allclose(solved, exact, rtol=1e-11, atol=1e-11)
    inverse = np.array(sparse.inverse_ltdl(L, D, parent))
    assert np.array_equal(inverse, inverse.T)
    assert np.allclose(inverse @ H, np.eye(len(parent)), rtol=0, atol=1e-11)


def test_rational_numbers_are_exact() -> None:
    H = [
        [Fraction(2), 0, 0],
        [Fraction(1), Fraction(5), 0],
        [Fraction(3), 0, Fraction(7)],
    ]
    L, D = sparse.ltdl([[Fraction(x) for x in row] for row in H], (-1, 0, 0))
    d0 = Fraction(2) - Fraction(1, 5) - Fraction(9, 7)
    assert D[0] == pytest.approx(float(d0), rel=1e-15) and D[1:] == [5, 7]


@pytest.mark.parametrize(
    ("parent", "expected"),
    [(BINARY, (10, 14)), (CHAIN, (15, 35)), (tuple(range(-1, 9)), (45, 165))],
)
def test_costs_of_table_6_6(parent: tuple[int, ...], expected: tuple[int, int]) -> None:
    """Check 20: factorizing takes D1 + D2 products and D2 sums; a reciprocal a row."""
    D1, D2 = expected
    assert counts(parent) == expected
    n = len(parent)

    def factorize(H: list, b: list) -> list:
        L, D = sparse.ltdl(H, parent)
        return [x for row in L for x in row] + D

    used = operations(factorize, parent)
    assert used == {"mul": D1 + D2, "sums": D2, "rcp": used["rcp"]}
    assert used["rcp"] <= n

    def solve(H: list, b: list) -> list:
        return sparse.solve_ltdl(*sparse.ltdl(H, parent), parent, b)

    used = operations(solve, parent)
    assert used == {"mul": 3 * D1 + D2 + n, "sums": D2 + 2 * D1, "rcp": n}


def test_cost_of_factorizing_and_solving_for_six_joints() -> None:
    """Check 22: 86 m + 65 a; a division of the book is a product with a reciprocal."""
    used = operations(
        lambda H, b: sparse.solve_ltdl(*sparse.ltdl(H, CHAIN), CHAIN, b), CHAIN
    )
    assert (used["mul"], used["sums"]) == (86, 65)


@every_tree
def test_costs_of_products_and_solves(parent: tuple[int, ...]) -> None:
    """Check 22, the rest of Table 6.6; a division is a product with a reciprocal."""
    (D1, _), n = counts(parent), len(parent)
    costs = {
        sparse.times_L: (n + D1, D1),
        sparse.times_L_transposed: (n + D1, D1),
        sparse.times_H: (n + 2 * D1, 2 * D1),
        sparse.solve_L: (n + D1, D1),
        sparse.solve_L_transposed: (n + D1, D1),
        sparse.solve_ltl: (2 * n + 2 * D1, 2 * D1),
    }
    for function, (products, sums) in costs.items():
        used = operations(lambda H, b, f=function: f(H, parent, b), parent)
        assert (used.get("mul", 0) + used.get("div", 0), used["sums"]) == (
            products,
            sums,
        ), function.__name__


def operations(
    function: Callable[..., list], parent: tuple[int, ...]
) -> dict[str, int]:
    trace, n = Trace(), len(parent)
    mask = lower(parent)
    H = [
        [trace.input(f"H{i},{j}") if mask[i, j] else 0.0 for j in range(n)]
        for i in range(n)
    ]
    b = list(trace.inputs("b", n))
    count = Program.of(function(H, b)).operations()
    sums = count.pop("add", 0) + count.pop("sub", 0)
    return {**count, "sums": sums, "rcp": count.get("rcp", 0)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_zeros_of_the_mass_matrix_are_the_branches(seed: int) -> None:
    """Check 19, on a forest of every joint, declared in any order."""
    model = mechanisms.hand(seed)
    q, _, _ = mechanisms.state(model, seed)
    parent: list[tuple[int, ...]] = []

    @kn.algorithm
    def mass_matrix(model: kn.Model, q: kn.Position) -> object:
        parent.append(sparse.variable_parents(model))
        return kn.mass_matrix(model, q)

    M = kn.interpret(mass_matrix, model)(q)
    assert np.all(M[~pattern(parent[0])] == 0.0)
    again = kn.interpret(kn.mass_matrix, model)(mechanisms.state(model, seed + 9)[0])
    assert (
        np.count_nonzero((M != 0.0) | (again != 0.0)) > 0.7 * pattern(parent[0]).sum()
    )
    L, D = sparse.ltdl(M.tolist(), parent[0])
    assert min(D) > 0.0
