"""The second derivatives of forward dynamics, from those of inverse dynamics.

ID(q, v, FD(q, v, tau)) = tau, differentiated twice: with a_x = da/dx,

    M a_xy = -(ID_xy + ID_xa a_y + ID_ya a_x),

for M a_tau = 1, and a enters ID linearly, times M(q).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from knuckle.algorithms.derivatives.forward_dynamics import (
    TOGETHER,
    forward_dynamics_derivatives,
)
from knuckle.algorithms.derivatives.second_inverse_dynamics import (
    inverse_dynamics_second_derivatives,
)
from knuckle.algorithms.forward_dynamics import forward_dynamics
from knuckle.algorithms.forward_dynamics_crba import forward_dynamics_crba
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import (
    ltdl,
    solve_columns,
    variable_parents,
)
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number
from knuckle.spatial.linear import add, dot, neg, transpose

Column = Sequence[Number]


class ForwardDynamicsSecondDerivatives(NamedTuple):
    """d2 a by two of q, v and tau, each (nv, nv, nv): acceleration, first, second."""

    qq: Any
    qv: Any
    vv: Any
    qtau: Any


@forward_dynamics.second_derivative(("q", "q"), ("q", "v"), ("v", "v"), ("q", "tau"))
def forward_dynamics_second_derivatives(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """d2 a = -M^-1 (d2 ID + dM/dq da), with d2 ID at the a that tau gives.

    O(n^3 d): every column of second forces is solved for.
    """
    n, parent = range(model.nv), variable_parents(model)
    L, D = ltdl(mass_matrix(model, q).rows(model.nv), parent)
    a = forward_dynamics_crba(model, q, v, tau, f_ext, passive=passive)
    first = forward_dynamics_derivatives(model, q, v, tau, f_ext, passive=passive)
    ID = inverse_dynamics_second_derivatives(model, q, v, a, f_ext, passive=passive)
    by_q, by_v, by_tau = (transpose(rows) for rows in first)

    def meeting(j: int, column: Column) -> Column:
        """dM/dq_j times a column."""
        return tuple(dot(ID.qa[i][j], column) for i in n)

    def forces(cube: Any, j: int, k: int) -> Column:
        return tuple(cube[i][j][k] for i in n)

    def solved(columns: Sequence[Column]) -> Any:
        """-M^-1 of the columns by (j, k), as a cube."""
        parts = [columns[k : k + TOGETHER] for k in range(0, len(columns), TOGETHER)]
        found = [x for part in parts for x in solve_columns(L, neg(D), parent, part)]
        rows = tuple(zip(*found, strict=True))
        return tuple(
            tuple(row[k : k + len(n)] for k in range(0, len(row), len(n)))
            for row in rows
        )

    pairs = [(j, k) for j in n for k in n]
    crossed = {(j, k): meeting(j, by_q[k]) for j, k in pairs}
    both = [add(crossed[j, k], crossed[k, j]) for j, k in pairs]
    return ForwardDynamicsSecondDerivatives(
        qq=solved([add(forces(ID.qq, *at), x) for at, x in zip(pairs, both)]),
        qv=solved([add(forces(ID.qv, j, k), meeting(j, by_v[k])) for j, k in pairs]),
        vv=solved([forces(ID.vv, j, k) for j, k in pairs]),
        qtau=solved([meeting(j, by_tau[k]) for j, k in pairs]),
    )
