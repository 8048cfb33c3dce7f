"""Forward dynamics by divide and conquer: two halves of the tree at a time."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.divided import ByInertias, ByInverseInertias
from knuckle.edge import algorithm
from knuckle.model.assembly import assembly
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import add


@algorithm
def forward_dynamics_divide_and_conquer(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    inverse: bool = False,
    passive: bool = True,
) -> Any:
    """Accelerations a = FD(q, v, tau) [rad/s^2, m/s^2].  Featherstone Sec. 7.5, (7.63).

    The values of `forward_dynamics` in O(log n) steps one after the other, whatever the
    tree, for up to four times the operations; with `inverse` by the book's inverse
    inertias and T, which need an inertia in every body and more operations.  The trap:
    on one processor operations count, and `forward_dynamics` is faster.
    """
    tree = (ByInverseInertias if inverse else ByInertias)(model, q, v)
    parts = assembly(model)
    for part in parts:
        tree.move(part, model.rest)
    for i in model.bodies:
        own = i.joint.passive_force(q[i], v[i]) if passive else (0.0,) * i.dof
        tree.drive(i, add(tau[i], own), f_ext[i])
    for part in parts:
        tree.solve(part, model.gravity * -1.0)
    return tree.accelerations()
