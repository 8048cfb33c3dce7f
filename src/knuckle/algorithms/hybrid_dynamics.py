"""Hybrid dynamics: some joints move as prescribed, the others as they are driven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.algorithms.expressed import listed
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import newton_euler


@algorithm
def hybrid_dynamics(
    model: Any,
    q: Position,
    v: Velocity,
    a_or_tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    prescribed: Sequence[str] = (),
    passive: bool = True,
) -> Any:
    """tau of the prescribed joints [N m, N], a of the others.  Featherstone Table 9.3.

    Kim Table 4. `a_or_tau` holds accelerations where `prescribed` names the joint,
    forces elsewhere; the result is the other one of each. All prescribed is inverse
    dynamics, none forward dynamics. The trap: names are those of joints, which need
    not be those of bodies.
    """
    moved = _bodies(model.model, prescribed)
    X, S, V, A, IA, p, U, D, u, dA, result = model.per_body(11)
    V[model.world], A[model.world] = model.rest, -model.gravity
    dA[model.world] = model.rest
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + cJ + cross(V[i], vJ)
        if i.name in moved:
            A[i] += S[i] @ a_or_tau[i]  # (9.9)
        IA[i] = articulated(i.felt)
        p[i] = newton_euler(i.felt, V[i], A[i]) - f_ext[i]
    for i in model.inward():
        own = i.joint.passive_force(q[i], v[i]) if passive else (0.0,) * i.dof
        if i.name in moved:
            u[i] = sub(i.joint.rotor_force(a_or_tau[i]), own)
            IA[i.parent] += X[i].T @ IA[i]  # (9.10)
            p[i.parent] += X[i].T @ p[i]
        else:
            U[i] = IA[i] @ S[i]
            D[i] = LDL(i.joint.with_rotor(S[i].T @ U[i]))
            u[i] = sub(add(a_or_tau[i], own), S[i].T @ p[i])
            IA[i.parent] += X[i].T @ (IA[i] - U[i] @ D[i].inv @ U[i].T)
            p[i.parent] += X[i].T @ (p[i] + U[i] @ (D[i].inv @ u[i]))
    for i in model.outward():
        dA[i] = X[i] @ dA[i.parent]
        if i.name in moved:
            result[i] = add(S[i].T @ (IA[i] @ dA[i] + p[i]), u[i])
        else:
            result[i] = D[i].inv @ sub(u[i], U[i].T @ dA[i])
            dA[i] += S[i] @ result[i]
    return result


def _bodies(model: Any, prescribed: Sequence[str]) -> set[str]:
    """The bodies that the named joints carry."""
    names = listed(prescribed, "hybrid_dynamics", "prescribed")
    return {model.joint(name).body.name for name in names}
