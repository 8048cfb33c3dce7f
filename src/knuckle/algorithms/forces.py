"""The joint forces of velocity, gravity, springs and dampers."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity


@algorithm
def bias_forces(model: Any, q: Position, v: Velocity) -> Any:
    """C(q, v) v + g(q) [N m, N], the joint forces for a = 0.  Featherstone 6.2.

    Neither passive nor external forces.  The trap: where the pose of a joint depends on
    time, its prescribed motion is part of this.
    """
    return inverse_dynamics(model, q, v, model.still(), passive=False)


@algorithm
def gravity_forces(model: Any, q: Position) -> Any:
    """+dU/dq of the potential energy of gravity [N m, N].  Featherstone 5.12, 5.13.

    The joint forces that hold the mechanism up.  The trap: what gravity exerts on the
    joints is the negative of this; springs are in `passive_forces`.
    """
    X, S, A, F, tau = model.per_body(5)
    A[model.world] = -model.gravity
    for i in model.outward():
        X[i], S[i] = i.joint.transform(q[i]), i.joint.subspace(q[i])
        A[i] = X[i] @ A[i.parent]
        F[i] = i.felt @ A[i]
    for i in model.inward():
        tau[i] = S[i].T @ F[i]
        F[i.parent] += X[i].T @ F[i]
    return tau


@algorithm
def passive_forces(model: Any, q: Position, v: Velocity) -> Any:
    """-damping v - friction sign(v) - stiffness difference(rest, q) [N m, N].

    What springs, dampers and dry friction exert on the joints; sign(0) = 0.  The trap:
    a mechanism at rest feels no friction, whatever pulls at it.
    """
    tau = model.per_body()
    for i in model.outward():
        tau[i] = i.joint.passive_force(q[i], v[i])
    return tau
