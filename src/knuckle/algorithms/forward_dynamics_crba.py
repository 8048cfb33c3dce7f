"""Forward dynamics by the joint-space inertia matrix."""

from __future__ import annotations

from typing import Any

from knuckle.algorithms.inverse_dynamics import inverse_dynamics
from knuckle.algorithms.mass_matrix import mass_matrix
from knuckle.algorithms.sparse_factorization import ltdl, solve_ltdl, variable_parents
from knuckle.edge import algorithm
from knuckle.model.layout import Position, Velocity, Wrenches
from knuckle.spatial.linear import sub


@algorithm
def forward_dynamics_crba(
    model: Any,
    q: Position,
    v: Velocity,
    tau: Velocity,
    f_ext: Wrenches | None = None,
    *,
    passive: bool = True,
) -> Any:
    """Accelerations a = M^-1 (tau - C) [rad/s^2, m/s^2].  Featherstone 6.1, 6.2.

    M by Table 6.2, its factors by Table 6.3.  The values of `forward_dynamics` by
    another way: cheaper for few joints in a row, dearer for many.  The trap: a badly
    conditioned M costs more digits here.
    """
    parent = variable_parents(model)
    still = Velocity((0.0,) * model.nv)
    C = inverse_dynamics(model, q, v, still, f_ext, passive=passive)
    L, D = ltdl(mass_matrix(model, q).rows(model.nv), parent)
    return Velocity(solve_ltdl(L, D, parent, sub(tuple(tau), C)))
