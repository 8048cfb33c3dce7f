"""The derivatives of forward dynamics, from those of inverse dynamics."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from knuckle.algorithms.forward_dynamics import forward_dynamics
from knuckle.algorithms.forward_dynamics_crba import forward_dynamics_crba
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import (
    inverse_ltdl,
    ltdl,
    solve_columns,
    variable_parents,
)
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import neg

TOGETHER = 8
"""Columns that are solved side by side; more would not stay in the nearest cache."""


class ForwardDynamicsDerivatives(NamedTuple):
    """da by q (along v), by v and by tau, each (nv, nv)."""

    q: Any
    v: Any
    tau: Any


@forward_dynamics.derivative("q", "v", "tau")
def forward_dynamics_derivatives(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """da = M^-1 (dtau - dID), with dID at the a that tau gives.

    M = L^T D L without fill-in; a column of dID is zero off the path from its joint to
    the root and off its subtree, and L^-T keeps it so.
    """
    parent = variable_parents(model)
    L, D = ltdl(mass_matrix(model, q).rows(model.nv), parent)
    a = forward_dynamics_crba(model, q, v, tau, f_ext, passive=passive)
    slopes = inverse_dynamics_derivatives(model, q, v, a, f_ext, passive=passive)

    def solved(dID: Any) -> Any:
        columns = tuple(zip(*dID.rows(model.nv), strict=True))
        parts = [columns[k : k + TOGETHER] for k in range(0, model.nv, TOGETHER)]
        found = [x for part in parts for x in solve_columns(L, neg(D), parent, part)]
        return tuple(zip(*found, strict=True))

    by_tau = inverse_ltdl(L, D, parent)
    return ForwardDynamicsDerivatives(solved(slopes.q), solved(slopes.v), by_tau)
