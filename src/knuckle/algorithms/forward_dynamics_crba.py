"""Forward dynamics by the joint-space inertia matrix."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import LDL
from knuckle.spatial.linear import less, less_product, matvec, sub


@algorithm
def forward_dynamics_crba(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Accelerations a = M^-1 (tau - C) [rad/s^2, m/s^2].  Featherstone 6.1, 6.2.

    M by Table 6.2, its factors by Table 6.3.  The values of `forward_dynamics` by
    another way: cheaper for few joints in a row, dearer for many.  The trap: a badly
    conditioned M costs more digits here.
    """
    M = mass_matrix(model, q)
    C = inverse_dynamics(model, q, v, model.still(), f_ext, passive=passive)
    L, (D, a) = model.joint_blocks(), model.per_body(2)
    for i in model.outward():
        a[i] = sub(tau[i], C[i])
    for i in model.inward():
        D[i] = LDL(M[i, i])
        for j in model.rootward(i):
            L[i, j.parent] = D[i].solve_columns(M[i, j.parent])
            a[j.parent] = less(a[j.parent], L[i, j.parent], a[i])
        for j in model.rootward(i):
            k = j.parent
            M[k, k] = less_product(M[k, k], L[i, k], M[i, k])
            for l in model.rootward(k):
                m = l.parent
                M[k, m] = less_product(M[k, m], L[i, k], M[i, m])
    for i in model.outward():
        a[i] = D[i].solve(a[i])
        for j in model.rootward(i):
            a[i] = sub(a[i], matvec(L[i, j.parent], a[j.parent]))
    return a
