"""Hybrid dynamics: some joints move as prescribed, the others as they are driven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knuckle.algorithms.expressed import listed
from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import (
    ltdl,
    restricted,
    solve_ltdl,
    variable_parents,
)
from knuckle.edge import algorithm
from knuckle.model.errors import ModelError
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


@hybrid_dynamics.coupled
def hybrid_coupled(
    model: Any,
    q: Position,
    v: Velocity,
    a_or_tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    prescribed: Sequence[str] = (),
    passive: bool = True,
) -> Any:
    """The same where joints follow others.  Featherstone (9.2) - (9.4).

    H11 a1 = tau1 - C', with C' = ID at the prescribed accelerations; then tau = ID.
    """
    given = _velocities(model, prescribed)
    free = [k for k in range(model.nv) if k not in given]
    moved = [x if k in given else 0.0 for k, x in enumerate(a_or_tau)]
    C = tuple(inverse_dynamics(model, q, v, Velocity(moved), f_ext, passive=passive))
    M = mass_matrix(model, q).rows(model.nv)
    parent = restricted(variable_parents(model), free)
    L, D = ltdl([[M[i][j] for j in free] for i in free], parent)
    found = solve_ltdl(L, D, parent, [a_or_tau[k] - C[k] for k in free])
    total = list(moved)
    for k, x in zip(free, found, strict=True):
        total[k] = x
    tau = inverse_dynamics(model, q, v, Velocity(total), f_ext, passive=passive)
    return Velocity([tau[k] if k in given else total[k] for k in range(model.nv)])


def _velocities(model: Any, prescribed: Sequence[str]) -> set[int]:
    """The velocities of the named joints, which must be independent."""
    found: set[int] = set()
    for name in listed(prescribed, "hybrid_dynamics", "prescribed"):
        place = model.model.joint(name)
        if place.joint.nv and place not in model.model.independent:
            raise ModelError(
                f"hybrid_dynamics: prescribed joint {name!r} follows others by a "
                "coupling; prescribe those that it follows"
            )
        found.update(range(place.v.start, place.v.stop))
    return found


def _bodies(model: Any, prescribed: Sequence[str]) -> set[str]:
    """The bodies that the named joints carry."""
    names = listed(prescribed, "hybrid_dynamics", "prescribed")
    return {model.joint(name).body.name for name in names}
