"""The right-hand side of a step: articulated bodies with what resists their motion."""

from __future__ import annotations

from typing import Any

from knuckle.model.layout import Velocity, Wrenches
from knuckle.sim.resistance import Laws, Stage, resistance, with_diagonal
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import bias_force


def accelerations(
    model: Any, stage: Stage, tau: Velocity, f_ext: Wrenches, laws: Laws
) -> Velocity:
    """a with (M + K) a + bias = tau + r [rad/s^2, m/s^2].  Featherstone Table 7.1.

    `forward_dynamics` with the resistances r - K a of `resistance` as its passive
    forces.
    """
    q, v = stage.q, stage.v
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
        inertia = i.joint.with_rotor(S[i].T @ U[i])
        r, K = resistance(i, stage, inertia, laws)
        D[i] = LDL(with_diagonal(inertia, K))
        u[i] = add(sub(tau[i], S[i].T @ pA[i]), r)
        Ia = IA[i] - U[i] @ D[i].inv @ U[i].T
        pa = pA[i] + Ia @ c[i] + U[i] @ (D[i].inv @ u[i])
        IA[i.parent] += X[i].T @ Ia
        pA[i.parent] += X[i].T @ pa
    for i in model.outward():
        A[i] = X[i] @ A[i.parent] + c[i]
        a[i] = D[i].inv @ sub(u[i], U[i].T @ A[i])
        A[i] += S[i] @ a[i]
    return model.velocity(a)  # type: ignore[no-any-return]
