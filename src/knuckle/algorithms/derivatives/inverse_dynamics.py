"""The derivatives of inverse dynamics in O(n d), d the depth of the tree.

Moving joint j by dq changes, in the axes of each body i it carries, the velocity by
psi_j and the acceleration by phi_j - v_i x psi_j, both transported from j to i. The net
force of the subtree then changes by I^c phi + B^c psi, with composites I^c and B^c that
do not depend on j: two force vectors a column and two a row travel up the tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.derivatives.coupled import Curvature, curvature
from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.model.coupled import Rows, congruence
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import coriolis, cross
from knuckle.spatial.linear import is_zero, matadd, matsub, transpose
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


@inverse_dynamics_derivatives.coupled
def coupled_derivatives(
    model: Any,
    q: Position,
    v: Velocity,
    a: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """The same where joints follow others: d(G^T ID(gamma, G v, G a + g)) (9.26)."""
    place = q, v, a, f_ext
    of_tree = inverse_dynamics_derivatives.function(model, *place, passive=passive)
    by_q, by_v, M = (x.rows(model.freedoms) for x in of_tree)
    tau = model.velocity(inverse_dynamics.function(model, *place, passive=passive))
    G, n = model.lift(q).rows(), model.nv
    bent: Curvature = curvature(model, q, v, a, tau)
    return InverseDynamicsDerivatives(
        added(
            congruence(G, by_q, n, False), bent.forces,
            projected(G, by_v, bent.velocity, n), projected(G, M, bent.acceleration, n),
        ),
        added(congruence(G, by_v, n, False), projected(G, M, bent.coriolis, n)),
        congruence(G, M, n, True),
    )  # fmt: skip


def projected(G: Any, H: Any, W: Any, n: int) -> Rows:
    """G^T H W, W by rows over all joints."""
    HW = [[total(zip(row, column, strict=True)) for column in zip(*W, strict=True)]
          for row in H]  # fmt: skip
    rows = [
        [total((row[y], HW[k][x]) for k, row in enumerate(G) if y in row)
         for x in range(n)] for y in range(n)
    ]  # fmt: skip
    return Rows(map(tuple, rows))


def added(*matrices: Any) -> Rows:
    """The sum of matrices."""
    return Rows(tuple(sum(xs[1:], xs[0]) for xs in zip(*rows, strict=True))
                for rows in zip(*matrices, strict=True))  # fmt: skip


def total(pairs: Any) -> Any:
    """The sum of products without a structural zero in them."""
    return sum((x * y for x, y in pairs if not (is_zero(x) or is_zero(y))), 0.0)
