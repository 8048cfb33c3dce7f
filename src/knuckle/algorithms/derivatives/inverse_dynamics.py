"""The derivatives of inverse dynamics in O(n d), d the depth of the tree.

Moving joint j by dq changes, in the axes of each body i it carries, the velocity by
psi_j and the acceleration by phi_j - v_i x psi_j, both transported from j to i. The net
force of the subtree then changes by I^c phi + B^c psi, with composites I^c and B^c that
do not depend on j: two force vectors a column and two a row travel up the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import coriolis, cross
from knuckle.spatial.linear import matadd, matsub, transpose
from knuckle.spatial.newton_euler import newton_euler


class InverseDynamicsDerivatives(NamedTuple):
    """dtau by q (along v), by v and by a, each (nv, nv)."""

    q: Any
    v: Any
    a: Any


@inverse_dynamics.derivative("q", "v", "a")
def inverse_dynamics_derivatives(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """dtau/dq, dtau/dv and dtau/da = M.  Kim Tables 5, 6, without their transports."""
    X, S, V, A, F, I, B = model.per_body(7)
    dS, psi, phi, chi, U, R, G, H = model.per_body(8)
    by_q, by_v, M = model.joint_blocks(), model.joint_blocks(), model.joint_matrix()
    V[model.world], A[model.world] = model.rest, -model.gravity
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        before, carried = X[i] @ V[i.parent], X[i] @ A[i.parent]
        V[i] = before + vJ
        A[i] = carried + S[i] @ a[i] + cJ + cross(V[i], vJ)
        F[i] = newton_euler(i.felt, V[i], A[i]) - f_ext[i]
        I[i], B[i] = i.felt, coriolis(i.felt, V[i])
        dS[i], dvJ, daJ, dcJ = i.joint.motion_rates(q[i], v[i], a[i])
        psi[i] = cross(before, S[i]) + dvJ
        phi[i] = cross(carried, S[i]) + daJ + cross(V[i], dvJ) + cross(before, psi[i])
        chi[i] = cross(before + V[i], S[i]) + dcJ
    for i in model.inward():
        U[i], R[i] = I[i] @ S[i], B[i].T @ S[i]
        G[i], H[i] = I[i] @ phi[i] + B[i] @ psi[i], I[i] @ chi[i] + B[i] @ S[i]
        M[i, i] = i.joint.with_rotor(S[i].T @ U[i])
        turned = transpose(tuple(s.T @ F[i] for s in dS[i]))
        by_q[i, i], by_v[i, i] = matadd(S[i].T @ G[i], turned), S[i].T @ H[i]
        if passive:
            stiffness, damping = i.joint.passive_rates(q[i], v[i])
            by_q[i, i] = matsub(by_q[i, i], stiffness)
            by_v[i, i] = matsub(by_v[i, i], damping)
        G[i] = G[i] + cross(S[i], F[i])
        for k in model.rootward(i):
            j = k.parent
            for force in (U, R, G, H):
                force[j] = X[k].T @ force[k]
            M[i, j] = U[j].T @ S[j]
            by_q[i, j] = matadd(U[j].T @ phi[j], R[j].T @ psi[j])
            by_v[i, j] = matadd(U[j].T @ chi[j], R[j].T @ S[j])
            by_q[j, i], by_v[j, i] = S[j].T @ G[j], S[j].T @ H[j]
        I[i.parent] += X[i].T @ I[i]
        B[i.parent] += X[i].T @ B[i]
        F[i.parent] += X[i].T @ F[i]
    return InverseDynamicsDerivatives(by_q, by_v, M)
