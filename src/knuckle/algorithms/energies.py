"""Kinetic and potential energy."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.momentum import total_inertia
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity
from knuckle.scalar import Number
from knuckle.spatial.linear import dot


@algorithm
def kinetic_energy(model: Any, q: Position, v: Velocity) -> Any:
    """T = sum of 1/2 V . I V + 1/2 armature v^2 [J].  Featherstone (2.67), (3.2).

    1/2 v^T M v where no motion is prescribed.
    """
    V = model.per_body()
    V[model.world] = model.rest
    T: Number = 0.0
    for i in model.outward():
        X, S, vJ, cJ = i.joint.motion(q[i], v[i])
        V[i] = X @ V[i.parent] + vJ
        T += 0.5 * V[i].dot(i.felt @ V[i])
        for speed, moment in zip(v[i], i.joint.rotor_force(v[i]), strict=True):
            T += 0.5 * speed * moment
    return T


@algorithm
def potential_energy(model: Any, q: Position) -> Any:
    """U = -m g . com + 1/2 stiffness difference(rest, q)^2 [J].  Featherstone (2.62).

    Gravity's part is zero with the centre of mass at the world's origin.  The trap: it
    counts what moves, so bodies that are fixed to the world have none.
    """
    space = model.in_space()
    U = 0.0 - dot(space.gravity.linear, total_inertia(space, q).h)
    for i in model.outward():
        U += i.joint.spring_energy(q[i])
    return U
