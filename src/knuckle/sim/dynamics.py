"""The right-hand side of a step: articulated bodies with what resists their motion."""

from __future__ import annotations

from typing import Any

from knuckle.model.layout import Velocity, Wrenches
from knuckle.sim.resistance import Laws, Stage, resistance, with_diagonal
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import newton_euler


def accelerations(
    model: Any, stage: Stage, tau: Velocity, f_ext: Wrenches, laws: Laws
) -> Velocity:
    """a with (M + K) a + bias = tau + r [rad/s^2, m/s^2].  Featherstone Table 7.1.

    `forward_dynamics` with the resistances r - K a of `resistance` as its passive
    forces.
    """
    q, v = stage.q, stage.v
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
        inertia = i.joint.with_rotor(S[i].T @ U[i])
        r, K = resistance(i, stage, inertia, laws)
        D[i] = LDL(with_diagonal(inertia, K))
        u[i] = add(sub(tau[i], S[i].T @ p[i]), r)
        IA[i.parent] += X[i].T @ (IA[i] - U[i] @ D[i].inv @ U[i].T)
        p[i.parent] += X[i].T @ (p[i] + U[i] @ (D[i].inv @ u[i]))
    for i in model.outward():
        dA[i] = X[i] @ dA[i.parent]
        a[i] = D[i].inv @ sub(u[i], U[i].T @ dA[i])
        dA[i] += S[i] @ a[i]
    return model.velocity(a)  # type: ignore[no-any-return]
