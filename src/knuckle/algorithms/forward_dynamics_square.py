"""Forward dynamics by the square factors of M^-1: six recursions (Si & Guenter)."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.edge import algorithm
from knuckle.model.errors import ModelError
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial import LDL, articulated, cross
from knuckle.spatial.linear import add, sub
from knuckle.spatial.newton_euler import newton_euler


@algorithm
def forward_dynamics_square(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Accelerations a = FD(q, v, tau) [rad/s^2, m/s^2].  Si & Guenter (18)-(35).

    The square factors of M^-1 are applied to what tau leaves over the bias: inward,
    Omega^-1, outward. All compiled, their Method I; the values of `forward_dynamics`.
    """
    X, S, JA, Omega, U, z, c, eta, a = model.per_body(9)
    left = remaining_forces(model, q, v, tau, f_ext, passive)
    eta[model.world] = model.rest
    for i in model.outward():
        X[i], S[i] = i.joint.transform(q[i]), i.joint.subspace(q[i])
        JA[i], z[i] = articulated(i.felt), i.no_force
    for i in model.inward():  # (27)-(33)
        U[i] = JA[i] @ S[i]
        Omega[i] = LDL(i.joint.with_rotor(S[i].T @ U[i]))
        c[i] = Omega[i].inv @ sub(left[i], S[i].T @ z[i])
        JA[i.parent] += X[i].T @ (JA[i] - U[i] @ Omega[i].inv @ U[i].T)
        z[i.parent] += X[i].T @ (z[i] + U[i] @ c[i])
    for i in model.outward():  # (34), (35)
        eta[i] = X[i] @ eta[i.parent]
        a[i] = sub(c[i], Omega[i].inv @ (U[i].T @ eta[i]))
        eta[i] += S[i] @ a[i]
    return a


def remaining_forces(
    model: Any, q: Any, v: Any, tau: Any, f_ext: Any, passive: bool
) -> Any:
    """tau less what holds the motion at a = 0 [N m, N].  Si & Guenter (18)-(26)."""
    X, S, V, A, p, left = model.per_body(6)
    V[model.world], A[model.world] = model.rest, -model.gravity
    for i in model.outward():
        X[i], S[i], vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        A[i] = X[i] @ A[i.parent] + cJ + cross(V[i], vJ)
        p[i] = newton_euler(i.felt, V[i], A[i]) - f_ext[i]
    for i in model.inward():
        left[i] = sub(tau[i], S[i].T @ p[i])
        if passive:
            left[i] = add(left[i], i.joint.passive_force(q[i], v[i]))
        p[i.parent] += X[i].T @ p[i]
    return left


class SquareParts(NamedTuple):
    """What recursions 4 to 6 work on: of each moving body X and its rigid inertia, both
    (6, 6), of each velocity its column of S, and what tau leaves over the bias."""

    X: Any
    I: Any
    S: Any
    tau: Any


@algorithm
def square_parts(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Recursions 1 to 3, and the numbers of the others.  Si & Guenter (18)-(26)."""
    model = model.in_space()
    left = remaining_forces(model, q, v, tau, f_ext, passive)
    S: list[Any] = [None] * model.nv
    for i in model.bodies:
        S[i.v] = [column.entries for column in i.joint.subspace(q[i])]
    X = tuple(i.joint.transform(q[i]).matrix() for i in model.bodies)
    I = tuple(i.inertia.matrix() for i in model.bodies)
    return SquareParts(X, I, tuple(S), model.velocity(left))


@square_parts.coupled
def no_square_parts(model: Any, *_: Any, **__: Any) -> Any:
    """These factors are those of a tree."""
    raise ModelError(
        "square_parts: expected a model without couplings, as only the M^-1 of a tree "
        "has such factors; take kn.forward_dynamics, or model.uncoupled"
    )
