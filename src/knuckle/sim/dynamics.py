"""The right-hand side of a step: articulated bodies with what resists their motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from knuckle.algorithms import inverse_dynamics, mass_matrix
from knuckle.algorithms.sparse_factorization import ltdl, solve_ltdl, variable_parents
from knuckle.model.coupled import congruence
from knuckle.model.layout import Velocity, Wrenches
from knuckle.scalar import Number, maximum
from knuckle.sim.resistance import Laws, Stage, resistance, with_diagonal
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, is_zero, sub
from knuckle.spatial.newton_euler import newton_euler


def accelerations(
    model: Any, stage: Stage, tau: Velocity, f_ext: Wrenches, laws: Laws
) -> Velocity:
    """a with (M + K) a + bias = tau + r [rad/s^2, m/s^2].  Featherstone Table 7.1.

    `forward_dynamics` with the resistances r - K a of `resistance` as its passive
    forces.
    """
    if model.coupled:
        return coupled_accelerations(model, stage, tau, f_ext, laws)
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


LEAST = 1e-30
"""Less than any slope G_k M^-1 G_k^T of a joint that moves at all."""


def coupled_accelerations(
    model: Any, stage: Stage, tau: Velocity, f_ext: Wrenches, laws: Laws
) -> Velocity:
    """a with (M + G^T K G) a + bias = tau + G^T (r - K g), where joints follow others.

    The resistances are those of all joints, at G a + g; (9.26) with Table 6.3.
    """
    q, v, still = stage.q, stage.v, Velocity((0.0,) * model.nv)
    lift, M = model.lift(q), mass_matrix(model, q).rows(model.nv)
    q0, v0 = model.lifted(stage.q0, stage.v0)
    seen = replace(stage, q=model.lifted(q, v)[0], q0=q0, v0=v0)
    G, g = lift.rows(), lift.drift(tuple(v), tuple(v))
    push: list[Number] = [0.0] * model.freedoms
    K: list[list[Number]] = [[0.0] * model.freedoms for _ in push]
    for i in model.outward():
        numbers = range(i.v.start, i.v.stop)
        D = [[felt(G[k], M) if k == j else 0.0 for j in numbers] for k in numbers]
        r, rates = resistance(i, seen, D, laws)
        for k, x, y in zip(numbers, r, rates, strict=True):
            push[k], K[k][k] = x - y * g[k], y
    C = inverse_dynamics(model, q, v, still, f_ext, passive=False)
    KG = congruence(G, K, model.nv, True)
    left = [a + b - c for a, b, c in zip(tau, lift.forces(push), C, strict=True)]
    parent = variable_parents(model)
    L, D = ltdl([add(m, k) for m, k in zip(M, KG, strict=True)], parent)
    return Velocity(solve_ltdl(L, D, parent, left))


def felt(row: dict[int, Number], M: Any) -> Number:
    """The inertia that one velocity of all joints feels, the others held as they are.

    1 / sum of G_ky^2 / M_yy: M_yy itself for an independent joint.
    """
    slope: Number = 0.0
    for y, ratio in row.items():
        if not is_zero(ratio):
            slope = slope + ratio * ratio / M[y][y]
    return 1.0 / maximum(slope, LEAST)
