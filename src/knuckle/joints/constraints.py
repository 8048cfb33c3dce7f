"""The forces a joint transmits (T) and those its actuator exerts (T_a)."""

from __future__ import annotations

from collections.abc import Sequence

from knuckle.scalar import Number, Scalar
from knuckle.spatial import Force, ForceSubspace, Subspace
from knuckle.spatial.linear import identity


def constraint_subspaces(S: Subspace, name: str) -> tuple[ForceSubspace, ForceSubspace]:
    """(T, T_a) with T^T S = 0 and T_a^T S = 1 (Featherstone 3.35, 3.36; Table 4.1).

    With the pivot rows P of S: T_a = S_P^-T in the rows P, and one column
    e_r - S_P^-T S_r^T of T for every other row r; for axes along coordinates these are
    unit vectors.  The trap: T_a is one choice among many; any T_a + T Z will do.
    """
    columns = [list(c.entries) for c in S]
    if any(isinstance(x, Scalar) for c in columns for x in c):
        raise TypeError(
            f"joint {name!r}: S depends on q, and the pivots of its complement cannot "
            "be chosen while tracing; evaluate constraint_subspaces on numbers"
        )
    pivots, inverse = _pivoted(columns, name)
    n = len(pivots)
    actuation = [
        _column({pivots[i]: inverse[k][i] for i in range(n)}) for k in range(n)
    ]
    constraint = []
    for r in (r for r in range(6) if r not in pivots):
        rows = {
            pivots[i]: -_sum(columns[k][r] * inverse[k][i] for k in range(n))
            for i in range(n)
        }
        constraint.append(_column({**rows, r: 1.0}))
    return ForceSubspace(constraint), ForceSubspace(actuation)


def _pivoted(
    columns: Sequence[Sequence[Number]], name: str
) -> tuple[list[int], list[list[Number]]]:
    """Pivot rows P and S_P^-1 (rows by column of S, columns by pivot), fully pivoted.

    Column operations turn S into a matrix whose rows P are the identity; the same
    operations on the identity give S_P^-1.
    """
    n = len(columns)
    work = [[*c, *e] for c, e in zip(columns, identity(n), strict=True)]
    pivots: list[int] = []
    order: list[int] = []
    for _ in range(n):
        size, row, k = max(
            (
                (abs(work[k][r]), -r, -k)
                for k in range(n)
                for r in range(6)
                if r not in pivots and k not in order
            ),
        )
        row, k = -row, -k
        if not size > 1e-10:
            raise ValueError(
                f"joint {name!r}: the columns of S are linearly dependent in this "
                "configuration, T_a^T S = 1 has no solution; move off the singularity"
            )
        work[k] = [x / work[k][row] for x in work[k]]
        for j in range(n):
            if j != k and work[j][row] != 0:
                factor, pair = work[j][row], zip(work[j], work[k], strict=True)
                work[j] = [x - factor * y for x, y in pair]
        pivots.append(row)
        order.append(k)
    inverse = [[work[k][6 + j] for k in order] for j in range(n)]
    return pivots, inverse


def _column(rows: dict[int, Number]) -> Force:
    return Force.of(tuple(rows.get(i, 0.0) + 0.0 for i in range(6)))


def _sum(terms: object) -> Number:
    total: Number = 0.0
    for x in terms:  # type: ignore[attr-defined]
        total = total + x
    return total
