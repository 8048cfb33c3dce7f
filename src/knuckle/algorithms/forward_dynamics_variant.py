"""Forward dynamics by the other two assembly formulae of Table 7.2."""

from __future__ import annotations

from typing import Any, NamedTuple

from knuckle.algorithms.articulated_bodies import Crossing, across, free
from knuckle.edge import algorithm
from knuckle.model.assembly import floppy, regularity
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.scalar import Number
from knuckle.spatial import articulated, cross
from knuckle.spatial.complement import complement
from knuckle.spatial.inverse_inertia import InverseInertia, inverse_inertia
from knuckle.spatial.ldl import Yielding
from knuckle.spatial.linear import Vector, add, is_zero
from knuckle.spatial.newton_euler import bias_force
from knuckle.spatial.subspace import forces


@algorithm
def forward_dynamics_variant(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    variant: int = 2,
    passive: bool = True,
) -> Any:
    """Accelerations a = FD(q, v, tau) [rad/s^2, m/s^2].  Featherstone Table 7.2.

    Joints constrain (T) instead of freeing (S): variant 1 by inverse inertias, of which
    every body needs one, variant 2 by inertias; where I^A has no inverse it is the
    standard formula.  The values of `forward_dynamics`, in more operations.  The trap:
    positions in which I^A loses its inverse, as it may below bodies without mass.
    """
    ways = {1: by_inverse_inertias, 2: by_inertias}
    if variant not in ways:
        raise ValueError(
            f"forward_dynamics_variant: variant={variant!r}, expected 1 or 2; the "
            "standard formulae are those of forward_dynamics"
        )
    X, V, c, joint, p = model.per_body(5)
    V[model.world] = model.rest
    for i in model.bodies:
        X[i], S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X[i] @ V[i.parent] + vJ
        c[i] = cJ + cross(V[i], vJ)
        p[i] = bias_force(i.inertia, V[i]) - f_ext[i]
        own = i.joint.passive_force(q[i], v[i]) if passive else (0.0,) * i.dof
        joint[i] = constraint(i, S, add(tau[i], own))
    return ways[variant](model, X, c, joint, p)


class Constraint(NamedTuple):
    """f_J = T_a tau + T lambda, T^T a_J = -lambda / rotor or 0 (3.34), (3.44).

    A rotor does not free its direction, it makes it give way: T has the directions of
    rotors too.
    """

    T: Any
    Ta: Any
    drive: Any
    rotors: tuple[Number | None, ...]
    S: Any
    tau: Vector


def constraint(i: Any, S: Any, tau: Vector) -> Constraint:
    """T and T_a tau of a joint."""
    T, Ta, _ = complement(S)
    rotors = [
        (f, R) for f, R in zip(Ta, i.joint.armature, strict=True) if not is_zero(R)
    ]
    columns = (*T, *(f for f, _ in rotors))
    weights = (*(None for _ in T), *(R for _, R in rotors))
    return Constraint(type(T)(columns, T.frame), Ta, Ta @ tau, weights, S, tau)


def by_inverse_inertias(model: Any, X: Any, c: Any, joint: Any, p: Any) -> Any:
    """Variant 1: a = Phi f + b of the bodies, joint after joint."""
    Phi, b, G, Y, z, F, A, a = model.per_body(8)
    A[model.world] = b[model.world] = model.gravity * -1.0
    Phi[model.world], F[model.world] = ground(model)
    massive(model)
    for i in model.bodies:
        Phi[i] = inverse_inertia(i.inertia)
        b[i] = -(Phi[i] @ p[i])
    for i in reversed(model.bodies):
        T, _, drive, rotors, _, _ = joint[i]
        G[i], push = Phi[i.parent] @ (X[i].T @ T), Phi[i.parent] @ (X[i].T @ drive)
        Y[i] = Yielding(T.T @ (X[i] @ G[i] + Phi[i] @ T), rotors)
        beta = c[i] + X[i] @ (b[i.parent] - push) - b[i] - Phi[i] @ drive
        z[i] = T.T @ beta
        Phi[i.parent] -= G[i] @ Y[i].inv @ G[i].T
        b[i.parent] = b[i.parent] - push - G[i] @ (Y[i].inv @ z[i])
    for i in model.bodies:
        T, Ta, drive, *_ = joint[i]
        F[i] = T @ (Y[i].inv @ add(z[i], G[i].T @ F[i.parent])) + drive
        F[i.parent] = F[i.parent] - X[i].T @ F[i]
        A[i] = Phi[i] @ F[i] + b[i]
        a[i] = Ta.T @ (A[i] - X[i] @ A[i.parent] - c[i])
    return a


def by_inertias(model: Any, X: Any, c: Any, joint: Any, p: Any) -> Any:
    """Variant 2: f = I^A a + p^A of the bodies, joint after joint."""
    IA, pA, Phi, Y, z, A, a = model.per_body(7)
    A[model.world], standard = model.gravity * -1.0, dict[Any, Crossing]()
    loose = floppy(model)
    for i in model.bodies:
        IA[i], pA[i] = articulated(i.inertia), p[i]
    for i in reversed(model.bodies):
        T, _, drive, rotors, S, tau = joint[i]
        if i in loose:
            at = free(IA[i], pA[i], forces(S, every=False))
            (Ia, pa, *_), standard[i] = across(i, S, c[i], tau, at)
        else:
            Phi[i] = inverse_inertia(IA[i])
            Y[i] = Yielding(T.T @ (Phi[i] @ T), rotors)
            z[i] = T.T @ (c[i] - Phi[i] @ (drive - pA[i]))
            Ia = -(type(IA[i]).zero(i.name) - T @ Y[i].inv @ T.T)
            pa = drive + T @ (Y[i].inv @ z[i])
        IA[i.parent] += X[i].T @ Ia
        pA[i.parent] += X[i].T @ pa
    for i in model.bodies:
        T, Ta, drive, _, S, _ = joint[i]
        before = X[i] @ A[i.parent]
        if i in loose:
            a[i] = standard[i].acceleration(before + c[i], ())
            A[i] = before + c[i] + S @ a[i]
        else:
            f = T @ (Y[i].inv @ add(z[i], T.T @ before)) + drive
            A[i] = Phi[i] @ (f - pA[i])
            a[i] = Ta.T @ (A[i] - before - c[i])
    return a


def ground(model: Any) -> tuple[InverseInertia, Any]:
    """Phi and f of the world: no force moves it."""
    zero = model.rest.dual.zero("world")
    return InverseInertia(((0.0,) * len(zero),) * len(zero), "world"), zero


def massive(model: Any) -> None:
    """Refuses a model with a body whose inertia has no inverse."""
    known = regularity(model).full
    for i in model.bodies:
        if i not in known:
            raise ValueError(
                "inverse inertias (variant=1, inverse=True) need one of every body, "
                f"and that of {i.name!r} is singular; use variant=2, inverse=False or "
                "forward_dynamics"
            )
