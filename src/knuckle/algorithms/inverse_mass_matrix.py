"""The inverse of the joint-space inertia matrix, and its product with a vector."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import (
    inverse_ltdl,
    ltdl,
    solve_ltdl,
    variable_parents,
)
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.spatial import LDL, articulated
from knuckle.spatial.linear import sub


@algorithm
def inverse_mass_matrix(model: Any, q: Position) -> Any:
    """M^-1(q), both triangles [1/(kg m^2), 1/(kg m), 1/kg].  Featherstone Table 6.3.

    M = L^T D L without fill-in, then the rows of M^-1 from M^-1 = L^-1 D^-1 L^-T.  The
    trap: to apply M^-1 to one vector, `solve_mass_matrix` is O(n) and this is O(n^2).
    """
    parent = variable_parents(model)
    M = mass_matrix(model, q).rows(model.nv)
    return inverse_ltdl(*ltdl(M, parent), parent)


@algorithm
def solve_mass_matrix(model: Any, q: Position, x: Velocity) -> Any:
    """M^-1 x [rad/s^2, m/s^2 for a force], O(n).  Featherstone Table 7.1, at rest.

    Forward dynamics without velocity, gravity, passive or external forces.
    """
    X, S, IA, pA, U, D, u, A, a = model.per_body(9)
    A[model.world] = model.rest
    for i in model.outward():
        X[i], S[i] = i.joint.transform(q[i]), i.joint.subspace(q[i])
        IA[i] = articulated(i.felt)
        pA[i] = i.no_force
    for i in model.inward():
        U[i] = IA[i] @ S[i]
        D[i] = LDL(i.joint.with_rotor(S[i].T @ U[i]))
        u[i] = sub(x[i], S[i].T @ pA[i])
        Ia = IA[i] - U[i] @ D[i].inv @ U[i].T
        pa = pA[i] + U[i] @ (D[i].inv @ u[i])
        IA[i.parent] += X[i].T @ Ia
        pA[i.parent] += X[i].T @ pa
    for i in model.outward():
        A[i] = X[i] @ A[i.parent]
        a[i] = D[i].inv @ sub(u[i], U[i].T @ A[i])
        A[i] += S[i] @ a[i]
    return a


@solve_mass_matrix.coupled
def solve_coupled(model: Any, q: Position, x: Velocity) -> Velocity:
    """M^-1 x where joints follow others, by the factors of M."""
    parent = variable_parents(model)
    L, D = ltdl(mass_matrix(model, q).rows(model.nv), parent)
    return Velocity(solve_ltdl(L, D, parent, tuple(x)))
