"""Small dense systems without symmetry, and the sum of two inertias in series."""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, reciprocal, where
from knuckle.spatial.linear import Matrix, identity, is_zero, matadd, matmul

Rows = list[list[Number]]


def solved(A: Sequence[Sequence[Number]], B: Sequence[Sequence[Number]]) -> Matrix:
    """A^-1 B by elimination with partial pivoting; traced, pivots are selects."""
    n = len(A)
    rows = [[*a, *b] for a, b in zip(A, B, strict=True)]
    r: list[Number] = []
    for k in range(n):
        for i in range(k + 1, n):
            _larger_first(rows, k, i)
        r.append(reciprocal(rows[k][k]))
        for i in range(k + 1, n):
            _cleared(rows, i, k, rows[i][k] * r[k])
    for k in reversed(range(n)):
        rows[k][n:] = [x * r[k] for x in rows[k][n:]]
        for i in range(k):
            _cleared(rows, i, k, rows[i][k])
    return tuple(tuple(row[n:]) for row in rows)


def _larger_first(rows: Rows, k: int, i: int) -> None:
    """Rows k and i, that with the larger entry k first; what is zero stays below."""
    if is_zero(rows[i][k]):
        return
    swap = is_zero(rows[k][k]) or abs(rows[i][k]) > abs(rows[k][k])
    pairs = list(zip(rows[k][k:], rows[i][k:], strict=True))
    rows[k][k:] = [where(swap, y, x) for x, y in pairs]
    rows[i][k:] = [where(swap, x, y) for x, y in pairs]


def _cleared(rows: Rows, i: int, k: int, factor: Number) -> None:
    """Row i less so much of row k, its entry k known to vanish."""
    rows[i][k] = 0.0
    for j in range(k + 1, len(rows[i])):
        rows[i][j] = rows[i][j] - factor * rows[k][j]


def in_series(A: Matrix, C: Matrix) -> Matrix:
    """(A^-1 + C)^-1 = (1 + A C)^-1 A of an inertia A behind an inverse inertia C.

    Both positive semidefinite; 1 + A C is regular then, whatever their ranks.
    """
    K = solved(matadd(identity(len(A)), matmul(A, C)), A)
    n = range(len(A))
    return tuple(tuple(K[min(i, j)][max(i, j)] for j in n) for i in n)
