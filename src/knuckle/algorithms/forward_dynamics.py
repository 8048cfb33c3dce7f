"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import bias_force


@algorithm
def forward_dynamics(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Accelerations a = FD(q, v, tau) [rad/s^2, m/s^2].  Featherstone Table 7.1; Kim
    Table 3.

    The inverse of `inverse_dynamics`.  The trap: a singular mass matrix gives values
    that are not finite.
    """
    X, S, V, c, IA, pA, U, D, u, A, a = model.per_body(11)
    V[model.world], A[model.world] = model.rest, -model.gravity
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        c[i] = cJ + cross(V[i], vJ)
        IA[i] = articulated(i.inertia)
        pA[i] = bias_force(i.inertia, V[i]) - f_ext[i]
    for i in model.inward():
        U[i] = IA[i] @ S[i]
        D[i] = LDL(i.joint.with_rotor(S[i].T @ U[i]))
        u[i] = sub(tau[i], S[i].T @ pA[i])
        if passive:
            u[i] = add(u[i], i.joint.passive_force(q[i], v[i]))
        Ia = IA[i] - U[i] @ D[i].inv @ U[i].T
        pa = pA[i] + Ia @ c[i] + U[i] @ (D[i].inv @ u[i])
        IA[i.parent] += X[i].T @ Ia
        pA[i.parent] += X[i].T @ pa
    for i in model.outward():
        A[i] = X[i] @ A[i.parent] + c[i]
        a[i] = D[i].inv @ sub(u[i], U[i].T @ A[i])
        A[i] += S[i] @ a[i]
    return a
