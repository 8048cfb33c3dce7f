"""Forward dynamics by the articulated-body algorithm."""

from __future__ import annotations

from typing import Any

from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import newton_euler


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

    The inverse of `inverse_dynamics`.  Where the table has c, A holds the accelerations
    for a = 0 and dA what a adds: p is then the force that a = 0 takes, and the velocity
    products I^a c are not needed.  The trap: a singular mass matrix gives values that
    are not finite.
    """
    X, S, V, A, IA, p, U, D, u, dA, a = model.per_body(11)
    V[model.world], A[model.world] = model.rest, -model.gravity
    dA[model.world] = model.rest
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + cJ + cross(V[i], vJ)
        IA[i] = articulated(i.felt)
        p[i] = newton_euler(i.felt, V[i], A[i]) - f_ext[i]
    for i in model.inward():
        U[i] = IA[i] @ S[i]
        D[i] = LDL(i.joint.with_rotor(S[i].T @ U[i]))
        u[i] = sub(tau[i], S[i].T @ p[i])
        if passive:
            u[i] = add(u[i], i.joint.passive_force(q[i], v[i]))
        IA[i.parent] += X[i].T @ (IA[i] - U[i] @ D[i].inv @ U[i].T)
        p[i.parent] += X[i].T @ (p[i] + U[i] @ (D[i].inv @ u[i]))
    for i in model.outward():
        dA[i] = X[i] @ dA[i.parent]
        a[i] = D[i].inv @ sub(u[i], U[i].T @ dA[i])
        dA[i] += S[i] @ a[i]
    return a
