"""Inverse dynamics by the recursive Newton-Euler algorithm."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import newton_euler


@algorithm
def inverse_dynamics(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Joint forces tau = ID(q, v, a) [N m, N].  Featherstone Table 5.1; Kim Table 2.

    M a + bias - passive - sum of J^T f_ext.  The trap: a is dv/dt, which is no second
    derivative of q where v is not dq/dt.
    """
    X, S, V, A, F, tau = model.per_body(6)
    V[model.world], A[model.world] = model.rest, -model.gravity
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + S[i] @ a[i] + cJ + cross(V[i], vJ)
        F[i] = newton_euler(i.felt, V[i], A[i]) - f_ext[i]
    for i in model.inward():
        tau[i] = add(S[i].T @ F[i], i.joint.rotor_force(a[i]))
        if passive:
            tau[i] = sub(tau[i], i.joint.passive_force(q[i], v[i]))
        F[i.parent] += X[i].T @ F[i]
    return tau
